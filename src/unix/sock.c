/* SPDX-License-Identifier: MIT */
/* Sockets: creating, accepting, options, names; socket pairs. See sock.h. */
#include "unix/sock.h"
#include "os/addr.h"
#include "os/handle-class.h"
#include "unix/fd.h"
#include "unix/os.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/un.h>

int uv__sock_set(int fd, int level, int option, int value) {
  if (setsockopt(fd, level, option, &value, sizeof(value)) != 0)
    return uv__errno();
  return 0;
}

#if UV__HAVE_SO_NOSIGPIPE
static int mute_sigpipe(int fd) {
  return uv__sock_set(fd, SOL_SOCKET, SO_NOSIGPIPE, 1);
}
#else
/* Writes use MSG_NOSIGNAL instead. */
static int mute_sigpipe(int fd) {
  (void) fd;
  return 0;
}
#endif

#if UV__HAVE_PIPE2
# define SOCK_FLAGS (SOCK_NONBLOCK | SOCK_CLOEXEC)
static int prepare_new(int fd) {
  (void) fd; /* created with both flags */
  return 0;
}
#else
# define SOCK_FLAGS 0
static int prepare_new(int fd) {
  int err = uv__fd_cloexec(fd, 1);
  return err == 0 ? uv__fd_nonblock(fd, 1) : err;
}
#endif

static int finish_new(int fd) {
  int err = prepare_new(fd);
  if (err == 0)
    err = mute_sigpipe(fd);
  if (err == 0)
    return fd;
  uv__fd_close(fd);
  return err;
}

int uv__sock_open(int domain, int type, int protocol) {
  int fd = socket(domain, type | SOCK_FLAGS, protocol);
  return fd == -1 ? uv__errno() : finish_new(fd);
}

#if UV__HAVE_PIPE2
int uv__sock_accept(int fd) {
  int client;

  do
    client = accept4(fd, NULL, NULL, SOCK_FLAGS);
  while (client == -1 && errno == EINTR);
  return client == -1 ? uv__errno() : client;
}
#else
int uv__sock_accept(int fd) {
  int client;

  do
    client = accept(fd, NULL, NULL);
  while (client == -1 && errno == EINTR);
  return client == -1 ? uv__errno() : finish_new(client);
}
#endif

int uv__sock_take_error(int fd) {
  int error = 0;
  socklen_t len = sizeof(error);

  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0)
    return uv__errno();
  return -error;
}

int uv__sock_has_urgent(int fd) {
  int is_inline = 0;
  socklen_t len = sizeof(is_inline);
  ssize_t n;
  char byte;

  do
    n = recv(fd, &byte, 1, MSG_OOB | MSG_PEEK | MSG_DONTWAIT);
  while (n == -1 && errno == EINTR);
  /* EAGAIN: it was announced and has not arrived. */
  if (n != -1 || (errno != EINVAL && errno != EAGAIN))
    return 1;
  /* It may be among other data, where it cannot be asked for. */
  return getsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &is_inline, &len) == 0 &&
         is_inline;
}

int uv__sock_reuseaddr(int fd) {
  return uv__sock_set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
}

int uv__sock_reuse_udp(int fd) {
  return uv__sock_set(fd, SOL_SOCKET, UV__SO_REUSE_UDP, 1);
}

int uv__sock_v6only(int fd, int on) {
  int err = uv__sock_set(fd, IPPROTO_IPV6, IPV6_V6ONLY, on);
  /* OpenBSD: IPv6 sockets are always IPv6-only; clearing the option is
   * EINVAL. */
  return err == UV_EINVAL && !on ? 0 : err;
}

#if UV__HAVE_REUSEPORT_LB
int uv__sock_reuseport(int fd) {
  return uv__sock_set(fd, SOL_SOCKET, UV__SO_REUSEPORT_LB, 1);
}
#else
int uv__sock_reuseport(int fd) {
  (void) fd;
  return UV_ENOTSUP;
}
#endif

int uv__handle_os_buffer_size(uv_handle_t* handle, int option, int* value) {
  socklen_t len = sizeof(*value);
  int fd;

  int err = uv_fileno(handle, &fd);
  if (err != 0)
    return err;
  if (*value != 0)
    return uv__sock_set(fd, SOL_SOCKET, option, *value);
  if (getsockopt(fd, SOL_SOCKET, option, value, &len) != 0)
    return uv__errno();
  return 0;
}

typedef int name_fn(int fd, struct sockaddr* name, socklen_t* len);

static int get_name(name_fn* ask, int fd, struct sockaddr* name, int* namelen) {
  if (fd < 0)
    return UV_EBADF;

  socklen_t len = (socklen_t) *namelen;
  if (ask(fd, name, &len) != 0)
    return uv__errno();
  *namelen = (int) len;
  return 0;
}

int uv__sock_local_name(int fd, struct sockaddr* name, int* namelen) {
  return get_name(getsockname, fd, name, namelen);
}

int uv__sock_peer_name(int fd, struct sockaddr* name, int* namelen) {
  return get_name(getpeername, fd, name, namelen);
}

int uv__sock_has_peer(int fd) {
  struct sockaddr_storage peer;
  int len = sizeof(peer);

  return uv__sock_peer_name(fd, (struct sockaddr*) &peer, &len) == 0;
}

int uv__sock_connect(int fd, const struct sockaddr* addr, socklen_t len) {
  if (connect(fd, addr, len) == 0)
    return 0;
  /* An interrupted connect continues in the background. */
  if (errno == EINPROGRESS || errno == EINTR)
    return 1;
  return uv__errno();
}

#if UV__HAVE_CONNECT_UNDO
void uv__sock_connect_undo(int fd, int is_tcp) {
  struct sockaddr none = { .sa_family = AF_UNSPEC };

  if (!is_tcp || connect(fd, &none, sizeof(none)) != 0)
    (void) shutdown(fd, SHUT_RDWR);
}
#else
void uv__sock_connect_undo(int fd, int is_tcp) {
  (void) is_tcp;
  (void) shutdown(fd, SHUT_RDWR);
}
#endif

int uv__sock_family(int fd) {
  struct sockaddr_storage name;
  socklen_t len = sizeof(name);

  if (getsockname(fd, (struct sockaddr*) &name, &len) != 0)
    return uv__errno();
  return name.ss_family;
}

static int get_option(int fd, int option) {
  int value;
  socklen_t len = sizeof(value);

  if (getsockopt(fd, SOL_SOCKET, option, &value, &len) != 0)
    return uv__errno();
  return value;
}

int uv__sock_type(int fd) {
  return get_option(fd, SO_TYPE);
}

#ifdef SO_PROTOCOL
int uv__sock_protocol(int fd) {
  return get_option(fd, SO_PROTOCOL);
}
#else
int uv__sock_protocol(int fd) {
  (void) fd;
  return UV_ENOTSUP;
}
#endif

static int set_blocking(const int pair[2], int flags0, int flags1) {
  int err = uv__fd_nonblock(pair[0], flags0 & UV_NONBLOCK_PIPE);
  return err != 0 ? err : uv__fd_nonblock(pair[1], flags1 & UV_NONBLOCK_PIPE);
}

#if UV__HAVE_PIPE2
/* Flags for both ends come with the pair; the rest is set afterwards. */
static int make_pair(int type, int protocol, int pair[2], int both) {
  type |= SOCK_CLOEXEC | (both ? SOCK_NONBLOCK : 0);
  return socketpair(AF_UNIX, type, protocol, pair) == 0 ? 0 : uv__errno();
}

static int finish_pair(const int pair[2], int flags0, int flags1) {
  int both = flags0 & flags1 & UV_NONBLOCK_PIPE;
  return both ? 0 : set_blocking(pair, flags0, flags1);
}
#else
static int make_pair(int type, int protocol, int pair[2], int both) {
  (void) both;
  return socketpair(AF_UNIX, type, protocol, pair) == 0 ? 0 : uv__errno();
}

static int finish_pair(const int pair[2], int flags0, int flags1) {
  int err = uv__fd_cloexec(pair[0], 1);
  if (err == 0)
    err = uv__fd_cloexec(pair[1], 1);
  if (err == 0)
    err = mute_sigpipe(pair[0]);
  if (err == 0)
    err = mute_sigpipe(pair[1]);
  return err == 0 ? set_blocking(pair, flags0, flags1) : err;
}
#endif

int uv_socketpair(int type,
                  int protocol,
                  uv_os_sock_t fds[2],
                  int flags0,
                  int flags1) {
  int pair[2];

  int err = make_pair(type, protocol, pair, flags0 & flags1 & UV_NONBLOCK_PIPE);
  if (err != 0)
    return err;
  err = finish_pair(pair, flags0, flags1);
  if (err != 0) {
    uv__fd_close(pair[0]);
    uv__fd_close(pair[1]);
    return err;
  }

  fds[0] = pair[0];
  fds[1] = pair[1];
  return 0;
}

unsigned int uv__addr_os_len(const struct sockaddr* addr) {
  static const struct {
    int family;
    unsigned int len;
  } known[] = {
    { AF_INET, sizeof(struct sockaddr_in) },
    { AF_INET6, sizeof(struct sockaddr_in6) },
    { AF_UNIX, sizeof(struct sockaddr_un) },
  };

  for (size_t i = 0; i < ARRAY_SIZE(known); i++)
    if (known[i].family == addr->sa_family)
      return known[i].len;

  return 0;
}

uint32_t uv__addr_os_scope(const char* zone) {
  /* Try the name first: an interface may be called "1". */
  uint32_t index = if_nametoindex(zone);
  return index != 0 ? index : uv__addr_scope_number(zone);
}
