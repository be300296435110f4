/* SPDX-License-Identifier: MIT */
/* Addresses to names, with the system's resolver on a worker thread. */
#include "addr.h"
#include "req.h"
#include "threadpool.h"
#include "win/eai.h"
#include "win/wide.h"
#include "win/winsock.h"

#include <string.h>

/* Hands `wide` out as UTF-8: 0 or UV_EAI_OVERFLOW. */
static int put(const WCHAR* wide, char* buffer, size_t size) {
  return uv__wide_put(wide, -1, buffer, &size) == 0 ? 0 : UV_EAI_OVERFLOW;
}

/* Context: worker, or the caller of the synchronous form. */
static void resolve(uv_getnameinfo_t* req) {
  const struct sockaddr* addr = (const struct sockaddr*) &req->storage;
  WCHAR host[NI_MAXHOST];
  WCHAR service[NI_MAXSERV];
  int sys_error = GetNameInfoW(addr, (socklen_t) uv__addr_len(addr), host,
                               ARRAY_SIZE(host), service, ARRAY_SIZE(service),
                               req->flags);

  req->retcode = uv__eai_error(sys_error);
  if (req->retcode == 0)
    req->retcode = put(host, req->host, sizeof(req->host));
  if (req->retcode == 0)
    req->retcode = put(service, req->service, sizeof(req->service));
}

static void resolve_work(struct uv__work* w) {
  resolve(container_of(w, uv_getnameinfo_t, work_req));
}

static void resolve_done(struct uv__work* w, int status) {
  uv_getnameinfo_t* req = container_of(w, uv_getnameinfo_t, work_req);

  uv__req_unregister(req->loop);
  if (status == UV_ECANCELED)
    req->retcode = UV_EAI_CANCELED;

  if (req->getnameinfo_cb == NULL)
    return;
  if (req->retcode == 0)
    req->getnameinfo_cb(req, 0, req->host, req->service);
  else
    req->getnameinfo_cb(req, req->retcode, NULL, NULL);
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
  int err = uv__winsock_startup();
  if (err != 0)
    return err;

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
  err = uv__work_submit(loop, &req->work_req, UV__WORK_SLOW_IO, resolve_work,
                        resolve_done);
  if (err != 0)
    uv__req_unregister(loop);
  return err;
}
