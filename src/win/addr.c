/* SPDX-License-Identifier: MIT */
/* What the system knows about addresses: lengths and interface names. */
#include "os/addr.h"

#include <iphlpapi.h>

unsigned int uv__addr_os_len(const struct sockaddr* addr) {
  if (addr->sa_family == AF_INET)
    return sizeof(struct sockaddr_in);
  if (addr->sa_family == AF_INET6)
    return sizeof(struct sockaddr_in6);
  return 0;
}

/* Zones are numbers here, mostly. */
uint32_t uv__addr_os_scope(const char* zone) {
  uint32_t number = uv__addr_scope_number(zone);
  return number != 0 ? number : if_nametoindex(zone);
}
