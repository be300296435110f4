/* SPDX-License-Identifier: MIT */
/* Requests that are observed: on their way to the pool or another executor, on
 * a worker, and back on the loop's thread.
 *
 * The pool calls these in place of a kind's own functions, which they run.
 */
#include "misuse.h"
#include "observe/about.h"
#include "observe/debug/debug.h"
#include "observe/hooks.h"
#include "observe/in-flight.h"
#include "observe/metrics/metrics.h"
#include "observe/probes.h"
#include "observe/thread.h"
#include "pool/kind.h"

#include <string.h>

/* Workers that were observed so far; atomic. */
static unsigned worker_count;

/* The rule that a second submission breaks. */
static const enum uv__rule once_rules[UV__WORK_MAX] = {
  [UV__WORK_USER] = UV__RULE_WORK_ONCE,
  [UV__WORK_RANDOM] = UV__RULE_RANDOM_ONCE,
  [UV__WORK_GETADDRINFO] = UV__RULE_GETADDRINFO_ONCE,
  [UV__WORK_GETNAMEINFO] = UV__RULE_GETNAMEINFO_ONCE,
};

void uv__observed_submit(uv_loop_t* loop, const struct uv__work* w) {
  assert(w->kind->id < UV__WORK_MAX);
  enum uv__work_id work_id = w->kind->id;

  uv__probe_submit(loop, w, work_id);
  if (uv__is_observed_by(UV__OBSERVE_DEBUG))
    uv__debug_submit(loop, w);
  if (uv__inflight_find(w) != NULL) {
    /* Another executor had it and gave it back, which only file requests do. */
    if (work_id != UV__WORK_FS)
      uv__misuse_undefined(once_rules[work_id], uv__work_request(w));
    return;
  }

  uint64_t now_ns = uv_hrtime();
  struct uv__inflight* entry = uv__inflight_add(w, loop, work_id, now_ns);
  if (entry == NULL)
    return; /* more in flight than the table holds */

  struct uv__inflight_count now = uv__inflight_count();
  struct uv__record record;
  memset(&record, 0, sizeof(record));
  record.kind = UV__RECORD_SUBMIT;
  record.begin_ns = now_ns;
  record.end_ns = now_ns;
  record.loop = loop;
  record.flow = entry->id;
  record.value = now.queued;
  record.detail = now.running;
  uv__observe_record(&record, uv__observe_thread_self());
}

void uv__observed_refused(const struct uv__work* w) {
  struct uv__inflight* entry = uv__inflight_find(w);

  if (uv__is_observed_by(UV__OBSERVE_DEBUG))
    uv__debug_done(w);
  if (entry != NULL)
    uv__inflight_remove(entry);
}

void uv__work_describe(struct uv__record* record, const struct uv__work* w) {
  assert(w->kind->id < UV__WORK_MAX);
  enum uv__work_id work_id = w->kind->id;

  record->type = (uint8_t) work_id;
  record->object = uv__work_request(w);
  if (work_id == UV__WORK_FS)
    record->op = (uint8_t) container_of(w, uv_fs_t, work_req)->fs_type;
  if (work_id == UV__WORK_USER)
    record->symbol =
        (const void*) (uintptr_t) container_of(w, uv_work_t, work_req)->work_cb;
}

static struct uv__observe_thread* worker_thread(void) {
  struct uv__observe_thread* thread = uv__observe_thread_self();

  if (thread != NULL && uv__load_relaxed(&thread->number) == 0)
    uv__store_relaxed(&thread->number, uv__fetch_add(&worker_count, 1) + 1);
  return thread;
}

static void tell_pool(struct uv__observe_thread* thread, uint64_t now_ns) {
  struct uv__inflight_count now = uv__inflight_count();
  struct uv__record record;

  memset(&record, 0, sizeof(record));
  record.kind = UV__RECORD_POOL;
  record.begin_ns = now_ns;
  record.end_ns = now_ns;
  record.value = now.queued;
  record.detail = now.running;
  uv__observe_record(&record, thread);
}

/* What the record, which is added next, is about. */
static void tell_text(struct uv__observe_thread* thread,
                      const struct uv__record* record,
                      enum uv__about_kind kind,
                      const char* text) {
  struct uv__about about;

  uv__about_set_text(&about, record->object, kind, text);
  if (thread != NULL)
    uv__about_add(&about, thread);
}

static void run_work(struct uv__work* w) {
  uv__probe_work_start(w);
  w->kind->work(w);
  uv__probe_work_done(w);
}

static void fill_record(struct uv__record* record,
                        const struct uv__inflight* entry,
                        const struct uv__work* w,
                        uint64_t begin_ns) {
  memset(record, 0, sizeof(*record));
  record->kind = UV__RECORD_WORK;
  record->loop = w->loop;
  record->flow = entry->id;
  uv__work_describe(record, w);
  record->begin_ns = begin_ns;
  record->value = (int64_t) (begin_ns - entry->submit_ns);
}

void uv__observed_work(struct uv__work* w) {
  struct uv__inflight* entry = uv__inflight_find(w);
  struct uv__record record;

  if (entry == NULL) {
    run_work(w); /* there were too many, or observing began again */
    return;
  }

  struct uv__observe_thread* thread = worker_thread();
  fill_record(&record, entry, w, uv__observe_thread_time(thread, uv_hrtime()));
  uv__inflight_start(entry, record.begin_ns);
  run_work(w);
  record.end_ns = uv__observe_thread_time(thread, uv_hrtime());
  uv__inflight_done(entry, record.end_ns);
  if (uv__is_observed_by(UV__OBSERVE_DETAILS) && record.type == UV__WORK_FS)
    tell_text(thread, &record, UV__ABOUT_PATH,
              container_of(w, uv_fs_t, work_req)->path);
  uv__observe_record(&record, thread);
  tell_pool(thread, record.end_ns);
  if (uv__is_observed_by(UV__OBSERVE_METRICS))
    uv__metrics_work(&record);
}

void uv__observed_lookup_begin(const struct uv__work* w, uint64_t now_ns) {
  struct uv__inflight* entry = uv__inflight_find(w);

  uv__probe_work_start(w);
  if (entry != NULL)
    uv__inflight_start(entry, now_ns);
}

void uv__observed_lookup_end(const struct uv__work* w,
                             uint64_t begun_ns,
                             int is_first,
                             const char* host) {
  struct uv__inflight* entry = uv__inflight_find(w);
  struct uv__record record;

  uv__probe_work_done(w);
  if (entry == NULL || uv__load_relaxed(&entry->start_ns) == 0)
    return; /* it began before somebody observed */

  struct uv__observe_thread* thread = worker_thread();
  /* One that joined later waited for less, and not for a worker. */
  if (begun_ns < entry->submit_ns)
    begun_ns = entry->submit_ns;
  uint64_t now_ns = uv_hrtime();
  if (is_first) { /* the others' times are not this thread's */
    begun_ns = uv__observe_thread_time(thread, begun_ns);
    now_ns = uv__observe_thread_time(thread, now_ns);
  }
  fill_record(&record, entry, w, begun_ns);
  record.end_ns = now_ns;
  uv__inflight_done(entry, now_ns);
  if (is_first) {
    if (uv__is_observed_by(UV__OBSERVE_DETAILS))
      tell_text(thread, &record, UV__ABOUT_HOST, host);
    uv__observe_record(&record, thread);
    tell_pool(thread, now_ns);
  }
  if (uv__is_observed_by(UV__OBSERVE_METRICS))
    uv__metrics_work(&record);
}

void uv__observed_lookup_cancel(const struct uv__work* w) {
  struct uv__inflight* entry = uv__inflight_find(w);

  if (entry != NULL && uv__load_relaxed(&entry->start_ns) != 0)
    uv__inflight_done(entry, uv_hrtime());
}

void uv__observed_done(struct uv__work* w,
                       int status,
                       const struct uv__work_kind* kind) {
  assert(status == 0 || status == UV_ECANCELED);
  struct uv__observe_thread* thread = uv__observe_thread_self();
  struct uv__inflight* entry = uv__inflight_find(w);

  if (uv__is_observed_by(UV__OBSERVE_DEBUG))
    uv__debug_done(w);
  if (entry != NULL) {
    if (thread != NULL)
      thread->flow = entry->id;
    uv__inflight_remove(entry);
  }
  kind->done(w, status);
  if (thread != NULL)
    thread->flow = 0; /* there was no callback that took it */
}
