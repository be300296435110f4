/* SPDX-License-Identifier: MIT */
/* Changes that a thread which waits for the loop must be told (interest.c).
 * Code outside the driver reports them by uv__loop_changed() of loop.h. */
#ifndef UV_LOOP_INTEREST_H_
#define UV_LOOP_INTEREST_H_

#include "loop/state.h"

/* Called when a round begins: reports its first change, if a function is
 * registered. */
static inline void uv__interest_arm(struct uv__loop_state* state) {
  if (uv__unlikely(state->interest.cb != NULL))
    state->flags |= UV__LOOP_HOOKED;
}

#endif /* UV_LOOP_INTEREST_H_ */
