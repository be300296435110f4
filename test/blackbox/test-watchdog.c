/* SPDX-License-Identifier: MIT */
/* uvx_watchdog_start(): one report while a callback blocks, one when it has
 * ended, none for the others. */
#include "test.h"
#include "uv/ext.h"

#define LIMIT_MS 20

static uv_sem_t began;
static uv_sem_t ended;
static int begins;
static int ends;
static uint64_t last_ms;
static int is_as_expected;
static int ticks;

static void on_report(const uvx_watchdog_report_t* r, void* arg) {
  is_as_expected = r->size == sizeof(*r) && r->loop == arg &&
                   r->symbol[0] != '\0' && strcmp(r->type, "timer") == 0 &&
                   strcmp(r->call, "timer") == 0 && r->handle != NULL &&
                   r->callback != NULL && strcmp(r->phase, "timers") == 0;
  last_ms = r->ms;
  if (r->is_over) {
    ends++;
    uv_sem_post(&ended);
  } else {
    begins++;
    uv_sem_post(&began);
  }
}

/* The fifth one waits until it is reported. */
static void on_tick(uv_timer_t* timer) {
  if (++ticks == 5)
    uv_sem_wait(&began);
  if (ticks == 10)
    uv_close((uv_handle_t*) timer, NULL);
}

TEST_IMPL(watchdog_reports_a_blocked_loop_once) {
  uv_loop_t loop;
  uv_timer_t timer;
  uvx_watchdog_options_t options = { sizeof(options), LIMIT_MS, on_report,
                                     &loop, 0 };

  ASSERT_OK(uv_sem_init(&began, 0));
  ASSERT_OK(uv_sem_init(&ended, 0));
  ASSERT_OK(uvx_watchdog_start(&options));
  ASSERT_ERR(UV_EBUSY, uvx_watchdog_start(&options));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, on_tick, 1, 1));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  uv_sem_wait(&ended);
  ASSERT_OK(uvx_watchdog_stop());
  ASSERT_ERR(UV_ESRCH, uvx_watchdog_stop());
  /* A busy machine may make another callback late as well. */
  ASSERT_GE(begins, 1);
  ASSERT_GE(ends, 1);
  ASSERT_LE(begins, 10);
  ASSERT(is_as_expected);
  ASSERT_GE(last_ms, LIMIT_MS);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

TEST_IMPL(watchdog_refuses_what_it_cannot_do) {
  uvx_watchdog_options_t no_limit = { sizeof(no_limit), 0, NULL, NULL, 0 };
  uvx_watchdog_options_t too_short = {
    offsetof(uvx_watchdog_options_t, signum) - 1, 1, NULL, NULL, 0
  };
  uvx_watchdog_options_t bad_signal = { sizeof(bad_signal), 1, NULL, NULL, -1 };
  uv_loop_t loop;

  ASSERT_ERR(UV_EINVAL, uvx_watchdog_start(NULL));
  ASSERT_ERR(UV_EINVAL, uvx_watchdog_start(&no_limit));
  ASSERT_ERR(UV_EINVAL, uvx_watchdog_start(&too_short));
  ASSERT_ERR(UV_EINVAL, uvx_watchdog_start(&bad_signal));
  ASSERT_ERR(UV_ESRCH, uvx_watchdog_stop());
  ASSERT_OK(uv_os_setenv("UV_WATCHDOG", "soon"));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_ERR(UV_ESRCH, uvx_watchdog_stop());
  return 0;
}

/* A program that was compiled before there was a signal. */
TEST_IMPL(watchdog_takes_options_of_an_older_header) {
  uvx_watchdog_options_t options = { offsetof(uvx_watchdog_options_t, signum),
                                     60000, NULL, NULL, -1 };

  ASSERT_OK(uvx_watchdog_start(&options));
  ASSERT_OK(uvx_watchdog_stop());
  return 0;
}

/* Waiting for events is no callback. */
TEST_IMPL(watchdog_leaves_idle_loops_alone) {
  uv_loop_t loop;
  uv_timer_t timer;
  uvx_watchdog_options_t options = { sizeof(options), LIMIT_MS * 5, on_report,
                                     &loop, 0 };

  ASSERT_OK(uvx_watchdog_start(&options));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ticks = 9;
  ASSERT_OK(uv_timer_start(&timer, on_tick, LIMIT_MS * 15, 0));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uvx_watchdog_stop());
  ASSERT_EQ(0, begins);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}
