/* SPDX-License-Identifier: MIT */
/* Signal deliveries for the handles of one loop, in order of arrival. Written
 * by signal handlers on any thread, read by the loop.
 */
#ifndef UV_UNIX_SIGNAL_LOG_H_
#define UV_UNIX_SIGNAL_LOG_H_

#include "util/base.h"

/* A power of two. Deliveries that do not fit are counted in the handle (S2),
 * and `overflow` is set. */
#define UV__SIGNAL_LOG_SIZE 512u

/* One delivery. */
struct uv__signal_arrival {
  uv_signal_t* handle; /* atomic; NULL: free, or reserved but not filled */
  int signum;          /* the signal */
};

struct uv__signal_log {
  unsigned head; /* atomic: the oldest entry; advanced by the loop */
  unsigned tail; /* atomic: the next free slot; advanced by handlers */
  int overflow;  /* atomic: some handles have counts */
  struct uv__signal_arrival arrivals[UV__SIGNAL_LOG_SIZE];
};

/* 1, or 0 if the log is full. Context: signal, on any thread. */
int uv__signal_log_push(struct uv__signal_log* log,
                        uv_signal_t* handle,
                        int signum);

/* The current end of the log, for uv__signal_log_pop(). */
unsigned uv__signal_log_end(const struct uv__signal_log* log);

/* Removes the oldest arrival before `end`: 1, or 0 if there is none, or if its
 * signal handler is still writing it and will wake the loop. */
int uv__signal_log_pop(struct uv__signal_log* log,
                       unsigned end,
                       struct uv__signal_arrival* out);

/* Reassigns the arrivals of a handle that goes away to one that is never
 * started. No signal handler may be about to add another one. */
void uv__signal_log_forget(struct uv__signal_log* log,
                           const uv_signal_t* handle);

/* Empties the log: child side of fork. */
void uv__signal_log_reset(struct uv__signal_log* log);

#endif /* UV_UNIX_SIGNAL_LOG_H_ */
