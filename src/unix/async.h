/* SPDX-License-Identifier: MIT */
#ifndef UV_UNIX_ASYNC_H_
#define UV_UNIX_ASYNC_H_

#include "handle.h"
#include "unix/async-order.h"

/* A pass in progress, on the stack of its caller. A callback that runs the loop
 * starts a nested pass, which stops at the position of this one. */
struct uv__async_pass {
  struct uv__async_pass* outer;
  struct uv__queue* at;       /* position: the last handle called or created */
  const uv_async_t* seen;     /* from here on, the stack is for later passes */
  struct uv__async_runs runs; /* handles to call in this pass, sorted */
};

/* What is sent from here on, to any handle, belongs to the pass. Callbacks of
 * finished work run in between, as in libuv, where they belong to the oldest
 * handle. */
void uv__async_pass_begin(uv_loop_t* loop, struct uv__async_pass* pass);

/* Runs the callbacks of all handles sent so far and ends the pass; returns how
 * many. */
int uv__async_pass_run(uv_loop_t* loop, struct uv__async_pass* pass);

enum uv__close_result uv__async_close(uv_handle_t* handle);

#endif /* UV_UNIX_ASYNC_H_ */
