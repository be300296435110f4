/* SPDX-License-Identifier: MIT */
/* Sockets: creation, options, names, extension functions. Context: any thread,
 * once uv__winsock_startup() has succeeded.
 */
#ifndef UV_WIN_SOCK_H_
#define UV_WIN_SOCK_H_

#include "util/base.h"

/* Initialises Winsock, once; called by uv_loop_init() and by functions that
 * need no loop (names, interfaces, socket pairs). 0 or UV_E*. */
int uv__winsock_startup(void);

/* Creates a socket: overlapped, non-blocking, not inherited by children. The
 * caller closes it with closesocket(). 0 or UV_E*. */
int uv__sock_open(int family, int type, SOCKET* out);

/* Opens a socket that WSADuplicateSocketW() has described for this process; a
 * description can be opened once. 0 or UV_E*. */
int uv__sock_import(const WSAPROTOCOL_INFOW* info, SOCKET* out);

/* Gives a foreign socket the same properties, as far as possible afterwards. 0
 * or UV_E*. */
int uv__sock_adopt(SOCKET sock);

/* setsockopt() for an int: 0 or UV_E*. */
int uv__sock_set(SOCKET sock, int level, int option, int value);

/* The socket's address family, or UV_E*. */
int uv__sock_family(SOCKET sock);

/* Binds the socket to the family's "any" address and a port chosen by the
 * system: 0 or UV_E*. */
int uv__sock_bind_any(SOCKET sock, int family);

/* getsockname() and getpeername(): *namelen, not negative, is in and out;
 * UV_EBADF for INVALID_SOCKET. */
int uv__sock_local_name(SOCKET sock, struct sockaddr* name, int* namelen);
int uv__sock_peer_name(SOCKET sock, struct sockaddr* name, int* namelen);

/* The state of the socket as handle flags: UV__BOUND, and `connected`, the
 * type's flag for a socket with a peer. */
unsigned int uv__sock_state_flags(SOCKET sock, unsigned int connected);

/* Looks up the extension function `id` of the socket's provider and stores its
 * address in the function pointer at `out`. 0 or UV_E*. */
int uv__sock_extension(SOCKET sock, GUID id, void* out, size_t out_size);

/* Makes operations that succeed inside the call post no completion
 * (UV__SKIP_PORT). Returns whether that worked: layered providers without real
 * handles do not support it. */
int uv__sock_skip_port(SOCKET sock);

#endif /* UV_WIN_SOCK_H_ */
