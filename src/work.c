/* SPDX-License-Identifier: MIT */
/* uv_queue_work(): the program's function runs on a worker, its callback on the
 * loop thread. uv_cancel(): which requests can be cancelled, and how. */
#include "fs.h"
#include "loop/check.h"
#include "observe/callback.h"
#include "os/stream.h"
#include "pool/lanes.h"
#include "pool/lookup.h"
#include "req.h"

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

static const struct uv__work_kind work_kind = {
  run_work,
  end_work,
  UV__WORK_USER,
  offsetof(uv_work_t, work_req),
};

int uv_queue_work(uv_loop_t* loop,
                  uv_work_t* req,
                  uv_work_cb work_cb,
                  uv_after_work_cb after_work_cb) {
  if (loop == NULL || req == NULL || work_cb == NULL)
    return uv__misuse_refuse(UV__RULE_QUEUE_WORK, req, UV_EINVAL);
  uv__debug_check(uv__loop_check_thread(loop, UV__RULE_WORK_THREAD, loop));

  req->loop = loop;
  req->work_cb = work_cb;
  req->after_work_cb = after_work_cb;
  uv__req_start(loop, req, UV_WORK);

  int err = uv__work_submit(loop, &req->work_req, &work_kind);
  if (err != 0)
    uv__req_unregister(loop);
  return err;
}

/* Where each type keeps its pool item and loop. */
#define POOL_REQ(type, kind)                                                   \
 { kind, offsetof(type, work_req), offsetof(type, loop) }

struct pool_req {
  const struct uv__work_kind* kind; /* NULL: not a request of the pool */
  size_t work;
  size_t loop;
};

static const struct pool_req pool_reqs[UV_REQ_TYPE_MAX] = {
  [UV_WORK] = POOL_REQ(uv_work_t, &work_kind),
  [UV_RANDOM] = POOL_REQ(uv_random_t, &uv__random_kind),
};

int uv_cancel(uv_req_t* req) {
  if (req == NULL || req->type <= UV_UNKNOWN_REQ ||
      req->type >= UV_REQ_TYPE_MAX)
    return UV_EINVAL;
  if (req->type == UV_WRITE)
    return uv__stream_os_cancel_write((uv_write_t*) req);
  if (req->type == UV_FS)
    return uv__fs_cancel((uv_fs_t*) req);
  if (req->type == UV_GETADDRINFO)
    return uv__lookup_cancel(&((uv_getaddrinfo_t*) req)->work_req);
  if (req->type == UV_GETNAMEINFO)
    return uv__lookup_cancel(&((uv_getnameinfo_t*) req)->work_req);

  const struct pool_req* where = &pool_reqs[req->type];
  if (where->kind == NULL)
    return UV_EINVAL;

  char* base = (char*) req;
  uv_loop_t* loop = *(uv_loop_t**) (base + where->loop);
  return uv__work_cancel(loop, (struct uv__work*) (base + where->work),
                         where->kind);
}
