/* SPDX-License-Identifier: MIT */
/* See poller/scan.h. */
#include "unix/poller/scan.h"
#include "os/loop.h"
#include "unix/fd.h"
#include "unix/wake-fd.h"

#include <pthread.h>
#include <sys/stat.h>

int uv__scan_open(uv_loop_t* loop) {
  int err = uv__wake_fd_open(loop);
  if (err == 0)
    loop->backend_fd = uv__wake_fd_get(loop);
  return err;
}

void uv__scan_close(uv_loop_t* loop) {
  uv__wake_fd_close(loop);
  loop->backend_fd = -1;
}

int uv__scan_probe(uv_loop_t* loop, int fd) {
  struct stat st;

  (void) loop;
  if (fstat(fd, &st) != 0)
    return uv__errno();
  return S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) ? UV_EPERM : 0;
}

static int blocks_sigprof(const uv_loop_t* loop) {
  return (uv__loop_state(loop)->flags & UV__LOOP_BLOCK_SIGPROF) != 0;
}

void uv__scan_block(const uv_loop_t* loop, sigset_t* old) {
  sigset_t sigprof;

  if (!blocks_sigprof(loop))
    return;
  sigemptyset(&sigprof);
  sigaddset(&sigprof, SIGPROF);
  pthread_sigmask(SIG_BLOCK, &sigprof, old);
}

void uv__scan_unblock(const uv_loop_t* loop, const sigset_t* old) {
  if (blocks_sigprof(loop))
    pthread_sigmask(SIG_SETMASK, old, NULL);
}

void uv__scan_report(uv_loop_t* loop,
                     const struct pollfd* entry,
                     struct uv__event* out) {
  out->key = (uintptr_t) entry->fd;
  out->kind = UV__EVENT_IO;
  /* The fd is not open: reported to the watcher as an error. */
  out->bits = entry->revents & POLLNVAL ? POLLERR : (unsigned) entry->revents;
  if (entry->fd == uv__wake_fd_get(loop)) {
    out->kind = UV__EVENT_WAKE;
    uv__wake_fd_drain(loop);
  }
}
