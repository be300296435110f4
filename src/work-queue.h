/* SPDX-License-Identifier: MIT */
/* What the workers have to do, in the order in which they should; work-queue.c.
 *
 * Fast items go through the inbox, a stack that needs no lock; the rest of the
 * queue is the pool's lock's. Slow items (name resolution) run on some of the
 * workers only. They have one place in the line of the fast ones, at its end
 * when the first one is queued, and again whenever it has come up: for the next
 * of them, or because too many of them run. So neither kind starves the other,
 * and the order is libuv's.
 */
#ifndef UV_WORK_QUEUE_H_
#define UV_WORK_QUEUE_H_

#include "atomic.h"
#include "base.h"

struct uv__work_queue {
  struct uv__queue fast;
  struct uv__queue slow;
  unsigned queued;       /* items in both */
  unsigned ready;        /* of those: a free worker could take them now; also
                          * read without the lock */
  unsigned slow_queued;
  unsigned slow_running;
  unsigned slow_max;     /* that may run at a time */
  uint64_t fast_in;      /* fast items ever queued, without the cancelled */
  uint64_t fast_out;     /* fast items ever taken */
  int slow_has_place;    /* in the line of fast items; kept if all slow ones
                          * are cancelled, until it comes up */
  uint64_t slow_after;   /* that place comes up when fast_out is this */
  /* Away from the rest, because who submits and who takes fight for it. */
  char gap[64];
  struct uv__queue* inbox; /* atomic: fast items on their way, newest first */
};

void uv__work_queue_init(struct uv__work_queue* q, unsigned slow_max);

/* Without the lock. */
void uv__work_queue_push(struct uv__work_queue* q, struct uv__work* w);
static inline int uv__work_queue_has_any(const struct uv__work_queue* q) {
  return uv__load_relaxed(&q->ready) != 0 ||
         uv__load_relaxed(&q->inbox) != NULL;
}

/* With the lock. */
void uv__work_queue_push_slow(struct uv__work_queue* q, struct uv__work* w);
/* NULL if there is nothing that may run now. uv__work_queue_ran_slow() follows
 * when a slow one has run. */
struct uv__work* uv__work_queue_take(struct uv__work_queue* q, int* is_slow);
void uv__work_queue_ran_slow(struct uv__work_queue* q);
/* An item that is queued and not taken. */
void uv__work_queue_remove(struct uv__work_queue* q, struct uv__work* w);

#endif /* UV_WORK_QUEUE_H_ */
