/* SPDX-License-Identifier: MIT */
/* File descriptors: opening, flags, closing. Context: any. */
#ifndef UV_UNIX_FD_H_
#define UV_UNIX_FD_H_

#include "util/base.h"

#include <errno.h>
#include <unistd.h>

/* The error of the call just made, as UV_E*. */
int uv__errno(void);

/* Closes the fd; EINTR and EINPROGRESS count as success, because the fd is
 * closed. Preserves errno. Returns 0 or UV_E*. */
int uv__fd_close(int fd);

/* open(2) with O_CLOEXEC and EINTR retried: fd or UV_E*. */
int uv__fd_open(const char* path, int flags, int mode);

/* 0 or UV_E*. Avoids unnecessary system calls. */
int uv__fd_nonblock(int fd, int on);
int uv__fd_cloexec(int fd, int on);

/* F_DUPFD_CLOEXEC: the new fd (>= 0) or UV_E*. */
int uv__fd_dup(int fd);

/* For descriptors of the library's own: moves it out of the way of the standard
 * streams, where a program that closed those opens files of its own. The fd, or
 * UV_E* and the fd is closed; a negative fd is returned. */
int uv__fd_above_stdio(int fd);

/* A kqueue of the library's own, not below 3, closed by exec: fd or UV_E*. Only
 * where there are kqueues. */
int uv__fd_kqueue(void);

/* F_GETFL: the flags (>= 0) or UV_E*. */
int uv__fd_flags(int fd);

/* A pipe; `flags` are O_CLOEXEC and/or O_NONBLOCK for both ends. */
int uv__fd_pipe(int fds[2], int flags);

/* The same for the library's own use: both ends are above the standard
 * streams. */
int uv__fd_pipe_above_stdio(int fds[2], int flags);

/* read(2) and write(2) with EINTR retried: bytes or UV_E*. */
static inline ssize_t uv__fd_read(int fd, void* buf, size_t len) {
  ssize_t n;

  do
    n = read(fd, buf, len);
  while (n == -1 && errno == EINTR);
  return n == -1 ? uv__errno() : n;
}

static inline ssize_t uv__fd_write(int fd, const void* buf, size_t len) {
  ssize_t n;

  do
    n = write(fd, buf, len);
  while (n == -1 && errno == EINTR);
  return n == -1 ? uv__errno() : n;
}

#endif /* UV_UNIX_FD_H_ */
