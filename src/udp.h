/* SPDX-License-Identifier: MIT */
/* What src/udp.c promises and the platform does. Arguments are checked by then.
 * All return 0 (or a count) or UV_E*.
 */
#ifndef UV_UDP_H_
#define UV_UDP_H_

#include "handle.h"

/* A socket address that was found usable, or none (addr NULL, len 0). */
struct uv__endpoint {
  const struct sockaddr* addr;
  unsigned int len;
};

/* A datagram to be sent; without an address it goes to the peer. */
struct uv__datagram {
  const uv_buf_t* bufs;
  unsigned int nbufs;
  struct uv__endpoint to;
};

/* Sets up the handle; makes the socket now if domain is not AF_UNSPEC. */
int uv__udp_os_init(uv_udp_t* handle,
                    uv_loop_t* loop,
                    int domain,
                    unsigned flags);

int uv__udp_os_bind(uv_udp_t* handle,
                    struct uv__endpoint local,
                    unsigned flags);

int uv__udp_os_connect(uv_udp_t* handle, struct uv__endpoint peer);
int uv__udp_os_disconnect(uv_udp_t* handle);

/* Copies the description of the datagram, not its bytes, and counts the request
 * in. req->handle and req->cb are set. */
int uv__udp_os_send(uv_udp_send_t* req, const struct uv__datagram* datagram);

/* One datagram at once: its bytes, or UV_EAGAIN. */
int uv__udp_os_send_now(uv_udp_t* handle, const struct uv__datagram* datagram);

/* Several at once: how many were sent; an error only if the first one failed.
 * addrs may be NULL, and so may its elements, when connected. */
int uv__udp_os_send_many(uv_udp_t* handle,
                         uv_buf_t** bufs,
                         unsigned int* nbufs,
                         struct sockaddr** addrs,
                         unsigned int count);

/* The callbacks are in the handle. */
int uv__udp_os_recv_start(uv_udp_t* handle);
void uv__udp_os_recv_stop(uv_udp_t* handle);

#endif /* UV_UDP_H_ */
