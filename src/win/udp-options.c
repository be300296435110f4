/* SPDX-License-Identifier: MIT */
/* UDP for protocols such as QUIC, on Windows. */
#include "os/udp-options.h"
#include "win/sock.h"

#ifndef IP_DONTFRAGMENT
# define IP_DONTFRAGMENT 14
#endif
#ifndef IPV6_DONTFRAG
# define IPV6_DONTFRAG 14
#endif

/* Windows ignores IP_TOS, and has no option for the traffic class:
 * https://learn.microsoft.com/windows/win32/winsock/ipproto-ip-socket-options
 */
int uv__udp_os_set_tos(uv_udp_t* handle, int tos) {
  (void) handle;
  (void) tos;
  return UV_ENOTSUP;
}

int uv__udp_os_set_dontfrag(uv_udp_t* handle, int on) {
  int err = handle->flags & UV__IPV6
                ? uv__sock_set(handle->socket, IPPROTO_IPV6, IPV6_DONTFRAG, on)
                : uv__sock_set(handle->socket, IPPROTO_IP, IP_DONTFRAGMENT, on);
  return err == UV_ENOPROTOOPT ? UV_ENOTSUP : err;
}

int uv__udp_os_get_mtu(const uv_udp_t* handle, size_t* mtu) {
  (void) handle;
  (void) mtu;
  return UV_ENOTSUP;
}

/* That needs control messages with WSASendMsg(), which Wine ignores: it could
 * not be tested. */
int uv__udp_os_send_with(uv_udp_send_t* req,
                         const struct uv__datagram* datagram,
                         const struct uv__udp_options* options) {
  (void) req;
  (void) datagram;
  (void) options;
  return UV_ENOTSUP;
}

static int has_options(const uvx_udp_send_options_t* options,
                       unsigned int count) {
  for (unsigned int i = 0; i < count; i++)
    if (uv__udp_options_at(options, i)->flags != 0)
      return 1;
  return 0;
}

int uv__udp_os_send_many_with(uv_udp_t* handle,
                              uv_buf_t** bufs,
                              unsigned int* nbufs,
                              struct sockaddr** addrs,
                              const uvx_udp_send_options_t* options,
                              unsigned int count) {
  if (has_options(options, count))
    return UV_ENOTSUP;
  return uv__udp_os_send_many(handle, bufs, nbufs, addrs, count);
}
