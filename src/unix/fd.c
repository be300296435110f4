/* SPDX-License-Identifier: MIT */
/* File descriptors: opening, flags, closing, pipes; uv_guess_handle(). */
#include "unix/fd.h"
#include "unix/os.h"
#include "unix/sock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int uv__errno(void) {
  return -errno;
}

int uv__fd_close(int fd) {
  int saved = errno;
  int err = close(fd) == 0 ? 0 : uv__errno();

  errno = saved;
  /* The descriptor is closed in any case; a retry could close a reused one. */
  if (err == UV_EINTR || err == -EINPROGRESS)
    return 0;
  return err;
}

int uv__fd_open(const char* path, int flags, int mode) {
  int fd;

  do
    fd = open(path, flags | O_CLOEXEC, mode);
  while (fd == -1 && errno == EINTR);
  return fd == -1 ? uv__errno() : fd;
}

int uv__fd_flags(int fd) {
  int flags = fcntl(fd, F_GETFL);
  return flags == -1 ? uv__errno() : flags;
}

int uv__fd_nonblock(int fd, int on) {
  int flags = uv__fd_flags(fd);
  if (flags < 0)
    return flags;

  int wanted = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
  if (wanted == flags)
    return 0;
  return fcntl(fd, F_SETFL, wanted) == -1 ? uv__errno() : 0;
}

int uv__fd_cloexec(int fd, int on) {
  return fcntl(fd, F_SETFD, on ? FD_CLOEXEC : 0) == -1 ? uv__errno() : 0;
}

int uv__fd_dup(int fd) {
  int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  return copy == -1 ? uv__errno() : copy;
}

int uv__fd_above_stdio(int fd) {
  if (fd < 0 || fd > STDERR_FILENO)
    return fd;
  int copy = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (copy == -1)
    copy = uv__errno();
  uv__fd_close(fd);
  return copy;
}

#if UV__HAVE_PIPE2
int uv__fd_pipe(int fds[2], int flags) {
  return pipe2(fds, flags) == 0 ? 0 : uv__errno();
}
#else
static int set_flags(int fd, int flags) {
  int err = flags & O_CLOEXEC ? uv__fd_cloexec(fd, 1) : 0;
  if (err == 0 && (flags & O_NONBLOCK))
    err = uv__fd_nonblock(fd, 1);
  return err;
}

int uv__fd_pipe(int fds[2], int flags) {
  int pair[2];

  if (pipe(pair) != 0)
    return uv__errno();
  int err = set_flags(pair[0], flags);
  if (err == 0)
    err = set_flags(pair[1], flags);
  if (err != 0) {
    uv__fd_close(pair[0]);
    uv__fd_close(pair[1]);
    return err;
  }
  fds[0] = pair[0];
  fds[1] = pair[1];
  return 0;
}
#endif

static int close_pair(const int pair[2], int err) {
  uv__fd_close(pair[0]);
  uv__fd_close(pair[1]);
  return err;
}

int uv__fd_pipe_above_stdio(int fds[2], int flags) {
  int pair[2];
  int err = uv__fd_pipe(pair, flags);

  if (err != 0)
    return err;
  int in = uv__fd_above_stdio(pair[0]);
  int out = uv__fd_above_stdio(pair[1]);
  if (in >= 0 && out >= 0) {
    fds[0] = in;
    fds[1] = out;
    return 0;
  }
  if (in >= 0)
    uv__fd_close(in);
  if (out >= 0)
    uv__fd_close(out);
  return in < 0 ? in : out;
}

int uv_pipe(uv_file fds[2], int read_flags, int write_flags) {
  int pair[2];
  /* Flags for both ends come with the pipe; the rest is set afterwards. */
  int both = read_flags & write_flags & UV_NONBLOCK_PIPE;
  int err = uv__fd_pipe(pair, O_CLOEXEC | (both ? O_NONBLOCK : 0));

  if (err != 0)
    return err;
  if (!both && (read_flags & UV_NONBLOCK_PIPE))
    err = uv__fd_nonblock(pair[0], 1);
  if (err == 0 && !both && (write_flags & UV_NONBLOCK_PIPE))
    err = uv__fd_nonblock(pair[1], 1);
  if (err != 0)
    return close_pair(pair, err);

  fds[0] = pair[0];
  fds[1] = pair[1];
  return 0;
}

/* uv_guess_handle(): the handle type that suits a descriptor. */

static uv_handle_type guess_socket(int fd) {
  int family = uv__sock_family(fd);
  int type = 0;
  socklen_t len = sizeof(type);

  if (family < 0 || getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) != 0)
    return UV_UNKNOWN_HANDLE;

  int is_inet = family == AF_INET || family == AF_INET6;
  if (type == SOCK_STREAM && is_inet)
    return UV_TCP;
  if (type == SOCK_STREAM && family == AF_UNIX)
    return UV_NAMED_PIPE;
  if (type == SOCK_DGRAM && is_inet)
    return UV_UDP;
  return UV_UNKNOWN_HANDLE;
}

uv_handle_type uv_guess_handle(uv_file file) {
  struct stat st;

  if (file < 0)
    return UV_UNKNOWN_HANDLE;
  if (isatty(file))
    return UV_TTY;
  if (fstat(file, &st) != 0)
    return UV_UNKNOWN_HANDLE;

  switch (st.st_mode & S_IFMT) {
  case S_IFREG:
  case S_IFCHR:
    return UV_FILE;
  case S_IFIFO:
    return UV_NAMED_PIPE;
  case S_IFSOCK:
    return guess_socket(file);
  default:
    return UV_UNKNOWN_HANDLE;
  }
}
