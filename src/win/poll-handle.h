/* SPDX-License-Identifier: MIT */
/* uv_poll_t: what dispatch, the loop, the handle table and its two ways of
 * waiting see.
 *
 * Roles of the ABI's private fields:
 *   socket              the program's
 *   peer_socket         what AFD knows it by; INVALID_SOCKET: it does not
 *   poll_req_N, afd_poll_info_N, submitted_events_N, mask_events_N
 *                       two slots for questions, see poll-handle.c
 *   events              what the program wants to hear of; 0: stopped
 */
#ifndef UV_WIN_POLL_HANDLE_H_
#define UV_WIN_POLL_HANDLE_H_

#include "os/poll-handle.h"
#include "win/overlapped.h"

/* dispatch.c. */
uv__req_fn uv__poll_handle_done; /* UV_POLL_REQ */

/* handle-class.c. */
enum uv__close_answer uv__poll_handle_close(uv_handle_t* handle);
int uv__poll_handle_fileno(const uv_handle_t* handle, uv_os_fd_t* fd);

/* ---- poll-slow.c: sockets that AFD does not know ---- */

/* As uv__afd_poll(), but with a thread that waits in select(). The handle is
 * the request's. 0 or UV_E*. */
int uv__poll_slow(SOCKET sock,
                  unsigned int events,
                  AFD_POLL_INFO* info,
                  uv_req_t* req);

/* As uv__afd_cancel(); the thread notices within a moment. */
void uv__poll_slow_cancel(AFD_POLL_INFO* info);

#endif /* UV_WIN_POLL_HANDLE_H_ */
