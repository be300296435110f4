/* SPDX-License-Identifier: MIT */
#include "pool/queue.h"
#include "misuse.h"
#include "util/queue.h"

/* The program submitted an item that is already queued, which corrupts the
 * links of the queue. Fail loudly: a worker would loop forever. */
UV__COLD static void fail_double_submit(const struct uv__queue* node) {
  uv__misuse_end(UV__RULE_POOL_ONCE, node);
}

void uv__work_queue_init(struct uv__work_queue* q, unsigned slow_max) {
  uv__queue_init(&q->fast);
  uv__queue_init(&q->slow);
  uv__store_relaxed(&q->inbox, NULL);
  q->queued = 0;
  uv__store_relaxed(&q->ready, 0);
  q->slow_queued = 0;
  q->slow_running = 0;
  q->slow_max = slow_max;
  uv__store_relaxed(&q->taken, 0);
  q->fast_in = 0;
  q->fast_out = 0;
  q->slow_has_place = 0;
  q->slow_after = 0;
}

static unsigned slow_slots_left(const struct uv__work_queue* q) {
  return q->slow_running < q->slow_max ? q->slow_max - q->slow_running : 0;
}

/* Called after each change of a queue or of the number of running slow
 * items. */
static void update_ready(struct uv__work_queue* q) {
  unsigned fast = q->queued - q->slow_queued;
  unsigned slots = slow_slots_left(q);
  unsigned slow = q->slow_queued < slots ? q->slow_queued : slots;

  uv__store_relaxed(&q->ready, fast + slow);
}

static void drain_inbox(struct uv__work_queue* q) {
  if (uv__load_relaxed(&q->inbox) == NULL)
    return;

  /* Acquire: the items. Pairs with uv__work_queue_push(). */
  struct uv__queue* node = uv__chain_reverse(uv__exchange(&q->inbox, NULL),
                                             offsetof(struct uv__queue, next));
  unsigned count = 0;
  while (node != NULL) {
    struct uv__queue* next = node->next;
    if (node->prev != NULL)
      fail_double_submit(node);
    uv__queue_push_back(&q->fast, node);
    node = next;
    count++;
  }
  q->fast_in += count;
  q->queued += count;
  update_ready(q);
}

void uv__work_queue_push(struct uv__work_queue* q, struct uv__work* w) {
  struct uv__queue* head = uv__load_relaxed(&q->inbox);

  w->wq.prev = NULL; /* still in the inbox */
  do
    w->wq.next = head;
  while (!uv__cas_weak(&q->inbox, &head, &w->wq));
}

/* Puts the place of the slow items behind the fast ones that are queued now. */
static void place_slow(struct uv__work_queue* q) {
  drain_inbox(q);
  q->slow_has_place = 1;
  q->slow_after = q->fast_in;
}

void uv__work_queue_push_slow(struct uv__work_queue* q, struct uv__work* w) {
  if (!q->slow_has_place)
    place_slow(q);
  q->slow_queued++;
  uv__queue_push_back(&q->slow, &w->wq);
  q->queued++;
  update_ready(q);
}

static struct uv__work* take_from(struct uv__work_queue* q,
                                  struct uv__queue* list) {
  struct uv__queue* node = list->next;

  if (node->prev != list || node->next->prev != node)
    fail_double_submit(node);
  q->queued--;
  uv__store_relaxed(&q->taken, q->taken + 1);
  update_ready(q);
  uv__queue_remove(node);
  return container_of(node, struct uv__work, wq);
}

/* Has the place of the slow items come up? If none of them may run now, the
 * place moves to the end of the line; if all were cancelled, it is given up. */
static int is_slow_turn(struct uv__work_queue* q, int have_fast) {
  if (!q->slow_has_place || (have_fast && q->fast_out < q->slow_after))
    return 0;
  if (q->slow_queued == 0)
    q->slow_has_place = 0;
  else if (slow_slots_left(q) > 0)
    return 1;
  else if (have_fast)
    place_slow(q);
  return 0;
}

struct uv__work* uv__work_queue_take(struct uv__work_queue* q, int* is_slow) {
  /* Items in the inbox are newer than those in the queue, so leave it to its
   * submitters while the queue has any. */
  if (uv__queue_empty(&q->fast))
    drain_inbox(q);
  int have_fast = !uv__queue_empty(&q->fast);

  *is_slow = is_slow_turn(q, have_fast);
  if (*is_slow) {
    q->slow_queued--;
    q->slow_running++;
    q->slow_has_place = 0;
    if (q->slow_queued > 0)
      place_slow(q); /* for the next slow item */
    return take_from(q, &q->slow);
  }
  if (!have_fast)
    return NULL;
  q->fast_out++;
  return take_from(q, &q->fast);
}

void uv__work_queue_ran_slow(struct uv__work_queue* q) {
  q->slow_running--;
  update_ready(q);
}

/* Returns the number of items before `node`, or -1 if it is not in the list. */
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
  drain_inbox(q);
  /* Cancelling is rare, so items do not record which list holds them. */
  int index = index_in(&q->fast, &w->wq);
  if (index < 0) {
    q->slow_queued--;
  } else {
    q->fast_in--;
    if (q->fast_out + (unsigned) index < q->slow_after)
      q->slow_after--; /* one item fewer before the slow place */
  }
  uv__queue_remove(&w->wq);
  q->queued--;
  update_ready(q);
}

static void each_of(const struct uv__queue* head,
                    void (*each)(const struct uv__work* w, void* arg),
                    void* arg) {
  for (const struct uv__queue* q = head->next; q != head; q = q->next)
    each(container_of(q, struct uv__work, wq), arg);
}

void uv__work_queue_each(struct uv__work_queue* q,
                         void (*each)(const struct uv__work* w, void* arg),
                         void* arg) {
  drain_inbox(q);
  each_of(&q->fast, each, arg);
  each_of(&q->slow, each, arg);
}
