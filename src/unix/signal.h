/* SPDX-License-Identifier: MIT */
/* Signals: from the kernel to uv_signal_t callbacks.
 *
 * Every signal number has a delivery list: the started handles of all loops.
 * The signal handler (signal-handler.c) writes a delivery to each handle on the
 * list into the log of its loop (signal-log.c) and wakes the loop, which runs
 * the callbacks in that order (signal.c). A delivery counts if the handle
 * watches the same signal when its turn comes, whatever happened in between.
 *
 * S1  a list is freed, and a handle forgotten, only after no signal handler
 *     that may have seen it is running any more.
 * S2  uv_signal_t.caught_signals counts deliveries that did not fit into the
 *     log; the loop takes them with one exchange.
 * S3  the change lock of signal.c is never taken in signal context, and is
 *     held with all signals blocked.
 */
#ifndef UV_UNIX_SIGNAL_H_
#define UV_UNIX_SIGNAL_H_

#include "os/signal.h"

/* No system numbers its signals higher. The kernel judges the rest. */
#define UV__SIGNUM_MAX 128

/* Only the handle changes once a list is in its slot. */
struct uv__signal_entry {
  uv_signal_t* handle; /* atomic; NULL: has left */
  int one_shot;        /* wants one delivery only */
  int is_last;         /* is one-shot or was: told after the others */
};

struct uv__signal_list {
  unsigned size;
  struct uv__signal_entry entries[]; /* in the order of delivery */
};

/* What the signal handler shares with signal.c; both are atomic. */
struct uv__signal_slot {
  struct uv__signal_list* list; /* NULL: nobody is interested */
  unsigned in_flight;           /* handlers that may be reading `list` (S1) */
};

extern struct uv__signal_slot uv__signal_slots[UV__SIGNUM_MAX + 1];

/* Context: signal. */
void uv__signal_handler(int signum);

/* loop.c: a loop is made, goes, is the child's copy after fork. The last
 * forgets what the parent caught; handles stay started. */
void uv__signal_init_loop(uv_loop_t* loop);
void uv__signal_close_loop(uv_loop_t* loop);
void uv__signal_fork(uv_loop_t* loop);

/* Runs the callbacks of what was caught until now; returns how many ran. */
int uv__signal_run(uv_loop_t* loop);

enum uv__close_answer uv__signal_close(uv_handle_t* handle);

/* The library goes: gives every signal back to the system. */
void uv__signal_cleanup(void);

#endif /* UV_UNIX_SIGNAL_H_ */
