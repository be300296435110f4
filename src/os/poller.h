/* SPDX-License-Identifier: MIT */
/* The seam between the loop and what the kernel offers for waiting.
 *
 * P1  loop thread only, except wake() and post().
 * P2  level semantics: what is still ready is reported again. POLLHUP without
 *     POLLIN, where that is of interest, means that there is nothing to read.
 * P3  wait() runs no user code, never sleeps past timeout_ms, may return 0
 *     early.
 * P4  a failed apply() is returned; the driver reports POLLERR to that watcher.
 *     Nothing ends the process.
 * P5  forget() runs before the fd is closed; afterwards nothing is reported for
 *     it until it is applied again.
 * P6  wake() is sticky: a wake before the wait ends that wait at once. On unix
 *     it reads nothing of the loop but its state.
 * P7  a backend keeps fds and masks only: fork is reopen() and apply again.
 * P8  events may be stale; the driver filters.
 */
#ifndef UV_OS_POLLER_H_
#define UV_OS_POLLER_H_

#include "util/base.h"

enum uv__event_kind {
  UV__EVENT_IO,    /* key: fd, bits: POLL* */
  UV__EVENT_WAKE,  /* wake() was called */
  UV__EVENT_CHILD, /* key: pid */
  UV__EVENT_REQ    /* key: uv_req_t*, bits: completion key */
};

struct uv__event {
  uintptr_t key;
  uint32_t bits;
  uint32_t kind; /* enum uv__event_kind */
};

/* Readiness backends. Masks are POLLIN | POLLOUT | POLLPRI | POLLRDHUP. */
struct uv__watch_ops {
  /* 0 if the backend can watch the fd, else UV_EPERM, UV_EBADF... Changes
   * nothing. */
  int (*probe)(uv_loop_t* loop, int fd);
  /* Changes the interest in fd from `have` (0: not known to the backend) to
   * `want` (0: stop). Equal, they ask to register the fd again: the number may
   * be another descriptor's by now. On failure the old interest may be lost. */
  int (*apply)(uv_loop_t* loop, int fd, unsigned have, unsigned want);
  /* P5. */
  void (*forget)(uv_loop_t* loop, int fd);
  /* Reports UV__EVENT_CHILD, once, when pid ends; after the other events of
   * that wait. It may come a moment before the child can be waited for. NULL:
   * the backend has no such thing. UV_ESRCH: it has ended already; any other
   * error: it will not be reported. Children are forgotten by reopen() only. */
  int (*watch_child)(uv_loop_t* loop, int pid);
};

struct uv__poller {
  const char* name;
  /* Makes the loop's instance, in loop->backend_fd and state->poller_data. */
  int (*open)(uv_loop_t* loop);
  void (*close)(uv_loop_t* loop);
  /* Child side of fork: a fresh instance that shares nothing with the parent's;
   * the old one is given up. All interest is gone (P7). */
  int (*reopen)(uv_loop_t* loop);
  /* Fills at most `max` events; returns how many, or UV_E*. timeout_ms -1 waits
   * for ever. An interrupted wait returns 0 (P3). */
  int (*wait)(uv_loop_t* loop, struct uv__event* out, int max, int timeout_ms);
  /* Context: any | signal. Returns 0 or UV_E*. */
  int (*wake)(uv_loop_t* loop);
  /* Completion ports: enqueues a completed request, which wait() will report as
   * UV__EVENT_REQ. NULL elsewhere. Context: any. */
  void (*post)(uv_loop_t* loop, uv_req_t* req);
  const struct uv__watch_ops* watch; /* NULL for completion ports */
  /* 1 if nothing is watched, so that a wait that does not block could report
   * nothing but wakes. May be NULL: not known. */
  int (*is_empty)(const uv_loop_t* loop);
  /* Events that were waiting for the loop are counted as such (events_waiting
   * of uv_metrics_t) even if idle time is not measured. */
  int counts_waiting;
  /* Descriptors with this number or a higher one cannot be watched; handles do
   * not take them (UV_EMFILE). 0: any can. */
  unsigned fd_limit;
};

/* The backend a new loop gets: the platform's best, or the one the environment
 * variable UV_POLLER names. */
const struct uv__poller* uv__poller_os_choose(void);

/* By name; NULL if not compiled in. */
const struct uv__poller* uv__poller_os_find(const char* name);

/* Backends compiled in, NULL-terminated, best first. */
extern const struct uv__poller* const uv__poller_os_list[];

#endif /* UV_OS_POLLER_H_ */
