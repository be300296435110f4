/* SPDX-License-Identifier: MIT */
/* The log of signals that were delivered to a loop. */
#include "unit.h"

#include "unix/signal-log.h"
#include "uv.h"

#define WRITERS 3
#define ROUNDS 3000

static struct uv__signal_log signal_log;
static uv_signal_t a;
static uv_signal_t b;
static struct uv__signal_arrival arrival;

static int pop(void) {
  return uv__signal_log_pop(&signal_log, uv__signal_log_end(&signal_log),
                            &arrival);
}

static void expect(uv_signal_t* handle, int signum) {
  CHECK(pop());
  CHECK(arrival.handle == handle);
  CHECK_EQ(signum, arrival.signum);
}

UNIT_TEST(signal_log_keeps_the_order) {
  CHECK_EQ(0, pop());
  CHECK(uv__signal_log_push(&signal_log, &b, 12));
  CHECK(uv__signal_log_push(&signal_log, &a, 10));
  CHECK(uv__signal_log_push(&signal_log, &b, 12));
  expect(&b, 12);
  expect(&a, 10);
  expect(&b, 12);
  CHECK_EQ(0, pop());
}

/* What arrives after the end was read is for the next time. */
UNIT_TEST(signal_log_stops_at_the_end) {
  CHECK(uv__signal_log_push(&signal_log, &a, 10));
  unsigned end = uv__signal_log_end(&signal_log);
  CHECK(uv__signal_log_push(&signal_log, &b, 12));
  CHECK(uv__signal_log_pop(&signal_log, end, &arrival));
  CHECK_EQ(0, uv__signal_log_pop(&signal_log, end, &arrival));
  expect(&b, 12);
}

UNIT_TEST(signal_log_full) {
  for (int round = 0; round < 3; round++) {
    for (unsigned i = 0; i < UV__SIGNAL_LOG_SIZE; i++)
      CHECK(uv__signal_log_push(&signal_log, &a, 1 + (int) (i % 64)));
    CHECK_EQ(0, uv__signal_log_push(&signal_log, &b, 12));
    for (unsigned i = 0; i < UV__SIGNAL_LOG_SIZE; i++)
      expect(&a, 1 + (int) (i % 64));
    CHECK_EQ(0, pop());
    /* Moves the start to another position. */
    CHECK(uv__signal_log_push(&signal_log, &b, 12));
    expect(&b, 12);
  }
}

/* Positions wrap around the largest number. */
UNIT_TEST(signal_log_positions_wrap) {
  signal_log.head = signal_log.tail = UINT32_MAX - 1;
  for (int i = 1; i < 8; i++)
    CHECK(uv__signal_log_push(&signal_log, &a, i));
  for (int i = 1; i < 8; i++)
    expect(&a, i);
  CHECK_EQ(0, pop());
}

UNIT_TEST(signal_log_forgets_a_handle) {
  CHECK(uv__signal_log_push(&signal_log, &a, 10));
  CHECK(uv__signal_log_push(&signal_log, &b, 12));
  CHECK(uv__signal_log_push(&signal_log, &a, 10));
  uv__signal_log_forget(&signal_log, &a);
  CHECK(pop());
  CHECK(arrival.handle != &a);
  CHECK_EQ(0, arrival.handle->signum); /* not started */
  expect(&b, 12);
  CHECK(pop());
  CHECK(arrival.handle != &a);
  CHECK_EQ(0, pop());
}

/* A slot that is reserved but not yet written holds up those behind it. */
UNIT_TEST(signal_log_waits_for_the_writer) {
  signal_log.tail = 1;
  CHECK(uv__signal_log_push(&signal_log, &b, 12));
  CHECK_EQ(0, pop());
  signal_log.arrivals[0].signum = 10;
  signal_log.arrivals[0].handle = &a;
  expect(&a, 10);
  expect(&b, 12);
  uv__signal_log_reset(&signal_log);
  CHECK_EQ(0, pop());
}

static uv_signal_t handles[WRITERS];

static void write_rounds(void* arg) {
  for (int i = 0; i < ROUNDS;)
    i += uv__signal_log_push(&signal_log, arg, 1 + i % 64);
}

/* Each writer's deliveries arrive completely and in its order. */
UNIT_TEST(signal_log_many_writers) {
  uv_thread_t threads[WRITERS];
  int seen[WRITERS] = { 0 };

  for (int i = 0; i < WRITERS; i++)
    CHECK_EQ(0, uv_thread_create(&threads[i], write_rounds, &handles[i]));
  for (int total = 0; total < WRITERS * ROUNDS;) {
    if (!pop())
      continue;
    int* mine = &seen[arrival.handle - handles];
    CHECK_EQ(1 + *mine % 64, arrival.signum);
    *mine += 1;
    total++;
  }
  for (int i = 0; i < WRITERS; i++) {
    CHECK_EQ(0, uv_thread_join(&threads[i]));
    CHECK_EQ(ROUNDS, seen[i]);
  }
  CHECK_EQ(0, pop());
}
