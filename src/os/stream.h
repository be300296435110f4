/* SPDX-License-Identifier: MIT */
/* Streams: what the platform supplies to stream.c.
 *
 * stream.c checks arguments and state; the uv__stream_os_* functions below are
 * the platform's and may assume what their comments say. Callbacks run later,
 * from the loop, never inside the call.
 */
#ifndef UV_OS_STREAM_H_
#define UV_OS_STREAM_H_

#include "handle.h"

/* Called by the platform when a shutdown has ended: removes shutdown_req, marks
 * the stream UV__SHUT unless there is an error, and runs the callback. */
void uv__stream_shutdown_report(uv_stream_t* stream, int err);

/* stream-reader.c. The read_cb of a stream with a request, from uvx_read()
 * until the request's callback begins. */
void uv__reader_read_cb(uv_stream_t* stream,
                        ssize_t nread,
                        const uv_buf_t* buf);

/* Does a request read from the stream, or is a cancelled one still to be
 * reported? */
static inline int uv__reader_owns(const uv_stream_t* stream) {
  return stream->read_cb == uv__reader_read_cb;
}

/* Called by the platform when such a stream is closed: reports the request,
 * unless the loop has it, and the close waits for that. */
enum uv__finish_result uv__reader_finish(uv_stream_t* stream);

/* Implemented by the platform. */

/* Does the stream have a socket, pipe or device? */
int uv__stream_os_is_open(const uv_stream_t* stream);
/* May it be written to? 0, or the error that a write returns. */
int uv__stream_os_check_writable(const uv_stream_t* stream);

/* Turns the stream, a TCP or pipe handle that is not closing, into a server; cb
 * may be NULL. Returns 0 or UV_E*, also an error that bind delayed. */
int uv__stream_os_listen(uv_stream_t* stream, int backlog, uv_connection_cb cb);

/* Passes the oldest waiting connection (or received handle) of `server` to
 * `client`, which belongs to the same loop. UV_EAGAIN if none is waiting; if
 * the client cannot take it, it is closed and the server continues. */
int uv__stream_os_accept(uv_stream_t* server, uv_stream_t* client);

/* The same without a client: stores what waits, as a descriptor that belongs to
 * the caller. UV_ENOTSUP where only a handle can take it. */
int uv__stream_os_accept_fd(uv_stream_t* server, uv_os_fd_t* fd);

/* The same, but it is closed. */
int uv__stream_os_reject(uv_stream_t* server);

/* The stream listens. */
void uv__stream_os_listen_pause(uv_stream_t* server, int is_paused);

/* uvx_release() of a TCP or pipe handle that is not closing. */
int uv__stream_os_release(uv_stream_t* stream, uv_os_fd_t* fd);

/* The stream is readable and not reading; afterwards it is. 0 or UV_E*. */
int uv__stream_os_read_start(uv_stream_t* stream);

/* Reads what is there, without waiting; the stream is readable and not reading.
 * Bytes (more than 0), UV_EOF, UV_EAGAIN, UV_ENOTSUP, UV_E*. */
ssize_t uv__stream_os_try_read(uv_stream_t* stream,
                               const uv_buf_t bufs[],
                               unsigned int nbufs);

/* Is there more of the same that the last read was from: neither another
 * message, nor the end or an error? */
int uv__stream_os_has_unread(const uv_stream_t* stream);

/* The stream is reading; afterwards no read callback runs. */
void uv__stream_os_read_stop(uv_stream_t* stream);

/* Can `send_handle` be sent over this stream? 0, UV_EINVAL or UV_EBADF. */
int uv__stream_os_can_send(const uv_stream_t* stream,
                           const uv_stream_t* send_handle);

/* req->cb is set; the stream is open and writable; the number and the total
 * size of the buffers are within limits (bufs.h). Copies the array, not the
 * data. On success the request is registered. */
int uv__stream_os_write(uv_write_t* req,
                        uv_stream_t* stream,
                        const uv_buf_t bufs[],
                        unsigned int nbufs,
                        uv_stream_t* send_handle);

/* Must new data wait, because other data is queued or a connect is in
 * progress? */
int uv__stream_os_is_busy(const uv_stream_t* stream);

/* uv__stream_os_write() without a request: bytes written, or UV_EAGAIN if the
 * kernel takes none. The stream is not busy. */
int uv__stream_os_try_write(uv_stream_t* stream,
                            const uv_buf_t bufs[],
                            unsigned int nbufs,
                            uv_stream_t* send_handle);

/* Shuts down the writing side once everything queued has been written. The
 * request is filled in and registered, the stream marked UV__SHUTTING. */
void uv__stream_os_shutdown(uv_stream_t* stream, uv_shutdown_t* req);

int uv__stream_os_set_blocking(uv_stream_t* stream, int on);

/* Cancelling a connect that is under way. 0: the callback will get
 * UV_ECANCELED. UV_EBUSY: too late, or the system does not take it back. On
 * Linux a TCP handle can then connect again; elsewhere it can be closed. */
int uv__stream_os_cancel_connect(uv_connect_t* req);

/* The same for a shutdown; the callback is called inside. UV_EBUSY: it no
 * longer waits for anything, its result will come. */
int uv__stream_os_cancel_shutdown(uv_shutdown_t* req);

/* Is the request, which was submitted at some time, under way: has its callback
 * not begun? */
int uv__stream_os_is_connecting(const uv_connect_t* req);
int uv__stream_os_is_writing(const uv_write_t* req);

/* uv_cancel() of a write. 0: the callback will get UV_ECANCELED, or the result
 * if the request was already complete. UV_EBUSY: the handle is closing, or the
 * system has the data (Windows). */
int uv__stream_os_cancel_write(uv_write_t* req);

#endif /* UV_OS_STREAM_H_ */
