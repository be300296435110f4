/* SPDX-License-Identifier: MIT */
/* The loop driver: the order in which things happen, for every platform.
 *
 * One iteration:
 *   pending, idle, prepare            before_poll()
 *   poll                              uv__loop_poll()
 *   pending, check, close             after_poll()
 *   timers                            run_timers()
 *
 * The pull-based pair is the same ring cut at the poll: uvx_backend_process()
 * is the waiting half of the poll phase, uvx_backend_dispatch() the other half,
 * then after_poll(), the timers and the next before_poll().
 */
#include "loop-watcher.h"
#include "loop/check.h"
#include "loop/interest.h"
#include "loop/loop.h"
#include "loop/poll.h"
#include "loop/post.h"
#include "loop/timer-heap.h"
#include "loop/wake.h"
#include "misuse.h"
#include "observe/hooks.h"
#include "os/handle-class.h"
#include "os/loop.h"
#include "pool/lanes.h"
#include "timer.h"
#include "uv/ext.h"

/* Rounds of pending callbacks after a poll phase: each may queue more. */
#define PENDING_ROUNDS_MAX 8

/* Can any callback still run? */
UV__INLINE int loop_is_alive(const uv_loop_t* loop) {
  if (loop->active_handles > 0)
    return 1;
  return loop->active_reqs.count > 0 || loop->closing_handles != NULL ||
         uv__loop_has_pending(loop) || uv__post_is_queued(loop);
}

int uv_loop_alive(const uv_loop_t* loop) {
  return loop_is_alive(loop);
}

/* Is there work that needs neither an event nor a due timer? */
static int has_own_work(const uv_loop_t* loop) {
  return uv__loop_has_pending(loop) || loop->closing_handles != NULL ||
         !uv__queue_empty(&loop->idle_handles);
}

/* Returns when the loop has work of its own: at once, or at the next timer. */
UV__INLINE uint64_t next_own_work(uv_loop_t* loop) {
  if (has_own_work(loop))
    return UV__DEADLINE_NONE;
  return uv__timer_any_armed(loop) ? uv__timer_next_due(loop)
                                   : UV__DEADLINE_NEVER;
}

/* Returns how long the loop may sleep: until that time of uv_hrtime(). */
UV__INLINE uint64_t loop_deadline(uv_loop_t* loop) {
  if (loop->stop_flag || !loop_is_alive(loop))
    return UV__DEADLINE_NONE;
  return next_own_work(loop);
}

/* Embedders call this on another thread while the loop's starts timers: there
 * it must not write, and an answer that is too early is good enough. */
int uv_backend_timeout(const uv_loop_t* loop) {
  if (loop->stop_flag || !loop_is_alive(loop) || has_own_work(loop))
    return 0;
  /* An embedder waits on the backend's fd, which does not know about interest
   * that is not committed yet: an iteration is due. */
  if (uv__loop_os_uncommitted(loop))
    return 0;
  const struct uv__loop_state* state = uv__loop_state(loop);
  uint64_t due_ns = uv__loop_runs_here(loop)
                        ? uv__timer_next_due((uv_loop_t*) loop)
                        : uv__timer_due_bound(loop);
  int timeout_ms = uv__deadline_left_ms(due_ns, state->now_ns);
  /* The embedder's next iteration looks whether files are stuck. */
  return uv__load_relaxed(&state->files_pending) == 0
             ? timeout_ms
             : uv__lanes_limit_sleep(timeout_ms);
}

void uv_update_time(uv_loop_t* loop) {
  /* A closed loop has no state, but uvloop still asks it for the time. */
  if (uv__loop_state(loop) == NULL)
    loop->time = uv_hrtime() / 1000000;
  else
    uv__loop_update_time(loop);
}

uint64_t uv_now(const uv_loop_t* loop) {
  return loop->time;
}

void uv_stop(uv_loop_t* loop) {
  uv__hook_stop(loop);
  loop->stop_flag = 1;
  if (uv__loop_state(loop) != NULL)
    uv__loop_changed(loop);
}

UV__INLINE void run_phase(uv_loop_t* loop,
                          enum uv__phase phase,
                          void (*run)(uv_loop_t* loop)) {
  uint64_t begin_ns = uv__hook_phase_begin(loop, phase); /* 0: not observed */

  run(loop);
  if (uv__unlikely(begin_ns != 0))
    uv__observed_phase_end(loop, phase, begin_ns);
}

UV__INLINE void before_poll(uv_loop_t* loop) {
  if (uv__loop_has_pending(loop))
    run_phase(loop, UV__PHASE_PENDING, uv__loop_os_run_pending);
  if (!uv__queue_empty(&loop->idle_handles))
    run_phase(loop, UV__PHASE_IDLE, uv__run_idle);
  if (!uv__queue_empty(&loop->prepare_handles))
    run_phase(loop, UV__PHASE_PREPARE, uv__run_prepare);
}

/* Did the poll phase run no callback, and is none due before the timers? Then
 * the time that the poll phase read is still accurate. */
static int loop_is_quiet(const uv_loop_t* loop, uint64_t events_before) {
  return uv__loop_state(loop)->counters.events == events_before &&
         !uv__loop_has_pending(loop) && uv__queue_empty(&loop->check_handles) &&
         loop->closing_handles == NULL;
}

UV__INLINE void after_poll(uv_loop_t* loop, int pending_rounds) {
  for (int i = 0; i < pending_rounds && uv__loop_has_pending(loop); i++)
    run_phase(loop, UV__PHASE_PENDING, uv__loop_os_run_pending);

  if (!uv__queue_empty(&loop->check_handles))
    run_phase(loop, UV__PHASE_CHECK, uv__run_check);
  if (loop->closing_handles != NULL)
    run_phase(loop, UV__PHASE_CLOSING, uv__handle_os_run_closing);
}

/* Does nothing run before the next poll phase? Then skip the clock read:
 * nothing can observe the time before that phase updates it. */
static int is_poll_next(const uv_loop_t* loop) {
  return !uv__timer_any_armed(loop) && !loop->stop_flag &&
         loop_is_alive(loop) && !uv__loop_has_pending(loop) &&
         uv__queue_empty(&loop->idle_handles) &&
         uv__queue_empty(&loop->prepare_handles);
}

UV__INLINE void run_timers(uv_loop_t* loop) {
  if (uv__timer_may_be_due(loop))
    run_phase(loop, UV__PHASE_TIMERS, uv__timer_run_due);
}

UV__INLINE int loop_iterate(uv_loop_t* loop, uv_run_mode mode) {
  struct uv__counters* counters = &uv__loop_state(loop)->counters;
  uint64_t events_before = counters->events;
  uint64_t begin_ns = uv__hook_iteration_begin(loop); /* 0: not observed */

  uv__debug_check(uv__loop_check(loop));
  /* Decided before they run: pending callbacks and idle handles are progress
   * enough for UV_RUN_ONCE, which then does not sleep. */
  int may_sleep = mode == UV_RUN_DEFAULT ||
                  (mode == UV_RUN_ONCE && !uv__loop_has_pending(loop) &&
                   uv__queue_empty(&loop->idle_handles));

  before_poll(loop);

  uint64_t deadline_ns = may_sleep ? loop_deadline(loop) : UV__DEADLINE_NONE;

  counters->loop_count++;
  int err = uv__loop_poll(loop, deadline_ns);
  if (!loop_is_quiet(loop, events_before)) {
    after_poll(loop, PENDING_ROUNDS_MAX);
    if (begin_ns != 0 || mode != UV_RUN_DEFAULT || err != 0 ||
        !is_poll_next(loop))
      uv__loop_update_time(loop);
  }
  run_timers(loop);
  if (uv__unlikely(begin_ns != 0))
    uv__observed_iteration_end(loop, begin_ns,
                               counters->events - events_before);
  return err;
}

/* Marks the loop while its callbacks run. Returns what it was marked as. */
static unsigned enter_run(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);
  unsigned before = state->flags & UV__LOOP_RUNNING;

  uv__loop_enter(loop);
  uv__loop_set_runner(loop);
  state->flags |= UV__LOOP_RUNNING;
  return before;
}

static void leave_run(uv_loop_t* loop, unsigned before) {
  struct uv__loop_state* state = uv__loop_state(loop);

  state->flags = (state->flags & ~(unsigned) UV__LOOP_RUNNING) | before;
  uv__loop_leave(loop);
}

int uv_run(uv_loop_t* loop, uv_run_mode mode) {
  uv__hook_run(loop);
  /* Checked before the first timers run: a loop that was alive then gets an
   * iteration even if those timers were all it had. */
  int alive = loop_is_alive(loop);
  if (uv__loop_state(loop) == NULL)
    return alive; /* closed */
  int runs_timers = mode == UV_RUN_DEFAULT && alive && !loop->stop_flag;

  /* Otherwise nothing reads the time before the poll phase updates it. */
  if (runs_timers || !alive)
    uv__loop_update_time(loop);
  uv__interest_arm(uv__loop_state(loop));
  uv__wake_run_begin(loop, mode);
  unsigned before = enter_run(loop);
  if (runs_timers)
    run_timers(loop);

  while (alive && !loop->stop_flag) {
    int err = loop_iterate(loop, mode);
    alive = loop_is_alive(loop);
    /* A loop that cannot wait would spin: return to the caller, which sees that
     * it is still alive. */
    if (err != 0 || mode != UV_RUN_DEFAULT)
      break;
  }

  uv__wake_run_end(loop);
  leave_run(loop, before);
  loop->stop_flag = 0;
  return alive;
}

int uvx_backend_process(uv_loop_t* loop, int timeout) {
  uint64_t own_ns = next_own_work(loop);
  uint64_t deadline_ns = UV__DEADLINE_NONE;

  uv__interest_arm(uv__loop_state(loop));
  if (timeout != 0)
    deadline_ns = uv__deadline_from_timeout(uv_hrtime(), timeout);
  /* The caller may have computed its timeout before callbacks started
   * timers. */
  if (own_ns < deadline_ns)
    deadline_ns = own_ns;
  return uv__loop_poll_collect(loop, deadline_ns);
}

int uvx_backend_dispatch(uv_loop_t* loop) {
  struct uv__counters* counters = &uv__loop_state(loop)->counters;
  uint64_t events_before = counters->events;

  uv__debug_check(uv__loop_check_dispatch(loop));
  uv__debug_check(uv__loop_check(loop));
  uint64_t begin_ns = uv__hook_iteration_begin(loop);
  unsigned before = enter_run(loop);
  if (before != 0)
    uv__misuse_undefined(UV__RULE_DISPATCH_NESTED, loop);
  counters->loop_count++;
  uv__loop_poll_dispatch(loop);
  /* One round: what callbacks queue now belongs to the next dispatch. */
  after_poll(loop, 1);
  uv__loop_update_time(loop);
  run_timers(loop);
  before_poll(loop);
  leave_run(loop, before);
  if (uv__unlikely(begin_ns != 0))
    uv__observed_iteration_end(loop, begin_ns,
                               counters->events - events_before);

  int stopped = loop->stop_flag != 0;
  loop->stop_flag = 0;
  return !stopped && loop_is_alive(loop);
}
