/* SPDX-License-Identifier: MIT */
/* Several datagrams as one message that the kernel cuts apart: UDP_SEGMENT.
 *
 * A train is the longest sequence of datagrams to one address that have the
 * same size; the last one may be shorter. It passes through the network stack
 * once. The receiver sees the same datagrams.
 *
 * The kernel is asked once per handle whether it knows the option, because old
 * kernels and other kinds of sockets ignore it and would send one large
 * datagram. A train is not used where its result differs from that of single
 * datagrams: for connected sockets (the answer of a closed port makes the next
 * send fail) and with UV_UDP_LINUX_RECVERR (each datagram gets its own answer).
 *
 * Failure: a size above the path's MTU, or a device that cannot do checksums,
 * is refused as a whole. The handle sends no more trains then.
 */
#include "unix/udp.h"
#include "unix/fd.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/uio.h>

#ifndef SOL_UDP
# define SOL_UDP IPPROTO_UDP
#endif
#ifndef UDP_SEGMENT
# define UDP_SEGMENT 103
#endif

/* The kernel's limits are 64 (128 since 6.9) and 65507. */
#define TRAIN_MAX 64
#define TRAIN_BYTES_MAX 60000

struct train {
  struct iovec iov[TRAIN_MAX];
  size_t niov;
  unsigned int count; /* datagrams */
  size_t bytes;
};

static int has_option(int fd) {
  int value;
  socklen_t len = sizeof(value);

  return getsockopt(fd, SOL_UDP, UDP_SEGMENT, &value, &len) == 0;
}

static int can_send_trains(uv_udp_t* handle) {
  if (handle->flags & (UV__UDP_NO_TRAINS | UV__UDP_CONNECTED))
    return 0;
  if (!(handle->flags & UV__UDP_TRAINS))
    handle->flags |=
        has_option(uv__udp_fd(handle)) ? UV__UDP_TRAINS : UV__UDP_NO_TRAINS;
  return (handle->flags & UV__UDP_TRAINS) != 0;
}

/* Others than UDP sockets may have other addresses; datagrams to a group take
 * their own way. */
static int is_unicast(const struct sockaddr* addr) {
  if (addr == NULL)
    return 0;
  if (addr->sa_family == AF_INET) {
    const struct sockaddr_in* in = (const struct sockaddr_in*) addr;
    uint32_t ip = ntohl(in->sin_addr.s_addr);
    return !IN_MULTICAST(ip) && ip != INADDR_BROADCAST;
  }
  if (addr->sa_family == AF_INET6) {
    const struct sockaddr_in6* in6 = (const struct sockaddr_in6*) addr;
    return !IN6_IS_ADDR_MULTICAST(&in6->sin6_addr);
  }
  return 0;
}

/* `a` is an address of UDP. */
static int has_same_address(const struct msghdr* a, const struct msghdr* b) {
  const struct sockaddr_in* in_a = a->msg_name;
  const struct sockaddr_in* in_b = b->msg_name;

  if (a->msg_namelen != b->msg_namelen)
    return 0;
  if (in_a->sin_family != AF_INET)
    return memcmp(in_a, in_b, a->msg_namelen) == 0;
  return in_a->sin_port == in_b->sin_port &&
         in_a->sin_addr.s_addr == in_b->sin_addr.s_addr;
}

static int has_room(const struct train* train,
                    const struct msghdr* msg,
                    size_t size) {
  return train->niov + (size_t) msg->msg_iovlen <= TRAIN_MAX &&
         train->bytes + size <= TRAIN_BYTES_MAX;
}

static void add_datagram(struct train* train,
                         const struct msghdr* msg,
                         size_t size) {
  memcpy(&train->iov[train->niov], msg->msg_iov,
         (size_t) msg->msg_iovlen * sizeof(train->iov[0]));
  train->niov += (size_t) msg->msg_iovlen;
  train->bytes += size;
  train->count++;
}

/* Collects the train at the front of `msgs`. Returns the size of its
 * datagrams. */
static size_t collect_train(struct train* train,
                            const struct mmsghdr* msgs,
                            unsigned int count) {
  const struct msghdr* first = &msgs[0].msg_hdr;
  size_t segment = msgs[0].msg_len;
  size_t size = segment;

  train->niov = 0;
  train->count = 0;
  train->bytes = 0;
  for (unsigned int i = 0; i < count && size == segment; i++) {
    const struct msghdr* msg = &msgs[i].msg_hdr;
    size = msgs[i].msg_len;
    if (size == 0 || size > segment || !has_same_address(first, msg) ||
        !has_room(train, msg, size))
      break;
    add_datagram(train, msg, size);
  }
  return segment;
}

static int send_train(int fd, const struct train* train, struct msghdr* msg) {
  ssize_t n;

  msg->msg_iov = (struct iovec*) train->iov;
  msg->msg_iovlen = train->niov;
  do
    n = sendmsg(fd, msg, 0);
  while (n == -1 && errno == EINTR);
  return n == -1 ? uv__errno() : (int) train->count;
}

static int is_refusal(int err) {
  return err == UV_EINVAL || err == UV_EIO || err == UV_EMSGSIZE ||
         err == UV_ENOTSUP;
}

int uv__udp_send_train(uv_udp_t* handle,
                       struct mmsghdr* msgs,
                       unsigned int count) {
  union {
    struct cmsghdr header; /* for its alignment */
    char room[CMSG_SPACE(sizeof(uint16_t))];
  } control;
  struct train train;

  if (!is_unicast(msgs[0].msg_hdr.msg_name) || !can_send_trains(handle))
    return 0;
  uint16_t segment = (uint16_t) collect_train(&train, msgs, count);
  if (train.count < 2)
    return 0;

  struct msghdr msg = msgs[0].msg_hdr;
  memset(&control, 0, sizeof(control));
  msg.msg_control = &control;
  msg.msg_controllen = sizeof(control);
  control.header.cmsg_level = SOL_UDP;
  control.header.cmsg_type = UDP_SEGMENT;
  control.header.cmsg_len = CMSG_LEN(sizeof(segment));
  memcpy(CMSG_DATA(&control.header), &segment, sizeof(segment));

  int n = send_train(uv__udp_fd(handle), &train, &msg);
  if (n >= 0 || !is_refusal(n))
    return n;
  handle->flags |= UV__UDP_NO_TRAINS;
  return 0;
}
