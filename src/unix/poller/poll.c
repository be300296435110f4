/* SPDX-License-Identifier: MIT */
/* Poller: poll(2). The portable fallback, also used for comparison in tests.
 *
 * One array of pollfd; entry 0 is the wake fd. An index by fd makes changing
 * interest cheap. Waiting takes time proportional to the number of fds, as
 * always with poll(2).
 */
#include "os/loop.h"
#include "unix/fd.h"
#include "unix/poller/scan.h"
#include "unix/wake-fd.h"
#include "util/alloc.h"

#include <string.h>

#define MIN_CAPACITY 64u

struct poll_set {
  struct pollfd* fds;
  unsigned count;
  unsigned capacity;
  unsigned* place; /* by fd: index into fds, 0 if absent */
  unsigned places;
  unsigned turn; /* where the last full batch ended, for fairness */
};

static struct poll_set* set_of(const uv_loop_t* loop) {
  return uv__loop_state(loop)->poller_data;
}

static int reserve_fds(struct poll_set* set) {
  if (set->count < set->capacity)
    return 0;

  unsigned capacity = set->capacity == 0 ? MIN_CAPACITY : set->capacity * 2;
  void* fds = uv__realloc_array(set->fds, capacity, sizeof(*set->fds));
  if (fds == NULL)
    return UV_ENOMEM;
  set->fds = fds;
  set->capacity = capacity;
  return 0;
}

static int reserve_place(struct poll_set* set, unsigned fd) {
  if (fd < set->places)
    return 0;

  unsigned places = set->places == 0 ? MIN_CAPACITY : set->places;
  while (places <= fd)
    places *= 2;
  unsigned* place = uv__realloc_array(set->place, places, sizeof(*place));
  if (place == NULL)
    return UV_ENOMEM;
  memset(place + set->places, 0, (places - set->places) * sizeof(*place));
  set->place = place;
  set->places = places;
  return 0;
}

static int set_add(struct poll_set* set, int fd, unsigned mask) {
  int err = reserve_place(set, (unsigned) fd);
  if (err == 0)
    err = reserve_fds(set);
  if (err != 0)
    return err;

  struct pollfd* entry = &set->fds[set->count];
  entry->fd = fd;
  entry->events = (short) mask;
  entry->revents = 0;
  set->place[fd] = set->count++;
  return 0;
}

static void set_free(struct poll_set* set) {
  uv__free(set->fds);
  uv__free(set->place);
  uv__free(set);
}

static int poll_poller_open(uv_loop_t* loop) {
  struct poll_set* set = uv__calloc(1, sizeof(*set));
  int err;

  if (set == NULL)
    return UV_ENOMEM;
  err = uv__scan_open(loop);
  if (err != 0)
    goto err_free_set;
  err = set_add(set, uv__wake_fd_get(loop), POLLIN);
  if (err != 0)
    goto err_close_wake;

  uv__loop_state(loop)->poller_data = set;
  return 0;

err_close_wake:
  uv__scan_close(loop);
err_free_set:
  set_free(set);
  return err;
}

static void poll_poller_close(uv_loop_t* loop) {
  uv__scan_close(loop);
  set_free(set_of(loop));
  uv__loop_state(loop)->poller_data = NULL;
}

/* Keeps the memory. Without a wake fd the set is empty: it accepts no fds and
 * does not wait, but can be closed. */
static int poll_poller_reopen(uv_loop_t* loop) {
  struct poll_set* set = set_of(loop);

  uv__scan_close(loop);
  memset(set->place, 0, set->places * sizeof(*set->place));
  set->count = 0;

  int err = uv__scan_open(loop);
  if (err != 0)
    return err;
  err = set_add(set, uv__wake_fd_get(loop), POLLIN);
  if (err != 0)
    uv__scan_close(loop);
  return err;
}

static unsigned set_find(const struct poll_set* set, int fd) {
  return (unsigned) fd < set->places ? set->place[fd] : 0;
}

static void watch_forget(uv_loop_t* loop, int fd) {
  struct poll_set* set = set_of(loop);
  unsigned i = set_find(set, fd);

  if (i == 0)
    return;
  set->place[fd] = 0;
  struct pollfd last = set->fds[--set->count];
  if (i < set->count) {
    set->fds[i] = last;
    set->place[last.fd] = i;
  }
}

static int watch_apply(uv_loop_t* loop, int fd, unsigned have, unsigned want) {
  struct poll_set* set = set_of(loop);
  unsigned i = set_find(set, fd);

  if (want == 0) {
    watch_forget(loop, fd);
    return 0;
  }
  if (set->count == 0)
    return UV_EBADF; /* see poll_poller_reopen() */
  if (have == 0 || have == want) {
    int err = uv__scan_probe(loop, fd);
    if (err != 0)
      return err;
  }
  if (i == 0)
    return set_add(set, fd, want);
  set->fds[i].events = (short) want;
  return 0;
}

static int wait_kernel(uv_loop_t* loop, struct poll_set* set, int timeout_ms) {
  sigset_t old;

  uv__scan_block(loop, &old);
  int n = poll(set->fds, set->count, timeout_ms);
  int err = n == -1 ? uv__errno() : 0;
  uv__scan_unblock(loop, &old);

  if (n >= 0)
    return n;
  return err == UV_EINTR ? 0 : err;
}

static int poll_poller_wait(uv_loop_t* loop,
                            struct uv__event* out,
                            int max,
                            int timeout_ms) {
  struct poll_set* set = set_of(loop);
  int n = 0;

  if (set->count == 0)
    return UV_EBADF; /* see poll_poller_reopen() */
  int left = wait_kernel(loop, set, timeout_ms);
  if (left < 0)
    return left;
  if (set->turn >= set->count)
    set->turn = 0;
  unsigned i = set->turn;
  for (unsigned seen = 0; seen < set->count && left > 0 && n < max; seen++) {
    if (set->fds[i].revents != 0) {
      uv__scan_report(loop, &set->fds[i], &out[n++]);
      set->fds[i].revents = 0;
      left--;
    }
    i = i + 1 == set->count ? 0 : i + 1;
  }
  set->turn = left > 0 ? i : 0;
  return n;
}

static int poll_poller_is_empty(const uv_loop_t* loop) {
  return loop->nfds == 0;
}

static const struct uv__watch_ops watch_ops = {
  .probe = uv__scan_probe,
  .apply = watch_apply,
  .forget = watch_forget,
};

const struct uv__poller uv__poller_poll = {
  .name = "poll",
  .open = poll_poller_open,
  .close = poll_poller_close,
  .reopen = poll_poller_reopen,
  .wait = poll_poller_wait,
  .wake = uv__wake_fd_signal,
  .watch = &watch_ops,
  .is_empty = poll_poller_is_empty,
};
