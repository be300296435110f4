/* SPDX-License-Identifier: MIT */
/* Stream API: argument and state checks.
 *
 * A stream is readable and writable from the moment it is connected (or
 * connecting, or opened); uv_shutdown() ends writing, an error while reading
 * ends both, uv_close() ends everything. The platform does what the flags allow
 * (os/stream.h).
 */
#include "os/stream.h"
#include "loop/check.h"
#include "observe/callback.h"
#include "req.h"
#include "stream-reader.h"
#include "util/bufs.h"

#include <limits.h>

/* A larger count is a negative number that was converted to unsigned. */
#define NBUFS_MAX INT_MAX

int uv_listen(uv_stream_t* stream, int backlog, uv_connection_cb cb) {
  if (stream == NULL || uv__is_closing(uv__base(stream)) ||
      (stream->type != UV_TCP && stream->type != UV_NAMED_PIPE))
    return uv__misuse_refuse(UV__RULE_LISTEN, stream, UV_EINVAL);
  if (cb == NULL) /* as libuv, which takes it */
    uv__misuse_explain(UV__RULE_LISTEN_CALLBACK, NULL, NULL, stream);

  return uv__stream_os_listen(stream, backlog, cb);
}

int uv_accept(uv_stream_t* server, uv_stream_t* client) {
  if (server == NULL || client == NULL || server->loop != client->loop)
    return UV_EINVAL;

  return uv__stream_os_accept(server, client);
}

/* May something wait for uv_accept() there? */
static int can_announce(const uv_stream_t* server) {
  return server != NULL && !uv__is_closing(uv__base(server)) &&
         (server->type == UV_TCP || server->type == UV_NAMED_PIPE);
}

int uvx_accept_fd(uv_stream_t* server, uv_os_fd_t* fd) {
  if (fd == NULL || !can_announce(server))
    return UV_EINVAL;
  return uv__stream_os_accept_fd(server, fd);
}

int uvx_reject(uv_stream_t* server) {
  return can_announce(server) ? uv__stream_os_reject(server) : UV_EINVAL;
}

int uvx_listen_pause(uv_stream_t* server, int is_paused) {
  if (!can_announce(server) || !(server->flags & UV__LISTENING))
    return UV_EINVAL;
  uv__stream_os_listen_pause(server, is_paused != 0);
  return 0;
}

/* UV_ENOTCONN, explained if it can never be connected. */
UV__COLD static int refuse_to_read(const uv_stream_t* stream) {
  if (stream->type == UV_TCP || stream->type == UV_NAMED_PIPE ||
      stream->type == UV_TTY)
    return UV_ENOTCONN;
  return uv__misuse_refuse(UV__RULE_NO_STREAM, stream, UV_ENOTCONN);
}

int uv_read_start(uv_stream_t* stream,
                  uv_alloc_cb alloc_cb,
                  uv_read_cb read_cb) {
  if (stream == NULL || alloc_cb == NULL || read_cb == NULL ||
      uv__is_closing(uv__base(stream)))
    return uv__misuse_refuse(UV__RULE_READ_START, stream, UV_EINVAL);
  uv__debug_check(
      uv__loop_check_thread(stream->loop, UV__RULE_READ_THREAD, stream));
  if (uv__reader_owns(stream))
    return UV_EBUSY;
  if (stream->flags & UV__READING)
    return UV_EALREADY;
  if (!(stream->flags & UV__READABLE))
    return refuse_to_read(stream);

  stream->alloc_cb = alloc_cb;
  stream->read_cb = read_cb;
  return uv__stream_os_read_start(stream);
}

int uv_read_stop(uv_stream_t* stream) {
  if (stream == NULL)
    return UV_EINVAL;
  if ((stream->flags & UV__READING) && !uv__reader_owns(stream))
    uv__stream_os_read_stop(stream);
  return 0;
}

static int check_bufs(const uv_stream_t* stream,
                      const uv_buf_t bufs[],
                      unsigned int nbufs) {
  if (stream == NULL || bufs == NULL || nbufs == 0 || nbufs > NBUFS_MAX)
    return UV_EINVAL;
  return uv__bufs_fit(bufs, nbufs) ? 0 : UV_EINVAL;
}

static int check_state(const uv_stream_t* stream,
                       const uv_stream_t* send_handle) {
  int err = uv__stream_os_check_writable(stream);

  if (err != 0)
    return err;
  if (send_handle != NULL)
    return uv__stream_os_can_send(stream, send_handle);
  return 0;
}

int uv_write2(uv_write_t* req,
              uv_stream_t* stream,
              const uv_buf_t bufs[],
              unsigned int nbufs,
              uv_stream_t* send_handle,
              uv_write_cb cb) {
  if (req == NULL)
    return UV_EINVAL;

  int err = check_bufs(stream, bufs, nbufs);
  if (err == 0)
    err = check_state(stream, send_handle);
  if (err != 0)
    return err;
  uv__debug_check(
      uv__loop_check_thread(stream->loop, UV__RULE_WRITE_THREAD, stream));

  req->cb = cb;
  return uv__stream_os_write(req, stream, bufs, nbufs, send_handle);
}

int uv_write(uv_write_t* req,
             uv_stream_t* stream,
             const uv_buf_t bufs[],
             unsigned int nbufs,
             uv_write_cb cb) {
  return uv_write2(req, stream, bufs, nbufs, NULL, cb);
}

int uv_try_write2(uv_stream_t* stream,
                  const uv_buf_t bufs[],
                  unsigned int nbufs,
                  uv_stream_t* send_handle) {
  int err = check_bufs(stream, bufs, nbufs);
  if (err != 0)
    return err;
  /* Also if it has been shut down since. */
  if (uv__stream_os_is_busy(stream))
    return UV_EAGAIN;
  if (uv__is_closing(uv__base(stream)))
    return UV_EBADF;
  err = check_state(stream, send_handle);
  if (err != 0)
    return err;

  int n = uv__stream_os_try_write(stream, bufs, nbufs, send_handle);
  uv__hook_stream_written(stream->loop, n);
  return n;
}

int uv_try_write(uv_stream_t* stream,
                 const uv_buf_t bufs[],
                 unsigned int nbufs) {
  return uv_try_write2(stream, bufs, nbufs, NULL);
}

int uv_shutdown(uv_shutdown_t* req, uv_stream_t* stream, uv_shutdown_cb cb) {
  if (req == NULL || stream == NULL)
    return UV_EINVAL;
  if (uv__is_closing(uv__base(stream)) || !(stream->flags & UV__WRITABLE))
    return UV_ENOTCONN;
  if (stream->flags & (UV__SHUTTING | UV__SHUT))
    return UV_ENOTCONN;

  req->handle = stream;
  req->cb = cb;
  uv__req_start(stream->loop, req, UV_SHUTDOWN);
  stream->flags |= UV__SHUTTING;
  stream->flags &= ~UV__WRITABLE;
  uv__stream_os_shutdown(stream, req);
  return 0;
}

void uv__stream_shutdown_report(uv_stream_t* stream, int err) {
  uv_shutdown_t* req = stream->shutdown_req;

  assert(req != NULL);
  assert(stream->flags & UV__SHUTTING);
  assert(err <= 0);
  stream->shutdown_req = NULL;
  stream->flags &= ~UV__SHUTTING;
  if (err == 0)
    stream->flags |= UV__SHUT;
  uv__req_unregister(stream->loop);
  if (req->cb != NULL)
    uv__call_shutdown(req, err);
}

int uv_is_readable(const uv_stream_t* stream) {
  return (stream->flags & UV__READABLE) != 0;
}

int uv_is_writable(const uv_stream_t* stream) {
  return (stream->flags & UV__WRITABLE) != 0;
}

int uv_stream_set_blocking(uv_stream_t* stream, int blocking) {
  if (stream == NULL)
    return UV_EINVAL;
  if (!uv__stream_os_is_open(stream))
    return UV_EBADF;

  return uv__stream_os_set_blocking(stream, blocking != 0);
}
