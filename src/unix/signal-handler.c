/* SPDX-License-Identifier: MIT */
/* The part of the library that runs in signal context, on any thread: no locks,
 * no allocation, errno preserved.
 */
#include "unix/signal.h"
#include "loop/loop.h"
#include "unix/cancel.h"
#include "unix/loop.h"
#include "unix/signal-log.h"
#include "util/atomic.h"

#include <errno.h>

struct uv__signal_slot uv__signal_slots[UV__SIGNUM_MAX + 1];
struct uv__signal_post uv__signal_posts[UV__SIGNAL_POSTS];

static void signal_deliver(uv_signal_t* handle, int signum) {
  uv_loop_t* loop = handle->loop;
  struct uv__signal_log* log = uv__loop_os(loop)->signal_log;

  /* The delivery first, then the flags: a reader that sees a flag sees the
   * delivery. Pairs with run_counted() in signal.c. */
  if (!uv__signal_log_push(log, handle, signum)) {
    uv__fetch_add(&handle->caught_signals, 1);
    uv__exchange(&log->overflow, 1);
  }
  /* Pairs with the exchange in uv__signal_run(). While the flag is set, an
   * earlier wake-up is still pending. */
  if (uv__exchange(&uv__loop_state(loop)->shared.signals_due, 1) == 0)
    (void) uv__wake_send(loop); /* no way to report a failure */
}

void uv__signal_handler(int signum) {
  int saved_errno = errno;
  /* The thread may be about to end: waking the loop writes. */
  int saved_cancel = uv__cancel_disable();
  struct uv__signal_slot* slot = &uv__signal_slots[signum];

  /* Pairs with wait_for_handlers() in signal.c. Either that sees this handler
   * and waits, or this addition follows its own, and all earlier changes are
   * visible here. */
  uv__fetch_add(&slot->in_flight, 1);
  /* Acquire: the handles. Pairs with uv__signal_list_add(). */
  for (uv_signal_t* handle = uv__load_acquire(&slot->first); handle != NULL;
       handle = uv__load_acquire(uv__signal_next(handle)))
    signal_deliver(handle, signum);
  /* Acquire: the semaphore. Pairs with uv__signal_os_post_start(). */
  for (int i = 0; i < UV__SIGNAL_POSTS; i++)
    if (signum == uv__load_acquire(&uv__signal_posts[i].signum))
      uv_sem_post(uv__load_relaxed(&uv__signal_posts[i].sem));
  uv__fetch_sub(&slot->in_flight, 1);

  uv__cancel_restore(saved_cancel);
  errno = saved_errno;
}
