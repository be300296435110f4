/* SPDX-License-Identifier: MIT */
/* Unix streams from the inside: what tcp, pipe, tty and process need, and what
 * the parts of the stream (read, write, accept, ipc) need of each other.
 *
 * Roles of the ABI's private fields:
 *   io_watcher             the fd (-1: none) and its interest
 *   connect_req            a connect that has not been reported yet; further
 *                          ones that were refused hang on its `queue`
 *   shutdown_req           a shutdown that has not been reported yet
 *   write_queue            requests with data left, oldest first
 *   write_completed_queue  written, failed or cancelled; the callback is due
 *   write_queue_size       bytes that are not written, including those of
 *                          failed and cancelled requests whose callback is due
 *   delayed_error          found by bind or connect, to be reported later
 *   accepted_fd            connection or received fd waiting for uv_accept()
 *   queued_fds             further received fds (stream-ipc.c)
 */
#ifndef UV_UNIX_STREAM_H_
#define UV_UNIX_STREAM_H_

#include "handle.h"
#include "unix/io.h"

#include <errno.h>

/* uv_handle_t.flags, in bits that libuv leaves free. */
enum {
  /* The fd is a socket: send(2) and recvmsg(2) work on it. */
  UV__STREAM_SOCKET = 1u << 27,
  /* What is written in one call may arrive as one message, so requests never
   * share a call: datagram and packet sockets, pipes with O_DIRECT, devices. */
  UV__STREAM_MESSAGES = 1u << 28
};

/* ---- stream.c: the life of a stream ---- */

/* Sets up a stream handle of the given type, without fd. */
void uv__stream_init(uv_loop_t* loop, uv_stream_t* stream, uv_handle_type type);

/* Gives the stream its fd, which must be non-blocking, and the directions it is
 * open for (UV__READABLE | UV__WRITABLE); TCP options set before are applied
 * now. UV__STREAM_SOCKET says what the fd is, else it is asked. On failure
 * (UV_EBUSY: has another already; UV_ENOMEM) the caller still owns the fd. */
int uv__stream_open(uv_stream_t* stream, int fd, unsigned flags);

/* uv__stream_open() for an fd that somebody else made: makes it non-blocking
 * and open for the directions its mode allows. */
int uv__stream_adopt(uv_stream_t* stream, int fd);

/* Stops and closes the fd; the class's close() of all three types. */
void uv__stream_close(uv_stream_t* stream);

/* Delivers what is outstanding, cancelled; the class's finish(). */
enum uv__finish_answer uv__stream_finish(uv_handle_t* handle);

int uv__stream_fileno(const uv_handle_t* handle, uv_os_fd_t* fd);

static inline int uv__stream_fd(const uv_stream_t* stream) {
  return stream->io_watcher.fd;
}

/* What to tell a callback when the poller will not watch the stream's fd. */
int uv__stream_refusal(const uv_stream_t* stream);

/* Registers a connect request. `answer` is that of uv__sock_connect(): a
 * failure is reported from the pending round, the rest when the poller says
 * so. */
void uv__stream_connecting(uv_stream_t* stream, uv_connect_t* req, int answer);

/* Has the request, which cannot even be tried, fail with `err` later. */
void uv__stream_connect_refuse(uv_stream_t* stream, uv_connect_t* req, int err);

/* io.c's entries. */
void uv__stream_io(uv_loop_t* loop, uv__io_t* w, unsigned events);
void uv__server_io(uv_loop_t* loop, uv__io_t* w, unsigned events);

/* ---- the classes' close() ---- */

enum uv__close_answer uv__tcp_close(uv_handle_t* handle);
enum uv__close_answer uv__pipe_close(uv_handle_t* handle);
enum uv__close_answer uv__tty_close(uv_handle_t* handle);

/* ---- stream-read.c ---- */

/* One turn of reading on an fd with these events. `refused`: the poller will
 * not report any; see P4. */
void uv__stream_read_turn(uv_stream_t* stream, unsigned events, int refused);

/* ---- stream-write.c ---- */

/* One turn of writing: queued data, due callbacks, then a waiting shutdown. */
void uv__stream_write_turn(uv_stream_t* stream, int refused);

/* The stream has become connected: what was queued meanwhile goes out in the
 * next turn. */
void uv__stream_write_ready(uv_stream_t* stream);

/* It could not be connected: everything queued ends with `err`, now. */
void uv__stream_write_failed(uv_stream_t* stream, int err);

/* Moves everything queued to the completed requests, with `err`. */
void uv__stream_write_abandon(uv_stream_t* stream, int err);

/* Runs the callbacks of the requests completed so far. */
void uv__stream_write_report(uv_stream_t* stream);

/* ---- stream-ipc.c: descriptors that travel over pipes ---- */

/* Do descriptors arrive on this stream? */
static inline int uv__ipc_is_channel(const uv_stream_t* stream) {
  return stream->type == UV_NAMED_PIPE && ((const uv_pipe_t*) stream)->ipc &&
         (stream->flags & UV__STREAM_SOCKET);
}

/* read(2) that puts received fds in line for uv_accept(): bytes or UV_E*. */
ssize_t uv__ipc_receive(uv_stream_t* stream, void* base, size_t len);

/* What a send that failed with this errno means: UV_E*. */
static inline int uv__send_error(int error) {
  if (error == ENOBUFS)
    return UV_EAGAIN; /* no kernel memory: as good as a full socket buffer */
  /* macOS, where the connection is just being torn down. */
  return error == EPROTOTYPE ? UV_ECONNRESET : -error;
}

/* writev(2) that passes the descriptor `what` along: bytes or UV_E*. */
ssize_t uv__ipc_send(int fd, const uv_buf_t* bufs, unsigned nbufs, int what);

/* Takes the oldest received fd off the line behind accepted_fd; -1 if none. */
int uv__ipc_next_fd(uv_stream_t* stream);

/* Closes what nobody accepted. */
void uv__ipc_close(uv_stream_t* stream);

/* ---- tcp-opts.c, tcp.c ---- */

/* Sets what uv_tcp_nodelay() and uv_tcp_keepalive() asked for. */
int uv__tcp_apply_options(const uv_tcp_t* tcp, int fd);

/* Makes sure there is a socket to listen on; reports what bind put off. */
int uv__tcp_ready_to_listen(uv_tcp_t* tcp);

#endif /* UV_UNIX_STREAM_H_ */
