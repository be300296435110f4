/* SPDX-License-Identifier: MIT */
/* Options of UDP sockets for protocols such as QUIC, and the events of handles
 * that use uvx_udp_send() or uvx_udp_set_recv_info().
 *
 * Such a handle has a kind of watcher of its own, so that others execute
 * nothing of this. Its mask is in u.reserved, valid with UV__UDP_INFO.
 */
#include "unix/udp-control.h"
#include "loop/state.h"
#include "unix/fd.h"
#include "unix/sock.h"
#include "unix/udp-names.h"
#include "unix/udp.h"

#define MASK_SLOT 3 /* of u.reserved */

static int is_ip(const uv_udp_t* handle) {
  return !(handle->flags & UV__UDP_NOT_IP);
}

static int is_v6(const uv_udp_t* handle) {
  return (handle->flags & UV__IPV6) != 0;
}

/* Sets an option of IPv6 and, for what such a socket sends by IPv4, that of
 * IPv4. If the second is refused, the first gets its value back. */
static int set_both(int fd, int name6, int value6, int name4, int value4) {
  int before;
  socklen_t len = sizeof(before);

  if (getsockopt(fd, IPPROTO_IPV6, name6, &before, &len) != 0)
    return uv__errno();
  int err = uv__sock_set(fd, IPPROTO_IPV6, name6, value6);
  if (err != 0 || !UV__HAVE_MAPPED_OPTIONS)
    return err;
  err = uv__sock_set(fd, IPPROTO_IP, name4, value4);
  if (err != 0)
    /* It had that value. */
    (void) uv__sock_set(fd, IPPROTO_IPV6, name6, before);
  return err;
}

int uv__udp_os_set_tos(uv_udp_t* handle, int tos) {
  int fd = uv__udp_fd(handle);

  if (!is_ip(handle))
    return UV_ENOTSUP;
  if (is_v6(handle))
    return set_both(fd, IPV6_TCLASS, tos, IP_TOS, tos);
  return uv__sock_set(fd, IPPROTO_IP, IP_TOS, tos);
}

#ifdef IP_PMTUDISC_PROBE
/* Datagrams are not fragmented, and what ICMP tells of the path's MTU does not
 * limit them (RFC 8899). */
int uv__udp_os_set_dontfrag(uv_udp_t* handle, int on) {
  int fd = uv__udp_fd(handle);
  int value4 = on ? IP_PMTUDISC_PROBE : IP_PMTUDISC_DONT;
  int value6 = on ? IPV6_PMTUDISC_PROBE : IPV6_PMTUDISC_DONT;

  if (!is_ip(handle))
    return UV_ENOTSUP;
  if (is_v6(handle))
    return set_both(fd, IPV6_MTU_DISCOVER, value6, IP_MTU_DISCOVER, value4);
  return uv__sock_set(fd, IPPROTO_IP, IP_MTU_DISCOVER, value4);
}

int uv__udp_os_get_mtu(const uv_udp_t* handle, size_t* mtu) {
  int level = is_v6(handle) ? IPPROTO_IPV6 : IPPROTO_IP;
  int name = is_v6(handle) ? IPV6_MTU : IP_MTU;
  int value;
  socklen_t len = sizeof(value);

  if (!is_ip(handle))
    return UV_ENOTSUP;
  if (getsockopt(uv__udp_fd(handle), level, name, &value, &len) != 0)
    return uv__errno();
  *mtu = (size_t) value;
  return 0;
}
#else
int uv__udp_os_set_dontfrag(uv_udp_t* handle, int on) {
  int fd = uv__udp_fd(handle);

  if (!is_ip(handle))
    return UV_ENOTSUP;
  if (is_v6(handle))
    return uv__sock_set(fd, IPPROTO_IPV6, IPV6_DONTFRAG, on);
  if (UV__IP_DONTFRAG == UV__NO_NAME)
    return UV_ENOTSUP;
  return uv__sock_set(fd, IPPROTO_IP, UV__IP_DONTFRAG, on);
}

/* The BSDs and macOS keep it to themselves. */
int uv__udp_os_get_mtu(const uv_udp_t* handle, size_t* mtu) {
  (void) handle;
  (void) mtu;
  return UV_ENOTSUP;
}
#endif

static unsigned mask_of(const uv_udp_t* handle) {
  if (!(handle->flags & UV__UDP_INFO))
    return 0;
  return (unsigned) (uintptr_t) handle->u.reserved[MASK_SLOT];
}

int uv__udp_os_set_recv_info(uv_udp_t* handle, unsigned mask) {
  if (!is_ip(handle))
    return UV_ENOTSUP;
  int err = uv__udp_control_ask(uv__udp_fd(handle), is_v6(handle),
                                mask_of(handle), mask);
  if (err != 0)
    return err;
  handle->u.reserved[MASK_SLOT] = (void*) (uintptr_t) mask;
  handle->flags |= UV__UDP_INFO;
  uv__io_set_kind(&handle->io_watcher, UV__IO_UDP_OPTIONS);
  return 0;
}

/* A handle that no longer wants any receives as others do, but not while a
 * callback runs that may still ask about its datagram. */
static int wants_info(uv_udp_t* handle) {
  if (!(handle->flags & UV__UDP_INFO))
    return 0;
  if (mask_of(handle) == 0 && uv__loop_state(handle->loop)->udp_message == NULL)
    handle->flags &= ~UV__UDP_INFO;
  return (handle->flags & UV__UDP_INFO) != 0;
}

void uv__udp_os_read_info(const void* arrival, uvx_udp_recv_info_t* info) {
  uv__udp_control_parse(arrival, info);
}

void uv__udp_options_io(uv_loop_t* loop, uv__io_t* w, unsigned events) {
  uv_udp_t* handle = container_of(w, uv_udp_t, io_watcher);
  unsigned incoming = events & (POLLIN | POLLERR | POLLHUP);

  (void) loop;
  if (incoming != 0 && (handle->flags & UV__READING)) {
    if (wants_info(handle))
      uv__udp_recv_ready_info(handle, incoming);
    else
      uv__udp_recv_ready(handle, incoming);
  }
  if ((events & (POLLOUT | POLLERR)) && !uv__is_closing(uv__base(handle)))
    uv__udp_send_ready_options(handle);
}
