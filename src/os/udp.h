/* SPDX-License-Identifier: MIT */
/* UDP: what udp.c asks of the platform. Arguments have been checked. All return
 * 0 (or a count) or UV_E*.
 */
#ifndef UV_OS_UDP_H_
#define UV_OS_UDP_H_

#include "os/addr.h"
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
  size_t size; /* of all buffers */
};

/* Options that are a number. */
enum uv__udp_option {
  UV__UDP_OPT_BROADCAST,
  UV__UDP_OPT_TTL,
  UV__UDP_OPT_MULTICAST_TTL,
  UV__UDP_OPT_MULTICAST_LOOP,
  UV__UDP_OPT_COUNT
};

/* Sets up the handle; makes the socket now if domain is not AF_UNSPEC. */
int uv__udp_os_init(uv_udp_t* handle,
                    uv_loop_t* loop,
                    int domain,
                    unsigned flags);

/* Is there a socket? */
int uv__udp_os_is_open(const uv_udp_t* handle);

/* Takes over a socket of the caller's; there is none yet. On failure it stays
 * the caller's. `flags`: UV_UDP_REUSEADDR, UV_UDP_REUSEPORT. */
int uv__udp_os_open(uv_udp_t* handle, uv_os_sock_t sock, unsigned flags);

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
 * There is a socket. Connected handles have no addrs, or NULL elements only. */
int uv__udp_os_send_many(uv_udp_t* handle,
                         uv_buf_t** bufs,
                         unsigned int* nbufs,
                         struct sockaddr** addrs,
                         unsigned int count);

/* Are there datagrams that the kernel has not been given? */
int uv__udp_os_has_unsent(const uv_udp_t* handle);

/* The callbacks are in the handle. */
int uv__udp_os_recv_start(uv_udp_t* handle);
void uv__udp_os_recv_stop(uv_udp_t* handle);

/* The pointers are good, *namelen is not negative. UV_EBADF: no socket. */
int uv__udp_os_getsockname(const uv_udp_t* handle,
                           struct sockaddr* name,
                           int* namelen);
int uv__udp_os_getpeername(const uv_udp_t* handle,
                           struct sockaddr* name,
                           int* namelen);

/* Makes and binds a socket that shares its port, unless there is one that can
 * be a member of a group. */
int uv__udp_os_ensure_member(uv_udp_t* handle, int family);

/* These want a socket: UV_EBADF without. The first is setsockopt(). */
int uv__udp_os_setsockopt(uv_udp_t* handle,
                          int level,
                          int name,
                          const void* value,
                          size_t size);
int uv__udp_os_set_option(uv_udp_t* handle,
                          enum uv__udp_option option,
                          int value);

#endif /* UV_OS_UDP_H_ */
