/* SPDX-License-Identifier: MIT */
/* TCP on Windows: shared by the tcp-* files, dispatch.c and handle-class.c.
 *
 * Use of the ABI's private fields:
 *   delayed_error             deferred error of bind (WSAE*), or 0
 *   serv.accept_reqs          array of a server's accepts; NULL before listen
 *   serv.processed_accepts    number of idle accepts (resources were exhausted)
 *   serv.pending_accepts      connections waiting for uv_accept(), oldest
 *                             first; see UV__TCP_ANNOUNCED
 *   conn.read_buffer          not used as a buffer: see uv__tcp_sends()
 *   read_req.event_handle     (and wait_handle) of the read, and before that of
 *                             the connect; used with UV__TCP_NO_PORT
 *   uv_write_t.coalesced      see tcp-write.c
 */
#ifndef UV_WIN_TCP_H_
#define UV_WIN_TCP_H_

#include "os/tcp.h"
#include "win/event-req.h"
#include "win/stream.h"

/* uv_handle_t.flags. */
enum {
  UV__TCP_CONNECTING = 1u << 27,    /* a connect request is pending */
  UV__TCP_SHARED_SOCKET = 1u << 28, /* or told so: one pending accept */
  UV__TCP_NO_PORT = 1u << 29,       /* attached to another port: use events */
  UV__TCP_ANNOUNCED = 1u << 30      /* connection_cb ran for the oldest */
};

/* dispatch.c. */
uv__req_fn uv__tcp_accept_done;   /* UV_ACCEPT */
uv__req_fn uv__tcp_connect_done;  /* UV_CONNECT */
uv__req_fn uv__tcp_read_done;     /* UV_READ */
uv__req_fn uv__tcp_write_done;    /* UV_WRITE */
uv__req_fn uv__tcp_shutdown_done; /* UV_SHUTDOWN, pended */

/* handle-class.c. */
enum uv__close_result uv__tcp_close(uv_handle_t* handle);
int uv__tcp_fileno(const uv_handle_t* handle, uv_os_fd_t* fd);

/* ---- tcp.c ---- */

/* The origin of a socket decides which checks it needs. */
enum uv__tcp_origin {
  UV__TCP_OURS,   /* from uv__sock_open(): not attached yet */
  UV__TCP_FOREIGN /* may be attached to another port */
};

/* Gives `sock`, of the given address family, to a handle without a socket. On
 * failure the caller keeps it. 0 or UV_E*. */
int uv__tcp_take_socket(uv_tcp_t* tcp,
                        SOCKET sock,
                        int family,
                        enum uv__tcp_origin origin);

/* A request was submitted and counted; `pending` is 0 if it succeeded inside
 * the call. Makes sure that its handler runs. */
void uv__tcp_submitted(uv_tcp_t* tcp,
                       void* request,
                       int pending,
                       struct uv__event_req places);

/* Clears the request's OVERLAPPED for an operation on the handle's socket. 0,
 * or UV_E* if a required event cannot be created. */
int uv__tcp_overlapped(uv_tcp_t* tcp,
                       void* request,
                       struct uv__event_req places,
                       OVERLAPPED** out);

/* Where the stream's own request keeps its event; its connect uses it too. */
static inline struct uv__event_req uv__tcp_read_places(uv_tcp_t* tcp) {
  struct uv__event_req places = { &tcp->read_req.event_handle,
                                  &tcp->read_req.wait_handle };
  return places;
}

/* ---- tcp-accept.c ---- */

int uv__tcp_listen(uv_stream_t* stream, int backlog, uv_connection_cb cb);
int uv__tcp_accept(uv_stream_t* server, uv_stream_t* client);
int uv__tcp_accept_fd(uv_stream_t* server, uv_os_fd_t* fd);
int uv__tcp_reject(uv_stream_t* server);
void uv__tcp_listen_pause(uv_stream_t* server, int is_paused);

/* Closing a server, before its socket is closed: drops queued connections. */
void uv__tcp_accept_close(uv_tcp_t* tcp);

/* No request is outstanding: frees the memory. */
void uv__tcp_accept_release(uv_tcp_t* tcp);

/* ---- tcp-connect.c ---- */

int uv__tcp_cancel_connect(uv_connect_t* req);

/* ---- tcp-read.c ---- */

int uv__tcp_read_start(uv_stream_t* stream);
void uv__tcp_read_stop(uv_stream_t* stream);
ssize_t uv__tcp_try_read(uv_stream_t* stream,
                         const uv_buf_t bufs[],
                         unsigned int nbufs);
int uv__tcp_has_unread(const uv_stream_t* stream);

/* Connected: starts a read that was requested before. */
void uv__tcp_read_arm(uv_tcp_t* tcp);

/* ---- tcp-write.c ---- */

/* State of the writes; stored in conn.read_buffer. */
struct uv__tcp_sends {
  ULONG in_kernel; /* submitted and not completed */
  uv_req_t* last;  /* circular list of queued writes */
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
void uv__tcp_shutdown_after_write(uv_stream_t* stream, uv_shutdown_t* req);

/* Starts queued writes, as far as possible. */
void uv__tcp_write_flush(uv_tcp_t* tcp);

/* Ends the queued writes with UV_ECANCELED. */
void uv__tcp_write_drop(uv_tcp_t* tcp);

/* ---- tcp-opts.c ---- */

/* Sets options requested before the socket existed. 0 or UV_E*. */
int uv__tcp_apply_options(const uv_tcp_t* tcp, SOCKET sock);

/* ---- tcp-xfer.c: sockets passed over ipc pipes ---- */

/* The data sent over the pipe: libuv's layout, see ipc-frame.h. */
struct uv__socket_xfer {
  WSAPROTOCOL_INFOW info;
  int32_t delayed_error; /* WSAE*: deferred error of bind or listen */
};

static_assert(sizeof(struct uv__socket_xfer) == 632,
              "the description of a socket is as long as libuv's");

/* Describes the socket for process `pid`: 0 or UV_E*. */
int uv__tcp_xfer_export(uv_tcp_t* tcp, DWORD pid, struct uv__socket_xfer* out);

/* Opens the described socket in a handle that has none: 0 or UV_E*. */
int uv__tcp_xfer_import(uv_tcp_t* tcp,
                        const struct uv__socket_xfer* xfer,
                        int is_connection);

/* Releases a description that was not accepted. */
void uv__tcp_xfer_discard(const struct uv__socket_xfer* xfer);

#endif /* UV_WIN_TCP_H_ */
