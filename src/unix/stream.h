/* SPDX-License-Identifier: MIT */
/* Internals of unix streams: what tcp, pipe, tty and process use, and what the
 * parts of the stream (read, write, accept, ipc) share.
 *
 * Use of the private fields in the ABI:
 *   io_watcher             the fd (-1: none) and its interest
 *   connect_req            a connect that has not been reported yet; further
 *                          ones that were refused are linked to its `queue`
 *   shutdown_req           a shutdown that has not been reported yet
 *   write_queue            requests with data left, oldest first
 *   write_completed_queue  written, failed or cancelled; callback pending
 *   write_queue_size       unwritten bytes, including those of failed and
 *                          cancelled requests whose callback is pending
 *   delayed_error          error of bind or connect, reported later
 *   accepted_fd            connection or received fd waiting for uv_accept()
 *   queued_fds             further received fds (stream-ipc.c); not NULL in a
 *                          server that is fed (listener.c)
 */
#ifndef UV_UNIX_STREAM_H_
#define UV_UNIX_STREAM_H_

#include "handle.h"
#include "unix/io.h"
#include "unix/os.h"

#include <errno.h>

/* uv_handle_t.flags, in bits that libuv leaves free. */
enum {
  /* The fd is a socket: send(2) and recvmsg(2) work on it. */
  UV__STREAM_SOCKET = 1u << 27,
  /* One call may arrive as one message, so requests are never combined:
   * datagram and packet sockets, pipes with O_DIRECT, devices. */
  UV__STREAM_MESSAGES = 1u << 28,
  /* A server without a socket, whose connections another loop accepts:
   * listener.c. */
  UV__STREAM_FED = 1u << 29
};

/* ---- stream.c ---- */

/* Sets up a stream handle of the given type, without fd. */
void uv__stream_init(uv_loop_t* loop, uv_stream_t* stream, uv_handle_type type);

/* Attaches the fd, which must be non-blocking, with the directions it is open
 * for (UV__READABLE | UV__WRITABLE), and applies TCP options set earlier.
 * UV__STREAM_SOCKET says that it is a socket; otherwise its type is queried. On
 * failure (UV_EBUSY: already has an fd; UV_ENOMEM) the caller still owns the
 * fd. */
int uv__stream_open(uv_stream_t* stream, int fd, unsigned flags);

/* uv__stream_open() for an fd from elsewhere: makes it non-blocking, and opens
 * it for the directions that its mode allows. */
int uv__stream_adopt(uv_stream_t* stream, int fd);

/* Stops and closes the fd; used by close() of all three classes. */
void uv__stream_close(uv_stream_t* stream);

/* Reports pending requests as cancelled; finish() of the classes. */
enum uv__finish_result uv__stream_finish(uv_handle_t* handle);

int uv__stream_fileno(const uv_handle_t* handle, uv_os_fd_t* fd);

static inline int uv__stream_fd(const uv_stream_t* stream) {
  return stream->io_watcher.fd;
}

/* The error for callbacks when the poller refuses to watch the fd. */
int uv__stream_poll_error(const uv_stream_t* stream);

/* Registers a connect request. `result` is what uv__sock_connect() returned:
 * a failure is reported in the next pending phase, success when the poller
 * reports it. */
void uv__stream_connecting(uv_stream_t* stream, uv_connect_t* req, int result);

/* Fails a connect request that could not be attempted, with `err`, later. */
void uv__stream_connect_fail(uv_stream_t* stream, uv_connect_t* req, int err);

/* Event handlers, called by io.c. */
void uv__stream_io(uv_loop_t* loop, uv__io_t* w, unsigned events);
void uv__server_io(uv_loop_t* loop, uv__io_t* w, unsigned events);
void uv__server_paused_io(uv_loop_t* loop, uv__io_t* w, unsigned events);

/* ---- close() of the handle classes ---- */

enum uv__close_result uv__tcp_close(uv_handle_t* handle);
enum uv__close_result uv__pipe_close(uv_handle_t* handle);
enum uv__close_result uv__tty_close(uv_handle_t* handle);

/* pipe.c: the pipe no longer owns the file it bound, which stays. */
void uv__pipe_disown_file(uv_pipe_t* pipe);

/* ---- sending, for stream-write.c and stream-ipc.c ---- */

/* A peer that is gone is an error, not SIGPIPE. */
#if UV__HAVE_MSG_NOSIGNAL
# define UV__SEND_FLAGS MSG_NOSIGNAL
#else
# define UV__SEND_FLAGS 0 /* set on the socket instead (SO_NOSIGPIPE) */
#endif

/* Maps the errno of a failed send to UV_E*. */
static inline int uv__send_error(int error) {
  if (error == ENOBUFS)
    return UV_EAGAIN; /* no kernel memory: treat as a full buffer */
  /* macOS: the connection is being torn down. */
  return error == EPROTOTYPE ? UV_ECONNRESET : -error;
}

/* ---- stream-read.c ---- */

/* Reads after an event. `refused`: the poller does not watch the fd; see P4. */
void uv__stream_on_readable(uv_stream_t* stream, unsigned events, int refused);

/* ---- stream-write.c ---- */

/* Writes queued data, runs pending callbacks, then a pending shutdown. */
void uv__stream_on_writable(uv_stream_t* stream, int refused);

/* The stream is connected: data queued meanwhile is written by the next
 * uv__stream_on_writable(). */
void uv__stream_write_ready(uv_stream_t* stream);

/* The connect failed: everything queued ends with `err`, now. */
void uv__stream_write_failed(uv_stream_t* stream, int err);

/* Moves everything queued to the completed requests, with `err`. */
void uv__stream_write_abandon(uv_stream_t* stream, int err);

/* Runs the callbacks of the requests completed so far. */
void uv__stream_write_report(uv_stream_t* stream);

/* ---- stream-ipc.c: passing descriptors ---- */

/* Can this stream receive descriptors? */
static inline int uv__ipc_is_channel(const uv_stream_t* stream) {
  return stream->type == UV_NAMED_PIPE && ((const uv_pipe_t*) stream)->ipc &&
         (stream->flags & UV__STREAM_SOCKET);
}

/* read(2) that queues received fds for uv_accept(): bytes or UV_E*. */
ssize_t uv__ipc_receive(uv_stream_t* stream, void* base, size_t len);

/* writev(2) that passes the descriptor `what` along: bytes or UV_E*. */
ssize_t uv__ipc_send(int fd, const uv_buf_t* bufs, unsigned nbufs, int what);

/* Removes the oldest fd queued behind accepted_fd; -1 if none. */
int uv__ipc_next_fd(uv_stream_t* stream);

/* Closes received fds that were not accepted. */
void uv__ipc_close(uv_stream_t* stream);

/* ---- tcp-opts.c, tcp.c ---- */

/* Applies earlier uv_tcp_nodelay() and uv_tcp_keepalive() settings. */
int uv__tcp_apply_options(const uv_tcp_t* tcp, int fd);

/* Sets the options that must precede bind(2), for uv_tcp_flags: 0 or UV_E*. */
int uv__tcp_prepare_bind(int fd, int family, unsigned int flags);

/* Ensures that there is a socket to listen on; returns a delayed bind error. */
int uv__tcp_ready_to_listen(uv_tcp_t* tcp);

#endif /* UV_UNIX_STREAM_H_ */
