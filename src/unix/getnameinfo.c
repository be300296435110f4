/* SPDX-License-Identifier: MIT */
/* Addresses to names, with the system's resolver. */
#include "os/addr.h"
#include "os/resolver.h"
#include "unix/eai.h"

#include <errno.h>
#include <netdb.h>

void uv__getnameinfo_os_resolve(uv_getnameinfo_t* req) {
  const struct sockaddr* addr = (const struct sockaddr*) &req->storage;
  errno = 0; /* for EAI_SYSTEM: nobody's leftover */
  int eai = getnameinfo(addr, (socklen_t) uv__addr_os_len(addr), req->host,
                        sizeof(req->host), req->service, sizeof(req->service),
                        req->flags);
  req->retcode = uv__eai_error(eai);
}
