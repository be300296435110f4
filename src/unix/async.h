/* SPDX-License-Identifier: MIT */
#ifndef UV_UNIX_ASYNC_H_
#define UV_UNIX_ASYNC_H_

#include "handle.h"

/* Runs the callbacks of finished work and stores how many there were, then
 * those of all handles sent so far; returns how many these were. */
int uv__async_run(uv_loop_t* loop, int* work);

enum uv__close_result uv__async_close(uv_handle_t* handle);

#endif /* UV_UNIX_ASYNC_H_ */
