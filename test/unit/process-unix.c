/* SPDX-License-Identifier: MIT */
/* The processes of the unit tests on Unix: each test is a fork in its own
 * process group; one that exceeds its time is killed with everything it
 * started. Its message is in shared memory. */
#include "harness.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

char* unit_message;

static sigset_t original_mask;

static void on_child(int signum) {
  (void) signum; /* nap() waits for it */
}

int unit_os_init(const char* argv0) {
  sigset_t set;

  (void) argv0;
  unit_message = mmap(NULL, UNIT_MESSAGE_SIZE, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (unit_message == MAP_FAILED) {
    perror("mmap");
    return -1;
  }
  /* A signal that is ignored may be lost although it is blocked (FreeBSD). */
  signal(SIGCHLD, on_child);
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  return sigprocmask(SIG_BLOCK, &set, &original_mask);
}

void unit_os_end(enum unit_outcome outcome) {
  fflush(NULL);
  _exit(outcome == UNIT_SKIPPED ? UNIT_EXIT_SKIPPED : UNIT_EXIT_FAILED);
}

/* Until a child has something to report; may also return early. */
#if defined(_POSIX_REALTIME_SIGNALS) && _POSIX_REALTIME_SIGNALS > 0
static void nap(void) {
  struct timespec second = { 1, 0 };
  sigset_t set;

  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  (void) sigtimedwait(&set, NULL, &second);
}
#else
static void nap(void) {
  struct timespec moment = { 0, 2000000 };
  nanosleep(&moment, NULL);
}
#endif

/* Waits for `pid` with SIGCHLD blocked; 0 on timeout. */
static int wait_child(pid_t pid, int* status) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  time_t deadline = now.tv_sec + unit_time_limit_s();

  while (waitpid(pid, status, WNOHANG) == 0) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec > deadline)
      return 0;
    nap();
  }
  return 1;
}

_Noreturn static void run_child(void (*run)(void)) {
  setpgid(0, 0);
  signal(SIGCHLD, SIG_DFL);
  sigprocmask(SIG_SETMASK, &original_mask, NULL);
  run();
  exit(0); /* not _exit(): leak checkers and coverage report from here */
}

/* Why a child that did not exit with 0 ended. */
static void describe(int status) {
  if (unit_message[0] != '\0')
    return;
  if (WIFSIGNALED(status))
    unit_say("killed by signal %d", WTERMSIG(status));
  else
    unit_say("exit status %d", WEXITSTATUS(status));
}

enum unit_outcome unit_os_run(const char* name, void (*run)(void)) {
  (void) name;
  pid_t pid = fork();
  if (pid < 0) {
    unit_say("fork: %s", strerror(errno));
    return UNIT_FAILED;
  }
  if (pid == 0)
    run_child(run);
  setpgid(pid, pid); /* whoever comes first; fails if the child was */

  int status = 0;
  if (!wait_child(pid, &status)) {
    kill(-pid, SIGKILL);
    waitpid(pid, &status, 0);
    unit_say("did not end within %d seconds", unit_time_limit_s());
    return UNIT_FAILED;
  }
  kill(-pid, SIGKILL); /* what the test left running; usually nothing */

  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return UNIT_PASSED;
  if (WIFEXITED(status) && WEXITSTATUS(status) == UNIT_EXIT_SKIPPED)
    return UNIT_SKIPPED;
  describe(status);
  return UNIT_FAILED;
}
