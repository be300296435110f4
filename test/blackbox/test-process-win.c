/* SPDX-License-Identifier: MIT */
/* Windows processes: job objects, and processes that are exiting. Method: the
 * program starts itself as its child. */
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static uv_loop_t loop;

static void on_exit_cb(uv_process_t* process, int64_t status, int signal) {
  (void) status;
  (void) signal;
  uv_close((uv_handle_t*) process, NULL);
}

static void start_sleeper(uv_process_t* process) {
  uv_process_options_t options;
  char* args[7];

  helper_args(args, "sleep_for_ever", NULL, NULL, NULL);
  test_process_options(&options, args, on_exit_cb);
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_spawn(&loop, process, &options));
}

static void end_sleeper(uv_process_t* process) {
  ASSERT_OK(uv_process_kill(process, SIGKILL));
  uv_run(&loop, UV_RUN_DEFAULT);
  test_close_loop(&loop);
}

static HANDLE handle_of_child;

static int is_usable(HANDLE handle) {
  DWORD code;
  return GetExitCodeProcess(handle, &code) != 0;
}

static void on_child_closed(uv_handle_t* handle) {
  (void) handle;
  ASSERT_EQ(0, is_usable(handle_of_child));
}

static void on_exit_close(uv_process_t* process, int64_t status, int signal) {
  (void) status;
  (void) signal;
  ASSERT_PTR_EQ(handle_of_child, process->process_handle);
  ASSERT_NE(0, is_usable(handle_of_child));
  uv_close((uv_handle_t*) process, on_child_closed);
  ASSERT_NE(0, is_usable(handle_of_child));
}

/* Programs use process_handle after the exit; the id is not reused either. */
TEST_IMPL(process_handle_is_kept_until_it_is_closed) {
  uv_process_t process;

  start_sleeper(&process);
  handle_of_child = process.process_handle;
  process.exit_cb = on_exit_close;
  end_sleeper(&process);
  return 0;
}

/* The limits of this process's innermost job. */
static DWORD own_job_limits(void) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION info;

  memset(&info, 0, sizeof(info));
  if (!QueryInformationJobObject(NULL, JobObjectExtendedLimitInformation, &info,
                                 sizeof(info), NULL))
    return 0;
  return info.BasicLimitInformation.LimitFlags;
}

TEST_IMPL(process_is_in_the_job_of_its_children) {
  const DWORD limits =
      JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK;
  uv_process_t process;

  if (test_on_wine())
    SKIP("Wine reports no limits for any job");
  start_sleeper(&process);
  DWORD got = own_job_limits();
  end_sleeper(&process);
  ASSERT_EQ(limits, got & limits);
  return 0;
}

HELPER_IMPL(keep_a_child) {
  uv_process_t process;
  char text[16];
  uv_fs_t req;

  (void) argc;
  (void) argv;
  start_sleeper(&process);
  int len = snprintf(text, sizeof(text), "%d", process.pid);
  uv_buf_t buf = uv_buf_init(text, (unsigned) len);
  ASSERT_EQ(len, uv_fs_write(NULL, &req, 1, &buf, 1, -1, NULL));
  uv_run(&loop, UV_RUN_DEFAULT);
  return 0;
}

static uv_process_t parent;
static HANDLE grandchild;

static void on_pid(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  if (nread < 0) {
    uv_close((uv_handle_t*) stream, NULL);
    return;
  }
  if (nread == 0 || grandchild != NULL)
    return;
  buf->base[nread] = '\0'; /* test_alloc() has more */
  grandchild = OpenProcess(SYNCHRONIZE, FALSE, (DWORD) atoi(buf->base));
  ASSERT_NOT_NULL(grandchild);
  ASSERT_EQ(WAIT_TIMEOUT, WaitForSingleObject(grandchild, 0));
  ASSERT_OK(uv_process_kill(&parent, SIGKILL));
}

/* A process that is killed cannot end its children: their job does. */
TEST_IMPL(process_children_end_with_their_parent) {
  uv_process_options_t options;
  uv_stdio_container_t stdio[2];
  uv_pipe_t output;
  char* args[7];

  memset(&options, 0, sizeof(options));
  helper_args(args, "keep_a_child", NULL, NULL, NULL);
  options.file = args[0];
  options.args = args;
  options.exit_cb = on_exit_cb;
  options.stdio = stdio;
  options.stdio_count = 2;
  stdio[0].flags = UV_IGNORE;
  stdio[1].flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE;
  stdio[1].data.stream = (uv_stream_t*) &output;
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &output, 0));
  ASSERT_OK(uv_spawn(&loop, &parent, &options));
  ASSERT_OK(uv_read_start((uv_stream_t*) &output, test_alloc, on_pid));
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_NOT_NULL(grandchild);
  ASSERT_EQ(WAIT_OBJECT_0, WaitForSingleObject(grandchild, INFINITE));
  CloseHandle(grandchild);
  test_close_loop(&loop);
  return 0;
}

/* The second call may find a process that has an exit status and still has
 * threads: that is "already ended", not "access denied". */
TEST_IMPL(process_kill_twice) {
  uv_process_t process;

  start_sleeper(&process);
  ASSERT_OK(uv_kill(process.pid, SIGTERM));
  for (int i = 0; i < 20; i++) {
    int err = uv_kill(process.pid, SIGTERM);
    ASSERT(err == 0 || err == UV_ESRCH);
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_ERR(UV_ESRCH, uv_kill(process.pid, 0));
  test_close_loop(&loop);
  return 0;
}

HELPER_IMPL(first_of_a_name) {
  char value[16];
  size_t size = sizeof(value);

  (void) argc;
  (void) argv;
  ASSERT_OK(uv_os_getenv("TWICE", value, &size));
  return strcmp(value, "0") == 0 ? 0 : 1;
}

static int64_t exit_status = -1;

static void on_helper_exit(uv_process_t* process, int64_t status, int signal) {
  (void) signal;
  exit_status = status;
  uv_close((uv_handle_t*) process, NULL);
}

/* A program that looks up a name gets the entry that was given first, however
 * the block is sorted. */
TEST_IMPL(process_environment_first_of_a_name_wins) {
  enum { COUNT = 60 };
  uv_process_t process;
  uv_process_options_t options;
  char texts[COUNT][16];
  char* env[COUNT + 1];
  char* args[7];

  for (int i = 0; i < COUNT; i++) {
    snprintf(texts[i], sizeof(texts[i]), "%s=%d", i % 2 ? "twice" : "TWICE", i);
    env[i] = texts[i];
  }
  env[COUNT] = NULL;
  helper_args(args, "first_of_a_name", NULL, NULL, NULL);
  test_process_options(&options, args, on_helper_exit);
  options.env = env;
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_spawn(&loop, &process, &options));
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_EQ(0, exit_status);
  test_close_loop(&loop);
  return 0;
}
