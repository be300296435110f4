/* SPDX-License-Identifier: MIT */
/* Sockets that travel over a pipe with ipc=1.
 *
 * Everything on such a pipe is in frames: data, or the description of a socket
 * made for the receiving process. A socket goes before the data it was written
 * with. Received ones wait for uv_accept(), in a line with a bound, because
 * the peer decides how many come.
 *
 * Frames may arrive in pieces: each piece is kept until the whole is there.
 */
#include "win/pipe-impl.h"
#include "alloc.h"
#include "win/winapi.h"

#include <string.h>

#define SOCKETS_MAX 1024

/* FILE_PIPE_LOCAL_INFORMATION: which end we have. */
#define PIPE_IS_SERVER_END 1

/* ---- sending ---- */

static DWORD parent_pid(void) {
  struct uv__process_basic_info info = { 0 };
  ULONG used = 0;

  LONG result = uv__winapi()->NtQueryInformationProcess(
      GetCurrentProcess(), UV__PROCESS_BASIC_INFORMATION, &info, sizeof(info),
      &used);
  return result == STATUS_SUCCESS ? (DWORD) info.parent_pid : 0;
}

/* Who has the other end; 0 if that cannot be found out. uv_spawn() has told
 * us of children, whose ends were opened here. */
static DWORD peer_pid(uv_pipe_t* pipe) {
  struct uv__file_pipe_local_info info = { 0 };
  struct uv__io_status status;
  ULONG pid = 0;

  if (pipe->pipe.conn.ipc_remote_pid != 0)
    return pipe->pipe.conn.ipc_remote_pid;

  LONG result = uv__winapi()->NtQueryInformationFile(
      pipe->handle, &status, &info, sizeof(info),
      UV__FILE_PIPE_LOCAL_INFORMATION);
  BOOL ok = FALSE;
  if (result == STATUS_SUCCESS)
    ok = info.named_pipe_end == PIPE_IS_SERVER_END
             ? GetNamedPipeClientProcessId(pipe->handle, &pid)
             : GetNamedPipeServerProcessId(pipe->handle, &pid);
  if (!ok || pid == 0)
    pid = parent_pid();
  pipe->pipe.conn.ipc_remote_pid = pid;
  return pid;
}

size_t uv__ipc_overhead(const uv_stream_t* send_handle) {
  size_t size = sizeof(struct uv__ipc_frame);

  if (send_handle != NULL)
    size += sizeof(struct uv__ipc_frame) + sizeof(struct uv__socket_xfer);
  return size;
}

static char* put(char* at, const void* what, size_t size) {
  memcpy(at, what, size);
  return at + size;
}

int uv__ipc_put_frames(uv_pipe_t* pipe,
                       uv_stream_t* send_handle,
                       size_t bytes,
                       char* at,
                       char** end) {
  struct uv__ipc_frame frame = { UV__IPC_SOCKET,
                                 sizeof(struct uv__socket_xfer) };
  struct uv__socket_xfer xfer;

  if (send_handle != NULL) {
    DWORD pid = peer_pid(pipe);
    if (pid == 0)
      return UV_ENOTCONN;
    memset(&xfer, 0, sizeof(xfer));
    int err = uv__tcp_xfer_export((uv_tcp_t*) send_handle, pid, &xfer);
    if (err != 0)
      return err;
    at = put(at, &frame, sizeof(frame));
    at = put(at, &xfer, sizeof(xfer));
  }
  frame.kind = UV__IPC_DATA;
  frame.size = (uint32_t) bytes;
  *end = put(at, &frame, sizeof(frame));
  return 0;
}

/* ---- receiving ---- */

/* Fills `to` further; 1 when it is full, 0 if not yet, or UV_E*. *avail goes
 * down by what was read. */
static int fill(uv_pipe_t* pipe, void* to, size_t size, DWORD* avail) {
  struct uv__pipe_extra* extra = uv__pipe_extra(pipe);
  DWORD want = (DWORD) (size - extra->filled);

  if (want > *avail)
    want = *avail;
  int64_t n = uv__pipe_read_now(pipe, (char*) to + extra->filled, want);
  if (n == -(int64_t) ERROR_BROKEN_PIPE)
    return UV_EOF;
  if (n < 0)
    return uv_translate_sys_error((int) -n);

  *avail -= (DWORD) n;
  extra->filled += (unsigned int) n;
  if (extra->filled < size)
    return 0;
  extra->filled = 0;
  return 1;
}

/* A whole frame header has come. */
static int begin_frame(uv_pipe_t* pipe) {
  struct uv__pipe_extra* extra = uv__pipe_extra(pipe);

  switch (extra->frame.kind) {
  case UV__IPC_DATA:
    pipe->pipe.conn.ipc_data_frame.payload_remaining = extra->frame.size;
    return 0;
  case UV__IPC_SOCKET:
    if (extra->frame.size != sizeof(struct uv__socket_xfer))
      return UV_ECONNABORTED;
    extra->incoming = uv__malloc(sizeof(*extra->incoming));
    return extra->incoming == NULL ? UV_ENOMEM : 0;
  default: /* the peer speaks something else */
    return UV_ECONNABORTED;
  }
}

static int line_up_socket(uv_pipe_t* pipe) {
  struct uv__pipe_extra* extra = uv__pipe_extra(pipe);
  struct uv__ipc_socket* item = extra->incoming;

  extra->incoming = NULL;
  if (pipe->pipe.conn.ipc_xfer_queue_length >= SOCKETS_MAX) {
    uv__tcp_xfer_discard(&item->xfer);
    uv__free(item);
    return UV_EMFILE;
  }
  uv__queue_push_back(&pipe->pipe.conn.ipc_xfer_queue, &item->node);
  pipe->pipe.conn.ipc_xfer_queue_length++;
  return 0;
}

/* Takes in what is not data. Returns 0 or UV_E*. */
static int read_control(uv_pipe_t* pipe, DWORD* avail) {
  struct uv__pipe_extra* extra = uv__pipe_extra(pipe);
  int is_full;

  if (extra->incoming != NULL) {
    is_full = fill(pipe, &extra->incoming->xfer, sizeof(extra->incoming->xfer),
                   avail);
    return is_full == 1 ? line_up_socket(pipe) : is_full;
  }
  is_full = fill(pipe, &extra->frame, sizeof(extra->frame), avail);
  return is_full == 1 ? begin_frame(pipe) : is_full;
}

int uv__ipc_read(uv_pipe_t* pipe, DWORD avail) {
  uint32_t* rest = &pipe->pipe.conn.ipc_data_frame.payload_remaining;

  while (avail > 0 && *rest == 0) {
    DWORD before = avail;
    int err = read_control(pipe, &avail);
    if (err != 0)
      return err;
    if (avail == before)
      return 0; /* another reader took it: no peer of ours does that */
  }
  if (avail == 0)
    return 0;

  /* The callback inside cannot read again before we are back. */
  int64_t n = uv__pipe_read_data(pipe, avail < *rest ? avail : *rest);
  if (n <= 0)
    return 0;
  *rest -= (uint32_t) n;
  return 1;
}

/* ---- handing out ---- */

int uv__ipc_accept(uv_pipe_t* pipe, uv_stream_t* client) {
  struct uv__queue* line = &pipe->pipe.conn.ipc_xfer_queue;

  if (uv__queue_empty(line))
    return UV_EAGAIN;
  struct uv__ipc_socket* item =
      uv__queue_entry(uv__queue_pop_front(line), struct uv__ipc_socket, node);
  pipe->pipe.conn.ipc_xfer_queue_length--;

  int err = UV_EINVAL;
  if (client->type == UV_TCP && !uv__is_closing(uv__base(client)))
    err = uv__tcp_xfer_import((uv_tcp_t*) client, &item->xfer);
  if (err != 0)
    uv__tcp_xfer_discard(&item->xfer);
  uv__free(item);
  return err;
}

void uv__ipc_close(uv_pipe_t* pipe) {
  struct uv__queue* line = &pipe->pipe.conn.ipc_xfer_queue;

  while (!uv__queue_empty(line)) {
    struct uv__ipc_socket* item =
        uv__queue_entry(uv__queue_pop_front(line), struct uv__ipc_socket, node);
    uv__tcp_xfer_discard(&item->xfer);
    uv__free(item);
  }
  pipe->pipe.conn.ipc_xfer_queue_length = 0;
  uv__free(uv__pipe_extra(pipe)->incoming);
  uv__pipe_extra(pipe)->incoming = NULL;
}

int uv__pipe_os_pending_count(const uv_pipe_t* pipe) {
  if (!(pipe->flags & UV__PIPE_CONN))
    return 0;
  return pipe->pipe.conn.ipc_xfer_queue_length;
}

/* Nothing else travels. */
uv_handle_type uv__pipe_os_pending_type(const uv_pipe_t* pipe) {
  (void) pipe;
  return UV_TCP;
}
