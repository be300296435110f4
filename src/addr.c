/* SPDX-License-Identifier: MIT */
/* Socket addresses from and to text. Context: any.
 *
 * uv_ip4_addr() and uv_ip6_addr() leave a complete structure behind even when
 * they fail (family, port, the "any" address), as programs that ignore the
 * result have always found it.
 */
#include "os/addr.h"

#include <string.h>

/* Systems whose addresses carry their own length say so with this macro
 * (RFC 3493 section 3.4). */
#ifdef SIN6_LEN
static void set_len4(struct sockaddr_in* addr) {
  addr->sin_len = sizeof(*addr);
}

static void set_len6(struct sockaddr_in6* addr) {
  addr->sin6_len = sizeof(*addr);
}
#else
static void set_len4(struct sockaddr_in* addr) {
  (void) addr; /* no such field */
}

static void set_len6(struct sockaddr_in6* addr) {
  (void) addr; /* no such field */
}
#endif

uint32_t uv__addr_scope_number(const char* zone) {
  uint64_t value = 0;

  for (; *zone >= '0' && *zone <= '9'; zone++) {
    value = value * 10 + (uint64_t) (*zone - '0');
    if (value > UINT32_MAX)
      return 0;
  }

  return *zone == '\0' ? (uint32_t) value : 0;
}

int uv_ip4_addr(const char* ip, int port, struct sockaddr_in* addr) {
  if (addr == NULL)
    return UV_EINVAL;

  memset(addr, 0, sizeof(*addr));
  addr->sin_family = AF_INET;
  addr->sin_port = htons((uint16_t) port);
  set_len4(addr);
  return uv_inet_pton(AF_INET, ip, &addr->sin_addr);
}

int uv_ip6_addr(const char* ip, int port, struct sockaddr_in6* addr) {
  if (addr == NULL)
    return UV_EINVAL;

  memset(addr, 0, sizeof(*addr));
  addr->sin6_family = AF_INET6;
  addr->sin6_port = htons((uint16_t) port);
  set_len6(addr);

  int err = uv_inet_pton(AF_INET6, ip, &addr->sin6_addr);
  if (err != 0)
    return err;

  const char* zone = strchr(ip, '%');
  if (zone != NULL)
    addr->sin6_scope_id = uv__addr_os_scope(zone + 1);
  return 0;
}

int uv_ip4_name(const struct sockaddr_in* src, char* dst, size_t size) {
  if (src == NULL)
    return UV_EINVAL;
  return uv_inet_ntop(AF_INET, &src->sin_addr, dst, size);
}

int uv_ip6_name(const struct sockaddr_in6* src, char* dst, size_t size) {
  if (src == NULL)
    return UV_EINVAL;
  return uv_inet_ntop(AF_INET6, &src->sin6_addr, dst, size);
}

int uv_ip_name(const struct sockaddr* src, char* dst, size_t size) {
  if (src == NULL)
    return UV_EINVAL;
  if (src->sa_family == AF_INET)
    return uv_ip4_name((const struct sockaddr_in*) src, dst, size);
  if (src->sa_family == AF_INET6)
    return uv_ip6_name((const struct sockaddr_in6*) src, dst, size);
  return UV_EAFNOSUPPORT;
}
