/* SPDX-License-Identifier: MIT */
/* Asking the socket driver (AFD) when a socket is ready for something.
 *
 * The question goes through a socket of the loop's own, its peer, because the
 * answer is reported to the port of the socket that it was asked through.
 */
#ifndef UV_WIN_AFD_H_
#define UV_WIN_AFD_H_

#include "win/overlapped.h"

/* What AFD can be asked for, and answers: AFD_POLL_INFO.Handles[].Events. */
enum uv__afd_event {
  UV__AFD_RECEIVE = 1 << 0,      /* data */
  UV__AFD_URGENT = 1 << 1,       /* data out of band */
  UV__AFD_SEND = 1 << 2,         /* room for data */
  UV__AFD_DISCONNECT = 1 << 3,   /* the peer will send no more */
  UV__AFD_ABORT = 1 << 4,        /* the connection was reset */
  UV__AFD_LOCAL_CLOSE = 1 << 5,  /* the socket was closed here */
  UV__AFD_ACCEPT = 1 << 7,       /* a connection waits */
  UV__AFD_CONNECT_FAIL = 1 << 8  /* connecting failed */
};

/* Of loop.c: the loop's peer is set up, which makes none yet; and given
 * back. */
void uv__afd_init_loop(uv_loop_t* loop);
void uv__afd_close_loop(uv_loop_t* loop);

/* The socket at the bottom of a layered one; only it is known to AFD. 0, or
 * UV_E* if the provider does not have any. */
int uv__afd_base_socket(SOCKET sock, SOCKET* out);

/* Asks once. The answer comes to the loop as `request`, with `info` filled;
 * both must stay until then (R1). 0, or UV_E* if it was refused; counting is
 * the caller's. */
int uv__afd_poll(uv_loop_t* loop,
                 SOCKET base_socket,
                 unsigned int events,
                 AFD_POLL_INFO* info,
                 void* request);

/* Gives the question up; the request still comes. */
void uv__afd_cancel(uv_loop_t* loop, void* request);

/* What the answer says; 0 if it says nothing (given up, or an error). */
unsigned int uv__afd_answer(const AFD_POLL_INFO* info, const void* request);

#endif /* UV_WIN_AFD_H_ */
