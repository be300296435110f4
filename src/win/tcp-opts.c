/* SPDX-License-Identifier: MIT */
/* Options of TCP sockets. */
#include "win/sock.h"
#include "win/tcp.h"

#include <limits.h>
#include <mstcpip.h>

/* Idle time if keepalive was requested before the socket existed. */
#define DEFAULT_IDLE_S 60

/* Windows 10 1709 and later; missing in some SDKs. */
enum { OPTION_KEEPIDLE = 3, OPTION_KEEPCNT = 16, OPTION_KEEPINTVL = 17 };

static int clamp_int(unsigned int value) {
  return value > INT_MAX ? INT_MAX : (int) value;
}

static ULONG to_ms(unsigned int seconds) {
  return seconds > ULONG_MAX / 1000 ? ULONG_MAX : seconds * 1000ul;
}

/* The older interface, with a fixed number of ten probes. */
static int set_keepalive_values(SOCKET sock,
                                unsigned int idle_s,
                                unsigned int interval_s) {
  struct tcp_keepalive values = { 1, to_ms(idle_s), to_ms(interval_s) };
  DWORD bytes;

  if (WSAIoctl(sock, SIO_KEEPALIVE_VALS, &values, sizeof(values), NULL, 0,
               &bytes, NULL, NULL) != 0)
    return uv__wsa_error();
  return 0;
}

static int set_keepalive(SOCKET sock,
                         int on,
                         unsigned int idle_s,
                         unsigned int interval_s,
                         unsigned int probes) {
  int err = uv__sock_set(sock, SOL_SOCKET, SO_KEEPALIVE, on != 0);
  if (err != 0 || !on)
    return err;

  err = uv__sock_set(sock, IPPROTO_TCP, OPTION_KEEPIDLE, clamp_int(idle_s));
  if (err == 0)
    err = uv__sock_set(sock, IPPROTO_TCP, OPTION_KEEPINTVL,
                       clamp_int(interval_s));
  if (err == 0)
    err = uv__sock_set(sock, IPPROTO_TCP, OPTION_KEEPCNT, clamp_int(probes));
  if (err == UV_ENOPROTOOPT || err == UV_EINVAL)
    err = set_keepalive_values(sock, idle_s, interval_s);
  return err;
}

int uv__tcp_os_nodelay(uv_tcp_t* tcp, int on) {
  return uv__sock_set(tcp->socket, IPPROTO_TCP, TCP_NODELAY, on != 0);
}

int uv__tcp_os_keepalive(uv_tcp_t* tcp,
                         int on,
                         unsigned int idle_s,
                         unsigned int interval_s,
                         unsigned int probes) {
  return set_keepalive(tcp->socket, on, idle_s, interval_s, probes);
}

int uv__tcp_apply_options(const uv_tcp_t* tcp, SOCKET sock) {
  int err = 0;

  if (tcp->flags & UV__TCP_NODELAY)
    err = uv__sock_set(sock, IPPROTO_TCP, TCP_NODELAY, 1);
  if (err == 0 && (tcp->flags & UV__TCP_KEEPALIVE))
    err = set_keepalive(sock, 1, DEFAULT_IDLE_S, UV__KEEPALIVE_INTERVAL_S,
                        UV__KEEPALIVE_PROBES);
  return err;
}

int uv__tcp_os_simultaneous_accepts(uv_tcp_t* tcp, int on) {
  /* uv_listen() allocates the accepts; later, only fewer can be pending. */
  int is_server = (tcp->flags & UV__LISTENING) != 0;
  unsigned int single =
      is_server ? UV__TCP_SHARED_SOCKET : UV__TCP_SINGLE_ACCEPT;

  if (tcp->flags & UV__CONNECTED)
    return UV_EINVAL;
  /* As in libuv, there is no way back. */
  if (on)
    return tcp->flags & (single | UV__TCP_SINGLE_ACCEPT) ? UV_ENOTSUP : 0;
  tcp->flags |= single;
  return 0;
}

int uv__tcp_os_reset_on_close(uv_tcp_t* tcp) {
  struct linger linger = { 1, 0 };

  if (!uv__tcp_os_is_open(tcp))
    return UV_EBADF;
  if (setsockopt(tcp->socket, SOL_SOCKET, SO_LINGER, (const char*) &linger,
                 sizeof(linger)) != 0)
    return uv__wsa_error();
  return 0;
}
