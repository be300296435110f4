/* SPDX-License-Identifier: MIT */
/* The life of a handle, the same for every type and platform.
 *
 *   init -> [start <-> stop]* -> close -> (finish) -> close_cb
 *
 * H1  loop->active_handles counts handles that are active and referenced, plus
 *     handles that are closing.
 * H2  a class's close() answers "done" or "later"; finish() "done" or "again".
 * H3  close_cb runs once, in the close phase only; before it run only
 *     cancellations of the handle's own requests.
 * H4  a handle is in loop->handle_queue exactly from init until closed.
 */
#ifndef UV_HANDLE_H_
#define UV_HANDLE_H_

#include "base.h"
#include "queue.h"

/* uv_handle_t.flags. Bits 0-7 belong to every handle; the others to the type
 * named, and are handed out here so that no two meanings meet in one handle. */
enum {
  UV__ACTIVE = 1u << 0,   /* started */
  UV__REF = 1u << 1,      /* keeps the loop alive while active */
  UV__INTERNAL = 1u << 2, /* the library's own: not counted, not walked */
  UV__CLOSING = 1u << 3,  /* from uv_close() on */
  UV__CLOSED = 1u << 4,   /* close_cb is about to run or has run */

  /* streams and udp */
  UV__BOUND = 1u << 8,      /* has a local address */
  UV__CONNECTED = 1u << 9,  /* has a peer */
  UV__READING = 1u << 10,   /* read_start/recv_start in effect */
  UV__READABLE = 1u << 11,  /* opened for reading */
  UV__WRITABLE = 1u << 12,  /* opened for writing, not shut down */
  UV__READ_EOF = 1u << 13,  /* the peer will send no more */
  UV__LISTENING = 1u << 14, /* a server */
  UV__SHUTTING = 1u << 15,  /* uv_shutdown() called, not finished */
  UV__SHUT = 1u << 16,      /* our side is shut down */
  UV__IPV6 = 1u << 17,      /* the socket is AF_INET6 */
  UV__CANCELLING = 1u << 18, /* cancellation callbacks are running */

  /* Fixed by libuv's test-tty.c, which looks at this bit. */
  UV__BLOCKING_WRITES = 1u << 20, /* writes wait for the device */

  /* tcp */
  UV__TCP_NODELAY = 1u << 21,
  UV__TCP_KEEPALIVE = 1u << 22,

  /* udp */
  UV__UDP_RECVMMSG = 1u << 21,  /* batch receive asked for at init */
  UV__UDP_DRAINING = 1u << 22,  /* send callbacks are running */
  UV__UDP_RECVERR = 1u << 23,   /* error queue is read */

  /* signal */
  UV__SIGNAL_ONE_SHOT = 1u << 21,

  /* process */
  UV__PROCESS_REAPED = 1u << 21, /* the pid no longer belongs to the child */

  /* poll */
  UV__POLL_ATTACHED = 1u << 21, /* occupies the loop's slot of its fd */

  /* 24-31: free for the platform's own use, named in its -impl.h */
};

enum uv__close_answer {
  UV__CLOSE_DONE, /* nothing outstanding: finish in this iteration */
  UV__CLOSE_LATER /* the class calls uv__handle_close_later_done() */
};

enum uv__finish_answer { UV__FINISH_DONE, UV__FINISH_AGAIN };

struct uv__handle_class {
  /* Stops everything and gives the fd back. Called once, inside uv_close(). */
  enum uv__close_answer (*close)(uv_handle_t* handle);
  /* In the close phase, before close_cb: delivers cancellations. Or NULL. */
  enum uv__finish_answer (*finish)(uv_handle_t* handle);
  /* Stores the fd. NULL where the type has none (UV_EINVAL). */
  int (*fileno)(const uv_handle_t* handle, uv_os_fd_t* fd);
};

/* Indexed by uv_handle_type; no close() where the type is abstract. One array
 * per platform, in its handle-class.c. */
extern const struct uv__handle_class uv__handle_classes[UV_HANDLE_TYPE_MAX];

/* Puts a new handle into its loop: inactive, referenced. */
void uv__handle_init(uv_loop_t* loop, uv_handle_t* handle, uv_handle_type type);

/* Takes back uv__handle_init() where the public init function fails. */
void uv__handle_discard(uv_handle_t* handle);

/* A class that answered UV__CLOSE_LATER is through: close_cb may run. */
void uv__handle_close_later_done(uv_handle_t* handle);

/* Marks handles of our own: not counted, not walked. */
void uv__handle_make_internal(uv_handle_t* handle);

/* The close phase: finishes the handles that were queued when it began. */
void uv__handle_run_closing(uv_loop_t* loop);

/* SO_SNDBUF or SO_RCVBUF of a TCP, UDP or pipe handle: stored if *value is 0,
 * else set. 0, UV_EBADF without a socket, UV_E*. Platform part. */
int uv__handle_os_buffer_size(uv_handle_t* handle, int option, int* value);

static inline int uv__is_active(const uv_handle_t* handle) {
  return (handle->flags & UV__ACTIVE) != 0;
}

static inline int uv__is_closing(const uv_handle_t* handle) {
  return (handle->flags & (UV__CLOSING | UV__CLOSED)) != 0;
}

/* Idempotent, both. H1 is kept here and in handle.c only. */
static inline void uv__handle_start(uv_handle_t* handle) {
  if (uv__is_active(handle))
    return;
  handle->flags |= UV__ACTIVE;
  if (handle->flags & UV__REF)
    handle->loop->active_handles++;
}

static inline void uv__handle_stop(uv_handle_t* handle) {
  if (!uv__is_active(handle))
    return;
  handle->flags &= ~UV__ACTIVE;
  if (handle->flags & UV__REF)
    handle->loop->active_handles--;
}

/* The base of any handle type; the argument is a pointer to one. */
#define uv__base(h) ((uv_handle_t*) (h))

#endif /* UV_HANDLE_H_ */
