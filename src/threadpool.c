/* SPDX-License-Identifier: MIT */
/* The process-wide worker threads.
 *
 * Submit: the item joins one of two queues; a worker is woken, or a new one
 * started, only if the work that can run exceeds the workers already on their
 * way to it. When there is nobody to wake or start, fast items are just pushed
 * on a stack, the inbox, without the lock; whoever has the lock next sorts them
 * in. Before a worker goes to sleep it looks at the queue for a few
 * microseconds, one worker at a time, and not at all while that keeps being in
 * vain. Finished items are pushed on their loop's stack; the first one of a
 * batch wakes the loop.
 *
 * Slow items (name resolution) run on at most half of the workers. The first
 * one waits for the fast items that were queued before it, and so does its
 * successor when it becomes the first: neither queue starves the other.
 *
 * Context: submit and cancel are called by loop threads, run_worker() is the
 * worker. Everything in `pool` is guarded by pool.lock, except `inbox`, and but
 * for `ready` and `spare`, which are also read without it.
 */
#include "threadpool.h"
#include "alloc.h"
#include "atomic.h"
#include "loop.h"
#include "queue.h"
#include "threadpool-os.h"
#include "wakeup.h"

#include <stdlib.h>

#define DEFAULT_SIZE 4
#define MAX_SIZE 1024
#define STACK_SIZE ((size_t) 8 << 20)

/* How long a worker looks for more work before it sleeps. */
#define LOOK_NS 8000
/* After this many looks in vain in a row, sleep at once the next times. */
#define LOOK_MISSES_MAX 4
#define LOOK_PAUSE 64
/* After this many items it is somebody else's turn: a worker that always looks
 * would keep all of a thin stream to itself. */
#define TURN_ITEMS 256
/* The lock is held for some ten instructions: try this often before sleeping
 * for it. */
#define LOCK_TRIES 40

struct pool {
  uv_mutex_t lock;
  uv_cond_t work_arrived;
  struct uv__queue* inbox; /* fast items on their way, newest first */
  struct uv__queue fast;
  struct uv__queue slow;
  unsigned queued;       /* items in both queues */
  unsigned ready;        /* of those: a free worker could take them now */
  unsigned slow_queued;
  unsigned slow_running;
  unsigned size;         /* workers there may be; 0: not set up */
  unsigned threads;      /* workers there are */
  unsigned starting;     /* of those: not at work yet */
  unsigned looking;      /* of those: about to find what is queued */
  unsigned sleeping;     /* of those: waiting for work_arrived */
  unsigned woken;        /* of those: signalled, still counted as sleeping */
  unsigned spare;        /* workers that could be woken or started */
  unsigned misses;       /* looks in vain in a row */
  unsigned turn;         /* items taken since the last change of turns */
  int widen;             /* the next turn is a new worker's, if one may be */
  uint64_t fast_in;      /* fast items ever queued */
  uint64_t fast_out;     /* fast items ever taken or cancelled */
  uint64_t slow_after;   /* the first slow item's turn: when fast_out is this */
  int ending;
  uv_thread_t* ids;
};

static struct pool pool;
/* Set up by the first submit that can: not uv_once(), because being refused
 * memory or a lock now is no reason to be refused for ever. */
enum pool_stage { POOL_NONE, POOL_IN_MAKING, POOL_MADE };
static enum pool_stage pool_stage; /* atomic */
/* Why a pool that was made is of no use any more. */
static int pool_lost;

/* In wq.prev of a finished item: it was cancelled. */
static struct uv__queue cancelled;

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

/* After each change of one of these. Read-modify-write: pairs with
 * push_inbox(), see wait_for_work(). */
static void count_spare(void) {
  uv__exchange(&pool.spare, pool.sleeping - pool.woken + pool.size -
                                pool.threads);
}

/* Locks and queues as new: at set-up, and in a forked child, where no worker
 * exists and the locks may be in any state. */
static int reset_pool(void) {
  uv__queue_init(&pool.fast);
  uv__queue_init(&pool.slow);
  pool.inbox = NULL;
  pool.queued = 0;
  pool.slow_queued = 0;
  pool.slow_running = 0;
  pool.fast_in = 0;
  pool.fast_out = 0;
  pool.slow_after = 0;
  pool.threads = 0;
  pool.starting = 0;
  pool.looking = 0;
  pool.sleeping = 0;
  pool.woken = 0;
  pool.misses = 0;
  pool.turn = 0;
  pool.widen = 0;
  pool.ending = 0;
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
    pool_lost = reset_pool();
}

static int set_up(void) {
  unsigned size = configured_size();

  pool.ids = uv__malloc_array(size, sizeof(*pool.ids));
  if (pool.ids == NULL)
    return UV_ENOMEM;
  int err = reset_pool();
  if (err != 0)
    goto err_free_ids;
  err = uv__threadpool_at_fork(reset_in_child);
  if (err != 0)
    goto err_destroy_locks;
  pool.size = size;
  count_spare();
  return 0;

err_destroy_locks:
  uv_cond_destroy(&pool.work_arrived);
  uv_mutex_destroy(&pool.lock);
err_free_ids:
  uv__free(pool.ids);
  pool.ids = NULL;
  return err;
}

/* 0 if there is a pool. */
static int ensure_pool(void) {
  for (;;) {
    enum pool_stage stage = POOL_NONE;
    /* Acquire: the pool. Pairs with the store below. */
    if (uv__load_acquire(&pool_stage) == POOL_MADE)
      return pool_lost;
    if (uv__cas_strong(&pool_stage, &stage, POOL_IN_MAKING))
      break;
    if (stage == POOL_IN_MAKING)
      uv_sleep(0); /* another thread is at it */
  }

  int err = set_up();
  uv__store_release(&pool_stage, err == 0 ? POOL_MADE : POOL_NONE);
  return err;
}

static unsigned slow_slots_left(void) {
  unsigned limit = (pool.size + 1) / 2;
  return pool.slow_running < limit ? limit - pool.slow_running : 0;
}

/* After each change of a queue or of the slow items that run. */
static void count_ready(void) {
  unsigned fast = pool.queued - pool.slow_queued;
  unsigned slots = slow_slots_left();
  unsigned slow = pool.slow_queued < slots ? pool.slow_queued : slots;

  uv__store_relaxed(&pool.ready, fast + slow);
}

/* Turns a stack around: the oldest first. */
static struct uv__queue* oldest_first(struct uv__queue* newest) {
  struct uv__queue* oldest = NULL;

  while (newest != NULL) {
    struct uv__queue* next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
  }
  return oldest;
}

static void sort_in_inbox(void) {
  if (uv__load_relaxed(&pool.inbox) == NULL)
    return;

  /* Acquire: the items. Pairs with push_inbox(). */
  struct uv__queue* q = oldest_first(uv__exchange(&pool.inbox, NULL));
  unsigned count = 0;
  while (q != NULL) {
    struct uv__queue* next = q->next;
    uv__queue_push_back(&pool.fast, q);
    q = next;
    count++;
  }
  pool.fast_in += count;
  pool.queued += count;
  count_ready();
}

static struct uv__work* take_from(struct uv__queue* queue) {
  pool.queued--;
  count_ready();
  return container_of(uv__queue_pop_front(queue), struct uv__work, wq);
}

/* NULL if there is nothing this worker may run. */
static struct uv__work* take_work(int* is_slow) {
  sort_in_inbox();
  int have_slow = pool.slow_queued > 0 && slow_slots_left() > 0;
  int have_fast = !uv__queue_empty(&pool.fast);

  *is_slow = have_slow && (!have_fast || pool.fast_out >= pool.slow_after);
  if (*is_slow) {
    pool.slow_queued--;
    pool.slow_running++;
    pool.slow_after = pool.fast_in;
    return take_from(&pool.slow);
  }
  if (!have_fast)
    return NULL;
  pool.fast_out++;
  return take_from(&pool.fast);
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
  int is_awaited = 0;

  if (push_behind(&state->work_done, &w->wq))
    return 0;

  uv__fetch_add(&state->asyncs.busy, 1);
  struct uv__queue* head = NULL;
  do
    w->wq.next = head;
  while (!uv__cas_weak(&state->work_done, &head, &w->wq));

  /* A full eventfd or a dead loop cannot be reported to anyone. */
  if (head == NULL)
    (void) uv__wakeup_answer(loop, &is_awaited);
  uv__fetch_sub(&state->asyncs.busy, 1);
  return is_awaited;
}

/* 1 if the loop was on the look-out for it. */
static int run_work(struct uv__work* w, void (*work)(struct uv__work*)) {
  work(w);
  w->wq.prev = NULL;
  return push_done(w->loop, w);
}

static int is_work_there(void) {
  return uv__load_relaxed(&pool.ready) != 0 ||
         uv__load_relaxed(&pool.inbox) != NULL;
}

/* Without the lock: 1 if something was queued meanwhile. */
static int look_for_work(void) {
  uint64_t end = uv_hrtime() + LOOK_NS;

  do {
    for (int i = 0; i < 16; i++) {
      if (is_work_there())
        return 1;
      uv__cpu_relax();
    }
  } while (uv_hrtime() < end);
  return 0;
}

static int worth_looking(void) {
  if (pool.looking != 0 || pool.ending)
    return 0;
  if (pool.turn >= TURN_ITEMS) {
    pool.turn = 0;
    pool.widen = pool.threads < pool.size;
    return 0;
  }
  if (pool.misses < LOOK_MISSES_MAX)
    return 1;
  /* Mostly in vain lately: try again once in a while. */
  if (++pool.misses < LOOK_PAUSE)
    return 0;
  pool.misses = LOOK_MISSES_MAX - 1;
  return 1;
}

static void wait_for_work(void) {
  if (worth_looking()) {
    pool.looking++;
    unlock_pool();
    int found = look_for_work();
    lock_pool();
    pool.looking--;
    if (found)
      pool.misses = 0;
    else
      pool.misses++;
    /* What came in while this one counted as looking is its to take, and the
     * end may have been announced to those who slept. */
    if (is_work_there() || pool.ending)
      return;
  }

  pool.sleeping++;
  count_spare();
  /* Either push_inbox() looked at `spare` before this and we see what it has
   * pushed, or it sees now that there is somebody to wake. */
  if (uv__load_acquire(&pool.inbox) == NULL) {
    uv_cond_wait(&pool.work_arrived, &pool.lock);
    if (pool.woken > 0)
      pool.woken--;
  }
  pool.sleeping--;
  count_spare();
}

static void run_worker(void* arg) {
  (void) arg;
  uv_thread_setname("libuv-worker");

  lock_pool();
  pool.starting--;
  for (;;) {
    int is_slow;
    struct uv__work* w = take_work(&is_slow);

    if (w == NULL) {
      if (pool.ending)
        break;
      wait_for_work();
      continue;
    }

    /* Cleared under the lock: from here on it cannot be cancelled. */
    void (*work)(struct uv__work*) = w->work;
    w->work = NULL;
    pool.turn++;
    unlock_pool();
    int is_awaited = run_work(w, work);
    lock_pool();
    /* More may come at once: look for it. */
    if (is_awaited && pool.misses >= LOOK_MISSES_MAX)
      pool.misses = LOOK_MISSES_MAX - 1;
    if (is_slow) {
      pool.slow_running--;
      count_ready();
    }
  }
  unlock_pool();
}

static int start_worker(void) {
  uv_thread_options_t options = { UV_THREAD_HAS_STACK_SIZE, STACK_SIZE };
  int err = uv_thread_create_ex(&pool.ids[pool.threads], &options, run_worker,
                                NULL);
  if (err != 0)
    return err;
  pool.threads++;
  pool.starting++;
  count_spare();
  return 0;
}

static int rouse_sleeper(void) {
  if (pool.sleeping > pool.woken) {
    pool.woken++;
    count_spare();
    uv_cond_signal(&pool.work_arrived);
  }
  return 0;
}

/* Sees to it that a worker will come for what is queued. */
static int rouse_worker(void) {
  if (pool.ready <= pool.looking + pool.woken + pool.starting)
    return 0;

  int have_sleeper = pool.sleeping > pool.woken;
  if ((have_sleeper && !pool.widen) || pool.threads == pool.size)
    return rouse_sleeper();

  pool.widen = 0;
  int err = start_worker();
  if (err == 0 || pool.threads == 0)
    return err;
  /* Refused is fine as long as there is anyone: wake a sleeper, if any. */
  return rouse_sleeper();
}

static void enqueue_slow(struct uv__work* w) {
  if (pool.slow_queued++ == 0)
    pool.slow_after = pool.fast_in;
  uv__queue_push_back(&pool.slow, &w->wq);
  pool.queued++;
  count_ready();
}

/* Returns 1 if somebody should be woken or started for it, perhaps. */
static int push_inbox(struct uv__work* w) {
  struct uv__queue* head = uv__load_relaxed(&pool.inbox);

  do
    w->wq.next = head;
  while (!uv__cas_weak(&pool.inbox, &head, &w->wq));

  /* Not a plain load, to have an order with count_spare() in wait_for_work().
   * A worker that is neither asleep nor about to be comes by itself. */
  return uv__fetch_add(&pool.spare, 0) != 0;
}

static int is_in(const struct uv__queue* queue, const struct uv__queue* node) {
  for (const struct uv__queue* q = queue->next; q != queue; q = q->next)
    if (q == node)
      return 1;
  return 0;
}

static void dequeue(struct uv__work* w) {
  /* Cancelling is rare: the item does not say which queue holds it. */
  if (is_in(&pool.slow, &w->wq))
    pool.slow_queued--;
  else
    pool.fast_out++;
  uv__queue_remove(&w->wq);
  pool.queued--;
  count_ready();
}

int uv__work_submit(uv_loop_t* loop,
                    struct uv__work* w,
                    enum uv__work_kind kind,
                    void (*work)(struct uv__work* w),
                    void (*done)(struct uv__work* w, int status)) {
  int err = ensure_pool();
  if (err != 0)
    return err;

  w->loop = loop;
  w->work = work;
  w->done = done;

  if (kind != UV__WORK_SLOW_IO && !push_inbox(w))
    return 0;

  lock_pool();
  sort_in_inbox();
  if (kind == UV__WORK_SLOW_IO)
    enqueue_slow(w);
  err = rouse_worker();
  if (err != 0)
    dequeue(w);
  unlock_pool();
  return err;
}

int uv__work_cancel(uv_loop_t* loop, struct uv__work* w) {
  if (pool.size == 0)
    return UV_EBUSY; /* nothing was ever queued */

  lock_pool();
  sort_in_inbox();
  int is_queued = w->work != NULL;
  if (is_queued) {
    dequeue(w);
    w->work = NULL;
  }
  unlock_pool();

  if (!is_queued)
    return UV_EBUSY;
  w->wq.prev = &cancelled;
  (void) push_done(loop, w);
  return 0;
}

int uv__work_run_done(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);
  int count = 0;

  if (uv__load_relaxed(&state->work_done) == NULL)
    return 0;
  /* Acquire: what the workers did. Pairs with push_done(). */
  struct uv__queue* oldest =
      oldest_first(uv__exchange(&state->work_done, NULL));
  while (oldest != NULL) {
    struct uv__work* w = container_of(oldest, struct uv__work, wq);
    oldest = oldest->next;
    count++;
    w->done(w, w->wq.prev == &cancelled ? UV_ECANCELED : 0);
  }
  return count;
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
