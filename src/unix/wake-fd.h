/* SPDX-License-Identifier: MIT */
/* The self-pipe: other threads and signal handlers write to it to end a wait.
 * An eventfd where the system has one. */
#ifndef UV_UNIX_WAKE_FD_H_
#define UV_UNIX_WAKE_FD_H_

#include "unix/loop.h"

/* Opens the fds of the loop, in uv__loop_os(loop)->self_pipe: 0 or UV_E*. */
int uv__self_pipe_open(uv_loop_t* loop);
void uv__self_pipe_close(uv_loop_t* loop);

/* The end that becomes readable. */
static inline int uv__self_pipe_get(const uv_loop_t* loop) {
  return uv__loop_os(loop)->self_pipe[0];
}

/* Makes it readable. Context: any | signal. */
int uv__self_pipe_signal(uv_loop_t* loop);

/* Clears it, for level-triggered pollers. */
void uv__self_pipe_drain(uv_loop_t* loop);

#endif /* UV_UNIX_WAKE_FD_H_ */
