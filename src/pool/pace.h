/* SPDX-License-Identifier: MIT */
/* The pace of the pool: how long its items take, and what follows for loops
 * that wait for them. An estimate in nanoseconds, 0 before the first sample,
 * read and written by any thread without a lock. Context: any. */
#ifndef UV_POOL_PACE_H_
#define UV_POOL_PACE_H_

#include "util/atomic.h"
#include "util/base.h"

/* One item in so many is timed, first when the worker is warm. */
#define UV__WORK_PACE_EVERY 64
#define UV__WORK_PACE_FIRST 8

/* Is the item timed with which a worker has run `ran` items? */
static inline int uv__work_pace_is_sampled(unsigned ran) {
  return ran % UV__WORK_PACE_EVERY == UV__WORK_PACE_FIRST;
}

/* Takes the time of an item into account. */
void uv__work_pace_add(unsigned* pace_ns, uint64_t took_ns);

/* Does running an item cost more than handing it over? */
int uv__work_pace_is_heavy(const unsigned* pace_ns);

/* For uv__threadpool_batch(), if `awake` workers occupy all processors. */
unsigned uv__work_pace_batch(const unsigned* pace_ns,
                             unsigned awake,
                             unsigned processors,
                             unsigned reqs,
                             int* sleep_ms);

#endif /* UV_POOL_PACE_H_ */
