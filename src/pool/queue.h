/* SPDX-License-Identifier: MIT */
/* The items of one pool that wait for a worker, in order.
 *
 * Where some items are slow (name resolution in a pool that runs everything),
 * only `slow_max` of them may run at a time. Together they hold one place in
 * the line of the others: at the end when the first of them is queued, and
 * again at the end each time that place comes up, whether a slow item ran or
 * too many were running. Neither kind starves the other.
 *
 * Guarded by the pool's lock, except `ready` and `held`. Nothing is allocated,
 * and every operation but the walk, the search and the end of a pause takes
 * constant time.
 */
#ifndef UV_POOL_QUEUE_H_
#define UV_POOL_QUEUE_H_

#include "util/atomic.h"
#include "util/base.h"

/* Why a worker must not just take the first item; bits of `gate`. */
enum {
  UV__GATE_HOLD = 1,   /* `holds` is not 0 */
  UV__GATE_SHRINK = 2, /* the pool has too many threads */
  UV__GATE_PAUSE = 4   /* some items must wait (gate.h) */
};

struct uv__work_queue {
  struct uv__queue items;      /* oldest first; contains `slow_place` if
                                * `has_place` */
  struct uv__queue slow;       /* the slow ones, oldest first */
  struct uv__queue slow_place; /* the place of all slow items */
  struct uv__queue aside;      /* fast items that wait for a gate to open,
                                * oldest first; `work` is uv__work_aside */
  int has_place;
  unsigned fast_queued;
  unsigned slow_queued;
  unsigned slow_running;
  unsigned slow_max;    /* 0: all items are equal */
  unsigned slow_wanted; /* the same, once no more than so many are running */
  unsigned taken;       /* by workers so far, modulo 2^32 */
  unsigned holds;       /* while not 0, nothing is ready and nothing is taken */
  unsigned gate;        /* UV__GATE_*; 0: the first item may be taken */
  char gap[64];         /* spinning workers read what follows */
  unsigned ready;       /* atomic: items that a free worker may take now */
  unsigned held;        /* atomic: those it might take without `holds` */
};

void uv__work_queue_init(struct uv__work_queue* q, unsigned slow_max);

void uv__work_queue_push(struct uv__work_queue* q,
                         struct uv__work* w,
                         int is_slow);
/* Returns NULL if nothing may run now. The caller has looked at the gate, and
 * reports the end of a slow item with uv__work_queue_ran_slow(). */
struct uv__work* uv__work_queue_take(struct uv__work_queue* q, int* is_slow);
void uv__work_queue_ran_slow(struct uv__work_queue* q);
/* The item that would be taken now, or NULL. */
struct uv__work* uv__work_queue_peek(struct uv__work_queue* q);
/* Removes an item that is queued, or aside. */
void uv__work_queue_remove(struct uv__work_queue* q,
                           struct uv__work* w,
                           int is_slow);
/* Sets `holds`, and the gate for it. */
void uv__work_queue_set_holds(struct uv__work_queue* q, unsigned holds);
/* Sets the gate for a pause, and brings back what is aside, to the front. */
void uv__work_queue_set_paused(struct uv__work_queue* q, int is_paused);
/* Puts the item that would be taken now aside; a fast one. */
void uv__work_queue_set_aside(struct uv__work_queue* q, struct uv__work* w);
/* Marks such an item. Never called. */
void uv__work_aside(struct uv__work* w);
/* Changes how many slow items may run at a time, of a queue that has such a
 * limit. More may be running: these are not counted against the others. */
void uv__work_queue_set_slow_max(struct uv__work_queue* q, unsigned slow_max);
/* Looks at each item, also those aside; for rare cases. */
int uv__work_queue_contains(const struct uv__work_queue* q,
                            const struct uv__work* w);
/* Calls `each` for all items: those aside, fast ones, then slow ones, oldest
 * first. */
void uv__work_queue_each(const struct uv__work_queue* q,
                         void (*each)(const struct uv__work* w, void* arg),
                         void* arg);

#endif /* UV_POOL_QUEUE_H_ */
