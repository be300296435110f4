/* SPDX-License-Identifier: MIT */
/* Wake-ups of a loop that cost a system call only if it sleeps; wake.c. */
#ifndef UV_WAKE_H_
#define UV_WAKE_H_

#include "loop-state.h"

/* With the first loop: asks for the number of processors. That may open files,
 * which a program may have forbidden by the time the loop runs (seccomp). */
void uv__wake_init_process(void);

/* Makes the loop dispatch wake-ups before it sleeps again; wakes the poller if
 * the loop sleeps or is not running. Returns 1 if the loop was spinning for it,
 * 0, or UV_E*. Context: any | signal. */
int uv__wake_send(uv_loop_t* loop);

/* Makes the loop's wait end, now or the next one (P6), always by a system call.
 * Context: any | signal. */
static inline int uv__wake_poller(uv_loop_t* loop) {
  return uv__loop_state(loop)->poller->wake(loop);
}

/* Around uv_run(), if the mode allows it to sleep. In between, senders rely on
 * the loop to find pending wakes by itself; outside, on the poller (whose fd
 * may be watched by an embedder). */
void uv__wake_run_begin(uv_loop_t* loop, uv_run_mode mode);
void uv__wake_run_end(uv_loop_t* loop);

/* Before a wait that may block: 1 if it may, 0 if a wake is pending. May spin
 * for one for a few microseconds first. */
int uv__wake_sleep(uv_loop_t* loop);

/* After a wait: awake again. Returns 1 if a wake was pending, which is taken
 * now. */
int uv__wake_take_pending(uv_loop_t* loop);
static inline int uv__wake_take(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);

  /* Neither slept nor woken. A wake that is missed here is found in time: the
   * loop asks again before it sleeps. */
  if (uv__load_relaxed(&state->shared.word) == state->wake.awake)
    return 0;
  return uv__wake_take_pending(loop);
}

/* Before a wait that does not block: 1 if it could find nothing but wakes. */
static inline int uv__wake_is_all(const uv_loop_t* loop) {
  const struct uv__loop_state* state = uv__loop_state(loop);

  return state->wake.may_skip && state->poller->is_empty != NULL &&
         state->poller->is_empty(loop);
}

/* Child side of fork: nothing is pending. */
void uv__wake_fork(uv_loop_t* loop);

#endif /* UV_WAKE_H_ */
