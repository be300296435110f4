/* SPDX-License-Identifier: MIT */
/* Poll handles: what the platform supplies to poll-handle.c. A started handle
 * has its callback in poll_cb.
 */
#ifndef UV_OS_POLL_HANDLE_H_
#define UV_OS_POLL_HANDLE_H_

#include "handle.h"

/* Every event that a program can wait for. */
#define UV__POLL_EVENTS                                                        \
 (UV_READABLE | UV_WRITABLE | UV_DISCONNECT | UV_PRIORITIZED)

/* Implemented by the platform. */

/* The socket of a descriptor, for uv_poll_init_socket(). It may be invalid:
 * uv__poll_os_init() checks. */
uv_os_sock_t uv__poll_os_socket(int fd);

/* Checks that the socket can be waited for and sets up the private fields,
 * before the handle is added to its loop. On failure (UV_EEXIST: another handle
 * of the loop watches it) nothing has changed. */
int uv__poll_os_init(uv_loop_t* loop, uv_poll_t* handle, uv_os_sock_t sock);

/* May the handle be started? 0, or UV_EEXIST if another handle of the loop
 * watches the socket. */
int uv__poll_os_check(const uv_poll_t* handle);

/* Replaces what the handle waits for by `events`, which is not 0. On failure
 * the handle is unchanged or stopped. */
int uv__poll_os_start(uv_poll_t* handle, int events);

/* Stops watching at once, because the program may close the socket next. The
 * handle may already be stopped. */
void uv__poll_os_stop(uv_poll_t* handle);

#endif /* UV_OS_POLL_HANDLE_H_ */
