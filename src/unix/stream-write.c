/* SPDX-License-Identifier: MIT */
/* Writing to a stream, and ending that with a shutdown.
 *
 * Happy path: uv_write() finds nothing ahead of it and hands the caller's
 * buffers to the kernel at once. All taken: no copy is made, the request is
 * completed and its callback is fed to the pending round. Otherwise the rest is
 * copied (the descriptors, not the data), queued, and POLLOUT asked for. When
 * that comes, one call carries the buffers of as many queued requests as fit.
 *
 * Where a request is: req->bufs points to what is left of it while it is in
 * write_queue and is NULL from completion on. write_queue_size counts what is
 * left of all of them; what a failed or cancelled one leaves (unwritten())
 * counts until its callback. Such a request ends alone; those behind it go on.
 */
#include "alloc.h"
#include "callback.h"
#include "os/stream.h"
#include "req.h"
#include "unix/fd.h"
#include "unix/os.h"
#include "unix/sock.h"
#include "unix/stream.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Calls per turn, so that one busy stream does not starve the others. */
#define WRITES_PER_TURN 32

/* Buffers of different requests that share a call, and the bytes from which on
 * there is nothing in it: a call for more than a socket has room for ends with
 * a wait. */
#define GATHER_MAX 64
#define GATHER_BYTES (64u << 10)

#if UV__HAVE_MSG_NOSIGNAL
# define SEND_FLAGS MSG_NOSIGNAL
#else
# define SEND_FLAGS 0 /* the socket itself was told (SO_NOSIGPIPE) */
#endif

static_assert(sizeof(uv_buf_t) == sizeof(struct iovec), "same layout");
static_assert(offsetof(uv_buf_t, base) == offsetof(struct iovec, iov_base),
              "same layout");
static_assert(offsetof(uv_buf_t, len) == offsetof(struct iovec, iov_len),
              "same layout");

/* What one call is to carry. */
struct parcel {
  const uv_buf_t* bufs;
  unsigned count;
  size_t bytes;  /* in all of them; the call may take less */
  int is_whole;  /* nothing was left for another call */
  int passed_fd; /* -1: none */
};

static size_t bytes_in(const uv_buf_t* bufs, unsigned nbufs) {
  size_t bytes = 0;

  for (unsigned i = 0; i < nbufs; i++)
    bytes += bufs[i].len;
  return bytes;
}

/* A single call takes UV__IOV_MAX buffers, and as many bytes as a request may
 * have (bufs.h). */
static void parcel_fill(struct parcel* p,
                        const uv_buf_t* bufs,
                        unsigned nbufs) {
  p->bufs = bufs;
  p->count = nbufs < UV__IOV_MAX ? nbufs : UV__IOV_MAX;
  p->bytes = bytes_in(bufs, p->count);
  p->is_whole = p->count == nbufs;
  p->passed_fd = -1;
}

UV__NOINLINE static ssize_t send_several(int fd, const struct parcel* p) {
  struct msghdr msg;

  memset(&msg, 0, sizeof(msg));
  msg.msg_iov = (struct iovec*) p->bufs;
  msg.msg_iovlen = p->count;
  return sendmsg(fd, &msg, SEND_FLAGS);
}

static ssize_t call_other(int fd, const struct parcel* p) {
  if (p->count == 1)
    return write(fd, p->bufs->base, p->bytes);
  return writev(fd, (const struct iovec*) p->bufs, (int) p->count);
}

/* Several empty buffers are nothing to writev(2), as in libuv; sendmsg(2) would
 * make them an empty message, or find out that the peer is gone. */
static ssize_t call_socket(int fd, const struct parcel* p) {
  if (p->count == 1)
    return send(fd, p->bufs->base, p->bytes, SEND_FLAGS);
  return p->bytes == 0 ? call_other(fd, p) : send_several(fd, p);
}

/* Bytes or UV_E*. */
static ssize_t parcel_send(const uv_stream_t* stream, const struct parcel* p) {
  int fd = uv__stream_fd(stream);
  ssize_t n;

  if (p->passed_fd != -1)
    return uv__ipc_send(fd, p->bufs, p->count, p->passed_fd);

  do {
    if (stream->flags & UV__STREAM_SOCKET)
      n = call_socket(fd, p);
    else
      n = call_other(fd, p);
  } while (n == -1 && errno == EINTR);

  return n >= 0 ? n : uv__send_error(errno);
}

/* Fills a parcel for buffers of one request. `send_handle` is set if its
 * descriptor has still to go: UV_EBADF if it was closed meanwhile. */
static int parcel_address(struct parcel* p,
                          const uv_buf_t* bufs,
                          unsigned nbufs,
                          const uv_stream_t* send_handle) {
  parcel_fill(p, bufs, nbufs);
  if (send_handle == NULL)
    return 0;
  return uv_fileno((const uv_handle_t*) send_handle, &p->passed_fd);
}

/* Do new data have to wait in line? Also behind a failure that has not been
 * reported. */
int uv__stream_os_is_busy(const uv_stream_t* stream) {
  return stream->connect_req != NULL || stream->write_queue_size != 0;
}

int uv__stream_os_can_send(const uv_stream_t* stream,
                           const uv_stream_t* send_handle) {
  uv_os_fd_t fd;

  if (!uv__ipc_is_channel(stream))
    return UV_EINVAL;
  return uv_fileno((const uv_handle_t*) send_handle, &fd);
}

static int has_data(const uv_buf_t* bufs, unsigned nbufs) {
  for (unsigned i = 0; i < nbufs; i++)
    if (bufs[i].len != 0)
      return 1;
  return 0;
}

int uv__stream_os_try_write(uv_stream_t* stream,
                            const uv_buf_t bufs[],
                            unsigned int nbufs,
                            uv_stream_t* send_handle) {
  struct parcel p;

  /* A descriptor rides on a byte; alone it would be lost. */
  if (send_handle != NULL && !has_data(bufs, nbufs))
    return UV_EINVAL;

  int err = parcel_address(&p, bufs, nbufs, send_handle);
  return err != 0 ? err : (int) parcel_send(stream, &p);
}

static size_t bytes_left(const uv_write_t* req) {
  return bytes_in(req->bufs + req->write_index, req->nbufs - req->write_index);
}

/* Takes `n` written bytes off the front of the request. Returns what of n
 * belongs to requests behind it. */
static size_t advance(uv_write_t* req, size_t n) {
  while (req->write_index < req->nbufs) {
    uv_buf_t* buf = &req->bufs[req->write_index];
    size_t step = uv__min_size(n, buf->len);

    buf->base += step;
    buf->len -= step;
    req->write_extra.nwritten += step;
    n -= step;
    if (buf->len != 0)
      break;
    req->write_index++;
  }
  return n;
}

/* Bytes that a completed request did not write and that are still counted. */
static size_t* unwritten(uv_write_t* req) {
  assert(req->bufs == NULL);
  return &req->bufsml[0].len; /* has no other use any more */
}

/* The request is in no queue: its callback is due. `left` bytes of it, which
 * write_queue_size counts, are not going to be written. */
static void conclude(uv_stream_t* stream,
                     uv_write_t* req,
                     int err,
                     size_t left) {
  req->error = err;
  *unwritten(req) = left;
  uv__queue_push_back(&stream->write_completed_queue, &req->queue);
}

/* From the queue to the completed requests. */
static void complete(uv_stream_t* stream, uv_write_t* req, int err) {
  size_t left = bytes_left(req);

  uv__queue_remove(&req->queue);
  if (req->bufs != req->bufsml)
    uv__free(req->bufs);
  req->bufs = NULL;
  conclude(stream, req, err, left);
}

/* Spreads `n` written bytes over the head of the queue. A request without data
 * is alone in its call, so that the next one is not among those written. */
static void consume(uv_stream_t* stream, size_t n) {
  stream->write_queue_size -= n;
  do {
    struct uv__queue* q = uv__queue_first(&stream->write_queue);
    uv_write_t* req = uv__queue_entry(q, uv_write_t, queue);

    n = advance(req, n);
    if (req->write_index < req->nbufs)
      break;
    complete(stream, req, 0);
  } while (n != 0);
}

/* Has the request's descriptor still to go? */
static uv_stream_t* fd_to_go(const uv_write_t* req) {
  return req->write_extra.nwritten == 0 ? req->send_handle : NULL;
}

/* Copies what is left of the requests at the head of the queue. A descriptor
 * goes with the first byte of its own request, so one that has one waits for a
 * call of its own. So does one without data, which needs no room. */
static unsigned gather(const uv_stream_t* stream, uv_buf_t* out) {
  const struct uv__queue* head = &stream->write_queue;
  unsigned count = 0;
  size_t bytes = 0;

  for (struct uv__queue* q = head->next; q != head; q = q->next) {
    const uv_write_t* req = uv__queue_entry(q, uv_write_t, queue);
    unsigned left = req->nbufs - req->write_index;

    size_t more = bytes_left(req);

    if (left > GATHER_MAX - count || fd_to_go(req) != NULL || more == 0)
      break;
    bytes += more;
    if (count != 0 && bytes > GATHER_BYTES)
      break;
    memcpy(out + count, req->bufs + req->write_index, left * sizeof(*out));
    count += left;
  }
  return count;
}

/* One call for the head of the queue. Bytes or UV_E*; *asked is what it was
 * to carry. */
static ssize_t write_head(uv_stream_t* stream, size_t* asked) {
  struct uv__queue* q = uv__queue_first(&stream->write_queue);
  const uv_write_t* req = uv__queue_entry(q, uv_write_t, queue);
  uv_buf_t gathered[GATHER_MAX];
  struct parcel p;
  unsigned count = 0;

  if (uv__queue_next(q) != &stream->write_queue &&
      !(stream->flags & UV__STREAM_MESSAGES))
    count = gather(stream, gathered);

  if (count != 0) {
    parcel_fill(&p, gathered, count);
  } else {
    int err = parcel_address(&p, req->bufs + req->write_index,
                             req->nbufs - req->write_index, fd_to_go(req));
    if (err != 0)
      return err;
  }
  *asked = p.bytes;
  return parcel_send(stream, &p);
}

/* The stream was set to blocking but its fd is not. */
static void wait_writable(const uv_stream_t* stream) {
  struct pollfd pfd = { .fd = uv__stream_fd(stream), .events = POLLOUT };
  /* Whatever the answer, the next write finds out. */
  (void) poll(&pfd, 1, -1);
}

/* The request at the head of the queue has failed. Those behind it have their
 * turn in the next pending round. */
UV__NOINLINE static void fail_head(uv_stream_t* stream, int err) {
  struct uv__queue* q = uv__queue_first(&stream->write_queue);

  complete(stream, uv__queue_entry(q, uv_write_t, queue), err);
  uv__io_feed(stream->loop, &stream->io_watcher);
}

/* Writes until the queue is empty, one fails, the kernel is full or the turn is
 * over; a blocking stream waits for the kernel and has no turns. */
static void flush(uv_stream_t* stream) {
  int blocking = (stream->flags & UV__BLOCKING_WRITES) != 0;
  int calls = 0;

  while (!uv__queue_empty(&stream->write_queue)) {
    if (!blocking && ++calls > WRITES_PER_TURN)
      return;

    size_t asked;
    ssize_t n = write_head(stream, &asked);
    if (n == UV_EAGAIN && blocking) {
      wait_writable(stream);
      continue;
    }
    if (n < 0 && n != UV_EAGAIN)
      fail_head(stream, (int) n);
    if (n < 0)
      return;
    consume(stream, (size_t) n);
    if (!blocking && (size_t) n < asked)
      return;
  }
}

/* Interest in POLLOUT exactly while there is something to write. */
static void update_interest(uv_stream_t* stream) {
  uv__io_t* w = &stream->io_watcher;

  if (stream->connect_req != NULL)
    return; /* it waits for the same event */
  if (!uv__queue_empty(&stream->write_queue))
    uv__io_start(stream->loop, w, POLLOUT);
  else if (uv__io_wants(w, POLLOUT))
    uv__io_stop(stream->loop, w, POLLOUT);
}

/* Have the callbacks of completed requests run soon. */
static void feed_completed(uv_stream_t* stream) {
  if (!uv__queue_empty(&stream->write_completed_queue))
    uv__io_feed(stream->loop, &stream->io_watcher);
}

/* Keeps the buffers from `first` on with the request, `skip` bytes of the first
 * one being written already. */
static int keep_rest(uv_write_t* req,
                     const uv_buf_t* bufs,
                     unsigned first,
                     unsigned nbufs,
                     size_t skip) {
  unsigned count = nbufs - first;
  uv_buf_t* copy = req->bufsml;

  if (count > ARRAY_SIZE(req->bufsml))
    copy = uv__malloc_array(count, sizeof(*copy));
  if (copy == NULL)
    return UV_ENOMEM;

  memcpy(copy, bufs + first, count * sizeof(*copy));
  copy->base += skip;
  copy->len -= skip;
  req->bufs = copy;
  req->nbufs = count;
  return 0;
}

/* Queues what the first call left over: 0, or UV_ENOMEM. */
static int enqueue_rest(uv_stream_t* stream,
                        uv_write_t* req,
                        const uv_buf_t* bufs,
                        unsigned nbufs) {
  size_t skip = req->write_extra.nwritten;
  unsigned first = 0;

  while (skip != 0 && bufs[first].len <= skip)
    skip -= bufs[first++].len;
  assert(first < nbufs);
  int err = keep_rest(req, bufs, first, nbufs, skip);
  if (err != 0)
    return err;

  stream->write_queue_size += bytes_left(req);
  uv__queue_push_back(&stream->write_queue, &req->queue);
  return 0;
}

static void init_request(uv_write_t* req,
                         uv_stream_t* stream,
                         uv_stream_t* send_handle) {
  req->handle = stream;
  req->send_handle = send_handle;
  req->bufs = NULL;
  req->nbufs = 0;
  req->write_index = 0;
  req->write_extra.nwritten = 0;
  uv__queue_init(&req->queue);
}

/* Nothing more is going to be written, for better or worse: `left` bytes. */
static int end_at_once(uv_stream_t* stream,
                       uv_write_t* req,
                       int err,
                       size_t left) {
  uv__req_start(stream->loop, req, UV_WRITE);
  stream->write_queue_size += left;
  conclude(stream, req, err, left);
  uv__io_feed(stream->loop, &stream->io_watcher);
  return 0;
}

/* The first call answered n; it was to carry `asked` bytes. */
static int go_on_later(uv_stream_t* stream,
                       uv_write_t* req,
                       const uv_buf_t* bufs,
                       unsigned nbufs,
                       ssize_t n,
                       size_t asked) {
  int err = enqueue_rest(stream, req, bufs, nbufs);
  if (err != 0 && n <= 0)
    return err;
  if (err != 0)
    return end_at_once(stream, req, err, bytes_in(bufs, nbufs) - (size_t) n);

  uv__req_start(stream->loop, req, UV_WRITE);
  if ((stream->flags & UV__BLOCKING_WRITES) ||
      (n >= 0 && (size_t) n == asked))
    flush(stream); /* more than one call's worth */
  feed_completed(stream);
  update_interest(stream);
  return 0;
}

static int wait_in_line(uv_stream_t* stream,
                        uv_write_t* req,
                        const uv_buf_t* bufs,
                        unsigned nbufs) {
  int is_busy = uv__stream_os_is_busy(stream);
  int err = enqueue_rest(stream, req, bufs, nbufs);
  if (err != 0)
    return err;

  uv__req_start(stream->loop, req, UV_WRITE);
  if (!is_busy)
    flush(stream); /* behind requests without data only */
  feed_completed(stream);
  update_interest(stream);
  return 0;
}

int uv__stream_os_write(uv_write_t* req,
                        uv_stream_t* stream,
                        const uv_buf_t bufs[],
                        unsigned int nbufs,
                        uv_stream_t* send_handle) {
  struct parcel p;

  if (send_handle != NULL && !has_data(bufs, nbufs))
    return UV_EINVAL; /* see uv__stream_os_try_write() */
  init_request(req, stream, send_handle);
  if (uv__stream_os_is_busy(stream) || !uv__queue_empty(&stream->write_queue))
    return wait_in_line(stream, req, bufs, nbufs);

  int err = parcel_address(&p, bufs, nbufs, send_handle);
  if (err != 0)
    return err;
  ssize_t n = parcel_send(stream, &p);
  if (n < 0 && n != UV_EAGAIN)
    return end_at_once(stream, req, (int) n, bytes_in(bufs, nbufs));
  if (n > 0)
    req->write_extra.nwritten = (size_t) n;
  if (p.is_whole && n == (ssize_t) p.bytes)
    return end_at_once(stream, req, 0, 0);
  return go_on_later(stream, req, bufs, nbufs, n, p.bytes);
}

int uv__stream_os_cancel_write(uv_write_t* req) {
  uv_stream_t* stream = req->handle;

  if (uv__is_closing(uv__base(stream)))
    return UV_EBUSY; /* closing decides what becomes of it */
  if (req->bufs == NULL)
    return 0; /* its callback is due and tells how it ended */

  complete(stream, req, UV_ECANCELED);
  feed_completed(stream);
  update_interest(stream);
  return 0;
}

void uv__stream_write_abandon(uv_stream_t* stream, int err) {
  while (!uv__queue_empty(&stream->write_queue)) {
    struct uv__queue* q = uv__queue_first(&stream->write_queue);
    complete(stream, uv__queue_entry(q, uv_write_t, queue), err);
  }
}

void uv__stream_write_report(uv_stream_t* stream) {
  struct uv__queue* due = &stream->write_completed_queue;
  const struct uv__queue* last = due->prev;
  const struct uv__queue* q = due;

  /* Also if a callback closes the stream: this is before its close_cb. What it
   * completes comes behind the last one of now and has its turn later. */
  while (q != last && !uv__queue_empty(due)) {
    q = uv__queue_pop_front(due);
    uv_write_t* req = uv__queue_entry(q, uv_write_t, queue);

    stream->write_queue_size -= *unwritten(req);
    uv__req_unregister(stream->loop);
    if (req->cb != NULL)
      uv__call_write(req, req->error);
  }
}

/* Is there a shutdown, and nothing in its way? Results that are not reported
 * yet are not: the data are out. */
static int is_shutdown_due(const uv_stream_t* stream) {
  return stream->shutdown_req != NULL && stream->connect_req == NULL &&
         uv__queue_empty(&stream->write_queue);
}

static void shut_down(uv_stream_t* stream) {
  int err = UV_ECANCELED;

  /* A callback of this turn may have closed the stream. */
  if (uv__stream_fd(stream) != -1)
    err = shutdown(uv__stream_fd(stream), SHUT_WR) == 0 ? 0 : uv__errno();
  uv__stream_shutdown_report(stream, err);
}

void uv__stream_write_ready(uv_stream_t* stream) {
  update_interest(stream);
  if (is_shutdown_due(stream))
    uv__io_feed(stream->loop, &stream->io_watcher);
}

void uv__stream_write_failed(uv_stream_t* stream, int err) {
  uv__stream_write_abandon(stream, err);
  uv__stream_write_turn(stream, 0);
}

void uv__stream_os_shutdown(uv_stream_t* stream, uv_shutdown_t* req) {
  stream->shutdown_req = req;
  /* Behind data or a connect it has its turn when they are through. */
  if (is_shutdown_due(stream))
    uv__io_feed(stream->loop, &stream->io_watcher);
}

void uv__stream_write_turn(uv_stream_t* stream, int refused) {
  if (!uv__queue_empty(&stream->write_queue))
    flush(stream);
  if (refused)
    uv__stream_write_abandon(stream, uv__stream_refusal(stream));
  update_interest(stream);
  uv__stream_write_report(stream);
  if (is_shutdown_due(stream))
    shut_down(stream);
}
