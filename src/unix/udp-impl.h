/* SPDX-License-Identifier: MIT */
/* UDP on unix: what its files share. */
#ifndef UV_UNIX_UDP_IMPL_H_
#define UV_UNIX_UDP_IMPL_H_

#include "udp.h"
#include "unix/io.h"

#include <sys/socket.h>

static inline int uv__udp_fd(const uv_udp_t* handle) {
  return handle->io_watcher.fd;
}

/* Makes sure that the handle has a local address: any, if none was bound. */
int uv__udp_bind_any(uv_udp_t* handle, int domain);
static inline int uv__udp_ensure_bound(uv_udp_t* handle, int domain) {
  if (handle->flags & (UV__BOUND | UV__UDP_CONNECTED))
    return 0;
  return uv__udp_bind_any(handle, domain);
}

/* Reads and reports what has arrived (udp-recv.c). */
void uv__udp_recv_ready(uv_udp_t* handle, unsigned events);

/* A send failed with an error that the network had sent back: takes it off the
 * error queue, so that it is not reported twice. */
void uv__udp_drop_error(uv_udp_t* handle);

/* Sends what is queued and runs finished callbacks (udp-send.c). */
void uv__udp_send_ready(uv_udp_t* handle);

/* Sends what is queued, as far as it goes without waiting; no callbacks. */
void uv__udp_flush(uv_udp_t* handle);

/* Finishes everything that is queued with UV_ECANCELED and runs callbacks. */
void uv__udp_cancel_sends(uv_udp_t* handle);

/* dispatch.c and handle-class.c. */
void uv__udp_io(uv_loop_t* loop, uv__io_t* w, unsigned events);
enum uv__close_answer uv__udp_close(uv_handle_t* handle);
enum uv__finish_answer uv__udp_finish(uv_handle_t* handle);
int uv__udp_fileno(const uv_handle_t* handle, uv_os_fd_t* fd);

#endif /* UV_UNIX_UDP_IMPL_H_ */
