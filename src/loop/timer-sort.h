/* SPDX-License-Identifier: MIT */
/* The order of timers: by deadline, then in the order of their starts. */
#ifndef UV_LOOP_TIMER_SORT_H_
#define UV_LOOP_TIMER_SORT_H_

#include "loop/state.h"

static inline int uv__timer_key_before(const struct uv__timer_slot* a,
                                       const struct uv__timer_slot* b) {
  if (a->due_ns != b->due_ns)
    return a->due_ns < b->due_ns;
  return a->start_id < b->start_id;
}

static inline void uv__timer_swap(struct uv__timer_slot* a,
                                  struct uv__timer_slot* b) {
  struct uv__timer_slot kept = *a;
  *a = *b;
  *b = kept;
}

/* Sorts the array by key. Does not tell the timers where their slots are. */
void uv__timer_sort(struct uv__timer_slot* slots, size_t count);

#endif /* UV_LOOP_TIMER_SORT_H_ */
