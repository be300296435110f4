/* SPDX-License-Identifier: MIT */
/* The loop driver. */
#ifndef UV_LOOP_H_
#define UV_LOOP_H_

#include "loop-state.h"

/* Something is left that could make a callback run. */
int uv__loop_alive(const uv_loop_t* loop);

/* The moment until which the loop may sleep, in ns of uv_hrtime(): 0 not at
 * all, UINT64_MAX for ever. */
uint64_t uv__loop_deadline(uv_loop_t* loop);

/* Runs idle, prepare or check callbacks; loop-watcher.c. */
void uv__run_idle(uv_loop_t* loop);
void uv__run_prepare(uv_loop_t* loop);
void uv__run_check(uv_loop_t* loop);

#endif /* UV_LOOP_H_ */
