/* SPDX-License-Identifier: MIT */
/* Listeners of managed loops; see os/listener.h.
 *
 * A server that is fed has no fd: what another loop accepted is put into
 * accepted_fd. Its queued_fds points to `fed`, which has uv__ipc_next_fd() ask
 * the listener instead of the list that it is for pipes.
 */
#include "os/listener.h"
#include "observe/callback.h"
#include "unix/fd.h"
#include "unix/sock.h"
#include "unix/stream.h"

static char fed;

enum uvx_balance uv__listener_os_balance(void) {
  return UV__HAVE_REUSEPORT_LB ? UVX_BALANCE_KERNEL : UVX_BALANCE_SHARED;
}

int uv__listener_os_bind(const struct sockaddr* addr,
                         unsigned int len,
                         unsigned int flags,
                         uv_os_sock_t* sock) {
  int fd = uv__sock_open(addr->sa_family, SOCK_STREAM, 0);
  if (fd < 0)
    return fd;
  int err = uv__tcp_prepare_bind(fd, addr->sa_family, flags);
  if (err == 0 && bind(fd, addr, len) != 0)
    err = uv__errno();
  if (err != 0) {
    uv__fd_close(fd);
    return err;
  }
  *sock = fd;
  return 0;
}

int uv__listener_os_listen(uv_os_sock_t sock, int backlog) {
  return listen(sock, backlog) == 0 ? 0 : uv__errno();
}

int uv__listener_os_dup(uv_os_sock_t sock, uv_os_sock_t* copy) {
  int fd = uv__fd_dup(sock);
  if (fd < 0)
    return fd;
  *copy = fd;
  return 0;
}

int uv__listener_os_name(uv_os_sock_t sock, struct sockaddr* name, int* len) {
  return uv__sock_local_name(sock, name, len);
}

void uv__listener_os_close(uv_os_sock_t sock) {
  uv__fd_close(sock);
}

int uv__listener_os_can_inherit(void) {
  return 1;
}

int uv__listener_os_inherit(int number, uv_os_sock_t* sock) {
  int err = uv__fd_cloexec(number, 1);
  if (err != 0)
    return err;
  int type = uv__sock_type(number);
  if (type < 0)
    return type == UV_ENOTSOCK ? 0 : type;
  *sock = number;
  return 1;
}

int uv__listener_os_open_fed(uv_tcp_t* server,
                             int family,
                             uv_connection_cb cb) {
  (void) family;
  server->connection_cb = cb;
  server->queued_fds = &fed;
  server->flags |= UV__STREAM_SOCKET | UV__STREAM_FED;
  uv__handle_start(uv__base(server));
  return 0;
}

void uv__listener_os_feed(uv_tcp_t* server, uv_os_sock_t sock) {
  assert(server->accepted_fd == -1);
  server->accepted_fd = sock;
  uv__call_connection((uv_stream_t*) server, 0);
}
