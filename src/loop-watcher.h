/* SPDX-License-Identifier: MIT */
/* idle, prepare, check: one mechanism, three phases. */
#ifndef UV_LOOP_WATCHER_H_
#define UV_LOOP_WATCHER_H_

#include "handle.h"

/* Run the callbacks of their phase. */
void uv__run_idle(uv_loop_t* loop);
void uv__run_prepare(uv_loop_t* loop);
void uv__run_check(uv_loop_t* loop);

enum uv__close_result uv__idle_close(uv_handle_t* handle);
enum uv__close_result uv__prepare_close(uv_handle_t* handle);
enum uv__close_result uv__check_close(uv_handle_t* handle);

#endif /* UV_LOOP_WATCHER_H_ */
