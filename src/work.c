/* SPDX-License-Identifier: MIT */
/* uv_queue_work(), uvx_queue_work(): the program's function runs on a worker of
 * a lane, or of a pool of the program's own; its callback on the loop thread.
 */
#include "work.h"
#include "loop/check.h"
#include "observe/callback.h"
#include "pool/lanes.h"
#include "pool/registry.h"
#include "req.h"
#include "util/atomic.h"

static uv_work_t* req_of(struct uv__work* w) {
  return container_of(w, uv_work_t, work_req);
}

/* Context: worker. */
static void run_work(struct uv__work* w) {
  uv_work_t* req = req_of(w);
  uv__call_work(req);
}

static void end_work(struct uv__work* w, int status) {
  uv_work_t* req = req_of(w);

  uv__req_unregister(req->loop);
  if (req->after_work_cb != NULL)
    uv__call_after_work(req, status);
}

static const struct uv__work_kind user_kind = {
  run_work,
  end_work,
  UV__WORK_USER,
  offsetof(uv_work_t, work_req),
};

/* The request knows its pool, and when it was submitted. These words are read
 * only if the item is of the kind for pools: in other requests the program may
 * have left anything there. */
static void set_pool(uv_work_t* req, uvx_pool_t* pool) {
  req->reserved[0] = pool;
  req->reserved[1] = (void*) (uintptr_t) uv__registry_generation();
}

/* NULL: it was submitted before a fork, in the parent. Its pool may have been
 * freed here. */
static uvx_pool_t* pool_of(const uv_work_t* req) {
  uintptr_t generation = (uintptr_t) req->reserved[1];
  return generation == uv__registry_generation() ? req->reserved[0] : NULL;
}

/* The callback may free the pool. */
static void end_pool_work(struct uv__work* w, int status) {
  uvx_pool_t* pool = pool_of(req_of(w));

  /* Release: all that was done with the pool. Pairs with
   * uv__registry_remove(). */
  if (pool != NULL)
    uv__fetch_sub(&pool->unreported, 1);
  end_work(w, status);
}

static const struct uv__work_kind pool_kind = {
  run_work,
  end_pool_work,
  UV__WORK_USER,
  offsetof(uv_work_t, work_req),
};

static int submit_to_pool(uvx_pool_t* pool, uv_loop_t* loop, uv_work_t* req) {
  set_pool(req, pool);
  uv__fetch_add(&pool->unreported, 1);
  int err = uv__work_submit_to(&pool->pool, loop, &req->work_req, &pool_kind);
  if (err != 0)
    uv__fetch_sub(&pool->unreported, 1);
  return err;
}

int uv__work_cancel_user(uv_work_t* req) {
  struct uv__work* w = &req->work_req;

  /* Written by this thread alone; NULL once it is reported. */
  if (w->kind != &pool_kind)
    return uv__work_cancel(req->loop, w, &user_kind);
  uvx_pool_t* pool = pool_of(req);
  if (pool == NULL)
    return UV_EBUSY;
  return uv__pool_cancel(&pool->pool, req->loop, w, &pool_kind);
}

UV__INLINE void start_request(uv_loop_t* loop,
                              uv_work_t* req,
                              uv_work_cb work_cb,
                              uv_after_work_cb after_work_cb) {
  req->loop = loop;
  req->work_cb = work_cb;
  req->after_work_cb = after_work_cb;
  uv__req_start(loop, req, UV_WORK);
}

int uv_queue_work(uv_loop_t* loop,
                  uv_work_t* req,
                  uv_work_cb work_cb,
                  uv_after_work_cb after_work_cb) {
  if (loop == NULL || req == NULL || work_cb == NULL)
    return uv__misuse_refuse(UV__RULE_QUEUE_WORK, req, UV_EINVAL);
  uv__debug_check(uv__loop_check_thread(loop, UV__RULE_WORK_THREAD, loop));

  start_request(loop, req, work_cb, after_work_cb);
  int err = uv__work_submit(loop, &req->work_req, &user_kind);
  if (err != 0)
    uv__req_unregister(loop);
  return err;
}

int uvx_queue_work(uvx_pool_t* pool,
                   uv_loop_t* loop,
                   uv_work_t* req,
                   uv_work_cb work_cb,
                   uv_after_work_cb after_work_cb) {
  if (pool == NULL)
    return uv_queue_work(loop, req, work_cb, after_work_cb);
  if (loop == NULL || req == NULL || work_cb == NULL)
    return uv__misuse_refuse(UV__RULE_QUEUE_WORK, req, UV_EINVAL);
  uv__debug_check(uv__loop_check_thread(loop, UV__RULE_WORK_THREAD, loop));

  start_request(loop, req, work_cb, after_work_cb);
  int err = submit_to_pool(pool, loop, req);
  if (err != 0)
    uv__req_unregister(loop);
  return err;
}
