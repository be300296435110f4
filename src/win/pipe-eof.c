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
 * The thread has a duplicate of the handle. If the pipe is closed meanwhile,
 * the thread continues alone, and the peer still gets all data before the end.
 *
 * A synchronous handle is not flushed: the call would wait for a pending read.
 */
#include "win/pipe.h"
#include "util/alloc.h"
#include "util/atomic.h"

/* How long to wait for an answer. */
#define SILENCE_MS 50

enum flush_state {
  FLUSH_WAITS, /* the thread is flushing and will post the request */
  FLUSH_ENDED, /* the request was posted; the loop frees this */
  FLUSH_ALONE  /* the pipe is closed; the thread frees this */
};

struct uv__pipe_flush {
  int state;          /* enum flush_state; atomic */
  HANDLE handle;      /* duplicate of the pipe's */
  uv_loop_t* loop;    /* may be gone in FLUSH_ALONE */
  uv_shutdown_t* req; /* may be gone in FLUSH_ALONE */
};

/* Context: system thread pool. */
static DWORD WINAPI work_flush(void* arg) {
  struct uv__pipe_flush* flush = arg;

  /* The result does not matter: all data was read, or nobody is left to read
   * it. */
  (void) FlushFileBuffers(flush->handle);
  CloseHandle(flush->handle);
  uv_loop_t* loop = flush->loop;
  uv_shutdown_t* req = flush->req;
  /* Pairs with uv__pipe_flush_leave(): one of the two frees it. */
  if (uv__exchange(&flush->state, FLUSH_ENDED) == FLUSH_WAITS)
    uv__req_post(loop, req);
  else
    uv__free(flush);
  return 0;
}

/* 0, or UV_E* if no thread is available. */
static int start_flush(uv_pipe_t* pipe, uv_shutdown_t* req) {
  HANDLE self = GetCurrentProcess();
  struct uv__pipe_flush* flush = uv__malloc(sizeof(*flush));

  if (flush == NULL)
    return UV_ENOMEM;
  flush->state = FLUSH_WAITS;
  flush->loop = pipe->loop;
  flush->req = req;
  if (!DuplicateHandle(self, pipe->handle, self, &flush->handle, 0, FALSE,
                       DUPLICATE_SAME_ACCESS))
    goto err_free;
  if (!QueueUserWorkItem(work_flush, flush, WT_EXECUTELONGFUNCTION))
    goto err_close;
  uv__pipe_extra(pipe)->flush = flush;
  return 0;

err_close:
  CloseHandle(flush->handle);
err_free:
  uv__free(flush);
  return UV_ENOMEM;
}

void uv__pipe_flush_leave(uv_pipe_t* pipe) {
  struct uv__pipe_flush* flush = uv__pipe_extra(pipe)->flush;

  if (flush == NULL)
    return;
  uv_shutdown_t* req = flush->req;
  if (uv__exchange(&flush->state, FLUSH_ALONE) == FLUSH_ENDED)
    return; /* its handler frees it */
  uv__pipe_extra(pipe)->flush = NULL;
  uv__req_pend(pipe->loop, req);
}

void uv__pipe_shutdown(uv_stream_t* stream, uv_shutdown_t* req) {
  uv_pipe_t* pipe = (uv_pipe_t*) stream;

  if (stream->write_reqs_pending > 0)
    return; /* the last of them calls again */

  stream->reqs_pending++;
  uv__req_set_bytes(req, 0);
  if ((pipe->flags & UV__PIPE_SYNC) || start_flush(pipe, req) != 0)
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
  uv__free(uv__pipe_extra(pipe)->flush);
  uv__pipe_extra(pipe)->flush = NULL;
  if (uv__is_closing(handle)) {
    uv__stream_shutdown_end(stream, UV_ECANCELED);
  } else {
    uv__stream_shutdown_end(stream, 0);
    if (!uv__is_closing(handle))
      end_writing(pipe);
  }
  uv__req_finished(pipe, &pipe->reqs_pending);
}
