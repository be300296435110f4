/* SPDX-License-Identifier: MIT */
/* fork() while the library is in use: by other threads, and by the program's
 * own pthread_atfork() handlers. */
#include "ignore.h"
#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define FORKS 100
#define CHILD_SECONDS 8

static uv_loop_t loop;
static uv_signal_t handle;
static int stop; /* atomic */

static pid_t fork_with_limit(void) {
  fflush(NULL);
  pid_t pid = test_fork();
  if (pid == 0)
    alarm(CHILD_SECONDS); /* a child that hangs must not outlive the test */
  return pid;
}

static int is_registered;

/* Runs before the library's handlers, because it was registered before them. */
static void use_library_in_child(void) {
  if (!is_registered)
    return;
  alarm(CHILD_SECONDS);
  ASSERT_OK(uv_loop_fork(&loop));
  ASSERT_OK(uv_signal_stop(&handle));
  ASSERT_OK(uv_signal_start(&handle, ignore_signal, SIGUSR2));
}

/* MemorySanitizer (clang 14) holds the lock of its stack depot until the fork
 * handlers have run: a free() in one of them waits forever. */
static void skip_without_fork_handlers(void) {
  if (TEST_MSAN)
    SKIP("fork handlers cannot use memory under MemorySanitizer");
}

TEST_IMPL(fork_handler_registered_before_ours) {
  skip_without_fork_handlers();
  ASSERT_EQ(0, pthread_atfork(NULL, NULL, use_library_in_child));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_signal_init(&loop, &handle));
  ASSERT_OK(uv_signal_start(&handle, ignore_signal, SIGUSR1));
  is_registered = 1;
  pid_t pid = fork_with_limit();
  if (pid == 0) {
    ASSERT_EQ(SIGUSR2, handle.signum);
    test_close_loop(&loop);
    exit(0);
  }
  ASSERT_EQ(0, test_wait_child(pid));
  test_close_loop(&loop);
  return 0;
}

static int is_stopped(void) {
  return __atomic_load_n(&stop, __ATOMIC_RELAXED);
}

/* Exits with everything the library does at exit. LeakSanitizer would report
 * what the other thread had allocated when the fork removed it. */
static void end_child(void) {
  if (!TEST_ASAN)
    exit(0);
  uv_library_shutdown();
  _exit(0);
}

/* Forks repeatedly next to a thread; each child must exit by itself. */
static void fork_beside(void (*busy)(void*), void (*in_child)(void)) {
  uv_thread_t thread;

  if (TEST_TSAN)
    SKIP("ThreadSanitizer cannot follow a fork next to threads");
  ASSERT_OK(uv_thread_create(&thread, busy, NULL));
  for (int i = 0; i < FORKS; i++) {
    pid_t pid = fork_with_limit();
    if (pid == 0) {
      in_child();
      end_child();
    }
    ASSERT_EQ(0, test_wait_child(pid));
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  ASSERT_OK(uv_thread_join(&thread));
}

static void change_title(void* arg) {
  char text[64];

  (void) arg;
  while (!is_stopped()) {
    ASSERT_OK(uv_set_process_title("busy"));
    ASSERT_OK(uv_get_process_title(text, sizeof(text)));
  }
}

static void read_title(void) {
  char text[64];
  ASSERT_OK(uv_get_process_title(text, sizeof(text)));
}

TEST_IMPL(fork_while_the_title_changes) {
  static char area[] = "a title of some length";
  char* argv[] = { area, NULL };
  char text[64];

  (void) uv_setup_args(1, argv);
  if (uv_get_process_title(text, sizeof(text)) != 0)
    SKIP("no title here");
  fork_beside(change_title, read_title);
  return 0;
}

static void change_signals(void* arg) {
  uv_loop_t own;
  uv_signal_t own_handle;

  (void) arg;
  ASSERT_OK(uv_loop_init(&own));
  ASSERT_OK(uv_signal_init(&own, &own_handle));
  while (!is_stopped()) {
    ASSERT_OK(uv_signal_start(&own_handle, ignore_signal, SIGUSR1));
    ASSERT_OK(uv_signal_stop(&own_handle));
  }
  test_close_loop(&own);
}

static void watch_signal(void) {
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_signal_init(&loop, &handle));
  ASSERT_OK(uv_signal_start(&handle, ignore_signal, SIGUSR1));
  raise(SIGUSR1);
  test_close_loop(&loop);
}

TEST_IMPL(fork_while_signals_change) {
  skip_without_fork_handlers();
  fork_beside(change_signals, watch_signal);
  return 0;
}

/* A kernel queue is not inherited by a child: its number is free there, or that
 * of a descriptor opened since, which closing the loop must not close. */
TEST_IMPL(fork_child_closes_nothing_of_its_own) {
  enum { PIPES = 4 };
  uv_fs_event_t watcher;
  char byte;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_fs_event_init(&loop, &watcher));
  ASSERT_OK(uv_fs_event_start(&watcher, ignore_fs_event, ".", 0));
  uv_close((uv_handle_t*) &watcher, NULL);
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  pid_t pid = fork_with_limit();
  if (pid == 0) {
    int fds[PIPES][2];
    for (int i = 0; i < PIPES; i++)
      ASSERT_EQ(0, pipe(fds[i]));
    ASSERT_OK(uv_loop_close(&loop));
    for (int i = 0; i < PIPES; i++) {
      ASSERT_EQ(1, write(fds[i][1], "x", 1));
      ASSERT_EQ(1, read(fds[i][0], &byte, 1));
    }
    _exit(0);
  }
  ASSERT_EQ(0, test_wait_child(pid));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}
