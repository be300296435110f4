/* SPDX-License-Identifier: MIT */
/* Sockets passed over a pipe with ipc=1.
 *
 * All data on such a pipe is framed (ipc-frame.h). A frame may start with the
 * description of a socket, made for the receiving process. Received sockets are
 * queued for uv_accept(); the queue is bounded, because the peer decides how
 * many it sends.
 */
#include "win/pipe.h"
#include "util/alloc.h"
#include "win/winapi.h"

#include <string.h>

#define SOCKETS_MAX 1024

/* FILE_PIPE_LOCAL_INFORMATION: the end of the pipe that we hold. */
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

/* The process at the other end; 0 if unknown. For children, whose ends were
 * opened by us, uv_spawn() has stored it. */
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

size_t uv__ipc_overhead(const uv_stream_t* send_handle, size_t bytes) {
  if (send_handle != NULL)
    return UV__IPC_HEADER_SIZE + sizeof(struct uv__socket_xfer);
  /* No frame for an empty write: libuv's receivers reject empty frames. */
  return bytes == 0 ? 0 : UV__IPC_HEADER_SIZE;
}

static int put_socket(uv_pipe_t* pipe, uv_tcp_t* tcp, size_t bytes, char** at) {
  struct uv__socket_xfer xfer;
  uint32_t flags = UV__IPC_HAS_SOCKET;

  DWORD pid = peer_pid(pipe);
  if (pid == 0)
    return UV_ENOTCONN;
  memset(&xfer, 0, sizeof(xfer));
  int err = uv__tcp_xfer_export(tcp, pid, &xfer);
  if (err != 0)
    return err;
  if (tcp->flags & UV__CONNECTED)
    flags |= UV__IPC_IS_CONNECTION;
  if (bytes > 0)
    flags |= UV__IPC_HAS_DATA;
  *at = uv__ipc_header_put(*at, flags, (uint32_t) bytes);
  memcpy(*at, &xfer, sizeof(xfer));
  *at += sizeof(xfer);
  return 0;
}

int uv__ipc_put_frame(uv_pipe_t* pipe,
                      uv_stream_t* send_handle,
                      size_t bytes,
                      char** at) {
  if (send_handle != NULL)
    return put_socket(pipe, (uv_tcp_t*) send_handle, bytes, at);
  if (bytes > 0)
    *at = uv__ipc_header_put(*at, UV__IPC_HAS_DATA, (uint32_t) bytes);
  return 0;
}

/* ---- receiving ---- */

static struct uv__ipc_socket* item_of(void* xfer) {
  return container_of(xfer, struct uv__ipc_socket, xfer);
}

static int make_socket(struct uv__ipc_parser* parser) {
  struct uv__ipc_socket* item = uv__malloc(sizeof(*item));

  if (item == NULL)
    return UV_ENOMEM;
  item->is_connection = (parser->flags & UV__IPC_IS_CONNECTION) != 0;
  parser->socket = &item->xfer;
  return 0;
}

static int queue_socket(uv_pipe_t* pipe, struct uv__ipc_socket* item) {
  if (pipe->pipe.conn.ipc_xfer_queue_length >= SOCKETS_MAX) {
    uv__tcp_xfer_discard(&item->xfer);
    uv__free(item);
    return UV_EMFILE;
  }
  uv__queue_push_back(&pipe->pipe.conn.ipc_xfer_queue, &item->node);
  pipe->pipe.conn.ipc_xfer_queue_length++;
  return 0;
}

/* Reads everything but data; reduces *avail by what was read. 0 or UV_E*. */
static int read_control(uv_pipe_t* pipe, DWORD* avail) {
  struct uv__ipc_parser* parser = &uv__pipe_extra(pipe)->parser;
  void* socket = parser->socket;
  uint32_t want;
  void* room =
      uv__ipc_parser_room(parser, sizeof(struct uv__socket_xfer), &want);

  if (want > *avail)
    want = *avail;
  int64_t n = uv__pipe_read_now(pipe, room, want);
  if (n == -(int64_t) ERROR_BROKEN_PIPE)
    return UV_EOF;
  if (n < 0)
    return uv_translate_sys_error((int) -n);

  *avail -= (DWORD) n;
  int event =
      uv__ipc_parser_fed(parser, sizeof(struct uv__socket_xfer), (uint32_t) n);
  if (event == UV__IPC_SOCKET_NEXT)
    return make_socket(parser);
  if (event == UV__IPC_SOCKET_WHOLE)
    return queue_socket(pipe, item_of(socket));
  return event < 0 ? event : 0;
}

int uv__ipc_read(uv_pipe_t* pipe, DWORD avail) {
  uint32_t* rest = &uv__pipe_extra(pipe)->parser.data_left;

  while (avail > 0 && *rest == 0) {
    DWORD before = avail;
    int err = read_control(pipe, &avail);
    if (err != 0)
      return err;
    if (avail == before)
      return 0; /* taken by another reader, which our own peers never do */
  }
  if (avail == 0)
    return 0;

  /* The callback cannot read recursively. */
  int64_t n = uv__pipe_read_data(pipe, avail < *rest ? avail : *rest);
  if (n <= 0)
    return 0;
  *rest -= (uint32_t) n;
  return 1;
}

/* ---- accepting ---- */

/* The oldest, which the caller frees, or NULL. */
static struct uv__ipc_socket* socket_take(uv_pipe_t* pipe) {
  struct uv__queue* line = &pipe->pipe.conn.ipc_xfer_queue;

  if (uv__queue_empty(line))
    return NULL;
  pipe->pipe.conn.ipc_xfer_queue_length--;
  return uv__queue_entry(uv__queue_pop_front(line), struct uv__ipc_socket,
                         node);
}

static void socket_discard(struct uv__ipc_socket* item) {
  uv__tcp_xfer_discard(&item->xfer);
  uv__free(item);
}

int uv__ipc_reject(uv_pipe_t* pipe) {
  struct uv__ipc_socket* item = socket_take(pipe);

  if (item == NULL)
    return UV_EAGAIN;
  socket_discard(item);
  return 0;
}

int uv__ipc_accept(uv_pipe_t* pipe, uv_stream_t* client) {
  struct uv__ipc_socket* item = socket_take(pipe);

  if (item == NULL)
    return UV_EAGAIN;
  int err = UV_EINVAL;
  if (client->type == UV_TCP && !uv__is_closing(uv__base(client)))
    err = uv__tcp_xfer_import((uv_tcp_t*) client, &item->xfer,
                              item->is_connection);
  if (err != 0)
    uv__tcp_xfer_discard(&item->xfer);
  uv__free(item);
  return err;
}

void uv__ipc_close(uv_pipe_t* pipe) {
  struct uv__ipc_socket* item;

  while ((item = socket_take(pipe)) != NULL)
    socket_discard(item);
  struct uv__ipc_parser* parser = &uv__pipe_extra(pipe)->parser;
  if (parser->socket != NULL)
    uv__free(item_of(parser->socket));
  parser->socket = NULL;
}

int uv__pipe_os_pending_count(const uv_pipe_t* pipe) {
  if (!(pipe->flags & UV__PIPE_CONN))
    return 0;
  return pipe->pipe.conn.ipc_xfer_queue_length;
}

/* Only TCP sockets can be passed. */
uv_handle_type uv__pipe_os_pending_type(const uv_pipe_t* pipe) {
  (void) pipe;
  return UV_TCP;
}
