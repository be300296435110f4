/* SPDX-License-Identifier: MIT */
/* Named pipes: initialisation, uv_pipe_open(), closing, and the table of stream
 * operations. Servers are in pipe-accept.c, clients in pipe-connect.c.
 */
#include "win/pipe.h"
#include "util/alloc.h"
#include "win/fd.h"
#include "win/loop.h"
#include "win/winapi.h"

#include <string.h>

/* FILE_INFORMATION_CLASS. */
#define FILE_ACCESS_INFORMATION 8

void uv__pipe_os_init(uv_loop_t* loop, uv_pipe_t* pipe) {
  uv__stream_init(loop, uv__pipe_stream(pipe), UV_NAMED_PIPE);
  memset(&pipe->pipe, 0, sizeof(pipe->pipe));
  pipe->handle = INVALID_HANDLE_VALUE;
  pipe->name = NULL;
  pipe->u.fd = UV__NO_FD;
}

/* Sets byte mode and blocking calls. A handle without the right to change the
 * mode must have this mode already. */
static int set_byte_mode(HANDLE handle) {
  DWORD mode = PIPE_READMODE_BYTE | PIPE_WAIT;
  DWORD current = 0;

  if (SetNamedPipeHandleState(handle, &mode, NULL, NULL))
    return 0;
  DWORD sys_error = GetLastError();
  if (GetFileType(handle) != FILE_TYPE_PIPE)
    return UV_ENOTSOCK; /* a regular file of that name */
  if (sys_error != ERROR_ACCESS_DENIED)
    return uv_translate_sys_error((int) sys_error);

  if (!GetNamedPipeHandleStateW(handle, &current, NULL, NULL, NULL, NULL, 0))
    return 0; /* may not query the mode either: assume it is right */
  return current & PIPE_NOWAIT ? UV_EACCES : 0;
}

/* ---- pipes that others may use, too ---- */

static struct uv__queue* shared_pipes(uv_loop_t* loop) {
  return &uv__loop_os(loop)->shared_pipes;
}

static void share_pipe(uv_pipe_t* pipe) {
  struct uv__pipe_extra* extra = uv__pipe_extra(pipe);
  uint32_t* last_key = &uv__loop_os(pipe->loop)->last_pipe_key;

  *last_key = *last_key == UINT32_MAX ? 1 : *last_key + 1;
  extra->key = *last_key;
  uv__queue_push_back(shared_pipes(pipe->loop), &extra->shared);
}

static void unshare_pipe(uv_pipe_t* pipe) {
  struct uv__pipe_extra* extra = uv__pipe_extra(pipe);

  if (extra->key != 0)
    uv__queue_remove(&extra->shared);
  extra->key = 0;
}

static uv_pipe_t* pipe_of_key(uv_loop_t* loop, uint32_t key) {
  struct uv__queue* list = shared_pipes(loop);

  for (struct uv__queue* q = list->next; q != list; q = q->next) {
    struct uv__pipe_extra* extra =
        container_of(q, struct uv__pipe_extra, shared);
    if (extra->key == key)
      return container_of((uintptr_t*) (void*) extra, uv_pipe_t,
                          pipe.conn.dummy);
  }
  return NULL;
}

int uv__pipe_expects(uv_loop_t* loop, uint32_t key, const void* req) {
  uv_pipe_t* pipe = pipe_of_key(loop, key);

  if (pipe == NULL)
    return 0; /* closed; others still use it */
  return req == &pipe->read_req ? uv__pipe_read_expects(pipe)
                                : uv__pipe_write_expects(pipe, req);
}

/* ---- opening ---- */

/* The flag for how the handle performs I/O; 0 for the usual way. */
static unsigned int find_io_mode(uv_pipe_t* pipe, HANDLE handle) {
  struct uv__file_mode_info info = { 0 };
  struct uv__io_status status;
  const ULONG synchronous =
      UV__FILE_SYNCHRONOUS_IO_ALERT | UV__FILE_SYNCHRONOUS_IO_NONALERT;

  LONG result = uv__winapi()->NtQueryInformationFile(
      handle, &status, &info, sizeof(info), UV__FILE_MODE_INFORMATION);
  if (result == STATUS_SUCCESS && (info.mode & synchronous) != 0)
    return UV__PIPE_SYNC;
  if (uv__loop_attach_as(pipe->loop, handle, uv__pipe_extra(pipe)->key) == 0)
    return 0;
  return result == STATUS_SUCCESS ? UV__PIPE_FOREIGN : UV__PIPE_SYNC;
}

/* Operations that succeed inside the call post no packet, as in libuv 1.53. */
static unsigned int skip_port(HANDLE handle) {
  UCHAR mode = FILE_SKIP_COMPLETION_PORT_ON_SUCCESS;
  return SetFileCompletionNotificationModes(handle, mode) ? UV__SKIP_PORT : 0;
}

int uv__pipe_adopt(uv_pipe_t* pipe,
                   HANDLE handle,
                   unsigned int flags,
                   enum uv__pipe_origin origin) {
  int err = set_byte_mode(handle);
  if (err != 0)
    return err;

  memset(&pipe->pipe, 0, sizeof(pipe->pipe));
  if (origin == UV__PIPE_SHARED)
    share_pipe(pipe);
  unsigned int io_mode = 0;
  if (origin != UV__PIPE_ATTACHED)
    io_mode = find_io_mode(pipe, handle);
  if (io_mode == 0)
    io_mode = skip_port(handle);
  uv__queue_init(&pipe->pipe.conn.ipc_xfer_queue);
  InitializeCriticalSection(&pipe->pipe.conn.thread_lock);
  uv__pipe_extra(pipe)->reader.is_sync = (io_mode & UV__PIPE_SYNC) != 0;
  pipe->handle = handle;
  uv__stream_opened(uv__pipe_stream(pipe),
                    flags | io_mode | UV__PIPE_CONN | UV__CONNECTED);
  return 0;
}

/* The directions the handle was opened for (UV__READABLE, UV__WRITABLE), or
 * UV_E*. */
static int handle_directions(HANDLE handle) {
  struct uv__io_status status;
  ACCESS_MASK access = 0;
  int flags = 0;

  LONG result = uv__winapi()->NtQueryInformationFile(
      handle, &status, &access, sizeof(access), FILE_ACCESS_INFORMATION);
  if (result != STATUS_SUCCESS)
    return UV_EINVAL;
  if (access & FILE_READ_DATA)
    flags |= UV__READABLE;
  if (access & FILE_WRITE_DATA)
    flags |= UV__WRITABLE;
  return flags == 0 ? UV_EINVAL : flags;
}

int uv__pipe_os_open(uv_pipe_t* pipe, uv_file fd) {
  HANDLE handle = INVALID_HANDLE_VALUE;
  int owner = UV__NO_FD;

  /* activecnt: it is connecting. */
  if ((pipe->flags & (UV__PIPE_SERVER | UV__PIPE_CONN)) || pipe->activecnt > 0)
    return UV_EBUSY;
  int err = uv__fd_take(fd, &handle, &owner);
  if (err != 0)
    return err;

  int flags = handle_directions(handle);
  err = flags < 0 ? flags : 0;
  if (err == 0 && pipe->ipc && flags != (UV__READABLE | UV__WRITABLE))
    err = UV_EINVAL;
  if (err == 0 && GetFileType(handle) != FILE_TYPE_PIPE)
    err = UV_EBADF;
  if (err == 0)
    err = uv__pipe_adopt(pipe, handle, (unsigned int) flags, UV__PIPE_SHARED);

  if (err == 0)
    pipe->u.fd = owner;
  else
    uv__fd_take_undo(handle, owner);
  return err;
}

/* Another user of the handle keeps its own requests. */
static void cancel_all(uv_pipe_t* pipe) {
  uv__pipe_cancel_writes(pipe);
  if (pipe->flags & UV__READ_PENDING)
    CancelIoEx(pipe->handle, &pipe->read_req.u.io.overlapped);
}

void uv__pipe_close_handle(uv_pipe_t* pipe) {
  if (pipe->handle == INVALID_HANDLE_VALUE)
    return;

  if (uv__pipe_has_threads(pipe))
    uv__pipe_thread_stop(pipe);
  else
    cancel_all(pipe);
  uv__fd_give_back(&pipe->handle, &pipe->u.fd);
}

enum uv__close_result uv__pipe_close(uv_handle_t* handle) {
  uv_pipe_t* pipe = (uv_pipe_t*) handle;

  if (pipe->flags & UV__PIPE_SERVER)
    uv__pipe_server_close(pipe);
  if (pipe->flags & UV__PIPE_CONN) {
    uv__pipe_eof_close(pipe);
    uv__pipe_thread_stop_flush(pipe);
    uv__pipe_close_handle(pipe);
  }
  pipe->flags &= ~(UV__READING | UV__READABLE | UV__WRITABLE);
  uv__handle_stop(handle);
  return uv__close_when_idle(pipe->reqs_pending);
}

static void pipe_release(uv_stream_t* stream) {
  uv_pipe_t* pipe = (uv_pipe_t*) stream;

  if (pipe->flags & UV__PIPE_SERVER)
    uv__free(pipe->pipe.serv.accept_reqs);
  if (pipe->flags & UV__PIPE_CONN) {
    uv__ipc_close(pipe);
    unshare_pipe(pipe);
    DeleteCriticalSection(&pipe->pipe.conn.thread_lock);
  }
  pipe->flags &= ~(UV__PIPE_SERVER | UV__PIPE_CONN);
  if (pipe->read_req.event_handle != NULL)
    CloseHandle(pipe->read_req.event_handle);
  pipe->read_req.event_handle = NULL;
  uv__free(pipe->name);
  pipe->name = NULL;
}

enum uv__finish_result uv__pipe_finish(uv_handle_t* handle) {
  return uv__stream_finish(handle);
}

HANDLE uv__pipe_handle(const uv_pipe_t* pipe) {
  if (!(pipe->flags & UV__PIPE_SERVER))
    return pipe->handle;
  for (int i = 0; i < pipe->pipe.serv.pending_instances; i++)
    if (pipe->pipe.serv.accept_reqs[i].pipeHandle != INVALID_HANDLE_VALUE)
      return pipe->pipe.serv.accept_reqs[i].pipeHandle;
  return INVALID_HANDLE_VALUE;
}

int uv__pipe_fileno(const uv_handle_t* handle, uv_os_fd_t* fd) {
  HANDLE os_handle = uv__pipe_handle((const uv_pipe_t*) handle);

  if (os_handle == INVALID_HANDLE_VALUE)
    return UV_EBADF;
  *fd = os_handle;
  return 0;
}

/* ---- stream operations ---- */

static int is_open(const uv_stream_t* stream) {
  const uv_pipe_t* pipe = (const uv_pipe_t*) stream;
  return uv__pipe_handle(pipe) != INVALID_HANDLE_VALUE;
}

/* Only sockets can be passed; Windows has no safe way for other handles. */
static int can_send(const uv_stream_t* stream, const uv_stream_t* send_handle) {
  if (!((const uv_pipe_t*) stream)->ipc)
    return UV_EINVAL;
  if (send_handle->type != UV_TCP)
    return UV_ENOTSUP;
  return uv__stream_os_is_open(send_handle) ? 0 : UV_EBADF;
}

/* No system call writes just what fits. */
static int try_write(uv_stream_t* stream,
                     const uv_buf_t bufs[],
                     unsigned int nbufs,
                     uv_stream_t* send_handle) {
  (void) stream;
  (void) bufs;
  (void) nbufs;
  (void) send_handle;
  return UV_EAGAIN;
}

static int set_blocking(uv_stream_t* stream, int on) {
  stream->flags &= ~UV__BLOCKING_WRITES;
  if (on)
    stream->flags |= UV__BLOCKING_WRITES;
  return 0;
}

const struct uv__stream_ops uv__pipe_stream_ops = {
  .is_open = is_open,
  .listen = uv__pipe_listen,
  .accept = uv__pipe_accept,
  .accept_fd = NULL,
  .reject = uv__pipe_reject,
  .listen_pause = uv__pipe_listen_pause,
  .give_away = NULL,
  .read_start = uv__pipe_read_start,
  .read_stop = uv__pipe_read_stop,
  .try_read = uv__pipe_try_read,
  .has_unread = uv__pipe_has_unread,
  .can_send = can_send,
  .write = uv__pipe_write,
  .try_write = try_write,
  .shutdown = uv__pipe_shutdown,
  .shutdown_after_write = uv__pipe_shutdown,
  .set_blocking = set_blocking,
  .cancel_write = uv__pipe_cancel_write,
  .cancel_connect = NULL,
  .release = pipe_release,
};
