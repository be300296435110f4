/* SPDX-License-Identifier: MIT */
/* TCP API: argument checks, and options that are remembered until a socket
 * exists.
 */
#include "os/tcp.h"
#include "observe/hooks.h"
#include "os/addr.h"

/* uv_tcp_init_ex(): the address family is in the low byte. */
#define INIT_FAMILY_MASK 0xFFu
#define BIND_FLAGS (UV_TCP_IPV6ONLY | UV_TCP_REUSEPORT)

/* Returns the length of the address, or 0 for an unsupported family. */
static unsigned int address_length(const struct sockaddr* addr) {
  if (addr == NULL)
    return 0;
  if (addr->sa_family == AF_INET)
    return sizeof(struct sockaddr_in);
  if (addr->sa_family == AF_INET6)
    return sizeof(struct sockaddr_in6);
  return 0;
}

int uv_tcp_init_ex(uv_loop_t* loop, uv_tcp_t* tcp, unsigned int flags) {
  int domain = (int) (flags & INIT_FAMILY_MASK);

  if (loop == NULL || tcp == NULL || (flags & ~INIT_FAMILY_MASK) != 0)
    return UV_EINVAL;
  if (domain != AF_INET && domain != AF_INET6 && domain != AF_UNSPEC)
    return UV_EINVAL;

  uv__tcp_os_init(loop, tcp);
  if (domain == AF_UNSPEC)
    return 0;

  int err = uv__tcp_os_socket(tcp, domain);
  if (err != 0)
    uv__handle_discard(uv__base(tcp));
  return err;
}

int uv_tcp_init(uv_loop_t* loop, uv_tcp_t* tcp) {
  return uv_tcp_init_ex(loop, tcp, AF_UNSPEC);
}

int uv_tcp_open(uv_tcp_t* tcp, uv_os_sock_t sock) {
  if (tcp == NULL || uv__is_closing(uv__base(tcp)))
    return UV_EINVAL;

  return uv__tcp_os_open(tcp, sock);
}

int uv_tcp_bind(uv_tcp_t* tcp,
                const struct sockaddr* addr,
                unsigned int flags) {
  unsigned int len = address_length(addr);

  if (tcp == NULL || len == 0 || uv__is_closing(uv__base(tcp)))
    return UV_EINVAL;
  /* Reject unknown flags: one from a later release must not appear to work. */
  if (flags & ~(unsigned int) BIND_FLAGS)
    return UV_EINVAL;
  if ((flags & UV_TCP_IPV6ONLY) && addr->sa_family != AF_INET6)
    return UV_EINVAL;

  return uv__tcp_os_bind(tcp, addr, len, flags);
}

int uv_tcp_connect(uv_connect_t* req,
                   uv_tcp_t* tcp,
                   const struct sockaddr* addr,
                   uv_connect_cb cb) {
  unsigned int len = address_length(addr);

  if (req == NULL || tcp == NULL || len == 0)
    return UV_EINVAL;
  if (uv__is_closing(uv__base(tcp)))
    return UV_EINVAL;

  req->cb = cb;
  uv__hook_addr(req, addr);
  return uv__tcp_os_connect(req, tcp, addr, len);
}

/* The flags remember options for a socket that does not exist yet. */
static void flag_set(uv_tcp_t* tcp, unsigned int flag, int on) {
  if (on)
    tcp->flags |= flag;
  else
    tcp->flags &= ~flag;
}

int uv_tcp_nodelay(uv_tcp_t* tcp, int on) {
  if (tcp == NULL)
    return UV_EINVAL;

  if (uv__tcp_os_is_open(tcp)) {
    int err = uv__tcp_os_nodelay(tcp, on);
    if (err != 0)
      return err;
  }
  flag_set(tcp, UV__TCP_NODELAY, on);
  return 0;
}

int uv_tcp_keepalive_ex(uv_tcp_t* tcp,
                        int on,
                        unsigned int idle,
                        unsigned int intvl,
                        unsigned int cnt) {
  if (tcp == NULL)
    return UV_EINVAL;

  if (uv__tcp_os_is_open(tcp)) {
    if (on && (idle < 1 || intvl < 1 || cnt < 1))
      return UV_EINVAL;
    int err = uv__tcp_os_keepalive(tcp, on, idle, intvl, cnt);
    if (err != 0)
      return err;
  }
  flag_set(tcp, UV__TCP_KEEPALIVE, on);
  return 0;
}

int uv_tcp_keepalive(uv_tcp_t* tcp, int on, unsigned int delay) {
  return uv_tcp_keepalive_ex(tcp, on, delay, UV__KEEPALIVE_INTERVAL_S,
                             UV__KEEPALIVE_PROBES);
}

int uv_tcp_simultaneous_accepts(uv_tcp_t* tcp, int enable) {
  if (tcp == NULL)
    return UV_EINVAL;
  return uv__tcp_os_simultaneous_accepts(tcp, enable != 0);
}

int uv_tcp_getsockname(const uv_tcp_t* tcp,
                       struct sockaddr* name,
                       int* namelen) {
  if (tcp == NULL || uv__addr_out_check(name, namelen) != 0)
    return UV_EINVAL;
  return uv__tcp_os_getsockname(tcp, name, namelen);
}

int uv_tcp_getpeername(const uv_tcp_t* tcp,
                       struct sockaddr* name,
                       int* namelen) {
  if (tcp == NULL || uv__addr_out_check(name, namelen) != 0)
    return UV_EINVAL;
  return uv__tcp_os_getpeername(tcp, name, namelen);
}

int uv_tcp_close_reset(uv_tcp_t* tcp, uv_close_cb close_cb) {
  if (tcp == NULL)
    return UV_EINVAL;
  if (uv__is_closing(uv__base(tcp)))
    return UV_EBADF;
  /* A shutdown in progress is an orderly close; a reset would break it. */
  if (tcp->flags & UV__SHUTTING)
    return UV_EINVAL;

  int err = uv__tcp_os_reset_on_close(tcp);
  if (err != 0)
    return err;

  uv_close(uv__base(tcp), close_cb);
  return 0;
}
