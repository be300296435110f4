/* SPDX-License-Identifier: MIT */
/* What the pollers share that have no object in the kernel and therefore name
 * every descriptor in every call: poll(2) and select(2). */
#ifndef UV_UNIX_POLLER_SCAN_H_
#define UV_UNIX_POLLER_SCAN_H_

#include "os/poller.h"

#include <poll.h>
#include <signal.h>

/* Opens the wake fd and has it stand for the loop: there is nothing else that
 * could be embedded, so whoever waits on it is told of wakes (async handles,
 * work, signals), not of readiness. 0 or UV_E*. */
int uv__scan_open(uv_loop_t* loop);
void uv__scan_close(uv_loop_t* loop);

/* These calls say that a regular file is always ready, which would spin:
 * refused with UV_EPERM, as the kernel does for epoll. */
int uv__scan_probe(uv_loop_t* loop, int fd);

/* Around the call that waits: blocks SIGPROF if the loop is configured so. The
 * caller passes the same `old` to both. */
void uv__scan_block(const uv_loop_t* loop, sigset_t* old);
void uv__scan_unblock(const uv_loop_t* loop, const sigset_t* old);

/* Turns an entry with revents into an event; takes the wakes that have
 * come. */
void uv__scan_report(uv_loop_t* loop,
                     const struct pollfd* entry,
                     struct uv__event* out);

#endif /* UV_UNIX_POLLER_SCAN_H_ */
