/* SPDX-License-Identifier: MIT */
/* Several datagrams as one message that the kernel cuts apart: UDP_SEGMENT.
 *
 * A GSO batch is the longest sequence of datagrams to one address that have the
 * same size; the last one may be shorter. It passes through the network stack
 * once. The receiver sees the same datagrams.
 *
 * The kernel is asked once per handle whether it knows the option, because old
 * kernels and other kinds of sockets ignore it and would send one large
 * datagram. A GSO batch is not used where its result differs from that of
 * single datagrams: for connected sockets (the answer of a closed port makes
 * the next send fail) and with UV_UDP_LINUX_RECVERR (one answer for each).
 *
 * Failure: a size above the path's MTU, or a device that cannot do checksums,
 * is refused as a whole. The handle sends no more GSO batches then.
 */
#include "unix/udp.h"
#include "unix/fd.h"
#include "util/queue.h"

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
#define BATCH_MAX 64
#define BATCH_BYTES_MAX 60000

struct gso_batch {
  const struct sockaddr* to;
  size_t segment;     /* size of its datagrams; the last may be shorter */
  unsigned int count; /* datagrams */
  size_t niov;
  size_t bytes;
  struct iovec iov[BATCH_MAX];
};

static int has_option(int fd) {
  int value;
  socklen_t len = sizeof(value);

  return getsockopt(fd, SOL_UDP, UDP_SEGMENT, &value, &len) == 0;
}

static int can_use_gso(uv_udp_t* handle) {
  if (handle->flags & (UV__UDP_NO_GSO | UV__UDP_CONNECTED))
    return 0;
  if (!(handle->flags & UV__UDP_GSO))
    handle->flags |=
        has_option(uv__udp_fd(handle)) ? UV__UDP_GSO : UV__UDP_NO_GSO;
  return (handle->flags & UV__UDP_GSO) != 0;
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

/* `a` is an IPv4 or IPv6 address. */
static int is_same_address(const struct sockaddr* a, const struct sockaddr* b) {
  /* Family, port and, of IPv4, the address: one comparison. */
  if (memcmp(a, b, offsetof(struct sockaddr_in, sin_zero)) != 0)
    return 0;
  return a->sa_family == AF_INET ||
         memcmp(a, b, sizeof(struct sockaddr_in6)) == 0;
}

static void batch_init(struct gso_batch* batch,
                       const struct sockaddr* to,
                       size_t segment) {
  batch->to = to;
  batch->segment = segment;
  batch->count = 0;
  batch->niov = 0;
  batch->bytes = 0;
}

/* Adds a datagram; returns 0 if it does not belong to the batch. */
static int batch_add(struct gso_batch* batch,
                     const struct sockaddr* to,
                     const uv_buf_t* bufs,
                     size_t nbufs,
                     size_t size) {
  if (size == 0 || size > batch->segment || !is_same_address(batch->to, to))
    return 0;
  if (batch->niov + nbufs > BATCH_MAX || batch->bytes + size > BATCH_BYTES_MAX)
    return 0;
  for (size_t i = 0; i < nbufs; i++)
    batch->iov[batch->niov + i] =
        (struct iovec) { .iov_base = bufs[i].base, .iov_len = bufs[i].len };
  batch->niov += nbufs;
  batch->bytes += size;
  batch->count++;
  return 1;
}

/* Collects from the front of `msgs`. */
static void collect_msgs(struct gso_batch* batch,
                         const struct mmsghdr* msgs,
                         unsigned int count) {
  for (unsigned int i = 0; i < count; i++) {
    const struct msghdr* msg = &msgs[i].msg_hdr;
    size_t size = msgs[i].msg_len;
    if (!batch_add(batch, msg->msg_name, (const uv_buf_t*) msg->msg_iov,
                   (size_t) msg->msg_iovlen, size) ||
        size < batch->segment)
      return;
  }
}

static uv_udp_send_t* req_at(struct uv__queue* q) {
  return container_of(q, uv_udp_send_t, queue);
}

/* Collects from the front of a queue of requests. */
static void collect_queue(struct gso_batch* batch,
                          const struct uv__queue* head) {
  for (struct uv__queue* q = head->next; q != head; q = q->next) {
    uv_udp_send_t* req = req_at(q);
    size_t size = *uv__udp_queued_size(req);
    if (!batch_add(batch, &req->u.addr, req->bufs, req->nbufs, size) ||
        size < batch->segment)
      return;
  }
}

static int is_refusal(int err) {
  return err == UV_EINVAL || err == UV_EIO || err == UV_EMSGSIZE ||
         err == UV_ENOTSUP;
}

/* Returns how many datagrams were sent, 0 if they must be sent one by one, or
 * UV_E*. */
static int send_batch(uv_udp_t* handle, struct gso_batch* batch) {
  union {
    struct cmsghdr header; /* for its alignment */
    char room[CMSG_SPACE(sizeof(uint16_t))];
  } control;
  uint16_t segment = (uint16_t) batch->segment;
  struct msghdr msg = {
    .msg_name = (void*) batch->to,
    .msg_namelen = uv__addr_len(batch->to),
    .msg_iov = batch->iov,
    .msg_iovlen = batch->niov,
    .msg_control = &control,
    .msg_controllen = sizeof(control),
  };
  ssize_t n;

  if (batch->count < 2)
    return 0;
  memset(&control, 0, sizeof(control));
  control.header.cmsg_level = SOL_UDP;
  control.header.cmsg_type = UDP_SEGMENT;
  control.header.cmsg_len = CMSG_LEN(sizeof(segment));
  memcpy(CMSG_DATA(&control.header), &segment, sizeof(segment));

  do
    n = sendmsg(uv__udp_fd(handle), &msg, 0);
  while (n == -1 && errno == EINTR);
  if (n >= 0)
    return (int) batch->count;
  int err = uv__errno();
  if (!is_refusal(err))
    return err;
  handle->flags |= UV__UDP_NO_GSO;
  return 0;
}

int uv__udp_gso_send(uv_udp_t* handle,
                     const struct mmsghdr* msgs,
                     unsigned int count) {
  struct gso_batch batch;

  if (!can_use_gso(handle) || !is_unicast(msgs[0].msg_hdr.msg_name))
    return 0;
  batch_init(&batch, msgs[0].msg_hdr.msg_name, msgs[0].msg_len);
  collect_msgs(&batch, msgs, count);
  return send_batch(handle, &batch);
}

int uv__udp_gso_send_queued(uv_udp_t* handle) {
  uv_udp_send_t* first = req_at(handle->write_queue.next);
  struct gso_batch batch;

  if (!can_use_gso(handle) || !is_unicast(&first->u.addr))
    return 0;
  batch_init(&batch, &first->u.addr, *uv__udp_queued_size(first));
  collect_queue(&batch, &handle->write_queue);
  return send_batch(handle, &batch);
}
