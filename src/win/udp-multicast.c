/* SPDX-License-Identifier: MIT */
/* Multicast groups, and options of UDP sockets. */
#include "win/sock.h"
#include "win/udp.h"

#include <string.h>

int uv__udp_os_setsockopt(uv_udp_t* handle,
                          int level,
                          int name,
                          const void* value,
                          size_t size) {
  if (handle->socket == INVALID_SOCKET)
    return UV_EBADF;
  if (setsockopt(handle->socket, level, name, value, (int) size) != 0)
    return uv__wsa_error();
  return 0;
}

/* Members of a group share their port. Windows requires a bound socket. */
int uv__udp_os_ensure_member(uv_udp_t* handle, int family) {
  union uv__ip_addr any;

  if (handle->flags & UV__BOUND)
    return 0;
  if (uv__udp_os_is_open(handle))
    family = handle->flags & UV__IPV6 ? AF_INET6 : AF_INET;
  memset(&any, 0, sizeof(any));
  any.any.sa_family = (ADDRESS_FAMILY) family;
  struct uv__endpoint local = { &any.any, uv__addr_os_len(&any.any) };
  return uv__udp_os_bind(handle, local, UV_UDP_REUSEADDR);
}

/* Level and name of each option for IPv4 and IPv6; the value is a DWORD. */
static const struct {
  int level;
  int name;
} options[][2] = {
  [UV__UDP_OPT_BROADCAST] = { { SOL_SOCKET, SO_BROADCAST },
                              { SOL_SOCKET, SO_BROADCAST } },
  [UV__UDP_OPT_TTL] = { { IPPROTO_IP, IP_TTL },
                        { IPPROTO_IPV6, IPV6_UNICAST_HOPS } },
  [UV__UDP_OPT_MULTICAST_TTL] = { { IPPROTO_IP, IP_MULTICAST_TTL },
                                  { IPPROTO_IPV6, IPV6_MULTICAST_HOPS } },
  [UV__UDP_OPT_MULTICAST_LOOP] = { { IPPROTO_IP, IP_MULTICAST_LOOP },
                                   { IPPROTO_IPV6, IPV6_MULTICAST_LOOP } },
};
static_assert(ARRAY_SIZE(options) == UV__UDP_OPT_COUNT, "every option");

int uv__udp_os_set_option(uv_udp_t* handle,
                          enum uv__udp_option option,
                          int value) {
  int family = (handle->flags & UV__IPV6) != 0;

  return uv__sock_set(handle->socket, options[option][family].level,
                      options[option][family].name, value);
}
