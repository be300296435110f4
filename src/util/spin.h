/* SPDX-License-Identifier: MIT */
/* Spinning for a few microseconds before going to sleep.
 *
 * A round trip to another thread usually takes less time than falling asleep
 * and being woken, so loops and workers spin first. After several unsuccessful
 * spins in a row most are skipped, until one succeeds again. The callers choose
 * the numbers (pool/tuning.h).
 */
#ifndef UV_UTIL_SPIN_H_
#define UV_UTIL_SPIN_H_

#include "util/atomic.h"
#include "util/base.h"

/* Checks between two readings of the clock. */
#define UV__SPIN_CHECKS 16
/* A bound in case the clock stands still. */
#define UV__SPIN_TURNS_MAX 1000
/* Spins that are skipped first; the number doubles from then on. */
#define UV__SPIN_PAUSE_MIN 16

/* Outcome of recent spins. The owner zeroes it after a success. */
struct uv__spin {
  unsigned misses; /* unsuccessful spins in a row, and skipped ones since */
  unsigned pause;  /* spins to skip before the next; 0: the minimum */
};

/* Says whether to spin: yes, until `misses_max` spins in a row failed; then
 * once after each pause, which grows up to `pause_max` skipped spins. The owner
 * increments `misses` after an unsuccessful spin. */
static inline int uv__spin_advise(struct uv__spin* spin,
                                  unsigned misses_max,
                                  unsigned pause_max) {
  if (spin->misses < misses_max)
    return 1;
  if (spin->pause == 0)
    spin->pause = UV__SPIN_PAUSE_MIN;
  if (++spin->misses < misses_max + spin->pause)
    return 0;
  spin->misses = misses_max;
  if (spin->pause < pause_max)
    spin->pause *= 2;
  return 1;
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
