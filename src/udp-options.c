/* SPDX-License-Identifier: MIT */
/* UDP for protocols such as QUIC: argument and state checks. */
#include "os/udp-options.h"
#include "loop/check.h"
#include "loop/state.h"
#include "udp-datagram.h"

#include <string.h>

#define INFO_MASK                                                              \
 (UVX_UDP_TOS | UVX_UDP_TTL | UVX_UDP_PKTINFO | UVX_UDP_SEGMENT)
#define SEND_MASK (UVX_UDP_TOS | UVX_UDP_PKTINFO | UVX_UDP_SEGMENT)

/* ---- options of the socket ---- */

static int check_socket(const uv_udp_t* handle) {
  if (handle == NULL || !uv__udp_is_usable(handle))
    return UV_EINVAL;
  return uv__udp_os_is_open(handle) ? 0 : UV_EBADF;
}

int uvx_udp_set_tos(uv_udp_t* handle, int tos) {
  if (tos < 0 || tos > UINT8_MAX)
    return UV_EINVAL;
  int err = check_socket(handle);
  return err != 0 ? err : uv__udp_os_set_tos(handle, tos);
}

int uvx_udp_set_dontfrag(uv_udp_t* handle, int on) {
  int err = check_socket(handle);
  return err != 0 ? err : uv__udp_os_set_dontfrag(handle, on != 0);
}

int uvx_udp_get_mtu(const uv_udp_t* handle, size_t* mtu) {
  if (mtu == NULL)
    return UV_EINVAL;
  int err = check_socket(handle);
  if (err != 0)
    return err;
  if (!uv__udp_is_connected(handle))
    return UV_ENOTCONN;
  return uv__udp_os_get_mtu(handle, mtu);
}

/* ---- receiving ---- */

int uvx_udp_set_recv_info(uv_udp_t* handle, unsigned mask) {
  if (mask & ~(unsigned) INFO_MASK)
    return UV_EINVAL;
  int err = check_socket(handle);
  return err != 0 ? err : uv__udp_os_set_recv_info(handle, mask);
}

int uvx_udp_recv_info(uv_udp_t* handle, uvx_udp_recv_info_t* info) {
  if (handle == NULL || handle->type != UV_UDP)
    return UV_EINVAL;
  if (info == NULL || info->size < sizeof(*info))
    return UV_EINVAL;

  const struct uv__udp_message* message =
      uv__loop_state(handle->loop)->udp_message;
  while (message != NULL && message->handle != handle)
    message = message->outer;
  if (message == NULL || message->arrival == NULL)
    return UV_EINVAL;

  size_t size = info->size;
  memset(info, 0, sizeof(*info));
  info->size = size;
  uv__udp_os_read_info(message->arrival, info);
  return 0;
}

/* ---- sending ---- */

static int is_ip(const struct sockaddr* addr) {
  return addr->sa_family == AF_INET || addr->sa_family == AF_INET6;
}

static int options_check(const uvx_udp_send_options_t* options) {
  unsigned flags = options->flags;

  if (options->size < sizeof(*options) || (flags & ~(unsigned) SEND_MASK))
    return UV_EINVAL;
  if ((flags & UVX_UDP_TOS) && (options->tos < 0 || options->tos > UINT8_MAX))
    return UV_EINVAL;
  if ((flags & UVX_UDP_SEGMENT) &&
      (options->segment_size == 0 || options->segment_size > UINT16_MAX))
    return UV_EINVAL;
  if (!(flags & UVX_UDP_PKTINFO))
    return 0;
  if (options->src == NULL)
    return options->ifindex != 0 ? 0 : UV_EINVAL;
  return is_ip(options->src) ? 0 : UV_EINVAL;
}

static void src_copy(struct uv__udp_options* to, const struct sockaddr* src) {
  if (src == NULL)
    return;
  to->has_src = 1;
  to->is_src_v6 = src->sa_family == AF_INET6;
  if (src->sa_family == AF_INET) {
    const struct sockaddr_in* in = (const struct sockaddr_in*) src;
    memcpy(to->src, &in->sin_addr, sizeof(in->sin_addr));
    return;
  }
  const struct sockaddr_in6* in6 = (const struct sockaddr_in6*) src;
  memcpy(to->src, &in6->sin6_addr, sizeof(in6->sin6_addr));
  if (to->ifindex == 0)
    to->ifindex = (unsigned) in6->sin6_scope_id;
}

void uv__udp_options_copy(struct uv__udp_options* to,
                          const uvx_udp_send_options_t* from) {
  memset(to, 0, sizeof(*to));
  to->flags = from->flags;
  if (from->flags & UVX_UDP_TOS)
    to->tos = (uint8_t) from->tos;
  if (from->flags & UVX_UDP_SEGMENT)
    to->segment_size = (uint16_t) from->segment_size;
  if (!(from->flags & UVX_UDP_PKTINFO))
    return;
  to->ifindex = from->ifindex;
  src_copy(to, from->src);
}

int uvx_udp_send(uv_udp_send_t* req,
                 uv_udp_t* handle,
                 const uv_buf_t bufs[],
                 unsigned int nbufs,
                 const struct sockaddr* addr,
                 const uvx_udp_send_options_t* options,
                 uv_udp_send_cb send_cb) {
  struct uv__datagram datagram;
  struct uv__udp_options copy;

  if (options == NULL)
    return handle == NULL
               ? UV_EINVAL
               : uv_udp_send(req, handle, bufs, nbufs, addr, send_cb);
  if (req == NULL || handle == NULL)
    return UV_EINVAL;
  int err = uv__udp_compose(&datagram, handle, bufs, nbufs, addr);
  if (err == 0)
    err = options_check(options);
  if (err != 0)
    return err;
  uv__debug_check(
      uv__loop_check_thread(handle->loop, UV__RULE_SEND_THREAD, handle));

  req->type = UV_UDP_SEND;
  req->handle = handle;
  req->cb = send_cb;
  if (options->flags == 0)
    return uv__udp_os_send(req, &datagram);
  uv__udp_options_copy(&copy, options);
  return uv__udp_os_send_with(req, &datagram, &copy);
}

/* Checks all of them before the first is sent. */
static int check_many(const uv_udp_t* handle,
                      uv_buf_t* bufs[],
                      const unsigned int nbufs[],
                      struct sockaddr* addrs[],
                      const uvx_udp_send_options_t* options,
                      unsigned int count) {
  struct uv__datagram datagram;
  int err = 0;

  for (unsigned int i = 0; i < count && err == 0; i++) {
    const uvx_udp_send_options_t* each = uv__udp_options_at(options, i);
    err = uv__udp_compose(&datagram, handle, bufs[i], nbufs[i],
                          addrs == NULL ? NULL : addrs[i]);
    if (err == 0)
      err = each->size == options->size ? options_check(each) : UV_EINVAL;
  }
  return err;
}

int uvx_udp_try_send(uv_udp_t* handle,
                     unsigned int count,
                     uv_buf_t* bufs[],
                     unsigned int nbufs[],
                     struct sockaddr* addrs[],
                     const uvx_udp_send_options_t options[]) {
  if (handle == NULL)
    return UV_EINVAL;
  if (options == NULL)
    return uv_udp_try_send2(handle, count, bufs, nbufs, addrs, 0);
  if (!uv__udp_is_usable(handle) || bufs == NULL || nbufs == NULL)
    return UV_EINVAL;
  if (count == 0 || count > INT_MAX || options->size < sizeof(*options))
    return UV_EINVAL;

  int err = check_many(handle, bufs, nbufs, addrs, options, count);
  if (err != 0)
    return err;
  if (handle->send_queue_count != 0)
    return UV_EAGAIN;
  if (!uv__udp_os_is_open(handle))
    return UV_EINVAL; /* a socket must exist already, as for try_send2 */
  return uv__udp_os_send_many_with(handle, bufs, nbufs, addrs, options, count);
}
