/* SPDX-License-Identifier: MIT */
/* Groups, and the options of UDP sockets. */
#include "unix/udp-impl.h"
#include "addr.h"
#include "unix/fd.h"
#include "unix/os.h"
#include "unix/sock.h"

#include <netinet/in.h>
#include <string.h>

/* An IPv4 or IPv6 address, parsed from text. */
union group_addr {
  struct sockaddr any;
  struct sockaddr_in in;
  struct sockaddr_in6 in6;
  struct sockaddr_storage storage;
};

/* NULL stands for "any", of the given family. */
static int parse(const char* text, int family, union group_addr* out) {
  memset(out, 0, sizeof(*out));
  out->any.sa_family = (sa_family_t) family;
  if (text == NULL)
    return 0;
  if (family == AF_INET)
    return uv_ip4_addr(text, 0, &out->in);
  return uv_ip6_addr(text, 0, &out->in6);
}

static int parse_group(const char* text, union group_addr* out) {
  if (text == NULL)
    return UV_EINVAL;
  if (parse(text, AF_INET, out) == 0)
    return 0;
  return parse(text, AF_INET6, out) == 0 ? 0 : UV_EINVAL;
}

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
  union group_addr any;

  if (uv__udp_fd(handle) >= 0)
    return 0;
  (void) parse(NULL, family, &any); /* cannot fail */
  struct uv__endpoint local = { &any.any, uv__addr_len(&any.any) };
  return uv__udp_os_bind(handle, local, UV_UDP_REUSEADDR);
}

static int join_or_leave4(uv_udp_t* handle,
                          const union group_addr* group,
                          const union group_addr* local,
                          uv_membership membership) {
  struct ip_mreq mreq;

  memset(&mreq, 0, sizeof(mreq));
  mreq.imr_multiaddr = group->in.sin_addr;
  mreq.imr_interface = local->in.sin_addr;
  int name = membership == UV_JOIN_GROUP ? IP_ADD_MEMBERSHIP
                                         : IP_DROP_MEMBERSHIP;
  return set_option(handle, IPPROTO_IP, name, &mreq, sizeof(mreq));
}

static int join_or_leave6(uv_udp_t* handle,
                          const union group_addr* group,
                          const union group_addr* local,
                          uv_membership membership) {
  struct ipv6_mreq mreq;

  memset(&mreq, 0, sizeof(mreq));
  mreq.ipv6mr_multiaddr = group->in6.sin6_addr;
  mreq.ipv6mr_interface = local->in6.sin6_scope_id;
  int name =
      membership == UV_JOIN_GROUP ? IPV6_JOIN_GROUP : IPV6_LEAVE_GROUP;
  return set_option(handle, IPPROTO_IPV6, name, &mreq, sizeof(mreq));
}

static int check_membership(const uv_udp_t* handle, uv_membership membership) {
  if (handle->type != UV_UDP || uv__is_closing(uv__base(handle)))
    return UV_EINVAL;
  if (membership != UV_JOIN_GROUP && membership != UV_LEAVE_GROUP)
    return UV_EINVAL;
  return 0;
}

int uv_udp_set_membership(uv_udp_t* handle,
                          const char* multicast_addr,
                          const char* interface_addr,
                          uv_membership membership) {
  union group_addr group;
  union group_addr local;
  int err = check_membership(handle, membership);

  if (err == 0)
    err = parse_group(multicast_addr, &group);
  if (err == 0)
    err = parse(interface_addr, group.any.sa_family, &local);
  if (err == 0)
    err = ensure_member_socket(handle, group.any.sa_family);
  if (err != 0)
    return err;

  return group.any.sa_family == AF_INET
             ? join_or_leave4(handle, &group, &local, membership)
             : join_or_leave6(handle, &group, &local, membership);
}

#if UV__HAVE_SOURCE_MEMBERSHIP
static int source4(uv_udp_t* handle,
                   const union group_addr* group,
                   const union group_addr* local,
                   const union group_addr* source,
                   uv_membership membership) {
  struct ip_mreq_source mreq;

  memset(&mreq, 0, sizeof(mreq));
  mreq.imr_multiaddr = group->in.sin_addr;
  mreq.imr_interface = local->in.sin_addr;
  mreq.imr_sourceaddr = source->in.sin_addr;
  int name = membership == UV_JOIN_GROUP ? IP_ADD_SOURCE_MEMBERSHIP
                                         : IP_DROP_SOURCE_MEMBERSHIP;
  return set_option(handle, IPPROTO_IP, name, &mreq, sizeof(mreq));
}

static int source6(uv_udp_t* handle,
                   const union group_addr* group,
                   const union group_addr* local,
                   const union group_addr* source,
                   uv_membership membership) {
  struct group_source_req mreq;

  memset(&mreq, 0, sizeof(mreq));
  mreq.gsr_interface = local->in6.sin6_scope_id;
  memcpy(&mreq.gsr_group, &group->in6, sizeof(group->in6));
  memcpy(&mreq.gsr_source, &source->in6, sizeof(source->in6));
  int name = membership == UV_JOIN_GROUP ? MCAST_JOIN_SOURCE_GROUP
                                         : MCAST_LEAVE_SOURCE_GROUP;
  return set_option(handle, IPPROTO_IPV6, name, &mreq, sizeof(mreq));
}

int uv_udp_set_source_membership(uv_udp_t* handle,
                                 const char* multicast_addr,
                                 const char* interface_addr,
                                 const char* source_addr,
                                 uv_membership membership) {
  union group_addr group;
  union group_addr local;
  union group_addr source;
  int err = check_membership(handle, membership);

  if (err == 0 && source_addr == NULL)
    err = UV_EINVAL;
  if (err == 0)
    err = parse_group(multicast_addr, &group);
  if (err == 0)
    err = parse(source_addr, group.any.sa_family, &source);
  if (err == 0)
    err = parse(interface_addr, group.any.sa_family, &local);
  if (err == 0)
    err = ensure_member_socket(handle, group.any.sa_family);
  if (err != 0)
    return err;

  return group.any.sa_family == AF_INET
             ? source4(handle, &group, &local, &source, membership)
             : source6(handle, &group, &local, &source, membership);
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

/* The IPv4 option's value may be one byte only on some systems; the IPv6 ones
 * are ints everywhere. */
static int set_by_family(const uv_udp_t* handle,
                         int name4,
                         int name6,
                         int value) {
  if (handle->flags & UV__IPV6)
    return set_option(handle, IPPROTO_IPV6, name6, &value, sizeof(value));

  uv__multicast_opt_t narrow = (uv__multicast_opt_t) value;
  return set_option(handle, IPPROTO_IP, name4, &narrow, sizeof(narrow));
}

int uv_udp_set_broadcast(uv_udp_t* handle, int on) {
  return uv__sock_set(uv__udp_fd(handle), SOL_SOCKET, SO_BROADCAST, on != 0);
}

int uv_udp_set_ttl(uv_udp_t* handle, int ttl) {
  if (ttl < 1 || ttl > 255)
    return UV_EINVAL;
  /* Not one of the multicast options: an int for both families. */
  if (handle->flags & UV__IPV6)
    return uv__sock_set(uv__udp_fd(handle), IPPROTO_IPV6, IPV6_UNICAST_HOPS,
                        ttl);
  return uv__sock_set(uv__udp_fd(handle), IPPROTO_IP, IP_TTL, ttl);
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
  int family = handle->flags & UV__IPV6 ? AF_INET6 : AF_INET;
  union group_addr local;

  /* The text decides, where there is one. */
  if (interface_addr != NULL && parse(interface_addr, AF_INET, &local) == 0)
    family = AF_INET;
  else if (interface_addr != NULL &&
           parse(interface_addr, AF_INET6, &local) == 0)
    family = AF_INET6;
  else if (interface_addr != NULL)
    return UV_EINVAL;
  else
    (void) parse(NULL, family, &local); /* cannot fail */

  if (family == AF_INET)
    return set_option(handle, IPPROTO_IP, IP_MULTICAST_IF, &local.in.sin_addr,
                      sizeof(local.in.sin_addr));
  return set_option(handle, IPPROTO_IPV6, IPV6_MULTICAST_IF,
                    &local.in6.sin6_scope_id, sizeof(local.in6.sin6_scope_id));
}
