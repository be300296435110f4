/* SPDX-License-Identifier: MIT */
/* Async handles: what creating, closing and forking a loop needs of them.
 *
 * On unix the loop calls the sent handles of a wake-up in the order of their
 * creation, on Windows each send is a packet in the port. Programs can tell the
 * orders apart, so each platform has its own uv_async_init() and
 * uv_async_send().
 */
#ifndef UV_OS_ASYNC_H_
#define UV_OS_ASYNC_H_

#include "util/base.h"

void uv__async_os_init_loop(uv_loop_t* loop);

/* Waits until no sender or worker is using the loop. */
void uv__async_os_close_loop(uv_loop_t* loop);

/* Child side of fork: forgets senders that exist in the parent only. */
void uv__async_os_fork(uv_loop_t* loop);

#endif /* UV_OS_ASYNC_H_ */
