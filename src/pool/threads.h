/* SPDX-License-Identifier: MIT */
/* The threads of a pool: for the files of pool/ only. The lock of the pool is
 * held in every call, unless a comment says otherwise. */
#ifndef UV_POOL_THREADS_H_
#define UV_POOL_THREADS_H_

#include "pool/pool.h"
#include "pool/tuning.h"

/* Called without the lock. */
static inline void uv__pool_lock(struct uv__pool* pool) {
  for (int i = 0; i < UV__POOL_LOCK_TRIES; i++) {
    if (uv_mutex_trylock(&pool->lock) == 0)
      return;
    uv__cpu_relax();
  }
  uv_mutex_lock(&pool->lock);
}

/* `called` is a worker to wake, or NULL: after the unlock, because it needs the
 * lock first. */
static inline void uv__pool_unlock(struct uv__pool* pool,
                                   struct uv__worker* called) {
  uv_mutex_unlock(&pool->lock);
  if (called != NULL)
    uv_cond_signal(&called->called);
}

/* Called after each change of what `awake` depends on. */
static inline void uv__pool_update_awake(struct uv__pool* pool) {
  uv__store_relaxed(&pool->awake, pool->threads - pool->idle_count);
}

/* Workers that are about to look at the queue. */
static inline unsigned uv__pool_count_coming(const struct uv__pool* pool) {
  return pool->starting + pool->woken + uv__load_relaxed(&pool->spinner);
}

/* Creates a thread: 0, or why the system refused it. With the lock held,
 * because a submit that counts on it must not see it fail later. */
int uv__pool_start_worker(struct uv__pool* pool);

/* The calling worker ends; its place is free once it is joined. */
void uv__pool_end_worker(struct uv__worker* me);

/* Place `i`, of those that exist. */
struct uv__worker* uv__pool_place(const struct uv__pool* pool, unsigned i);

/* Makes places for so many threads, without the lock. 0 or UV_ENOMEM. */
int uv__pool_reserve(struct uv__pool* pool, unsigned count);

/* Sets the limit, for which there are places. */
void uv__pool_limit_threads(struct uv__pool* pool, unsigned threads);

/* May another thread be tried? Not right after one was refused. */
int uv__pool_may_start(const struct uv__pool* pool);

/* Takes the worker that was idle for the shortest time; there is one. */
struct uv__worker* uv__pool_take_idle(struct uv__pool* pool);

/* A worker whose wait timed out leaves the list of idle ones. */
void uv__pool_leave_idle(struct uv__pool* pool, struct uv__worker* me);

/* pool.c: a thread begins here, without the lock; `arg` is its worker. */
void uv__pool_run_worker(void* arg);

/* pool.c: runs what is queued on the calling thread, without the lock. */
void uv__pool_run_rest(struct uv__pool* pool);

/* stuck.c, for a pool with `stuck_ms`: starts threads if no item was taken for
 * so long. Returns 0 if nothing waits for a worker, otherwise the
 * milliseconds until somebody should look again. */
unsigned uv__pool_look_if_stuck(struct uv__pool* pool, uint64_t now_ns);

#endif /* UV_POOL_THREADS_H_ */
