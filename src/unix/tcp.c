/* SPDX-License-Identifier: MIT */
/* TCP sockets: creating, binding, connecting, closing. */
#include "os/tcp.h"
#include "unix/fd.h"
#include "unix/sock.h"
#include "unix/stream.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>

static uv_stream_t* stream_of(uv_tcp_t* tcp) {
  return (uv_stream_t*) tcp;
}

void uv__tcp_os_init(uv_loop_t* loop, uv_tcp_t* tcp) {
  uv__stream_init(loop, stream_of(tcp), UV_TCP);
}

enum uv__close_result uv__tcp_close(uv_handle_t* handle) {
  assert(handle->type == UV_TCP);
  uv__stream_close((uv_stream_t*) handle);
  return UV__CLOSE_DONE;
}

int uv__tcp_os_is_open(const uv_tcp_t* tcp) {
  return tcp->io_watcher.fd != -1;
}

int uv__tcp_os_socket(uv_tcp_t* tcp, int domain) {
  if (uv__tcp_os_is_open(tcp))
    return 0;

  int fd = uv__sock_open(domain, SOCK_STREAM, 0);
  if (fd < 0)
    return fd;
  int err = uv__stream_open(stream_of(tcp), fd, UV__STREAM_SOCKET);
  if (err != 0) {
    uv__fd_close(fd);
    return err;
  }
  if (domain == AF_INET6)
    tcp->flags |= UV__IPV6;
  return 0;
}

int uv__tcp_os_open(uv_tcp_t* tcp, uv_os_sock_t sock) {
  if (sock < 0)
    return UV_EBADF;
  if (uv__io_fd_taken(tcp->loop, sock))
    return UV_EEXIST;

  int err = uv__fd_nonblock(sock, 1);
  if (err != 0)
    return err;
  return uv__stream_open(stream_of(tcp), sock, UV__READABLE | UV__WRITABLE);
}

int uv__tcp_prepare_bind(int fd, int family, unsigned int flags) {
  /* Always, so that a server can bind despite connections in TIME_WAIT. */
  int err = uv__sock_reuseaddr(fd);
  if (err == 0 && (flags & UV_TCP_REUSEPORT))
    err = uv__sock_reuseport(fd);
  if (err != 0 || family != AF_INET6)
    return err;
  return uv__sock_v6only(fd, (flags & UV_TCP_IPV6ONLY) != 0);
}

int uv__tcp_os_bind(uv_tcp_t* tcp,
                    const struct sockaddr* addr,
                    unsigned int len,
                    unsigned int flags) {
  int err = uv__tcp_os_socket(tcp, addr->sa_family);
  if (err != 0)
    return err;
  int fd = tcp->io_watcher.fd;
  err = uv__tcp_prepare_bind(fd, addr->sa_family, flags);
  if (err != 0)
    return err;

  err = bind(fd, addr, len) == 0 ? 0 : uv__errno();
  /* The socket has the other address family. */
  if (err == UV_EAFNOSUPPORT)
    return UV_EINVAL;
  if (err != 0 && err != UV_EADDRINUSE)
    return err;

  tcp->delayed_error = err;
  tcp->flags |= UV__BOUND;
  return 0;
}

int uv__tcp_ready_to_listen(uv_tcp_t* tcp) {
  if (tcp->delayed_error != 0)
    return tcp->delayed_error;
  return uv__tcp_os_socket(tcp, AF_INET); /* listen(2) picks a port */
}

/* The scope of an interface with link-local addresses; 0 if there is none. */
static uint32_t link_local_scope(void) {
  struct ifaddrs* list;

  if (getifaddrs(&list) != 0)
    return 0; /* connect reports the error */
  uint32_t scope = uv__ifaddrs_link_scope(list);
  freeifaddrs(list);
  return scope;
}

/* Adds the scope that a link-local address needs if the caller omitted it. */
static const struct sockaddr* with_scope(const struct sockaddr* addr,
                                         struct sockaddr_in6* copy) {
  if (addr->sa_family != AF_INET6)
    return addr;
  memcpy(copy, addr, sizeof(*copy));
  if (copy->sin6_scope_id != 0 || !IN6_IS_ADDR_LINKLOCAL(&copy->sin6_addr))
    return addr;
  copy->sin6_scope_id = link_local_scope();
  return (const struct sockaddr*) copy;
}

int uv__tcp_os_connect(uv_connect_t* req,
                       uv_tcp_t* tcp,
                       const struct sockaddr* addr,
                       unsigned int len) {
  struct sockaddr_in6 scoped;

  if (tcp->connect_req != NULL)
    return UV_EALREADY;
  int err = uv__tcp_os_socket(tcp, addr->sa_family);
  if (err != 0)
    return err;
  /* The callback reports the delayed error of bind. */
  if (tcp->delayed_error != 0) {
    uv__stream_connecting(stream_of(tcp), req, tcp->delayed_error);
    return 0;
  }

  int result =
      uv__sock_connect(tcp->io_watcher.fd, with_scope(addr, &scoped), len);
  /* It also reports a refusal by the peer. Other errors are returned. */
  if (result < 0 && result != UV_ECONNREFUSED)
    return result;
  tcp->flags |= UV__READABLE | UV__WRITABLE;
  uv__stream_connecting(stream_of(tcp), req, result);
  return 0;
}

int uv__tcp_os_getsockname(const uv_tcp_t* tcp,
                           struct sockaddr* name,
                           int* namelen) {
  if (tcp->delayed_error != 0)
    return tcp->delayed_error;
  return uv__sock_local_name(tcp->io_watcher.fd, name, namelen);
}

int uv__tcp_os_getpeername(const uv_tcp_t* tcp,
                           struct sockaddr* name,
                           int* namelen) {
  if (tcp->delayed_error != 0)
    return tcp->delayed_error;
  return uv__sock_peer_name(tcp->io_watcher.fd, name, namelen);
}
