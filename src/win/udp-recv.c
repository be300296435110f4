/* SPDX-License-Identifier: MIT */
/* Receiving datagrams.
 *
 *   AFD poll for incoming data -> port -> alloc_cb, recvfrom, recv_cb until the
 *   socket is empty, at most TURN_MAX times -> AFD poll again
 *
 * A socket without an AFD base is waited for by a thread (poll-slow.c).
 *
 * When the socket is empty, the callback gets nread 0 without an address.
 * Windows also reports here that an earlier datagram was undeliverable, even on
 * connected sockets; that is unrelated to receiving, so it is ignored:
 * https://learn.microsoft.com/windows/win32/api/winsock2/
 * nf-winsock2-recvfrom (WSAECONNRESET)
 */
#include "observe/callback.h"
#include "win/afd.h"
#include "win/udp.h"

static int is_slow(const uv_udp_t* handle) {
  return uv__udp_base(handle) == INVALID_SOCKET;
}

static int poll_socket(uv_udp_t* handle) {
  const unsigned int events =
      UV__AFD_RECEIVE | UV__AFD_ABORT | UV__AFD_LOCAL_CLOSE;
  AFD_POLL_INFO* info = uv__udp_poll_info(handle);

  if (!is_slow(handle)) {
    int err = uv__afd_poll(handle->loop, uv__udp_base(handle), events, info,
                           &handle->recv_req);
    if (err == 0 || err == UV_ENOTSOCK)
      return err;
    /* As in poll-handle.c: the base is not AFD's either. */
    handle->recv_buffer.base = (char*) INVALID_SOCKET;
  }
  return uv__poll_slow(handle->socket, events, info,
                       uv__req_base(&handle->recv_req));
}

/* 0 or UV_E*. */
static int recv_submit(uv_udp_t* handle) {
  int err = poll_socket(handle);
  if (err != 0)
    return err;
  handle->flags |= UV__READ_PENDING;
  handle->reqs_pending++;
  return 0;
}

int uv__udp_os_recv_start(uv_udp_t* handle) {
  int err = uv__udp_ensure_bound(handle, AF_INET);
  if (err != 0)
    return err;
  /* A request left over from before a stop is still pending. */
  return handle->flags & UV__READ_PENDING ? 0 : recv_submit(handle);
}

void uv__udp_os_recv_stop(uv_udp_t* handle) {
  (void) handle; /* see above */
}

int uv__udp_recv_cancel(uv_udp_t* handle) {
  if (!(handle->flags & UV__READ_PENDING))
    return 1;
  if (!is_slow(handle)) {
    uv__afd_cancel(handle->loop, &handle->recv_req);
    return 1;
  }
  /* The thread must not find another socket of the same number. */
  uv__poll_slow_cancel(uv__udp_poll_info(handle));
  return 0;
}

/* With UV__UDP_INFO, udp-recv-info.c receives. */
static int still_receiving(const uv_udp_t* handle) {
  const unsigned mask = UV__READING | UV__READ_PENDING | UV__UDP_INFO;
  return (handle->flags & mask) == UV__READING;
}

/* Receives one datagram. Returns its length or UV_E*; UV_EMSGSIZE: truncated,
 * the buffer is full. */
static ssize_t recv_datagram(uv_udp_t* handle,
                             const uv_buf_t* buf,
                             struct sockaddr_storage* from) {
  DWORD sys_error = 0;

  for (int i = 0; i < UV__UDP_TURN_MAX; i++) {
    int len = sizeof(*from);
    int n = recvfrom(handle->socket, buf->base,
                     (int) uv__min_size(buf->len, INT32_MAX), 0,
                     (struct sockaddr*) from, &len);
    if (n >= 0)
      return n;
    sys_error = (DWORD) WSAGetLastError();
    if (!uv__udp_is_undelivered(sys_error))
      return uv_translate_sys_error((int) sys_error);
  }
  return UV_EAGAIN; /* too many of them; continue in the next turn */
}

int uv__udp_recv_alloc(uv_udp_t* handle, uv_buf_t* buf) {
  uv__call_alloc(uv__base(handle), handle->alloc_cb, UV__UDP_DATAGRAM_MAX, buf);
  if (handle->recv_cb == NULL)
    return 0; /* alloc_cb stopped receiving; it keeps the buffer */
  if (buf->base == NULL || buf->len == 0) {
    uv__call_recv(handle, UV_ENOBUFS, buf, NULL, 0);
    return 0;
  }
  /* If alloc_cb closed the handle, it keeps the buffer. */
  return uv__udp_is_receiving(handle);
}

/* Returns whether to continue. */
static int recv_one(uv_udp_t* handle) {
  struct sockaddr_storage from;
  uv_buf_t buf = uv_buf_init(NULL, 0);

  if (!uv__udp_recv_alloc(handle, &buf))
    return 0;
  ssize_t n = recv_datagram(handle, &buf, &from);
  if (n < 0 && n != UV_EMSGSIZE) {
    uv__call_recv(handle, n == UV_EAGAIN ? 0 : n, &buf, NULL, 0);
    return 0;
  }
  if (n < 0) {
    uv__call_recv(handle, (ssize_t) buf.len, &buf,
                  (const struct sockaddr*) &from, UV_UDP_PARTIAL);
    return 0; /* as in libuv: the poll finds the next one */
  }
  uv__call_recv(handle, n, &buf, (const struct sockaddr*) &from, 0);
  return still_receiving(handle);
}

/* Resubmits the poll. If that fails, reports the error and stops. */
static void recv_resubmit(uv_udp_t* handle) {
  uv_buf_t none = uv_buf_init(NULL, 0);
  int err = recv_submit(handle);

  if (err != 0)
    uv__call_recv(handle, err, &none, NULL, 0);
}

static void recv_turn(uv_udp_t* handle) {
  int received = 0;

  if (still_receiving(handle)) {
    while (recv_one(handle) && ++received < UV__UDP_TURN_MAX)
      continue;
    return;
  }
  while (uv__udp_is_receiving(handle) && uv__udp_recv_one_info(handle) &&
         ++received < UV__UDP_TURN_MAX)
    continue;
}

void uv__udp_recv_done(uv_handle_t* base, uv_req_t* req) {
  uv_udp_t* handle = (uv_udp_t*) base;

  (void) req; /* ready, closed or failed: recvfrom() returns the reason */
  handle->flags &= ~UV__READ_PENDING;
  recv_turn(handle);
  if (uv__udp_is_receiving(handle))
    recv_resubmit(handle);
  /* uv__udp_close() has left it to us. */
  if (uv__is_closing(base) && uv__udp_os_is_open(handle))
    uv__udp_close_socket(handle);
  uv__req_finished(handle, &handle->reqs_pending);
}
