/* SPDX-License-Identifier: MIT */
/* The process-wide worker threads.
 *
 * Submit: the item joins one of two queues; a worker is woken, or a new one
 * started, only if the work that can run exceeds the workers already on their
 * way to it. Before a worker goes to sleep it looks at the queue for a few
 * microseconds, one worker at a time, and not at all while that keeps being in
 * vain. Finished items are pushed on their loop's stack; the first one of a
 * batch wakes the loop.
 *
 * Slow items (name resolution) run on at most half of the workers. The first
 * one waits for the fast items that were queued before it, and so does its
 * successor when it becomes the first: neither queue starves the other.
 *
 * Context: submit and cancel are called by loop threads, run_worker() is the
 * worker. Everything in `pool` is guarded by pool.lock, except `queued`, which
 * the looking worker reads without it.
 */
#include "threadpool.h"
#include "alloc.h"
#include "atomic.h"
#include "loop.h"
#include "queue.h"
#include "threadpool-os.h"

#include <stdlib.h>

#define DEFAULT_SIZE 4
#define MAX_SIZE 1024
#define STACK_SIZE ((size_t) 8 << 20)

/* How long a worker looks for more work before it sleeps. */
#define LOOK_NS 8000
/* After this many looks in vain in a row, sleep at once the next times. */
#define LOOK_MISSES_MAX 4
#define LOOK_PAUSE 64

struct pool {
  uv_mutex_t lock;
  uv_cond_t work_arrived;
  struct uv__queue fast;
  struct uv__queue slow;
  unsigned queued;       /* items in both queues */
  unsigned slow_queued;
  unsigned slow_running;
  unsigned size;         /* workers there may be; 0: not set up */
  unsigned threads;      /* workers there are */
  unsigned starting;     /* of those: not at work yet */
  unsigned looking;      /* of those: about to find what is queued */
  unsigned sleeping;     /* of those: waiting for work_arrived */
  unsigned woken;        /* of those: signalled, still counted as sleeping */
  unsigned misses;       /* looks in vain in a row */
  uint64_t fast_in;      /* fast items ever queued */
  uint64_t fast_out;     /* fast items ever taken or cancelled */
  uint64_t slow_after;   /* the first slow item's turn: when fast_out is this */
  int ending;
  uv_thread_t* ids;
};

static struct pool pool;
static uv_once_t pool_once = UV_ONCE_INIT;
static int pool_setup_error;

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

/* Locks and queues as new: at set-up, and in a forked child, where no worker
 * exists and the locks may be in any state. */
static int reset_pool(void) {
  uv__queue_init(&pool.fast);
  uv__queue_init(&pool.slow);
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
  pool.ending = 0;

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
    pool_setup_error = reset_pool();
}

static void set_up(void) {
  unsigned size = configured_size();

  pool.ids = uv__malloc_array(size, sizeof(*pool.ids));
  if (pool.ids == NULL) {
    pool_setup_error = UV_ENOMEM;
    return;
  }
  pool_setup_error = reset_pool();
  if (pool_setup_error == 0)
    pool_setup_error = uv__threadpool_at_fork(reset_in_child);
  if (pool_setup_error == 0)
    pool.size = size;
}

static unsigned slow_slots_left(void) {
  unsigned limit = (pool.size + 1) / 2;
  return pool.slow_running < limit ? limit - pool.slow_running : 0;
}

/* Items that a free worker could take now. */
static unsigned runnable(void) {
  unsigned fast = pool.queued - pool.slow_queued;
  unsigned slots = slow_slots_left();
  return fast + (pool.slow_queued < slots ? pool.slow_queued : slots);
}

static struct uv__work* take_from(struct uv__queue* queue) {
  uv__store_relaxed(&pool.queued, pool.queued - 1);
  return container_of(uv__queue_pop_front(queue), struct uv__work, wq);
}

/* NULL if there is nothing this worker may run. */
static struct uv__work* take_work(int* is_slow) {
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

/* The worker is inside the loop until it has woken it: uv_loop_close() waits
 * for that (see async.c). */
static void push_done(uv_loop_t* loop, struct uv__work* w) {
  struct uv__loop_state* state = uv__loop_state(loop);
  struct uv__queue* head = uv__load_relaxed(&state->work_done);

  uv__fetch_add(&state->asyncs.busy, 1);
  do
    w->wq.next = head;
  while (!uv__cas_weak(&state->work_done, &head, &w->wq));

  /* A full eventfd or a dead loop cannot be reported to anyone. */
  if (head == NULL)
    (void) uv__loop_wake(loop);
  uv__fetch_sub(&state->asyncs.busy, 1);
}

static void run_work(struct uv__work* w, void (*work)(struct uv__work*)) {
  work(w);
  w->wq.prev = NULL;
  push_done(w->loop, w);
}

/* Without the lock: 1 if something was queued meanwhile. */
static int look_for_work(void) {
  uint64_t end = uv_hrtime() + LOOK_NS;

  do {
    for (int i = 0; i < 16; i++) {
      if (uv__load_relaxed(&pool.queued) != 0)
        return 1;
      uv__cpu_relax();
    }
  } while (uv_hrtime() < end);
  return 0;
}

static int worth_looking(void) {
  if (pool.looking != 0 || pool.ending)
    return 0;
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
    uv_mutex_unlock(&pool.lock);
    int found = look_for_work();
    uv_mutex_lock(&pool.lock);
    pool.looking--;
    if (found)
      pool.misses = 0;
    else
      pool.misses++;
    /* What came in while this one counted as looking is its to take, and the
     * end may have been announced to those who slept. */
    if (pool.queued != 0 || pool.ending)
      return;
  }

  pool.sleeping++;
  uv_cond_wait(&pool.work_arrived, &pool.lock);
  pool.sleeping--;
  if (pool.woken > 0)
    pool.woken--;
}

static void run_worker(void* arg) {
  (void) arg;
  uv_thread_setname("libuv-worker");

  uv_mutex_lock(&pool.lock);
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
    uv_mutex_unlock(&pool.lock);
    run_work(w, work);
    uv_mutex_lock(&pool.lock);
    if (is_slow)
      pool.slow_running--;
  }
  uv_mutex_unlock(&pool.lock);
}

static int start_worker(void) {
  uv_thread_options_t options = { UV_THREAD_HAS_STACK_SIZE, STACK_SIZE };
  int err = uv_thread_create_ex(&pool.ids[pool.threads], &options, run_worker,
                                NULL);
  if (err != 0)
    return err;
  pool.threads++;
  pool.starting++;
  return 0;
}

/* Sees to it that a worker will come for what is queued. */
static int rouse_worker(void) {
  if (runnable() <= pool.looking + pool.woken + pool.starting)
    return 0;

  if (pool.sleeping > pool.woken) {
    pool.woken++;
    uv_cond_signal(&pool.work_arrived);
    return 0;
  }
  if (pool.threads == pool.size)
    return 0;

  /* Refused is fine as long as there is anyone at all. */
  int err = start_worker();
  return pool.threads > 0 ? 0 : err;
}

static void enqueue(struct uv__work* w, enum uv__work_kind kind) {
  int is_slow = kind == UV__WORK_SLOW_IO;

  if (is_slow) {
    if (pool.slow_queued++ == 0)
      pool.slow_after = pool.fast_in;
    uv__queue_push_back(&pool.slow, &w->wq);
  } else {
    pool.fast_in++;
    uv__queue_push_back(&pool.fast, &w->wq);
  }
  uv__store_relaxed(&pool.queued, pool.queued + 1);
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
  uv__store_relaxed(&pool.queued, pool.queued - 1);
}

int uv__work_submit(uv_loop_t* loop,
                    struct uv__work* w,
                    enum uv__work_kind kind,
                    void (*work)(struct uv__work* w),
                    void (*done)(struct uv__work* w, int status)) {
  uv_once(&pool_once, set_up);
  if (pool_setup_error != 0)
    return pool_setup_error;

  w->loop = loop;
  w->work = work;
  w->done = done;

  uv_mutex_lock(&pool.lock);
  enqueue(w, kind);
  int err = rouse_worker();
  if (err != 0)
    dequeue(w);
  uv_mutex_unlock(&pool.lock);
  return err;
}

int uv__work_cancel(uv_loop_t* loop, struct uv__work* w) {
  if (pool.size == 0)
    return UV_EBUSY; /* nothing was ever queued */

  uv_mutex_lock(&pool.lock);
  int is_queued = w->work != NULL;
  if (is_queued) {
    dequeue(w);
    w->work = NULL;
  }
  uv_mutex_unlock(&pool.lock);

  if (!is_queued)
    return UV_EBUSY;
  w->wq.prev = &cancelled;
  push_done(loop, w);
  return 0;
}

int uv__work_run_done(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);
  struct uv__queue* newest = uv__exchange(&state->work_done, NULL);
  struct uv__queue* oldest = NULL;
  int count = 0;

  while (newest != NULL) {
    struct uv__queue* next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
  }
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

  uv_mutex_lock(&pool.lock);
  pool.ending = 1;
  unsigned threads = pool.threads;
  uv_cond_broadcast(&pool.work_arrived);
  uv_mutex_unlock(&pool.lock);

  for (unsigned i = 0; i < threads; i++)
    uv_thread_join(&pool.ids[i]);
  uv_cond_destroy(&pool.work_arrived);
  uv_mutex_destroy(&pool.lock);
  uv__free(pool.ids);
  pool.ids = NULL;
  pool.size = 0;
  pool_setup_error = UV_ECANCELED; /* no work after the shutdown */
}
