/* SPDX-License-Identifier: MIT */
/* TCP: what the platform supplies to tcp.c. */
#ifndef UV_OS_TCP_H_
#define UV_OS_TCP_H_

#include "handle.h"

/* Keep-alive probes after the first: the interval in seconds and their number,
 * as documented for uv_tcp_keepalive(). */
#define UV__KEEPALIVE_INTERVAL_S 1
#define UV__KEEPALIVE_PROBES 10

/* Sets up the handle in its loop, without a socket. */
void uv__tcp_os_init(uv_loop_t* loop, uv_tcp_t* tcp);

/* Creates the socket, if there is none; domain is AF_INET or AF_INET6. 0 or
 * UV_E*. */
int uv__tcp_os_socket(uv_tcp_t* tcp, int domain);

/* Takes over the caller's socket. UV_EBUSY: the handle already has one;
 * UV_EEXIST: the loop already watches it. On failure the caller keeps it. */
int uv__tcp_os_open(uv_tcp_t* tcp, uv_os_sock_t sock);

/* `addr` has a known family and the length `len`; flags are uv_tcp_flags. An
 * address in use is not an error yet: listen and connect report it. */
int uv__tcp_os_bind(uv_tcp_t* tcp,
                    const struct sockaddr* addr,
                    unsigned int len,
                    unsigned int flags);

/* req->cb is set. The callback gets a refusal by the peer. On success the
 * request is registered. */
int uv__tcp_os_connect(uv_connect_t* req,
                       uv_tcp_t* tcp,
                       const struct sockaddr* addr,
                       unsigned int len);

/* Is there a socket? */
int uv__tcp_os_is_open(const uv_tcp_t* tcp);

/* There is a socket. 0 or UV_E*. */
int uv__tcp_os_nodelay(uv_tcp_t* tcp, int on);
int uv__tcp_os_keepalive(uv_tcp_t* tcp,
                         int on,
                         unsigned int idle_s,
                         unsigned int interval_s,
                         unsigned int probes);

/* A hint about pre-posted accepts; only Windows has them. */
int uv__tcp_os_simultaneous_accepts(uv_tcp_t* tcp, int on);

/* UV_EBADF without a socket. */
int uv__tcp_os_getsockname(const uv_tcp_t* tcp,
                           struct sockaddr* name,
                           int* namelen);
int uv__tcp_os_getpeername(const uv_tcp_t* tcp,
                           struct sockaddr* name,
                           int* namelen);

/* Makes close send a reset instead of an orderly shutdown. UV_EBADF without a
 * socket. */
int uv__tcp_os_reset_on_close(uv_tcp_t* tcp);

#endif /* UV_OS_TCP_H_ */
