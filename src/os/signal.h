/* SPDX-License-Identifier: MIT */
/* Signal handles: what the platform supplies to signal.c.
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

/* Of the handle's class. A handle that is closed in its callback stays valid
 * until the callback returns, also if that runs the loop. */
enum uv__finish_result uv__signal_finish(uv_handle_t* handle);

/* Implemented by the platform. */

/* Initialises the private fields. */
void uv__signal_os_init(uv_signal_t* handle);

/* UV_EINVAL for numbers that the platform rejects without stopping a started
 * handle first; otherwise 0. */
int uv__signal_os_check(int signum);

/* Makes the handle wait for signum, which is positive. On failure (not a
 * signal, or one that cannot be caught) nothing has changed. */
int uv__signal_os_start(uv_signal_t* handle, int signum, int one_shot);

/* The handle is started; afterwards no delivery is reported. */
void uv__signal_os_stop(uv_signal_t* handle);

/* The number of a signal, with or without "SIG" before its name. UV_EINVAL: no
 * such signal, or none for an operator; UV_ENOSYS: the system has none.
 * Context: any. */
int uv__signal_os_number(const char* name);

/* Has the semaphore posted when the process gets the signal, beside handles
 * that wait for it: 0; UV_EBUSY if the program has changed its action; UV_E*.
 * Two at a time, as many as there are sessions with a signal. Context: any. */
int uv__signal_os_post_start(int signum, uv_sem_t* sem);
/* The end of a start that succeeded. From now on the signal is ignored where
 * nothing else waits for it. */
void uv__signal_os_post_stop(int signum, const uv_sem_t* sem);

#endif /* UV_OS_SIGNAL_H_ */
