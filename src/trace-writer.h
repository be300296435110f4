/* SPDX-License-Identifier: MIT */
/* The thread that turns records into text and writes them to a file. There is
 * at most one. Context: the session's lock, see trace.c.
 */
#ifndef UV_TRACE_WRITER_H_
#define UV_TRACE_WRITER_H_

#include "base.h"

/* Writes what is recorded from now on to `fd`, which it owns if this returns
 * 0. */
int uv__trace_writer_start(uv_file fd);

/* Writes what was recorded so far, ends the file and the thread. */
void uv__trace_writer_stop(void);

/* In a forked child, where there is no such thread. */
void uv__trace_writer_fork(void);

#endif /* UV_TRACE_WRITER_H_ */
