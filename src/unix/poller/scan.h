/* SPDX-License-Identifier: MIT */
/* Shared by the pollers without a kernel object, which pass every descriptor in
 * every call: poll(2) and select(2). */
#ifndef UV_UNIX_POLLER_SCAN_H_
#define UV_UNIX_POLLER_SCAN_H_

#include "os/poller.h"

#include <poll.h>
#include <signal.h>

/* Opens the wake fd and uses it as the backend fd. There is no other fd to
 * embed, so an embedder that polls it sees wakes (async handles, work,
 * signals), but not readiness. 0 or UV_E*. */
int uv__scan_open(uv_loop_t* loop);
void uv__scan_close(uv_loop_t* loop);

/* poll() and select() report regular files as always ready, which would spin:
 * refused with UV_EPERM, as epoll does. */
int uv__scan_probe(uv_loop_t* loop, int fd);

/* Called around the waiting call: block SIGPROF if the loop is configured so.
 * The caller passes the same `old` to both. */
void uv__scan_block(const uv_loop_t* loop, sigset_t* old);
void uv__scan_unblock(const uv_loop_t* loop, const sigset_t* old);

/* Converts an entry with revents to an event; clears pending wakes. */
void uv__scan_report(uv_loop_t* loop,
                     const struct pollfd* entry,
                     struct uv__event* out);

#endif /* UV_UNIX_POLLER_SCAN_H_ */
