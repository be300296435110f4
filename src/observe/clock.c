/* SPDX-License-Identifier: MIT */
#include "observe/clock.h"
#include "os/system.h"

/* The rate is measured this long after the first reading, and once more, more
 * exactly, after the second. */
#define FIRST_NS UINT64_C(10000000)
#define SECOND_NS UINT64_C(1000000000)
/* How long the counter continues a reading of the clock. */
#define SPAN_NS UINT64_C(1000000)
/* Attempts to read counter and clock together. A preempted attempt is
 * recognised by the large gap around the clock read. */
#define TRIES 3

struct pair {
  uint64_t count;
  uint64_t ns;
  uint64_t gap; /* the counts between which the clock was read */
};

uint32_t uv__observe_clock_rate;
uint32_t uv__observe_clock_span;

/* Set by uv__observe_clock_init(), constant afterwards. */
static struct pair first; /* count 0: there is no counter */
static uint64_t next_ns;  /* atomic: when the rate is measured, 0: never */

static struct pair read_once(void) {
  struct pair pair;
  uint64_t before = uv__cycle_counter();

  pair.ns = uv_hrtime();
  pair.gap = uv__cycle_counter() - before;
  pair.count = before + pair.gap / 2;
  return pair;
}

static struct pair read_both(void) {
  struct pair best = read_once();

  for (int i = 1; i < TRIES && best.gap > uv__cycle_counter_gap(); i++) {
    struct pair pair = read_once();
    if (pair.gap < best.gap)
      best = pair;
  }
  return best;
}

void uv__observe_clock_init(void) {
  if (UV__HAVE_CYCLE_COUNTER && first.count == 0 &&
      uv__os_clock_is(UV__CYCLE_COUNTER_NAME))
    uv__observe_clock_use_counter();
}

void uv__observe_clock_use_counter(void) {
  if (!UV__HAVE_CYCLE_COUNTER || first.count != 0)
    return;
  first = read_both();
  /* Release: the first pair. Pairs with uv__observe_clock_read_clock(). */
  uv__store_release(&next_ns, first.ns + FIRST_NS);
}

/* Several threads may do so at a time, with nearly the same result. */
static void measure_rate(const struct pair* now) {
  uint64_t ns = now->ns - first.ns;
  uint64_t counts = now->count - first.count;

  if (counts == 0)
    return;
  uv__store_relaxed(&next_ns, ns < SECOND_NS ? first.ns + SECOND_NS : 0);

  double rate = (double) ns / (double) counts;
  double scaled = rate * (double) (UINT32_C(1) << UV__OBSERVE_CLOCK_SHIFT);
  double span = (double) SPAN_NS / rate;
  if (scaled < 1 || scaled > UINT32_MAX || span > UINT32_MAX)
    return; /* no counter that we know of */
  uv__store_relaxed(&uv__observe_clock_rate, (uint32_t) scaled);
  /* Release: the rate. Pairs with uv__observe_clock_now(). */
  uv__store_release(&uv__observe_clock_span, (uint32_t) span);
}

uint64_t uv__observe_clock_read_clock(struct uv__observe_clock* t) {
  /* Acquire: the first pair. Pairs with uv__observe_clock_init(). */
  uint64_t due_ns = uv__load_acquire(&next_ns);

  if (due_ns == 0 && uv__load_relaxed(&uv__observe_clock_span) == 0)
    return uv__observe_clock_advance(t, uv_hrtime());

  struct pair now = read_both();
  if (now.gap <= uv__cycle_counter_gap()) {
    t->anchor = now.count;
    t->anchor_ns = now.ns;
    if (due_ns != 0 && now.ns >= due_ns)
      measure_rate(&now);
  } /* otherwise the next reading tries again */
  return uv__observe_clock_advance(t, now.ns);
}
