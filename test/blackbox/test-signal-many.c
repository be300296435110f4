/* SPDX-License-Identifier: MIT */
/* Thousands of handles for one signal: the order of delivery, and the time it
 * takes to start and stop them. */
#include "test.h"

#include <signal.h>
#include <stdlib.h>

#define MANY 100000
/* Delivery keeps the order while there are at most this many at once. */
#define ORDERED 400

static uv_loop_t loop;
static uv_signal_t* handles;
static int* trace; /* indexes of the handles called */
static int ntrace;
static int trace_max;
static unsigned seed = 1;

static void on_signal(uv_signal_t* handle, int signum) {
  ASSERT_EQ(SIGUSR1, signum);
  ASSERT_LT(ntrace, trace_max);
  trace[ntrace++] = (int) (handle - handles);
}

static void setup(int count) {
  handles = malloc((size_t) count * sizeof(*handles));
  trace = malloc((size_t) count * sizeof(*trace));
  ASSERT_NOT_NULL(handles);
  ASSERT_NOT_NULL(trace);
  trace_max = count;
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < count; i++)
    ASSERT_OK(uv_signal_init(&loop, &handles[i]));
}

static void teardown(void) {
  test_close_loop(&loop);
  free(handles);
  free(trace);
}

static unsigned next_random(void) {
  seed = seed * 1664525 + 1013904223;
  return seed >> 8;
}

static void fill_ascending(int* order) {
  for (int i = 0; i < MANY; i++)
    order[i] = i;
}

static void fill_descending(int* order) {
  for (int i = 0; i < MANY; i++)
    order[i] = MANY - 1 - i;
}

static void fill_random(int* order) {
  fill_ascending(order);
  for (int i = MANY - 1; i > 0; i--) {
    int k = (int) (next_random() % (unsigned) (i + 1));
    int other = order[k];
    order[k] = order[i];
    order[i] = other;
  }
}

/* Starting and stopping must not walk the other handles: 100,000 would
 * take longer than a test may. Method: start all in one order, deliver one
 * signal to each, stop them in another. */
static void start_and_stop(void (*fill_start)(int*), void (*fill_stop)(int*)) {
  static int order[MANY];

  setup(MANY);
  fill_start(order);
  for (int i = 0; i < MANY; i++)
    ASSERT_OK(uv_signal_start(&handles[order[i]], on_signal, SIGUSR1));
  ntrace = 0;
  raise(SIGUSR1);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(MANY, ntrace);

  fill_stop(order);
  for (int i = 0; i < MANY; i++)
    ASSERT_OK(uv_signal_stop(&handles[order[i]]));
  ASSERT_EQ(0, uv_loop_alive(&loop));
  teardown();
}

TEST_IMPL(signal_many_handles_ascending) {
  start_and_stop(fill_ascending, fill_ascending);
  return 0;
}

TEST_IMPL(signal_many_handles_descending) {
  start_and_stop(fill_descending, fill_descending);
  return 0;
}

TEST_IMPL(signal_many_handles_in_random_order) {
  start_and_stop(fill_random, fill_random);
  return 0;
}

/* All are one-shot, and have to be searched for one that is not. */
TEST_IMPL(signal_many_one_shot_handles) {
  setup(MANY);
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < MANY; i++)
      ASSERT_OK(uv_signal_start_oneshot(&handles[i], on_signal, SIGUSR1));
    ntrace = 0;
    raise(SIGUSR1);
    uv_run(&loop, UV_RUN_NOWAIT);
    ASSERT_EQ(MANY, ntrace);
    ASSERT_EQ(0, uv_loop_alive(&loop));
  }
  teardown();
  return 0;
}

static int is_one_shot(int i) {
  return i % 3 == 0;
}

static void toggle(int i) {
  if (uv_is_active((uv_handle_t*) &handles[i]))
    ASSERT_OK(uv_signal_stop(&handles[i]));
  else if (is_one_shot(i))
    ASSERT_OK(uv_signal_start_oneshot(&handles[i], on_signal, SIGUSR1));
  else
    ASSERT_OK(uv_signal_start(&handles[i], on_signal, SIGUSR1));
}

/* Every third handle is one-shot. Random ones are started and stopped; then all
 * started ones are called by address, those that are one-shot last. */
TEST_IMPL(signal_order_after_random_changes) {
  static int want[ORDERED];

  setup(ORDERED);
  for (int round = 0; round < 100; round++) {
    for (int i = 0; i < 1 + round * 3; i++)
      toggle((int) (next_random() % ORDERED));

    int nwant = 0;
    for (int one_shot = 0; one_shot < 2; one_shot++)
      for (int i = 0; i < ORDERED; i++)
        if (is_one_shot(i) == one_shot &&
            uv_is_active((uv_handle_t*) &handles[i]))
          want[nwant++] = i;
    if (nwant == 0)
      continue;

    ntrace = 0;
    raise(SIGUSR1);
    uv_run(&loop, UV_RUN_NOWAIT);
    ASSERT_EQ(nwant, ntrace);
    for (int i = 0; i < nwant; i++)
      ASSERT_EQ(want[i], trace[i]);
  }
  teardown();
  return 0;
}
