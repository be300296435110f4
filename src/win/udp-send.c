/* SPDX-License-Identifier: MIT */
/* Sending datagrams.
 *
 * A datagram is sent at once, which usually succeeds; only if the socket's
 * buffer is full is it submitted, and completes through the port. Either way
 * the callback runs in the pending phase. It also reports what the system
 * refuses at once, as libuv's suite asks. Only bytes that wait in the system
 * count in send_queue_size.
 */
#include "observe/callback.h"
#include "os/addr.h"
#include "req.h"
#include "win/sock.h"
#include "win/udp.h"

/* Bytes sent, or the negated Winsock error. */
static ssize_t send_now(const uv_udp_t* handle, const struct uv__datagram* d) {
  DWORD sent = 0;
  ssize_t n = 0;

  if (WSASendTo(handle->socket, (WSABUF*) d->bufs, d->nbufs, &sent, 0,
                d->to.addr, (int) d->to.len, NULL, NULL) != 0)
    n = -(ssize_t) WSAGetLastError();
  else
    n = (ssize_t) sent;
  uv__hook_udp_sent(handle->loop, n);
  return n;
}

/* The socket's buffer is full, or the system cannot lock memory right now: an
 * overlapped send can wait. */
static int is_buffer_full(DWORD sys_error) {
  return sys_error == WSAEWOULDBLOCK || sys_error == WSAENOBUFS;
}

static int family_of(const struct uv__datagram* d) {
  return d->to.addr == NULL ? AF_INET : d->to.addr->sa_family;
}

/* 0 if the port reports the completion, else the Winsock error. */
static DWORD send_submit(uv_udp_t* handle,
                         uv_udp_send_t* req,
                         const struct uv__datagram* d) {
  OVERLAPPED* overlapped = uv__req_overlapped(req);

  if (WSASendTo(handle->socket, (WSABUF*) d->bufs, d->nbufs, NULL, 0,
                d->to.addr, (int) d->to.len, overlapped, NULL) != 0) {
    DWORD sys_error = (DWORD) WSAGetLastError();
    if (sys_error != WSA_IO_PENDING)
      return sys_error;
  }
  handle->activecnt++;
  req->u.io.queued_bytes = d->size;
  uv__hook_udp_sent(handle->loop, (ssize_t) req->u.io.queued_bytes);
  handle->send_queue_size += req->u.io.queued_bytes;
  req->reserved2[0] = handle; /* marks it as submitted */
  return 0;
}

/* The callback gets the result, even if it is an error. */
static void send_start(uv_udp_t* handle,
                       uv_udp_send_t* req,
                       const struct uv__datagram* d) {
  DWORD sys_error = WSAEWOULDBLOCK;

  if (handle->activecnt == 0) {
    ssize_t n = send_now(handle, d);
    sys_error = n < 0 ? (DWORD) -n : 0;
  }
  if (is_buffer_full(sys_error) && !(handle->flags & UV__UDP_NO_PORT)) {
    sys_error = send_submit(handle, req, d);
    if (sys_error == 0)
      return;
  }
  uv__req_overlapped(req); /* a result of 0 */
  if (sys_error != 0)
    uv__req_set_error(req, sys_error);
  /* After the sends that are in the system. */
  if (handle->activecnt > 0)
    uv__req_post(handle->loop, req);
  else
    uv__req_pend(handle->loop, req);
}

int uv__udp_os_send(uv_udp_send_t* req, const struct uv__datagram* d) {
  uv_udp_t* handle = req->handle;

  int err = uv__udp_ensure_bound(handle, family_of(d));
  if (err != 0)
    return err;

  req->next_req = NULL;
  req->reserved2[0] = NULL;
  req->u.io.queued_bytes = 0;
  uv__req_register(handle->loop);
  handle->send_queue_count++;
  handle->reqs_pending++;
  uv__handle_start(uv__base(handle));
  send_start(handle, req, d);
  return 0;
}

void uv__udp_send_done(uv_handle_t* base, uv_req_t* base_req) {
  uv_udp_t* handle = (uv_udp_t*) base;
  uv_udp_send_t* req = (uv_udp_send_t*) base_req;
  int err = uv__req_sock_error(req);

  if (req->reserved2[0] != NULL)
    handle->activecnt--;
  /* A send that completed before the close keeps its result. */
  if (err != 0 && uv__is_closing(base))
    err = UV_ECANCELED;
  handle->send_queue_size -= req->u.io.queued_bytes;
  handle->send_queue_count--;
  uv__req_unregister(handle->loop);
  if (handle->send_queue_count == 0 && !(handle->flags & UV__READING))
    uv__handle_stop(base);
  uv__req_set_reported(req);
  if (req->cb != NULL)
    uv__call_udp_send(req, err);
  uv__req_finished(handle, &handle->reqs_pending);
}

int uv__udp_os_is_sending(const uv_udp_send_t* req) {
  return !uv__req_is_reported(req);
}

/* One that was not submitted is complete. */
int uv__udp_os_cancel_send(uv_udp_send_t* req) {
  if (uv__is_closing(uv__base(req->handle)) || uv__req_is_reported(req) ||
      req->reserved2[0] == NULL)
    return UV_EBUSY;
  return uv__req_cancel_io((HANDLE) req->handle->socket, req);
}

/* Nothing is queued here, but callbacks are due: keep the order. */
int uv__udp_os_has_unsent(const uv_udp_t* handle) {
  return handle->send_queue_count != 0;
}

int uv__udp_os_send_now(uv_udp_t* handle, const struct uv__datagram* d) {
  int err = uv__udp_ensure_bound(handle, family_of(d));
  if (err != 0)
    return err;

  ssize_t n = send_now(handle, d);
  if (n == -WSAENOBUFS)
    return UV_EAGAIN;
  return n < 0 ? uv_translate_sys_error((int) -n) : (int) n;
}

static int send_element(uv_udp_t* handle,
                        uv_buf_t* bufs,
                        unsigned int nbufs,
                        const struct sockaddr* addr) {
  struct uv__datagram d = { .bufs = bufs, .nbufs = nbufs, .to.addr = addr };

  if (addr != NULL)
    d.to.len = uv__addr_os_len(addr);
  return uv__udp_os_send_now(handle, &d);
}

int uv__udp_os_send_many(uv_udp_t* handle,
                         uv_buf_t** bufs,
                         unsigned int* nbufs,
                         struct sockaddr** addrs,
                         unsigned int count) {
  for (unsigned int i = 0; i < count; i++) {
    const struct sockaddr* addr = addrs == NULL ? NULL : addrs[i];
    int n = send_element(handle, bufs[i], nbufs[i], addr);
    if (n < 0)
      return i == 0 ? n : (int) i;
  }
  return (int) count;
}
