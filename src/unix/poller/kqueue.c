/* SPDX-License-Identifier: MIT */
/* Poller: kqueue(2).
 *
 *   apply/forget: record the interest and queue the fd as changed; no syscall
 *   wait: one kevent() passes the changes to the kernel and fetches events
 *
 * Adding a filter that exists is harmless. So a changed fd is always described
 * in full, whatever the kernel knows about it, and a number that was closed and
 * reused needs no special case. A change that fails becomes a POLLERR event for
 * its fd (P4); removing a filter that does not exist is no failure. Changes to
 * devices are made at once, because kqueue refuses some of them and the caller
 * may have an alternative.
 *
 * Two filters can report one fd; they are merged into one event.
 */
#include "os/loop.h"
#include "unix/cancel.h"
#include "unix/fd.h"
#include "unix/io.h"
#include "unix/poller/kqueue-interest.h"
#include "unix/sock.h"
#include "unix/wake-fd.h"
#include "util/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

/* The ident of the only EVFILT_USER event. */
#define WAKE_IDENT 1u

static struct uv__kqset* set_of(const uv_loop_t* loop) {
  return uv__loop_state(loop)->poller_data;
}

/* Opening and closing. */

static int add_wake(uv_loop_t* loop) {
  struct uv__kqset* set = set_of(loop);
  struct kevent change;
  int err;

  EV_SET(&change, WAKE_IDENT, EVFILT_USER, EV_ADD | EV_CLEAR, 0, 0, 0);
  set->has_pipe = kevent(loop->backend_fd, &change, 1, NULL, 0, NULL) != 0;
  if (!set->has_pipe)
    return 0;

  /* No EVFILT_USER: an older NetBSD or OpenBSD. */
  err = uv__wake_fd_open(loop);
  if (err != 0)
    return err;
  uintptr_t fd = (uintptr_t) uv__wake_fd_get(loop);
  EV_SET(&change, fd, EVFILT_READ, EV_ADD, 0, 0, 0);
  if (kevent(loop->backend_fd, &change, 1, NULL, 0, NULL) == 0)
    return 0;
  err = uv__errno();
  uv__wake_fd_close(loop);
  return err;
}

static int open_queue(uv_loop_t* loop) {
  int fd = uv__fd_kqueue();

  loop->backend_fd = fd < 0 ? -1 : fd;
  if (fd < 0)
    return fd;
  set_of(loop)->queue = fd;
  set_of(loop)->owner = (int) getpid();
  int err = add_wake(loop);
  if (err != 0) {
    uv__fd_close(loop->backend_fd);
    loop->backend_fd = -1;
  }
  return err;
}

static int kqueue_poller_open(uv_loop_t* loop) {
  struct uv__kqset* set = uv__calloc(1, sizeof(*set));
  int err;

  if (set == NULL)
    return UV_ENOMEM;
  uv__loop_state(loop)->poller_data = set;
  err = open_queue(loop);
  if (err != 0) {
    uv__loop_state(loop)->poller_data = NULL;
    uv__free(set);
  }
  return err;
}

/* A forked child inherits neither the thread nor the queue. The number of the
 * queue is unused there, or belongs to a file opened since, which must not be
 * closed. */
static void close_queue(uv_loop_t* loop) {
  struct uv__kqset* set = set_of(loop);

  if (set->owner == (int) getpid()) {
    uv__select_close(set->selector);
    if (loop->backend_fd != -1)
      uv__fd_close(loop->backend_fd);
  } else {
    uv__select_abandon(set->selector);
  }
  set->selector = NULL;
  set->queue = -1;
  loop->backend_fd = -1;
  if (set->has_pipe)
    uv__wake_fd_close(loop);
  set->has_pipe = 0;
}

static void kqueue_poller_close(uv_loop_t* loop) {
  struct uv__kqset* set = set_of(loop);

  close_queue(loop);
  uv__loop_state(loop)->poller_data = NULL;
  uv__free(set->entries);
  uv__free(set->changed);
  uv__free(set);
}

static int kqueue_poller_reopen(uv_loop_t* loop) {
  close_queue(loop);
  uv__kqset_clear(set_of(loop));
  return open_queue(loop);
}

static int kqueue_poller_wake(uv_loop_t* loop) {
  const struct uv__kqset* set = set_of(loop);
  struct kevent change;
  int saved = errno; /* signal handlers call this */
  int err = 0;

  if (set->has_pipe)
    return uv__wake_fd_signal(loop);
  EV_SET(&change, WAKE_IDENT, EVFILT_USER, 0, NOTE_TRIGGER, 0, 0);
  int saved_cancel = uv__cancel_disable(); /* a wake that is begun is sent */
  if (kevent(set->queue, &change, 1, NULL, 0, NULL) != 0)
    err = uv__errno();
  uv__cancel_restore(saved_cancel);
  errno = saved;
  return err;
}

/* Registering changes. */

/* Submits changes that do not fit into the waiting call. EV_RECEIPT keeps this
 * call from fetching events. */
static int changes_submit(uv_loop_t* loop, struct uv__kqset* set, int n) {
  static const struct timespec at_once = { 0, 0 };

  for (int i = 0; i < n; i++)
    set->changes[i].flags |= EV_RECEIPT;
  n = kevent(loop->backend_fd, set->changes, n, set->changes, n, &at_once);
  if (n < 0)
    return uv__errno();
  for (int i = 0; i < n; i++)
    if (set->changes[i].flags & EV_ERROR)
      uv__kqset_handle_error(set, &set->changes[i]);
  return 0;
}

/* Interest. */

/* What EV_EOF means for this kind of file; 0 for files that are always ready
 * and would make the loop spin. */
static unsigned eof_bits(mode_t mode) {
  if (S_ISREG(mode) || S_ISDIR(mode))
    return 0;
  return S_ISSOCK(mode) ? POLLRDHUP : POLLHUP;
}

static int is_device(mode_t mode) {
  return !S_ISSOCK(mode) && !S_ISFIFO(mode);
}

/* Is this a device that kqueue may refuse and select() supports? */
static int can_select(int fd, mode_t mode) {
  return UV__HAVE_SELECT_THREAD && S_ISCHR(mode) && isatty(fd);
}

static int watch_probe(uv_loop_t* loop, int fd) {
  const struct uv__kqset_entry* entry =
      uv__kqset_find(set_of(loop), (uintptr_t) fd);
  struct kevent changes[2];
  struct stat st;

  if (fstat(fd, &st) != 0)
    return uv__errno();
  if (eof_bits(st.st_mode) == 0)
    return UV_EPERM;
  if (!is_device(st.st_mode) || (entry != NULL && entry->want != 0))
    return 0;

  uintptr_t ident = (uintptr_t) fd;
  EV_SET(&changes[0], ident, EVFILT_READ, EV_ADD | EV_DISABLE, 0, 0, 0);
  EV_SET(&changes[1], ident, EVFILT_READ, EV_DELETE, 0, 0, 0);
  if (kevent(loop->backend_fd, changes, 2, NULL, 0, NULL) == 0)
    return 0;
  int err = uv__errno(); /* asking whether it is a terminal changes errno */
  return can_select(fd, st.st_mode) ? 0 : err;
}

/* A kernel that has the filter goes on to check the descriptor. */
static enum uv__kqset_oob find_oob(uv_loop_t* loop) {
#if defined(EVFILT_EXCEPT) && defined(NOTE_OOB)
  struct kevent change;

  EV_SET(&change, (uintptr_t) -1, EVFILT_EXCEPT, EV_ADD, NOTE_OOB, 0, 0);
  if (kevent(loop->backend_fd, &change, 1, NULL, 0, NULL) != -1 ||
      errno != EINVAL)
    return UV__OOB_KERNEL;
#else
  (void) loop;
#endif
  return UV__OOB_SELECT;
}

/* Watches for urgent data where the kernel has no filter for it. If it cannot
 * be watched (fd too high for select(), no thread), it is not reported; that is
 * no failure. */
static void watch_oob(uv_loop_t* loop, int fd, int is_new) {
  struct uv__kqset* set = set_of(loop);
  struct uv__kqset_entry* entry = &set->entries[fd];
  int wanted = (entry->want & POLLPRI) != 0 && !entry->selected;

  if (wanted == entry->oob && !(wanted && is_new))
    return;
  if (!wanted) {
    uv__select_forget(set->selector, fd);
    entry->oob = 0;
    return;
  }
  if (set->oob == UV__OOB_UNKNOWN)
    set->oob = find_oob(loop);
  if (set->oob == UV__OOB_SELECT)
    entry->oob = uv__select_watch(&set->selector, loop, fd, POLLPRI) == 0;
}

static void watch_forget(uv_loop_t* loop, int fd) {
  struct uv__kqset* set = set_of(loop);
  struct uv__kqset_entry* entry = uv__kqset_find(set, (uintptr_t) fd);

  if (entry == NULL || (entry->want == 0 && entry->known == 0 && !entry->oob))
    return;
  entry->want = 0;
  entry->failed = 0;
  if (entry->selected || entry->oob)
    uv__select_forget(set->selector, fd);
  entry->selected = 0;
  entry->oob = 0;
  /* The next wait removes the filters before it fetches events; closing the fd
   * removes them too. */
  uv__kqset_mark_changed(set, fd);
}

/* Devices may be refused, and the caller needs to know now. Terminals fall back
 * to the select() thread. */
static int device_submit(uv_loop_t* loop, int fd, mode_t mode) {
  struct uv__kqset* set = set_of(loop);
  struct uv__kqset_entry* entry = &set->entries[fd];
  int n = uv__kqset_describe(entry, fd, set->changes);
  int err = changes_submit(loop, set, n);

  if (err == 0 && entry->failed)
    err = UV_EPERM;
  if (err == 0)
    return 0;
  entry->failed = 0;
  if (can_select(fd, mode)) {
    err = uv__select_watch(&set->selector, loop, fd, entry->want);
    entry->selected = err == 0;
  }
  if (err != 0)
    watch_forget(loop, fd);
  return err;
}

static int watch_apply(uv_loop_t* loop, int fd, unsigned have, unsigned want) {
  struct uv__kqset* set = set_of(loop);
  struct stat st;
  int is_new = have == 0 || have == want;

  if (want == 0 || have == want)
    watch_forget(loop, fd);
  if (want == 0)
    return 0;
  int err = uv__kqset_reserve(set, (unsigned) fd);
  if (err != 0)
    return err;

  struct uv__kqset_entry* entry = &set->entries[fd];
  if (is_new || entry->on_eof == 0) {
    if (fstat(fd, &st) != 0)
      return uv__errno();
    entry->on_eof = (unsigned short) eof_bits(st.st_mode);
    if (entry->on_eof == 0)
      return UV_EPERM;
    entry->want = (unsigned short) want;
    entry->failed = 0;
    if (is_device(st.st_mode))
      return device_submit(loop, fd, st.st_mode);
  }
  entry->want = (unsigned short) want;
  entry->failed = 0;
  if (entry->selected)
    return uv__select_watch(&set->selector, loop, fd, want);
  watch_oob(loop, fd, is_new);
  uv__kqset_mark_changed(set, fd);
  return 0;
}

static int watch_child(uv_loop_t* loop, int pid) {
  struct kevent change;

  EV_SET(&change, (uintptr_t) pid, EVFILT_PROC, EV_ADD | EV_ONESHOT, NOTE_EXIT,
         0, 0);
  if (kevent(loop->backend_fd, &change, 1, NULL, 0, NULL) != 0)
    return uv__errno();
  set_of(loop)->children++;
  return 0;
}

/* Waiting. */

static int wait_kernel(uv_loop_t* loop,
                       int changes,
                       int max,
                       const struct timespec* timeout) {
  struct uv__kqset* set = set_of(loop);
  sigset_t old;
  sigset_t sigprof;
  int block = (uv__loop_state(loop)->flags & UV__LOOP_BLOCK_SIGPROF) != 0;

  if (block) {
    sigemptyset(&sigprof);
    sigaddset(&sigprof, SIGPROF);
    pthread_sigmask(SIG_BLOCK, &sigprof, &old);
  }
  int n = kevent(loop->backend_fd, set->changes, changes, set->events, max,
                 timeout);
  int err = n == -1 ? uv__errno() : 0;
  if (block)
    pthread_sigmask(SIG_SETMASK, &old, NULL);

  if (n >= 0)
    return n;
  return err == UV_EINTR ? 0 : err; /* the changes were applied */
}

static int is_wake(uv_loop_t* loop, const struct kevent* event) {
  if (event->filter == EVFILT_USER)
    return 1;
  if (!set_of(loop)->has_pipe || event->filter != EVFILT_READ ||
      event->ident != (uintptr_t) uv__wake_fd_get(loop))
    return 0;
  uv__wake_fd_drain(loop);
  return 1;
}

static void event_put(struct uv__event* out,
                      uintptr_t key,
                      enum uv__event_kind kind) {
  out->key = key;
  out->bits = 0;
  out->kind = kind;
}

/* Children come last: output that a child wrote before it exited is reported
 * first. */
static int report_children(struct uv__kqset* set,
                           int count,
                           struct uv__event* out,
                           int n) {
  if (set->children == 0)
    return n;
  for (int i = 0; i < count; i++) {
    if (set->events[i].filter != EVFILT_PROC)
      continue;
    event_put(&out[n++], set->events[i].ident, UV__EVENT_CHILD);
    set->children--;
  }
  return n;
}

/* Urgent data is reported until all data before it is read. If the urgent byte
 * itself was read, there is nothing for the watcher: the event is dropped, and
 * the filter is silent (EV_CLEAR) until something else arrives. */
static void drop_read_oob(struct kevent* event) {
#if defined(EVFILT_EXCEPT) && defined(NOTE_OOB)
  if (event->filter == EVFILT_EXCEPT && !(event->flags & EV_EOF) &&
      (event->fflags & NOTE_OOB) && !uv__sock_has_urgent((int) event->ident))
    event->fflags = 0;
#else
  (void) event;
#endif
}

static int report_events(uv_loop_t* loop, int count, struct uv__event* out) {
  struct uv__kqset* set = set_of(loop);
  int n = 0;

  for (int i = 0; i < count; i++) {
    struct kevent* event = &set->events[i];
    drop_read_oob(event);
    if (is_wake(loop, event))
      event_put(&out[n++], 0, UV__EVENT_WAKE);
    else if (event->filter != EVFILT_PROC)
      n = uv__kqset_report(set, event, out, n);
  }
  return report_children(set, count, out, n);
}

/* Adds what the select() thread found. If the batch has no room for all, the
 * next wait does not sleep. */
static int report_selected(struct uv__kqset* set,
                           struct uv__event* out,
                           int n,
                           int max) {
  unsigned bits;

  while (n < max) {
    int fd = uv__select_collect(set->selector, &bits);
    if (fd == -1)
      break;
    n = uv__kqset_report_bits(set, fd, bits, out, n);
  }
  return n;
}

/* Submits the changes except for the last few, which go with the call that
 * waits. Returns how many those are, or UV_E*. */
static int changes_submit_most(uv_loop_t* loop,
                               struct uv__kqset* set,
                               int room) {
  int changes = uv__kqset_take_changes(set);

  /* Each change may fail, and the failure needs room in the event list. */
  while (changes > room || (set->changed_count != 0 && changes != 0)) {
    int err = changes_submit(loop, set, changes);
    if (err != 0)
      return err;
    changes = uv__kqset_take_changes(set);
  }
  return changes;
}

static struct timespec timespec_from(int timeout_ms) {
  struct timespec result = { timeout_ms / 1000,
                             (timeout_ms % 1000) * 1000000L };
  return result;
}

/* Submits changes and waits. A call that reports failed changes returns nothing
 * else and does not sleep, so it is repeated without changes. */
static int submit_and_wait(uv_loop_t* loop, int max, int timeout_ms) {
  static const struct timespec at_once = { 0, 0 };
  struct uv__kqset* set = set_of(loop);
  struct timespec time = timespec_from(timeout_ms);
  const struct timespec* timeout = timeout_ms < 0 ? NULL : &time;

  int changes = changes_submit_most(loop, set, max);
  if (changes < 0)
    return changes;
  if (uv__kqset_has_failed(set))
    timeout = &at_once;
  int n = wait_kernel(loop, changes, max, timeout);
  if (changes == 0 || n <= 0 || !(set->events[0].flags & EV_ERROR))
    return n;

  for (int i = 0; i < n; i++)
    uv__kqset_handle_error(set, &set->events[i]);
  if (uv__kqset_has_failed(set))
    timeout = &at_once;
  return wait_kernel(loop, 0, max, timeout);
}

static int kqueue_poller_wait(uv_loop_t* loop,
                              struct uv__event* out,
                              int max,
                              int timeout_ms) {
  struct uv__kqset* set = set_of(loop);

  if (max > UV__BATCH_MAX)
    max = UV__BATCH_MAX;
  if (uv__select_arm(set->selector))
    timeout_ms = 0;
  int n = submit_and_wait(loop, max, timeout_ms);
  if (n < 0)
    return n;
  n = report_events(loop, n, out);
  n = report_selected(set, out, n, max);
  n = uv__kqset_report_failed(set, out, n, max);
  uv__kqset_report_end(set, out, n);
  return n;
}

static int kqueue_poller_is_empty(const uv_loop_t* loop) {
  return loop->nfds == 0 && set_of(loop)->children == 0;
}

static const struct uv__watch_ops watch_ops = {
  .probe = watch_probe,
  .apply = watch_apply,
  .forget = watch_forget,
  .watch_child = watch_child,
};

const struct uv__poller uv__poller_kqueue = {
  .name = "kqueue",
  .open = kqueue_poller_open,
  .close = kqueue_poller_close,
  .reopen = kqueue_poller_reopen,
  .wait = kqueue_poller_wait,
  .wake = kqueue_poller_wake,
  .watch = &watch_ops,
  .is_empty = kqueue_poller_is_empty,
};
