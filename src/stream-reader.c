/* SPDX-License-Identifier: MIT */
/* uvx_read() and uvx_try_read(): reading as requests.
 *
 *   uvx_read -> the stream reads, with an alloc_cb that gives the request's
 *   buffers and a read_cb that ends the request -> the stream stops, req->cb
 *
 * The request is in a word of the stream that is reserved for its owner; the
 * stream's read_cb tells whether it is valid. A stopped stream stays registered
 * with the poller until it is ready, so reads and writes in turn change no
 * interest.
 *
 * A cancelled request is handed to the loop, which reports it in its next
 * round. If the stream is closed before that, the close waits for it.
 */
#include "stream-reader.h"
#include "loop/check.h"
#include "observe/callback.h"
#include "os/stream.h"
#include "pool/done.h"
#include "pool/kind.h"
#include "req.h"
#include "util/alloc.h"
#include "util/bufs.h"

#include <string.h>

#define REQ_SLOT 3 /* of u.reserved */

static uvx_read_t* get_req(const uv_stream_t* stream) {
  return stream->u.reserved[REQ_SLOT];
}

static int is_cancelled(const uvx_read_t* req) {
  return req->result == UV_ECANCELED;
}

static void free_bufs(uvx_read_t* req) {
  if (req->bufs != req->bufsml)
    uv__free(req->bufs);
  req->bufs = NULL;
}

/* Detaches the request from its stream and calls the program. */
static void report_result(uvx_read_t* req, ssize_t result) {
  uv_stream_t* stream = req->stream;

  stream->read_cb = NULL;
  stream->alloc_cb = NULL;
  stream->u.reserved[REQ_SLOT] = NULL;
  free_bufs(req);
  req->result = result;
  uv__req_unregister(stream->loop);
  if (req->cb != NULL)
    uv__call_read_req(req, result);
}

void uv__reader_alloc_cb(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  const uvx_read_t* req = get_req((const uv_stream_t*) handle);

  (void) size;
  *buf = req->bufs[0];
}

/* After the first buffer was filled: reads into the others. Returns how many
 * bytes. Leaves an end or an error to the next read. */
static size_t fill_others(uvx_read_t* req) {
  if (req->nbufs == 1 || !uv__stream_os_has_unread(req->stream))
    return 0;
  ssize_t n =
      uv__stream_os_try_read(req->stream, req->bufs + 1, req->nbufs - 1);
  return n < 0 ? 0 : (size_t) n;
}

void uv__reader_read_cb(uv_stream_t* stream,
                        ssize_t nread,
                        const uv_buf_t* buf) {
  uvx_read_t* req = get_req(stream);

  (void) buf;
  if (nread == 0)
    return; /* a spurious event */
  if (nread > 0 && (size_t) nread == req->bufs[0].len)
    nread += (ssize_t) fill_others(req);
  if (stream->flags & UV__READING)
    uv__stream_os_read_stop(stream);
  report_result(req, nread);
}

/* ---- cancelling ---- */

static void end_cancelled(struct uv__work* w, int status) {
  uvx_read_t* req = container_of(w, uvx_read_t, cancelled);

  report_result(req, status);
}

static const struct uv__work_kind cancelled_kind = {
  NULL,
  end_cancelled,
  UV__WORK_MAX,
  offsetof(uvx_read_t, cancelled),
};

int uv__reader_is_pending(const uvx_read_t* req) {
  return uv__reader_owns(req->stream) && get_req(req->stream) == req;
}

int uv__reader_cancel(uvx_read_t* req) {
  uv_stream_t* stream = req->stream;

  if (!uv__reader_is_pending(req) || uv__is_closing(uv__base(stream)))
    return UV_EBUSY;
  if (is_cancelled(req))
    return 0;
  if (stream->flags & UV__READING)
    uv__stream_os_read_stop(stream);
  req->result = UV_ECANCELED;
  uv__work_hand_over(stream->loop, &req->cancelled, UV_ECANCELED,
                     &cancelled_kind);
  return 0;
}

enum uv__finish_result uv__reader_finish(uv_stream_t* stream) {
  uvx_read_t* req = get_req(stream);

  if (is_cancelled(req))
    return UV__FINISH_AGAIN; /* handed over: the loop will report it */
  report_result(req, UV_ECANCELED);
  return UV__FINISH_DONE;
}

/* ---- API ---- */

static int check_bufs(const uv_buf_t bufs[], unsigned nbufs) {
  size_t size;

  if (bufs == NULL || nbufs == 0 || bufs[0].len == 0)
    return UV_EINVAL;
  return uv__bufs_measure(bufs, nbufs, &size) ? 0 : UV_EINVAL;
}

/* Descriptors come with the data of such a pipe, and need a callback each. */
static int has_descriptors(const uv_stream_t* stream) {
  return stream->type == UV_NAMED_PIPE && ((const uv_pipe_t*) stream)->ipc;
}

static int check_stream(const uv_stream_t* stream,
                        const uv_buf_t bufs[],
                        unsigned nbufs) {
  if (stream == NULL || uv__is_closing(uv__base(stream)) ||
      has_descriptors(stream))
    return UV_EINVAL;
  return check_bufs(bufs, nbufs);
}

static int copy_bufs(uvx_read_t* req, const uv_buf_t bufs[], unsigned nbufs) {
  req->bufs = req->bufsml;
  if (nbufs > ARRAY_SIZE(req->bufsml))
    req->bufs = uv__malloc_array(nbufs, sizeof(*bufs));
  if (req->bufs == NULL)
    return UV_ENOMEM;
  memcpy(req->bufs, bufs, nbufs * sizeof(*bufs));
  req->nbufs = nbufs;
  return 0;
}

int uvx_read(uvx_read_t* req,
             uv_stream_t* stream,
             const uv_buf_t bufs[],
             unsigned nbufs,
             uvx_read_cb cb) {
  int err = req == NULL ? UV_EINVAL : check_stream(stream, bufs, nbufs);
  if (err != 0)
    return err;
  uv__debug_check(
      uv__loop_check_thread(stream->loop, UV__RULE_READ_THREAD, stream));
  if (uv__reader_owns(stream))
    return UV_EALREADY;
  if (stream->flags & UV__READING)
    return UV_EBUSY;
  if (!(stream->flags & UV__READABLE))
    return UV_ENOTCONN;
  err = copy_bufs(req, bufs, nbufs);
  if (err != 0)
    return err;

  req->stream = stream;
  req->cb = cb;
  req->result = 0;
  stream->alloc_cb = uv__reader_alloc_cb;
  stream->read_cb = uv__reader_read_cb;
  stream->u.reserved[REQ_SLOT] = req;
  req->type = (uv_req_type) UVX_READ;
  uv__req_register(stream->loop);
  err = uv__stream_os_read_start(stream);
  if (err != 0) {
    stream->read_cb = NULL;
    stream->alloc_cb = NULL;
    free_bufs(req);
    uv__req_unregister(stream->loop);
  }
  return err;
}

ssize_t uvx_try_read(uv_stream_t* stream,
                     const uv_buf_t bufs[],
                     unsigned nbufs) {
  int err = check_stream(stream, bufs, nbufs);

  if (err != 0)
    return err;
  if ((stream->flags & UV__READING) || uv__reader_owns(stream))
    return UV_EBUSY;
  if (!(stream->flags & UV__READABLE))
    return UV_ENOTCONN;
  return uv__stream_os_try_read(stream, bufs, nbufs);
}
