/* SPDX-License-Identifier: MIT */
/* kqueue() and kevent(): queues, changes, collecting events. See shim.h.
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
      struct shim_knote* knote = queue->buckets[i];
      queue->buckets[i] = knote->next;
      real_close(knote->own_fd);
      free(knote);
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

/* The process that the queues belong to. */
static pid_t owner;

static void in_child_too(void) {
  sigset_t old = fork_signals;
  owner = getpid();
  in_child();
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Registered before all others, so that no handler of the program runs with the
 * lock held: a real kernel has no such lock. */
__attribute__((constructor)) static void setup(void) {
  owner = getpid();
  pthread_atfork(before_fork, in_parent, in_child_too);
}

static int add_fd(int set, int fd, unsigned mask) {
  struct epoll_event event;
  memset(&event, 0, sizeof(event));
  event.events = mask;
  event.data.fd = fd;
  return epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
}

int shim_above_stdio(int fd) {
  if (fd == -1 || fd > STDERR_FILENO)
    return fd;
  int copy = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  int err = errno;
  real_close(fd);
  errno = err;
  return copy;
}

static int open_fds(struct shim_queue* queue) {
  queue->fd = epoll_create1(EPOLL_CLOEXEC);
  if (queue->fd == -1)
    return errno;
  for (int i = 0; i < SHIM_SETS; i++) {
    queue->sets[i] = shim_above_stdio(epoll_create1(EPOLL_CLOEXEC));
    if (queue->sets[i] == -1)
      return errno;
    if (add_fd(queue->fd, queue->sets[i], EPOLLIN) != 0)
      return errno;
  }
  queue->left_fd = shim_above_stdio(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
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

static struct shim_knote** place(struct shim_queue* queue,
                                 uintptr_t ident,
                                 short filter) {
  struct shim_knote** at = &queue->buckets[ident % SHIM_BUCKETS];
  while (*at && ((*at)->want.ident != ident || (*at)->want.filter != filter))
    at = &(*at)->next;
  return at;
}

struct shim_knote* shim_find(struct shim_queue* queue,
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

static void disarm(struct shim_queue* queue, struct shim_knote* knote) {
  if (is_fd_filter(knote->want.filter))
    shim_fd_disarm(queue, knote);
  else if (is_own_filter(knote->want.filter))
    (void) shim_own_arm(queue, knote, 0);
}

void shim_remove(struct shim_queue* queue, struct shim_knote* knote) {
  short filter = knote->want.filter;

  if (knote->enabled)
    disarm(queue, knote);
  if (is_own_filter(filter))
    shim_own_remove(queue, knote);
  if (filter == EVFILT_VNODE)
    shim_vnode_remove(queue, knote);
  *place(queue, knote->want.ident, filter) = knote->next;
  free(knote);
}

/* "Calling close(2) on a file descriptor will remove any kevents that reference
 * the descriptor." A child of vfork() has descriptors of its own, but shares
 * the memory of the queues: they stay as the parent needs them. */
static void forget_fd(int fd) {
  static const short about_fd[] = { EVFILT_READ, EVFILT_WRITE, EVFILT_EXCEPT,
                                    EVFILT_VNODE };
  sigset_t old;

  if (getpid() != owner)
    return;
  lock(&old);
  for (struct shim_queue* queue = queues; queue; queue = queue->next)
    for (int i = 0; i < 4; i++) {
      struct shim_knote* knote = shim_find(queue, (uintptr_t) fd, about_fd[i]);
      if (knote != NULL)
        shim_remove(queue, knote);
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

static int arm(struct shim_queue* queue, struct shim_knote* knote) {
  if (is_fd_filter(knote->want.filter))
    return shim_fd_arm(queue, knote);
  if (is_own_filter(knote->want.filter))
    return shim_own_arm(queue, knote, 1);
  return 0;
}

/* What each filter does when it is added, or added again. */
static int add_to_filter(struct shim_queue* queue,
                         struct shim_knote* knote,
                         const struct kevent* change,
                         int is_new) {
  if (is_own_filter(change->filter))
    return shim_own_add(queue, knote, change, is_new);
  knote->want.fflags = change->fflags;
  if (change->filter == EVFILT_VNODE && is_new)
    return shim_vnode_add(queue, knote);
  return 0;
}

/* What a queue, a socket and a pipe refuse when an event is first added.
 * kern_event.c of FreeBSD: a queue knows EVFILT_READ, all else is EINVAL, and
 * so is its own number ("we should be able to support events on ourselves").
 * uipc_socket.c: a socket has no EVFILT_VNODE. sys_pipe.c: EVFILT_WRITE of a
 * pipe without a reader is EPIPE (NetBSD: EBADF). */
static int refuse_new(const struct shim_queue* queue,
                      const struct shim_knote* knote) {
  struct pollfd pfd = { .fd = (int) knote->want.ident, .events = POLLOUT };

  if (pfd.fd == queue->fd)
    return EINVAL;
  if (knote->want.filter == EVFILT_VNODE)
    return knote->is_socket ? EINVAL : 0;
  if (knote->want.filter == EVFILT_READ)
    return 0;
  if (find_queue(pfd.fd) != NULL)
    return EINVAL;
  if (knote->is_fifo && knote->want.filter == EVFILT_WRITE &&
      poll(&pfd, 1, 0) == 1 && (pfd.revents & (POLLERR | POLLHUP)))
    return EPIPE;
  return 0;
}

static int add_knote(struct shim_queue* queue,
                     const struct kevent* change,
                     struct shim_knote** out) {
  struct shim_knote* knote = calloc(1, sizeof(*knote));

  if (knote == NULL)
    return ENOMEM;
  knote->want = *change;
  knote->own_fd = -1;
  knote->wd = -1;
  knote->parent_wd = -1;
  int err = 0;
  if (is_about_fd(change->filter)) {
    err = shim_fd_identify(knote);
    if (err == 0)
      err = refuse_new(queue, knote);
  }
  if (err == 0)
    err = add_to_filter(queue, knote, change, 1);
  if (err != 0) {
    free(knote);
    return err;
  }
  struct shim_knote** bucket = &queue->buckets[change->ident % SHIM_BUCKETS];
  knote->next = *bucket;
  *bucket = knote;
  *out = knote;
  return 0;
}

static int set_enabled(struct shim_queue* queue,
                       struct shim_knote* knote,
                       int enabled) {
  if (!enabled) {
    if (knote->enabled)
      disarm(queue, knote);
    knote->enabled = 0;
    return 0;
  }
  int err = arm(queue, knote);
  knote->enabled = err == 0;
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
                  struct shim_knote* knote) {
  int err = add_to_filter(queue, knote, change, 0);

  if (err != 0)
    return err;
  knote->want.udata = change->udata;
  if (change->flags & EV_DISABLE)
    return set_enabled(queue, knote, 0);
  if (knote->enabled || (change->flags & EV_ENABLE))
    return set_enabled(queue, knote, 1);
  return 0;
}

static int add_first(struct shim_queue* queue, const struct kevent* change) {
  struct shim_knote* knote;
  int err = add_knote(queue, change, &knote);

  if (err != 0)
    return err;
  knote->want.flags = change->flags & (unsigned short) ~ACTIONS;
  if (change->flags & EV_DISABLE)
    return 0;
  err = set_enabled(queue, knote, 1);
  if (err != 0)
    shim_remove(queue, knote);
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
  /* Earlier changes of the file count for the flags registered at that time. */
  if (filter == EVFILT_VNODE)
    shim_vnode_collect(queue);
  struct shim_knote* knote = shim_find(queue, change->ident, filter);
  /* Closed without our knowledge: the event is gone. */
  if (knote != NULL && is_about_fd(filter) && !shim_fd_same(knote)) {
    shim_remove(queue, knote);
    knote = NULL;
  }
  if (change->flags & EV_ADD)
    return knote == NULL ? add_first(queue, change)
                         : modify(queue, change, knote);
  if (knote == NULL) {
    struct shim_knote probe = { .want = *change };
    int err = is_about_fd(filter) ? shim_fd_identify(&probe) : 0;
    return err != 0 ? err : ENOENT;
  }
  if (change->flags & EV_DELETE) {
    shim_remove(queue, knote);
    return 0;
  }
  return modify(queue, change, knote);
}

/* "If an error occurs while processing an element of the changelist and there
 * is enough room in the eventlist, then the event will be placed in the
 * eventlist with EV_ERROR set in flags and the system error in data. Otherwise,
 * -1 will be returned." */
static int apply_all(struct shim_queue* queue,
                     const struct kevent* changes,
                     int nchanges,
                     struct kevent* events,
                     int nevents,
                     int* is_full) {
  int n = 0;

  for (int i = 0; i < nchanges; i++) {
    struct kevent change = changes[i]; /* the two arrays may be the same */
    int err = apply_change(queue, &change);
    if (err == 0 && !(change.flags & EV_RECEIPT))
      continue;
    if (n == nevents) {
      /* NetBSD's page, of EV_RECEIPT: "if ... there is no remaining space in
       * eventlist to hold the EV_ERROR event, then subsequent changes will not
       * get processed." FreeBSD returns 0 then (seen on 14.1), although events
       * were stored. */
      *is_full = 1;
      if (err == 0)
        return 0;
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

/* The program closed an fd while a duplicate is still open: epoll keeps
 * reporting it, and it cannot be removed. So make a new set without it. */
static void rebuild(struct shim_queue* queue, enum shim_set which) {
  int set = shim_above_stdio(epoll_create1(EPOLL_CLOEXEC));

  if (set == -1)
    return;
  if (add_fd(queue->fd, set, EPOLLIN) != 0) {
    real_close(set);
    return;
  }
  real_close(queue->sets[which]);
  queue->sets[which] = set;
  for (int i = 0; i < SHIM_BUCKETS; i++) {
    struct shim_knote* next;
    for (struct shim_knote* knote = queue->buckets[i]; knote; knote = next) {
      next = knote->next;
      if (!is_fd_filter(knote->want.filter) ||
          shim_fd_set(knote->want.filter) != which || !knote->enabled)
        continue;
      if (!shim_fd_same(knote) || shim_fd_arm(queue, knote) != 0)
        shim_remove(queue, knote);
    }
  }
}

/* Reported: applies EV_ONESHOT and EV_DISPATCH. */
static void after_event(struct shim_queue* queue, struct shim_knote* knote) {
  if (knote->want.flags & EV_ONESHOT)
    shim_remove(queue, knote);
  else if (knote->want.flags & EV_DISPATCH)
    (void) set_enabled(queue, knote, 0);
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
    struct shim_knote* knote = shim_find(queue, fd, filters[which]);
    if (knote == NULL || !shim_fd_same(knote)) {
      stale = 1;
      if (knote != NULL)
        shim_remove(queue, knote);
      continue;
    }
    if (!shim_fd_event(knote, ready[i].events, &out[n]))
      continue;
    n++;
    after_event(queue, knote);
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
    struct shim_knote* knote = ready[i].data.ptr;
    if (!shim_own_event(knote, &out[n]))
      continue;
    n++;
    if (knote->want.filter == EVFILT_PROC) /* it ends once */
      shim_remove(queue, knote);
    else
      after_event(queue, knote);
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
    struct shim_knote* next;
    for (struct shim_knote* knote = queue->buckets[i]; knote; knote = next) {
      next = knote->next;
      if (knote->want.filter != EVFILT_VNODE || !knote->enabled ||
          knote->seen == 0)
        continue;
      if (!shim_fd_same(knote)) {
        shim_remove(queue, knote);
      } else if (n == room) {
        left = 1;
      } else {
        left |= !(knote->want.flags & EV_CLEAR); /* it stays as it is */
        n += shim_vnode_event(knote, &out[n]);
        after_event(queue, knote);
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
  int is_full = 0;

  lock(&old);
  struct shim_queue* queue = find_queue(kq);
  int n = -1;
  if (queue == NULL)
    errno = EBADF;
  else if (!is_time_limit(timeout))
    errno = EINVAL;
  else
    n = apply_all(queue, changelist, nchanges, eventlist, nevents, &is_full);
  if (n != 0 || nevents == 0 || is_full) {
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
    /* An epoll event that kqueue would not report: do not spin on it. */
    if (rounds++ > 2)
      nanosleep(&nap, NULL);
    if (epoll_wait(kq, &ready, 1, wait_ms) == -1)
      return -1;
    lock(&old);
  }
}
