/* SPDX-License-Identifier: MIT */
/* The end of writing.
 *
 * A pipe has no half-closed state: the peer learns that no more will come when
 * our handle is closed, and that ends reading too. What was written stays
 * readable for the peer. So after the last write
 *
 *   - a pipe that cannot be read (any more) is closed at once;
 *   - else the peer may be about to answer: the handle is closed after a short
 *     silence while a read waits, and the reader is told UV_EOF.
 */
#include "win/pipe-impl.h"
#include "alloc.h"

/* Silence that means there will be no answer. */
#define SILENCE_MS 50

void uv__pipe_shutdown(uv_stream_t* stream, uv_shutdown_t* req) {
  if (stream->write_reqs_pending > 0)
    return; /* the last of them brings us back */

  stream->reqs_pending++;
  uv__req_set_bytes(req, 0);
  uv__req_pend(stream->loop, req);
}

/* Closes the handle under the reader. */
static void end_both(uv_pipe_t* pipe) {
  uv__pipe_eof_close(pipe);
  uv__pipe_shut(pipe);
  if (pipe->flags & UV__READING)
    uv__stream_read_end(uv__pipe_stream(pipe), UV_EOF, NULL);
}

static void silence_cb(uv_timer_t* timer) {
  uv_pipe_t* pipe = timer->data;
  const OVERLAPPED* read = &pipe->read_req.u.io.overlapped;

  if (!(pipe->flags & UV__READ_PENDING))
    return;
  /* Something has come and its handler is next; it begins anew. */
  if (!HasOverlappedIoCompleted(read))
    end_both(pipe);
}

static void free_timer(uv_handle_t* timer) {
  uv__free(timer);
}

static int make_timer(uv_pipe_t* pipe) {
  uv_timer_t* timer = uv__malloc(sizeof(*timer));

  if (timer == NULL)
    return UV_ENOMEM;
  uv_timer_init(pipe->loop, timer);
  uv__handle_make_internal(uv__base(timer));
  timer->data = pipe;
  pipe->pipe.conn.eof_timer = timer;
  return 0;
}

void uv__pipe_eof_wait(uv_pipe_t* pipe) {
  if (pipe->pipe.conn.eof_timer != NULL)
    uv_timer_start(pipe->pipe.conn.eof_timer, silence_cb, SILENCE_MS, 0);
}

void uv__pipe_eof_put_off(uv_pipe_t* pipe) {
  if (pipe->pipe.conn.eof_timer != NULL)
    uv_timer_stop(pipe->pipe.conn.eof_timer);
}

void uv__pipe_eof_close(uv_pipe_t* pipe) {
  if (pipe->pipe.conn.eof_timer == NULL)
    return;
  uv_close(uv__base(pipe->pipe.conn.eof_timer), free_timer);
  pipe->pipe.conn.eof_timer = NULL;
}

static int can_be_answered(const uv_pipe_t* pipe) {
  return (pipe->flags & (UV__READABLE | UV__READ_EOF)) == UV__READABLE;
}

static void end_writing(uv_pipe_t* pipe) {
  if (!can_be_answered(pipe)) {
    uv__pipe_shut(pipe);
    return;
  }
  if (make_timer(pipe) != 0) {
    end_both(pipe); /* without memory there is no patience either */
    return;
  }
  int reading = UV__READING | UV__READ_PENDING;
  if ((pipe->flags & reading) == (unsigned int) reading)
    uv__pipe_eof_wait(pipe);
}

void uv__pipe_shutdown_done(uv_handle_t* handle, uv_req_t* req) {
  uv_pipe_t* pipe = (uv_pipe_t*) handle;
  uv_stream_t* stream = uv__pipe_stream(pipe);

  (void) req; /* stream->shutdown_req */
  if (uv__is_closing(handle)) {
    uv__stream_shutdown_end(stream, UV_ECANCELED);
  } else {
    uv__stream_shutdown_end(stream, 0);
    if (!uv__is_closing(handle))
      end_writing(pipe);
  }
  uv__req_finished(pipe, &pipe->reqs_pending);
}
