/* SPDX-License-Identifier: MIT */
/* Passing descriptors over a pipe with ipc=1 (SCM_RIGHTS).
 *
 * Received descriptors wait for uv_accept(): the oldest in accepted_fd, the
 * others in a growing ring. The ring is bounded, because the peer decides how
 * many arrive; beyond the bound, or without memory, received descriptors are
 * closed and the reader gets an error. So it does if the kernel dropped some
 * because the process may not have more (MSG_CTRUNC). No received descriptor
 * outlives the handle.
 */
#include "os/listener.h"
#include "os/pipe.h"
#include "unix/cmsg.h"
#include "unix/fd.h"
#include "unix/iovec.h"
#include "unix/os.h"
#include "unix/sock.h"
#include "unix/stream.h"
#include "util/alloc.h"

#include <errno.h>
#include <string.h>

/* The maximum per message on Linux (SCM_MAX_FD); no other system allows more in
 * practice. */
#define FDS_PER_MESSAGE 253

#define RING_MIN 8u
#define RING_MAX 1024u /* a power of two times RING_MIN */

#ifndef MSG_CMSG_CLOEXEC
# define MSG_CMSG_CLOEXEC 0
#endif

/* In uv_stream_t.queued_fds; allocated for the second waiting fd. */
struct fd_ring {
  unsigned size;  /* capacity, a power of two */
  unsigned first; /* index of the oldest */
  unsigned count;
  int fds[];
};

/* Space for `n` descriptors in a control message. */
#define CONTROL_SPACE(n) CMSG_SPACE((n) * sizeof(int))

static struct fd_ring* ring_of(const uv_stream_t* stream) {
  return (struct fd_ring*) stream->queued_fds;
}

/* Doubles the ring, keeping its content. */
static int ring_grow(uv_stream_t* stream) {
  struct fd_ring* old = ring_of(stream);
  unsigned size = old == NULL ? RING_MIN : 2 * old->size;

  if (size > RING_MAX)
    return UV_EMFILE;
  struct fd_ring* ring =
      uv__malloc(sizeof(*ring) + size * sizeof(ring->fds[0]));
  if (ring == NULL)
    return UV_ENOMEM;

  ring->size = size;
  ring->first = 0;
  ring->count = old == NULL ? 0 : old->count;
  for (unsigned i = 0; i < ring->count; i++)
    ring->fds[i] = old->fds[(old->first + i) & (old->size - 1)];

  uv__free(old);
  stream->queued_fds = ring;
  return 0;
}

/* Queues a received fd. On failure the caller still owns it. */
static int queue_fd(uv_stream_t* stream, int fd) {
  struct fd_ring* ring = ring_of(stream);

  if (stream->accepted_fd == -1) {
    stream->accepted_fd = fd;
    return 0;
  }
  if (ring == NULL || ring->count == ring->size) {
    int err = ring_grow(stream);
    if (err != 0)
      return err;
    ring = ring_of(stream);
  }
  ring->fds[(ring->first + ring->count++) & (ring->size - 1)] = fd;
  return 0;
}

/* Out of line, so that uv_accept() of most servers saves no registers. */
UV__NOINLINE static int take_next_fd(uv_stream_t* stream) {
  struct fd_ring* ring = ring_of(stream);

  if (stream->flags & UV__STREAM_FED) {
    uv__listener_taken((uv_tcp_t*) stream);
    return -1;
  }
  if (ring->count == 0)
    return -1;
  int fd = ring->fds[ring->first];
  ring->first = (ring->first + 1) & (ring->size - 1);
  ring->count--;
  return fd;
}

int uv__ipc_next_fd(uv_stream_t* stream) {
  return stream->queued_fds == NULL ? -1 : take_next_fd(stream);
}

void uv__ipc_close(uv_stream_t* stream) {
  if (stream->flags & UV__STREAM_FED) {
    stream->queued_fds = NULL;
    return;
  }
  for (int fd = uv__ipc_next_fd(stream); fd != -1; fd = uv__ipc_next_fd(stream))
    uv__fd_close(fd);
  uv__free(stream->queued_fds);
  stream->queued_fds = NULL;
}

/* Queues the descriptors of one control message; after a failure it closes the
 * rest, so that none leaks. */
static int take_fds(uv_stream_t* stream, const struct cmsghdr* cmsg, int err) {
  const unsigned char* data = CMSG_DATA(cmsg);
  size_t count = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);

  for (size_t i = 0; i < count; i++) {
    int fd;
    memcpy(&fd, data + i * sizeof(fd), sizeof(fd));
    if (MSG_CMSG_CLOEXEC == 0 && err == 0)
      err = uv__fd_cloexec(fd, 1);
    if (err == 0)
      err = queue_fd(stream, fd);
    if (err != 0)
      uv__fd_close(fd);
  }
  return err;
}

static int take_control(uv_stream_t* stream, struct msghdr* msg) {
  struct cmsghdr* cmsg;
  int err = 0;

  for (cmsg = CMSG_FIRSTHDR(msg); cmsg != NULL; cmsg = uv__cmsg_next(msg, cmsg))
    if (cmsg->cmsg_level == SOL_SOCKET && cmsg->cmsg_type == SCM_RIGHTS)
      err = take_fds(stream, cmsg, err);
  /* There is room for all, so what is missing was dropped by the kernel. */
  if (err == 0 && (msg->msg_flags & MSG_CTRUNC))
    err = UV_EMFILE;
  return err;
}

ssize_t uv__ipc_receive(uv_stream_t* stream, void* base, size_t len) {
  union {
    struct cmsghdr align;
    char space[CONTROL_SPACE(FDS_PER_MESSAGE)];
  } control;
  struct iovec iov = { .iov_base = base, .iov_len = len };
  struct msghdr msg;
  ssize_t n;

  memset(&msg, 0, sizeof(msg));
  msg.msg_iov = &iov;
  msg.msg_iovlen = 1;
  do {
    msg.msg_control = control.space;
    msg.msg_controllen = sizeof(control.space);
    n = recvmsg(uv__stream_fd(stream), &msg, MSG_CMSG_CLOEXEC);
  } while (n == -1 && errno == EINTR);

  if (n < 0)
    return uv__errno();
  int err = take_control(stream, &msg);
  return err != 0 ? err : n;
}

ssize_t uv__ipc_send(int fd, const uv_buf_t* bufs, unsigned nbufs, int what) {
  union {
    struct cmsghdr align;
    char space[CONTROL_SPACE(1)];
  } control;
  struct msghdr msg;
  ssize_t n;

  memset(&control, 0, sizeof(control));
  memset(&msg, 0, sizeof(msg));
  msg.msg_iov = uv__iovec(bufs);
  msg.msg_iovlen = nbufs;
  msg.msg_control = control.space;
  msg.msg_controllen = sizeof(control.space);

  struct cmsghdr* cmsg = CMSG_FIRSTHDR(&msg);
  cmsg->cmsg_level = SOL_SOCKET;
  cmsg->cmsg_type = SCM_RIGHTS;
  cmsg->cmsg_len = CMSG_LEN(sizeof(what));
  memcpy(CMSG_DATA(cmsg), &what, sizeof(what));

  do
    n = sendmsg(fd, &msg, UV__SEND_FLAGS);
  while (n == -1 && errno == EINTR);
  return n >= 0 ? n : uv__send_error(errno);
}

int uv__pipe_os_pending_count(const uv_pipe_t* pipe) {
  const uv_stream_t* stream = (const uv_stream_t*) pipe;

  if (stream->accepted_fd == -1)
    return 0;
  const struct fd_ring* ring = ring_of(stream);
  return 1 + (ring == NULL ? 0 : (int) ring->count);
}

uv_handle_type uv__pipe_os_pending_type(const uv_pipe_t* pipe) {
  return uv_guess_handle(pipe->accepted_fd);
}
