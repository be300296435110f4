/* SPDX-License-Identifier: MIT */
/* Traces where the process is forked, killed, out of disk space or not to be
 * trusted with files. */
#include "ignore.h"
#include "test.h"
#include "trace-file.h"
#include "uv/ext.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void run_one_timer(uv_loop_t* loop) {
  uv_timer_t timer;

  ASSERT_OK(uv_timer_init(loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, ignore_timer, 0, 0));
  ASSERT_OK(uv_run(loop, UV_RUN_DEFAULT));
  uv_close((uv_handle_t*) &timer, NULL);
  ASSERT_OK(uv_run(loop, UV_RUN_DEFAULT));
}

static size_t timers_in(const char* name) {
  struct trace_file trace;

  trace_file_read(&trace, name);
  ASSERT(trace.is_closed);
  size_t count = trace_file_count(&trace, "\"call\":\"timer\"", NULL);
  trace_file_check_nesting(&trace);
  trace_file_free(&trace);
  return count;
}

TEST_IMPL(trace_forked_child_goes_on_in_a_file_of_its_own) {
  uvx_trace_options_t options = { .size = sizeof(options),
                                  .path = "fork-%p.json" };
  uv_loop_t loop;
  char name[64];

  if (TEST_FORK_IS_UNSAFE)
    SKIP(FORK_IS_UNSAFE);
  ASSERT_OK(uvx_trace_start(&options));
  ASSERT_OK(uv_loop_init(&loop));
  run_one_timer(&loop);
  pid_t pid = test_fork();
  if (pid == 0) {
    ASSERT_OK(uv_loop_fork(&loop));
    run_one_timer(&loop);
    run_one_timer(&loop);
    ASSERT_OK(uvx_trace_stop());
    _exit(0);
  }
  ASSERT_EQ(0, test_wait_child(pid));
  ASSERT_OK(uvx_trace_stop());
  ASSERT_OK(uv_loop_close(&loop));

  snprintf(name, sizeof(name), "fork-%d.json", (int) pid);
  ASSERT_EQ(2, timers_in(name));
  snprintf(name, sizeof(name), "fork-%d.json", (int) getpid());
  ASSERT_EQ(1, timers_in(name));
  return 0;
}

TEST_IMPL(trace_forked_child_without_a_name_stops) {
  uvx_trace_options_t options = { .size = sizeof(options),
                                  .path = "fork.json" };
  uvx_trace_options_t other = { .size = sizeof(options),
                                .path = "fork-child.json" };
  uv_loop_t loop;

  if (TEST_FORK_IS_UNSAFE)
    SKIP(FORK_IS_UNSAFE);
  ASSERT_OK(uvx_trace_start(&options));
  ASSERT_OK(uv_loop_init(&loop));
  run_one_timer(&loop);
  pid_t pid = test_fork();
  if (pid == 0) {
    ASSERT_OK(uv_loop_fork(&loop));
    run_one_timer(&loop);
    ASSERT_ERR(UV_ESRCH, uvx_trace_stop());
    /* It may have one of its own. */
    ASSERT_OK(uvx_trace_start(&other));
    run_one_timer(&loop);
    exit(0); /* ends it */
  }
  ASSERT_EQ(0, test_wait_child(pid));
  run_one_timer(&loop);
  ASSERT_OK(uvx_trace_stop());
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_EQ(2, timers_in("fork.json"));
  ASSERT_EQ(1, timers_in("fork-child.json"));
  return 0;
}

/* The child exits without having had to do with loops. */
TEST_IMPL(trace_forked_child_may_just_exit) {
  uvx_trace_options_t options = { .size = sizeof(options),
                                  .path = "fork.json" };
  uv_loop_t loop;

  if (TEST_FORK_IS_UNSAFE)
    SKIP(FORK_IS_UNSAFE);
  ASSERT_OK(uvx_trace_start(&options));
  ASSERT_OK(uv_loop_init(&loop));
  pid_t pid = test_fork();
  if (pid == 0)
    exit(0);
  ASSERT_EQ(0, test_wait_child(pid));
  run_one_timer(&loop);
  ASSERT_OK(uvx_trace_stop());
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_EQ(1, timers_in("fork.json"));
  return 0;
}

static size_t ticks;

static void count_tick(uv_timer_t* timer) {
  (void) timer;
  ticks++;
}

static void run_for_ever(const char* path) {
  uvx_trace_options_t options = { .size = sizeof(options), .path = path };
  uv_loop_t loop;
  uv_timer_t timer;

  ASSERT_OK(uvx_trace_start(&options));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, count_tick, 0, 1));
  uv_run(&loop, UV_RUN_DEFAULT);
}

static off_t size_of(const char* path) {
  struct stat st;

  return stat(path, &st) == 0 ? st.st_size : 0;
}

TEST_IMPL(trace_of_a_killed_process_is_readable) {
  struct trace_file trace;

  pid_t pid = test_fork();
  if (pid == 0) {
    run_for_ever("killed.json");
    _exit(1);
  }
  while (size_of("killed.json") < 20000)
    uv_sleep(5);
  ASSERT_EQ(0, kill(pid, SIGKILL));
  int status = test_wait_child(pid);
  ASSERT(WIFSIGNALED(status));

  trace_file_read(&trace, "killed.json");
  ASSERT(!trace.is_closed);
  ASSERT_GE(trace_file_count(&trace, "\"call\":\"timer\"", NULL), 10);
  trace_file_free(&trace);
  return 0;
}

static void run_until_full(void) {
  uvx_trace_options_t options = { .size = sizeof(options),
                                  .path = "full.json" };
  struct rlimit limit = { 32768, 32768 };
  uv_loop_t loop;
  uv_timer_t timer;

  ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &limit));
  ASSERT_OK(uvx_trace_start(&options));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, count_tick, 0, 1));
  while (ticks < 500)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_OK(uvx_trace_stop());
  exit(0);
}

TEST_IMPL(trace_that_fills_the_disk_ends_and_says_so_once) {
  struct trace_file trace;
  char text[512];

  test_redirect_errors("stderr");
  pid_t pid = test_fork();
  if (pid == 0)
    run_until_full();
  ASSERT_EQ(0, test_wait_child(pid));

  trace_file_read(&trace, "full.json");
  ASSERT(!trace.is_closed);
  ASSERT_GE(trace_file_count(&trace, "\"call\":\"timer\"", NULL), 10);
  trace_file_free(&trace);
  int fd = open("stderr", O_RDONLY);
  ssize_t n = read(fd, text, sizeof(text) - 1);
  ASSERT_GT(n, 0);
  text[n] = '\0';
  close(fd);
  char* first = strstr(text, "trace ended");
  ASSERT_NOT_NULL(first);
  ASSERT_NULL(strstr(first + 1, "trace ended"));
  return 0;
}

TEST_IMPL(trace_files_are_private_and_nobody_elses) {
  uvx_trace_options_t link_to = { .size = sizeof(link_to),
                                  .path = "link.json" };
  uvx_trace_options_t second = { .size = sizeof(second),
                                 .path = "second.json" };
  uvx_trace_options_t queue = { .size = sizeof(queue), .path = "queue.json" };
  uvx_trace_options_t directory = { .size = sizeof(directory), .path = "." };
  uvx_trace_options_t plain = { .size = sizeof(plain), .path = "plain.json" };
  uvx_trace_options_t same = { .size = sizeof(same), .path = "same-%p.json" };
  char name[64];
  struct stat st;

  test_write_file("precious", "precious");
  ASSERT_EQ(0, symlink("precious", "link.json"));
  ASSERT_ERR(UV_ELOOP, uvx_trace_start(&link_to));
  ASSERT_EQ(0, link("precious", "second.json"));
  ASSERT_ERR(UV_EPERM, uvx_trace_start(&second));
  ASSERT_EQ(0, mkfifo("queue.json", 0600));
  ASSERT_NE(0, uvx_trace_start(&queue));
  ASSERT_ERR(UV_EISDIR, uvx_trace_start(&directory));
  ASSERT_EQ(8, size_of("precious"));

  umask(0);
  ASSERT_OK(uvx_trace_start(&plain));
  ASSERT_OK(uvx_trace_stop());
  ASSERT_EQ(0, stat("plain.json", &st));
  ASSERT_EQ(0600, st.st_mode & 07777);

  /* With the process's number a file is never overwritten. */
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(uvx_trace_start(&same));
    ASSERT_OK(uvx_trace_stop());
  }
  snprintf(name, sizeof(name), "same-%d.json.2", (int) getpid());
  ASSERT_GT(size_of(name), 0);
  return 0;
}

TEST_IMPL(trace_file_of_another_user_is_refused) {
  uvx_trace_options_t options = { .size = sizeof(options),
                                  .path = "other.json" };

  if (getuid() != 0)
    SKIP("needs root to give a file away");
  test_write_file("other.json", "precious");
  ASSERT_EQ(0, chown("other.json", 65534, 65534));
  ASSERT_ERR(UV_EPERM, uvx_trace_start(&options));
  ASSERT_EQ(8, size_of("other.json"));
  return 0;
}

TEST_IMPL(trace_file_in_use_is_refused) {
  uvx_trace_options_t options = { .size = sizeof(options),
                                  .path = "busy.json" };

  ASSERT_OK(uvx_trace_start(&options));
  pid_t pid = test_fork();
  if (pid == 0) {
    ASSERT_ERR(UV_EBUSY, uvx_trace_start(&options));
    _exit(0);
  }
  ASSERT_EQ(0, test_wait_child(pid));
  ASSERT_OK(uvx_trace_stop());
  return 0;
}

#if TEST_HAVE_WEAK
/* As Node declares it: is io_uring in use, or would it be? */
int uv__node_patch_is_using_io_uring(void) TEST_WEAK;

static int uses_uring(void) {
  return uv__node_patch_is_using_io_uring != NULL &&
         uv__node_patch_is_using_io_uring();
}
#else
static int uses_uring(void) {
  return 0;
}
#endif

/* select() would refuse a descriptor of this size. */
static void watch_large_descriptor(uv_loop_t* loop) {
  uv_poll_t poll;
  int fds[2];

  ASSERT_EQ(0, pipe(fds));
  int fd = fcntl(fds[0], F_DUPFD, FD_SETSIZE);
  ASSERT_GE(fd, FD_SETSIZE);
  ASSERT_OK(uv_poll_init(loop, &poll, fd));
  ASSERT_OK(uv_poll_start(&poll, UV_READABLE, ignore_poll));
  uv_close((uv_handle_t*) &poll, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
  close(fd);
  close(fds[0]);
  close(fds[1]);
}

static uv_barrier_t two_workers;

static void wait_for_other(uv_work_t* req) {
  (void) req;
  uv_barrier_wait(&two_workers);
}

/* Ends only if the pool has more than the one thread that the environment asks
 * for. */
static void use_two_workers(uv_loop_t* loop) {
  uv_work_t reqs[2];

  ASSERT_OK(uv_barrier_init(&two_workers, 2));
  for (int i = 0; i < 2; i++)
    ASSERT_OK(uv_queue_work(loop, &reqs[i], wait_for_other, NULL));
  ASSERT_EQ(0, uv_run(loop, UV_RUN_DEFAULT));
  uv_barrier_destroy(&two_workers);
}

HELPER_IMPL(run_with_raised_rights) {
  uv_loop_t loop;

  (void) argc;
  (void) argv;
  ASSERT_OK(uv_loop_init(&loop));
  if (geteuid() != getuid()) {
    /* Neither the poller nor the ring that the environment asks for. */
    use_two_workers(&loop);
    watch_large_descriptor(&loop);
    ASSERT_EQ(0, uses_uring());
  }
  run_one_timer(&loop);
  ASSERT_OK(uv_loop_close(&loop));
  /* Neither LeakSanitizer nor gcov has what it needs in a process with raised
   * rights. */
  test_exit_bare(geteuid() == getuid() ? 2 : 0);
}

static void copy_self(const char* path) {
  uv_fs_t req;

  ASSERT_OK(uv_fs_copyfile(NULL, &req, test_self(), path, 0, NULL));
  uv_fs_req_cleanup(&req);
}

/* The copy belongs to nobody and runs with nobody's rights. */
TEST_IMPL(environment_is_ignored_with_raised_rights) {
  if (getuid() != 0)
    SKIP("needs root to make a program of another user");
  copy_self("raised");
  ASSERT_EQ(0, chown("raised", 65534, 65534));
  ASSERT_EQ(0, chmod("raised", 04755));
  ASSERT_EQ(0, chmod(".", 0777));
  ASSERT_OK(uv_os_setenv("UV_TRACE", "raised.json"));
  ASSERT_OK(uv_os_setenv("UV_METRICS", "raised.txt"));
  ASSERT_OK(uv_os_setenv("UV_METRICS_INTERVAL", "soon"));
  ASSERT_OK(uv_os_setenv("UV_WATCHDOG", "soon"));
  ASSERT_OK(uv_os_setenv("UV_WATCHDOG_SIGNAL", "FOO"));
  ASSERT_OK(uv_os_setenv("UV_DUMP_SIGNAL", "FOO"));
  ASSERT_OK(uv_os_setenv("UV_DEBUG", "1"));
  ASSERT_OK(uv_os_setenv("UV_THREADPOOL_SIZE", "many"));
  ASSERT_OK(uv_os_setenv("UV_POLLER", "select"));
  ASSERT_OK(uv_os_setenv("UV_USE_IO_URING", "2"));
  struct rlimit limit = { FD_SETSIZE + 64, FD_SETSIZE + 64 };
  ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
  pid_t pid = test_fork();
  if (pid == 0) {
    (void) dup2(open("errors", O_WRONLY | O_CREAT, 0666), 2);
    execl("./raised", "raised", "--helper", "run_with_raised_rights", NULL);
    _exit(3);
  }
  int status = test_wait_child(pid);
  ASSERT(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2)
    SKIP("the file system ignores set-user-ID");
  if (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 3)
    SKIP("the copy cannot be run: its library is out of its user's reach");
  ASSERT_EQ(0, WEXITSTATUS(status));
  ASSERT_EQ(0, size_of("raised.json"));
  ASSERT_EQ(0, size_of("raised.txt"));
  ASSERT_EQ(0, size_of("errors")); /* nothing is even said */
  return 0;
}
