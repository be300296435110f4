/* SPDX-License-Identifier: MIT */
/* The life of a handle, the same for every type and platform.
 *
 *   init -> [start <-> stop]* -> close -> (finish) -> close_cb
 *
 * H1  loop->active_handles counts handles that are active and referenced, plus
 *     those whose close waits for something (UV__CLOSE_LATER). What is closed
 *     and not reported yet is in loop->closing_handles, or in the hands of the
 *     close phase, which reports it whatever the callbacks before it do.
 * H2  a class's close() returns "done", "later" or "after"; finish() "done" or
 *     "again".
 * H3  close_cb runs once, in the close phase only; before it run only
 *     cancellations of the handle's own requests.
 * H4  a handle is in loop->handle_queue exactly from init until closed.
 * H5  the close phase reads neither `data` nor `loop` of a handle without
 *     requests: some programs free it right after uv_close(), and that works
 *     because free() overwrites only the first two words.
 */
#ifndef UV_HANDLE_H_
#define UV_HANDLE_H_

#include "loop/check.h"
#include "observe/hooks.h"
#include "util/base.h"
#include "util/queue.h"

/* uv_handle_t.flags. The bits have libuv's values, although they are private:
 * programs exist that set or test them (uvloop sets UV__READABLE on a pipe it
 * only writes to). What libuv has no bit for is marked "ours" and lies in bits
 * that it leaves free: 8 and 10 for all handles, 27-30 for the type or the
 * platform, named in its header. test/abi/flags holds the values. */
enum {
  UV__CLOSING = 0x1,   /* from uv_close() on */
  UV__CLOSED = 0x2,    /* close_cb is about to run or has run */
  UV__ACTIVE = 0x4,    /* started */
  UV__REF = 0x8,       /* keeps the loop alive while active */
  UV__INTERNAL = 0x10, /* internal: not counted, not walked */

  /* streams and udp */
  UV__LISTENING = 0x40,           /* a server */
  UV__CONNECTED = 0x80,           /* a stream that has a peer */
  UV__SHUTTING = 0x100,           /* ours: uv_shutdown() called, not finished */
  UV__SHUT = 0x200,               /* our side is shut down */
  UV__READ_EOF = 0x800,           /* the peer will send no more */
  UV__READING = 0x1000,           /* read_start/recv_start in effect */
  UV__BOUND = 0x2000,             /* has a local address */
  UV__READABLE = 0x4000,          /* opened for reading */
  UV__WRITABLE = 0x8000,          /* opened for writing, not shut down */
  UV__READ_PENDING = 0x10000,     /* Windows: read_req/recv_req in progress */
  UV__BLOCKING_WRITES = 0x100000, /* writes wait for the device */
  UV__IPV6 = 0x400000,            /* the socket is AF_INET6 */

  /* tcp */
  UV__TCP_NODELAY = 0x1000000,
  UV__TCP_KEEPALIVE = 0x2000000,
  UV__TCP_SINGLE_ACCEPT = 0x4000000, /* Windows: one accept at a time */

  /* udp */
  UV__UDP_DRAINING = 0x1000000,  /* send callbacks are running */
  UV__UDP_CONNECTED = 0x2000000, /* has a peer */
  UV__UDP_RECVMMSG = 0x4000000,  /* batch receive asked for at init */

  /* pipe */
  UV__PIPE_SYNC = 0x1000000,   /* Windows: the OS handle is synchronous */
  UV__PIPE_SERVER = 0x2000000, /* Windows: pipe.serv is set up */

  /* tty */
  UV__TTY_INPUT = 0x1000000, /* Windows: tty.rd is valid, else tty.wr */

  /* signal */
  UV__SIGNAL_ONE_SHOT = 0x2000000,
  UV__SIGNAL_REPORTING = 0x8000000, /* ours: its callback is running */

  /* process */
  UV__PROCESS_REAPED = 0x1000000, /* the pid no longer belongs to the child */

  /* poll */
  UV__POLL_ATTACHED = 0x8000000 /* ours: occupies the loop's slot of its fd */
};

enum uv__close_result {
  UV__CLOSE_DONE,  /* nothing outstanding: finish in this iteration */
  UV__CLOSE_LATER, /* the class calls uv__handle_close_later_done() */
  /* The class calls uv__handle_close_after_done(); until then requests or other
   * handles of its own keep the loop alive. */
  UV__CLOSE_AFTER
};

enum uv__finish_result { UV__FINISH_DONE, UV__FINISH_AGAIN };

struct uv__handle_class {
  /* Stops everything and gives the fd back. Called once, inside uv_close(). */
  enum uv__close_result (*close)(uv_handle_t* handle);
  /* In the close phase, before close_cb: delivers cancellations. Or NULL. */
  enum uv__finish_result (*finish)(uv_handle_t* handle);
  /* Stores the fd. NULL where the type has none (UV_EINVAL). */
  int (*get_fd)(const uv_handle_t* handle, uv_os_fd_t* fd);
};

/* Adds a new handle to its loop: inactive, referenced. Inline: a call takes a
 * quarter of the time that it takes to initialise a simple handle. */
static inline void uv__handle_init(uv_loop_t* loop,
                                   uv_handle_t* handle,
                                   uv_handle_type type) {
  uv__hook_handle_init(loop, handle, type);
  handle->loop = loop;
  handle->type = type;
  uv__debug_check(uv__loop_check_thread(loop, UV__RULE_INIT_THREAD, handle));
  handle->close_cb = NULL;
  handle->next_closing = NULL;
  handle->flags = UV__REF;
  uv__queue_push_back(&loop->handle_queue, &handle->handle_queue);
}

/* Undoes uv__handle_init() when the public init function fails, or for an
 * internal handle of a loop that is being closed. */
void uv__handle_discard(uv_handle_t* handle);

/* Called by a class that returned UV__CLOSE_LATER when close_cb may run. */
void uv__handle_close_later_done(uv_handle_t* handle);

/* The same for UV__CLOSE_AFTER. */
void uv__handle_close_after_done(uv_handle_t* handle);

/* Marks an internal handle: not counted, not walked. */
void uv__handle_make_internal(uv_handle_t* handle);

/* Leaves a handle to the close phase, which finishes it (handle-finish.h). */
static inline void uv__handle_push_closing(uv_loop_t* loop,
                                           uv_handle_t* handle) {
  handle->next_closing = loop->closing_handles;
  loop->closing_handles = handle;
}

static inline int uv__is_active(const uv_handle_t* handle) {
  return (handle->flags & UV__ACTIVE) != 0;
}

static inline int uv__is_closing(const uv_handle_t* handle) {
  return (handle->flags & (UV__CLOSING | UV__CLOSED)) != 0;
}

/* Both are idempotent. Only these and handle.c maintain H1. */
static inline void uv__handle_start(uv_handle_t* handle) {
  if (uv__is_active(handle))
    return;
  handle->flags |= UV__ACTIVE;
  handle->loop->active_handles += (handle->flags & UV__REF) != 0;
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
