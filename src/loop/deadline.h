/* SPDX-License-Identifier: MIT */
/* Deadlines: absolute moments in ns, and how long is left in the milliseconds
 * that pollers take. Pure arithmetic.
 */
#ifndef UV_LOOP_DEADLINE_H_
#define UV_LOOP_DEADLINE_H_

#include <limits.h>
#include <stdint.h>

#define UV__DEADLINE_NONE 0                /* do not wait */
#define UV__DEADLINE_NEVER UINT64_MAX      /* wait for ever */
#define UV__DEADLINE_LAST (UINT64_MAX - 1) /* the latest real deadline */

#define UV__NS_PER_MS 1000000u

/* Returns `now_ns` plus `timeout_ms`, at most UV__DEADLINE_LAST. */
static inline uint64_t uv__deadline_after_ms(uint64_t now_ns,
                                             uint64_t timeout_ms) {
  uint64_t latest = UV__DEADLINE_LAST;

  if (timeout_ms > latest / UV__NS_PER_MS)
    return latest;

  uint64_t span = timeout_ms * UV__NS_PER_MS;
  return span > latest - now_ns ? latest : now_ns + span;
}

/* From a poller's timeout: negative is UV__DEADLINE_NEVER, 0 is
 * UV__DEADLINE_NONE. */
static inline uint64_t uv__deadline_from_timeout(uint64_t now_ns,
                                                 int timeout_ms) {
  if (timeout_ms < 0)
    return UV__DEADLINE_NEVER;
  if (timeout_ms == 0)
    return UV__DEADLINE_NONE;
  return uv__deadline_after_ms(now_ns, (uint64_t) timeout_ms);
}

/* Returns the milliseconds until the deadline, rounded up so that a wait is
 * never too short; at most INT_MAX; -1 means for ever, 0 that it has passed. */
static inline int uv__deadline_left_ms(uint64_t deadline_ns, uint64_t now_ns) {
  if (deadline_ns == UV__DEADLINE_NEVER)
    return -1;
  if (deadline_ns <= now_ns)
    return 0;

  uint64_t left = deadline_ns - now_ns;
  uint64_t ms = left / UV__NS_PER_MS + (left % UV__NS_PER_MS != 0);
  return ms > INT_MAX ? INT_MAX : (int) ms;
}

#endif /* UV_LOOP_DEADLINE_H_ */
