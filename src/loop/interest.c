/* SPDX-License-Identifier: MIT */
/* uvx_loop_on_interest(): tells a program whose own loop waits on the
 * descriptor of this one when that wait may last too long.
 *
 * What makes such a change tests one flag, UV__LOOP_HOOKED. It is set from the
 * beginning of a round until the first change, and never while no function is
 * registered.
 */
#include "loop/interest.h"
#include "loop/loop.h"

void uv__interest_tell(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);

  /* uv_run() looks at everything before it waits. */
  if (state->flags & UV__LOOP_RUNNING)
    return;
  state->flags &= ~(unsigned) UV__LOOP_HOOKED;
  uvx_interest_cb tell = state->interest.cb;
  tell(loop, state->interest.arg);
}

int uvx_loop_on_interest(uv_loop_t* loop, uvx_interest_cb cb, void* arg) {
  struct uv__loop_state* state = loop == NULL ? NULL : uv__loop_state(loop);

  if (state == NULL)
    return UV_EINVAL;
  if (state->flags & UV__LOOP_RUNNING)
    return UV_EBUSY;
  state->interest.cb = cb;
  state->interest.arg = arg;
  state->flags &= ~(unsigned) UV__LOOP_HOOKED;
  uv__interest_arm(state);
  return 0;
}
