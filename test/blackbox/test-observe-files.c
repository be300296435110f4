/* SPDX-License-Identifier: MIT */
/* Files that the environment names are input: a trace or metrics never destroy
 * what is not their own, and a program that closes descriptors, forks or shares
 * a name loses nothing. */
#include "ignore.h"
#include "test.h"
#include "uv/ext.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MAX 65536
/* Descriptors that a daemon closes. */
#define FDS 64

static char text[TEXT_MAX];

static void read_text(const char* path) {
  FILE* file = fopen(path, "rb");

  ASSERT_NOT_NULL(file);
  text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
  fclose(file);
}

static int start_trace(const char* path) {
  uvx_trace_options_t options = { .size = sizeof(options), .path = path };

  return uvx_trace_start(&options);
}

static int start_metrics(const char* path) {
  uvx_metrics_options_t options = { .size = sizeof(options), .path = path };

  return uvx_metrics_start(&options);
}

static const struct {
  int (*start)(const char* path);
  int (*stop)(void);
} sessions[] = {
  { start_trace, uvx_trace_stop },
  { start_metrics, uvx_metrics_stop },
};

static void run_timer(void) {
  uv_loop_t loop;
  uv_timer_t timer;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, ignore_timer, 1, 0));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  uv_close((uv_handle_t*) &timer, NULL);
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));
}

static void expect_refused(int err, const char* path) {
  for (size_t i = 0; i < ARRAY_SIZE(sessions); i++) {
    ASSERT_ERR(err, sessions[i].start(path));
    ASSERT_ERR(UV_ESRCH, sessions[i].stop());
  }
}

/* A path that leads to anything else is refused and left as it was. */
TEST_IMPL(observe_files_replace_nothing_else) {
  struct stat st;

  test_write_file("data", "precious");
  expect_refused(UV_EEXIST, "data");
  test_write_file("json", "[\n{\"precious\":1}\n");
  expect_refused(UV_EEXIST, "json");
  ASSERT_EQ(0, symlink("data", "to-data"));
  expect_refused(UV_ELOOP, "to-data");
  ASSERT_EQ(0, symlink("nothing", "to-nothing"));
  expect_refused(UV_ELOOP, "to-nothing");
  ASSERT_EQ(-1, stat("nothing", &st));
  ASSERT_EQ(0, link("data", "second"));
  expect_refused(UV_EPERM, "second");
  ASSERT_EQ(0, mkfifo("fifo", 0600));
  expect_refused(UV_EPERM, "fifo");
  expect_refused(UV_EISDIR, ".");
  expect_refused(UV_EPERM, "/dev/null");
  read_text("data");
  ASSERT_STR_EQ("precious", text);
  ASSERT_EQ(0, lstat("to-data", &st));
  ASSERT(S_ISLNK(st.st_mode));
  ASSERT_EQ(0, lstat("fifo", &st));
  ASSERT(S_ISFIFO(st.st_mode));
  return 0;
}

/* What the kernel shows as files are settings. */
TEST_IMPL(observe_files_are_no_settings_of_the_kernel) {
  if (access("/proc/self/comm", W_OK) != 0)
    SKIP("the system has no /proc/self/comm");
  read_text("/proc/self/comm");
  char* before = strdup(text);
  expect_refused(UV_EPERM, "/proc/self/comm");
  read_text("/proc/self/comm");
  ASSERT_STR_EQ(before, text);
  free(before);
  return 0;
}

/* Those of an earlier run, and files made in advance, are overwritten. */
TEST_IMPL(observe_files_replace_their_own) {
  static const char* const names[] = { "own.json", "own.prom" };
  struct stat st;

  for (size_t i = 0; i < ARRAY_SIZE(sessions); i++) {
    test_write_file(names[i], "");
    for (int run = 0; run < 3; run++) {
      ASSERT_OK(sessions[i].start(names[i]));
      run_timer();
      ASSERT_OK(sessions[i].stop());
      ASSERT_EQ(0, stat(names[i], &st));
      ASSERT_GT(st.st_size, 0);
    }
  }
  return 0;
}

/* The path is made absolute when the session starts. */
TEST_IMPL(observe_files_stay_where_they_were_named) {
  struct stat st;

  test_mkdir("elsewhere");
  ASSERT_OK(start_trace("here.json"));
  ASSERT_OK(start_metrics("here.prom"));
  ASSERT_EQ(0, chdir("elsewhere"));
  run_timer();
  ASSERT_OK(uvx_metrics_stop());
  ASSERT_OK(uvx_trace_stop());
  ASSERT_EQ(-1, stat("here.prom", &st));
  read_text("../here.prom");
  ASSERT_NOT_NULL(strstr(text, "uv_callback_count_total{type=\"timer\""));
  return 0;
}

static size_t count_entries(const char* path) {
  DIR* dir = opendir(path);
  size_t count = 0;
  struct dirent* entry;

  ASSERT_NOT_NULL(dir);
  while ((entry = readdir(dir)) != NULL)
    count += entry->d_name[0] != '.';
  closedir(dir);
  return count;
}

/* The last version cannot take its place; its draft goes. */
TEST_IMPL(observe_files_leave_no_draft) {
  test_mkdir("only");
  ASSERT_OK(start_metrics("only/metrics"));
  ASSERT_EQ(1, count_entries("only"));
  ASSERT_EQ(0, unlink("only/metrics"));
  test_mkdir("only/metrics");
  run_timer();
  ASSERT_OK(uvx_metrics_stop());
  ASSERT_EQ(1, count_entries("only"));
  return 0;
}

/* Another user's collector may read the file if the program says so; nobody
 * else may write it. */
TEST_IMPL(observe_files_have_the_mode_that_is_asked_for) {
  uvx_metrics_options_t metrics = { .size = sizeof(metrics),
                                    .path = "mode.prom",
                                    .mode = 0640 };
  uvx_trace_options_t trace = { .size = sizeof(trace),
                                .path = "mode.json",
                                .mode = 0644 };
  struct stat st;

  umask(077);
  ASSERT_OK(uvx_metrics_start(&metrics));
  ASSERT_OK(uvx_trace_start(&trace));
  ASSERT_OK(uvx_metrics_stop());
  ASSERT_OK(uvx_trace_stop());
  ASSERT_EQ(0, stat("mode.prom", &st));
  ASSERT_EQ(0640, st.st_mode & 07777);
  ASSERT_EQ(0, stat("mode.json", &st));
  ASSERT_EQ(0644, st.st_mode & 07777);
  metrics.mode = 0660;
  ASSERT_ERR(UV_EINVAL, uvx_metrics_start(&metrics));
  trace.mode = 0700;
  ASSERT_ERR(UV_EINVAL, uvx_trace_start(&trace));
  return 0;
}

/* The numbers of the standard streams are left to the program. */
TEST_IMPL(observe_files_are_above_the_standard_streams) {
  int taken[3];
  int saved = fcntl(2, F_DUPFD_CLOEXEC, FDS);

  ASSERT_GE(saved, FDS);
  for (int fd = 0; fd < 3; fd++)
    ASSERT_EQ(0, close(fd));
  int err = start_trace("low.json");
  int err2 = start_metrics("low.prom");
  for (int fd = 0; fd < 3; fd++)
    taken[fd] = fcntl(fd, F_GETFD) != -1;
  ASSERT_EQ(2, dup2(saved, 2)); /* for messages of this test */
  ASSERT_OK(err);
  ASSERT_OK(err2);
  for (int fd = 0; fd < 3; fd++)
    ASSERT_EQ(0, taken[fd]);
  ASSERT_OK(uvx_metrics_stop());
  ASSERT_OK(uvx_trace_stop());
  return 0;
}

static void check_data(int fd) {
  struct stat st;

  ASSERT_EQ(0, fstat(fd, &st));
  ASSERT_EQ(8, st.st_size);
}

/* A daemon closes everything and opens its data: the files of the observers are
 * lost, the data is not. */
TEST_IMPL(observe_files_spare_what_a_daemon_opens) {
  ASSERT_OK(start_trace("daemon.json"));
  ASSERT_OK(start_metrics("daemon.prom"));
  run_timer();
  for (int fd = 3; fd < FDS; fd++)
    (void) close(fd); /* most are closed already */
  test_write_file("data", "precious");
  for (int fd = 3; fd < FDS; fd++)
    ASSERT_EQ(fd, open("data", O_RDWR));
  run_timer();
  ASSERT_OK(uvx_metrics_stop());
  ASSERT_OK(uvx_trace_stop());
  for (int fd = 3; fd < FDS; fd++)
    check_data(fd);
  read_text("data");
  ASSERT_STR_EQ("precious", text);
  return 0;
}

HELPER_IMPL(run_one_timer) {
  (void) argc;
  (void) argv;
  run_timer();
  return 0;
}

/* Starts it with standard error in a file, which is read into `text`. */
static pid_t run_helper(const char* program, const char* errors) {
  char* args[7];

  helper_args(args, "run_one_timer", NULL, NULL, NULL);
  pid_t pid = test_fork();
  if (pid == 0) {
    int fd = open(errors, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    if (fd >= 0 && dup2(fd, 2) == 2)
      execv(program, args);
    _exit(127);
  }
  ASSERT_EQ(0, test_wait_child(pid));
  read_text(errors);
  return pid;
}

/* The second process says that it writes to a name of its own. */
TEST_IMPL(observe_files_of_two_processes_are_two) {
  struct stat before;
  struct stat st;
  char expected[256];
  char name[64];

  ASSERT_OK(start_metrics("shared"));
  ASSERT_EQ(0, stat("shared", &before));
  ASSERT_OK(uv_os_setenv("UV_METRICS", "shared"));
  pid_t pid = run_helper(test_self(), "errors");
  snprintf(name, sizeof(name), "shared.%d", (int) pid);
  snprintf(expected, sizeof(expected),
           "libuv: UV_METRICS=shared: another process writes it, this one "
           "writes to %s\n",
           name);
  ASSERT_STR_EQ(expected, text);
  read_text(name);
  ASSERT_NOT_NULL(strstr(text, "# EOF"));
  /* The first one's has not been touched. */
  ASSERT_EQ(0, stat("shared", &st));
  ASSERT_EQ(before.st_ino, st.st_ino);
  ASSERT_OK(uvx_metrics_stop());
  /* It is free then. */
  ASSERT_OK(uv_os_unsetenv("UV_METRICS"));
  ASSERT_OK(start_metrics("shared"));
  ASSERT_OK(uvx_metrics_stop());
  return 0;
}

/* The file name of a program is in the labels of its callbacks. */
TEST_IMPL(observe_files_have_labels_that_are_escaped) {
  static const char name[] = "a\"b\\c\n# EOF\xff";
  uv_fs_t req;

  ASSERT_OK(uv_fs_copyfile(NULL, &req, test_self(), name, 0, NULL));
  uv_fs_req_cleanup(&req);
  ASSERT_OK(uv_os_setenv("UV_METRICS", "labels"));
  (void) run_helper(name, "errors");
  read_text("labels");
  const char* label =
      strstr(text, "symbol=\"a\\\"b\\\\c\\n# EOF\xef\xbf\xbd+0x");
  ASSERT_NOT_NULL(label);
  const char* end = strstr(text, "\n# EOF");
  ASSERT_NOT_NULL(end);
  ASSERT_STR_EQ("\n# EOF\n", end);
  return 0;
}
