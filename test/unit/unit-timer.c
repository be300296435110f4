/* SPDX-License-Identifier: MIT */
/* timer.c on a scripted clock: never early, in order, and equal to a naive
 * model under random operations. */
#include "poller-fake.h"

#include "loop/timer-heap.h"
#include "timer.h"

#include <limits.h>
#include <string.h>

static uv_timer_t a;
static uv_timer_t b;
static uv_timer_t c;

static void note_timer(uv_timer_t* timer) {
  fake_note(timer == &a ? 'a' : timer == &b ? 'b' : 'c');
}

static void setup(void) {
  fake_init();
  CHECK_EQ(0, uv_timer_init(&fake.loop, &a));
  CHECK_EQ(0, uv_timer_init(&fake.loop, &b));
  CHECK_EQ(0, uv_timer_init(&fake.loop, &c));
}

static void teardown(void) {
  uv_close((uv_handle_t*) &a, NULL);
  uv_close((uv_handle_t*) &b, NULL);
  uv_close((uv_handle_t*) &c, NULL);
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_DEFAULT));
  fake_close();
}

/* The backend's timeout is meaningful only then. */
static void had_a_round(void) {
  uv_run(&fake.loop, UV_RUN_NOWAIT);
}

/* Moves the clock and lets the loop see it. */
static void run_at(uint64_t ns_after_start) {
  fake.now_ns = FAKE_START_NS + ns_after_start;
  uv_run(&fake.loop, UV_RUN_NOWAIT);
}

/* Milliseconds are counted in nanoseconds from the loop's time at the start,
 * not from the start of a rounded millisecond. */
UNIT_TEST(timer_never_early) {
  setup();
  CHECK_EQ(0, uv_timer_start(&a, note_timer, 5, 0));
  CHECK_EQ(5, uv_timer_get_due_in(&a));
  run_at(5 * FAKE_MS - 1);
  fake_check_trace("");
  CHECK_EQ(1, uv_timer_get_due_in(&a));
  run_at(5 * FAKE_MS);
  fake_check_trace("a");
  CHECK_EQ(0, uv_is_active((uv_handle_t*) &a));
  teardown();
}

UNIT_TEST(timer_zero_is_due_at_once) {
  setup();
  CHECK_EQ(0, uv_timer_start(&a, note_timer, 0, 0));
  CHECK_EQ(0, uv_timer_get_due_in(&a));
  CHECK_EQ(0, uv_backend_timeout(&fake.loop));
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_NOWAIT));
  fake_check_trace("a");
  teardown();
}

UNIT_TEST(timer_equal_deadlines_in_start_order) {
  setup();
  uv_timer_start(&c, note_timer, 3, 0);
  uv_timer_start(&a, note_timer, 3, 0);
  uv_timer_start(&b, note_timer, 3, 0);
  run_at(3 * FAKE_MS);
  fake_check_trace("cab");

  /* A restart counts as a start, even with the same deadline. */
  uv_update_time(&fake.loop);
  uv_timer_start(&a, note_timer, 3, 0);
  uv_timer_start(&b, note_timer, 3, 0);
  uv_timer_start(&a, note_timer, 3, 0);
  run_at(6 * FAKE_MS);
  fake_check_trace("ba");
  teardown();
}

UNIT_TEST(timer_restart_for_earlier_and_later) {
  setup();
  uv_timer_start(&a, note_timer, 10, 0);
  had_a_round();
  uv_timer_start(&b, note_timer, 20, 0);
  uv_timer_start(&c, note_timer, 30, 0);
  uv_timer_start(&a, note_timer, 40, 0);
  CHECK_EQ(20, uv_backend_timeout(&fake.loop));
  uv_timer_start(&c, note_timer, 5, 0);
  CHECK_EQ(5, uv_backend_timeout(&fake.loop));
  uv_timer_start(&c, note_timer, 25, 0);
  CHECK_EQ(20, uv_backend_timeout(&fake.loop));
  run_at(100 * FAKE_MS);
  fake_check_trace("bca");
  teardown();
}

UNIT_TEST(timer_huge_timeouts) {
  setup();
  CHECK_EQ(0, uv_timer_start(&a, note_timer, UINT64_MAX, 0));
  had_a_round();
  CHECK_EQ(0, uv_timer_start(&b, note_timer, UINT64_MAX - 1, UINT64_MAX));
  CHECK_EQ(0, uv_timer_start(&c, note_timer, 1, 0));
  CHECK_EQ(1, uv_backend_timeout(&fake.loop));
  CHECK(uv_timer_get_repeat(&b) == UINT64_MAX);
  run_at(FAKE_MS);
  fake_check_trace("c");
  /* As long as a poller can wait, and not indefinitely. */
  CHECK_EQ(INT_MAX, uv_backend_timeout(&fake.loop));
  run_at(UINT64_C(1) << 60);
  fake_check_trace("");
  CHECK(uv_timer_get_due_in(&a) > 0);
  teardown();
}

/* Longer than one wait can be: waits again for the rest. */
UNIT_TEST(timer_longer_than_a_wait) {
  setup();
  uint64_t long_ms = (uint64_t) INT_MAX + 5;
  uv_timer_start(&a, note_timer, long_ms, 0);
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_ONCE));
  fake_check_trace("a");
  FAKE_CHECK_WAITS(INT_MAX, 5);
  CHECK(fake.now_ns == FAKE_START_NS + long_ms * FAKE_MS);
  teardown();
}

/* Re-armed before the callback, relative to the loop's time. */
static void repeat_cb(uv_timer_t* timer) {
  fake_note('r');
  CHECK_EQ(1, uv_is_active((uv_handle_t*) timer));
  CHECK_EQ(10, uv_timer_get_due_in(timer));
}

UNIT_TEST(timer_repeat) {
  setup();
  uv_timer_start(&a, repeat_cb, 4, 10);
  run_at(4 * FAKE_MS);
  fake_check_trace("r");
  run_at(14 * FAKE_MS - 1);
  fake_check_trace("");
  /* Late by two and a half periods: one call, and the next counts from now. */
  run_at(39 * FAKE_MS);
  fake_check_trace("r");
  run_at(49 * FAKE_MS - 1);
  fake_check_trace("");
  run_at(49 * FAKE_MS);
  fake_check_trace("r");
  teardown();
}

static void set_repeat_cb(uv_timer_t* timer) {
  fake_note('s');
  uv_timer_set_repeat(timer, 3);
}

/* A repeat set in the callback of a timer without one takes effect at again();
 * of a repeating one, after the current period. */
UNIT_TEST(timer_set_repeat) {
  setup();
  uv_timer_start(&a, set_repeat_cb, 1, 20);
  uv_timer_start(&b, set_repeat_cb, 1, 0);
  run_at(FAKE_MS);
  fake_check_trace("ss");
  CHECK_EQ(20, uv_timer_get_due_in(&a));
  CHECK_EQ(0, uv_is_active((uv_handle_t*) &b));
  CHECK_EQ(0, uv_timer_again(&b));
  CHECK_EQ(3, uv_timer_get_due_in(&b));
  run_at(21 * FAKE_MS);
  CHECK_EQ(3, uv_timer_get_due_in(&a));
  teardown();
}

UNIT_TEST(timer_again) {
  setup();
  CHECK_EQ(UV_EINVAL, uv_timer_again(&a)); /* never started */

  uv_timer_start(&a, note_timer, 5, 0);
  CHECK_EQ(0, uv_timer_again(&a)); /* no repeat: nothing happens */
  CHECK_EQ(5, uv_timer_get_due_in(&a));

  uv_timer_start(&b, note_timer, 5, 8);
  CHECK_EQ(0, uv_timer_again(&b));
  CHECK_EQ(8, uv_timer_get_due_in(&b));
  uv_timer_stop(&b);
  CHECK_EQ(0, uv_timer_again(&b)); /* also restarts a stopped one */
  CHECK_EQ(1, uv_is_active((uv_handle_t*) &b));
  run_at(8 * FAKE_MS);
  fake_check_trace("ab");
  teardown();
}

UNIT_TEST(timer_bad_arguments) {
  setup();
  CHECK_EQ(UV_EINVAL, uv_timer_start(&a, NULL, 1, 0));
  CHECK_EQ(0, uv_is_active((uv_handle_t*) &a));
  CHECK_EQ(0, uv_timer_stop(&a));
  CHECK_EQ(0, uv_timer_get_due_in(&a));
  uv_close((uv_handle_t*) &a, NULL);
  CHECK_EQ(UV_EINVAL, uv_timer_start(&a, note_timer, 1, 0));
  uv_run(&fake.loop, UV_RUN_DEFAULT);
  uv_timer_init(&fake.loop, &a);
  teardown();
}

static void stop_others_cb(uv_timer_t* timer) {
  note_timer(timer);
  uv_timer_stop(&a);
  uv_timer_stop(&b);
  uv_timer_stop(&c);
}

static void close_others_cb(uv_timer_t* timer) {
  note_timer(timer);
  uv_close((uv_handle_t*) &b, NULL);
  uv_close((uv_handle_t*) &c, NULL);
}

/* A due timer that an earlier callback of the round stops or closes does not
 * run (libuv 1.48 once had that wrong). */
UNIT_TEST(timer_stop_and_close_in_callback) {
  setup();
  uv_timer_start(&a, stop_others_cb, 1, 1);
  uv_timer_start(&b, note_timer, 1, 0);
  uv_timer_start(&c, note_timer, 1, 1);
  run_at(FAKE_MS);
  fake_check_trace("a");
  CHECK_EQ(0, uv_loop_alive(&fake.loop));

  uv_timer_start(&a, close_others_cb, 1, 0);
  uv_timer_start(&b, note_timer, 1, 0);
  uv_timer_start(&c, note_timer, 1, 1);
  run_at(3 * FAKE_MS);
  fake_check_trace("a");
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_DEFAULT));
  uv_timer_init(&fake.loop, &b);
  uv_timer_init(&fake.loop, &c);
  teardown();
}

static void rearm_cb(uv_timer_t* timer) {
  note_timer(timer);
  CHECK_EQ(0, uv_timer_start(timer, rearm_cb, 0, 0));
}

/* A 0 ms timer started by a timer's callback runs in the next iteration, even
 * if the callback updates the loop's time. */
UNIT_TEST(timer_rearmed_in_callback_waits_a_round) {
  setup();
  uv_timer_start(&a, rearm_cb, 0, 0);
  uv_timer_start(&b, rearm_cb, 0, 0);
  run_at(0);
  fake_check_trace("ab");
  run_at(0);
  fake_check_trace("ab");
  teardown();
}

static void start_b_cb(uv_timer_t* timer) {
  note_timer(timer);
  fake.now_ns += 50 * FAKE_MS;
  uv_update_time(&fake.loop);
  uv_timer_start(&b, note_timer, 0, 0);
}

UNIT_TEST(timer_update_time_in_callback) {
  setup();
  uv_timer_start(&a, start_b_cb, 1, 0);
  uv_timer_start(&c, note_timer, 2, 0); /* due by then, but not when it began */
  run_at(FAKE_MS);
  fake_check_trace("a");
  run_at(51 * FAKE_MS);
  fake_check_trace("cb");
  teardown();
}

static void pull_in_b_cb(uv_timer_t* timer) {
  note_timer(timer);
  uv_timer_start(&b, note_timer, 0, 0);
}

/* Due in this round and restarted in it: one round later. */
UNIT_TEST(timer_due_and_restarted_waits_a_round) {
  setup();
  uv_timer_start(&a, pull_in_b_cb, 1, 0);
  uv_timer_start(&b, note_timer, 1, 0);
  uv_timer_start(&c, note_timer, 1, 0);
  run_at(2 * FAKE_MS);
  fake_check_trace("ac");
  run_at(2 * FAKE_MS);
  fake_check_trace("b");
  teardown();
}

/* Started with the cached time, whatever the clock says. */
UNIT_TEST(timer_start_uses_loop_time) {
  setup();
  fake.now_ns += 30 * FAKE_MS;
  uv_timer_start(&a, note_timer, 20, 0);
  CHECK_EQ(20, uv_timer_get_due_in(&a));
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_NOWAIT));
  fake_check_trace("a");
  teardown();
}

#define CROWD 700

static uv_timer_t crowd[CROWD];
static struct {
  uint64_t due_ms;
  int order; /* of the last start */
} crowd_starts[CROWD];
static int crowd_order;
static int crowd_fired;
static int crowd_last;

static void note_crowd(uv_timer_t* timer) {
  int i = (int) (timer - crowd);

  CHECK(crowd_starts[i].due_ms * FAKE_MS <= fake.now_ns - FAKE_START_NS);
  if (crowd_last >= 0)
    CHECK(crowd_starts[crowd_last].due_ms < crowd_starts[i].due_ms ||
          (crowd_starts[crowd_last].due_ms == crowd_starts[i].due_ms &&
           crowd_starts[crowd_last].order < crowd_starts[i].order));
  crowd_last = i;
  crowd_fired++;
}

static void crowd_start(int i, uint64_t due_ms) {
  crowd_starts[i].due_ms = due_ms;
  crowd_starts[i].order = crowd_order++;
  CHECK_EQ(0, uv_timer_start(&crowd[i], note_crowd, due_ms, 0));
}

/* How many are due at a time. */
static int crowd_due(uint64_t at_ms) {
  int due = 0;

  for (int i = 0; i < CROWD; i++)
    due += crowd_starts[i].due_ms <= at_ms;
  return due;
}

/* Many timers that are due in one round fire in order, and leave a sound heap:
 * some of `spread` distinct deadlines, some restarted for later. */
static void check_crowd(unsigned spread) {
  uint32_t seed = spread;

  fake_init();
  crowd_order = 0;
  crowd_fired = 0;
  crowd_last = -1;
  for (int i = 0; i < CROWD; i++)
    CHECK_EQ(0, uv_timer_init(&fake.loop, &crowd[i]));
  for (int i = 0; i < CROWD + CROWD / 2; i++) {
    seed = seed * 1664525 + 1013904223;
    crowd_start(i % CROWD,
                (seed >> 10) % spread + (i < CROWD ? 0 : spread / 3));
  }
  for (uint64_t at_ms = spread / 2; at_ms <= 2 * spread; at_ms += spread / 2) {
    run_at(at_ms * FAKE_MS);
    CHECK_EQ(crowd_due(at_ms), crowd_fired);
    CHECK(uv__timer_heap_is_sound(&fake.loop));
    CHECK_EQ(CROWD - crowd_fired, uv__loop_state(&fake.loop)->timers.count);
  }
  CHECK_EQ(CROWD, crowd_fired);
  for (int i = 0; i < CROWD; i++)
    uv_close((uv_handle_t*) &crowd[i], NULL);
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_DEFAULT));
  fake_close();
}

UNIT_TEST(timer_many_due_in_one_round) {
  check_crowd(2);
  check_crowd(8);
  check_crowd(5000);
}
