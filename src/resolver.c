/* SPDX-License-Identifier: MIT */
/* Resolver API: the query is checked and copied, a worker calls the system's
 * resolver, and the callback gets the result. Without a callback the call is
 * synchronous.
 */
#include "os/resolver.h"
#include "idna.h"
#include "observe/callback.h"
#include "os/addr.h"
#include "pool/lanes.h"
#include "req.h"

#include <string.h>

/* A DNS name has at most 253 characters; NI_MAXHOST leaves room for others. */
#define HOST_MAX 256

static void addr_work(struct uv__work* w) {
  uv__getaddrinfo_os_resolve(container_of(w, uv_getaddrinfo_t, work_req));
}

static void addr_done(struct uv__work* w, int status) {
  uv_getaddrinfo_t* req = container_of(w, uv_getaddrinfo_t, work_req);

  uv__req_unregister(req->loop);
  uv__getaddrinfo_os_drop(req);
  if (status == UV_ECANCELED)
    req->retcode = UV_EAI_CANCELED;
  if (req->cb != NULL)
    uv__call_getaddrinfo(req, req->retcode, req->addrinfo);
}

const struct uv__work_kind uv__addr_kind = {
  addr_work,
  addr_done,
  UV__WORK_GETADDRINFO,
  offsetof(uv_getaddrinfo_t, work_req),
};

static int addr_pack(uv_getaddrinfo_t* req,
                     const char* node,
                     const char* service,
                     const struct addrinfo* hints) {
  char host[HOST_MAX];

  if (node == NULL)
    return uv__getaddrinfo_os_pack(req, NULL, service, hints);

  ssize_t len =
      uv__idna_toascii(node, node + strlen(node), host, host + sizeof(host));
  if (len < 0)
    return (int) len;
  return uv__getaddrinfo_os_pack(req, host, service, hints);
}

int uv_getaddrinfo(uv_loop_t* loop,
                   uv_getaddrinfo_t* req,
                   uv_getaddrinfo_cb cb,
                   const char* node,
                   const char* service,
                   const struct addrinfo* hints) {
  if (req == NULL || (node == NULL && service == NULL))
    return UV_EINVAL;
  if (loop == NULL && cb != NULL)
    return UV_EINVAL;

  req->type = UV_GETADDRINFO;
  req->loop = loop;
  req->cb = cb;
  req->addrinfo = NULL;
  req->retcode = 0;
  int err = addr_pack(req, node, service, hints);
  if (err != 0)
    return err;

  if (cb == NULL) {
    uv__getaddrinfo_os_resolve(req);
    uv__getaddrinfo_os_drop(req);
    return req->retcode;
  }

  uv__req_register(loop);
  err = uv__work_submit(loop, &req->work_req, &uv__addr_kind);
  if (err != 0) {
    uv__req_unregister(loop);
    uv__getaddrinfo_os_drop(req);
  }
  return err;
}

static void name_work(struct uv__work* w) {
  uv__getnameinfo_os_resolve(container_of(w, uv_getnameinfo_t, work_req));
}

static void name_done(struct uv__work* w, int status) {
  uv_getnameinfo_t* req = container_of(w, uv_getnameinfo_t, work_req);

  uv__req_unregister(req->loop);
  if (status == UV_ECANCELED)
    req->retcode = UV_EAI_CANCELED;

  if (req->retcode == 0)
    uv__call_getnameinfo(req, 0, req->host, req->service);
  else
    uv__call_getnameinfo(req, req->retcode, NULL, NULL);
}

const struct uv__work_kind uv__name_kind = {
  name_work,
  name_done,
  UV__WORK_GETNAMEINFO,
  offsetof(uv_getnameinfo_t, work_req),
};

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
  int err = uv__work_submit(loop, &req->work_req, &uv__name_kind);
  if (err != 0)
    uv__req_unregister(loop);
  return err;
}
