/* SPDX-License-Identifier: MIT */
#include "loop/deadline.h"

#include <limits.h>

#define NS_PER_MS 1000000u

uint64_t uv__deadline_after_ms(uint64_t now_ns, uint64_t timeout_ms) {
  uint64_t latest = UV__DEADLINE_LAST;

  if (timeout_ms > latest / NS_PER_MS)
    return latest;

  uint64_t span = timeout_ms * NS_PER_MS;
  return span > latest - now_ns ? latest : now_ns + span;
}

uint64_t uv__deadline_from_timeout(uint64_t now_ns, int timeout_ms) {
  if (timeout_ms < 0)
    return UV__DEADLINE_NEVER;
  if (timeout_ms == 0)
    return UV__DEADLINE_NONE;
  return uv__deadline_after_ms(now_ns, (uint64_t) timeout_ms);
}

int uv__deadline_left_ms(uint64_t deadline_ns, uint64_t now_ns) {
  if (deadline_ns == UV__DEADLINE_NEVER)
    return -1;
  if (deadline_ns <= now_ns)
    return 0;

  uint64_t left = deadline_ns - now_ns;
  uint64_t ms = left / NS_PER_MS + (left % NS_PER_MS != 0);
  return ms > INT_MAX ? INT_MAX : (int) ms;
}
