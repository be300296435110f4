/* SPDX-License-Identifier: MIT */
/* UV_DUMP_SIGNAL: the process describes its loops on standard error, wherever
 * they are, and nothing else changes. */
#include "test.h"
#include "uv/ext.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static char text[65536];

/* What was printed to standard error so far; see begin_errors(). */
static void read_errors(void) {
  FILE* file = fopen("errors", "rb");

  ASSERT_NOT_NULL(file);
  size_t n = fread(text, 1, sizeof(text) - 1, file);
  text[n] = '\0';
  fclose(file);
}

static int has_dump(void) {
  read_errors();
  return strstr(text, "libuv: end of dump\n") != NULL;
}

/* Standard error goes to a file. */
static void begin_errors(const char* name) {
  static int is_redirected;

  if (!is_redirected)
    test_redirect_errors("errors");
  is_redirected = 1;
  ASSERT_EQ(0, truncate("errors", 0));
  ASSERT_OK(uv_os_setenv("UV_DUMP_SIGNAL", name));
}

static size_t count(const char* part) {
  size_t n = 0;

  for (const char* at = text; (at = strstr(at, part)) != NULL; at++)
    n++;
  return n;
}

static void until_dump(uv_timer_t* timer) {
  if (has_dump())
    uv_close((uv_handle_t*) timer, NULL);
}

static void run_until_dump(uv_loop_t* loop) {
  uv_timer_t timer;

  ASSERT_OK(uv_timer_init(loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, until_dump, 1, 1));
  ASSERT_OK(uv_run(loop, UV_RUN_DEFAULT));
}

TEST_IMPL(dump_signal_prints_the_loop) {
  uv_loop_t loop;
  char expected[64];

  begin_errors("USR2");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_EQ(0, kill(getpid(), SIGUSR2));
  run_until_dump(&loop);
  snprintf(expected, sizeof(expected), "\nloop %p: ", (void*) &loop);
  ASSERT_EQ(1, count(expected));
  ASSERT_EQ(1, count("[RA--] timer"));
  ASSERT_EQ(1, count("\npool: "));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

static void sleep_until_dump(void* arg) {
  uv_async_t* async = arg;

  ASSERT_EQ(0, kill(getpid(), SIGUSR2));
  while (!has_dump())
    uv_sleep(1);
  ASSERT_OK(uv_async_send(async));
}

static int asyncs;

static void on_async(uv_async_t* async) {
  asyncs++;
  uv_close((uv_handle_t*) async, NULL);
}

/* Nothing but the signal happens: the loop sleeps, and goes on to. */
TEST_IMPL(dump_signal_wakes_a_sleeping_loop) {
  uv_loop_t loop;
  uv_async_t async;
  uv_thread_t thread;

  begin_errors("SIGUSR2");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_async_init(&loop, &async, on_async));
  ASSERT_OK(uv_thread_create(&thread, sleep_until_dump, &async));
  /* The dump is no reason for this to return. */
  ASSERT_OK(uv_run(&loop, UV_RUN_ONCE));
  ASSERT_EQ(1, asyncs);
  ASSERT_OK(uv_thread_join(&thread));
  ASSERT_EQ(1, count("[RA--] async"));
  ASSERT_EQ(0, count("no response"));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

static void block_until_dump(uv_timer_t* timer) {
  ASSERT_EQ(0, kill(getpid(), SIGUSR2));
  while (!has_dump())
    uv_sleep(1);
  uv_close((uv_handle_t*) timer, NULL);
}

static void close_timer(uv_timer_t* timer) {
  uv_close((uv_handle_t*) timer, NULL);
}

/* A loop in memory of its own, on a thread of its own. */
static void run_and_unmap(void* arg) {
  long size = sysconf(_SC_PAGESIZE);
  size_t room = (sizeof(uv_loop_t) / (size_t) size + 1) * (size_t) size;
  uv_timer_t timer;
  uv_loop_t* loop =
      mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);

  (void) arg;
  ASSERT((void*) loop != MAP_FAILED);
  ASSERT_OK(uv_loop_init(loop));
  ASSERT_OK(uv_timer_init(loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, close_timer, 1, 0));
  ASSERT_OK(uv_run(loop, UV_RUN_DEFAULT));
  ASSERT_EQ(0, munmap(loop, room));
}

/* Programs free loops that they never closed: nobody reads those. */
TEST_IMPL(dump_signal_leaves_freed_loops_alone) {
  uv_loop_t loop;
  uv_thread_t thread;
  char expected[64];

  begin_errors("USR2");
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 3; i++) {
    ASSERT_OK(uv_thread_create(&thread, run_and_unmap, NULL));
    ASSERT_OK(uv_thread_join(&thread));
  }
  ASSERT_EQ(0, kill(getpid(), SIGUSR2));
  run_until_dump(&loop);
  snprintf(expected, sizeof(expected), "\nloop %p: ", (void*) &loop);
  ASSERT_EQ(1, count(expected));
  ASSERT_EQ(3, count(": not running\n"));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* What a thread leaves behind when it ends inside uv_run(). */
struct left {
  uv_loop_t loop;
  uv_timer_t timer;
};

static void leave_thread(uv_timer_t* timer) {
  (void) timer;
  pthread_exit(NULL);
}

static void run_and_leave(void* arg) {
  struct left* left = arg;

  ASSERT_OK(uv_loop_init(&left->loop));
  ASSERT_OK(uv_timer_init(&left->loop, &left->timer));
  ASSERT_OK(uv_timer_start(&left->timer, leave_thread, 1, 0));
  uv_run(&left->loop, UV_RUN_DEFAULT);
  ASSERT(0 && "the thread has ended");
}

/* Such a loop is marked as running for ever, and may be freed all the same. */
TEST_IMPL(dump_signal_after_a_thread_left_its_loop) {
  uv_loop_t loop;
  uv_thread_t thread;
  char expected[64];
  struct left* left = mmap(NULL, sizeof(*left), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANON, -1, 0);

  begin_errors("USR2");
  ASSERT((void*) left != MAP_FAILED);
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_thread_create(&thread, run_and_leave, left));
  ASSERT_OK(uv_thread_join(&thread));
  ASSERT_EQ(0, munmap(left, sizeof(*left)));
  ASSERT_EQ(0, kill(getpid(), SIGUSR2));
  run_until_dump(&loop);
  snprintf(expected, sizeof(expected), "\nloop %p: ", (void*) &loop);
  ASSERT_EQ(1, count(expected));
  snprintf(expected, sizeof(expected), "loop %p: no response", (void*) left);
  ASSERT_EQ(1, count(expected));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

static uv_sem_t some_are_gone;

static void run_and_unmap_many(void* arg) {
  for (int i = 0; i < 100; i++) {
    run_and_unmap(arg);
    if (i == 10)
      uv_sem_post(&some_are_gone);
  }
}

/* The same while it happens: the dump finds each running or not. */
TEST_IMPL(dump_signal_while_loops_are_freed) {
  uv_loop_t loop;
  uv_thread_t thread;

  begin_errors("USR2");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_sem_init(&some_are_gone, 0));
  ASSERT_OK(uv_thread_create(&thread, run_and_unmap_many, NULL));
  uv_sem_wait(&some_are_gone); /* and some are to come */
  ASSERT_EQ(0, kill(getpid(), SIGUSR2));
  run_until_dump(&loop);
  ASSERT_OK(uv_thread_join(&thread));
  uv_sem_destroy(&some_are_gone);
  ASSERT_GE(count(": not running\n"), 1);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* A loop that is stuck in a callback cannot describe itself. */
TEST_IMPL(dump_signal_tells_of_a_blocked_loop) {
  uvx_watchdog_options_t options = { sizeof(options), 60000, NULL, NULL, 0 };
  uv_loop_t loop;
  uv_timer_t timer;
  char expected[64];

  begin_errors("USR2");
  ASSERT_OK(uvx_watchdog_start(&options));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, block_until_dump, 1, 0));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  snprintf(expected, sizeof(expected), "\nloop %p: no response", (void*) &loop);
  ASSERT_EQ(1, count(expected));
  ASSERT_EQ(1, count(": timer callback of timer "));
  /* Where the kernel tells of threads: this one, which sleeps. */
  if (access("/proc/self/task", R_OK) == 0) {
    snprintf(expected, sizeof(expected), "\n  thread %d ", (int) getpid());
    ASSERT_EQ(1, count(expected));
  }
  ASSERT_OK(uvx_watchdog_stop());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

static int signals;

static void on_signal(uv_signal_t* handle, int signum) {
  ASSERT_EQ(SIGUSR2, signum);
  signals++;
  uv_close((uv_handle_t*) handle, NULL);
}

/* Who waits for the signal too gets it, and when he stops, the dump stays. */
TEST_IMPL(dump_signal_leaves_signal_handles_alone) {
  uv_loop_t loop;
  uv_signal_t signal;

  begin_errors("USR2");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_signal_init(&loop, &signal));
  ASSERT_OK(uv_signal_start(&signal, on_signal, SIGUSR2));
  ASSERT_EQ(0, kill(getpid(), SIGUSR2));
  run_until_dump(&loop);
  ASSERT_EQ(1, signals);
  ASSERT_EQ(0, truncate("errors", 0));
  ASSERT_EQ(0, kill(getpid(), SIGUSR2)); /* would end the process */
  run_until_dump(&loop);
  ASSERT_EQ(1, signals);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

TEST_IMPL(dump_signal_with_a_bad_name_is_said_once) {
  static const char* const names[] = { "FOO", "SEGV", "KILL", "12", "SIG" };
  struct sigaction action;
  char expected[64];

  for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
    begin_errors(names[i]);
    pid_t pid = test_fork();
    if (pid == 0) {
      uv_loop_t loops[2];
      ASSERT_OK(uv_loop_init(&loops[0]));
      ASSERT_OK(uv_loop_init(&loops[1]));
      ASSERT_EQ(0, sigaction(SIGUSR2, NULL, &action));
      _exit(action.sa_handler == SIG_DFL ? 0 : 1);
    }
    ASSERT_EQ(0, test_wait_child(pid));
    read_errors();
    snprintf(expected, sizeof(expected),
             "libuv: UV_DUMP_SIGNAL=%s: no such signal\n", names[i]);
    ASSERT_STR_EQ(expected, text);
  }
  return 0;
}

static void ignore(int signum) {
  (void) signum;
}

/* A signal that the program has a use for stays the program's. */
TEST_IMPL(dump_signal_in_use_is_refused) {
  struct sigaction action;
  uv_loop_t loop;

  begin_errors("USR2");
  signal(SIGUSR2, ignore);
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_EQ(0, sigaction(SIGUSR2, NULL, &action));
  ASSERT(action.sa_handler == ignore);
  read_errors();
  ASSERT_STR_EQ("libuv: UV_DUMP_SIGNAL=USR2: the program uses that signal\n",
                text);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

TEST_IMPL(dump_signal_works_in_a_forked_child) {
  uv_loop_t loop;
  char expected[64];

  if (TEST_FORK_IS_UNSAFE)
    SKIP(FORK_IS_UNSAFE);
  begin_errors("USR2");
  ASSERT_OK(uv_loop_init(&loop));
  pid_t pid = test_fork();
  if (pid == 0) {
    ASSERT_OK(uv_loop_fork(&loop));
    ASSERT_EQ(0, kill(getpid(), SIGUSR2));
    run_until_dump(&loop);
    snprintf(expected, sizeof(expected), "dump of process %d\n",
             (int) getpid());
    ASSERT_EQ(1, count(expected));
    _exit(0);
  }
  ASSERT_EQ(0, test_wait_child(pid));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* A loop that is not being run cannot describe itself either. */
TEST_IMPL(dump_signal_tells_of_a_loop_that_nobody_runs) {
  uv_loop_t loop;
  uv_loop_t idle;
  char expected[64];

  begin_errors("USR2");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_loop_init(&idle));
  ASSERT_EQ(0, kill(getpid(), SIGUSR2));
  run_until_dump(&loop);
  snprintf(expected, sizeof(expected), "loop %p: not running\n", (void*) &idle);
  ASSERT_EQ(1, count(expected));
  ASSERT_EQ(1, count("[RA--] timer"));
  ASSERT_OK(uv_loop_close(&idle));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* The first dump waits for the loop, which is not being run; the signals that
 * arrive meanwhile cause one more. */
TEST_IMPL(dump_signals_that_arrive_together) {
  uv_loop_t loop;

  begin_errors("USR2");
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 100; i++)
    ASSERT_EQ(0, raise(SIGUSR2));
  run_until_dump(&loop);
  ASSERT_OK(uv_loop_close(&loop));
  uv_library_shutdown();
  read_errors();
  ASSERT_GE(count("libuv: dump of process"), 1);
  ASSERT_LT(count("libuv: dump of process"), 10);
  return 0;
}
