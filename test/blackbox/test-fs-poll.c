/* SPDX-License-Identifier: MIT */
/* fs_poll: when it reports, and how it stops and closes. libuv closes an
 * internal timer, which programs that count iterations can see. */
#include "test.h"

static uv_loop_t loop;
static int poll_calls;
static int poll_status;

static void on_fs_poll(uv_fs_poll_t* handle,
                       int status,
                       const uv_stat_t* before,
                       const uv_stat_t* after) {
  (void) handle;
  (void) before;
  (void) after;
  poll_calls++;
  poll_status = status;
}

static void on_stop_timer(uv_timer_t* timer) {
  uv_stop(timer->loop);
}

/* The first stat is silent, an error is reported once. */
TEST_IMPL(fs_poll_reports_an_error_once) {
  uv_fs_poll_t poll_handle;
  uv_timer_t timer;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_fs_poll_init(&loop, &poll_handle));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_fs_poll_start(&poll_handle, on_fs_poll, "missing", 5));
  while (poll_calls == 0)
    uv_run(&loop, UV_RUN_ONCE);
  /* Not reported again while it stays the same. */
  ASSERT_OK(uv_timer_start(&timer, on_stop_timer, 100, 0));
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_EQ(1, poll_calls);
  ASSERT_ERR(UV_ENOENT, poll_status);
  test_write_file("missing", "x");
  while (poll_calls == 1)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_OK(poll_status);
  test_close_loop(&loop);
  return 0;
}

/* A handle whose first stat has finished: it waits for the next one. */
static void start_and_wait(uv_fs_poll_t* handle) {
  ASSERT_OK(uv_fs_poll_init(&loop, handle));
  ASSERT_OK(uv_fs_poll_start(handle, on_fs_poll, "missing", 100000));
  while (poll_calls == 0)
    uv_run(&loop, UV_RUN_ONCE);
}

TEST_IMPL(fs_poll_stop_takes_an_iteration) {
  uv_fs_poll_t handle;

  ASSERT_OK(uv_loop_init(&loop));
  start_and_wait(&handle);
  ASSERT_OK(uv_fs_poll_stop(&handle));
  ASSERT_EQ(0, uv_is_active((uv_handle_t*) &handle));
  ASSERT_NE(0, uv_loop_alive(&loop));
  ASSERT_EQ(0, uv_backend_timeout(&loop));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_NOWAIT));
  ASSERT_EQ(0, uv_loop_alive(&loop));
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(fs_poll_close_takes_an_iteration) {
  uv_fs_poll_t handle;
  uv_idle_t before;
  uv_idle_t after;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_idle_init(&loop, &before));
  ASSERT_OK(uv_idle_init(&loop, &after));
  start_and_wait(&handle);
  test_close_as(&before, "b");
  test_close_as(&handle, "p");
  test_close_as(&after, "a");
  ASSERT_NE(0, uv_run(&loop, UV_RUN_NOWAIT));
  ASSERT_STR_EQ("ab", test_close_order());
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_NOWAIT));
  ASSERT_STR_EQ("abp", test_close_order());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

TEST_IMPL(fs_poll_close_of_one_never_started) {
  uv_fs_poll_t handle;
  uv_idle_t before;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_idle_init(&loop, &before));
  ASSERT_OK(uv_fs_poll_init(&loop, &handle));
  test_close_as(&before, "b");
  test_close_as(&handle, "p");
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_NOWAIT));
  ASSERT_STR_EQ("pb", test_close_order());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* The result of the first path's stat is not reported for the second one.
 * (libuv reports it and then ends the process.) */
TEST_IMPL(fs_poll_start_again_during_a_stat) {
  uv_fs_poll_t handle;
  char path[8];
  size_t size = sizeof(path);

  test_write_file("file", "x");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_fs_poll_init(&loop, &handle));
  for (int i = 0; i < 3; i++) {
    ASSERT_OK(uv_fs_poll_start(&handle, on_fs_poll, "missing", 5));
    ASSERT_OK(uv_fs_poll_stop(&handle));
  }
  ASSERT_OK(uv_fs_poll_start(&handle, on_fs_poll, "file", 5));
  ASSERT_OK(uv_fs_poll_getpath(&handle, path, &size));
  ASSERT_STR_EQ("file", path);
  for (int turns = 0; poll_calls == 0; turns++) {
    char text[64] = "";

    /* A different size each time, so that two stats differ. */
    memset(text, 'x', (size_t) turns % (sizeof(text) - 1));
    test_write_file("file", text);
    uv_run(&loop, UV_RUN_ONCE);
  }
  ASSERT_OK(poll_status);
  test_close_as(&handle, "p");
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_EQ(1, strlen(test_close_order()));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}
