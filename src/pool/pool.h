/* SPDX-License-Identifier: MIT */
/* The process-wide pool of worker threads.
 *
 *   uv__work_submit -> a worker runs work() -> loop->done list, one wake per
 *   batch -> uv__work_run_done() (pool/done.h) on the loop thread -> done()
 *
 * Lock order: the pool's lock is the innermost; nothing is called under it.
 */
#ifndef UV_POOL_POOL_H_
#define UV_POOL_POOL_H_

#include "util/base.h"

/* What runs on a worker. */
enum uv__work_id {
  UV__WORK_USER, /* uv_queue_work() */
  UV__WORK_RANDOM,
  UV__WORK_FS,
  UV__WORK_GETADDRINFO,
  UV__WORK_GETNAMEINFO,
  UV__WORK_MAX
};

/* Name resolution is slow: at most half of the workers run it at a time. */
static inline int uv__work_is_slow(enum uv__work_id work_id) {
  return work_id >= UV__WORK_GETADDRINFO;
}

/* One kind of work; each module that submits any defines its own row. */
struct uv__work_kind {
  void (*work)(struct uv__work* w); /* on a worker */
  /* On the loop's thread; status is 0 or UV_ECANCELED. */
  void (*done)(struct uv__work* w, int status);
  enum uv__work_id id; /* its name in traces, metrics and dumps */
  size_t offset;       /* of the item in its request */
};

/* The request that contains the item. */
static inline const void* uv__work_request(const struct uv__work* w) {
  return (const char*) w - w->kind->offset;
}

/* Queues `w`, which the caller keeps alive until done() ran. Starts workers on
 * first use; fails (UV_EAGAIN, UV_ENOMEM) only if there is not a single one.
 * Does not touch the loop's request count. done() gets 0 or UV_ECANCELED. */
int uv__work_submit(uv_loop_t* loop,
                    struct uv__work* w,
                    const struct uv__work_kind* kind);

/* Returns 0 if work() will not run; done() then runs later with UV_ECANCELED,
 * once, even if the item is cancelled again. UV_EBUSY: too late. */
int uv__work_cancel(uv_loop_t* loop, struct uv__work* w);

/* The pool at one moment, for reports. */
struct uv__pool_view {
  unsigned size;         /* the most threads; 0: there is no pool yet */
  unsigned threads;      /* those that exist */
  unsigned running;      /* of those: running an item */
  unsigned slow_running; /* of those: a slow one */
  unsigned slow_max;     /* the most that may run slow items */
};

/* Stores it, and calls `each` for the items that wait, in two groups: fast
 * ones, slow ones, oldest first. It is called with the pool's lock held: no
 * function of the pool. Context: any. */
void uv__threadpool_view(struct uv__pool_view* view,
                         void (*each)(const struct uv__work* w, void* arg),
                         void* arg);

/* For uv_library_shutdown(): stops and joins the workers. */
void uv__threadpool_shutdown(void);

/* Are the workers so busy that a spinning thread would take a processor from
 * one of them? Context: any. */
int uv__threadpool_is_heavy(unsigned processors);

/* For a loop with `reqs` requests in flight that occupy every processor: how
 * many items may be taken while the loop sleeps, so that it can still submit
 * more before the workers run out, and how long it may sleep. 0: do not sleep
 * for a batch. Context: any. */
unsigned uv__threadpool_batch(unsigned processors,
                              unsigned reqs,
                              int* sleep_ms);

/* The number of items taken by workers so far, modulo 2^32, and whether any are
 * waiting. Context: any. */
unsigned uv__threadpool_taken(void);
int uv__threadpool_has_waiting(void);

#endif /* UV_POOL_POOL_H_ */
