/* SPDX-License-Identifier: MIT */
#include "pool/pace.h"

/* Samples are capped at PACE_MAX_NS; from PACE_HEAVY_NS on, running an item
 * costs more than handing it over. */
#define PACE_STEP_NS 100
#define PACE_MAX_NS 400000
#define PACE_HEAVY_NS 2000
/* A loop that sleeps for a batch is woken while there is work left for every
 * processor for so long. Items that are lighter than PACE_LIGHT_NS make the
 * loop the bottleneck. */
#define RESERVE_NS 10000
#define PACE_LIGHT_NS 500
/* The wake-ups that batching would save are nothing beside items of this
 * length, and a loop that is late leaves processors idle for longer. */
#define PACE_LONG_NS 200000
/* How long a loop sleeps for a batch at most: a quarter of the time that an
 * item is in the pool, in milliseconds rounded up, within this limit. */
#define BATCH_SLEEP_MS_MAX 4
#define NS_PER_MS 1000000u

/* Moves the estimate towards a sample in bounded steps: an item during which
 * the worker was preempted must not make light work heavy. */
static unsigned next_pace(unsigned pace, unsigned sample) {
  unsigned high = 2 * pace + PACE_STEP_NS;
  unsigned low = pace / 2;

  if (pace == 0)
    return sample; /* the first one */
  if (sample > high)
    return high;
  return sample < low ? low : sample;
}

void uv__work_pace_add(unsigned* pace_ns, uint64_t took_ns) {
  unsigned sample = took_ns < PACE_MAX_NS ? (unsigned) took_ns : PACE_MAX_NS;

  uv__store_relaxed(pace_ns, next_pace(uv__load_relaxed(pace_ns), sample));
}

int uv__work_pace_is_heavy(const unsigned* pace_ns) {
  return uv__load_relaxed(pace_ns) >= PACE_HEAVY_NS;
}

static int batch_sleep_ms(uint64_t in_pool_ns) {
  uint64_t ms = 1 + in_pool_ns / 4 / NS_PER_MS;
  return ms < BATCH_SLEEP_MS_MAX ? (int) ms : BATCH_SLEEP_MS_MAX;
}

unsigned uv__work_pace_batch(const unsigned* pace,
                             unsigned awake,
                             unsigned processors,
                             unsigned reqs,
                             int* sleep_ms) {
  unsigned pace_ns = uv__load_relaxed(pace);

  if (pace_ns < PACE_LIGHT_NS || pace_ns >= PACE_LONG_NS)
    return 0;
  unsigned reserve = RESERVE_NS * processors / pace_ns;
  if (reqs / 2 <= reserve)
    return 0;
  if (reserve < reqs / 4)
    reserve = reqs / 4;
  /* What the workers run now, and one more for each processor. */
  if (reserve < awake + processors)
    reserve = awake + processors;
  if (reqs <= reserve)
    return 0;
  *sleep_ms = batch_sleep_ms((uint64_t) reqs * pace_ns / processors);
  return reqs - reserve;
}
