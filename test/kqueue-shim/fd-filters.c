/* SPDX-License-Identifier: MIT */
/* EVFILT_READ, EVFILT_WRITE and EVFILT_EXCEPT over epoll. See shim.h. */
#include "shim.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

enum shim_set shim_fd_set(short filter) {
  if (filter == EVFILT_READ)
    return SHIM_READ;
  return filter == EVFILT_WRITE ? SHIM_WRITE : SHIM_EXCEPT;
}

int shim_fd_identify(struct shim_knote* knote) {
  struct stat st;

  if (shim_stat((int) knote->want.ident, &st) != 0)
    return errno;
  knote->dev = st.st_dev;
  knote->ino = st.st_ino;
  knote->is_socket = S_ISSOCK(st.st_mode);
  knote->is_fifo = S_ISFIFO(st.st_mode);
  knote->is_device = S_ISCHR(st.st_mode);
  return 0;
}

int shim_fd_same(const struct shim_knote* knote) {
  struct stat st;

  if (shim_stat((int) knote->want.ident, &st) != 0)
    return 0;
  return st.st_dev == knote->dev && st.st_ino == knote->ino;
}

static unsigned mask_of(const struct shim_knote* knote) {
  static const unsigned masks[] = {
    [SHIM_READ] = EPOLLIN | EPOLLRDHUP,
    [SHIM_WRITE] = EPOLLOUT,
    [SHIM_EXCEPT] = EPOLLPRI,
  };
  unsigned mask = masks[shim_fd_set(knote->want.filter)];
  if (knote->want.filter == EVFILT_EXCEPT && shim_acts_as("macos"))
    mask |= masks[SHIM_READ];
  return knote->want.flags & EV_CLEAR ? mask | EPOLLET : mask;
}

/* Changing an entry checks the file again, as adding an event again does. */
int shim_fd_arm(struct shim_queue* queue, struct shim_knote* knote) {
  int set = queue->sets[shim_fd_set(knote->want.filter)];
  int fd = (int) knote->want.ident;
  struct epoll_event event;

  if (knote->want.filter == EVFILT_EXCEPT && !knote->is_socket)
    return EINVAL;
  if (knote->is_device && getenv("KQUEUE_SHIM_REFUSE_DEVICES") != NULL)
    return EINVAL;
  memset(&event, 0, sizeof(event));
  event.events = mask_of(knote);
  event.data.fd = fd;
  if (epoll_ctl(set, EPOLL_CTL_MOD, fd, &event) == 0)
    return 0;
  if (errno != ENOENT)
    return errno;
  return epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : errno;
}

void shim_fd_disarm(struct shim_queue* queue, struct shim_knote* knote) {
  int set = queue->sets[shim_fd_set(knote->want.filter)];
  struct epoll_event event;

  memset(&event, 0, sizeof(event));
  (void) epoll_ctl(set, EPOLL_CTL_DEL, (int) knote->want.ident, &event);
}

static int sockopt(int fd, int option) {
  int value = 0;
  socklen_t size = sizeof(value);
  return getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : 0;
}

/* Linux calls a stream that was never connected hung up; kqueue reports nothing
 * for it. */
static int is_unconnected(const struct shim_knote* knote, unsigned mask) {
  struct pollfd pfd = { .fd = (int) knote->want.ident, .events = POLLRDHUP };

  if (!knote->is_socket || !(mask & EPOLLHUP) || (mask & EPOLLERR))
    return 0;
  return poll(&pfd, 1, 0) == 1 && !(pfd.revents & (POLLRDHUP | POLLERR));
}

/* "Returns when there is data available to read ... data contains the number of
 * bytes" · "a listening socket: when there is an incoming connection pending" ·
 * "If the read direction of the socket has shutdown, then the filter also sets
 * EV_EOF in flags, and returns the socket error (if any) in fflags. It is
 * possible for EOF to be returned while there is still data pending." · "Fifos,
 * Pipes: When the last writer disconnects, the filter will set EV_EOF" */
static void fill_read(const struct shim_knote* knote,
                      unsigned mask,
                      struct kevent* out) {
  int fd = (int) knote->want.ident;
  int bytes = 0;
  unsigned eof = knote->is_socket ? EPOLLRDHUP | EPOLLHUP : EPOLLHUP;

  if (ioctl(fd, FIONREAD, &bytes) == 0)
    out->data = bytes;
  if (knote->is_socket && sockopt(fd, SO_ACCEPTCONN))
    out->data = 1;
  if (mask & eof)
    out->flags |= EV_EOF;
}

/* "data will contain the amount of space remaining in the write buffer" · "the
 * filter will set EV_EOF when the reader disconnects" */
static void fill_write(const struct shim_knote* knote,
                       unsigned mask,
                       struct kevent* out) {
  int fd = (int) knote->want.ident;
  int queued = 0;

  out->data = 1;
  if (knote->is_socket && ioctl(fd, TIOCOUTQ, &queued) == 0 &&
      sockopt(fd, SO_SNDBUF) > queued)
    out->data = sockopt(fd, SO_SNDBUF) - queued;
  if (mask & EPOLLHUP)
    out->flags |= EV_EOF;
  if (knote->is_fifo && (mask & EPOLLERR))
    out->flags |= EV_EOF;
}

/* Whether there is urgent data: until its mark is passed, even if its byte was
 * read (then Linux wakes for other data only). macOS remembers that there was
 * some until the event's state is reset. Its filter is that of EVFILT_READ,
 * with all that makes a socket readable; the page says it of the end of data
 * alone: "If the read direction of the socket has shutdown, then the filter
 * also sets EV_EOF in flags, and returns the socket error (if any) in fflags."
 */
static int fill_except(struct shim_knote* knote,
                       unsigned mask,
                       struct kevent* out) {
  int is_urgent =
      (mask & EPOLLPRI) != 0 || shim_is_before_mark((int) knote->want.ident);

  if (is_urgent)
    knote->seen = NOTE_OOB;
  out->fflags = knote->seen;
  if (knote->want.flags & EV_CLEAR || !shim_acts_as("macos"))
    knote->seen = 0;
  return is_urgent;
}

int shim_fd_event(struct shim_knote* knote, unsigned mask, struct kevent* out) {
  short filter = knote->want.filter;

  if (is_unconnected(knote, mask))
    return 0;
  *out = knote->want;
  out->fflags = 0;
  out->data = 0;
  if (filter == EVFILT_EXCEPT) {
    int is_urgent = fill_except(knote, mask, out);
    if (is_urgent || !shim_acts_as("macos"))
      return is_urgent;
  }
  if (filter == EVFILT_WRITE)
    fill_write(knote, mask, out);
  else
    fill_read(knote, mask, out);
  /* The true number cannot be read without taking it from the socket. */
  if (knote->is_socket && (mask & EPOLLERR) && (out->flags & EV_EOF))
    out->fflags = ECONNRESET;
  return 1;
}
