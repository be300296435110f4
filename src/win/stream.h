/* SPDX-License-Identifier: MIT */
/* Windows streams: internal interface.
 *
 * stream.c implements the uv__stream_os_* functions with a const table of
 * stream operations, indexed by handle type, and holds what the types share.
 *
 * Use of the ABI's private fields:
 *   reqs_pending        outstanding requests (R2): reads, writes, accepts,
 *                       connects, pended shutdowns
 *   activecnt           see uv__activity_begin()
 *   read_req            the stream's only read; its data is the stream
 *   write_reqs_pending  number of outstanding writes
 *   shutdown_req        a shutdown that waits for earlier writes
 *   connection_cb       shares memory with the last two: check UV__LISTENING
 */
#ifndef UV_WIN_STREAM_H_
#define UV_WIN_STREAM_H_

#include "os/stream.h"
#include "win/overlapped.h"

/* uv_handle_t.flags, in a bit that libuv does not use; 27-30 belong to the
 * type. */
enum {
  /* Operations that succeed inside the call post no completion and must be
   * pended (FILE_SKIP_COMPLETION_PORT_ON_SUCCESS). */
  UV__SKIP_PORT = 1u << 10,
  /* A server that announces no connections. Servers do not read, so they have
   * the bit of UV__READ_EOF to spare. */
  UV__PAUSED = UV__READ_EOF
};

/* Operations of a stream type. Arguments and results are those of os/stream.h;
 * NULL if unsupported: stream.c returns UV_EINVAL or UV_ENOTSUP, or does not
 * call it. */
struct uv__stream_ops {
  int (*is_open)(const uv_stream_t* stream);
  int (*listen)(uv_stream_t* stream, int backlog, uv_connection_cb cb);
  int (*accept)(uv_stream_t* server, uv_stream_t* client);
  int (*accept_fd)(uv_stream_t* server, uv_os_fd_t* fd);
  int (*reject)(uv_stream_t* server);
  void (*listen_pause)(uv_stream_t* server, int is_paused);
  int (*give_away)(uv_stream_t* stream, uv_os_fd_t* fd);
  int (*read_start)(uv_stream_t* stream);
  void (*read_stop)(uv_stream_t* stream);
  ssize_t (*try_read)(uv_stream_t* stream,
                      const uv_buf_t bufs[],
                      unsigned int nbufs);
  int (*has_unread)(const uv_stream_t* stream);
  int (*can_send)(const uv_stream_t* stream, const uv_stream_t* send_handle);
  int (*write)(uv_write_t* req,
               uv_stream_t* stream,
               const uv_buf_t bufs[],
               unsigned int nbufs,
               uv_stream_t* send_handle);
  int (*try_write)(uv_stream_t* stream,
                   const uv_buf_t bufs[],
                   unsigned int nbufs,
                   uv_stream_t* send_handle);
  /* req is in stream->shutdown_req. Ends writing as soon as
   * write_reqs_pending is 0, then reports through uv__stream_shutdown_end()
   * in the pending phase. */
  void (*shutdown)(uv_stream_t* stream, uv_shutdown_t* req);
  /* The same after the callback of the last write; it may report at once. */
  void (*shutdown_after_write)(uv_stream_t* stream, uv_shutdown_t* req);
  int (*set_blocking)(uv_stream_t* stream, int on);
  /* Tries to cancel an outstanding write; 0 or UV_EBUSY. */
  int (*cancel_write)(uv_write_t* req);
  /* Tries to cancel a connect that has not been reported; 0 or UV_EBUSY. */
  int (*cancel_connect)(uv_connect_t* req);
  /* Called by uv__stream_finish(): frees memory that was needed until the last
   * request completed. May be NULL. */
  void (*release)(uv_stream_t* stream);
};

/* Defined in tcp.c, pipe.c, tty.c. */
extern const struct uv__stream_ops uv__tcp_stream_ops;
extern const struct uv__stream_ops uv__pipe_stream_ops;
extern const struct uv__stream_ops uv__tty_stream_ops;

/* ---- stream.c: shared by the types ---- */

/* Initialises a stream handle of the given type, without a socket. */
void uv__stream_init(uv_loop_t* loop, uv_stream_t* stream, uv_handle_type type);

/* Makes the stream a connection, open in the directions `flags` names
 * (UV__READABLE | UV__WRITABLE), and initialises the fields that share memory
 * with connection_cb. */
void uv__stream_opened(uv_stream_t* stream, unsigned int flags);

/* Registers and counts a write, before it is submitted or pended. */
void uv__stream_write_begin(uv_stream_t* stream,
                            uv_write_t* req,
                            size_t bytes,
                            uv_stream_t* send_handle);

/* The write was refused: as if it had never begun. */
void uv__stream_write_undo(uv_stream_t* stream, uv_write_t* req);

/* Second half of the handler: uncounts the write, runs the callback with `err`,
 * then a shutdown that waited for it, then uv__req_finished(). */
void uv__stream_write_report(uv_stream_t* stream, uv_write_t* req, int err);

/* Ends and reports shutdown_req. Does not change counters: the caller ends with
 * uv__req_finished() if the request was counted. */
void uv__stream_shutdown_end(uv_stream_t* stream, int err);

/* Ends reading with UV_EOF or an error: clears flags and activity, then calls
 * read_cb with `buf` (NULL: an empty one). */
void uv__stream_read_end(uv_stream_t* stream, int err, const uv_buf_t* buf);

/* finish() of the handle classes: cancels a shutdown that still waits. */
enum uv__finish_result uv__stream_finish(uv_handle_t* handle);

#endif /* UV_WIN_STREAM_H_ */
