/* SPDX-License-Identifier: MIT */
/* Changes that a thread which waits for the loop must hear of: interest.c.
 * Those outside of the driver say uv__loop_changed() of loop.h. */
#ifndef UV_LOOP_INTEREST_H_
#define UV_LOOP_INTEREST_H_

#include "loop/state.h"

/* A round begins: the next change is told, if anybody wants to know. */
static inline void uv__interest_arm(struct uv__loop_state* state) {
  if (uv__unlikely(state->interest.cb != NULL))
    state->flags |= UV__LOOP_HOOKED;
}

#endif /* UV_LOOP_INTEREST_H_ */
