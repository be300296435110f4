/* SPDX-License-Identifier: MIT */
#include "observe/slice.h"
#include "loop/state.h"
#include "observe/observe.h"
#include "observe/probe.h"
#include "observe/metrics/metrics.h"

/* A callback runs inside another one: uv_run() in a callback, uv_walk(). */
UV__NOINLINE static void keep_outer(struct uv__slice* slice) {
  slice->outer = slice->thread->running;
}

static void watch_slice(struct uv__slice* slice) {
  const struct uv__record* record = &slice->record;

  slice->outer.begin_ns = uv__load_relaxed(&slice->thread->running.begin_ns);
  if (slice->outer.begin_ns != 0)
    keep_outer(slice);
  uv__trace_thread_runs(slice->thread, record->begin_ns, record->loop,
                        record->object, record->symbol,
                        uv__running_what(record->type, record->call));
}

static void unwatch_slice(struct uv__slice* slice) {
  const struct uv__running* outer = &slice->outer;

  if (outer->begin_ns != 0)
    uv__trace_thread_runs(slice->thread, outer->begin_ns, outer->loop,
                          outer->object, outer->symbol, outer->what);
  else
    uv__trace_thread_rests(slice->thread);
}

/* Out of line, so that the functions below need few registers. */
UV__COLD static void probe_begin(const struct uv__record* record) {
  uv__probe_callback_begin(record);
}

UV__COLD static void probe_end(const struct uv__record* record) {
  uv__probe_callback_end(record);
}

/* When a slice begins right after the last one. */
enum follow { FOLLOWS_NOTHING, FOLLOWS_IN_SEQUENCE, FOLLOWS };

UV__INLINE void begin_slice(struct uv__slice* slice, enum follow follow) {
  struct uv__trace_thread* thread =
      uv__loop_state(slice->record.loop)->observer;
  unsigned observers = uv__load_relaxed(&uv__observers);

  /* Outside an iteration: uv_walk(), the first timers of uv_run(). */
  if (thread == NULL) {
    thread = uv__trace_thread_self();
    follow = FOLLOWS_NOTHING;
  }
  slice->thread = thread;
  slice->record.flow = 0;
  slice->is_watched = 0;
  if (follow == FOLLOWS ||
      (follow == FOLLOWS_IN_SEQUENCE && thread->is_between))
    slice->record.begin_ns = uv__trace_thread_time(thread, 0);
  else
    slice->record.begin_ns = uv__trace_thread_now(thread);
  if (observers & UV__OBSERVE_PROBES)
    probe_begin(&slice->record);
  if (thread == NULL)
    return;
  thread->is_between = 0;
  slice->record.flow = thread->flow;
  thread->flow = 0;
  slice->is_watched = (observers & UV__OBSERVE_WATCHDOG) != 0;
  if (slice->is_watched)
    watch_slice(slice);
}

void uv__slice_begin(struct uv__slice* slice) {
  begin_slice(slice, FOLLOWS_NOTHING);
}

void uv__slice_begin_next(struct uv__slice* slice) {
  begin_slice(slice, FOLLOWS_IN_SEQUENCE);
}

void uv__slice_begin_at_last(struct uv__slice* slice) {
  begin_slice(slice, FOLLOWS);
}

void uv__slice_end(struct uv__slice* slice) {
  struct uv__record* record = &slice->record;
  unsigned observers = uv__load_relaxed(&uv__observers);

  if (slice->is_watched)
    unwatch_slice(slice);
  if ((observers & ~UV__OBSERVE_WATCHDOG) == 0)
    return; /* nobody needs to know how long it took */
  record->end_ns = uv__trace_thread_now(slice->thread);
  if (observers & UV__OBSERVE_PROBES)
    probe_end(record);
  if (slice->thread != NULL) {
    slice->thread->is_between = slice->thread->is_sequence;
    if (observers & UV__OBSERVE_TRACE)
      uv__trace_thread_add(slice->thread, record);
  }
  if (observers & UV__OBSERVE_METRICS)
    uv__metrics_callback((uv_loop_t*) record->loop, record);
}
