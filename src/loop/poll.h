/* SPDX-License-Identifier: MIT */
/* The poll phase: commit, wait once, dispatch, decide. */
#ifndef UV_LOOP_POLL_H_
#define UV_LOOP_POLL_H_

#include "util/base.h"

/* Commits interest and waits until `deadline_ns` (0: does not block,
 * UINT64_MAX: for ever) for the first events; they are kept in the loop. Runs
 * no user code. Returns the number of events or UV_E*. */
int uv__loop_poll_collect(uv_loop_t* loop, uint64_t deadline_ns);

/* Runs the callbacks of the collected events. Returns the number of events that
 * were not stale. */
int uv__loop_poll_dispatch(uv_loop_t* loop);

/* The whole phase, as in uv_run(). Returns 0, or UV_E* if the loop can no
 * longer wait because someone closed the poller's fd. */
int uv__loop_poll(uv_loop_t* loop, uint64_t deadline_ns);

/* For uv_loop_init() and uv_loop_close(): the batch, with no event in it. */
void uv__loop_poll_init(uv_loop_t* loop);
void uv__loop_poll_close(uv_loop_t* loop);

#endif /* UV_LOOP_POLL_H_ */
