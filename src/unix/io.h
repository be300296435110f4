/* SPDX-License-Identifier: MIT */
/* The fd-indexed table of watchers.
 *
 *   attach (may fail: memory) -> start/stop (never fail, no syscall) -> close
 *
 * Interest is committed to the poller once per iteration, and only if the mask
 * differs from what is registered (w->events). A watcher that has not been
 * committed yet cannot have events: this is how stale events of a reused fd are
 * detected (P8).
 */
#ifndef UV_UNIX_IO_H_
#define UV_UNIX_IO_H_

#include "util/base.h"

#include <poll.h>

#ifndef POLLRDHUP
# define POLLRDHUP 0x2000
#endif

/* In uv__io_t.bits, above the kind: restarted and not committed yet. Events
 * collected before that are stale. */
#define UV__IO_RESTARTED 0x200u

/* In the events passed to a handler: a run scheduled by uv__io_feed(), not a
 * report of the poller. */
#define UV__IO_FED 0x10000u

/* The handler: index into the table in io.c. Stored in the low byte of
 * uv__io_t.bits. */
enum uv__io_kind {
  UV__IO_NONE,
  UV__IO_STREAM,        /* uv__stream_io: reading, writing, connecting */
  UV__IO_SERVER,        /* uv__server_io: listening sockets */
  UV__IO_UDP,           /* uv__udp_io */
  UV__IO_UDP_OPTIONS,   /* uv__udp_options_io: uvx_udp_* was used */
  UV__IO_POLL,          /* uv__poll_handle_io */
  UV__IO_FS_EVENT,      /* uv__fs_event_io: inotify */
  UV__IO_SERVER_PAUSED, /* uv__server_paused_io */
  UV__IO_KIND_MAX
};

typedef void uv__io_fn(uv_loop_t* loop, uv__io_t* w, unsigned events);

/* Sets up an idle watcher; fd may be -1 until uv__io_attach(). */
void uv__io_init(uv__io_t* w, enum uv__io_kind kind);

/* Changes the handler (a stream starts listening). */
void uv__io_set_kind(uv__io_t* w, enum uv__io_kind kind);
enum uv__io_kind uv__io_kind(const uv__io_t* w);

/* Sets the fd and reserves its slot in the table, so that start cannot fail: 0,
 * UV_ENOMEM, or UV_EMFILE if the fd is too high for the poller. uv__io_start()
 * takes the slot. */
int uv__io_attach(uv_loop_t* loop, uv__io_t* w, int fd);

/* Adds or removes interest in POLLIN, POLLOUT, POLLPRI, POLLRDHUP. */
void uv__io_start(uv_loop_t* loop, uv__io_t* w, unsigned events);
void uv__io_stop(uv_loop_t* loop, uv__io_t* w, unsigned events);

/* Sets the interest to `events`, not 0, and makes the poller register the fd
 * again even if the mask is the same: the number may belong to another
 * descriptor by now. Drops events already collected for it. */
void uv__io_restart(uv_loop_t* loop, uv__io_t* w, unsigned events);

/* Removes all interest at once, in the poller too, and drops scheduled runs:
 * the fd may be closed after this. w keeps its number and may be started again
 * if the fd stays open. */
void uv__io_close(uv_loop_t* loop, uv__io_t* w);

/* Schedules the handler to run with POLLOUT | UV__IO_FED in the next pending
 * phase: for results that are known but must not be delivered inline. */
void uv__io_feed(uv_loop_t* loop, uv__io_t* w);

/* Cancels that; the work has been done. */
void uv__io_unfeed(uv__io_t* w);

/* Is there interest in any of `events`? */
static inline int uv__io_wants(const uv__io_t* w, unsigned events) {
  return (w->pevents & events) != 0;
}

/* Does a watcher have interest in this fd? */
int uv__io_fd_taken(const uv_loop_t* loop, int fd);

/* Can the poller watch this fd? 0, UV_EPERM (regular file), UV_EBADF... */
int uv__io_probe(uv_loop_t* loop, int fd);

/* loop.c only. */
void uv__io_init_loop(uv_loop_t* loop);
void uv__io_close_loop(uv_loop_t* loop);
void uv__io_fork(uv_loop_t* loop);

#endif /* UV_UNIX_IO_H_ */
