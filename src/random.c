/* SPDX-License-Identifier: MIT */
/* uv_random(): argument checks, and the request on the thread pool.
 *
 *   without a callback: filled before the call returns; loop and req unused
 *   with one: a worker fills the buffer, the loop thread calls back
 */
#include "os/random.h"
#include "observe/callback.h"
#include "pool/lanes.h"
#include "req.h"

/* The length fits an int in every language binding. */
#define BUFLEN_MAX 0x7FFFFFFFu

/* Context: worker. */
static void random_work(struct uv__work* w) {
  uv_random_t* req = container_of(w, uv_random_t, work_req);
  req->status = uv__random_os_fill(req->buf, req->buflen);
}

static void random_done(struct uv__work* w, int status) {
  uv_random_t* req = container_of(w, uv_random_t, work_req);
  int outcome = status != 0 ? status : req->status;

  uv__req_unregister(req->loop);
  uv__call_random(req, outcome);
}

const struct uv__work_kind uv__random_kind = {
  random_work,
  random_done,
  UV__WORK_RANDOM,
  offsetof(uv_random_t, work_req),
};

int uv_random(uv_loop_t* loop,
              uv_random_t* req,
              void* buf,
              size_t buflen,
              unsigned flags,
              uv_random_cb cb) {
  if (buflen > BUFLEN_MAX)
    return UV_E2BIG;
  if (flags != 0 || (buf == NULL && buflen > 0))
    return UV_EINVAL;
  if (cb == NULL)
    return uv__random_os_fill(buf, buflen);
  if (loop == NULL || req == NULL)
    return UV_EINVAL;

  uv__req_start(loop, req, UV_RANDOM);
  req->loop = loop;
  req->status = 0;
  req->buf = buf;
  req->buflen = buflen;
  req->cb = cb;

  int err = uv__work_submit(loop, &req->work_req, &uv__random_kind);
  if (err != 0)
    uv__req_unregister(loop);
  return err;
}
