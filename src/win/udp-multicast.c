/* SPDX-License-Identifier: MIT */
/* Groups, and the options of UDP sockets. */
#include "addr.h"
#include "win/sock.h"
#include "win/udp-impl.h"

#include <string.h>

/* An IPv4 or IPv6 address that came as text. */
union address {
  struct sockaddr any;
  struct sockaddr_in in;
  struct sockaddr_in6 in6;
  struct sockaddr_storage storage;
};

/* NULL stands for "any", of the given family. */
static int read_as(const char* text, int family, union address* out) {
  memset(out, 0, sizeof(*out));
  out->any.sa_family = (ADDRESS_FAMILY) family;
  if (text == NULL)
    return 0;
  return family == AF_INET ? uv_ip4_addr(text, 0, &out->in)
                           : uv_ip6_addr(text, 0, &out->in6);
}

/* The text decides about the family. */
static int read_either(const char* text, union address* out) {
  if (text == NULL)
    return UV_EINVAL;
  if (read_as(text, AF_INET, out) == 0)
    return 0;
  return read_as(text, AF_INET6, out) == 0 ? 0 : UV_EINVAL;
}

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
  union address any;

  if (handle->flags & UV__BOUND)
    return 0;
  if (handle->socket != INVALID_SOCKET)
    family = handle->flags & UV__IPV6 ? AF_INET6 : AF_INET;
  (void) read_as(NULL, family, &any); /* cannot fail */
  struct uv__endpoint local = { &any.any, uv__addr_len(&any.any) };
  return uv__udp_os_bind(handle, local, UV_UDP_REUSEADDR);
}

/* What a membership is about. */
struct membership {
  union address group;
  union address local;  /* the interface: its address or its scope */
  union address source; /* with source_addr only */
};

/* Checks everything and sees to a socket. `source_addr` NULL: any source. */
static int prepare(uv_udp_t* handle,
                   const char* group_addr,
                   const char* interface_addr,
                   const char* source_addr,
                   struct membership* out) {
  if (handle->type != UV_UDP || uv__is_closing(uv__base(handle)))
    return UV_EINVAL;

  int err = read_either(group_addr, &out->group);
  if (err != 0)
    return err;
  int family = out->group.any.sa_family;
  err = read_as(source_addr, family, &out->source);
  if (err == 0)
    err = read_as(interface_addr, family, &out->local);
  return err != 0 ? err : ensure_member_socket(handle, family);
}

static int is_join_or_leave(uv_membership membership) {
  return membership == UV_JOIN_GROUP || membership == UV_LEAVE_GROUP;
}

static int change4(uv_udp_t* handle, const struct membership* m, int join) {
  struct ip_mreq mreq;

  mreq.imr_multiaddr = m->group.in.sin_addr;
  mreq.imr_interface = m->local.in.sin_addr;
  return set_option(handle, IPPROTO_IP,
                    join ? IP_ADD_MEMBERSHIP : IP_DROP_MEMBERSHIP, &mreq,
                    sizeof(mreq));
}

static int change6(uv_udp_t* handle, const struct membership* m, int join) {
  struct ipv6_mreq mreq;

  mreq.ipv6mr_multiaddr = m->group.in6.sin6_addr;
  mreq.ipv6mr_interface = m->local.in6.sin6_scope_id;
  return set_option(handle, IPPROTO_IPV6,
                    join ? IPV6_ADD_MEMBERSHIP : IPV6_DROP_MEMBERSHIP, &mreq,
                    sizeof(mreq));
}

int uv_udp_set_membership(uv_udp_t* handle,
                          const char* multicast_addr,
                          const char* interface_addr,
                          uv_membership membership) {
  int join = membership == UV_JOIN_GROUP;
  struct membership m;

  if (!is_join_or_leave(membership))
    return UV_EINVAL;
  int err = prepare(handle, multicast_addr, interface_addr, NULL, &m);
  if (err != 0)
    return err;
  return m.group.any.sa_family == AF_INET ? change4(handle, &m, join)
                                          : change6(handle, &m, join);
}

static int change_source4(uv_udp_t* handle,
                          const struct membership* m,
                          int join) {
  struct ip_mreq_source mreq;

  mreq.imr_multiaddr = m->group.in.sin_addr;
  mreq.imr_interface = m->local.in.sin_addr;
  mreq.imr_sourceaddr = m->source.in.sin_addr;
  return set_option(handle, IPPROTO_IP,
                    join ? IP_ADD_SOURCE_MEMBERSHIP : IP_DROP_SOURCE_MEMBERSHIP,
                    &mreq, sizeof(mreq));
}

static int change_source6(uv_udp_t* handle,
                          const struct membership* m,
                          int join) {
  struct group_source_req mreq;

  memset(&mreq, 0, sizeof(mreq));
  mreq.gsr_interface = m->local.in6.sin6_scope_id;
  memcpy(&mreq.gsr_group, &m->group.in6, sizeof(m->group.in6));
  memcpy(&mreq.gsr_source, &m->source.in6, sizeof(m->source.in6));
  return set_option(handle, IPPROTO_IPV6,
                    join ? MCAST_JOIN_SOURCE_GROUP : MCAST_LEAVE_SOURCE_GROUP,
                    &mreq, sizeof(mreq));
}

int uv_udp_set_source_membership(uv_udp_t* handle,
                                 const char* multicast_addr,
                                 const char* interface_addr,
                                 const char* source_addr,
                                 uv_membership membership) {
  int join = membership == UV_JOIN_GROUP;
  struct membership m;

  if (source_addr == NULL || !is_join_or_leave(membership))
    return UV_EINVAL;
  int err = prepare(handle, multicast_addr, interface_addr, source_addr, &m);
  if (err != 0)
    return err;
  return m.group.any.sa_family == AF_INET ? change_source4(handle, &m, join)
                                          : change_source6(handle, &m, join);
}

/* An option that both families have, as a DWORD. */
static int set_by_family(const uv_udp_t* handle,
                         int name4,
                         int name6,
                         int value) {
  if (handle->flags & UV__IPV6)
    return uv__sock_set(handle->socket, IPPROTO_IPV6, name6, value);
  return uv__sock_set(handle->socket, IPPROTO_IP, name4, value);
}

int uv_udp_set_broadcast(uv_udp_t* handle, int on) {
  return uv__sock_set(handle->socket, SOL_SOCKET, SO_BROADCAST, on != 0);
}

int uv_udp_set_ttl(uv_udp_t* handle, int ttl) {
  if (ttl < 1 || ttl > 255)
    return UV_EINVAL;
  return set_by_family(handle, IP_TTL, IPV6_UNICAST_HOPS, ttl);
}

int uv_udp_set_multicast_ttl(uv_udp_t* handle, int ttl) {
  if (ttl < 0 || ttl > 255)
    return UV_EINVAL;
  return set_by_family(handle, IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS, ttl);
}

int uv_udp_set_multicast_loop(uv_udp_t* handle, int on) {
  return set_by_family(handle, IP_MULTICAST_LOOP, IPV6_MULTICAST_LOOP, on != 0);
}

int uv_udp_set_multicast_interface(uv_udp_t* handle,
                                   const char* interface_addr) {
  union address local;
  int err;

  if (interface_addr == NULL)
    err = read_as(NULL, handle->flags & UV__IPV6 ? AF_INET6 : AF_INET, &local);
  else
    err = read_either(interface_addr, &local);
  if (err != 0)
    return err;

  if (local.any.sa_family == AF_INET)
    return set_option(handle, IPPROTO_IP, IP_MULTICAST_IF, &local.in.sin_addr,
                      sizeof(local.in.sin_addr));
  return set_option(handle, IPPROTO_IPV6, IPV6_MULTICAST_IF,
                    &local.in6.sin6_scope_id, sizeof(local.in6.sin6_scope_id));
}
