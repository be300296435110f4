/* SPDX-License-Identifier: MIT */
/* The loop driver: the order in which things happen, for every platform.
 *
 * One iteration:
 *   pending, idle, prepare            before_poll()
 *   poll                              uv__loop_poll()
 *   pending, check, close             after_poll()
 *   timers                            run_timers()
 *
 * The pull-based pair is the same ring cut at the poll: uv_backend_process() is
 * the waiting half of the poll phase, uv_backend_dispatch() the other half,
 * then after_poll(), the timers and the next before_poll().
 */
#include "loop-watcher.h"
#include "deadline.h"
#include "handle.h"
#include "loop-check.h"
#include "loop-poll.h"
#include "os/loop.h"
#include "timer.h"
#include "uv/ext.h"
#include "wake.h"

/* Rounds of callbacks that became due while the poll phase ran. */
#define PENDING_ROUNDS_MAX 8

/* Is there something left that could make a callback run? */
static int loop_is_alive(const uv_loop_t* loop) {
  if (loop->active_handles > 0)
    return 1;
  return loop->active_reqs.count > 0 || loop->closing_handles != NULL ||
         uv__loop_os_has_pending(loop);
}

int uv_loop_alive(const uv_loop_t* loop) {
  return loop_is_alive(loop);
}

/* Is there something to do even if no event comes and no timer is due? */
static int has_own_work(const uv_loop_t* loop) {
  return uv__loop_os_has_pending(loop) || loop->closing_handles != NULL ||
         !uv__queue_empty(&loop->idle_handles);
}

/* When there is: at once, or when the next timer is due. */
static uint64_t next_own_work(uv_loop_t* loop) {
  if (has_own_work(loop))
    return UV__DEADLINE_NONE;
  return uv__timer_is_any(loop) ? uv__timer_next_due(loop) : UV__DEADLINE_NEVER;
}

/* The moment until which the loop may sleep, in ns of uv_hrtime(). */
static uint64_t loop_deadline(uv_loop_t* loop) {
  if (loop->stop_flag || !loop_is_alive(loop))
    return UV__DEADLINE_NONE;
  return next_own_work(loop);
}

/* Only reads: programs call this on another thread while the loop's thread
 * starts timers. */
int uv_backend_timeout(const uv_loop_t* loop) {
  if (loop->stop_flag || !loop_is_alive(loop) || has_own_work(loop))
    return 0;
  /* Whoever embeds the loop waits on the backend's fd, which does not know yet
   * about interest that was not committed: a round is due. */
  if (uv__loop_os_uncommitted(loop))
    return 0;
  return uv__deadline_left_ms(uv__timer_peek_due(loop),
                              uv__loop_state(loop)->now_ns);
}

void uv_update_time(uv_loop_t* loop) {
  uint64_t now_ns = uv_hrtime();

  /* A closed loop has no state, but still tells the time: uvloop asks it. */
  if (uv__loop_state(loop) != NULL)
    uv__loop_state(loop)->now_ns = now_ns;
  loop->time = now_ns / 1000000;
}

uint64_t uv_now(const uv_loop_t* loop) {
  return loop->time;
}

void uv_stop(uv_loop_t* loop) {
  loop->stop_flag = 1;
}

static void before_poll(uv_loop_t* loop) {
  if (uv__loop_os_has_pending(loop))
    uv__loop_os_run_pending(loop);
  if (!uv__queue_empty(&loop->idle_handles))
    uv__run_idle(loop);
  if (!uv__queue_empty(&loop->prepare_handles))
    uv__run_prepare(loop);
}

/* No callback comes before the timers: the poll phase's time is still good. */
static int is_quiet(const uv_loop_t* loop, uint64_t events_before) {
  return uv__loop_state(loop)->metrics.events == events_before &&
         !uv__loop_os_has_pending(loop) &&
         uv__queue_empty(&loop->check_handles) &&
         loop->closing_handles == NULL;
}

static void after_poll(uv_loop_t* loop, int pending_rounds) {
  for (int i = 0; i < pending_rounds && uv__loop_os_has_pending(loop); i++)
    uv__loop_os_run_pending(loop);

  if (!uv__queue_empty(&loop->check_handles))
    uv__run_check(loop);
  if (loop->closing_handles != NULL)
    uv__handle_run_closing(loop);
  uv_update_time(loop);
}

static void run_timers(uv_loop_t* loop) {
  if (uv__timer_may_be_due(loop))
    uv__timer_run_due(loop);
}

static int iterate(uv_loop_t* loop, uv_run_mode mode) {
  uv__debug_check(uv__loop_check(loop));
  /* Asked before they run: what a round had to do counts as its progress, so
   * that UV_RUN_ONCE does not go to sleep after it. */
  int may_sleep =
      mode == UV_RUN_DEFAULT ||
      (mode == UV_RUN_ONCE && !uv__loop_os_has_pending(loop) &&
       uv__queue_empty(&loop->idle_handles));

  before_poll(loop);

  uint64_t deadline_ns =
      may_sleep ? loop_deadline(loop) : UV__DEADLINE_NONE;

  struct uv__metrics* metrics = &uv__loop_state(loop)->metrics;
  uint64_t events_before = metrics->events;
  metrics->loop_count++;
  int err = uv__loop_poll(loop, deadline_ns);
  if (!is_quiet(loop, events_before))
    after_poll(loop, PENDING_ROUNDS_MAX);
  run_timers(loop);
  return err;
}

int uv_run(uv_loop_t* loop, uv_run_mode mode) {
  /* Asked before the early timers: what was alive then gets an iteration, even
   * if they were all there was. */
  int alive = loop_is_alive(loop);
  if (uv__loop_state(loop) == NULL)
    return alive; /* closed */
  int runs_timers = mode == UV_RUN_DEFAULT && alive && !loop->stop_flag;

  /* Otherwise the poll phase is the first to tell the time. */
  if (runs_timers || !alive)
    uv_update_time(loop);
  if (runs_timers)
    run_timers(loop);

  uv__loop_enter(loop);
  uv__wake_run_begin(loop, mode);
  while (alive && !loop->stop_flag) {
    int err = iterate(loop, mode);
    alive = loop_is_alive(loop);
    /* A loop that cannot wait would spin: back to the caller, who sees that it
     * is still alive. */
    if (err != 0 || mode != UV_RUN_DEFAULT)
      break;
  }

  uv__wake_run_end(loop);
  uv__loop_leave(loop);
  loop->stop_flag = 0;
  return alive;
}

int uv_backend_process(uv_loop_t* loop, int timeout) {
  uint64_t own_ns = next_own_work(loop);
  uint64_t deadline_ns = UV__DEADLINE_NONE;

  if (timeout != 0)
    deadline_ns = uv__deadline_from_timeout(uv_hrtime(), timeout);
  /* A timer is not late because the caller measured before the callbacks. */
  if (own_ns < deadline_ns)
    deadline_ns = own_ns;
  return uv__loop_poll_collect(loop, deadline_ns);
}

int uv_backend_dispatch(uv_loop_t* loop) {
  uv__debug_check(uv__loop_check(loop));
  uv__loop_state(loop)->metrics.loop_count++;
  uv__loop_poll_dispatch(loop);
  /* One round: what callbacks queue now is for the next dispatch. */
  after_poll(loop, 1);
  run_timers(loop);
  before_poll(loop);

  int stopped = loop->stop_flag != 0;
  loop->stop_flag = 0;
  return !stopped && loop_is_alive(loop);
}
