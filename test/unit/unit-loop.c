/* SPDX-License-Identifier: MIT */
/* loop/run.c and loop/poll.c on the fake poller: the order of phases, what
 * uv_run returns, when and how long the loop sleeps. */
#include "phase-handles.h"

#include <limits.h>
#include <string.h>

static void start_watchers(void) {
  uv_prepare_start(&prepare, prepare_cb);
  uv_check_start(&check, check_cb);
}

static void stop_watchers(void) {
  uv_prepare_stop(&prepare);
  uv_check_stop(&check);
}

UNIT_TEST(loop_phase_order) {
  phase_handles_init();
  start_watchers();
  uv_idle_start(&idle, idle_cb);
  fake_source_start(ready_cb);
  uv_timer_start(&timer, timer_cb, 0, 1);
  uv_async_t closing;
  uv_async_init(&fake.loop, &closing, NULL);
  uv_close((uv_handle_t*) &closing, close_cb);

  fake_ready();
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_NOWAIT));
  fake_check_trace("ipfcxt");

  fake_ready();
  fake_pass(FAKE_MS);
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_NOWAIT));
  fake_check_trace("ipfc");
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_NOWAIT));
  fake_check_trace("ipct");
  fake_close_all();
}

/* Stops everything after this many rounds. */
static int rounds_left;

static void counting_check_cb(uv_check_t* h) {
  fake_note('c');
  if (--rounds_left > 0)
    return;
  uv_check_stop(h);
  uv_prepare_stop(&prepare);
  uv_idle_stop(&idle);
  uv_timer_stop(&timer);
}

/* DEFAULT runs due timers once before the first iteration; the others do not.
 */
UNIT_TEST(loop_timers_before_first_round) {
  phase_handles_init();
  uv_prepare_start(&prepare, prepare_cb);
  uv_check_start(&check, counting_check_cb);
  uv_idle_start(&idle, idle_cb);
  uv_timer_start(&timer, timer_cb, 0, 0);
  rounds_left = 3;
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_DEFAULT));
  fake_check_trace("tipcipcipc");
  FAKE_CHECK_WAITS(0, 0, 0);

  uv_check_start(&check, check_cb);
  uv_timer_start(&timer, timer_cb, 0, 0);
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_ONCE));
  fake_check_trace("ct");
  uv_timer_start(&timer, timer_cb, 0, 0);
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_NOWAIT));
  fake_check_trace("ct");
  fake_close_all();
}

/* Not alive: no phase runs, in any mode. */
UNIT_TEST(loop_run_not_alive) {
  phase_handles_init();
  start_watchers();
  uv_unref((uv_handle_t*) &prepare);
  uv_unref((uv_handle_t*) &check);
  uv_timer_start(&timer, timer_cb, 0, 0);
  uv_unref((uv_handle_t*) &timer);
  CHECK_EQ(0, uv_loop_alive(&fake.loop));
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_DEFAULT));
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_ONCE));
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_NOWAIT));
  fake_check_trace("");
  CHECK_EQ(0, fake.nwaits);
  fake_close_all();
}

UNIT_TEST(loop_return_values) {
  phase_handles_init();
  /* ONCE with only a timer: sleeps to the deadline, runs it, nothing is left.
   */
  uv_timer_start(&timer, timer_cb, 7, 0);
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_ONCE));
  fake_check_trace("t");
  FAKE_CHECK_WAITS(7);
  CHECK(fake.now_ns == FAKE_START_NS + 7 * FAKE_MS);

  uv_timer_start(&timer, timer_cb, 7, 7);
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_ONCE));
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_NOWAIT));
  fake_check_trace("t");
  uv_timer_stop(&timer);
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_NOWAIT));

  /* DEFAULT returns when nothing is left. */
  uv_timer_start(&timer, timer_cb, 7, 0);
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_DEFAULT));
  fake_check_trace("t");
  fake_close_all();
}

UNIT_TEST(loop_sleeps_exactly_when_it_may) {
  phase_handles_init();
  fake_source_start(ready_cb);
  fake_ready();
  uv_run(&fake.loop, UV_RUN_ONCE);
  FAKE_CHECK_WAITS(-1); /* only the source: no timeout */

  uv_timer_start(&timer, timer_cb, 12, 0);
  fake_ready();
  uv_run(&fake.loop, UV_RUN_ONCE);
  FAKE_CHECK_WAITS(12);

  fake_ready();
  uv_run(&fake.loop, UV_RUN_NOWAIT);
  FAKE_CHECK_WAITS(0);

  uv_idle_start(&idle, idle_cb);
  CHECK_EQ(0, uv_backend_timeout(&fake.loop));
  fake_ready();
  uv_run(&fake.loop, UV_RUN_ONCE);
  FAKE_CHECK_WAITS(0);
  uv_idle_stop(&idle);

  uv_close((uv_handle_t*) &idle, close_cb);
  CHECK_EQ(0, uv_backend_timeout(&fake.loop));
  fake_ready();
  uv_run(&fake.loop, UV_RUN_ONCE);
  FAKE_CHECK_WAITS(0);
  uv_idle_init(&fake.loop, &idle);
  fake_close_all();
}

static void stop_idle_cb(uv_idle_t* h) {
  fake_note('i');
  uv_idle_stop(h);
}

/* What an iteration had to do counts as progress: no sleep after it. In DEFAULT
 * mode another iteration would follow, so it may sleep. */
UNIT_TEST(loop_once_does_not_sleep_after_idle_stopped_itself) {
  phase_handles_init();
  uv_timer_start(&timer, timer_cb, 10, 0);
  uv_idle_start(&idle, stop_idle_cb);
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_ONCE));
  FAKE_CHECK_WAITS(0);
  fake_check_trace("i");
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_ONCE));
  FAKE_CHECK_WAITS(10);
  fake_check_trace("t");

  uv_timer_start(&timer, timer_cb, 10, 0);
  uv_idle_start(&idle, stop_idle_cb);
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_DEFAULT));
  FAKE_CHECK_WAITS(10);
  fake_close_all();
}

static void start_timer_prepare_cb(uv_prepare_t* h) {
  uv_prepare_stop(h);
  uv_timer_start(&timer, timer_cb, 3, 0);
}

/* The timeout is computed after prepare. */
UNIT_TEST(loop_prepare_changes_the_timeout) {
  phase_handles_init();
  uv_prepare_start(&prepare, start_timer_prepare_cb);
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_DEFAULT));
  FAKE_CHECK_WAITS(3);
  fake_check_trace("t");
  fake_close_all();
}

static void stop_loop_prepare_cb(uv_prepare_t* h) {
  (void) h;
  fake_note('p');
  uv_stop(&fake.loop);
}

/* The iteration that stops is completed, without sleeping. */
UNIT_TEST(loop_stop_in_prepare) {
  phase_handles_init();
  start_watchers();
  uv_prepare_stop(&prepare);
  uv_prepare_start(&prepare, stop_loop_prepare_cb);
  uv_timer_start(&timer, timer_cb, 50, 0);
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_DEFAULT));
  fake_check_trace("pc");
  FAKE_CHECK_WAITS(0);
  fake_close_all();
}

UNIT_TEST(loop_stop_before_run) {
  static const uv_run_mode modes[] = { UV_RUN_DEFAULT, UV_RUN_ONCE,
                                       UV_RUN_NOWAIT };
  phase_handles_init();
  start_watchers();
  uv_timer_start(&timer, timer_cb, 0, 1);
  for (int i = 0; i < 3; i++) {
    uv_stop(&fake.loop);
    CHECK_EQ(1, uv_run(&fake.loop, modes[i]));
    fake_check_trace("");
    CHECK_EQ(0, fake.nwaits);
  }
  /* The flag is cleared. */
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_NOWAIT));
  fake_check_trace("pct");

  stop_watchers();
  uv_timer_stop(&timer);
  uv_stop(&fake.loop);
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_DEFAULT));
  uv_timer_start(&timer, timer_cb, 0, 0);
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_DEFAULT));
  fake_check_trace("t");
  fake_close_all();
}

static void stop_timer_cb(uv_timer_t* h) {
  (void) h;
  fake_note('t');
  uv_stop(&fake.loop);
}

/* Stopped by a timer before the first iteration: there is none. */
UNIT_TEST(loop_stop_in_first_timer) {
  phase_handles_init();
  start_watchers();
  uv_timer_start(&timer, stop_timer_cb, 0, 0);
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_DEFAULT));
  fake_check_trace("t");
  CHECK_EQ(0, fake.nwaits);
  fake_close_all();
}

/* A wait that ends early continues for the rest: no time is lost or counted
 * twice, and no callback runs early. */
UNIT_TEST(loop_early_returns_lose_no_time) {
  static const uv_run_mode modes[] = { UV_RUN_ONCE, UV_RUN_DEFAULT };
  phase_handles_init();
  for (int i = 0; i < 2; i++) {
    uint64_t start = fake.now_ns;
    uv_update_time(&fake.loop);
    uv_timer_start(&timer, timer_cb, 100, 0);
    fake_pass(10 * FAKE_MS);
    fake_pass(0);
    fake_pass(29 * FAKE_MS + 1);
    fake_pass(60 * FAKE_MS);
    CHECK_EQ(0, uv_run(&fake.loop, modes[i]));
    FAKE_CHECK_WAITS(100, 90, 90, 61, 1);
    fake_check_trace("t");
    /* The last wait was a whole millisecond: rounded up, never down. */
    CHECK(fake.now_ns == start + 100 * FAKE_MS + 1);
  }
  fake_close_all();
}

/* Constant signals and a poller that returns at once: still on time. */
static int storm_wait(struct fake* f, struct uv__event* out, int max, int ms) {
  (void) out;
  (void) max;
  CHECK(ms > 0);
  f->nwaits = 0;
  f->now_ns += 250000;
  return 0;
}

UNIT_TEST(loop_once_survives_a_storm) {
  phase_handles_init();
  fake.on_wait = storm_wait;
  uv_timer_start(&timer, timer_cb, 1000, 0);
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_ONCE));
  fake_check_trace("t");
  CHECK(fake.now_ns == FAKE_START_NS + 1000 * FAKE_MS);
  fake_close_all();
}

/* Later than requested: the clock decides, not the timeout. */
UNIT_TEST(loop_wait_that_oversleeps) {
  phase_handles_init();
  uv_timer_start(&timer, timer_cb, 5, 5);
  fake_pass(23 * FAKE_MS);
  uv_run(&fake.loop, UV_RUN_ONCE);
  fake_check_trace("t");
  FAKE_CHECK_WAITS(5);
  CHECK_EQ(5, uv_timer_get_due_in(&timer));
  CHECK_EQ(fake.now_ns / FAKE_MS, uv_now(&fake.loop));
  fake_close_all();
}

/* A failing wait ends the phase; the loop continues. */
UNIT_TEST(loop_wait_error) {
  phase_handles_init();
  start_watchers();
  uv_timer_start(&timer, timer_cb, 5, 0);
  fake_error(UV_EIO);
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_ONCE));
  fake_check_trace("pc");
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_ONCE));
  fake_check_trace("pct");
  fake_close_all();
}

static void fail_waits(int n, int err) {
  for (int i = 0; i < n; i++)
    fake_error(err);
}

/* A wait that failed for lack of memory is retried. */
UNIT_TEST(loop_wait_fails_for_a_moment) {
  phase_handles_init();
  start_watchers();
  uv_timer_start(&timer, timer_cb, 5, 0);
  uv_unref((uv_handle_t*) &prepare);
  uv_unref((uv_handle_t*) &check);
  fail_waits(4, UV_ENOMEM);
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_DEFAULT));
  fake_check_trace("pct"); /* in one iteration */
  FAKE_CHECK_WAITS(5, 5, 5, 5, 5);
  fake_close_all();
}

/* But not forever: a loop that cannot wait returns to its caller. */
UNIT_TEST(loop_wait_fails_for_good) {
  phase_handles_init();
  uv_timer_start(&timer, timer_cb, 5, 0);
  fail_waits(20, UV_ENOMEM);
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_DEFAULT));
  CHECK_EQ(11, fake.nwaits);
  fake_check_trace("");
  fake_close_all();
}

UNIT_TEST(loop_now_is_cached) {
  phase_handles_init();
  CHECK_EQ(FAKE_START_NS / FAKE_MS, uv_now(&fake.loop));
  fake.now_ns += 10 * FAKE_MS;
  CHECK_EQ(FAKE_START_NS / FAKE_MS, uv_now(&fake.loop));
  uv_update_time(&fake.loop);
  CHECK_EQ(FAKE_START_NS / FAKE_MS + 10, uv_now(&fake.loop));
  fake_close_all();
}

/* 0 while interest is not committed: an embedder must run the loop. A
 * completion port has none to commit. */
UNIT_TEST(loop_backend_timeout) {
  phase_handles_init();
  CHECK_EQ(0, uv_backend_timeout(&fake.loop)); /* nothing is alive */
  fake_source_start(ready_cb);
  CHECK_EQ(TEST_POSIX ? 0 : -1, uv_backend_timeout(&fake.loop));
  fake_pass(0);
  uv_run(&fake.loop, UV_RUN_NOWAIT);
  CHECK_EQ(-1, uv_backend_timeout(&fake.loop));
  uv_timer_start(&timer, timer_cb, 30, 0);
  CHECK_EQ(30, uv_backend_timeout(&fake.loop));
  uv_stop(&fake.loop);
  CHECK_EQ(0, uv_backend_timeout(&fake.loop));
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_NOWAIT)); /* clears the flag */
  fake_close_all();
}

UNIT_TEST(loop_async_on_wake) {
  phase_handles_init();
  uv_async_init(&fake.loop, &async, async_cb);
  for (int i = 0; i < 5; i++)
    CHECK_EQ(0, uv_async_send(&async));
  CHECK_EQ(1, fake.wakes);
  fake_wake();
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_ONCE));
  fake_check_trace("a");
  CHECK_EQ(0, uv_async_send(&async));
  CHECK_EQ(2, fake.wakes);
  fake_wake();
  uv_run(&fake.loop, UV_RUN_ONCE);
  fake_check_trace("a");
  fake_close_all();
}

/* Metrics: what was ready before the loop slept counts as waiting. */
UNIT_TEST(loop_metrics) {
  uv_metrics_t metrics;

  phase_handles_init();
  CHECK_EQ(0, uv_loop_configure(&fake.loop, UV_METRICS_IDLE_TIME));
  fake_source_start(ready_cb);
  fake_ready();
  uv_run(&fake.loop, UV_RUN_ONCE);
  FAKE_CHECK_WAITS(0);
  fake_pass(0);
  fake_ready();
  fake.steps[2].pass_ns = 9 * FAKE_MS;
  uv_run(&fake.loop, UV_RUN_ONCE);
  FAKE_CHECK_WAITS(0, -1);

  CHECK_EQ(0, uv_metrics_info(&fake.loop, &metrics));
  CHECK_EQ(2, metrics.loop_count);
  CHECK_EQ(2, metrics.events);
  CHECK_EQ(1, metrics.events_waiting);
  CHECK_EQ(9 * FAKE_MS, uv_metrics_idle_time(&fake.loop));
  fake_close_all();
}
