/* SPDX-License-Identifier: MIT */
/* Waking a loop, with a system call only if it sleeps; see wake.c. */
#ifndef UV_LOOP_WAKE_H_
#define UV_LOOP_WAKE_H_

#include "loop/loop.h"

/* Called with the first loop: determines the number of processors. This may
 * open files, which a seccomp filter may forbid by the time the loop runs. */
void uv__wake_init_process(void);

/* uv__wake_send(), but reads only the state of the loop, not the loop itself,
 * which the program may have freed. Not on Windows. Context: any. */
int uv__wake_send_state(struct uv__loop_state* state);

/* These two bracket uv_run(). In between, senders rely on the loop to find
 * pending wakes by itself, unless the mode never sleeps; outside, on the
 * poller, whose fd an embedder may watch. */
void uv__wake_run_begin(uv_loop_t* loop, uv_run_mode mode);
void uv__wake_run_end(uv_loop_t* loop);

/* Is the loop inside uv_run()? Returns 0 for UV_RUN_NOWAIT. If a dump is
 * requested and the caller holds the lock of loop/list.c, the answer stays true
 * until the lock is released. Context: any. */
int uv__wake_is_running(struct uv__loop_state* state);

/* Called before a wait that may block for `timeout_ms` (-1: for ever). Returns
 * how long it may block: 0 if a wake is pending. May first spin for a few
 * microseconds, waiting for one. */
int uv__wake_sleep(uv_loop_t* loop, int timeout_ms);

/* Called after a wait: marks the loop awake. Returns 1 if a wake was pending,
 * and takes it. */
int uv__wake_take_pending(uv_loop_t* loop);
static inline int uv__wake_take(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);

  /* The loop neither slept nor was woken. A wake that is missed here is found
   * before the loop sleeps. */
  if (uv__load_relaxed(&state->shared.word) == state->wake.awake)
    return 0;
  return uv__wake_take_pending(loop);
}

/* Is it certain that a wait without blocking would report nothing but wakes? */
static inline int uv__wake_is_only_source(const uv_loop_t* loop) {
  const struct uv__loop_state* state = uv__loop_state(loop);

  return state->wake.may_skip && state->poller->is_empty != NULL &&
         state->poller->is_empty(loop);
}

/* Child side of fork: nothing is pending. */
void uv__wake_fork(uv_loop_t* loop);

#endif /* UV_LOOP_WAKE_H_ */
