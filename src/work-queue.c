/* SPDX-License-Identifier: MIT */
#include "work-queue.h"
#include "fatal.h"
#include "queue.h"

/* An item that is queued already was pushed again: its links, and with them the
 * queue, are broken. Better a word and an end than a worker in a circle. */
UV__NOINLINE static void two_at_once(void) {
  uv__fatal("the work queue: a request was submitted twice", UV_EBUSY);
}

void uv__work_queue_init(struct uv__work_queue* q, unsigned slow_max) {
  uv__queue_init(&q->fast);
  uv__queue_init(&q->slow);
  q->inbox = NULL;
  q->queued = 0;
  q->ready = 0;
  q->slow_queued = 0;
  q->slow_running = 0;
  q->slow_max = slow_max;
  q->fast_in = 0;
  q->fast_out = 0;
  q->slow_has_place = 0;
  q->slow_after = 0;
}

static unsigned slow_slots_left(const struct uv__work_queue* q) {
  return q->slow_running < q->slow_max ? q->slow_max - q->slow_running : 0;
}

/* After each change of a queue or of the slow items that run. */
static void count_ready(struct uv__work_queue* q) {
  unsigned fast = q->queued - q->slow_queued;
  unsigned slots = slow_slots_left(q);
  unsigned slow = q->slow_queued < slots ? q->slow_queued : slots;

  uv__store_relaxed(&q->ready, fast + slow);
}

static void sort_in_inbox(struct uv__work_queue* q) {
  if (uv__load_relaxed(&q->inbox) == NULL)
    return;

  /* Acquire: the items. Pairs with uv__work_queue_push(). */
  struct uv__queue* node = uv__chain_reverse(
      uv__exchange(&q->inbox, NULL), offsetof(struct uv__queue, next));
  unsigned count = 0;
  while (node != NULL) {
    struct uv__queue* next = node->next;
    if (node->prev != NULL)
      two_at_once();
    uv__queue_push_back(&q->fast, node);
    node = next;
    count++;
  }
  q->fast_in += count;
  q->queued += count;
  count_ready(q);
}

void uv__work_queue_push(struct uv__work_queue* q, struct uv__work* w) {
  struct uv__queue* head = uv__load_relaxed(&q->inbox);

  w->wq.prev = NULL; /* not sorted in */
  do
    w->wq.next = head;
  while (!uv__cas_weak(&q->inbox, &head, &w->wq));
}

/* Slow items have a place among the fast ones: behind those that are queued
 * now. */
static void take_place(struct uv__work_queue* q) {
  sort_in_inbox(q);
  q->slow_has_place = 1;
  q->slow_after = q->fast_in;
}

void uv__work_queue_push_slow(struct uv__work_queue* q, struct uv__work* w) {
  if (!q->slow_has_place)
    take_place(q);
  q->slow_queued++;
  uv__queue_push_back(&q->slow, &w->wq);
  q->queued++;
  count_ready(q);
}

static struct uv__work* take_from(struct uv__work_queue* q,
                                  struct uv__queue* list) {
  struct uv__queue* node = list->next;

  if (node->prev != list || node->next->prev != node)
    two_at_once();
  q->queued--;
  count_ready(q);
  uv__queue_remove(node);
  return container_of(node, struct uv__work, wq);
}

/* Has the place in line of slow items come up? When none of them may run now it
 * goes to the end of the line; when there are none any more, cancelled ones, it
 * is given up. */
static int is_turn_of_slow(struct uv__work_queue* q, int have_fast) {
  if (!q->slow_has_place || (have_fast && q->fast_out < q->slow_after))
    return 0;
  if (q->slow_queued == 0)
    q->slow_has_place = 0;
  else if (slow_slots_left(q) > 0)
    return 1;
  else if (have_fast)
    take_place(q);
  return 0;
}

struct uv__work* uv__work_queue_take(struct uv__work_queue* q, int* is_slow) {
  /* The inbox is newer; whoever fills it just now is left alone. */
  if (uv__queue_empty(&q->fast))
    sort_in_inbox(q);
  int have_fast = !uv__queue_empty(&q->fast);

  *is_slow = is_turn_of_slow(q, have_fast);
  if (*is_slow) {
    q->slow_queued--;
    q->slow_running++;
    q->slow_has_place = 0;
    if (q->slow_queued > 0)
      take_place(q); /* its successor's */
    return take_from(q, &q->slow);
  }
  if (!have_fast)
    return NULL;
  q->fast_out++;
  return take_from(q, &q->fast);
}

void uv__work_queue_ran_slow(struct uv__work_queue* q) {
  q->slow_running--;
  count_ready(q);
}

/* How many are before it; -1 if it is not in the list. */
static int index_in(const struct uv__queue* list,
                    const struct uv__queue* node) {
  int index = 0;

  for (const struct uv__queue* n = list->next; n != list; n = n->next) {
    if (n == node)
      return index;
    index++;
  }
  return -1;
}

void uv__work_queue_remove(struct uv__work_queue* q, struct uv__work* w) {
  sort_in_inbox(q);
  /* This is rare: the item does not say which list holds it. */
  int index = index_in(&q->fast, &w->wq);
  if (index < 0) {
    q->slow_queued--;
  } else {
    q->fast_in--;
    if (q->fast_out + (unsigned) index < q->slow_after)
      q->slow_after--; /* one less before that place */
  }
  uv__queue_remove(&w->wq);
  q->queued--;
  count_ready(q);
}
