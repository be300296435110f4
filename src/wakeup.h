/* SPDX-License-Identifier: MIT */
/* Wake-ups of a loop that cost a system call only if it sleeps; wakeup.c. */
#ifndef UV_WAKEUP_H_
#define UV_WAKEUP_H_

#include "loop-state.h"

/* With the first loop: asks for the number of processors. That may open files,
 * which a program may have forbidden by the time the loop runs (seccomp). */
void uv__wakeup_init_process(void);

/* Leaves a note for the loop and, if it sleeps or is not running, wakes the
 * poller: its next dispatch follows, sleeping or not. 0 or UV_E*. Context: any
 * | signal. */
int uv__wakeup_send(uv_loop_t* loop);
/* The same; *was_looking is set if the loop was on the look-out for it. */
int uv__wakeup_answer(uv_loop_t* loop, int* was_looking);

/* Around uv_run(), if the mode allows it to sleep. In between, senders rely on
 * the loop to find notes by itself; outside, on the poller (whose fd may be
 * watched by an embedder). */
void uv__wakeup_run_begin(uv_loop_t* loop, uv_run_mode mode);
void uv__wakeup_run_end(uv_loop_t* loop);

/* Before a wait that may block: 1 if it may, 0 if there is a note. May look
 * out for a note for a few microseconds first. */
int uv__wakeup_sleep(uv_loop_t* loop);

/* After a wait: awake again. Returns 1 if there was a note, now taken. */
int uv__wakeup_take_note(uv_loop_t* loop);
static inline int uv__wakeup_take(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);

  /* Neither slept nor noted. A note that is missed here is found in time: it is
   * asked for again before sleeping. */
  if (uv__load_relaxed(&state->shared.word) == state->wakeup.awake)
    return 0;
  return uv__wakeup_take_note(loop);
}

/* Before a wait that does not block: 1 if it could find nothing that notes do
 * not tell. */
static inline int uv__wakeup_is_all(const uv_loop_t* loop) {
  const struct uv__loop_state* state = uv__loop_state(loop);

  return state->wakeup.may_skip && state->poller->is_empty != NULL &&
         state->poller->is_empty(loop);
}

/* Child side of fork: no notes. */
void uv__wakeup_fork(uv_loop_t* loop);

#endif /* UV_WAKEUP_H_ */
