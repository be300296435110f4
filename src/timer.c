/* SPDX-License-Identifier: MIT */
/* Timers: starting, stopping, and the round that fires those that are due.
 *
 * Deadlines are kept in nanoseconds of loop time, so that a timer never fires
 * before its milliseconds have really passed since the loop time it was started
 * at. The handle's `timeout` field holds that deadline.
 *
 * A handle knows its slot in the heap: node.heap[0]. Deadlines too far away for
 * 64 bits of nanoseconds saturate; node.heap[1..2] then hold the milliseconds,
 * for uv_timer_get_due_in().
 *
 * Due timers are disarmed before the first callback of a round runs, and wait
 * for their own in a list linked by node.queue. They are inactive meanwhile,
 * and can be stopped, started or closed like any other timer.
 */
#include "timer.h"
#include "loop/check.h"
#include "loop/loop.h"
#include "loop/timer-heap.h"
#include "observe/callback.h"
#include "os/handle-class.h"

#include <string.h>

static void set_due_ms(uv_timer_t* timer, uint64_t due_ms) {
  memcpy(&timer->node.heap[1], &due_ms, sizeof(due_ms));
}

static uint64_t get_due_ms(const uv_timer_t* timer) {
  uint64_t due_ms;
  memcpy(&due_ms, &timer->node.heap[1], sizeof(due_ms));
  return due_ms;
}

static int arm_timer(uv_timer_t* timer, uint64_t timeout_ms) {
  uv_loop_t* loop = timer->loop;
  struct uv__loop_state* state = uv__loop_state(loop);
  struct uv__timers* timers = &state->timers;
  uint64_t due_ns = uv__deadline_after_ms(state->now_ns, timeout_ms);
  size_t slot = uv__timer_slot_of(timer);

  if (slot == 0) {
    int err = uv__timer_heap_reserve(timers);
    if (err != 0)
      return err;
  }

  uint64_t due_ms = loop->time + timeout_ms;
  set_due_ms(timer, due_ms < timeout_ms ? UINT64_MAX : due_ms);
  timer->timeout = due_ns;
  timer->start_id = loop->timer_counter++;
  /* A slot that is early enough stays: uv__timer_heap_top() corrects it. */
  if (slot == 0 || due_ns < timers->heap[slot - 1].due_ns)
    uv__timer_heap_put(timers, timer);
  return 0;
}

int uv_timer_init(uv_loop_t* loop, uv_timer_t* handle) {
  uv__handle_init(loop, uv__base(handle), UV_TIMER);
  handle->timer_cb = NULL;
  handle->timeout = 0;
  handle->repeat = 0;
  handle->start_id = 0;
  uv__timer_set_slot(handle, 0);
  return 0;
}

/* Is it due and waiting for its callback? */
static int is_ready(const uv_timer_t* handle) {
  return uv__timer_slot_of(handle) != 0 && !uv__is_active(uv__base(handle));
}

static void leave_ready(struct uv__timers* timers, uv_timer_t* handle) {
  uv__queue_remove(&handle->node.queue);
  uv__timer_set_slot(handle, 0);
  timers->nready--;
}

int uv_timer_start(uv_timer_t* handle,
                   uv_timer_cb cb,
                   uint64_t timeout,
                   uint64_t repeat) {
  uv__debug_check(
      uv__loop_check_thread(handle->loop, UV__RULE_TIMER_THREAD, handle));
  if (cb == NULL || uv__is_closing(uv__base(handle)))
    return uv__misuse_refuse(UV__RULE_TIMER_START, handle, UV_EINVAL);

  if (is_ready(handle))
    leave_ready(&uv__loop_state(handle->loop)->timers, handle);
  int err = arm_timer(handle, timeout);
  if (err != 0)
    return err;

  handle->timer_cb = cb;
  handle->repeat = repeat;
  uv__handle_start(uv__base(handle));
  if (uv__unlikely(uv__loop_is_hooked(handle->loop)) &&
      uv__timer_next_due(handle->loop) == handle->timeout)
    uv__loop_changed(handle->loop);
  return 0;
}

int uv_timer_stop(uv_timer_t* handle) {
  uv__debug_check(
      uv__loop_check_thread(handle->loop, UV__RULE_TIMER_STOP_THREAD, handle));
  if (uv__timer_slot_of(handle) == 0)
    return 0;

  struct uv__timers* timers = &uv__loop_state(handle->loop)->timers;
  if (is_ready(handle)) {
    leave_ready(timers, handle);
  } else {
    uv__timer_heap_remove(timers, handle);
    uv__handle_stop(uv__base(handle));
  }
  uv__timer_heap_trim(timers);
  return 0;
}

int uv_timer_again(uv_timer_t* handle) {
  if (handle->timer_cb == NULL)
    return uv__misuse_refuse(UV__RULE_TIMER_AGAIN, handle, UV_EINVAL);
  if (handle->repeat == 0 || uv__is_closing(uv__base(handle)))
    return 0;
  return uv_timer_start(handle, handle->timer_cb, handle->repeat,
                        handle->repeat);
}

void uv_timer_set_repeat(uv_timer_t* handle, uint64_t repeat) {
  handle->repeat = repeat;
}

uint64_t uv_timer_get_repeat(const uv_timer_t* handle) {
  return handle->repeat;
}

uint64_t uv_timer_get_due_in(const uv_timer_t* handle) {
  uint64_t now_ns = uv__loop_state(handle->loop)->now_ns;

  if (handle->timeout <= now_ns)
    return 0;
  if (handle->timeout == UV__DEADLINE_LAST)
    return get_due_ms(handle) - handle->loop->time;
  return (handle->timeout - now_ns + 999999) / 1000000;
}

/* Rearms or stops a timer before its callback runs. */
static inline void rearm_or_stop(uv_timer_t* timer) {
  if (timer->repeat != 0) {
    (void) arm_timer(timer, timer->repeat); /* there is room, see run_round() */
    uv__handle_start(uv__base(timer));
  } else {
    uv_timer_stop(timer);
  }
}

static void timer_fire(uv_timer_t* timer) {
  uint64_t due_ns = timer->timeout;

  rearm_or_stop(timer);
  uv__call_timer(timer, due_ns);
}

/* Disarms every due timer before the first callback runs. The heap keeps the
 * room of those in the list, counted by `nready`. */
UV__NOINLINE static void run_round(struct uv__timers* timers, uint64_t now_ns) {
  struct uv__queue ready;
  uv_timer_t* timer;

  uv__queue_init(&ready);
  for (timer = uv__timer_heap_top(timers);
       timer != NULL && timer->timeout <= now_ns;
       timer = uv__timer_heap_top(timers)) {
    uv__timer_heap_remove(timers, timer);
    uv__handle_stop(uv__base(timer));
    uv__queue_push_back(&ready, &timer->node.queue);
    timers->nready++;
  }
  while (!uv__queue_empty(&ready)) {
    timer = container_of(ready.next, uv_timer_t, node.queue);
    leave_ready(timers, timer);
    timer_fire(timer);
  }
  uv__timer_heap_trim(timers);
}

void uv__timer_run_due(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);
  uv_timer_t* timer = uv__timer_heap_top(&state->timers);

  if (timer == NULL || timer->timeout > state->now_ns)
    return;
  if (uv__timer_heap_is_other_due(&state->timers, state->now_ns))
    run_round(&state->timers, state->now_ns);
  else
    timer_fire(timer);
}

enum uv__close_result uv__timer_close(uv_handle_t* handle) {
  assert(handle->type == UV_TIMER);
  uv_timer_stop((uv_timer_t*) handle);
  return UV__CLOSE_DONE;
}
