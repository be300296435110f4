/* SPDX-License-Identifier: MIT */
/* Streams: what stream.c asks of the platform.
 *
 * stream.c checks arguments and state; the uv__stream_os_* functions below are
 * the platform's and may assume what their comments say. Callbacks run later,
 * from the loop, never inside the call.
 */
#ifndef UV_OS_STREAM_H_
#define UV_OS_STREAM_H_

#include "handle.h"

/* Takes shutdown_req, which there is, off the stream, flags it UV__SHUT unless
 * there is an error, and runs its callback. For the platform. */
void uv__stream_shutdown_report(uv_stream_t* stream, int err);

/* Implemented by the platform. */

/* Does the stream have a socket, pipe or device? */
int uv__stream_os_is_open(const uv_stream_t* stream);
/* May it be written to? 0, or the error of a write that is refused. */
int uv__stream_os_check_writable(const uv_stream_t* stream);

/* The stream is a TCP or pipe handle and not closing. Turns it into a server;
 * cb may be NULL. Reports an error that bind put off. 0 or UV_E*. */
int uv__stream_os_listen(uv_stream_t* stream, int backlog, uv_connection_cb cb);

/* Hands the oldest waiting connection (or received handle) of `server` to
 * `client`, which is of the same loop. UV_EAGAIN if none waits; when the client
 * cannot take it, it is dropped and the server goes on. */
int uv__stream_os_accept(uv_stream_t* server, uv_stream_t* client);

/* The stream is readable and not reading; afterwards it is. 0 or UV_E*. */
int uv__stream_os_read_start(uv_stream_t* stream);

/* The stream is reading; afterwards no read callback comes. */
void uv__stream_os_read_stop(uv_stream_t* stream);

/* May `send_handle` travel over this stream? 0, UV_EINVAL, UV_EBADF. */
int uv__stream_os_can_send(const uv_stream_t* stream,
                           const uv_stream_t* send_handle);

/* req->cb is set; the stream is open and writable, nbufs is sane, the buffers
 * fit (bufs.h). Takes a copy of the array, not of the data. On success the
 * request is registered. */
int uv__stream_os_write(uv_write_t* req,
                        uv_stream_t* stream,
                        const uv_buf_t bufs[],
                        unsigned int nbufs,
                        uv_stream_t* send_handle);

/* Is other data queued, so that new data has to wait? */
int uv__stream_os_is_busy(const uv_stream_t* stream);

/* uv__stream_os_write() without a request: bytes written, or UV_EAGAIN if other
 * data are ahead or the kernel takes none. */
int uv__stream_os_try_write(uv_stream_t* stream,
                            const uv_buf_t bufs[],
                            unsigned int nbufs,
                            uv_stream_t* send_handle);

/* The request is complete and registered, the stream is marked as shutting
 * down: ends the writing side once what is queued has been written. */
void uv__stream_os_shutdown(uv_stream_t* stream, uv_shutdown_t* req);

int uv__stream_os_set_blocking(uv_stream_t* stream, int on);

/* uv_cancel() of a write. 0: the callback is going to say how the request
 * ended, with UV_ECANCELED unless it had ended before. UV_EBUSY: the handle is
 * closing, or the system has the data (Windows). */
int uv__stream_os_cancel_write(uv_write_t* req);

#endif /* UV_OS_STREAM_H_ */
