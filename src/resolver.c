/* SPDX-License-Identifier: MIT */
/* Resolver API: the query is checked, a lookup asks the system's resolver on a
 * worker (pool/lookup.c), and the callback gets the result. Numeric hosts need
 * no worker. Without a callback the call is synchronous.
 */
#include "idna.h"
#include "observe/callback.h"
#include "observe/hooks.h"
#include "os/addr.h"
#include "os/resolver.h"
#include "pool/lookup.h"
#include "req.h"

#include <string.h>

/* A DNS name has at most 253 characters; NI_MAXHOST leaves room for others. */
#define HOST_MAX 256

/* Some systems map no addresses. */
#if !defined(AI_V4MAPPED)
# define AI_V4MAPPED 0
# define AI_ALL 0
#endif

/* The hints' flags with which a numeric host is certain to get the same result
 * without the network. AI_ADDRCONFIG asks the system for its interfaces, which
 * takes as long as a worker. */
#define NUMERIC_FLAGS                                                          \
 (AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV | AI_V4MAPPED | AI_ALL)

/* ---- getaddrinfo ---- */

static void addr_done(struct uv__work* w, int status) {
  uv_getaddrinfo_t* req = container_of(w, uv_getaddrinfo_t, work_req);

  uv__req_unregister(req->loop);
  if (status == UV_ECANCELED) {
    uv_freeaddrinfo(req->addrinfo); /* that of a numeric host */
    req->addrinfo = NULL;
    req->retcode = UV_EAI_CANCELED;
  }
  uv__call_getaddrinfo(req, req->retcode, req->addrinfo);
}

const struct uv__work_kind uv__addr_kind = {
  NULL, /* workers run lookups */
  addr_done,
  UV__WORK_GETADDRINFO,
  offsetof(uv_getaddrinfo_t, work_req),
};

static int is_number(const char* text) {
  return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* A zone ("%eth0") may have to be looked up. */
static int is_address(const char* host) {
  unsigned char address[16];

  return strchr(host, '%') == NULL &&
         (uv_inet_pton(AF_INET, host, address) == 0 ||
          uv_inet_pton(AF_INET6, host, address) == 0);
}

static int is_numeric(const struct uv__addr_query* query) {
  int flags_known = query->hints == NULL
                        ? uv__addrinfo_os_default_flags() != -1
                        : (query->hints->ai_flags & ~NUMERIC_FLAGS) == 0;

  return flags_known && (query->service == NULL || is_number(query->service)) &&
         query->host != NULL && is_address(query->host);
}

/* Resolves a numeric host. An error is not the answer: a worker gets the right
 * one, with the program's own hints. */
static int addr_resolve_numeric(const struct uv__addr_query* query,
                                struct addrinfo** list) {
  struct uv__addr_query numeric = *query;
  struct addrinfo hints;
  int flags = uv__addrinfo_os_default_flags();

  memset(&hints, 0, sizeof(hints));
  if (query->hints != NULL) {
    hints = *query->hints;
    flags = hints.ai_flags;
  }
  hints.ai_flags |= AI_NUMERICHOST;
  numeric.hints = &hints;
  int err = uv__addrinfo_os_resolve(&numeric, list);
  if (err != 0)
    return err;
  /* Some systems show the hints' flags in the list. */
  for (struct addrinfo* at = *list; at != NULL; at = at->ai_next)
    if (at->ai_flags == hints.ai_flags)
      at->ai_flags = flags;
  return 0;
}

static int addr_start(uv_getaddrinfo_t* req,
                      const struct uv__addr_query* query) {
  if (is_numeric(query) && addr_resolve_numeric(query, &req->addrinfo) == 0) {
    uv__lookup_answered(req->loop, &req->work_req, &uv__addr_kind);
    return 0;
  }
  return uv__lookup_addr(req, query);
}

/* Stores the host name in the form the DNS takes. */
static int query_init(struct uv__addr_query* query,
                      char host[HOST_MAX],
                      const char* node,
                      const char* service,
                      const struct addrinfo* hints) {
  query->host = NULL;
  query->service = service;
  query->hints = hints;
  if (node != NULL) {
    ssize_t len =
        uv__idna_toascii(node, node + strlen(node), host, host + HOST_MAX);
    if (len < 0)
      return (int) len;
    query->host = host;
  }
  return uv__addrinfo_os_check(query);
}

int uv_getaddrinfo(uv_loop_t* loop,
                   uv_getaddrinfo_t* req,
                   uv_getaddrinfo_cb cb,
                   const char* node,
                   const char* service,
                   const struct addrinfo* hints) {
  struct uv__addr_query query;
  char host[HOST_MAX];

  if (req == NULL || (node == NULL && service == NULL))
    return UV_EINVAL;
  if (loop == NULL && cb != NULL)
    return UV_EINVAL;

  req->type = UV_GETADDRINFO;
  req->loop = loop;
  req->cb = cb;
  req->addrinfo = NULL;
  req->retcode = 0;
  int err = query_init(&query, host, node, service, hints);
  if (err != 0)
    return err;

  if (cb == NULL) {
    req->retcode = uv__addrinfo_os_resolve(&query, &req->addrinfo);
    return req->retcode;
  }

  if (node != NULL)
    uv__hook_text(req, UV__ABOUT_HOST, node);
  uv__req_register(loop);
  err = addr_start(req, &query);
  if (err != 0)
    uv__req_unregister(loop);
  return err;
}

/* ---- getnameinfo ---- */

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
  NULL,
  name_done,
  UV__WORK_GETNAMEINFO,
  offsetof(uv_getnameinfo_t, work_req),
};

/* On the calling thread. */
static int name_resolve(uv_getnameinfo_t* req) {
  return uv__nameinfo_os_resolve((const struct sockaddr*) &req->storage,
                                 req->flags, req->host, req->service);
}

static int name_start(uv_getnameinfo_t* req) {
  const int numeric = NI_NUMERICHOST | NI_NUMERICSERV;

  if ((req->flags & numeric) == numeric && name_resolve(req) == 0) {
    uv__lookup_answered(req->loop, &req->work_req, &uv__name_kind);
    return 0;
  }
  return uv__lookup_name(req);
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
    req->retcode = name_resolve(req);
    return req->retcode;
  }

  uv__req_register(loop);
  int err = name_start(req);
  if (err != 0)
    uv__req_unregister(loop);
  return err;
}
