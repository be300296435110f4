/* SPDX-License-Identifier: MIT */
/* A session's thread, which does something periodically until it is stopped:
 * the writer of a trace, the exporter of metrics, the watchdog.
 *
 * The structure is static. What it is made of stays when the thread ends, so
 * that whoever wakes the thread never races with whoever stops it.
 */
#ifndef UV_OBSERVE_BACKGROUND_H_
#define UV_OBSERVE_BACKGROUND_H_

#include "util/base.h"

struct uv__background {
  uv_thread_t thread;
  uv_mutex_t lock;
  uv_cond_t changed;
  unsigned made_in; /* 1 plus the number of forks before lock and condition
                     * were made; 0: there are none */
  int is_ending;    /* these two: the lock's */
  int is_woken;
};

/* Starts the thread: 0 or UV_E*. No signal is delivered to it. */
int uv__background_start(struct uv__background* b, uv_thread_cb entry);

/* Stops the thread and waits for it. Not in a forked child, which has no such
 * thread. */
void uv__background_stop(struct uv__background* b);

/* Sleeps for this long, until the thread is woken, or until it is stopped.
 * Returns 1 if it is. Context: the thread. */
int uv__background_sleep(struct uv__background* b, unsigned ms);

/* Ends the current or the next sleep. Context: any thread, after the start. */
void uv__background_wake(struct uv__background* b);

#endif /* UV_OBSERVE_BACKGROUND_H_ */
