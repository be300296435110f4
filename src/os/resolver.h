/* SPDX-License-Identifier: MIT */
/* Names and addresses: what the platform supplies to resolver.c and
 * pool/lookup.c. Context: any, unless it says otherwise. */
#ifndef UV_OS_RESOLVER_H_
#define UV_OS_RESOLVER_H_

#include "util/base.h"

/* What getaddrinfo() is asked. Owns nothing. */
struct uv__addr_query {
  const char* host;             /* in the form the DNS takes, or NULL */
  const char* service;          /* or NULL */
  const struct addrinfo* hints; /* or NULL */
};

/* Can the query be put to the system? 0, UV_EINVAL for a service that has no
 * form there, or why the resolver cannot be used. */
int uv__addrinfo_os_check(const struct uv__addr_query* query);

/* Calls the resolver: 0 and a list for uv_freeaddrinfo(), or UV_EAI_* or UV_E*
 * with *list untouched. */
int uv__addrinfo_os_resolve(const struct uv__addr_query* query,
                            struct addrinfo** list);

/* The ai_flags that the resolver puts into a list if there are no hints; -1:
 * not known. */
int uv__addrinfo_os_default_flags(void);

/* May uv_freeaddrinfo(), and the system's freeaddrinfo() where programs call
 * that, free what the next function returns? */
int uv__addrinfo_os_can_copy(void);

/* A list of its own with the same contents; NULL if there is no memory, or for
 * an empty one. Only if it can be freed, see above. */
struct addrinfo* uv__addrinfo_os_copy(const struct addrinfo* list);

/* Finds the names of an address of either family: 0, or UV_EAI_* or UV_E* with
 * undefined contents of the buffers, which have NI_MAXHOST and NI_MAXSERV
 * bytes. */
int uv__nameinfo_os_resolve(const struct sockaddr* addr,
                            int flags,
                            char* host,
                            char* service);

#endif /* UV_OS_RESOLVER_H_ */
