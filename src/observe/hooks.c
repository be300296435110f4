/* SPDX-License-Identifier: MIT */
/* Who observes, and what they see between callbacks: iterations and their
 * phases, wake-ups. Requests are in work.c. */
#include "observe/hooks.h"
#include "loop/deadline.h"
#include "observe/debug/debug.h"
#include "observe/dump/signal.h"
#include "observe/in-flight.h"
#include "observe/metrics/metrics.h"
#include "observe/probes.h"
#include "observe/span.h"
#include "observe/trace/sends.h"
#include "os/loop.h"
#include "os/symbol.h"
#include "os/thread.h"
#include "util/fork-lock.h"

#include <string.h>

#if UV__HAVE_SDT
/* Where tracers look for counters. */
__attribute__((section(".probes"), used)) unsigned uv__observers;

/* One counter for all probes, under the name that each of them has for it. */
# define COUNTER(name)                                                         \
  extern unsigned short libuv_##name##_semaphore                               \
      __attribute__((alias("uv__observers"), used))

COUNTER(callback__begin);
COUNTER(callback__end);
COUNTER(iteration__begin);
COUNTER(iteration__end);
COUNTER(work__submit);
COUNTER(work__start);
COUNTER(work__done);
COUNTER(wake);
#else
unsigned uv__observers;
#endif
/* Where the frame of the function begins: the stack below it belongs to what it
 * calls, and nothing that a callback left there is alive. */
#ifdef __GNUC__
# define FRAME() ((uintptr_t) __builtin_frame_address(0))
#else
# define FRAME() 0
#endif

static unsigned generation; /* atomic */
static struct uv__fork_lock init_lock;
static int has_fork_handler; /* the lock's */

unsigned uv__observe_generation(void) {
  return uv__load_relaxed(&generation);
}

/* Context: the only thread of a forked child. */
static void stop_observers_in_child(void) {
  /* UV_DEBUG needs no thread; its requests in flight are the parent's. */
  if (uv__is_observed_by(UV__OBSERVE_DEBUG))
    uv__inflight_clear();
  uv__fetch_and(&uv__observers, UV__OBSERVE_PROBES | UV__OBSERVE_DEBUG);
  uv__fetch_add(&generation, 1);
  uv__observe_threads_fork();
}

static int watch_forks(void) {
  if (has_fork_handler)
    return 0;
  int err = uv__thread_os_at_fork(stop_observers_in_child);
  has_fork_handler = err == 0;
  return err;
}

static int init_shared_state(void) {
  int err = uv__observe_threads_init();

  if (err == 0)
    err = watch_forks();
  if (err == 0)
    err = uv__inflight_init();
  if (err == 0)
    err = uv__trace_sends_init();
  uv__symbol_os_init();
  return err;
}

int uv__observe_init(void) {
  (void) uv__fork_lock(&init_lock);
  int err = init_shared_state();
  uv__fork_unlock(&init_lock);
  return err;
}

void uv__observe_start(unsigned observer) {
  assert(observer != 0);
  if (uv__load_relaxed(&uv__observers) == 0)
    uv__inflight_clear(); /* its contents are from an earlier session */
  /* Release: what uv__observe_init() made. */
  uv__fetch_or(&uv__observers, observer);
}

void uv__observe_stop(unsigned observer) {
  assert(observer != 0);
  uv__fetch_and(&uv__observers, ~observer);
}

/* For a thread that a loop runs on. */
static struct uv__observe_thread* loop_thread(const uv_loop_t* loop) {
  struct uv__observe_thread* thread = uv__observe_thread_self();

  if (thread != NULL && uv__load_relaxed(&thread->loop) == NULL)
    uv__store_relaxed(&thread->loop, (const void*) loop);
  return thread;
}

void uv__observe_record(const struct uv__record* record,
                        struct uv__observe_thread* thread) {
  if (thread != NULL && uv__is_observed_by(UV__OBSERVE_TRACE))
    uv__observe_thread_add(thread, record);
}

/* Returns the start of the next interval: the end of the previous one, or the
 * loop's time if that is later. */
static uint64_t interval_begin_ns(const uv_loop_t* loop) {
  const struct uv__loop_state* state = uv__loop_state(loop);

  if (state->observer == NULL)
    return uv__observe_thread_now(loop_thread(loop)); /* outside an iteration */
  return uv__observe_thread_time(state->observer, state->now_ns);
}

uint64_t uv__observed_phase_begin(uv_loop_t* loop, enum uv__phase phase) {
  struct uv__loop_state* state = uv__loop_state(loop);

  assert(phase < UV__PHASE_MAX);
  /* (Another thread than that of the callbacks may poll.) */
  if (uv__is_observed_by(UV__OBSERVE_DEBUG) && phase != UV__PHASE_POLL) {
    uv__debug_walk(loop, FRAME());
    if (phase == UV__PHASE_CLOSING)
      uv__debug_walk_closing(loop);
  }
  if (!uv__is_recorded())
    return 0;
  struct uv__observe_thread* thread = state->observer;
  uint64_t now_ns = interval_begin_ns(loop);
  if (uv__is_observed_by(UV__OBSERVE_METRICS))
    uv__metrics_phase_begin(loop, phase, now_ns);
  if (thread != NULL && uv__is_observed_by(UV__OBSERVE_RUNNING))
    uv__store_relaxed(&thread->running.phase, phase);
  return now_ns;
}

static void record_phase(uv_loop_t* loop,
                         struct uv__record* record,
                         struct uv__observe_thread* thread) {
  if (record->end_ns < record->begin_ns)
    record->end_ns = record->begin_ns; /* no thread, and a poll that failed */
  uv__observe_record(record, thread);
  if (uv__is_observed_by(UV__OBSERVE_METRICS))
    uv__metrics_phase_end(loop, record);
}

/* The thread that records for the loop. */
static struct uv__observe_thread* observer_of(const uv_loop_t* loop) {
  struct uv__observe_thread* thread = uv__loop_state(loop)->observer;

  return thread != NULL ? thread : loop_thread(loop);
}

void uv__observed_phase_end(uv_loop_t* loop,
                            enum uv__phase phase,
                            uint64_t begin_ns) {
  struct uv__observe_thread* thread = observer_of(loop);
  struct uv__record record = { .begin_ns = begin_ns,
                               .end_ns = uv__observe_thread_now(thread),
                               .loop = loop,
                               .kind = UV__RECORD_PHASE,
                               .call = (uint8_t) phase };

  assert(begin_ns != 0);
  assert(phase < UV__PHASE_MAX);
  record_phase(loop, &record, thread);
}

void uv__observed_poll_end(uv_loop_t* loop,
                           uint64_t begin_ns,
                           uint64_t deadline_ns,
                           int ready) {
  struct uv__observe_thread* thread = observer_of(loop);
  /* A poll ends with an update of the loop's time. */
  uint64_t now_ns = uv__loop_state(loop)->now_ns;
  struct uv__record record = { .begin_ns = begin_ns,
                               .end_ns =
                                   uv__observe_thread_time(thread, now_ns),
                               .loop = loop,
                               .value =
                                   uv__deadline_left_ms(deadline_ns, begin_ns),
                               .detail = ready < 0 ? 0 : ready,
                               .kind = UV__RECORD_PHASE,
                               .call = UV__PHASE_POLL };

  assert(begin_ns != 0);
  record_phase(loop, &record, thread);
}

void uv__observed_empty_wait(uv_loop_t* loop) {
  if (uv__is_observed_by(UV__OBSERVE_DUMP))
    uv__dump_respond(loop);
}

uint64_t uv__observed_iteration_begin(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);

  if (uv__is_observed_by(UV__OBSERVE_DEBUG)) {
    uv__debug_walk(loop, FRAME());
    uv__debug_walk_timers(loop);
  }
  if (!uv__is_recorded())
    return 0;
  uv__observed_empty_wait(loop);
  uv__probe_iteration_begin(loop);
  state->observer = loop_thread(loop);
  return uv__observe_thread_now(state->observer);
}

void uv__observed_iteration_end(uv_loop_t* loop,
                                uint64_t begin_ns,
                                uint64_t events) {
  assert(begin_ns != 0);
  struct uv__loop_state* state = uv__loop_state(loop);
  struct uv__observe_thread* thread = state->observer;
  struct uv__record record;

  memset(&record, 0, sizeof(record));
  record.kind = UV__RECORD_ITERATION;
  record.begin_ns = begin_ns;
  record.end_ns = interval_begin_ns(loop);
  record.loop = loop;
  record.value = (int64_t) state->counters.loop_count;
  record.detail = (int32_t) events;
  record.flow = (uint64_t) loop->active_handles << 32 |
                (uint32_t) loop->active_reqs.count;
  state->observer = NULL;
  uv__probe_iteration_end(&record);
  uv__observe_record(&record, thread != NULL ? thread : loop_thread(loop));
  if (uv__is_observed_by(UV__OBSERVE_METRICS))
    uv__metrics_iteration(loop, &record);
}

void uv__observed_udp_sent(uv_loop_t* loop, ssize_t result) {
  if (uv__is_observed_by(UV__OBSERVE_METRICS))
    uv__metrics_io(loop, UV__IO_SEND, result);
}

void uv__observed_stream_written(uv_loop_t* loop, ssize_t result) {
  if (uv__is_observed_by(UV__OBSERVE_METRICS))
    uv__metrics_io(loop, UV__IO_WRITE, result);
}

void uv__observed_async_sent(const uv_async_t* handle) {
  uv__probe_wake(handle);
  if (uv__is_observed_by(UV__OBSERVE_TRACE))
    uv__trace_send_add(handle);
}

void uv__hook_loop_close(uv_loop_t* loop) {
  uv__metrics_close_loop(loop);
  uv__debug_loop_close(loop);
}

void uv__hook_debug_begin(void) {
  if (uv__observe_init() == 0)
    uv__observe_start(UV__OBSERVE_DEBUG);
}
