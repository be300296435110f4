/* SPDX-License-Identifier: MIT */
/* TCP servers: connections are accepted ahead of time.
 *
 *   uv_listen -> AcceptEx, ACCEPTS times, each with its own socket
 *     -> accept_done: the connection is queued (pending_accepts)
 *     -> connection_cb for the oldest -> uv_accept takes it, resubmits the
 *        accept and announces the next queued connection
 *
 * connection_cb runs once per connection, and not again until that one was
 * accepted. A connection that the peer has already closed is dropped silently.
 * When the system is out of sockets, the callback gets the error, and the
 * accept is retried in the next iteration. A server whose socket is shared with
 * other processes keeps a single accept, so that the processes share the load.
 * A server that is fed (os/listener.h) has a request without func_acceptex.
 */
#include "observe/callback.h"
#include "os/listener.h"
#include "util/alloc.h"
#include "win/sock.h"
#include "win/tcp.h"

#include <string.h>

#define ACCEPTS 32

/* AcceptEx() requires 16 bytes more than the longest address. */
#define NAME_ROOM (sizeof(struct sockaddr_storage) + 16)

static_assert(2 * NAME_ROOM <= sizeof(((uv_tcp_accept_t*) NULL)->accept_buffer),
              "no room for two addresses");

static unsigned int accept_count(const uv_tcp_t* tcp) {
  return tcp->flags & UV__TCP_SINGLE_ACCEPT ? 1 : ACCEPTS;
}

static struct uv__event_req places_of(uv_tcp_accept_t* req) {
  struct uv__event_req places = { &req->event_handle, &req->wait_handle };
  return places;
}

static void drop_socket(uv_tcp_accept_t* req) {
  if (req->accept_socket != INVALID_SOCKET)
    closesocket(req->accept_socket);
  req->accept_socket = INVALID_SOCKET;
}

/* 1 if it is pending, 0 if it completed inside the call, or UV_E*. */
static int call_accept(uv_tcp_t* tcp, uv_tcp_accept_t* req) {
  OVERLAPPED* overlapped;
  DWORD bytes;

  int err = uv__tcp_overlapped(tcp, req, places_of(req), &overlapped);
  if (err != 0)
    return err;
  if (tcp->tcp.serv.func_acceptex(tcp->socket, req->accept_socket,
                                  req->accept_buffer, 0, NAME_ROOM, NAME_ROOM,
                                  &bytes, overlapped))
    return 0;
  return WSAGetLastError() == WSA_IO_PENDING ? 1 : uv__wsa_error();
}

static int accept_submit(uv_tcp_t* tcp, uv_tcp_accept_t* req) {
  int family = tcp->flags & UV__IPV6 ? AF_INET6 : AF_INET;

  int err = uv__sock_open(family, SOCK_STREAM, &req->accept_socket);
  if (err != 0)
    return err;
  int pending = call_accept(tcp, req);
  if (pending < 0) {
    uv__event_req_end(places_of(req));
    drop_socket(req);
    return pending;
  }

  tcp->tcp.serv.processed_accepts--;
  tcp->reqs_pending++;
  uv__tcp_submitted(tcp, req, pending, places_of(req));
  return 0;
}

/* True if all accepts are idle: none is pending, and no connection is
 * queued. */
static int has_no_accepts(const uv_tcp_t* tcp) {
  return tcp->tcp.serv.processed_accepts == accept_count(tcp);
}

/* Submits the idle accepts. Fails only if not a single one is pending. */
static int submit_idle(uv_tcp_t* tcp) {
  unsigned int count = accept_count(tcp);
  int err = 0;

  for (unsigned int i = 0; i < count && err == 0; i++) {
    if (tcp->tcp.serv.processed_accepts == 0)
      break;
    if ((tcp->flags & UV__TCP_SHARED_SOCKET) && !has_no_accepts(tcp))
      break;
    if (tcp->tcp.serv.accept_reqs[i].accept_socket == INVALID_SOCKET)
      err = accept_submit(tcp, &tcp->tcp.serv.accept_reqs[i]);
  }
  return has_no_accepts(tcp) ? err : 0;
}

static void server_notify(uv_tcp_t* tcp, int status) {
  if (tcp->connection_cb != NULL)
    uv__call_connection((uv_stream_t*) tcp, status);
}

/* Keeps accepting; if that fails, the callback gets the error. */
static void accept_continue(uv_tcp_t* tcp) {
  int err = submit_idle(tcp);
  if (err == 0)
    return;

  /* All accepts are idle, so use the first. Having no socket marks it as
   * failed. */
  uv_tcp_accept_t* req = &tcp->tcp.serv.accept_reqs[0];
  tcp->tcp.serv.processed_accepts--;
  tcp->reqs_pending++;
  req->u.io.queued_bytes = (size_t) (intptr_t) err;
  uv__req_pend(tcp->loop, req);
}

static int make_accepts(uv_tcp_t* tcp) {
  unsigned int count = accept_count(tcp);
  uv_tcp_accept_t* reqs = uv__calloc(count, sizeof(*reqs));

  if (reqs == NULL)
    return UV_ENOMEM;
  for (unsigned int i = 0; i < count; i++) {
    uv__req_init_own(&reqs[i], UV_ACCEPT, tcp);
    reqs[i].accept_socket = INVALID_SOCKET;
  }
  tcp->tcp.serv.accept_reqs = reqs;
  tcp->tcp.serv.processed_accepts = count;
  tcp->tcp.serv.pending_accepts = NULL;
  return 0;
}

/* Makes sure that there is a bound socket for listen(). */
static int prepare_listen(uv_tcp_t* tcp) {
  if (tcp->delayed_error != 0)
    return uv_translate_sys_error(tcp->delayed_error);
  if (tcp->flags & (UV__TCP_CONNECTING | UV__CONNECTED))
    return UV_EINVAL;
  int err = uv__tcp_os_socket(tcp, AF_INET);
  if (err != 0 || (tcp->flags & UV__BOUND))
    return err;

  err = uv__sock_bind_any(tcp->socket,
                          tcp->flags & UV__IPV6 ? AF_INET6 : AF_INET);
  if (err == 0)
    tcp->flags |= UV__BOUND;
  return err;
}

int uv__tcp_listen(uv_stream_t* stream, int backlog, uv_connection_cb cb) {
  uv_tcp_t* tcp = (uv_tcp_t*) stream;
  LPFN_ACCEPTEX accept_ex;
  GUID id = WSAID_ACCEPTEX;

  if (tcp->flags & UV__LISTENING) {
    tcp->connection_cb = cb;
    return 0;
  }
  int err = prepare_listen(tcp);
  if (err == 0)
    err = uv__sock_extension(tcp->socket, id, &accept_ex, sizeof(accept_ex));
  if (err == 0 && listen(tcp->socket, backlog) != 0)
    err = uv__wsa_error();
  if (err != 0)
    return err;

  if (tcp->flags & UV__TCP_SHARED_SOCKET)
    tcp->flags |= UV__TCP_SINGLE_ACCEPT;
  err = make_accepts(tcp);
  if (err != 0)
    return err;
  tcp->tcp.serv.func_acceptex = accept_ex;
  err = submit_idle(tcp);
  if (err != 0) {
    uv__tcp_accept_release(tcp);
    return err;
  }

  tcp->connection_cb = cb;
  tcp->flags |= UV__LISTENING;
  tcp->flags &= ~(UV__READABLE | UV__WRITABLE);
  uv__activity_begin(tcp, &tcp->activecnt);
  return 0;
}

static void append_pending(uv_tcp_t* tcp, uv_tcp_accept_t* req) {
  uv_tcp_accept_t** link = &tcp->tcp.serv.pending_accepts;

  while (*link != NULL)
    link = &(*link)->next_pending;
  req->next_pending = NULL;
  *link = req;
}

/* The oldest connection is to be announced, unless the server is paused; then
 * the end of the pause does that. */
static void announce_connection(uv_tcp_t* tcp) {
  if (tcp->flags & UV__PAUSED)
    return;
  tcp->flags |= UV__TCP_ANNOUNCED;
  server_notify(tcp, 0);
}

/* Has the oldest connection announced in the pending phase, if there is one.
 * queued_bytes is 1 while its request is on the pending list for that. */
static void announce_later(uv_tcp_t* tcp) {
  uv_tcp_accept_t* req = tcp->tcp.serv.pending_accepts;

  if (req == NULL || (tcp->flags & UV__TCP_ANNOUNCED) ||
      req->u.io.queued_bytes != 0)
    return;
  req->u.io.queued_bytes = 1;
  tcp->reqs_pending++;
  uv__req_pend(tcp->loop, req);
}

/* Makes the accepted socket inherit the listener's properties, without which
 * some calls on it fail. 0 or UV_E*. */
static int accept_result(uv_tcp_t* tcp, uv_tcp_accept_t* req) {
  if (!uv__req_succeeded(req))
    return uv__req_sock_error(req);
  if (setsockopt(req->accept_socket, SOL_SOCKET, SO_UPDATE_ACCEPT_CONTEXT,
                 (const char*) &tcp->socket, sizeof(tcp->socket)) != 0)
    return uv__wsa_error();
  return 0;
}

/* The connection was closed before we accepted it: not an error of the
 * server. */
static int is_lost_connection(int err) {
  return err == UV_ECONNRESET || err == UV_ECONNABORTED || err == UV_ENOTCONN ||
         err == UV_ETIMEDOUT || err == UV_ECANCELED;
}

/* Is it worth retrying? */
static int is_shortage(int err) {
  return err == UV_EMFILE || err == UV_ENFILE || err == UV_ENOBUFS ||
         err == UV_ENOMEM;
}

/* Handles an error pended by accept_continue(). Only shortages are retried. */
static void accept_refused(uv_tcp_t* tcp, int err) {
  tcp->tcp.serv.accept_reqs[0].u.io.queued_bytes = 0;
  tcp->tcp.serv.processed_accepts++;
  server_notify(tcp, err);
  if (is_shortage(err) && !uv__is_closing(uv__base(tcp)))
    accept_continue(tcp);
}

static void accept_ended(uv_tcp_t* tcp, uv_tcp_accept_t* req) {
  int err = accept_result(tcp, req);

  if (err == 0) {
    append_pending(tcp, req);
    if (tcp->tcp.serv.pending_accepts == req)
      announce_connection(tcp);
    return;
  }
  drop_socket(req);
  tcp->tcp.serv.processed_accepts++;
  if (!is_lost_connection(err))
    server_notify(tcp, err);
  if (!uv__is_closing(uv__base(tcp)))
    accept_continue(tcp);
}

void uv__tcp_accept_done(uv_handle_t* handle, uv_req_t* base) {
  uv_tcp_t* tcp = (uv_tcp_t*) handle;
  uv_tcp_accept_t* req = (uv_tcp_accept_t*) base;

  uv__event_req_end(places_of(req));
  if (uv__is_closing(handle)) {
    drop_socket(req);
  } else if (req == tcp->tcp.serv.pending_accepts) {
    req->u.io.queued_bytes = 0;
    announce_connection(tcp); /* announce_later() has pended it */
  } else if (req->accept_socket == INVALID_SOCKET) {
    accept_refused(tcp, (int) (intptr_t) req->u.io.queued_bytes);
  } else {
    accept_ended(tcp, req);
  }
  uv__req_finished(tcp, &tcp->reqs_pending);
}

static int client_open(const uv_tcp_t* server, uv_tcp_t* client, SOCKET sock) {
  int family = server->flags & UV__IPV6 ? AF_INET6 : AF_INET;

  if (uv__tcp_os_is_open(client))
    return UV_EBUSY;
  int err = uv__tcp_take_socket(client, sock, family, UV__TCP_OURS);
  if (err == 0)
    uv__stream_opened((uv_stream_t*) client,
                      UV__BOUND | UV__CONNECTED | UV__READABLE | UV__WRITABLE);
  return err;
}

static int has_announced(const uv_tcp_t* server) {
  unsigned int both = UV__LISTENING | UV__TCP_ANNOUNCED;
  return (server->flags & both) == both;
}

/* Removes the announced connection: its socket is the caller's, its request
 * idle again. */
static SOCKET announced_take(uv_tcp_t* server) {
  uv_tcp_accept_t* req = server->tcp.serv.pending_accepts;
  SOCKET sock = req->accept_socket;

  server->tcp.serv.pending_accepts = req->next_pending;
  server->tcp.serv.processed_accepts++;
  server->flags &= ~UV__TCP_ANNOUNCED;
  req->accept_socket = INVALID_SOCKET;
  return sock;
}

/* The announced connection was delivered or dropped. */
static void accept_next(uv_tcp_t* server) {
  if (uv__is_closing(uv__base(server)))
    return;
  if (server->tcp.serv.func_acceptex == NULL) {
    uv__listener_taken(server); /* it is fed */
    return;
  }
  accept_continue(server);
  announce_later(server);
}

int uv__tcp_accept(uv_stream_t* stream, uv_stream_t* client) {
  uv_tcp_t* server = (uv_tcp_t*) stream;

  if (!has_announced(server))
    return UV_EAGAIN;
  if (client->type != UV_TCP || uv__is_closing(uv__base(client)))
    return UV_EINVAL;

  SOCKET sock = announced_take(server);
  int err = client_open(server, (uv_tcp_t*) client, sock);
  if (err != 0)
    closesocket(sock);
  accept_next(server);
  return err;
}

/* The socket is in no port yet. */
int uv__tcp_accept_fd(uv_stream_t* stream, uv_os_fd_t* fd) {
  uv_tcp_t* server = (uv_tcp_t*) stream;

  if (!has_announced(server))
    return UV_EAGAIN;
  *fd = (HANDLE) announced_take(server);
  accept_next(server);
  return 0;
}

int uv__tcp_reject(uv_stream_t* stream) {
  uv_os_fd_t fd;

  int err = uv__tcp_accept_fd(stream, &fd);
  if (err == 0)
    closesocket((SOCKET) fd);
  return err;
}

void uv__tcp_listen_pause(uv_stream_t* stream, int is_paused) {
  stream->flags &= ~UV__PAUSED;
  if (is_paused)
    stream->flags |= UV__PAUSED;
  else
    announce_later((uv_tcp_t*) stream);
}

/* ---- os/listener.h ---- */

int uv__listener_os_open_fed(uv_tcp_t* server,
                             int family,
                             uv_connection_cb cb) {
  server->flags |= UV__TCP_SINGLE_ACCEPT;
  int err = make_accepts(server);
  if (err != 0)
    return err;
  server->connection_cb = cb;
  server->flags |= UV__LISTENING | (family == AF_INET6 ? UV__IPV6 : 0);
  uv__activity_begin(server, &server->activecnt);
  return 0;
}

void uv__listener_os_feed(uv_tcp_t* server, uv_os_sock_t sock) {
  uv_tcp_accept_t* req = &server->tcp.serv.accept_reqs[0];

  assert(server->tcp.serv.pending_accepts == NULL);
  req->accept_socket = sock;
  server->tcp.serv.processed_accepts--;
  append_pending(server, req);
  announce_connection(server);
}

void uv__tcp_accept_close(uv_tcp_t* tcp) {
  uv_tcp_accept_t* req = tcp->tcp.serv.pending_accepts;

  for (; req != NULL; req = req->next_pending)
    drop_socket(req);
  tcp->tcp.serv.pending_accepts = NULL;
  tcp->flags &= ~(UV__TCP_ANNOUNCED | UV__PAUSED);
  uv__activity_end(tcp, &tcp->activecnt);
}

void uv__tcp_accept_release(uv_tcp_t* tcp) {
  uv__free(tcp->tcp.serv.accept_reqs);
  /* If listening failed, the handle can still be used for a connection. */
  memset(&tcp->tcp, 0, sizeof(tcp->tcp));
}
