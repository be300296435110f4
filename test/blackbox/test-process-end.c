/* SPDX-License-Identifier: MIT */
/* exit_cb runs once, from the loop, with the status, whichever mechanism
 * reports the exit. Method: children that exit when told to. In a build with
 * test/kqueue-shim, KQUEUE_SHIM_CHILDREN makes kqueue report exits early, late
 * or not at all, as kernels do; elsewhere it has no effect. */
#include "test.h"

#include <stdio.h>

#if TEST_POSIX
# include <signal.h>
# include <sys/wait.h>
# include <unistd.h>
#endif

static uv_loop_t loop;
static int exits;
static int64_t exit_status;

static void on_exit_cb(uv_process_t* process, int64_t status, int signal) {
  ASSERT_EQ(0, signal);
  exits++;
  exit_status = status;
  uv_close((uv_handle_t*) process, NULL);
}

/* Exits with the given status after the given number of milliseconds. */
HELPER_IMPL(end_with_status) {
  ASSERT_EQ(2, argc);
  uv_sleep((unsigned) atoi(argv[1]));
  return atoi(argv[0]);
}

static void spawn_ending(uv_process_t* process,
                         const char* status,
                         const char* delay_ms) {
  uv_process_options_t options;
  char* args[7];

  helper_args(args, "end_with_status", status, delay_ms, NULL);
  test_process_options(&options, args, on_exit_cb);
  ASSERT_OK(uv_spawn(&loop, process, &options));
  ASSERT_EQ(1, uv_is_active((uv_handle_t*) process));
}

/* Waits until the child has exited, and leaves reaping to the library. */
static void await_zombie(int pid) {
#if TEST_POSIX
  siginfo_t info;
  ASSERT_EQ(0, waitid(P_PID, (id_t) pid, &info, WEXITED | WNOWAIT));
#else
  while (uv_kill(pid, 0) == 0)
    uv_sleep(1);
#endif
}

#if TEST_POSIX
static void run_one(const char* mode) {
  uv_process_t process;

  ASSERT_OK(uv_os_setenv("KQUEUE_SHIM_CHILDREN", mode));
  ASSERT_OK(uv_loop_init(&loop));
  exits = 0;
  spawn_ending(&process, "7", "30");
  ASSERT_EQ(0, exits);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, exits);
  ASSERT_EQ(7, exit_status);
  ASSERT_ERR(UV_ESRCH, uv_process_kill(&process, 0));
  ASSERT_EQ(-1, waitpid(-1, NULL, WNOHANG)); /* no zombie */
  test_close_loop(&loop);
}

#endif

TEST_IMPL(process_end_of_many) {
  enum { CHILDREN = 30 };
  static uv_process_t processes[CHILDREN];

  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < CHILDREN; i++)
    spawn_ending(&processes[i], "3", i % 2 ? "0" : "20");
  for (int i = 1; i < CHILDREN; i += 4)
    await_zombie(uv_process_get_pid(&processes[i]));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(CHILDREN, exits);
  ASSERT_EQ(3, exit_status);
  test_close_loop(&loop);
  return 0;
}

#if TEST_POSIX
static pid_t fork_foreign(int status) {
  pid_t pid = test_fork();
  if (pid == 0)
    _exit(status);
  await_zombie(pid);
  return pid;
}

static void take_foreign(pid_t pid, int wanted) {
  int status;

  ASSERT_EQ(pid, waitpid(pid, &status, WNOHANG));
  ASSERT_EQ(wanted, WEXITSTATUS(status));
}

/* Our children among others', older and younger, that have exited as well. */
TEST_IMPL(process_end_beside_foreign_children) {
  enum { CHILDREN = 20 };
  static uv_process_t processes[CHILDREN];

  ASSERT_OK(uv_loop_init(&loop));
  for (int round = 0; round < 3; round++) {
    pid_t older = round == 1 ? fork_foreign(41) : -1;
    exits = 0;
    for (int i = 0; i < CHILDREN; i++)
      spawn_ending(&processes[i], "3", i % 4 ? "20" : "0");
    pid_t younger = round == 2 ? fork_foreign(42) : -1;
    await_zombie(uv_process_get_pid(&processes[0]));
    ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
    ASSERT_EQ(CHILDREN, exits);
    if (older != -1)
      take_foreign(older, 41);
    if (younger != -1)
      take_foreign(younger, 42);
    ASSERT_EQ(-1, waitpid(-1, NULL, WNOHANG)); /* no zombie */
  }
  test_close_loop(&loop);
  return 0;
}

/* The program reaps one of many children itself while another exits. */
TEST_IMPL(process_end_of_many_one_of_them_taken) {
  enum { CHILDREN = 8 };
  static uv_process_t processes[CHILDREN];

  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < CHILDREN; i++)
    spawn_ending(&processes[i], "3", i < 2 ? "0" : "60000");
  await_zombie(uv_process_get_pid(&processes[1]));
  ASSERT_EQ(processes[0].pid, waitpid(processes[0].pid, NULL, 0));
  while (exits == 0)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(1, exits);
  ASSERT_ERR(UV_ESRCH, uv_process_kill(&processes[0], 0));
  ASSERT_EQ(1, uv_is_active((uv_handle_t*) &processes[0]));
  uv_close((uv_handle_t*) &processes[0], NULL);
  for (int i = 2; i < CHILDREN; i++) {
    ASSERT_OK(uv_process_kill(&processes[i], 0));
    uv_close((uv_handle_t*) &processes[i], NULL);
    ASSERT_OK(uv_kill(processes[i].pid, SIGKILL));
    ASSERT_EQ(processes[i].pid, waitpid(processes[i].pid, NULL, 0));
  }
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, exits);
  test_close_loop(&loop);
  return 0;
}

/* A child that stops and continues has not exited, nor does it hide one that
 * has. */
TEST_IMPL(process_end_beside_a_stopped_child) {
  enum { CHILDREN = 5 };
  static uv_process_t processes[CHILDREN];
  siginfo_t info;

  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < CHILDREN; i++)
    spawn_ending(&processes[i], "3", i == 1 ? "0" : "60000");
  ASSERT_OK(uv_process_kill(&processes[0], SIGSTOP));
  ASSERT_EQ(0,
            waitid(P_PID, (id_t) processes[0].pid, &info, WSTOPPED | WNOWAIT));
  await_zombie(processes[1].pid);
  while (exits == 0)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(1, exits);
  ASSERT_EQ(1, uv_is_active((uv_handle_t*) &processes[0]));
  for (int i = 0; i < CHILDREN; i++) {
    if (i == 1)
      continue;
    processes[i].exit_cb = NULL;
    ASSERT_OK(uv_process_kill(&processes[i], SIGKILL));
  }
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(-1, waitpid(-1, NULL, WNOHANG)); /* all of them were reaped */
  for (int i = 0; i < CHILDREN; i++)
    if (i != 1)
      uv_close((uv_handle_t*) &processes[i], NULL);
  test_close_loop(&loop);
  return 0;
}
#endif

static size_t bytes_seen;

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) buf;
  if (nread > 0) {
    ASSERT_EQ(0, exits); /* its output comes first */
    bytes_seen += (size_t) nread;
    return;
  }
  ASSERT_EQ(UV_EOF, nread);
  uv_close((uv_handle_t*) stream, NULL);
}

HELPER_IMPL(say_last_words) {
  (void) argc;
  (void) argv;
  return fputs("last words.", stdout) < 0;
}

/* Both are ready when the loop polls: the output comes before the exit. */
TEST_IMPL(process_end_after_its_output) {
  uv_process_t process;
  uv_process_options_t options;
  uv_stdio_container_t stdio[2];
  uv_pipe_t out;
  char* args[7];

  helper_args(args, "say_last_words", NULL, NULL, NULL);
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &out, 0));
  test_process_options(&options, args, on_exit_cb);
  options.stdio = stdio;
  options.stdio_count = 2;
  stdio[0].flags = UV_IGNORE;
  stdio[1].flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE;
  stdio[1].data.stream = (uv_stream_t*) &out;
  ASSERT_OK(uv_spawn(&loop, &process, &options));
  ASSERT_OK(uv_read_start((uv_stream_t*) &out, test_alloc, on_read));
  await_zombie(uv_process_get_pid(&process));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(11, bytes_seen);
  ASSERT_EQ(1, exits);
  ASSERT_EQ(0, exit_status);
  test_close_loop(&loop);
  return 0;
}

#if TEST_POSIX
/* NOTE_EXIT may arrive before the child can be waited for. */
TEST_IMPL(process_end_reported_early) {
  run_one("early-gone");
  run_one("early-silent");
  return 0;
}

/* The child exited before it was watched; the loop still reports it. */
TEST_IMPL(process_end_before_it_is_watched) {
  run_one("gone");
  return 0;
}

TEST_IMPL(process_end_refused_by_the_poller) {
  run_one("refused");
  return 0;
}

static void on_sigchld(int signum) {
  (void) signum;
}

/* The program's own handler stays, and so does its own child. */
TEST_IMPL(process_end_needs_no_sigchld) {
  struct sigaction action;
  uv_process_t process;

  if (!test_on_kqueue())
    SKIP("this poller does not report children");
  signal(SIGCHLD, on_sigchld);
  pid_t foreign = test_fork();
  if (foreign == 0)
    _exit(42);
  ASSERT_OK(uv_loop_init(&loop));
  spawn_ending(&process, "7", "30");
  ASSERT_EQ(0, sigaction(SIGCHLD, NULL, &action));
  ASSERT(action.sa_handler == on_sigchld);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(0, sigaction(SIGCHLD, NULL, &action));
  ASSERT(action.sa_handler == on_sigchld);
  ASSERT_EQ(1, exits);
  ASSERT_EQ(7, exit_status);
  int status = test_wait_child(foreign);
  ASSERT_EQ(42, WEXITSTATUS(status));
  test_close_loop(&loop);
  return 0;
}

/* The handle is closed before the report, and another child must still be
 * reported. */
TEST_IMPL(process_end_reported_when_closed) {
  uv_process_t closed;
  uv_process_t process;

  ASSERT_OK(uv_loop_init(&loop));
  spawn_ending(&closed, "1", "0");
  spawn_ending(&process, "7", "30");
  int pid = uv_process_get_pid(&closed);
  await_zombie(pid);
  uv_close((uv_handle_t*) &closed, NULL);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, exits);
  ASSERT_EQ(7, exit_status);
  ASSERT_EQ(pid, waitpid(pid, NULL, WNOHANG)); /* left to the program */
  test_close_loop(&loop);
  return 0;
}

/* Two children have ended: the second SIGCHLD finds those that ended in the
 * exit callbacks of the first. */
static uv_process_t chain[4];
static int nchain;

static void on_chain_exit(uv_process_t* process, int64_t status, int signal);

static void spawn_chained(void) {
  uv_process_t* process = &chain[nchain++];

  spawn_ending(process, "0", "0");
  process->exit_cb = on_chain_exit;
  await_zombie(process->pid);
}

static void on_chain_exit(uv_process_t* process, int64_t status, int signal) {
  on_exit_cb(process, status, signal);
  if (nchain < 4)
    spawn_chained();
}

TEST_IMPL(process_end_in_an_exit_callback) {
  if (test_on_kqueue())
    SKIP("kqueue tells of each child by itself");
  ASSERT_OK(uv_loop_init(&loop));
  spawn_chained();
  spawn_chained();
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_NOWAIT));
  ASSERT_EQ(4, exits);
  ASSERT_EQ(-1, waitpid(-1, NULL, WNOHANG)); /* no zombie */
  test_close_loop(&loop);
  return 0;
}

/* The copy of the loop in a forked process reports only its own children. */
TEST_IMPL(process_end_in_a_forked_loop) {
  uv_process_t process;

  ASSERT_OK(uv_loop_init(&loop));
  spawn_ending(&process, "7", "60");
  pid_t pid = test_fork();
  if (pid == 0) {
    uv_process_t own;
    ASSERT_OK(uv_loop_fork(&loop));
    uv_unref((uv_handle_t*) &process);
    spawn_ending(&own, "5", "0");
    ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
    ASSERT_EQ(1, exits);
    ASSERT_EQ(5, exit_status);
    _exit(0);
  }
  ASSERT_EQ(0, test_wait_child(pid));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, exits);
  ASSERT_EQ(7, exit_status);
  test_close_loop(&loop);
  return 0;
}
#endif
