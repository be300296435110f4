/* SPDX-License-Identifier: MIT */
/* Traces, metrics and the watchdog in forked children, asked for by the
 * environment, and at their limits: a program is never worse off. */
#include "ignore.h"
#include "test.h"
#include "trace-file.h"
#include "uv/ext.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define TEXT_MAX 65536
#define LIMIT_MS 20

static void read_text(const char* path, char* text) {
  int fd = open(path, O_RDONLY);
  size_t used = 0;
  ssize_t n;

  ASSERT_GE(fd, 0);
  while ((n = read(fd, text + used, TEXT_MAX - 1 - used)) > 0)
    used += (size_t) n;
  text[used] = '\0';
  close(fd);
}

static void run_timer(uv_loop_t* loop, uv_timer_cb cb) {
  uv_timer_t timer;

  ASSERT_OK(uv_timer_init(loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, cb, 0, 0));
  ASSERT_OK(uv_run(loop, UV_RUN_DEFAULT));
  uv_close((uv_handle_t*) &timer, NULL);
  ASSERT_OK(uv_run(loop, UV_RUN_DEFAULT));
}

/* Runs `body` in a forked child, which must end with 0. */
static pid_t run_in_child(void (*body)(uv_loop_t*), uv_loop_t* loop) {
  pid_t pid = test_fork();
  if (pid == 0) {
    body(loop);
    exit(0);
  }
  ASSERT_EQ(0, test_wait_child(pid));
  return pid;
}

/* ---------------------------------------------------------------------------
 * Forked children. */

/* exit() writes the last version. */
static void run_counted(uv_loop_t* loop) {
  ASSERT_OK(uv_loop_fork(loop));
  run_timer(loop, ignore_timer);
}

TEST_IMPL(metrics_forked_child_has_a_file_of_its_own) {
  static char text[TEXT_MAX];
  uvx_metrics_options_t options = { sizeof(options), "fork-%p.prom", 10, 0, 0 };
  uv_loop_t loop;
  char name[64];

  if (TEST_FORK_IS_UNSAFE)
    SKIP(FORK_IS_UNSAFE);
  ASSERT_OK(uvx_metrics_start(&options));
  ASSERT_OK(uv_loop_init(&loop));
  run_timer(&loop, ignore_timer);
  pid_t pid = run_in_child(run_counted, &loop);
  ASSERT_OK(uvx_metrics_stop());
  ASSERT_OK(uv_loop_close(&loop));
  snprintf(name, sizeof(name), "fork-%d.prom", (int) pid);
  read_text(name, text);
  ASSERT_NOT_NULL(strstr(text, "# EOF"));
  snprintf(name, sizeof(name), "fork-%d.prom", (int) getpid());
  read_text(name, text);
  ASSERT_NOT_NULL(strstr(text, "# EOF"));
  return 0;
}

static void run_uncounted(uv_loop_t* loop) {
  ASSERT_OK(uv_loop_fork(loop));
  run_timer(loop, ignore_timer);
  ASSERT_ERR(UV_ESRCH, uvx_metrics_stop());
}

TEST_IMPL(metrics_forked_child_without_a_name_stops) {
  uvx_metrics_options_t options = { sizeof(options), "fork.prom", 10, 0, 0 };
  uv_loop_t loop;

  if (TEST_FORK_IS_UNSAFE)
    SKIP(FORK_IS_UNSAFE);
  ASSERT_OK(uvx_metrics_start(&options));
  ASSERT_OK(uv_loop_init(&loop));
  run_timer(&loop, ignore_timer);
  run_in_child(run_uncounted, &loop);
  ASSERT_OK(uvx_metrics_stop());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

static uv_sem_t reported;

static void on_report(const uvx_watchdog_report_t* report, void* arg) {
  ASSERT_PTR_EQ(&reported, arg);
  if (!report->is_over)
    uv_sem_post(&reported);
}

static void wait_for_report(uv_timer_t* timer) {
  (void) timer;
  uv_sem_wait(&reported);
}

static void run_watched(uv_loop_t* loop) {
  ASSERT_OK(uv_loop_fork(loop));
  run_timer(loop, wait_for_report);
  ASSERT_OK(uvx_watchdog_stop());
}

/* Has nothing to do with loops, so that nothing starts it again. */
static void stop_parents(uv_loop_t* loop) {
  (void) loop;
  ASSERT_ERR(UV_ESRCH, uvx_watchdog_stop());
}

TEST_IMPL(watchdog_goes_on_in_a_forked_child) {
  uvx_watchdog_options_t options = { sizeof(options), LIMIT_MS, on_report,
                                     &reported, 0 };
  uv_loop_t loop;

  if (TEST_FORK_IS_UNSAFE)
    SKIP(FORK_IS_UNSAFE);
  ASSERT_OK(uv_sem_init(&reported, 0));
  ASSERT_OK(uvx_watchdog_start(&options));
  ASSERT_OK(uv_loop_init(&loop));
  run_in_child(run_watched, &loop);
  run_in_child(stop_parents, &loop);
  run_timer(&loop, wait_for_report);
  ASSERT_OK(uvx_watchdog_stop());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* The report is in the trace as well. */
TEST_IMPL(watchdog_reports_are_in_the_trace) {
  uvx_watchdog_options_t options = { sizeof(options), LIMIT_MS, on_report,
                                     &reported, 0 };
  uvx_trace_options_t tracing = { .size = sizeof(tracing),
                                  .path = "blocked.json" };
  struct trace_file trace;
  uv_loop_t loop;

  ASSERT_OK(uv_sem_init(&reported, 0));
  ASSERT_OK(uvx_trace_start(&tracing));
  ASSERT_OK(uvx_watchdog_start(&options));
  ASSERT_OK(uv_loop_init(&loop));
  run_timer(&loop, wait_for_report);
  ASSERT_OK(uvx_watchdog_stop());
  ASSERT_OK(uvx_trace_stop());
  ASSERT_OK(uv_loop_close(&loop));
  trace_file_read(&trace, "blocked.json");
  ASSERT_GE(trace_file_count(&trace, "blocked", NULL), 1);
  trace_file_free(&trace);
  return 0;
}

/* ---------------------------------------------------------------------------
 * The environment. */

static void block_a_little(uv_timer_t* timer) {
  (void) timer;
  if (getenv("UV_WATCHDOG") != NULL)
    uv_sleep(LIMIT_MS * 10);
}

/* Stops nothing: exit() does. */
HELPER_IMPL(run_observed) {
  uv_loop_t loop;

  (void) argc;
  (void) argv;
  ASSERT_OK(uv_loop_init(&loop));
  run_timer(&loop, block_a_little);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* Runs it with two variables; what it says on standard error is in `text`. */
static void run_with(const char* first, const char* second, char* text) {
  char self[4096];

  snprintf(self, sizeof(self), "%s", test_self());
  pid_t pid = test_fork();
  if (pid == 0) {
    char* env[] = { (char*) first, (char*) second, NULL };
    char* args[] = { self, (char*) "--helper", (char*) "run_observed", NULL };
    int fd = open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (dup2(fd, 2) == 2)
      execve(self, args, env);
    _exit(127);
  }
  ASSERT_EQ(0, test_wait_child(pid));
  read_text("stderr", text);
}

TEST_IMPL(observe_environment_metrics_and_watchdog) {
  static char text[TEXT_MAX];

  run_with("UV_METRICS=env.prom", "UV_METRICS_INTERVAL=10", text);
  ASSERT_STR_EQ("", text);
  read_text("env.prom", text);
  ASSERT_NOT_NULL(strstr(text, "# EOF"));
  run_with("UV_WATCHDOG=20", "UV_METRICS=", text);
  ASSERT_NOT_NULL(strstr(text, "timer"));
  return 0;
}

TEST_IMPL(observe_environment_that_makes_no_sense) {
  static char text[TEXT_MAX];
  static char metrics[6000] = "UV_METRICS=";
  static char trace[6000] = "UV_TRACE=";
  static const char* const lines[][3] = {
    { "UV_METRICS=no/such/directory", "UV_TRACE=", "UV_METRICS" },
    { "UV_METRICS=odd.prom", "UV_METRICS_INTERVAL=often",
      "UV_METRICS_INTERVAL" },
    { "UV_METRICS=odd.prom", "UV_METRICS_INTERVAL=0", "UV_METRICS_INTERVAL" },
    { metrics, "UV_TRACE=", "UV_METRICS" },
    { trace, "UV_METRICS=", "UV_TRACE" },
    { "UV_WATCHDOG=123456789012345678901", "UV_TRACE=", "UV_WATCHDOG" },
    { "UV_WATCHDOG=-5", "UV_TRACE=", "UV_WATCHDOG" },
  };

  memset(metrics + strlen(metrics), 'm', 5000);
  memset(trace + strlen(trace), 't', 5000);
  for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
    run_with(lines[i][0], lines[i][1], text);
    ASSERT_NOT_NULL(strstr(text, lines[i][2]));
  }
  return 0;
}

/* ---------------------------------------------------------------------------
 * Limits. */

TEST_IMPL(observe_names_that_are_too_long) {
  static char name[5000];
  uvx_trace_options_t trace = { .size = sizeof(trace), .path = name };
  uvx_metrics_options_t metrics = { sizeof(metrics), name, 0, 0, 0 };

  memset(name, 'x', sizeof(name) - 1);
  ASSERT_ERR(UV_ENAMETOOLONG, uvx_trace_start(&trace));
  ASSERT_ERR(UV_ENAMETOOLONG, uvx_metrics_start(&metrics));
  /* Long only when the number of the process is in it. */
  for (size_t i = 0; i + 1 < 4094; i += 2)
    memcpy(name + i, "%p", 2);
  name[4094] = '\0';
  if (getpid() > 99) {
    ASSERT_ERR(UV_ENAMETOOLONG, uvx_trace_start(&trace));
    ASSERT_ERR(UV_ENAMETOOLONG, uvx_metrics_start(&metrics));
  }
  ASSERT_ERR(UV_ESRCH, uvx_trace_stop());
  ASSERT_ERR(UV_ESRCH, uvx_metrics_stop());
  return 0;
}

#define ITERATIONS 60000

static size_t idles;

static void on_idle(uv_idle_t* idle) {
  if (++idles == ITERATIONS)
    uv_close((uv_handle_t*) idle, NULL);
}

static void on_async(uv_async_t* async) {
  uv_close((uv_handle_t*) async, NULL);
}

/* Faster than the file is written: what is missing is counted. */
TEST_IMPL(trace_counts_what_it_drops) {
  uvx_trace_options_t tracing = { .size = sizeof(tracing),
                                  .path = "storm.json" };
  struct trace_file trace;
  uv_loop_t loop;
  uv_idle_t idle;
  uv_async_t async;

  if (test_is_slow())
    SKIP("slowed down, it is not faster than the file is written");
  ASSERT_OK(uvx_trace_start(&tracing));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_async_init(&loop, &async, on_async));
  for (int i = 0; i < 20000; i++)
    ASSERT_OK(uv_async_send(&async));
  ASSERT_OK(uv_idle_init(&loop, &idle));
  ASSERT_OK(uv_idle_start(&idle, on_idle));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uvx_trace_stop());
  ASSERT_OK(uv_loop_close(&loop));

  trace_file_read(&trace, "storm.json");
  ASSERT(trace.is_closed);
  size_t told = trace_file_count(&trace, "\"call\":\"idle\"", NULL);
  size_t missing = 0;
  for (size_t i = 0; i < trace.count; i++)
    if (strstr(trace.lines[i], "\"name\":\"dropped\"") != NULL)
      missing += (size_t) trace_number(trace.lines[i], "count");
  ASSERT_LE(told, ITERATIONS);
  ASSERT_GE(told + missing, ITERATIONS);
  trace_file_free(&trace);
  return 0;
}

#define WORKS 20000

static size_t worked;

static void after_work(uv_work_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  worked++;
}

static void after_cancel(uv_work_t* req, int status) {
  (void) req;
  ASSERT_ERR(UV_ECANCELED, status);
  worked++;
}

static uv_sem_t go;

static void wait_for_go(uv_work_t* req) {
  (void) req;
  uv_sem_wait(&go);
}

/* More in flight than are remembered, one of them cancelled. */
TEST_IMPL(observe_more_requests_than_it_remembers) {
  static uvx_metrics_t metrics;
  static uv_work_t works[WORKS];
  uvx_trace_options_t tracing = { .size = sizeof(tracing),
                                  .path = "many.json" };
  uvx_metrics_options_t counting = { sizeof(counting), NULL, 0, 0, 0 };
  uv_loop_t loop;
  uv_work_t blockers[4];
  uv_work_t late;

  ASSERT_OK(uv_os_setenv("UV_THREADPOOL_SIZE", "4"));
  ASSERT_OK(uv_sem_init(&go, 0));
  ASSERT_OK(uvx_trace_start(&tracing));
  ASSERT_OK(uvx_metrics_start(&counting));
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 4; i++)
    ASSERT_OK(uv_queue_work(&loop, &blockers[i], wait_for_go, after_work));
  ASSERT_OK(uv_queue_work(&loop, &late, ignore_work, after_cancel));
  ASSERT_OK(uv_cancel((uv_req_t*) &late));
  for (int i = 0; i < WORKS; i++)
    ASSERT_OK(uv_queue_work(&loop, &works[i], ignore_work, after_work));
  for (int i = 0; i < 4; i++)
    uv_sem_post(&go);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(WORKS + 5, worked);
  ASSERT_OK(uvx_metrics(&loop, &metrics, sizeof(metrics)));
  ASSERT_EQ(0, metrics.pool_queued);
  ASSERT_EQ(0, metrics.pool_running);
  ASSERT_EQ(WORKS + 5, metrics.callbacks);
  ASSERT_GE(metrics.pool_service[UVX_CLASS_WORK].count, WORKS / 4);
  ASSERT_LE(metrics.pool_service[UVX_CLASS_WORK].count, WORKS + 4);
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_OK(uvx_metrics_stop());
  ASSERT_OK(uvx_trace_stop());
  return 0;
}

/* A callback that has a name for the dynamic linker. */
TEST_IMPL(trace_names_a_function_of_a_library) {
  uvx_trace_options_t tracing = { .size = sizeof(tracing),
                                  .path = "names.json" };
  struct trace_file trace;
  uv_timer_t* timer = malloc(sizeof(*timer));
  uv_loop_t loop;

  if (TEST_STATIC)
    SKIP("a static program has no names for its functions");
  ASSERT_NOT_NULL(timer);
  ASSERT_OK(uvx_trace_start(&tracing));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, timer));
  uv_close((uv_handle_t*) timer, (uv_close_cb) (void (*)(void)) free);
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_OK(uvx_trace_stop());
  trace_file_read(&trace, "names.json");
  ASSERT_EQ(1, trace_file_count(&trace, "\"call\":\"close\"", "free"));
  trace_file_free(&trace);
  return 0;
}
