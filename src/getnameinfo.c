/* SPDX-License-Identifier: MIT */
/* Addresses to names; see getaddrinfo.c. */
#include "os/resolver.h"
#include "callback.h"
#include "os/addr.h"
#include "req.h"
#include "threadpool.h"

#include <string.h>

static void resolve_work(struct uv__work* w) {
  uv__getnameinfo_os_resolve(container_of(w, uv_getnameinfo_t, work_req));
}

static void resolve_done(struct uv__work* w, int status) {
  uv_getnameinfo_t* req = container_of(w, uv_getnameinfo_t, work_req);

  uv__req_unregister(req->loop);
  if (status == UV_ECANCELED)
    req->retcode = UV_EAI_CANCELED;

  if (req->getnameinfo_cb == NULL)
    return;
  if (req->retcode == 0)
    uv__call_getnameinfo(req, 0, req->host, req->service);
  else
    uv__call_getnameinfo(req, req->retcode, NULL, NULL);
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

  memcpy(&req->storage, addr, (size_t) uv__addr_os_len(addr));
  req->type = UV_GETNAMEINFO;
  req->loop = loop;
  req->getnameinfo_cb = cb;
  req->flags = flags;
  req->retcode = 0;

  if (cb == NULL) {
    uv__getnameinfo_os_resolve(req);
    return req->retcode;
  }

  uv__req_register(loop);
  int err = uv__work_submit(loop, &req->work_req, UV__CLASS_GETNAMEINFO,
                            resolve_work, resolve_done);
  if (err != 0)
    uv__req_unregister(loop);
  return err;
}
