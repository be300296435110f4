/* SPDX-License-Identifier: MIT */
/* The memory that timers take: given back when most of them are gone, and never
 * asked for by a restart. Method: uv_replace_allocator(), counting bytes. */
#include "ignore.h"
#include "test.h"

#include <stdlib.h>

#define MANY 100000
/* What a loop that had many timers may keep. */
#define KEPT_MAX (64 * 1024)
/* In front of each block: its size, aligned for what follows. */
#define HEADER 16

static size_t used;
static int calls;
static int refusing;
static uv_loop_t loop;
static uv_timer_t* timers;
static int fired;

static void* counting_malloc(size_t size) {
  char* block = refusing ? NULL : malloc(HEADER + size);

  calls++;
  if (block == NULL)
    return NULL;
  memcpy(block, &size, sizeof(size));
  used += size;
  return block + HEADER;
}

static void* counting_calloc(size_t count, size_t size) {
  void* ptr = counting_malloc(count * size);

  if (ptr != NULL)
    memset(ptr, 0, count * size);
  return ptr;
}

static void counting_free(void* ptr) {
  size_t size;

  if (ptr == NULL)
    return;
  memcpy(&size, (char*) ptr - HEADER, sizeof(size));
  used -= size;
  free((char*) ptr - HEADER);
}

static void* counting_realloc(void* ptr, size_t size) {
  void* block = counting_malloc(size);
  size_t old = 0;

  if (ptr == NULL || block == NULL)
    return block;
  memcpy(&old, (char*) ptr - HEADER, sizeof(old));
  memcpy(block, ptr, old < size ? old : size);
  counting_free(ptr);
  return block;
}

static void setup(void) {
  ASSERT_OK(uv_replace_allocator(counting_malloc, counting_realloc,
                                 counting_calloc, counting_free));
  timers = malloc(MANY * sizeof(*timers));
  ASSERT_NOT_NULL(timers);
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < MANY; i++)
    ASSERT_OK(uv_timer_init(&loop, &timers[i]));
}

static void teardown(void) {
  test_close_loop(&loop);
  free(timers);
}

static void on_timer(uv_timer_t* timer) {
  (void) timer;
  fired++;
}

static void start_all(uint64_t timeout_ms) {
  for (int i = 0; i < MANY; i++)
    ASSERT_OK(uv_timer_start(&timers[i], on_timer, timeout_ms, 0));
}

static void stop_from(int first) {
  for (int i = MANY; i-- > first;)
    ASSERT_OK(uv_timer_stop(&timers[i]));
}

TEST_IMPL(timer_memory_returns_after_stop) {
  setup();
  size_t before = used;
  start_all(100000);
  ASSERT_GT(used, before + MANY * sizeof(void*));
  stop_from(0);
  ASSERT_LE(used, before + KEPT_MAX);
  teardown();
  return 0;
}

TEST_IMPL(timer_memory_returns_after_firing) {
  setup();
  size_t before = used;
  start_all(0);
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_EQ(MANY, fired);
  ASSERT_LE(used, before + KEPT_MAX);
  teardown();
  return 0;
}

/* The ones that are left fire, in order, from the smaller heap. */
static int next;

static void in_order(uv_timer_t* timer) {
  ASSERT_PTR_EQ(&timers[next], timer);
  next++;
}

TEST_IMPL(timer_memory_shrinks_around_the_rest) {
  setup();
  for (int i = 0; i < MANY; i++)
    ASSERT_OK(uv_timer_start(&timers[i], in_order, (uint64_t) i / 10000, 0));
  size_t full = used;
  stop_from(5000);
  ASSERT_LT(used, full / 4);
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_EQ(5000, next);
  teardown();
  return 0;
}

/* Without memory for the smaller heap the larger one stays. */
TEST_IMPL(timer_memory_refused_while_stopping) {
  setup();
  start_all(0);
  refusing = 1;
  stop_from(1000);
  for (int i = 0; i < MANY / 2; i++)
    ASSERT_OK(uv_timer_start(&timers[i], on_timer, 0, 0));
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_EQ(MANY / 2, fired);
  refusing = 0;
  teardown();
  return 0;
}

/* One timer more or less, at any number of them, does not move the heap each
 * time; neither does a restart. */
TEST_IMPL(timer_memory_is_not_moved_to_and_fro) {
  setup();
  start_all(100000);
  for (int left = MANY; left-- > 1;) {
    ASSERT_OK(uv_timer_stop(&timers[left]));
    if (left % 128 != 0 && (left & (left - 1)) != 0)
      continue;
    calls = 0;
    for (int i = 0; i < 10; i++) {
      ASSERT_OK(uv_timer_start(&timers[left], on_timer, 100000, 0));
      ASSERT_OK(uv_timer_start(&timers[0], on_timer, 200000, 0));
      ASSERT_OK(uv_timer_stop(&timers[left]));
    }
    ASSERT_LE(calls, 1);
  }
  teardown();
  return 0;
}

/* Repeating timers keep their room, even if no memory is left. */
static void stop_others(uv_timer_t* timer) {
  fired++;
  if (timer == &timers[0])
    stop_from(2000);
}

TEST_IMPL(timer_memory_of_repeating_timers_stays) {
  setup();
  for (int i = 0; i < MANY; i++)
    ASSERT_OK(uv_timer_start(&timers[i], stop_others, 1, 1000000));
  uv_sleep(5);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(2000, fired);
  for (int i = 0; i < 2000; i++)
    ASSERT_EQ(1, uv_is_active((uv_handle_t*) &timers[i]));
  refusing = 1;
  for (int i = 0; i < 2000; i++)
    ASSERT_OK(uv_timer_again(&timers[i]));
  refusing = 0;
  teardown();
  return 0;
}
