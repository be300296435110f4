/* SPDX-License-Identifier: MIT */
/* UDP on Windows: shared by the udp-* files, dispatch.c and handle-class.c.
 *
 * Use of the ABI's private fields:
 *   reqs_pending      outstanding sends and the receive (R2)
 *   activecnt         number of sends in the kernel
 *   recv_req          AFD poll for incoming datagrams; UV__READ_PENDING
 *   recv_buffer.base  the AFD base socket, see uv__udp_base(); INVALID_SOCKET:
 *                     it has none
 *   recv_from         the AFD poll info, see uv__udp_poll_info()
 *   func_wsarecv      the address of WSARecvMsg(), with UV__UDP_INFO
 *   u.reserved[3]     the mask of uvx_udp_set_recv_info(), likewise
 */
#ifndef UV_WIN_UDP_H_
#define UV_WIN_UDP_H_

#include "os/udp.h"
#include "win/stream.h" /* UV__SKIP_PORT */

/* uv_handle_t.flags. */
enum {
  UV__UDP_INFO = 1u << 27,   /* udp-recv-info.c receives */
  UV__UDP_NO_PORT = 1u << 28 /* attached to another port: sends never wait */
};

/* dispatch.c. */
uv__req_fn uv__udp_recv_done; /* UV_UDP_RECV */
uv__req_fn uv__udp_send_done; /* UV_UDP_SEND */

/* handle-class.c. */
enum uv__close_result uv__udp_close(uv_handle_t* handle);
int uv__udp_fileno(const uv_handle_t* handle, uv_os_fd_t* fd);

/* The AFD base socket. */
static inline SOCKET uv__udp_base(const uv_udp_t* handle) {
  return (SOCKET) handle->recv_buffer.base;
}

static inline AFD_POLL_INFO* uv__udp_poll_info(uv_udp_t* handle) {
  return (AFD_POLL_INFO*) (void*) &handle->recv_from;
}

/* Makes sure that the handle has a local address: the "any" address if it was
 * not bound. 0 or UV_E*. udp.c. */
int uv__udp_ensure_bound(uv_udp_t* handle, int domain);

/* Closing: cancels the AFD poll. Returns whether the socket may be closed now;
 * otherwise uv__udp_recv_done() calls uv__udp_close_socket(). udp-recv.c. */
int uv__udp_recv_cancel(uv_udp_t* handle);

/* Datagrams per turn, and the largest. */
#define UV__UDP_TURN_MAX 32
#define UV__UDP_DATAGRAM_MAX (64u * 1024u)

/* Does it receive, and is the AFD poll not pending? */
static inline int uv__udp_is_receiving(const uv_udp_t* handle) {
  return (handle->flags & (UV__READING | UV__READ_PENDING)) == UV__READING;
}

/* Not about receiving: an earlier datagram was undeliverable. */
static inline int uv__udp_is_undelivered(DWORD sys_error) {
  return sys_error == WSAECONNRESET || sys_error == WSAENETRESET;
}

/* Asks the program for a buffer. Returns 0 if there is nothing to receive into,
 * or alloc_cb stopped that; a lack of buffers has been reported then. */
int uv__udp_recv_alloc(uv_udp_t* handle, uv_buf_t* buf);

/* Receives and reports one datagram with what the system tells of it. Returns
 * whether to continue. udp-recv-info.c. */
int uv__udp_recv_one_info(uv_udp_t* handle);

/* udp.c. */
void uv__udp_close_socket(uv_udp_t* handle);

#endif /* UV_WIN_UDP_H_ */
