/* SPDX-License-Identifier: MIT */
/* An observed callback. Lives on the stack; slices nest.
 */
#ifndef UV_OBSERVE_SLICE_H_
#define UV_OBSERVE_SLICE_H_

#include "observe/observe.h"
#include "observe/trace-record.h"
#include "observe/trace-thread.h"

struct uv__slice {
  struct uv__trace_thread* thread; /* NULL: it cannot be recorded */
  struct uv__running outer; /* if is_watched: what ran before; nothing if its
                                    * begin_ns is 0 */
  int is_watched;
  struct uv__record record;
};

/* The caller has set all of the record but times and flow. */
void uv__slice_begin(struct uv__slice* slice);
/* Likewise for callbacks that mostly follow another one directly: begins right
 * after that one, without reading the clock, if the phase is a sequence of
 * callbacks. */
void uv__slice_begin_next(struct uv__slice* slice);
/* Likewise, whatever the phase: begins right after the last reading of the
 * clock. */
void uv__slice_begin_at_last(struct uv__slice* slice);
void uv__slice_end(struct uv__slice* slice);

/* Is the descriptor of a handle of interest? Only a trace shows it. */
static inline int uv__slice_wants_fd(void) {
  return uv__is_observed_by(UV__OBSERVE_TRACE);
}

/* Does nobody but metrics observe? */
static inline int uv__slice_counts_only(void) {
  return uv__load_relaxed(&uv__observers) == UV__OBSERVE_METRICS;
}

#endif /* UV_OBSERVE_SLICE_H_ */
