/* SPDX-License-Identifier: MIT */
/* UDP sockets: initialisation, binding, connecting, closing. */
#include "win/udp.h"
#include "win/afd.h"
#include "win/detach.h"
#include "win/loop.h"
#include "win/sock.h"

#include <string.h>

static_assert(sizeof(AFD_POLL_INFO) <= sizeof(struct sockaddr_storage),
              "no room for the question in recv_from");

int uv__udp_os_is_open(const uv_udp_t* handle) {
  return handle->socket != INVALID_SOCKET;
}

/* Gives `sock` to the handle; on failure the caller keeps it. */
static int take_socket(uv_udp_t* handle,
                       SOCKET sock,
                       int family,
                       int is_foreign) {
  SOCKET base;

  /* Some layered providers refuse to name it (see udp-recv.c). */
  int err = uv__afd_base_socket(sock, &base);
  if (err == UV_ENOTSOCK)
    return err;
  if (err != 0)
    base = INVALID_SOCKET;
  err = uv__loop_attach(handle->loop, (HANDLE) sock);
  if (err != 0 && !is_foreign)
    return err;

  if (err != 0)
    handle->flags |= UV__UDP_NO_PORT;
  if (family == AF_INET6)
    handle->flags |= UV__IPV6;
  handle->socket = sock;
  handle->recv_buffer.base = (char*) base;
  return 0;
}

static int open_socket(uv_udp_t* handle, int domain) {
  SOCKET sock;

  int err = uv__sock_open(domain, SOCK_DGRAM, &sock);
  if (err != 0)
    return err;
  err = take_socket(handle, sock, domain, 0);
  if (err != 0)
    closesocket(sock);
  return err;
}

/* UV_UDP_RECVMMSG is accepted but has no effect: datagrams are received one by
 * one, and uv_udp_using_recvmmsg() returns false. */
int uv__udp_os_init(uv_udp_t* handle,
                    uv_loop_t* loop,
                    int domain,
                    unsigned flags) {
  (void) flags;
  uv__handle_init(loop, uv__base(handle), UV_UDP);
  handle->socket = INVALID_SOCKET;
  handle->reqs_pending = 0;
  handle->activecnt = 0;
  handle->recv_buffer = uv_buf_init(NULL, 0);
  handle->alloc_cb = NULL;
  handle->recv_cb = NULL;
  handle->func_wsarecv = NULL;
  handle->func_wsarecvfrom = NULL;
  handle->send_queue_size = 0;
  handle->send_queue_count = 0;
  uv__req_init_own(&handle->recv_req, UV_UDP_RECV, handle);

  if (domain == AF_UNSPEC)
    return 0;
  int err = open_socket(handle, domain);
  if (err != 0)
    uv__handle_discard(uv__base(handle));
  return err;
}

int uv__udp_os_open(uv_udp_t* handle, uv_os_sock_t sock, unsigned flags) {
  if (flags & UV_UDP_REUSEPORT)
    return UV_ENOTSUP;

  int family = uv__sock_family(sock);
  if (family < 0)
    return family;
  int err = uv__sock_adopt(sock);
  if (err == 0 && (flags & UV_UDP_REUSEADDR))
    err = uv__sock_set(sock, SOL_SOCKET, SO_REUSEADDR, 1);
  if (err == 0)
    err = take_socket(handle, sock, family, 1);
  if (err == 0)
    handle->flags |= uv__sock_state_flags(sock, UV__UDP_CONNECTED);
  return err;
}

static int check_give_away(const uv_udp_t* handle) {
  if (!uv__udp_os_is_open(handle))
    return UV_EBADF;
  if ((handle->flags & UV__READING) || handle->send_queue_count != 0)
    return UV_EBUSY;
  if (handle->flags & UV__UDP_NO_PORT)
    return UV_ENOTSUP;
  /* A thread waits with the socket (poll-slow.c). */
  if ((handle->flags & UV__READ_PENDING) &&
      uv__udp_base(handle) == INVALID_SOCKET)
    return UV_ENOTSUP;
  return uv__detach_works() ? 0 : UV_ENOTSUP;
}

/* Receiving waits with a poll of the AFD device, not of the socket. If one is
 * pending, its completion arrives later, and is ignored. */
int uv__udp_os_release(uv_udp_t* handle, uv_os_fd_t* fd) {
  int err = check_give_away(handle);
  if (err == 0)
    err = uv__detach(handle->socket);
  if (err != 0)
    return err;

  (void) uv__udp_recv_cancel(handle);
  *fd = (HANDLE) handle->socket;
  handle->socket = INVALID_SOCKET;
  handle->flags = UV__REF | (handle->flags & UV__READ_PENDING);
  return 0;
}

static int set_bind_options(uv_udp_t* handle, int family, unsigned int flags) {
  SOCKET sock = handle->socket;
  int err = 0;

  if (flags & UV_UDP_REUSEADDR)
    err = uv__sock_set(sock, SOL_SOCKET, SO_REUSEADDR, 1);
  /* Set it either way: on Windows dual stack is off by default. */
  if (err == 0 && family == AF_INET6 && (handle->flags & UV__IPV6))
    err = uv__sock_set(sock, IPPROTO_IPV6, IPV6_V6ONLY,
                       (flags & UV_UDP_IPV6ONLY) != 0);
  return err;
}

int uv__udp_os_bind(uv_udp_t* handle,
                    struct uv__endpoint local,
                    unsigned flags) {
  int family = local.addr->sa_family;
  int err = 0;

  /* Windows does not balance load between sockets on the same port. */
  if (flags & UV_UDP_REUSEPORT)
    return UV_ENOTSUP;
  /* libuv ignores a second bind on Windows, also of a socket that was bound
   * when it was opened. */
  if (handle->flags & UV__BOUND)
    return 0;
  if (!uv__udp_os_is_open(handle))
    err = open_socket(handle, family);
  if (err == 0)
    err = set_bind_options(handle, family, flags);
  if (err != 0)
    return err;

  if (bind(handle->socket, local.addr, (int) local.len) != 0)
    return uv__wsa_error();
  handle->flags |= UV__BOUND;
  return 0;
}

int uv__udp_ensure_bound(uv_udp_t* handle, int domain) {
  union uv__ip_addr addr;

  if (handle->flags & (UV__BOUND | UV__UDP_CONNECTED))
    return 0;
  if (uv__udp_os_is_open(handle))
    domain = handle->flags & UV__IPV6 ? AF_INET6 : AF_INET;
  if (domain != AF_INET && domain != AF_INET6)
    return UV_EINVAL;

  memset(&addr, 0, sizeof(addr));
  addr.any.sa_family = (ADDRESS_FAMILY) domain;
  struct uv__endpoint local = { &addr.any, uv__addr_os_len(&addr.any) };
  return uv__udp_os_bind(handle, local, 0);
}

int uv__udp_os_connect(uv_udp_t* handle, struct uv__endpoint peer) {
  int err = uv__udp_ensure_bound(handle, peer.addr->sa_family);
  if (err != 0)
    return err;

  if (connect(handle->socket, peer.addr, (int) peer.len) != 0)
    return uv__wsa_error();
  handle->flags |= UV__UDP_CONNECTED;
  return 0;
}

/* Documented: disconnect by connecting to the all-zero address. */
int uv__udp_os_disconnect(uv_udp_t* handle) {
  struct sockaddr_storage none;
  int len = handle->flags & UV__IPV6 ? sizeof(struct sockaddr_in6)
                                     : sizeof(struct sockaddr_in);

  memset(&none, 0, sizeof(none));
  if (connect(handle->socket, (struct sockaddr*) &none, len) != 0)
    return uv__wsa_error();
  handle->flags &= ~UV__UDP_CONNECTED;
  return 0;
}

void uv__udp_close_socket(uv_udp_t* handle) {
  closesocket(handle->socket);
  handle->socket = INVALID_SOCKET;
}

enum uv__close_result uv__udp_close(uv_handle_t* base) {
  uv_udp_t* handle = (uv_udp_t*) base;

  if (uv__udp_os_is_open(handle)) {
    int may_close = uv__udp_recv_cancel(handle);
    /* If the socket is shared, closing our handle does not cancel our sends. */
    if (handle->send_queue_count > 0)
      CancelIoEx((HANDLE) handle->socket, NULL);
    if (may_close)
      uv__udp_close_socket(handle);
  }
  handle->flags &= ~UV__READING;
  uv__handle_stop(base);
  return uv__close_when_idle(handle->reqs_pending);
}

int uv__udp_fileno(const uv_handle_t* base, uv_os_fd_t* fd) {
  const uv_udp_t* handle = (const uv_udp_t*) base;

  if (!uv__udp_os_is_open(handle))
    return UV_EBADF;
  *fd = (HANDLE) handle->socket;
  return 0;
}

int uv__udp_os_getsockname(const uv_udp_t* handle,
                           struct sockaddr* name,
                           int* namelen) {
  return uv__sock_local_name(handle->socket, name, namelen);
}

int uv__udp_os_getpeername(const uv_udp_t* handle,
                           struct sockaddr* name,
                           int* namelen) {
  return uv__sock_peer_name(handle->socket, name, namelen);
}
