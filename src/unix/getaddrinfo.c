/* SPDX-License-Identifier: MIT */
/* Names to addresses, with the system's resolver.
 *
 * The request owns one block that holds copies of hints, service and the host
 * name in its DNS form; it is given back when the resolver is through.
 */
#include "alloc.h"
#include "os/resolver.h"
#include "unix/eai.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>

void uv__getaddrinfo_os_resolve(uv_getaddrinfo_t* req) {
  errno = 0; /* for EAI_SYSTEM: nobody's leftover */
  int eai = getaddrinfo(req->hostname, req->service, req->hints,
                        &req->addrinfo);
  req->retcode = uv__eai_error(eai);
}

void uv__getaddrinfo_os_drop(uv_getaddrinfo_t* req) {
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

static char* append(char** at, const void* from, size_t len) {
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
  req->hints = (struct addrinfo*) append(&at, hints, hints_len);
  req->service = append(&at, service, service_len);
  req->hostname = append(&at, host, host_len);
  return 0;
}

void uv_freeaddrinfo(struct addrinfo* ai) {
  if (ai != NULL)
    freeaddrinfo(ai);
}
