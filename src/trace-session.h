/* SPDX-License-Identifier: MIT */
/* A trace from its start to its end, and what the environment asks for. */
#ifndef UV_TRACE_SESSION_H_
#define UV_TRACE_SESSION_H_

#include "base.h"

/* With each loop that is made, and on the child's side of a fork: reads the
 * environment the first time, and goes on in a file of its own in a forked
 * process. Does nothing otherwise. */
void uv__trace_init_loop(void);

/* uv_library_shutdown(): ends a trace that is under way. */
void uv__trace_shutdown(void);

/* Puts the process's number in place of each %p of a file's name: 0, or
 * UV_ENAMETOOLONG if it does not fit. *has_pid: was there one? */
int uv__trace_expand(char* out, size_t size, const char* pattern, int* has_pid);

#endif /* UV_TRACE_SESSION_H_ */
