/* SPDX-License-Identifier: MIT */
/* Receiving datagrams together with what the kernel tells of them, for handles
 * with uvx_udp_set_recv_info(). As udp-recv.c, with room for control messages:
 *
 *   alloc_cb -> recvmsg, or recvmmsg -> the message into the loop's state ->
 *   recv_cb, which may call uvx_udp_recv_info() -> out of the loop's state
 *
 * An entry of the error queue has these messages too, before the error, and
 * would be cut off without the room for both.
 */
#include "loop/state.h"
#include "unix/iovec.h"
#include "unix/udp-control.h"
#include "unix/udp-recv.h"

/* A datagram, or an entry of the error queue. */
struct arrival {
  struct sockaddr_storage peer;
  union uv__udp_control_in control;
};

/* A buffer and what was received into it. */
struct batch {
  struct uv__udp_message message; /* what uvx_udp_recv_info() reads meanwhile */
  size_t chunks; /* parts of the buffer, one for each datagram */
  int is_shared; /* UV_UDP_RECVMMSG: there may be several */
  struct iovec iov[UV__UDP_BATCH_MAX];
  struct mmsghdr msgs[UV__UDP_BATCH_MAX];
  struct arrival arrivals[UV__UDP_BATCH_MAX];
};

static int still_receiving(const uv_udp_t* handle) {
  return (handle->flags & (UV__READING | UV__UDP_INFO)) ==
         (UV__READING | UV__UDP_INFO);
}

static void info_report(uv_udp_t* handle,
                        enum uv__udp_queue queue,
                        struct batch* batch,
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
  batch->message.arrival = queue == UV__UDP_DATA ? msg : NULL;
  uv__call_recv(handle, nread, buf, from, flags);
  batch->message.arrival = NULL;
}

static void batch_fill(struct batch* batch, const uv_buf_t* buf) {
  size_t len = batch->is_shared ? UV__UDP_DATAGRAM_MAX : buf->len;

  for (size_t i = 0; i < batch->chunks; i++) {
    struct arrival* arrival = &batch->arrivals[i];
    arrival->peer.ss_family = AF_UNSPEC;
    batch->iov[i].iov_base = buf->base + i * len;
    batch->iov[i].iov_len = len;
    batch->msgs[i].msg_hdr = (struct msghdr) {
      .msg_name = &arrival->peer,
      .msg_namelen = sizeof(arrival->peer),
      .msg_iov = &batch->iov[i],
      .msg_iovlen = 1,
      .msg_control = &arrival->control,
      .msg_controllen = sizeof(arrival->control),
    };
  }
}

static int batch_receive_single(int fd, struct batch* batch, int flags) {
  ssize_t n = uv__udp_receive(fd, &batch->msgs[0].msg_hdr, flags);

  if (n < 0)
    return (int) n;
  batch->msgs[0].msg_len = (unsigned int) n;
  return 1;
}

/* Returns how many datagrams came, or UV_E*. */
#if UV__HAVE_MMSG
# define UV__UDP_SHARED UV__UDP_RECVMMSG

static int batch_receive(int fd, struct batch* batch, int flags) {
  if (!batch->is_shared)
    return batch_receive_single(fd, batch, flags);
  return uv__udp_receive_many(fd, batch->msgs, batch->chunks, flags);
}
#else
# define UV__UDP_SHARED 0

static int batch_receive(int fd, struct batch* batch, int flags) {
  return batch_receive_single(fd, batch, flags);
}
#endif

/* The last callback returns a shared buffer to the program; one that stops
 * receiving earlier already owns it again. A closed handle keeps its callback
 * and gets the whole batch. */
static void batch_report(uv_udp_t* handle,
                         enum uv__udp_queue queue,
                         struct batch* batch,
                         int count,
                         const uv_buf_t* buf) {
  unsigned flags = batch->is_shared ? UV_UDP_MMSG_CHUNK : 0;

  for (int i = 0; i < count && handle->recv_cb != NULL; i++) {
    struct mmsghdr* msg = &batch->msgs[i];
    uv_buf_t chunk = *buf;
    if (batch->is_shared)
      chunk = uv_buf_init(batch->iov[i].iov_base, UV__UDP_DATAGRAM_MAX);
    info_report(handle, queue, batch, &msg->msg_hdr, (ssize_t) msg->msg_len,
                &chunk, flags);
  }
  if (batch->is_shared && handle->recv_cb != NULL)
    uv__call_recv(handle, 0, buf, NULL, UV_UDP_MMSG_FREE);
}

/* Receives into one buffer of the program. Returns how many datagrams, 0 at the
 * end of the turn. */
static int batch_run(uv_udp_t* handle,
                     enum uv__udp_queue queue,
                     struct batch* batch) {
  uv_buf_t buf = uv_buf_init(NULL, 0); /* set by the program */

  if (!uv__udp_recv_alloc(handle, &buf))
    return 0;
  batch->chunks = 1;
  batch->is_shared = (handle->flags & UV__UDP_SHARED) != 0;
  if (batch->is_shared)
    batch->chunks =
        uv__min_size(buf.len / UV__UDP_DATAGRAM_MAX, UV__UDP_BATCH_MAX);
  if (batch->chunks == 0) {
    uv__call_recv(handle, UV_EINVAL, &buf, NULL, 0);
    return 0;
  }
  batch_fill(batch, &buf);
  int n = batch_receive(uv__udp_fd(handle), batch, queue);
  if (n < 0) {
    uv__call_recv(handle, n == UV_EAGAIN ? 0 : n, &buf, NULL, 0);
    return 0;
  }
  batch_report(handle, queue, batch, n, &buf);
  return n;
}

/* A nested run receives with a batch of its own, which is in front meanwhile.
 */
static int info_receive(uv_udp_t* handle, enum uv__udp_queue queue) {
  struct uv__loop_state* state = uv__loop_state(handle->loop);
  struct batch batch;

  batch.message.handle = handle;
  batch.message.arrival = NULL;
  batch.message.outer = state->udp_message;
  state->udp_message = &batch.message;
  int n = batch_run(handle, queue, &batch);
  state->udp_message = batch.message.outer;
  return n;
}

static void info_turn(uv_udp_t* handle, enum uv__udp_queue queue) {
  for (int left = UV__UDP_TURN_MAX; left > 0 && still_receiving(handle);) {
    int n = info_receive(handle, queue);
    if (n == 0)
      return;
    left -= n;
  }
}

void uv__udp_recv_ready_info(uv_udp_t* handle, unsigned events) {
  info_turn(handle, UV__UDP_DATA);
  if ((events & POLLERR) && UV__UDP_ERRORS != UV__UDP_DATA)
    info_turn(handle, UV__UDP_ERRORS);
}
