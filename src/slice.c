/* SPDX-License-Identifier: MIT */
#include "slice.h"
#include "observe.h"
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

void uv__slice_begin(struct uv__slice* slice) {
  struct uv__trace_thread* thread = uv__trace_thread_self();

  slice->thread = thread;
  slice->record.flow = 0;
  if (thread != NULL) {
    slice->record.flow = thread->flow;
    thread->flow = 0;
  }
  slice->record.begin_ns = uv_hrtime();
  slice->is_watched =
      thread != NULL && uv__is_observed_by(UV__OBSERVE_WATCHDOG);
  if (slice->is_watched)
    watch(slice);
}

void uv__slice_end(struct uv__slice* slice) {
  slice->record.end_ns = uv_hrtime();
  if (slice->is_watched)
    uv__trace_thread_runs(slice->thread, &slice->outer);
  if (slice->thread != NULL && uv__is_observed_by(UV__OBSERVE_TRACE))
    uv__trace_thread_add(slice->thread, &slice->record);
  if (uv__is_observed_by(UV__OBSERVE_METRICS))
    uv__stats_callback((uv_loop_t*) slice->record.loop, &slice->record);
}
