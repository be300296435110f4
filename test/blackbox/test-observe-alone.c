/* SPDX-License-Identifier: MIT */
/* Traces and metrics of a process with one thread: each file has a thread of
 * the library, and the program notices nothing else. */
#include "test.h"
#include "trace-file.h"
#include "uv/ext.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define INTERVAL_MS 20

static uvx_trace_options_t tracing = { .size = sizeof(tracing),
                                       .path = "alone.json" };
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

/* The system counts a thread for a moment after it was joined. */
static void wait_until_alone(void) {
  while (threads() != 1)
    uv_sleep(1);
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

/* One that ends with its session. */
TEST_IMPL(observe_alone_each_file_has_a_thread) {
  uv_loop_t loop;
  uv_timer_t timer;

  SKIP_UNLESS_ALONE();
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 3; i++) {
    ASSERT_OK(uvx_trace_start(&tracing));
    ASSERT_EQ(2, threads());
    ASSERT_OK(uvx_metrics_start(&counting));
    ASSERT_EQ(3, threads());
    run_for(&loop, &timer, INTERVAL_MS);
    ASSERT_EQ(3, threads());
    ASSERT_OK(uvx_metrics_stop());
    ASSERT_OK(uvx_trace_stop());
    wait_until_alone();
  }
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

static pid_t start_sleeper(void) {
  char* args[7];

  helper_args(args, "sleep_observed", NULL, NULL, NULL);
  pid_t pid = test_fork();
  if (pid == 0) {
    execv(args[0], args);
    _exit(3);
  }
  return pid;
}

static void kill_sleeper(pid_t pid) {
  ASSERT_EQ(0, kill(pid, SIGKILL));
  int status = test_wait_child(pid);
  ASSERT(WIFSIGNALED(status));
}

/* What the metrics say of the loop's polls; 0 if they do not yet. */
static double poll_seconds(void) {
  static const char key[] =
      "uv_loop_phase_seconds_total{loop=\"1\",phase=\"poll\"} ";
  static char text[1 << 16];
  FILE* file = fopen("alone.prom", "r");

  if (file == NULL)
    return 0;
  text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
  fclose(file);
  const char* found = strstr(text, key);
  return found == NULL ? 0 : strtod(found + sizeof(key) - 1, NULL);
}

static double last_seconds;

/* The loop's second wait, which does not end: the first one took 1 ms. */
static int has_waited(void) {
  double now = poll_seconds();

  ASSERT(now >= last_seconds);
  last_seconds = now;
  return now > 0.2;
}

/* A wait counts while it is under way, not only once it has ended, and the
 * counter never goes back. */
TEST_IMPL(observe_alone_wait_counts_before_it_ends) {
  pid_t pid = start_sleeper();

  wait_until(has_waited);
  kill_sleeper(pid);
  return 0;
}

/* A loop that sleeps has its files written, and they are whole when the process
 * is killed. */
TEST_IMPL(observe_alone_sleeping_loop_writes) {
  static char text[1 << 16];
  pid_t pid = start_sleeper();

  wait_until(has_new_versions);
  wait_until(has_traced);
  kill_sleeper(pid);
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

/* More records in one iteration than the ring holds: the writer empties it
 * meanwhile, and the file says if it was too slow for some. */
TEST_IMPL(observe_alone_long_iteration_is_accounted_for) {
  struct trace_file trace;
  uv_loop_t loop;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uvx_trace_start(&tracing));
  for (int i = 0; i < TIMERS; i++) {
    ASSERT_OK(uv_timer_init(&loop, &timers[i]));
    ASSERT_OK(uv_timer_start(&timers[i], on_tick, 1, 0));
  }
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  for (int i = 0; i < TIMERS; i++)
    uv_close((uv_handle_t*) &timers[i], NULL);
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uvx_trace_stop());

  trace_file_read(&trace, tracing.path);
  ASSERT(trace.is_closed);
  size_t written = trace_file_count(&trace, "\"call\":\"timer\"", NULL);
  uint64_t dropped = 0;
  for (size_t i = 0; i < trace.count; i++)
    if (strstr(trace.lines[i], "\"name\":\"dropped\"") != NULL)
      dropped += (uint64_t) trace_number(trace.lines[i], "count");
  ASSERT_LE(written, TIMERS);
  ASSERT_GE(written + dropped, TIMERS);
  trace_file_check_nesting(&trace);
  trace_file_free(&trace);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}
