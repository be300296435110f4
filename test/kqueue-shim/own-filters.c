/* SPDX-License-Identifier: MIT */
/* EVFILT_USER, EVFILT_TIMER and EVFILT_PROC: each event has an fd of ours, an
 * eventfd, a timerfd or a pidfd. See shim.h. */
#include "shim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef P_PIDFD
# define P_PIDFD 3
#endif

/* "NOTE_FFNOP/AND/OR/COPY: ... the input fflags" · "NOTE_TRIGGER: Cause the
 * event to be triggered." */
static int user_change(struct shim_knote* knote, const struct kevent* change) {
  static const uint64_t one = 1;
  unsigned flags = change->fflags & NOTE_FFLAGSMASK;

  switch (change->fflags & NOTE_FFCTRLMASK) {
  case NOTE_FFNOP:
    break;
  case NOTE_FFAND:
    knote->want.fflags &= flags;
    break;
  case NOTE_FFOR:
    knote->want.fflags |= flags;
    break;
  case NOTE_FFCOPY:
    knote->want.fflags = flags;
    break;
  }
  if ((change->fflags & NOTE_TRIGGER) &&
      write(knote->own_fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
    return errno;
  return 0;
}

/* "data specifies the moment to fire the timer ... The timer will be periodic
 * unless EV_ONESHOT is specified." */
static int timer_set(struct shim_knote* knote, const struct kevent* change) {
  int64_t unit = 1000000;
  struct itimerspec spec;

  if (change->fflags & NOTE_SECONDS)
    unit = 1000000000;
  else if (change->fflags & NOTE_USECONDS)
    unit = 1000;
  else if (change->fflags & NOTE_NSECONDS)
    unit = 1;
  int64_t ns = change->data * unit;
  if (ns <= 0)
    ns = 1;
  memset(&spec, 0, sizeof(spec));
  spec.it_value.tv_sec = ns / 1000000000;
  spec.it_value.tv_nsec = ns % 1000000000;
  if (!(change->flags & EV_ONESHOT))
    spec.it_interval = spec.it_value;
  return timerfd_settime(knote->own_fd, 0, &spec, NULL) == 0 ? 0 : errno;
}

/* The child whose exit was reported early, last. */
static pid_t early_pid;

/* What KQUEUE_SHIM_CHILDREN selects, see shim.h: an fd, -1 with errno, or -2
 * for nothing special. */
static int open_odd_child(pid_t pid) {
  const char* mode = getenv("KQUEUE_SHIM_CHILDREN");
  siginfo_t info;

  if (mode == NULL)
    return -2;
  if (strcmp(mode, "refused") == 0) {
    errno = EACCES;
    return -1;
  }
  if (strcmp(mode, "gone") == 0) {
    while (waitid(P_PID, (id_t) pid, &info, WEXITED | WNOWAIT) == -1 &&
           errno == EINTR)
      continue;
    errno = ESRCH;
    return -1;
  }
  if (early_pid != pid) {
    early_pid = pid;
    return eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK); /* readable: it is over */
  }
  if (strcmp(mode, "early-silent") == 0)
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  errno = ESRCH;
  return -1;
}

static int open_child(pid_t pid) {
  int fd = open_odd_child(pid);
  return fd != -2 ? fd : (int) syscall(SYS_pidfd_open, pid, 0);
}

static int open_own(const struct kevent* change) {
  if (change->filter == EVFILT_USER)
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (change->filter == EVFILT_TIMER)
    return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  return open_child((pid_t) change->ident);
}

int shim_own_add(struct shim_queue* queue,
                 struct shim_knote* knote,
                 const struct kevent* change,
                 int is_new) {
  (void) queue;
  if (is_new) {
    knote->own_fd = shim_above_stdio(open_own(change));
    if (knote->own_fd == -1)
      return errno;
    if (change->filter == EVFILT_USER)
      knote->want.fflags = 0;
  }
  int err = 0;
  if (change->filter == EVFILT_USER)
    err = user_change(knote, change);
  else if (change->filter == EVFILT_TIMER && (is_new || change->flags & EV_ADD))
    err = timer_set(knote, change);
  if (err != 0 && is_new)
    syscall(SYS_close, knote->own_fd);
  return err;
}

int shim_own_arm(struct shim_queue* queue, struct shim_knote* knote, int on) {
  struct epoll_event event;
  int set = queue->sets[SHIM_OTHER];

  memset(&event, 0, sizeof(event));
  event.events = EPOLLIN;
  event.data.ptr = knote;
  if (!on)
    return epoll_ctl(set, EPOLL_CTL_DEL, knote->own_fd, &event) ? errno : 0;
  if (epoll_ctl(set, EPOLL_CTL_ADD, knote->own_fd, &event) == 0)
    return 0;
  return errno == EEXIST ? 0 : errno;
}

void shim_own_remove(struct shim_queue* queue, struct shim_knote* knote) {
  (void) queue;
  syscall(SYS_close, knote->own_fd);
  knote->own_fd = -1;
}

/* "If a process can normally see another process, it can attach an event to
 * it ... NOTE_EXIT: The process has exited. The exit status will be stored in
 * data." macOS stores it for NOTE_EXITSTATUS: "The process has exited and its
 * exit status is in filter specific data. Valid only on child processes and to
 * be used along with NOTE_EXIT." */
static void fill_exit(const struct shim_knote* knote, struct kevent* out) {
  siginfo_t info;

  memset(&info, 0, sizeof(info));
  out->flags |= EV_EOF | EV_ONESHOT;
  out->fflags = knote->want.fflags & (NOTE_EXIT | NOTE_EXITSTATUS);
  out->data = 0;
  if (shim_acts_as("macos") && !(knote->want.fflags & NOTE_EXITSTATUS))
    return;
  if (waitid((idtype_t) P_PIDFD, (id_t) knote->own_fd, &info,
             WEXITED | WNOWAIT | WNOHANG) != 0)
    return; /* not a child, or reported early */
  if (info.si_code == CLD_EXITED)
    out->data = info.si_status << 8;
  else
    out->data = info.si_status;
}

int shim_own_event(struct shim_knote* knote, struct kevent* out) {
  uint64_t count = 0;

  *out = knote->want;
  out->data = 0;
  switch (knote->want.filter) {
  case EVFILT_USER:
    /* "EV_CLEAR: After the event is retrieved by the user, its state is
     * reset." Without it the trigger stays. */
    if (knote->want.flags & EV_CLEAR)
      return read(knote->own_fd, &count, sizeof(count)) > 0;
    return 1;
  case EVFILT_TIMER:
    /* "data contains the number of times the timeout has expired" */
    if (read(knote->own_fd, &count, sizeof(count)) <= 0)
      return 0;
    out->data = (int64_t) count;
    out->flags |= EV_CLEAR; /* "automatically sets the EV_CLEAR flag" */
    return 1;
  default:
    fill_exit(knote, out);
    return 1;
  }
}
