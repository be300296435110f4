/* SPDX-License-Identifier: MIT */
/* Multicast groups and UDP socket options. */
#include "unix/fd.h"
#include "unix/os.h"
#include "unix/sock.h"
#include "unix/udp.h"

#include <netinet/in.h>

int uv__udp_os_setsockopt(uv_udp_t* handle,
                          int level,
                          int name,
                          const void* value,
                          size_t size) {
  if (setsockopt(uv__udp_fd(handle), level, name, value, (socklen_t) size) != 0)
    return uv__errno();
  return 0;
}

/* Joining a group needs a socket that shares its port with other members. */
int uv__udp_os_ensure_member(uv_udp_t* handle, int family) {
  if (uv__udp_os_is_open(handle))
    return 0;
  return uv__udp_make_bound(handle, family, UV_UDP_REUSEADDR);
}

/* Level and name of each option, for IPv4 and IPv6. */
static const struct {
  int level;
  int name;
  int narrow; /* one byte on some systems; the others are ints everywhere */
} options[][2] = {
  [UV__UDP_OPT_BROADCAST] = { { SOL_SOCKET, SO_BROADCAST, 0 },
                              { SOL_SOCKET, SO_BROADCAST, 0 } },
  [UV__UDP_OPT_TTL] = { { IPPROTO_IP, IP_TTL, 0 },
                        { IPPROTO_IPV6, IPV6_UNICAST_HOPS, 0 } },
  [UV__UDP_OPT_MULTICAST_TTL] = { { IPPROTO_IP, IP_MULTICAST_TTL, 1 },
                                  { IPPROTO_IPV6, IPV6_MULTICAST_HOPS, 0 } },
  [UV__UDP_OPT_MULTICAST_LOOP] = { { IPPROTO_IP, IP_MULTICAST_LOOP, 1 },
                                   { IPPROTO_IPV6, IPV6_MULTICAST_LOOP, 0 } },
};
static_assert(ARRAY_SIZE(options) == UV__UDP_OPT_COUNT, "every option");

int uv__udp_os_set_option(uv_udp_t* handle,
                          enum uv__udp_option option,
                          int value) {
  int family = (handle->flags & UV__IPV6) != 0;
  int level = options[option][family].level;
  int name = options[option][family].name;
  uv__multicast_opt_t narrow = (uv__multicast_opt_t) value;

  if (options[option][family].narrow)
    return uv__udp_os_setsockopt(handle, level, name, &narrow, sizeof(narrow));
  return uv__sock_set(uv__udp_fd(handle), level, name, value);
}
