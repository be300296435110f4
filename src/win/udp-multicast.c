/* SPDX-License-Identifier: MIT */
/* Groups, and the options of UDP sockets. */
#include "win/sock.h"
#include "win/udp-impl.h"

#include <string.h>

static int set_option(const uv_udp_t* handle,
                      int level,
                      int name,
                      const void* value,
                      size_t len) {
  if (handle->socket == INVALID_SOCKET)
    return UV_EBADF;
  if (setsockopt(handle->socket, level, name, value, (int) len) != 0)
    return uv__wsa_error();
  return 0;
}

/* Members of a group share their port. Windows wants the socket bound. */
static int ensure_member_socket(uv_udp_t* handle, int family) {
  union uv__ip_addr any;

  if (handle->flags & UV__BOUND)
    return 0;
  if (uv__udp_os_is_open(handle))
    family = handle->flags & UV__IPV6 ? AF_INET6 : AF_INET;
  memset(&any, 0, sizeof(any));
  any.any.sa_family = (ADDRESS_FAMILY) family;
  struct uv__endpoint local = { &any.any, uv__addr_len(&any.any) };
  return uv__udp_os_bind(handle, local, UV_UDP_REUSEADDR);
}

static int change4(uv_udp_t* handle, const struct uv__membership* m) {
  struct ip_mreq mreq;

  mreq.imr_multiaddr = m->group.in.sin_addr;
  mreq.imr_interface = m->local.in.sin_addr;
  return set_option(handle, IPPROTO_IP,
                    m->join ? IP_ADD_MEMBERSHIP : IP_DROP_MEMBERSHIP, &mreq,
                    sizeof(mreq));
}

static int change6(uv_udp_t* handle, const struct uv__membership* m) {
  struct ipv6_mreq mreq;

  mreq.ipv6mr_multiaddr = m->group.in6.sin6_addr;
  mreq.ipv6mr_interface = m->local.in6.sin6_scope_id;
  return set_option(handle, IPPROTO_IPV6,
                    m->join ? IPV6_ADD_MEMBERSHIP : IPV6_DROP_MEMBERSHIP, &mreq,
                    sizeof(mreq));
}

static int change_source4(uv_udp_t* handle, const struct uv__membership* m) {
  struct ip_mreq_source mreq;

  mreq.imr_multiaddr = m->group.in.sin_addr;
  mreq.imr_interface = m->local.in.sin_addr;
  mreq.imr_sourceaddr = m->source.in.sin_addr;
  return set_option(
      handle, IPPROTO_IP,
      m->join ? IP_ADD_SOURCE_MEMBERSHIP : IP_DROP_SOURCE_MEMBERSHIP, &mreq,
      sizeof(mreq));
}

static int change_source6(uv_udp_t* handle, const struct uv__membership* m) {
  struct group_source_req mreq;

  memset(&mreq, 0, sizeof(mreq));
  mreq.gsr_interface = m->local.in6.sin6_scope_id;
  memcpy(&mreq.gsr_group, &m->group.in6, sizeof(m->group.in6));
  memcpy(&mreq.gsr_source, &m->source.in6, sizeof(m->source.in6));
  return set_option(
      handle, IPPROTO_IPV6,
      m->join ? MCAST_JOIN_SOURCE_GROUP : MCAST_LEAVE_SOURCE_GROUP, &mreq,
      sizeof(mreq));
}

int uv__udp_os_set_membership(uv_udp_t* handle,
                              const struct uv__membership* m) {
  int is_ip4 = m->group.any.sa_family == AF_INET;

  int err = ensure_member_socket(handle, m->group.any.sa_family);
  if (err != 0)
    return err;
  if (m->has_source)
    return is_ip4 ? change_source4(handle, m) : change_source6(handle, m);
  return is_ip4 ? change4(handle, m) : change6(handle, m);
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

int uv__udp_os_set_multicast_interface(uv_udp_t* handle,
                                       const union uv__ip_addr* local) {
  if (local->any.sa_family == AF_INET)
    return set_option(handle, IPPROTO_IP, IP_MULTICAST_IF, &local->in.sin_addr,
                      sizeof(local->in.sin_addr));
  return set_option(handle, IPPROTO_IPV6, IPV6_MULTICAST_IF,
                    &local->in6.sin6_scope_id,
                    sizeof(local->in6.sin6_scope_id));
}
