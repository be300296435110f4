/* SPDX-License-Identifier: MIT */
/* pool/queue.c: the position of slow items in the queue of fast ones. */
#include "unit.h"

#include "pool/queue.h"

/* Fast items are a, b, c, slow ones x, y. */
static struct uv__work items[256];
static struct uv__work_queue queue;

static void setup(void) {
  uv__work_queue_init(&queue, 1);
}

static void push(char name) {
  uv__work_queue_push(&queue, &items[(int) name], name >= 'x');
}

static void cancel(char name) {
  uv__work_queue_remove(&queue, &items[(int) name], name >= 'x');
}

/* A slow item stays in progress. */
static void check_takes(char want) {
  int is_slow;
  struct uv__work* w = uv__work_queue_take(&queue, &is_slow);
  CHECK(w == (want == '-' ? NULL : &items[(int) want]));
  if (w != NULL)
    CHECK_EQ(want >= 'x', is_slow);
}

static void slow_ends(void) {
  uv__work_queue_ran_slow(&queue);
}

UNIT_TEST(work_queue_slow_waits_for_those_before_it) {
  setup();
  push('a');
  push('x');
  push('b');
  push('y');
  push('c'); /* before x is taken: y comes after it, too */
  check_takes('a');
  check_takes('x');
  slow_ends();
  check_takes('b');
  check_takes('c');
  check_takes('y');
  slow_ends();
  check_takes('-');
}

UNIT_TEST(work_queue_slow_at_its_limit_goes_to_the_end) {
  setup();
  push('x');
  push('y');
  push('a');
  check_takes('x');
  check_takes('a');
  push('b');
  check_takes('b'); /* y is next, but may not run */
  push('c');
  slow_ends();
  check_takes('y');
  slow_ends();
  check_takes('c');
  check_takes('-');
}

UNIT_TEST(work_queue_cancelled_fast_items) {
  setup();
  push('a');
  push('b');
  push('x');
  push('c');
  cancel('c'); /* behind x */
  cancel('a'); /* before it */
  check_takes('b');
  check_takes('x');
  slow_ends();
  check_takes('-');
}

UNIT_TEST(work_queue_cancelled_slow_item_leaves_its_place) {
  setup();
  push('a');
  push('x');
  push('b');
  cancel('x');
  push('y');
  check_takes('a');
  check_takes('y');
  slow_ends();
  check_takes('b');

  /* Unless it has come up. */
  push('a');
  push('x');
  push('b');
  push('c');
  cancel('x');
  check_takes('a');
  check_takes('b');
  push('y');
  check_takes('c');
  check_takes('y');
  slow_ends();
  check_takes('-');
}
