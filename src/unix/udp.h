/* SPDX-License-Identifier: MIT */
/* UDP on unix: shared declarations of the udp-*.c files. */
#ifndef UV_UNIX_UDP_H_
#define UV_UNIX_UDP_H_

#include "os/udp.h"
#include "unix/io.h"
#include "unix/os.h"

#include <sys/socket.h>

/* Flags of this platform, in bits that libuv leaves free (handle.h). */
enum {
  UV__UDP_GSO = 1u << 27,    /* the kernel splits GSO batches (udp-gso.c) */
  UV__UDP_NO_GSO = 1u << 28, /* it does not, or refused one */
  UV__UDP_NOT_IP = 1u << 29, /* datagrams may be larger than 64 KiB */
  UV__UDP_INFO = 1u << 30    /* udp-recv-info.c receives */
};

#if !UV__HAVE_MMSG
struct mmsghdr {
  struct msghdr msg_hdr;
  unsigned int msg_len;
};
#endif

static inline int uv__udp_fd(const uv_udp_t* handle) {
  return handle->io_watcher.fd;
}

/* Creates the socket of the handle, bound to the wildcard address of the
 * domain. `flags` as for uv_udp_bind(). UV_EINVAL if UDP has no such domain. */
int uv__udp_make_bound(uv_udp_t* handle, int domain, unsigned flags);

/* Ensures that there is a socket to send or receive with. An existing one is
 * not bound here: the program may have bound it (bind(2), sendto(2)), or may
 * still do so with uv_udp_bind(). The kernel binds it on the first send. */
static inline int uv__udp_ensure_socket(uv_udp_t* handle, int domain) {
  if (uv__udp_fd(handle) >= 0)
    return 0;
  return uv__udp_make_bound(handle, domain, 0);
}

/* Reads and reports what has arrived (udp-recv.c). */
void uv__udp_recv_ready(uv_udp_t* handle, unsigned events);

/* The same for a handle with UV__UDP_INFO (udp-recv-info.c). */
void uv__udp_recv_ready_info(uv_udp_t* handle, unsigned events);

/* Sends queued datagrams and runs the callbacks of completed ones
 * (udp-send.c). */
void uv__udp_send_ready(uv_udp_t* handle);

/* The same for a queue in which datagrams may have options
 * (udp-send-options.c). */
void uv__udp_send_ready_options(uv_udp_t* handle);

/* What a queued datagram counts for in send_queue_size: its bytes. */
static inline size_t* uv__udp_queued_size(uv_udp_send_t* req) {
  return (size_t*) &req->reserved[0];
}

/* Sends datagrams as one message (udp-gso.c): from the front of `msgs`,
 * with their sizes in msg_len, or from the front of write_queue. Returns how
 * many, 0 if they must be sent one by one, or UV_E*, where none was sent. */
#if UV__HAVE_UDP_SEGMENT
int uv__udp_gso_send(uv_udp_t* handle,
                     const struct mmsghdr* msgs,
                     unsigned int count);
int uv__udp_gso_send_queued(uv_udp_t* handle);
#else
static inline int uv__udp_gso_send_queued(uv_udp_t* handle) {
  (void) handle;
  return 0;
}

static inline int uv__udp_gso_send(uv_udp_t* handle,
                                   const struct mmsghdr* msgs,
                                   unsigned int count) {
  (void) handle;
  (void) msgs;
  (void) count;
  return 0;
}
#endif

/* Ends all queued requests with UV_ECANCELED and runs their callbacks. */
void uv__udp_cancel_sends(uv_udp_t* handle);

/* io.c and handle-class.c. */
void uv__udp_io(uv_loop_t* loop, uv__io_t* w, unsigned events);
void uv__udp_options_io(uv_loop_t* loop, uv__io_t* w, unsigned events);
enum uv__close_result uv__udp_close(uv_handle_t* handle);
enum uv__finish_result uv__udp_finish(uv_handle_t* handle);
int uv__udp_fileno(const uv_handle_t* handle, uv_os_fd_t* fd);

#endif /* UV_UNIX_UDP_H_ */
