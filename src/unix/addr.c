/* SPDX-License-Identifier: MIT */
/* What the system knows about addresses: lengths and interface names. */
#include "os/addr.h"

#include <net/if.h>
#include <sys/un.h>

unsigned int uv__addr_os_len(const struct sockaddr* addr) {
  static const struct {
    int family;
    unsigned int len;
  } known[] = {
    { AF_INET, sizeof(struct sockaddr_in) },
    { AF_INET6, sizeof(struct sockaddr_in6) },
    { AF_UNIX, sizeof(struct sockaddr_un) },
  };

  for (size_t i = 0; i < ARRAY_SIZE(known); i++)
    if (known[i].family == addr->sa_family)
      return known[i].len;

  return 0;
}

uint32_t uv__addr_os_scope(const char* zone) {
  /* The name first: an interface may be called "1". */
  uint32_t index = if_nametoindex(zone);
  return index != 0 ? index : uv__addr_scope_number(zone);
}
