/* SPDX-License-Identifier: MIT */
/* Names and addresses: what resolver.c asks of the system's resolver. */
#ifndef UV_OS_RESOLVER_H_
#define UV_OS_RESOLVER_H_

#include "base.h"

/* Copies the question into the request: the host's name in its DNS form (or
 * NULL), the service (or NULL), the hints (or NULL). 0 or UV_E*, then there is
 * nothing to drop. */
int uv__getaddrinfo_os_pack(uv_getaddrinfo_t* req,
                            const char* host,
                            const char* service,
                            const struct addrinfo* hints);

/* Asks, and stores the answer in req->addrinfo and req->retcode.
 * Context: worker, or the caller of the synchronous form. */
void uv__getaddrinfo_os_resolve(uv_getaddrinfo_t* req);

/* Frees the copy of the query. */
void uv__getaddrinfo_os_drop(uv_getaddrinfo_t* req);

/* The name of req->storage, with req->flags, to req->host, req->service and
 * req->retcode. Context: as above. */
void uv__getnameinfo_os_resolve(uv_getnameinfo_t* req);

#endif /* UV_OS_RESOLVER_H_ */
