/* SPDX-License-Identifier: MIT */
/* Passing sockets to other processes: WSADuplicateSocketW() makes a description
 * for the receiver, which is sent over the pipe and turned into a socket again.
 * Both processes then share the socket. It stays attached to its first port, so
 * the receiver waits with events (UV__TCP_NO_PORT).
 */
#include "win/sock.h"
#include "win/tcp.h"

/* A receiving libuv assumes that a socket without a connection is listening
 * already, and does not call listen(). */
static void start_listening(uv_tcp_t* tcp) {
  if (tcp->flags & (UV__CONNECTED | UV__TCP_CONNECTING | UV__LISTENING))
    return;
  if (tcp->delayed_error == 0 && listen(tcp->socket, SOMAXCONN) != 0)
    tcp->delayed_error = WSAGetLastError();
}

int uv__tcp_xfer_export(uv_tcp_t* tcp, DWORD pid, struct uv__socket_xfer* out) {
  if (!uv__tcp_os_is_open(tcp))
    return UV_EBADF;
  start_listening(tcp);
  if (WSADuplicateSocketW(tcp->socket, pid, &out->info) != 0)
    return uv__wsa_error();

  out->delayed_error = tcp->delayed_error;
  tcp->flags |= UV__TCP_SHARED_SOCKET;
  return 0;
}

int uv__tcp_xfer_import(uv_tcp_t* tcp,
                        const struct uv__socket_xfer* xfer,
                        int is_connection) {
  SOCKET sock;

  if (uv__tcp_os_is_open(tcp))
    return UV_EBUSY;
  int err = uv__sock_import(&xfer->info, &sock);
  if (err != 0)
    return err;
  err = uv__sock_adopt(sock);
  if (err == 0)
    err = uv__tcp_take_socket(tcp, sock, xfer->info.iAddressFamily,
                              UV__TCP_FOREIGN);
  if (err != 0) {
    closesocket(sock);
    return err;
  }

  tcp->delayed_error = xfer->delayed_error;
  tcp->flags |= UV__TCP_SHARED_SOCKET | UV__BOUND;
  if (is_connection)
    uv__stream_opened((uv_stream_t*) tcp,
                      UV__CONNECTED | UV__READABLE | UV__WRITABLE);
  return 0;
}

void uv__tcp_xfer_discard(const struct uv__socket_xfer* xfer) {
  SOCKET sock;

  if (uv__sock_import(&xfer->info, &sock) == 0)
    closesocket(sock);
}
