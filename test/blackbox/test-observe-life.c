/* SPDX-License-Identifier: MIT */
/* Sessions from their start to their end: the program unloads the library,
 * exits while signals arrive, or stops a session from within. */
#include "ignore.h"
#include "test.h"
#include "uv/ext.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void run_timer(uv_timer_cb cb) {
  uv_loop_t loop;
  uv_timer_t timer;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, cb, 1, 0));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  uv_close((uv_handle_t*) &timer, NULL);
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));
}

/* ---------------------------------------------------------------------------
 * dlclose(). */

/* The functions that a program takes from the library it loads. */
struct library {
  void* handle;
  int (*loop_init)(uv_loop_t*);
  int (*timer_init)(uv_loop_t*, uv_timer_t*);
  int (*timer_start)(uv_timer_t*, uv_timer_cb, uint64_t, uint64_t);
  int (*run)(uv_loop_t*, uv_run_mode);
  void (*close)(uv_handle_t*, uv_close_cb);
  int (*loop_close)(uv_loop_t*);
};

static void load(struct library* library, const char* path) {
  library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NOT_NULL(library->handle);
  test_find_symbol(library->handle, "uv_loop_init", &library->loop_init);
  test_find_symbol(library->handle, "uv_timer_init", &library->timer_init);
  test_find_symbol(library->handle, "uv_timer_start", &library->timer_start);
  test_find_symbol(library->handle, "uv_run", &library->run);
  test_find_symbol(library->handle, "uv_close", &library->close);
  test_find_symbol(library->handle, "uv_loop_close", &library->loop_close);
}

static void run_in(const struct library* library) {
  uv_loop_t loop;
  uv_timer_t timer;

  ASSERT_OK(library->loop_init(&loop));
  ASSERT_OK(library->timer_init(&loop, &timer));
  ASSERT_OK(library->timer_start(&timer, ignore_timer, 1, 0));
  ASSERT_OK(library->run(&loop, UV_RUN_DEFAULT));
  library->close((uv_handle_t*) &timer, NULL);
  ASSERT_OK(library->run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(library->loop_close(&loop));
}

static uv_sem_t finished;

static void wait_until_finished(void* arg) {
  (void) arg;
  uv_sem_wait(&finished);
}

/* The last names are looked up while dlclose() waits for the writer. */
static void unload_with(const char* variable) {
  struct library library;
  uv_thread_t thread;

  test_copy_library("./copy.so");
  ASSERT_OK(uv_os_setenv(variable, "observed-%p"));
  ASSERT_OK(uv_sem_init(&finished, 0));
  ASSERT_OK(uv_thread_create(&thread, wait_until_finished, NULL));
  for (int i = 0; i < 10; i++) {
    load(&library, "./copy.so");
    run_in(&library);
    ASSERT_EQ(0, dlclose(library.handle));
  }
  uv_sem_post(&finished);
  ASSERT_OK(uv_thread_join(&thread));
  uv_sem_destroy(&finished);
}

TEST_IMPL(observe_library_is_unloaded_with_a_trace) {
  if (TEST_ASAN || TEST_TSAN || TEST_MSAN)
    SKIP("a sanitizer keeps libraries loaded");
  unload_with("UV_TRACE");
  return 0;
}

TEST_IMPL(observe_library_is_unloaded_with_metrics) {
  if (TEST_ASAN || TEST_TSAN || TEST_MSAN)
    SKIP("a sanitizer keeps libraries loaded");
  unload_with("UV_METRICS");
  return 0;
}

/* ---------------------------------------------------------------------------
 * The end of the process. */

#define EXITS 5

HELPER_IMPL(exit_under_signals) {
  (void) argc;
  (void) argv;
  run_timer(ignore_timer);
  ASSERT_EQ(1, write(1, "r", 1));
  run_timer(ignore_timer);
  return 0; /* the library ends in exit() */
}

/* It gets the signal from the time on that it is ready until it is gone. */
static void signal_until_exit(void) {
  char* args[7];
  char byte;
  int status;
  int fds[2];

  helper_args(args, "exit_under_signals", NULL, NULL, NULL);
  ASSERT_EQ(0, pipe(fds));
  pid_t pid = test_fork();
  if (pid == 0) {
    if (dup2(fds[1], 1) == 1)
      execv(args[0], args);
    _exit(127);
  }
  ASSERT_EQ(1, read(fds[0], &byte, 1));
  pid_t ended;
  /* Not faster: the process would do nothing but take signals, for seconds
   * where a wait is several system calls (the kqueue emulation). */
  struct timespec pause = { 0, 50000 };
  while ((ended = waitpid(pid, &status, WNOHANG)) == 0) {
    ASSERT_EQ(0, kill(pid, SIGUSR2));
    (void) nanosleep(&pause, NULL);
  }
  ASSERT_EQ(pid, ended);
  ASSERT_EQ(0, status);
  close(fds[0]);
  close(fds[1]);
}

TEST_IMPL(observe_dump_signals_do_not_end_an_exiting_process) {
  ASSERT_OK(uv_os_setenv("UV_DUMP_SIGNAL", "USR2"));
  test_redirect_errors("errors");
  for (int i = 0; i < EXITS; i++)
    signal_until_exit();
  return 0;
}

/* Its default action would end the process. */
TEST_IMPL(observe_dump_signal_is_ignored_after_the_shutdown) {
  struct sigaction action;

  ASSERT_OK(uv_os_setenv("UV_DUMP_SIGNAL", "USR2"));
  test_redirect_errors("errors");
  run_timer(ignore_timer);
  uv_library_shutdown();
  ASSERT_EQ(0, sigaction(SIGUSR2, NULL, &action));
  ASSERT(action.sa_handler == SIG_IGN);
  ASSERT_EQ(0, raise(SIGUSR2));
  return 0;
}

/* ---------------------------------------------------------------------------
 * From within. */

static int stopped = 1;
static int started = 1;
static uv_sem_t reported;

static void stop_watchdog(const uvx_watchdog_report_t* report, void* arg) {
  uvx_watchdog_options_t* options = arg;

  if (report->is_over)
    return;
  stopped = uvx_watchdog_stop();
  started = uvx_watchdog_start(options);
  uv_sem_post(&reported);
}

static void block(uv_timer_t* timer) {
  (void) timer;
  uv_sem_wait(&reported);
}

TEST_IMPL(watchdog_cannot_be_stopped_by_its_listener) {
  uvx_watchdog_options_t options = { .size = sizeof(options),
                                     .limit_ms = 5,
                                     .cb = stop_watchdog };

  options.arg = &options;
  ASSERT_OK(uv_sem_init(&reported, 0));
  ASSERT_OK(uvx_watchdog_start(&options));
  run_timer(block);
  ASSERT_ERR(UV_EBUSY, stopped);
  ASSERT_ERR(UV_EBUSY, started);
  ASSERT_OK(uvx_watchdog_stop());
  uv_sem_destroy(&reported);
  return 0;
}

static void leave_process(const uvx_watchdog_report_t* report, void* arg) {
  (void) report;
  (void) arg;
  exit(0);
}

static void block_for_ever(uv_timer_t* timer) {
  (void) timer;
  for (;;)
    pause();
}

/* A program that ends itself when it is blocked. */
TEST_IMPL(watchdog_listener_may_exit) {
  pid_t pid = test_fork();
  if (pid == 0) {
    uvx_watchdog_options_t options = { .size = sizeof(options),
                                       .limit_ms = 5,
                                       .cb = leave_process };
    ASSERT_OK(uvx_watchdog_start(&options));
    run_timer(block_for_ever);
  }
  ASSERT_EQ(0, test_wait_child(pid));
  return 0;
}

#define ROUNDS 50

static void start_sessions(void* arg) {
  uvx_trace_options_t trace = { .size = sizeof(trace), .path = "race.json" };
  uvx_metrics_options_t metrics = { .size = sizeof(metrics),
                                    .path = "race.prom" };
  uvx_watchdog_options_t watchdog = { .size = sizeof(watchdog),
                                      .limit_ms = 60000 };

  (void) arg;
  for (int i = 0; i < ROUNDS; i++) {
    ASSERT_OK(uvx_trace_start(&trace));
    ASSERT_OK(uvx_metrics_start(&metrics));
    ASSERT_OK(uvx_watchdog_start(&watchdog));
    ASSERT_OK(uvx_watchdog_stop());
    ASSERT_OK(uvx_metrics_stop());
    ASSERT_OK(uvx_trace_stop());
  }
}

/* Loops come and go while another thread starts and stops sessions. */
TEST_IMPL(observe_sessions_start_while_loops_are_made) {
  uv_thread_t thread;

  ASSERT_OK(uv_thread_create(&thread, start_sessions, NULL));
  for (int i = 0; i < ROUNDS; i++)
    run_timer(ignore_timer);
  ASSERT_OK(uv_thread_join(&thread));
  return 0;
}
