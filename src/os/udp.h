/* SPDX-License-Identifier: MIT */
/* UDP: what the platform supplies to udp.c and udp-multicast.c. Arguments have
 * been checked. All functions return 0 (or a count) or UV_E*.
 */
#ifndef UV_OS_UDP_H_
#define UV_OS_UDP_H_

#include "os/addr.h"
#include "handle.h"

/* A socket address of a supported family, or none (addr NULL, len 0). */
struct uv__endpoint {
  const struct sockaddr* addr;
  unsigned int len;
};

/* A datagram to send; without an address it goes to the connected peer. */
struct uv__datagram {
  const uv_buf_t* bufs;
  unsigned int nbufs;
  struct uv__endpoint to;
  size_t size; /* of all buffers */
};

/* Options with an integer value. */
enum uv__udp_option {
  UV__UDP_OPT_BROADCAST,
  UV__UDP_OPT_TTL,
  UV__UDP_OPT_MULTICAST_TTL,
  UV__UDP_OPT_MULTICAST_LOOP,
  UV__UDP_OPT_COUNT
};

/* Sets up the handle, and creates the socket unless domain is AF_UNSPEC. */
int uv__udp_os_init(uv_udp_t* handle,
                    uv_loop_t* loop,
                    int domain,
                    unsigned flags);

/* Is there a socket? */
int uv__udp_os_is_open(const uv_udp_t* handle);

/* Takes over the caller's socket; the handle has none yet. On failure the
 * caller keeps it. `flags`: UV_UDP_REUSEADDR, UV_UDP_REUSEPORT. */
int uv__udp_os_open(uv_udp_t* handle, uv_os_sock_t sock, unsigned flags);

/* uvx_release() of a handle that is not closing. */
int uv__udp_os_release(uv_udp_t* handle, uv_os_fd_t* fd);

int uv__udp_os_bind(uv_udp_t* handle,
                    struct uv__endpoint local,
                    unsigned flags);

int uv__udp_os_connect(uv_udp_t* handle, struct uv__endpoint peer);
int uv__udp_os_disconnect(uv_udp_t* handle);

/* Sends or queues the datagram. Copies its description, not its bytes; on
 * success the request is registered. req->handle and req->cb are set. */
int uv__udp_os_send(uv_udp_send_t* req, const struct uv__datagram* datagram);

/* Cancelling a datagram that the system does not have yet: 0 or UV_EBUSY. */
int uv__udp_os_cancel_send(uv_udp_send_t* req);

/* Has the callback of a request that was submitted at some time not begun? */
int uv__udp_os_is_sending(const uv_udp_send_t* req);

/* Sends one datagram now. Returns its size; UV_EAGAIN if there is no room. */
int uv__udp_os_send_now(uv_udp_t* handle, const struct uv__datagram* datagram);

/* Sends several now. Returns how many were sent, or an error if the first one
 * failed. There is a socket. For a connected handle addrs is NULL, or all its
 * elements are. */
int uv__udp_os_send_many(uv_udp_t* handle,
                         uv_buf_t** bufs,
                         unsigned int* nbufs,
                         struct sockaddr** addrs,
                         unsigned int count);

/* Are datagrams queued that the kernel has not taken yet? */
int uv__udp_os_has_unsent(const uv_udp_t* handle);

int uv__udp_os_recv_start(uv_udp_t* handle);
void uv__udp_os_recv_stop(uv_udp_t* handle);

/* The pointers are valid, *namelen is not negative. UV_EBADF: no socket. */
int uv__udp_os_getsockname(const uv_udp_t* handle,
                           struct sockaddr* name,
                           int* namelen);
int uv__udp_os_getpeername(const uv_udp_t* handle,
                           struct sockaddr* name,
                           int* namelen);

/* Ensures that there is a bound socket that can join a group; a new one shares
 * its port (UV_UDP_REUSEADDR). */
int uv__udp_os_ensure_member(uv_udp_t* handle, int family);

/* UV_EBADF if there is no socket. The first is setsockopt(). */
int uv__udp_os_setsockopt(uv_udp_t* handle,
                          int level,
                          int name,
                          const void* value,
                          size_t size);
int uv__udp_os_set_option(uv_udp_t* handle,
                          enum uv__udp_option option,
                          int value);

#endif /* UV_OS_UDP_H_ */
