/* SPDX-License-Identifier: MIT */
/* Poll handles: readiness of a descriptor.
 *
 * A stopped handle is out of the poller at once, because the
 * program may close the fd right after; the number stays with the handle. Two
 * handles may know the same fd, one of them at a time may be started.
 *
 * An error on the fd that is not about urgent data stops the handle and is
 * reported as UV_EBADF. A hangup is a disconnect, and it makes the fd both
 * readable and writable in the sense that neither will wait; it is reported as
 * these where the kernel names neither, so that no interest is left unanswered.
 */
#include "unix/poll-impl.h"
#include "unix/fd.h"

static const struct {
  int uv;
  unsigned poll;
} event_map[] = {
  { UV_READABLE, POLLIN },
  { UV_WRITABLE, POLLOUT },
  { UV_DISCONNECT, POLLRDHUP },
  { UV_PRIORITIZED, POLLPRI },
};

static unsigned to_poll(int events) {
  unsigned result = 0;
  for (size_t i = 0; i < ARRAY_SIZE(event_map); i++)
    if (events & event_map[i].uv)
      result |= event_map[i].poll;
  return result;
}

static int from_poll(unsigned events) {
  int result = 0;
  for (size_t i = 0; i < ARRAY_SIZE(event_map); i++)
    if (events & event_map[i].poll)
      result |= event_map[i].uv;
  return result;
}

int uv__poll_os_socket(int fd, uv_os_sock_t* sock) {
  *sock = fd;
  return 0;
}

int uv__poll_os_init(uv_loop_t* loop, uv_poll_t* handle, uv_os_sock_t fd) {
  if (fd < 0)
    return UV_EBADF;
  if (uv__io_fd_taken(loop, fd))
    return UV_EEXIST;

  int err = uv__io_probe(loop, fd);
  if (err == 0)
    err = uv__fd_nonblock(fd, 1);
  if (err != 0)
    return err;

  uv__io_init(&handle->io_watcher, UV__IO_POLL);
  return uv__io_attach(loop, &handle->io_watcher, fd);
}

int uv__poll_os_start(uv_poll_t* handle, int events) {
  uv_loop_t* loop = handle->loop;
  uv__io_t* w = &handle->io_watcher;

  if (!(handle->flags & UV__POLL_ATTACHED) && uv__io_fd_taken(loop, w->fd))
    return UV_EEXIST;

  unsigned want = to_poll(events);
  uv__io_start(loop, w, want);
  uv__io_stop(loop, w, to_poll(UV__POLL_EVENTS) & ~want);
  handle->flags |= UV__POLL_ATTACHED;
  return 0;
}

void uv__poll_os_stop(uv_poll_t* handle) {
  if (!(handle->flags & UV__POLL_ATTACHED))
    return;
  uv__io_close(handle->loop, &handle->io_watcher);
  handle->flags &= ~UV__POLL_ATTACHED;
}

/* What to tell of an error or hangup, given the interest `wanted`. */
static int report_end(unsigned events, int wanted) {
  int result = from_poll(events) & wanted;

  if ((result & ~UV_DISCONNECT) == 0)
    result |= wanted & (UV_READABLE | UV_WRITABLE);
  result |= wanted & UV_DISCONNECT;
  return result != 0 ? result : wanted;
}

void uv__poll_handle_io(uv_loop_t* loop, uv__io_t* w, unsigned events) {
  uv_poll_t* handle = container_of(w, uv_poll_t, io_watcher);

  (void) loop;
  /* Files in sysfs announce a change as an error together with urgent data. */
  if ((events & POLLERR) && !(events & POLLPRI)) {
    (void) uv_poll_stop(handle); /* cannot fail */
    handle->poll_cb(handle, UV_EBADF, 0);
    return;
  }

  int result = from_poll(events);
  if (events & (POLLHUP | POLLERR))
    result = report_end(events, from_poll(w->pevents));
  if (result != 0)
    handle->poll_cb(handle, 0, result);
}

enum uv__close_answer uv__poll_handle_close(uv_handle_t* handle) {
  (void) uv_poll_stop((uv_poll_t*) handle); /* cannot fail */
  return UV__CLOSE_DONE;
}

int uv__poll_handle_fileno(const uv_handle_t* handle, uv_os_fd_t* fd) {
  *fd = ((const uv_poll_t*) handle)->io_watcher.fd;
  return 0;
}
