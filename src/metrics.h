/* SPDX-License-Identifier: MIT */
#ifndef UV_METRICS_H_
#define UV_METRICS_H_

#include "loop-state.h"

/* Is UV_METRICS_IDLE_TIME configured? */
static inline int uv__metrics_idle_is_on(const uv_loop_t* loop) {
  return (uv__loop_state(loop)->flags & UV__LOOP_METRICS_IDLE) != 0;
}

/* A batch of events was dispatched. `waiting`: they were ready before the wait.
 */
static inline void uv__metrics_count(uv_loop_t* loop, int events, int waiting) {
  struct uv__metrics* metrics = &uv__loop_state(loop)->metrics;

  metrics->events += (uint64_t) events;
  if (waiting)
    metrics->events_waiting += (uint64_t) events;
}

/* What a wake-up counts for that ran so many callbacks, some of them of
 * finished work: an event for each of those, otherwise one for all, as in
 * libuv. */
static inline int uv__metrics_wake_events(int work, int ran) {
  if (work > 1)
    return work;
  return ran != 0;
}

/* Around each wait that may sleep, if so. Both read the clock. */
void uv__metrics_wait_begin(uv_loop_t* loop);
void uv__metrics_wait_end(uv_loop_t* loop);

#endif /* UV_METRICS_H_ */
