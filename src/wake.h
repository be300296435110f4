/* SPDX-License-Identifier: MIT */
/* Wake-ups of a loop that cost a system call only if it sleeps; wake.c. */
#ifndef UV_WAKE_H_
#define UV_WAKE_H_

#include "loop-state.h"

/* Called with the first loop: determines the number of processors. This may
 * open files, which a seccomp filter may forbid by the time the loop runs. */
void uv__wake_init_process(void);

/* Makes the loop dispatch wake-ups before it sleeps again; wakes the poller if
 * the loop sleeps or is not running. Returns 1 if the loop was spinning for it,
 * 0, or UV_E*. Context: any | signal. */
int uv__wake_send(uv_loop_t* loop);

/* The same, for a loop that may be gone: reads its state and nothing else. Not
 * on Windows. Context: any. */
int uv__wake_send_state(struct uv__loop_state* state);

/* In the loop's word: a wake was sent; the loop sleeps for a moment until a
 * batch of finished work has collected. The other bits: wake.c. */
#define UV__WAKE_PENDING 1u
#define UV__WAKE_BATCHING 8u
/* With so many requests in flight, wait briefly so that one wake-up delivers a
 * batch. */
#define UV__WAKE_BATCH_REQS 8

static inline int uv__wake_is_pending(const uv_loop_t* loop) {
  unsigned word = uv__load_relaxed(&uv__loop_state(loop)->shared.word);
  return (word & UV__WAKE_PENDING) != 0;
}

static inline int uv__wake_is_batching(const uv_loop_t* loop) {
  unsigned word = uv__load_relaxed(&uv__loop_state(loop)->shared.word);
  return (word & UV__WAKE_BATCHING) != 0;
}

/* The same, but lets a loop sleep on that waits for a batch.
 * Context: worker. */
int uv__wake_send_batched(uv_loop_t* loop);

/* Makes the loop's wait end, now or the next one (P6), always by a system call.
 * Context: any | signal. */
static inline int uv__wake_poller(uv_loop_t* loop) {
  return uv__loop_state(loop)->poller->wake(loop);
}

/* These two bracket uv_run(). In between, senders rely on the loop to find
 * pending wakes by itself, unless the mode never sleeps; outside, on the
 * poller, whose fd an embedder may watch. */
void uv__wake_run_begin(uv_loop_t* loop, uv_run_mode mode);
void uv__wake_run_end(uv_loop_t* loop);

/* Is the loop inside uv_run()? Not known of UV_RUN_NOWAIT. If a dump is
 * requested and the caller has the lock of the list of loops, it remains so
 * until the lock is released. Context: any. */
int uv__wake_is_running(struct uv__loop_state* state);

/* Called before a wait that may block for `timeout_ms`, -1 for ever. Returns
 * how long it may block: not at all if a wake is pending. May spin for one for
 * a few microseconds first. */
int uv__wake_sleep_any(uv_loop_t* loop, int timeout_ms);
static inline int uv__wake_sleep(uv_loop_t* loop, int timeout_ms) {
  if (uv__loop_state(loop)->wake.awake != 0 && uv__wake_is_pending(loop) &&
      loop->active_reqs.count < UV__WAKE_BATCH_REQS)
    return 0; /* as uv__wake_sleep_any() would */
  return uv__wake_sleep_any(loop, timeout_ms);
}

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

/* Can a wait that does not block find nothing but wakes? */
static inline int uv__wake_is_only_source(const uv_loop_t* loop) {
  const struct uv__loop_state* state = uv__loop_state(loop);

  return state->wake.may_skip && state->poller->is_empty != NULL &&
         state->poller->is_empty(loop);
}

/* Child side of fork: nothing is pending. */
void uv__wake_fork(uv_loop_t* loop);

#endif /* UV_WAKE_H_ */
