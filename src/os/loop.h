/* SPDX-License-Identifier: MIT */
/* The loop: what the platform supplies to loop/run.c and loop/life.c. */
#ifndef UV_OS_LOOP_H_
#define UV_OS_LOOP_H_

#include "loop/state.h"

/* The size of the platform's loop state, which begins with struct
 * uv__loop_state. */
extern const size_t uv__loop_os_state_size;

int uv__loop_os_init(uv_loop_t* loop);
void uv__loop_os_close(uv_loop_t* loop);
/* Child side of fork, after the poller was reopened. */
int uv__loop_os_fork(uv_loop_t* loop);
/* UV_LOOP_BLOCK_SIGNAL; UV_EINVAL for a signal that cannot be blocked. */
int uv__loop_os_block_signal(uv_loop_t* loop, int signum);

/* Runs the pending callbacks that were queued before the call. */
void uv__loop_os_run_pending(uv_loop_t* loop);
int uv__loop_os_has_pending(const uv_loop_t* loop);
static inline int uv__loop_has_pending(const uv_loop_t* loop) {
  return uv__loop_state(loop)->may_have_pending &&
         uv__loop_os_has_pending(loop);
}

/* Tells the poller about changed interest. Returns 1 if it refused any: then
 * the callback of that watcher is pending. */
int uv__loop_os_commit(uv_loop_t* loop);
/* Is there changed interest that the poller does not know yet? */
int uv__loop_os_uncommitted(const uv_loop_t* loop);

/* Runs the callbacks of one event. Returns what to add to uv_metrics_t.events;
 * 0 if the event was stale. */
int uv__loop_os_dispatch(uv_loop_t* loop, const struct uv__event* event);
/* Runs the callbacks of signals, which come after all events of a batch.
 * Returns non-zero if any ran. */
int uv__loop_os_dispatch_signals(uv_loop_t* loop);

/* uv_library_shutdown(): releases the platform's process-wide state. */
void uv__library_os_shutdown(void);

/* Keeps the object that contains the library mapped until the process ends: 0,
 * or an error, and then its threads must end before it is unloaded. */
int uv__library_os_pin(void);

#endif /* UV_OS_LOOP_H_ */
