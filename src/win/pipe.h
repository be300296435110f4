/* SPDX-License-Identifier: MIT */
/* Named pipes on Windows: shared by the pipe-* files, dispatch.c,
 * handle-class.c and process-stdio.c.
 *
 * A handle is a server from uv_pipe_bind() on (pipe.serv) or a connection
 * (pipe.conn), never both. A connection performs I/O in one of two ways:
 *
 *   port     the OS handle is overlapped and attached to the loop's port
 *   threads  UV__PIPE_SYNC: the OS handle is synchronous, and operations on it
 *            are serialised; UV__PIPE_FOREIGN: it is attached to another port.
 *            Reads and writes block on threads of the system's pool
 *            (pipe-thread.c), at most one of each.
 *
 * Pending reads have no buffer: a zero-byte read completes when data arrive,
 * and only then is the user asked for memory. Cancelling a read never loses
 * data.
 */
#ifndef UV_WIN_PIPE_H_
#define UV_WIN_PIPE_H_

#include "os/pipe.h"
#include "win/ipc-frame.h"
#include "win/stream.h"
#include "win/tcp.h"

/* uv_handle_t.flags. */
enum {
  UV__PIPE_FOREIGN = 1u << 27, /* attached to another port */
  UV__PIPE_CONN = 1u << 28,    /* pipe.conn is set up */
  UV__PIPE_REACHED = 1u << 29, /* connected; only the callback is due */
  UV__PIPE_READ_DUE = 1u << 30 /* the end of read_req was reported */
};

/* Where a connection's OS handle comes from, for uv__pipe_adopt(). */
enum uv__pipe_origin {
  UV__PIPE_CREATED,  /* by us */
  UV__PIPE_ATTACHED, /* by us, and attached to the loop's port already */
  UV__PIPE_SHARED    /* by others, who may use it at the same time */
};

/* Size of the system's buffer per direction. */
#define UV__PIPE_BUFFER_SIZE 65536

/* A received socket waiting for uv_accept(). */
struct uv__ipc_socket {
  struct uv__queue node; /* in pipe.conn.ipc_xfer_queue */
  int is_connection;     /* not a listener */
  struct uv__socket_xfer xfer;
};

/* An operation that blocks on a thread. Guarded by pipe.conn.thread_lock. */
struct uv__pipe_job {
  HANDLE thread;          /* thread that may be blocked, or NULL */
  OVERLAPPED* overlapped; /* of its call; NULL: the call is synchronous */
  unsigned char stop;     /* the job must end at once */
  unsigned char is_sync; /* of `reader` only, set once, not guarded: the pipe is
                           * UV__PIPE_SYNC. Here, because the private state of
                           * 32-bit handles has no room for another member. */
};

/* Stored in pipe.conn.dummy, which is otherwise unused. */
struct uv__pipe_extra {
  struct uv__pipe_job reader;
  struct uv__pipe_job writer;
  struct uv__pipe_job flusher;  /* of the shutdown; any kind of pipe */
  struct uv__ipc_parser parser; /* its socket points to a uv__ipc_socket */
  struct uv__queue shared;      /* in uv__loop_os.shared_pipes, if key is set */
  uint32_t key;                 /* of packets; 0: only we use the pipe */
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
enum uv__close_result uv__pipe_close(uv_handle_t* handle);
enum uv__finish_result uv__pipe_finish(uv_handle_t* handle);
int uv__pipe_fileno(const uv_handle_t* handle, uv_os_fd_t* fd);

/* ---- pipe.c ---- */

/* Opens the pipe as a connection on `handle`, in the directions given by
 * `flags`. 0 or UV_E*; on failure the caller keeps the OS handle. */
int uv__pipe_adopt(uv_pipe_t* pipe,
                   HANDLE handle,
                   unsigned int flags,
                   enum uv__pipe_origin origin);

/* Is a packet with this key, which is not 0, the end of a request of ours? All
 * processes that use a pipe get their packets from the one port it is attached
 * to. `req` is not read unless it is one of ours. */
int uv__pipe_expects(uv_loop_t* loop, uint32_t key, const void* req);

/* Cancels pending operations and closes the OS handle of a connection. The
 * handlers still run. */
void uv__pipe_close_handle(uv_pipe_t* pipe);

/* The OS handle that represents the pipe (a server has several), or
 * INVALID_HANDLE_VALUE. */
HANDLE uv__pipe_handle(const uv_pipe_t* pipe);

/* ---- pipe-name.c ---- */

/* The name in 16-bit units, freed by the caller: 0, UV_EINVAL or UV_ENOMEM. */
int uv__pipe_wide_name(const struct uv__pipe_name* name, WCHAR** out);

/* ---- pipe-pair.c ---- */

/* Creates a pipe for uv_spawn(). `flags` are uv_stdio_flags as seen by the
 * child. The parent's end is opened in `pipe`; *child_end is inheritable and
 * owned by the caller. 0 or UV_E*. */
int uv__pipe_open_stdio(uv_pipe_t* pipe, unsigned int flags, HANDLE* child_end);

/* ---- pipe-accept.c ---- */

int uv__pipe_listen(uv_stream_t* stream, int backlog, uv_connection_cb cb);
int uv__pipe_accept(uv_stream_t* server, uv_stream_t* client);
int uv__pipe_reject(uv_stream_t* server);
void uv__pipe_listen_pause(uv_stream_t* server, int is_paused);

/* Closes the OS handles of a server; part of closing. */
void uv__pipe_server_close(uv_pipe_t* pipe);

/* ---- pipe-read.c ---- */

int uv__pipe_read_start(uv_stream_t* stream);
ssize_t uv__pipe_try_read(uv_stream_t* stream,
                          const uv_buf_t bufs[],
                          unsigned int nbufs);
int uv__pipe_has_unread(const uv_stream_t* stream);
void uv__pipe_read_stop(uv_stream_t* stream);

/* Starts a read if the pipe is reading and none is pending. */
void uv__pipe_read_continue(uv_pipe_t* pipe);

/* Reads up to `len` available bytes without waiting: bytes, 0 if another reader
 * took them first, or the negated Win32 error. */
int64_t uv__pipe_read_now(uv_pipe_t* pipe, void* base, DWORD len);

/* Has the pending read ended, and was that not reported yet? */
int uv__pipe_read_expects(uv_pipe_t* pipe);

/* Asks the user for memory and delivers up to `max` available bytes. Returns
 * how many, 0 if alloc_cb provided no memory, or the negated Win32 error. */
int64_t uv__pipe_read_data(uv_pipe_t* pipe, DWORD max);

/* ---- pipe-write.c ---- */

int uv__pipe_write(uv_write_t* req,
                   uv_stream_t* stream,
                   const uv_buf_t bufs[],
                   unsigned int nbufs,
                   uv_stream_t* send_handle);
int uv__pipe_cancel_write(uv_write_t* req);

/* Is `req` a write in the port that has ended, and was not reported yet? */
int uv__pipe_write_expects(uv_pipe_t* pipe, const void* req);

/* Cancels the writes of a pipe without threads. */
void uv__pipe_cancel_writes(uv_pipe_t* pipe);

/* ---- pipe-thread.c ---- */

/* Makes a thread wait for data; read_req is posted when some arrive. */
void uv__pipe_thread_read(uv_pipe_t* pipe);

/* Queues a write for the writer thread. */
void uv__pipe_thread_write(uv_pipe_t* pipe, uv_write_t* req);

/* The writer thread has completed a write: starts the next. */
void uv__pipe_thread_write_done(uv_pipe_t* pipe);

/* Removes a write from the queue; returns whether it was there. */
int uv__pipe_thread_unqueue(uv_pipe_t* pipe, uv_write_t* req);

/* Writes synchronously: bytes, or the negated Win32 error. */
int64_t uv__pipe_write_waiting(uv_pipe_t* pipe, const void* base, DWORD len);

/* Ends the pending read, so that a synchronous handle can be used for something
 * else; its handler starts the next read. */
void uv__pipe_thread_stop_read(uv_pipe_t* pipe);

/* Stops everything, including queued writes. */
void uv__pipe_thread_stop(uv_pipe_t* pipe);

/* Makes a thread wait until the peer has read everything; req is posted then.
 * For any kind of pipe. 0, or UV_E* if there is no thread. */
int uv__pipe_thread_flush(uv_pipe_t* pipe, uv_shutdown_t* req);

/* Ends the wait; the request is still posted. */
void uv__pipe_thread_stop_flush(uv_pipe_t* pipe);

/* ---- pipe-eof.c ---- */

void uv__pipe_shutdown(uv_stream_t* stream, uv_shutdown_t* req);

/* A read starts waiting; a read has delivered data; the pipe closes. */
void uv__pipe_eof_wait(uv_pipe_t* pipe);
void uv__pipe_eof_defer(uv_pipe_t* pipe);
void uv__pipe_eof_close(uv_pipe_t* pipe);

/* ---- pipe-ipc.c ---- */

/* Consumes up to `avail` bytes of framed input: 1 if data were delivered, 0 if
 * not, UV_E* if the stream cannot continue. */
int uv__ipc_read(uv_pipe_t* pipe, DWORD avail);

/* Size of the frame around `bytes` of data. */
size_t uv__ipc_overhead(const uv_stream_t* send_handle, size_t bytes);

/* Writes the frame header for `bytes` of data to *at, including the socket, and
 * advances *at to where the data go: 0 or UV_E*. */
int uv__ipc_put_frame(uv_pipe_t* pipe,
                      uv_stream_t* send_handle,
                      size_t bytes,
                      char** at);

int uv__ipc_accept(uv_pipe_t* pipe, uv_stream_t* client);
int uv__ipc_reject(uv_pipe_t* pipe);

/* Discards sockets that were not accepted. */
void uv__ipc_close(uv_pipe_t* pipe);

#endif /* UV_WIN_PIPE_H_ */
