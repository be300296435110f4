/* SPDX-License-Identifier: MIT */
/* What uv_metrics_info() counts as an event. */
#include "ignore.h"
#include "test.h"

#include <signal.h>

static uv_loop_t loop;
static int calls;

static uint64_t events(void) {
  uv_metrics_t metrics;
  ASSERT_OK(uv_metrics_info(&loop, &metrics));
  return metrics.events;
}

static void on_async(uv_async_t* handle) {
  (void) handle;
  calls++;
}

/* Many async handles, one wake-up, one event. */
TEST_IMPL(metrics_async_handles_are_one_event) {
  uv_async_t handles[4];
  uv_metrics_t metrics;

  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 4; i++)
    ASSERT_OK(uv_async_init(&loop, &handles[i], on_async));
  for (int i = 0; i < 4; i++)
    ASSERT_OK(uv_async_send(&handles[i]));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(4, calls);
  ASSERT_OK(uv_metrics_info(&loop, &metrics));
  ASSERT_EQ(1, metrics.loop_count);
  ASSERT_EQ(1, metrics.events);
  ASSERT_EQ(0, metrics.events_waiting); /* idle time is not being measured */
  test_close_loop(&loop);
  return 0;
}

static void after_work(uv_work_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  calls++;
}

/* Each finished work item is an event, however they arrive. */
TEST_IMPL(metrics_each_work_is_an_event) {
  uv_work_t reqs[3];

  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 3; i++)
    ASSERT_OK(uv_queue_work(&loop, &reqs[i], ignore_work, after_work));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(3, calls);
  ASSERT_EQ(3, events());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

#if TEST_POSIX
static void on_signal(uv_signal_t* handle, int signum) {
  (void) handle;
  (void) signum;
  calls++;
  ASSERT_EQ(1, events()); /* counted before its callbacks */
}

TEST_IMPL(metrics_signals_are_one_event) {
  uv_signal_t handle;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_signal_init(&loop, &handle));
  ASSERT_OK(uv_signal_start(&handle, on_signal, SIGUSR1));
  ASSERT_EQ(0, raise(SIGUSR1));
  ASSERT_EQ(0, raise(SIGUSR1));
  while (calls == 0)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(2, calls);
  ASSERT_EQ(1, events());
  test_close_loop(&loop);
  return 0;
}
#endif
