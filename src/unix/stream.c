/* SPDX-License-Identifier: MIT */
/* Unix streams: fd, events, connecting, closing.
 *
 * An event goes to the connect in progress, if there is one; otherwise data is
 * read, then written. Any callback may close the stream: the fd is -1
 * afterwards, and each step checks for that before it continues.
 *
 * P4: when the poller refuses the fd, the handler is called once with POLLERR
 * while nothing is registered. Each step then tries its operation and reports
 * the refusal where it would have to wait.
 */
#include "unix/stream.h"
#include "observe/callback.h"
#include "os/stream.h"
#include "req.h"
#include "unix/fd.h"
#include "unix/os.h"
#include "unix/sock.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <unistd.h>

void uv__stream_init(uv_loop_t* loop,
                     uv_stream_t* stream,
                     uv_handle_type type) {
  uv__handle_init(loop, uv__base(stream), type);
  uv__io_init(&stream->io_watcher, UV__IO_STREAM);
  uv__queue_init(&stream->write_queue);
  uv__queue_init(&stream->write_completed_queue);
  stream->write_queue_size = 0;
  stream->alloc_cb = NULL;
  stream->read_cb = NULL;
  stream->connection_cb = NULL;
  stream->connect_req = NULL;
  stream->shutdown_req = NULL;
  stream->delayed_error = 0;
  stream->accepted_fd = -1;
  stream->queued_fds = NULL;
}

/* Of non-sockets, pipes and files are byte streams; a device (tun) or an
 * eventfd may preserve message boundaries. */
static unsigned other_kind(mode_t mode) {
  return S_ISFIFO(mode) || S_ISREG(mode) ? 0 : UV__STREAM_MESSAGES;
}

/* Determines the type of the fd, as flags: 0 or UV_E*. Done once, so that no
 * write has to. */
UV__NOINLINE static int find_kind(int fd, unsigned* kind) {
  struct stat st;

  int type = uv__sock_type(fd);
  if (type == UV_ENOTSOCK) {
    if (fstat(fd, &st) != 0)
      return uv__errno();
    *kind = other_kind(st.st_mode);
    return 0;
  }
  *kind = UV__STREAM_SOCKET;
  if (type != SOCK_STREAM)
    *kind |= UV__STREAM_MESSAGES;
  return type < 0 ? type : 0;
}

/* The same for a TCP handle. SCTP sockets are SOCK_STREAM too, but preserve
 * message boundaries. */
static int find_tcp_kind(int fd, unsigned* kind) {
  switch (uv__sock_protocol(fd)) {
  case IPPROTO_TCP:
    *kind = UV__STREAM_SOCKET;
    return 0;
  case IPPROTO_SCTP:
    *kind = UV__STREAM_SOCKET | UV__STREAM_MESSAGES;
    return 0;
  default:
    return find_kind(fd, kind);
  }
}

int uv__stream_open(uv_stream_t* stream, int fd, unsigned flags) {
  int err;

  assert(fd >= 0);
  if (uv__stream_fd(stream) != -1 && uv__stream_fd(stream) != fd)
    return UV_EBUSY;

  if (stream->type == UV_TCP) {
    err = uv__tcp_apply_options((uv_tcp_t*) stream, fd);
    if (err != 0)
      return err;
  }
  unsigned kind = 0;
  if (!(flags & UV__STREAM_SOCKET) && stream->type != UV_TTY) {
    err = stream->type == UV_TCP ? find_tcp_kind(fd, &kind)
                                 : find_kind(fd, &kind);
    if (err != 0)
      return err;
  }
  err = uv__io_attach(stream->loop, &stream->io_watcher, fd);
  if (err != 0)
    return err;

  stream->flags |= flags | kind;
  return 0;
}

/* Directions, and whether it is a pipe in packet mode (O_DIRECT, pipe2(2)). */
static unsigned flags_of_mode(int mode) {
  unsigned packets = mode & UV_FS_O_DIRECT ? UV__STREAM_MESSAGES : 0;

  switch (mode & O_ACCMODE) {
  case O_RDONLY:
    return UV__READABLE;
  case O_WRONLY:
    return UV__WRITABLE | packets;
  default:
    return UV__READABLE | UV__WRITABLE | packets;
  }
}

int uv__stream_adopt(uv_stream_t* stream, int fd) {
  int mode = uv__fd_flags(fd);
  if (mode < 0)
    return mode;
  if (!(mode & O_NONBLOCK)) {
    int err = uv__fd_nonblock(fd, 1);
    if (err != 0)
      return err;
  }
  return uv__stream_open(stream, fd, flags_of_mode(mode));
}

int uv__stream_os_is_open(const uv_stream_t* stream) {
  return uv__stream_fd(stream) != -1;
}

int uv__stream_os_check_writable(const uv_stream_t* stream) {
  if (uv__stream_fd(stream) == -1)
    return UV_EBADF;
  return stream->flags & UV__WRITABLE ? 0 : UV_EPIPE;
}

int uv__stream_fileno(const uv_handle_t* handle, uv_os_fd_t* fd) {
  const uv_stream_t* stream = (const uv_stream_t*) handle;

  if (uv__stream_fd(stream) == -1)
    return UV_EBADF;
  *fd = uv__stream_fd(stream);
  return 0;
}

int uv__stream_os_set_blocking(uv_stream_t* stream, int on) {
  int err = uv__fd_nonblock(uv__stream_fd(stream), !on);
  if (err != 0)
    return err;

  if (on)
    stream->flags |= UV__BLOCKING_WRITES;
  else
    stream->flags &= ~UV__BLOCKING_WRITES;
  return 0;
}

int uv__stream_poll_error(const uv_stream_t* stream) {
  int err = uv__io_probe(stream->loop, uv__stream_fd(stream));
  /* The poller refused it, but would accept it now: the reason is lost. */
  return err != 0 ? err : UV_EIO;
}

static void connect_register(uv_stream_t* stream, uv_connect_t* req) {
  uv__req_start(stream->loop, req, UV_CONNECT);
  req->handle = stream;
  uv__queue_init(&req->queue);
}

void uv__stream_connecting(uv_stream_t* stream, uv_connect_t* req, int result) {
  assert(!uv__is_closing(uv__base(stream)));
  assert(result < 0 || uv__stream_fd(stream) >= 0);
  assert(stream->connect_req == NULL);
  connect_register(stream, req);
  stream->connect_req = req;
  stream->flags &= ~UV__CONNECTED;

  /* A connection that is established at once still waits for the poller, so
   * that the listener, which became ready first, is reported first. */
  if (result >= 0) {
    uv__io_start(stream->loop, &stream->io_watcher, POLLOUT);
    return;
  }
  stream->delayed_error = result;
  uv__io_feed(stream->loop, &stream->io_watcher);
}

void uv__stream_connect_fail(uv_stream_t* stream, uv_connect_t* req, int err) {
  assert(err < 0);
  if (stream->connect_req == NULL && !uv__is_closing(uv__base(stream))) {
    uv__stream_connecting(stream, req, err);
    return;
  }

  /* Reported together with the connect in progress, or when the stream is
   * closed. */
  connect_register(stream, req);
  if (stream->connect_req == NULL)
    stream->connect_req = req;
  else
    uv__queue_push_back(&stream->connect_req->queue, &req->queue);
}

int uv__stream_os_is_connecting(const uv_connect_t* req) {
  const uv_stream_t* stream = req->handle;
  return stream->connect_req == req || !uv__queue_empty(&req->queue);
}

int uv__stream_os_cancel_connect(uv_connect_t* req) {
  uv_stream_t* stream = req->handle;

  if (uv__is_closing(uv__base(stream)) || stream->connect_req != req)
    return UV_EBUSY;
  if (stream->delayed_error != 0) /* its result is known */
    return stream->delayed_error == UV_ECANCELED ? 0 : UV_EBUSY;

  uv__sock_connect_undo(uv__stream_fd(stream), stream->type == UV_TCP);
  uv__io_stop(stream->loop, &stream->io_watcher, POLLOUT);
  stream->delayed_error = UV_ECANCELED;
  uv__io_feed(stream->loop, &stream->io_watcher);
  return 0;
}

static void connect_report(uv_stream_t* stream, int err) {
  uv_connect_t* req = stream->connect_req;
  struct uv__queue refused;

  assert(req != NULL);
  assert(err <= 0);
  stream->connect_req = NULL;
  uv__queue_move(&refused, &req->queue);
  uv__req_unregister(stream->loop);
  if (req->cb != NULL)
    uv__call_connect(req, err);

  while (!uv__queue_empty(&refused)) {
    struct uv__queue* q = uv__queue_pop_front(&refused);
    req = uv__queue_entry(q, uv_connect_t, queue);
    uv__req_unregister(stream->loop);
    if (req->cb != NULL)
      uv__call_connect(req, UV_EALREADY);
  }
}

/* Does the event say by itself that the connect succeeded? epoll, poll and
 * select report POLLERR or POLLHUP too if it failed. */
static int is_established(unsigned events) {
  unsigned mask = POLLOUT | POLLERR | POLLHUP | UV__IO_FED;
  return !UV__HAVE_KQUEUE && (events & mask) == POLLOUT;
}

/* The result of the connect; 1 while it is in progress. */
static int connect_result(uv_stream_t* stream, unsigned events, int refused) {
  int fd = uv__stream_fd(stream);
  int err = stream->delayed_error;

  if (err != 0) {
    stream->delayed_error = 0;
    return err;
  }
  if (is_established(events))
    return 0;
  err = uv__sock_take_error(fd);
  if (err == -EINPROGRESS)
    return 1;
  if (err != 0 || !refused)
    return err;

  /* The poller will not report its completion, so check now. */
  return uv__sock_has_peer(fd) ? 0 : uv__stream_poll_error(stream);
}

UV__NOINLINE static void connect_on_writable(uv_stream_t* stream,
                                             unsigned events,
                                             int refused) {
  int err = connect_result(stream, events, refused);
  if (err > 0)
    return;

  if (err == 0)
    stream->flags |= UV__CONNECTED;
  if (err != 0 || uv__queue_empty(&stream->write_queue))
    uv__io_stop(stream->loop, &stream->io_watcher, POLLOUT);
  connect_report(stream, err);

  if (uv__stream_fd(stream) == -1)
    return;
  /* A callback may have started another connect; data waits for that one. */
  if (stream->connect_req != NULL)
    return;
  if (err == 0)
    uv__stream_write_ready(stream);
  else
    uv__stream_write_failed(stream, UV_ECANCELED);
}

/* The watcher was scheduled for cancelled writes, not for the connect in
 * progress. If the event did come from the poller, it will come again (P2). */
static int is_for_cancelled(const uv_stream_t* stream, int refused) {
  return !uv__queue_empty(&stream->write_completed_queue) &&
         stream->delayed_error == 0 && !refused;
}

UV__NOINLINE static void report_cancelled(uv_stream_t* stream) {
  uv__io_unfeed(&stream->io_watcher);
  uv__stream_write_report(stream);
}

void uv__stream_io(uv_loop_t* loop, uv__io_t* w, unsigned events) {
  uv_stream_t* stream = container_of(w, uv_stream_t, io_watcher);
  int refused = w->events == 0 && (events & POLLERR) != 0;

  assert(!uv__is_closing(uv__base(stream)));
  (void) loop;
  if (stream->connect_req != NULL) {
    if (is_for_cancelled(stream, refused))
      report_cancelled(stream);
    else
      connect_on_writable(stream, events, refused);
    return;
  }

  if ((stream->flags & UV__READING) && (events & (POLLIN | POLLERR | POLLHUP)))
    uv__stream_on_readable(stream, events, refused);
  if (uv__stream_fd(stream) == -1)
    return;
  if (events & (POLLOUT | POLLERR | POLLHUP))
    uv__stream_on_writable(stream, refused);
}

/* Keeps the standard descriptors open: otherwise the next open would become
 * stdin, stdout or stderr. */
static void close_unless_standard(int fd) {
  if (fd > STDERR_FILENO)
    uv__fd_close(fd);
}

void uv__stream_close(uv_stream_t* stream) {
  int fd = uv__stream_fd(stream);

  uv__io_close(stream->loop, &stream->io_watcher);
  uv__handle_stop(uv__base(stream));
  stream->flags &= ~(UV__READING | UV__READABLE | UV__WRITABLE | UV__LISTENING);
  stream->io_watcher.fd = -1;

  if (fd != -1)
    close_unless_standard(fd);
  if (stream->queued_fds != NULL)
    uv__ipc_close(stream);
  if (stream->accepted_fd != -1)
    uv__fd_close(stream->accepted_fd);
  stream->accepted_fd = -1;
}

/* 0, or why the stream cannot be released. */
static int check_release(const uv_stream_t* stream) {
  if (uv__stream_fd(stream) == -1)
    return UV_EBADF;
  if (stream->connect_req != NULL || stream->shutdown_req != NULL ||
      (stream->flags & UV__READING) || stream->accepted_fd != -1)
    return UV_EBUSY;
  if (!uv__queue_empty(&stream->write_queue) ||
      !uv__queue_empty(&stream->write_completed_queue))
    return UV_EBUSY;
  return stream->delayed_error;
}

int uv__stream_os_release(uv_stream_t* stream, uv_os_fd_t* fd) {
  int err = check_release(stream);
  if (err != 0)
    return err;

  *fd = uv__stream_fd(stream);
  uv__io_close(stream->loop, &stream->io_watcher);
  uv__io_init(&stream->io_watcher, UV__IO_STREAM);
  uv__handle_stop(uv__base(stream));
  uv__ipc_close(stream); /* empty: frees the ring */
  if (stream->type == UV_NAMED_PIPE)
    uv__pipe_disown_file((uv_pipe_t*) stream);
  stream->flags = UV__REF;
  stream->alloc_cb = NULL;
  stream->read_cb = NULL;
  stream->connection_cb = NULL;
  return 0;
}

enum uv__finish_result uv__stream_finish(uv_handle_t* handle) {
  uv_stream_t* stream = (uv_stream_t*) handle;

  assert(uv__is_closing(handle));
  assert(uv__stream_fd(stream) == -1);
  if (uv__reader_owns(stream) && uv__reader_finish(stream) == UV__FINISH_AGAIN)
    return UV__FINISH_AGAIN;
  if (stream->connect_req != NULL)
    connect_report(stream, UV_ECANCELED);
  /* Requests completed before the close keep their result. */
  if (!uv__queue_empty(&stream->write_queue))
    uv__stream_write_abandon(stream, UV_ECANCELED);
  if (!uv__queue_empty(&stream->write_completed_queue))
    uv__stream_write_report(stream);
  if (stream->shutdown_req != NULL)
    uv__stream_shutdown_report(stream, UV_ECANCELED);

  assert(stream->write_queue_size == 0);
  assert(stream->connect_req == NULL);
  assert(stream->shutdown_req == NULL);
  return UV__FINISH_DONE;
}
