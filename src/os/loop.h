/* SPDX-License-Identifier: MIT */
/* What the loop driver asks of the platform. */
#ifndef UV_OS_LOOP_H_
#define UV_OS_LOOP_H_

#include "loop-state.h"

/* What to allocate for a loop: the size of the platform's structure, which
 * begins with struct uv__loop_state. */
extern const size_t uv__loop_os_state_size;

int uv__loop_os_init(uv_loop_t* loop);
void uv__loop_os_close(uv_loop_t* loop);
/* Child side of fork, after the poller was reopened. */
int uv__loop_os_fork(uv_loop_t* loop);
/* UV_LOOP_BLOCK_SIGNAL; UV_EINVAL if the platform knows no such signal. */
int uv__loop_os_block_signal(uv_loop_t* loop, int signum);

/* Callbacks that are due without waiting. Runs those queued at the call. */
void uv__loop_os_run_pending(uv_loop_t* loop);
int uv__loop_os_has_pending(const uv_loop_t* loop);
static inline int uv__loop_has_pending(const uv_loop_t* loop) {
  return uv__loop_state(loop)->may_have_pending &&
         uv__loop_os_has_pending(loop);
}

/* Tells the poller about changed interest. Returns 1 if it refused some: its
 * watcher has a callback pending. */
int uv__loop_os_commit(uv_loop_t* loop);
/* Is there any left to tell? */
int uv__loop_os_uncommitted(const uv_loop_t* loop);

/* Runs the callbacks of one event. Returns what it counts for in
 * uv_metrics_t.events; 0 if it was stale. */
int uv__loop_os_dispatch(uv_loop_t* loop, const struct uv__event* event);
/* After the last event of a batch: what must come last (signals). Returns
 * non-zero if a callback ran. */
int uv__loop_os_dispatch_signals(uv_loop_t* loop);

/* uv_library_shutdown(): the platform's process-wide state. */
void uv__library_os_shutdown(void);

#endif /* UV_OS_LOOP_H_ */
