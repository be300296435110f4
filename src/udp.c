/* SPDX-License-Identifier: MIT */
/* UDP API: argument and state checks. */
#include "os/udp.h"
#include "loop/check.h"
#include "misuse.h"
#include "os/addr.h"
#include "udp-datagram.h"

#define INIT_DOMAIN_MASK 0xffu
#define BIND_FLAGS                                                             \
 (UV_UDP_IPV6ONLY | UV_UDP_REUSEADDR | UV_UDP_REUSEPORT | UV_UDP_LINUX_RECVERR)

int uv_udp_init_ex(uv_loop_t* loop, uv_udp_t* handle, unsigned int flags) {
  int domain = (int) (flags & INIT_DOMAIN_MASK);
  unsigned int extra = flags & ~INIT_DOMAIN_MASK;

  if (domain != AF_INET && domain != AF_INET6 && domain != AF_UNSPEC)
    return UV_EINVAL;
  if (extra & ~(unsigned int) UV_UDP_RECVMMSG)
    return UV_EINVAL;

  return uv__udp_os_init(handle, loop, domain, extra);
}

int uv_udp_init(uv_loop_t* loop, uv_udp_t* handle) {
  return uv_udp_init_ex(loop, handle, AF_UNSPEC);
}

int uv_udp_open_ex(uv_udp_t* handle, uv_os_sock_t sock, unsigned int flags) {
  if (!uv__udp_is_usable(handle))
    return UV_EINVAL;
  if (flags & ~(unsigned int) (UV_UDP_REUSEADDR | UV_UDP_REUSEPORT))
    return UV_EINVAL;
  if (uv__udp_os_is_open(handle))
    return UV_EBUSY;

  return uv__udp_os_open(handle, sock, flags);
}

int uv_udp_open(uv_udp_t* handle, uv_os_sock_t sock) {
  return uv_udp_open_ex(handle, sock, UV_UDP_REUSEADDR);
}

int uv_udp_bind(uv_udp_t* handle,
                const struct sockaddr* addr,
                unsigned int flags) {
  struct uv__endpoint local;

  if (!uv__udp_is_usable(handle) || addr == NULL)
    return UV_EINVAL;
  /* The handle's own socket speaks UDP. */
  if (addr->sa_family != AF_INET && addr->sa_family != AF_INET6)
    return UV_EINVAL;
  if (flags & ~(unsigned int) BIND_FLAGS)
    return UV_EINVAL;
  if ((flags & UV_UDP_IPV6ONLY) && addr->sa_family != AF_INET6)
    return UV_EINVAL;

  int err = uv__udp_to_endpoint(addr, &local);
  return err != 0 ? err : uv__udp_os_bind(handle, local, flags);
}

int uv_udp_connect(uv_udp_t* handle, const struct sockaddr* addr) {
  struct uv__endpoint peer;

  if (!uv__udp_is_usable(handle))
    return UV_EINVAL;
  if (addr == NULL)
    return uv__udp_is_connected(handle) ? uv__udp_os_disconnect(handle)
                                        : UV_ENOTCONN;
  if (uv__udp_is_connected(handle))
    return UV_EISCONN;

  int err = uv__udp_to_endpoint(addr, &peer);
  return err != 0 ? err : uv__udp_os_connect(handle, peer);
}

int uv_udp_send(uv_udp_send_t* req,
                uv_udp_t* handle,
                const uv_buf_t bufs[],
                unsigned int nbufs,
                const struct sockaddr* addr,
                uv_udp_send_cb send_cb) {
  struct uv__datagram datagram;
  int err = uv__udp_compose(&datagram, handle, bufs, nbufs, addr);

  if (err != 0)
    return err;
  if (req == NULL)
    return UV_EINVAL;
  uv__debug_check(
      uv__loop_check_thread(handle->loop, UV__RULE_SEND_THREAD, handle));

  req->type = UV_UDP_SEND;
  req->handle = handle;
  req->cb = send_cb;
  return uv__udp_os_send(req, &datagram);
}

int uv_udp_try_send(uv_udp_t* handle,
                    const uv_buf_t bufs[],
                    unsigned int nbufs,
                    const struct sockaddr* addr) {
  struct uv__datagram datagram;
  int err = uv__udp_compose(&datagram, handle, bufs, nbufs, addr);

  if (err != 0)
    return err;
  if (handle->send_queue_count != 0)
    return UV_EAGAIN;
  return uv__udp_os_send_now(handle, &datagram);
}

/* Check all of them before the first is sent. */
static int check_many(const uv_udp_t* handle,
                      uv_buf_t* bufs[],
                      const unsigned int nbufs[],
                      struct sockaddr* addrs[],
                      unsigned int count) {
  struct uv__datagram datagram;
  int err = 0;

  for (unsigned int i = 0; i < count && err == 0; i++)
    err = uv__udp_compose(&datagram, handle, bufs[i], nbufs[i],
                          addrs == NULL ? NULL : addrs[i]);
  return err;
}

int uv_udp_try_send2(uv_udp_t* handle,
                     unsigned int count,
                     uv_buf_t* bufs[],
                     unsigned int nbufs[],
                     struct sockaddr* addrs[],
                     unsigned int flags) {
  if (!uv__udp_is_usable(handle) || flags != 0)
    return UV_EINVAL;
  if (bufs == NULL || nbufs == NULL || count == 0 || count > INT_MAX)
    return UV_EINVAL;

  int err = check_many(handle, bufs, nbufs, addrs, count);
  if (err != 0)
    return err;
  if (handle->send_queue_count != 0)
    return UV_EAGAIN;
  if (!uv__udp_os_is_open(handle))
    return UV_EINVAL; /* a socket must exist already, as documented */
  return uv__udp_os_send_many(handle, bufs, nbufs, addrs, count);
}

int uv_udp_recv_start(uv_udp_t* handle,
                      uv_alloc_cb alloc_cb,
                      uv_udp_recv_cb recv_cb) {
  if (!uv__udp_is_usable(handle) || alloc_cb == NULL || recv_cb == NULL)
    return uv__misuse_refuse(UV__RULE_RECV_START, handle, UV_EINVAL);
  uv__debug_check(
      uv__loop_check_thread(handle->loop, UV__RULE_RECV_THREAD, handle));
  if (handle->flags & UV__READING)
    return UV_EALREADY;

  int err = uv__udp_os_recv_start(handle);
  if (err != 0)
    return err;
  handle->alloc_cb = alloc_cb;
  handle->recv_cb = recv_cb;
  handle->flags |= UV__READING;
  uv__handle_start(uv__base(handle));
  return 0;
}

int uv_udp_recv_stop(uv_udp_t* handle) {
  if (handle->type != UV_UDP)
    return UV_EINVAL;

  if (handle->flags & UV__READING)
    uv__udp_os_recv_stop(handle);
  handle->flags &= ~UV__READING;
  handle->alloc_cb = NULL;
  handle->recv_cb = NULL;
  /* As in libuv. Sends keep the loop alive by themselves. */
  if (!uv__udp_os_has_unsent(handle))
    uv__handle_stop(uv__base(handle));
  return 0;
}

int uv_udp_using_recvmmsg(const uv_udp_t* handle) {
  return handle->type == UV_UDP && (handle->flags & UV__UDP_RECVMMSG) != 0;
}

int uv_udp_getsockname(const uv_udp_t* handle,
                       struct sockaddr* name,
                       int* namelen) {
  int err = uv__addr_out_check(name, namelen);
  return err != 0 ? err : uv__udp_os_getsockname(handle, name, namelen);
}

int uv_udp_getpeername(const uv_udp_t* handle,
                       struct sockaddr* name,
                       int* namelen) {
  int err = uv__addr_out_check(name, namelen);
  return err != 0 ? err : uv__udp_os_getpeername(handle, name, namelen);
}
