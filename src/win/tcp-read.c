/* SPDX-License-Identifier: MIT */
/* Reading from a connection.
 *
 *   zero-byte receive -> port -> alloc_cb, recv, read_cb, repeated while there
 *   is more, at most READS_PER_TURN times -> zero-byte receive
 *
 * The zero-byte receive only announces data: idle connections tie up no memory,
 * and uv_read_stop() need not deal with a buffer that data may still arrive in.
 * It stays pending when reading stops, and serves the next start.
 */
#include "win/tcp.h"
#include "observe/callback.h"

#define READS_PER_TURN 32
#define SUGGESTED_SIZE (64 * 1024)

/* Status after CancelIoEx(). */
#define STATUS_CANCELLED_ ((LONG) 0xC0000120u)

/* 1 if it is pending, 0 if it completed inside the call; otherwise it was
 * refused and the request holds the error. */
static int call_receive(uv_tcp_t* tcp) {
  OVERLAPPED* overlapped;
  WSABUF none = { 0, NULL };
  DWORD flags = 0;
  DWORD bytes;

  int err = uv__tcp_overlapped(tcp, &tcp->read_req, uv__tcp_read_places(tcp),
                               &overlapped);
  if (err != 0) {
    uv__req_set_error(&tcp->read_req, ERROR_OUTOFMEMORY);
    return -1;
  }
  if (WSARecv(tcp->socket, &none, 1, &bytes, &flags, overlapped, NULL) == 0)
    return 0;
  DWORD sys_error = (DWORD) WSAGetLastError();
  if (sys_error == WSA_IO_PENDING)
    return 1;
  uv__req_set_error(&tcp->read_req, sys_error);
  return -1;
}

void uv__tcp_read_arm(uv_tcp_t* tcp) {
  int pending = call_receive(tcp);

  tcp->flags |= UV__READ_PENDING;
  tcp->reqs_pending++;
  if (pending < 0)
    uv__req_pend(tcp->loop, &tcp->read_req);
  else
    uv__tcp_submitted(tcp, &tcp->read_req, pending, uv__tcp_read_places(tcp));
}

int uv__tcp_read_start(uv_stream_t* stream) {
  stream->flags |= UV__READING;
  uv__activity_begin(stream, &stream->activecnt);
  /* While connecting, the end of the connect starts the read. */
  if (!(stream->flags & (UV__READ_PENDING | UV__TCP_CONNECTING)))
    uv__tcp_read_arm((uv_tcp_t*) stream);
  return 0;
}

void uv__tcp_read_stop(uv_stream_t* stream) {
  stream->flags &= ~UV__READING;
  uv__activity_end(stream, &stream->activecnt);
}

int uv__tcp_has_unread(const uv_stream_t* stream) {
  u_long count = 0;

  return ioctlsocket(((const uv_tcp_t*) stream)->socket, (long) FIONREAD,
                     &count) == 0 &&
         count > 0;
}

static ssize_t receive_now(SOCKET sock, const uv_buf_t* buf) {
  size_t len = uv__min_size(buf->len, INT32_MAX);
  int n = recv(sock, buf->base, (int) len, 0);
  return n >= 0 ? n : uv__wsa_error();
}

/* To a reader, a connection that the system dropped was reset. */
static int read_error(int err) {
  return err == UV_ECONNABORTED ? UV_ECONNRESET : err;
}

ssize_t uv__tcp_try_read(uv_stream_t* stream,
                         const uv_buf_t bufs[],
                         unsigned int nbufs) {
  const uv_tcp_t* tcp = (const uv_tcp_t*) stream;
  ssize_t total = 0;

  if (tcp->flags & UV__TCP_CONNECTING)
    return UV_EAGAIN;
  for (unsigned int i = 0; i < nbufs; i++) {
    ssize_t n = receive_now(tcp->socket, &bufs[i]);
    if (n < 0 && total == 0)
      return n == UV_EAGAIN ? n : read_error((int) n);
    if (n == 0 && total == 0 && bufs[i].len != 0)
      return UV_EOF;
    if (n > 0)
      total += n;
    if (n < (ssize_t) bufs[i].len || !uv__tcp_has_unread(stream))
      break;
  }
  return total;
}

/* Reading continues, and no zero-byte receive is pending. */
static int still_reading(const uv_stream_t* stream) {
  return (stream->flags & (UV__READING | UV__READ_PENDING)) == UV__READING;
}

/* After a read: read again at once; read again in the next iteration; or wait
 * for a zero-byte receive. */
enum read_next { READ_ON, READ_LATER, READ_WAIT };

static enum read_next read_once(uv_stream_t* stream) {
  uv_buf_t buf = uv_buf_init(NULL, 0);

  uv__call_alloc(uv__base(stream), stream->alloc_cb, SUGGESTED_SIZE, &buf);
  if (!still_reading(stream))
    return READ_WAIT; /* alloc_cb stopped reading; it keeps the buffer */
  if (buf.base == NULL || buf.len == 0) {
    uv__call_read(stream, UV_ENOBUFS, &buf);
    return READ_LATER;
  }

  ssize_t n = receive_now(((uv_tcp_t*) stream)->socket, &buf);
  if (n > 0) {
    int is_full = (size_t) n == buf.len;
    uv__call_read(stream, n, &buf);
    return is_full && still_reading(stream) ? READ_ON : READ_WAIT;
  }
  if (n == UV_EAGAIN)
    uv__call_read(stream, 0, &buf);
  else
    uv__stream_read_end(stream, n == 0 ? UV_EOF : read_error((int) n), &buf);
  return READ_WAIT;
}

static enum read_next read_ready(uv_stream_t* stream) {
  enum read_next next = READ_ON;
  int err = uv__req_sock_error(&stream->read_req);

  /* Another process that shares the socket may have cancelled our receive
   * too. */
  if (uv__req_status(&stream->read_req) == STATUS_CANCELLED_)
    return READ_WAIT;
  if (err != 0) {
    uv__stream_read_end(stream, read_error(err), NULL);
    return READ_WAIT;
  }
  for (int i = 0; i < READS_PER_TURN && next == READ_ON; i++)
    next = read_once(stream);
  return next;
}

/* There is more data: continue in the next iteration, after everything that is
 * due by now. (A zero-byte receive would complete in this one.) */
static void read_later(uv_tcp_t* tcp) {
  uv__req_overlapped(&tcp->read_req); /* success */
  uv__req_post(tcp->loop, &tcp->read_req);
  tcp->flags |= UV__READ_PENDING;
  tcp->reqs_pending++;
}

void uv__tcp_read_done(uv_handle_t* handle, uv_req_t* req) {
  uv_tcp_t* tcp = (uv_tcp_t*) handle;
  uv_stream_t* stream = (uv_stream_t*) handle;

  (void) req;
  uv__event_req_end(uv__tcp_read_places(tcp));
  tcp->flags &= ~UV__READ_PENDING;
  enum read_next next = READ_WAIT;
  if (tcp->flags & UV__READING)
    next = read_ready(stream);
  if (still_reading(stream) && next == READ_WAIT)
    uv__tcp_read_arm(tcp);
  else if (still_reading(stream))
    read_later(tcp);
  uv__req_finished(tcp, &tcp->reqs_pending);
}
