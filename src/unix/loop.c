/* SPDX-License-Identifier: MIT */
/* The unix part of a loop: init, close, fork. */
#include "unix/loop.h"
#include "os/loop.h"
#include "unix/fd.h"
#include "unix/fs-event/fs-event.h"
#include "unix/io.h"
#include "unix/proc-info.h"
#include "unix/process.h"
#include "unix/signal.h"
#include "unix/uring/fs-uring.h"
#include "util/queue.h"

#include <signal.h>

const size_t uv__loop_os_state_size = sizeof(struct uv__loop_os);

static void offer_fs(uv_loop_t* loop) {
  if (UV__HAVE_URING)
    uv__loop_state(loop)->flags |= UV__LOOP_OFFERS_FS;
}

int uv__loop_os_init(uv_loop_t* loop) {
  offer_fs(loop);
  uv__queue_init(&loop->wq);
  uv__queue_init(&loop->async_handles);
  loop->backend_fd = -1;
  loop->emfile_fd = -1;
  uv__loop_os(loop)->wake_fd[0] = -1; /* not all pollers open one */
  uv__fs_event_init_loop(loop);
  loop->signal_pipefd[0] = -1;
  loop->signal_pipefd[1] = -1;
  loop->async_wfd = -1;

  uv__io_init_loop(loop);
  uv__signal_init_loop(loop);
  int err = uv__loop_state(loop)->poller->open(loop);
  if (err != 0)
    goto err_close_io;
  err = uv__process_init_loop(loop);
  if (err != 0)
    goto err_close_poller;
  return 0;

err_close_poller:
  uv__loop_state(loop)->poller->close(loop);
err_close_io:
  uv__io_close_loop(loop);
  return err;
}

void uv__loop_os_close(uv_loop_t* loop) {
  uv__signal_close_loop(loop);
  uv__fs_event_close_loop(loop);
  if (loop->emfile_fd >= 0)
    uv__fd_close(loop->emfile_fd);
  loop->emfile_fd = -1;
  if (uv__fs_uring_is_open(loop))
    uv__fs_uring_close(loop);
  uv__loop_state(loop)->poller->close(loop);
  uv__io_close_loop(loop);
}

int uv__loop_os_fork(uv_loop_t* loop) {
  if (uv__fs_uring_is_open(loop))
    uv__fs_uring_close(loop);
  offer_fs(loop);
  uv__io_fork(loop);
  uv__process_fork(loop);
  uv__signal_fork(loop);
  return uv__fs_event_fork(loop);
}

int uv__loop_os_block_signal(uv_loop_t* loop, int signum) {
  if (signum != SIGPROF)
    return UV_EINVAL;
  uv__loop_state(loop)->flags |= UV__LOOP_BLOCK_SIGPROF;
  return 0;
}

int uv_backend_fd(const uv_loop_t* loop) {
  return loop->backend_fd;
}

void uv__library_os_shutdown(void) {
  uv__signal_cleanup();
  uv__proctitle_cleanup();
}

/* When the library is unloaded, or the process exits. */
__attribute__((destructor)) static void at_unload(void) {
  uv_library_shutdown();
}
