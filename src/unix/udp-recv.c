/* SPDX-License-Identifier: MIT */
/* Receiving datagrams, one at a time or in batches (recvmmsg), and the network
 * errors that Linux keeps in a separate error queue.
 *
 * Receiving stops when the queue is empty, which is reported as nread 0 without
 * an address; when the callback stops or closes the handle; or after
 * UV__UDP_TURN_MAX datagrams, so that one socket cannot hold up the loop. An
 * error event reads twice: first the datagrams, where the kernel reports the
 * latest error once, then the error queue.
 */
#include "unix/udp-recv.h"
#include "unix/iovec.h"

#include <limits.h>

/* Address and control data that come with a datagram. */
struct arrival {
  struct sockaddr_storage peer;
#if UV__HAVE_IP_RECVERR
  /* The error and the address of the host that sent it. */
  union {
    struct cmsghdr header; /* for its alignment */
    char room[CMSG_SPACE(sizeof(struct sock_extended_err) +
                         sizeof(struct sockaddr_in6))];
  } control;
#endif
};

/* With UV__UDP_INFO, udp-recv-info.c receives. */
static int still_receiving(const uv_udp_t* handle) {
  return (handle->flags & (UV__READING | UV__UDP_INFO)) == UV__READING;
}

#if UV__HAVE_IP_RECVERR
/* Makes room for control data. recvmsg() overwrites the length, so this runs
 * before each call. */
static void set_control(struct msghdr* msg, struct arrival* arrival) {
  msg->msg_control = &arrival->control;
  msg->msg_controllen = sizeof(arrival->control);
}
#else
static void set_control(struct msghdr* msg, struct arrival* arrival) {
  (void) msg;
  (void) arrival;
}
#endif

static void fill_header(struct msghdr* msg,
                        struct arrival* arrival,
                        struct iovec* iov,
                        enum uv__udp_queue queue) {
  arrival->peer.ss_family = AF_UNSPEC;
  *msg = (struct msghdr) {
    .msg_name = &arrival->peer,
    .msg_namelen = sizeof(arrival->peer),
    .msg_iov = iov,
    .msg_iovlen = 1,
  };
  if (queue != UV__UDP_DATA)
    set_control(msg, arrival);
}

/* Passes one message to the program; `flags` says who owns the buffer. */
static void udp_recv_report(uv_udp_t* handle,
                            enum uv__udp_queue queue,
                            struct msghdr* msg,
                            ssize_t nread,
                            const uv_buf_t* buf,
                            unsigned flags) {
  const struct sockaddr* from = msg->msg_name;

  if (msg->msg_flags & MSG_TRUNC)
    flags |= UV_UDP_PARTIAL;
  if (queue != UV__UDP_DATA) {
    nread = uv__udp_network_error(msg, &from);
    flags |= UV_UDP_LINUX_RECVERR;
  }
  uv__call_recv(handle, nread, buf, from, flags);
}

/* As uv__udp_receive(), with recvfrom(), which takes 4 % less time but does not
 * tell whether a datagram was truncated. Needs room for any datagram. */
static ssize_t receive_whole(int fd, struct msghdr* msg) {
  const struct iovec* iov = msg->msg_iov;
  ssize_t n;

  msg->msg_flags = 0;
  do
    n = recvfrom(fd, iov->iov_base, iov->iov_len, 0, msg->msg_name,
                 &msg->msg_namelen);
  while (n == -1 && errno == EINTR);
  return n == -1 ? uv__errno() : n;
}

static int has_room_for_any(const uv_udp_t* handle, const uv_buf_t* buf) {
  return buf->len >= UV__UDP_DATAGRAM_MAX && !(handle->flags & UV__UDP_NOT_IP);
}

#if UV__HAVE_MMSG
/* The buffer is split into chunks, each large enough for any datagram. The last
 * callback returns it to the program; one that stops receiving earlier already
 * owns it again. */
static int recv_batch(uv_udp_t* handle,
                      enum uv__udp_queue queue,
                      uv_buf_t* buf) {
  struct arrival arrivals[UV__UDP_BATCH_MAX];
  struct iovec iov[UV__UDP_BATCH_MAX];
  struct mmsghdr msgs[UV__UDP_BATCH_MAX];
  size_t chunks =
      uv__min_size(buf->len / UV__UDP_DATAGRAM_MAX, UV__UDP_BATCH_MAX);

  for (size_t i = 0; i < chunks; i++) {
    iov[i].iov_base = buf->base + i * UV__UDP_DATAGRAM_MAX;
    iov[i].iov_len = UV__UDP_DATAGRAM_MAX;
    fill_header(&msgs[i].msg_hdr, &arrivals[i], &iov[i], queue);
  }

  int n = uv__udp_receive_many(uv__udp_fd(handle), msgs, chunks, queue);
  if (n < 0) {
    uv__call_recv(handle, n == UV_EAGAIN ? 0 : n, buf, NULL, 0);
    return 0;
  }
  /* A closed handle keeps its callback and gets the whole batch. */
  for (int i = 0; i < n && handle->recv_cb != NULL; i++) {
    uv_buf_t chunk = uv_buf_init(iov[i].iov_base, UV__UDP_DATAGRAM_MAX);
    udp_recv_report(handle, queue, &msgs[i].msg_hdr, msgs[i].msg_len, &chunk,
                    UV_UDP_MMSG_CHUNK);
  }
  if (handle->recv_cb != NULL)
    uv__call_recv(handle, 0, buf, NULL, UV_UDP_MMSG_FREE);
  return n;
}
#endif

/* One header serves the whole turn: a call changes only the lengths and flags
 * in it. Always inlined, because `queue` is a constant. */
UV__INLINE void recv_singles(uv_udp_t* handle, enum uv__udp_queue queue) {
  struct arrival arrival;
  struct msghdr msg;
  uv_buf_t buf = uv_buf_init(NULL, 0); /* set by the program */

  fill_header(&msg, &arrival, uv__iovec(&buf), queue);
  for (int left = UV__UDP_TURN_MAX; left > 0 && still_receiving(handle);
       left--) {
    if (!uv__udp_recv_alloc(handle, &buf))
      return;
    arrival.peer.ss_family = AF_UNSPEC;
    msg.msg_namelen = sizeof(arrival.peer);
    if (queue != UV__UDP_DATA)
      set_control(&msg, &arrival);
    int fd = uv__udp_fd(handle);
    ssize_t n = queue == UV__UDP_DATA && has_room_for_any(handle, &buf)
                    ? receive_whole(fd, &msg)
                    : uv__udp_receive(fd, &msg, queue);
    if (n < 0) {
      uv__call_recv(handle, n == UV_EAGAIN ? 0 : n, &buf, NULL, 0);
      return;
    }
    udp_recv_report(handle, queue, &msg, n, &buf, 0);
  }
}

#if UV__HAVE_MMSG
UV__NOINLINE static void recv_batches(uv_udp_t* handle,
                                      enum uv__udp_queue queue) {
  for (int left = UV__UDP_TURN_MAX; left > 0 && still_receiving(handle);) {
    uv_buf_t buf;
    if (!uv__udp_recv_alloc(handle, &buf))
      return;
    if (buf.len < UV__UDP_DATAGRAM_MAX) {
      /* Not even one chunk fits: report it, once per event. */
      uv__call_recv(handle, UV_EINVAL, &buf, NULL, 0);
      return;
    }
    int n = recv_batch(handle, queue, &buf);
    if (n == 0)
      return;
    left -= n;
  }
}
#else
static void recv_batches(uv_udp_t* handle, enum uv__udp_queue queue) {
  recv_singles(handle, queue);
}
#endif

UV__INLINE void recv_turn(uv_udp_t* handle, enum uv__udp_queue queue) {
  if (handle->flags & UV__UDP_RECVMMSG)
    recv_batches(handle, queue);
  else
    recv_singles(handle, queue);
}

/* Out of line: errors are rare. */
UV__NOINLINE static void recv_errors(uv_udp_t* handle) {
  recv_turn(handle, UV__UDP_ERRORS);
}

void uv__udp_recv_ready(uv_udp_t* handle, unsigned events) {
  recv_turn(handle, UV__UDP_DATA);
  if ((events & POLLERR) && UV__UDP_ERRORS != 0)
    recv_errors(handle);
}

int uv__udp_os_recv_start(uv_udp_t* handle) {
  int err = uv__udp_ensure_socket(handle, AF_INET);

  if (err == 0)
    uv__io_start(handle->loop, &handle->io_watcher, POLLIN);
  return err;
}

void uv__udp_os_recv_stop(uv_udp_t* handle) {
  uv__io_stop(handle->loop, &handle->io_watcher, POLLIN);
}
