/* SPDX-License-Identifier: MIT */
/* A pool whose threads are all inside calls that may never end: opening a FIFO
 * without a writer, a file server that is gone, a lock on a file.
 *
 * It grows if nothing at all moves: items wait, no worker is available, and
 * none took an item for `stuck_ms`. Then 1, 2, 4, 8 threads start, up to the
 * maximum. One item taken, other than by these threads, and it begins again
 * with 1.
 *
 * There is no clock on the way of an item, and no thread that watches. A look
 * compares the number of items taken with the last look's. Submits look, and
 * loops that are about to sleep (uv__pool_watch()).
 *
 * Called with the pool's lock held. */
#include "pool/threads.h"

#define NS_PER_MS 1000000u

/* Something moved: begin to wait again. */
static void begin_wait(struct uv__pool* pool, uint64_t now_ns) {
  pool->stuck_taken = pool->queue.taken;
  pool->stuck_since_ns = now_ns;
  pool->grow_step = 1;
}

static void grow_pool(struct uv__pool* pool, uint64_t now_ns) {
  unsigned count = 0;

  while (count < pool->grow_step && pool->threads < pool->limits.threads_max &&
         uv__pool_may_start(pool) && uv__pool_start_worker(pool) == 0)
    count++;
  pool->grown += count;
  /* Each takes an item: that does not mean that the others move. */
  pool->stuck_taken = pool->queue.taken + count;
  pool->stuck_since_ns = now_ns;
  pool->grow_step *= 2;
  if (pool->grow_step > pool->limits.threads_max)
    pool->grow_step = pool->limits.threads_max;
}

/* The number of items taken wraps around. */
static int has_moved(const struct uv__pool* pool) {
  return pool->grow_step == 0 ||
         (int) (pool->queue.taken - pool->stuck_taken) > 0;
}

unsigned uv__pool_look_if_stuck(struct uv__pool* pool, uint64_t now_ns) {
  uint64_t limit_ns = (uint64_t) pool->limits.stuck_ms * NS_PER_MS;

  if (uv__load_relaxed(&pool->queue.ready) == 0)
    return uv__load_relaxed(&pool->queue.held) == 0 ? 0 : pool->limits.stuck_ms;
  if (pool->idle != NULL || uv__pool_count_coming(pool) != 0)
    return pool->limits.stuck_ms;
  if (has_moved(pool))
    begin_wait(pool, now_ns);
  /* A loop's own time may be older than the last look. */
  int64_t passed_ns = (int64_t) (now_ns - pool->stuck_since_ns);
  if (passed_ns >= (int64_t) limit_ns) {
    grow_pool(pool, now_ns);
    passed_ns = 0;
  }
  if (passed_ns < 0)
    passed_ns = 0;
  return 1 + (unsigned) ((limit_ns - (uint64_t) passed_ns - 1) / NS_PER_MS);
}
