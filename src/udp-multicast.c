/* SPDX-License-Identifier: MIT */
/* Groups, and the options of UDP handles: addresses are read here, the platform
 * is given structures.
 */
#include "udp.h"

#include <string.h>

/* NULL stands for "any", of the given family. */
static int read_as(int family, const char* text, union uv__ip_addr* out) {
  memset(out, 0, sizeof(*out));
  if (family == AF_INET)
    out->in.sin_family = AF_INET;
  else
    out->in6.sin6_family = AF_INET6;
  if (text == NULL)
    return 0;
  return family == AF_INET ? uv_ip4_addr(text, 0, &out->in)
                           : uv_ip6_addr(text, 0, &out->in6);
}

/* The text decides about the family. */
static int read_either(const char* text, union uv__ip_addr* out) {
  if (text == NULL)
    return UV_EINVAL;
  if (read_as(AF_INET, text, out) == 0)
    return 0;
  return read_as(AF_INET6, text, out) == 0 ? 0 : UV_EINVAL;
}

/* `source_addr` NULL: any sender. */
static int change_membership(uv_udp_t* handle,
                             const char* group_addr,
                             const char* interface_addr,
                             const char* source_addr,
                             uv_membership membership) {
  struct uv__membership m;

  if (handle->type != UV_UDP || uv__is_closing(uv__base(handle)))
    return UV_EINVAL;
  if (membership != UV_JOIN_GROUP && membership != UV_LEAVE_GROUP)
    return UV_EINVAL;

  int err = read_either(group_addr, &m.group);
  if (err == 0)
    err = read_as(m.group.any.sa_family, source_addr, &m.source);
  if (err == 0)
    err = read_as(m.group.any.sa_family, interface_addr, &m.local);
  if (err != 0)
    return err;

  m.has_source = source_addr != NULL;
  m.join = membership == UV_JOIN_GROUP;
  return uv__udp_os_set_membership(handle, &m);
}

int uv_udp_set_membership(uv_udp_t* handle,
                          const char* multicast_addr,
                          const char* interface_addr,
                          uv_membership membership) {
  return change_membership(handle, multicast_addr, interface_addr, NULL,
                           membership);
}

int uv_udp_set_source_membership(uv_udp_t* handle,
                                 const char* multicast_addr,
                                 const char* interface_addr,
                                 const char* source_addr,
                                 uv_membership membership) {
  if (source_addr == NULL)
    return UV_EINVAL;
  return change_membership(handle, multicast_addr, interface_addr, source_addr,
                           membership);
}

int uv_udp_set_multicast_interface(uv_udp_t* handle,
                                   const char* interface_addr) {
  union uv__ip_addr local;
  int own_family = handle->flags & UV__IPV6 ? AF_INET6 : AF_INET;

  int err = interface_addr == NULL ? read_as(own_family, NULL, &local)
                                   : read_either(interface_addr, &local);
  return err != 0 ? err : uv__udp_os_set_multicast_interface(handle, &local);
}

int uv_udp_set_multicast_loop(uv_udp_t* handle, int on) {
  return uv__udp_os_set_option(handle, UV__UDP_OPT_MULTICAST_LOOP, on != 0);
}

int uv_udp_set_multicast_ttl(uv_udp_t* handle, int ttl) {
  if (ttl < 0 || ttl > 255)
    return UV_EINVAL;
  return uv__udp_os_set_option(handle, UV__UDP_OPT_MULTICAST_TTL, ttl);
}

int uv_udp_set_ttl(uv_udp_t* handle, int ttl) {
  if (ttl < 1 || ttl > 255)
    return UV_EINVAL;
  return uv__udp_os_set_option(handle, UV__UDP_OPT_TTL, ttl);
}

int uv_udp_set_broadcast(uv_udp_t* handle, int on) {
  return uv__udp_os_set_option(handle, UV__UDP_OPT_BROADCAST, on != 0);
}
