/* SPDX-License-Identifier: MIT */
/* The cheap clock never goes back and agrees with uv_hrtime(). */
#include "unit.h"

#include "observe/clock.h"

#include <string.h>

/* Long enough for the counter's rate to be measured, and for some anchors. */
#define TEST_NS UINT64_C(60000000)
/* How far a reading may be off: what clock.c allows between a count and the
 * clock, on a slow processor, and the error of the rate in a millisecond. */
#define ERROR_NS 10000

/* Does the architecture guarantee the counter's rate? Then it is used even if
 * the kernel's clock is another one: it is that of the host in an emulator. */
#ifdef __aarch64__
static const int is_constant = 1;
#else
static const int is_constant = 0;
#endif

static void begin(void) {
  if (is_constant)
    uv__observe_clock_use_counter();
  else
    uv__observe_clock_init();
}

UNIT_TEST(observe_clock_agrees_with_hrtime) {
  struct uv__observe_clock clock;
  uint64_t begin_ns = uv_hrtime();
  uint64_t last_ns = 0;
  uint64_t before_ns;

  memset(&clock, 0, sizeof(clock));
  begin();
  do {
    before_ns = uv_hrtime();
    uint64_t now_ns = uv__observe_clock_now(&clock);
    uint64_t after_ns = uv_hrtime();
    CHECK(now_ns > last_ns);
    CHECK(now_ns + ERROR_NS >= before_ns);
    CHECK(now_ns <= after_ns + ERROR_NS);
    last_ns = now_ns;
  } while (before_ns - begin_ns < TEST_NS);
  if (is_constant)
    CHECK(uv__load_relaxed(&uv__observe_clock_span) != 0);
}

/* Somebody has read a later time: that is where it goes on, and every time is
 * later than the last one. */
UNIT_TEST(observe_clock_does_not_go_back) {
  struct uv__observe_clock clock;

  memset(&clock, 0, sizeof(clock));
  uint64_t later_ns = uv__observe_clock_now(&clock) + UINT64_C(3600000000000);
  CHECK_EQ(later_ns, uv__observe_clock_advance(&clock, later_ns));
  CHECK_EQ(later_ns + 1, uv__observe_clock_advance(&clock, 1));
  CHECK_EQ(later_ns + 2, uv__observe_clock_now(&clock));
}
