/* SPDX-License-Identifier: MIT */
/* The process-wide worker threads.
 *
 * Submit: the item joins one of two queues; a worker is woken, or a new one
 * started, only if none is on its way to the queue already. A worker that takes
 * an item and leaves others behind wakes the next one before it begins: so a
 * burst costs the loop one wake-up, and an item that blocks holds up nobody.
 * When there is nobody to wake or start, or need not be, fast items are just
 * pushed on a stack, the inbox, without the lock; whoever has the lock next
 * sorts them in.
 *
 * Before it sleeps, one worker at a time, the lookout, looks at the queue for a
 * few microseconds, and not at all while that keeps being in vain. After some
 * time as the lookout it wakes another worker and looks on until that one has
 * come, so that a thin stream of work is not all one thread's. Finished items
 * are pushed on their loop's stack; the first one of a batch wakes the loop.
 *
 * Context: submit and cancel are called by loop threads, run_worker() is the
 * worker. Everything in `pool` is guarded by pool.lock, but for `spare`,
 * `lookout`, `awake` and parts of the queue, which are also read without it,
 * and `pace_ns`, which is an estimate.
 */
#include "threadpool.h"
#include "alloc.h"
#include "atomic.h"
#include "fatal.h"
#include "fork-lock.h"
#include "loop-state.h"
#include "observe.h"
#include "os/thread.h"
#include "queue.h"
#include "spin.h"
#include "wake.h"
#include "work-queue.h"

#include <stdlib.h>

#define DEFAULT_SIZE 4
#define MAX_SIZE 1024
#define STACK_SIZE ((size_t) 8 << 20)

/* Spins to skip after unsuccessful ones (spin.h). */
#define SPIN_PAUSE 60
/* After this many items it is somebody else's turn: a worker that always looks
 * would keep all of a thin stream to itself. */
#define TURN_ITEMS 256
/* The lock is held for some ten instructions: try this often before sleeping
 * for it. */
#define LOCK_TRIES 40
/* How long items take: one in so many is timed. Above PACE_MAX_NS all are the
 * same; from PACE_HEAVY_NS on there is more to do than to hand over. */
#define PACE_EVERY 64
#define PACE_MAX_NS 8000
#define PACE_HEAVY_NS 2000

struct pool {
  uv_mutex_t lock;
  uv_cond_t work_arrived;
  unsigned size;         /* workers there may be; 0: not set up */
  unsigned threads;      /* workers there are */
  unsigned starting;     /* of those: not at work yet */
  unsigned looking;      /* of those: about to find what is queued */
  unsigned lookout;      /* the number of the one that looked last, or 0 */
  unsigned sleeping;     /* of those: waiting for work_arrived */
  unsigned woken;        /* of those: signalled, still counted as sleeping */
  struct uv__spin spin;  /* how the lookouts' spins went */
  unsigned turn;         /* items taken since the last change of lookouts */
  int relief;            /* another worker was woken to be the lookout */
  int ending;
  uv_thread_t* ids;
  struct uv__work_queue queue;
  unsigned spare;        /* workers that could be woken or started; 0 while one
                          * is on its way. Beside the queue's inbox: who submits
                          * needs both. */
  unsigned awake;        /* workers that do not sleep */
  unsigned pace_ns;      /* what an item takes them, about */
};

static struct pool pool;
/* Set up by the first submit that can: not uv_once(), because being refused
 * memory or a lock now is no reason to be refused for ever. A child that is
 * forked during the set-up begins again. */
static struct uv__fork_lock making;
static int is_made; /* atomic */
/* Why a pool that was made is of no use any more. */
static int pool_lost;

/* In `work` of an item from uv__work_cancel() until done(): it was cancelled.
 * Never called. */
static void cancelled(struct uv__work* w) {
  (void) w;
}

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

static void unlock_pool(void) {
  uv_mutex_unlock(&pool.lock);
}

static int is_one_coming(void) {
  return pool.looking + pool.woken + pool.starting != 0;
}

/* After each change of one of these. Read-modify-write: either a submit looked
 * at `spare` before this, and who calls this sees what it has pushed, or it
 * sees now that there is somebody to wake. */
static void count_spare(void) {
  unsigned spare = pool.sleeping - pool.woken + pool.size - pool.threads;

  uv__exchange(&pool.spare, is_one_coming() ? 0 : spare);
  uv__store_relaxed(&pool.awake, pool.threads - pool.sleeping);
}

/* Locks and queues as new: at set-up, and in a forked child, where no worker
 * exists and the locks may be in any state. */
static int reset_pool(unsigned size) {
  pool.size = size;
  pool.threads = 0;
  pool.starting = 0;
  pool.looking = 0;
  pool.lookout = 0;
  pool.sleeping = 0;
  pool.woken = 0;
  pool.spin = (struct uv__spin) { 0 };
  pool.turn = 0;
  pool.relief = 0;
  pool.ending = 0;
  pool.pace_ns = 0;
  /* Slow work: at most half of the workers, rounded up. */
  uv__work_queue_init(&pool.queue, (size + 1) / 2);
  count_spare();

  int err = uv_mutex_init(&pool.lock);
  if (err != 0)
    return err;
  err = uv_cond_init(&pool.work_arrived);
  if (err != 0)
    uv_mutex_destroy(&pool.lock);
  return err;
}

static void reset_in_child(void) {
  if (pool.size != 0)
    pool_lost = reset_pool(pool.size);
}

static int set_up(void) {
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
  uv_cond_destroy(&pool.work_arrived);
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
    err = set_up();
  /* Release: the pool. Pairs with ensure_pool(). */
  if (err == 0)
    uv__store_release(&is_made, 1);
  uv__fork_unlock(&making);
  return err;
}

/* 0 if there is a pool. */
static int ensure_pool(void) {
  if (!uv__load_acquire(&is_made)) {
    int err = make_pool();
    if (err != 0)
      return err;
  }
  return pool_lost;
}

/* Pushes on a stack that is not empty; 0 if it is. */
static int push_behind(struct uv__queue** stack, struct uv__queue* q) {
  struct uv__queue* head = uv__load_relaxed(stack);

  while (head != NULL) {
    q->next = head;
    if (uv__cas_weak(stack, &head, q))
      return 1;
  }
  return 0;
}

/* The first item of a batch brings the wake-up, and its worker is inside the
 * loop until it has woken it: uv_loop_close() waits for that (see async.c). The
 * others touch the loop no more once their item is pushed. Returns 1 if the
 * loop was on the look-out for it. */
static int push_done(uv_loop_t* loop, struct uv__work* w) {
  struct uv__loop_state* state = uv__loop_state(loop);
  int err = 0;

  if (push_behind(&state->shared.work_done, &w->wq))
    return 0;

  uv__fetch_add(&state->shared.busy, 1);
  struct uv__queue* head = NULL;
  do
    w->wq.next = head;
  while (!uv__cas_weak(&state->shared.work_done, &head, &w->wq));

  /* A full eventfd or a dead loop cannot be reported to anyone. */
  if (head == NULL)
    err = uv__wake_send(loop);
  uv__fetch_sub(&state->shared.busy, 1);
  return err > 0;
}

static void do_work(struct uv__work* w, void (*work)(struct uv__work*)) {
  if (uv__is_observed())
    uv__observed_work(w, work);
  else
    work(w);
}

/* A mean that forgets. A worker that lost its processor meanwhile is one sample
 * of PACE_MAX_NS, which alone does not make light work heavy. */
static void time_work(struct uv__work* w, void (*work)(struct uv__work*)) {
  uint64_t begin = uv_hrtime();
  do_work(w, work);
  uint64_t took = uv_hrtime() - begin;
  unsigned sample = took < PACE_MAX_NS ? (unsigned) took : PACE_MAX_NS;
  unsigned pace = uv__load_relaxed(&pool.pace_ns);

  uv__store_relaxed(&pool.pace_ns, pace - pace / 8 + sample / 8);
}

/* 1 if the loop was on the look-out for it. */
static int run_work(struct uv__work* w,
                    void (*work)(struct uv__work*),
                    int is_timed) {
  if (is_timed)
    time_work(w, work);
  else
    do_work(w, work);
  return push_done(w->loop, w);
}

static int has_work(const void* arg) {
  (void) arg;
  return uv__work_queue_has_any(&pool.queue);
}

static int is_replaced(const void* me) {
  return uv__load_relaxed(&pool.lookout) != *(const unsigned*) me;
}

/* Without the lock: 1 if something was queued meanwhile. Also ends when another
 * worker has taken over. */
static int look_for_work(unsigned me) {
  return uv__spin(UV__SPIN_NS, has_work, is_replaced, &me);
}

/* Returns 1 if this worker is the lookout now. */
static int become_lookout(unsigned me) {
  int is_relief = pool.relief && pool.lookout != me;

  if (pool.ending || (pool.looking != 0 && !is_relief))
    return 0;
  if (uv__spin_advise(&pool.spin, SPIN_PAUSE, SPIN_PAUSE) == UV__SPIN_SKIP)
    return 0;
  if (is_relief)
    pool.relief = 0;
  uv__store_relaxed(&pool.lookout, me);
  return 1;
}

/* Returns 1 if there is something to do. */
static int look_out(unsigned me) {
  pool.looking++;
  count_spare();
  unlock_pool();
  int found = look_for_work(me);
  lock_pool();
  pool.looking--;
  count_spare();

  if (found)
    pool.spin = (struct uv__spin) { 0 };
  else if (pool.lookout == me)
    pool.spin.misses++;
  /* The end may have been announced to those who slept. */
  return uv__work_queue_has_any(&pool.queue) || pool.ending;
}

static void wait_for_work(unsigned me) {
  if (become_lookout(me) && look_out(me))
    return;

  pool.sleeping++;
  count_spare();
  /* See there. */
  if (uv__load_acquire(&pool.queue.inbox) == NULL) {
    uv_cond_wait(&pool.work_arrived, &pool.lock);
    if (pool.woken > 0)
      pool.woken--;
  }
  pool.sleeping--;
  count_spare();
}

static int is_one_asleep(void) {
  return pool.sleeping > pool.woken;
}

static void rouse_sleeper(void) {
  pool.woken++;
  count_spare();
  uv_cond_signal(&pool.work_arrived);
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
  count_spare();
  return 0;
}

/* Sees to it that a worker will come for what is queued. */
static int rouse_worker(void) {
  if (!uv__work_queue_has_any(&pool.queue) || is_one_coming())
    return 0;
  if (is_one_asleep()) {
    rouse_sleeper();
    return 0;
  }

  int err = pool.threads < pool.size ? start_worker() : 0;
  /* Refused is fine as long as there is anyone. */
  return pool.threads == 0 ? err : 0;
}

/* A new worker, or one that sleeps, is to be the next lookout. */
static void change_lookout(void) {
  pool.turn = 0;
  if (is_one_coming())
    return;
  if (pool.threads < pool.size && start_worker() == 0) {
    pool.relief = 1;
  } else if (is_one_asleep()) {
    rouse_sleeper();
    pool.relief = 1;
  }
}

/* Takes the next item, if any; others that are left get a worker too. */
static struct uv__work* next_work(int* is_slow) {
  struct uv__work* w = uv__work_queue_take(&pool.queue, is_slow);

  if (w == NULL)
    return NULL;
  if (++pool.turn >= TURN_ITEMS)
    change_lookout();
  (void) rouse_worker(); /* there is one at least: this one */
  return w;
}

static void run_worker(void* arg) {
  unsigned me = (unsigned) (uintptr_t) arg;
  unsigned ran = 0;
  uv_thread_setname("libuv-worker");

  lock_pool();
  pool.starting--;
  count_spare();
  for (;;) {
    int is_slow;
    struct uv__work* w = next_work(&is_slow);

    if (w == NULL) {
      if (pool.ending)
        break;
      wait_for_work(me);
      continue;
    }

    /* Cleared under the lock: from here on it cannot be cancelled. */
    void (*work)(struct uv__work*) = w->work;
    w->work = NULL;
    unlock_pool();
    int is_awaited = run_work(w, work, ++ran % PACE_EVERY == 0);
    lock_pool();
    /* More may come at once: look for it. */
    if (is_awaited && pool.spin.misses >= UV__SPIN_MISSES_MAX)
      pool.spin.misses = UV__SPIN_MISSES_MAX - 1;
    if (is_slow)
      uv__work_queue_ran_slow(&pool.queue);
  }
  unlock_pool();
}

int uv__work_submit(uv_loop_t* loop,
                    struct uv__work* w,
                    enum uv__work_class work_class,
                    void (*work)(struct uv__work* w),
                    void (*done)(struct uv__work* w, int status)) {
  int err = ensure_pool();
  if (err != 0)
    return err;

  w->loop = loop;
  w->work = work;
  w->done = done;
  if (uv__is_observed())
    uv__observed_submit(loop, w, work_class);

  if (!uv__work_is_slow(work_class)) {
    uv__work_queue_push(&pool.queue, w);
    /* Not a plain load, to have an order with count_spare(). */
    if (uv__fetch_add(&pool.spare, 0) == 0)
      return 0;
  }

  lock_pool();
  if (uv__work_is_slow(work_class))
    uv__work_queue_push_slow(&pool.queue, w);
  err = rouse_worker();
  if (err != 0)
    uv__work_queue_remove(&pool.queue, w);
  unlock_pool();
  if (err != 0 && uv__is_observed())
    uv__observed_refused(w);
  return err;
}

int uv__work_cancel(uv_loop_t* loop, struct uv__work* w) {
  if (pool.size == 0) /* nothing was ever queued */
    return w->work == cancelled ? 0 : UV_EBUSY;

  lock_pool();
  int was_cancelled = w->work == cancelled;
  int is_queued = w->work != NULL && !was_cancelled;
  if (is_queued) {
    uv__work_queue_remove(&pool.queue, w);
    w->work = cancelled;
  }
  unlock_pool();

  if (is_queued)
    (void) push_done(loop, w);
  return is_queued || was_cancelled ? 0 : UV_EBUSY;
}

void uv__work_hand_over(uv_loop_t* loop,
                        struct uv__work* w,
                        int status,
                        void (*done)(struct uv__work* w, int status)) {
  w->loop = loop;
  w->work = status == UV_ECANCELED ? cancelled : NULL;
  w->done = done;
  (void) push_done(loop, w);
}

static void report(struct uv__work* w) {
  void (*done)(struct uv__work*, int) = w->done;
  int status = w->work == cancelled ? UV_ECANCELED : 0;

  /* Twice in one batch: the program submitted it while it ran. */
  if (done == NULL)
    uv__fatal("the work queue: a request was submitted twice", UV_EBUSY);
  w->done = NULL;
  w->work = NULL; /* too late to be cancelled */
  if (uv__is_observed())
    uv__observed_done(w, status, done);
  else
    done(w, status);
}

int uv__work_run_done(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);
  int count = 0;

  if (uv__load_relaxed(&state->shared.work_done) == NULL)
    return 0;
  /* Acquire: what the workers did. Pairs with push_done(). */
  struct uv__queue* oldest =
      uv__chain_reverse(uv__exchange(&state->shared.work_done, NULL),
                        offsetof(struct uv__queue, next));
  while (oldest != NULL) {
    struct uv__work* w = container_of(oldest, struct uv__work, wq);
    oldest = oldest->next;
    count++;
    report(w);
  }
  return count;
}

int uv__threadpool_is_heavy(unsigned processors) {
  return uv__load_relaxed(&pool.awake) >= processors &&
         uv__load_relaxed(&pool.pace_ns) >= PACE_HEAVY_NS;
}

void uv__threadpool_shutdown(void) {
  if (pool.size == 0)
    return;

  lock_pool();
  pool.ending = 1;
  unsigned threads = pool.threads;
  uv_cond_broadcast(&pool.work_arrived);
  unlock_pool();

  for (unsigned i = 0; i < threads; i++)
    uv_thread_join(&pool.ids[i]);
  uv_cond_destroy(&pool.work_arrived);
  uv_mutex_destroy(&pool.lock);
  uv__free(pool.ids);
  pool.ids = NULL;
  pool.size = 0;
  pool_lost = UV_ECANCELED; /* no work after the shutdown */
}
