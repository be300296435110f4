/* SPDX-License-Identifier: MIT */
/* A thread that reads its own ring begins it again; nobody else does. */
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

/* The calling thread's, with an empty ring that begins with the next record. */
static struct uv__observe_thread* empty_thread(void) {
  CHECK_EQ(0, uv__observe_threads_init());
  struct uv__observe_thread* thread = uv__observe_thread_self();
  CHECK(thread != NULL);
  uv__observe_thread_consume(thread, uv__observe_thread_ready(thread));
  uv__observe_thread_rewind(thread);
  return thread;
}

UNIT_TEST(trace_thread_rewinds_its_own_ring) {
  struct uv__observe_thread* thread = empty_thread();

  add_records(thread, 3);
  const struct uv__record* first = uv__observe_thread_at(thread, 0);
  uv__observe_thread_consume(thread, 3);
  uv__observe_thread_rewind(thread);
  CHECK_EQ(0, uv__observe_thread_ready(thread));
  add_records(thread, 2);
  CHECK_EQ(2, uv__observe_thread_ready(thread));
  CHECK(uv__observe_thread_at(thread, 0) == first);
  CHECK_EQ(1, uv__observe_thread_at(thread, 1)->value);
}

UNIT_TEST(trace_thread_keeps_what_is_unread) {
  struct uv__observe_thread* thread = empty_thread();

  add_records(thread, 3);
  uv__observe_thread_consume(thread, 1);
  uv__observe_thread_rewind(thread);
  CHECK_EQ(2, uv__observe_thread_ready(thread));
  CHECK_EQ(1, uv__observe_thread_at(thread, 0)->value);
  CHECK_EQ(2, uv__observe_thread_at(thread, 1)->value);
}

static void rewind_of_another(void* arg) {
  uv__observe_thread_rewind(arg);
}

/* The owner may be adding a record at the time. */
UNIT_TEST(trace_thread_is_not_rewound_by_another) {
  struct uv__observe_thread* thread = empty_thread();
  uv_thread_t other;

  add_records(thread, 3);
  const struct uv__record* first = uv__observe_thread_at(thread, 0);
  uv__observe_thread_consume(thread, 3);
  CHECK_EQ(0, uv_thread_create(&other, rewind_of_another, thread));
  CHECK_EQ(0, uv_thread_join(&other));
  add_records(thread, 1);
  CHECK(uv__observe_thread_at(thread, 0) == first + 3);
}

/* A ring takes as many as before, and drops what is beyond. */
UNIT_TEST(trace_thread_has_a_whole_ring_after_a_rewind) {
  struct uv__observe_thread* thread = empty_thread();

  add_records(thread, 3);
  uv__observe_thread_consume(thread, 3);
  uv__observe_thread_rewind(thread);
  uint64_t dropped = thread->dropped;
  add_records(thread, UV__TRACE_RING + 1);
  CHECK_EQ(UV__TRACE_RING, uv__observe_thread_ready(thread));
  CHECK_EQ(1, thread->dropped - dropped);
  CHECK_EQ(0, uv__observe_thread_at(thread, 0)->value);
}
