/* SPDX-License-Identifier: MIT */
/* A watchdog with a signal has the stack of the thread that blocks. */
#include "test.h"
#include "trace-file.h"
#include "uv/ext.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static uv_sem_t reported;
static int reports;
static char backtrace[8192];

static void on_report(const uvx_watchdog_report_t* r, void* arg) {
  (void) arg;
  if (r->is_over) {
    ASSERT_STR_EQ("", r->backtrace);
    return;
  }
  reports++;
  ASSERT_LT(strlen(r->backtrace), sizeof(backtrace));
  memcpy(backtrace, r->backtrace, strlen(r->backtrace) + 1);
  uv_sem_post(&reported);
}

static void wait_for_report(uv_timer_t* timer) {
  uv_sem_wait(&reported);
  uv_close((uv_handle_t*) timer, NULL);
}

static void spin_until_report(uv_timer_t* timer) {
  while (uv_sem_trywait(&reported) != 0)
    continue;
  uv_close((uv_handle_t*) timer, NULL);
}

static void run_blocked(uv_loop_t* loop, uv_timer_cb cb) {
  uv_timer_t timer;

  ASSERT_OK(uv_sem_init(&reported, 0));
  ASSERT_OK(uv_loop_init(loop));
  ASSERT_OK(uv_timer_init(loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, cb, 1, 0));
  ASSERT_OK(uv_run(loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, reports);
}

/* The callback, functions of the library, functions of this program. */
static void check_backtrace(void) {
  const char* name = strrchr(test_self(), '/') + 1;
  size_t lines = 0;

  for (const char* at = backtrace; *at != '\0'; at++)
    lines += *at == '\n';
  ASSERT_GE(lines, 4);
  ASSERT(strncmp(backtrace, "  #0  ", 6) == 0);
  const char* callback = strstr(backtrace, name);
  ASSERT_NOT_NULL(callback);
  ASSERT_NOT_NULL(strstr(callback + 1, name));
}

static void start_watchdog(void) {
  uvx_watchdog_options_t options = { sizeof(options), 20, on_report, NULL,
                                     SIGUSR2 };
  int err = uvx_watchdog_start(&options);

  if (err == UV_ENOSYS)
    SKIP("the C library has no backtrace()");
  if (test_on_valgrind())
    SKIP("valgrind delivers signals late");
  ASSERT_OK(err);
}

TEST_IMPL(watchdog_backtrace_of_a_sleeping_callback) {
  struct sigaction action;
  uv_loop_t loop;

  start_watchdog();
  run_blocked(&loop, wait_for_report);
  check_backtrace();
  ASSERT_OK(uvx_watchdog_stop());
  ASSERT_EQ(0, sigaction(SIGUSR2, NULL, &action));
  ASSERT(action.sa_handler == SIG_DFL);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

TEST_IMPL(watchdog_backtrace_of_a_busy_callback) {
  uv_loop_t loop;

  start_watchdog();
  run_blocked(&loop, spin_until_report);
  check_backtrace();
  ASSERT_OK(uvx_watchdog_stop());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* A thread that blocks the signal is reported all the same. */
TEST_IMPL(watchdog_backtrace_that_is_not_to_be_had) {
  uv_loop_t loop;
  sigset_t set;

  start_watchdog();
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  ASSERT_EQ(0, pthread_sigmask(SIG_BLOCK, &set, NULL));
  run_blocked(&loop, wait_for_report);
  ASSERT_STR_EQ("", backtrace);
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_OK(uvx_watchdog_stop());
  return 0;
}

static void ignore(int signum) {
  (void) signum;
}

TEST_IMPL(watchdog_signal_in_use_is_refused) {
  uvx_watchdog_options_t options = { sizeof(options), 20, on_report, NULL,
                                     SIGUSR2 };
  struct sigaction action;

  signal(SIGUSR2, ignore);
  int err = uvx_watchdog_start(&options);
  if (err == UV_ENOSYS)
    SKIP("the C library has no backtrace()");
  ASSERT_ERR(UV_EBUSY, err);
  ASSERT_EQ(0, sigaction(SIGUSR2, NULL, &action));
  ASSERT(action.sa_handler == ignore);
  return 0;
}

static char errors[8192];

static int has_backtrace(void) {
  FILE* file = fopen("errors", "rb");

  ASSERT_NOT_NULL(file);
  size_t n = fread(errors, 1, sizeof(errors) - 1, file);
  errors[n] = '\0';
  fclose(file);
  return strstr(errors, "  #0  ") != NULL;
}

static void block_until_printed(uv_timer_t* timer) {
  for (int i = 0; i < 2000 && !has_backtrace(); i++)
    uv_sleep(1);
  uv_close((uv_handle_t*) timer, NULL);
}

/* The environment asks for the watchdog and for its signal. */
TEST_IMPL(watchdog_signal_of_the_environment) {
  uv_loop_t loop;
  uv_timer_t timer;

  test_redirect_errors("errors");
  start_watchdog(); /* can it have a backtrace at all? */
  ASSERT_OK(uvx_watchdog_stop());
  ASSERT_OK(uv_os_setenv("UV_WATCHDOG", "20"));
  ASSERT_OK(uv_os_setenv("UV_WATCHDOG_SIGNAL", "USR2"));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, block_until_printed, 1, 0));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT(has_backtrace());
  return 0;
}

static void spin_for_many_limits(uv_timer_t* timer) {
  uint64_t end_ns = uv_hrtime() + UINT64_C(300000000);

  while (uv_hrtime() < end_ns)
    continue;
  uv_close((uv_handle_t*) timer, NULL);
}

/* While it blocks, a callback is sampled into the trace: many times, each with
 * a stack that has the program's functions in it. */
TEST_IMPL(watchdog_samples_go_into_the_trace) {
  uvx_trace_options_t tracing = { .size = sizeof(tracing),
                                  .path = "samples.json" };
  struct trace_file trace;
  uv_loop_t loop;

  ASSERT_OK(uvx_trace_start(&tracing));
  start_watchdog();
  run_blocked(&loop, spin_for_many_limits);
  ASSERT_OK(uvx_watchdog_stop());
  ASSERT_OK(uvx_trace_stop());
  ASSERT_OK(uv_loop_close(&loop));
  trace_file_read(&trace, "samples.json");
  ASSERT(trace.is_closed);
  ASSERT_GE(trace_file_count(&trace, "\"cat\":\"sample\"", "\"timers\""), 5);
  ASSERT_EQ(trace_file_count(&trace, "\"cat\":\"sample\"", NULL),
            trace_file_count(&trace, "\"cat\":\"sample\"",
                             strrchr(test_self(), '/') + 1));
  trace_file_check_nesting(&trace);
  trace_file_free(&trace);
  return 0;
}
