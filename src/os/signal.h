/* SPDX-License-Identifier: MIT */
/* Signal handles: the line between the promise (signal.c) and the platform.
 *
 * handle->signum is what the handle waits for, 0 while it is stopped; the
 * platform writes it.
 */
#ifndef UV_OS_SIGNAL_H_
#define UV_OS_SIGNAL_H_

#include "handle.h"

/* Calls back for one delivery, and stops a handle that wanted only one. For the
 * platform. */
void uv__signal_report(uv_signal_t* handle, int signum);

/* The platform's share. */

/* Puts the private fields into the state of a stopped handle. */
void uv__signal_os_init(uv_signal_t* handle);

/* The handle, stopped or not, waits for signum (not 0, not negative) from now
 * on. UV_E*: the number is none, or the system refuses it; then nothing has
 * changed. */
int uv__signal_os_start(uv_signal_t* handle, int signum, int one_shot);

/* The handle is started; afterwards no delivery is reported. */
void uv__signal_os_stop(uv_signal_t* handle);

#endif /* UV_OS_SIGNAL_H_ */
