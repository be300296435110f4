/* SPDX-License-Identifier: MIT */
/* Resolving names and addresses with the system's resolver.
 *
 * A getaddrinfo request owns one block with copies of the hints, the service
 * and the host name in its DNS form, freed when the resolver returns. Systems
 * number and name the errors differently, hence a list of pairs instead of an
 * index.
 */
#include "unix/resolver.h"
#include "os/addr.h"
#include "os/resolver.h"
#include "util/alloc.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>

struct eai_pair {
  int native;
  int uv;
};

static const struct eai_pair eai_pairs[] = {
#ifdef EAI_ADDRFAMILY
  { EAI_ADDRFAMILY, UV_EAI_ADDRFAMILY },
#endif
  { EAI_AGAIN, UV_EAI_AGAIN },
  { EAI_BADFLAGS, UV_EAI_BADFLAGS },
#ifdef EAI_BADHINTS
  { EAI_BADHINTS, UV_EAI_BADHINTS },
#endif
#ifdef EAI_CANCELED
  { EAI_CANCELED, UV_EAI_CANCELED },
#endif
  { EAI_FAIL, UV_EAI_FAIL },
  { EAI_FAMILY, UV_EAI_FAMILY },
  { EAI_MEMORY, UV_EAI_MEMORY },
#ifdef EAI_NODATA
  { EAI_NODATA, UV_EAI_NODATA },
#endif
  { EAI_NONAME, UV_EAI_NONAME },
#ifdef EAI_OVERFLOW
  { EAI_OVERFLOW, UV_EAI_OVERFLOW },
#endif
#ifdef EAI_PROTOCOL
  { EAI_PROTOCOL, UV_EAI_PROTOCOL },
#endif
  { EAI_SERVICE, UV_EAI_SERVICE },
  { EAI_SOCKTYPE, UV_EAI_SOCKTYPE },
};

int uv__eai_error(int eai) {
  if (eai == 0)
    return 0;
  if (eai == EAI_SYSTEM && errno != 0) /* errno 0: unknown failure */
    return -errno;
  for (size_t i = 0; i < ARRAY_SIZE(eai_pairs); i++)
    if (eai_pairs[i].native == eai)
      return eai_pairs[i].uv;
  return UV_EAI_FAIL; /* newer than this table */
}

void uv__getaddrinfo_os_resolve(uv_getaddrinfo_t* req) {
  errno = 0; /* so that EAI_SYSTEM sees no stale value */
  int eai =
      getaddrinfo(req->hostname, req->service, req->hints, &req->addrinfo);
  req->retcode = uv__eai_error(eai);
}

void uv__getaddrinfo_os_drop(uv_getaddrinfo_t* req) {
  /* The block starts with the hints if there are any, then the service, then
   * the host name. */
  void* block = req->hints;
  if (block == NULL)
    block = req->service != NULL ? req->service : req->hostname;

  uv__free(block);
  req->hints = NULL;
  req->service = NULL;
  req->hostname = NULL;
}

static char* block_append(char** at, const void* from, size_t len) {
  char* to = *at;

  if (len == 0)
    return NULL;
  memcpy(to, from, len);
  *at += len;
  return to;
}

int uv__getaddrinfo_os_pack(uv_getaddrinfo_t* req,
                            const char* host,
                            const char* service,
                            const struct addrinfo* hints) {
  size_t host_len = host == NULL ? 0 : strlen(host) + 1;
  size_t hints_len = hints == NULL ? 0 : sizeof(*hints);
  size_t service_len = service == NULL ? 0 : strlen(service) + 1;
  char* at = uv__malloc(hints_len + service_len + host_len);

  if (at == NULL)
    return UV_ENOMEM;
  req->hints = (struct addrinfo*) block_append(&at, hints, hints_len);
  req->service = block_append(&at, service, service_len);
  req->hostname = block_append(&at, host, host_len);
  return 0;
}

void uv_freeaddrinfo(struct addrinfo* ai) {
  if (ai != NULL)
    freeaddrinfo(ai);
}

void uv__getnameinfo_os_resolve(uv_getnameinfo_t* req) {
  const struct sockaddr* addr = (const struct sockaddr*) &req->storage;
  errno = 0; /* so that EAI_SYSTEM sees no stale value */
  int eai = getnameinfo(addr, (socklen_t) uv__addr_os_len(addr), req->host,
                        sizeof(req->host), req->service, sizeof(req->service),
                        req->flags);
  req->retcode = uv__eai_error(eai);
}
