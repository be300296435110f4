/* SPDX-License-Identifier: MIT */
/* Which fd interests whom: the fd-indexed table of watchers.
 *
 *   attach (may fail: memory) -> start/stop (never fail, no syscall) -> close
 *
 * Interest is committed to the poller once per iteration, and only where there
 * is some and the mask differs from what the poller knows (w->events). A
 * watcher that has not been committed yet cannot have events: that is how stale
 * events of a recycled fd are told apart (P8).
 */
#ifndef UV_UNIX_IO_H_
#define UV_UNIX_IO_H_

#include "base.h"

#include <poll.h>

#ifndef POLLRDHUP
# define POLLRDHUP 0x2000
#endif

/* In uv__io_t.bits, above the kind: restarted and not committed yet. Events
 * that were collected before are stale. */
#define UV__IO_RESTARTED 0x200u

/* Who handles the events: index into the table in io.c. Stored in the low
 * byte of uv__io_t.bits. */
enum uv__io_kind {
  UV__IO_NONE,
  UV__IO_STREAM,     /* uv__stream_io: reading, writing, connecting */
  UV__IO_SERVER,     /* uv__server_io: listening sockets */
  UV__IO_UDP,        /* uv__udp_io */
  UV__IO_POLL,       /* uv__poll_handle_io */
  UV__IO_FS_EVENT,   /* uv__fs_event_io: inotify */
  UV__IO_KIND_MAX
};

typedef void uv__io_fn(uv_loop_t* loop, uv__io_t* w, unsigned events);

/* Sets up an idle watcher; fd may be -1 until uv__io_attach(). */
void uv__io_init(uv__io_t* w, enum uv__io_kind kind);

/* Changes who handles the events (a stream starts listening). */
void uv__io_set_kind(uv__io_t* w, enum uv__io_kind kind);

/* Gives the watcher its fd and reserves the table's slot, so that start cannot
 * fail: 0, UV_ENOMEM, or UV_EMFILE if the number is beyond what the poller can
 * watch. The slot itself is taken by uv__io_start(). */
int uv__io_attach(uv_loop_t* loop, uv__io_t* w, int fd);

/* Adds or removes interest in POLLIN, POLLOUT, POLLPRI, POLLRDHUP. */
void uv__io_start(uv_loop_t* loop, uv__io_t* w, unsigned events);
void uv__io_stop(uv_loop_t* loop, uv__io_t* w, unsigned events);

/* Sets the interest to `events`, not 0, and has the poller register the fd
 * again even if the mask is the same: the number may be another descriptor's by
 * now. What was collected for it before is not delivered any more. */
void uv__io_restart(uv_loop_t* loop, uv__io_t* w, unsigned events);

/* Removes all interest at once, in the poller too, and drops pending runs: the
 * fd may be closed after this. w keeps its number and may be started again if
 * the fd stays open. */
void uv__io_close(uv_loop_t* loop, uv__io_t* w);

/* Has the handler run with POLLOUT without waiting, in the next pending round:
 * for results that are known already but must not be delivered inline. */
void uv__io_feed(uv_loop_t* loop, uv__io_t* w);

/* Takes that back: what it was for has been done. */
void uv__io_unfeed(uv__io_t* w);

/* Is there interest in any of `events`? */
static inline int uv__io_wants(const uv__io_t* w, unsigned events) {
  return (w->pevents & events) != 0;
}

/* Has a watcher interest in this fd? */
int uv__io_fd_taken(const uv_loop_t* loop, int fd);

/* Can the poller watch this fd? 0, UV_EPERM (regular file), UV_EBADF... */
int uv__io_probe(uv_loop_t* loop, int fd);

/* loop.c only. */
int uv__io_init_loop(uv_loop_t* loop);
void uv__io_close_loop(uv_loop_t* loop);
void uv__io_fork(uv_loop_t* loop);

#endif /* UV_UNIX_IO_H_ */
