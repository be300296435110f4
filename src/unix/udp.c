/* SPDX-License-Identifier: MIT */
/* UDP sockets: opening, binding, connecting, closing. */
#include "unix/udp.h"
#include "unix/fd.h"
#include "unix/os.h"
#include "unix/sock.h"
#include "util/queue.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

static int open_socket(uv_udp_t* handle, int domain) {
  int fd = uv__sock_open(domain, SOCK_DGRAM, 0);
  if (fd < 0)
    return fd;

  int err = uv__io_attach(handle->loop, &handle->io_watcher, fd);
  if (err != 0) {
    uv__fd_close(fd);
    return err;
  }
  if (domain == AF_INET6)
    handle->flags |= UV__IPV6;
  return 0;
}

int uv__udp_os_is_open(const uv_udp_t* handle) {
  return uv__udp_fd(handle) >= 0;
}

int uv__udp_os_init(uv_udp_t* handle,
                    uv_loop_t* loop,
                    int domain,
                    unsigned flags) {
  uv__handle_init(loop, uv__base(handle), UV_UDP);
  handle->alloc_cb = NULL;
  handle->recv_cb = NULL;
  handle->send_queue_size = 0;
  handle->send_queue_count = 0;
  uv__queue_init(&handle->write_queue);
  uv__queue_init(&handle->write_completed_queue);
  uv__io_init(&handle->io_watcher, UV__IO_UDP);
  if (flags & UV_UDP_RECVMMSG)
    handle->flags |= UV__UDP_RECVMMSG;

  if (domain == AF_UNSPEC)
    return 0;
  int err = open_socket(handle, domain);
  if (err != 0)
    uv__handle_discard(uv__base(handle));
  return err;
}

int uv__udp_os_open(uv_udp_t* handle, uv_os_sock_t fd, unsigned flags) {
  if (uv__io_fd_taken(handle->loop, fd))
    return UV_EEXIST;

  int err = uv__fd_nonblock(fd, 1);
  if (err == 0 && (flags & UV_UDP_REUSEADDR))
    err = uv__sock_reuse_udp(fd);
  if (err == 0 && (flags & UV_UDP_REUSEPORT))
    err = uv__sock_reuseport(fd);
  if (err == 0)
    err = uv__io_attach(handle->loop, &handle->io_watcher, fd);
  if (err != 0)
    return err;

  if (uv__sock_has_peer(fd))
    handle->flags |= UV__UDP_CONNECTED;
  int family = uv__sock_family(fd);
  if (family == AF_INET6)
    handle->flags |= UV__IPV6;
  else if (family != AF_INET)
    handle->flags |= UV__UDP_NOT_IP;
  return 0;
}

#if UV__HAVE_IP_RECVERR
static int report_icmp_errors(uv_udp_t* handle, int family) {
  int fd = uv__udp_fd(handle);

  handle->flags |= UV__UDP_NO_GSO;
  return family == AF_INET6 ? uv__sock_set(fd, IPPROTO_IPV6, IPV6_RECVERR, 1)
                            : uv__sock_set(fd, IPPROTO_IP, IP_RECVERR, 1);
}
#else
static int report_icmp_errors(uv_udp_t* handle, int family) {
  (void) handle;
  (void) family;
  return 0; /* documented as ignored elsewhere */
}
#endif

int uv__udp_os_release(uv_udp_t* handle, uv_os_fd_t* fd) {
  if (!uv__udp_os_is_open(handle))
    return UV_EBADF;
  if ((handle->flags & UV__READING) || handle->send_queue_count != 0)
    return UV_EBUSY;

  *fd = uv__udp_fd(handle);
  uv__io_close(handle->loop, &handle->io_watcher);
  uv__io_init(&handle->io_watcher, UV__IO_UDP);
  uv__handle_stop(uv__base(handle));
  /* DRAINING: a send callback may call this. */
  handle->flags =
      UV__REF | (handle->flags & (UV__UDP_RECVMMSG | UV__UDP_DRAINING));
  return 0;
}

static int set_bind_options(uv_udp_t* handle, int family, unsigned int flags) {
  int fd = uv__udp_fd(handle);
  int err = 0;

  if (flags & UV_UDP_LINUX_RECVERR)
    err = report_icmp_errors(handle, family);
  if (err == 0 && (flags & UV_UDP_REUSEADDR))
    err = uv__sock_reuse_udp(fd);
  if (err == 0 && (flags & UV_UDP_REUSEPORT))
    err = uv__sock_reuseport(fd);
  if (err == 0 && (flags & UV_UDP_IPV6ONLY))
    err = uv__sock_v6only(fd, 1);
  return err;
}

int uv__udp_os_bind(uv_udp_t* handle,
                    struct uv__endpoint local,
                    unsigned flags) {
  int family = local.addr->sa_family;
  int err = 0;

  if (!uv__udp_os_is_open(handle))
    err = open_socket(handle, family);
  if (err == 0)
    err = set_bind_options(handle, family, flags);
  if (err != 0)
    return err;

  if (bind(uv__udp_fd(handle), local.addr, local.len) != 0) {
    err = uv__errno();
    /* The socket has the other address family. */
    return err == UV_EAFNOSUPPORT ? UV_EINVAL : err;
  }
  handle->flags |= UV__BOUND;
  return 0;
}

int uv__udp_make_bound(uv_udp_t* handle, int domain, unsigned flags) {
  union uv__ip_addr any;

  if (domain != AF_INET && domain != AF_INET6)
    return UV_EINVAL;
  memset(&any, 0, sizeof(any));
  any.any.sa_family = (sa_family_t) domain;
  struct uv__endpoint local = { &any.any, uv__addr_os_len(&any.any) };
  return uv__udp_os_bind(handle, local, flags);
}

static int connect_to(int fd, const struct sockaddr* addr, socklen_t len) {
  int err;

  do
    err = connect(fd, addr, len) == 0 ? 0 : uv__errno();
  while (err == UV_EINTR);
  return err;
}

int uv__udp_os_connect(uv_udp_t* handle, struct uv__endpoint peer) {
  int err = uv__udp_ensure_socket(handle, peer.addr->sa_family);
  if (err != 0)
    return err;

  err = connect_to(uv__udp_fd(handle), peer.addr, peer.len);
  if (err == 0)
    handle->flags |= UV__UDP_CONNECTED;
  return err;
}

int uv__udp_os_disconnect(uv_udp_t* handle) {
  struct sockaddr none;

  memset(&none, 0, sizeof(none));
  none.sa_family = AF_UNSPEC;
  int err = connect_to(uv__udp_fd(handle), &none, sizeof(none));
  /* BSDs disconnect the socket but return an error for the address. */
  if (err != 0 && err != UV_EAFNOSUPPORT && err != UV_EINVAL)
    return err;
  handle->flags &= ~UV__UDP_CONNECTED;
  return 0;
}

void uv__udp_io(uv_loop_t* loop, uv__io_t* w, unsigned events) {
  uv_udp_t* handle = container_of(w, uv_udp_t, io_watcher);
  unsigned incoming = events & (POLLIN | POLLERR | POLLHUP);

  (void) loop;
  if (incoming != 0 && (handle->flags & UV__READING))
    uv__udp_recv_ready(handle, incoming);
  if ((events & (POLLOUT | POLLERR)) && !uv__is_closing(uv__base(handle)))
    uv__udp_send_ready(handle);
}

enum uv__close_result uv__udp_close(uv_handle_t* base) {
  uv_udp_t* handle = (uv_udp_t*) base;
  int fd = uv__udp_fd(handle);

  assert(base->type == UV_UDP);
  if (fd >= 0) {
    uv__io_close(handle->loop, &handle->io_watcher);
    uv__fd_close(fd);
    handle->io_watcher.fd = -1;
  }
  handle->flags &= ~UV__READING;
  uv__handle_stop(base);
  return UV__CLOSE_DONE;
}

enum uv__finish_result uv__udp_finish(uv_handle_t* base) {
  uv_udp_t* handle = (uv_udp_t*) base;

  assert(uv__is_closing(base));
  assert(uv__udp_fd(handle) == -1);
  uv__udp_cancel_sends(handle);
  handle->recv_cb = NULL;
  handle->alloc_cb = NULL;
  return UV__FINISH_DONE;
}

int uv__udp_fileno(const uv_handle_t* base, uv_os_fd_t* fd) {
  int own = uv__udp_fd((const uv_udp_t*) base);

  if (own < 0)
    return UV_EBADF;
  *fd = own;
  return 0;
}

int uv__udp_os_getsockname(const uv_udp_t* handle,
                           struct sockaddr* name,
                           int* namelen) {
  return uv__sock_local_name(uv__udp_fd(handle), name, namelen);
}

int uv__udp_os_getpeername(const uv_udp_t* handle,
                           struct sockaddr* name,
                           int* namelen) {
  return uv__sock_peer_name(uv__udp_fd(handle), name, namelen);
}
