/* SPDX-License-Identifier: MIT */
/* kevent(2): changes, flags, errors, queues. Quotes are from FreeBSD 14's man
 * page kqueue(2) unless another is named. */
#include "unit/unit.h"

#include <sys/types.h>
#include <sys/event.h>
#include <sys/time.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef KQUEUE_SHIM_SYS_EVENT_H_
static const int is_shim = 1;
#else
static const int is_shim = 0;
#endif

static const struct timespec at_once = { 0, 0 };

static int change(int kq, int ident, int filter, unsigned flags) {
  struct kevent kev;
  EV_SET(&kev, ident, filter, flags, 0, 0, NULL);
  return kevent(kq, &kev, 1, NULL, 0, NULL);
}

static int fetch(int kq, struct kevent* kev, int room) {
  return kevent(kq, NULL, 0, kev, room, &at_once);
}

static int readable_pipe(int fds[2]) {
  CHECK_EQ(0, pipe(fds));
  CHECK_EQ(3, write(fds[1], "abc", 3));
  return fds[0];
}

/* "Re-adding an existing event will modify the parameters of the original
 * event, and not result in a duplicate entry." */
UNIT_TEST(add_is_idempotent) {
  struct kevent kev[4];
  int fds[2];
  int kq = kqueue();
  int fd = readable_pipe(fds);

  EV_SET(&kev[0], fd, EVFILT_READ, EV_ADD, 0, 0, (void*) 1);
  EV_SET(&kev[1], fd, EVFILT_READ, EV_ADD, 0, 0, (void*) 2);
  CHECK_EQ(0, kevent(kq, kev, 2, NULL, 0, NULL));
  CHECK_EQ(1, fetch(kq, kev, 4));
  CHECK(kev[0].udata == (void*) 2);
  CHECK_EQ(1, fetch(kq, kev, 4)); /* a level */
}

/* "ENOENT: The event could not be found to be modified or deleted." "EBADF:
 * The specified descriptor is invalid." */
UNIT_TEST(delete_of_nothing) {
  int fds[2];
  int kq = kqueue();
  int fd = readable_pipe(fds);

  CHECK_EQ(-1, change(kq, fd, EVFILT_READ, EV_DELETE));
  CHECK_EQ(ENOENT, errno);
  close(fd);
  CHECK_EQ(-1, change(kq, fd, EVFILT_READ, EV_DELETE));
  CHECK_EQ(EBADF, errno);
  CHECK_EQ(-1, change(kq, fd, EVFILT_READ, EV_ADD));
  CHECK_EQ(EBADF, errno);
  CHECK_EQ(-1, change(fds[1], fds[1], EVFILT_WRITE, EV_ADD));
  CHECK_EQ(EBADF, errno); /* not a queue */
  CHECK_EQ(-1, change(kq, 0, 77, EV_ADD));
  CHECK_EQ(EINVAL, errno);
}

/* "If an error occurs while processing an element of the changelist and there
 * is enough room in the eventlist, then the event will be placed in the
 * eventlist with EV_ERROR set in flags and the system error in data." The rest
 * of the list is still processed. */
UNIT_TEST(error_has_a_place_in_the_eventlist) {
  struct kevent changes[2];
  struct kevent events[4];
  int fds[2];
  int kq = kqueue();
  int fd = readable_pipe(fds);

  EV_SET(&changes[0], 999, EVFILT_READ, EV_ADD, 0, 0, (void*) 7);
  EV_SET(&changes[1], fd, EVFILT_READ, EV_ADD, 0, 0, NULL);
  CHECK_EQ(1, kevent(kq, changes, 2, events, 4, NULL)); /* does not sleep */
  CHECK(events[0].flags & EV_ERROR);
  CHECK_EQ(EBADF, events[0].data);
  if (is_shim)
    CHECK_EQ(EV_ERROR, events[0].flags); /* macOS keeps the others */
  CHECK_EQ(999, events[0].ident);
  CHECK_EQ(EVFILT_READ, events[0].filter);
  CHECK(events[0].udata == (void*) 7);
  CHECK_EQ(1, fetch(kq, events, 4));
  CHECK_EQ(fd, events[0].ident);
}

/* "Otherwise, -1 will be returned, and errno will be set to indicate the error
 * condition." */
UNIT_TEST(error_without_room_is_returned) {
  struct kevent changes[2];
  struct kevent event;
  int kq = kqueue();

  EV_SET(&changes[0], 998, EVFILT_READ, EV_ADD, 0, 0, NULL);
  EV_SET(&changes[1], 999, EVFILT_READ, EV_ADD, 0, 0, NULL);
  CHECK_EQ(-1, kevent(kq, changes, 2, &event, 1, NULL));
  CHECK_EQ(EBADF, errno);
}

/* "EV_RECEIPT: ... useful for making bulk changes to a kqueue without draining
 * any pending events. When passed as input, it forces EV_ERROR to always be
 * returned. When a filter is successfully added the data field will be zero."
 */
UNIT_TEST(receipt_takes_no_event) {
  struct kevent changes[2];
  struct kevent events[4];
  int fds[2];
  int kq = kqueue();
  int fd = readable_pipe(fds);

  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_ADD));
  EV_SET(&changes[0], fds[1], EVFILT_WRITE, EV_ADD | EV_RECEIPT, 0, 0, NULL);
  EV_SET(&changes[1], 999, EVFILT_READ, EV_ADD | EV_RECEIPT, 0, 0, NULL);
  CHECK_EQ(2, kevent(kq, changes, 2, events, 4, NULL));
  CHECK(events[0].flags & EV_ERROR);
  CHECK_EQ(0, events[0].data);
  CHECK(events[1].flags & EV_ERROR);
  CHECK_EQ(EBADF, events[1].data);
}

/* NetBSD: "if this flag is encountered and there is no remaining space in
 * eventlist to hold the EV_ERROR event, then subsequent changes will not get
 * processed." FreeBSD 14.1: the call returns 0, although there was room for the
 * first. */
UNIT_TEST(receipt_without_room_ends_the_list) {
  struct kevent changes[2];
  struct kevent event;
  int fds[2];
  int kq = kqueue();
  int fd = readable_pipe(fds);

  EV_SET(&changes[0], fds[1], EVFILT_WRITE, EV_ADD | EV_RECEIPT, 0, 0, NULL);
  EV_SET(&changes[1], fd, EVFILT_READ, EV_ADD | EV_RECEIPT, 0, 0, NULL);
  memset(&event, 0, sizeof(event));
  CHECK_EQ(0, kevent(kq, changes, 2, &event, 1, NULL));
  CHECK(event.flags & EV_ERROR);
  CHECK_EQ(0, event.data);
  CHECK_EQ(fds[1], event.ident);
}

/* "The same array may be used for the changelist and eventlist." */
UNIT_TEST(same_array_for_both_lists) {
  struct kevent kev[3];
  int fds[2];
  int kq = kqueue();
  int fd = readable_pipe(fds);

  EV_SET(&kev[0], fd, EVFILT_READ, EV_ADD | EV_RECEIPT, 0, 0, NULL);
  EV_SET(&kev[1], 999, EVFILT_READ, EV_DELETE | EV_RECEIPT, 0, 0, NULL);
  EV_SET(&kev[2], fds[1], EVFILT_WRITE, EV_ADD | EV_RECEIPT, 0, 0, NULL);
  CHECK_EQ(3, kevent(kq, kev, 3, kev, 3, &at_once));
  CHECK_EQ(0, kev[0].data);
  CHECK_EQ(EBADF, kev[1].data);
  CHECK_EQ(0, kev[2].data);
  CHECK_EQ(2, fetch(kq, kev, 3));
}

/* "EV_DISABLE: Disable event so kevent() will not return it. The filter itself
 * is not disabled." */
UNIT_TEST(disable_and_enable) {
  struct kevent kev;
  int fds[2];
  int kq = kqueue();
  int fd = readable_pipe(fds);

  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_ADD | EV_DISABLE));
  CHECK_EQ(0, fetch(kq, &kev, 1));
  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_ENABLE));
  CHECK_EQ(1, fetch(kq, &kev, 1));
  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_DISABLE));
  CHECK_EQ(0, fetch(kq, &kev, 1));
}

/* "Adding an event automatically enables it, unless overridden by the
 * EV_DISABLE flag." That is so for one that was not there: FreeBSD 14.1 leaves
 * a known one disabled. */
UNIT_TEST(add_again_does_not_enable) {
  struct kevent kev;
  int fds[2];
  int kq = kqueue();
  int fd = readable_pipe(fds);

  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_ADD | EV_DISABLE));
  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_ADD));
  CHECK_EQ(0, fetch(kq, &kev, 1));
  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_ADD | EV_ENABLE));
  CHECK_EQ(1, fetch(kq, &kev, 1));
  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_ADD | EV_DISABLE));
  CHECK_EQ(0, fetch(kq, &kev, 1));
}

/* kern_event.c of FreeBSD, of every change that is no EV_DELETE: "The user may
 * change some filter values after the initial EV_ADD". udata is one of them,
 * also for a change that only enables or triggers. */
UNIT_TEST(change_without_add_replaces_udata) {
  struct kevent kev;
  int fds[2];
  int kq = kqueue();
  int fd = readable_pipe(fds);

  EV_SET(&kev, fd, EVFILT_READ, EV_ADD | EV_DISABLE, 0, 0, (void*) 1);
  CHECK_EQ(0, kevent(kq, &kev, 1, NULL, 0, NULL));
  EV_SET(&kev, fd, EVFILT_READ, EV_ENABLE, 0, 0, (void*) 2);
  CHECK_EQ(0, kevent(kq, &kev, 1, NULL, 0, NULL));
  CHECK_EQ(1, fetch(kq, &kev, 1));
  CHECK(kev.udata == (void*) 2);
}

/* "Re-adding an existing event will modify the parameters of the original
 * event": fflags, data and udata. FreeBSD 14.1 keeps EV_CLEAR as it was first
 * added, in both directions. */
UNIT_TEST(add_again_keeps_clear) {
  struct kevent kev;
  int fds[2];
  int kq = kqueue();
  int fd = readable_pipe(fds);

  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_ADD));
  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_ADD | EV_CLEAR));
  CHECK_EQ(1, fetch(kq, &kev, 1));
  CHECK_EQ(1, fetch(kq, &kev, 1)); /* a level still */

  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_DELETE));
  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_ADD | EV_CLEAR));
  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_ADD));
  CHECK_EQ(1, fetch(kq, &kev, 1));
  CHECK_EQ(0, fetch(kq, &kev, 1)); /* changes only */
}

/* The same of EV_ONESHOT and EV_DISPATCH. */
UNIT_TEST(add_again_keeps_oneshot) {
  struct kevent kev;
  int fds[2];
  int kq = kqueue();
  int fd = readable_pipe(fds);

  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_ADD | EV_ONESHOT));
  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_ADD));
  CHECK_EQ(1, fetch(kq, &kev, 1));
  CHECK_EQ(-1, change(kq, fd, EVFILT_READ, EV_DELETE));
  CHECK_EQ(ENOENT, errno);
}

/* "EINVAL: The specified time limit or filter is invalid." */
UNIT_TEST(time_limit_is_checked) {
  struct timespec limit = { 0, 1000000000 };
  struct kevent kev;
  int kq = kqueue();

  CHECK_EQ(-1, kevent(kq, NULL, 0, &kev, 1, &limit));
  CHECK_EQ(EINVAL, errno);
}

/* "EV_ONESHOT: Causes the event to return only the first occurrence of the
 * filter being triggered. After the user retrieves the event from the kqueue,
 * it is deleted." */
UNIT_TEST(oneshot_is_gone_after_one) {
  struct kevent kev;
  int fds[2];
  int kq = kqueue();
  int fd = readable_pipe(fds);

  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_ADD | EV_ONESHOT));
  CHECK_EQ(1, fetch(kq, &kev, 1));
  CHECK_EQ(0, fetch(kq, &kev, 1));
  CHECK_EQ(-1, change(kq, fd, EVFILT_READ, EV_DELETE));
  CHECK_EQ(ENOENT, errno);
}

/* "EV_DISPATCH: Disable the event source immediately after delivery of an
 * event." */
UNIT_TEST(dispatch_is_disabled_after_one) {
  struct kevent kev;
  int fds[2];
  int kq = kqueue();
  int fd = readable_pipe(fds);

  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_ADD | EV_DISPATCH));
  CHECK_EQ(1, fetch(kq, &kev, 1));
  CHECK_EQ(0, fetch(kq, &kev, 1));
  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_ENABLE));
  CHECK_EQ(1, fetch(kq, &kev, 1));
}

/* "EV_CLEAR: After the event is retrieved by the user, its state is reset. This
 * is useful for filters which report state transitions instead of the current
 * state." */
UNIT_TEST(clear_reports_changes_only) {
  struct kevent kev;
  int fds[2];
  int kq = kqueue();
  int fd = readable_pipe(fds);

  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_ADD | EV_CLEAR));
  CHECK_EQ(1, fetch(kq, &kev, 1));
  CHECK_EQ(0, fetch(kq, &kev, 1));
  CHECK_EQ(1, write(fds[1], "d", 1));
  CHECK_EQ(1, fetch(kq, &kev, 1));
  CHECK_EQ(4, kev.data);
  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_ADD | EV_CLEAR));
  CHECK_EQ(1, fetch(kq, &kev, 1)); /* added again: checked again */
}

/* "Calling close() on a file descriptor will remove any kevents that reference
 * the descriptor." */
UNIT_TEST(closed_fd_leaves_the_queue) {
  struct kevent kev;
  int fds[2];
  int kq = kqueue();
  int fd = readable_pipe(fds);

  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_ADD));
  close(fd);
  CHECK_EQ(0, fetch(kq, &kev, 1));
  int next[2];
  CHECK_EQ(fd, readable_pipe(next)); /* the same number */
  CHECK_EQ(0, fetch(kq, &kev, 1));
  CHECK_EQ(-1, change(kq, fd, EVFILT_READ, EV_DELETE));
  CHECK_EQ(ENOENT, errno);
}

UNIT_TEST(closed_fd_leaves_although_a_duplicate_is_open) {
  struct kevent kev;
  int fds[2];
  int other[2];
  int kq = kqueue();
  int fd = readable_pipe(fds);
  int copy = dup(fd);

  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_ADD));
  CHECK_EQ(0, pipe(other));
  CHECK_EQ(fd, dup2(other[0], fd)); /* closed, but not through close() */
  CHECK_EQ(0, fetch(kq, &kev, 1));
  CHECK_EQ(0, change(kq, copy, EVFILT_READ, EV_ADD));
  CHECK_EQ(1, fetch(kq, &kev, 1));
  CHECK_EQ(copy, kev.ident);
}

/* dup2(2) of macOS: "if descriptor fildes2 is already in use, it is first
 * deallocated as if a close(2) call had been done first", and close() removes
 * its events: even if it is the same file again. */
UNIT_TEST(replaced_fd_leaves_the_queue) {
  struct kevent kev;
  int fds[2];
  int kq = kqueue();
  int fd = readable_pipe(fds);
  int other = dup(fd);

  CHECK(other >= 0);
  CHECK_EQ(0, change(kq, other, EVFILT_READ, EV_ADD));
  CHECK_EQ(other, dup2(other, other)); /* nothing happens */
  CHECK_EQ(1, fetch(kq, &kev, 1));
  CHECK_EQ(-1, dup2(-1, other)); /* nor here */
  CHECK_EQ(1, fetch(kq, &kev, 1));
  CHECK_EQ(other, dup2(fd, other));
  CHECK_EQ(0, fetch(kq, &kev, 1));
  CHECK_EQ(-1, change(kq, other, EVFILT_READ, EV_DELETE));
  CHECK_EQ(ENOENT, errno);
}

/* "The queue is not inherited by a child created with fork(2)." */
UNIT_TEST(queue_is_not_inherited) {
  int fds[2];
  int status;
  struct kevent kev;
  int kq = kqueue();
  int fd = readable_pipe(fds);

  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_ADD));
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0)
    _exit(fetch(kq, &kev, 1) == -1 && errno == EBADF && dup(0) == kq ? 0 : 1);
  CHECK_EQ(pid, waitpid(pid, &status, 0));
  CHECK_EQ(0, status);
  CHECK_EQ(1, fetch(kq, &kev, 1));
}

/* A queue is an fd: "kqueues can be monitored" (EVFILT_READ, macOS' page:
 * "kqueue ... when there are pending events"). */
UNIT_TEST(queue_can_be_polled) {
  struct kevent kev;
  int fds[2];
  int inner = kqueue();
  int outer = kqueue();
  struct pollfd pfd = { .fd = inner, .events = POLLIN };

  CHECK_EQ(0, pipe(fds));
  CHECK_EQ(0, change(inner, fds[0], EVFILT_READ, EV_ADD));
  CHECK_EQ(0, change(outer, inner, EVFILT_READ, EV_ADD));
  CHECK_EQ(0, poll(&pfd, 1, 0));
  CHECK_EQ(0, fetch(outer, &kev, 1));
  CHECK_EQ(1, write(fds[1], "x", 1));
  CHECK_EQ(1, poll(&pfd, 1, 0));
  CHECK_EQ(1, fetch(outer, &kev, 1));
  CHECK_EQ(inner, kev.ident);
}

/* kqueue_kqfilter() of FreeBSD, NetBSD and OpenBSD: any other filter is EINVAL.
 */
UNIT_TEST(queue_cannot_be_written) {
  int inner = kqueue();
  int outer = kqueue();

  CHECK_EQ(-1, change(outer, inner, EVFILT_WRITE, EV_ADD));
  CHECK_EQ(EINVAL, errno);
}

/* kern_event.c of FreeBSD: "if we add some intelligence about what we are
 * doing, we should be able to support events on ourselves"; it is EINVAL. */
UNIT_TEST(queue_cannot_watch_itself) {
  int kq = kqueue();
  CHECK_EQ(-1, change(kq, kq, EVFILT_READ, EV_ADD));
  CHECK_EQ(EINVAL, errno);
}

/* FreeBSD 14.1: fcntl(F_SETFL) of a queue with O_NONBLOCK is ENOTTY, because
 * it has no FIONBIO; and fstat(2) says that it is a fifo. */
UNIT_TEST(queue_has_no_blocking_mode) {
  struct stat st;
  int kq = kqueue();

  CHECK_EQ(-1, fcntl(kq, F_SETFL, O_NONBLOCK));
  CHECK_EQ(ENOTTY, errno);
  CHECK_EQ(0, fstat(kq, &st));
  CHECK(S_ISFIFO(st.st_mode));
}

/* "If timeout is a non-NULL pointer, it specifies a maximum interval to wait
 * for an event" */
UNIT_TEST(timeout_is_kept) {
  struct timespec timeout = { 0, 30 * 1000 * 1000 };
  struct timespec before;
  struct timespec after;
  struct kevent kev;
  int kq = kqueue();

  clock_gettime(CLOCK_MONOTONIC, &before);
  CHECK_EQ(0, kevent(kq, NULL, 0, &kev, 1, &timeout));
  clock_gettime(CLOCK_MONOTONIC, &after);
  long ns = (after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec -
            before.tv_nsec;
  CHECK(ns >= timeout.tv_nsec);
}
