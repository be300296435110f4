/* SPDX-License-Identifier: MIT */
/* The pull loop on real pollers: with one thread, with two, and where callbacks
 * must not run. Method: an echo over a socket pair. */
#include "ignore.h"
#include "test.h"
#include "uv/ext.h"

#define ROUNDS 200

static uv_loop_t loop;
static test_stream_t a;
static test_stream_t b;
static int echoed;
static int sent;
static int in_process; /* the loop is waiting: no callback may run */

static uv_thread_t dispatcher;

static void check_thread(void) {
  uv_thread_t self = uv_thread_self();
  ASSERT(!in_process);
  ASSERT(uv_thread_equal(&self, &dispatcher));
}

static void on_written(uv_write_t* req, int status) {
  check_thread();
  ASSERT_OK(status);
  free(req);
}

static void write_byte(test_stream_t* to) {
  static char byte = 'x';
  uv_buf_t buf = uv_buf_init(&byte, 1);
  uv_write_t* req = malloc(sizeof(*req));
  ASSERT_NOT_NULL(req);
  ASSERT_OK(uv_write(req, (uv_stream_t*) to, &buf, 1, on_written));
}

static void on_read_b(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) buf;
  check_thread();
  if (nread == UV_EOF) {
    uv_close((uv_handle_t*) stream, NULL);
    return;
  }
  for (ssize_t i = 0; i < nread; i++)
    write_byte(&b);
}

static void on_read_a(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) buf;
  check_thread();
  if (nread <= 0)
    return;
  echoed += (int) nread;
  if (echoed == ROUNDS) {
    uv_close((uv_handle_t*) stream, NULL);
  } else if (sent < ROUNDS) {
    sent++;
    write_byte(&a);
  }
}

static void start_echo(void) {
  ASSERT_OK(uv_loop_init(&loop));
  test_stream_pair(&loop, &a, &b);
  dispatcher = uv_thread_self();
  ASSERT_OK(uv_read_start((uv_stream_t*) &a, test_alloc, on_read_a));
  ASSERT_OK(uv_read_start((uv_stream_t*) &b, test_alloc, on_read_b));
  sent = 1;
  write_byte(&a);
}

TEST_IMPL(pull_one_thread) {
  start_echo();
  for (;;) {
    int timeout = uv_backend_timeout(&loop);
    in_process = 1;
    ASSERT_GE(uvx_backend_process(&loop, timeout), 0);
    in_process = 0;
    if (!uvx_backend_dispatch(&loop))
      break;
  }
  ASSERT_EQ(ROUNDS, echoed);
  test_close_loop(&loop);
  return 0;
}

/* The waiter and the dispatcher alternate, with two semaphores. */
static uv_sem_t may_wait;
static uv_sem_t may_dispatch;
static int ended;

static void wait_for_events(void* arg) {
  (void) arg;
  for (;;) {
    uv_sem_wait(&may_wait);
    if (ended)
      return;
    int timeout = uv_backend_timeout(&loop);
    in_process = 1;
    ASSERT_GE(uvx_backend_process(&loop, timeout), 0);
    in_process = 0;
    uv_sem_post(&may_dispatch);
  }
}

TEST_IMPL(pull_two_threads) {
  uv_thread_t waiter;

  ASSERT_OK(uv_sem_init(&may_wait, 0));
  ASSERT_OK(uv_sem_init(&may_dispatch, 0));
  start_echo();
  ASSERT_OK(uv_thread_create(&waiter, wait_for_events, NULL));
  do {
    uv_sem_post(&may_wait);
    uv_sem_wait(&may_dispatch);
  } while (uvx_backend_dispatch(&loop));
  ended = 1;
  uv_sem_post(&may_wait);
  ASSERT_OK(uv_thread_join(&waiter));
  ASSERT_EQ(ROUNDS, echoed);
  test_close_loop(&loop);
  uv_sem_destroy(&may_wait);
  uv_sem_destroy(&may_dispatch);
  return 0;
}

/* An async send ends the wait of another thread. */
static uv_async_t async;
static int async_calls;

static void on_async(uv_async_t* handle) {
  async_calls++;
  uv_close((uv_handle_t*) handle, NULL);
}

static int processed;

static void block(void* arg) {
  (void) arg;
  processed = uvx_backend_process(&loop, -1);
}

TEST_IMPL(pull_async_ends_the_wait) {
  uv_thread_t waiter;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_async_init(&loop, &async, on_async));
  ASSERT_OK(uv_thread_create(&waiter, block, NULL));
  ASSERT_OK(uv_async_send(&async));
  ASSERT_OK(uv_thread_join(&waiter));
  ASSERT_EQ(1, processed);
  ASSERT_EQ(0, async_calls);
  /* Processing again must not lose collected events. */
  ASSERT_GE(uvx_backend_process(&loop, 0), 1);
  uvx_backend_dispatch(&loop);
  ASSERT_EQ(1, async_calls);
  test_close_loop(&loop);
  return 0;
}

/* Work queued by a callback during a dispatch is for a later one. */
static int timer_calls;

static void on_endless(uv_timer_t* timer) {
  timer_calls++;
  ASSERT_OK(uv_timer_start(timer, on_endless, 0, 0));
}

static void on_endless_async(uv_async_t* handle) {
  async_calls++;
  ASSERT_OK(uv_async_send(handle));
}

TEST_IMPL(pull_dispatch_is_bounded) {
  uv_timer_t timer;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_async_init(&loop, &async, on_endless_async));
  ASSERT_OK(uv_timer_start(&timer, on_endless, 0, 0));
  ASSERT_OK(uv_async_send(&async));
  for (int i = 1; i <= 10; i++) {
    ASSERT_GE(uvx_backend_process(&loop, 0), 0);
    ASSERT_NE(0, uvx_backend_dispatch(&loop));
    ASSERT_EQ(i, timer_calls);
    ASSERT_LE(async_calls, i);
  }
  ASSERT_EQ(10, async_calls);
  test_close_loop(&loop);
  return 0;
}

/* Pool work and files also arrive through the pair. */
static int work_done;

static void after_work(uv_work_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  work_done++;
}

TEST_IMPL(pull_thread_pool) {
  uv_work_t work[20];

  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 20; i++)
    ASSERT_OK(uv_queue_work(&loop, &work[i], ignore_work, after_work));
  do
    ASSERT_GE(uvx_backend_process(&loop, uv_backend_timeout(&loop)), 0);
  while (uvx_backend_dispatch(&loop));
  ASSERT_EQ(20, work_done);
  test_close_loop(&loop);
  return 0;
}
