/* SPDX-License-Identifier: MIT */
/* Multicast groups and options of UDP handles. Memberships use the same
 * structures on every system (RFC 3493, RFC 3678).
 */
#include "os/udp.h"

#include <string.h>

/* A group to join or to leave. All addresses are of one family. */
struct membership {
  union uv__ip_addr group;
  union uv__ip_addr local;  /* the interface: by address or, IPv6, by scope */
  union uv__ip_addr source; /* the only sender to hear */
  int join;                 /* 0: leave */
};

/* `text` NULL: the wildcard address of the family. */
static int parse_as(int family, const char* text, union uv__ip_addr* out) {
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

/* The text determines the family. */
static int parse_either(const char* text, union uv__ip_addr* out) {
  if (text == NULL)
    return UV_EINVAL;
  if (parse_as(AF_INET, text, out) == 0)
    return 0;
  return parse_as(AF_INET6, text, out) == 0 ? 0 : UV_EINVAL;
}

/* Checks the arguments, then makes sure there is a socket. `source_addr` NULL:
 * any sender. */
static int membership_prepare(uv_udp_t* handle,
                              const char* group_addr,
                              const char* interface_addr,
                              const char* source_addr,
                              uv_membership membership,
                              struct membership* out) {
  if (handle->type != UV_UDP || uv__is_closing(uv__base(handle)))
    return UV_EINVAL;
  if (membership != UV_JOIN_GROUP && membership != UV_LEAVE_GROUP)
    return UV_EINVAL;

  out->join = membership == UV_JOIN_GROUP;
  int err = parse_either(group_addr, &out->group);
  if (err != 0)
    return err;
  int family = out->group.any.sa_family;
  err = parse_as(family, source_addr, &out->source);
  if (err == 0)
    err = parse_as(family, interface_addr, &out->local);
  return err != 0 ? err : uv__udp_os_ensure_member(handle, family);
}

static int membership_change4(uv_udp_t* handle, const struct membership* m) {
  struct ip_mreq mreq;

  memset(&mreq, 0, sizeof(mreq));
  mreq.imr_multiaddr = m->group.in.sin_addr;
  mreq.imr_interface = m->local.in.sin_addr;
  int name = m->join ? IP_ADD_MEMBERSHIP : IP_DROP_MEMBERSHIP;
  return uv__udp_os_setsockopt(handle, IPPROTO_IP, name, &mreq, sizeof(mreq));
}

static int membership_change6(uv_udp_t* handle, const struct membership* m) {
  struct ipv6_mreq mreq;

  memset(&mreq, 0, sizeof(mreq));
  mreq.ipv6mr_multiaddr = m->group.in6.sin6_addr;
  mreq.ipv6mr_interface = m->local.in6.sin6_scope_id;
  int name = m->join ? IPV6_JOIN_GROUP : IPV6_LEAVE_GROUP;
  return uv__udp_os_setsockopt(handle, IPPROTO_IPV6, name, &mreq, sizeof(mreq));
}

int uv_udp_set_membership(uv_udp_t* handle,
                          const char* multicast_addr,
                          const char* interface_addr,
                          uv_membership membership) {
  struct membership m;
  int err = membership_prepare(handle, multicast_addr, interface_addr, NULL,
                               membership, &m);

  if (err != 0)
    return err;
  return m.group.any.sa_family == AF_INET ? membership_change4(handle, &m)
                                          : membership_change6(handle, &m);
}

/* Headers without RFC 3678 come from systems without it. */
#if defined(IP_ADD_SOURCE_MEMBERSHIP) && defined(MCAST_JOIN_SOURCE_GROUP)
static int source_change4(uv_udp_t* handle, const struct membership* m) {
  struct ip_mreq_source mreq;

  memset(&mreq, 0, sizeof(mreq));
  mreq.imr_multiaddr = m->group.in.sin_addr;
  mreq.imr_interface = m->local.in.sin_addr;
  mreq.imr_sourceaddr = m->source.in.sin_addr;
  int name = m->join ? IP_ADD_SOURCE_MEMBERSHIP : IP_DROP_SOURCE_MEMBERSHIP;
  return uv__udp_os_setsockopt(handle, IPPROTO_IP, name, &mreq, sizeof(mreq));
}

static int source_change6(uv_udp_t* handle, const struct membership* m) {
  struct group_source_req mreq;

  memset(&mreq, 0, sizeof(mreq));
  mreq.gsr_interface = m->local.in6.sin6_scope_id;
  memcpy(&mreq.gsr_group, &m->group.in6, sizeof(m->group.in6));
  memcpy(&mreq.gsr_source, &m->source.in6, sizeof(m->source.in6));
  int name = m->join ? MCAST_JOIN_SOURCE_GROUP : MCAST_LEAVE_SOURCE_GROUP;
  return uv__udp_os_setsockopt(handle, IPPROTO_IPV6, name, &mreq, sizeof(mreq));
}

int uv_udp_set_source_membership(uv_udp_t* handle,
                                 const char* multicast_addr,
                                 const char* interface_addr,
                                 const char* source_addr,
                                 uv_membership membership) {
  struct membership m;

  if (source_addr == NULL)
    return UV_EINVAL;
  int err = membership_prepare(handle, multicast_addr, interface_addr,
                               source_addr, membership, &m);
  if (err != 0)
    return err;
  return m.group.any.sa_family == AF_INET ? source_change4(handle, &m)
                                          : source_change6(handle, &m);
}
#else
int uv_udp_set_source_membership(uv_udp_t* handle,
                                 const char* multicast_addr,
                                 const char* interface_addr,
                                 const char* source_addr,
                                 uv_membership membership) {
  (void) handle;
  (void) multicast_addr;
  (void) interface_addr;
  (void) source_addr;
  (void) membership;
  return UV_ENOSYS;
}
#endif

int uv_udp_set_multicast_interface(uv_udp_t* handle,
                                   const char* interface_addr) {
  union uv__ip_addr local;
  int own_family = handle->flags & UV__IPV6 ? AF_INET6 : AF_INET;

  int err = interface_addr == NULL ? parse_as(own_family, NULL, &local)
                                   : parse_either(interface_addr, &local);
  if (err != 0)
    return err;
  if (local.any.sa_family == AF_INET)
    return uv__udp_os_setsockopt(handle, IPPROTO_IP, IP_MULTICAST_IF,
                                 &local.in.sin_addr, sizeof(local.in.sin_addr));
  return uv__udp_os_setsockopt(handle, IPPROTO_IPV6, IPV6_MULTICAST_IF,
                               &local.in6.sin6_scope_id,
                               sizeof(local.in6.sin6_scope_id));
}

int uv_udp_set_multicast_loop(uv_udp_t* handle, int on) {
  /* Some systems take one byte, so libuv accepts no larger value anywhere. */
  if (on < 0 || on > 255)
    return UV_EINVAL;
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
