/* SPDX-License-Identifier: MIT */
/* Writing to a stream, and shutting it down.
 *
 * Normal path: nothing is queued, so uv_write() passes the caller's buffers to
 * the kernel at once. If the kernel takes all of them, nothing is copied: the
 * request is complete and its callback runs in the next pending phase.
 * Otherwise the remaining buffer descriptors (not the data) are copied, the
 * request is queued and POLLOUT requested. When the fd is writable, one call
 * carries the buffers of as many queued requests as fit.
 *
 * State of a request: req->bufs points to the unwritten buffers while the
 * request is in write_queue, and is NULL after completion. write_queue_size
 * counts the unwritten bytes of all requests; those of a failed or cancelled
 * one (req_unwritten()) count until its callback runs. A failure ends one
 * request only; the ones behind it continue.
 */
#include "observe/callback.h"
#include "os/stream.h"
#include "req.h"
#include "unix/fd.h"
#include "unix/iovec.h"
#include "unix/os.h"
#include "unix/sock.h"
#include "unix/stream.h"
#include "util/alloc.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Calls per event, so that one busy stream does not starve the others. */
#define WRITES_PER_TURN 32

/* Limits on combining requests into one call: buffers, and bytes. Beyond the
 * latter, combining gains nothing: the call exceeds the socket buffer and has
 * to wait anyway. */
#define GATHER_MAX 64
#define GATHER_BYTES (64u << 10)

/* Input of one write call. */
struct write_call {
  const uv_buf_t* bufs;
  unsigned count;
  size_t bytes;  /* total; the call may take less */
  int is_whole;  /* the request needs no further call */
  int passed_fd; /* -1: none */
};

static size_t bytes_in(const uv_buf_t* bufs, unsigned nbufs) {
  size_t bytes = 0;

  for (unsigned i = 0; i < nbufs; i++)
    bytes += bufs[i].len;
  return bytes;
}

/* One call takes UV__IOV_MAX buffers, and as many bytes as a request may have
 * (bufs.h). */
static void write_call_fill(struct write_call* p,
                            const uv_buf_t* bufs,
                            unsigned nbufs) {
  assert(nbufs > 0);
  p->bufs = bufs;
  p->count = nbufs < UV__IOV_MAX ? nbufs : UV__IOV_MAX;
  p->bytes = bytes_in(bufs, p->count);
  p->is_whole = p->count == nbufs;
  p->passed_fd = -1;
}

UV__NOINLINE static ssize_t send_several(int fd, const struct write_call* p) {
  struct msghdr msg;

  memset(&msg, 0, sizeof(msg));
  msg.msg_iov = uv__iovec(p->bufs);
  msg.msg_iovlen = p->count;
  return sendmsg(fd, &msg, UV__SEND_FLAGS);
}

static ssize_t call_other(int fd, const struct write_call* p) {
  if (p->count == 1)
    return write(fd, p->bufs->base, p->bytes);
  return writev(fd, uv__iovec(p->bufs), (int) p->count);
}

/* As in libuv, writev(2) ignores several empty buffers; sendmsg(2) would send
 * an empty message or detect that the peer is gone. */
static ssize_t call_socket(int fd, const struct write_call* p) {
  if (p->count == 1)
    return send(fd, p->bufs->base, p->bytes, UV__SEND_FLAGS);
  return p->bytes == 0 ? call_other(fd, p) : send_several(fd, p);
}

/* Bytes or UV_E*. */
static ssize_t write_call_send(const uv_stream_t* stream,
                               const struct write_call* p) {
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

/* Fills in a call from the buffers of one request. `send_handle` is set if its
 * descriptor is still to be sent; UV_EBADF if that was closed meanwhile. */
static int write_call_address(struct write_call* p,
                              const uv_buf_t* bufs,
                              unsigned nbufs,
                              const uv_stream_t* send_handle) {
  write_call_fill(p, bufs, nbufs);
  if (send_handle == NULL)
    return 0;
  return uv_fileno((const uv_handle_t*) send_handle, &p->passed_fd);
}

/* Must new data be queued? Also true while a failure has not been reported. */
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
  struct write_call p;

  /* A descriptor is sent with a data byte; without one it would be lost. */
  if (send_handle != NULL && !has_data(bufs, nbufs))
    return UV_EINVAL;

  int err = write_call_address(&p, bufs, nbufs, send_handle);
  return err != 0 ? err : (int) write_call_send(stream, &p);
}

static size_t bytes_left(const uv_write_t* req) {
  return bytes_in(req->bufs + req->write_index, req->nbufs - req->write_index);
}

/* Removes `n` written bytes from the front of the request. Returns how many of
 * them belong to the requests behind it. */
static size_t req_advance(uv_write_t* req, size_t n) {
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

/* Bytes that a completed request did not write and that write_queue_size still
 * counts. */
static size_t* req_unwritten(uv_write_t* req) {
  assert(req->bufs == NULL);
  return &req->bufsml[0].len; /* unused after completion */
}

/* Schedules the callback of a request that is in no queue. `left` bytes of it,
 * which write_queue_size counts, will not be written. */
static void req_conclude(uv_stream_t* stream,
                         uv_write_t* req,
                         int err,
                         size_t left) {
  req->error = err;
  *req_unwritten(req) = left;
  uv__queue_push_back(&stream->write_completed_queue, &req->queue);
}

/* Moves the request from the queue to the completed requests. */
static void req_complete(uv_stream_t* stream, uv_write_t* req, int err) {
  size_t left = bytes_left(req);

  assert(req->bufs != NULL);
  assert(err <= 0);
  uv__queue_remove(&req->queue);
  if (req->bufs != req->bufsml)
    uv__free(req->bufs);
  req->bufs = NULL;
  req_conclude(stream, req, err, left);
}

/* Distributes `n` written bytes over the head of the queue. A request without
 * data has a call of its own, so that it cannot complete the next one. */
static void queue_consume(uv_stream_t* stream, size_t n) {
  assert(n <= stream->write_queue_size);
  stream->write_queue_size -= n;
  do {
    struct uv__queue* q = uv__queue_first(&stream->write_queue);
    uv_write_t* req = uv__queue_entry(q, uv_write_t, queue);

    n = req_advance(req, n);
    if (req->write_index < req->nbufs)
      break;
    req_complete(stream, req, 0);
  } while (n != 0);
}

/* The handle whose descriptor is still to be sent, or NULL. */
static uv_stream_t* stream_to_send(const uv_write_t* req) {
  return req->write_extra.nwritten == 0 ? req->send_handle : NULL;
}

/* Collects the unwritten buffers at the head of the queue. A descriptor is sent
 * with the first byte of its own request, so a request that has one starts a
 * new call. So does a request without data, which takes no space. */
static unsigned queue_gather(const uv_stream_t* stream, uv_buf_t* out) {
  const struct uv__queue* head = &stream->write_queue;
  unsigned count = 0;
  size_t bytes = 0;

  for (struct uv__queue* q = head->next; q != head; q = q->next) {
    const uv_write_t* req = uv__queue_entry(q, uv_write_t, queue);
    unsigned left = req->nbufs - req->write_index;
    size_t more = bytes_left(req);

    if (left > GATHER_MAX - count || stream_to_send(req) != NULL || more == 0)
      break;
    bytes += more;
    if (count != 0 && bytes > GATHER_BYTES)
      break;
    memcpy(out + count, req->bufs + req->write_index, left * sizeof(*out));
    count += left;
  }
  return count;
}

/* Makes one call for the head of the queue. Returns bytes or UV_E*; *requested
 * is the number of bytes offered. */
static ssize_t write_head(uv_stream_t* stream, size_t* requested) {
  struct uv__queue* q = uv__queue_first(&stream->write_queue);
  const uv_write_t* req = uv__queue_entry(q, uv_write_t, queue);
  uv_buf_t gathered[GATHER_MAX];
  struct write_call p;
  unsigned count = 0;

  if (uv__queue_next(q) != &stream->write_queue &&
      !(stream->flags & UV__STREAM_MESSAGES))
    count = queue_gather(stream, gathered);

  if (count != 0) {
    write_call_fill(&p, gathered, count);
  } else {
    int err =
        write_call_address(&p, req->bufs + req->write_index,
                           req->nbufs - req->write_index, stream_to_send(req));
    if (err != 0)
      return err;
  }
  *requested = p.bytes;
  return write_call_send(stream, &p);
}

/* For a stream in blocking mode whose fd is non-blocking. */
static void wait_writable(const uv_stream_t* stream) {
  struct pollfd pfd = { .fd = uv__stream_fd(stream), .events = POLLOUT };
  /* The next write reports any error. */
  (void) poll(&pfd, 1, -1);
}

/* Fails the request at the head of the queue. The ones behind it continue in
 * the next pending phase. */
UV__NOINLINE static void fail_head(uv_stream_t* stream, int err) {
  struct uv__queue* q = uv__queue_first(&stream->write_queue);

  assert(err < 0);
  req_complete(stream, uv__queue_entry(q, uv_write_t, queue), err);
  uv__io_feed(stream->loop, &stream->io_watcher);
}

/* Writes until the queue is empty, a request fails, the kernel accepts no more,
 * or WRITES_PER_TURN is reached. A blocking stream waits for the kernel and has
 * no such limit. */
static void stream_write_flush(uv_stream_t* stream) {
  int blocking = (stream->flags & UV__BLOCKING_WRITES) != 0;
  int calls = 0;

  while (!uv__queue_empty(&stream->write_queue)) {
    if (!blocking && ++calls > WRITES_PER_TURN)
      return;

    size_t requested;
    ssize_t n = write_head(stream, &requested);
    if (n == UV_EAGAIN && blocking) {
      wait_writable(stream);
      continue;
    }
    if (n < 0 && n != UV_EAGAIN)
      fail_head(stream, (int) n);
    if (n < 0)
      return;
    queue_consume(stream, (size_t) n);
    if (!blocking && (size_t) n < requested)
      return;
  }
}

/* Watches for POLLOUT exactly while there is something to write. */
static void update_interest(uv_stream_t* stream) {
  uv__io_t* w = &stream->io_watcher;

  if (stream->connect_req != NULL)
    return; /* the connect waits for POLLOUT too */
  if (!uv__queue_empty(&stream->write_queue))
    uv__io_start(stream->loop, w, POLLOUT);
  else if (uv__io_wants(w, POLLOUT))
    uv__io_stop(stream->loop, w, POLLOUT);
}

/* Schedules the callbacks of completed requests for the next pending phase. */
static void feed_completed(uv_stream_t* stream) {
  if (!uv__queue_empty(&stream->write_completed_queue))
    uv__io_feed(stream->loop, &stream->io_watcher);
}

/* Copies the buffer descriptors from `first` on into the request; `skip` bytes
 * of the first one are already written. */
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

/* Queues what the first call did not write: 0 or UV_ENOMEM. */
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

/* Completes a request that will write nothing more, successful or not; `left`
 * bytes are unwritten. */
static int write_finish(uv_stream_t* stream,
                        uv_write_t* req,
                        int err,
                        size_t left) {
  uv__req_start(stream->loop, req, UV_WRITE);
  stream->write_queue_size += left;
  req_conclude(stream, req, err, left);
  uv__io_feed(stream->loop, &stream->io_watcher);
  return 0;
}

/* Continues after the first call, which returned n for `requested` bytes. */
static int write_continue(uv_stream_t* stream,
                          uv_write_t* req,
                          const uv_buf_t* bufs,
                          unsigned nbufs,
                          ssize_t n,
                          size_t requested) {
  int err = enqueue_rest(stream, req, bufs, nbufs);
  if (err != 0 && n <= 0)
    return err;
  if (err != 0)
    return write_finish(stream, req, err, bytes_in(bufs, nbufs) - (size_t) n);

  uv__req_start(stream->loop, req, UV_WRITE);
  if ((stream->flags & UV__BLOCKING_WRITES) ||
      (n >= 0 && (size_t) n == requested))
    stream_write_flush(stream); /* needs more than one call */
  feed_completed(stream);
  update_interest(stream);
  return 0;
}

static int write_enqueue(uv_stream_t* stream,
                         uv_write_t* req,
                         const uv_buf_t* bufs,
                         unsigned nbufs) {
  int is_busy = uv__stream_os_is_busy(stream);
  int err = enqueue_rest(stream, req, bufs, nbufs);
  if (err != 0)
    return err;

  uv__req_start(stream->loop, req, UV_WRITE);
  if (!is_busy)
    stream_write_flush(stream); /* only requests without data are ahead */
  feed_completed(stream);
  update_interest(stream);
  return 0;
}

int uv__stream_os_write(uv_write_t* req,
                        uv_stream_t* stream,
                        const uv_buf_t bufs[],
                        unsigned int nbufs,
                        uv_stream_t* send_handle) {
  struct write_call p;

  if (send_handle != NULL && !has_data(bufs, nbufs))
    return UV_EINVAL; /* see uv__stream_os_try_write() */
  uv__debug_check(uv__check_not_queued(&stream->write_queue, &req->queue,
                                       UV__RULE_WRITE_ONCE, req));
  uv__debug_check(uv__check_not_queued(&stream->write_completed_queue,
                                       &req->queue, UV__RULE_WRITE_ONCE, req));
  init_request(req, stream, send_handle);
  if (uv__stream_os_is_busy(stream) || !uv__queue_empty(&stream->write_queue))
    return write_enqueue(stream, req, bufs, nbufs);

  int err = write_call_address(&p, bufs, nbufs, send_handle);
  if (err != 0)
    return err;
  ssize_t n = write_call_send(stream, &p);
  if (n < 0 && n != UV_EAGAIN)
    return write_finish(stream, req, (int) n, bytes_in(bufs, nbufs));
  if (n > 0)
    req->write_extra.nwritten = (size_t) n;
  if (p.is_whole && n == (ssize_t) p.bytes)
    return write_finish(stream, req, 0, 0);
  return write_continue(stream, req, bufs, nbufs, n, p.bytes);
}

int uv__stream_os_cancel_write(uv_write_t* req) {
  uv_stream_t* stream = req->handle;

  if (uv__is_closing(uv__base(stream)))
    return UV_EBUSY; /* closing completes it */
  if (req->bufs == NULL)
    return 0; /* already complete; its callback has the result */

  req_complete(stream, req, UV_ECANCELED);
  feed_completed(stream);
  update_interest(stream);
  return 0;
}

int uv__stream_os_is_writing(const uv_write_t* req) {
  return !uv__queue_empty(&req->queue); /* unlinked for its callback */
}

void uv__stream_write_abandon(uv_stream_t* stream, int err) {
  assert(err < 0);
  while (!uv__queue_empty(&stream->write_queue)) {
    struct uv__queue* q = uv__queue_first(&stream->write_queue);
    req_complete(stream, uv__queue_entry(q, uv_write_t, queue), err);
  }
}

void uv__stream_write_report(uv_stream_t* stream) {
  struct uv__queue* due = &stream->write_completed_queue;
  const struct uv__queue* last = due->prev;
  const struct uv__queue* q = due;

  /* Continue even if a callback closes the stream: close_cb comes later.
   * Requests that callbacks complete are behind `last` and wait for the next
   * call. */
  while (q != last && !uv__queue_empty(due)) {
    q = uv__queue_pop_front(due);
    uv_write_t* req = uv__queue_entry(q, uv_write_t, queue);

    stream->write_queue_size -= *req_unwritten(req);
    uv__req_unregister(stream->loop);
    if (req->cb != NULL)
      uv__call_write(req, req->error);
  }
}

/* Can a requested shutdown proceed? Unreported results do not hold it up: their
 * data has been written. */
static int is_shutdown_due(const uv_stream_t* stream) {
  return stream->shutdown_req != NULL && stream->connect_req == NULL &&
         uv__queue_empty(&stream->write_queue);
}

static void stream_shut_down(uv_stream_t* stream) {
  int err = UV_ECANCELED;

  assert(uv__queue_empty(&stream->write_queue));
  /* A write callback may have closed the stream. */
  if (uv__stream_fd(stream) != -1)
    err = shutdown(uv__stream_fd(stream), SHUT_WR) == 0 ? 0 : uv__errno();
  uv__stream_shutdown_report(stream, err);
}

void uv__stream_write_ready(uv_stream_t* stream) {
  update_interest(stream);
  if (is_shutdown_due(stream))
    uv__io_feed(stream->loop, &stream->io_watcher);
}

/* After a turn of writing: reports what is complete, then shuts down if that
 * was waiting for the last write. */
static void write_settle(uv_stream_t* stream) {
  update_interest(stream);
  uv__stream_write_report(stream);
  if (is_shutdown_due(stream))
    stream_shut_down(stream);
}

void uv__stream_write_failed(uv_stream_t* stream, int err) {
  uv__stream_write_abandon(stream, err);
  write_settle(stream);
}

void uv__stream_os_shutdown(uv_stream_t* stream, uv_shutdown_t* req) {
  assert(stream->shutdown_req == NULL);
  stream->shutdown_req = req;
  /* With data queued or a connect in progress, it runs after them. */
  if (is_shutdown_due(stream))
    uv__io_feed(stream->loop, &stream->io_watcher);
}

int uv__stream_os_cancel_shutdown(uv_shutdown_t* req) {
  uv_stream_t* stream = req->handle;

  if (uv__is_closing(uv__base(stream)) || is_shutdown_due(stream))
    return UV_EBUSY;
  uv__stream_shutdown_report(stream, UV_ECANCELED);
  return 0;
}

void uv__stream_on_writable(uv_stream_t* stream, int refused) {
  if (!uv__queue_empty(&stream->write_queue))
    stream_write_flush(stream);
  if (refused)
    uv__stream_write_abandon(stream, uv__stream_poll_error(stream));
  write_settle(stream);
}
