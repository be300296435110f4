/* SPDX-License-Identifier: MIT */
/* TCP sockets: creating, binding, opening, closing. */
#include "win/tcp.h"
#include "win/detach.h"
#include "win/loop.h"
#include "win/sock.h"

#include <string.h>

static_assert(sizeof(struct uv__tcp_sends) <= sizeof(uv_buf_t),
              "no room in conn.read_buffer");

static uv_stream_t* stream_of(uv_tcp_t* tcp) {
  return (uv_stream_t*) tcp;
}

void uv__tcp_os_init(uv_loop_t* loop, uv_tcp_t* tcp) {
  uv__stream_init(loop, stream_of(tcp), UV_TCP);
  tcp->socket = INVALID_SOCKET;
  tcp->delayed_error = 0;
  memset(&tcp->tcp, 0, sizeof(tcp->tcp));
}

int uv__tcp_os_is_open(const uv_tcp_t* tcp) {
  return tcp->socket != INVALID_SOCKET;
}

int uv__tcp_take_socket(uv_tcp_t* tcp,
                        SOCKET sock,
                        int family,
                        enum uv__tcp_origin origin) {
  unsigned int flags = family == AF_INET6 ? UV__IPV6 : 0;

  int err = uv__tcp_apply_options(tcp, sock);
  if (err != 0)
    return err;
  err = uv__loop_attach(tcp->loop, (HANDLE) sock);
  if (err != 0 && origin == UV__TCP_OURS)
    return err;

  if (err != 0)
    flags |= UV__TCP_NO_PORT | UV__TCP_SHARED_SOCKET;
  else if (uv__sock_skip_port(sock))
    flags |= UV__SKIP_PORT;
  tcp->socket = sock;
  tcp->flags |= flags;
  return 0;
}

int uv__tcp_os_socket(uv_tcp_t* tcp, int domain) {
  SOCKET sock;

  if (uv__tcp_os_is_open(tcp))
    return 0;
  int err = uv__sock_open(domain, SOCK_STREAM, &sock);
  if (err != 0)
    return err;
  err = uv__tcp_take_socket(tcp, sock, domain, UV__TCP_OURS);
  if (err != 0)
    closesocket(sock);
  return err;
}

int uv__tcp_os_open(uv_tcp_t* tcp, uv_os_sock_t sock) {
  if (uv__tcp_os_is_open(tcp))
    return UV_EBUSY;

  int family = uv__sock_family(sock);
  if (family < 0)
    return family;
  int err = uv__sock_adopt(sock);
  if (err == 0)
    err = uv__tcp_take_socket(tcp, sock, family, UV__TCP_FOREIGN);
  if (err != 0)
    return err;

  uv__stream_opened(stream_of(tcp), uv__sock_state_flags(sock, UV__CONNECTED) |
                                        UV__READABLE | UV__WRITABLE);
  return 0;
}

int uv__tcp_os_bind(uv_tcp_t* tcp,
                    const struct sockaddr* addr,
                    unsigned int len,
                    unsigned int flags) {
  /* Windows does not balance load between sockets on the same port, and its
   * SO_REUSEADDR lets other processes take over the port. */
  if (flags & UV_TCP_REUSEPORT)
    return UV_ENOTSUP;

  int err = uv__tcp_os_socket(tcp, addr->sa_family);
  if (err == 0 && addr->sa_family == AF_INET6 && (tcp->flags & UV__IPV6))
    err = uv__sock_set(tcp->socket, IPPROTO_IPV6, IPV6_V6ONLY,
                       (flags & UV_TCP_IPV6ONLY) != 0);
  if (err != 0)
    return err;

  int sys_error =
      bind(tcp->socket, addr, (int) len) == 0 ? 0 : WSAGetLastError();
  if (sys_error != 0 && sys_error != WSAEADDRINUSE)
    return uv_translate_sys_error(sys_error);

  /* A Winsock error, because it is sent to other processes: tcp-xfer.c. */
  tcp->delayed_error = sys_error;
  tcp->flags |= UV__BOUND;
  return 0;
}

int uv__tcp_os_getsockname(const uv_tcp_t* tcp,
                           struct sockaddr* name,
                           int* namelen) {
  if (tcp->delayed_error != 0)
    return uv_translate_sys_error(tcp->delayed_error);
  return uv__sock_local_name(tcp->socket, name, namelen);
}

int uv__tcp_os_getpeername(const uv_tcp_t* tcp,
                           struct sockaddr* name,
                           int* namelen) {
  if (tcp->delayed_error != 0)
    return uv_translate_sys_error(tcp->delayed_error);
  return uv__sock_peer_name(tcp->socket, name, namelen);
}

int uv__tcp_overlapped(uv_tcp_t* tcp,
                       void* request,
                       struct uv__event_req places,
                       OVERLAPPED** out) {
  *out = uv__req_overlapped(request);
  if (tcp->flags & UV__TCP_NO_PORT)
    return uv__event_req_prepare(places, *out);
  return 0;
}

void uv__tcp_submitted(uv_tcp_t* tcp,
                       void* request,
                       int pending,
                       struct uv__event_req places) {
  if (!pending && (tcp->flags & (UV__SKIP_PORT | UV__TCP_NO_PORT)))
    uv__req_pend(tcp->loop, request);
  else if (tcp->flags & UV__TCP_NO_PORT)
    uv__event_req_wait(places, uv__base(tcp), request, tcp->socket);
  /* Otherwise the port reports the completion. */
}

/* Closing a socket need not end its pending operations: another process may
 * share it, a write may continue in the background (Wine 8 never completes
 * it), and a receive that the close cuts off may turn a graceful close into
 * a reset. */
static void cancel_all(uv_tcp_t* tcp) {
  if (tcp->reqs_pending > 0)
    CancelIoEx((HANDLE) tcp->socket, NULL);
}

enum uv__close_result uv__tcp_close(uv_handle_t* handle) {
  uv_tcp_t* tcp = (uv_tcp_t*) handle;

  if (tcp->flags & UV__LISTENING) {
    uv__tcp_accept_close(tcp);
  } else {
    if (tcp->flags & UV__READING)
      uv__tcp_read_stop(stream_of(tcp));
    uv__tcp_write_drop(tcp);
  }
  tcp->flags &= ~(UV__READABLE | UV__WRITABLE);

  if (uv__tcp_os_is_open(tcp)) {
    cancel_all(tcp);
    closesocket(tcp->socket);
    tcp->socket = INVALID_SOCKET;
  }
  uv__handle_stop(handle);
  return uv__close_when_idle(tcp->reqs_pending);
}

int uv__tcp_fileno(const uv_handle_t* handle, uv_os_fd_t* fd) {
  const uv_tcp_t* tcp = (const uv_tcp_t*) handle;

  if (!uv__tcp_os_is_open(tcp))
    return UV_EBADF;
  *fd = (HANDLE) tcp->socket;
  return 0;
}

/* 0, or why the socket cannot be given away. */
static int check_give_away(const uv_tcp_t* tcp) {
  const uv_stream_t* stream = (const uv_stream_t*) tcp;

  if (!uv__tcp_os_is_open(tcp))
    return UV_EBADF;
  /* Its accepts are in the system. */
  if (tcp->flags & UV__LISTENING)
    return UV_ENOTSUP;
  if ((tcp->flags & (UV__READING | UV__TCP_CONNECTING)) ||
      tcp->shutdown_req != NULL || stream->write_queue_size != 0 ||
      stream->write_reqs_pending != 0)
    return UV_EBUSY;
  if (tcp->delayed_error != 0)
    return uv_translate_sys_error(tcp->delayed_error);
  /* Another port has it already, which need not be ours. */
  if ((tcp->flags & UV__TCP_NO_PORT) || !uv__detach_works())
    return UV_ENOTSUP;
  return 0;
}

/* A zero-byte receive stays pending when reading stops. It has to end before
 * the socket can leave the port; its completion arrives later, at the handle,
 * which may have another socket by then: uv__tcp_read_done() ignores it. */
static int tcp_give_away(uv_stream_t* stream, uv_os_fd_t* fd) {
  uv_tcp_t* tcp = (uv_tcp_t*) stream;

  int err = check_give_away(tcp);
  if (err == 0 && (tcp->flags & UV__READ_PENDING))
    err = uv__detach_cancel(tcp->socket, &tcp->read_req);
  if (err == 0)
    err = uv__detach(tcp->socket);
  if (err != 0)
    return err;

  *fd = (HANDLE) tcp->socket;
  tcp->socket = INVALID_SOCKET;
  tcp->flags = UV__REF | (tcp->flags & UV__READ_PENDING);
  memset(&tcp->tcp, 0, sizeof(tcp->tcp));
  return 0;
}

static int is_open(const uv_stream_t* stream) {
  return uv__tcp_os_is_open((const uv_tcp_t*) stream);
}

static void tcp_release(uv_stream_t* stream) {
  if (stream->flags & UV__LISTENING)
    uv__tcp_accept_release((uv_tcp_t*) stream);
}

/* Handles can be passed over pipes only, and writes never block. */
const struct uv__stream_ops uv__tcp_stream_ops = {
  .is_open = is_open,
  .listen = uv__tcp_listen,
  .accept = uv__tcp_accept,
  .accept_fd = uv__tcp_accept_fd,
  .reject = uv__tcp_reject,
  .listen_pause = uv__tcp_listen_pause,
  .give_away = tcp_give_away,
  .read_start = uv__tcp_read_start,
  .read_stop = uv__tcp_read_stop,
  .try_read = uv__tcp_try_read,
  .has_unread = uv__tcp_has_unread,
  .can_send = NULL,
  .write = uv__tcp_write,
  .try_write = uv__tcp_try_write,
  .shutdown = uv__tcp_shutdown,
  .shutdown_after_write = uv__tcp_shutdown_after_write,
  .set_blocking = NULL,
  .cancel_write = uv__tcp_cancel_write,
  .cancel_connect = uv__tcp_cancel_connect,
  .release = tcp_release,
};
