/* SPDX-License-Identifier: MIT */
/* The end of the process by an error of its own: a last function is called
 * before it. */
#ifndef UV_OS_CRASH_H_
#define UV_OS_CRASH_H_

#include "util/base.h"

/* Calls `last` when a thread gets SIGSEGV, SIGBUS, SIGFPE, SIGILL or SIGABRT;
 * afterwards the signal does what it did before: it calls the program's
 * handler, or ends the process. `is_certain` is 0 if there is such a handler,
 * which may put the fault right. 0; UV_ENOSYS. In a forked child nothing is
 * called until it starts again. Once at a time. Context: `last` runs in the
 * signal's handler, on the thread that crashes. */
int uv__crash_os_start(void (*last)(int signum, int is_certain));

/* Puts the actions back, where the program has not set others meanwhile. Does
 * nothing if there was no start. */
void uv__crash_os_stop(void);

#endif /* UV_OS_CRASH_H_ */
