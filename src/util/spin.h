/* SPDX-License-Identifier: MIT */
/* Spinning for a few microseconds before going to sleep.
 *
 * A round trip to another thread usually takes less time than falling asleep
 * and being woken, so loops and workers spin first. After several unsuccessful
 * spins in a row most are skipped, until one succeeds again.
 */
#ifndef UV_UTIL_SPIN_H_
#define UV_UTIL_SPIN_H_

#include "util/atomic.h"
#include "util/base.h"

#define UV__SPIN_NS 8000
/* With a single request in flight, the program waits for it or is about to
 * submit the next, and no other thread needs the processor. In scripting
 * languages 10 to 25 us pass between two requests; sleeping and waking cost as
 * much, so that a spin of this length pays only if shorter ones follow. */
#define UV__SPIN_SINGLE_NS 25000
/* Checks between two readings of the clock. */
#define UV__SPIN_CHECKS 16
/* A bound in case the clock stands still. */
#define UV__SPIN_TURNS_MAX 1000
/* After this many unsuccessful spins in a row, most are skipped. */
#define UV__SPIN_MISSES_MAX 4

/* Outcome of recent spins. The owner zeroes it after a success. */
struct uv__spin {
  unsigned misses; /* unsuccessful spins in a row, and skipped ones since */
  unsigned pause;  /* spins to skip before the next; 0: the minimum */
};

enum uv__spin_advice { UV__SPIN_SKIP, UV__SPIN_NOW, UV__SPIN_RETRY };

/* Says whether to spin. RETRY is the single spin after a pause; the pause grows
 * from `pause_min` to `pause_max`. The owner increments `misses` after an
 * unsuccessful spin. */
static inline enum uv__spin_advice uv__spin_advise(struct uv__spin* spin,
                                                   unsigned pause_min,
                                                   unsigned pause_max) {
  if (spin->misses < UV__SPIN_MISSES_MAX)
    return UV__SPIN_NOW;
  if (spin->pause == 0)
    spin->pause = pause_min;
  if (++spin->misses < UV__SPIN_MISSES_MAX + spin->pause)
    return UV__SPIN_SKIP;
  spin->misses = UV__SPIN_MISSES_MAX;
  if (spin->pause < pause_max)
    spin->pause *= 2;
  return UV__SPIN_RETRY;
}

/* Spins for at most `span_ns`. Returns 1 as soon as is_found(arg), and 0 when
 * is_over(arg), which is checked less often, or the time is up. */
static inline int uv__spin(uint64_t span_ns,
                           int (*is_found)(const void* arg),
                           int (*is_over)(const void* arg),
                           const void* arg) {
  uint64_t end_ns = uv_hrtime() + span_ns;

  for (int turn = 0; turn < UV__SPIN_TURNS_MAX; turn++) {
    for (int i = 0; i < UV__SPIN_CHECKS; i++) {
      if (is_found(arg))
        return 1;
      uv__cpu_relax();
    }
    if (is_over(arg) || uv_hrtime() >= end_ns)
      break;
  }
  return 0;
}

/* A predicate for uv__spin() that never holds. */
static inline int uv__spin_never(const void* arg) {
  (void) arg;
  return 0;
}

#endif /* UV_UTIL_SPIN_H_ */
