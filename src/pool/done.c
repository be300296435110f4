/* SPDX-License-Identifier: MIT */
/* Finished work on its way from the workers to the loop.
 *
 * Items are pushed onto the loop's stack as soon as they are finished (L4).
 * The worker that pushes onto an empty stack wakes the loop; until then it
 * counts as inside the loop, and uv_loop_close() waits for it (see async.c).
 * The others do not touch the loop after their push.
 *
 * Context: push is any; run is the loop's.
 */
#include "pool/done.h"
#include "misuse.h"
#include "observe/hooks.h"
#include "pool/lanes.h"
#include "util/queue.h"

void uv__work_cancelled(struct uv__work* w) {
  (void) w;
}

/* Pushes onto a stack unless it is empty, which returns 0. */
static int push_if_nonempty(struct uv__queue** stack, struct uv__queue* q) {
  struct uv__queue* head = uv__load_relaxed(stack);

  while (head != NULL) {
    q->next = head;
    if (uv__cas_weak(stack, &head, q))
      return 1;
  }
  return 0;
}

/* Returns 1 if the stack was empty. */
static int push_any(struct uv__queue** stack, struct uv__queue* q) {
  struct uv__queue* head = NULL;

  do
    q->next = head;
  while (!uv__cas_weak(stack, &head, q));
  return head == NULL;
}

/* Release: the result of the item. Pairs with uv__work_run_done(). */
int uv__work_push_done(uv_loop_t* loop, struct uv__work* w) {
  struct uv__loop_shared* shared = &uv__loop_state(loop)->shared;
  int err = 0;

  if (push_if_nonempty(&shared->work_done, &w->wq))
    return 0;

  uv__fetch_add(&shared->busy, 1);
  if (push_any(&shared->work_done, &w->wq))
    err = uv__wake_send(loop); /* nobody to report a failure to */
  uv__fetch_sub(&shared->busy, 1);
  return err > 0;
}

void uv__work_hand_over(uv_loop_t* loop,
                        struct uv__work* w,
                        int status,
                        const struct uv__work_kind* kind) {
  w->loop = loop;
  w->work = status == UV_ECANCELED ? uv__work_cancelled : NULL;
  w->kind = kind;
  (void) uv__work_push_done(loop, w);
}

static void report_done(struct uv__work* w) {
  const struct uv__work_kind* kind = w->kind;
  int status = w->work == uv__work_cancelled ? UV_ECANCELED : 0;

  /* Seen twice in one batch: the program submitted it again while it ran. */
  if (kind == NULL)
    uv__misuse_end(UV__RULE_POOL_ONCE, w);
  w->kind = NULL;
  w->work = NULL; /* can no longer be cancelled */
  if (uv__is_observed())
    uv__observed_done(w, status, kind);
  else
    kind->done(w, status);
}

int uv__work_run_done(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);
  int count = 0;

  if (!uv__work_has_done(loop))
    return 0;
  /* Acquire: what the workers wrote. Pairs with uv__work_push_done(). */
  struct uv__queue* oldest =
      uv__chain_reverse(uv__exchange(&state->shared.work_done, NULL),
                        offsetof(struct uv__queue, next));
  while (oldest != NULL) {
    struct uv__work* w = container_of(oldest, struct uv__work, wq);
    oldest = oldest->next;
    count++;
    report_done(w);
  }
  return count;
}
