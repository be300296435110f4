/* SPDX-License-Identifier: MIT */
/* uvx_watchdog_start() or UV_WATCHDOG=MS: a thread that checks a few times per
 * MS what each loop's thread is running (thread.h). A callback that has
 * been running for longer is reported once, and once more when it has ended;
 * both by a line on standard error and to the program's function, if it has
 * one. A trace that is on gets an event, and with a signal the stack of the
 * callback at each look (samples.h).
 *
 * Context: the session's lock (session.h); run_watchdog() is the thread.
 */
#include "loops.h"
#include "observe/background.h"
#include "observe/hooks.h"
#include "observe/names.h"
#include "observe/samples.h"
#include "observe/session.h"
#include "observe/symbols.h"
#include "observe/thread.h"
#include "observe/trace/recorder.h"
#include "os/backtrace.h"
#include "os/signal.h"
#include "os/symbol.h"
#include "os/system.h"
#include "os/thread-state.h"
#include "util/env.h"
#include "variable.h"
#include "util/string-builder.h"
#include "uv/ext.h"

#include <stdio.h>
#include <string.h>

/* Checks per limit, and the bounds of the time between two. */
#define LOOKS 4
#define PERIOD_MAX_MS 250

struct watchdog {
  uvx_watchdog_options_t options;
  struct uv__symbols symbols;
  struct uv__strbuf backtrace; /* of the report that is being made */
  struct uv__samples samples;
};

static struct watchdog watchdog;
static struct uv__background background;

static void print_report(const uvx_watchdog_report_t* r) {
  char line[512];

  if (r->is_over)
    snprintf(line, sizeof(line),
             "watchdog: loop %p goes on after %llu ms in %s", (void*) r->loop,
             (unsigned long long) r->ms, r->symbol);
  else
    snprintf(line, sizeof(line),
             "watchdog: loop %p has been in %s for %llu ms (%s, %s callback of "
             "%s %p, thread %llu%s%s)",
             (void*) r->loop, r->symbol, (unsigned long long) r->ms, r->phase,
             r->call, r->type, r->handle, (unsigned long long) r->thread,
             r->kernel[0] != '\0' ? ", kernel: " : "", r->kernel);
  uv__os_print_line(line);
  uv__os_print(r->backtrace, strlen(r->backtrace));
}

static unsigned period_ms(const struct watchdog* w) {
  unsigned ms = w->options.limit_ms / LOOKS;

  if (ms < 1)
    return 1;
  return ms > PERIOD_MAX_MS ? PERIOD_MAX_MS : ms;
}

/* Where the thread is, also for the flame graph of a trace. */
static size_t take_sample(struct watchdog* w,
                          uint64_t tid,
                          const struct uv__running* running,
                          const void* frames[UV__BACKTRACE_MAX]) {
  size_t count = 0;

  if (w->options.signum != 0)
    count = uv__backtrace_os_take(tid, w->options.signum, frames,
                                  UV__BACKTRACE_MAX);
  uv__samples_add(&w->samples, &w->symbols, tid, running, frames, count,
                  (uint64_t) period_ms(w) * 1000000);
  return count;
}

/* "" if the thread does not respond. Valid until the next call. */
static const char* take_backtrace(struct watchdog* w,
                                  uint64_t tid,
                                  const struct uv__running* running) {
  const void* frames[UV__BACKTRACE_MAX];
  struct uv__generated functions[UV__BACKTRACE_MAX];
  char place[512];
  size_t count = take_sample(w, tid, running, frames);

  w->backtrace.used = 0;
  for (size_t i = 0; i < count; i++)
    functions[i].address = frames[i];
  uv__symbol_os_generated(functions, count);
  for (size_t i = 0; i < count; i++) {
    const char* name = functions[i].name;
    if (name[0] == '\0') {
      uv__symbol_os_place(frames[i], place, sizeof(place));
      name = place;
    }
    uv__strbuf_add(&w->backtrace, "  #%-2u %s\n", (unsigned) i, name);
  }
  return w->backtrace.used != 0 ? w->backtrace.data : "";
}

static void trace_report(const struct uv__running* running, uint64_t ms) {
  struct uv__observe_thread* self = uv__observe_thread_self();
  struct uv__record record;

  if (self == NULL || !uv__is_observed_by(UV__OBSERVE_TRACE))
    return;
  memset(&record, 0, sizeof(record));
  record.kind = UV__RECORD_BLOCKED;
  record.begin_ns = uv_hrtime();
  record.end_ns = record.begin_ns;
  record.loop = running->loop;
  record.object = running->object;
  record.symbol = running->symbol;
  record.call = (uint8_t) running->phase;
  record.value = (int64_t) ms;
  uv__observe_thread_add(self, &record);
}

static void send_report(struct watchdog* w,
                        const struct uv__observe_thread* thread,
                        const struct uv__running* running,
                        uint64_t ms,
                        int is_over) {
  char kernel[128] = "";
  uint64_t tid = uv__load_relaxed(&thread->tid);
  uvx_watchdog_report_t r;

  if (!is_over)
    uv__thread_state_os_get(tid, kernel, sizeof(kernel));
  memset(&r, 0, sizeof(r));
  r.size = sizeof(r);
  r.is_over = is_over;
  r.ms = ms;
  r.loop = running->loop;
  r.handle = running->object;
  r.callback = running->symbol;
  r.symbol = uv__symbol_name(&w->symbols, running->symbol);
  r.type = uv__record_type_name(uv__running_type(running));
  r.call = uv__call_name(uv__running_call(running));
  r.phase = uv__phase_name((enum uv__phase) running->phase);
  r.thread = tid;
  r.kernel = kernel;
  r.backtrace = is_over ? "" : take_backtrace(w, tid, running);
  print_report(&r);
  if (!is_over)
    trace_report(running, ms);
  if (uv__is_observed_by(UV__OBSERVE_RECORDER))
    uv__trace_recorder_ask();
  uvx_watchdog_cb listener = w->options.cb;
  if (listener != NULL)
    listener(&r, w->options.arg);
}

/* It is still in the callback that was reported. Without a trace nobody wants
 * to know where, and the thread is left alone. */
static void sample_thread(struct watchdog* w,
                          const struct uv__observe_thread* thread,
                          const struct uv__running* running) {
  const void* frames[UV__BACKTRACE_MAX];

  if (uv__is_observed_by(UV__OBSERVE_TRACE))
    (void) take_sample(w, uv__load_relaxed(&thread->tid), running, frames);
}

/* Does it stand still because another loop wants it to? */
static int is_parked(const struct uv__running* running) {
  return running->symbol == (const void*) (uintptr_t) uv__loops_park;
}

/* Handles a thread that was reported, or is to be. */
static void check_thread(struct watchdog* w,
                         struct uv__observe_thread* thread,
                         uint64_t now_ns) {
  struct uv__running now;
  uint64_t limit_ns = (uint64_t) w->options.limit_ms * 1000000;

  if (!uv__observe_thread_running(thread, &now))
    return; /* it is changing, so nothing blocks */
  if (thread->reported.begin_ns != 0 &&
      thread->reported.begin_ns != now.begin_ns) {
    uint64_t began_ns = thread->reported.begin_ns;
    uv__samples_end(&w->samples, &w->symbols, uv__load_relaxed(&thread->tid));
    send_report(w, thread, &thread->reported, (now_ns - began_ns) / 1000000, 1);
    thread->reported.begin_ns = 0;
  }
  if (now.begin_ns != 0 && now.begin_ns == thread->reported.begin_ns) {
    sample_thread(w, thread, &now);
    return;
  }
  if (now.begin_ns == 0 || now_ns < now.begin_ns ||
      now_ns - now.begin_ns < limit_ns || is_parked(&now))
    return;
  thread->reported = now;
  send_report(w, thread, &now, (now_ns - now.begin_ns) / 1000000, 0);
}

static void run_watchdog(void* arg) {
  struct watchdog* w = &watchdog;

  (void) arg;
  uv__session_thread_begin(&uv__watchdog_session);
  (void) uv_thread_setname("libuv-watchdog");
  uv__symbols_init(&w->symbols);
  while (!uv__background_sleep(&background, period_ms(w)))
    for (struct uv__observe_thread* t = uv__observe_threads(); t; t = t->next)
      check_thread(w, t, uv_hrtime());
  /* Callbacks that have ended since, or block still. */
  for (struct uv__observe_thread* t = uv__observe_threads(); t; t = t->next)
    uv__samples_end(&w->samples, &w->symbols, uv__load_relaxed(&t->tid));
  uv__symbols_close(&w->symbols);
  uv__strbuf_free(&w->backtrace);
  uv__samples_free(&w->samples);
}

static int start_watchdog(const uvx_watchdog_options_t* options) {
  struct watchdog* w = &watchdog;
  int err = 0;

  if (options->signum != 0)
    err = uv__backtrace_os_start(options->signum);
  if (err != 0)
    return err;
  memset(w, 0, sizeof(*w));
  w->options = *options;
  for (struct uv__observe_thread* t = uv__observe_threads(); t; t = t->next)
    t->reported.begin_ns = 0;
  err = uv__background_start(&background, run_watchdog);
  if (err != 0 && options->signum != 0)
    uv__backtrace_os_stop(options->signum);
  return err;
}

/* The signal for backtraces, 0 if there is none that can be used. */
static int read_signal(void) {
  char name[64];

  if (!uv__variable_get("UV_WATCHDOG_SIGNAL", name, sizeof(name)))
    return 0;
  int signum = uv__signal_os_number(name);
  int err = signum > 0 ? uv__backtrace_os_start(signum) : signum;
  if (err == 0)
    return signum;
  uv__variable_refuse_signal("UV_WATCHDOG_SIGNAL", name, err);
  return 0;
}

static int start_or_report(const uvx_watchdog_options_t* options) {
  int err = start_watchdog(options);

  if (err != 0)
    uv__variable_refuse("UV_WATCHDOG", "", uv_strerror(err));
  return err != 0 ? UV__STAYS_OFF : 0;
}

static int start_environment(void) {
  uvx_watchdog_options_t options;

  memset(&options, 0, sizeof(options));
  if (!uv__variable_get_ms("UV_WATCHDOG", &options.limit_ms))
    return UV__STAYS_OFF;
  options.signum = read_signal();
  return start_or_report(&options);
}

static int start(enum uv__start why, const void* options) {
  uvx_watchdog_options_t of_parent = watchdog.options;

  switch (why) {
  case UV__START_CALL:
    return start_watchdog(options);
  case UV__START_ENVIRONMENT:
    return start_environment();
  case UV__START_CHILD:
  case UV__START_SIGNAL:
    break;
  }
  return start_or_report(&of_parent);
}

static void stop(void) {
  uv__background_stop(&background);
  if (watchdog.options.signum != 0)
    uv__backtrace_os_stop(watchdog.options.signum);
}

/* The handler of the signal stays: the child goes on with it. What the parent's
 * thread had allocated may be in any state. */
static void forget(void) {
}

struct uv__session uv__watchdog_session = {
  .variable = "UV_WATCHDOG",
  .bit = UV__OBSERVE_WATCHDOG,
  .start = start,
  .stop = stop,
  .forget = forget,
};

int uvx_watchdog_start(const uvx_watchdog_options_t* options) {
  uvx_watchdog_options_t all;

  /* The first version ended before `signum`. */
  if (options == NULL ||
      options->size < offsetof(uvx_watchdog_options_t, signum) ||
      options->limit_ms == 0 || options->limit_ms > UV__ENV_MS_MAX)
    return UV_EINVAL;
  memset(&all, 0, sizeof(all));
  memcpy(&all, options, uv__min_size(options->size, sizeof(all)));
  if (all.signum < 0)
    return UV_EINVAL;
  return uv__session_start(&uv__watchdog_session, &all);
}

int uvx_watchdog_stop(void) {
  return uv__session_stop(&uv__watchdog_session);
}
