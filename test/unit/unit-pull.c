/* SPDX-License-Identifier: MIT */
/* The pull loop on the fake poller: process waits and runs nothing; dispatch
 * runs what is ready and defers what is queued meanwhile. */
#include "phase-handles.h"

#include "uv/ext.h"

static void setup(void) {
  phase_handles_init();
  CHECK_EQ(0, uv_async_init(&fake.loop, &async, async_cb));
  fake_source_start(ready_cb);
}

UNIT_TEST(pull_process_runs_nothing) {
  setup();
  uv_idle_start(&idle, idle_cb);
  uv_prepare_start(&prepare, prepare_cb);
  uv_check_start(&check, check_cb);
  uv_timer_start(&timer, timer_cb, 0, 0);
  fake_ready();
  CHECK_EQ(1, uvx_backend_process(&fake.loop, -1));
  fake_check_trace("");
  FAKE_CHECK_WAITS(0); /* the loop has work to do, whatever was requested */
  CHECK(uvx_backend_dispatch(&fake.loop) != 0);
  fake_check_trace("fctip");
  fake_close_all();
}

/* Not past the next timer, even if the caller would wait longer. */
UNIT_TEST(pull_process_is_in_time_for_timers) {
  setup();
  uv_timer_start(&timer, timer_cb, 8, 0);
  CHECK_EQ(0, uvx_backend_process(&fake.loop, -1));
  FAKE_CHECK_WAITS(8);
  uvx_backend_dispatch(&fake.loop);
  fake_check_trace("t");
  fake_ready();
  CHECK_EQ(1, uvx_backend_process(&fake.loop, -1));
  FAKE_CHECK_WAITS(-1);
  uvx_backend_dispatch(&fake.loop);
  fake_check_trace("f");
  fake_close_all();
}

static void stop_cb(void) {
  ready_cb();
  uv_stop(&fake.loop);
}

/* uv_stop() ends the caller's loop once, as it ends uv_run(). */
UNIT_TEST(pull_stop) {
  setup();
  fake_source_start(stop_cb);
  fake_ready();
  uvx_backend_process(&fake.loop, -1);
  CHECK_EQ(0, uvx_backend_dispatch(&fake.loop));
  fake_check_trace("f");
  CHECK_EQ(-1, uv_backend_timeout(&fake.loop));
  fake_pass(0);
  CHECK_EQ(0, uvx_backend_process(&fake.loop, 0));
  CHECK(uvx_backend_dispatch(&fake.loop) != 0);
  fake_close_all();
}

/* The caller's timeout follows the same rules as the loop's own. */
UNIT_TEST(pull_process_timeout) {
  setup();
  fake_pass(0);
  CHECK_EQ(0, uvx_backend_process(&fake.loop, 0));
  FAKE_CHECK_WAITS(0);

  uint64_t start = fake.now_ns;
  fake_pass(7 * FAKE_MS);
  fake_pass(FAKE_MS / 2);
  CHECK_EQ(0, uvx_backend_process(&fake.loop, 20));
  FAKE_CHECK_WAITS(20, 13, 13);
  CHECK(fake.now_ns >= start + 20 * FAKE_MS);
  CHECK(fake.now_ns < start + 21 * FAKE_MS);

  uv_timer_start(&timer, timer_cb, 5, 0);
  if (TEST_POSIX)
    CHECK_EQ(0, uv_backend_timeout(&fake.loop)); /* nothing dispatched yet */
  uvx_backend_dispatch(&fake.loop);
  CHECK_EQ(5, uv_backend_timeout(&fake.loop));
  CHECK_EQ(0, uvx_backend_process(&fake.loop, uv_backend_timeout(&fake.loop)));
  uvx_backend_dispatch(&fake.loop);
  fake_check_trace("t");
  CHECK_EQ(-1, uv_backend_timeout(&fake.loop));
  fake_close_all();
}

UNIT_TEST(pull_process_error) {
  setup();
  fake_error(UV_EIO);
  CHECK_EQ(UV_EIO, uvx_backend_process(&fake.loop, -1));
  uvx_backend_dispatch(&fake.loop);
  fake_check_trace("");
  fake_ready();
  CHECK_EQ(1, uvx_backend_process(&fake.loop, -1));
  uvx_backend_dispatch(&fake.loop);
  fake_check_trace("f");
  fake_close_all();
}

/* An edge-triggered poller reports a wake-up once: a second process before the
 * dispatch must not lose it. */
UNIT_TEST(pull_process_twice_keeps_events) {
  setup();
  uv_async_send(&async);
  fake_wake();
  CHECK_EQ(1, uvx_backend_process(&fake.loop, -1));
  CHECK(uvx_backend_process(&fake.loop, 0) >= 1);
  uvx_backend_dispatch(&fake.loop);
  fake_check_trace("a");
  fake_close_all();
}

/* Also if uv_run() continues where process stopped. */
UNIT_TEST(pull_process_then_run) {
  setup();
  uv_async_send(&async);
  fake_wake();
  CHECK_EQ(1, uvx_backend_process(&fake.loop, -1));
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_ONCE));
  fake_check_trace("a");
  fake_close_all();
}

static void start_more_cb(void) {
  ready_cb();
  uv_async_send(&async);
  uv_timer_start(&timer, timer_cb, 1, 0);
  uv_close((uv_handle_t*) &idle, close_cb);
}

/* What callbacks queue is for later: the async send for the next wait. Closing
 * is completed in this round, as in uv_run(). */
UNIT_TEST(pull_dispatch_defers) {
  setup();
  fake_source_start(start_more_cb);
  fake_ready();
  uvx_backend_process(&fake.loop, -1);
  CHECK(uvx_backend_dispatch(&fake.loop) != 0);
  fake_check_trace("fx");
  CHECK_EQ(1, uv_backend_timeout(&fake.loop));

  fake_wake();
  CHECK_EQ(1, uvx_backend_process(&fake.loop, 1));
  uvx_backend_dispatch(&fake.loop);
  fake_check_trace("a");
  uvx_backend_process(&fake.loop, 1);
  uvx_backend_dispatch(&fake.loop);
  fake_check_trace("t");
  uv_idle_init(&fake.loop, &idle);
  fake_close_all();
}

static void close_in_timer_cb(uv_timer_t* h) {
  fake_note('t');
  uv_close((uv_handle_t*) h, close_cb);
}

/* Closed by what runs after the close phase: due at once, in the next round. */
UNIT_TEST(pull_close_in_timer_is_next_round) {
  setup();
  uv_timer_start(&timer, close_in_timer_cb, 0, 0);
  fake_pass(0);
  uvx_backend_process(&fake.loop, 0);
  uvx_backend_dispatch(&fake.loop);
  fake_check_trace("t");
  CHECK_EQ(0, uv_backend_timeout(&fake.loop));
  fake_pass(0);
  uvx_backend_process(&fake.loop, 0);
  uvx_backend_dispatch(&fake.loop);
  fake_check_trace("x");
  uv_timer_init(&fake.loop, &timer);
  fake_close_all();
}

UNIT_TEST(pull_dispatch_alive) {
  setup();
  uv_close((uv_handle_t*) &async, NULL);
  fake_source_stop();
  uv_timer_start(&timer, timer_cb, 3, 0);
  CHECK_EQ(0, uv_backend_timeout(&fake.loop));
  int rounds = 0;
  do {
    CHECK_EQ(0,
             uvx_backend_process(&fake.loop, uv_backend_timeout(&fake.loop)));
    rounds++;
    CHECK(rounds < 10);
  } while (uvx_backend_dispatch(&fake.loop) != 0);
  fake_check_trace("t");
  CHECK_EQ(0, uv_loop_alive(&fake.loop));
  CHECK(fake.now_ns == FAKE_START_NS + 3 * FAKE_MS);
  fake_close_all();
}

/* uv_run() and the pair see the same sequence of phases. */
static int rounds_left;

static void stop_all_cb(uv_check_t* h) {
  fake_note('c');
  if (--rounds_left != 0)
    return;
  uv_check_stop(h);
  uv_prepare_stop(&prepare);
  uv_idle_stop(&idle);
}

UNIT_TEST(pull_same_order_as_run) {
  setup();
  fake_source_stop();
  uv_unref((uv_handle_t*) &async);
  for (int pull = 0; pull < 2; pull++) {
    rounds_left = 3;
    uv_idle_start(&idle, idle_cb);
    uv_prepare_start(&prepare, prepare_cb);
    uv_check_start(&check, stop_all_cb);
    if (pull) {
      do
        uvx_backend_process(&fake.loop, uv_backend_timeout(&fake.loop));
      while (uvx_backend_dispatch(&fake.loop) != 0);
    } else {
      uv_run(&fake.loop, UV_RUN_DEFAULT);
    }
    fake_check_trace(pull ? "cipcipc" : "ipcipcipc");
  }
  fake_close_all();
}
