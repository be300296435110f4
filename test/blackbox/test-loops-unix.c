/* SPDX-License-Identifier: MIT */
/* Managed loops and what only Unix has: signals, fork, descriptors of pollers.
 */
#include "test.h"
#include "uv/ext.h"

#include <signal.h>
#include <unistd.h>

static uvx_loops_t* loops;
static uvx_loops_options_t options;

static void make_loops(unsigned count) {
  options.size = sizeof(options);
  options.count = count;
  ASSERT_OK(uvx_loops_new(&loops, &options));
}

static int is_default(int signum) {
  struct sigaction action;

  ASSERT_EQ(0, sigaction(signum, NULL, &action));
  return action.sa_handler == SIG_DFL;
}

/* SIGTERM begins the shutdown; then a second one would end the process. */
static int ends; /* atomic */

static void send_sigterm(uv_loop_t* loop, void* arg) {
  (void) loop;
  (void) arg;
  ASSERT(!is_default(SIGTERM));
  ASSERT(!is_default(SIGINT));
  ASSERT_EQ(0, kill(getpid(), SIGTERM));
}

static void count_end(uv_loop_t* loop, void* arg) {
  (void) loop;
  (void) arg;
  ASSERT(is_default(SIGTERM));
  ASSERT(is_default(SIGINT));
  __atomic_add_fetch(&ends, 1, __ATOMIC_RELAXED);
}

TEST_IMPL(loops_signals_begin_the_shutdown) {
  make_loops(3);
  ASSERT_OK(
      uvx_loops_on_start(loops, uvx_loops_get(loops, 1), send_sigterm, NULL));
  ASSERT_OK(uvx_loops_on_end(loops, NULL, count_end, NULL));
  ASSERT_OK(uvx_loops_run(loops));
  ASSERT_EQ(3, ends);
  ASSERT_OK(uvx_loops_free(loops));
  return 0;
}

/* UVX_LOOPS_NO_SIGNALS: the actions stay the program's; the shutdown may also
 * come from a handler of its own. */
static void on_sigusr1(int signum) {
  (void) signum;
  uvx_loops_shutdown(loops);
}

static void send_sigusr1(uv_loop_t* loop, void* arg) {
  (void) loop;
  (void) arg;
  ASSERT(is_default(SIGTERM));
  ASSERT_EQ(0, kill(getpid(), SIGUSR1));
}

TEST_IMPL(loops_leave_signals_alone) {
  options.flags = UVX_LOOPS_NO_SIGNALS;
  make_loops(2);
  ASSERT(signal(SIGUSR1, on_sigusr1) != SIG_ERR);
  ASSERT_OK(
      uvx_loops_on_start(loops, uvx_loops_get(loops, 1), send_sigusr1, NULL));
  ASSERT_OK(uvx_loops_run(loops));
  ASSERT_OK(uvx_loops_free(loops));
  return 0;
}

/* The child has none of the threads: it can only free the memory. */
static void do_nothing(uv_loop_t* loop, void* arg) {
  (void) loop;
  (void) arg;
}

TEST_IMPL(loops_in_a_forked_child) {
  make_loops(2);
  pid_t pid = test_fork();
  if (pid == 0) {
    ASSERT_ERR(UV_EPERM, uvx_loops_run(loops));
    ASSERT_ERR(UV_EPERM, uvx_loops_on_start(loops, NULL, do_nothing, NULL));
    uvx_loops_shutdown(loops);
    ASSERT_OK(uvx_loops_free(loops));
    test_exit_bare(0);
  }
  ASSERT_EQ(0, test_wait_child(pid));
  uvx_loops_shutdown(loops);
  ASSERT_OK(uvx_loops_run(loops));
  ASSERT_OK(uvx_loops_free(loops));
  return 0;
}

static int finished;

static void ignore_work(uv_work_t* req) {
  (void) req;
}

static void finish_work(uv_work_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  finished++;
}

/* What is left of them in the child: its own loop is a loop like any other, and
 * nobody looks for the rest. */
TEST_IMPL(loops_freed_in_a_forked_child) {
  uvx_loops_options_t options = { .size = sizeof(options), .count = 3 };
  uv_loop_t loop;
  uv_work_t work;

  ASSERT_OK(uv_loop_init(&loop));
  options.main = &loop;
  ASSERT_OK(uvx_loops_new(&loops, &options));
  pid_t pid = test_fork();
  if (pid == 0) {
    ASSERT_OK(uvx_loops_free(loops));
    ASSERT_OK(uv_loop_fork(&loop));
    ASSERT_ERR(UV_EINVAL, uvx_loop_index(&loop)); /* not managed */
    ASSERT_OK(uv_queue_work(&loop, &work, ignore_work, finish_work));
    ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
    ASSERT_EQ(1, finished);
    ASSERT_OK(uv_loop_close(&loop));
    test_exit_bare(0);
  }
  ASSERT_EQ(0, test_wait_child(pid));
  ASSERT_OK(uvx_loops_free(loops));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* A loop that can no longer wait begins the shutdown; the end functions of all
 * still run. */
static void close_poller(uv_loop_t* loop, void* arg) {
  (void) arg;
  ASSERT_EQ(0, close(uv_backend_fd(loop)));
}

static void count_any_end(uv_loop_t* loop, void* arg) {
  (void) loop;
  (void) arg;
  __atomic_add_fetch(&ends, 1, __ATOMIC_RELAXED);
}

/* Does a loop notice that its poller's descriptor was closed? */
static int is_failure_noticed(void) {
  static uv_loop_t probe;

  ASSERT_OK(uv_loop_init(&probe));
  if (uv_backend_fd(&probe) < 0)
    return 0;
  close_poller(&probe, NULL);
  return uvx_backend_process(&probe, 0) < 0;
}

TEST_IMPL(loops_end_when_a_poller_fails) {
  if (test_on_kqueue())
    SKIP("the emulation of kqueue has the descriptor in tables of its own");
  if (!is_failure_noticed())
    SKIP("this poller works without its descriptor");
  make_loops(2);
  uv_loop_t* second = uvx_loops_get(loops, 1);
  ASSERT_OK(uvx_loops_on_start(loops, second, close_poller, NULL));
  ASSERT_OK(uvx_loops_on_end(loops, NULL, count_any_end, NULL));
  ASSERT_ERR(UV_EIO, uvx_loops_run(loops));
  ASSERT_EQ(2, ends);
  return 0;
}

/* The child of a fork in a pause has one thread: there is nothing to pause or
 * to resume, whatever the locks were. The parent goes on. */
static void fork_in_pause(uv_loop_t* loop, void* arg) {
  (void) loop;
  (void) arg;
  ASSERT_OK(uvx_loops_pause(loops, -1));
  pid_t pid = test_fork();
  if (pid == 0) {
    ASSERT_ERR(UV_EPERM, uvx_loops_pause(loops, -1));
    uvx_loops_resume(loops);
    ASSERT_ERR(UV_EPERM, uvx_loops_on_end(loops, NULL, do_nothing, NULL));
    test_exit_bare(0);
  }
  ASSERT_EQ(0, test_wait_child(pid));
  uvx_loops_resume(loops);
  uvx_loops_shutdown(loops);
}

TEST_IMPL(loops_pause_and_fork) {
  if (TEST_FORK_IS_UNSAFE)
    SKIP(FORK_IS_UNSAFE);
  make_loops(3);
  ASSERT_OK(
      uvx_loops_on_start(loops, uvx_loops_get(loops, 1), fork_in_pause, NULL));
  ASSERT_OK(uvx_loops_run(loops));
  ASSERT_OK(uvx_loops_free(loops));
  return 0;
}

/* A loop whose poller has failed stands still like the others, until the
 * shutdown that this begins. */
static void pause_as_often(uv_loop_t* loop, void* arg) {
  (void) loop;
  (void) arg;
  for (int i = 0; i < 10; i++) {
    ASSERT_OK(uvx_loops_pause(loops, -1));
    uvx_loops_resume(loops);
  }
}

TEST_IMPL(loops_pause_with_a_poller_that_failed) {
  if (test_on_kqueue())
    SKIP("the emulation of kqueue has the descriptor in tables of its own");
  if (!is_failure_noticed())
    SKIP("this poller works without its descriptor");
  make_loops(2);
  uv_loop_t* second = uvx_loops_get(loops, 1);
  ASSERT_OK(uvx_loops_on_start(loops, second, close_poller, NULL));
  ASSERT_OK(
      uvx_loops_on_start(loops, uvx_loops_get(loops, 0), pause_as_often, NULL));
  ASSERT_ERR(UV_EIO, uvx_loops_run(loops));
  return 0;
}
