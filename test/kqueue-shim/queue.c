/* SPDX-License-Identifier: MIT */
/* kqueue() and kevent(): queues, changes, harvest. See shim.h.
 *
 * One lock for everything, held with all signals blocked: kevent() is called
 * from signal handlers. It is not held while waiting.
 */
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ACTIONS (EV_ADD | EV_DELETE | EV_ENABLE | EV_DISABLE | EV_RECEIPT)
#define HARVEST_MAX 256

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct shim_queue* queues;

/* The library's close() ends here: a closed fd leaves every queue, and a queue
 * takes what it is made of with it. Calls of the program itself are noticed
 * later, by shim_fd_same(). */
int close(int fd);

static void real_close(int fd) {
  if (fd >= 0)
    syscall(SYS_close, fd);
}

static void lock(sigset_t* old) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, old);
  pthread_mutex_lock(&mutex);
}

static void unlock(const sigset_t* old) {
  pthread_mutex_unlock(&mutex);
  pthread_sigmask(SIG_SETMASK, old, NULL);
}

static void close_fds(struct shim_queue* queue) {
  for (int i = 0; i < SHIM_SETS; i++)
    real_close(queue->sets[i]);
  real_close(queue->inotify_fd);
  real_close(queue->left_fd);
}

static void free_queue(struct shim_queue* queue) {
  for (int i = 0; i < SHIM_BUCKETS; i++) {
    while (queue->buckets[i] != NULL) {
      struct shim_note* note = queue->buckets[i];
      queue->buckets[i] = note->next;
      real_close(note->own_fd);
      free(note);
    }
  }
  close_fds(queue);
  free(queue);
}

/* "The queue is not inherited by a child created with fork(2)." */
static void in_child(void) {
  while (queues != NULL) {
    struct shim_queue* queue = queues;
    queues = queue->next;
    real_close(queue->fd);
    free_queue(queue);
  }
  pthread_mutex_unlock(&mutex);
}

static sigset_t fork_signals;

static void before_fork(void) {
  sigset_t old;
  lock(&old);
  fork_signals = old;
}

static void in_parent(void) {
  sigset_t old = fork_signals;
  unlock(&old);
}

static void in_child_too(void) {
  sigset_t old = fork_signals;
  in_child();
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Before anybody else's, so that no handler of the program's runs with the lock
 * held: a kernel has none. */
__attribute__((constructor)) static void setup(void) {
  pthread_atfork(before_fork, in_parent, in_child_too);
}

static int add_fd(int set, int fd, unsigned mask) {
  struct epoll_event event;
  memset(&event, 0, sizeof(event));
  event.events = mask;
  event.data.fd = fd;
  return epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
}

static int open_fds(struct shim_queue* queue) {
  queue->fd = epoll_create1(EPOLL_CLOEXEC);
  if (queue->fd == -1)
    return errno;
  for (int i = 0; i < SHIM_SETS; i++) {
    queue->sets[i] = epoll_create1(EPOLL_CLOEXEC);
    if (queue->sets[i] == -1)
      return errno;
    if (add_fd(queue->fd, queue->sets[i], EPOLLIN) != 0)
      return errno;
  }
  queue->left_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (queue->left_fd == -1)
    return errno;
  return add_fd(queue->sets[SHIM_VNODE], queue->left_fd, EPOLLIN) ? errno : 0;
}

int kqueue(void) {
  struct shim_queue* queue = calloc(1, sizeof(*queue));
  sigset_t old;

  if (queue == NULL)
    return -1;
  queue->fd = -1;
  for (int i = 0; i < SHIM_SETS; i++)
    queue->sets[i] = -1;
  queue->inotify_fd = -1;
  queue->left_fd = -1;
  int err = open_fds(queue);
  if (err != 0) {
    real_close(queue->fd);
    free_queue(queue);
    errno = err;
    return -1;
  }

  lock(&old);
  queue->next = queues;
  queues = queue;
  unlock(&old);
  return queue->fd;
}

static struct shim_queue* find_queue(int fd) {
  struct shim_queue* queue = queues;
  while (queue != NULL && queue->fd != fd)
    queue = queue->next;
  return queue;
}

int shim_is_queue(int fd) {
  sigset_t old;

  lock(&old);
  int found = find_queue(fd) != NULL;
  unlock(&old);
  return found;
}

static struct shim_note** place(struct shim_queue* queue,
                                uintptr_t ident,
                                short filter) {
  struct shim_note** at = &queue->buckets[ident % SHIM_BUCKETS];
  while (*at && ((*at)->want.ident != ident || (*at)->want.filter != filter))
    at = &(*at)->next;
  return at;
}

struct shim_note* shim_find(struct shim_queue* queue,
                            uintptr_t ident,
                            short filter) {
  return *place(queue, ident, filter);
}

static int is_fd_filter(short filter) {
  return filter == EVFILT_READ || filter == EVFILT_WRITE ||
         filter == EVFILT_EXCEPT;
}

static int is_own_filter(short filter) {
  return filter == EVFILT_USER || filter == EVFILT_TIMER ||
         filter == EVFILT_PROC;
}

static int is_about_fd(short filter) {
  return is_fd_filter(filter) || filter == EVFILT_VNODE;
}

static void disarm(struct shim_queue* queue, struct shim_note* note) {
  if (is_fd_filter(note->want.filter))
    shim_fd_disarm(queue, note);
  else if (is_own_filter(note->want.filter))
    (void) shim_own_arm(queue, note, 0);
}

void shim_remove(struct shim_queue* queue, struct shim_note* note) {
  short filter = note->want.filter;

  if (note->enabled)
    disarm(queue, note);
  if (is_own_filter(filter))
    shim_own_remove(queue, note);
  if (filter == EVFILT_VNODE)
    shim_vnode_remove(queue, note);
  *place(queue, note->want.ident, filter) = note->next;
  free(note);
}

/* "Calling close(2) on a file descriptor will remove any kevents that reference
 * the descriptor." */
static void forget_fd(int fd) {
  static const short about_fd[] = { EVFILT_READ, EVFILT_WRITE, EVFILT_EXCEPT,
                                    EVFILT_VNODE };
  sigset_t old;

  lock(&old);
  for (struct shim_queue* queue = queues; queue; queue = queue->next)
    for (int i = 0; i < 4; i++) {
      struct shim_note* note = shim_find(queue, (uintptr_t) fd, about_fd[i]);
      if (note != NULL)
        shim_remove(queue, note);
    }
  struct shim_queue** at = &queues;
  while (*at != NULL && (*at)->fd != fd)
    at = &(*at)->next;
  if (*at != NULL) {
    struct shim_queue* queue = *at;
    *at = queue->next;
    free_queue(queue);
  }
  unlock(&old);
}

int close(int fd) {
  forget_fd(fd);
  return (int) syscall(SYS_close, fd);
}

/* dup2(2) of macOS: "if descriptor fildes2 is already in use, it is first
 * deallocated as if a close(2) call had been done first", even if it is the
 * same file. */
int dup2(int oldd, int newd) {
  if (oldd == newd)
    return fcntl(oldd, F_GETFD) == -1 ? -1 : newd;
  if (fcntl(oldd, F_GETFD) != -1)
    forget_fd(newd);
  return (int) syscall(SYS_dup3, oldd, newd, 0);
}

/* Changes. All return 0 or an errno. */

static int arm(struct shim_queue* queue, struct shim_note* note) {
  if (is_fd_filter(note->want.filter))
    return shim_fd_arm(queue, note);
  if (is_own_filter(note->want.filter))
    return shim_own_arm(queue, note, 1);
  return 0;
}

/* What each filter does when it is added, or added again. */
static int add_to_filter(struct shim_queue* queue,
                         struct shim_note* note,
                         const struct kevent* change,
                         int is_new) {
  if (is_own_filter(change->filter))
    return shim_own_add(queue, note, change, is_new);
  note->want.fflags = change->fflags;
  if (change->filter == EVFILT_VNODE && is_new)
    return shim_vnode_add(queue, note);
  return 0;
}

/* What a queue, a socket and a pipe refuse when they are asked for the first
 * time. kern_event.c of FreeBSD: a queue knows EVFILT_READ, all else is EINVAL,
 * and so is its own number ("we should be able to support events on
 * ourselves"). uipc_socket.c: a socket has no EVFILT_VNODE. sys_pipe.c:
 * EVFILT_WRITE of a pipe without a reader is EPIPE (NetBSD: EBADF). */
static int refuse_new(const struct shim_queue* queue,
                      const struct shim_note* note) {
  struct pollfd pfd = { .fd = (int) note->want.ident, .events = POLLOUT };

  if (pfd.fd == queue->fd)
    return EINVAL;
  if (note->want.filter == EVFILT_VNODE)
    return note->is_socket ? EINVAL : 0;
  if (note->want.filter == EVFILT_READ)
    return 0;
  if (find_queue(pfd.fd) != NULL)
    return EINVAL;
  if (note->is_fifo && note->want.filter == EVFILT_WRITE &&
      poll(&pfd, 1, 0) == 1 && (pfd.revents & POLLERR))
    return EPIPE;
  return 0;
}

static int add_note(struct shim_queue* queue,
                    const struct kevent* change,
                    struct shim_note** out) {
  struct shim_note* note = calloc(1, sizeof(*note));

  if (note == NULL)
    return ENOMEM;
  note->want = *change;
  note->own_fd = -1;
  note->wd = -1;
  note->parent_wd = -1;
  int err = 0;
  if (is_about_fd(change->filter)) {
    err = shim_fd_identify(note);
    if (err == 0)
      err = refuse_new(queue, note);
  }
  if (err == 0)
    err = add_to_filter(queue, note, change, 1);
  if (err != 0) {
    free(note);
    return err;
  }
  struct shim_note** bucket = &queue->buckets[change->ident % SHIM_BUCKETS];
  note->next = *bucket;
  *bucket = note;
  *out = note;
  return 0;
}

static int set_enabled(struct shim_queue* queue,
                       struct shim_note* note,
                       int enabled) {
  if (!enabled) {
    if (note->enabled)
      disarm(queue, note);
    note->enabled = 0;
    return 0;
  }
  int err = arm(queue, note);
  note->enabled = err == 0;
  return err;
}

/* "Re-adding an existing event will modify the parameters of the original
 * event, and not result in a duplicate entry." These are fflags, data and udata
 * alone, in the kernels of all four systems: EV_CLEAR, EV_ONESHOT and
 * EV_DISPATCH stay as they were first added, and what is disabled stays so, the
 * next sentence ("Adding an event automatically enables it, unless overridden
 * by the EV_DISABLE flag.") notwithstanding. The filter is run again. To enable
 * or to disable, or no flag at all, does the same to the parameters. */
static int modify(struct shim_queue* queue,
                  const struct kevent* change,
                  struct shim_note* note) {
  int err = add_to_filter(queue, note, change, 0);

  if (err != 0)
    return err;
  note->want.udata = change->udata;
  if (change->flags & EV_DISABLE)
    return set_enabled(queue, note, 0);
  if (note->enabled || (change->flags & EV_ENABLE))
    return set_enabled(queue, note, 1);
  return 0;
}

static int add_first(struct shim_queue* queue, const struct kevent* change) {
  struct shim_note* note;
  int err = add_note(queue, change, &note);

  if (err != 0)
    return err;
  note->want.flags = change->flags & (unsigned short) ~ACTIONS;
  if (change->flags & EV_DISABLE)
    return 0;
  err = set_enabled(queue, note, 1);
  if (err != 0)
    shim_remove(queue, note);
  return err;
}

/* What some systems do not have is "The specified ... filter is invalid." */
static int is_missing(short filter) {
  if (filter == EVFILT_EXCEPT)
    return getenv("KQUEUE_SHIM_NO_EXCEPT") != NULL || shim_acts_as("freebsd");
  return filter == EVFILT_USER && shim_acts_as("openbsd");
}

static int apply_change(struct shim_queue* queue, const struct kevent* change) {
  short filter = change->filter;

  if (!is_about_fd(filter) && !is_own_filter(filter))
    return EINVAL;
  if (is_missing(filter))
    return EINVAL;
  /* What happened before the change is judged by what was asked for then. */
  if (filter == EVFILT_VNODE)
    shim_vnode_collect(queue);
  struct shim_note* note = shim_find(queue, change->ident, filter);
  /* Closed behind our back: it is not there any more. */
  if (note != NULL && is_about_fd(filter) && !shim_fd_same(note)) {
    shim_remove(queue, note);
    note = NULL;
  }
  if (change->flags & EV_ADD)
    return note == NULL ? add_first(queue, change)
                        : modify(queue, change, note);
  if (note == NULL) {
    struct shim_note probe = { .want = *change };
    int err = is_about_fd(filter) ? shim_fd_identify(&probe) : 0;
    return err != 0 ? err : ENOENT;
  }
  if (change->flags & EV_DELETE) {
    shim_remove(queue, note);
    return 0;
  }
  return modify(queue, change, note);
}

/* "If an error occurs while processing an element of the changelist and there
 * is enough room in the eventlist, then the event will be placed in the
 * eventlist with EV_ERROR set in flags and the system error in data. Otherwise,
 * -1 will be returned." */
static int apply_all(struct shim_queue* queue,
                     const struct kevent* changes,
                     int nchanges,
                     struct kevent* events,
                     int nevents) {
  int n = 0;

  for (int i = 0; i < nchanges; i++) {
    struct kevent change = changes[i]; /* the two arrays may be the same */
    int err = apply_change(queue, &change);
    if (err == 0 && !(change.flags & EV_RECEIPT))
      continue;
    if (n == nevents) {
      /* NetBSD's page, of EV_RECEIPT: "if ... there is no remaining space in
       * eventlist to hold the EV_ERROR event, then subsequent changes will not
       * get processed." */
      if (err == 0)
        return n;
      errno = err;
      return -1;
    }
    events[n] = change;
    events[n].flags = EV_ERROR; /* alone, but on macOS */
    events[n++].data = err;
  }
  return n;
}

/* Harvest. */

/* A fd was closed by the program while a duplicate is open somewhere: epoll
 * goes on to report it, and it cannot be removed. A new set without it can. */
static void rebuild(struct shim_queue* queue, enum shim_set which) {
  int set = epoll_create1(EPOLL_CLOEXEC);

  if (set == -1)
    return;
  if (add_fd(queue->fd, set, EPOLLIN) != 0) {
    real_close(set);
    return;
  }
  real_close(queue->sets[which]);
  queue->sets[which] = set;
  for (int i = 0; i < SHIM_BUCKETS; i++) {
    struct shim_note* next;
    for (struct shim_note* note = queue->buckets[i]; note; note = next) {
      next = note->next;
      if (!is_fd_filter(note->want.filter) ||
          shim_fd_set(note->want.filter) != which || !note->enabled)
        continue;
      if (!shim_fd_same(note) || shim_fd_arm(queue, note) != 0)
        shim_remove(queue, note);
    }
  }
}

/* Reported: what its flags ask for after that. */
static void after_event(struct shim_queue* queue, struct shim_note* note) {
  if (note->want.flags & EV_ONESHOT)
    shim_remove(queue, note);
  else if (note->want.flags & EV_DISPATCH)
    (void) set_enabled(queue, note, 0);
}

static int harvest_fds(struct shim_queue* queue,
                       enum shim_set which,
                       struct kevent* out,
                       int room) {
  static const short filters[] = {
    [SHIM_READ] = EVFILT_READ,
    [SHIM_WRITE] = EVFILT_WRITE,
    [SHIM_EXCEPT] = EVFILT_EXCEPT,
  };
  struct epoll_event ready[HARVEST_MAX];
  int max = room < HARVEST_MAX ? room : HARVEST_MAX;
  int count = epoll_wait(queue->sets[which], ready, max, 0);
  int stale = 0;
  int n = 0;

  for (int i = 0; i < count; i++) {
    uintptr_t fd = (uintptr_t) ready[i].data.fd;
    struct shim_note* note = shim_find(queue, fd, filters[which]);
    if (note == NULL || !shim_fd_same(note)) {
      stale = 1;
      if (note != NULL)
        shim_remove(queue, note);
      continue;
    }
    if (!shim_fd_event(note, ready[i].events, &out[n]))
      continue;
    n++;
    after_event(queue, note);
  }
  if (stale)
    rebuild(queue, which);
  return n;
}

static int harvest_own(struct shim_queue* queue, struct kevent* out, int room) {
  struct epoll_event ready[HARVEST_MAX];
  int max = room < HARVEST_MAX ? room : HARVEST_MAX;
  int count = epoll_wait(queue->sets[SHIM_OTHER], ready, max, 0);
  int n = 0;

  for (int i = 0; i < count; i++) {
    struct shim_note* note = ready[i].data.ptr;
    if (!shim_own_event(note, &out[n]))
      continue;
    n++;
    if (note->want.filter == EVFILT_PROC) /* it ends once */
      shim_remove(queue, note);
    else
      after_event(queue, note);
  }
  return n;
}

static int harvest_vnodes(struct shim_queue* queue,
                          struct kevent* out,
                          int room) {
  static const uint64_t one = 1;
  uint64_t sink;
  int n = 0;
  int left = 0;

  if (queue->inotify_fd == -1)
    return 0;
  (void) !read(queue->left_fd, &sink, sizeof(sink));
  shim_vnode_collect(queue);
  for (int i = 0; i < SHIM_BUCKETS; i++) {
    struct shim_note* next;
    for (struct shim_note* note = queue->buckets[i]; note; note = next) {
      next = note->next;
      if (note->want.filter != EVFILT_VNODE || !note->enabled ||
          note->seen == 0)
        continue;
      if (!shim_fd_same(note)) {
        shim_remove(queue, note);
      } else if (n == room) {
        left = 1;
      } else {
        left |= !(note->want.flags & EV_CLEAR); /* it stays as it is */
        n += shim_vnode_event(note, &out[n]);
        after_event(queue, note);
      }
    }
  }
  if (left)
    (void) !write(queue->left_fd, &one, sizeof(one));
  return n;
}

static int harvest(struct shim_queue* queue, struct kevent* out, int room) {
  int n = 0;

  queue->turn++;
  for (unsigned i = 0; i < SHIM_SETS && n < room; i++) {
    enum shim_set which = (enum shim_set)((queue->turn + i) % SHIM_SETS);
    if (which == SHIM_OTHER)
      n += harvest_own(queue, out + n, room - n);
    else if (which == SHIM_VNODE)
      n += harvest_vnodes(queue, out + n, room - n);
    else
      n += harvest_fds(queue, which, out + n, room - n);
  }
  return n;
}

/* Waiting. */

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Milliseconds until `deadline`, rounded up; -1 for ever. */
static int left_ms(int64_t deadline) {
  if (deadline == INT64_MAX)
    return -1;
  int64_t left = deadline - now_ns();
  if (left <= 0)
    return 0;
  left = (left + 999999) / 1000000;
  return left > INT_MAX ? INT_MAX : (int) left;
}

static int64_t deadline_of(const struct timespec* timeout) {
  if (timeout == NULL)
    return INT64_MAX;
  if (timeout->tv_sec == 0 && timeout->tv_nsec == 0)
    return 0;
  return now_ns() + (int64_t) timeout->tv_sec * 1000000000 + timeout->tv_nsec;
}

/* "EINVAL: The specified time limit or filter is invalid." */
static int is_time_limit(const struct timespec* timeout) {
  return timeout == NULL || (timeout->tv_sec >= 0 && timeout->tv_nsec >= 0 &&
                             timeout->tv_nsec < 1000000000);
}

int kevent(int kq,
           const struct kevent* changelist,
           int nchanges,
           struct kevent* eventlist,
           int nevents,
           const struct timespec* timeout) {
  static const struct timespec nap = { 0, 1000000 };
  int64_t deadline = deadline_of(timeout);
  sigset_t old;
  int rounds = 0;

  lock(&old);
  struct shim_queue* queue = find_queue(kq);
  int n = -1;
  if (queue == NULL)
    errno = EBADF;
  else if (!is_time_limit(timeout))
    errno = EINVAL;
  else
    n = apply_all(queue, changelist, nchanges, eventlist, nevents);
  if (n != 0 || nevents == 0) {
    unlock(&old);
    return n;
  }

  for (;;) {
    struct epoll_event ready;
    queue = find_queue(kq);
    n = queue == NULL ? 0 : harvest(queue, eventlist, nevents);
    unlock(&old);
    int wait_ms = left_ms(deadline);
    if (n != 0 || wait_ms == 0)
      return n;
    /* Something of epoll's that is nothing to kqueue: not to be spun on. */
    if (rounds++ > 2)
      nanosleep(&nap, NULL);
    if (epoll_wait(kq, &ready, 1, wait_ms) == -1)
      return -1;
    lock(&old);
  }
}
