/* SPDX-License-Identifier: MIT */
/* The armed timers of a loop, the earliest first; see timer-heap.c. */
#ifndef UV_LOOP_TIMER_HEAP_H_
#define UV_LOOP_TIMER_HEAP_H_

#include "loop/deadline.h"
#include "loop/state.h"
#include "util/atomic.h"

/* The index of a timer's slot plus one; 0 while it has none. */
static inline size_t uv__timer_slot_of(const uv_timer_t* timer) {
  return (size_t) (uintptr_t) timer->node.heap[0];
}

static inline void uv__timer_set_slot(uv_timer_t* timer,
                                      size_t index_plus_one) {
  timer->node.heap[0] = (void*) (uintptr_t) index_plus_one;
}

void uv__timer_heap_init(struct uv__timers* timers);
/* Frees the array; the heap must be empty. */
void uv__timer_heap_close(struct uv__timers* timers);

/* Makes room for one more timer beside the due ones, which may repeat: 0 or
 * UV_ENOMEM. */
int uv__timer_heap_grow(struct uv__timers* timers);
static inline int uv__timer_heap_reserve(struct uv__timers* timers) {
  return timers->count + timers->nready < timers->capacity
             ? 0
             : uv__timer_heap_grow(timers);
}

/* Adds a timer, for which there is room, or moves one that has been restarted
 * for earlier, by its `timeout` and `start_id`. */
void uv__timer_heap_put(struct uv__timers* timers, uv_timer_t* timer);

void uv__timer_heap_remove(struct uv__timers* timers, uv_timer_t* timer);

/* Gives memory back after most timers have gone. Due timers, which may repeat,
 * keep their room. */
void uv__timer_heap_shrink(struct uv__timers* timers);
static inline void uv__timer_heap_trim(struct uv__timers* timers) {
  if (timers->count + timers->nready < timers->trim_below)
    uv__timer_heap_shrink(timers);
}

/* Brings the true earliest timer to the top, whose key is outdated. */
uv_timer_t* uv__timer_heap_correct(struct uv__timers* timers);

/* The earliest timer, or NULL. */
static inline uv_timer_t* uv__timer_heap_top(struct uv__timers* timers) {
  if (timers->count == 0)
    return NULL;

  uv_timer_t* timer = timers->heap[0].timer;
  return timers->heap[0].start_id == timer->start_id
             ? timer
             : uv__timer_heap_correct(timers);
}

/* Is another timer due beside the top one? It may turn out not to be. */
int uv__timer_heap_is_other_due(const struct uv__timers* timers,
                                uint64_t now_ns);

/* Is any timer armed? */
static inline int uv__timer_any_armed(const uv_loop_t* loop) {
  return uv__loop_state(loop)->timers.count != 0;
}

/* A quick check: if this is 0, no timer is due at the loop's time. */
static inline int uv__timer_may_be_due(const uv_loop_t* loop) {
  const struct uv__loop_state* state = uv__loop_state(loop);

  return state->timers.count != 0 &&
         state->timers.heap[0].due_ns <= state->now_ns;
}

/* When the next timer is due, in ns; UV__DEADLINE_NEVER if none is armed. */
static inline uint64_t uv__timer_next_due(uv_loop_t* loop) {
  uv_timer_t* timer = uv__timer_heap_top(&uv__loop_state(loop)->timers);

  return timer == NULL ? UV__DEADLINE_NEVER : timer->timeout;
}

/* The same or earlier, for other threads. Context: any. */
static inline uint64_t uv__timer_due_bound(const uv_loop_t* loop) {
  return uv__load_relaxed(&uv__loop_state(loop)->timers.bound_ns);
}

/* Every slot is known to its timer, no key is later than the timer's own or
 * than a child's. O(n), for loop/check.c. */
int uv__timer_heap_is_sound(const uv_loop_t* loop);

#endif /* UV_LOOP_TIMER_HEAP_H_ */
