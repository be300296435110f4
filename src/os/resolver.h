/* SPDX-License-Identifier: MIT */
/* Names and addresses: what the platform supplies to resolver.c. */
#ifndef UV_OS_RESOLVER_H_
#define UV_OS_RESOLVER_H_

#include "util/base.h"

/* Copies the query into the request: host name in ASCII form, service and
 * hints, each of which may be NULL. 0, or UV_E* with nothing to drop. */
int uv__getaddrinfo_os_pack(uv_getaddrinfo_t* req,
                            const char* host,
                            const char* service,
                            const struct addrinfo* hints);

/* Calls the resolver and stores the result in req->addrinfo and req->retcode.
 * Context: worker, or the caller of the synchronous form. */
void uv__getaddrinfo_os_resolve(uv_getaddrinfo_t* req);

/* Frees the copy of the query. */
void uv__getaddrinfo_os_drop(uv_getaddrinfo_t* req);

/* Resolves the address in req->storage and stores the result in req->host,
 * req->service and req->retcode. Context: as above. */
void uv__getnameinfo_os_resolve(uv_getnameinfo_t* req);

#endif /* UV_OS_RESOLVER_H_ */
