/* SPDX-License-Identifier: MIT */
/* https://prometheus.io/docs/specs/om/open_metrics_spec/: families one after
 * the other, in each of them all loops; so the loops' numbers are walked once
 * per family.
 */
#include "observe/metrics/text.h"
#include "observe/in-flight.h"
#include "observe/metrics/metrics.h"
#include "observe/names.h"
#include "pool/registry.h"
#include "pool/lookup.h"
#include "util/atomic.h"
#include "util/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Callbacks shown: those that took most of the time. */
#define BUSIEST 20
/* Buckets shown end at powers of two. */
#define BUCKET_STEP UVX_HISTOGRAM_PARTS

#define SECONDS(ns) ((double) (ns) / 1e9)

struct report {
  struct uv__strbuf* text;
  struct uv__symbols* symbols;
  const char* name;  /* of the family */
  uint64_t since_ns; /* as uv__metrics_text() has it */
};

static int ends_with(const char* s, const char* end) {
  size_t len = strlen(s);

  return len >= strlen(end) && strcmp(s + len - strlen(end), end) == 0;
}

static void begin_family(struct report* r,
                         const char* name,
                         const char* type,
                         const char* help) {
  r->name = name;
  uv__strbuf_add(r->text, "# TYPE %s %s\n", name, type);
  if (ends_with(name, "_seconds"))
    uv__strbuf_add(r->text, "# UNIT %s seconds\n", name);
  if (ends_with(name, "_bytes"))
    uv__strbuf_add(r->text, "# UNIT %s bytes\n", name);
  uv__strbuf_add(r->text, "# HELP %s %s\n", name, help);
}

static void add_histogram(struct report* r,
                          const char* label,
                          const char* value,
                          const uvx_histogram_t* from) {
  uvx_histogram_t h;
  uint64_t below = 0;

  uv__histogram_read(&h, from);
  for (size_t i = 0; i < UVX_HISTOGRAM_BUCKETS - 1; i++) {
    below += h.buckets[i];
    if (i % BUCKET_STEP == 0)
      uv__strbuf_add(r->text, "%s_bucket{%s=\"%s\",le=\"%.9g\"} %" PRIu64 "\n",
                     r->name, label, value, SECONDS(uv__histogram_bound(i)),
                     below);
  }
  uv__strbuf_add(r->text, "%s_bucket{%s=\"%s\",le=\"+Inf\"} %" PRIu64 "\n",
                 r->name, label, value, h.count);
  uv__strbuf_add(r->text, "%s_count{%s=\"%s\"} %" PRIu64 "\n", r->name, label,
                 value, h.count);
  uv__strbuf_add(r->text, "%s_sum{%s=\"%s\"} %.9f\n", r->name, label, value,
                 SECONDS(h.sum_ns));
}

/* A number: an address would tell where memory is, and be another series after
 * each restart. */
static const char* loop_name(const struct uv__metrics* metrics, char name[32]) {
  if (metrics->loop == NULL)
    return "closed";
  snprintf(name, 32, "%u", metrics->number);
  return name;
}

static void add_max(const struct uv__metrics* metrics,
                    struct report* r,
                    const uvx_histogram_t* from) {
  char name[32];

  uv__strbuf_add(r->text, "%s{loop=\"%s\"} %.9f\n", r->name,
                 loop_name(metrics, name),
                 SECONDS(uv__load_relaxed(&from->max_ns)));
}

static void add_lag_max(const struct uv__metrics* metrics, void* arg) {
  add_max(metrics, arg, &metrics->lag);
}

static void add_iteration_max(const struct uv__metrics* metrics, void* arg) {
  add_max(metrics, arg, &metrics->iteration);
}

static void add_lateness_max(const struct uv__metrics* metrics, void* arg) {
  add_max(metrics, arg, &metrics->lateness);
}

static void add_lag(const struct uv__metrics* metrics, void* arg) {
  char name[32];

  add_histogram(arg, "loop", loop_name(metrics, name), &metrics->lag);
}

static void add_iteration(const struct uv__metrics* metrics, void* arg) {
  char name[32];

  add_histogram(arg, "loop", loop_name(metrics, name), &metrics->iteration);
}

static void add_lateness(const struct uv__metrics* metrics, void* arg) {
  char name[32];

  add_histogram(arg, "loop", loop_name(metrics, name), &metrics->lateness);
}

static void add_iterations(const struct uv__metrics* metrics, void* arg) {
  struct report* r = arg;
  char name[32];

  uv__strbuf_add(r->text, "%s_total{loop=\"%s\"} %" PRIu64 "\n", r->name,
                 loop_name(metrics, name),
                 uv__load_relaxed(&metrics->iterations));
}

static void add_events(const struct uv__metrics* metrics, void* arg) {
  struct report* r = arg;
  char name[32];

  uv__strbuf_add(r->text, "%s_total{loop=\"%s\"} %" PRIu64 "\n", r->name,
                 loop_name(metrics, name), uv__load_relaxed(&metrics->events));
}

/* Every poll ends with a wake-up, possibly for a timer. */
static void add_wakeups(const struct uv__metrics* metrics, void* arg) {
  struct report* r = arg;
  char name[32];

  uv__strbuf_add(r->text, "%s_total{loop=\"%s\"} %" PRIu64 "\n", r->name,
                 loop_name(metrics, name),
                 uv__load_relaxed(&metrics->phases[UV__PHASE_POLL].count));
}

static void add_phases(const struct uv__metrics* metrics, void* arg) {
  struct report* r = arg;
  char name[32];

  for (int i = 0; i < UV__PHASE_MAX; i++)
    uv__strbuf_add(r->text, "%s_total{loop=\"%s\",phase=\"%s\"} %.9f\n",
                   r->name, loop_name(metrics, name),
                   uv__phase_name((enum uv__phase) i),
                   SECONDS(uv__metrics_phase_ns(metrics, (enum uv__phase) i,
                                                r->since_ns)));
}

static void add_handles(const struct uv__metrics* metrics, void* arg) {
  struct report* r = arg;
  char name[32];

  for (unsigned i = UV_UNKNOWN_HANDLE + 1; i < UV_HANDLE_TYPE_MAX; i++)
    if (i != UV_HANDLE && i != UV_STREAM)
      uv__strbuf_add(r->text, "%s{loop=\"%s\",type=\"%s\"} %" PRIu64 "\n",
                     r->name, loop_name(metrics, name), uv__record_type_name(i),
                     uv__load_relaxed(&metrics->handles_of[i]));
}

static void add_requests(const struct uv__metrics* metrics, void* arg) {
  struct report* r = arg;
  char name[32];

  uv__strbuf_add(r->text, "%s{loop=\"%s\"} %" PRIu64 "\n", r->name,
                 loop_name(metrics, name),
                 uv__load_relaxed(&metrics->requests));
}

static void add_pair(const struct uv__metrics* metrics,
                     struct report* r,
                     const uint64_t* numbers,
                     const char* const names[2]) {
  char name[32];

  for (int i = 0; i < 2; i++)
    uv__strbuf_add(r->text,
                   "%s_total{loop=\"%s\",direction=\"%s\"} %" PRIu64 "\n",
                   r->name, loop_name(metrics, name), names[i],
                   uv__load_relaxed(&numbers[i]));
}

static void add_stream_bytes(const struct uv__metrics* metrics, void* arg) {
  static const char* const names[2] = { "read", "written" };

  add_pair(metrics, arg, &metrics->bytes[UV__IO_READ], names);
}

static void add_udp_bytes(const struct uv__metrics* metrics, void* arg) {
  static const char* const names[2] = { "received", "sent" };

  add_pair(metrics, arg, &metrics->bytes[UV__IO_RECV], names);
}

static void add_calls(const struct uv__metrics* metrics, void* arg) {
  static const char* const names[] = { [UV__IO_READ] = "read",
                                       [UV__IO_WRITE] = "write",
                                       [UV__IO_RECV] = "recv",
                                       [UV__IO_SEND] = "send" };
  struct report* r = arg;
  char name[32];

  for (int i = 0; i < UV__IO_MAX; i++)
    uv__strbuf_add(r->text, "%s_total{loop=\"%s\",call=\"%s\"} %" PRIu64 "\n",
                   r->name, loop_name(metrics, name), names[i],
                   uv__load_relaxed(&metrics->calls[i]));
  uv__strbuf_add(r->text, "%s_total{loop=\"%s\",call=\"poll\"} %" PRIu64 "\n",
                 r->name, loop_name(metrics, name),
                 uv__load_relaxed(&metrics->phases[UV__PHASE_POLL].count));
}

/* A callback of all loops that have it. */
struct busy {
  const void* symbol;
  unsigned type;
  unsigned call;
  uint64_t count;
  uint64_t ns;
};

struct busiest {
  struct busy rows[UV__METRICS_CALLBACKS];
  size_t count;
};

static void gather_callbacks(const struct uv__metrics* metrics, void* arg) {
  struct busiest* all = arg;

  for (size_t i = 0; i < UV__METRICS_CALLBACKS; i++) {
    const struct uv__metrics_callback* from = &metrics->table[i];
    /* Acquire: pairs with callback_find() in metrics.c. */
    const void* symbol = uv__load_acquire(&from->symbol);
    unsigned type = uv__load_relaxed(&from->type);
    unsigned call = uv__load_relaxed(&from->call);
    size_t k = 0;
    if (symbol == NULL)
      continue;
    while (k < all->count &&
           (all->rows[k].symbol != symbol || all->rows[k].type != type ||
            all->rows[k].call != call))
      k++;
    if (k == UV__METRICS_CALLBACKS)
      continue; /* many loops with callbacks of their own each */
    struct busy* row = &all->rows[k];
    if (k == all->count) {
      memset(row, 0, sizeof(*row));
      all->count++;
    }
    row->symbol = symbol;
    row->type = type;
    row->call = call;
    row->count += uv__load_relaxed(&from->count);
    row->ns += uv__load_relaxed(&from->ns);
  }
}

static int compare_busy(const void* a, const void* b) {
  const struct busy* x = a;
  const struct busy* y = b;

  return x->ns > y->ns ? -1 : x->ns < y->ns;
}

/* The value of a label. It may come from the name of a file, which can be
 * anything. */
static void add_escaped(struct uv__strbuf* text, const char* s) {
  size_t left = strlen(s);

  while (left != 0) {
    size_t used;
    uint32_t cp = uv__utf8_scan(s, left, &used);
    if (cp == UV__UTF8_BAD || uv__is_surrogate(cp)) {
      uv__strbuf_add(text, "\xef\xbf\xbd"); /* the replacement character */
      used = 1;
    } else if (cp == '\n') {
      uv__strbuf_add(text, "\\n");
    } else {
      uv__strbuf_add(text, cp == '"' || cp == '\\' ? "\\%.*s" : "%.*s",
                     (int) used, s);
    }
    s += used;
    left -= used;
  }
}

static void add_callback_labels(struct report* r, const struct busy* row) {
  const char* symbol = uv__symbol_name(r->symbols, row->symbol);

  uv__strbuf_add(r->text, "%s_total{type=\"%s\",call=\"%s\",symbol=\"", r->name,
                 uv__record_type_name(row->type),
                 uv__call_name((enum uv__call) row->call));
  add_escaped(r->text, symbol);
  uv__strbuf_add(r->text, "\"} ");
}

static void add_callbacks(struct report* r) {
  struct busiest all;

  all.count = 0;
  uv__metrics_each(gather_callbacks, &all);
  qsort(all.rows, all.count, sizeof(*all.rows), compare_busy);
  size_t count = uv__min_size(all.count, BUSIEST);

  begin_family(r, "uv_callback_seconds", "counter",
               "Time in the callbacks that took most of it.");
  for (size_t i = 0; i < count; i++) {
    add_callback_labels(r, &all.rows[i]);
    uv__strbuf_add(r->text, "%.9f\n", SECONDS(all.rows[i].ns));
  }
  begin_family(r, "uv_callback_count", "counter",
               "Calls of the callbacks that took most time.");
  for (size_t i = 0; i < count; i++) {
    add_callback_labels(r, &all.rows[i]);
    uv__strbuf_add(r->text, "%" PRIu64 "\n", all.rows[i].count);
  }
}

static void skip_item(const struct uv__work* w, void* arg) {
  (void) w;
  (void) arg;
}

/* One family with a line for each pool; `offset` is that of an unsigned in
 * struct uv__pool_view. */
static void add_lanes(struct report* r,
                      const char* name,
                      const char* type,
                      const char* help,
                      size_t offset) {
  const char* end = strcmp(type, "counter") == 0 ? "_total" : "";
  struct uv__pool_view view;

  begin_family(r, name, type, help);
  for (unsigned i = 0; uv__registry_look(i, &view, skip_item, NULL); i++) {
    unsigned value;
    memcpy(&value, (const char*) &view + offset, sizeof(value));
    uv__strbuf_add(r->text, "%s%s{lane=\"%s\"} %u\n", name, end, view.name,
                   value);
  }
}

static void add_pool(struct report* r) {
  static const char* const classes[UVX_CLASSES] = { "fs", "dns", "work" };
  struct uv__inflight_count now = uv__inflight_count();

  begin_family(r, "uv_pool_queue", "gauge", "Requests that wait for a thread.");
  uv__strbuf_add(r->text, "uv_pool_queue %d\n", now.queued);
  begin_family(r, "uv_pool_running", "gauge", "Requests that threads run.");
  uv__strbuf_add(r->text, "uv_pool_running %d\n", now.running);
  add_lanes(r, "uv_pool_threads", "gauge", "Threads of each lane.",
            offsetof(struct uv__pool_view, threads));
  add_lanes(r, "uv_pool_threads_busy", "gauge",
            "Those that run a request right now.",
            offsetof(struct uv__pool_view, running));
  add_lanes(r, "uv_pool_threads_grown", "counter",
            "Threads started because all others were stuck.",
            offsetof(struct uv__pool_view, grown));
  add_lanes(r, "uv_pool_threads_refused", "counter",
            "Threads that the system refused.",
            offsetof(struct uv__pool_view, refused));
  begin_family(r, "uv_lookups_shared_total", "counter",
               "Requests that shared the lookup of another.");
  uv__strbuf_add(r->text, "uv_lookups_shared_total %llu\n",
                 (unsigned long long) uv__lookup_joined());
  begin_family(r, "uv_pool_queue_seconds", "histogram",
               "Time that requests waited for a thread.");
  for (int i = 0; i < UVX_CLASSES; i++)
    add_histogram(r, "class", classes[i], &uv__pool_metrics.queue[i]);
  begin_family(r, "uv_pool_service_seconds", "histogram",
               "Time that requests ran on a thread.");
  for (int i = 0; i < UVX_CLASSES; i++)
    add_histogram(r, "class", classes[i], &uv__pool_metrics.service[i]);
}

static const struct {
  const char* name;
  const char* type;
  const char* help;
  void (*each)(const struct uv__metrics* metrics, void* arg);
} families[] = {
  { "uv_loop_iterations", "counter", "Iterations of the loop.",
    add_iterations },
  { "uv_loop_events", "counter", "Events that the loop dispatched.",
    add_events },
  { "uv_wakeups", "counter", "Polls that ended.", add_wakeups },
  { "uv_loop_lag_seconds", "histogram",
    "Time between two polls, in which nothing else is served.", add_lag },
  { "uv_loop_iteration_seconds", "histogram", "Durations of iterations.",
    add_iteration },
  { "uv_timer_lateness_seconds", "histogram",
    "Time from when timers were due to their callbacks.", add_lateness },
  { "uv_loop_lag_max_seconds", "gauge", "The longest lag so far.",
    add_lag_max },
  { "uv_loop_iteration_max_seconds", "gauge", "The longest iteration so far.",
    add_iteration_max },
  { "uv_timer_lateness_max_seconds", "gauge", "The latest timer so far.",
    add_lateness_max },
  { "uv_loop_phase_seconds", "counter", "Time in each phase of iterations.",
    add_phases },
  { "uv_handles", "gauge", "Open handles, counted once a second.",
    add_handles },
  { "uv_requests", "gauge", "Requests that have not completed.", add_requests },
  { "uv_stream_bytes", "counter", "Bytes of streams.", add_stream_bytes },
  { "uv_udp_bytes", "counter", "Bytes of datagrams.", add_udp_bytes },
  { "uv_syscalls", "counter", "System calls of streams and UDP.", add_calls },
};

void uv__metrics_text(struct uv__strbuf* text,
                      struct uv__symbols* symbols,
                      uint64_t since_ns) {
  struct report r = { text, symbols, NULL, since_ns };

  uv__strbuf_add(text,
                 UV__METRICS_FIRST
                 "# HELP uv_library The library that counts.\n"
                 "uv_library_info{name=\"blacklight\",version=\"%s\"} 1\n",
                 uv_version_string());
  for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
    begin_family(&r, families[i].name, families[i].type, families[i].help);
    uv__metrics_each(families[i].each, &r);
  }
  add_callbacks(&r);
  add_pool(&r);
  uv__strbuf_add(text, "# EOF\n");
}
