/* SPDX-License-Identifier: MIT */
/* Signal handles: what signal.c asks of the platform.
 *
 * handle->signum is what the handle waits for, 0 while it is stopped; the
 * platform writes it.
 */
#ifndef UV_OS_SIGNAL_H_
#define UV_OS_SIGNAL_H_

#include "handle.h"

/* Called by the platform for each delivery: runs the callback and stops a
 * one-shot handle. */
void uv__signal_report(uv_signal_t* handle, int signum);

/* Implemented by the platform. */

/* Initialises the private fields. */
void uv__signal_os_init(uv_signal_t* handle);

/* 0, or UV_EINVAL for a number that is refused before a started handle is
 * stopped. */
int uv__signal_os_check(int signum);

/* The handle, stopped or not, waits for signum (not 0, not negative) from now
 * on. UV_E*: the number is none, or the system refuses it; then nothing has
 * changed. */
int uv__signal_os_start(uv_signal_t* handle, int signum, int one_shot);

/* The handle is started; afterwards no delivery is reported. */
void uv__signal_os_stop(uv_signal_t* handle);

#endif /* UV_OS_SIGNAL_H_ */
