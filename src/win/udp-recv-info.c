/* SPDX-License-Identifier: MIT */
/* Receiving datagrams together with what the system tells of them: WSARecvMsg()
 * with control messages, for handles with uvx_udp_set_recv_info().
 *
 * Seen under Wine 8: IP_PKTINFO, IP_RECVTTL and IP_RECVTOS with their IPv6
 * counterparts. UDP_RECV_MAX_COALESCED_SIZE (GRO) is refused there.
 */
#include "loop/state.h"
#include "observe/callback.h"
#include "os/udp-options.h"
#include "win/sock.h"
#include "win/udp.h"

#include <mswsock.h>
#include <string.h>

#define MASK_SLOT 3 /* of u.reserved */

#ifndef IP_RECVTTL
# define IP_RECVTTL 21
#endif
#ifndef IP_RECVTOS
# define IP_RECVTOS 40
#endif
#ifndef IPV6_TCLASS
# define IPV6_TCLASS 39
#endif
#ifndef IPV6_RECVTCLASS
# define IPV6_RECVTCLASS 40
#endif

/* ---- what the system is asked for ---- */

/* An IPv6 socket also has options of IPv4, for what it receives by that; they
 * may be refused. */
static const struct {
  unsigned bit;
  int level;
  int name;
} options[] = {
  { UVX_UDP_TOS, IPPROTO_IP, IP_RECVTOS },
  { UVX_UDP_TTL, IPPROTO_IP, IP_RECVTTL },
  { UVX_UDP_PKTINFO, IPPROTO_IP, IP_PKTINFO },
  { UVX_UDP_TOS, IPPROTO_IPV6, IPV6_RECVTCLASS },
  { UVX_UDP_TTL, IPPROTO_IPV6, IPV6_HOPLIMIT },
  { UVX_UDP_PKTINFO, IPPROTO_IPV6, IPV6_PKTINFO },
};

static int level_of(const uv_udp_t* handle) {
  return handle->flags & UV__IPV6 ? IPPROTO_IPV6 : IPPROTO_IP;
}

/* Sets the first `count` options that differ. *done: how many it got
 * through. */
static int set_options(const uv_udp_t* handle,
                       unsigned differ,
                       unsigned mask,
                       size_t count,
                       size_t* done) {
  for (*done = 0; *done < count; ++*done) {
    size_t i = *done;
    if (!(options[i].bit & differ) || options[i].level > level_of(handle))
      continue;
    int err = uv__sock_set(handle->socket, options[i].level, options[i].name,
                           (options[i].bit & mask) != 0);
    if (err != 0 && options[i].level == level_of(handle))
      return err;
  }
  return 0;
}

static unsigned mask_of(const uv_udp_t* handle) {
  if (!(handle->flags & UV__UDP_INFO))
    return 0;
  return (unsigned) (uintptr_t) handle->u.reserved[MASK_SLOT];
}

int uv__udp_os_set_recv_info(uv_udp_t* handle, unsigned mask) {
  const GUID id = WSAID_WSARECVMSG;
  unsigned differ = mask ^ mask_of(handle);
  size_t done;

  if (mask & UVX_UDP_SEGMENT)
    return UV_ENOTSUP;
  if (differ == 0)
    return 0;
  if (uv__sock_extension(handle->socket, id, &handle->func_wsarecv,
                         sizeof(handle->func_wsarecv)) != 0)
    return UV_ENOTSUP;
  int err = set_options(handle, differ, mask, ARRAY_SIZE(options), &done);
  if (err != 0) {
    /* These were taken once, and there is nothing to do about a refusal. */
    (void) set_options(handle, differ, mask_of(handle), done, &done);
    return err == UV_ENOPROTOOPT || err == UV_EINVAL ? UV_ENOTSUP : err;
  }
  handle->u.reserved[MASK_SLOT] = (void*) (uintptr_t) mask;
  handle->flags |= UV__UDP_INFO;
  return 0;
}

/* ---- control messages ---- */

static void read_pktinfo4(const void* value, uvx_udp_recv_info_t* info) {
  struct sockaddr_in* dst = (struct sockaddr_in*) &info->dst;
  IN_PKTINFO pktinfo;

  memcpy(&pktinfo, value, sizeof(pktinfo));
  info->valid |= UVX_UDP_PKTINFO;
  info->ifindex = (unsigned) pktinfo.ipi_ifindex;
  dst->sin_family = AF_INET;
  dst->sin_addr = pktinfo.ipi_addr;
}

static void read_pktinfo6(const void* value, uvx_udp_recv_info_t* info) {
  struct sockaddr_in6* dst = (struct sockaddr_in6*) &info->dst;
  IN6_PKTINFO pktinfo;

  memcpy(&pktinfo, value, sizeof(pktinfo));
  info->valid |= UVX_UDP_PKTINFO;
  info->ifindex = (unsigned) pktinfo.ipi6_ifindex;
  dst->sin6_family = AF_INET6;
  dst->sin6_addr = pktinfo.ipi6_addr;
  if (IN6_IS_ADDR_LINKLOCAL(&dst->sin6_addr))
    dst->sin6_scope_id = info->ifindex;
}

static void read_tos(const void* value, uvx_udp_recv_info_t* info) {
  memcpy(&info->tos, value, sizeof(info->tos));
  info->valid |= UVX_UDP_TOS;
}

static void read_ttl(const void* value, uvx_udp_recv_info_t* info) {
  memcpy(&info->ttl, value, sizeof(info->ttl));
  info->valid |= UVX_UDP_TTL;
}

static const struct {
  int level;
  int type;
  size_t size;
  void (*read)(const void* value, uvx_udp_recv_info_t* info);
} messages[] = {
  { IPPROTO_IP, IP_PKTINFO, sizeof(IN_PKTINFO), read_pktinfo4 },
  { IPPROTO_IP, IP_TOS, sizeof(int), read_tos },
  /* Windows documents the second name, Wine uses the first. */
  { IPPROTO_IP, IP_TTL, sizeof(int), read_ttl },
  { IPPROTO_IP, IP_RECVTTL, sizeof(int), read_ttl },
  { IPPROTO_IPV6, IPV6_PKTINFO, sizeof(IN6_PKTINFO), read_pktinfo6 },
  { IPPROTO_IPV6, IPV6_TCLASS, sizeof(int), read_tos },
  { IPPROTO_IPV6, IPV6_HOPLIMIT, sizeof(int), read_ttl },
};

/* An IPv6 socket may tell the address of an IPv4 datagram as IPv4's. */
static void map_dst(uvx_udp_recv_info_t* info) {
  struct sockaddr_in in;
  struct sockaddr_in6* dst = (struct sockaddr_in6*) &info->dst;

  memcpy(&in, &info->dst, sizeof(in));
  memset(dst, 0, sizeof(*dst));
  dst->sin6_family = AF_INET6;
  memset(&dst->sin6_addr.s6_addr[10], 0xff, 2);
  memcpy(&dst->sin6_addr.s6_addr[12], &in.sin_addr, sizeof(in.sin_addr));
}

void uv__udp_os_read_info(const void* arrival, uvx_udp_recv_info_t* info) {
  WSAMSG* msg = (WSAMSG*) arrival;

  for (WSACMSGHDR* c = WSA_CMSG_FIRSTHDR(msg); c != NULL;
       c = WSA_CMSG_NXTHDR(msg, c))
    for (size_t i = 0; i < ARRAY_SIZE(messages); i++)
      if (c->cmsg_level == messages[i].level &&
          c->cmsg_type == messages[i].type &&
          c->cmsg_len >= WSA_CMSG_LEN(messages[i].size))
        messages[i].read(WSA_CMSG_DATA(c), info);
  if (info->dst.ss_family == AF_INET && msg->name->sa_family == AF_INET6)
    map_dst(info);
}

/* ---- receiving ---- */

struct arrival {
  WSAMSG msg;
  WSABUF buf;
  struct sockaddr_storage from;
  union {
    WSACMSGHDR header; /* for its alignment */
    char room[256];
  } control;
};

static void arrival_init(struct arrival* arrival, const uv_buf_t* buf) {
  memset(&arrival->msg, 0, sizeof(arrival->msg));
  arrival->buf.buf = buf->base;
  arrival->buf.len = buf->len;
  arrival->msg.name = (struct sockaddr*) &arrival->from;
  arrival->msg.namelen = sizeof(arrival->from);
  arrival->msg.lpBuffers = &arrival->buf;
  arrival->msg.dwBufferCount = 1;
  arrival->msg.Control.buf = arrival->control.room;
  arrival->msg.Control.len = sizeof(arrival->control.room);
}

/* As recv_datagram() in udp-recv.c. */
static ssize_t info_receive(uv_udp_t* handle,
                            struct arrival* arrival,
                            const uv_buf_t* buf) {
  LPFN_WSARECVMSG receive;

  memcpy(&receive, &handle->func_wsarecv, sizeof(receive));
  for (int i = 0; i < UV__UDP_TURN_MAX; i++) {
    DWORD n = 0;
    arrival_init(arrival, buf);
    if (receive(handle->socket, &arrival->msg, &n, NULL, NULL) == 0)
      return arrival->msg.dwFlags & MSG_TRUNC ? UV_EMSGSIZE : (ssize_t) n;
    DWORD sys_error = (DWORD) WSAGetLastError();
    if (!uv__udp_is_undelivered(sys_error))
      return uv_translate_sys_error((int) sys_error);
  }
  return UV_EAGAIN; /* too many of them; continue in the next turn */
}

/* `message` is what uvx_udp_recv_info() reads meanwhile. */
static int recv_one(uv_udp_t* handle, struct uv__udp_message* message) {
  struct arrival arrival;
  uv_buf_t buf = uv_buf_init(NULL, 0);

  if (!uv__udp_recv_alloc(handle, &buf))
    return 0;
  int is_told = mask_of(handle) != 0;
  ssize_t n = info_receive(handle, &arrival, &buf);
  if (n < 0 && n != UV_EMSGSIZE) {
    uv__call_recv(handle, n == UV_EAGAIN ? 0 : n, &buf, NULL, 0);
    return 0;
  }
  if (is_told)
    message->arrival = &arrival.msg;
  uv__call_recv(handle, n < 0 ? (ssize_t) buf.len : n, &buf, arrival.msg.name,
                n < 0 ? UV_UDP_PARTIAL : 0);
  return n >= 0 && uv__udp_is_receiving(handle);
}

int uv__udp_recv_one_info(uv_udp_t* handle) {
  struct uv__loop_state* state = uv__loop_state(handle->loop);
  struct uv__udp_message message = { handle, NULL, state->udp_message };

  state->udp_message = &message;
  int goes_on = recv_one(handle, &message);
  state->udp_message = message.outer;
  return goes_on;
}
