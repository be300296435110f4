/* SPDX-License-Identifier: MIT */
/* Sockets: creating, accepting, options, names. Context: any. */
#ifndef UV_UNIX_SOCK_H_
#define UV_UNIX_SOCK_H_

#include "util/base.h"

#include <ifaddrs.h>
#include <sys/socket.h>

/* Creates a non-blocking, close-on-exec socket, without SIGPIPE where that is a
 * socket option: fd or UV_E*. */
int uv__sock_open(int domain, int type, int protocol);

/* Accepts one connection, non-blocking and close-on-exec: fd or UV_E*. EINTR is
 * retried, ECONNABORTED and EAGAIN are returned. */
int uv__sock_accept(int fd);

/* setsockopt for an int: 0 or UV_E*. */
int uv__sock_set(int fd, int level, int option, int value);

/* getsockopt(SO_ERROR), cleared by reading: 0 or UV_E*. */
int uv__sock_take_error(int fd);

/* Does this socket have an urgent byte that was not read? Where it was, the
 * BSDs and macOS still report urgent data, until all data before it is read.
 * True also where one cannot know. */
int uv__sock_has_urgent(int fd);

/* SO_REUSEADDR or, with port sharing, the kernel's load-balancing
 * SO_REUSEPORT; UV_ENOTSUP where there is none. */
int uv__sock_reuseaddr(int fd);
int uv__sock_reuseport(int fd);

/* UV_UDP_REUSEADDR: several sockets may be bound to one port. */
int uv__sock_reuse_udp(int fd);

/* IPV6_V6ONLY. Cleared only where the system allows it. */
int uv__sock_v6only(int fd, int on);

/* getsockname/getpeername: *namelen, which is not negative, in and out;
 * UV_EBADF without an fd. */
int uv__sock_local_name(int fd, struct sockaddr* name, int* namelen);
int uv__sock_peer_name(int fd, struct sockaddr* name, int* namelen);

/* Is it connected? */
int uv__sock_has_peer(int fd);

/* connect(2): 0, 1 if it is in progress (also after EINTR), or UV_E*. */
int uv__sock_connect(int fd, const struct sockaddr* addr, socklen_t len);

/* Ends the attempt of a socket that connects, as far as the system can: on
 * Linux a TCP socket (`is_tcp`) can connect again. A failure does not matter,
 * the fd will be closed. */
void uv__sock_connect_undo(int fd, int is_tcp);

/* The address family of the fd, or UV_E*. */
int uv__sock_family(int fd);

/* SOCK_STREAM and so on, or UV_E* (UV_ENOTSOCK). */
int uv__sock_type(int fd);

/* IPPROTO_TCP and so on, or UV_E*; UV_ENOTSUP where the system does not say. */
int uv__sock_protocol(int fd);

/* ifaddrs.c. The scope for reaching a link-local peer: the first interface that
 * is up and has such an address, loopback only if there is no other. 0 if there
 * is none. */
uint32_t uv__ifaddrs_link_scope(const struct ifaddrs* list);

#endif /* UV_UNIX_SOCK_H_ */
