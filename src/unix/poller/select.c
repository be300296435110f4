/* SPDX-License-Identifier: MIT */
/* Poller: select(2), the oldest interface; for comparison and tests.
 *
 *   select() with copies of the sets -> poll() of the ready fds, without
 *   waiting, for the exact events: select() reports a hangup as readable
 *
 * An fd of FD_SETSIZE or above does not fit into the sets: UV_EMFILE.
 *
 * select() cannot wait for a hangup alone: data makes a descriptor readable as
 * well. A watcher without interest in data waits for both. If only data
 * arrives, the descriptor is put on hold: it leaves the sets and is polled
 * every HOLD_MS.
 */
#include "os/loop.h"
#include "unix/fd.h"
#include "unix/io.h"
#include "unix/poller/scan.h"
#include "unix/wake-fd.h"
#include "util/alloc.h"

#include <string.h>
#include <sys/select.h>
#include <sys/time.h>

#define HOLD_MS 20

enum { TO_READ, TO_WRITE, EXCEPTIONAL, SETS };

/* The interest that puts an fd into each set, and what membership means if
 * poll() has no result. */
static const struct {
  unsigned wanted;
  unsigned meaning;
} kinds[SETS] = {
  [TO_READ] = { POLLIN | POLLPRI | POLLRDHUP, POLLIN },
  [TO_WRITE] = { POLLOUT, POLLOUT },
  [EXCEPTIONAL] = { POLLPRI, POLLPRI },
};

struct select_set {
  fd_set sets[SETS];
  short want[FD_SETSIZE];         /* by fd: POLL*, 0 if not watched */
  unsigned char held[FD_SETSIZE]; /* by fd: on hold */
  unsigned held_count;
  int end;     /* above the highest fd that is watched */
  int next_fd; /* the fd where the last full batch ended */
};

static struct select_set* set_of(const uv_loop_t* loop) {
  return uv__loop_state(loop)->poller_data;
}

/* Updates the sets from `want` and `held`. */
static void set_refresh(struct select_set* set, int fd) {
  for (int i = 0; i < SETS; i++)
    if ((set->want[fd] & kinds[i].wanted) && !(i == TO_READ && set->held[fd]))
      FD_SET(fd, &set->sets[i]);
    else
      FD_CLR(fd, &set->sets[i]);
}

static void set_hold(struct select_set* set, int fd, int on) {
  if (set->held[fd] == on)
    return;
  set->held[fd] = (unsigned char) on;
  set->held_count += on ? 1u : -1u;
  set_refresh(set, fd);
}

static void set_put(struct select_set* set, int fd, unsigned mask) {
  set->want[fd] = (short) mask;
  set_hold(set, fd, 0);
  set_refresh(set, fd);
  if (mask != 0 && fd >= set->end)
    set->end = fd + 1;
  while (set->end > 0 && set->want[set->end - 1] == 0)
    set->end--;
}

/* After a failed reopen() the set is empty: it accepts no fds and does not
 * wait, but can be closed. */
static int set_begin(uv_loop_t* loop, struct select_set* set) {
  memset(set, 0, sizeof(*set));
  int err = uv__scan_open(loop);
  if (err != 0)
    return err;

  if (uv__wake_fd_get(loop) >= FD_SETSIZE) {
    uv__scan_close(loop);
    return UV_EMFILE;
  }
  set_put(set, uv__wake_fd_get(loop), POLLIN);
  return 0;
}

static int select_poller_open(uv_loop_t* loop) {
  struct select_set* set = uv__malloc(sizeof(*set));
  if (set == NULL)
    return UV_ENOMEM;

  int err = set_begin(loop, set);
  if (err != 0)
    uv__free(set);
  else
    uv__loop_state(loop)->poller_data = set;
  return err;
}

static void select_poller_close(uv_loop_t* loop) {
  uv__scan_close(loop);
  uv__free(set_of(loop));
  uv__loop_state(loop)->poller_data = NULL;
}

static int select_poller_reopen(uv_loop_t* loop) {
  uv__scan_close(loop);
  return set_begin(loop, set_of(loop));
}

static int watch_probe(uv_loop_t* loop, int fd) {
  return fd >= FD_SETSIZE ? UV_EMFILE : uv__scan_probe(loop, fd);
}

static void watch_forget(uv_loop_t* loop, int fd) {
  if (fd < FD_SETSIZE)
    set_put(set_of(loop), fd, 0);
}

static int watch_apply(uv_loop_t* loop, int fd, unsigned have, unsigned want) {
  struct select_set* set = set_of(loop);

  if (want == 0) {
    watch_forget(loop, fd);
    return 0;
  }
  if (set->end == 0)
    return UV_EBADF; /* see set_begin() */
  if (have == 0 || have == want) {
    int err = watch_probe(loop, fd);
    if (err != 0)
      return err;
  }
  set_put(set, fd, want);
  return 0;
}

/* The result of select(): the sets, or `failed` with the reason. */
struct result {
  fd_set sets[SETS];
  int count; /* total number of members */
  int failed;
};

static void wait_kernel(uv_loop_t* loop,
                        const struct select_set* set,
                        int timeout_ms,
                        struct result* result) {
  struct timeval tv = {
    .tv_sec = timeout_ms / 1000,
    .tv_usec = timeout_ms % 1000 * 1000,
  };
  sigset_t old;

  memcpy(result->sets, set->sets, sizeof(result->sets));
  uv__scan_block(loop, &old);
  int n = select(set->end, &result->sets[TO_READ], &result->sets[TO_WRITE],
                 &result->sets[EXCEPTIONAL], timeout_ms < 0 ? NULL : &tv);
  result->failed = n == -1 ? uv__errno() : 0;
  uv__scan_unblock(loop, &old);
  result->count = n;
}

static unsigned result_sets(const struct result* result, int fd) {
  unsigned count = 0;
  for (int i = 0; i < SETS; i++)
    count += FD_ISSET(fd, &result->sets[i]) != 0;
  return count;
}

static unsigned result_bits(const struct result* result, int fd) {
  unsigned bits = 0;
  for (int i = 0; i < SETS; i++)
    if (FD_ISSET(fd, &result->sets[i]))
      bits |= kinds[i].meaning;
  return bits;
}

/* Collects up to `max` fds for poll(): those that are ready or on hold, and all
 * of them if select() met a closed descriptor. Starts where the last batch
 * ended. */
static int collect_ready(struct select_set* set,
                         const struct result* result,
                         struct pollfd* ready,
                         int max) {
  int all_fds = result->failed == UV_EBADF;
  int fd = set->next_fd < set->end ? set->next_fd : 0;
  int n = 0;

  for (int seen = 0; seen < set->end && n < max; seen++) {
    int is_ready = !result->failed && result_sets(result, fd) != 0;
    if (set->want[fd] != 0 && (all_fds || is_ready || set->held[fd])) {
      ready[n].fd = fd;
      ready[n].events = (short) (set->want[fd] | POLLIN);
      ready[n++].revents = 0;
    }
    fd = fd + 1 == set->end ? 0 : fd + 1;
  }
  set->next_fd = n == max ? fd : 0;
  return n;
}

/* Returns the bits of interest, and decides whether the fd is put on hold. */
static short classify_ready(struct select_set* set,
                            const struct result* result,
                            const struct pollfd* entry) {
  int fd = entry->fd;
  unsigned want = (unsigned) set->want[fd];
  unsigned bits = (unsigned) entry->revents;

  /* poll() does not support every device that select() does. */
  if ((bits & POLLNVAL) && !result->failed)
    bits = result_bits(result, fd);
  int has_data = (bits & POLLIN) != 0;
  bits &= want | POLLERR | POLLHUP | POLLNVAL;
  set_hold(set, fd, bits == 0 && has_data && !(want & POLLIN));
  return (short) bits;
}

static int has_result(const struct select_set* set,
                      const struct result* result) {
  if (result->failed)
    return result->failed == UV_EBADF;
  return result->count > 0 || set->held_count > 0;
}

static int select_poller_wait(uv_loop_t* loop,
                              struct uv__event* out,
                              int max,
                              int timeout_ms) {
  struct select_set* set = set_of(loop);
  struct pollfd ready[FD_SETSIZE];
  struct result result;
  int n = 0;

  if (set->end == 0)
    return UV_EBADF; /* see set_begin() */
  if (set->held_count > 0 && (timeout_ms < 0 || timeout_ms > HOLD_MS))
    timeout_ms = HOLD_MS;
  wait_kernel(loop, set, timeout_ms, &result);
  if (!has_result(set, &result))
    return result.failed == UV_EINTR ? 0 : result.failed;

  int count =
      collect_ready(set, &result, ready, max < FD_SETSIZE ? max : FD_SETSIZE);
  if (poll(ready, (nfds_t) count, 0) < 0)
    return uv__errno() == UV_EINTR ? 0 : uv__errno();
  for (int i = 0; i < count; i++) {
    ready[i].revents = classify_ready(set, &result, &ready[i]);
    if (ready[i].revents != 0)
      uv__scan_report(loop, &ready[i], &out[n++]);
  }
  return n;
}

static int select_poller_is_empty(const uv_loop_t* loop) {
  return loop->nfds == 0;
}

static const struct uv__watch_ops watch_ops = {
  .probe = watch_probe,
  .apply = watch_apply,
  .forget = watch_forget,
};

const struct uv__poller uv__poller_select = {
  .name = "select",
  .open = select_poller_open,
  .close = select_poller_close,
  .reopen = select_poller_reopen,
  .wait = select_poller_wait,
  .wake = uv__wake_fd_signal,
  .watch = &watch_ops,
  .is_empty = select_poller_is_empty,
  .fd_limit = FD_SETSIZE,
};
