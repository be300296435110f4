/* SPDX-License-Identifier: MIT */
/* Reading from a stream.
 *
 *   alloc_cb -> read -> read_cb, repeated while there is more, at most
 *   READS_PER_TURN times so that one busy peer does not starve the others
 *
 * After a short read the kernel has nothing more, so reading stops without
 * another call; an EOF that is already pending waits for the next event. A
 * hangup with nothing to read is EOF, reported without a buffer or a call. EOF
 * stops reading but leaves the stream open; an error makes it neither readable
 * nor writable.
 */
#include "unix/stream.h"
#include "observe/callback.h"
#include "os/stream.h"
#include "unix/fd.h"
#include "unix/iovec.h"

#include <errno.h>
#include <sys/ioctl.h>

#define READS_PER_TURN 32
#define SUGGESTED_SIZE (64 * 1024)

int uv__stream_os_read_start(uv_stream_t* stream) {
  stream->flags |= UV__READING;
  stream->flags &= ~UV__READ_EOF;
  uv__io_start(stream->loop, &stream->io_watcher, POLLIN);
  uv__handle_start(uv__base(stream));
  return 0;
}

void uv__stream_os_read_stop(uv_stream_t* stream) {
  stream->flags &= ~UV__READING;
  uv__io_stop(stream->loop, &stream->io_watcher, POLLIN);
  uv__handle_stop(uv__base(stream));
}

/* Reports EOF. */
static void read_end(uv_stream_t* stream, const uv_buf_t* buf) {
  stream->flags |= UV__READ_EOF;
  uv__stream_os_read_stop(stream);
  uv__call_read(stream, UV_EOF, buf);
}

/* Reports an error. The stream stays active until the callback has run. */
static void read_fail(uv_stream_t* stream, int err, const uv_buf_t* buf) {
  stream->flags &= ~(UV__READABLE | UV__WRITABLE);
  uv__call_read(stream, err, buf);
  if (stream->flags & UV__READING)
    uv__stream_os_read_stop(stream);
}

ssize_t uv__stream_os_try_read(uv_stream_t* stream,
                               const uv_buf_t bufs[],
                               unsigned int nbufs) {
  ssize_t n;

  if (stream->connect_req != NULL)
    return UV_EAGAIN;
  do
    n = readv(uv__stream_fd(stream), uv__iovec(bufs),
              (int) uv__min_size(nbufs, UV__IOV_MAX));
  while (n < 0 && errno == EINTR);
  if (n > 0)
    return n;
  return n == 0 ? UV_EOF : uv__errno();
}

int uv__stream_os_has_unread(const uv_stream_t* stream) {
  int count = 0;

  return !(stream->flags & UV__STREAM_MESSAGES) &&
         ioctl(uv__stream_fd(stream), FIONREAD, &count) == 0 && count > 0;
}

UV__INLINE ssize_t read_into(uv_stream_t* stream, const uv_buf_t* buf) {
  size_t len = uv__min_size(buf->len, INT32_MAX);

  if (uv__ipc_is_channel(stream))
    return uv__ipc_receive(stream, buf->base, len);
  return uv__fd_read(uv__stream_fd(stream), buf->base, len);
}

/* The fd was reported ready, but there is nothing to read. */
static void read_none(uv_stream_t* stream,
                      unsigned events,
                      int refused,
                      const uv_buf_t* buf) {
  if (refused)
    read_fail(stream, uv__stream_poll_error(stream), buf);
  else if (events & POLLHUP)
    read_end(stream, buf); /* a hangup: no more data will come */
  else
    uv__call_read(stream, 0, buf);
}

/* Should another read follow at once? */
static int read_more(const uv_stream_t* stream, int is_short) {
  if (!(stream->flags & UV__READING))
    return 0; /* stopped or closed by the callback */
  if (stream->flags & UV__BLOCKING_WRITES)
    return 0; /* the fd may be blocking */
  return !is_short;
}

/* Reads once. Returns whether another read should follow. */
static int read_once(uv_stream_t* stream, unsigned events, int refused) {
  uv_buf_t buf = { .base = NULL, .len = 0 };

  uv__call_alloc(uv__base(stream), stream->alloc_cb, SUGGESTED_SIZE, &buf);
  if (!(stream->flags & UV__READING))
    return 0; /* alloc_cb stopped reading; the buffer is its own */
  if (buf.base == NULL || buf.len == 0) {
    uv__call_read(stream, UV_ENOBUFS, &buf);
    return 0;
  }

  size_t room = buf.len;
  ssize_t n = read_into(stream, &buf);
  if (n > 0) {
    uv__call_read(stream, n, &buf);
    return read_more(stream, (size_t) n < room);
  }

  if (n == UV_EAGAIN)
    read_none(stream, events, refused, &buf);
  else if (n == 0)
    read_end(stream, &buf);
  else if (n == UV_EIO && (events & POLLHUP))
    read_end(stream, &buf); /* a terminal whose other side has closed */
  else
    read_fail(stream, (int) n, &buf);
  return 0;
}

/* Has the peer closed with nothing left to read? A terminal that hung up may
 * still hold data. */
static int is_hung_up(const uv_stream_t* stream, unsigned events) {
  return (events & (POLLIN | POLLERR | POLLHUP)) == POLLHUP &&
         stream->type != UV_TTY;
}

void uv__stream_on_readable(uv_stream_t* stream, unsigned events, int refused) {
  uv_buf_t none = { .base = NULL, .len = 0 };
  int reads = 0;

  if (is_hung_up(stream, events)) {
    read_end(stream, &none);
    return;
  }
  int goes_on;
  do {
    goes_on = read_once(stream, events, refused);
  } while (goes_on && ++reads < READS_PER_TURN);

  /* A regular file is always ready, but no poller reports it. Asking for
   * interest again causes the next refusal, and with it the next read. */
  if (refused && (stream->flags & UV__READING))
    uv__io_start(stream->loop, &stream->io_watcher, POLLIN);
}
