/* SPDX-License-Identifier: MIT */
/* A thread of the library that does something periodically until it is stopped:
 * the writer of a trace, the exporter of metrics, the watchdog. */
#ifndef UV_OBSERVE_BACKGROUND_H_
#define UV_OBSERVE_BACKGROUND_H_

#include "util/base.h"

struct uv__background {
  uv_thread_t thread;
  uv_mutex_t lock;
  uv_cond_t changed;
  int is_ending; /* the lock's */
};

/* Starts the thread: 0 or UV_E*. No signal is delivered to it. */
int uv__background_start(struct uv__background* b, uv_thread_cb entry);

/* Stops the thread and waits for it. In a forked child there is no such thread,
 * and the structure may be in any state: it is left as it is. */
void uv__background_stop(struct uv__background* b);

/* Sleeps for this long, or until the thread is stopped. Returns 1 if it is.
 * Context: the thread. */
int uv__background_sleep(struct uv__background* b, unsigned ms);

#endif /* UV_OBSERVE_BACKGROUND_H_ */
