/* SPDX-License-Identifier: MIT */
/* The threads of a pool.
 *
 * Submit: the item joins the queue. A worker is woken only if none is about to
 * look at the queue anyway. A worker that takes an item and leaves others
 * behind wakes the next worker first: a burst costs the loop one wake-up, and
 * an item that blocks delays no other, even if the loop never comes back.
 *
 * After an item its worker hands the result over and then, without the lock,
 * tries to become the spinner, which watches the queue for a few microseconds.
 * However the spin ends, the spinner takes the lock and only then clears
 * `spinner`: a submit that had the lock before is seen by it, and one that has
 * the lock after it finds `spinner` cleared.
 *
 * Context: submit and cancel any; run_worker() is the worker.
 */
#include "pool/pool.h"
#include "loop/loop.h"
#include "observe/hooks.h"
#include "pool/done.h"
#include "pool/lanes.h"
#include "pool/tuning.h"
#include "util/alloc.h"
#include "util/queue.h"

#include <string.h>

#define STACK_SIZE ((size_t) 8 << 20)
#define NS_PER_MS 1000000u
/* Workers that are woken at a time; they wake others (L2). */
#define FLUSH_MAX 16
/* A refused thread is tried again after so long. */
#define REFUSED_NS (100u * NS_PER_MS)

static void lock_pool(struct uv__pool* pool) {
  for (int i = 0; i < UV__POOL_LOCK_TRIES; i++) {
    if (uv_mutex_trylock(&pool->lock) == 0)
      return;
    uv__cpu_relax();
  }
  uv_mutex_lock(&pool->lock);
}

/* `called` is a worker to wake, or NULL: after the unlock, because it needs the
 * lock first. */
static void unlock_pool(struct uv__pool* pool, struct uv__worker* called) {
  uv_mutex_unlock(&pool->lock);
  if (called != NULL)
    uv_cond_signal(&called->called);
}

/* Called after each change of what `awake` depends on. */
static void update_awake(struct uv__pool* pool) {
  uv__store_relaxed(&pool->awake, pool->threads - pool->idle_count);
}

int uv__pool_reset(struct uv__pool* pool) {
  for (unsigned i = 0; i < pool->limits.threads_max; i++)
    pool->workers[i].state = UV__WORKER_NONE;
  pool->nused = 0;
  pool->unused = NULL;
  pool->idle = NULL;
  pool->idle_count = 0;
  pool->threads = 0;
  pool->starting = 0;
  pool->woken = 0;
  pool->running = 0;
  pool->refused_ns = 0;
  pool->is_started = 0;
  pool->is_open = 0;
  pool->is_ending = 0;
  pool->substitute = NULL;
  uv__work_queue_init(&pool->queue, pool->limits.slow_max);
  uv__store_relaxed(&pool->spinner, 0);
  pool->spin = (struct uv__spin) { 0 };
  update_awake(pool);
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

static void run_worker(void* arg);

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
  worker = &pool->workers[pool->nused];
  if (pool->nused == pool->limits.threads_max ||
      uv_cond_init(&worker->called) != 0)
    return NULL;
  pool->nused++;
  return worker;
}

static void give_back_place(struct uv__pool* pool, struct uv__worker* worker) {
  worker->next = pool->unused;
  pool->unused = worker;
}

/* Creates a thread. With the lock held: a submit that counts on it must not see
 * it fail later. */
static int start_worker(struct uv__pool* pool) {
  uv_thread_options_t options = { UV_THREAD_HAS_STACK_SIZE, STACK_SIZE };
  struct uv__worker* worker = take_place(pool);
  int err = UV_ENOMEM;

  if (worker != NULL) {
    worker->pool = pool;
    worker->is_in_lookup = 0;
    err = uv_thread_create_ex(&worker->id, &options, run_worker, worker);
  }
  if (err != 0) {
    if (worker != NULL)
      give_back_place(pool, worker);
    pool->refused_ns = uv_hrtime();
    return err;
  }
  worker->state = UV__WORKER_RUNS;
  pool->threads++;
  pool->starting++;
  update_awake(pool);
  return 0;
}

/* May another thread be tried? Not right after one was refused. */
static int may_start(const struct uv__pool* pool) {
  return pool->refused_ns == 0 || uv_hrtime() - pool->refused_ns >= REFUSED_NS;
}

/* Workers that are about to look at the queue. */
static unsigned count_coming(const struct uv__pool* pool) {
  return pool->starting + pool->woken + uv__load_relaxed(&pool->spinner);
}

/* Takes the worker that was idle for the shortest time. */
static struct uv__worker* take_idle(struct uv__pool* pool) {
  struct uv__worker* worker = pool->idle;

  pool->idle = worker->next;
  pool->idle_count--;
  pool->woken++;
  worker->state = UV__WORKER_RUNS;
  update_awake(pool);
  return worker;
}

/* Makes sure that a worker looks at what is queued (L2). Returns an idle worker
 * to be woken by unlock_pool(), or NULL. */
static struct uv__worker* call_worker(struct uv__pool* pool) {
  if (uv__load_relaxed(&pool->queue.ready) == 0 || count_coming(pool) != 0)
    return NULL;
  if (pool->idle != NULL)
    return take_idle(pool);
  /* A refused thread does not matter: there is at least one. */
  if (pool->threads < pool->limits.threads_max && may_start(pool))
    (void) start_worker(pool);
  return NULL;
}

void uv__pool_start(struct uv__pool* pool) {
  int err = 0;

  for (unsigned i = 0; err == 0 && i < pool->limits.threads_min; i++) {
    lock_pool(pool);
    if (pool->threads < pool->limits.threads_min && !pool->is_ending &&
        pool->substitute == NULL)
      err = start_worker(pool);
    unlock_pool(pool, NULL);
  }
}

/* Opens the pool if all threads that were started run: a program may forbid
 * what a thread does when it begins. */
static void try_open(struct uv__pool* pool) {
  if (pool->is_started && pool->starting == 0)
    pool->is_open = 1;
}

void uv__pool_open(struct uv__pool* pool) {
  lock_pool(pool);
  pool->is_started = 1;
  try_open(pool);
  unlock_pool(pool, pool->is_open ? call_worker(pool) : NULL);
}

/* Context: worker. Returns 1 if the loop was spinning for the item. */
static int run_item(struct uv__work* w) {
  uv_loop_t* loop = w->loop;

  if (loop == NULL) {
    w->kind->work(w); /* delivers its result, and frees the item */
    return 0;
  }
  if (uv__is_observed())
    uv__observed_work(w);
  else
    w->kind->work(w);
  return uv__work_push_done(loop, w);
}

static int has_work(const void* arg) {
  const struct uv__pool* pool = arg;
  return uv__load_relaxed(&pool->queue.ready) != 0;
}

static int is_over(const void* arg) {
  const struct uv__pool* pool = arg;
  return uv__load_relaxed(&pool->is_ending);
}

/* Watches the queue for a moment, unless another worker does or recent spins
 * were unsuccessful. Called without the lock: on a busy machine, waiting for it
 * first would take longer than the spin. */
static int spin_for_work(struct uv__pool* pool,
                         const struct uv__worker* me,
                         int was_loop_spinning) {
  unsigned none = 0;

  /* Acquire: `spin`. Pairs with the store in run_items(). */
  if (me->ran >= UV__POOL_TURN || has_work(pool) || !uv__wake_may_spin() ||
      !uv__cas_strong(&pool->spinner, &none, 1))
    return 0;

  struct uv__spin* spin = &pool->spin;
  /* The loop was waiting for this item, and may submit the next at once. */
  if (was_loop_spinning && spin->misses >= UV__SPIN_MISSES_MAX)
    spin->misses = UV__SPIN_MISSES_MAX - 1;
  if (uv__spin_advise(spin, UV__SPIN_MISSES_MAX, UV__SPIN_PAUSE_MAX)) {
    /* If all others sleep, there was one item at a time. */
    uint64_t span_ns =
        uv__load_relaxed(&pool->awake) == 1 ? UV__SPIN_SINGLE_NS : UV__SPIN_NS;
    if (uv__spin(span_ns, has_work, is_over, pool))
      *spin = (struct uv__spin) { 0 };
    else
      spin->misses++;
  }
  return 1;
}

/* Behind all others if its turn is over, so that the next item is theirs. */
static void join_idle(struct uv__pool* pool, struct uv__worker* me) {
  struct uv__worker** at = &pool->idle;

  if (me->ran >= UV__POOL_TURN) {
    me->ran = 0;
    while (*at != NULL)
      at = &(*at)->next;
  }
  me->next = *at;
  *at = me;
  pool->idle_count++;
}

/* Removes a worker whose wait timed out from the list of idle ones. */
static void leave_idle(struct uv__pool* pool, struct uv__worker* me) {
  struct uv__worker** at = &pool->idle;

  while (*at != me)
    at = &(*at)->next;
  *at = me->next;
  pool->idle_count--;
}

/* Waits until the worker is called. Returns 0 if it was idle for so long that
 * it should end. */
static int wait_for_call(struct uv__pool* pool, struct uv__worker* me) {
  const struct uv__pool_limits* limits = &pool->limits;

  me->state = UV__WORKER_IDLE;
  join_idle(pool, me);
  update_awake(pool);
  while (me->state == UV__WORKER_IDLE) {
    if (pool->threads <= limits->threads_min) {
      uv_cond_wait(&me->called, &pool->lock);
    } else if (uv_cond_timedwait(&me->called, &pool->lock,
                                 (uint64_t) limits->idle_ms * NS_PER_MS) ==
                   UV_ETIMEDOUT &&
               me->state == UV__WORKER_IDLE &&
               pool->threads > limits->threads_min) {
      leave_idle(pool, me);
      return 0;
    }
  }
  pool->woken--;
  return 1;
}

static struct uv__work* take_item(struct uv__pool* pool, int* is_slow) {
  struct uv__work* w = NULL;

  if (pool->is_open)
    w = uv__work_queue_take(&pool->queue, is_slow);
  if (w != NULL)
    w->work = NULL; /* can no longer be cancelled */
  return w;
}

/* Runs items until there is nothing to take, or until the worker is abandoned:
 * uv__pool_join() did not wait for its lookup. Called with the lock held. */
static void run_items(struct uv__pool* pool, struct uv__worker* me) {
  struct uv__work* w;
  int is_slow;

  while ((w = take_item(pool, &is_slow)) != NULL) {
    pool->running++;
    me->is_in_lookup = uv__work_is_slow(w->kind->id);
    unlock_pool(pool, call_worker(pool));
    int was_loop_spinning = run_item(w);
    me->ran++;
    int is_spinner =
        !me->is_in_lookup && spin_for_work(pool, me, was_loop_spinning);
    lock_pool(pool);
    if (is_spinner)
      uv__store_release(&pool->spinner, 0);
    if (me->is_abandoned)
      return;
    me->is_in_lookup = 0;
    pool->running--;
    if (is_slow)
      uv__work_queue_ran_slow(&pool->queue);
  }
}

static void run_worker(void* arg) {
  struct uv__worker* me = arg;
  struct uv__pool* pool = me->pool;

  uv_thread_setname("libuv-worker");
  uv__lanes_start();

  lock_pool(pool);
  pool->starting--;
  try_open(pool);
  do
    run_items(pool, me);
  while (!pool->is_ending && wait_for_call(pool, me));
  if (me->is_abandoned) {
    unlock_pool(pool, NULL);
    return;
  }
  pool->threads--;
  update_awake(pool);
  me->state = UV__WORKER_ENDED;
  give_back_place(pool, me);
  unlock_pool(pool, NULL);
}

/* Can the pool take an item? One that has no thread starts the first. */
static int check_usable(struct uv__pool* pool) {
  if (pool->is_ending)
    return UV_ECANCELED;
  if (pool->threads != 0)
    return 0;
  return pool->substitute != NULL ? UV_EAGAIN : start_worker(pool);
}

int uv__pool_submit(struct uv__pool* pool, struct uv__work* w) {
  struct uv__worker* called = NULL;
  int is_slow = uv__work_is_slow(w->kind->id);

  lock_pool(pool);
  int err = check_usable(pool);
  if (err == 0) {
    uv__work_queue_push(&pool->queue, w, is_slow);
    called = call_worker(pool);
  }
  unlock_pool(pool, called);
  return err;
}

void uv__pool_flush(struct uv__pool* pool) {
  struct uv__worker* called[FLUSH_MAX];
  unsigned count = 0;

  if (uv__load_relaxed(&pool->queue.ready) == 0)
    return;
  lock_pool(pool);
  unsigned ready = uv__load_relaxed(&pool->queue.ready);
  while (pool->idle != NULL && count < FLUSH_MAX && count_coming(pool) < ready)
    called[count++] = take_idle(pool);
  unlock_pool(pool, NULL);
  /* After the unlock: they need the lock first. */
  for (unsigned i = 0; i < count; i++)
    uv_cond_signal(&called[i]->called);
}

int uv__pool_cancel(struct uv__pool* pool,
                    uv_loop_t* loop,
                    struct uv__work* w,
                    const struct uv__work_kind* kind) {
  lock_pool(pool);
  if (pool->substitute != NULL) {
    unlock_pool(pool, NULL);
    return uv__pool_cancel(pool->substitute, loop, w, kind);
  }
  int was_cancelled = w->work == uv__work_cancelled;
  int is_queued = w->work == kind->work;
  if (is_queued) {
    uv__work_queue_remove(&pool->queue, w, uv__work_is_slow(kind->id));
    w->work = uv__work_cancelled;
  }
  unlock_pool(pool, NULL);

  if (is_queued && loop != NULL)
    (void) uv__work_push_done(loop, w);
  return is_queued || was_cancelled ? 0 : UV_EBUSY;
}

int uv__pool_has_thread(struct uv__pool* pool) {
  lock_pool(pool);
  int has_thread = pool->threads != 0;
  unlock_pool(pool, NULL);
  return has_thread;
}

int uv__pool_substitute(struct uv__pool* pool, struct uv__pool* substitute) {
  lock_pool(pool);
  int is_needed = pool->threads == 0 && !pool->is_ending;
  if (is_needed)
    pool->substitute = substitute;
  unlock_pool(pool, NULL);
  return is_needed;
}

void uv__pool_look(struct uv__pool* pool,
                   struct uv__pool_view* view,
                   void (*each)(const struct uv__work* w, void* arg),
                   void* arg) {
  const struct uv__work_queue* queue = &pool->queue;

  lock_pool(pool);
  view->name = pool->limits.name;
  view->size = pool->limits.threads_max;
  view->threads = pool->threads;
  view->running = pool->running;
  view->slow_running = queue->slow_running;
  view->slow_max = queue->slow_max;
  uv__work_queue_each(queue, each, arg);
  unlock_pool(pool, NULL);
}

void uv__pool_end(struct uv__pool* pool) {
  lock_pool(pool);
  uv__store_relaxed(&pool->is_ending, 1);
  pool->is_open = 1;
  while (pool->idle != NULL)
    uv_cond_signal(&take_idle(pool)->called);
  unlock_pool(pool, NULL);
}

/* Leaves a worker to itself: its lookup may take as long as a server does not
 * answer. It touches nothing but the lock when it comes back. */
static void abandon_worker(struct uv__pool* pool, struct uv__worker* worker) {
  worker->is_abandoned = 1;
  worker->state = UV__WORKER_NONE;
  pool->threads--;
  pool->running--;
  update_awake(pool);
  (void) uv_thread_detach(&worker->id);
}

/* Is there, or was there, a thread at place `i` to wait for? Returns -1 behind
 * the last. A worker may start another for items that were queued at the
 * shutdown. */
static int look_at_place(struct uv__pool* pool, unsigned i, int may_abandon) {
  int has_thread = -1;

  lock_pool(pool);
  if (i < pool->nused) {
    struct uv__worker* worker = &pool->workers[i];
    if (may_abandon && worker->state == UV__WORKER_RUNS && worker->is_in_lookup)
      abandon_worker(pool, worker);
    has_thread = worker->state != UV__WORKER_NONE;
  }
  unlock_pool(pool, NULL);
  return has_thread;
}

/* Runs what is queued although no worker is left: all of them were abandoned,
 * or the last one waits here, because an item called exit(). */
static void run_rest(struct uv__pool* pool) {
  struct uv__worker here = { .pool = pool, .state = UV__WORKER_RUNS };

  lock_pool(pool);
  pool->limits.threads_max = 0; /* no more threads */
  run_items(pool, &here);
  unlock_pool(pool, NULL);
}

void uv__pool_join(struct uv__pool* pool, int may_abandon) {
  int has_thread;

  for (unsigned i = 0; (has_thread = look_at_place(pool, i, may_abandon)) >= 0;
       i++)
    if (has_thread)
      (void) uv_thread_join(&pool->workers[i].id);
  run_rest(pool);
}
