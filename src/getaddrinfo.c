/* SPDX-License-Identifier: MIT */
/* Names to addresses: the question is checked and copied, a worker asks the
 * system's resolver, the answer is the callback's. Without a callback the
 * caller waits for it.
 */
#include "os/resolver.h"
#include "callback.h"
#include "idna.h"
#include "req.h"
#include "threadpool.h"

#include <string.h>

/* A DNS name has at most 253 characters; NI_MAXHOST leaves room for others. */
#define HOST_MAX 256

static void resolve_work(struct uv__work* w) {
  uv__getaddrinfo_os_resolve(container_of(w, uv_getaddrinfo_t, work_req));
}

static void resolve_done(struct uv__work* w, int status) {
  uv_getaddrinfo_t* req = container_of(w, uv_getaddrinfo_t, work_req);

  uv__req_unregister(req->loop);
  uv__getaddrinfo_os_drop(req);
  if (status == UV_ECANCELED)
    req->retcode = UV_EAI_CANCELED;
  if (req->cb != NULL)
    uv__call_getaddrinfo(req, req->retcode, req->addrinfo);
}

static int pack(uv_getaddrinfo_t* req,
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
  int err = pack(req, node, service, hints);
  if (err != 0)
    return err;

  if (cb == NULL) {
    uv__getaddrinfo_os_resolve(req);
    uv__getaddrinfo_os_drop(req);
    return req->retcode;
  }

  uv__req_register(loop);
  err = uv__work_submit(loop, &req->work_req, UV__CLASS_GETADDRINFO,
                        resolve_work, resolve_done);
  if (err != 0) {
    uv__req_unregister(loop);
    uv__getaddrinfo_os_drop(req);
  }
  return err;
}
