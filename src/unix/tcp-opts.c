/* SPDX-License-Identifier: MIT */
/* Options of TCP sockets. */
#include "os/tcp.h"
#include "unix/fd.h"
#include "unix/sock.h"
#include "unix/stream.h"

#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

/* Idle time for keepalive that was requested before there was a socket. */
#define DEFAULT_IDLE_S 60

/* macOS has another name for the idle time. */
#if defined(TCP_KEEPIDLE)
# define IDLE_OPTION TCP_KEEPIDLE
#elif defined(TCP_KEEPALIVE)
# define IDLE_OPTION TCP_KEEPALIVE
#endif

static int clamp_int(unsigned int value) {
  return value > INT_MAX ? INT_MAX : (int) value;
}

static int set_nodelay(int fd, int on) {
  return uv__sock_set(fd, IPPROTO_TCP, TCP_NODELAY, on != 0);
}

#ifdef IDLE_OPTION
static int set_probes(int fd,
                      unsigned int idle_s,
                      unsigned int interval_s,
                      unsigned int probes) {
  int err = uv__sock_set(fd, IPPROTO_TCP, IDLE_OPTION, clamp_int(idle_s));
  if (err != 0)
    return err;
  err = uv__sock_set(fd, IPPROTO_TCP, TCP_KEEPINTVL, clamp_int(interval_s));
  if (err != 0)
    return err;
  return uv__sock_set(fd, IPPROTO_TCP, TCP_KEEPCNT, clamp_int(probes));
}
#else
/* OpenBSD: these settings are system-wide. */
static int set_probes(int fd,
                      unsigned int idle_s,
                      unsigned int interval_s,
                      unsigned int probes) {
  (void) fd;
  (void) clamp_int(idle_s);
  (void) interval_s;
  (void) probes;
  return 0;
}
#endif

static int set_keepalive(int fd,
                         int on,
                         unsigned int idle_s,
                         unsigned int interval_s,
                         unsigned int probes) {
  int err = uv__sock_set(fd, SOL_SOCKET, SO_KEEPALIVE, on != 0);
  if (err != 0 || !on)
    return err;
  return set_probes(fd, idle_s, interval_s, probes);
}

int uv__tcp_os_nodelay(uv_tcp_t* tcp, int on) {
  return set_nodelay(tcp->io_watcher.fd, on);
}

int uv__tcp_os_keepalive(uv_tcp_t* tcp,
                         int on,
                         unsigned int idle_s,
                         unsigned int interval_s,
                         unsigned int probes) {
  return set_keepalive(tcp->io_watcher.fd, on, idle_s, interval_s, probes);
}

int uv__tcp_apply_options(const uv_tcp_t* tcp, int fd) {
  if (tcp->flags & UV__TCP_NODELAY) {
    int err = set_nodelay(fd, 1);
    if (err != 0)
      return err;
  }
  if (!(tcp->flags & UV__TCP_KEEPALIVE))
    return 0;
  return set_keepalive(fd, 1, DEFAULT_IDLE_S, UV__KEEPALIVE_INTERVAL_S,
                       UV__KEEPALIVE_PROBES);
}

/* Only Windows queues several accepts; here it has no effect. */
int uv__tcp_os_simultaneous_accepts(uv_tcp_t* tcp, int on) {
  (void) tcp;
  (void) on;
  return 0;
}

int uv__tcp_os_reset_on_close(uv_tcp_t* tcp) {
  struct linger linger = { .l_onoff = 1, .l_linger = 0 };
  int fd = tcp->io_watcher.fd;

  if (fd == -1)
    return UV_EBADF;
  if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)) == 0)
    return 0;
  int err = uv__errno();
  /* macOS: EINVAL if the socket was already shut down; nothing to reset. */
  return err == UV_EINVAL ? 0 : err;
}
