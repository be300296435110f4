/* SPDX-License-Identifier: MIT */
/* uv_queue_work: the user's function on a worker, the answer on the loop. */
#include "callback.h"
#include "req.h"
#include "threadpool.h"

static uv_work_t* req_of(struct uv__work* w) {
  return container_of(w, uv_work_t, work_req);
}

/* Context: worker. */
static void call_work(struct uv__work* w) {
  uv_work_t* req = req_of(w);
  uv__call_work(req);
}

static void call_after_work(struct uv__work* w, int status) {
  uv_work_t* req = req_of(w);

  uv__req_unregister(req->loop);
  if (req->after_work_cb != NULL)
    uv__call_after_work(req, status);
}

int uv_queue_work(uv_loop_t* loop,
                  uv_work_t* req,
                  uv_work_cb work_cb,
                  uv_after_work_cb after_work_cb) {
  if (loop == NULL || req == NULL || work_cb == NULL)
    return UV_EINVAL;

  req->loop = loop;
  req->work_cb = work_cb;
  req->after_work_cb = after_work_cb;
  uv__req_start(loop, req, UV_WORK);

  int err = uv__work_submit(loop, &req->work_req, UV__CLASS_WORK, call_work,
                            call_after_work);
  if (err != 0)
    uv__req_unregister(loop);
  return err;
}
