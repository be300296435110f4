/* SPDX-License-Identifier: MIT */
/* Listeners of managed loops; see os/listener.h. A server that is fed is in
 * tcp-accept.c. */
#include "os/listener.h"
#include "win/error.h"
#include "win/sock.h"
#include "win/tcp.h"

/* Duplicates of a socket stay attached to the port of the first one, so that
 * other loops must wait for their accepts with events. */
enum uvx_balance uv__listener_os_balance(void) {
  return UVX_BALANCE_TURNS;
}

int uv__listener_os_bind(const struct sockaddr* addr,
                         unsigned int len,
                         unsigned int flags,
                         uv_os_sock_t* sock) {
  SOCKET made;

  if (flags & UV_TCP_REUSEPORT)
    return UV_ENOTSUP; /* see uv__tcp_os_bind() */
  int err = uv__winsock_startup();
  if (err == 0)
    err = uv__sock_open(addr->sa_family, SOCK_STREAM, &made);
  if (err != 0)
    return err;
  if (addr->sa_family == AF_INET6)
    err = uv__sock_set(made, IPPROTO_IPV6, IPV6_V6ONLY,
                       (flags & UV_TCP_IPV6ONLY) != 0);
  if (err == 0 && bind(made, addr, (int) len) != 0)
    err = uv__wsa_error();
  if (err != 0) {
    closesocket(made);
    return err;
  }
  *sock = made;
  return 0;
}

int uv__listener_os_listen(uv_os_sock_t sock, int backlog) {
  return listen(sock, backlog) == 0 ? 0 : uv__wsa_error();
}

int uv__listener_os_dup(uv_os_sock_t sock, uv_os_sock_t* copy) {
  WSAPROTOCOL_INFOW info;
  SOCKET made;

  if (WSADuplicateSocketW(sock, GetCurrentProcessId(), &info) != 0)
    return uv__wsa_error();
  int err = uv__sock_import(&info, &made);
  if (err == 0)
    *copy = made;
  return err;
}

int uv__listener_os_name(uv_os_sock_t sock, struct sockaddr* name, int* len) {
  return uv__sock_local_name(sock, name, len);
}

void uv__listener_os_close(uv_os_sock_t sock) {
  closesocket(sock);
}

int uv__listener_os_can_inherit(void) {
  return 0;
}

int uv__listener_os_inherit(int number, uv_os_sock_t* sock) {
  (void) number;
  (void) sock;
  return UV_ENOTSUP;
}
