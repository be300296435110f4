/* SPDX-License-Identifier: MIT */
/* An observed callback. Lives on the stack; spans nest.
 */
#ifndef UV_OBSERVE_SPAN_H_
#define UV_OBSERVE_SPAN_H_

#include "observe/about.h"
#include "observe/hooks.h"
#include "observe/record.h"
#include "observe/thread.h"

struct uv__span {
  struct uv__observe_thread* thread; /* NULL: it cannot be recorded */
  struct uv__running outer; /* if is_watched: what ran before; nothing if its
                                    * begin_ns is 0 */
  int is_watched;
  struct uv__record record;
  struct uv__about about; /* its count alone is set if there is nothing */
};

/* Starts a span at the present time. The caller has filled in the record but
 * for its times and flow. */
void uv__span_begin(struct uv__span* span);
void uv__span_end(struct uv__span* span);

/* Is the descriptor of a handle of interest? Only a trace shows it. */
static inline int uv__span_wants_fd(void) {
  return uv__is_observed_by(UV__OBSERVE_TRACE);
}

/* Is what a callback is about of interest? */
static inline int uv__span_wants_details(void) {
  return uv__unlikely(uv__is_observed_by(UV__OBSERVE_DETAILS));
}

#endif /* UV_OBSERVE_SPAN_H_ */
