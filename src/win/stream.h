/* SPDX-License-Identifier: MIT */
/* Windows streams from the inside.
 *
 * stream.c implements stream.h's uv__stream_os_* by one const table of stream
 * operations, indexed by handle type, and has what the types share.
 *
 * Roles of the ABI's private fields:
 *   reqs_pending        requests under way (R2): reads, writes, accepts,
 *                       connects, shutdowns that were pended
 *   activecnt           see uv__activity_begin()
 *   read_req            the one read of the stream; its data is the stream
 *   write_reqs_pending  of those, writes
 *   shutdown_req        a shutdown that waits for the writes before it
 *   connection_cb       shares memory with the last two: look at UV__LISTENING
 */
#ifndef UV_WIN_STREAM_H_
#define UV_WIN_STREAM_H_

#include "os/stream.h"
#include "win/overlapped.h"

/* uv_handle_t.flags, in a bit that libuv leaves free; 27-30 are the type's. */
enum {
  /* An operation that succeeds inside the call reports no completion: pend it
   * (FILE_SKIP_COMPLETION_PORT_ON_SUCCESS). */
  UV__SKIP_PORT = 1u << 10
};

/* What a type of stream can do. What they get and answer is as in stream.h;
 * NULL where the type cannot: stream.c answers UV_EINVAL or UV_ENOTSUP. */
struct uv__stream_ops {
  int (*is_open)(const uv_stream_t* stream);
  int (*listen)(uv_stream_t* stream, int backlog, uv_connection_cb cb);
  int (*accept)(uv_stream_t* server, uv_stream_t* client);
  int (*read_start)(uv_stream_t* stream);
  void (*read_stop)(uv_stream_t* stream);
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
  /* req is in stream->shutdown_req; ends writing as soon as
   * write_reqs_pending is 0, then reports through uv__stream_shutdown_end()
   * from the pending phase. */
  void (*shutdown)(uv_stream_t* stream, uv_shutdown_t* req);
  int (*set_blocking)(uv_stream_t* stream, int on);
  /* Tries to take a write back that is under way; 0 or UV_EBUSY. */
  int (*cancel_write)(uv_write_t* req);
  /* Of uv__stream_finish(): gives back memory that had to stay until the last
   * request was through. Or NULL. */
  void (*release)(uv_stream_t* stream);
};

/* Defined in tcp.c, pipe.c, tty.c. */
extern const struct uv__stream_ops uv__tcp_stream_ops;
extern const struct uv__stream_ops uv__pipe_stream_ops;
extern const struct uv__stream_ops uv__tty_stream_ops;

/* ---- stream.c: what the types share ---- */

/* Sets up a stream handle of the given type in its loop, without a socket. */
void uv__stream_init(uv_loop_t* loop, uv_stream_t* stream, uv_handle_type type);

/* The stream is a connection from now on, open in the directions `flags` names
 * (UV__READABLE | UV__WRITABLE); the fields that share memory with
 * connection_cb are set up. */
void uv__stream_opened(uv_stream_t* stream, unsigned int flags);

/* Registers a write and counts it in; before it is submitted or pended. */
void uv__stream_write_begin(uv_stream_t* stream,
                            uv_write_t* req,
                            size_t bytes,
                            uv_stream_t* send_handle);

/* The handler's second half: counts it out, runs the callback with `err`, then
 * a shutdown that waited for it, then uv__req_finished(). */
void uv__stream_write_report(uv_stream_t* stream, uv_write_t* req, int err);

/* Ends the activity that shutdown_req is, and reports it. Does not count: the
 * caller ends with uv__req_finished() if the request was counted in. */
void uv__stream_shutdown_end(uv_stream_t* stream, int err);

/* Reports the end of reading (UV_EOF or an error), which stops it: flags,
 * activity, then read_cb with `buf` (NULL: an empty one). */
void uv__stream_read_end(uv_stream_t* stream, int err, const uv_buf_t* buf);

/* The classes' finish(): cancels a shutdown that still waits. */
enum uv__finish_answer uv__stream_finish(uv_handle_t* handle);

#endif /* UV_WIN_STREAM_H_ */
