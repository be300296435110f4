/* SPDX-License-Identifier: MIT */
/* Deliveries of signals to one loop's handles, in the order of their arrival.
 * Written by signal handlers on any thread, read by the loop.
 */
#ifndef UV_UNIX_SIGNAL_LOG_H_
#define UV_UNIX_SIGNAL_LOG_H_

#include "base.h"

/* A power of two. What does not fit is counted in the handle (S2), and
 * `overflow` set. */
#define UV__SIGNAL_LOG_SIZE 512u

/* One delivery. */
struct uv__signal_arrival {
  uv_signal_t* handle; /* atomic; NULL: free, or reserved and not written yet */
  int signum;          /* what it was delivered for */
};

struct uv__signal_log {
  unsigned head; /* atomic: the oldest one; moved by the loop */
  unsigned tail; /* atomic: the next one to write; moved by signal handlers */
  int overflow;  /* atomic: handles have counts */
  struct uv__signal_arrival arrivals[UV__SIGNAL_LOG_SIZE];
};

/* 1, or 0 if the log is full. Context: signal, on any thread. */
int uv__signal_log_push(struct uv__signal_log* log,
                        uv_signal_t* handle,
                        int signum);

/* Where the log ends now, for uv__signal_log_pop(). */
unsigned uv__signal_log_end(const struct uv__signal_log* log);

/* Takes the oldest arrival before `end`: 1, or 0 if there is none, or if its
 * signal handler is still writing it and will wake the loop. */
int uv__signal_log_pop(struct uv__signal_log* log,
                       unsigned end,
                       struct uv__signal_arrival* out);

/* The handle goes away: its arrivals become those of a handle that is never
 * started. No signal handler may be about to write another one. */
void uv__signal_log_forget(struct uv__signal_log* log,
                           const uv_signal_t* handle);

/* Empty, as new: child side of fork. */
void uv__signal_log_reset(struct uv__signal_log* log);

#endif /* UV_UNIX_SIGNAL_LOG_H_ */
