/* SPDX-License-Identifier: MIT */
#ifndef UV_METRICS_H_
#define UV_METRICS_H_

#include "loop-state.h"

/* Is UV_METRICS_IDLE_TIME configured? */
static inline int uv__metrics_idle_is_on(const uv_loop_t* loop) {
  return (uv__loop_state(loop)->flags & UV__LOOP_METRICS_IDLE) != 0;
}

/* Around each wait that may sleep, if so. Both read the clock. */
void uv__metrics_wait_begin(uv_loop_t* loop);
void uv__metrics_wait_end(uv_loop_t* loop);

#endif /* UV_METRICS_H_ */
