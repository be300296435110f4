/* SPDX-License-Identifier: MIT */
/* A stretch of time that somebody observes: a callback, a phase, work. Lives on
 * the stack of what it is about; they nest.
 */
#ifndef UV_SLICE_H_
#define UV_SLICE_H_

#include "trace-record.h"
#include "trace-thread.h"

struct uv__slice {
  struct uv__trace_thread* thread; /* NULL: it cannot be recorded */
  struct uv__running outer;        /* what ran before, if is_watched */
  int is_watched;
  struct uv__record record;
};

/* The caller has set all of the record but times and flow. */
void uv__slice_begin(struct uv__slice* slice);
void uv__slice_end(struct uv__slice* slice);

#endif /* UV_SLICE_H_ */
