/* SPDX-License-Identifier: MIT */
/* A thread's ring: what is in it, in which order, and what finds no room. */
#include "unit.h"

#include "observe/thread.h"

#include <string.h>

static void add_records(struct uv__observe_thread* thread, int count) {
  struct uv__record record;

  memset(&record, 0, sizeof(record));
  for (int i = 0; i < count; i++) {
    record.value = i;
    uv__observe_thread_add(thread, &record);
  }
}

/* The calling thread's, with an empty ring. */
static struct uv__observe_thread* empty_thread(void) {
  CHECK_EQ(0, uv__observe_threads_init());
  struct uv__observe_thread* thread = uv__observe_thread_self();
  CHECK(thread != NULL);
  uv__observe_thread_consume(thread, uv__observe_thread_ready(thread));
  return thread;
}

UNIT_TEST(observe_thread_keeps_what_is_unread) {
  struct uv__observe_thread* thread = empty_thread();

  add_records(thread, 3);
  uv__observe_thread_consume(thread, 1);
  CHECK_EQ(2, uv__observe_thread_ready(thread));
  CHECK_EQ(1, uv__observe_thread_at(thread, 0)->value);
  CHECK_EQ(2, uv__observe_thread_at(thread, 1)->value);
}

/* Wherever in the ring the oldest record is. */
UNIT_TEST(observe_thread_drops_what_finds_no_room) {
  struct uv__observe_thread* thread = empty_thread();

  add_records(thread, 3);
  uv__observe_thread_consume(thread, 3);
  uint64_t dropped = thread->dropped;
  add_records(thread, UV__TRACE_RING + 1);
  CHECK_EQ(UV__TRACE_RING, uv__observe_thread_ready(thread));
  CHECK_EQ(1, thread->dropped - dropped);
  CHECK_EQ(0, uv__observe_thread_at(thread, 0)->value);
}

UNIT_TEST(observe_thread_has_room_again_once_it_was_read) {
  struct uv__observe_thread* thread = empty_thread();
  uint64_t dropped = thread->dropped;

  add_records(thread, UV__TRACE_RING);
  uv__observe_thread_consume(thread, 2);
  add_records(thread, 2);
  CHECK_EQ(0, thread->dropped - dropped);
  CHECK_EQ(UV__TRACE_RING, uv__observe_thread_ready(thread));
  CHECK_EQ(1, uv__observe_thread_at(thread, UV__TRACE_RING - 1)->value);
}
