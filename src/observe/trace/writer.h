/* SPDX-License-Identifier: MIT */
/* A thread that turns records into text and writes them to a file. There is at
 * most one. Context: the session's lock, see trace.c.
 */
#ifndef UV_OBSERVE_TRACE_WRITER_H_
#define UV_OBSERVE_TRACE_WRITER_H_

#include "os/private-file.h"

/* Writes what is recorded from now on to the file, which it owns if this
 * returns 0. With `memory` it keeps that many bytes of it instead, until the
 * file is wanted (recorder.h). */
int uv__trace_writer_start(const struct uv__private_file* file, size_t memory);

/* Writes what was recorded so far and ends the file, or forgets what is kept:
 * then the file is removed from `path` if this trace made it and never wrote
 * it. */
void uv__trace_writer_stop(const char* path);

/* In a forked child, which does not write to its parent's file. */
void uv__trace_writer_fork(void);

/* There is much to write. Context: any thread, while there is a trace. */
UV__COLD void uv__trace_writer_wake(void);

#endif /* UV_OBSERVE_TRACE_WRITER_H_ */
