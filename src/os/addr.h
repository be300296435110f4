/* SPDX-License-Identifier: MIT */
/* Socket addresses. Context: any. */
#ifndef UV_OS_ADDR_H_
#define UV_OS_ADDR_H_

#include "base.h"

/* An address of either family. */
union uv__ip_addr {
  struct sockaddr any;
  struct sockaddr_in in;
  struct sockaddr_in6 in6;
  struct sockaddr_storage storage;
};

/* 0 or UV_EINVAL: whether an address can be handed out through these at all, as
 * the getsockname functions do. */
static inline int uv__addr_out_check(const struct sockaddr* name,
                                     const int* namelen) {
  return name == NULL || namelen == NULL || *namelen < 0 ? UV_EINVAL : 0;
}

/* The length a system call wants for `addr`, by its family; 0 for a family that
 * is not supported. Platform part. */
unsigned int uv__addr_os_len(const struct sockaddr* addr);

/* The same, without a call for the most common family. */
static inline unsigned int uv__addr_len(const struct sockaddr* addr) {
  if (addr->sa_family == AF_INET)
    return sizeof(struct sockaddr_in);
  return uv__addr_os_len(addr);
}

/* The number that `zone` is: decimal digits only, as RFC 4007 section 11.2 has
 * them; 0 for anything else and for what does not fit. */
uint32_t uv__addr_scope_number(const char* zone);

/* The IPv6 scope that `zone` (the text after '%') names: an interface or a
 * number; 0 if it names nothing. Platform part. */
uint32_t uv__addr_os_scope(const char* zone);

#endif /* UV_OS_ADDR_H_ */
