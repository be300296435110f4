/* SPDX-License-Identifier: MIT */
/* Observed events between callbacks: iterations and their phases, requests in
 * the pool, wake-ups. */
#include "observe.h"
#include "dump-session.h"
#include "fork-lock.h"
#include "misuse.h"
#include "os/loop.h"
#include "os/thread.h"
#include "probe.h"
#include "slice.h"
#include "stats.h"
#include "threadpool.h"
#include "trace-flight.h"
#include "trace-send.h"

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
static unsigned generation; /* atomic */
static struct uv__fork_lock init_lock;
static int has_fork_handler; /* the lock's */
/* Workers that were observed so far; atomic. */
static unsigned worker_count;

unsigned uv__observe_generation(void) {
  return uv__load_relaxed(&generation);
}

/* Context: the only thread of a forked child. */
static void stop_in_child(void) {
  uv__fetch_and(&uv__observers, UV__OBSERVE_PROBES);
  uv__fetch_add(&generation, 1);
  uv__trace_threads_fork();
}

static int watch_forks(void) {
  if (has_fork_handler)
    return 0;
  int err = uv__thread_os_at_fork(stop_in_child);
  has_fork_handler = err == 0;
  return err;
}

static int set_up(void) {
  int err = uv__trace_threads_init();

  if (err == 0)
    err = watch_forks();
  if (err == 0)
    err = uv__flight_init();
  if (err == 0)
    err = uv__trace_sends_init();
  uv__ticks_init();
  return err;
}

int uv__observe_init(void) {
  (void) uv__fork_lock(&init_lock);
  int err = set_up();
  uv__fork_unlock(&init_lock);
  return err;
}

void uv__observe_start(unsigned observer) {
  if (uv__load_relaxed(&uv__observers) == 0)
    uv__flight_clear(); /* its contents are from an earlier session */
  /* Release: what uv__observe_init() made. */
  uv__fetch_or(&uv__observers, observer);
}

void uv__observe_stop(unsigned observer) {
  uv__fetch_and(&uv__observers, ~observer);
}

/* For a thread that a loop runs on. */
static struct uv__trace_thread* loop_thread(const uv_loop_t* loop) {
  struct uv__trace_thread* thread = uv__trace_thread_self();

  if (thread != NULL && uv__load_relaxed(&thread->loop) == NULL)
    uv__store_relaxed(&thread->loop, (const void*) loop);
  return thread;
}

static void add(const struct uv__record* record,
                struct uv__trace_thread* thread) {
  if (thread != NULL && uv__is_observed_by(UV__OBSERVE_TRACE))
    uv__trace_thread_add(thread, record);
}

/* When the stretch of time that begins now began: where the last one ended, or
 * when the loop's time was updated since. */
static uint64_t begin_here(const uv_loop_t* loop) {
  const struct uv__loop_state* state = uv__loop_state(loop);

  if (state->observer == NULL)
    return uv__trace_thread_now(loop_thread(loop)); /* outside an iteration */
  return uv__ticks_reach(&state->observer->clock, state->now_ns);
}

/* Phases in which nothing that takes time happens between two callbacks. */
static const uint8_t is_sequence[] = {
  [UV__PHASE_TIMERS] = 1,  [UV__PHASE_PENDING] = 1, [UV__PHASE_IDLE] = 1,
  [UV__PHASE_PREPARE] = 1, [UV__PHASE_POLL] = 0,    [UV__PHASE_EVENTS] = 0,
  [UV__PHASE_CHECK] = 1,   [UV__PHASE_CLOSING] = 0,
};
static_assert(ARRAY_SIZE(is_sequence) == UV__PHASE_MAX, "one per phase");

uint64_t uv__observed_phase_begin(uv_loop_t* loop, enum uv__phase phase) {
  struct uv__loop_state* state = uv__loop_state(loop);
  struct uv__trace_thread* thread = state->observer;
  uint64_t now_ns = begin_here(loop);

  if (thread != NULL) {
    thread->is_sequence = is_sequence[phase];
    thread->is_between = thread->is_sequence;
  }
  if (uv__is_observed_by(UV__OBSERVE_METRICS))
    uv__stats_phase_begin(loop, phase, now_ns);
  if (thread != NULL && uv__is_observed_by(UV__OBSERVE_WATCHDOG))
    uv__store_relaxed(&thread->running.phase, phase);
  return now_ns;
}

void uv__observed_phase_end(uv_loop_t* loop,
                            enum uv__phase phase,
                            uint64_t begin_ns,
                            int timeout_ms,
                            int ready) {
  const struct uv__loop_state* state = uv__loop_state(loop);
  struct uv__trace_thread* thread = state->observer;
  struct uv__record record = { .begin_ns = begin_ns,
                               .loop = loop,
                               .value = timeout_ms,
                               .detail = ready < 0 ? 0 : ready,
                               .kind = UV__RECORD_PHASE,
                               .call = (uint8_t) phase };

  if (thread == NULL)
    thread = loop_thread(loop);
  /* A poll ends with an update of the loop's time. */
  if (phase == UV__PHASE_POLL)
    record.end_ns = state->now_ns > begin_ns ? state->now_ns : begin_ns;
  else
    record.end_ns = uv__trace_thread_now(thread);
  add(&record, thread);
  if (uv__is_observed_by(UV__OBSERVE_METRICS))
    uv__stats_phase_end(loop, &record);
}

void uv__observed_wake(uv_loop_t* loop) {
  if (uv__is_observed_by(UV__OBSERVE_DUMP))
    uv__dump_respond(loop);
}

uint64_t uv__observed_begin(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);

  uv__observed_wake(loop);
  uv__probe_iteration_begin(loop);
  state->observer = loop_thread(loop);
  return uv__trace_thread_now(state->observer);
}

void uv__observed_iteration(uv_loop_t* loop,
                            uint64_t begin_ns,
                            uint64_t events) {
  struct uv__loop_state* state = uv__loop_state(loop);
  struct uv__trace_thread* thread = state->observer;
  struct uv__record record;

  memset(&record, 0, sizeof(record));
  record.kind = UV__RECORD_ITERATION;
  record.begin_ns = begin_ns;
  record.end_ns = begin_here(loop);
  record.loop = loop;
  record.value = (int64_t) state->metrics.loop_count;
  record.detail = (int32_t) events;
  record.flow = (uint64_t) loop->active_handles << 32 |
                (uint32_t) loop->active_reqs.count;
  state->observer = NULL;
  uv__probe_iteration_end(&record);
  add(&record, thread != NULL ? thread : loop_thread(loop));
  if (uv__is_observed_by(UV__OBSERVE_METRICS))
    uv__stats_iteration(loop, &record);
}

/* The rule that a second submission breaks. */
static const enum uv__rule once_rules[UV__CLASS_MAX] = {
  [UV__CLASS_WORK] = UV__RULE_WORK_ONCE,
  [UV__CLASS_RANDOM] = UV__RULE_RANDOM_ONCE,
  [UV__CLASS_GETADDRINFO] = UV__RULE_GETADDRINFO_ONCE,
  [UV__CLASS_GETNAMEINFO] = UV__RULE_GETNAMEINFO_ONCE,
};

/* The request around the work. */
static const void* request_of(const struct uv__work* w,
                              enum uv__work_class work_class) {
  switch (work_class) {
  case UV__CLASS_FS:
    return container_of(w, uv_fs_t, work_req);
  case UV__CLASS_WORK:
    return container_of(w, uv_work_t, work_req);
  case UV__CLASS_RANDOM:
    return container_of(w, uv_random_t, work_req);
  case UV__CLASS_GETADDRINFO:
    return container_of(w, uv_getaddrinfo_t, work_req);
  case UV__CLASS_GETNAMEINFO:
    return container_of(w, uv_getnameinfo_t, work_req);
  case UV__CLASS_MAX:
    break;
  }
  return NULL;
}

/* Defined below, with the functions of each class. */
static void observe_functions(struct uv__work* w,
                              enum uv__work_class work_class);

void uv__observed_submit(uv_loop_t* loop,
                         struct uv__work* w,
                         enum uv__work_class work_class) {
  uv__probe_submit(loop, w, work_class);
  observe_functions(w, work_class);
  if (uv__flight_find(w) != NULL) {
    /* Another executor had it and gave it back, which only file requests do. */
    if (work_class != UV__CLASS_FS)
      uv__misuse_undefined(once_rules[work_class], request_of(w, work_class));
    return;
  }

  uint64_t now_ns = uv_hrtime();
  struct uv__flight* flight = uv__flight_add(w, loop, work_class, now_ns);
  if (flight == NULL)
    return; /* more in flight than the table holds */

  struct uv__flight_count now = uv__flight_count();
  struct uv__record record;
  memset(&record, 0, sizeof(record));
  record.kind = UV__RECORD_SUBMIT;
  record.begin_ns = now_ns;
  record.end_ns = now_ns;
  record.loop = loop;
  record.flow = flight->id;
  record.value = now.queued;
  record.detail = now.running;
  add(&record, uv__trace_thread_self());
}

void uv__observed_refused(const struct uv__work* w) {
  struct uv__flight* flight = uv__flight_find(w);

  if (flight != NULL)
    uv__flight_remove(flight);
}

void uv__work_describe(struct uv__record* record,
                       const struct uv__work* w,
                       enum uv__work_class work_class) {
  record->type = (uint8_t) work_class;
  record->object = request_of(w, work_class);
  if (work_class == UV__CLASS_FS)
    record->op = (uint8_t) container_of(w, uv_fs_t, work_req)->fs_type;
  if (work_class == UV__CLASS_WORK)
    record->symbol =
        (const void*) (uintptr_t) container_of(w, uv_work_t, work_req)->work_cb;
}

static struct uv__trace_thread* worker_thread(void) {
  struct uv__trace_thread* thread = uv__trace_thread_self();

  if (thread != NULL && uv__load_relaxed(&thread->number) == 0)
    uv__store_relaxed(&thread->number, uv__fetch_add(&worker_count, 1) + 1);
  return thread;
}

static void tell_pool(struct uv__trace_thread* thread, uint64_t now_ns) {
  struct uv__flight_count now = uv__flight_count();
  struct uv__record record;

  memset(&record, 0, sizeof(record));
  record.kind = UV__RECORD_POOL;
  record.begin_ns = now_ns;
  record.end_ns = now_ns;
  record.value = now.queued;
  record.detail = now.running;
  add(&record, thread);
}

static void run_work(struct uv__work* w, void (*work)(struct uv__work* w)) {
  uv__probe_work_start(w);
  work(w);
  uv__probe_work_done(w);
}

static void observe_work(struct uv__work* w, void (*work)(struct uv__work* w)) {
  struct uv__flight* flight = uv__flight_find(w);
  struct uv__record record;

  if (flight == NULL) {
    run_work(w, work); /* there were too many, or observing began again */
    return;
  }

  struct uv__trace_thread* thread = worker_thread();
  memset(&record, 0, sizeof(record));
  record.kind = UV__RECORD_WORK;
  record.loop = w->loop;
  record.flow = flight->id;
  uv__work_describe(&record, w, (enum uv__work_class) flight->work_class);
  record.begin_ns = uv_hrtime();
  record.value = (int64_t) (record.begin_ns - flight->submit_ns);
  uv__flight_start(flight, record.begin_ns);
  run_work(w, work);
  record.end_ns = uv_hrtime();
  uv__flight_done(flight, record.end_ns);
  add(&record, thread);
  tell_pool(thread, record.end_ns);
  if (uv__is_observed_by(UV__OBSERVE_METRICS))
    uv__stats_work(&record);
}

/* Runs done() on the loop's thread. */
static void observe_done(struct uv__work* w,
                         int status,
                         void (*done)(struct uv__work* w, int status)) {
  struct uv__trace_thread* thread = uv__trace_thread_self();
  struct uv__flight* flight = uv__flight_find(w);

  if (flight != NULL) {
    if (thread != NULL)
      thread->flow = flight->id;
    uv__flight_remove(flight);
  }
  done(w, status);
  if (thread != NULL)
    thread->flow = 0; /* there was no callback that took it */
}

static void run_user(struct uv__work* w) {
  observe_work(w, uv__user_work);
}

static void end_user(struct uv__work* w, int status) {
  observe_done(w, status, uv__user_done_observed);
}

static void run_random(struct uv__work* w) {
  observe_work(w, uv__random_work);
}

static void end_random(struct uv__work* w, int status) {
  observe_done(w, status, uv__random_done);
}

static void run_fs(struct uv__work* w) {
  observe_work(w, uv__fs_work);
}

static void end_fs(struct uv__work* w, int status) {
  observe_done(w, status, uv__fs_work_done);
}

static void run_addr(struct uv__work* w) {
  observe_work(w, uv__addr_work);
}

static void end_addr(struct uv__work* w, int status) {
  observe_done(w, status, uv__addr_done);
}

static void run_name(struct uv__work* w) {
  observe_work(w, uv__name_work);
}

static void end_name(struct uv__work* w, int status) {
  observe_done(w, status, uv__name_done);
}

/* What a class runs, and what it runs while somebody observes. */
static const struct {
  void (*work)(struct uv__work* w);
  void (*run)(struct uv__work* w);
  void (*end)(struct uv__work* w, int status);
} functions[] = {
  [UV__CLASS_WORK] = { uv__user_work, run_user, end_user },
  [UV__CLASS_RANDOM] = { uv__random_work, run_random, end_random },
  [UV__CLASS_FS] = { uv__fs_work, run_fs, end_fs },
  [UV__CLASS_GETADDRINFO] = { uv__addr_work, run_addr, end_addr },
  [UV__CLASS_GETNAMEINFO] = { uv__name_work, run_name, end_name },
};
static_assert(ARRAY_SIZE(functions) == UV__CLASS_MAX, "one per class");

static void observe_functions(struct uv__work* w,
                              enum uv__work_class work_class) {
  if (w->work != functions[work_class].work)
    return; /* another executor has it */
  w->work = functions[work_class].run;
  w->done = functions[work_class].end;
}

void uv__observed_hand_over(struct uv__work* w) {
  if (w->done == uv__fs_work_done)
    w->done = end_fs;
}

void uv__observed_fs_done(struct uv__work* w) {
  end_fs(w, 0);
}

enum uv__work_class uv__work_class_of(const struct uv__work* w) {
  int i = 0;

  while (i < UV__CLASS_MAX && w->work != functions[i].work &&
         w->work != functions[i].run)
    i++;
  return (enum uv__work_class) i;
}

void uv__observed_send_call(uv_loop_t* loop, ssize_t result) {
  if (uv__is_observed_by(UV__OBSERVE_METRICS))
    uv__stats_io(loop, UV__IO_SEND, result);
}

void uv__observed_write_call(uv_loop_t* loop, ssize_t result) {
  if (uv__is_observed_by(UV__OBSERVE_METRICS))
    uv__stats_io(loop, UV__IO_WRITE, result);
}

void uv__observed_send(const uv_async_t* handle) {
  uv__probe_wake(handle);
  if (uv__is_observed_by(UV__OBSERVE_TRACE))
    uv__trace_send_add(handle);
}
