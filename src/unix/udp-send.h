/* SPDX-License-Identifier: MIT */
/* Sending datagrams: shared by udp-send.c and udp-send-options.c. */
#ifndef UV_UNIX_UDP_SEND_H_
#define UV_UNIX_UDP_SEND_H_

#include "observe/callback.h"
#include "os/addr.h"
#include "unix/fd.h"
#include "unix/udp.h"
#include "util/queue.h"

#include <errno.h>

/* Bytes of a request's address that an IP address may need. */
#define UV__UDP_IP_ADDRESS_MAX 32
static_assert(sizeof(struct sockaddr_in6) <= UV__UDP_IP_ADDRESS_MAX, "it fits");

/* No buffer space now; systems report it with different errors. */
static inline int uv__udp_is_transient(int err) {
  return err == UV_EAGAIN || err == UV_ENOBUFS;
}

static inline ssize_t uv__udp_send_message(int fd, const struct msghdr* msg) {
  ssize_t n;

  do
    n = sendmsg(fd, msg, 0);
  while (n == -1 && errno == EINTR);
  return n == -1 ? uv__errno() : n;
}

/* Sends datagrams from the front of `msgs`. Returns how many, or the error of
 * the first one; their sizes are in msg_len. */
#if UV__HAVE_MMSG
static inline int uv__udp_send_messages(int fd,
                                        struct mmsghdr* msgs,
                                        unsigned int count) {
  int n;

  if (count == 1) {
    ssize_t len = uv__udp_send_message(fd, &msgs[0].msg_hdr);
    if (len < 0)
      return (int) len;
    msgs[0].msg_len = (unsigned int) len;
    return 1;
  }
  do
    n = sendmmsg(fd, msgs, count, 0);
  while (n == -1 && errno == EINTR);
  return n == -1 ? uv__errno() : n;
}
#else
static inline int uv__udp_send_messages(int fd,
                                        struct mmsghdr* msgs,
                                        unsigned int count) {
  unsigned int n;

  for (n = 0; n < count; n++) {
    ssize_t len = uv__udp_send_message(fd, &msgs[n].msg_hdr);
    if (len < 0 && n == 0)
      return (int) len;
    if (len < 0)
      break;
    msgs[n].msg_len = (unsigned int) len;
  }
  return (int) n;
}
#endif

/* Updates the metrics after a call that returned `n`, a count or an error. */
static inline void uv__udp_count_sent(const uv_udp_t* handle,
                                      const struct mmsghdr* msgs,
                                      int n) {
  ssize_t bytes = n;

  if (!uv__is_recorded())
    return;
  if (n > 0)
    bytes = 0;
  for (int i = 0; i < n; i++)
    bytes += (ssize_t) msgs[i].msg_len;
  uv__hook_udp_sent(handle->loop, bytes);
}

static inline uv_udp_send_t* uv__udp_req_at(struct uv__queue* q) {
  return container_of(q, uv_udp_send_t, queue);
}

/* The datagram of a queued request. */
static inline struct uv__datagram uv__udp_datagram_of(uv_udp_send_t* req) {
  struct uv__datagram d = { .bufs = req->bufs,
                            .nbufs = req->nbufs,
                            .size = *uv__udp_queued_size(req) };

  if (req->u.addr.sa_family != AF_UNSPEC) {
    d.to.addr = &req->u.addr;
    d.to.len = uv__addr_len(d.to.addr);
  }
  return d;
}

/* For a queue that udp-send.c does not send itself: */

/* Queues the datagram. */
int uv__udp_send_enqueue(uv_udp_send_t* req, const struct uv__datagram* d);

/* Registers a request whose result is known already; its callback is due. */
void uv__udp_send_settle(uv_udp_send_t* req, size_t size, int status);

/* The first of the queue has been sent, or has failed. */
void uv__udp_complete_first(uv_udp_t* handle, int status);

/* As uv__udp_send_ready(). `flush` sends the queue and returns whether a
 * request completed; it runs no callbacks. */
void uv__udp_send_ready_with(uv_udp_t* handle, int (*flush)(uv_udp_t* handle));

#endif /* UV_UNIX_UDP_SEND_H_ */
