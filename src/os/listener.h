/* SPDX-License-Identifier: MIT */
/* Listeners of managed loops: what the platform supplies to listener.c and
 * inherited.c.
 */
#ifndef UV_OS_LISTENER_H_
#define UV_OS_LISTENER_H_

#include "util/base.h"
#include "uv/ext.h"

/* The value that is no socket. */
#define UV__NO_SOCK ((uv_os_sock_t) -1)

/* What UVX_BALANCE_DEFAULT means here. */
enum uvx_balance uv__listener_os_balance(void);

/* ---- sockets that no handle has; context: any ---- */

/* Creates a TCP socket and binds it; `addr` is of a known family and `flags`
 * are uv_tcp_flags. An address in use is an error at once. 0 or UV_E*. */
int uv__listener_os_bind(const struct sockaddr* addr,
                         unsigned int len,
                         unsigned int flags,
                         uv_os_sock_t* sock);

/* listen(): 0 or UV_E*. */
int uv__listener_os_listen(uv_os_sock_t sock, int backlog);

/* Another descriptor of the same socket, not inherited by children. */
int uv__listener_os_dup(uv_os_sock_t sock, uv_os_sock_t* copy);

/* getsockname(): *len is in and out. */
int uv__listener_os_name(uv_os_sock_t sock, struct sockaddr* name, int* len);

void uv__listener_os_close(uv_os_sock_t sock);

/* Can sockets be passed by the numbers of their descriptors? */
int uv__listener_os_can_inherit(void);

/* Descriptor `number` was inherited: has it closed by exec. 1: it is a socket;
 * 0: it is something else; UV_E*. */
int uv__listener_os_inherit(int number, uv_os_sock_t* sock);

/* ---- connections that pass from one loop to another ---- */

/* Makes an initialised handle a server without a socket of its own, for
 * connections of that address family: active, and uv_accept() works on it. 0,
 * or UV_ENOMEM. */
int uv__listener_os_open_fed(uv_tcp_t* server, int family, uv_connection_cb cb);

/* Gives it a connection, if none waits there; runs the connection callback.
 * Closing the handle closes a connection that waits. */
void uv__listener_os_feed(uv_tcp_t* server, uv_os_sock_t sock);

/* ---- called by the platform ---- */

/* uv_accept() has taken the connection that waited at a fed server, or dropped
 * it. Must not feed the server. */
void uv__listener_taken(uv_tcp_t* server);

#endif /* UV_OS_LISTENER_H_ */
