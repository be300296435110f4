/* SPDX-License-Identifier: MIT */
/* Checks that udp.c and udp-options.c share. */
#ifndef UV_UDP_DATAGRAM_H_
#define UV_UDP_DATAGRAM_H_

#include "os/udp.h"
#include "util/bufs.h"

#include <limits.h>

static inline int uv__udp_is_usable(const uv_udp_t* handle) {
  return handle->type == UV_UDP && !uv__is_closing(uv__base(handle));
}

static inline int uv__udp_is_connected(const uv_udp_t* handle) {
  return (handle->flags & UV__UDP_CONNECTED) != 0;
}

/* Returns UV_EINVAL for an unsupported family. AF_UNIX is allowed, for datagram
 * sockets that the program opened itself. */
static inline int uv__udp_to_endpoint(const struct sockaddr* addr,
                                      struct uv__endpoint* out) {
  out->addr = addr;
  out->len = uv__addr_len(addr);
  return out->len == 0 ? UV_EINVAL : 0;
}

/* Checks the three parts of a send and puts them together. */
UV__INLINE int uv__udp_compose(struct uv__datagram* out,
                               const uv_udp_t* handle,
                               const uv_buf_t* bufs,
                               unsigned int nbufs,
                               const struct sockaddr* addr) {
  struct uv__endpoint peer = { NULL, 0 };
  int err = 0;

  if (!uv__udp_is_usable(handle))
    return UV_EINVAL;
  if (addr == NULL && !uv__udp_is_connected(handle))
    return UV_EDESTADDRREQ;
  if (addr != NULL && uv__udp_is_connected(handle))
    return UV_EISCONN;
  /* A larger count is a negative number that was converted to unsigned. */
  if (bufs == NULL || nbufs == 0 || nbufs > INT_MAX)
    return UV_EINVAL;
  if (!uv__bufs_measure(bufs, nbufs, &out->size))
    return UV_EINVAL;
  if (addr != NULL)
    err = uv__udp_to_endpoint(addr, &peer);

  out->bufs = bufs;
  out->nbufs = nbufs;
  out->to = peer;
  return err;
}

#endif /* UV_UDP_DATAGRAM_H_ */
