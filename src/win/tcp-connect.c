/* SPDX-License-Identifier: MIT */
/* Connecting: ConnectEx, its preconditions, and operations that wait for it.
 *
 * The handle is readable and writable from uv_tcp_connect() on: reads, writes
 * and a shutdown requested before the connection is established start once it
 * is.
 */
#include "observe/callback.h"
#include "win/sock.h"
#include "win/tcp.h"

#include <mstcpip.h>
#include <string.h>

/* SIO_TCP_INITIAL_RTO; not every SDK declares these names. */
struct initial_rto {
  USHORT rtt_ms;
  UCHAR max_syn_retransmissions;
};

#define RTO_DEFAULT_RTT ((USHORT) -1)
#define RTO_NO_RETRANSMISSIONS ((UCHAR) -2)
#define IOCTL_INITIAL_RTO _WSAIOW(IOC_VENDOR, 17)

/* An address to connect to. */
union target {
  struct sockaddr any;
  struct sockaddr_in in;
  struct sockaddr_in6 in6;
};

/* On other systems, connecting to the "any" address reaches this host. */
static void fix_unspecified(union target* to) {
  if (to->any.sa_family == AF_INET && to->in.sin_addr.s_addr == INADDR_ANY)
    to->in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  else if (to->any.sa_family == AF_INET6 &&
           IN6_IS_ADDR_UNSPECIFIED(&to->in6.sin6_addr))
    to->in6.sin6_addr = in6addr_loopback;
}

static int is_loopback(const union target* to) {
  if (to->any.sa_family == AF_INET)
    return ntohl(to->in.sin_addr.s_addr) >> 24 == 127;
  return IN6_IS_ADDR_LOOPBACK(&to->in6.sin6_addr);
}

/* A refusal over loopback is final, but Windows retransmits the SYN for two
 * seconds before it reports one. Fails before Windows 10 1709 (10.0.16299). */
static void disable_syn_retries(SOCKET sock) {
  struct initial_rto rto = { RTO_DEFAULT_RTT, RTO_NO_RETRANSMISSIONS };
  DWORD bytes;

  (void) WSAIoctl(sock, IOCTL_INITIAL_RTO, &rto, sizeof(rto), NULL, 0, &bytes,
                  NULL, NULL);
}

/* ConnectEx() requires a bound socket. */
static int connect_prepare(uv_tcp_t* tcp, int family) {
  GUID id = WSAID_CONNECTEX;

  int err = uv__tcp_os_socket(tcp, family);
  if (err == 0 && !(tcp->flags & UV__BOUND))
    err = uv__sock_bind_any(tcp->socket, family);
  if (err != 0)
    return err;
  tcp->flags |= UV__BOUND;
  return uv__sock_extension(tcp->socket, id, &tcp->tcp.conn.func_connectex,
                            sizeof(tcp->tcp.conn.func_connectex));
}

/* 1 if it is pending, 0 if it completed inside the call, or UV_E*. */
static int call_connect(uv_tcp_t* tcp,
                        uv_connect_t* req,
                        const struct sockaddr* addr,
                        unsigned int len) {
  union target to;
  OVERLAPPED* overlapped;

  int err = connect_prepare(tcp, addr->sa_family);
  if (err == 0)
    err = uv__tcp_overlapped(tcp, req, uv__tcp_read_places(tcp), &overlapped);
  if (err != 0)
    return err;

  memcpy(&to, addr, len);
  fix_unspecified(&to);
  if (is_loopback(&to))
    disable_syn_retries(tcp->socket);
  if (tcp->tcp.conn.func_connectex(tcp->socket, &to.any, (int) len, NULL, 0,
                                   NULL, overlapped))
    return 0;
  return WSAGetLastError() == WSA_IO_PENDING ? 1 : uv__wsa_error();
}

static void connect_begin(uv_tcp_t* tcp, uv_connect_t* req) {
  uv__req_start(tcp->loop, req, UV_CONNECT);
  req->handle = (uv_stream_t*) tcp;
  tcp->flags |= UV__TCP_CONNECTING;
  tcp->reqs_pending++;
  uv__activity_begin(tcp, &tcp->activecnt);
}

/* The error is known already, but is reported through the callback. */
static void connect_begin_failed(uv_tcp_t* tcp,
                                 uv_connect_t* req,
                                 DWORD sys_error) {
  connect_begin(tcp, req);
  uv__req_overlapped(req);
  uv__req_set_error(req, sys_error);
  uv__req_pend(tcp->loop, req);
}

int uv__tcp_os_connect(uv_connect_t* req,
                       uv_tcp_t* tcp,
                       const struct sockaddr* addr,
                       unsigned int len) {
  if (tcp->flags & UV__TCP_CONNECTING)
    return UV_EALREADY;
  if (tcp->flags & UV__LISTENING)
    return UV_EINVAL;
  if (tcp->flags & UV__CONNECTED)
    return UV_EISCONN;
  if (tcp->delayed_error != 0) {
    connect_begin_failed(tcp, req, (DWORD) tcp->delayed_error);
    return 0;
  }

  int pending = call_connect(tcp, req, addr, len);
  if (pending == UV_ECONNREFUSED) {
    connect_begin_failed(tcp, req, WSAECONNREFUSED);
    return 0;
  }
  if (pending < 0) {
    uv__event_req_end(uv__tcp_read_places(tcp));
    return pending;
  }
  connect_begin(tcp, req);
  uv__tcp_submitted(tcp, req, pending, uv__tcp_read_places(tcp));
  return 0;
}

int uv__tcp_cancel_connect(uv_connect_t* req) {
  const uv_tcp_t* tcp = (const uv_tcp_t*) req->handle;
  return uv__req_cancel_io((HANDLE) tcp->socket, req);
}

static int connect_result(uv_tcp_t* tcp, const uv_connect_t* req) {
  /* A failure that was known before the close keeps its error. */
  if (!uv__req_succeeded(req))
    return uv__req_sock_error(req);
  if (uv__is_closing(uv__base(tcp)))
    return UV_ECANCELED;
  /* Makes the socket behave like one connected by connect(). */
  if (setsockopt(tcp->socket, SOL_SOCKET, SO_UPDATE_CONNECT_CONTEXT, NULL, 0) !=
      0)
    return uv__wsa_error();
  return 0;
}

/* Starts the operations that waited for the connection, or ends them. */
static void after_connect(uv_tcp_t* tcp, int err, int shutdown_waits) {
  uv_stream_t* stream = (uv_stream_t*) tcp;

  if (err == 0)
    uv__tcp_write_flush(tcp);
  else
    uv__tcp_write_drop(tcp);
  if ((tcp->flags & UV__READING) && !(tcp->flags & UV__READ_PENDING))
    uv__tcp_read_arm(tcp);
  /* If writes are pending, the shutdown waits for them. */
  if (shutdown_waits && stream->shutdown_req != NULL &&
      stream->write_reqs_pending == 0)
    uv__tcp_shutdown(stream, stream->shutdown_req);
}

void uv__tcp_connect_done(uv_handle_t* handle, uv_req_t* base) {
  uv_tcp_t* tcp = (uv_tcp_t*) handle;
  uv_connect_t* req = (uv_connect_t*) base;
  int err = connect_result(tcp, req);
  int shutdown_waits = tcp->shutdown_req != NULL;

  uv__event_req_end(uv__tcp_read_places(tcp));
  tcp->flags &= ~UV__TCP_CONNECTING;
  if (err == 0)
    tcp->flags |= UV__CONNECTED | UV__READABLE | UV__WRITABLE;
  uv__req_unregister(tcp->loop);
  uv__activity_end(tcp, &tcp->activecnt);
  uv__req_set_reported(req);
  if (req->cb != NULL)
    uv__call_connect(req, err);

  /* If the callback has started another attempt, they wait for that one. */
  if (!uv__is_closing(handle) && !(tcp->flags & UV__TCP_CONNECTING))
    after_connect(tcp, err, shutdown_waits);
  uv__req_finished(tcp, &tcp->reqs_pending);
}
