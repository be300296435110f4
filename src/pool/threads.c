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

/* ---- places ---- */

static struct uv__places* places_new(unsigned count) {
  struct uv__places* places =
      uv__calloc(1, sizeof(*places) + count * sizeof(places->workers[0]));

  if (places != NULL)
    places->count = count;
  return places;
}

static void places_free(struct uv__places* places) {
  while (places != NULL) {
    struct uv__places* next = places->next;
    uv__free(places);
    places = next;
  }
}

static unsigned count_places(const struct uv__pool* pool) {
  unsigned count = 0;

  for (const struct uv__places* p = pool->places; p != NULL; p = p->next)
    count += p->count;
  return count;
}

struct uv__worker* uv__pool_place(const struct uv__pool* pool, unsigned i) {
  struct uv__places* places = pool->places;

  while (i >= places->count) {
    i -= places->count;
    places = places->next;
  }
  return &places->workers[i];
}

/* Takes `more` places unless others came first. Returns 1 if there are enough
 * now. */
static int add_places(struct uv__pool* pool,
                      struct uv__places* more,
                      unsigned count_before) {
  uv__pool_lock(pool);
  int is_taken = count_places(pool) == count_before;
  if (is_taken) {
    struct uv__places** at = &pool->places;
    while (*at != NULL)
      at = &(*at)->next;
    *at = more;
  }
  uv__pool_unlock(pool, NULL);
  return is_taken;
}

int uv__pool_reserve(struct uv__pool* pool, unsigned count) {
  for (;;) {
    uv__pool_lock(pool);
    unsigned count_before = count_places(pool);
    uv__pool_unlock(pool, NULL);
    if (count_before >= count)
      return 0;
    struct uv__places* more = places_new(count - count_before);
    if (more == NULL)
      return UV_ENOMEM;
    if (add_places(pool, more, count_before))
      return 0;
    uv__free(more);
  }
}

/* ---- a pool ---- */

static void change_limits(struct uv__pool_limits* limits, unsigned threads) {
  limits->threads_max = threads;
  if (limits->idle_ms == 0)
    limits->threads_min = threads;
  if (limits->slow_max != 0)
    limits->slow_max = uv__pool_slow_max(threads);
}

int uv__pool_reset(struct uv__pool* pool) {
  struct uv__pool_limits limits = pool->limits;
  struct uv__places* places = pool->places;

  if (pool->threads_wanted != 0)
    change_limits(&limits, pool->threads_wanted);
  memset(pool, 0, sizeof(*pool));
  for (struct uv__places* p = places; p != NULL; p = p->next)
    memset(p->workers, 0, p->count * sizeof(p->workers[0]));
  pool->limits = limits;
  pool->places = places;
  uv__work_queue_init(&pool->queue, limits.slow_max);
  return uv_mutex_init(&pool->lock);
}

int uv__pool_init(struct uv__pool* pool, const struct uv__pool_limits* limits) {
  pool->limits = *limits;
  pool->threads_wanted = 0;
  if (limits->thread_name == NULL)
    pool->limits.thread_name = "libuv-worker";
  pool->places = places_new(limits->threads_max);
  if (pool->places == NULL)
    return UV_ENOMEM;

  int err = uv__pool_reset(pool);
  if (err != 0)
    places_free(pool->places);
  return err;
}

void uv__pool_close(struct uv__pool* pool) {
  for (unsigned i = 0; i < pool->nused; i++)
    uv_cond_destroy(&uv__pool_place(pool, i)->called);
  uv_mutex_destroy(&pool->lock);
  places_free(pool->places);
}

/* ---- starting ---- */

/* Returns a place without a thread, or NULL. */
static struct uv__worker* take_place(struct uv__pool* pool) {
  struct uv__worker* worker = pool->unused;

  /* During the shutdown, uv__pool_join() joins those that ended. */
  if (worker != NULL && !(pool->ending & UV__POOL_ENDS)) {
    pool->unused = worker->next;
    if (worker->state == UV__WORKER_ENDED)
      (void) uv_thread_join(&worker->id); /* it needs this lock no more */
    worker->state = UV__WORKER_NONE;
    return worker;
  }
  if (pool->nused >= count_places(pool))
    return NULL;
  worker = uv__pool_place(pool, pool->nused);
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

  if (pool->limits.stack_size != 0)
    options.stack_size = pool->limits.stack_size;
  if (worker != NULL) {
    worker->pool = pool;
    worker->kind = NULL;
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

/* Called when the number of threads, or its limit, has changed: workers end
 * while there are too many. */
static void update_shrinking(struct uv__pool* pool) {
  unsigned ending = pool->ending & ~(unsigned) UV__POOL_SHRINKS;

  pool->queue.gate &= ~(unsigned) UV__GATE_SHRINK;
  if (pool->threads > pool->limits.threads_max) {
    ending |= UV__POOL_SHRINKS;
    pool->queue.gate |= UV__GATE_SHRINK;
  }
  uv__store_relaxed(&pool->ending, ending);
}

unsigned uv__pool_start(struct uv__pool* pool) {
  unsigned threads = 0;
  int is_over = 0;

  /* One by one: the loop that has submitted may want the lock meanwhile. */
  while (!is_over) {
    uv__pool_lock(pool);
    if (pool->threads >= pool->limits.threads_min ||
        (pool->ending & UV__POOL_ENDS))
      is_over = 1;
    else
      is_over = uv__pool_start_worker(pool) != 0;
    threads = pool->threads;
    uv__pool_unlock(pool, NULL);
  }
  return threads;
}

static void count_out(struct uv__pool* pool) {
  pool->threads--;
  uv__pool_update_awake(pool);
  update_shrinking(pool);
}

void uv__pool_end_worker(struct uv__worker* me) {
  struct uv__pool* pool = me->pool;

  count_out(pool);
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

int uv__pool_is_mine(struct uv__pool* pool) {
  uv_thread_t self = uv_thread_self();
  int is_mine = 0;

  uv__pool_lock(pool);
  for (unsigned i = 0; i < pool->nused && !is_mine; i++) {
    const struct uv__worker* worker = uv__pool_place(pool, i);
    is_mine =
        worker->state == UV__WORKER_RUNS && uv_thread_equal(&worker->id, &self);
  }
  uv__pool_unlock(pool, NULL);
  return is_mine;
}

static void call_all(struct uv__pool* pool) {
  while (pool->idle != NULL)
    uv_cond_signal(&uv__pool_take_idle(pool)->called);
}

/* All idle workers come to see whether they are too many: the last ones that
 * do are not, and take what is queued (L2). */
void uv__pool_limit_threads(struct uv__pool* pool, unsigned threads) {
  pool->threads_wanted = 0;
  change_limits(&pool->limits, threads);
  if (pool->limits.slow_max != 0)
    uv__work_queue_set_slow_max(&pool->queue, pool->limits.slow_max);
  update_shrinking(pool);
  if (pool->ending != 0)
    call_all(pool);
}

static void begin_end(struct uv__pool* pool, unsigned holds) {
  uv__pool_lock(pool);
  uv__store_relaxed(&pool->ending, pool->ending | UV__POOL_ENDS);
  uv__work_queue_set_holds(&pool->queue, holds);
  uv__work_queue_set_paused(&pool->queue, 0);
  pool->is_owed = 0;
  call_all(pool);
  uv__pool_unlock(pool, NULL);
}

void uv__pool_end(struct uv__pool* pool) {
  begin_end(pool, 0);
}

void uv__pool_end_now(struct uv__pool* pool) {
  begin_end(pool, 1);
}

/* Leaves a worker to itself: its lookup may take as long as a server does not
 * answer. It touches nothing but the lock when it comes back. */
static void abandon_worker(struct uv__pool* pool, struct uv__worker* worker) {
  worker->is_abandoned = 1;
  worker->state = UV__WORKER_NONE;
  pool->running--;
  count_out(pool);
  (void) uv_thread_detach(&worker->id);
}

static int is_in_lookup(const struct uv__worker* worker) {
  return worker->kind != NULL && uv__work_is_slow(worker->kind->id);
}

/* Is there, or was there, a thread at place `i` to wait for? Returns -1 behind
 * the last. A worker may start another for items that were queued at the
 * shutdown. */
static int look_at_place(struct uv__pool* pool, unsigned i, int may_abandon) {
  int has_thread = -1;

  uv__pool_lock(pool);
  if (i < pool->nused) {
    struct uv__worker* worker = uv__pool_place(pool, i);
    if (may_abandon && worker->state == UV__WORKER_RUNS && is_in_lookup(worker))
      abandon_worker(pool, worker);
    has_thread = worker->state != UV__WORKER_NONE;
  }
  uv__pool_unlock(pool, NULL);
  return has_thread;
}

static void join_place(struct uv__pool* pool, unsigned i) {
  uv__pool_lock(pool); /* the list of places may grow */
  struct uv__worker* worker = uv__pool_place(pool, i);
  uv__pool_unlock(pool, NULL);
  (void) uv_thread_join(&worker->id);
  uv__pool_lock(pool);
  worker->state = UV__WORKER_NONE;
  uv__pool_unlock(pool, NULL);
}

void uv__pool_join(struct uv__pool* pool, int may_abandon) {
  int has_thread;

  for (unsigned i = 0; (has_thread = look_at_place(pool, i, may_abandon)) >= 0;
       i++)
    if (has_thread)
      join_place(pool, i);
  uv__pool_run_rest(pool);
}
