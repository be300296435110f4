/* SPDX-License-Identifier: MIT */
/* What the environment asks for never fails a program: what is wrong with it is
 * said once, on standard error. Files are the user's own. */
#include "test.h"
#include "uv/ext.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define TICKS 20

static int ticks;

static void on_tick(uv_timer_t* timer) {
  if (++ticks == TICKS)
    uv_close((uv_handle_t*) timer, NULL);
}

/* Two loops, so that what is said with each would be said twice. */
static void run_two_loops(void) {
  for (int i = 0; i < 2; i++) {
    uv_loop_t loop;
    uv_timer_t timer;
    ticks = 0;
    ASSERT_OK(uv_loop_init(&loop));
    ASSERT_OK(uv_timer_init(&loop, &timer));
    ASSERT_OK(uv_timer_start(&timer, on_tick, 1, 1));
    ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
    ASSERT_EQ(TICKS, ticks);
    ASSERT_OK(uv_loop_close(&loop));
  }
}

/* Runs them in a child; standard error goes to a file, see
 * test_redirect_errors(). */
static void run_in_child(rlim_t file_size) {
  pid_t pid = test_fork();
  if (pid == 0) {
    struct rlimit before;
    if (truncate("errors", 0) != 0)
      _exit(3);
    if (getrlimit(RLIMIT_FSIZE, &before) != 0)
      _exit(4);
    struct rlimit limit = { file_size, before.rlim_max };
    if (file_size != RLIM_INFINITY && setrlimit(RLIMIT_FSIZE, &limit) != 0)
      _exit(4);
    run_two_loops();
    uv_library_shutdown(); /* the last of what is written to a file */
    /* A build that measures coverage writes files when it exits. */
    if (setrlimit(RLIMIT_FSIZE, &before) != 0)
      _exit(5);
    exit(0);
  }
  ASSERT_EQ(0, test_wait_child(pid));
}

static void expect_errors(const char* want) {
  char text[2048];
  FILE* file = fopen("errors", "rb");

  ASSERT_NOT_NULL(file);
  size_t n = fread(text, 1, sizeof(text) - 1, file);
  fclose(file);
  text[n] = '\0';
  ASSERT_STR_EQ(want, text);
}

/* A variable, its value, what is said of it; and another one that must be set
 * for it to count. */
static const struct {
  const char* name;
  const char* value;
  int err;         /* the message is that of uv_strerror(), unless 0 */
  const char* why; /* the message otherwise */
  const char* other;
  const char* other_value;
} wrong[] = {
  { "UV_TRACE", "no/such/file", UV_ENOENT, NULL, NULL, NULL },
  { "UV_TRACE", "/", UV_EISDIR, NULL, NULL, NULL },
  { "UV_METRICS", "no/such/file", UV_ENOENT, NULL, "UV_METRICS_INTERVAL", "1" },
  { "UV_METRICS_INTERVAL", "often", 0, "not a number of milliseconds",
    "UV_METRICS", "metrics" },
  { "UV_METRICS_INTERVAL", "0", 0, "not a number of milliseconds", "UV_METRICS",
    "metrics" },
  { "UV_WATCHDOG", "soon", 0, "not a number of milliseconds", NULL, NULL },
  { "UV_WATCHDOG", "-1", 0, "not a number of milliseconds", NULL, NULL },
  { "UV_WATCHDOG", "99999999999999999999", 0, "not a number of milliseconds",
    NULL, NULL },
  { "UV_WATCHDOG_SIGNAL", "FOO", 0, "no such signal", "UV_WATCHDOG", "60000" },
  { "UV_DUMP_SIGNAL", "FOO", 0, "no such signal", NULL, NULL },
};

TEST_IMPL(observe_says_once_what_is_wrong) {
  char expected[256];

  test_redirect_errors("errors");
  for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
    ASSERT_OK(uv_os_setenv(wrong[i].name, wrong[i].value));
    if (wrong[i].other != NULL)
      ASSERT_OK(uv_os_setenv(wrong[i].other, wrong[i].other_value));
    run_in_child(RLIM_INFINITY);
    snprintf(expected, sizeof(expected), "libuv: %s=%s: %s\n", wrong[i].name,
             wrong[i].value,
             wrong[i].err != 0 ? uv_strerror(wrong[i].err) : wrong[i].why);
    expect_errors(expected);
    ASSERT_OK(uv_os_unsetenv(wrong[i].name));
    if (wrong[i].other != NULL)
      ASSERT_OK(uv_os_unsetenv(wrong[i].other));
  }
  return 0;
}

/* A full disk, as far as that can be had without one. */
TEST_IMPL(metrics_that_fill_the_disk_are_said_once) {
  char expected[128];
  struct stat st;

  test_redirect_errors("errors");
  ASSERT_OK(uv_os_setenv("UV_METRICS", "metrics"));
  ASSERT_OK(uv_os_setenv("UV_METRICS_INTERVAL", "1"));
  run_in_child(200);
  snprintf(expected, sizeof(expected), "libuv: UV_METRICS=metrics: %s\n",
           uv_strerror(UV_EFBIG));
  expect_errors(expected);
  /* No half of a file is left behind. */
  ASSERT_EQ(-1, stat("metrics", &st));
  return 0;
}

TEST_IMPL(metrics_files_are_private_and_follow_no_link) {
  uvx_metrics_options_t options = { .size = sizeof(options),
                                    .path = "metrics" };
  char draft[64];
  struct stat st;

  umask(0);
  ASSERT_OK(uvx_metrics_start(&options));
  ASSERT_OK(uvx_metrics_stop());
  ASSERT_EQ(0, lstat("metrics", &st));
  ASSERT(S_ISREG(st.st_mode));
  ASSERT_EQ(0600, st.st_mode & 0777);
  ASSERT_GT(st.st_size, 0);

  test_write_file("precious", "precious");
  snprintf(draft, sizeof(draft), "metrics.%d.new", (int) getpid());
  ASSERT_EQ(0, symlink("precious", draft));
  ASSERT_ERR(UV_ELOOP, uvx_metrics_start(&options));
  ASSERT_EQ(0, lstat(draft, &st));
  ASSERT(S_ISLNK(st.st_mode));
  ASSERT_EQ(0, unlink("metrics"));
  ASSERT_EQ(0, symlink("precious", "metrics"));
  ASSERT_ERR(UV_ELOOP, uvx_metrics_start(&options));
  ASSERT_EQ(0, stat("precious", &st));
  ASSERT_EQ(8, st.st_size);
  return 0;
}

/* A program that does not trust its environment says so. */
TEST_IMPL(observe_environment_is_refused_by_the_program) {
  struct sigaction action;
  struct stat st;

  test_redirect_errors("errors");
  uvx_ignore_environment();
  ASSERT_OK(uv_os_setenv("UV_TRACE", "refused.json"));
  ASSERT_OK(uv_os_setenv("UV_METRICS", "refused.prom"));
  ASSERT_OK(uv_os_setenv("UV_WATCHDOG", "soon"));
  ASSERT_OK(uv_os_setenv("UV_DUMP_SIGNAL", "USR2"));
  ASSERT_OK(uv_os_setenv("UV_DEBUG", "often"));
  run_two_loops();
  ASSERT_EQ(-1, stat("refused.json", &st));
  ASSERT_EQ(-1, stat("refused.prom", &st));
  ASSERT_ERR(UV_ESRCH, uvx_watchdog_stop());
  ASSERT_EQ(0, sigaction(SIGUSR2, NULL, &action));
  ASSERT(action.sa_handler == SIG_DFL);
  expect_errors("");
  return 0;
}

/* Permissions that nobody should have are refused, and said. */
TEST_IMPL(observe_mode_of_the_environment) {
  struct stat st;

  test_redirect_errors("errors");
  ASSERT_OK(uv_os_setenv("UV_METRICS", "metrics"));
  ASSERT_OK(uv_os_setenv("UV_METRICS_MODE", "0640"));
  run_in_child(RLIM_INFINITY);
  expect_errors("");
  ASSERT_EQ(0, stat("metrics", &st));
  ASSERT_EQ(0640, st.st_mode & 0777);
  ASSERT_OK(uv_os_setenv("UV_METRICS_MODE", "0666"));
  run_in_child(RLIM_INFINITY);
  expect_errors("libuv: UV_METRICS_MODE=0666: not a mode such as 0640 or "
                "0644\n");
  ASSERT_EQ(0, stat("metrics", &st));
  ASSERT_EQ(0600, st.st_mode & 0777);
  return 0;
}
