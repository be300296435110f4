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
 * Context: submit and cancel any; uv__pool_run_worker() is the worker.
 */
#include "loop/loop.h"
#include "observe/hooks.h"
#include "pool/done.h"
#include "pool/gate.h"
#include "pool/threads.h"
#include "util/queue.h"

#include <stdio.h>

#define NS_PER_MS 1000000u
/* Workers that are woken at a time; they wake others (L2). */
#define FLUSH_MAX 16

/* So many threads start because an item waits; more only when it is stuck. */
static unsigned count_on_demand(const struct uv__pool* pool) {
  return pool->limits.stuck_ms == 0 ? pool->limits.threads_max
                                    : pool->limits.threads_min;
}

/* Makes sure that a worker looks at what is queued (L2). Returns an idle worker
 * to be woken by uv__pool_unlock(), or NULL. */
static struct uv__worker* call_worker(struct uv__pool* pool) {
  if (uv__load_relaxed(&pool->queue.ready) == 0 ||
      uv__pool_count_coming(pool) != 0)
    return NULL;
  if (pool->idle != NULL)
    return uv__pool_take_idle(pool);
  /* A refused thread does not matter: there is at least one. */
  if (pool->threads < count_on_demand(pool) && uv__pool_may_start(pool))
    (void) uv__pool_start_worker(pool);
  return NULL;
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
  return uv__load_relaxed(&pool->ending) != 0;
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

/* Waits until the worker is called. Returns 0 if it was idle for so long that
 * it should end. */
static int wait_for_call(struct uv__pool* pool, struct uv__worker* me) {
  const struct uv__pool_limits* limits = &pool->limits;

  me->state = UV__WORKER_IDLE;
  join_idle(pool, me);
  uv__pool_update_awake(pool);
  while (me->state == UV__WORKER_IDLE) {
    if (pool->threads <= limits->threads_min) {
      uv_cond_wait(&me->called, &pool->lock);
    } else if (uv_cond_timedwait(&me->called, &pool->lock,
                                 (uint64_t) limits->idle_ms * NS_PER_MS) ==
                   UV_ETIMEDOUT &&
               me->state == UV__WORKER_IDLE &&
               pool->threads > limits->threads_min) {
      uv__pool_leave_idle(pool, me);
      return 0;
    }
  }
  pool->woken--;
  return 1;
}

static struct uv__work* take_item(struct uv__pool* pool, int* is_slow) {
  struct uv__work* w = uv__unlikely(pool->queue.gate != 0)
                           ? uv__gate_take(pool, is_slow)
                           : uv__work_queue_take(&pool->queue, is_slow);
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
    me->kind = w->kind;
    me->loop = w->loop;
    uv__pool_unlock(pool, call_worker(pool));
    int was_loop_spinning = run_item(w);
    me->ran++;
    int is_spinner = spin_for_work(pool, me, was_loop_spinning);
    uv__pool_lock(pool);
    if (is_spinner)
      uv__store_release(&pool->spinner, 0);
    if (me->is_abandoned)
      return;
    me->kind = NULL;
    pool->running--;
    if (is_slow)
      uv__work_queue_ran_slow(&pool->queue);
  }
}

/* For the calling thread; it goes on as it is if the system refuses. */
static void set_priority(int priority) {
  uv_thread_t self = uv_thread_self();

  if (priority != 0)
    (void) uv_thread_setpriority(self, priority);
}

void uv__pool_run_worker(void* arg) {
  struct uv__worker* me = arg;
  struct uv__pool* pool = me->pool;

  uv_thread_setname(pool->limits.thread_name);
  set_priority(pool->limits.priority);
  if (pool->limits.on_thread != NULL)
    pool->limits.on_thread();

  uv__pool_lock(pool);
  pool->starting--;
  do
    run_items(pool, me);
  while (pool->ending == 0 && wait_for_call(pool, me));
  if (!me->is_abandoned)
    uv__pool_end_worker(me);
  uv__pool_unlock(pool, NULL);
}

void uv__pool_run_rest(struct uv__pool* pool) {
  struct uv__worker here = { .pool = pool, .state = UV__WORKER_RUNS };

  uv__pool_lock(pool);
  pool->limits.threads_min = 0; /* no more threads */
  pool->limits.threads_max = 0;
  run_items(pool, &here);
  uv__pool_unlock(pool, NULL);
}

/* Can the pool take an item? One that has no thread starts the first. */
static int check_usable(struct uv__pool* pool) {
  if (pool->ending & UV__POOL_ENDS)
    return UV_ECANCELED;
  if (pool->threads != 0)
    return 0;
  if (pool->substitute != NULL && !uv__pool_may_start(pool))
    return UV_EAGAIN;
  return uv__pool_start_worker(pool);
}

UV__INLINE int pool_queue(struct uv__pool* pool,
                          struct uv__work* w,
                          struct uv__worker** called) {
  int is_slow = uv__work_is_slow(w->kind->id);

  uv__pool_lock(pool);
  int err = check_usable(pool);
  if (err == 0) {
    w->work = w->kind->work; /* can be cancelled */
    uv__work_queue_push(&pool->queue, w, is_slow);
    *called = call_worker(pool);
    if (pool->limits.stuck_ms != 0 && *called == NULL && w->loop != NULL)
      (void) uv__pool_look_if_stuck(pool, uv__loop_state(w->loop)->now_ns);
  }
  uv__pool_unlock(pool, NULL);
  return err;
}

int uv__pool_queue(struct uv__pool* pool,
                   struct uv__work* w,
                   struct uv__worker** called) {
  return pool_queue(pool, w, called);
}

void uv__pool_wake(struct uv__worker* called) {
  if (called != NULL)
    uv_cond_signal(&called->called);
}

int uv__pool_submit(struct uv__pool* pool, struct uv__work* w) {
  struct uv__worker* called = NULL;
  int err = pool_queue(pool, w, &called);

  if (called != NULL)
    uv__pool_wake(called);
  return err;
}

unsigned uv__pool_watch(struct uv__pool* pool) {
  uv__pool_lock(pool);
  unsigned left_ms = uv__pool_look_if_stuck(pool, uv_hrtime());
  uv__pool_unlock(pool, NULL);
  return left_ms;
}

void uv__pool_hold(struct uv__pool* pool) {
  uv__pool_lock(pool);
  uv__work_queue_set_holds(&pool->queue, pool->queue.holds + 1);
  uv__pool_unlock(pool, NULL);
}

void uv__pool_release(struct uv__pool* pool) {
  struct uv__work_queue* queue = &pool->queue;

  uv__pool_lock(pool);
  if (queue->holds > 0) /* the shutdown has ended them all */
    uv__work_queue_set_holds(queue, queue->holds - 1);
  if (queue->holds == 0 && pool->threads_wanted != 0)
    uv__pool_limit_threads(pool, pool->threads_wanted);
  uv__pool_unlock(pool, call_worker(pool));
}

void uv__pool_set_paused(struct uv__pool* pool, int is_paused) {
  struct uv__work_queue* queue = &pool->queue;

  uv__pool_lock(pool);
  if (!(pool->ending & UV__POOL_ENDS)) {
    int begins = is_paused && !(queue->gate & UV__GATE_PAUSE);
    uv__work_queue_set_paused(queue, is_paused);
    pool->is_owed = begins && uv__load_relaxed(&queue->ready) != 0 &&
                    uv__pool_count_coming(pool) != 0;
  }
  uv__pool_unlock(pool, call_worker(pool));
}

int uv__pool_set_threads(struct uv__pool* pool, unsigned threads) {
  struct uv__worker* called = NULL;
  int err = uv__pool_reserve(pool, threads);

  if (err != 0)
    return err;
  uv__pool_lock(pool);
  if (pool->ending & UV__POOL_ENDS) {
    err = UV_ECANCELED;
  } else if (pool->threads != 0 && pool->queue.holds != 0) {
    pool->threads_wanted = threads;
  } else {
    uv__pool_limit_threads(pool, threads);
    called = call_worker(pool);
  }
  uv__pool_unlock(pool, called);
  return err;
}

void uv__pool_flush(struct uv__pool* pool) {
  struct uv__worker* called[FLUSH_MAX];
  unsigned count = 0;

  if (uv__load_relaxed(&pool->queue.ready) == 0)
    return;
  uv__pool_lock(pool);
  unsigned ready = uv__load_relaxed(&pool->queue.ready);
  while (pool->idle != NULL && count < FLUSH_MAX &&
         uv__pool_count_coming(pool) < ready)
    called[count++] = uv__pool_take_idle(pool);
  uv__pool_unlock(pool, NULL);
  /* After the unlock: they need the lock first. */
  for (unsigned i = 0; i < count; i++)
    uv_cond_signal(&called[i]->called);
}

/* Is the item in another pool's queue? The other took the items of this one
 * while it had no thread. Rare: therefore a search. */
static int is_elsewhere(const struct uv__pool* pool, const struct uv__work* w) {
  return pool->substitute != NULL && !uv__work_queue_contains(&pool->queue, w);
}

int uv__pool_cancel(struct uv__pool* pool,
                    uv_loop_t* loop,
                    struct uv__work* w,
                    const struct uv__work_kind* kind) {
  uv__pool_lock(pool);
  if (is_elsewhere(pool, w)) {
    uv__pool_unlock(pool, NULL);
    return uv__pool_cancel(pool->substitute, loop, w, kind);
  }
  int was_cancelled = w->work == uv__work_cancelled;
  int is_queued = w->work == kind->work || w->work == uv__work_aside;
  if (is_queued) {
    uv__work_queue_remove(&pool->queue, w, uv__work_is_slow(kind->id));
    w->work = uv__work_cancelled;
  }
  uv__pool_unlock(pool, NULL);

  if (is_queued && loop != NULL)
    (void) uv__work_push_done(loop, w);
  return is_queued || was_cancelled ? 0 : UV_EBUSY;
}

int uv__pool_substitute(struct uv__pool* pool, struct uv__pool* substitute) {
  uv__pool_lock(pool);
  int is_needed = pool->threads == 0 && !(pool->ending & UV__POOL_ENDS);
  if (is_needed && pool->substitute == NULL)
    pool->substitute = substitute;
  uv__pool_unlock(pool, NULL);
  return is_needed;
}

void uv__pool_look(struct uv__pool* pool,
                   struct uv__pool_view* view,
                   void (*each)(const struct uv__work* w, void* arg),
                   void* arg) {
  const struct uv__work_queue* queue = &pool->queue;

  uv__pool_lock(pool);
  snprintf(view->name, sizeof(view->name), "%s", pool->limits.name);
  view->size = pool->limits.threads_max;
  view->threads = pool->threads;
  view->running = pool->running;
  view->grown = pool->grown;
  view->refused = pool->refused;
  view->slow_running = queue->slow_running;
  view->slow_max = queue->slow_max;
  uv__work_queue_each(queue, each, arg);
  uv__pool_unlock(pool, NULL);
}
