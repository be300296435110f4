/* SPDX-License-Identifier: MIT */
/* The wake fd: other threads and signal handlers write to it to end a wait.
 * An eventfd where the system has one. */
#ifndef UV_UNIX_WAKE_FD_H_
#define UV_UNIX_WAKE_FD_H_

#include "unix/loop.h"

/* Opens the fds of the loop, in uv__loop_os(loop)->wake_fd: 0 or UV_E*. */
int uv__wake_fd_open(uv_loop_t* loop);
void uv__wake_fd_close(uv_loop_t* loop);

/* The end that becomes readable. */
static inline int uv__wake_fd_get(const uv_loop_t* loop) {
  return uv__loop_os(loop)->wake_fd[0];
}

/* Makes it readable. Context: any | signal. */
int uv__wake_fd_signal(uv_loop_t* loop);

/* Clears it, for level-triggered pollers. */
void uv__wake_fd_drain(uv_loop_t* loop);

#endif /* UV_UNIX_WAKE_FD_H_ */
