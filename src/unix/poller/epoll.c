/* SPDX-License-Identifier: MIT */
/* Poller: epoll(7).
 *
 * Interest is level-triggered (P2); masks use the same bits as poll(2). Only
 * the wake fd is edge-triggered: each write to it is an event, so it is never
 * read.
 */
#include "os/loop.h"
#include "unix/fd.h"
#include "unix/io.h"
#include "unix/os.h"
#include "unix/wake-fd.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT, "same bits");
static_assert(EPOLLPRI == POLLPRI && EPOLLRDHUP == POLLRDHUP, "same bits");
static_assert(EPOLLERR == POLLERR && EPOLLHUP == POLLHUP, "same bits");

/* Kernel structures fetched per call; one call fills a whole batch. */
#define KERNEL_BATCH UV__BATCH_MAX

/* The data of an event: the kind in the upper half, the fd in the lower. */
#define KIND_SHIFT 32

static int epoll_change(const uv_loop_t* loop,
                        int op,
                        int fd,
                        unsigned mask,
                        enum uv__event_kind kind) {
  struct epoll_event event;

  memset(&event, 0, sizeof(event));
  event.events = mask;
  event.data.u64 = (uint64_t) kind << KIND_SHIFT | (unsigned) fd;
  return epoll_ctl(loop->backend_fd, op, fd, &event) == 0 ? 0 : uv__errno();
}

static int epoll_control(const uv_loop_t* loop, int op, int fd, unsigned mask) {
  return epoll_change(loop, op, fd, mask, UV__EVENT_IO);
}

static int epoll_poller_open(uv_loop_t* loop) {
  int fd = epoll_create1(EPOLL_CLOEXEC);

  fd = fd == -1 ? uv__errno() : uv__fd_above_stdio(fd);
  loop->backend_fd = fd < 0 ? -1 : fd;
  if (fd < 0)
    return fd;

  int err = uv__wake_fd_open(loop);
  if (err != 0)
    goto err_close_backend;
  err = epoll_change(loop, EPOLL_CTL_ADD, uv__wake_fd_get(loop),
                     EPOLLIN | EPOLLET, UV__EVENT_WAKE);
  if (err != 0)
    goto err_close_wake;
  return 0;

err_close_wake:
  uv__wake_fd_close(loop);
err_close_backend:
  uv__fd_close(loop->backend_fd);
  loop->backend_fd = -1;
  return err;
}

static void epoll_poller_close(uv_loop_t* loop) {
  uv__wake_fd_close(loop);
  if (loop->backend_fd != -1) /* -1 after a failed reopen */
    uv__fd_close(loop->backend_fd);
  loop->backend_fd = -1;
}

static int epoll_poller_reopen(uv_loop_t* loop) {
  /* Closing our fd leaves the instance of the parent intact. Removing fds from
   * it would affect the parent, so this does not call forget() for each. */
  epoll_poller_close(loop);
  return epoll_poller_open(loop);
}

static int watch_probe(uv_loop_t* loop, int fd) {
  int err = epoll_control(loop, EPOLL_CTL_ADD, fd, 0);

  if (err == UV_EEXIST)
    return 0; /* already watched, so it is pollable */
  if (err == 0)
    (void) epoll_control(loop, EPOLL_CTL_DEL, fd, 0); /* just added */
  return err;
}

static int watch_apply(uv_loop_t* loop, int fd, unsigned have, unsigned want) {
  assert(fd >= 0);
  if (want == 0) {
    int err = epoll_control(loop, EPOLL_CTL_DEL, fd, 0);
    /* If the program closed the fd, it left the set already. */
    return err == UV_ENOENT || err == UV_EBADF ? 0 : err;
  }

  int err =
      epoll_control(loop, have == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, want);
  /* The set may differ from `have`: a duplicate keeps the entry of a closed fd
   * alive, and a closed and reopened fd has lost its entry. */
  if (err == UV_EEXIST)
    return epoll_control(loop, EPOLL_CTL_MOD, fd, want);
  if (err == UV_ENOENT)
    return epoll_control(loop, EPOLL_CTL_ADD, fd, want);
  return err;
}

static void watch_forget(uv_loop_t* loop, int fd) {
  /* Not being registered is fine. */
  (void) epoll_control(loop, EPOLL_CTL_DEL, fd, 0);
}

/* As epoll_wait(), with SIGPROF blocked meanwhile. */
UV__COLD static int wait_without_sigprof(int epoll_fd,
                                         struct epoll_event* events,
                                         int max,
                                         int timeout_ms) {
  sigset_t mask;

  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  sigaddset(&mask, SIGPROF);
  return epoll_pwait(epoll_fd, events, max, timeout_ms, &mask);
}

static int wait_kernel(uv_loop_t* loop,
                       struct epoll_event* events,
                       int max,
                       int timeout_ms) {
  int fd = loop->backend_fd;
  /* epoll_pwait() takes 24 ns longer, even without a mask. */
  int n = uv__loop_state(loop)->flags & UV__LOOP_BLOCK_SIGPROF
              ? wait_without_sigprof(fd, events, max, timeout_ms)
              : epoll_wait(fd, events, max, timeout_ms);

  if (n >= 0)
    return n;
  /* A system call filter (seccomp) that was made for libuv 1.50 or 1.53 may
   * allow only epoll_pwait(). epoll_wait() itself has no such errors. */
  if (errno == EPERM || errno == ENOSYS)
    n = epoll_pwait(fd, events, max, timeout_ms, NULL);
  if (n >= 0)
    return n;
  return errno == EINTR ? 0 : uv__errno();
}

static int epoll_poller_wait(uv_loop_t* loop,
                             struct uv__event* out,
                             int max,
                             int timeout_ms) {
  struct epoll_event events[KERNEL_BATCH];
  int n = wait_kernel(loop, events, max < KERNEL_BATCH ? max : KERNEL_BATCH,
                      timeout_ms);

  for (int i = 0; i < n; i++) {
    uint64_t data = events[i].data.u64;
    out[i].key = (uint32_t) data;
    out[i].bits = events[i].events;
    out[i].kind = (uint32_t) (data >> KIND_SHIFT);
  }
  return n;
}

static int epoll_poller_is_empty(const uv_loop_t* loop) {
  return loop->nfds == 0;
}

static const struct uv__watch_ops watch_ops = {
  .probe = watch_probe,
  .apply = watch_apply,
  .forget = watch_forget,
};

const struct uv__poller uv__poller_epoll = {
  .name = "epoll",
  .open = epoll_poller_open,
  .close = epoll_poller_close,
  .reopen = epoll_poller_reopen,
  .wait = epoll_poller_wait,
  .wake = uv__wake_fd_signal,
  .watch = &watch_ops,
  .is_empty = epoll_poller_is_empty,
};
