/* SPDX-License-Identifier: MIT */
#ifndef UV_LOOP_COUNTERS_H_
#define UV_LOOP_COUNTERS_H_

#include "loop/loop.h"

/* Is UV_METRICS_IDLE_TIME configured? */
static inline int uv__counters_idle_is_on(const uv_loop_t* loop) {
  return (uv__loop_state(loop)->flags & UV__LOOP_IDLE_TIME) != 0;
}

/* Bracket each wait that may sleep, if UV_METRICS_IDLE_TIME is configured. Both
 * read the clock. */
void uv__counters_wait_begin(uv_loop_t* loop);
void uv__counters_wait_end(uv_loop_t* loop);

#endif /* UV_LOOP_COUNTERS_H_ */
