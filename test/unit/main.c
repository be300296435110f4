/* SPDX-License-Identifier: MIT */
/* Runs the white-box tests.
 *
 *   unit            all of them
 *   unit NAME...    these
 *   unit --list     their names
 *
 * Prints TAP and, as the last line, "N passed, N failed, N skipped". Exit
 * status 0 if none failed, 1 if some did, 2 for a name that is not there.
 *
 * Each test is a child in its own process group; a test that outlives its time
 * is killed with everything it started.
 */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TIME_LIMIT_S 10
#define EXIT_FAILED 1
#define EXIT_SKIPPED 77

/* Another list makes another program of this file: the contract tests. */
#ifndef UNIT_LIST
# define UNIT_LIST "list.h"
#endif

struct unit_case {
  const char* name;
  void (*run)(void);
};

#define UNIT(name) void unit_test_##name(void);
#include UNIT_LIST
#undef UNIT

static const struct unit_case cases[] = {
#define UNIT(name) { #name, unit_test_##name },
#include UNIT_LIST
#undef UNIT
};

#define NCASES (sizeof(cases) / sizeof(cases[0]))

enum outcome { PASSED, FAILED, SKIPPED };

/* What the child has to say, in memory shared with the parent. */
static char* message;
#define MESSAGE_SIZE 4096

/* One line of ASCII whatever the test handled: TAP readers expect that. */
static void say(const char* format, ...) {
  char raw[MESSAGE_SIZE / 4];
  va_list args;
  va_start(args, format);
  vsnprintf(raw, sizeof(raw), format, args);
  va_end(args);

  char* to = message;
  for (const char* p = raw; *p != '\0'; p++) {
    int plain = *p >= ' ' && *p <= '~';
    to += snprintf(to, 5, plain ? "%c" : "\\x%02x", (unsigned char) *p);
  }
}

_Noreturn static void fail(void) {
  fflush(NULL);
  _exit(EXIT_FAILED);
}

void unit_check(int ok, const char* file, int line, const char* text) {
  if (ok)
    return;
  say("%s:%d: %s", file, line, text);
  fail();
}

void unit_check_row(int ok,
                    const char* file,
                    int line,
                    const char* text,
                    const char* what) {
  if (ok)
    return;
  say("%s:%d: %s [%s]", file, line, text, what);
  fail();
}

void unit_check_eq(intmax_t want,
                   intmax_t got,
                   const char* file,
                   int line,
                   const char* want_text,
                   const char* got_text) {
  if (want == got)
    return;
  say("%s:%d: %s == %s: want %jd, got %jd", file, line, want_text, got_text,
      want, got);
  fail();
}

void unit_check_str(const char* want,
                    const char* got,
                    const char* file,
                    int line,
                    const char* text) {
  if (want == NULL ? got == NULL : got != NULL && strcmp(want, got) == 0)
    return;
  say("%s:%d: %s: want \"%s\", got \"%s\"", file, line, text,
      want != NULL ? want : "(null)", got != NULL ? got : "(null)");
  fail();
}

void unit_check_mem(const void* want,
                    const void* got,
                    size_t n,
                    const char* file,
                    int line,
                    const char* text) {
  const unsigned char* a = want;
  const unsigned char* b = got;
  size_t i = 0;

  while (i < n && a[i] == b[i])
    i++;
  if (i == n)
    return;
  say("%s:%d: %s: byte %zu: want %02x, got %02x", file, line, text, i, a[i],
      b[i]);
  fail();
}

void unit_skip(const char* reason) {
  say("%s", reason);
  fflush(NULL);
  _exit(EXIT_SKIPPED);
}

/* Until a child has something to say; also returns for nothing. */
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

static int time_limit_s(void) {
  const char* text = getenv("UV_TEST_TIMEOUT_MULTIPLIER");
  int multiplier = text == NULL ? 1 : atoi(text);
  return TIME_LIMIT_S * (multiplier < 1 ? 1 : multiplier);
}

/* Waits for `pid` with SIGCHLD blocked; 0 when the time is up. */
static int wait_child(pid_t pid, int* status) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  time_t deadline = now.tv_sec + time_limit_s();

  while (waitpid(pid, status, WNOHANG) == 0) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec > deadline)
      return 0;
    nap();
  }
  return 1;
}

_Noreturn static void run_child(const struct unit_case* c,
                                const sigset_t* mask) {
  setpgid(0, 0);
  sigprocmask(SIG_SETMASK, mask, NULL);
  c->run();
  exit(0); /* not _exit(): leak checkers and coverage report from here */
}

/* Why a child that did not exit by itself with 0 ended. */
static void describe(int status) {
  if (message[0] != '\0')
    return;
  if (WIFSIGNALED(status))
    say("killed by signal %d", WTERMSIG(status));
  else
    say("exit status %d", WEXITSTATUS(status));
}

static enum outcome run_case(const struct unit_case* c, const sigset_t* mask) {
  message[0] = '\0';
  fflush(NULL);

  pid_t pid = fork();
  if (pid < 0) {
    say("fork: %s", strerror(errno));
    return FAILED;
  }
  if (pid == 0)
    run_child(c, mask);
  setpgid(pid, pid); /* whoever comes first; fails if the child was */

  int status = 0;
  if (!wait_child(pid, &status)) {
    kill(-pid, SIGKILL);
    waitpid(pid, &status, 0);
    say("no end after %d seconds", time_limit_s());
    return FAILED;
  }
  kill(-pid, SIGKILL); /* what the test left running; usually nothing */

  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return PASSED;
  if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIPPED)
    return SKIPPED;
  describe(status);
  return FAILED;
}

static const struct unit_case* find_case(const char* name) {
  for (size_t i = 0; i < NCASES; i++)
    if (strcmp(cases[i].name, name) == 0)
      return &cases[i];
  return NULL;
}

static void report(size_t number, const char* name, enum outcome outcome) {
  switch (outcome) {
  case PASSED:
    printf("ok %zu - %s\n", number, name);
    break;
  case SKIPPED:
    printf("ok %zu - %s # SKIP %s\n", number, name, message);
    break;
  case FAILED:
    printf("not ok %zu - %s\n# %s\n", number, name, message);
    break;
  }
  fflush(stdout);
}

static int list_cases(void) {
  for (size_t i = 0; i < NCASES; i++)
    puts(cases[i].name);
  return 0;
}

static int run_cases(size_t n, char** names) {
  unsigned counts[3] = { 0, 0, 0 };
  sigset_t set;
  sigset_t mask;

  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, &mask);

  printf("1..%zu\n", n);
  for (size_t i = 0; i < n; i++) {
    const struct unit_case* c = names == NULL ? &cases[i] : find_case(names[i]);
    enum outcome outcome = run_case(c, &mask);
    counts[outcome]++;
    report(i + 1, c->name, outcome);
  }

  printf("%u passed, %u failed, %u skipped\n", counts[PASSED], counts[FAILED],
         counts[SKIPPED]);
  return counts[FAILED] != 0;
}

int main(int argc, char** argv) {
  message = mmap(NULL, MESSAGE_SIZE, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (message == MAP_FAILED) {
    perror("mmap");
    return 2;
  }

  if (argc == 2 && strcmp(argv[1], "--list") == 0)
    return list_cases();

  for (int i = 1; i < argc; i++) {
    if (find_case(argv[i]) == NULL) {
      fprintf(stderr, "no test called %s\n", argv[i]);
      return 2;
    }
  }

  if (argc > 1)
    return run_cases((size_t) argc - 1, argv + 1);
  return run_cases(NCASES, NULL);
}
