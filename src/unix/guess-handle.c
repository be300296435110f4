/* SPDX-License-Identifier: MIT */
/* Which type of handle suits a descriptor. Context: any. */
#include "base.h"
#include "unix/sock.h"

#include <sys/stat.h>
#include <unistd.h>

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
