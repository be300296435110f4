/* SPDX-License-Identifier: MIT */
/* idle, prepare, check: one mechanism, three phases. */
#ifndef UV_LOOP_WATCHER_H_
#define UV_LOOP_WATCHER_H_

#include "handle.h"

/* Run the callbacks of their phase. */
void uv__run_idle(uv_loop_t* loop);
void uv__run_prepare(uv_loop_t* loop);
void uv__run_check(uv_loop_t* loop);

#endif /* UV_LOOP_WATCHER_H_ */
