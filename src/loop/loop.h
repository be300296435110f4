/* SPDX-License-Identifier: MIT */
/* What the pool and the platforms use of a loop: waking it, counting events. */
#ifndef UV_LOOP_LOOP_H_
#define UV_LOOP_LOOP_H_

#include "loop/state.h"
#include "os/thread.h"

/* Is this the thread that ran the loop last, or made it? Context: any. */
static inline int uv__loop_runs_here(const uv_loop_t* loop) {
  return uv__load_relaxed(&uv__loop_state(loop)->shared.runner) ==
         uv__thread_os_self();
}

/* Marks the calling thread as the one that runs the loop. */
static inline void uv__loop_set_runner(uv_loop_t* loop) {
  uintptr_t* runner = &uv__loop_state(loop)->shared.runner;
  uintptr_t self = uv__thread_os_self();

  /* Written only if it changes: senders read this line. */
  if (uv__load_relaxed(runner) != self)
    uv__store_relaxed(runner, self);
}

/* Makes the loop dispatch wake-ups before it sleeps again; wakes the poller if
 * the loop sleeps or is not running. Returns 1 if the loop was spinning for it,
 * 0, or UV_E*. Context: any | signal. */
int uv__wake_send(uv_loop_t* loop);

/* The same from a thread that is not the loop's and may send many. Context:
 * any. */
int uv__wake_send_foreign(uv_loop_t* loop);

/* Is there more than one processor? Otherwise spinning delays what it waits
 * for. Context: any. */
int uv__wake_may_spin(void);

/* Ends the current or the next wait of the loop (P6), always by a system call.
 * Context: any | signal. */
static inline int uv__wake_poller(uv_loop_t* loop) {
  return uv__loop_state(loop)->poller->wake(loop);
}

/* A batch of events was dispatched. `waiting`: they were ready before the wait.
 */
static inline void uv__counters_add(uv_loop_t* loop, int events, int waiting) {
  struct uv__counters* counters = &uv__loop_state(loop)->counters;

  counters->events += (uint64_t) events;
  if (waiting)
    counters->events_waiting += (uint64_t) events;
}

/* How many events a wake-up counts as, in which `ran` callbacks ran, `work` of
 * them for finished work. As in libuv: one for each finished item if there are
 * several, otherwise one for all. */
static inline int uv__counters_wake_events(int work, int ran) {
  if (work > 1)
    return work;
  return ran != 0;
}

/* interest.c. */
void uv__interest_tell(uv_loop_t* loop);

static inline int uv__loop_is_hooked(const uv_loop_t* loop) {
  return (uv__loop_state(loop)->flags & UV__LOOP_HOOKED) != 0;
}

/* uv_backend_timeout() may be shorter than before, or there is something to
 * tell the poller. */
static inline void uv__loop_changed(uv_loop_t* loop) {
  if (uv__unlikely(uv__loop_is_hooked(loop)))
    uv__interest_tell(loop);
}

/* life.c. Would uv_loop_close() return UV_EBUSY? */
int uv__loop_is_in_use(const uv_loop_t* loop);

/* post.c. Is there a post that a pass could call now? */
static inline int uv__post_is_due(const uv_loop_t* loop) {
  const struct uv__posts* posts = &uv__loop_state(loop)->posts;

  return posts->first != NULL || uv__load_relaxed(&posts->next) != NULL;
}

/* Calls what uvx_post() has queued, as dispatch of a wake-up. Returns how many
 * callbacks ran; 1 if the pass ended before the first. */
int uv__post_run(uv_loop_t* loop);

#endif /* UV_LOOP_LOOP_H_ */
