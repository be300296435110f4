/* SPDX-License-Identifier: MIT */
/* What a thread does last when it crashes.
 *
 * A handler in front of whatever action each signal had before. After the last
 * function, that action is done: the program's handler is called as the kernel
 * would, or the default action is put back and the signal comes again. A fault
 * comes again because the instruction is executed again, so that a core file
 * shows the place; a signal that was sent is raised once more.
 *
 * Nothing here takes a lock. The actions change only in start and stop, which a
 * session's lock separates. A handler that began before a stop works with the
 * actions as they were.
 */
#include "os/crash.h"
#include "unix/fd.h"
#include "util/atomic.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

static struct sigaction before[ARRAY_SIZE(signals)];
static void (*last_function)(int signum, int is_certain); /* atomic */
static int process;     /* atomic: whose crashes these are; 0: nobody's */
static int is_in_place; /* the handlers are, also in a forked child */

/* Does the program handle it? SIG_IGN does not count: a fault ends the process
 * all the same. */
static int is_handled(size_t i) {
  return before[i].sa_handler != SIG_DFL && before[i].sa_handler != SIG_IGN;
}

/* Did an instruction cause it? Codes of signals that were sent are 0 or less,
 * or SI_USER and others above 0x10000 (FreeBSD, macOS). */
static int is_fault(const siginfo_t* info) {
  return info->si_code > 0 && info->si_code < 0x10000;
}

static void run_default(int signum, const siginfo_t* info) {
  (void) signal(signum, SIG_DFL);
  if (!is_fault(info))
    (void) raise(signum); /* delivered as this handler returns */
}

static void run_before(size_t i, siginfo_t* info, void* context) {
  struct sigaction old = before[i];

  if (old.sa_flags & (int) SA_RESETHAND)
    before[i].sa_handler = SIG_DFL;
  if (old.sa_flags & SA_SIGINFO)
    old.sa_sigaction(signals[i], info, context);
  else
    old.sa_handler(signals[i]);
}

static size_t index_of(int signum) {
  size_t i = ARRAY_SIZE(signals);

  while (--i > 0 && signals[i] != signum)
    continue;
  assert(signals[i] == signum);
  return i;
}

/* Context: signal. */
static void on_crash(int signum, siginfo_t* info, void* context) {
  int saved_errno = errno;
  size_t i = index_of(signum);

  if (before[i].sa_handler == SIG_IGN && !is_fault(info))
    return;
  /* Acquire: the function. Pairs with uv__crash_os_start(). A child, also one
   * that shares this memory until it calls exec(), has another number. */
  if (uv__load_acquire(&process) == (int) getpid()) {
    void (*last)(int, int) = uv__load_relaxed(&last_function);
    last(signum, !is_handled(i));
  }
  errno = saved_errno;
  if (is_handled(i))
    run_before(i, info, context);
  else
    run_default(signum, info);
}

static int handler_set(size_t i) {
  struct sigaction action;

  if (sigaction(signals[i], NULL, &action) != 0)
    return uv__errno();
  if ((action.sa_flags & SA_SIGINFO) && action.sa_sigaction == on_crash)
    return 0; /* inherited by a forked child */
  before[i] = action;
  /* The program's handler gets the mask and the stack that it asked for. */
  int kept = SA_ONSTACK | SA_NODEFER | SA_RESTART;
  action.sa_flags = is_handled(i) ? action.sa_flags & kept : SA_ONSTACK;
  action.sa_flags |= SA_SIGINFO;
  action.sa_sigaction = on_crash;
  return sigaction(signals[i], &action, NULL) == 0 ? 0 : uv__errno();
}

int uv__crash_os_start(void (*last)(int signum, int is_certain)) {
  int err = 0;

  uv__store_relaxed(&last_function, last);
  is_in_place = 1;
  for (size_t i = 0; i < ARRAY_SIZE(signals) && err == 0; i++)
    err = handler_set(i);
  /* Release: the function. Pairs with on_crash(). */
  uv__store_release(&process, (int) getpid());
  if (err != 0)
    uv__crash_os_stop();
  return err;
}

void uv__crash_os_stop(void) {
  uv__store_release(&process, 0);
  if (!is_in_place)
    return;
  is_in_place = 0;
  for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
    struct sigaction action;
    if (sigaction(signals[i], NULL, &action) == 0 &&
        (action.sa_flags & SA_SIGINFO) && action.sa_sigaction == on_crash)
      (void) sigaction(signals[i], &before[i], NULL); /* it was in place */
  }
}
