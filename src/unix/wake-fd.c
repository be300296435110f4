/* SPDX-License-Identifier: MIT */
/* An eventfd where available, otherwise a pipe. */
#include "unix/wake-fd.h"
#include "unix/cancel.h"
#include "unix/fd.h"
#include "unix/loop.h"
#include "unix/os.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int* fds_of(const uv_loop_t* loop) {
  return uv__loop_os(loop)->wake_fd;
}

#if UV__HAVE_EVENTFD
# include <sys/eventfd.h>

static int open_pair(int fds[2]) {
  int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  fd = fd == -1 ? uv__errno() : uv__fd_above_stdio(fd);
  if (fd < 0)
    return fd;
  fds[0] = fd;
  fds[1] = fd;
  return 0;
}
#else
static int open_pair(int fds[2]) {
  return uv__fd_pipe_above_stdio(fds, O_CLOEXEC | O_NONBLOCK);
}
#endif

int uv__wake_fd_open(uv_loop_t* loop) {
  assert(fds_of(loop)[0] == -1);
  return open_pair(fds_of(loop));
}

void uv__wake_fd_close(uv_loop_t* loop) {
  int* fds = fds_of(loop);

  if (fds[0] == -1)
    return; /* closed by a failed reopen in a forked child */
  uv__fd_close(fds[0]);
  if (fds[1] != fds[0])
    uv__fd_close(fds[1]);
  fds[0] = -1;
  fds[1] = -1;
}

int uv__wake_fd_signal(uv_loop_t* loop) {
  static const uint64_t one = 1;
  int saved = errno;                       /* signal handlers call this */
  int saved_cancel = uv__cancel_disable(); /* a wake that is begun is sent */
  ssize_t n = uv__fd_write(fds_of(loop)[1], &one, sizeof(one));

  uv__cancel_restore(saved_cancel);
  errno = saved;
  /* Full, so it is readable already. */
  if (n < 0 && n != UV_EAGAIN)
    return (int) n;
  return 0;
}

void uv__wake_fd_drain(uv_loop_t* loop) {
  char sink[1024];
  int fd = uv__wake_fd_get(loop);

  /* An eventfd returns its count in one read of eight bytes; a pipe may need
   * several.
   */
  while (uv__fd_read(fd, sink, sizeof(sink)) == (ssize_t) sizeof(sink))
    continue;
}
