/* SPDX-License-Identifier: MIT */
/* The stack of another thread. Context: one thread at a time. */
#ifndef UV_OS_BACKTRACE_H_
#define UV_OS_BACKTRACE_H_

#include "util/base.h"

/* Frames of a backtrace, and how many of them are those of the handler. */
#define UV__BACKTRACE_MAX 64
#define UV__BACKTRACE_OWN 2

/* Prepares threads of the process to report their stack when they get the
 * signal: 0; UV_EBUSY if the program has changed its action; UV_ENOSYS; UV_E*.
 */
int uv__backtrace_os_start(int signum);
void uv__backtrace_os_stop(int signum);

/* Stores where a thread is, innermost frame first; returns how many, 0 if it
 * does not respond within a short time. */
size_t uv__backtrace_os_take(uint64_t tid,
                             int signum,
                             const void** frames,
                             size_t max);

#endif /* UV_OS_BACKTRACE_H_ */
