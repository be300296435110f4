/* SPDX-License-Identifier: MIT */
#ifndef UV_TIMER_H_
#define UV_TIMER_H_

#include "handle.h"
#include "loop/state.h"

/* Is any timer armed? */
static inline int uv__timer_any_armed(const uv_loop_t* loop) {
  return uv__loop_state(loop)->timers.count != 0;
}

/* When the next timer is due, in ns; UINT64_MAX if none is armed. */
uint64_t uv__timer_next_due(uv_loop_t* loop);

/* The same, read only, for uv_backend_timeout(): programs call that while the
 * loop's thread starts timers. With very many restarted timers the result may
 * be too early, never too late. */
uint64_t uv__timer_peek_due(const uv_loop_t* loop);

/* A quick check: if this is 0, no timer is due at the loop's time. */
static inline int uv__timer_may_be_due(const uv_loop_t* loop) {
  const struct uv__loop_state* state = uv__loop_state(loop);

  return state->timers.count != 0 &&
         state->timers.heap[0].due_ns <= state->now_ns;
}

/* Runs the timers that were due when the call began. All of them are inactive
 * when the first callback runs; repeating ones are active again when their own
 * runs. */
void uv__timer_run_due(uv_loop_t* loop);

/* Every slot is known to its timer, no key is later than the timer's own or
 * than a child's. O(n), for loop/check.c. */
int uv__timer_heap_is_sound(const uv_loop_t* loop);

/* Frees the heap, which must be empty. */
void uv__timer_close_loop(uv_loop_t* loop);

#endif /* UV_TIMER_H_ */
