/* SPDX-License-Identifier: MIT */
/* deadline.h: deadlines to the nanosecond. */
#include "unit.h"

#include "loop/deadline.h"

#include <limits.h>

#define MS UINT64_C(1000000)
#define LATEST (UINT64_MAX - 1)

UNIT_TEST(deadline_after_ms) {
  CHECK_EQ(7, uv__deadline_after_ms(7, 0));
  CHECK_EQ(7 + MS, uv__deadline_after_ms(7, 1));
  CHECK_EQ(1500 * MS, uv__deadline_after_ms(500 * MS, 1000));
}

/* A deadline beyond the clock's range is the latest one, never "never". */
UNIT_TEST(deadline_after_ms_saturates) {
  uint64_t most = LATEST / MS;

  CHECK(uv__deadline_after_ms(0, most) == most * MS);
  CHECK(uv__deadline_after_ms(0, most + 1) == LATEST);
  CHECK(uv__deadline_after_ms(0, UINT64_MAX) == LATEST);
  CHECK(uv__deadline_after_ms(LATEST, 0) == LATEST);
  CHECK(uv__deadline_after_ms(LATEST, 1) == LATEST);
  CHECK(uv__deadline_after_ms(LATEST - MS, 1) == LATEST);
  CHECK(uv__deadline_after_ms(LATEST - MS - 1, 1) == LATEST - 1);
  CHECK(uv__deadline_after_ms(123, UINT64_MAX / MS) != UINT64_MAX);
}

UNIT_TEST(deadline_from_timeout) {
  CHECK(uv__deadline_from_timeout(5, -1) == UV__DEADLINE_NEVER);
  CHECK(uv__deadline_from_timeout(5, INT_MIN) == UV__DEADLINE_NEVER);
  CHECK(uv__deadline_from_timeout(5, 0) == UV__DEADLINE_NONE);
  CHECK(uv__deadline_from_timeout(5, 1) == 5 + MS);
  CHECK(uv__deadline_from_timeout(5, INT_MAX) == 5 + INT_MAX * MS);
}

/* Rounded up: a wait of so many milliseconds is never too short. */
UNIT_TEST(deadline_left_ms) {
  CHECK_EQ(-1, uv__deadline_left_ms(UV__DEADLINE_NEVER, 0));
  CHECK_EQ(-1, uv__deadline_left_ms(UV__DEADLINE_NEVER, LATEST));
  CHECK_EQ(0, uv__deadline_left_ms(UV__DEADLINE_NONE, 0));
  CHECK_EQ(0, uv__deadline_left_ms(10, 10));
  CHECK_EQ(0, uv__deadline_left_ms(10, 11));
  CHECK_EQ(1, uv__deadline_left_ms(11, 10));
  CHECK_EQ(1, uv__deadline_left_ms(MS, 0));
  CHECK_EQ(2, uv__deadline_left_ms(MS + 1, 0));
  CHECK_EQ(1, uv__deadline_left_ms(MS + 1, 1));
  CHECK_EQ(INT_MAX, uv__deadline_left_ms(LATEST, 0));
  CHECK_EQ(INT_MAX, uv__deadline_left_ms(INT_MAX * MS, 0));
  CHECK_EQ(INT_MAX, uv__deadline_left_ms(INT_MAX * MS + 1, 0));
  CHECK_EQ(INT_MAX - 1, uv__deadline_left_ms((INT_MAX - 1) * MS, 0));
}

/* Waiting for the rest, however often interrupted, ends at or after the
 * deadline and less than a millisecond late. */
UNIT_TEST(deadline_interrupted_waits_add_up) {
  uint64_t seed = 42;

  for (int round = 0; round < 2000; round++) {
    uint64_t now = 1000 + (uint64_t) round * 77777;
    uint64_t deadline = uv__deadline_after_ms(now, (uint64_t) (round % 50));
    for (int i = 0;; i++) {
      CHECK(i < 1000);
      int left = uv__deadline_left_ms(deadline, now);
      if (left == 0)
        break;
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      uint64_t whole = (uint64_t) left * MS;
      now += i == 20 ? whole : (seed >> 20) % whole;
    }
    CHECK(now >= deadline);
    CHECK(now < deadline + MS);
  }
}
