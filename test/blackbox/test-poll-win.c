/* SPDX-License-Identifier: MIT */
/* Poll handles: what libuv 1.50.0 does otherwise on Windows. */
#include "test.h"

#include <winsock2.h>

static uv_loop_t loop;
static uv_poll_t polls[2];
static uv_os_sock_t socks[2];
static int iterations;
static int seen[2];

static void count_iteration(uv_prepare_t* handle) {
  (void) handle;
  iterations++;
}

static void on_poll(uv_poll_t* handle, int status, int events) {
  char byte;

  ASSERT_OK(status);
  seen[handle - polls] = events;
  if (events & UV_READABLE) {
    ASSERT_EQ(1, recv(socks[0], &byte, 1, 0));
    uv_poll_stop(handle);
    closesocket(socks[1]);
  }
  if (events & UV_DISCONNECT)
    uv_stop(&loop);
}

static void send_byte(uv_timer_t* timer) {
  ASSERT_EQ(0, seen[0]);
  ASSERT_EQ(0, seen[1]);
  /* The first wait, perhaps another that ended early, and this one. */
  ASSERT_LE(iterations, 5);
  uv_close((uv_handle_t*) timer, NULL);
  ASSERT_EQ(1, send(socks[1], "x", 1, 0));
}

/* libuv's manual forbids it, and its loop no longer sleeps then; here each
 * handle has its own events. */
TEST_IMPL(poll_two_handles_of_a_socket) {
  static const int events[2] = { UV_READABLE, UV_DISCONNECT };
  uv_prepare_t prepare;
  uv_timer_t timer;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_socketpair(SOCK_STREAM, 0, socks, 0, 0));
  ASSERT_OK(uv_prepare_init(&loop, &prepare));
  ASSERT_OK(uv_prepare_start(&prepare, count_iteration));
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(uv_poll_init_socket(&loop, &polls[i], socks[0]));
    ASSERT_OK(uv_poll_start(&polls[i], events[i], on_poll));
  }
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, send_byte, 100, 0));
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_EQ(UV_READABLE, seen[0]);
  ASSERT_EQ(UV_DISCONNECT, seen[1]);
  closesocket(socks[0]);
  test_close_loop(&loop);
  return 0;
}

static void never_called(uv_poll_t* handle, int status, int events) {
  (void) handle;
  (void) status;
  (void) events;
  ASSERT(0);
}

static void stop_loop(uv_timer_t* timer) {
  uv_close((uv_handle_t*) timer, NULL);
  uv_stop(&loop);
}

static void start_and_stop(void) {
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_socketpair(SOCK_STREAM, 0, socks, 0, 0));
  ASSERT_OK(uv_poll_init_socket(&loop, &polls[0], socks[0]));
  ASSERT_OK(uv_poll_start(&polls[0], UV_READABLE, never_called));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_OK(uv_poll_stop(&polls[0]));
}

static void run_for_a_while(void) {
  uv_timer_t timer;

  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, stop_loop, 50, 0));
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_run(&loop, UV_RUN_NOWAIT); /* closes the timer */
}

/* libuv leaves the request of a handle that is stopped, and reports it after
 * the next start. */
TEST_IMPL(poll_events_before_a_start_are_not_reported) {
  char byte;
  fd_set readable;

  start_and_stop();
  ASSERT_EQ(1, send(socks[1], "x", 1, 0));
  FD_ZERO(&readable);
  FD_SET(socks[0], &readable);
  ASSERT_EQ(1, select(0, &readable, NULL, NULL, NULL));
  ASSERT_EQ(1, recv(socks[0], &byte, 1, 0));
  ASSERT_OK(uv_poll_start(&polls[0], UV_READABLE, never_called));
  run_for_a_while();
  ASSERT_EQ(1, uv_is_active((uv_handle_t*) &polls[0]));
  closesocket(socks[1]);
  uv_close((uv_handle_t*) &polls[0], NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  closesocket(socks[0]);
  test_close_loop(&loop);
  return 0;
}

/* libuv returns 0, and stops the handle later, with an error or silently. */
TEST_IMPL(poll_start_of_a_closed_socket) {
  start_and_stop();
  closesocket(socks[0]);
  ASSERT_ERR(UV_ENOTSOCK, uv_poll_start(&polls[0], UV_READABLE, never_called));
  ASSERT_EQ(0, uv_is_active((uv_handle_t*) &polls[0]));
  run_for_a_while();
  ASSERT_ERR(UV_ENOTSOCK, uv_poll_start(&polls[0], UV_READABLE, never_called));
  closesocket(socks[1]);
  test_close_loop(&loop);
  return 0;
}
