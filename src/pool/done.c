/* SPDX-License-Identifier: MIT */
/* Finished work on its way from the workers to the loop.
 *
 * Items are pushed onto the loop's stack. The worker that pushes the first of a
 * batch wakes the loop, unless the loop waits for a batch (BATCHING, wake.c):
 * then a later one does, or the loop by itself after a moment. A worker that
 * wakes the loop counts as inside it until then; uv_loop_close() waits for that
 * (see async.c). The others do not touch the loop after their push.
 *
 * Context: push is any; run is the loop's.
 */
#include "pool/done.h"
#include "loop/loop.h"
#include "misuse.h"
#include "observe/hooks.h"
#include "pool/pool.h"
#include "util/atomic.h"
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

/* A woken loop returns to the processor where it slept. A worker that runs
 * there should wake it, because that one then yields. This many more items are
 * taken before a worker on another processor does. */
#define LOCAL_ITEMS 8

static int is_loop_here(const struct uv__loop_shared* shared) {
  return uv_thread_getcpu() == uv__load_relaxed(&shared->batch_cpu);
}

/* Have the workers taken as many items as the loop wants to sleep for, or run
 * out of them? Other loops' items count too: it is an estimate. */
static int is_batch_due(const struct uv__loop_shared* shared) {
  unsigned batch_end = uv__load_relaxed(&shared->batch_end);
  int over = (int) (uv__threadpool_taken() - batch_end);

  if (!uv__threadpool_has_waiting() || over >= LOCAL_ITEMS)
    return 1;
  return over >= 0 && is_loop_here(shared);
}

enum uv__loop_doing uv__work_push_done(uv_loop_t* loop, struct uv__work* w) {
  struct uv__loop_shared* shared = &uv__loop_state(loop)->shared;
  int is_batching = uv__wake_is_batching(loop);
  int is_due = is_batching && is_batch_due(shared);
  int err = 0;

  if (!is_due && push_if_nonempty(&shared->work_done, &w->wq))
    return UV__LOOP_OTHER;

  uv__fetch_add(&shared->busy, 1);
  int is_first = push_any(&shared->work_done, &w->wq);
  /* A failed wake cannot be reported to anyone. */
  if (is_first && is_batching && !is_due)
    err = uv__wake_send_batched(loop);
  else if (is_first || is_due)
    err = uv__wake_send(loop);
  uv__fetch_sub(&shared->busy, 1);
  if (is_due)
    return UV__LOOP_WOKEN;
  return err > 0 ? UV__LOOP_SPINNING : UV__LOOP_OTHER;
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
