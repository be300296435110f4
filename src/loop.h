/* SPDX-License-Identifier: MIT */
/* The loop driver and what it asks of the platform. */
#ifndef UV_LOOP_H_
#define UV_LOOP_H_

#include "loop-state.h"

/* Something is left that could make a callback run. */
int uv__loop_alive(const uv_loop_t* loop);

/* The moment until which the loop may sleep, in ns of uv_hrtime(): 0 not at
 * all, UINT64_MAX for ever. */
uint64_t uv__loop_deadline(uv_loop_t* loop);

/* Runs idle, prepare or check callbacks; loop-watcher.c. */
void uv__run_idle(uv_loop_t* loop);
void uv__run_prepare(uv_loop_t* loop);
void uv__run_check(uv_loop_t* loop);

/* The platform's share; src/<platform>/loop-os.c. */
int uv__loop_os_init(uv_loop_t* loop);
void uv__loop_os_close(uv_loop_t* loop);
/* Child side of fork, after the poller was reopened. */
int uv__loop_os_fork(uv_loop_t* loop);
/* UV_LOOP_BLOCK_SIGNAL; UV_EINVAL if the platform knows no such signal. */
int uv__loop_os_block_signal(uv_loop_t* loop, int signum);

/* Callbacks that are due without waiting. Runs those queued at the call. */
void uv__loop_os_run_pending(uv_loop_t* loop);
int uv__loop_os_has_pending(const uv_loop_t* loop);

/* Tells the poller about changed interest; is there any left to tell? */
void uv__loop_os_commit(uv_loop_t* loop);
int uv__loop_os_uncommitted(const uv_loop_t* loop);

/* Runs the callbacks of one event. Returns what it counts for in
 * uv_metrics_t.events; 0 if it was stale. */
int uv__loop_os_dispatch(uv_loop_t* loop, const struct uv__event* event);
/* After the last event of a batch: what must come last (signals). Returns
 * non-zero if a callback ran. */
int uv__loop_os_dispatch_last(uv_loop_t* loop);

/* uv_library_shutdown(): the platform's process-wide state. */
void uv__library_os_shutdown(void);

#endif /* UV_LOOP_H_ */
