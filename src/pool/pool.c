/* SPDX-License-Identifier: MIT */
/* The process-wide worker threads.
 *
 * Submit: the item joins one of two queues. A worker is woken, or a new one
 * started, only if none is about to check the queue anyway. A worker that takes
 * an item and leaves others behind wakes the next worker first: a burst costs
 * the loop one wake-up, and an item that blocks delays no other. If no worker
 * needs to be woken, fast items are only pushed onto a lock-free stack, the
 * inbox; the next holder of the lock moves them to the queue.
 *
 * Before it sleeps, one worker at a time, the spinner, polls the queue for a
 * few microseconds, unless recent spins were unsuccessful. After a number of
 * items it hands the role to another worker and spins until that one takes
 * over, so that a thin stream of work is not confined to one thread. Finished
 * items go to their loop (pool/done.c).
 *
 * Context: submit and cancel run on loop threads, run_worker() is the worker.
 * pool.lock guards `pool`, except that `spare`, `spinner`, `awake`, `coming`,
 * `yield_skip` and parts of the queue are also read without it, and that
 * `pace_ns` is an estimate.
 */
#include "pool/pool.h"
#include "loop/loop.h"
#include "observe/hooks.h"
#include "os/thread.h"
#include "pool/done.h"
#include "pool/pace.h"
#include "pool/queue.h"
#include "util/alloc.h"
#include "util/atomic.h"
#include "util/fork-lock.h"
#include "util/queue.h"
#include "util/spin.h"

#include <stdlib.h>

#define DEFAULT_SIZE 4
#define MAX_SIZE 1024
#define STACK_SIZE ((size_t) 8 << 20)

/* Spins to skip after unsuccessful ones (spin.h). */
#define SPIN_PAUSE_MIN 60
#define SPIN_PAUSE_MAX 240
/* Items after which another worker becomes the spinner. */
#define SPINNER_ITEMS_MAX 256
/* The lock is held for about ten instructions, or for as long as it takes to
 * fetch the items of a full inbox from another processor, some microseconds.
 * Attempts before sleeping on it, which costs more than either. */
#define LOCK_TRIES 200
/* A yield that took this long gave the processor to another program, which kept
 * it for a time slice. (Another worker, or the loop with many callbacks to run,
 * may have it for a millisecond or two, which is no loss.) The next so many are
 * skipped. */
#define YIELD_NS_MAX 3000000
#define YIELD_PAUSE_MIN 1024
#define YIELD_PAUSE_MAX 4096

struct pool {
  uv_mutex_t lock;
  uv_sem_t work_arrived;  /* as many posts as `woken` workers will take */
  unsigned size;          /* the most workers; 0: not set up */
  unsigned threads;       /* workers that exist */
  unsigned starting;      /* of those: created, not running yet */
  unsigned spinning;      /* of those: polling the queue */
  unsigned spinner;       /* number of the latest spinner, or 0 */
  unsigned sleeping;      /* of those: waiting for work_arrived */
  unsigned woken;         /* of those: about to wake up */
  unsigned posts;         /* for those: still to be made by unlock_pool() */
  struct uv__spin spin;   /* outcome of recent spins */
  unsigned spinner_items; /* items taken since the spinner changed */
  int is_handoff;         /* a worker was woken to become the spinner */
  int ending;
  uv_thread_t* ids;
  struct uv__work_queue queue;
  unsigned spare;       /* workers that could be woken or started; 0 while one
                          * is about to check the queue. Next to the queue's
                          * inbox because a submit needs both. */
  unsigned awake;       /* workers that are not asleep */
  unsigned coming;      /* workers that were woken and have not run yet */
  unsigned pace_ns;     /* estimated time per item (pool/pace.h) */
  unsigned yield_skip;  /* so many yields to loops are left out */
  unsigned yield_pause; /* skipped after the last long yield, less one for each
                         * short one since */
};

static struct pool pool;
/* Serialises the set-up by the first submit. Not uv_once(): a set-up that fails
 * for lack of memory is attempted again by the next submit, and by a child that
 * was forked in the middle of it. */
static struct uv__fork_lock making;
static int is_made; /* atomic */
/* Error code of a pool that can no longer be used, or 0. Atomic. */
static int pool_error;

static unsigned configured_size(void) {
  char text[16];
  size_t len = sizeof(text);

  if (uv_os_getenv("UV_THREADPOOL_SIZE", text, &len) != 0)
    return DEFAULT_SIZE;

  char* end;
  long size = strtol(text, &end, 10);
  if (end == text || *end != '\0' || size < 0)
    return DEFAULT_SIZE;
  if (size == 0)
    return 1;
  return size > MAX_SIZE ? MAX_SIZE : (unsigned) size;
}

static void lock_pool(void) {
  for (int i = 0; i < LOCK_TRIES; i++) {
    if (uv_mutex_trylock(&pool.lock) == 0)
      return;
    uv__cpu_relax();
  }
  uv_mutex_lock(&pool.lock);
}

/* Workers are woken without the lock: the system call takes longer than
 * anything else that is done under it, and a woken worker needs the lock
 * first. */
static void unlock_pool(void) {
  unsigned posts = pool.posts;

  pool.posts = 0;
  uv_mutex_unlock(&pool.lock);
  for (; posts > 0; posts--)
    uv_sem_post(&pool.work_arrived);
}

/* Is a worker about to check the queue without being woken? */
static int is_worker_coming(void) {
  return pool.spinning + pool.woken + pool.starting != 0;
}

/* What `spare` should be. During the shutdown it is never 0: submits take the
 * lock and are refused. */
static unsigned count_spare(void) {
  if (pool.ending)
    return 1;
  if (is_worker_coming())
    return 0;
  return pool.sleeping - pool.woken + pool.size - pool.threads;
}

/* Called after each change of what `spare` depends on. The exchange orders it
 * with the read in uv__work_submit(): either that submit sees a worker to wake,
 * or the caller of this function sees the pushed item. */
static void update_spare(void) {
  uv__exchange(&pool.spare, count_spare());
  uv__store_relaxed(&pool.awake, pool.threads - pool.sleeping);
  uv__store_relaxed(&pool.coming, pool.woken);
}

/* Initialises locks and queues, at set-up and in a forked child, where no
 * worker exists and the locks may be in any state. */
static int reset_pool(unsigned size) {
  pool.size = size;
  pool.threads = 0;
  pool.starting = 0;
  pool.spinning = 0;
  pool.spinner = 0;
  pool.sleeping = 0;
  pool.woken = 0;
  pool.posts = 0;
  pool.spin = (struct uv__spin) { 0 };
  pool.spinner_items = 0;
  pool.is_handoff = 0;
  pool.ending = 0;
  uv__store_relaxed(&pool.pace_ns, 0); /* loops read it, pool or none */
  pool.yield_skip = 0;
  pool.yield_pause = 0;
  /* Slow work: at most half of the workers, rounded up. */
  uv__work_queue_init(&pool.queue, (size + 1) / 2);
  update_spare();

  int err = uv_mutex_init(&pool.lock);
  if (err != 0)
    return err;
  err = uv_sem_init(&pool.work_arrived, 0);
  if (err != 0)
    uv_mutex_destroy(&pool.lock);
  return err;
}

static void reset_in_child(void) {
  if (pool.size != 0 && pool_error != UV_ECANCELED)
    uv__store_relaxed(&pool_error, reset_pool(pool.size));
}

static int set_up_pool(void) {
  unsigned size = configured_size();

  pool.ids = uv__malloc_array(size, sizeof(*pool.ids));
  if (pool.ids == NULL)
    return UV_ENOMEM;
  int err = reset_pool(size);
  if (err != 0)
    goto err_free_ids;
  err = uv__thread_os_at_fork(reset_in_child);
  if (err != 0)
    goto err_destroy_locks;
  return 0;

err_destroy_locks:
  uv_sem_destroy(&pool.work_arrived);
  uv_mutex_destroy(&pool.lock);
err_free_ids:
  pool.size = 0;
  uv__free(pool.ids);
  pool.ids = NULL;
  return err;
}

UV__NOINLINE static int make_pool(void) {
  int err = 0;

  (void) uv__fork_lock(&making);
  if (!is_made)
    err = set_up_pool();
  /* Release: the pool. Pairs with ensure_pool(). */
  if (err == 0)
    uv__store_release(&is_made, 1);
  uv__fork_unlock(&making);
  return err;
}

/* Returns 0 if the pool can be used. */
static int ensure_pool(void) {
  if (!uv__load_acquire(&is_made)) {
    int err = make_pool();
    if (err != 0)
      return err;
  }
  return uv__load_relaxed(&pool_error);
}

/* Context: worker. */
static void run_item(struct uv__work* w) {
  if (uv__is_observed())
    uv__observed_work(w);
  else
    w->kind->work(w);
}

static void time_item(struct uv__work* w) {
  uint64_t begin = uv_hrtime();

  run_item(w);
  uv__work_pace_add(&pool.pace_ns, uv_hrtime() - begin);
}

static enum uv__loop_doing run_work(struct uv__work* w, int is_timed) {
  if (is_timed)
    time_item(w);
  else
    run_item(w);
  return uv__work_push_done(w->loop, w);
}

static int has_work(const void* arg) {
  (void) arg;
  return uv__work_queue_has_any(&pool.queue);
}

static int is_replaced(const void* me) {
  return uv__load_relaxed(&pool.spinner) != *(const unsigned*) me;
}

/* Returns how long to spin. If all other workers sleep, there was one item at a
 * time. */
static uint64_t spin_span(void) {
  return pool.threads - pool.sleeping == 1 ? UV__SPIN_SINGLE_NS : UV__SPIN_NS;
}

/* Returns 1 if an item was queued. Ends early when another worker takes over.
 * Called without the lock. */
static int spin_on_queue(unsigned me, uint64_t span_ns) {
  return uv__spin(span_ns, has_work, is_replaced, &me);
}

/* Returns 1 if this worker is the spinner now. */
static int become_spinner(unsigned me) {
  int takes_over = pool.is_handoff && pool.spinner != me;

  if (pool.ending || (pool.spinning != 0 && !takes_over))
    return 0;
  if (uv__spin_advise(&pool.spin, SPIN_PAUSE_MIN, SPIN_PAUSE_MAX) ==
      UV__SPIN_SKIP)
    return 0;
  if (takes_over)
    pool.is_handoff = 0;
  uv__store_relaxed(&pool.spinner, me);
  return 1;
}

/* Returns 1 if the worker has something to do. */
static int spin_for_work(unsigned me) {
  uint64_t span_ns = spin_span();
  pool.spinning++;
  update_spare();
  unlock_pool();
  int found = spin_on_queue(me, span_ns);
  lock_pool();
  pool.spinning--;
  update_spare();

  if (found)
    pool.spin = (struct uv__spin) { 0 };
  else if (pool.spinner == me)
    pool.spin.misses++;
  /* The shutdown woke only workers that slept. */
  return uv__work_queue_has_any(&pool.queue) || pool.ending;
}

static void wait_for_work(unsigned me) {
  if (become_spinner(me) && spin_for_work(me))
    return;

  pool.sleeping++;
  update_spare();
  /* A submit that saw no spare worker before the update left its item in the
   * inbox without waking anyone. */
  if (uv__load_acquire(&pool.queue.inbox) == NULL) {
    unlock_pool();
    uv_sem_wait(&pool.work_arrived);
    lock_pool();
    pool.woken--;
  }
  pool.sleeping--;
  update_spare();
}

static int has_sleeper(void) {
  return pool.sleeping > pool.woken;
}

static void wake_sleeper(void) {
  pool.woken++;
  pool.posts++;
  update_spare();
}

static void run_worker(void* arg);

static int start_worker(void) {
  uv_thread_options_t options = { UV_THREAD_HAS_STACK_SIZE, STACK_SIZE };
  void* number = (void*) (uintptr_t) (pool.threads + 1);
  int err = uv_thread_create_ex(&pool.ids[pool.threads], &options, run_worker,
                                number);
  if (err != 0)
    return err;
  pool.threads++;
  pool.starting++;
  update_spare();
  return 0;
}

/* Makes sure that a worker will take what is queued. */
static int ensure_worker(void) {
  if (!uv__work_queue_has_any(&pool.queue) || is_worker_coming())
    return 0;
  if (has_sleeper()) {
    wake_sleeper();
    return 0;
  }

  int err = pool.threads < pool.size ? start_worker() : 0;
  /* A refused thread matters only if there is no worker at all. */
  return pool.threads == 0 ? err : 0;
}

/* Starts or wakes a worker that becomes the next spinner. */
static void hand_off_spinner(void) {
  pool.spinner_items = 0;
  if (is_worker_coming())
    return;
  if (pool.threads < pool.size && start_worker() == 0) {
    pool.is_handoff = 1;
  } else if (has_sleeper()) {
    wake_sleeper();
    pool.is_handoff = 1;
  }
}

/* Takes the next item, if any, and makes sure that a worker comes for the
 * rest. */
static struct uv__work* take_work(int* is_slow) {
  struct uv__work* w = uv__work_queue_take(&pool.queue, is_slow);

  if (w == NULL)
    return NULL;
  if (++pool.spinner_items >= SPINNER_ITEMS_MAX)
    hand_off_spinner();
  (void) ensure_worker(); /* cannot fail: this worker exists */
  return w;
}

/* For a worker that has woken a loop for a batch. The loop must run before the
 * workers run out of items, and no processor is idle, so give it this one.
 * Returns how long that took. Called without the lock. */
static uint64_t yield_to_loop(void) {
  if (uv__load_relaxed(&pool.yield_skip) > 0)
    return 0;
  uint64_t begin = uv_hrtime();
  uv__thread_os_yield();
  return uv_hrtime() - begin;
}

/* If other programs use the processors too, one of them may get a processor
 * that was meant for the loop, and keep it for milliseconds. */
static void count_yield(uint64_t took_ns) {
  if (pool.yield_skip > 0) {
    uv__store_relaxed(&pool.yield_skip, pool.yield_skip - 1);
  } else if (took_ns < YIELD_NS_MAX) {
    if (pool.yield_pause > 0)
      pool.yield_pause--;
  } else {
    pool.yield_pause = pool.yield_pause < YIELD_PAUSE_MIN
                           ? YIELD_PAUSE_MIN
                           : 4 * pool.yield_pause;
    if (pool.yield_pause > YIELD_PAUSE_MAX)
      pool.yield_pause = YIELD_PAUSE_MAX;
    uv__store_relaxed(&pool.yield_skip, pool.yield_pause);
  }
}

static void run_worker(void* arg) {
  unsigned me = (unsigned) (uintptr_t) arg;
  unsigned ran = 0;
  uv_thread_setname("libuv-worker");

  lock_pool();
  pool.starting--;
  update_spare();
  for (;;) {
    int is_slow;
    struct uv__work* w = take_work(&is_slow);

    if (w == NULL) {
      if (pool.ending)
        break;
      wait_for_work(me);
      continue;
    }

    /* Cleared under the lock: the item can no longer be cancelled. */
    w->work = NULL;
    unlock_pool();
    enum uv__loop_doing doing = run_work(w, uv__work_pace_is_sampled(++ran));
    uint64_t yield_ns = doing == UV__LOOP_WOKEN ? yield_to_loop() : 0;
    lock_pool();
    if (doing == UV__LOOP_WOKEN)
      count_yield(yield_ns);
    /* The loop may submit more at once: spin for it. */
    if (doing == UV__LOOP_SPINNING && pool.spin.misses >= UV__SPIN_MISSES_MAX)
      pool.spin.misses = UV__SPIN_MISSES_MAX - 1;
    if (is_slow)
      uv__work_queue_ran_slow(&pool.queue);
  }
  unlock_pool();
}

int uv__work_submit(uv_loop_t* loop,
                    struct uv__work* w,
                    const struct uv__work_kind* kind) {
  int is_slow = uv__work_is_slow(kind->id);
  int err = ensure_pool();
  if (err != 0)
    return err;

  w->loop = loop;
  w->work = kind->work;
  w->kind = kind;
  if (uv__is_observed())
    uv__observed_submit(loop, w);

  if (!is_slow) {
    uv__work_queue_push(&pool.queue, w);
    /* A read-modify-write, to be ordered with update_spare(). */
    if (uv__fetch_add(&pool.spare, 0) == 0)
      return 0;
  }

  lock_pool();
  if (is_slow)
    uv__work_queue_push_slow(&pool.queue, w);
  err = pool.ending ? UV_ECANCELED : ensure_worker();
  if (err != 0 && w->work == NULL)
    err = 0; /* a worker took it before the shutdown refused it */
  else if (err != 0)
    uv__work_queue_remove(&pool.queue, w);
  unlock_pool();
  if (err != 0 && uv__is_observed())
    uv__observed_refused(w);
  return err;
}

int uv__work_cancel(uv_loop_t* loop, struct uv__work* w) {
  if (pool.size == 0) /* nothing was ever queued */
    return w->work == uv__work_cancelled ? 0 : UV_EBUSY;

  lock_pool();
  int was_cancelled = w->work == uv__work_cancelled;
  int is_queued = w->work != NULL && !was_cancelled;
  if (is_queued) {
    uv__work_queue_remove(&pool.queue, w);
    w->work = uv__work_cancelled;
  }
  unlock_pool();

  if (is_queued)
    (void) uv__work_push_done(loop, w);
  return is_queued || was_cancelled ? 0 : UV_EBUSY;
}

unsigned uv__threadpool_taken(void) {
  return uv__load_relaxed(&pool.queue.taken);
}

int uv__threadpool_has_waiting(void) {
  return uv__work_queue_has_any(&pool.queue);
}

int uv__threadpool_is_heavy(unsigned processors) {
  return uv__load_relaxed(&pool.awake) >= processors &&
         uv__work_pace_is_heavy(&pool.pace_ns);
}

void uv__threadpool_view(struct uv__pool_view* view,
                         void (*each)(const struct uv__work* w, void* arg),
                         void* arg) {
  *view = (struct uv__pool_view) { 0 };
  if (!uv__load_acquire(&is_made) || uv__load_relaxed(&pool_error) != 0)
    return;

  lock_pool();
  view->size = pool.size;
  view->threads = pool.threads;
  view->running = pool.threads - pool.starting - pool.spinning - pool.sleeping;
  view->slow_running = pool.queue.slow_running;
  view->slow_max = pool.queue.slow_max;
  uv__work_queue_each(&pool.queue, each, arg);
  unlock_pool();
}

unsigned uv__threadpool_batch(unsigned processors,
                              unsigned reqs,
                              int* sleep_ms) {
  /* A worker that was woken will need a processor, which the loop may have. */
  unsigned awake =
      uv__load_relaxed(&pool.awake) + uv__load_relaxed(&pool.coming);

  if (awake < processors)
    return 0;
  return uv__work_pace_batch(&pool.pace_ns, awake, processors, reqs, sleep_ms);
}

/* A worker that ends may have started another for items that were queued. */
static unsigned count_threads(void) {
  lock_pool();
  unsigned threads = pool.threads;
  unlock_pool();
  return threads;
}

/* Keeps the lock and the semaphore: at exit, other threads may be about to use
 * them. */
void uv__threadpool_shutdown(void) {
  if (!uv__load_acquire(&is_made) || uv__load_relaxed(&pool_error) != 0)
    return;

  lock_pool();
  pool.ending = 1;
  while (has_sleeper())
    wake_sleeper();
  update_spare();
  unlock_pool();

  for (unsigned i = 0; i < count_threads(); i++)
    uv_thread_join(&pool.ids[i]);
  uv__free(pool.ids); /* only workers started workers */
  pool.ids = NULL;
  uv__store_relaxed(&pool_error, UV_ECANCELED); /* no work from now on */
}
