/* SPDX-License-Identifier: MIT */
/* Addresses to names, with the system's resolver. */
#include "os/addr.h"
#include "os/resolver.h"
#include "win/eai.h"
#include "win/wide.h"
#include "win/winsock.h"

/* Hands `wide` out as UTF-8: 0 or UV_EAI_OVERFLOW. */
static int put(const WCHAR* wide, char* buffer, size_t size) {
  return uv__wide_put(wide, -1, buffer, &size) == 0 ? 0 : UV_EAI_OVERFLOW;
}

void uv__getnameinfo_os_resolve(uv_getnameinfo_t* req) {
  const struct sockaddr* addr = (const struct sockaddr*) &req->storage;
  WCHAR host[NI_MAXHOST];
  WCHAR service[NI_MAXSERV];

  req->retcode = uv__winsock_startup();
  if (req->retcode == 0)
    req->retcode = uv__eai_error(
        GetNameInfoW(addr, (socklen_t) uv__addr_os_len(addr), host,
                     ARRAY_SIZE(host), service, ARRAY_SIZE(service),
                     req->flags));
  if (req->retcode == 0)
    req->retcode = put(host, req->host, sizeof(req->host));
  if (req->retcode == 0)
    req->retcode = put(service, req->service, sizeof(req->service));
}
