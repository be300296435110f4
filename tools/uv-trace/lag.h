/* SPDX-License-Identifier: MIT */
/* Loop lag: the gaps between the polls of one loop.
 *
 * A trace tells loops apart by address, and a program may make a new loop where
 * a closed one was. Its iterations count from 1 again, which the trace says at
 * the end of the iteration: a gap is held back until then.
 */
#ifndef UV_TRACE_LAG_H_
#define UV_TRACE_LAG_H_

#include <stdint.h>

struct gap {
  uint64_t from_ns;
  uint64_t to_ns; /* 0: none */
};

/* All zero is a loop without polls. */
struct lag {
  uint64_t poll_end_ns;
  uint64_t iterations;
  struct gap gap; /* held back */
};

/* A poll began at `begin_ns` and took `dur_ns`. A gap that was held back has
 * become certain: it is stored in `*gap`, and 1 returned; else 0. */
static inline int lag_poll(struct lag* lag,
                           uint64_t begin_ns,
                           uint64_t dur_ns,
                           struct gap* gap) {
  *gap = lag->gap;
  lag->gap.from_ns = lag->poll_end_ns;
  lag->gap.to_ns = begin_ns;
  if (lag->poll_end_ns == 0 || begin_ns <= lag->poll_end_ns)
    lag->gap.to_ns = 0;
  lag->poll_end_ns = begin_ns + dur_ns;
  return gap->to_ns != 0;
}

/* The iteration with number `n` (0: unknown) is over; likewise. */
static inline int lag_iteration(struct lag* lag, int64_t n, struct gap* gap) {
  *gap = lag->gap;
  lag->gap.to_ns = 0;
  lag->iterations++;
  return gap->to_ns != 0 && !(n == 1 && lag->iterations > 1);
}

#endif /* UV_TRACE_LAG_H_ */
