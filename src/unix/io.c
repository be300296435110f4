/* SPDX-License-Identifier: MIT */
/* The fd-indexed watcher table and the two queues of a loop: watchers whose
 * interest changed, and watchers that are to run without waiting. See io.h.
 *
 * uv__io_t.pevents is what the watcher wants, .events what the poller knows.
 */
#include "unix/io.h"
#include "alloc.h"
#include "loop.h"
#include "queue.h"
#include "unix/fd.h"
#include "unix/fs-ring.h"

/* Above the kind in uv__io_t.bits: the poller refused the fd (P4). */
#define REFUSED 0x100u
#define KIND_MASK 0xffu

#define INTEREST (POLLIN | POLLOUT | POLLPRI | POLLRDHUP)
#define MIN_SLOTS 64u

void uv__io_init(uv__io_t* w, enum uv__io_kind kind) {
  w->bits = kind;
  w->fd = -1;
  w->events = 0;
  w->pevents = 0;
  uv__queue_init(&w->pending_queue);
  uv__queue_init(&w->watcher_queue);
}

void uv__io_set_kind(uv__io_t* w, enum uv__io_kind kind) {
  w->bits = (w->bits & ~(uintptr_t) KIND_MASK) | kind;
}

static int grow_table(uv_loop_t* loop, unsigned needed) {
  unsigned size = loop->nwatchers < MIN_SLOTS ? MIN_SLOTS : loop->nwatchers;
  while (size < needed)
    size *= 2;

  uv__io_t** table =
      uv__realloc_array(loop->watchers, size, sizeof(*loop->watchers));
  if (table == NULL)
    return UV_ENOMEM;
  for (unsigned i = loop->nwatchers; i < size; i++)
    table[i] = NULL;

  loop->watchers = table;
  loop->nwatchers = size;
  return 0;
}

int uv__io_attach(uv_loop_t* loop, uv__io_t* w, int fd) {
  assert(fd >= 0);
  if ((unsigned) fd >= loop->nwatchers) {
    int err = grow_table(loop, (unsigned) fd + 1);
    if (err != 0)
      return err;
  }
  w->fd = fd;
  return 0;
}

static struct uv__queue* changed(uv_loop_t* loop) {
  return &loop->watcher_queue;
}

/* Has w in the queue of changes exactly if there is something to commit. */
static void note_change(uv_loop_t* loop, uv__io_t* w) {
  if (w->pevents == w->events)
    uv__queue_remove(&w->watcher_queue);
  else if (uv__queue_empty(&w->watcher_queue))
    uv__queue_push_back(changed(loop), &w->watcher_queue);
}

/* Stopped and known to nobody: the slot is free for another watcher. */
static void drop_if_idle(uv_loop_t* loop, uv__io_t* w) {
  if (w->pevents != 0 || w->events != 0)
    return;
  if (loop->watchers[w->fd] == w) {
    loop->watchers[w->fd] = NULL;
    loop->nfds--;
  }
}

void uv__io_start(uv_loop_t* loop, uv__io_t* w, unsigned events) {
  assert((events & ~(unsigned) INTEREST) == 0);
  assert(w->fd >= 0);
  assert((unsigned) w->fd < loop->nwatchers);

  w->pevents |= events;
  if (loop->watchers[w->fd] == NULL) {
    loop->watchers[w->fd] = w;
    loop->nfds++;
  }
  note_change(loop, w);
}

void uv__io_stop(uv_loop_t* loop, uv__io_t* w, unsigned events) {
  assert((events & ~(unsigned) INTEREST) == 0);
  if (w->fd < 0 || (w->pevents & events) == 0)
    return;

  w->pevents &= ~events;
  note_change(loop, w);
  drop_if_idle(loop, w);
}

void uv__io_close(uv_loop_t* loop, uv__io_t* w) {
  if (w->events != 0)
    uv__loop_state(loop)->poller->watch->forget(loop, w->fd);

  w->events = 0;
  w->pevents = 0;
  w->bits &= ~(uintptr_t) REFUSED;
  uv__queue_remove(&w->watcher_queue);
  uv__queue_remove(&w->pending_queue);
  if (w->fd >= 0)
    drop_if_idle(loop, w);
}

void uv__io_feed(uv_loop_t* loop, uv__io_t* w) {
  if (uv__queue_empty(&w->pending_queue))
    uv__queue_push_back(&loop->pending_queue, &w->pending_queue);
}

int uv__io_fd_taken(const uv_loop_t* loop, int fd) {
  return (unsigned) fd < loop->nwatchers && loop->watchers[fd] != NULL;
}

int uv__io_probe(uv_loop_t* loop, int fd) {
  return uv__loop_state(loop)->poller->watch->probe(loop, fd);
}

static void commit_one(uv_loop_t* loop, uv__io_t* w) {
  const struct uv__watch_ops* watch = uv__loop_state(loop)->poller->watch;
  int err = watch->apply(loop, w->fd, w->events, w->pevents);

  if (err == 0) {
    w->events = w->pevents;
    drop_if_idle(loop, w);
    return;
  }

  /* The watcher hears of it as an error on its fd. Nothing is registered any
   * more, so the next start tries again. */
  watch->forget(loop, w->fd);
  w->events = 0;
  w->bits |= REFUSED;
  uv__io_feed(loop, w);
}

UV__APART static void commit_changes(uv_loop_t* loop) {
  while (!uv__queue_empty(changed(loop))) {
    struct uv__queue* q = uv__queue_pop_front(changed(loop));
    uv__io_t* w = container_of(q, uv__io_t, watcher_queue);
    if (w->pevents != w->events)
      commit_one(loop, w);
  }
}

void uv__loop_os_commit(uv_loop_t* loop) {
  if (!uv__queue_empty(changed(loop)))
    commit_changes(loop);
  uv__fs_ring_commit(loop);
}

int uv__loop_os_uncommitted(const uv_loop_t* loop) {
  return !uv__queue_empty(&loop->watcher_queue) ||
         uv__fs_ring_uncommitted(loop);
}

int uv__loop_os_has_pending(const uv_loop_t* loop) {
  return !uv__queue_empty(&loop->pending_queue);
}

void uv__loop_os_run_pending(uv_loop_t* loop) {
  struct uv__queue round;
  uv__queue_move(&round, &loop->pending_queue);

  while (!uv__queue_empty(&round)) {
    struct uv__queue* q = uv__queue_pop_front(&round);
    uv__io_t* w = container_of(q, uv__io_t, pending_queue);
    unsigned events = w->bits & REFUSED ? POLLERR : POLLOUT;
    w->bits &= ~(uintptr_t) REFUSED;
    uv__io_run(loop, w, events);
  }
}

int uv__io_init_loop(uv_loop_t* loop) {
  uv__queue_init(&loop->pending_queue);
  uv__queue_init(&loop->watcher_queue);
  loop->watchers = NULL;
  loop->nwatchers = 0;
  loop->nfds = 0;
  return 0;
}

void uv__io_close_loop(uv_loop_t* loop) {
  assert(uv__queue_empty(&loop->pending_queue));
  assert(uv__queue_empty(&loop->watcher_queue));
  assert(loop->nfds == 0);
  uv__free(loop->watchers);
  loop->watchers = NULL;
  loop->nwatchers = 0;
}

void uv__io_fork(uv_loop_t* loop) {
  for (unsigned fd = 0; fd < loop->nwatchers; fd++) {
    uv__io_t* w = loop->watchers[fd];
    if (w == NULL)
      continue;
    w->events = 0;
    note_change(loop, w);
    drop_if_idle(loop, w);
  }
}
