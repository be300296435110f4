/* SPDX-License-Identifier: MIT */
/* A ring buffer with many writers and one reader.
 *
 * A writer reserves a slot by advancing the tail, then fills it, the handle
 * last. The reader stops at a slot that is reserved but not filled: skipping it
 * would lose the order, and its writer is about to finish. A slot is free again
 * once the head has passed it.
 */
#include "unix/signal-log.h"
#include "util/atomic.h"

#include <string.h>

/* Replaces handles that are gone. It is never started, so its arrivals are
 * dropped. */
static uv_signal_t gone;

static struct uv__signal_arrival* log_slot(struct uv__signal_log* log,
                                           unsigned position) {
  return &log->arrivals[position % UV__SIGNAL_LOG_SIZE];
}

int uv__signal_log_push(struct uv__signal_log* log,
                        uv_signal_t* handle,
                        int signum) {
  assert(handle != NULL);
  assert(signum > 0);
  unsigned tail = uv__load_relaxed(&log->tail);

  do {
    /* Signed: the reader may have passed a stale tail. Acquire: pairs with the
     * store in pop(), which frees the slot. */
    int used = (int) (tail - uv__load_acquire(&log->head));
    if (used >= (int) UV__SIGNAL_LOG_SIZE)
      return 0;
  } while (!uv__cas_weak(&log->tail, &tail, tail + 1));

  struct uv__signal_arrival* arrival = log_slot(log, tail);
  arrival->signum = signum;
  uv__store_release(&arrival->handle, handle); /* pairs with pop() */
  return 1;
}

unsigned uv__signal_log_end(const struct uv__signal_log* log) {
  return uv__load_acquire(&log->tail);
}

int uv__signal_log_pop(struct uv__signal_log* log,
                       unsigned end,
                       struct uv__signal_arrival* out) {
  unsigned head = uv__load_relaxed(&log->head);
  struct uv__signal_arrival* arrival = log_slot(log, head);

  if ((int) (end - head) <= 0)
    return 0;
  out->handle = uv__load_acquire(&arrival->handle);
  if (out->handle == NULL)
    return 0;
  out->signum = arrival->signum;
  uv__store_relaxed(&arrival->handle, NULL);
  uv__store_release(&log->head, head + 1);
  return 1;
}

void uv__signal_log_forget(struct uv__signal_log* log,
                           const uv_signal_t* handle) {
  unsigned end = uv__signal_log_end(log);

  for (unsigned i = uv__load_relaxed(&log->head); i != end; i++)
    if (uv__load_relaxed(&log_slot(log, i)->handle) == handle)
      uv__store_relaxed(&log_slot(log, i)->handle, &gone);
}

void uv__signal_log_reset(struct uv__signal_log* log) {
  memset(log, 0, sizeof(*log));
}
