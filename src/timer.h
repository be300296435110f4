/* SPDX-License-Identifier: MIT */
#ifndef UV_TIMER_H_
#define UV_TIMER_H_

#include "util/base.h"

/* Runs the timers that were due when the call began. All of them are inactive
 * when the first callback runs; repeating ones are active again when their own
 * runs. */
void uv__timer_run_due(uv_loop_t* loop);

#endif /* UV_TIMER_H_ */
