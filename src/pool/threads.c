/* SPDX-License-Identifier: MIT */
/* Starting and ending the threads of a pool.
 *
 * A place for a thread is used again after its thread has ended. Threads beyond
 * the minimum end by themselves when they were idle for a while (pool.c); the
 * next start or the shutdown joins them.
 */
#include "pool/threads.h"
#include "util/alloc.h"

#include <string.h>

#define STACK_SIZE ((size_t) 8 << 20)
/* A refused thread is tried again after so long. */
#define REFUSED_NS 100000000u

int uv__pool_reset(struct uv__pool* pool) {
  struct uv__pool_limits limits = pool->limits;
  struct uv__worker* workers = pool->workers;

  memset(pool, 0, sizeof(*pool));
  memset(workers, 0, limits.threads_max * sizeof(*workers));
  pool->limits = limits;
  pool->workers = workers;
  uv__work_queue_init(&pool->queue, limits.slow_max);
  return uv_mutex_init(&pool->lock);
}

int uv__pool_init(struct uv__pool* pool, const struct uv__pool_limits* limits) {
  pool->limits = *limits;
  pool->workers = uv__calloc(limits->threads_max, sizeof(*pool->workers));
  if (pool->workers == NULL)
    return UV_ENOMEM;

  int err = uv__pool_reset(pool);
  if (err != 0)
    uv__free(pool->workers);
  return err;
}

void uv__pool_close(struct uv__pool* pool) {
  for (unsigned i = 0; i < pool->nused; i++)
    uv_cond_destroy(&pool->workers[i].called);
  uv_mutex_destroy(&pool->lock);
  uv__free(pool->workers);
}

/* Returns a place without a thread, or NULL. */
static struct uv__worker* take_place(struct uv__pool* pool) {
  struct uv__worker* worker = pool->unused;

  /* During the shutdown, uv__pool_join() joins those that ended. */
  if (worker != NULL && !pool->is_ending) {
    pool->unused = worker->next;
    if (worker->state == UV__WORKER_ENDED)
      (void) uv_thread_join(&worker->id); /* it needs this lock no more */
    worker->state = UV__WORKER_NONE;
    return worker;
  }
  if (pool->nused >= pool->limits.threads_max)
    return NULL;
  worker = &pool->workers[pool->nused];
  if (uv_cond_init(&worker->called) != 0)
    return NULL;
  pool->nused++;
  return worker;
}

static void give_back_place(struct uv__pool* pool, struct uv__worker* worker) {
  worker->next = pool->unused;
  pool->unused = worker;
}

int uv__pool_start_worker(struct uv__pool* pool) {
  uv_thread_options_t options = { UV_THREAD_HAS_STACK_SIZE, STACK_SIZE };
  struct uv__worker* worker = take_place(pool);
  int err = UV_ENOMEM;

  if (worker != NULL) {
    worker->pool = pool;
    worker->is_in_lookup = 0;
    err =
        uv_thread_create_ex(&worker->id, &options, uv__pool_run_worker, worker);
  }
  if (err != 0) {
    if (worker != NULL)
      give_back_place(pool, worker);
    pool->refused_ns = uv_hrtime();
    pool->refused++;
    return err;
  }
  worker->state = UV__WORKER_RUNS;
  pool->threads++;
  pool->starting++;
  uv__pool_update_awake(pool);
  return 0;
}

int uv__pool_may_start(const struct uv__pool* pool) {
  return pool->refused_ns == 0 || uv_hrtime() - pool->refused_ns >= REFUSED_NS;
}

unsigned uv__pool_start(struct uv__pool* pool) {
  unsigned threads = 0;
  int is_over = 0;

  /* One by one: the loop that has submitted may want the lock meanwhile. */
  while (!is_over) {
    uv__pool_lock(pool);
    if (pool->threads >= pool->limits.threads_min || pool->is_ending)
      is_over = 1;
    else
      is_over = uv__pool_start_worker(pool) != 0;
    threads = pool->threads;
    uv__pool_unlock(pool, NULL);
  }
  return threads;
}

void uv__pool_end_worker(struct uv__worker* me) {
  struct uv__pool* pool = me->pool;

  pool->threads--;
  uv__pool_update_awake(pool);
  me->state = UV__WORKER_ENDED;
  give_back_place(pool, me);
}

struct uv__worker* uv__pool_take_idle(struct uv__pool* pool) {
  struct uv__worker* worker = pool->idle;

  pool->idle = worker->next;
  pool->idle_count--;
  pool->woken++;
  worker->state = UV__WORKER_RUNS;
  uv__pool_update_awake(pool);
  return worker;
}

void uv__pool_leave_idle(struct uv__pool* pool, struct uv__worker* me) {
  struct uv__worker** at = &pool->idle;

  while (*at != me)
    at = &(*at)->next;
  *at = me->next;
  pool->idle_count--;
}

int uv__pool_has_thread(struct uv__pool* pool) {
  uv__pool_lock(pool);
  int has_thread = pool->threads != 0;
  uv__pool_unlock(pool, NULL);
  return has_thread;
}

void uv__pool_end(struct uv__pool* pool) {
  uv__pool_lock(pool);
  uv__store_relaxed(&pool->is_ending, 1);
  uv__work_queue_set_holds(&pool->queue, 0);
  while (pool->idle != NULL)
    uv_cond_signal(&uv__pool_take_idle(pool)->called);
  uv__pool_unlock(pool, NULL);
}

/* Leaves a worker to itself: its lookup may take as long as a server does not
 * answer. It touches nothing but the lock when it comes back. */
static void abandon_worker(struct uv__pool* pool, struct uv__worker* worker) {
  worker->is_abandoned = 1;
  worker->state = UV__WORKER_NONE;
  pool->threads--;
  pool->running--;
  uv__pool_update_awake(pool);
  (void) uv_thread_detach(&worker->id);
}

/* Is there, or was there, a thread at place `i` to wait for? Returns -1 behind
 * the last. A worker may start another for items that were queued at the
 * shutdown. */
static int look_at_place(struct uv__pool* pool, unsigned i, int may_abandon) {
  int has_thread = -1;

  uv__pool_lock(pool);
  if (i < pool->nused) {
    struct uv__worker* worker = &pool->workers[i];
    if (may_abandon && worker->state == UV__WORKER_RUNS && worker->is_in_lookup)
      abandon_worker(pool, worker);
    has_thread = worker->state != UV__WORKER_NONE;
  }
  uv__pool_unlock(pool, NULL);
  return has_thread;
}

void uv__pool_join(struct uv__pool* pool, int may_abandon) {
  int has_thread;

  for (unsigned i = 0; (has_thread = look_at_place(pool, i, may_abandon)) >= 0;
       i++)
    if (has_thread)
      (void) uv_thread_join(&pool->workers[i].id);
  uv__pool_run_rest(pool);
}
