/* SPDX-License-Identifier: MIT */
/* uvx_post(): what the loop itself needs of it; loop.h has the rest. */
#ifndef UV_LOOP_POST_H_
#define UV_LOOP_POST_H_

#include "loop/loop.h"

/* Empties the queue: uv_loop_init(), and the child side of fork, where the
 * posts in it are the parent's. */
void uv__post_init_loop(uv_loop_t* loop);

/* The node that stands for an empty queue. Only its `next` exists. */
static inline uvx_post_t* uv__post_stub(struct uv__posts* posts) {
  return container_of(&posts->next, uvx_post_t, next);
}

/* Is anything queued, even if its sender has not linked it yet? */
static inline int uv__post_is_queued(const uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);

  return state->posts.first != NULL ||
         uv__load_relaxed(&state->shared.posted) !=
             uv__post_stub(&state->posts);
}

#endif /* UV_LOOP_POST_H_ */
