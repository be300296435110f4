/* SPDX-License-Identifier: MIT */
#ifndef UV_ASYNC_H_
#define UV_ASYNC_H_

#include "handle.h"

void uv__async_init_loop(uv_loop_t* loop);

/* Waits until no sender is inside the loop any more. */
void uv__async_close_loop(uv_loop_t* loop);

/* Child side of fork: forgets senders that exist in the parent only. */
void uv__async_fork(uv_loop_t* loop);

/* Runs the callbacks of finished work and stores how many there were, then
 * those of all handles sent so far; returns how many these were. */
int uv__async_run(uv_loop_t* loop, int* work);

enum uv__close_result uv__async_close(uv_handle_t* handle);

#endif /* UV_ASYNC_H_ */
