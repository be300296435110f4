/* SPDX-License-Identifier: MIT */
/* uv_poll_t: shared by poll-handle.c, dispatch.c and handle-class.c.
 *
 * Use of the ABI's private fields:
 *   socket              the program's socket
 *   peer_socket         its AFD base; INVALID_SOCKET: it has none
 *   poll_req_N, afd_poll_info_N, submitted_events_N, mask_events_N
 *                       two slots for requests, see poll-handle.c
 *   events              requested events; 0: stopped
 */
#ifndef UV_WIN_POLL_HANDLE_H_
#define UV_WIN_POLL_HANDLE_H_

#include "os/poll-handle.h"
#include "win/overlapped.h"

/* dispatch.c. */
uv__req_fn uv__poll_handle_done; /* UV_POLL_REQ */

/* handle-class.c. */
enum uv__close_result uv__poll_handle_close(uv_handle_t* handle);
int uv__poll_handle_fileno(const uv_handle_t* handle, uv_os_fd_t* fd);

#endif /* UV_WIN_POLL_HANDLE_H_ */
