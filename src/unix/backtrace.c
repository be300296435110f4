/* SPDX-License-Identifier: MIT */
/* The stack of another thread, for the watchdog: a signal that the program
 * gave for it is sent to that thread, whose handler walks its own stack and
 * leaves the addresses here; the caller waits for them, for a bounded time.
 *
 * One request at a time, the caller's. `stage` says whose turn it is: ASKED,
 * the thread's; TAKING, the handler writes; TAKEN, the caller's again. A caller
 * that has waited too long takes the request back, unless the handler has begun
 * with it.
 *
 * The first walk allocates memory and loads libgcc, and is therefore made
 * before (stack-walk.h). From then on it takes no lock with glibc 2.35 and
 * newer; before, one of the dynamic linker, so that a thread that is stopped in
 * the middle of dlopen() is walked while the list of libraries changes.
 */
#include "os/backtrace.h"
#include "os/thread.h"
#include "unix/fd.h"
#include "unix/os.h"
#include "unix/stack-walk.h"
#include "util/atomic.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define WAIT_MS 100

enum stage { IDLE, ASKED, TAKING, TAKEN };

static struct {
  int stage;    /* atomic: enum stage */
  uint64_t tid; /* atomic: who is asked */
  void* frames[UV__BACKTRACE_MAX];
  int count;
} request;

#if UV__HAVE_THREAD_KILL
static int send_signal(uint64_t tid, int signum) {
  return (int) UV__THREAD_KILL(tid, signum);
}
#else
static int send_signal(uint64_t tid, int signum) {
  (void) tid;
  (void) signum;
  return -1;
}
#endif

/* Context: signal, on the thread that is asked. */
static void on_signal(int signum) {
  int saved_errno = errno;
  int expected = ASKED;

  (void) signum;
  /* Acquire: the request. Pairs with uv__backtrace_os_take(). */
  if (uv__load_acquire(&request.stage) == ASKED &&
      uv__load_relaxed(&request.tid) == uv__thread_os_id() &&
      uv__cas_strong(&request.stage, &expected, TAKING)) {
    request.count = uv__stack_walk(request.frames, UV__BACKTRACE_MAX);
    /* Release: the frames. */
    uv__store_release(&request.stage, TAKEN);
  }
  errno = saved_errno;
}

int uv__backtrace_os_start(int signum) {
  struct sigaction action;
  void* frames[2]; /* the first may be the walk itself */

  uv__stack_walk_init();
  if (uv__stack_walk(frames, 2) == 0)
    return UV_ENOSYS;
  if (sigaction(signum, NULL, &action) != 0)
    return uv__errno();
  uv__store_relaxed(&request.stage, IDLE);
  if (action.sa_handler == on_signal)
    return 0; /* inherited by a forked child */
  if (action.sa_handler != SIG_DFL)
    return UV_EBUSY;
  memset(&action, 0, sizeof(action));
  sigfillset(&action.sa_mask);
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  return sigaction(signum, &action, NULL) == 0 ? 0 : uv__errno();
}

void uv__backtrace_os_stop(int signum) {
  struct sigaction action;

  if (sigaction(signum, NULL, &action) == 0 && action.sa_handler == on_signal)
    (void) signal(signum, SIG_DFL); /* it was ours */
}

/* Returns 1 when the frames are there. */
static int wait_for_frames(void) {
  for (int ms = 0; ms < WAIT_MS; ms++) {
    if (uv__load_acquire(&request.stage) == TAKEN)
      return 1;
    uv_sleep(1);
  }
  return uv__load_acquire(&request.stage) == TAKEN;
}

size_t uv__backtrace_os_take(uint64_t tid,
                             int signum,
                             const void** frames,
                             size_t max) {
  int expected = ASKED;

  /* The handler of an earlier request is still at it. */
  if (uv__load_acquire(&request.stage) == TAKING)
    return 0;
  uv__store_relaxed(&request.tid, tid);
  uv__store_release(&request.stage, ASKED);
  if (send_signal(tid, signum) != 0 || !wait_for_frames()) {
    /* It has ended, blocks the signal, or sleeps where none reaches it. */
    (void) uv__cas_strong(&request.stage, &expected, IDLE);
    return 0;
  }

  size_t count = 0;
  for (int i = UV__BACKTRACE_OWN; i < request.count && count < max; i++)
    frames[count++] = request.frames[i];
  uv__store_relaxed(&request.stage, IDLE);
  return count;
}
