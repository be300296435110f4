/* SPDX-License-Identifier: MIT */
/* The items that wait for a worker, in order.
 *
 * Fast items enter through the inbox, a lock-free stack; the pool's lock guards
 * everything else. Slow items (name resolution) may occupy only some of the
 * workers. Together they hold one place among the fast items: at the end of the
 * line when the first of them is queued, and again at the end each time that
 * place comes up, whether a slow item ran or too many were running. Neither
 * kind starves the other, and the order is libuv's.
 */
#ifndef UV_POOL_QUEUE_H_
#define UV_POOL_QUEUE_H_

#include "util/atomic.h"
#include "util/base.h"

struct uv__work_queue {
  struct uv__queue fast;
  struct uv__queue slow;
  unsigned queued; /* items in both */
  unsigned ready;  /* of those: a free worker may take them now; also
                          * read without the lock */
  unsigned slow_queued;
  unsigned slow_running;
  unsigned slow_max;   /* the most that may run at a time */
  unsigned taken;      /* items ever taken, modulo 2^32; also read without the
                          * lock */
  uint64_t fast_in;    /* fast items ever queued, without the cancelled */
  uint64_t fast_out;   /* fast items ever taken */
  int slow_has_place;  /* in the line of fast items; kept if all slow ones
                          * are cancelled, until it comes up */
  uint64_t slow_after; /* that place comes up when fast_out is this */
  /* On a cache line of its own: contended between submitters and workers. */
  char gap[64];
  struct uv__queue* inbox; /* atomic: new fast items, newest first */
};

void uv__work_queue_init(struct uv__work_queue* q, unsigned slow_max);

/* These two need no lock. */
void uv__work_queue_push(struct uv__work_queue* q, struct uv__work* w);
static inline int uv__work_queue_has_any(const struct uv__work_queue* q) {
  return uv__load_relaxed(&q->ready) != 0 ||
         uv__load_relaxed(&q->inbox) != NULL;
}

/* The rest is called with the lock held. */
void uv__work_queue_push_slow(struct uv__work_queue* q, struct uv__work* w);
/* Returns NULL if nothing may run now. After running a slow item the worker
 * calls uv__work_queue_ran_slow(). */
struct uv__work* uv__work_queue_take(struct uv__work_queue* q, int* is_slow);
void uv__work_queue_ran_slow(struct uv__work_queue* q);
/* Calls `each` for all items: fast ones, then slow ones, oldest first. */
void uv__work_queue_each(struct uv__work_queue* q,
                         void (*each)(const struct uv__work* w, void* arg),
                         void* arg);
/* Removes an item that is queued and not taken. */
void uv__work_queue_remove(struct uv__work_queue* q, struct uv__work* w);

#endif /* UV_POOL_QUEUE_H_ */
