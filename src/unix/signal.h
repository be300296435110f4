/* SPDX-License-Identifier: MIT */
/* Signals: from the kernel to uv_signal_t callbacks.
 *
 * Every signal number has a delivery list (signal-list.c): the started handles
 * of all loops. The signal handler (signal-handler.c) logs a delivery for each
 * of them in the log of its loop (signal-log.c) and wakes the loop, which runs
 * the callbacks in that order (signal.c), if the handle still watches the same
 * signal then, whatever happened in between.
 *
 * S1  A handle that leaves its list keeps its link until no signal handler is
 *     running that may have seen it.
 * S2  uv_signal_t.caught_signals counts deliveries that did not fit into the
 *     log; the loop takes them with one exchange.
 * S3  The change lock of signal.c is never taken in signal context, and is
 *     held with all signals blocked.
 */
#ifndef UV_UNIX_SIGNAL_H_
#define UV_UNIX_SIGNAL_H_

#include "os/signal.h"

/* The highest signal number of any system; the kernel rejects invalid ones. */
#define UV__SIGNUM_MAX 128

/* Shared between the signal handler and signal.c; both are atomic. */
struct uv__signal_slot {
  uv_signal_t* first; /* of the delivery list; NULL: not watched */
  unsigned in_flight; /* handlers that may be walking the list (S1) */
};

/* The next handle of the delivery list; atomic. The public header reserves the
 * field for a search tree. */
static inline uv_signal_t** uv__signal_next(uv_signal_t* handle) {
  return &handle->tree_entry.rbe_parent;
}

extern struct uv__signal_slot uv__signal_slots[UV__SIGNUM_MAX + 1];

/* Semaphores to post when signals arrive, beside what the handles want. One
 * signal may have several. */
#define UV__SIGNAL_POSTS 2

struct uv__signal_post {
  int signum;    /* atomic; 0: none */
  uv_sem_t* sem; /* atomic; stays where it is */
};

extern struct uv__signal_post uv__signal_posts[UV__SIGNAL_POSTS];

/* Context: signal. */
void uv__signal_handler(int signum);

/* loop.c: a loop is created, is closed, was copied by fork. The last drops
 * signals that the parent caught; handles stay started. */
void uv__signal_init_loop(uv_loop_t* loop);
void uv__signal_close_loop(uv_loop_t* loop);
void uv__signal_fork(uv_loop_t* loop);

/* Runs callbacks for the signals caught so far; returns how many ran. */
int uv__signal_run(uv_loop_t* loop);

enum uv__close_result uv__signal_close(uv_handle_t* handle);

/* Library shutdown: restores the default action of every watched signal. */
void uv__signal_cleanup(void);

#endif /* UV_UNIX_SIGNAL_H_ */
