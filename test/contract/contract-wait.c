/* SPDX-License-Identifier: MIT */
/* P1 (threads), P3 (time), P6 (wake), P7 (fork): how a poller waits. */
#include "contract.h"

#include "util/atomic.h"

#if TEST_POSIX
# include <errno.h>
# include <signal.h>
# include <string.h>
# include <sys/time.h>
# include <sys/wait.h>
# include <unistd.h>
#endif

#define MS UINT64_C(1000000)

/* P1: any thread may wake the loop while it waits. */
static void wake_from_thread(void* arg) {
  uv_loop_t* loop = arg;
  uv_sleep(20);
  CHECK_EQ(0, uv__wake_poller(loop));
}

CONTRACT(p1_wake_from_another_thread) {
  uv_loop_t loop;
  uv_thread_t thread;

  contract_open(&loop, poller);
  CHECK_EQ(0, uv_thread_create(&thread, wake_from_thread, &loop));
  struct contract_seen seen = contract_wait(&loop, -1, -1);
  CHECK_EQ(1, seen.count);
  CHECK_EQ(1, seen.woken);
  CHECK_EQ(0, uv_thread_join(&thread));
  contract_close(&loop);
}

#if TEST_POSIX
/* ... and so may a signal handler, which preserves errno. */
static uv_loop_t* signal_loop;
static volatile sig_atomic_t signal_errno;

static void wake_from_handler(int signum) {
  (void) signum;
  errno = EDOM;
  (void) uv__wake_poller(signal_loop);
  signal_errno = errno;
}

CONTRACT(p1_wake_from_a_signal_handler) {
  uv_loop_t loop;
  struct sigaction action;

  contract_open(&loop, poller);
  signal_loop = &loop;
  memset(&action, 0, sizeof(action));
  action.sa_handler = wake_from_handler;
  CHECK_EQ(0, sigaction(SIGUSR1, &action, NULL));
  CHECK_EQ(0, raise(SIGUSR1));
  CHECK_EQ(EDOM, signal_errno);
  CHECK_EQ(1, contract_wait(&loop, -1, -1).woken);
  contract_close(&loop);
}

#endif

/* Alone, and while a descriptor is watched that is not ready. */
static void check_waits(uv_loop_t* loop) {
  uint64_t start = uv_hrtime();
  CHECK_EQ(0, contract_wait(loop, -1, 30).count);
  CHECK(uv_hrtime() - start >= 30 * MS);
  start = uv_hrtime();
  CHECK_EQ(0, contract_wait(loop, -1, 0).count);
  CHECK(uv_hrtime() - start < 1000 * MS);
}

CONTRACT(p3_waits_as_long_as_asked) {
  uv_loop_t loop;

  contract_open(&loop, poller);
  check_waits(&loop);
  contract_close(&loop);
}

#if TEST_POSIX
CONTRACT(p3_waits_beside_a_quiet_descriptor) {
  uv_loop_t loop;
  int fds[2];

  contract_open(&loop, poller);
  contract_pipe(fds);
  contract_apply(&loop, fds[0], 0, POLLIN);
  check_waits(&loop);
  contract_close(&loop);
}

static void ignore_signal(int signum) {
  (void) signum;
}

/* An interrupted wait returns 0 early, not an error. */
CONTRACT(p3_interrupted_wait_returns_0) {
  uv_loop_t loop;
  struct sigaction action;
  struct itimerval every = { { 0, 5000 }, { 0, 5000 } };

  contract_open(&loop, poller);
  memset(&action, 0, sizeof(action));
  action.sa_handler = ignore_signal;
  CHECK_EQ(0, sigaction(SIGALRM, &action, NULL));
  CHECK_EQ(0, setitimer(ITIMER_REAL, &every, NULL));
  for (int i = 0; i < 5; i++)
    CHECK_EQ(0, contract_wait(&loop, -1, 9000).count);
  memset(&every, 0, sizeof(every));
  CHECK_EQ(0, setitimer(ITIMER_REAL, &every, NULL));
  contract_close(&loop);
}

/* UV_LOOP_BLOCK_SIGNAL: SIGPROF does not interrupt, and is unblocked
 * afterwards. */
CONTRACT(p3_blocked_signal) {
  uv_loop_t loop;
  struct sigaction action;
  sigset_t mask;

  contract_open(&loop, poller);
  CHECK_EQ(0, uv_loop_configure(&loop, UV_LOOP_BLOCK_SIGNAL, SIGPROF));
  CHECK_EQ(UV_EINVAL, uv_loop_configure(&loop, UV_LOOP_BLOCK_SIGNAL, SIGINT));
  memset(&action, 0, sizeof(action));
  action.sa_handler = ignore_signal;
  CHECK_EQ(0, sigaction(SIGPROF, &action, NULL));
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    for (int i = 0; i < 20; i++) {
      usleep(5000);
      kill(getppid(), SIGPROF);
    }
    _exit(0);
  }
  uint64_t start = uv_hrtime();
  CHECK_EQ(0, contract_wait(&loop, -1, 60).count);
  CHECK(uv_hrtime() - start >= 60 * MS);
  CHECK_EQ(0, sigprocmask(SIG_SETMASK, NULL, &mask));
  CHECK_EQ(0, sigismember(&mask, SIGPROF));
  while (waitpid(pid, NULL, 0) == -1 && errno == EINTR)
    continue;
  contract_close(&loop);
}

#endif

CONTRACT(p6_wake_before_wait_is_kept) {
  uv_loop_t loop;

  contract_open(&loop, poller);
  CHECK_EQ(0, uv__wake_poller(&loop));
  CHECK_EQ(1, contract_wait(&loop, -1, -1).woken);
  CHECK_EQ(0, contract_wait(&loop, -1, 0).count); /* consumed */
  contract_close(&loop);
}

CONTRACT(p6_many_wakes_are_one) {
  uv_loop_t loop;

  contract_open(&loop, poller);
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 1000; i++)
      CHECK_EQ(0, uv__wake_poller(&loop));
    CHECK_EQ(1, contract_wait(&loop, -1, -1).woken);
    CHECK_EQ(0, contract_wait(&loop, -1, 0).count);
  }
  contract_close(&loop);
}

#if TEST_POSIX
/* A wake-up and ready descriptors do not hide each other. */
CONTRACT(p6_wake_beside_events) {
  uv_loop_t loop;
  int fds[2];

  contract_open(&loop, poller);
  contract_pipe(fds);
  contract_write(fds[1]);
  contract_apply(&loop, fds[0], 0, POLLIN);
  CHECK_EQ(0, uv__wake_poller(&loop));
  struct contract_seen seen = contract_wait(&loop, fds[0], -1);
  CHECK_EQ(2, seen.count);
  CHECK_EQ(1, seen.woken);
  CHECK_EQ(POLLIN, seen.bits);
  contract_close(&loop);
}

/* No room for it in a batch: then in the next. */
CONTRACT(p6_wake_without_room) {
  uv_loop_t loop;
  int fds[2];
  struct uv__event event;
  int woken = 0;

  contract_open(&loop, poller);
  contract_pipe(fds);
  contract_write(fds[1]);
  contract_apply(&loop, fds[0], 0, POLLIN);
  CHECK_EQ(0, uv__wake_poller(&loop));
  for (int i = 0; i < 4; i++) {
    CHECK_EQ(1, poller->wait(&loop, &event, 1, 0));
    woken += event.kind == UV__EVENT_WAKE;
  }
  CHECK_EQ(1, woken);
  contract_close(&loop);
}

#endif

static void wake_often(void* arg) {
  for (int i = 0; i < 2000; i++)
    CHECK_EQ(0, uv__wake_poller(arg));
}

/* No wake-up is lost between two waits. */
static unsigned handed_over;

static void hand_over(void* arg) {
  for (unsigned i = 1; i <= 3000; i++) {
    while (uv__load_acquire(&handed_over) != 0)
      uv_sleep(0);
    uv__store_release(&handed_over, i);
    CHECK_EQ(0, uv__wake_poller(arg));
  }
}

CONTRACT(p6_no_wake_is_lost) {
  uv_loop_t loop;
  uv_thread_t threads[2];
  unsigned taken = 0;

  contract_open(&loop, poller);
  CHECK_EQ(0, uv_thread_create(&threads[0], hand_over, &loop));
  CHECK_EQ(0, uv_thread_create(&threads[1], wake_often, &loop));
  while (taken < 3000) {
    CHECK(contract_wait(&loop, -1, 5000).count >= 0);
    unsigned got = uv__exchange(&handed_over, 0);
    if (got != 0)
      CHECK_EQ(++taken, got);
  }
  for (int i = 0; i < 2; i++)
    CHECK_EQ(0, uv_thread_join(&threads[i]));
  contract_close(&loop);
}

#if TEST_POSIX
/* P7, in the child: a new instance that watches nothing until told to. */
static int child_side(uv_loop_t* loop,
                      const struct uv__poller* poller,
                      int fd) {
  CHECK_EQ(0, poller->reopen(loop));
  CHECK_EQ(0, contract_wait(loop, fd, 0).count);
  contract_apply(loop, fd, 0, POLLIN);
  CHECK_EQ(POLLIN, contract_wait(loop, fd, 1000).bits);
  poller->watch->forget(loop, fd);
  CHECK_EQ(0, uv__wake_poller(loop));
  CHECK_EQ(1, contract_wait(loop, fd, -1).woken);
  return 0;
}

CONTRACT(p7_reopen_in_a_child) {
  uv_loop_t loop;
  int fds[2];
  int status;

  contract_open(&loop, poller);
  contract_pipe(fds);
  contract_write(fds[1]);
  contract_apply(&loop, fds[0], 0, POLLIN);
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0)
    _exit(child_side(&loop, poller, fds[0]));
  CHECK_EQ(pid, waitpid(pid, &status, 0));
  CHECK_EQ(0, status);

  /* Nothing of that reached the parent's instance: neither the removal nor the
   * wake-up. */
  struct contract_seen seen = contract_wait(&loop, fds[0], 0);
  CHECK_EQ(1, seen.count);
  CHECK_EQ(POLLIN, seen.bits);
  CHECK_EQ(0, seen.woken);
  contract_close(&loop);
}

#endif

CONTRACT(p7_open_and_close_leak_nothing) {
  uv_loop_t loop;

  contract_open(&loop, poller); /* allocated once per process */
  contract_close(&loop);
  int before = contract_open_handles();
  for (int i = 0; i < 20; i++) {
    contract_open(&loop, poller);
    if (i % 2)
      CHECK_EQ(TEST_POSIX ? 0 : UV_ENOSYS, poller->reopen(&loop));
    contract_close(&loop);
  }
  CHECK_EQ(before, contract_open_handles());
}
