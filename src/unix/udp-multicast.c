/* SPDX-License-Identifier: MIT */
/* Groups, and the options of UDP sockets. */
#include "unix/fd.h"
#include "unix/os.h"
#include "unix/sock.h"
#include "unix/udp-impl.h"

#include <netinet/in.h>
#include <string.h>

static int set_option(const uv_udp_t* handle,
                      int level,
                      int name,
                      const void* value,
                      socklen_t len) {
  return setsockopt(uv__udp_fd(handle), level, name, value, len) == 0
             ? 0
             : uv__errno();
}

/* A membership is for a socket that shares its port with other members. */
static int ensure_member_socket(uv_udp_t* handle, int family) {
  union uv__ip_addr any;

  if (uv__udp_os_is_open(handle))
    return 0;
  memset(&any, 0, sizeof(any));
  any.any.sa_family = (sa_family_t) family;
  struct uv__endpoint local = { &any.any, uv__addr_len(&any.any) };
  return uv__udp_os_bind(handle, local, UV_UDP_REUSEADDR);
}

static int any_source4(uv_udp_t* handle, const struct uv__membership* m) {
  struct ip_mreq mreq;

  memset(&mreq, 0, sizeof(mreq));
  mreq.imr_multiaddr = m->group.in.sin_addr;
  mreq.imr_interface = m->local.in.sin_addr;
  int name = m->join ? IP_ADD_MEMBERSHIP : IP_DROP_MEMBERSHIP;
  return set_option(handle, IPPROTO_IP, name, &mreq, sizeof(mreq));
}

static int any_source6(uv_udp_t* handle, const struct uv__membership* m) {
  struct ipv6_mreq mreq;

  memset(&mreq, 0, sizeof(mreq));
  mreq.ipv6mr_multiaddr = m->group.in6.sin6_addr;
  mreq.ipv6mr_interface = m->local.in6.sin6_scope_id;
  int name = m->join ? IPV6_JOIN_GROUP : IPV6_LEAVE_GROUP;
  return set_option(handle, IPPROTO_IPV6, name, &mreq, sizeof(mreq));
}

#if UV__HAVE_SOURCE_MEMBERSHIP
static int one_source4(uv_udp_t* handle, const struct uv__membership* m) {
  struct ip_mreq_source mreq;

  memset(&mreq, 0, sizeof(mreq));
  mreq.imr_multiaddr = m->group.in.sin_addr;
  mreq.imr_interface = m->local.in.sin_addr;
  mreq.imr_sourceaddr = m->source.in.sin_addr;
  int name = m->join ? IP_ADD_SOURCE_MEMBERSHIP : IP_DROP_SOURCE_MEMBERSHIP;
  return set_option(handle, IPPROTO_IP, name, &mreq, sizeof(mreq));
}

static int one_source6(uv_udp_t* handle, const struct uv__membership* m) {
  struct group_source_req mreq;

  memset(&mreq, 0, sizeof(mreq));
  mreq.gsr_interface = m->local.in6.sin6_scope_id;
  memcpy(&mreq.gsr_group, &m->group.in6, sizeof(m->group.in6));
  memcpy(&mreq.gsr_source, &m->source.in6, sizeof(m->source.in6));
  int name = m->join ? MCAST_JOIN_SOURCE_GROUP : MCAST_LEAVE_SOURCE_GROUP;
  return set_option(handle, IPPROTO_IPV6, name, &mreq, sizeof(mreq));
}

static int change_one_source(uv_udp_t* handle, const struct uv__membership* m) {
  int family = m->group.any.sa_family;
  int err = ensure_member_socket(handle, family);

  if (err != 0)
    return err;
  return family == AF_INET ? one_source4(handle, m) : one_source6(handle, m);
}
#else
static int change_one_source(uv_udp_t* handle, const struct uv__membership* m) {
  (void) handle;
  (void) m;
  return UV_ENOSYS;
}
#endif

int uv__udp_os_set_membership(uv_udp_t* handle,
                              const struct uv__membership* m) {
  int family = m->group.any.sa_family;

  if (m->has_source)
    return change_one_source(handle, m);
  int err = ensure_member_socket(handle, family);
  if (err != 0)
    return err;
  return family == AF_INET ? any_source4(handle, m) : any_source6(handle, m);
}

/* Where the options are, for IPv4 and IPv6. */
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
    return set_option(handle, level, name, &narrow, sizeof(narrow));
  return uv__sock_set(uv__udp_fd(handle), level, name, value);
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
