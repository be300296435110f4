/* SPDX-License-Identifier: MIT */
#ifndef UV_LOOP_COUNTERS_H_
#define UV_LOOP_COUNTERS_H_

#include "loop/state.h"

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

/* How many events a wake-up counts as, in which `ran` callbacks ran, `work` of
 * them for finished work. As in libuv: one for each finished item if there are
 * several, otherwise one for all. */
static inline int uv__metrics_wake_events(int work, int ran) {
  if (work > 1)
    return work;
  return ran != 0;
}

/* Bracket each wait that may sleep, if UV_METRICS_IDLE_TIME is configured. Both
 * read the clock. */
void uv__metrics_wait_begin(uv_loop_t* loop);
void uv__metrics_wait_end(uv_loop_t* loop);

#endif /* UV_LOOP_COUNTERS_H_ */
