/* SPDX-License-Identifier: MIT */
/* Reading from pipes.
 *
 *   a zero-byte read is pending -> UV_READ: how much is available? -> alloc_cb,
 *   read, read_cb, until the pipe is empty or ROUNDS_MAX is reached -> the next
 *   zero-byte read
 *
 * Another reader of the same pipe may take the available data first; we then
 * continue as if there had been none.
 */
#include "win/pipe.h"
#include "observe/callback.h"

/* Consecutive callbacks before the loop continues with other work. */
#define ROUNDS_MAX 32

/* Size suggested to alloc_cb. */
#define SUGGESTED_SIZE 65536

/* On a synchronous handle everything waits for the pending write; reading
 * continues after it completes. */
static int is_busy_writing(const uv_pipe_t* pipe) {
  return (pipe->flags & UV__PIPE_SYNC) &&
         pipe->pipe.conn.non_overlapped_write_active != NULL;
}

static int may_continue(const uv_pipe_t* pipe) {
  return (pipe->flags & UV__READING) && !(pipe->flags & UV__READ_PENDING) &&
         !is_busy_writing(pipe);
}

/* The read has ended inside the call, and the port does not report it. */
static void read_is_over(uv_pipe_t* pipe) {
  pipe->flags |= UV__PIPE_READ_DUE;
  uv__req_pend(pipe->loop, &pipe->read_req);
}

static void submit_to_port(uv_pipe_t* pipe) {
  uv_read_t* req = &pipe->read_req;
  static char nothing;

  pipe->flags &= ~(unsigned) UV__PIPE_READ_DUE;
  if (ReadFile(pipe->handle, &nothing, 0, NULL, uv__req_overlapped(req))) {
    if (pipe->flags & UV__SKIP_PORT)
      read_is_over(pipe);
    return;
  }
  DWORD sys_error = GetLastError();
  if (sys_error == ERROR_IO_PENDING)
    return;
  uv__req_set_error(req, sys_error);
  read_is_over(pipe);
}

int uv__pipe_read_expects(uv_pipe_t* pipe) {
  if (!(pipe->flags & UV__READ_PENDING) || (pipe->flags & UV__PIPE_READ_DUE) ||
      !HasOverlappedIoCompleted(&pipe->read_req.u.io.overlapped))
    return 0;
  pipe->flags |= UV__PIPE_READ_DUE;
  return 1;
}

void uv__pipe_read_continue(uv_pipe_t* pipe) {
  if (!may_continue(pipe))
    return;

  pipe->flags |= UV__READ_PENDING;
  pipe->reqs_pending++;
  uv__pipe_eof_wait(pipe);
  if (pipe->handle == INVALID_HANDLE_VALUE) { /* closed by the EOF timer */
    uv__req_set_error(&pipe->read_req, ERROR_BROKEN_PIPE);
    uv__req_pend(pipe->loop, &pipe->read_req);
  } else if (uv__pipe_has_threads(pipe)) {
    uv__pipe_thread_read(pipe);
  } else {
    submit_to_port(pipe);
  }
}

int uv__pipe_read_start(uv_stream_t* stream) {
  stream->flags |= UV__READING;
  uv__activity_begin(stream, &stream->activecnt);
  uv__pipe_read_continue((uv_pipe_t*) stream);
  return 0;
}

void uv__pipe_read_stop(uv_stream_t* stream) {
  uv_pipe_t* pipe = (uv_pipe_t*) stream;

  stream->flags &= ~UV__READING;
  uv__activity_end(stream, &stream->activecnt);
  uv__pipe_eof_defer(pipe);
  /* A pending zero-byte read in the port consumes nothing; one on a thread may
   * block the whole handle. */
  if (uv__pipe_has_threads(pipe))
    uv__pipe_thread_stop_read(pipe);
}

/* The event for reads that must not post to the port. */
static HANDLE private_event(uv_pipe_t* pipe) {
  if (pipe->read_req.event_handle == NULL)
    pipe->read_req.event_handle = CreateEventW(NULL, TRUE, FALSE, NULL);
  return pipe->read_req.event_handle;
}

static int64_t read_overlapped(uv_pipe_t* pipe, void* base, DWORD len) {
  OVERLAPPED overlapped = { 0 };
  HANDLE event = private_event(pipe);
  DWORD bytes = 0;

  if (event == NULL)
    return -(int64_t) GetLastError();
  /* Setting the low bit prevents a completion packet. */
  overlapped.hEvent = (HANDLE) ((uintptr_t) event | 1);
  if (!ReadFile(pipe->handle, base, len, NULL, &overlapped)) {
    DWORD sys_error = GetLastError();
    if (sys_error != ERROR_IO_PENDING && sys_error != ERROR_MORE_DATA)
      return -(int64_t) sys_error;
    if (sys_error == ERROR_IO_PENDING) /* another reader was faster */
      CancelIoEx(pipe->handle, &overlapped);
  }

  overlapped.hEvent = event;
  if (GetOverlappedResult(pipe->handle, &overlapped, &bytes, TRUE))
    return bytes;
  DWORD sys_error = GetLastError();
  if (sys_error == ERROR_OPERATION_ABORTED)
    return 0;
  return sys_error == ERROR_MORE_DATA ? (int64_t) bytes : -(int64_t) sys_error;
}

int64_t uv__pipe_read_now(uv_pipe_t* pipe, void* base, DWORD len) {
  DWORD bytes = 0;

  if (!(pipe->flags & UV__PIPE_SYNC))
    return read_overlapped(pipe, base, len);
  if (ReadFile(pipe->handle, base, len, &bytes, NULL))
    return bytes;
  DWORD sys_error = GetLastError();
  return sys_error == ERROR_MORE_DATA ? (int64_t) bytes : -(int64_t) sys_error;
}

/* 0, or why there is nothing to read. */
static int check_unread(uv_pipe_t* pipe, DWORD* avail) {
  if (pipe->handle == INVALID_HANDLE_VALUE || is_busy_writing(pipe))
    return UV_EAGAIN;
  /* The thread's read has the handle to itself. */
  if (uv__pipe_has_threads(pipe) && (pipe->flags & UV__READ_PENDING))
    return UV_EAGAIN;
  if (PeekNamedPipe(pipe->handle, NULL, 0, NULL, avail, NULL))
    return *avail == 0 ? UV_EAGAIN : 0;
  DWORD sys_error = GetLastError();
  return sys_error == ERROR_BROKEN_PIPE
             ? UV_EOF
             : uv_translate_sys_error((int) sys_error);
}

int uv__pipe_has_unread(const uv_stream_t* stream) {
  DWORD avail = 0;

  return check_unread((uv_pipe_t*) stream, &avail) == 0;
}

ssize_t uv__pipe_try_read(uv_stream_t* stream,
                          const uv_buf_t bufs[],
                          unsigned int nbufs) {
  uv_pipe_t* pipe = (uv_pipe_t*) stream;
  ssize_t total = 0;

  for (unsigned int i = 0; i < nbufs; i++) {
    DWORD avail = 0;
    int err = check_unread(pipe, &avail);
    if (err != 0)
      return total != 0 ? total : err;
    int64_t n = uv__pipe_read_now(pipe, bufs[i].base,
                                  (DWORD) uv__min_size(bufs[i].len, avail));
    if (n < 0)
      return total != 0 ? total : uv_translate_sys_error((int) -n);
    total += (ssize_t) n;
    if (n < (int64_t) bufs[i].len)
      break;
  }
  return total;
}

static void end_reading(uv_pipe_t* pipe, DWORD sys_error) {
  int err = sys_error == ERROR_BROKEN_PIPE
                ? UV_EOF
                : uv_translate_sys_error((int) sys_error);

  uv__pipe_eof_defer(pipe);
  uv__stream_read_end(uv__pipe_stream(pipe), err, NULL);
}

static int64_t read_data(uv_pipe_t* pipe, DWORD max, int* filled) {
  uv_stream_t* stream = uv__pipe_stream(pipe);
  uv_buf_t buf = uv_buf_init(NULL, 0);

  *filled = 0;
  uv__call_alloc(uv__base(stream), stream->alloc_cb, SUGGESTED_SIZE, &buf);
  if ((pipe->flags & (UV__READING | UV__READ_PENDING)) != UV__READING)
    return 0; /* alloc_cb stopped reading; it keeps the buffer */
  if (buf.base == NULL || buf.len == 0) {
    uv__call_read(stream, UV_ENOBUFS, &buf);
    return 0;
  }
  if (is_busy_writing(pipe)) { /* alloc_cb has written */
    uv__call_read(stream, 0, &buf);
    return 0;
  }
  int64_t n = uv__pipe_read_now(pipe, buf.base, buf.len < max ? buf.len : max);
  if (n >= 0) {
    *filled = n == (int64_t) buf.len;
    uv__call_read(stream, (ssize_t) n, &buf);
    return n;
  }

  int err = n == -(int64_t) ERROR_BROKEN_PIPE
                ? UV_EOF
                : uv_translate_sys_error((int) -n);
  uv__pipe_eof_defer(pipe);
  uv__stream_read_end(stream, err, &buf);
  return n;
}

int64_t uv__pipe_read_data(uv_pipe_t* pipe, DWORD max) {
  int filled;
  return read_data(pipe, max, &filled);
}

/* Queries the available bytes where it matters: on a synchronous handle,
 * reading more would block, and a frame must not be read beyond its end.
 * Returns whether the pipe is still usable. */
static int peek_available(uv_pipe_t* pipe, DWORD* avail) {
  *avail = MAXDWORD;
  if (!(pipe->flags & UV__PIPE_SYNC) && !pipe->ipc)
    return 1;
  if (PeekNamedPipe(pipe->handle, NULL, 0, NULL, avail, NULL))
    return 1;
  end_reading(pipe, GetLastError());
  return 0;
}

/* Reads once; returns whether there may be more. */
static int read_some(uv_pipe_t* pipe) {
  DWORD avail;

  if (!peek_available(pipe, &avail) || avail == 0)
    return 0;
  uv__pipe_eof_defer(pipe);
  if (!pipe->ipc) {
    int filled;
    return read_data(pipe, avail, &filled) > 0 && filled;
  }

  int result = uv__ipc_read(pipe, avail);
  if (result < 0 && (pipe->flags & UV__READING))
    uv__stream_read_end(uv__pipe_stream(pipe), result, NULL);
  return result > 0;
}

void uv__pipe_read_done(uv_handle_t* handle, uv_req_t* req) {
  uv_pipe_t* pipe = (uv_pipe_t*) handle;
  DWORD sys_error = uv__req_win32_error(req);

  pipe->flags &= ~UV__READ_PENDING;
  if (uv__is_closing(handle) || !(pipe->flags & UV__READING)) {
    uv__req_finished(pipe, &pipe->reqs_pending);
    return;
  }

  if (sys_error == ERROR_SUCCESS || sys_error == ERROR_MORE_DATA) {
    int rounds = 0;
    while (may_continue(pipe) && rounds++ < ROUNDS_MAX && read_some(pipe)) {
      /* Callbacks may stop, start or close: check again each time. */
    }
  } else if (sys_error != ERROR_OPERATION_ABORTED) {
    end_reading(pipe, sys_error);
  } /* else: cancelled to let another operation proceed */

  if (!uv__is_closing(handle))
    uv__pipe_read_continue(pipe);
  uv__req_finished(pipe, &pipe->reqs_pending);
}
