/* SPDX-License-Identifier: MIT */
/* Socket addresses. Context: any. */
#ifndef UV_OS_ADDR_H_
#define UV_OS_ADDR_H_

#include "util/base.h"

/* An address of either family. */
union uv__ip_addr {
  struct sockaddr any;
  struct sockaddr_in in;
  struct sockaddr_in6 in6;
  struct sockaddr_storage storage;
};

/* Checks the output arguments of the getsockname functions: 0 or UV_EINVAL. */
static inline int uv__addr_out_check(const struct sockaddr* name,
                                     const int* namelen) {
  return name == NULL || namelen == NULL || *namelen < 0 ? UV_EINVAL : 0;
}

/* The length that system calls expect for the family of `addr`; 0 if it is not
 * supported. Implemented by the platform. */
unsigned int uv__addr_os_len(const struct sockaddr* addr);

/* The same, without a call for the most common family. */
static inline unsigned int uv__addr_len(const struct sockaddr* addr) {
  if (addr->sa_family == AF_INET)
    return sizeof(struct sockaddr_in);
  return uv__addr_os_len(addr);
}

/* The value of a zone of decimal digits only (RFC 4007 section 11.2); 0 for
 * anything else and for numbers that do not fit. */
uint32_t uv__addr_scope_number(const char* zone);

/* The IPv6 scope of `zone` (the text after '%'), an interface name or a number;
 * 0 if there is none. Implemented by the platform. */
uint32_t uv__addr_os_scope(const char* zone);

#endif /* UV_OS_ADDR_H_ */
