/* SPDX-License-Identifier: MIT */
/* A pool: a queue of items and the threads that run them.
 *
 *   uv__pool_submit -> a worker runs work() -> the loop's stack of finished
 *   work, one wake per batch -> uv__work_run_done() on the loop's thread
 */
#ifndef UV_POOL_POOL_H_
#define UV_POOL_POOL_H_

#include "pool/kind.h"
#include "pool/queue.h"
#include "util/spin.h"

/* What always holds (L1 to L9 are cited in the code):
 *   L1  An item is in exactly one of: a queue, a worker, its loop's stack. Its
 *       `work` is its function while queued (uv__work_aside if it waits for a
 *       gate), NULL while it runs, and uv__work_cancelled from the cancel to
 *       done().
 *   L2  If an item is ready and a worker is idle, a worker is coming: one that
 *       was woken, started, or spins. A worker that takes an item keeps this
 *       true before it runs it.
 *   L3  A loop that has submitted items does not block, or leave uv_run(),
 *       while a worker is idle and more items are ready than workers come.
 *   L4  A finished item is on its loop's stack before its worker takes another
 *       lock or item, and the loop is awake or has a wake on its way.
 *   L5  Items are taken in the order of submission, slow ones as queue.h says.
 *   L6  No pool waits for another: its lock, threads and queue are its own.
 *       Only one that was refused every thread has another run its items.
 *   L7  Once the callback of the first item ran, every lane has its minimum of
 *       threads, or was refused (lanes.c).
 *   L8  Nothing but the creation of a thread, and the join of one that has
 *       ended, is called with a pool's lock held, and never two of these locks
 *       at once: they are the innermost.
 *   L9  A spinning thread holds no lock, and at most one worker per pool spins.
 * and of a pool that grows when it is stuck:
 *   S1  It never has more than `threads_max` threads, nor, once started, fewer
 *       than the minimum.
 *   S2  It does not grow if an item was taken during the last `stuck_ms`, other
 *       than by the threads that it grew by.
 *   S3  If an item waits and no worker is available, its loop looks again
 *       within `stuck_ms` of going to sleep.
 *   S4  A loop without items of that pool never wakes up for this.
 */

struct uv__pool;

/* Bytes of a name with its end. */
#define UV__POOL_NAME_SIZE 32

struct uv__pool_limits {
  const char* name;        /* for reports only: printable ASCII, no quotes */
  const char* thread_name; /* NULL: "libuv-worker" */
  size_t stack_size;       /* of a thread; 0: the default */
  int priority;            /* of a thread; 0: that of the one that starts it */
  unsigned threads_min;    /* started with the first item; never end */
  unsigned threads_max;    /* at least threads_min */
  unsigned idle_ms;  /* a thread beyond the minimum ends when it was idle for
                         * so long */
  unsigned slow_max; /* the most slow items that run at a time; 0: all items
                         * are equal */
  unsigned stuck_ms; /* 0: threads beyond the minimum start when an item
                         * waits; otherwise when items wait, all workers are
                         * inside one, and none was taken for so long */
  void (*on_thread)(void); /* called by each new thread first, or NULL */
};

/* Of so many threads, name resolution occupies at most half, rounded up. */
static inline unsigned uv__pool_slow_max(unsigned threads) {
  return (threads + 1) / 2;
}

enum uv__worker_state {
  UV__WORKER_NONE, /* there is no thread */
  UV__WORKER_RUNS, /* takes items, or is about to */
  UV__WORKER_IDLE, /* in the pool's list of idle workers */
  UV__WORKER_ENDED /* to be joined */
};

/* A thread, or the place for one. The address stays valid with the pool. */
struct uv__worker {
  struct uv__pool* pool;
  struct uv__worker* next; /* in `idle` or `unused` */
  uv_thread_t id;
  uv_cond_t called; /* this worker's own */
  unsigned ran;     /* items since its turn began; the worker's own */
  enum uv__worker_state state;
  unsigned char is_abandoned; /* uv__pool_join() did not wait for its lookup */
  const struct uv__work_kind* kind; /* of the item that runs, or NULL */
  const uv_loop_t* loop; /* its loop; maybe closed when the item has run */
};

/* Some workers, one after the other in memory. */
struct uv__places {
  struct uv__places* next;
  unsigned count;
  struct uv__worker workers[];
};

/* Why workers end; bits of `ending`. */
enum {
  UV__POOL_ENDS = 1,   /* for good, when the queue is empty */
  UV__POOL_SHRINKS = 2 /* before the next item: there are more of them than
                        * `threads_max` */
};

/* Guarded by the lock, except what is marked atomic. */
struct uv__pool {
  uv_mutex_t lock;
  struct uv__pool_limits limits;
  struct uv__places* places; /* together at least threads_max */
  unsigned nused;            /* places that ever had a thread */
  struct uv__worker* unused; /* of these: have none now */
  struct uv__worker* idle;   /* newest first, so that caches stay warm; those
                              * whose turn is over come last */
  unsigned idle_count;
  unsigned threads;    /* that exist */
  unsigned starting;   /* of those: do not run yet */
  unsigned woken;      /* of those: taken from `idle`, do not run yet */
  unsigned running;    /* of those: have an item, or look for the next */
  uint64_t refused_ns; /* when the system refused a thread; 0: not yet */
  unsigned refused;    /* threads, so far */
  unsigned grown;      /* threads that were started because it was stuck */
  unsigned
      grow_step; /* stuck.c: so many at a time; 0: look for the first time */
  unsigned stuck_taken;    /* stuck.c: queue.taken at the last look */
  uint64_t stuck_since_ns; /* and when it became that */
  unsigned ending;         /* atomic: UV__POOL_ENDS, UV__POOL_SHRINKS */
  unsigned threads_wanted; /* the limit from the end of all holds on; 0: as it
                            * is */
  struct uv__pool* substitute; /* took, or takes, items while this pool has no
                                * thread; NULL: none ever did */
  int is_owed; /* gate.h: the worker that comes next takes what is first */
  struct uv__work_queue queue;
  /* Beside queue.ready. */
  unsigned spinner;     /* atomic: 1 while a worker spins, which owns `spin` */
  unsigned awake;       /* atomic: threads that are not idle */
  struct uv__spin spin; /* outcome of recent spins */
};

/* Prepares a pool without threads. 0, UV_ENOMEM, or an error of the lock. */
int uv__pool_init(struct uv__pool* pool, const struct uv__pool_limits* limits);

/* Frees a pool that has no threads and that no other thread uses. */
void uv__pool_close(struct uv__pool* pool);

/* In the child of a fork: no thread, no item, no hold. */
int uv__pool_reset(struct uv__pool* pool);

/* Starts the minimum of threads, as far as the system allows; returns how many
 * there are. Context: any. */
unsigned uv__pool_start(struct uv__pool* pool);

/* Between the two, no worker takes an item; those that run go on. Submitting
 * and cancelling work as ever. Holds are counted; the shutdown ends them.
 * Context: any. */
void uv__pool_hold(struct uv__pool* pool);
void uv__pool_release(struct uv__pool* pool);

/* Sets or clears the gate of a pause (gate.h). Context: any. */
void uv__pool_set_paused(struct uv__pool* pool, int is_paused);

/* Has the pool use at most so many threads, 1 or more. Those beyond it end
 * before they take another item; more start when an item waits. Without
 * `idle_ms` it is the minimum, too. While the pool is held it only takes effect
 * if there is no thread yet, otherwise when it is released. 0, UV_ENOMEM, or
 * UV_ECANCELED after the shutdown. Context: any. */
int uv__pool_set_threads(struct uv__pool* pool, unsigned threads);

/* Queues `w`, which the caller keeps alive until done() ran; `loop` and `kind`
 * are set. If `loop` is NULL, work() owns the item, and there is no
 * done(). Starts a thread if there is none. Returns UV_ECANCELED after
 * the shutdown, or why the system refused the only thread. Context: any. */
int uv__pool_submit(struct uv__pool* pool, struct uv__work* w);

/* The same in two steps, for a caller that holds a lock which the worker wants:
 * queues the item, and stores the worker to be woken, if any, for
 * uv__pool_wake(). That may be NULL. Context: any. */
int uv__pool_queue(struct uv__pool* pool,
                   struct uv__work* w,
                   struct uv__worker** called);
void uv__pool_wake(struct uv__worker* called);

/* Wakes idle workers for all items that are ready (L3). Submitting wakes one at
 * a time: more are not worth their switches if the loop goes on submitting.
 * Context: any. */
void uv__pool_flush(struct uv__pool* pool);

/* Called by a loop that is about to sleep while items of it are in this pool,
 * which has `stuck_ms`. Starts threads if the pool is stuck. Returns 0 if
 * nothing waits for a worker, otherwise how many milliseconds the loop may
 * sleep (S3). */
unsigned uv__pool_watch(struct uv__pool* pool);

/* Returns 0 if work() will not run; done() then runs later with UV_ECANCELED,
 * once, even if the item is cancelled again. UV_EBUSY: too late. If `loop` is
 * NULL, the item is the caller's again. */
int uv__pool_cancel(struct uv__pool* pool,
                    uv_loop_t* loop,
                    struct uv__work* w,
                    const struct uv__work_kind* kind);

/* Lets `substitute`, which has a thread, take the items of a pool that has
 * none, until it is given one. Always the same substitute, which keeps its
 * threads. Returns 0 if the pool has got a thread meanwhile. */
int uv__pool_substitute(struct uv__pool* pool, struct uv__pool* substitute);
int uv__pool_has_thread(struct uv__pool* pool);

/* Is the calling thread one of its workers? */
int uv__pool_is_mine(struct uv__pool* pool);

/* The threads that use a processor, or would if they had one. Context: any. */
static inline unsigned uv__pool_awake(const struct uv__pool* pool) {
  return uv__load_relaxed(&pool->awake) - uv__load_relaxed(&pool->spinner);
}

/* Refuses new items; the workers run what is queued, and end. */
void uv__pool_end(struct uv__pool* pool);
/* The same, but what is queued stays there for good. */
void uv__pool_end_now(struct uv__pool* pool);
/* Waits for that; once more does nothing. The memory stays: other threads may
 * be in a call. If `may_abandon`, it does not wait for workers that are in a
 * lookup. They end when the resolver returns, so the code must stay mapped. */
void uv__pool_join(struct uv__pool* pool, int may_abandon);

/* The pool at one moment, for reports. */
struct uv__pool_view {
  char name[UV__POOL_NAME_SIZE];
  unsigned size;         /* the most threads */
  unsigned threads;      /* those that exist */
  unsigned running;      /* of those: running an item */
  unsigned grown;        /* threads started so far because it was stuck */
  unsigned refused;      /* threads that the system refused so far */
  unsigned slow_running; /* of those: a slow one, if slow_max != 0 */
  unsigned slow_max;
};

/* Stores it, and calls `each` for the items that wait, with the lock held: no
 * function of a pool. Context: any. */
void uv__pool_look(struct uv__pool* pool,
                   struct uv__pool_view* view,
                   void (*each)(const struct uv__work* w, void* arg),
                   void* arg);

#endif /* UV_POOL_POOL_H_ */
