/* SPDX-License-Identifier: MIT */
/* A trace from start to end, and UV_TRACE. */
#ifndef UV_OBSERVE_TRACE_TRACE_H_
#define UV_OBSERVE_TRACE_TRACE_H_

#include "util/base.h"

/* Called when a loop is initialised, and in the child after a fork: reads the
 * environment the first time, and continues in a separate file in a forked
 * child. Does nothing otherwise. */
void uv__trace_init_loop(void);

/* uv_library_shutdown(): ends a running trace. */
void uv__trace_shutdown(void);

/* Puts the process's number in place of each %p of a file's name: 0, or
 * UV_ENAMETOOLONG if it does not fit. *has_pid: was there one? */
int uv__trace_expand(char* out, size_t size, const char* pattern, int* has_pid);

#endif /* UV_OBSERVE_TRACE_TRACE_H_ */
