/* SPDX-License-Identifier: MIT */
/* TCP on Windows: what its files, dispatch and the handle table share.
 *
 * Roles of the ABI's private fields:
 *   delayed_error             UV_E* that bind put off, or 0
 *   serv.accept_reqs          the accepts of a server, an array; NULL before
 *   serv.processed_accepts    of those, idle: not submitted for want of means
 *   serv.pending_accepts      connections that wait for uv_accept(), oldest
 *                             first; see UV__TCP_TOLD
 *   conn.read_buffer          not a buffer any more: see uv__tcp_sends()
 *   read_req.event_handle     (and wait_handle) of the read, before that of the
 *                             connect; used with UV__TCP_NO_PORT
 *   uv_write_t.coalesced      see tcp-write.c
 */
#ifndef UV_WIN_TCP_H_
#define UV_WIN_TCP_H_

#include "os/tcp.h"
#include "win/event-req.h"
#include "win/stream.h"

/* uv_handle_t.flags. */
enum {
  UV__TCP_CONNECTING = 1u << 27,    /* a connect request is under way */
  UV__TCP_SHARED_SOCKET = 1u << 28, /* somebody else has the socket too */
  UV__TCP_NO_PORT = 1u << 29,       /* another port has it: waits by events */
  UV__TCP_TOLD = 1u << 30           /* connection_cb was told of the oldest */
};

/* dispatch.c. */
uv__req_fn uv__tcp_accept_done;   /* UV_ACCEPT */
uv__req_fn uv__tcp_connect_done;  /* UV_CONNECT */
uv__req_fn uv__tcp_read_done;     /* UV_READ */
uv__req_fn uv__tcp_write_done;    /* UV_WRITE */
uv__req_fn uv__tcp_shutdown_done; /* UV_SHUTDOWN, pended */

/* handle-class.c. */
enum uv__close_answer uv__tcp_close(uv_handle_t* handle);
int uv__tcp_fileno(const uv_handle_t* handle, uv_os_fd_t* fd);

/* ---- tcp.c ---- */

/* Where somebody else's socket comes from decides what may be wrong with it. */
enum uv__tcp_origin {
  UV__TCP_OURS,   /* made by uv__sock_open(): has no port yet */
  UV__TCP_FOREIGN /* may belong to another port */
};

/* Makes `sock`, of the given address family, the socket of a handle that has
 * none. On failure it stays the caller's. 0 or UV_E*. */
int uv__tcp_take_socket(uv_tcp_t* tcp,
                        SOCKET sock,
                        int family,
                        enum uv__tcp_origin origin);

/* A request was submitted and counted in; `pending` is 0 if it succeeded inside
 * the call. Sees to it that its handler runs. */
void uv__tcp_submitted(uv_tcp_t* tcp,
                       void* request,
                       int pending,
                       struct uv__event_req places);

/* Clears the request's OVERLAPPED for an operation on the handle's socket.
 * 0, or UV_E* where it needs an event and gets none. */
int uv__tcp_overlapped(uv_tcp_t* tcp,
                       void* request,
                       struct uv__event_req places,
                       OVERLAPPED** out);

/* The places of the stream's own request; also used by its connect. */
static inline struct uv__event_req uv__tcp_read_places(uv_tcp_t* tcp) {
  struct uv__event_req places = { &tcp->read_req.event_handle,
                                  &tcp->read_req.wait_handle };
  return places;
}

/* ---- tcp-accept.c ---- */

int uv__tcp_listen(uv_stream_t* stream, int backlog, uv_connection_cb cb);
int uv__tcp_accept(uv_stream_t* server, uv_stream_t* client);

/* uv_close() of a server, before its socket is closed: drops what waits. */
void uv__tcp_accept_close(uv_tcp_t* tcp);

/* Nothing is under way any more: gives the memory back. */
void uv__tcp_accept_release(uv_tcp_t* tcp);

/* ---- tcp-read.c ---- */

int uv__tcp_read_start(uv_stream_t* stream);
void uv__tcp_read_stop(uv_stream_t* stream);

/* Connected: a read that was started before may begin. */
void uv__tcp_read_arm(uv_tcp_t* tcp);

/* ---- tcp-write.c ---- */

/* What goes on with writes; lives in conn.read_buffer. */
struct uv__tcp_sends {
  ULONG in_kernel;  /* submitted, not ended */
  uv_req_t* last;   /* circular list of writes that wait for their turn */
};

static inline struct uv__tcp_sends* uv__tcp_sends(uv_tcp_t* tcp) {
  return (struct uv__tcp_sends*) (void*) &tcp->tcp.conn.read_buffer;
}

int uv__tcp_write(uv_write_t* req,
                  uv_stream_t* stream,
                  const uv_buf_t bufs[],
                  unsigned int nbufs,
                  uv_stream_t* send_handle);
int uv__tcp_try_write(uv_stream_t* stream,
                      const uv_buf_t bufs[],
                      unsigned int nbufs,
                      uv_stream_t* send_handle);
int uv__tcp_cancel_write(uv_write_t* req);
void uv__tcp_shutdown(uv_stream_t* stream, uv_shutdown_t* req);

/* Starts the writes that waited, as far as may be. */
void uv__tcp_write_flush(uv_tcp_t* tcp);

/* Ends the writes that waited with UV_ECANCELED. */
void uv__tcp_write_drop(uv_tcp_t* tcp);

/* ---- tcp-opts.c ---- */

/* Sets what was asked for before there was a socket. 0 or UV_E*. */
int uv__tcp_apply_options(const uv_tcp_t* tcp, SOCKET sock);

/* ---- tcp-xfer.c: sockets that travel over ipc pipes ---- */

/* What goes over the pipe: libuv's layout, see ipc-frame.h. */
struct uv__socket_xfer {
  WSAPROTOCOL_INFOW info;
  int32_t delayed_error; /* WSAE*: what bind put off, or listen */
};

static_assert(sizeof(struct uv__socket_xfer) == 632,
              "the description of a socket is as long as libuv's");

/* Describes the socket for process `pid`: 0 or UV_E*. */
int uv__tcp_xfer_export(uv_tcp_t* tcp, DWORD pid, struct uv__socket_xfer* out);

/* Opens the described socket in a handle that has none: 0 or UV_E*. */
int uv__tcp_xfer_import(uv_tcp_t* tcp,
                        const struct uv__socket_xfer* xfer,
                        int is_connection);

/* Drops a description that nobody accepts. */
void uv__tcp_xfer_discard(const struct uv__socket_xfer* xfer);

#endif /* UV_WIN_TCP_H_ */
