/* SPDX-License-Identifier: MIT */
/* A cheap clock for a thread that is observed: uv_hrtime(), continued with the
 * processor's cycle counter for a millisecond at a time.
 *
 * Reading the counter takes a fraction of what reading the clock takes. Where
 * there is no counter, or the kernel does not trust it, each reading is one of
 * the clock, as for the first milliseconds, until the counter's rate is
 * known. An error of the rate cannot add up, because the clock is read again
 * after a millisecond.
 */
#ifndef UV_OBSERVE_CLOCK_H_
#define UV_OBSERVE_CLOCK_H_

#include "util/atomic.h"
#include "util/base.h"

/* A thread's; begins as zeros. */
struct uv__observe_clock {
  uint64_t anchor;    /* the counter, when */
  uint64_t anchor_ns; /* this was the time */
  uint64_t last_ns;   /* the latest time returned: the next one is later */
};

/* Nanoseconds per count, times two to this. */
#define UV__OBSERVE_CLOCK_SHIFT 24

/* Atomic; both are 0 until the rate is known. */
extern uint32_t uv__observe_clock_rate; /* as UV__OBSERVE_CLOCK_SHIFT says */
extern uint32_t
    uv__observe_clock_span; /* counts after which the clock is read */

/* Once per process, before the first reading: uses the counter if the kernel's
 * clock does. */
void uv__observe_clock_init(void);
/* Uses the counter in any case, if there is one. */
void uv__observe_clock_use_counter(void);

/* Reads the clock. */
UV__NOINLINE uint64_t uv__observe_clock_read_clock(struct uv__observe_clock* t);

/* The counter, the kernel's name for it as a clock source, and how many counts
 * reading the clock in between may take: some microseconds. */
#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
# define UV__HAVE_CYCLE_COUNTER 1
# define UV__CYCLE_COUNTER_NAME "tsc"
static inline uint64_t uv__cycle_counter(void) {
  return __builtin_ia32_rdtsc();
}
static inline uint64_t uv__cycle_counter_gap(void) {
  return 4096;
}
#elif defined(__aarch64__) && defined(__GNUC__)
# define UV__HAVE_CYCLE_COUNTER 1
# define UV__CYCLE_COUNTER_NAME "arch_sys_counter"
static inline uint64_t uv__cycle_counter(void) {
  uint64_t count;

  __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(count));
  return count;
}
/* It counts 10 million times a second or 1,000 million times. */
static inline uint64_t uv__cycle_counter_gap(void) {
  uint64_t per_second;

  __asm__ __volatile__("mrs %0, cntfrq_el0" : "=r"(per_second));
  return per_second / 500000 + 2;
}
#else
# define UV__HAVE_CYCLE_COUNTER 0
# define UV__CYCLE_COUNTER_NAME ""
static inline uint64_t uv__cycle_counter(void) {
  return 0;
}
static inline uint64_t uv__cycle_counter_gap(void) {
  return 0;
}
#endif

/* Returns `ns`, or if that is not later than the last time, the next one that
 * is. No two times of a thread are the same: viewers of traces add begin and
 * duration as doubles, so of two spans that met at one time, the first would
 * often seem to end inside the second. */
static inline uint64_t uv__observe_clock_advance(struct uv__observe_clock* t,
                                                 uint64_t ns) {
  t->last_ns = ns > t->last_ns ? ns : t->last_ns + 1;
  return t->last_ns;
}

/* The time, in ns of uv_hrtime(). Context: the thread. */
static inline uint64_t uv__observe_clock_now(struct uv__observe_clock* t) {
  uint64_t passed = uv__cycle_counter() - t->anchor;

  /* Acquire: the rate. Pairs with measure_rate(). */
  if (passed >= uv__load_acquire(&uv__observe_clock_span))
    return uv__observe_clock_read_clock(t);
  uint64_t ns = passed * uv__load_relaxed(&uv__observe_clock_rate) >>
                UV__OBSERVE_CLOCK_SHIFT;
  return uv__observe_clock_advance(t, t->anchor_ns + ns);
}

#endif /* UV_OBSERVE_CLOCK_H_ */
