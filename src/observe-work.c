/* SPDX-License-Identifier: MIT */
/* Requests that are observed: on their way to the pool or another executor, on
 * a worker, and back on the loop's thread.
 *
 * The pool asks nobody: with its submission, a request gets functions that
 * observe and then call its own.
 */
#include "misuse.h"
#include "observe.h"
#include "probe.h"
#include "stats.h"
#include "threadpool.h"
#include "trace-flight.h"
#include "trace-thread.h"

#include <string.h>

/* Workers that were observed so far; atomic. */
static unsigned worker_count;

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
  uv__observe_record(&record, uv__trace_thread_self());
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
  uv__observe_record(&record, thread);
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
  record.begin_ns = uv__trace_thread_time(thread, uv_hrtime());
  record.value = (int64_t) (record.begin_ns - flight->submit_ns);
  uv__flight_start(flight, record.begin_ns);
  run_work(w, work);
  record.end_ns = uv__trace_thread_time(thread, uv_hrtime());
  uv__flight_done(flight, record.end_ns);
  uv__observe_record(&record, thread);
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
