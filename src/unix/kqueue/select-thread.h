/* SPDX-License-Identifier: MIT */
/* select(2) on a thread, for what kqueue does not do: devices that it refuses
 * (on macOS /dev/tty, among others), urgent data where it has no filter for it
 * (FreeBSD, NetBSD). kqueue/kqueue.c is the only user.
 *
 * Context: the loop thread; the helper thread is inside select-thread.c.
 */
#ifndef UV_UNIX_SELECT_THREAD_H_
#define UV_UNIX_SELECT_THREAD_H_

#include "base.h"
#include "unix/os.h"

/* What is watched, and the thread. NULL until something is. */
struct uv__selector;

/* Watches fd for POLLIN, POLLOUT and POLLPRI of `want`, or changes what it is
 * watched for; makes *selector if need be. 0 or UV_E*. */
int uv__select_watch(struct uv__selector** selector,
                     uv_loop_t* loop,
                     int fd,
                     unsigned want);

/* Afterwards nothing is reported for fd. Also in a child of fork(). */
void uv__select_forget(struct uv__selector* selector, int fd);

/* Looks at everything again that was collected before: what is still ready is
 * reported again (P2). Returns 1 if something waits to be collected. */
int uv__select_arm(struct uv__selector* selector);

/* The next fd that is ready, with the bits, or -1. The loop is woken when there
 * is one. */
int uv__select_collect(struct uv__selector* selector, unsigned* bits);

/* Ends the thread. */
void uv__select_close(struct uv__selector* selector);

/* Child side of fork: there is no thread; frees what was inherited. */
void uv__select_abandon(struct uv__selector* selector);

#endif /* UV_UNIX_SELECT_THREAD_H_ */
