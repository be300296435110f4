/* SPDX-License-Identifier: MIT */
/* The pools of the process, and which of them runs what. */
#ifndef UV_POOL_LANES_H_
#define UV_POOL_LANES_H_

#include "pool/pool.h"

/* Each lane is a pool of its own, so that none waits for another: a slow name
 * server does not stop files. With UV_THREADPOOL_SIZE there is one pool for
 * all, as in libuv, unless UV_THREADPOOL_LANES says otherwise. */
enum uv__lane {
  UV__LANE_WORK, /* uv_queue_work(), uv_random(); everything if it is alone */
  UV__LANE_FILES,
  UV__LANE_LOOKUPS,
  UV__LANES
};

/* The name of the pool that is alone. */
#define UV__LANE_NAME_ALL "all"

/* The pool that runs this kind of work, after something was submitted. */
struct uv__pool* uv__pool_for(enum uv__work_id work_id);

/* Queues `w` in its lane; the caller keeps it alive until done() ran. Fails
 * (UV_EAGAIN, UV_ENOMEM) only if the process has not a single worker, or with
 * UV_ECANCELED after the shutdown; w->kind is NULL then. Does not touch the
 * loop's request count. done() gets 0 or UV_ECANCELED. */
int uv__work_submit(uv_loop_t* loop,
                    struct uv__work* w,
                    const struct uv__work_kind* kind);

/* The same in a pool that the program made. */
int uv__work_submit_to(struct uv__pool* pool,
                       uv_loop_t* loop,
                       struct uv__work* w,
                       const struct uv__work_kind* kind);

/* The same for an item whose work() owns it, frees it and tells the loop
 * itself: there is no done(), and what is observed is the caller's to report.
 * The caller also wakes the worker that is stored: uv__pool_queue(). */
int uv__work_submit_own(uv_loop_t* loop,
                        struct uv__work* w,
                        const struct uv__work_kind* kind,
                        struct uv__worker** called);

/* uv__pool_flush() for the lanes in the set: bit i stands for lane i, bit
 * UV__LANES for the pools that the program made. */
void uv__lanes_flush(unsigned lanes);

/* uv__pool_cancel() for its lane. `w` need not be submitted; `loop` is NULL for
 * one that was submitted with uv__work_submit_own(). */
int uv__work_cancel(uv_loop_t* loop,
                    struct uv__work* w,
                    const struct uv__work_kind* kind);

/* How long may a loop sleep that has file requests in flight? At most
 * `timeout_ms`, -1 for ever, and no longer than until the files lane may be
 * stuck. The first only answers, the second starts threads if that lane is
 * stuck. Context of the first: any. */
int uv__lanes_limit_sleep(int timeout_ms);
int uv__lanes_before_sleep(int timeout_ms);

/* How many workers use a processor, as far as is known? Not those of the
 * lookups: they wait for servers. Context: any. */
unsigned uv__lanes_awake(void);

/* Calls `each` for all lanes, if there are any yet. The lock of the registry is
 * held (registry.h). */
void uv__lanes_each(void (*each)(struct uv__pool* pool, void* arg), void* arg);

/* Is it the name of a lane, or could it become one? */
int uv__lanes_have_name(const char* name);

/* uv__pool_set_threads() for the lane of uv_queue_work(). Context: any. */
int uv__lanes_set_threads(unsigned threads);

/* How many lanes uv__lanes_look() knows: 0 before the first request. Context:
 * any; so is the next. */
unsigned uv__lanes_count(void);

/* uv__pool_look() for lane `i`; returns 0 if there is none. */
int uv__lanes_look(unsigned i,
                   struct uv__pool_view* view,
                   void (*each)(const struct uv__work* w, void* arg),
                   void* arg);

/* What the environment asks for. UV_THREADPOOL_SIZE is read as atoi() reads it:
 * what follows the digits is ignored, and no number is 0. */
struct uv__lanes_config {
  unsigned size; /* of the lane for work, or of the only pool */
  int has_lanes;
};
struct uv__lanes_config uv__lanes_read_config(void);

/* For uv_library_shutdown(): ends and joins the workers, except those that are
 * in a lookup. */
void uv__lanes_shutdown(void);

#endif /* UV_POOL_LANES_H_ */
