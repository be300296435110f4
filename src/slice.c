/* SPDX-License-Identifier: MIT */
#include "slice.h"
#include "loop-state.h"
#include "observe.h"
#include "probe.h"
#include "stats.h"

static void watch(struct uv__slice* slice) {
  const struct uv__record* record = &slice->record;
  struct uv__running now = { record->begin_ns,
                             record->loop,
                             record->object,
                             record->symbol,
                             record->type,
                             record->call,
                             slice->thread->running.phase };

  slice->outer = slice->thread->running;
  uv__trace_thread_runs(slice->thread, &now);
}

/* Does each callback need two times of its own? */
static int is_exact(unsigned observers) {
  return (observers &
          (UV__OBSERVE_TRACE | UV__OBSERVE_WATCHDOG | UV__OBSERVE_PROBES)) != 0;
}

void uv__slice_begin(struct uv__slice* slice) {
  const struct uv__loop_state* state = uv__loop_state(slice->record.loop);
  struct uv__trace_thread* thread = state->observer;
  unsigned observers = uv__load_relaxed(&uv__observers);

  /* Outside an iteration: uv_walk(), the first timers of uv_run(). */
  if (thread == NULL)
    thread = uv__trace_thread_self();
  slice->thread = thread;
  slice->record.flow = 0;
  slice->is_watched = 0;
  slice->record.begin_ns = state->observed_ns;
  if (is_exact(observers) || slice->record.begin_ns == 0)
    slice->record.begin_ns = uv_hrtime();
  uv__probe_callback_begin(&slice->record);
  if (thread == NULL)
    return;
  slice->record.flow = thread->flow;
  thread->flow = 0;
  slice->is_watched = (observers & UV__OBSERVE_WATCHDOG) != 0;
  if (slice->is_watched)
    watch(slice);
}

void uv__slice_end(struct uv__slice* slice) {
  struct uv__record* record = &slice->record;
  struct uv__loop_state* state = uv__loop_state(record->loop);
  unsigned observers = uv__load_relaxed(&uv__observers);

  record->end_ns = record->begin_ns;
  if (is_exact(observers) || record->call != UV__CALL_ALLOC)
    record->end_ns = uv_hrtime();
  uv__probe_callback_end(record);
  /* The callback may have closed the loop. */
  if (state != NULL && state->observed_ns != 0)
    state->observed_ns = record->end_ns;
  if (slice->is_watched)
    uv__trace_thread_runs(slice->thread, &slice->outer);
  if (slice->thread != NULL && (observers & UV__OBSERVE_TRACE))
    uv__trace_thread_add(slice->thread, record);
  if (observers & UV__OBSERVE_METRICS)
    uv__stats_callback((uv_loop_t*) record->loop, record);
}
