/* SPDX-License-Identifier: MIT */
/* The poll phase, once for every platform.
 *
 * 1. commit: tell the poller about changed interest
 * 2. wait: until the first events or the deadline
 * 3. dispatch: run their callbacks
 * 4. decide: a full batch is followed by another, without sleeping
 *
 * The deadline is one absolute moment: a wait that a signal or a stale event
 * ends early goes on for what is left, so time is neither lost nor counted
 * twice. The batch lives in the loop, so that 1-2 and 3 can be called apart
 * (uvx_backend_process, uvx_backend_dispatch).
 */
#include "loop/poll.h"
#include "loop/counters.h"
#include "loop/deadline.h"
#include "loop/wake.h"
#include "observe/hooks.h"
#include "os/loop.h"
#include "util/alloc.h"

/* Full batches dispatched in one phase before the other phases run. */
#define BATCHES_MAX 48

/* Retries of a wait that failed for lack of kernel memory, a millisecond apart,
 * before uv_run() returns. */
#define WAIT_RETRIES_MAX 10

void uv__loop_poll_init(uv_loop_t* loop) {
  struct uv__batch* batch = &uv__loop_state(loop)->batch;

  batch->events = batch->first;
  batch->capacity = UV__BATCH_FIRST;
}

/* The batch grows once, after it was full. Without memory it stays small. */
UV__NOINLINE static void grow_batch(struct uv__batch* batch) {
  assert(batch->events == batch->first);
  struct uv__event* events =
      uv__malloc_array(UV__BATCH_MAX + 1, sizeof(*events));

  if (events == NULL)
    return;
  batch->events = events;
  batch->capacity = UV__BATCH_MAX;
}

static int has_wake(const struct uv__batch* batch) {
  for (int i = 0; i < batch->count; i++)
    if (batch->events[i].kind == UV__EVENT_WAKE)
      return 1;
  return 0;
}

/* Adds a wake-up to the batch, unless the poller reported one. Wakes sent by
 * the callbacks of this batch belong to the next one. */
static void add_wake(struct uv__batch* batch) {
  if (!has_wake(batch))
    batch->events[batch->count++].kind = UV__EVENT_WAKE;
}

/* May the signals that are due run after this batch? What happened before a
 * signal must be reported first (the end of a child's output before its exit),
 * so only if the descriptors were polled after the signal and all events
 * fitted. */
static int signals_follow(const struct uv__batch* batch,
                          int was_due_before_wait) {
  if (batch->was_full && batch->capacity < UV__BATCH_MAX)
    return 0;
  return was_due_before_wait || has_wake(batch);
}

UV__INLINE int wait_once(uv_loop_t* loop, int timeout_ms) {
  struct uv__loop_state* state = uv__loop_state(loop);
  struct uv__batch* batch = &state->batch;
  int is_sleep = timeout_ms != 0;
  int is_timed = is_sleep && uv__counters_idle_is_on(loop);
  int was_due = uv__loop_signals_due(loop);
  int n = 0;

  if (batch->was_full && batch->capacity < UV__BATCH_MAX)
    grow_batch(batch);
  if (is_timed)
    uv__counters_wait_begin(loop);
  if (is_sleep)
    timeout_ms = uv__wake_sleep(loop, timeout_ms);
  if (timeout_ms != 0 || !uv__wake_is_only_source(loop))
    n = state->poller->wait(loop, batch->events, batch->capacity, timeout_ms);
  if (is_timed)
    uv__counters_wait_end(loop);

  assert(n <= batch->capacity);
  batch->next = 0;
  batch->count = n < 0 ? 0 : n;
  batch->was_full = n == batch->capacity;
  /* Events found without sleeping were waiting for the loop. */
  batch->was_waiting = !is_sleep && (uv__counters_idle_is_on(loop) ||
                                     state->poller->counts_waiting);
  batch->signals_due =
      uv__loop_signals_due(loop) && signals_follow(batch, was_due);
  if (uv__wake_take(loop))
    add_wake(batch);
  if (!batch->signals_due && uv__loop_signals_due(loop))
    (void) uv__wake_send(loop); /* its wake-up may be part of this batch */
  return n < 0 && batch->count == 0 ? n : batch->count;
}

static int is_transient(int err) {
  return err == UV_ENOMEM || err == UV_ENOBUFS || err == UV_EAGAIN ||
         err == UV_EINTR;
}

static int left_ms(uint64_t deadline_ns) {
  if (deadline_ns == UV__DEADLINE_NONE)
    return 0;
  if (deadline_ns == UV__DEADLINE_NEVER)
    return -1;
  return uv__deadline_left_ms(deadline_ns, uv_hrtime());
}

UV__INLINE int collect_batch(uv_loop_t* loop, uint64_t deadline_ns) {
  const struct uv__batch* batch = &uv__loop_state(loop)->batch;
  /* With UV_METRICS_IDLE_TIME, poll without blocking first, to tell events that
   * were waiting from those that end a sleep. */
  int poll_first = uv__counters_idle_is_on(loop);
  int retries = 0;
  int n;

  /* Waiting again would overwrite events that are not dispatched yet, and a
   * wake-up is not reported twice. */
  if (batch->next < batch->count)
    return batch->count - batch->next;

  for (;; poll_first = 0) {
    if (uv__loop_os_commit(loop))
      deadline_ns = UV__DEADLINE_NONE; /* an error to deliver */
    int timeout_ms = left_ms(deadline_ns);
    n = wait_once(loop, poll_first ? 0 : timeout_ms);
    if (n < 0 && is_transient(n) && retries++ < WAIT_RETRIES_MAX) {
      if (timeout_ms != 0)
        uv_sleep(1);
      continue;
    }
    if (n != 0 || timeout_ms == 0)
      break;
    if (deadline_ns != UV__DEADLINE_NEVER && left_ms(deadline_ns) == 0)
      break;
  }

  uv__loop_update_time(loop);
  return n;
}

UV__INLINE int wait_for_batch(uv_loop_t* loop, uint64_t deadline_ns) {
  uint64_t begin_ns = uv__hook_phase_begin(loop, UV__PHASE_POLL);
  int n = collect_batch(loop, deadline_ns);

  if (uv__unlikely(begin_ns != 0))
    uv__observed_poll_end(loop, begin_ns, deadline_ns, n);
  return n;
}

UV__INLINE int dispatch_batch(uv_loop_t* loop) {
  struct uv__batch* batch = &uv__loop_state(loop)->batch;
  int ran = 0;

  while (batch->next < batch->count) {
    const struct uv__event* event = &batch->events[batch->next++];
    ran += uv__loop_os_dispatch(loop, event);
  }
  /* All signals together count as one event, before their callbacks run. */
  uv__counters_add(loop, ran + (batch->signals_due != 0), batch->was_waiting);
  if (batch->signals_due)
    ran += uv__loop_os_dispatch_signals(loop);
  batch->signals_due = 0;
  return ran;
}

UV__INLINE int dispatch_events(uv_loop_t* loop) {
  const struct uv__batch* batch = &uv__loop_state(loop)->batch;

  if (batch->next == batch->count && !batch->signals_due)
    return 0;
  uint64_t begin_ns = uv__hook_phase_begin(loop, UV__PHASE_EVENTS);
  int ran = dispatch_batch(loop);
  if (uv__unlikely(begin_ns != 0))
    uv__observed_phase_end(loop, UV__PHASE_EVENTS, begin_ns);
  return ran;
}

int uv__loop_poll_collect(uv_loop_t* loop, uint64_t deadline_ns) {
  return wait_for_batch(loop, deadline_ns);
}

int uv__loop_poll_dispatch(uv_loop_t* loop) {
  return dispatch_events(loop);
}

int uv__loop_poll(uv_loop_t* loop, uint64_t deadline_ns) {
  for (int batches = 0; batches < BATCHES_MAX;) {
    int n = wait_for_batch(loop, deadline_ns);
    int ran = dispatch_events(loop);

    if (n <= 0)
      return n;
    if (ran != 0 || loop->stop_flag || uv__loop_has_pending(loop))
      deadline_ns = UV__DEADLINE_NONE;
    /* Events beyond the first small batch wait for the next iteration. */
    if (ran != 0 && n < UV__BATCH_MAX)
      break;
    uv__hook_empty_wait(loop); /* a wake may request a dump */
    if (deadline_ns == UV__DEADLINE_NONE)
      batches++;
  }
  return 0;
}

void uv__loop_poll_close(uv_loop_t* loop) {
  struct uv__batch* batch = &uv__loop_state(loop)->batch;

  if (batch->events != batch->first)
    uv__free(batch->events);
  batch->events = NULL;
}
