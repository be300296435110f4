/* SPDX-License-Identifier: MIT */
/* Writing to pipes.
 *
 * The system takes one buffer per write: several buffers, and the frames of ipc
 * pipes, are copied into one block that lives until the write completes
 * (write_buffer, if `coalesced` is set).
 *
 * Writes that are in the port are in a circular list, linked by wait_handle and
 * event_handle, which are otherwise for sockets; non_overlapped_writes_tail,
 * otherwise for pipes with threads, is the newest. Closing cancels them, newest
 * first, and their callbacks run in order.
 *
 * A write that the system refuses inside the call is an error of uv_write(), as
 * in libuv on Windows; there is no callback then.
 */
#include "win/pipe.h"
#include "util/alloc.h"

#include <string.h>

/* Limit for one write, including frames. */
#define WRITE_SIZE_MAX INT32_MAX

/* uv_write_t.coalesced. */
enum {
  WRITE_BLOCK = 1 << 0, /* write_buffer is a block that we own */
  WRITE_DONE = 1 << 1,  /* its turn has come; the pipe is closing */
  WRITE_IS_DUE = 1 << 2 /* its end was reported */
};

static char* append_bufs(char* at, const uv_buf_t bufs[], unsigned int nbufs) {
  for (unsigned int i = 0; i < nbufs; i++) {
    if (bufs[i].len != 0)
      memcpy(at, bufs[i].base, bufs[i].len);
    at += bufs[i].len;
  }
  return at;
}

/* Fills write_buffer with everything to be written. */
static int gather_write(uv_pipe_t* pipe,
                        uv_write_t* req,
                        const uv_buf_t bufs[],
                        unsigned int nbufs,
                        uv_stream_t* send_handle,
                        size_t bytes) {
  req->coalesced = 0;
  if (!pipe->ipc && nbufs == 1) {
    req->write_buffer = bufs[0];
    return 0;
  }

  size_t size = bytes + (pipe->ipc ? uv__ipc_overhead(send_handle, bytes) : 0);
  char* base = uv__malloc(size == 0 ? 1 : size);
  if (base == NULL)
    return UV_ENOMEM;
  char* at = base;
  int err = 0;
  if (pipe->ipc)
    err = uv__ipc_put_frame(pipe, send_handle, bytes, &at);
  if (err != 0) {
    uv__free(base);
    return err;
  }
  append_bufs(at, bufs, nbufs);
  req->write_buffer = uv_buf_init(base, (unsigned int) size);
  req->coalesced = WRITE_BLOCK;
  return 0;
}

/* The system has accepted all bytes: uv_stream_get_write_queue_size() no longer
 * counts them, even before the callback, as in libuv. */
static void leave_queue(uv_pipe_t* pipe, uv_write_t* req) {
  pipe->write_queue_size -= req->u.io.queued_bytes;
  req->write_extra.nwritten = req->u.io.queued_bytes;
  req->u.io.queued_bytes = 0;
}

static uv_write_t** next_in_port(uv_write_t* req) {
  return (uv_write_t**) (void*) &req->wait_handle;
}

static uv_write_t** previous_in_port(uv_write_t* req) {
  return (uv_write_t**) (void*) &req->event_handle;
}

static uv_write_t** newest_in_port(uv_pipe_t* pipe) {
  return &pipe->pipe.conn.non_overlapped_writes_tail;
}

static void add_to_port(uv_pipe_t* pipe, uv_write_t* req) {
  uv_write_t* newest = *newest_in_port(pipe);
  uv_write_t* oldest = newest == NULL ? req : *next_in_port(newest);

  if (newest == NULL)
    newest = req;
  *next_in_port(req) = oldest;
  *previous_in_port(req) = newest;
  *next_in_port(newest) = req;
  *previous_in_port(oldest) = req;
  *newest_in_port(pipe) = req;
}

static void remove_from_port(uv_pipe_t* pipe, uv_write_t* req) {
  uv_write_t* next = *next_in_port(req);
  uv_write_t* previous = *previous_in_port(req);

  if (next == NULL)
    return; /* it was written inside the call */
  *next_in_port(previous) = next;
  *previous_in_port(next) = previous;
  if (*newest_in_port(pipe) == req)
    *newest_in_port(pipe) = previous == req ? NULL : previous;
  *next_in_port(req) = NULL;
  *previous_in_port(req) = NULL;
}

/* Newest first: no write may go ahead after an earlier one was cut off. */
void uv__pipe_cancel_writes(uv_pipe_t* pipe) {
  uv_write_t* newest = *newest_in_port(pipe);
  uv_write_t* req = newest;

  while (req != NULL) {
    CancelIoEx(pipe->handle, &req->u.io.overlapped);
    req = *previous_in_port(req);
    if (req == newest)
      break;
  }
}

int uv__pipe_write_expects(uv_pipe_t* pipe, const void* req) {
  uv_write_t* newest = *newest_in_port(pipe);
  uv_write_t* write = newest;

  while (write != NULL && write != req) {
    write = *previous_in_port(write);
    if (write == newest)
      return 0;
  }
  if (write == NULL || (write->coalesced & WRITE_IS_DUE) ||
      !HasOverlappedIoCompleted(&write->u.io.overlapped))
    return 0;
  write->coalesced |= WRITE_IS_DUE;
  return 1;
}

/* Written inside the call, and the port does not report it. Earlier writes may
 * wait in the port: then it takes its turn behind them. */
static void write_is_over(uv_pipe_t* pipe, uv_write_t* req) {
  req->coalesced |= WRITE_IS_DUE;
  if (*previous_in_port(req) != req) {
    uv__req_post(pipe->loop, req);
    return;
  }
  remove_from_port(pipe, req);
  uv__req_pend(pipe->loop, req);
}

/* 0 if the completion will be reported, else the Win32 error. */
static DWORD write_to_port(uv_pipe_t* pipe, uv_write_t* req) {
  uv_buf_t buf = req->write_buffer;

  add_to_port(pipe, req);
  if (WriteFile(pipe->handle, buf.base, buf.len, NULL,
                uv__req_overlapped(req))) {
    leave_queue(pipe, req);
    if (pipe->flags & UV__SKIP_PORT)
      write_is_over(pipe, req);
    return 0;
  }
  DWORD sys_error = GetLastError();
  if (sys_error == ERROR_IO_PENDING)
    return 0;
  remove_from_port(pipe, req);
  return sys_error;
}

/* 0 if the request is pended, else the Win32 error. */
static DWORD write_at_once(uv_pipe_t* pipe, uv_write_t* req) {
  uv_buf_t buf = req->write_buffer;

  if (pipe->flags & UV__PIPE_SYNC)
    uv__pipe_thread_stop_read(pipe);
  uv__req_overlapped(req);
  int64_t n = uv__pipe_write_waiting(pipe, buf.base, buf.len);
  if (n < 0)
    return (DWORD) -n;
  uv__req_set_bytes(req, (size_t) n);
  if (n == (int64_t) buf.len)
    leave_queue(pipe, req);
  uv__req_pend(pipe->loop, req);
  return 0;
}

/* 0 or UV_E*; several errors mean that the reader is gone. */
static int write_error(DWORD sys_error) {
  switch (sys_error) {
  case ERROR_SUCCESS:
    return 0;
  case ERROR_BROKEN_PIPE:
  case ERROR_NO_DATA:
  case ERROR_PIPE_NOT_CONNECTED:
    return UV_EPIPE;
  default:
    return uv_translate_sys_error((int) sys_error);
  }
}

static void free_block(uv_write_t* req) {
  if (req->coalesced & WRITE_BLOCK)
    uv__free(req->write_buffer.base);
  req->coalesced = 0;
}

int uv__pipe_write(uv_write_t* req,
                   uv_stream_t* stream,
                   const uv_buf_t bufs[],
                   unsigned int nbufs,
                   uv_stream_t* send_handle) {
  uv_pipe_t* pipe = (uv_pipe_t*) stream;
  size_t bytes = 0;

  for (unsigned int i = 0; i < nbufs; i++)
    bytes += bufs[i].len;
  if (bytes > WRITE_SIZE_MAX - uv__ipc_overhead(send_handle, bytes))
    return UV_EINVAL;
  int err = gather_write(pipe, req, bufs, nbufs, send_handle, bytes);
  if (err != 0)
    return err;

  uv__stream_write_begin(stream, req, bytes, send_handle);
  req->event_handle = NULL;
  req->wait_handle = NULL;
  int is_alone = pipe->pipe.conn.non_overlapped_write_active == NULL;
  DWORD sys_error = 0;
  if ((pipe->flags & UV__BLOCKING_WRITES) && is_alone)
    sys_error = write_at_once(pipe, req);
  else if (uv__pipe_has_threads(pipe))
    uv__pipe_thread_write(pipe, req);
  else
    sys_error = write_to_port(pipe, req);
  if (sys_error == 0)
    return 0;
  free_block(req);
  uv__stream_write_undo(stream, req);
  return write_error(sys_error);
}

static void write_report(uv_pipe_t* pipe, uv_write_t* req) {
  int err = write_error(uv__req_win32_error(req));
  size_t bytes = uv__req_bytes(req);
  size_t frames = req->write_buffer.len - req->u.io.queued_bytes;

  if (req->u.io.queued_bytes != 0) /* else leave_queue() has counted */
    req->write_extra.nwritten = bytes > frames ? bytes - frames : 0;
  if (err != 0 && uv__is_closing(uv__base(pipe)))
    err = UV_ECANCELED;
  free_block(req);
  remove_from_port(pipe, req);
  if (pipe->pipe.conn.non_overlapped_write_active == req)
    uv__pipe_thread_write_done(pipe);
  uv__stream_write_report(uv__pipe_stream(pipe), req, err);
}

/* Cancelled writes complete newest first; the callbacks run in order. */
static void report_in_order(uv_pipe_t* pipe) {
  while (*newest_in_port(pipe) != NULL) {
    uv_write_t* oldest = *next_in_port(*newest_in_port(pipe));
    if (!(oldest->coalesced & WRITE_DONE))
      break;
    write_report(pipe, oldest);
  }
}

void uv__pipe_write_done(uv_handle_t* handle, uv_req_t* base) {
  uv_pipe_t* pipe = (uv_pipe_t*) handle;
  uv_write_t* req = (uv_write_t*) base;

  if (!uv__is_closing(handle) || uv__pipe_has_threads(pipe) ||
      *next_in_port(req) == NULL) {
    write_report(pipe, req);
    return;
  }
  req->coalesced |= WRITE_DONE;
  report_in_order(pipe);
}

int uv__pipe_cancel_write(uv_write_t* req) {
  uv_pipe_t* pipe = (uv_pipe_t*) req->handle;

  if (!uv__pipe_has_threads(pipe)) {
    int found = CancelIoEx(pipe->handle, &req->u.io.overlapped) != 0;
    return found ? 0 : UV_EBUSY;
  }
  if (!uv__pipe_thread_unqueue(pipe, req))
    return UV_EBUSY;
  uv__req_set_error(req, ERROR_OPERATION_ABORTED);
  uv__req_pend(pipe->loop, req);
  return 0;
}
