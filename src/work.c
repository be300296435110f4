/* SPDX-License-Identifier: MIT */
/* uv_queue_work(): the program's function runs on a worker, its callback on the
 * loop thread. */
#include "loop/check.h"
#include "loops.h"
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

/* The same for a managed loop: not in a pause of the loops. Context: worker. */
static void run_managed_work(struct uv__work* w) {
  uvx_loops_t* loops = uv__loops_of(w->loop);

  if (loops != NULL)
    uv__loops_begin_work(loops);
  run_work(w);
  if (loops != NULL)
    uv__loops_end_work(loops);
}

static void end_managed_work(struct uv__work* w, int status) {
  uvx_loops_t* loops = uv__loops_of(w->loop);

  if (loops != NULL)
    uv__loops_forget_work(loops);
  end_work(w, status);
}

const struct uv__work_kind uv__managed_user_kind = {
  run_managed_work,
  end_managed_work,
  UV__WORK_USER,
  offsetof(uv_work_t, work_req),
};

UV__COLD static int submit_managed(uv_loop_t* loop, uv_work_t* req) {
  uv__loops_note_work(uv__loops_of(loop));
  int err = uv__work_submit(loop, &req->work_req, &uv__managed_user_kind);
  if (err != 0)
    uv__loops_forget_work(uv__loops_of(loop));
  return err;
}

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

  int err = uv__unlikely(uv__loops_of(loop) != NULL)
                ? submit_managed(loop, req)
                : uv__work_submit(loop, &req->work_req, &uv__user_kind);
  if (err != 0)
    uv__req_unregister(loop);
  return err;
}
