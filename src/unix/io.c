/* SPDX-License-Identifier: MIT */
/* The fd-indexed watcher table and two queues of a loop: watchers whose
 * interest changed, and watchers to run without waiting. See io.h.
 *
 * uv__io_t.pevents is the interest of the watcher, .events what the poller has
 * registered. Only the watcher in the slot of its fd talks to the poller, so
 * .events is 0 in all others. The first watcher to start owns the slot until it
 * stops; the next one to start takes it over together with the registration.
 *
 * A stopped watcher stays registered until its fd is ready. If it starts again
 * before that, the poller needs no update.
 */
#include "unix/io.h"
#include "loop/loop.h"
#include "os/loop.h"
#include "pool/done.h"
#include "unix/async.h"
#include "unix/fs-event/fs-event.h"
#include "unix/loop.h"
#include "unix/poll-handle.h"
#include "unix/process.h"
#include "unix/signal.h"
#include "unix/stream.h"
#include "unix/udp.h"
#include "unix/uring/fs-uring.h"
#include "util/alloc.h"
#include "util/queue.h"

/* uv__io_t.bits: the kind, and above it whether the poller refused the fd (P4).
 */
#define KIND_MASK 0xffu
#define REFUSED 0x100u
#define RESTARTED UV__IO_RESTARTED

static_assert((RESTARTED & (REFUSED | KIND_MASK)) == 0, "bits of their own");

#define INTEREST (POLLIN | POLLOUT | POLLPRI | POLLRDHUP)
#define MIN_SLOTS 64u
#define SLOTS_UNIT 16u

/* The handler for each kind of watcher. */
static uv__io_fn* const io_handlers[] = {
  [UV__IO_NONE] = NULL,
  [UV__IO_STREAM] = uv__stream_io,
  [UV__IO_SERVER] = uv__server_io,
  [UV__IO_UDP] = uv__udp_io,
  [UV__IO_UDP_OPTIONS] = uv__udp_options_io,
  [UV__IO_POLL] = uv__poll_handle_io,
  [UV__IO_FS_EVENT] = uv__fs_event_io,
  [UV__IO_SERVER_PAUSED] = uv__server_paused_io,
};

static_assert(ARRAY_SIZE(io_handlers) == UV__IO_KIND_MAX,
              "a handler for every kind");

/* Runs w's handler. */
static void io_run(uv_loop_t* loop, uv__io_t* w, unsigned events) {
  assert((w->bits & KIND_MASK) != UV__IO_NONE);
  assert((w->bits & KIND_MASK) < UV__IO_KIND_MAX);
  io_handlers[w->bits & KIND_MASK](loop, w, events);
}

void uv__io_init(uv__io_t* w, enum uv__io_kind kind) {
  assert(kind < UV__IO_KIND_MAX);
  w->bits = kind;
  w->fd = -1;
  w->events = 0;
  w->pevents = 0;
  uv__queue_init(&w->pending_queue);
  uv__queue_init(&w->watcher_queue);
}

void uv__io_set_kind(uv__io_t* w, enum uv__io_kind kind) {
  assert(kind > UV__IO_NONE);
  assert(kind < UV__IO_KIND_MAX);
  w->bits = (w->bits & ~(uintptr_t) KIND_MASK) | kind;
}

enum uv__io_kind uv__io_kind(const uv__io_t* w) {
  return (enum uv__io_kind)(w->bits & KIND_MASK);
}

/* Grows by a quarter rather than doubling: unused slots cost 8 bytes each. */
static int grow_table(uv_loop_t* loop, unsigned needed) {
  unsigned size = loop->nwatchers + loop->nwatchers / 4;
  if (size < MIN_SLOTS)
    size = MIN_SLOTS;
  if (size < needed)
    size = needed;
  size = (size + SLOTS_UNIT - 1) / SLOTS_UNIT * SLOTS_UNIT;

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
  unsigned limit = uv__loop_state(loop)->poller->fd_limit;

  assert(fd >= 0);
  if (limit != 0 && (unsigned) fd >= limit)
    return UV_EMFILE;
  if ((unsigned) fd >= loop->nwatchers) {
    int err = grow_table(loop, (unsigned) fd + 1);
    if (err != 0)
      return err;
  }
  w->fd = fd;
  return 0;
}

static struct uv__queue* changed_queue(uv_loop_t* loop) {
  return &loop->watcher_queue;
}

static int has_changed(const uv_loop_t* loop, const uv__io_t* w) {
  if (w->pevents == 0 || loop->watchers[w->fd] != w)
    return 0;
  return w->pevents != w->events || (w->bits & RESTARTED);
}

static void queue_change(uv_loop_t* loop, uv__io_t* w) {
  if (uv__queue_empty(&w->watcher_queue))
    uv__queue_push_back(changed_queue(loop), &w->watcher_queue);
  uv__loop_changed(loop);
}

/* Keeps w in the queue of changes exactly while there is something to
 * commit. */
static void update_change(uv_loop_t* loop, uv__io_t* w) {
  if (has_changed(loop, w))
    queue_change(loop, w);
  else
    uv__queue_remove(&w->watcher_queue);
}

/* Frees the slot of a watcher that is stopped and not registered. */
static void drop_if_idle(uv_loop_t* loop, uv__io_t* w) {
  if (w->pevents != 0 || w->events != 0)
    return;
  if (loop->watchers[w->fd] == w) {
    loop->watchers[w->fd] = NULL;
    loop->nfds--;
  }
}

/* Slow path of take_slot(): another watcher owns it. */
UV__NOINLINE static void take_slot_of(uv_loop_t* loop,
                                      uv__io_t* owner,
                                      uv__io_t* w) {
  if (owner->pevents != 0)
    return; /* an error of the program: w gets no events */
  /* The owner has stopped but is still registered. */
  loop->watchers[w->fd] = w;
  w->events = owner->events;
  owner->events = 0;
  uv__queue_remove(&owner->watcher_queue);
}

static void take_slot(uv_loop_t* loop, uv__io_t* w) {
  uv__io_t* owner = loop->watchers[w->fd];

  if (owner == NULL) {
    loop->watchers[w->fd] = w;
    loop->nfds++;
  } else if (owner != w) {
    take_slot_of(loop, owner, w);
  }
}

void uv__io_start(uv_loop_t* loop, uv__io_t* w, unsigned events) {
  assert((events & ~(unsigned) INTEREST) == 0);
  assert(w->fd >= 0);
  assert((unsigned) w->fd < loop->nwatchers);
  /* No change. (A refused watcher is not registered, so it gets past this.) */
  if ((w->pevents & w->events & events) == events && loop->watchers[w->fd] == w)
    return;

  int was_stopped = w->pevents == 0;
  w->pevents |= events;
  take_slot(loop, w);
  /* A start is queued even if the poller is up to date: uv_backend_timeout()
   * depends on it. */
  if (was_stopped)
    queue_change(loop, w);
  else
    update_change(loop, w);
}

void uv__io_restart(uv_loop_t* loop, uv__io_t* w, unsigned events) {
  assert(events != 0);
  w->pevents = 0;
  w->bits |= RESTARTED;
  uv__io_start(loop, w, events);
}

void uv__io_stop(uv_loop_t* loop, uv__io_t* w, unsigned events) {
  assert((events & ~(unsigned) INTEREST) == 0);
  if (w->fd < 0 || (w->pevents & events) == 0)
    return;

  w->pevents &= ~events;
  update_change(loop, w);
  drop_if_idle(loop, w);
}

void uv__io_close(uv_loop_t* loop, uv__io_t* w) {
  if (w->events != 0)
    uv__loop_state(loop)->poller->watch->forget(loop, w->fd);

  w->events = 0;
  w->pevents = 0;
  w->bits &= ~(uintptr_t) (REFUSED | RESTARTED);
  uv__queue_remove(&w->watcher_queue);
  uv__queue_remove(&w->pending_queue);
  if (w->fd >= 0)
    drop_if_idle(loop, w);
}

static void io_forget_stopped(uv_loop_t* loop, uv__io_t* w) {
  assert(w->pevents == 0);
  uv__loop_state(loop)->poller->watch->forget(loop, w->fd);
  w->events = 0;
  drop_if_idle(loop, w);
}

void uv__io_feed(uv_loop_t* loop, uv__io_t* w) {
  assert((w->bits & KIND_MASK) != UV__IO_NONE);
  if (uv__queue_empty(&w->pending_queue))
    uv__queue_push_back(&loop->pending_queue, &w->pending_queue);
  uv__loop_state(loop)->may_have_pending = 1;
  uv__loop_changed(loop);
}

void uv__io_unfeed(uv__io_t* w) {
  uv__queue_remove(&w->pending_queue);
}

int uv__io_fd_taken(const uv_loop_t* loop, int fd) {
  const uv__io_t* w;

  w = (unsigned) fd < loop->nwatchers ? loop->watchers[fd] : NULL;
  return w != NULL && w->pevents != 0;
}

int uv__io_probe(uv_loop_t* loop, int fd) {
  return uv__loop_state(loop)->poller->watch->probe(loop, fd);
}

/* Returns 1 if the poller refused. */
static int commit_one(uv_loop_t* loop, uv__io_t* w) {
  const struct uv__watch_ops* watch = uv__loop_state(loop)->poller->watch;
  unsigned have = w->events;

  if (w->bits & RESTARTED && have != 0)
    have = w->pevents;
  w->bits &= ~(uintptr_t) RESTARTED;
  int err = watch->apply(loop, w->fd, have, w->pevents);
  if (err == 0) {
    w->events = w->pevents;
    return 0;
  }

  /* Reported to the watcher as an error on its fd. Nothing is registered, so
   * the next start tries again. */
  watch->forget(loop, w->fd);
  w->events = 0;
  w->bits |= REFUSED;
  uv__io_feed(loop, w);
  return 1;
}

UV__NOINLINE static int commit_changes(uv_loop_t* loop) {
  int is_refused = 0;

  while (!uv__queue_empty(changed_queue(loop))) {
    struct uv__queue* q = uv__queue_pop_front(changed_queue(loop));
    uv__io_t* w = container_of(q, uv__io_t, watcher_queue);
    if (has_changed(loop, w))
      is_refused |= commit_one(loop, w);
  }
  return is_refused;
}

int uv__loop_os_commit(uv_loop_t* loop) {
  if (uv__fs_uring_is_open(loop))
    uv__fs_uring_commit(loop);
  return uv__queue_empty(changed_queue(loop)) ? 0 : commit_changes(loop);
}

/* As in libuv, always true before the first iteration, also of a child. */
int uv__loop_os_uncommitted(const uv_loop_t* loop) {
  return uv__loop_state(loop)->counters.loop_count ==
             uv__loop_os(loop)->opened_count ||
         !uv__queue_empty(&loop->watcher_queue) ||
         (uv__fs_uring_is_open(loop) && uv__fs_uring_uncommitted(loop));
}

int uv__loop_os_has_pending(const uv_loop_t* loop) {
  return !uv__queue_empty(&loop->pending_queue);
}

void uv__loop_os_run_pending(uv_loop_t* loop) {
  struct uv__queue round;
  uv__queue_move(&round, &loop->pending_queue);
  uv__loop_state(loop)->may_have_pending = 0;

  while (!uv__queue_empty(&round)) {
    struct uv__queue* q = uv__queue_pop_front(&round);
    uv__io_t* w = container_of(q, uv__io_t, pending_queue);
    unsigned events = w->bits & REFUSED ? POLLERR : POLLOUT | UV__IO_FED;
    w->bits &= ~(uintptr_t) REFUSED;
    io_run(loop, w, events);
  }
}

void uv__io_init_loop(uv_loop_t* loop) {
  uv__queue_init(&loop->pending_queue);
  uv__queue_init(&loop->watcher_queue);
  loop->watchers = NULL;
  loop->nwatchers = 0;
  loop->nfds = 0;
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
  uv__loop_os(loop)->opened_count = uv__loop_state(loop)->counters.loop_count;
  for (unsigned fd = 0; fd < loop->nwatchers; fd++) {
    uv__io_t* w = loop->watchers[fd];
    if (w == NULL)
      continue;
    w->events = 0;
    update_change(loop, w);
    drop_if_idle(loop, w);
  }
}

/* Dispatch: passes events to the module that handles them and drops stale ones
 * (P8). */

/* The poller reported an fd that has no watcher. */
UV__NOINLINE static int forget_orphan(uv_loop_t* loop, int fd) {
  uv__loop_state(loop)->poller->watch->forget(loop, fd);
  return 0;
}

/* Slow path of dispatch_io(). */
UV__NOINLINE static int dispatch_other_io(uv_loop_t* loop,
                                          uv__io_t* w,
                                          unsigned bits) {
  /* Not committed: the event belongs to an earlier owner of this fd, or
   * predates a restart. */
  if (w->events == 0 || (w->bits & RESTARTED))
    return 0;
  if (w->pevents == 0) {
    /* It stopped and did not start again before its fd became ready. */
    io_forget_stopped(loop, w);
    return 0;
  }
  unsigned events = bits & (w->pevents | POLLERR | POLLHUP);
  if (events == 0)
    return 0;
  io_run(loop, w, events);
  return 1;
}

static int dispatch_io(uv_loop_t* loop, const struct uv__event* event) {
  unsigned fd = (unsigned) event->key;
  uv__io_t* w = fd < loop->nwatchers ? loop->watchers[fd] : NULL;
  unsigned bits = event->bits;

  if (w == NULL)
    return forget_orphan(loop, (int) fd);
  /* The common case: registered and still of interest. Without flags, w->bits
   * is the kind. */
  if ((bits & w->events & w->pevents) == 0 || w->bits > KIND_MASK)
    return dispatch_other_io(loop, w, bits);
  io_handlers[w->bits](loop, w, bits & (w->pevents | POLLERR | POLLHUP));
  return 1;
}

UV__NOINLINE static int dispatch_wake(uv_loop_t* loop) {
  struct uv__async_pass pass;
  int ran = uv__fs_uring_is_open(loop) ? uv__fs_uring_run_done(loop) : 0;

  uv__async_pass_begin(loop, &pass);
  int work = uv__work_has_done(loop) ? uv__work_run_done(loop) : 0;
  ran += work + uv__async_pass_run(loop, &pass);
  if (uv__post_is_due(loop))
    ran += uv__post_run(loop);
  if (!uv__queue_empty(&uv__loop_os(loop)->children_ended))
    ran += uv__process_run_ended(loop);
  return uv__counters_wake_events(work, ran);
}

static int dispatch_other(uv_loop_t* loop, const struct uv__event* event) {
  switch ((enum uv__event_kind) event->kind) {
  case UV__EVENT_WAKE:
    return dispatch_wake(loop);
  case UV__EVENT_CHILD:
    return uv__process_child_ended(loop, (int) event->key);
  case UV__EVENT_IO:
  case UV__EVENT_REQ:
    break; /* handled elsewhere; no unix poller reports these */
  }
  return 0;
}

int uv__loop_os_dispatch(uv_loop_t* loop, const struct uv__event* event) {
  if (event->kind == UV__EVENT_IO)
    return dispatch_io(loop, event);
  return dispatch_other(loop, event);
}

int uv__loop_os_dispatch_signals(uv_loop_t* loop) {
  return uv__signal_run(loop);
}
