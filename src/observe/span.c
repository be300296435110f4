/* SPDX-License-Identifier: MIT */
#include "observe/span.h"
#include "loop/state.h"
#include "observe/hooks.h"
#include "observe/metrics/metrics.h"
#include "observe/probes.h"

/* A callback runs inside another one: uv_run() in a callback, uv_walk(). */
UV__NOINLINE static void keep_outer(struct uv__span* span) {
  span->outer = span->thread->running;
}

static void watch_span(struct uv__span* span) {
  const struct uv__record* record = &span->record;

  span->outer.begin_ns = uv__load_relaxed(&span->thread->running.begin_ns);
  if (span->outer.begin_ns != 0)
    keep_outer(span);
  uv__observe_thread_set_running(span->thread, record->begin_ns, record->loop,
                                 record->object, record->symbol,
                                 uv__running_what(record->type, record->call));
}

static void unwatch_span(struct uv__span* span) {
  const struct uv__running* outer = &span->outer;

  if (outer->begin_ns != 0)
    uv__observe_thread_set_running(span->thread, outer->begin_ns, outer->loop,
                                   outer->object, outer->symbol, outer->what);
  else
    uv__observe_thread_clear_running(span->thread);
}

/* Out of line, so that the functions below need few registers. */
UV__COLD static void probe_begin(const struct uv__record* record) {
  uv__probe_callback_begin(record);
}

UV__COLD static void probe_end(const struct uv__record* record) {
  uv__probe_callback_end(record);
}

void uv__span_begin(struct uv__span* span) {
  struct uv__observe_thread* thread =
      uv__loop_state(span->record.loop)->observer;
  unsigned observers = uv__load_relaxed(&uv__observers);

  /* Outside an iteration: uv_walk(), the first timers of uv_run(). */
  if (thread == NULL)
    thread = uv__observe_thread_self();
  span->thread = thread;
  span->record.flow = 0;
  span->is_watched = 0;
  span->record.begin_ns = uv__observe_thread_now(thread);
  if (observers & UV__OBSERVE_PROBES)
    probe_begin(&span->record);
  if (thread == NULL)
    return;
  span->record.flow = thread->flow;
  thread->flow = 0;
  span->is_watched = (observers & UV__OBSERVE_RUNNING) != 0;
  if (span->is_watched)
    watch_span(span);
}

void uv__span_end(struct uv__span* span) {
  struct uv__record* record = &span->record;
  unsigned observers = uv__load_relaxed(&uv__observers);

  if (span->is_watched)
    unwatch_span(span);
  if ((observers & ~UV__OBSERVE_WATCHDOG) == 0)
    return; /* nobody needs to know how long it took */
  record->end_ns = uv__observe_thread_now(span->thread);
  if (observers & UV__OBSERVE_PROBES)
    probe_end(record);
  if (span->thread != NULL && (observers & UV__OBSERVE_TRACE)) {
    if (span->about.count != 0)
      uv__about_add(&span->about, span->thread);
    uv__observe_thread_add(span->thread, record);
  }
  if (observers & UV__OBSERVE_METRICS)
    uv__metrics_callback((uv_loop_t*) record->loop, record);
}
