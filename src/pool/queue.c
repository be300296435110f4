/* SPDX-License-Identifier: MIT */
#include "pool/queue.h"
#include "misuse.h"
#include "pool/kind.h"
#include "util/queue.h"

void uv__work_queue_init(struct uv__work_queue* q, unsigned slow_max) {
  uv__queue_init(&q->items);
  uv__queue_init(&q->slow);
  uv__queue_init(&q->slow_place);
  uv__queue_init(&q->aside);
  q->has_place = 0;
  q->fast_queued = 0;
  q->slow_queued = 0;
  q->slow_running = 0;
  q->slow_max = slow_max;
  q->slow_wanted = slow_max;
  q->taken = 0;
  q->holds = 0;
  q->gate = 0;
  uv__store_relaxed(&q->ready, 0);
  uv__store_relaxed(&q->held, 0);
}

/* Called after each change of a queue or of the number of running slow
 * items. */
static void update_ready(struct uv__work_queue* q) {
  unsigned slow = q->slow_max - q->slow_running;

  if (slow > q->slow_queued)
    slow = q->slow_queued;
  unsigned ready = q->fast_queued + slow;
  uv__store_relaxed(&q->ready, q->holds == 0 ? ready : 0);
  uv__store_relaxed(&q->held, q->holds == 0 ? 0 : ready);
}

/* Gives the slow items a place at the end of the line. */
static void place_slow(struct uv__work_queue* q) {
  q->has_place = 1;
  uv__queue_push_back(&q->items, &q->slow_place);
}

void uv__work_queue_push(struct uv__work_queue* q,
                         struct uv__work* w,
                         int is_slow) {
  if (is_slow && q->slow_max != 0) {
    q->slow_queued++;
    uv__queue_push_back(&q->slow, &w->wq);
    if (!q->has_place)
      place_slow(q);
  } else {
    q->fast_queued++;
    uv__queue_push_back(&q->items, &w->wq);
  }
  update_ready(q);
}

/* Takes the first item of a list. If the program submits an item that is
 * already queued, the links of the list no longer agree. Fail loudly: a worker
 * would loop forever. */
static struct uv__work* take_first(struct uv__work_queue* q,
                                   struct uv__queue* list) {
  struct uv__queue* node = list->next;

  if (node->prev != list || node->next->prev != node)
    uv__misuse_end(UV__RULE_POOL_ONCE, node);
  q->taken++;
  uv__queue_remove(node);
  return container_of(node, struct uv__work, wq);
}

static struct uv__work* take_slow(struct uv__work_queue* q) {
  struct uv__work* w = take_first(q, &q->slow);

  q->slow_queued--;
  q->slow_running++;
  if (q->slow_queued > 0)
    place_slow(q); /* for the next one */
  update_ready(q);
  return w;
}

/* The place of the slow items has come up. Returns one of them, or NULL: they
 * were all cancelled, or as many run as may, and the place is the last again.
 */
static struct uv__work* take_at_place(struct uv__work_queue* q) {
  uv__queue_remove(&q->slow_place);
  q->has_place = 0;
  if (q->slow_queued == 0)
    return NULL;
  if (q->slow_running < q->slow_max)
    return take_slow(q);
  place_slow(q);
  return NULL;
}

struct uv__work* uv__work_queue_peek(struct uv__work_queue* q) {
  if (q->has_place && q->items.next == &q->slow_place) {
    if (q->slow_queued > 0 && q->slow_running < q->slow_max)
      return container_of(q->slow.next, struct uv__work, wq);
    (void) take_at_place(q); /* takes nothing */
  }
  if (q->fast_queued == 0)
    return NULL;
  return container_of(q->items.next, struct uv__work, wq);
}

struct uv__work* uv__work_queue_take(struct uv__work_queue* q, int* is_slow) {
  *is_slow = 0;
  if (q->has_place && q->items.next == &q->slow_place) {
    struct uv__work* w = take_at_place(q);
    *is_slow = w != NULL;
    if (w != NULL)
      return w;
  }
  if (q->fast_queued == 0)
    return NULL;

  struct uv__work* w = take_first(q, &q->items);
  q->fast_queued--;
  update_ready(q);
  return w;
}

void uv__work_queue_ran_slow(struct uv__work_queue* q) {
  q->slow_running--;
  if (q->slow_max > q->slow_wanted)
    q->slow_max--;
  update_ready(q);
}

void uv__work_queue_remove(struct uv__work_queue* q,
                           struct uv__work* w,
                           int is_slow) {
  if (is_slow && q->slow_max != 0)
    q->slow_queued--;
  else if (w->work != uv__work_aside)
    q->fast_queued--;
  uv__queue_remove(&w->wq);
  update_ready(q);
}

void uv__work_aside(struct uv__work* w) {
  (void) w;
}

void uv__work_queue_set_aside(struct uv__work_queue* q, struct uv__work* w) {
  uv__queue_remove(&w->wq);
  uv__queue_push_back(&q->aside, &w->wq);
  w->work = uv__work_aside;
  q->fast_queued--;
  update_ready(q);
}

void uv__work_queue_set_paused(struct uv__work_queue* q, int is_paused) {
  while (!uv__queue_empty(&q->aside)) {
    struct uv__work* w = container_of(q->aside.prev, struct uv__work, wq);
    uv__queue_remove(&w->wq);
    uv__queue_push_front(&q->items, &w->wq);
    w->work = w->kind->work;
    q->fast_queued++;
  }
  q->gate &= ~(unsigned) UV__GATE_PAUSE;
  if (is_paused)
    q->gate |= UV__GATE_PAUSE;
  update_ready(q);
}

void uv__work_queue_set_holds(struct uv__work_queue* q, unsigned holds) {
  q->holds = holds;
  q->gate &= ~(unsigned) UV__GATE_HOLD;
  if (holds != 0)
    q->gate |= UV__GATE_HOLD;
  update_ready(q);
}

/* Never less than are running: update_ready() subtracts these. */
void uv__work_queue_set_slow_max(struct uv__work_queue* q, unsigned slow_max) {
  q->slow_wanted = slow_max;
  q->slow_max = slow_max > q->slow_running ? slow_max : q->slow_running;
  update_ready(q);
}

static int list_contains(const struct uv__queue* list,
                         const struct uv__queue* node) {
  const struct uv__queue* n = list->next;

  while (n != list && n != node)
    n = n->next;
  return n == node;
}

int uv__work_queue_contains(const struct uv__work_queue* q,
                            const struct uv__work* w) {
  return list_contains(&q->items, &w->wq) || list_contains(&q->slow, &w->wq) ||
         list_contains(&q->aside, &w->wq);
}

void uv__work_queue_each(const struct uv__work_queue* q,
                         void (*each)(const struct uv__work* w, void* arg),
                         void* arg) {
  const struct uv__queue* n;

  for (n = q->aside.next; n != &q->aside; n = n->next)
    each(container_of(n, struct uv__work, wq), arg);
  for (n = q->items.next; n != &q->items; n = n->next)
    if (n != &q->slow_place)
      each(container_of(n, struct uv__work, wq), arg);
  for (n = q->slow.next; n != &q->slow; n = n->next)
    each(container_of(n, struct uv__work, wq), arg);
}
