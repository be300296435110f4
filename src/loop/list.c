/* SPDX-License-Identifier: MIT */
#include "loop/list.h"
#include "util/fork-lock.h"

static struct uv__fork_lock lock;
/* The newest, linked by next_state; the lock's. scripts/gdb reads it by this
 * name, so it is not static. */
UV__HIDDEN extern struct uv__loop_state* uv__loop_list;
struct uv__loop_state* uv__loop_list;

void uv__loop_list_add(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);

  (void) uv__fork_lock(&lock);
  state->loop = loop;
  state->next_state = uv__loop_list;
  /* Each change is one store: a child may be forked at any moment. */
  uv__store_release(&uv__loop_list, state);
  uv__fork_unlock(&lock);
}

void uv__loop_list_remove(const uv_loop_t* loop) {
  const struct uv__loop_state* state = uv__loop_state(loop);
  struct uv__loop_state** at = &uv__loop_list;

  (void) uv__fork_lock(&lock);
  while (*at != NULL && *at != state)
    at = &(*at)->next_state;
  if (*at != NULL)
    uv__store_release(at, state->next_state);
  uv__fork_unlock(&lock);
}

void uv__loop_list_each(void (*each)(struct uv__loop_state* state, void* arg),
                        void* arg) {
  (void) uv__fork_lock(&lock);
  for (struct uv__loop_state* s = uv__loop_list; s != NULL; s = s->next_state)
    each(s, arg);
  uv__fork_unlock(&lock);
}

void uv__loop_list_wait(void) {
  (void) uv__fork_lock(&lock);
  uv__fork_unlock(&lock);
}
