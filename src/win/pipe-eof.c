/* SPDX-License-Identifier: MIT */
/* Shutting down a pipe.
 *
 * A pipe has no half-closed state: the peer sees end of file only when our
 * handle is closed, which ends reading too. So after the last write a system
 * thread waits until the peer has read everything (FlushFileBuffers):
 * https://learn.microsoft.com/windows/win32/api/fileapi/
 * nf-fileapi-flushfilebuffers
 * The shutdown is then complete, and
 *
 *   - a pipe that is not readable (any more) is closed at once;
 *   - otherwise the peer may still answer: if a read is pending and nothing
 *     arrives for SILENCE_MS, the handle is closed and the reader gets UV_EOF.
 *
 * If the pipe is closed meanwhile, the thread's call is cancelled, and the pipe
 * waits for the thread: it has no handle of its own that would keep the end
 * from the peer. The system keeps what was written until the peer has read it.
 *
 * A synchronous handle is not flushed: the call would wait for a pending read.
 */
#include "win/pipe.h"
#include "util/alloc.h"

/* How long to wait for an answer. */
#define SILENCE_MS 50

void uv__pipe_shutdown(uv_stream_t* stream, uv_shutdown_t* req) {
  uv_pipe_t* pipe = (uv_pipe_t*) stream;

  if (stream->write_reqs_pending > 0)
    return; /* the last of them calls again */

  stream->reqs_pending++;
  uv__req_set_bytes(req, 0);
  if ((pipe->flags & UV__PIPE_SYNC) || uv__pipe_thread_flush(pipe, req) != 0)
    uv__req_pend(stream->loop, req);
}

/* Closes the handle despite a pending read. */
static void end_both(uv_pipe_t* pipe) {
  uv__pipe_eof_close(pipe);
  uv__pipe_close_handle(pipe);
  if (pipe->flags & UV__READING)
    uv__stream_read_end(uv__pipe_stream(pipe), UV_EOF, NULL);
}

static void silence_cb(uv_timer_t* timer) {
  uv_pipe_t* pipe = timer->data;
  const OVERLAPPED* read = &pipe->read_req.u.io.overlapped;

  if (!(pipe->flags & UV__READ_PENDING))
    return;
  /* Data has arrived and its handler runs next, which restarts the timer. */
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

void uv__pipe_eof_defer(uv_pipe_t* pipe) {
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
    uv__pipe_close_handle(pipe);
    return;
  }
  if (make_timer(pipe) != 0) {
    end_both(pipe); /* out of memory: close without waiting */
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
