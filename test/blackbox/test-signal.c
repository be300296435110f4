/* SPDX-License-Identifier: MIT */
/* Which deliveries reach a signal handle, and in which order. */
#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define HANDLES 4

static uv_loop_t loop;
static uv_signal_t handles[HANDLES];
static char trace[2048]; /* one word per callback: its handle and signal */

static void on_signal(uv_signal_t* handle, int signum) {
  char word[] = { ' ', (char) ('0' + (handle - handles)), '?', '\0' };

  word[2] = signum == SIGUSR1 ? 'x' : 'y';
  ASSERT_EQ(signum, handle->signum);
  ASSERT_EQ(1, uv_is_active((uv_handle_t*) handle));
  ASSERT_LT(strlen(trace), sizeof(trace) - sizeof(word));
  strcat(trace, word);
}

static void setup(void) {
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < HANDLES; i++)
    ASSERT_OK(uv_signal_init(&loop, &handles[i]));
}

static void start(int i, int signum) {
  ASSERT_OK(uv_signal_start(&handles[i], on_signal, signum));
}

static void start_oneshot(int i, int signum) {
  ASSERT_OK(uv_signal_start_oneshot(&handles[i], on_signal, signum));
}

static int is_active(int i) {
  return uv_is_active((const uv_handle_t*) &handles[i]);
}

/* Runs the callbacks of what was raised. */
static void expect(const char* want) {
  trace[0] = '\0';
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_STR_EQ(want, trace);
}

static int has_default_action(int signum) {
  struct sigaction action;

  ASSERT_EQ(0, sigaction(signum, NULL, &action));
  return action.sa_handler == SIG_DFL;
}

TEST_IMPL(signal_order_of_arrival) {
  setup();
  start(0, SIGUSR1);
  start(1, SIGUSR2);
  raise(SIGUSR2);
  raise(SIGUSR1);
  raise(SIGUSR2);
  raise(SIGUSR2);
  expect(" 1y 0x 1y 1y");
  test_close_loop(&loop);
  return 0;
}

/* One signal: by address, one-shot handles last. */
TEST_IMPL(signal_order_of_handles) {
  setup();
  start(3, SIGUSR1);
  start_oneshot(0, SIGUSR1);
  start(2, SIGUSR1);
  start(1, SIGUSR1);
  raise(SIGUSR1);
  raise(SIGUSR1);
  expect(" 1x 2x 3x 0x 1x 2x 3x");
  ASSERT_EQ(0, is_active(0));
  test_close_loop(&loop);
  return 0;
}

/* More than the log can order: all of them arrive nevertheless. */
TEST_IMPL(signal_flood_loses_nothing) {
  setup();
  start(0, SIGUSR1);
  start(1, SIGUSR1);
  for (int i = 0; i < 300; i++)
    raise(SIGUSR1);
  trace[0] = '\0';
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(2 * 300 * 3, strlen(trace));
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(signal_raised_before_stop_and_start) {
  setup();
  start(0, SIGUSR1);
  raise(SIGUSR1);
  ASSERT_OK(uv_signal_stop(&handles[0]));
  start(0, SIGUSR1);
  expect(" 0x");

  raise(SIGUSR1);
  ASSERT_OK(uv_signal_stop(&handles[0]));
  expect("");
  test_close_loop(&loop);
  return 0;
}

/* Only deliveries for the signal that the handle watches in the end. */
TEST_IMPL(signal_raised_before_another_is_watched) {
  setup();
  start(0, SIGUSR1);
  raise(SIGUSR1);
  raise(SIGUSR1);
  start(0, SIGUSR2);
  raise(SIGUSR2);
  start(0, SIGUSR1);
  raise(SIGUSR1);
  expect(" 0x 0x 0x");
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(signal_raised_before_close) {
  setup();
  start(0, SIGUSR1);
  start(1, SIGUSR1);
  raise(SIGUSR1);
  uv_close((uv_handle_t*) &handles[0], NULL);
  expect(" 1x");
  /* Its memory now belongs to another handle. */
  ASSERT_OK(uv_signal_init(&loop, &handles[0]));
  start(0, SIGUSR1);
  expect("");
  test_close_loop(&loop);
  return 0;
}

static void raise_in_callback(uv_signal_t* handle, int signum) {
  on_signal(handle, signum);
  raise(SIGUSR2);
}

TEST_IMPL(signal_raised_in_a_callback) {
  setup();
  ASSERT_OK(uv_signal_start(&handles[0], raise_in_callback, SIGUSR1));
  start(1, SIGUSR1);
  start(2, SIGUSR2);
  raise(SIGUSR1);
  expect(" 0x 1x");
  expect(" 2y");
  test_close_loop(&loop);
  return 0;
}

/* A number that is not a signal, or one that cannot be caught, stops the
 * handle; 0 does not. */
TEST_IMPL(signal_bad_number_stops_the_handle) {
  static const int numbers[] = { SIGKILL, SIGSTOP, -1, 1000 };

  setup();
  for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
    start(0, SIGUSR1);
    ASSERT_ERR(UV_EINVAL, uv_signal_start(&handles[0], on_signal, 0));
    ASSERT_EQ(1, is_active(0));
    ASSERT_EQ(SIGUSR1, handles[0].signum);
    ASSERT_ERR(UV_EINVAL, uv_signal_start(&handles[0], on_signal, numbers[i]));
    ASSERT_EQ(0, is_active(0));
    ASSERT_EQ(0, handles[0].signum);
    ASSERT(has_default_action(SIGUSR1));
  }
  test_close_loop(&loop);
  return 0;
}

static void start_again(uv_signal_t* handle, int signum) {
  on_signal(handle, signum);
  ASSERT_OK(uv_signal_start(handle, on_signal, signum));
}

/* A handle that was one-shot once stays one-shot, however it is started later.
 */
TEST_IMPL(signal_oneshot_is_permanent) {
  setup();
  ASSERT_OK(uv_signal_start_oneshot(&handles[0], start_again, SIGUSR1));
  raise(SIGUSR1);
  expect(" 0x");
  ASSERT_EQ(0, is_active(0));
  start(0, SIGUSR1);
  raise(SIGUSR1);
  expect(" 0x");
  ASSERT_EQ(0, is_active(0));

  start(1, SIGUSR1);
  start_oneshot(1, SIGUSR1); /* changes nothing but the callback */
  raise(SIGUSR1);
  expect(" 1x");
  ASSERT_EQ(1, is_active(1));
  test_close_loop(&loop);
  return 0;
}

static int closed;

static void wipe_and_free(uv_handle_t* handle) {
  closed++;
  memset(handle, 0x5a, sizeof(uv_signal_t));
  free(handle);
}

/* libuv defers the close too: uv_run() says that there is more to do. */
static void close_and_run(uv_signal_t* handle, int signum) {
  (void) signum;
  uv_close((uv_handle_t*) handle, wipe_and_free);
  ASSERT_EQ(1, uv_run(&loop, UV_RUN_NOWAIT));
  ASSERT_EQ(1, uv_run(&loop, UV_RUN_ONCE));
  ASSERT_EQ(0, closed);
}

TEST_IMPL(signal_closed_in_its_callback_that_runs_the_loop) {
  ASSERT_OK(uv_loop_init(&loop));
  for (int is_oneshot = 0; is_oneshot < 2; is_oneshot++) {
    uv_signal_t* handle = malloc(sizeof(*handle));

    ASSERT_NOT_NULL(handle);
    ASSERT_OK(uv_signal_init(&loop, handle));
    if (is_oneshot)
      ASSERT_OK(uv_signal_start_oneshot(handle, close_and_run, SIGUSR1));
    else
      ASSERT_OK(uv_signal_start(handle, close_and_run, SIGUSR1));
    raise(SIGUSR1);
    closed = 0;
    ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
    ASSERT_EQ(1, closed);
  }
  test_close_loop(&loop);
  return 0;
}
