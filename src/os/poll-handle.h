/* SPDX-License-Identifier: MIT */
/* Poll handles: what poll-handle.c asks of the platform. A started handle has
 * its callback in poll_cb.
 */
#ifndef UV_OS_POLL_HANDLE_H_
#define UV_OS_POLL_HANDLE_H_

#include "handle.h"

/* All that can be waited for. */
#define UV__POLL_EVENTS                                                        \
 (UV_READABLE | UV_WRITABLE | UV_DISCONNECT | UV_PRIORITIZED)

/* Implemented by the platform. */

/* What uv_poll_init_socket() takes for a descriptor. It may be invalid:
 * uv__poll_os_init() finds out. */
uv_os_sock_t uv__poll_os_socket(int fd);

/* Before the handle enters its loop: makes sure that the socket can be waited
 * for, and sets up the private fields. On failure (UV_EEXIST: the loop watches
 * it for another handle) nothing has been touched. */
int uv__poll_os_init(uv_loop_t* loop, uv_poll_t* handle, uv_os_sock_t sock);

/* May the handle be started? 0, or UV_EEXIST: the loop watches the socket for
 * another one. */
int uv__poll_os_check(const uv_poll_t* handle);

/* Waits for `events`, which are some, instead of what there was before. On
 * failure the handle is as it was, or stopped. */
int uv__poll_os_start(uv_poll_t* handle, int events);

/* Gives the socket back to the program at once; the handle may be stopped. */
void uv__poll_os_stop(uv_poll_t* handle);

#endif /* UV_OS_POLL_HANDLE_H_ */
