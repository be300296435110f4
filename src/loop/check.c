/* SPDX-License-Identifier: MIT */
/* Walks everything a loop holds and checks the invariants. */
#include "loop/check.h"
#include "handle.h"
#include "loop/list.h"
#include "loop/timer-heap.h"
#include "util/fatal.h"

#include <stdio.h>

/* Do both directions of the list agree? A broken `next` that leads into another
 * list ends there, where a `prev` disagrees. */
static int list_is_sound(const struct uv__queue* head) {
  const struct uv__queue* q = head;

  do {
    if (q->next == NULL || q->next->prev != q)
      return 0;
    q = q->next;
  } while (q != head);
  return 1;
}

static int lists_are_sound(uv_loop_t* loop) {
  const struct uv__asyncs* asyncs = &uv__loop_state(loop)->asyncs;

  return list_is_sound(&loop->handle_queue) &&
         list_is_sound(&loop->idle_handles) &&
         list_is_sound(&loop->prepare_handles) &&
         list_is_sound(&loop->check_handles) && list_is_sound(&asyncs->list) &&
         list_is_sound(&asyncs->ready);
}

struct tally {
  unsigned counted; /* active and referenced */
  unsigned closing; /* may be counted, while their close waits (H1) */
};

/* H4. */
static int handle_is_sound(const uv_loop_t* loop, const uv_handle_t* handle) {
  return handle->loop == loop && !(handle->flags & UV__CLOSED) &&
         handle->type > UV_UNKNOWN_HANDLE && handle->type < UV_HANDLE_TYPE_MAX;
}

/* Returns the first handle that breaks H4, or NULL. */
static const uv_handle_t* count_handles(const uv_loop_t* loop,
                                        struct tally* tally) {
  const struct uv__queue* head = &loop->handle_queue;

  for (const struct uv__queue* q = head->next; q != head; q = q->next) {
    const uv_handle_t* handle = container_of(q, uv_handle_t, handle_queue);
    /* H5: a closing handle may already be freed, so it is not read. */
    if (handle->flags & UV__CLOSING) {
      tally->closing++;
      continue;
    }
    if (!handle_is_sound(loop, handle))
      return handle;
    if ((handle->flags & UV__ACTIVE) && (handle->flags & UV__REF))
      tally->counted++;
  }
  return NULL;
}

const char* uv__loop_broken_invariant(uv_loop_t* loop) {
  struct tally tally = { 0 };

  if (!uv__timer_heap_is_sound(loop))
    return "the timer heap is out of order";
  if (!lists_are_sound(loop))
    return "the links of a list disagree";
  if (uv__loop_state(loop)->flags & UV__LOOP_WALKING)
    return NULL; /* uv_walk() has taken some of the handles */
  if (count_handles(loop, &tally) != NULL)
    return "H4: a handle is in the wrong loop, or closed";
  if (loop->active_handles < tally.counted ||
      loop->active_handles - tally.counted > tally.closing)
    return "H1: active_handles is wrong";
  return NULL;
}

/* The first handle whose memory the program has used for something else, or
 * initialised once more; NULL if there is none. Each link is compared before it
 * is followed: what lies there may be anything. */
static const uv_handle_t* find_reused(const uv_loop_t* loop) {
  const struct uv__queue* head = &loop->handle_queue;
  const struct uv__queue* last = head;

  for (const struct uv__queue* q = head->next; q != head; q = q->next) {
    const uv_handle_t* handle = container_of(q, uv_handle_t, handle_queue);
    int is_linked = q->prev == last && q->next != NULL;
    if (!is_linked || (!(handle->flags & UV__CLOSING) && /* H5 */
                       !handle_is_sound(loop, handle)))
      return handle;
    last = q;
  }
  return NULL;
}

void uv__loop_check(uv_loop_t* loop) {
  const uv_handle_t* handle = NULL;
  char text[80];

  /* (uv_walk() moves handles to a list of its own for a while.) */
  if (!(uv__loop_state(loop)->flags & UV__LOOP_WALKING))
    handle = find_reused(loop);
  if (handle != NULL)
    uv__misuse_end(UV__RULE_REUSED, handle);
  const char* rule = uv__loop_broken_invariant(loop);
  if (rule == NULL)
    return;
  snprintf(text, sizeof(text), "uv_run: %s", rule);
  uv__fatal(text, 0);
}

#ifdef UV__DEBUG

void uv__loop_enter(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);

  uv__loop_check_thread(loop, UV__RULE_RUN_THREAD, loop);
  state->owner = uv_thread_self();
  uv__store_release(&state->runs, state->runs + 1);
}

void uv__loop_leave(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);

  uv__store_release(&state->runs, state->runs - 1);
}

int uv__loop_is_own_thread(const uv_loop_t* loop) {
  /* (Zeros that were never initialised are for the caller to refuse.) */
  const struct uv__loop_state* state =
      loop == NULL ? NULL : uv__loop_state(loop);

  if (state == NULL || uv__load_acquire(&state->runs) == 0)
    return 1;
  uv_thread_t self = uv_thread_self();
  return uv_thread_equal(&self, &state->owner);
}

void uv__loop_check_thread(const uv_loop_t* loop,
                           enum uv__rule rule,
                           const void* object) {
  if (!uv__loop_is_own_thread(loop))
    uv__misuse_end(rule, object);
}

struct search {
  const uv_loop_t* loop;
  int is_found;
};

static void compare_loop(struct uv__loop_state* state, void* arg) {
  struct search* search = arg;

  search->is_found |= state->loop == search->loop;
}

void uv__loop_check_handle(const uv_handle_t* handle) {
  struct search search = { handle->loop, 0 };

  uv__loop_list_each(compare_loop, &search);
  if (!search.is_found)
    uv__misuse_end(UV__RULE_CLOSE_UNKNOWN, handle);
}

void uv__check_not_queued(const struct uv__queue* head,
                          const struct uv__queue* node,
                          enum uv__rule rule,
                          const void* request) {
  for (const struct uv__queue* q = head->next; q != head; q = q->next)
    if (q == node)
      uv__misuse_end(rule, request);
}

void uv__loop_check_dispatch(const uv_loop_t* loop) {
  if (uv__load_acquire(&uv__loop_state(loop)->runs) != 0)
    uv__misuse_end(UV__RULE_DISPATCH_NESTED, loop);
}

#endif /* UV__DEBUG */
