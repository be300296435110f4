/* SPDX-License-Identifier: MIT */
/* What the system knows about addresses: lengths and interface names. */
#include "addr.h"

#include <net/if.h>
#include <sys/un.h>

unsigned int uv__addr_len(const struct sockaddr* addr) {
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

/* Decimal digits only, as RFC 4007 section 11.2 has them; 0 for anything else
 * and for what does not fit. */
static uint32_t scope_number(const char* zone) {
  uint64_t value = 0;

  for (; *zone >= '0' && *zone <= '9'; zone++) {
    value = value * 10 + (uint64_t) (*zone - '0');
    if (value > UINT32_MAX)
      return 0;
  }

  return *zone == '\0' ? (uint32_t) value : 0;
}

uint32_t uv__addr_scope(const char* zone) {
  /* The name first: an interface may be called "1". */
  uint32_t index = if_nametoindex(zone);
  return index != 0 ? index : scope_number(zone);
}
