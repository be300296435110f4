/* SPDX-License-Identifier: MIT */
#include "slice.h"
#include "observe.h"
#include "stats.h"

void uv__slice_begin(struct uv__slice* slice) {
  struct uv__trace_thread* thread = uv__trace_thread_self();

  slice->thread = thread;
  slice->record.flow = 0;
  if (thread != NULL) {
    slice->record.flow = thread->flow;
    thread->flow = 0;
  }
  slice->record.begin_ns = uv_hrtime();
}

void uv__slice_end(struct uv__slice* slice) {
  slice->record.end_ns = uv_hrtime();
  if (slice->thread != NULL && uv__is_observed_by(UV__OBSERVE_TRACE))
    uv__trace_thread_add(slice->thread, &slice->record);
  if (uv__is_observed_by(UV__OBSERVE_METRICS))
    uv__stats_callback((uv_loop_t*) slice->record.loop, &slice->record);
}
