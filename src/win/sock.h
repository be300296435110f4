/* SPDX-License-Identifier: MIT */
/* Sockets: making, options, names, extension functions. Context: any thread of
 * a process in which uv__winsock_startup() succeeded.
 */
#ifndef UV_WIN_SOCK_H_
#define UV_WIN_SOCK_H_

#include "base.h"

/* Makes Winsock usable, once; uv_loop_init() does it, and so must functions
 * that need no loop (names, interfaces, socket pairs). 0 or UV_E*. */
int uv__winsock_startup(void);

/* A socket of ours: overlapped, non-blocking, not inherited by children. The
 * caller closes it with closesocket(). 0 or UV_E*. */
int uv__sock_open(int family, int type, SOCKET* out);

/* Makes a socket that came from elsewhere like one of ours, as far as that can
 * be done afterwards. 0 or UV_E*. */
int uv__sock_adopt(SOCKET sock);

/* setsockopt() for an int: 0 or UV_E*. */
int uv__sock_set(SOCKET sock, int level, int option, int value);

/* The socket's address family, or UV_E*. */
int uv__sock_family(SOCKET sock);

/* Gives the socket the family's "any" address with a port of the system's
 * choice: 0 or UV_E*. */
int uv__sock_bind_any(SOCKET sock, int family);

/* getsockname() and getpeername(): *namelen, which is not negative, in and out;
 * UV_EBADF for INVALID_SOCKET. */
int uv__sock_local_name(SOCKET sock, struct sockaddr* name, int* namelen);
int uv__sock_peer_name(SOCKET sock, struct sockaddr* name, int* namelen);

/* What the socket has been through, as flags of a handle: UV__BOUND,
 * and `connected`, the type's flag for a socket that has a peer. */
unsigned int uv__sock_past(SOCKET sock, unsigned int connected);

/* Looks up the extension function `id` of the socket's provider and stores its
 * address in the function pointer at `out`. 0 or UV_E*. */
int uv__sock_extension(SOCKET sock, GUID id, void* out, size_t out_size);

/* Has operations that succeed inside the call report nothing to the port
 * (UV__SKIP_PORT). Returns whether that is so now: layered providers without
 * handles of their own cannot promise it. */
int uv__sock_skip_port(SOCKET sock);

#endif /* UV_WIN_SOCK_H_ */
