/* SPDX-License-Identifier: MIT */
/* queue.h, against an array that does the same. */
#include "unit.h"

#include "util/queue.h"

#include <string.h>

#define NODES 12

struct item {
  int id;
  struct uv__queue node;
};

static struct item items[NODES];

static void init_items(void) {
  for (int i = 0; i < NODES; i++) {
    items[i].id = i;
    uv__queue_init(&items[i].node);
  }
}

/* The list, forwards and backwards, equals `want`. */
static void check_list(const struct uv__queue* head, const int* want, int n) {
  const struct uv__queue* q = head;

  for (int i = 0; i < n; i++) {
    q = uv__queue_next(q);
    CHECK(q != head);
    CHECK_EQ(want[i], uv__queue_entry(q, struct item, node)->id);
  }
  CHECK(q->next == head);
  for (int i = n - 1; i >= 0; i--) {
    CHECK_EQ(want[i], uv__queue_entry(q, struct item, node)->id);
    q = q->prev;
  }
  CHECK(q == head);
  CHECK_EQ(n == 0, uv__queue_empty(head));
}

UNIT_TEST(queue_order) {
  struct uv__queue head;

  init_items();
  uv__queue_init(&head);
  check_list(&head, NULL, 0);
  uv__queue_push_back(&head, &items[1].node);
  uv__queue_push_back(&head, &items[2].node);
  uv__queue_push_front(&head, &items[0].node);
  uv__queue_insert_after(&items[1].node, &items[3].node);
  check_list(&head, (int[]) { 0, 1, 3, 2 }, 4);
  CHECK(uv__queue_first(&head) == &items[0].node);
  CHECK(uv__queue_pop_front(&head) == &items[0].node);
  check_list(&head, (int[]) { 1, 3, 2 }, 3);
}

/* A removed node is a list by itself: removing it again affects no other. */
UNIT_TEST(queue_remove_twice) {
  struct uv__queue head;

  init_items();
  uv__queue_init(&head);
  for (int i = 0; i < 3; i++)
    uv__queue_push_back(&head, &items[i].node);
  uv__queue_remove(&items[1].node);
  uv__queue_remove(&items[1].node);
  CHECK(uv__queue_empty(&items[1].node));
  check_list(&head, (int[]) { 0, 2 }, 2);
}

UNIT_TEST(queue_splice_and_move) {
  struct uv__queue a;
  struct uv__queue b;
  struct uv__queue c;

  init_items();
  uv__queue_init(&a);
  uv__queue_init(&b);
  uv__queue_splice(&a, &b);
  check_list(&a, NULL, 0);

  uv__queue_push_back(&b, &items[0].node);
  uv__queue_push_back(&b, &items[1].node);
  uv__queue_splice(&a, &b);
  check_list(&a, (int[]) { 0, 1 }, 2);
  check_list(&b, NULL, 0);

  uv__queue_push_back(&b, &items[2].node);
  uv__queue_splice(&a, &b);
  check_list(&a, (int[]) { 0, 1, 2 }, 3);

  uv__queue_move(&c, &a);
  check_list(&a, NULL, 0);
  check_list(&c, (int[]) { 0, 1, 2 }, 3);
  uv__queue_move(&b, &a);
  check_list(&b, NULL, 0);
}

UNIT_TEST(queue_shift_and_splice_until) {
  struct uv__queue a;
  struct uv__queue b;

  init_items();
  uv__queue_init(&a);
  uv__queue_init(&b);
  for (int i = 0; i < 5; i++)
    uv__queue_push_back(&a, &items[i].node);
  CHECK(uv__queue_shift(&a) == &items[0].node);
  check_list(&a, (int[]) { 1, 2, 3, 4 }, 4);
  uv__queue_push_back(&b, &items[0].node);

  uv__queue_splice_until(&b, &a, &items[2].node);
  check_list(&b, (int[]) { 0, 1, 2 }, 3);
  check_list(&a, (int[]) { 3, 4 }, 2);
  uv__queue_splice_until(&b, &a, &items[4].node);
  check_list(&b, (int[]) { 0, 1, 2, 3, 4 }, 5);
  check_list(&a, NULL, 0);
}

static int model_find(const int* model, int n, int id) {
  for (int i = 0; i < n; i++)
    if (model[i] == id)
      return i;
  return -1;
}

UNIT_TEST(queue_random_operations) {
  struct uv__queue head;
  int model[NODES];
  int n = 0;
  uint32_t seed = 7;

  init_items();
  uv__queue_init(&head);
  for (int step = 0; step < 20000; step++) {
    seed = seed * 1664525 + 1013904223;
    int id = (int) (seed >> 8) % NODES;
    int at = model_find(model, n, id);

    if (at >= 0) {
      uv__queue_remove(&items[id].node);
      memmove(model + at, model + at + 1, (size_t) (--n - at) * sizeof(int));
    } else if (seed >> 31) {
      uv__queue_push_back(&head, &items[id].node);
      model[n++] = id;
    } else {
      uv__queue_push_front(&head, &items[id].node);
      memmove(model + 1, model, (size_t) n++ * sizeof(int));
      model[0] = id;
    }
    check_list(&head, model, n);
  }
}
