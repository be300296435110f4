/* SPDX-License-Identifier: MIT */
/* Poll handles: readiness of a descriptor.
 *
 * Stopping a handle removes it from the poller at once, because the program may
 * close the fd right after; the handle keeps the number. Several handles may
 * have the same fd, but only one of them may be started at a time.
 *
 * Events beyond the interest are mapped by a rule (poll_result()):
 *
 *   POLLERR alone     poll(2): "error condition", such as the write end of a
 *                     pipe without readers. Level-triggered, it would repeat
 *                     for ever, so the handle stops and reports UV_EBADF.
 *   POLLERR, POLLPRI  a change in a sysfs file (Documentation/filesystems/
 *                     sysfs.rst, kernfs_notify()): urgent data, not an error.
 *   POLLHUP           poll(2): the peer closed. No operation that the program
 *                     may wait for will block any longer.
 *
 * The last two satisfy every interest, whatever else the kernel reports.
 */
#include "unix/poll-handle.h"
#include "observe/callback.h"
#include "unix/fd.h"
#include "unix/os.h"

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

uv_os_sock_t uv__poll_os_socket(int fd) {
  return fd;
}

/* BSDs: a kqueue has no blocking mode and returns ENOTTY. */
static int make_nonblocking(int fd) {
  int err = uv__fd_nonblock(fd, 1);
  return err == UV_ENOTTY ? 0 : err;
}

int uv__poll_os_init(uv_loop_t* loop, uv_poll_t* handle, uv_os_sock_t fd) {
  if (fd < 0)
    return UV_EBADF;
  if (uv__io_fd_taken(loop, fd))
    return UV_EEXIST;

  int err = uv__io_probe(loop, fd);
  if (err == UV_EPERM)
    err = UV__POLL_FILE_ERROR;
  if (err == 0)
    err = make_nonblocking(fd);
  if (err != 0)
    return err;

  uv__io_init(&handle->io_watcher, UV__IO_POLL);
  return uv__io_attach(loop, &handle->io_watcher, fd);
}

int uv__poll_os_check(const uv_poll_t* handle) {
  if (handle->flags & UV__POLL_ATTACHED)
    return 0;
  return uv__io_fd_taken(handle->loop, handle->io_watcher.fd) ? UV_EEXIST : 0;
}

int uv__poll_os_start(uv_poll_t* handle, int events) {
  uv__io_restart(handle->loop, &handle->io_watcher, to_poll(events));
  handle->flags |= UV__POLL_ATTACHED;
  return 0;
}

void uv__poll_os_stop(uv_poll_t* handle) {
  if (!(handle->flags & UV__POLL_ATTACHED))
    return;
  uv__io_close(handle->loop, &handle->io_watcher);
  handle->flags &= ~UV__POLL_ATTACHED;
}

/* The rule above: UV_READABLE and so on, 0 for nothing, or UV_E*. Dispatch
 * removed everything from `events` that is not of interest, except errors and
 * hangups.
 */
static int poll_result(unsigned events, unsigned interest) {
  switch (events & (POLLERR | POLLPRI | POLLHUP)) {
  case 0:
  case POLLPRI:
    return from_poll(events);
  case POLLERR:
  case POLLERR | POLLHUP:
    return UV_EBADF;
  default:
    return from_poll(interest);
  }
}

UV__NOINLINE static void poll_fail(uv_poll_t* handle, int err) {
  (void) uv_poll_stop(handle); /* cannot fail */
  uv__call_poll(handle, err, 0);
}

/* Events that the rule above is for. */
UV__NOINLINE static void poll_report_other(uv_poll_t* handle, unsigned events) {
  int ready = poll_result(events, handle->io_watcher.pevents);

  if (ready < 0)
    poll_fail(handle, ready);
  else if (ready > 0)
    uv__call_poll(handle, 0, ready);
}

void uv__poll_handle_io(uv_loop_t* loop, uv__io_t* w, unsigned events) {
  uv_poll_t* handle = container_of(w, uv_poll_t, io_watcher);

  (void) loop;
  if (events & ~(unsigned) (POLLIN | POLLOUT))
    poll_report_other(handle, events);
  else
    uv__call_poll(handle, 0,
                  (events & POLLIN ? UV_READABLE : 0) |
                      (events & POLLOUT ? UV_WRITABLE : 0));
}

enum uv__close_result uv__poll_handle_close(uv_handle_t* handle) {
  assert(handle->type == UV_POLL);
  (void) uv_poll_stop((uv_poll_t*) handle); /* cannot fail */
  return UV__CLOSE_DONE;
}

int uv__poll_handle_fileno(const uv_handle_t* handle, uv_os_fd_t* fd) {
  *fd = ((const uv_poll_t*) handle)->io_watcher.fd;
  return 0;
}
