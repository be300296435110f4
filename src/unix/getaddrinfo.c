/* SPDX-License-Identifier: MIT */
/* Names to addresses, with the system's resolver on a worker thread.
 *
 * The request owns one block that holds copies of hints, service and the host
 * name in its DNS form; it is given back when the resolver is through.
 */
#include "alloc.h"
#include "idna.h"
#include "req.h"
#include "threadpool.h"
#include "unix/eai.h"

#include <netdb.h>
#include <string.h>

/* A DNS name has at most 253 characters; NI_MAXHOST leaves room for others. */
#define HOST_MAX 256

/* Context: worker, or the caller of the synchronous form. */
static void resolve(uv_getaddrinfo_t* req) {
  int eai = getaddrinfo(req->hostname, req->service, req->hints,
                        &req->addrinfo);
  req->retcode = uv__eai_error(eai);
}

static void free_block(uv_getaddrinfo_t* req) {
  /* hints, when there are any, are at the front of the block, then service,
   * then hostname. */
  void* block = req->hints;
  if (block == NULL)
    block = req->service != NULL ? req->service : req->hostname;

  uv__free(block);
  req->hints = NULL;
  req->service = NULL;
  req->hostname = NULL;
}

static void resolve_work(struct uv__work* w) {
  resolve(container_of(w, uv_getaddrinfo_t, work_req));
}

static void resolve_done(struct uv__work* w, int status) {
  uv_getaddrinfo_t* req = container_of(w, uv_getaddrinfo_t, work_req);

  uv__req_unregister(req->loop);
  free_block(req);
  if (status == UV_ECANCELED)
    req->retcode = UV_EAI_CANCELED;
  if (req->cb != NULL)
    req->cb(req, req->retcode, req->addrinfo);
}

static char* append(char** at, const void* from, size_t len) {
  char* to = *at;

  if (len == 0)
    return NULL;
  memcpy(to, from, len);
  *at += len;
  return to;
}

static int fill_block(uv_getaddrinfo_t* req,
                      const struct addrinfo* hints,
                      const char* service,
                      const char* host,
                      size_t host_len) {
  size_t hints_len = hints == NULL ? 0 : sizeof(*hints);
  size_t service_len = service == NULL ? 0 : strlen(service) + 1;
  char* at = uv__malloc(hints_len + service_len + host_len);

  if (at == NULL)
    return UV_ENOMEM;
  req->hints = (struct addrinfo*) append(&at, hints, hints_len);
  req->service = append(&at, service, service_len);
  req->hostname = append(&at, host, host_len);
  return 0;
}

static int set_up(uv_getaddrinfo_t* req,
                  const char* node,
                  const char* service,
                  const struct addrinfo* hints) {
  char host[HOST_MAX];
  ssize_t host_len = 0;

  if (node != NULL) {
    host_len = uv__idna_toascii(node, node + strlen(node), host,
                                host + sizeof(host));
    if (host_len < 0)
      return (int) host_len;
  }
  return fill_block(req, hints, service, host, (size_t) host_len);
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
  int err = set_up(req, node, service, hints);
  if (err != 0)
    return err;

  if (cb == NULL) {
    resolve(req);
    free_block(req);
    return req->retcode;
  }

  uv__req_register(loop);
  err = uv__work_submit(loop, &req->work_req, UV__WORK_SLOW_IO, resolve_work,
                        resolve_done);
  if (err != 0) {
    uv__req_unregister(loop);
    free_block(req);
  }
  return err;
}

void uv_freeaddrinfo(struct addrinfo* ai) {
  if (ai != NULL)
    freeaddrinfo(ai);
}
