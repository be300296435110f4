/* SPDX-License-Identifier: MIT */
/* Sending datagrams.
 *
 * The first send of an iteration goes out at once, without a copy. Further
 * sends, made while its callback is pending or while send callbacks run, are
 * queued and go out as a batch: in the next pending phase or, because the
 * handle waits for POLLOUT, in the poll phase. Closing the handle cancels what
 * is still queued. Callbacks run from uv__udp_send_ready(), never inside
 * uv_udp_send().
 *
 * req->status is 0, or the error once the send has failed.
 */
#include "unix/udp-send.h"
#include "observe/callback.h"
#include "req.h"
#include "unix/iovec.h"
#include "util/alloc.h"
#include "util/bufs.h"
#include "util/queue.h"

#include <errno.h>
#include <string.h>

/* Datagrams per call. */
#define BATCH_MAX 64

/* What a request has behind an IP address: room for six buffers, in addition to
 * the four of bufsml. */
static_assert(offsetof(uv_udp_send_t, u) % _Alignof(uv_buf_t) == 0, "aligned");
#define SPARE_BUFS                                                             \
 ((sizeof(struct sockaddr_storage) - UV__UDP_IP_ADDRESS_MAX) / sizeof(uv_buf_t))

static void fill_header(struct msghdr* msg, const struct uv__datagram* d) {
  *msg = (struct msghdr) {
    .msg_name = (void*) d->to.addr,
    .msg_namelen = d->to.len,
    .msg_iov = uv__iovec(d->bufs),
    .msg_iovlen = d->nbufs,
  };
}

/* sendto() takes 3 % less time, but only one buffer. */
static ssize_t send_buffer(int fd, const struct uv__datagram* d) {
  ssize_t n;

  do
    n = sendto(fd, d->bufs[0].base, d->bufs[0].len, 0, d->to.addr, d->to.len);
  while (n == -1 && errno == EINTR);
  return n == -1 ? uv__errno() : n;
}

static ssize_t send_buffers(int fd, const struct uv__datagram* d) {
  struct msghdr msg;

  fill_header(&msg, d);
  return uv__udp_send_message(fd, &msg);
}

static unsigned int udp_send_gather(uv_udp_t* handle, struct mmsghdr* msgs) {
  struct uv__queue* head = &handle->write_queue;
  unsigned int count = 0;

  for (struct uv__queue* q = head->next; q != head; q = q->next) {
    struct uv__datagram d = uv__udp_datagram_of(uv__udp_req_at(q));
    fill_header(&msgs[count].msg_hdr, &d);
    if (++count == BATCH_MAX)
      break;
  }
  return count;
}

/* Sends the front of the queue, one message for each datagram. Returns how
 * many, or the error of the first. */
UV__NOINLINE static int udp_send_separately(uv_udp_t* handle) {
  struct mmsghdr msgs[BATCH_MAX];
  unsigned int count = udp_send_gather(handle, msgs);

  return uv__udp_send_messages(uv__udp_fd(handle), msgs, count);
}

/* Updates the metrics after a call that sent the first `n` of the queue, or
 * failed. */
UV__NOINLINE static void count_queue_sent(const uv_udp_t* handle, int n) {
  struct uv__queue* q = handle->write_queue.next;
  ssize_t bytes = n > 0 ? 0 : n;

  for (int i = 0; i < n; i++, q = q->next)
    bytes += (ssize_t) *uv__udp_queued_size(uv__udp_req_at(q));
  uv__hook_udp_sent(handle->loop, bytes);
}

static void complete_first(uv_udp_t* handle, int status) {
  struct uv__queue* q = uv__queue_shift(&handle->write_queue);

  uv__udp_req_at(q)->status = status;
  uv__queue_push_back(&handle->write_completed_queue, q);
}

/* The first `n` datagrams were sent; n is at least 1. */
static void complete_sent(uv_udp_t* handle, int n) {
  struct uv__queue* last = handle->write_queue.next;

  for (int i = 1; i < n; i++)
    last = last->next;
  uv__queue_splice_until(&handle->write_completed_queue, &handle->write_queue,
                         last);
}

/* Bytes or UV_E*; UV_EAGAIN if there is no buffer space. */
static ssize_t send_directly(const uv_udp_t* handle,
                             const struct uv__datagram* d) {
  int fd = uv__udp_fd(handle);
  ssize_t n = d->nbufs == 1 ? send_buffer(fd, d) : send_buffers(fd, d);

  uv__hook_udp_sent(handle->loop, n);
  return n == UV_ENOBUFS ? UV_EAGAIN : n;
}

enum progress { NO_ROOM, FAILED, SENT };

/* After a send of the first datagram that returned `err`. */
static enum progress fail_first(uv_udp_t* handle, int err) {
  if (uv__udp_is_transient(err))
    return NO_ROOM;
  complete_first(handle, err);
  return FAILED;
}

/* Sends the front of the queue, as one GSO batch if possible. */
static enum progress send_batch(uv_udp_t* handle) {
  int n = uv__udp_gso_send_queued(handle);

  if (n == 0)
    n = udp_send_separately(handle);
  if (uv__is_recorded())
    count_queue_sent(handle, n);
  if (n < 0)
    return fail_first(handle, n);
  complete_sent(handle, n);
  return SENT;
}

static enum progress send_single(uv_udp_t* handle) {
  struct uv__datagram d =
      uv__udp_datagram_of(uv__udp_req_at(handle->write_queue.next));
  ssize_t n = send_directly(handle, &d);

  if (n < 0)
    return fail_first(handle, (int) n);
  complete_first(handle, 0);
  return SENT;
}

/* Sends the queue until it would block or a send fails; like libuv, it leaves
 * the rest for the next event after an error. Runs no callbacks. Returns 1 if
 * at least one request completed. */
static int udp_send_flush(uv_udp_t* handle) {
  const struct uv__queue* queue = &handle->write_queue;
  enum progress progress = SENT;
  int is_any_done = 0;

  while (progress == SENT && !uv__queue_empty(queue)) {
    progress =
        queue->next == queue->prev ? send_single(handle) : send_batch(handle);
    is_any_done |= progress != NO_ROOM;
  }
  return is_any_done;
}

/* Watches for POLLOUT while datagrams are queued. */
static void watch_for_room(uv_udp_t* handle) {
  uv__io_t* w = &handle->io_watcher;
  int is_needed = !uv__queue_empty(&handle->write_queue);

  if (is_needed == uv__io_wants(w, POLLOUT))
    return;
  if (is_needed)
    uv__io_start(handle->loop, w, POLLOUT);
  else
    uv__io_stop(handle->loop, w, POLLOUT);
}

static uv_buf_t* spare_bufs(uv_udp_send_t* req) {
  return (uv_buf_t*) (void*) ((char*) &req->u + UV__UDP_IP_ADDRESS_MAX);
}

static void release_bufs(uv_udp_send_t* req) {
  /* Inside the request, or allocated. */
  if ((uintptr_t) req->bufs - (uintptr_t) req >= sizeof(*req))
    uv__free(req->bufs);
  req->bufs = NULL;
}

static void report_one(uv_udp_t* handle, uv_udp_send_t* req) {
  handle->send_queue_size -= *uv__udp_queued_size(req);
  uv__req_unregister(handle->loop);
  handle->send_queue_count--;
  release_bufs(req);
  if (req->cb != NULL)
    uv__call_udp_send(req, (int) req->status);
}

/* Sends made by these callbacks go to the end of the queue. */
static void report_completed(uv_udp_t* handle) {
  struct uv__queue* due = &handle->write_completed_queue;

  handle->flags |= UV__UDP_DRAINING;
  while (!uv__queue_empty(due))
    report_one(handle, uv__udp_req_at(uv__queue_shift(due)));
  handle->flags &= ~UV__UDP_DRAINING;
}

/* Active while it receives or has callbacks to run. */
static void stop_if_idle(uv_udp_t* handle) {
  if (handle->send_queue_count == 0 && !(handle->flags & UV__READING))
    uv__handle_stop(uv__base(handle));
}

UV__INLINE void send_ready(uv_udp_t* handle, int (*flush)(uv_udp_t*)) {
  /* Schedule another call in the next pending phase for what the callbacks
   * send, together with sends made until then. */
  if (flush(handle))
    uv__io_feed(handle->loop, &handle->io_watcher);
  report_completed(handle);
  if (uv__is_closing(uv__base(handle)))
    return;
  watch_for_room(handle);
  stop_if_idle(handle);
}

void uv__udp_send_ready(uv_udp_t* handle) {
  send_ready(handle, udp_send_flush);
}

void uv__udp_send_ready_with(uv_udp_t* handle, int (*flush)(uv_udp_t*)) {
  send_ready(handle, flush);
}

void uv__udp_complete_first(uv_udp_t* handle, int status) {
  complete_first(handle, status);
}

void uv__udp_cancel_sends(uv_udp_t* handle) {
  while (!uv__queue_empty(&handle->write_queue))
    complete_first(handle, UV_ECANCELED);
  report_completed(handle);
  assert(handle->send_queue_count == 0);
}

/* From both ends: it is usually near one of them. */
static int is_in_queue(const struct uv__queue* head, const uv_udp_send_t* req) {
  const struct uv__queue* first = head->next;
  const struct uv__queue* last = head->prev;

  while (first != head) {
    if (first == &req->queue || last == &req->queue)
      return 1;
    if (first == last || first->next == last)
      return 0;
    first = first->next;
    last = last->prev;
  }
  return 0;
}

int uv__udp_os_is_sending(const uv_udp_send_t* req) {
  const uv_udp_t* handle = req->handle;

  return is_in_queue(&handle->write_queue, req) ||
         is_in_queue(&handle->write_completed_queue, req);
}

int uv__udp_os_cancel_send(uv_udp_send_t* req) {
  uv_udp_t* handle = req->handle;

  if (uv__is_closing(uv__base(handle)))
    return UV_EBUSY; /* closing completes it */
  if (!is_in_queue(&handle->write_queue, req))
    return uv__udp_os_is_sending(req) && req->status == UV_ECANCELED ? 0
                                                                     : UV_EBUSY;

  uv__queue_remove(&req->queue);
  req->status = UV_ECANCELED;
  uv__queue_push_back(&handle->write_completed_queue, &req->queue);
  watch_for_room(handle);
  uv__io_feed(handle->loop, &handle->io_watcher);
  return 0;
}

/* Slow path of keep_bufs(): not exactly one buffer. */
UV__NOINLINE static int keep_many_bufs(uv_udp_send_t* req,
                                       const struct uv__datagram* d) {
  uv_buf_t* bufs = req->bufsml;

  if (d->nbufs > ARRAY_SIZE(req->bufsml)) {
    if (d->nbufs <= SPARE_BUFS && d->to.len <= UV__UDP_IP_ADDRESS_MAX)
      bufs = spare_bufs(req);
    else
      bufs = uv__malloc_array(d->nbufs, sizeof(*bufs));
  }
  if (bufs == NULL)
    return UV_ENOMEM;
  memcpy(bufs, d->bufs, d->nbufs * sizeof(*bufs));
  req->bufs = bufs;
  return 0;
}

UV__INLINE int keep_bufs(uv_udp_send_t* req, const struct uv__datagram* d) {
  req->nbufs = d->nbufs;
  if (d->nbufs != 1)
    return keep_many_bufs(req, d);
  req->bufs = req->bufsml;
  req->bufsml[0] = d->bufs[0];
  return 0;
}

UV__INLINE void keep_address(uv_udp_send_t* req, struct uv__endpoint to) {
  if (to.len == sizeof(struct sockaddr_in))
    memcpy(&req->u.storage, to.addr, sizeof(struct sockaddr_in)); /* no call */
  else if (to.addr != NULL)
    memcpy(&req->u.storage, to.addr, to.len);
  else
    req->u.addr.sa_family = AF_UNSPEC;
}

UV__INLINE int prepare_socket(uv_udp_t* handle, const struct uv__datagram* d) {
  if (d->to.addr == NULL)
    return 0; /* connected */
  return uv__udp_ensure_socket(handle, d->to.addr->sa_family);
}

/* Counts a request whose callback is pending. */
UV__INLINE void count_pending(uv_udp_send_t* req, size_t size) {
  uv_udp_t* handle = req->handle;

  *uv__udp_queued_size(req) = size;
  handle->send_queue_size += size;
  uv__req_register(handle->loop);
  handle->send_queue_count++;
  uv__handle_start(uv__base(handle));
}

/* The kernel has taken the datagram, or refused it. */
UV__INLINE void udp_send_settle(uv_udp_send_t* req,
                                size_t size,
                                ssize_t status) {
  uv_udp_t* handle = req->handle;

  req->status = status;
  req->bufs = req->bufsml; /* nothing to free */
  count_pending(req, size);
  uv__queue_push_back(&handle->write_completed_queue, &req->queue);
  uv__io_feed(handle->loop, &handle->io_watcher);
}

void uv__udp_send_settle(uv_udp_send_t* req, size_t size, int status) {
  udp_send_settle(req, size, status);
}

/* Returns 1 if the datagram was sent or failed, 0 if it has to wait. */
UV__NOINLINE static int send_first(uv_udp_send_t* req,
                                   const struct uv__datagram* d) {
  uv_udp_t* handle = req->handle;
  ssize_t n = send_directly(handle, d);

  if (n == UV_EAGAIN)
    return 0;
  udp_send_settle(req, d->size, n < 0 ? n : 0);
  return 1;
}

/* Queues the datagram. */
UV__INLINE int udp_send_enqueue(uv_udp_send_t* req,
                                const struct uv__datagram* d) {
  uv_udp_t* handle = req->handle;
  int err = keep_bufs(req, d);
  if (err != 0)
    return err;

  req->status = 0;
  keep_address(req, d->to);
  count_pending(req, d->size);
  int is_first = uv__queue_empty(&handle->write_queue);
  uv__queue_push_back(&handle->write_queue, &req->queue);
  if (is_first)
    watch_for_room(handle);
  return 0;
}

int uv__udp_send_enqueue(uv_udp_send_t* req, const struct uv__datagram* d) {
  return udp_send_enqueue(req, d);
}

int uv__udp_os_send(uv_udp_send_t* req, const struct uv__datagram* d) {
  uv_udp_t* handle = req->handle;

  uv__debug_check(uv__check_not_queued(&handle->write_queue, &req->queue,
                                       UV__RULE_SEND_ONCE, req));
  int err = prepare_socket(handle, d);
  if (err != 0)
    return err;
  /* The first send of an iteration does not wait for others. */
  if (handle->send_queue_count == 0 && !(handle->flags & UV__UDP_DRAINING) &&
      send_first(req, d))
    return 0;
  return udp_send_enqueue(req, d);
}

int uv__udp_os_has_unsent(const uv_udp_t* handle) {
  return uv__io_wants(&handle->io_watcher, POLLOUT);
}

int uv__udp_os_send_now(uv_udp_t* handle, const struct uv__datagram* d) {
  int err = prepare_socket(handle, d);
  return err != 0 ? err : (int) send_directly(handle, d);
}

/* Sends datagrams from the front of `msgs`: GSO batches as long as there are
 * any, then the rest with one call. Returns how many, or the error of the
 * first. */
static int send_now_all(uv_udp_t* handle,
                        struct mmsghdr* msgs,
                        unsigned int count) {
  unsigned int sent = 0;
  int is_batch = 1;

  while (sent < count && is_batch) {
    unsigned int left = count - sent;
    int n = left > 1 ? uv__udp_gso_send(handle, msgs + sent, left) : 0;
    is_batch = n != 0;
    if (!is_batch)
      n = uv__udp_send_messages(uv__udp_fd(handle), msgs + sent, left);
    uv__udp_count_sent(handle, msgs + sent, n);
    if (n < 0)
      return sent > 0 ? (int) sent : n;
    sent += (unsigned int) n;
  }
  return (int) sent;
}

static int send_now_batch(uv_udp_t* handle,
                          uv_buf_t** bufs,
                          unsigned int* nbufs,
                          struct sockaddr** addrs,
                          unsigned int count) {
  struct mmsghdr msgs[BATCH_MAX];

  for (unsigned int i = 0; i < count; i++) {
    struct uv__datagram d = { .bufs = bufs[i], .nbufs = nbufs[i] };
    if (addrs != NULL && addrs[i] != NULL) {
      d.to.addr = addrs[i];
      d.to.len = uv__addr_len(addrs[i]);
    }
    fill_header(&msgs[i].msg_hdr, &d);
    (void) uv__bufs_measure(bufs[i], nbufs[i], &d.size); /* checked before */
    msgs[i].msg_len = (unsigned int) d.size;
  }
  int n = send_now_all(handle, msgs, count);
  return n == UV_ENOBUFS ? UV_EAGAIN : n;
}

int uv__udp_os_send_many(uv_udp_t* handle,
                         uv_buf_t** bufs,
                         unsigned int* nbufs,
                         struct sockaddr** addrs,
                         unsigned int count) {
  unsigned int sent = 0;

  while (sent < count) {
    unsigned int size = count - sent < BATCH_MAX ? count - sent : BATCH_MAX;
    int n = send_now_batch(handle, bufs + sent, nbufs + sent,
                           addrs == NULL ? NULL : addrs + sent, size);
    if (n < 0)
      return sent > 0 ? (int) sent : n;
    sent += (unsigned int) n;
    if ((unsigned int) n < size)
      break;
  }
  return (int) sent;
}
