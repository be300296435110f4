/* SPDX-License-Identifier: MIT */
/* Receiving datagrams: one at a time, in batches (recvmmsg), and the errors the
 * network sends back (Linux' error queue).
 *
 * A turn ends when the socket is empty, which is reported as nread 0 without an
 * address, when the callback stops or closes the handle, or after TURN_MAX
 * datagrams, so that one socket cannot hold up the loop.
 */
#include "unix/udp-impl.h"
#include "unix/fd.h"
#include "unix/os.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/uio.h>

#if UV__HAVE_IP_RECVERR
# include <linux/errqueue.h>
#endif

#define TURN_MAX 32
#define DATAGRAM_MAX (64u * 1024u)
#define BATCH_MAX 20

static int still_receiving(const uv_udp_t* handle) {
  return (handle->flags & UV__READING) && uv__udp_fd(handle) >= 0;
}

static ssize_t receive_one(int fd, struct msghdr* msg, int flags) {
  ssize_t n;

  do
    n = recvmsg(fd, msg, flags);
  while (n == -1 && errno == EINTR);
  return n == -1 ? uv__errno() : n;
}

/* The number of datagrams reported, 0 when the turn is over. */
static int recv_single(uv_udp_t* handle, uv_buf_t* buf) {
  struct sockaddr_storage peer;
  struct iovec iov = { buf->base, buf->len };
  struct msghdr msg;

  memset(&msg, 0, sizeof(msg));
  peer.ss_family = AF_UNSPEC;
  msg.msg_name = &peer;
  msg.msg_namelen = sizeof(peer);
  msg.msg_iov = &iov;
  msg.msg_iovlen = 1;

  ssize_t n = receive_one(uv__udp_fd(handle), &msg, 0);
  if (n < 0) {
    handle->recv_cb(handle, n == UV_EAGAIN ? 0 : n, buf, NULL, 0);
    return 0;
  }
  unsigned flags = msg.msg_flags & MSG_TRUNC ? UV_UDP_PARTIAL : 0;
  handle->recv_cb(handle, n, buf, (struct sockaddr*) &peer, flags);
  return 1;
}

#if UV__HAVE_MMSG
/* The buffer is cut into chunks, each large enough for any datagram. It stays
 * with the batch until the one callback that gives it back. */
static int recv_batch(uv_udp_t* handle, uv_buf_t* buf) {
  struct sockaddr_storage peers[BATCH_MAX];
  struct iovec iov[BATCH_MAX];
  struct mmsghdr msgs[BATCH_MAX];
  uv_udp_recv_cb recv_cb = handle->recv_cb;
  size_t chunks = buf->len / DATAGRAM_MAX;
  int n;

  if (chunks > BATCH_MAX)
    chunks = BATCH_MAX;
  memset(msgs, 0, chunks * sizeof(msgs[0]));
  for (size_t i = 0; i < chunks; i++) {
    iov[i].iov_base = buf->base + i * DATAGRAM_MAX;
    iov[i].iov_len = DATAGRAM_MAX;
    msgs[i].msg_hdr.msg_iov = &iov[i];
    msgs[i].msg_hdr.msg_iovlen = 1;
    msgs[i].msg_hdr.msg_name = &peers[i];
    msgs[i].msg_hdr.msg_namelen = sizeof(peers[i]);
  }

  do
    n = recvmmsg(uv__udp_fd(handle), msgs, (unsigned int) chunks, 0, NULL);
  while (n == -1 && errno == EINTR);
  if (n < 1) {
    int err = n == 0 || errno == EAGAIN ? 0 : uv__errno();
    recv_cb(handle, err, buf, NULL, 0);
    return 0;
  }

  for (int i = 0; i < n && still_receiving(handle); i++) {
    unsigned flags = UV_UDP_MMSG_CHUNK;
    if (msgs[i].msg_hdr.msg_flags & MSG_TRUNC)
      flags |= UV_UDP_PARTIAL;
    uv_buf_t chunk = uv_buf_init(iov[i].iov_base, DATAGRAM_MAX);
    handle->recv_cb(handle, msgs[i].msg_len, &chunk,
                    (struct sockaddr*) &peers[i], flags);
  }
  recv_cb(handle, 0, buf, NULL, UV_UDP_MMSG_FREE);
  return n;
}
#else
static int recv_batch(uv_udp_t* handle, uv_buf_t* buf) {
  return recv_single(handle, buf);
}
#endif

static int recv_some(uv_udp_t* handle) {
  uv_buf_t buf = { .base = NULL, .len = 0 };

  handle->alloc_cb(uv__base(handle), DATAGRAM_MAX, &buf);
  if (buf.base == NULL || buf.len == 0) {
    handle->recv_cb(handle, UV_ENOBUFS, &buf, NULL, 0);
    return 0;
  }
  if (!(handle->flags & UV__UDP_RECVMMSG))
    return recv_single(handle, &buf);
  if (buf.len < DATAGRAM_MAX) {
    /* Not one chunk fits: the program must hear of it, once per turn. */
    handle->recv_cb(handle, UV_EINVAL, &buf, NULL, 0);
    return 0;
  }
  return recv_batch(handle, &buf);
}

#if UV__HAVE_IP_RECVERR
static int icmp_error(struct msghdr* msg) {
  for (struct cmsghdr* c = CMSG_FIRSTHDR(msg); c != NULL;
       c = CMSG_NXTHDR(msg, c)) {
    int is_v4 = c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_RECVERR;
    int is_v6 = c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_RECVERR;
    struct sock_extended_err ee;
    if (!is_v4 && !is_v6)
      continue;
    memcpy(&ee, CMSG_DATA(c), sizeof(ee));
    return -(int) ee.ee_errno;
  }
  return 0;
}

/* The next error (0: not from the network) with the address that the datagram
 * was meant for, or UV_EAGAIN. */
static int take_error(const uv_udp_t* handle, struct sockaddr_storage* peer) {
  char control[512];
  char data[1];
  struct iovec iov = { data, sizeof(data) };
  struct msghdr msg;

  memset(&msg, 0, sizeof(msg));
  peer->ss_family = AF_UNSPEC;
  msg.msg_name = peer;
  msg.msg_namelen = sizeof(*peer);
  msg.msg_iov = &iov;
  msg.msg_iovlen = 1;
  msg.msg_control = control;
  msg.msg_controllen = sizeof(control);
  if (receive_one(uv__udp_fd(handle), &msg, MSG_ERRQUEUE) < 0)
    return UV_EAGAIN;
  return icmp_error(&msg);
}

void uv__udp_drop_error(uv_udp_t* handle) {
  struct sockaddr_storage peer;

  if (handle->flags & UV__UDP_RECVERR)
    (void) take_error(handle, &peer); /* none is fine: a local error */
}

static void recv_errors(uv_udp_t* handle) {
  for (int i = 0; i < TURN_MAX && still_receiving(handle); i++) {
    struct sockaddr_storage peer;
    uv_buf_t none = uv_buf_init(NULL, 0);
    int err = take_error(handle, &peer);

    if (err == UV_EAGAIN)
      return;
    if (err != 0)
      handle->recv_cb(handle, err, &none, (struct sockaddr*) &peer, 0);
  }
}
#else
void uv__udp_drop_error(uv_udp_t* handle) {
  (void) handle;
}

static void recv_errors(uv_udp_t* handle) {
  (void) handle;
}
#endif

void uv__udp_recv_ready(uv_udp_t* handle, unsigned events) {
  if ((events & POLLERR) && (handle->flags & UV__UDP_RECVERR)) {
    recv_errors(handle);
    if (!(events & POLLIN))
      return;
  }
  for (int left = TURN_MAX; left > 0 && still_receiving(handle);) {
    int n = recv_some(handle);
    if (n == 0)
      return;
    left -= n;
  }
}

int uv__udp_os_recv_start(uv_udp_t* handle) {
  int err = uv__udp_ensure_bound(handle, AF_INET);

  if (err == 0)
    uv__io_start(handle->loop, &handle->io_watcher, POLLIN);
  return err;
}

void uv__udp_os_recv_stop(uv_udp_t* handle) {
  uv__io_stop(handle->loop, &handle->io_watcher, POLLIN);
}
