/* SPDX-License-Identifier: MIT */
/* Receiving datagrams: shared by udp-recv.c and udp-recv-info.c. */
#ifndef UV_UNIX_UDP_RECV_H_
#define UV_UNIX_UDP_RECV_H_

#include "observe/callback.h"
#include "unix/cmsg.h"
#include "unix/fd.h"
#include "unix/udp.h"

#include <errno.h>

#if UV__HAVE_IP_RECVERR
# include <linux/errqueue.h>
#endif

/* Datagrams per turn, and per call. */
#define UV__UDP_TURN_MAX 32
#define UV__UDP_BATCH_MAX 20
#define UV__UDP_DATAGRAM_MAX (64u * 1024u)

/* Which queue to read; the value is the flag for recvmsg(). Without
 * MSG_ERRQUEUE they are the same. */
enum uv__udp_queue {
  UV__UDP_DATA = 0,
#if UV__HAVE_IP_RECVERR
  UV__UDP_ERRORS = MSG_ERRQUEUE
#else
  UV__UDP_ERRORS = 0
#endif
};

/* The error in a message of the error queue, 0 if it is not a network error;
 * *from is its sender, if known. The error is negative as a 32-bit number, so a
 * wider ssize_t holds a positive one. libuv reports it like that, and its own
 * tests reject a negative nread (udp_send_unreachable). */
#if UV__HAVE_IP_RECVERR
static inline ssize_t uv__udp_network_error(struct msghdr* msg,
                                            const struct sockaddr** from) {
  for (struct cmsghdr* c = CMSG_FIRSTHDR(msg); c != NULL;
       c = uv__cmsg_next(msg, c)) {
    int is_v4 = c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_RECVERR;
    int is_v6 = c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_RECVERR;
    if (!is_v4 && !is_v6)
      continue;
    struct sock_extended_err* ee = (void*) CMSG_DATA(c);
    if (SO_EE_OFFENDER(ee)->sa_family != AF_UNSPEC)
      *from = SO_EE_OFFENDER(ee);
    return (ssize_t) (uint32_t) - (int32_t) ee->ee_errno;
  }
  return 0;
}
#else
static inline ssize_t uv__udp_network_error(struct msghdr* msg,
                                            const struct sockaddr** from) {
  (void) msg;
  (void) from;
  return 0;
}
#endif

/* recvmsg(): the size, or UV_E*. */
static inline ssize_t uv__udp_receive(int fd, struct msghdr* msg, int flags) {
  ssize_t n;

  do
    n = recvmsg(fd, msg, flags);
  while (n == -1 && errno == EINTR);
  return n == -1 ? uv__errno() : n;
}

#if UV__HAVE_MMSG
/* recvmmsg(): how many, or UV_E*. */
static inline int uv__udp_receive_many(int fd,
                                       struct mmsghdr* msgs,
                                       size_t count,
                                       int flags) {
  int n;

  do
    n = recvmmsg(fd, msgs, (unsigned int) count, flags, NULL);
  while (n == -1 && errno == EINTR);
  if (n == 0)
    return UV_EAGAIN;
  return n == -1 ? uv__errno() : n;
}
#endif

/* Asks the program for a buffer. Returns 0 if there is nothing to receive into;
 * a lack of buffers has been reported then. */
static inline int uv__udp_recv_alloc(uv_udp_t* handle, uv_buf_t* buf) {
  buf->base = NULL;
  buf->len = 0;
  uv__call_alloc(uv__base(handle), handle->alloc_cb, UV__UDP_DATAGRAM_MAX, buf);
  /* alloc_cb stopped receiving: the buffer is its own. If it closed the handle,
   * the callback is still there, and returns the buffer with an error. */
  if (handle->recv_cb == NULL)
    return 0;
  if (buf->base != NULL && buf->len != 0)
    return 1;
  uv__call_recv(handle, UV_ENOBUFS, buf, NULL, 0);
  return 0;
}

#endif /* UV_UNIX_UDP_RECV_H_ */
