/* SPDX-License-Identifier: MIT */
/* What area thread asks the system itself (thread-unix.c, thread-win.c). */
#ifndef DIFFERENTIAL_THREAD_WORLD_H_
#define DIFFERENTIAL_THREAD_WORLD_H_

#include <stddef.h>

/* The bytes that the calling thread's stack may have. */
size_t thread_stack_bytes(void);

/* Names the calling thread; libuv is not asked. */
void thread_rename(const char* name);

#endif
