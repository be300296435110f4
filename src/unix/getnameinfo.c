/* SPDX-License-Identifier: MIT */
/* Addresses to names, with the system's resolver on a worker thread. */
#include "addr.h"
#include "req.h"
#include "threadpool.h"
#include "unix/eai.h"

#include <netdb.h>
#include <string.h>

/* Context: worker, or the caller of the synchronous form. */
static void resolve(uv_getnameinfo_t* req) {
  const struct sockaddr* addr = (const struct sockaddr*) &req->storage;
  int eai = getnameinfo(addr, (socklen_t) uv__addr_len(addr), req->host,
                        sizeof(req->host), req->service, sizeof(req->service),
                        req->flags);
  req->retcode = uv__eai_error(eai);
}

static void resolve_work(struct uv__work* w) {
  resolve(container_of(w, uv_getnameinfo_t, work_req));
}

static void resolve_done(struct uv__work* w, int status) {
  uv_getnameinfo_t* req = container_of(w, uv_getnameinfo_t, work_req);
  int found = 0;

  uv__req_unregister(req->loop);
  if (status == UV_ECANCELED)
    req->retcode = UV_EAI_CANCELED;
  else
    found = req->retcode == 0;

  if (req->getnameinfo_cb != NULL)
    req->getnameinfo_cb(req, req->retcode, found ? req->host : NULL,
                        found ? req->service : NULL);
}

int uv_getnameinfo(uv_loop_t* loop,
                   uv_getnameinfo_t* req,
                   uv_getnameinfo_cb cb,
                   const struct sockaddr* addr,
                   int flags) {
  if (req == NULL || addr == NULL || (loop == NULL && cb != NULL))
    return UV_EINVAL;
  if (addr->sa_family != AF_INET && addr->sa_family != AF_INET6)
    return UV_EINVAL;

  memcpy(&req->storage, addr, (size_t) uv__addr_len(addr));
  req->type = UV_GETNAMEINFO;
  req->loop = loop;
  req->getnameinfo_cb = cb;
  req->flags = flags;
  req->retcode = 0;

  if (cb == NULL) {
    resolve(req);
    return req->retcode;
  }

  uv__req_register(loop);
  int err = uv__work_submit(loop, &req->work_req, UV__WORK_SLOW_IO,
                            resolve_work, resolve_done);
  if (err != 0)
    uv__req_unregister(loop);
  return err;
}
