/* SPDX-License-Identifier: MIT */
/* Polling sockets through the socket driver (AFD).
 *
 * Requests go through a socket of the loop, its peer, because a completion is
 * posted to the port of the socket that the request went through.
 */
#ifndef UV_WIN_AFD_H_
#define UV_WIN_AFD_H_

#include "win/overlapped.h"

/* Events to poll for and to report: AFD_POLL_INFO.Handles[].Events. */
enum uv__afd_event {
  UV__AFD_RECEIVE = 1 << 0,     /* data */
  UV__AFD_URGENT = 1 << 1,      /* data out of band */
  UV__AFD_SEND = 1 << 2,        /* room for data */
  UV__AFD_DISCONNECT = 1 << 3,  /* the peer will send no more */
  UV__AFD_ABORT = 1 << 4,       /* the connection was reset */
  UV__AFD_LOCAL_CLOSE = 1 << 5, /* the socket was closed here */
  UV__AFD_ACCEPT = 1 << 7,      /* a connection is waiting */
  UV__AFD_CONNECT_FAIL = 1 << 8 /* connecting failed */
};

/* Called by loop.c: initialises the loop's peer, without creating it; closes
 * it. */
void uv__afd_init_loop(uv_loop_t* loop);
void uv__afd_close_loop(uv_loop_t* loop);

/* The base socket of a layered one; AFD knows only that. 0, or UV_E* if the
 * provider has none. */
int uv__afd_base_socket(SOCKET sock, SOCKET* out);

/* Submits one poll. It completes as `request` on the loop, with `info` filled
 * in; both must stay until then (R1). 0, or UV_E* if it was refused; the caller
 * counts the request. */
int uv__afd_poll(uv_loop_t* loop,
                 SOCKET base_socket,
                 unsigned int events,
                 AFD_POLL_INFO* info,
                 void* request);

/* Cancels the poll; the request still completes. */
void uv__afd_cancel(uv_loop_t* loop, void* request);

/* The reported events; 0 if there are none (cancelled, or an error). */
unsigned int uv__afd_result(const AFD_POLL_INFO* info, const void* request);

/* ---- poll-slow.c: sockets without an AFD base ---- */

/* Like uv__afd_poll(), but with a thread that waits in select(). The request's
 * data is its handle. 0 or UV_E*. */
int uv__poll_slow(SOCKET sock,
                  unsigned int events,
                  AFD_POLL_INFO* info,
                  uv_req_t* req);

/* Like uv__afd_cancel(); takes effect at the thread's next timeout. */
void uv__poll_slow_cancel(AFD_POLL_INFO* info);

#endif /* UV_WIN_AFD_H_ */
