/* SPDX-License-Identifier: MIT */
/* select(2) on a thread, for what kqueue does not support: devices that it
 * refuses (/dev/tty and others on macOS), and urgent data where it has no
 * filter for it (FreeBSD, NetBSD). poller/kqueue.c is the only user.
 *
 * Context: the loop thread; the helper thread is internal to select-thread.c.
 */
#ifndef UV_UNIX_POLLER_SELECT_THREAD_H_
#define UV_UNIX_POLLER_SELECT_THREAD_H_

#include "unix/os.h"
#include "util/base.h"

/* The watched fds and the thread. NULL until an fd is watched. */
struct uv__selector;

/* Watches fd for POLLIN, POLLOUT and POLLPRI in `want`, or changes the
 * interest; creates *selector if needed. 0 or UV_E*. */
int uv__select_watch(struct uv__selector** selector,
                     uv_loop_t* loop,
                     int fd,
                     unsigned want);

/* Stops watching fd. Also works in a forked child. */
void uv__select_forget(struct uv__selector* selector, int fd);

/* Watches everything again that was collected before, so that what is still
 * ready is reported again (P2). Returns 1 if there is something to collect. */
int uv__select_arm(struct uv__selector* selector);

/* The next ready fd, with its bits, or -1. The loop is woken when there is
 * one. */
int uv__select_collect(struct uv__selector* selector, unsigned* bits);

/* Ends the thread. */
void uv__select_close(struct uv__selector* selector);

/* Child side of fork: frees the inherited memory; there is no thread. */
void uv__select_abandon(struct uv__selector* selector);

#endif /* UV_UNIX_POLLER_SELECT_THREAD_H_ */
