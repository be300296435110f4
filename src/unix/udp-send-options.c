/* SPDX-License-Identifier: MIT */
/* Sending datagrams with options of their own: uvx_udp_send() and
 * uvx_udp_try_send().
 *
 * Requests are queued with those of uv_udp_send(), in order. One with options
 * is marked by its status until it is sent, and has them behind its address.
 * The handle's kind of watcher brings its events here, where the queue is sent
 * with sendmmsg(), each datagram with the control messages of its own options
 * or none. There are no trains (udp-gso.c) on such a handle.
 */
#include "unix/fd.h"
#include "unix/iovec.h"
#include "unix/sock.h"
#include "unix/udp-control.h"
#include "unix/udp-names.h"
#include "unix/udp-send.h"
#include "util/alloc.h"
#include "util/bufs.h"

#include <errno.h>
#include <string.h>

/* Datagrams per call. */
#define BATCH_MAX 64

/* Segments that every kernel with UDP_SEGMENT takes. */
#define SEGMENTS_MAX 64

/* The status of a queued request with options: not one of UV_E*, nor 0. */
#define HAS_OPTIONS 1

static_assert(UV__UDP_IP_ADDRESS_MAX + sizeof(struct uv__udp_options) <=
                  sizeof(struct sockaddr_storage),
              "the options fit behind an IP address");

struct batch {
  unsigned int count;
  int is_first_long; /* has_many_segments() */
  struct mmsghdr msgs[BATCH_MAX];
  union uv__udp_control_out controls[BATCH_MAX];
};

static struct uv__udp_options* req_options(uv_udp_send_t* req) {
  return (void*) ((char*) &req->u + UV__UDP_IP_ADDRESS_MAX);
}

/* ---- what the kernel can do ---- */

/* By which protocol does an IPv6 socket reach this peer? */
static enum uv__udp_path path_to(const struct sockaddr* peer) {
  const struct sockaddr_in6* in6 = (const struct sockaddr_in6*) peer;

  if (peer->sa_family == AF_INET || IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr))
    return UV__UDP_PATH_MAPPED;
  return UV__UDP_PATH_V6;
}

static int find_path(const uv_udp_t* handle,
                     const struct sockaddr* to,
                     enum uv__udp_path* path) {
  union uv__ip_addr peer;
  int len = sizeof(peer);

  *path = UV__UDP_PATH_V4;
  if (!(handle->flags & UV__IPV6))
    return 0;
  if (to == NULL) {
    int err = uv__sock_peer_name(uv__udp_fd(handle), &peer.any, &len);
    if (err != 0)
      return err;
    to = &peer.any;
  }
  *path = path_to(to);
  return 0;
}

/* A kernel that does not know UDP_SEGMENT ignores it, and sends one large
 * datagram. */
#if UV__HAVE_UDP_SEGMENT
static int can_cut(uv_udp_t* handle) {
  int value;
  socklen_t len = sizeof(value);

  if (handle->flags & UV__UDP_GSO)
    return 1;
  if (getsockopt(uv__udp_fd(handle), UV__SOL_UDP, UV__UDP_SEGMENT, &value,
                 &len) != 0)
    return 0;
  handle->flags |= UV__UDP_GSO;
  return 1;
}
#else
static int can_cut(uv_udp_t* handle) {
  (void) handle;
  return 0;
}
#endif

/* Returns the length of the control messages, or UV_E*. */
static int fill_control(uv_udp_t* handle,
                        union uv__udp_control_out* control,
                        const struct sockaddr* to,
                        const struct uv__udp_options* options) {
  enum uv__udp_path path = UV__UDP_PATH_V4;
  int err = 0;

  if (handle->flags & UV__UDP_NOT_IP)
    return UV_ENOTSUP;
  if ((options->flags & UVX_UDP_SEGMENT) && !can_cut(handle))
    return UV_ENOTSUP;
  if (options->flags & (UVX_UDP_TOS | UVX_UDP_PKTINFO))
    err = find_path(handle, to, &path);
  return err != 0 ? err : uv__udp_control_fill(control, options, path);
}

/* ---- batches ---- */

/* More than the oldest kernels take: then its EINVAL means too many. */
static int has_many_segments(const struct uv__datagram* d,
                             const struct uv__udp_options* options) {
  return (options->flags & UVX_UDP_SEGMENT) &&
         d->size > (size_t) options->segment_size * SEGMENTS_MAX;
}

/* Adds a datagram. Returns 0, or why it cannot have these options. */
static int batch_add(struct batch* batch,
                     uv_udp_t* handle,
                     const struct uv__datagram* d,
                     const struct uv__udp_options* options) {
  struct mmsghdr* msg = &batch->msgs[batch->count];
  union uv__udp_control_out* control = &batch->controls[batch->count];
  int len = 0;

  if (options != NULL)
    len = fill_control(handle, control, d->to.addr, options);
  if (len < 0)
    return len;
  if (batch->count == 0)
    batch->is_first_long = options != NULL && has_many_segments(d, options);
  msg->msg_hdr = (struct msghdr) {
    .msg_name = (void*) d->to.addr,
    .msg_namelen = d->to.len,
    .msg_iov = uv__iovec(d->bufs),
    .msg_iovlen = d->nbufs,
    .msg_control = len > 0 ? control : NULL,
    .msg_controllen = (unsigned) len,
  };
  msg->msg_len = (unsigned int) d->size;
  batch->count++;
  return 0;
}

/* Returns how many were sent, or the error of the first. */
static int batch_send(uv_udp_t* handle, struct batch* batch) {
  int n = uv__udp_send_messages(uv__udp_fd(handle), batch->msgs, batch->count);

  uv__udp_count_sent(handle, batch->msgs, n);
  return n == UV_EINVAL && batch->is_first_long ? UV_EMSGSIZE : n;
}

/* ---- the queue ---- */

static const struct uv__udp_options* options_of(uv_udp_send_t* req) {
  return req->status == HAS_OPTIONS ? req_options(req) : NULL;
}

/* Sends the front of the queue. Returns how many datagrams, or the error of the
 * first. */
static int send_front(uv_udp_t* handle) {
  struct uv__queue* head = &handle->write_queue;
  struct batch batch;

  batch.count = 0;
  for (struct uv__queue* q = head->next; q != head; q = q->next) {
    uv_udp_send_t* req = uv__udp_req_at(q);
    struct uv__datagram d = uv__udp_datagram_of(req);
    int err = batch_add(&batch, handle, &d, options_of(req));
    if (err != 0 && batch.count == 0)
      return err;
    if (err != 0 || batch.count == BATCH_MAX)
      break;
  }
  return batch_send(handle, &batch);
}

/* As udp_send_flush() in udp-send.c. */
static int flush_queue(uv_udp_t* handle) {
  int is_any_done = 0;

  while (!uv__queue_empty(&handle->write_queue)) {
    int n = send_front(handle);
    if (n < 0 && uv__udp_is_transient(n))
      break;
    for (int i = 0; i < n; i++)
      uv__udp_complete_first(handle, 0);
    is_any_done = 1;
    if (n < 0) {
      uv__udp_complete_first(handle, n);
      break;
    }
  }
  return is_any_done;
}

void uv__udp_send_ready_options(uv_udp_t* handle) {
  uv__udp_send_ready_with(handle, flush_queue);
}

/* ---- sending ---- */

static int prepare_socket(uv_udp_t* handle, const struct uv__datagram* d) {
  if (d->to.addr == NULL)
    return 0; /* connected */
  return uv__udp_ensure_socket(handle, d->to.addr->sa_family);
}

/* Queues a datagram of many buffers: the plain queue may keep them where the
 * options are, so they are allocated here. */
static int enqueue_many(uv_udp_send_t* req, const struct uv__datagram* d) {
  uv_buf_t* bufs = uv__malloc_array(d->nbufs, sizeof(*bufs));
  struct uv__datagram first = *d;

  if (bufs == NULL)
    return UV_ENOMEM;
  memcpy(bufs, d->bufs, d->nbufs * sizeof(*bufs));
  first.nbufs = 1;
  (void) uv__udp_send_enqueue(req, &first); /* one buffer needs no memory */
  req->bufs = bufs;
  req->nbufs = d->nbufs;
  return 0;
}

static int enqueue(uv_udp_send_t* req,
                   const struct uv__datagram* d,
                   const struct uv__udp_options* options) {
  int err = d->nbufs > ARRAY_SIZE(req->bufsml) ? enqueue_many(req, d)
                                               : uv__udp_send_enqueue(req, d);
  if (err != 0)
    return err;
  req->status = HAS_OPTIONS;
  memcpy(req_options(req), options, sizeof(*options));
  return 0;
}

int uv__udp_os_send_with(uv_udp_send_t* req,
                         const struct uv__datagram* d,
                         const struct uv__udp_options* options) {
  uv_udp_t* handle = req->handle;
  struct batch batch;

  uv__debug_check(uv__check_not_queued(&handle->write_queue, &req->queue,
                                       UV__RULE_SEND_ONCE, req));
  int err = prepare_socket(handle, d);
  if (err != 0)
    return err;
  batch.count = 0;
  err = batch_add(&batch, handle, d, options);
  if (err != 0)
    return err;

  uv__io_set_kind(&handle->io_watcher, UV__IO_UDP_OPTIONS);
  /* As uv__udp_os_send(): the first one does not wait for others. */
  if (handle->send_queue_count != 0 || (handle->flags & UV__UDP_DRAINING))
    return enqueue(req, d, options);
  int n = batch_send(handle, &batch);
  if (n < 0 && uv__udp_is_transient(n))
    return enqueue(req, d, options);
  uv__udp_send_settle(req, d->size, n < 0 ? n : 0);
  return 0;
}

/* As uv__udp_os_send_many(), but at most BATCH_MAX. */
static int send_now(uv_udp_t* handle,
                    uv_buf_t** bufs,
                    unsigned int* nbufs,
                    struct sockaddr** addrs,
                    const uvx_udp_send_options_t* options,
                    unsigned int count) {
  struct uv__udp_options copy;
  struct batch batch;

  batch.count = 0;
  for (unsigned int i = 0; i < count && i < BATCH_MAX; i++) {
    struct uv__datagram d = { .bufs = bufs[i], .nbufs = nbufs[i] };
    if (addrs != NULL && addrs[i] != NULL) {
      d.to.addr = addrs[i];
      d.to.len = uv__addr_len(addrs[i]);
    }
    (void) uv__bufs_measure(bufs[i], nbufs[i], &d.size); /* checked before */
    uv__udp_options_copy(&copy, uv__udp_options_at(options, i));
    int err = batch_add(&batch, handle, &d, copy.flags != 0 ? &copy : NULL);
    if (err != 0 && i == 0)
      return err;
    if (err != 0)
      break;
  }
  int n = batch_send(handle, &batch);
  return n == UV_ENOBUFS ? UV_EAGAIN : n;
}

int uv__udp_os_send_many_with(uv_udp_t* handle,
                              uv_buf_t** bufs,
                              unsigned int* nbufs,
                              struct sockaddr** addrs,
                              const uvx_udp_send_options_t* options,
                              unsigned int count) {
  unsigned int sent = 0;
  int n = BATCH_MAX;

  while (sent < count && n == BATCH_MAX) {
    n = send_now(handle, bufs + sent, nbufs + sent,
                 addrs == NULL ? NULL : addrs + sent,
                 uv__udp_options_at(options, sent), count - sent);
    if (n < 0)
      return sent > 0 ? (int) sent : n;
    sent += (unsigned int) n;
  }
  return (int) sent;
}
