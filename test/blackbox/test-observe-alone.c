/* SPDX-License-Identifier: MIT */
/* Traces and metrics of a process with one thread: that thread writes the
 * files, without the program noticing; another takes over when there are more.
 */
#include "test.h"
#include "trace-file.h"
#include "uv/ext.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define INTERVAL_MS 20

static uvx_trace_options_t tracing = { sizeof(tracing), "alone.json", 0 };
static uvx_metrics_options_t counting = { sizeof(counting), "alone.prom",
                                          INTERVAL_MS, 0, 0 };

/* Threads of the process; 0 if the system does not say. */
static int threads(void) {
  DIR* dir = opendir("/proc/self/task");
  struct dirent* entry;
  int count = 0;

  if (dir == NULL)
    return 0;
  while ((entry = readdir(dir)) != NULL)
    count += entry->d_name[0] != '.';
  closedir(dir);
  return count;
}

/* ThreadSanitizer's own thread comes with the first that is created. */
#define SKIP_UNLESS_ALONE()                                                    \
 if (TEST_TSAN || threads() != 1)                                              \
 SKIP("the system does not count threads, or a sanitizer has one")

static void do_nothing(uv_work_t* req) {
  (void) req;
}

static void after_work(uv_work_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
}

static void on_tick(uv_timer_t* timer) {
  (void) timer;
}

static void run_for(uv_loop_t* loop, uv_timer_t* timer, unsigned ms) {
  ASSERT_OK(uv_timer_init(loop, timer));
  ASSERT_OK(uv_timer_start(timer, on_tick, ms, 0));
  ASSERT_OK(uv_run(loop, UV_RUN_DEFAULT));
  uv_close((uv_handle_t*) timer, NULL);
  ASSERT_OK(uv_run(loop, UV_RUN_DEFAULT));
}

/* A thread takes over when writing is slow, which it is now and then on a busy
 * machine. */
#define TRIES 20

static int is_alone_while_running(uv_loop_t* loop) {
  uv_timer_t timer;

  ASSERT_OK(uvx_trace_start(&tracing));
  ASSERT_OK(uvx_metrics_start(&counting));
  run_for(loop, &timer, 3 * INTERVAL_MS);
  int is_alone = threads() == 1;
  ASSERT_OK(uvx_metrics_stop());
  ASSERT_OK(uvx_trace_stop());
  ASSERT_EQ(1, threads());
  return is_alone;
}

TEST_IMPL(observe_alone_needs_no_thread) {
  uv_loop_t loop;
  uv_timer_t timer;
  uv_work_t work;
  int tries = 1;

  SKIP_UNLESS_ALONE();
  ASSERT_OK(uv_loop_init(&loop));
  while (!is_alone_while_running(&loop))
    ASSERT_LT(tries++, TRIES);

  /* The pool's thread, then one for each file. */
  ASSERT_OK(uvx_trace_start(&tracing));
  ASSERT_OK(uvx_metrics_start(&counting));
  ASSERT_OK(uv_os_setenv("UV_THREADPOOL_SIZE", "1"));
  ASSERT_OK(uv_queue_work(&loop, &work, do_nothing, after_work));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, on_tick, 1, 1));
  for (int i = 0; i < 10000 && threads() < 4; i++)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(4, threads());
  uv_close((uv_handle_t*) &timer, NULL);
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uvx_metrics_stop());
  ASSERT_OK(uvx_trace_stop());
  ASSERT_EQ(2, threads());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

static int prepared;
static int checked;

static void on_prepare(uv_prepare_t* handle) {
  (void) handle;
  prepared++;
}

static void on_check(uv_check_t* handle) {
  (void) handle;
  checked++;
}

/* The files are written several times in one wait, which a program sees nothing
 * of: neither another iteration nor another timeout. */
TEST_IMPL(observe_alone_wait_is_one_wait) {
  uv_loop_t loop;
  uv_prepare_t prepare;
  uv_check_t check;
  uv_timer_t timer;

  ASSERT_OK(uvx_trace_start(&tracing));
  ASSERT_OK(uvx_metrics_start(&counting));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_prepare_init(&loop, &prepare));
  ASSERT_OK(uv_prepare_start(&prepare, on_prepare));
  ASSERT_OK(uv_check_init(&loop, &check));
  ASSERT_OK(uv_check_start(&check, on_check));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  /* Nothing is left to be told to the poller. */
  ASSERT_NE(0, uv_run(&loop, UV_RUN_NOWAIT));
  prepared = 0;
  checked = 0;
  uint64_t before = uv_hrtime();
  uv_update_time(&loop);
  ASSERT_OK(uv_timer_start(&timer, on_tick, 5 * INTERVAL_MS, 0));
  ASSERT_EQ(5 * INTERVAL_MS, uv_backend_timeout(&loop));
  ASSERT_NE(0, uv_run(&loop, UV_RUN_ONCE));
  ASSERT_GE(uv_hrtime() - before, UINT64_C(1000000) * (5 * INTERVAL_MS - 1));
  ASSERT_EQ(1, prepared);
  ASSERT_EQ(1, checked);
  ASSERT(!uv_is_active((uv_handle_t*) &timer));

  uv_close((uv_handle_t*) &prepare, NULL);
  uv_close((uv_handle_t*) &check, NULL);
  uv_close((uv_handle_t*) &timer, NULL);
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_OK(uvx_metrics_stop());
  ASSERT_OK(uvx_trace_stop());
  return 0;
}

/* Waits until the condition is met; a minute is more than it takes. */
static void wait_until(int (*is_met)(void)) {
  for (int i = 0; !is_met(); i++) {
    ASSERT_LT(i, 12000);
    uv_sleep(5);
  }
}

static ino_t last_version;
static int versions;

/* Each version of the metrics is a new file. */
static int has_new_versions(void) {
  struct stat st;

  if (stat("alone.prom", &st) == 0 && st.st_ino != last_version) {
    last_version = st.st_ino;
    versions++;
  }
  return versions >= 4;
}

static int has_traced(void) {
  struct trace_file trace;
  struct stat st;

  if (stat("alone.json", &st) != 0 || st.st_size == 0)
    return 0;
  trace_file_read(&trace, "alone.json");
  size_t count = trace_file_count(&trace, "\"call\":\"timer\"", NULL);
  trace_file_free(&trace);
  return count == 1;
}

/* Has nothing to do after its first callback. */
HELPER_IMPL(sleep_observed) {
  uv_loop_t loop;
  uv_timer_t timer;
  uv_timer_t end;

  (void) argc;
  (void) argv;
  ASSERT_OK(uvx_trace_start(&tracing));
  ASSERT_OK(uvx_metrics_start(&counting));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, on_tick, 1, 0));
  ASSERT_OK(uv_timer_init(&loop, &end));
  ASSERT_OK(uv_timer_start(&end, on_tick, 120000, 0));
  return uv_run(&loop, UV_RUN_DEFAULT);
}

/* A loop that sleeps has its files written, and they are whole when the process
 * is killed. */
TEST_IMPL(observe_alone_sleeping_loop_writes) {
  static char text[1 << 16];
  char* args[7];
  int status;

  helper_args(args, "sleep_observed", NULL, NULL, NULL);
  pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    execv(args[0], args);
    _exit(3);
  }
  wait_until(has_new_versions);
  wait_until(has_traced);
  ASSERT_EQ(0, kill(pid, SIGKILL));
  ASSERT_EQ(pid, waitpid(pid, &status, 0));
  ASSERT(WIFSIGNALED(status));
  FILE* file = fopen("alone.prom", "r");
  ASSERT_NOT_NULL(file);
  text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
  fclose(file);
  ASSERT_NOT_NULL(strstr(text, "# EOF"));
  ASSERT_NOT_NULL(strstr(text, "uv_callback_count_total{type=\"timer\""));
  return 0;
}

#define TIMERS 40000

static uv_timer_t timers[TIMERS];

/* Returns 0 if a thread took over, which may drop some. */
static int trace_long_iteration(uv_loop_t* loop) {
  struct trace_file trace;

  ASSERT_OK(uvx_trace_start(&tracing));
  for (int i = 0; i < TIMERS; i++) {
    ASSERT_OK(uv_timer_init(loop, &timers[i]));
    ASSERT_OK(uv_timer_start(&timers[i], on_tick, 1, 0));
  }
  ASSERT_OK(uv_run(loop, UV_RUN_DEFAULT));
  int is_alone = threads() == 1;
  for (int i = 0; i < TIMERS; i++)
    uv_close((uv_handle_t*) &timers[i], NULL);
  ASSERT_OK(uv_run(loop, UV_RUN_DEFAULT));
  ASSERT_OK(uvx_trace_stop());
  if (!is_alone)
    return 0;
  trace_file_read(&trace, tracing.path);
  ASSERT(trace.is_closed);
  ASSERT_EQ(TIMERS, trace_file_count(&trace, "\"call\":\"timer\"", NULL));
  ASSERT_EQ(0, trace_file_count(&trace, "\"name\":\"dropped\"", NULL));
  trace_file_check_nesting(&trace);
  trace_file_free(&trace);
  return 1;
}

/* More records in one iteration than the ring holds: none is dropped. */
TEST_IMPL(observe_alone_long_iteration_is_complete) {
  uv_loop_t loop;
  int tries = 1;

  SKIP_UNLESS_ALONE();
  ASSERT_OK(uv_loop_init(&loop));
  while (!trace_long_iteration(&loop))
    ASSERT_LT(tries++, TRIES);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}
