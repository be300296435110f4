/* SPDX-License-Identifier: MIT */
/* Named pipes on Windows: what their files, dispatch, the handle table and
 * process-stdio.c share.
 *
 * A handle is a server from uv_pipe_bind() on (pipe.serv) or a connection
 * (pipe.conn), never both. How a connection does its work:
 *
 *   port     the OS handle is overlapped and attached to the loop's port
 *   threads  UV__PIPE_SYNC: the OS handle is synchronous, every operation
 *            waits for the one before it; UV__PIPE_FOREIGN: another port has
 *            it already. Reads and writes wait on threads of the system's pool
 *            (pipe-thread.c), one each at a time.
 *
 * Reads have no buffer while they wait: a read of nothing ends when there is
 * something, and only then the user is asked for memory. So taking a read back
 * never loses data.
 */
#ifndef UV_WIN_PIPE_H_
#define UV_WIN_PIPE_H_

#include "os/pipe.h"
#include "win/ipc-frame.h"
#include "win/stream.h"
#include "win/tcp.h"

/* uv_handle_t.flags. */
enum {
  UV__PIPE_FOREIGN = 1u << 27, /* the OS handle belongs to another port */
  UV__PIPE_CONN = 1u << 28     /* pipe.conn is set up */
};

/* Room in the system for data on their way, per direction. */
#define UV__PIPE_BUFFER_SIZE 65536

/* A received socket that waits for uv_accept(). */
struct uv__ipc_socket {
  struct uv__queue node; /* in pipe.conn.ipc_xfer_queue */
  int is_connection;     /* no listener */
  struct uv__socket_xfer xfer;
};

/* One operation that waits on a thread. Guarded by pipe.conn.thread_lock. */
struct uv__pipe_job {
  HANDLE thread;          /* where it may be waiting; NULL: it is not */
  OVERLAPPED* overlapped; /* of UV__PIPE_FOREIGN */
  int stop;               /* it is to end at once */
};

/* Lives in pipe.conn.dummy, which nothing else uses. */
struct uv__pipe_extra {
  struct uv__pipe_job reader;
  struct uv__pipe_job writer;
  int is_sync;                  /* UV__PIPE_SYNC, for the threads to read */
  struct uv__pipe_flush* flush; /* pipe-eof.c: of a shutdown, or NULL */
  struct uv__ipc_parser parser; /* its socket is of a struct uv__ipc_socket */
};

static_assert(sizeof(struct uv__pipe_extra) <=
                  sizeof(((uv_pipe_t*) 0)->pipe.conn.dummy),
              "the private state fits");

static inline struct uv__pipe_extra* uv__pipe_extra(uv_pipe_t* pipe) {
  return (struct uv__pipe_extra*) (void*) pipe->pipe.conn.dummy;
}

static inline int uv__pipe_has_threads(const uv_pipe_t* pipe) {
  return (pipe->flags & (UV__PIPE_SYNC | UV__PIPE_FOREIGN)) != 0;
}

static inline uv_stream_t* uv__pipe_stream(uv_pipe_t* pipe) {
  return (uv_stream_t*) pipe;
}

/* dispatch.c. */
uv__req_fn uv__pipe_accept_done;   /* UV_ACCEPT */
uv__req_fn uv__pipe_connect_done;  /* UV_CONNECT */
uv__req_fn uv__pipe_read_done;     /* UV_READ */
uv__req_fn uv__pipe_write_done;    /* UV_WRITE */
uv__req_fn uv__pipe_shutdown_done; /* UV_SHUTDOWN */

/* handle-class.c. */
enum uv__close_answer uv__pipe_close(uv_handle_t* handle);
enum uv__finish_answer uv__pipe_finish(uv_handle_t* handle);
int uv__pipe_fileno(const uv_handle_t* handle, uv_os_fd_t* fd);

/* ---- pipe.c ---- */

/* Makes `handle` the pipe's, a connection open in the directions `flags` name.
 * `attached`: it belongs to the loop's port already. 0 or UV_E*; on failure the
 * OS handle is still the caller's. */
int uv__pipe_adopt(uv_pipe_t* pipe,
                   HANDLE handle,
                   unsigned int flags,
                   int attached);

/* Cancels what is under way and closes the OS handle of a connection. The
 * handlers still run. */
void uv__pipe_shut(uv_pipe_t* pipe);

/* The OS handle that stands for the pipe (a server has several), or
 * INVALID_HANDLE_VALUE. */
HANDLE uv__pipe_handle(const uv_pipe_t* pipe);

/* ---- pipe-name.c ---- */

/* The name in 16-bit units, to be freed: 0, UV_EINVAL, UV_ENOMEM. */
int uv__pipe_wide_name(const struct uv__pipe_name* name, WCHAR** out);

/* ---- pipe-pair.c ---- */

/* The parent's and the child's end of a new pipe, for uv_spawn(). `flags` are
 * uv_stdio_flags as seen by the child. The parent's end is opened in `pipe`;
 * *child_end is inheritable and the caller's. 0 or UV_E*. */
int uv__pipe_open_stdio(uv_pipe_t* pipe, unsigned int flags, HANDLE* child_end);

/* ---- pipe-accept.c ---- */

int uv__pipe_listen(uv_stream_t* stream, int backlog, uv_connection_cb cb);
int uv__pipe_accept(uv_stream_t* server, uv_stream_t* client);

/* Closes what a server has open; of close(). */
void uv__pipe_server_close(uv_pipe_t* pipe);

/* ---- pipe-read.c ---- */

int uv__pipe_read_start(uv_stream_t* stream);
void uv__pipe_read_stop(uv_stream_t* stream);

/* Sees to it that a read is under way if the pipe is reading. */
void uv__pipe_read_go_on(uv_pipe_t* pipe);

/* Reads what is there, `len` of it at most, without waiting: bytes, 0 if
 * somebody else was faster, or the negated Win32 error. */
int64_t uv__pipe_read_now(uv_pipe_t* pipe, void* base, DWORD len);

/* Asks the user for memory and hands him up to `max` bytes of what is there.
 * Returns how many, 0 if he gave no memory, or the negated Win32 error. */
int64_t uv__pipe_read_data(uv_pipe_t* pipe, DWORD max);

/* ---- pipe-write.c ---- */

int uv__pipe_write(uv_write_t* req,
                   uv_stream_t* stream,
                   const uv_buf_t bufs[],
                   unsigned int nbufs,
                   uv_stream_t* send_handle);
int uv__pipe_cancel_write(uv_write_t* req);

/* ---- pipe-thread.c ---- */

/* Has a thread wait for data; read_req comes when there are any. */
void uv__pipe_thread_read(uv_pipe_t* pipe);

/* Puts a write in line for the thread that writes. */
void uv__pipe_thread_write(uv_pipe_t* pipe, uv_write_t* req);

/* The write on the thread has ended: starts the next. */
void uv__pipe_thread_written(uv_pipe_t* pipe);

/* Takes a write out of the line: whether it was there. */
int uv__pipe_thread_unqueue(uv_pipe_t* pipe, uv_write_t* req);

/* Writes while the caller waits: bytes, or the negated Win32 error. */
int64_t uv__pipe_write_waiting(uv_pipe_t* pipe, const void* base, DWORD len);

/* Has the waiting read end, so that a synchronous handle can be used for
 * something else; its handler starts the next one. */
void uv__pipe_thread_stop_read(uv_pipe_t* pipe);

/* Ends everything, the queued writes too. */
void uv__pipe_thread_stop(uv_pipe_t* pipe);

/* ---- pipe-eof.c ---- */

void uv__pipe_shutdown(uv_stream_t* stream, uv_shutdown_t* req);

/* The pipe closes: a shutdown that waits for the peer ends. */
void uv__pipe_flush_leave(uv_pipe_t* pipe);

/* A read begins to wait; one has brought something; the pipe closes. */
void uv__pipe_eof_wait(uv_pipe_t* pipe);
void uv__pipe_eof_put_off(uv_pipe_t* pipe);
void uv__pipe_eof_close(uv_pipe_t* pipe);

/* ---- pipe-ipc.c ---- */

/* Takes in up to `avail` bytes of framed input: 1 if data were delivered, 0 if
 * not, UV_E* where the stream cannot go on. */
int uv__ipc_read(uv_pipe_t* pipe, DWORD avail);

/* Room that the frame around `bytes` of data needs. */
size_t uv__ipc_overhead(const uv_stream_t* send_handle, size_t bytes);

/* Writes what goes before `bytes` of data to *at, the socket included, and
 * moves *at to where the data go: 0 or UV_E*. */
int uv__ipc_put_frame(uv_pipe_t* pipe,
                      uv_stream_t* send_handle,
                      size_t bytes,
                      char** at);

int uv__ipc_accept(uv_pipe_t* pipe, uv_stream_t* client);

/* Drops sockets that nobody accepted. */
void uv__ipc_close(uv_pipe_t* pipe);

#endif /* UV_WIN_PIPE_H_ */
