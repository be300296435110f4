/* SPDX-License-Identifier: MIT */
/* uv_queue_work(): the program's function runs on a worker, its callback on the
 * loop thread. */
#include "loop/check.h"
#include "observe/callback.h"
#include "pool/lanes.h"
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

const struct uv__work_kind uv__user_kind = {
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

  int err = uv__work_submit(loop, &req->work_req, &uv__user_kind);
  if (err != 0)
    uv__req_unregister(loop);
  return err;
}
