/* SPDX-License-Identifier: MIT */
/* Streams on Windows: dispatches os/stream.h to the type's operations, and
 * holds what the types share: request accounting, end of reading and of
 * writing.
 */
#include "win/stream.h"
#include "observe/callback.h"

static const struct uv__stream_ops* const types[UV_HANDLE_TYPE_MAX] = {
  [UV_NAMED_PIPE] = &uv__pipe_stream_ops,
  [UV_TCP] = &uv__tcp_stream_ops,
  [UV_TTY] = &uv__tty_stream_ops,
};

static const struct uv__stream_ops* ops_of(const uv_stream_t* stream) {
  return types[stream->type];
}

/* ---- os/stream.h ---- */

int uv__stream_os_is_open(const uv_stream_t* stream) {
  return ops_of(stream)->is_open(stream);
}

/* UV_EPIPE even for a stream without a handle, as in libuv. */
int uv__stream_os_check_writable(const uv_stream_t* stream) {
  return stream->flags & UV__WRITABLE ? 0 : UV_EPIPE;
}

int uv__stream_os_listen(uv_stream_t* stream,
                         int backlog,
                         uv_connection_cb cb) {
  return ops_of(stream)->listen(stream, backlog, cb);
}

int uv__stream_os_accept(uv_stream_t* server, uv_stream_t* client) {
  const struct uv__stream_ops* ops = ops_of(server);
  return ops->accept == NULL ? UV_EINVAL : ops->accept(server, client);
}

int uv__stream_os_accept_fd(uv_stream_t* server, uv_os_fd_t* fd) {
  const struct uv__stream_ops* ops = ops_of(server);
  return ops->accept_fd == NULL ? UV_ENOTSUP : ops->accept_fd(server, fd);
}

int uv__stream_os_reject(uv_stream_t* server) {
  return ops_of(server)->reject(server);
}

void uv__stream_os_listen_pause(uv_stream_t* server, int is_paused) {
  ops_of(server)->listen_pause(server, is_paused);
}

int uv__stream_os_release(uv_stream_t* stream, uv_os_fd_t* fd) {
  const struct uv__stream_ops* ops = ops_of(stream);
  return ops->give_away == NULL ? UV_ENOTSUP : ops->give_away(stream, fd);
}

int uv__stream_os_read_start(uv_stream_t* stream) {
  return ops_of(stream)->read_start(stream);
}

void uv__stream_os_read_stop(uv_stream_t* stream) {
  ops_of(stream)->read_stop(stream);
}

ssize_t uv__stream_os_try_read(uv_stream_t* stream,
                               const uv_buf_t bufs[],
                               unsigned int nbufs) {
  const struct uv__stream_ops* ops = ops_of(stream);

  return ops->try_read == NULL ? UV_ENOTSUP
                               : ops->try_read(stream, bufs, nbufs);
}

int uv__stream_os_has_unread(const uv_stream_t* stream) {
  const struct uv__stream_ops* ops = ops_of(stream);

  return ops->has_unread != NULL && ops->has_unread(stream);
}

int uv__stream_os_can_send(const uv_stream_t* stream,
                           const uv_stream_t* send_handle) {
  const struct uv__stream_ops* ops = ops_of(stream);
  return ops->can_send == NULL ? UV_EINVAL : ops->can_send(stream, send_handle);
}

int uv__stream_os_write(uv_write_t* req,
                        uv_stream_t* stream,
                        const uv_buf_t bufs[],
                        unsigned int nbufs,
                        uv_stream_t* send_handle) {
  return ops_of(stream)->write(req, stream, bufs, nbufs, send_handle);
}

int uv__stream_os_is_busy(const uv_stream_t* stream) {
  return stream->write_queue_size != 0;
}

int uv__stream_os_try_write(uv_stream_t* stream,
                            const uv_buf_t bufs[],
                            unsigned int nbufs,
                            uv_stream_t* send_handle) {
  return ops_of(stream)->try_write(stream, bufs, nbufs, send_handle);
}

void uv__stream_os_shutdown(uv_stream_t* stream, uv_shutdown_t* req) {
  stream->shutdown_req = req;
  uv__activity_begin(stream, &stream->activecnt);
  ops_of(stream)->shutdown(stream, req);
}

int uv__stream_os_set_blocking(uv_stream_t* stream, int on) {
  const struct uv__stream_ops* ops = ops_of(stream);
  return ops->set_blocking == NULL ? UV_EINVAL : ops->set_blocking(stream, on);
}

int uv__stream_os_cancel_write(uv_write_t* req) {
  const struct uv__stream_ops* ops = ops_of(req->handle);

  /* Closing has already decided its result. */
  if (uv__is_closing(uv__base(req->handle)))
    return UV_EBUSY;
  return ops->cancel_write == NULL ? UV_EBUSY : ops->cancel_write(req);
}

int uv__stream_os_is_writing(const uv_write_t* req) {
  return !uv__req_is_reported(req);
}

int uv__stream_os_is_connecting(const uv_connect_t* req) {
  return !uv__req_is_reported(req);
}

int uv__stream_os_cancel_connect(uv_connect_t* req) {
  const struct uv__stream_ops* ops = ops_of(req->handle);

  if (uv__is_closing(uv__base(req->handle)) || uv__req_is_reported(req))
    return UV_EBUSY;
  return ops->cancel_connect == NULL ? UV_EBUSY : ops->cancel_connect(req);
}

/* Only while it waits for writes or the connect: then it is in no list. */
int uv__stream_os_cancel_shutdown(uv_shutdown_t* req) {
  uv_stream_t* stream = req->handle;

  if (uv__is_closing(uv__base(stream)) || stream->write_reqs_pending == 0)
    return UV_EBUSY;
  uv__stream_shutdown_end(stream, UV_ECANCELED);
  return 0;
}

/* ---- win/stream.h ---- */

void uv__stream_init(uv_loop_t* loop,
                     uv_stream_t* stream,
                     uv_handle_type type) {
  uv__handle_init(loop, uv__base(stream), type);
  stream->write_queue_size = 0;
  stream->alloc_cb = NULL;
  stream->read_cb = NULL;
  stream->reqs_pending = 0;
  stream->activecnt = 0;
  stream->write_reqs_pending = 0;
  stream->shutdown_req = NULL;
  uv__req_init_own(&stream->read_req, UV_READ, stream);
  stream->read_req.event_handle = NULL;
  stream->read_req.wait_handle = NULL;
}

void uv__stream_opened(uv_stream_t* stream, unsigned int flags) {
  stream->flags |= flags;
  stream->write_reqs_pending = 0;
  stream->shutdown_req = NULL;
}

void uv__stream_write_begin(uv_stream_t* stream,
                            uv_write_t* req,
                            size_t bytes,
                            uv_stream_t* send_handle) {
  uv__req_start(stream->loop, req, UV_WRITE);
  req->handle = stream;
  req->send_handle = send_handle;
  req->next_req = NULL;
  req->write_extra.nwritten = 0;
  uv__req_set_bytes(req, 0);
  req->u.io.queued_bytes = bytes;
  stream->write_queue_size += bytes;
  stream->write_reqs_pending++;
  stream->reqs_pending++;
  uv__activity_begin(stream, &stream->activecnt);
}

void uv__stream_write_undo(uv_stream_t* stream, uv_write_t* req) {
  stream->write_queue_size -= req->u.io.queued_bytes;
  stream->write_reqs_pending--;
  stream->reqs_pending--;
  uv__req_unregister(stream->loop);
  uv__activity_end(stream, &stream->activecnt);
}

void uv__stream_write_report(uv_stream_t* stream, uv_write_t* req, int err) {
  assert(stream->write_reqs_pending > 0);
  assert(stream->write_queue_size >= req->u.io.queued_bytes);
  stream->write_queue_size -= req->u.io.queued_bytes;
  uv__req_unregister(stream->loop);
  uv__activity_end(stream, &stream->activecnt);
  uv__req_set_reported(req);
  if (req->cb != NULL)
    uv__call_write(req, err);

  /* The write counts until its callback has returned, as in libuv on Windows: a
   * uv_try_write() in it is refused, a shutdown waits for its end. */
  stream->write_reqs_pending--;
  if (stream->shutdown_req != NULL && stream->write_reqs_pending == 0 &&
      !uv__is_closing(uv__base(stream)))
    ops_of(stream)->shutdown_after_write(stream, stream->shutdown_req);
  uv__req_finished(stream, &stream->reqs_pending);
}

void uv__stream_shutdown_end(uv_stream_t* stream, int err) {
  uv__activity_end(stream, &stream->activecnt);
  uv__stream_shutdown_report(stream, err);
}

void uv__stream_read_end(uv_stream_t* stream, int err, const uv_buf_t* buf) {
  uv_buf_t none = uv_buf_init(NULL, 0);

  if (err == UV_EOF)
    stream->flags |= UV__READ_EOF;
  else
    stream->flags &= ~(UV__READABLE | UV__WRITABLE);
  stream->flags &= ~UV__READING;
  uv__activity_end(stream, &stream->activecnt);
  uv__call_read(stream, err, buf == NULL ? &none : buf);
}

enum uv__finish_result uv__stream_finish(uv_handle_t* handle) {
  uv_stream_t* stream = (uv_stream_t*) handle;
  const struct uv__stream_ops* ops = ops_of(stream);

  if (uv__reader_owns(stream) && uv__reader_finish(stream) == UV__FINISH_AGAIN)
    return UV__FINISH_AGAIN;
  /* Servers use the same memory for connection_cb. */
  if (!(stream->flags & UV__LISTENING) && stream->shutdown_req != NULL)
    uv__stream_shutdown_end(stream, UV_ECANCELED);
  if (ops->release != NULL)
    ops->release(stream);
  return UV__FINISH_DONE;
}
