/* SPDX-License-Identifier: MIT */
/* Async handles: no send is lost, no callback runs twice for one send, and
 * closing may race with sending. Method: many handles and threads, with
 * counters. */
#include "test.h"

#define THREADS 8

static uv_loop_t loop;

/* 10,000 handles, each sent to by several threads: every callback runs. */
#define MANY 10000

struct counted {
  uv_async_t handle;
  int calls;
};

static struct counted many[MANY];
static int seen;

static void on_many(uv_async_t* handle) {
  struct counted* c = (struct counted*) handle;
  if (c->calls++ == 0)
    seen++;
  if (seen == MANY)
    uv_stop(&loop);
}

static void send_all(void* arg) {
  /* Each thread uses its own order; the step has no common factor with MANY, so
   * each handle gets one send from each thread. */
  static const int steps[THREADS] = { 1, 3, 7, 9, 11, 13, 17, 19 };
  int step = steps[*(int*) arg];
  for (int i = 0, k = 0; i < MANY; i++, k = (k + step) % MANY)
    ASSERT_OK(uv_async_send(&many[k].handle));
}

TEST_IMPL(async_many_handles_many_threads) {
  uv_thread_t threads[THREADS];
  int ids[THREADS];

  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < MANY; i++)
    ASSERT_OK(uv_async_init(&loop, &many[i].handle, on_many));
  for (int i = 0; i < THREADS; i++) {
    ids[i] = i;
    ASSERT_OK(uv_thread_create(&threads[i], send_all, &ids[i]));
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  for (int i = 0; i < THREADS; i++)
    ASSERT_OK(uv_thread_join(&threads[i]));
  ASSERT_EQ(MANY, seen);
  for (int i = 0; i < MANY; i++)
    ASSERT_LE(many[i].calls, THREADS);
  test_close_loop(&loop);
  return 0;
}

/* A callback sees what a thread wrote before its send. */
#define TOTAL 20000

static uv_async_t single;
static uv_mutex_t lock;
static int produced; /* guarded by the lock */
static int consumed;

static void on_single(uv_async_t* handle) {
  uv_mutex_lock(&lock);
  consumed = produced;
  uv_mutex_unlock(&lock);
  if (consumed == THREADS * TOTAL)
    uv_close((uv_handle_t*) handle, NULL);
}

static void produce(void* arg) {
  (void) arg;
  for (int i = 0; i < TOTAL; i++) {
    uv_mutex_lock(&lock);
    produced++;
    uv_mutex_unlock(&lock);
    ASSERT_OK(uv_async_send(&single));
  }
}

TEST_IMPL(async_last_send_is_never_lost) {
  uv_thread_t threads[THREADS];

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_mutex_init(&lock));
  ASSERT_OK(uv_async_init(&loop, &single, on_single));
  for (int i = 0; i < THREADS; i++)
    ASSERT_OK(uv_thread_create(&threads[i], produce, NULL));
  /* Ends only if the callback saw everything; the runner limits the time. */
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  for (int i = 0; i < THREADS; i++)
    ASSERT_OK(uv_thread_join(&threads[i]));
  ASSERT_EQ(THREADS * TOTAL, consumed);
  test_close_loop(&loop);
  return 0;
}

/* A callback that sends to its own handle: one more call each, no endless loop.
 */
static int rounds;
static int timer_calls;

static void on_again(uv_async_t* handle) {
  if (++rounds < 100)
    ASSERT_OK(uv_async_send(handle));
  else
    uv_close((uv_handle_t*) handle, NULL);
}

static void on_timer(uv_timer_t* timer) {
  timer_calls++;
  if (rounds >= 100)
    uv_close((uv_handle_t*) timer, NULL);
}

TEST_IMPL(async_send_in_callback_is_another_iteration) {
  uv_timer_t timer;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_async_init(&loop, &single, on_again));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, on_timer, 0, 1));
  ASSERT_OK(uv_async_send(&single));
  uv_metrics_t metrics;
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(100, rounds);
  ASSERT_OK(uv_metrics_info(&loop, &metrics));
  ASSERT_GE(metrics.loop_count, 100);
  test_close_loop(&loop);
  return 0;
}

/* Closing one handle while another's send is in flight loses neither. */
static uv_async_t pair[2];
static int pair_calls;

static void on_pair(uv_async_t* handle) {
  pair_calls++;
  ASSERT_PTR_EQ(&pair[1], handle);
}

TEST_IMPL(async_close_keeps_the_others_sends) {
  for (int order = 0; order < 2; order++) {
    pair_calls = 0;
    ASSERT_OK(uv_loop_init(&loop));
    ASSERT_OK(uv_async_init(&loop, &pair[0], on_pair));
    ASSERT_OK(uv_async_init(&loop, &pair[1], on_pair));
    ASSERT_OK(uv_async_send(&pair[order]));
    ASSERT_OK(uv_async_send(&pair[!order]));
    uv_close((uv_handle_t*) &pair[0], NULL); /* its send is dropped */
    while (pair_calls == 0)
      uv_run(&loop, UV_RUN_ONCE);
    ASSERT_EQ(1, pair_calls);
    test_close_loop(&loop);
  }
  return 0;
}

/* A callback closes handles whose sends were collected together with its own.
 */
static struct counted group[50];
static int group_calls;

static void on_group(uv_async_t* handle) {
  group_calls++;
  for (int i = 0; i < 50; i++)
    if (&group[i].handle != handle)
      uv_close((uv_handle_t*) &group[i].handle, NULL);
}

TEST_IMPL(async_callback_closes_the_rest_of_the_batch) {
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 50; i++)
    ASSERT_OK(uv_async_init(&loop, &group[i].handle, on_group));
  for (int i = 0; i < 50; i++)
    ASSERT_OK(uv_async_send(&group[i].handle));
  while (group_calls == 0)
    uv_run(&loop, UV_RUN_ONCE);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(1, group_calls);
  test_close_loop(&loop);
  return 0;
}

/* A thread keeps sending while the loop closes the handle; the program's own
 * lock says when the handle is gone. */
struct raced {
  uv_async_t handle;
  uv_mutex_t lock;
  int closing; /* guarded by the lock */
};

static void send_until_closing(void* arg) {
  struct raced* r = arg;
  for (;;) {
    uv_mutex_lock(&r->lock);
    if (r->closing) {
      uv_mutex_unlock(&r->lock);
      return;
    }
    ASSERT_OK(uv_async_send(&r->handle));
    uv_mutex_unlock(&r->lock);
  }
}

static void on_raced(uv_async_t* handle) {
  ASSERT(!uv_is_closing((uv_handle_t*) handle));
}

TEST_IMPL(async_close_while_others_send) {
  struct raced raced;
  uv_thread_t threads[3];
  int iterations = test_is_slow() ? 30 : 200;

  ASSERT_OK(uv_mutex_init(&raced.lock));
  for (int round = 0; round < iterations; round++) {
    raced.closing = 0;
    ASSERT_OK(uv_loop_init(&loop));
    ASSERT_OK(uv_async_init(&loop, &raced.handle, on_raced));
    for (int i = 0; i < 3; i++)
      ASSERT_OK(uv_thread_create(&threads[i], send_until_closing, &raced));
    for (int i = 0; i < round % 5; i++)
      uv_run(&loop, UV_RUN_NOWAIT);
    uv_mutex_lock(&raced.lock);
    raced.closing = 1;
    uv_close((uv_handle_t*) &raced.handle, NULL);
    uv_mutex_unlock(&raced.lock);
    ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
    ASSERT_OK(uv_loop_close(&loop));
    for (int i = 0; i < 3; i++)
      ASSERT_OK(uv_thread_join(&threads[i]));
  }
  uv_mutex_destroy(&raced.lock);
  return 0;
}

/* Sends without a lock while the loop closes the handle: a send that began
 * before the close does no harm. (The memory outlives the thread.) */
static int go;

static void send_while_closing(void* arg) {
  struct counted* c = arg;
  while (__atomic_load_n(&go, __ATOMIC_ACQUIRE))
    uv_async_send(&c->handle);
}

TEST_IMPL(async_close_races_with_send) {
  struct counted* handles;
  uv_thread_t thread;
  int n = test_is_slow() ? 50 : 300;

  handles = calloc((size_t) n, sizeof(*handles));
  ASSERT_NOT_NULL(handles);
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < n; i++) {
    ASSERT_OK(uv_async_init(&loop, &handles[i].handle, on_raced));
    __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
    ASSERT_OK(uv_thread_create(&thread, send_while_closing, &handles[i]));
    for (int k = 0; k < i % 7; k++)
      uv_run(&loop, UV_RUN_NOWAIT);
    uv_close((uv_handle_t*) &handles[i].handle, NULL);
    uv_run(&loop, UV_RUN_NOWAIT);
    __atomic_store_n(&go, 0, __ATOMIC_RELEASE);
    ASSERT_OK(uv_thread_join(&thread));
  }
  test_close_loop(&loop);
  free(handles);
  return 0;
}
