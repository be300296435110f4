/* SPDX-License-Identifier: MIT */
/* A screenful of a process's metrics: lag, phases, busiest callbacks, handles,
 * the pool. */
#include "top.h"
#include "base.h"

#include <stdlib.h>
#include <string.h>

#define CALLBACKS_MAX 256
#define KEY_MAX 1024

struct view {
  FILE* out;
  const struct metrics* now;
  const struct metrics* before;
  double seconds; /* 0: totals instead of rates */
  struct symbols* symbols;
  int columns;
};

/* A loop that closes adds all that it has counted to this one at once: that
 * belongs to the whole time, not to the last second. */
static int is_left_out(const struct view* view, const struct sample* sample) {
  char text[METRICS_LABEL];

  return view->seconds > 0 &&
         strcmp(sample_label(sample, "loop", text), "closed") == 0;
}

/* How much a counter has grown. */
static double grown(const struct view* view, const struct sample* sample) {
  double value = sample->value - metrics_value(view->before, sample->key);

  return value < 0 || is_left_out(view, sample) ? 0 : value;
}

static double grown_of(const struct view* view,
                       const char* name,
                       const char* label,
                       const char* value) {
  char text[METRICS_LABEL];
  double sum = 0;

  for (size_t i = 0; i < view->now->count; i++) {
    const struct sample* sample = &view->now->samples[i];
    if (sample_is(sample, name) &&
        strcmp(sample_label(sample, label, text), value) == 0)
      sum += grown(view, sample);
  }
  return sum;
}

/* Any number that a file may hold: infinite, negative, none at all. */
static uint64_t whole(double number) {
  if (number > 1e18)
    return UINT64_MAX;
  return number > 0 ? (uint64_t) number : 0;
}

static void print_seconds(const struct view* view, int width, double seconds) {
  char text[BASE_TEXT];

  fprintf(view->out, " %*s", width, base_duration(text, whole(seconds * 1e9)));
}

/* A number of the whole time, or per second. */
static void print_rate(const struct view* view, int width, double number) {
  char text[BASE_TEXT];

  if (view->seconds > 0)
    number /= view->seconds;
  if (number < 100 && view->seconds > 0)
    fprintf(view->out, " %*.1f", width, number);
  else
    fprintf(view->out, " %*s", width, base_count(text, whole(number)));
}

/* A lag from one poll to the next: busy is what is not spent in poll. */
static double busy_share(const struct view* view, const char* loop) {
  char phase[METRICS_LABEL];
  char text[METRICS_LABEL];
  double busy = 0;
  double idle = 0;

  for (size_t i = 0; i < view->now->count; i++) {
    const struct sample* sample = &view->now->samples[i];
    if (!sample_is(sample, "uv_loop_phase_seconds_total") ||
        strcmp(sample_label(sample, "loop", text), loop) != 0)
      continue;
    int is_poll = strcmp(sample_label(sample, "phase", phase), "poll") == 0;
    *(is_poll ? &idle : &busy) += grown(view, sample);
  }
  /* A long callback is added when it ends. */
  double whole = view->seconds > busy + idle ? view->seconds : busy + idle;
  return whole > 0 ? 100 * busy / whole : 0;
}

static void print_loops(const struct view* view) {
  static const double shares[] = { 0.5, 0.99, 1 };
  char loop[METRICS_LABEL];
  size_t count = 0;

  fprintf(view->out,
          "loop               busy   lag p50       p99       max"
          " %s\n",
          view->seconds > 0 ? " polls/s  events/s  requests"
                            : "   polls    events  requests");
  for (size_t i = 0; i < view->now->count; i++) {
    const struct sample* sample = &view->now->samples[i];
    if (!sample_is(sample, "uv_loop_iterations_total") ||
        is_left_out(view, sample))
      continue;
    count++;
    sample_label(sample, "loop", loop);
    fprintf(view->out, "%-16.16s %5.1f%%", loop, busy_share(view, loop));
    for (size_t k = 0; k < ARRAY_SIZE(shares); k++) {
      double n;
      print_seconds(view, 9,
                    metrics_percentile(view->now, view->before,
                                       "uv_loop_lag_seconds_bucket", "loop",
                                       loop, shares[k], &n));
    }
    print_rate(view, 8, grown_of(view, "uv_wakeups_total", "loop", loop));
    print_rate(view, 9, grown_of(view, "uv_loop_events_total", "loop", loop));
    char key[KEY_MAX];
    snprintf(key, sizeof(key), "uv_requests{loop=\"%s\"}", loop);
    fprintf(view->out, " %9.0f\n", metrics_value(view->now, key));
  }
  if (count == 0)
    fprintf(view->out,
            view->seconds > 0 ? "no loop is open\n" : "no loop has run\n");
}

/* The phases of a loop, in the order of an iteration. */
static const char* const phases[] = { "timers", "pending", "idle",  "prepare",
                                      "poll",   "events",  "check", "closing" };

static double phase_seconds(const struct view* view,
                            const char* loop,
                            const char* phase) {
  char key[KEY_MAX];
  struct sample sample = { key, 0 };

  snprintf(key, sizeof(key),
           "uv_loop_phase_seconds_total{loop=\"%s\",phase=\"%s\"}", loop,
           phase);
  sample.value = metrics_value(view->now, key);
  return grown(view, &sample);
}

/* A row for each loop that has done something, with a column for each phase
 * that any of them was in. */
static void print_phases(const struct view* view) {
  int is_used[ARRAY_SIZE(phases)] = { 0 };
  char loop[METRICS_LABEL];
  int has_any = 0;

  for (size_t k = 0; k < ARRAY_SIZE(phases); k++) {
    is_used[k] =
        grown_of(view, "uv_loop_phase_seconds_total", "phase", phases[k]) > 0;
    has_any |= is_used[k];
  }
  if (!has_any)
    return;
  fprintf(view->out, "phases          ");
  for (size_t k = 0; k < ARRAY_SIZE(phases); k++)
    if (is_used[k])
      fprintf(view->out, " %8s", phases[k]);
  fputc('\n', view->out);
  for (size_t i = 0; i < view->now->count; i++) {
    const struct sample* sample = &view->now->samples[i];
    double sum = 0;
    if (!sample_is(sample, "uv_loop_iterations_total") ||
        is_left_out(view, sample))
      continue;
    sample_label(sample, "loop", loop);
    for (size_t k = 0; k < ARRAY_SIZE(phases); k++)
      sum += phase_seconds(view, loop, phases[k]);
    if (sum <= 0)
      continue;
    fprintf(view->out, "%-16.16s", loop);
    for (size_t k = 0; k < ARRAY_SIZE(phases); k++)
      if (is_used[k])
        fprintf(view->out, " %7.1f%%",
                100 * phase_seconds(view, loop, phases[k]) / sum);
    fputc('\n', view->out);
  }
  fputc('\n', view->out);
}

/* Names and numbers of one line: "tcp 3  timer 1". */
static void print_sums(const struct view* view,
                       const char* title,
                       const char* name,
                       const char* label) {
  char text[METRICS_LABEL];
  char seen[METRICS_LABEL];
  int is_first = 1;

  for (size_t i = 0; i < view->now->count; i++) {
    const struct sample* sample = &view->now->samples[i];
    double sum = 0;
    if (!sample_is(sample, name))
      continue;
    sample_label(sample, label, text);
    /* With the first sample of a value, all of them. */
    int is_again = 0;
    for (size_t k = 0; k < view->now->count; k++) {
      const struct sample* other = &view->now->samples[k];
      if (!sample_is(other, name) ||
          strcmp(sample_label(other, label, seen), text) != 0)
        continue;
      is_again |= k < i;
      sum += other->value;
    }
    if (is_again || sum <= 0)
      continue;
    if (is_first)
      fprintf(view->out, "%-10s", title);
    is_first = 0;
    fprintf(view->out, " %s %.0f", text, sum);
  }
  if (!is_first)
    fputc('\n', view->out);
}

struct busy {
  const struct sample* sample;
  double seconds;
};

static int by_seconds(const void* a, const void* b) {
  const struct busy* x = a;
  const struct busy* y = b;

  if (x->seconds != y->seconds)
    return x->seconds > y->seconds ? -1 : 1;
  return strcmp(x->sample->key, y->sample->key);
}

static void print_callback(const struct view* view, const struct busy* busy) {
  static const char seconds[] = "uv_callback_seconds_total";
  static const char count[] = "uv_callback_count_total";
  char key[KEY_MAX];
  char name[METRICS_LABEL];
  char type[METRICS_LABEL];
  char call[METRICS_LABEL];
  char found[SYMBOL_MAX];

  snprintf(key, sizeof(key), "%s%s", count,
           busy->sample->key + sizeof(seconds) - 1);
  double n = metrics_value(view->now, key) - metrics_value(view->before, key);
  print_seconds(view, 9,
                view->seconds > 0 ? busy->seconds / view->seconds
                                  : busy->seconds);
  print_rate(view, 9, n < 0 ? 0 : n);
  print_seconds(view, 9, n > 0 ? busy->seconds / n : 0);
  sample_label(busy->sample, "symbol", name);
  sample_label(busy->sample, "type", type);
  sample_label(busy->sample, "call", call);
  if (view->symbols != NULL && symbols_resolve(view->symbols, name, found) == 0)
    snprintf(name, sizeof(name), "%s", found);
  fprintf(view->out, "  %.*s (%s%s%s)\n",
          view->columns > 60 ? view->columns - 52 : 8, name, type,
          strcmp(type, call) != 0 ? " " : "",
          strcmp(type, call) != 0 ? call : "");
}

static void print_callbacks(const struct view* view, size_t rows) {
  struct busy all[CALLBACKS_MAX];
  size_t count = 0;

  for (size_t i = 0; i < view->now->count && count < CALLBACKS_MAX; i++) {
    const struct sample* sample = &view->now->samples[i];
    if (!sample_is(sample, "uv_callback_seconds_total"))
      continue;
    struct busy busy = { sample, grown(view, sample) };
    all[count++] = busy;
  }
  if (count == 0)
    return;
  qsort(all, count, sizeof(*all), by_seconds);
  fprintf(view->out, "\n%s\n",
          view->seconds > 0 ? "    time/s   calls/s      mean  callback"
                            : "      time     calls      mean  callback");
  for (size_t i = 0; i < count && i < rows; i++)
    if (all[i].seconds > 0 || i == 0)
      print_callback(view, &all[i]);
}

static const char* const lanes[] = { "all", "work", "files", "lookups" };

/* The number of a lane of the library, or how many there are: a pool that the
 * program made. */
static size_t lane_number(const char* name) {
  size_t i = 0;

  while (i < ARRAY_SIZE(lanes) && strcmp(lanes[i], name) != 0)
    i++;
  return i;
}

static void print_lane(const struct view* view, const char* name, int* count) {
  char key[METRICS_LABEL + 64];

  snprintf(key, sizeof(key), "uv_pool_threads{lane=\"%s\"}", name);
  double threads = metrics_value(view->now, key);
  if (threads <= 0)
    return;
  snprintf(key, sizeof(key), "uv_pool_threads_busy{lane=\"%s\"}", name);
  fprintf(view->out, "%s%s %.0f of %.0f busy",
          (*count)++ == 0 ? "  threads  " : ", ", name,
          metrics_value(view->now, key), threads);
}

/* Threads of each lane, if the library that wrote the metrics has lanes, and of
 * the program's own pools. */
static void print_lanes(const struct view* view) {
  char name[METRICS_LABEL];
  int count = 0;

  for (size_t i = 0; i < ARRAY_SIZE(lanes); i++)
    print_lane(view, lanes[i], &count);
  for (size_t i = 0; i < view->now->count; i++) {
    const struct sample* sample = &view->now->samples[i];
    if (sample_is(sample, "uv_pool_threads") &&
        lane_number(sample_label(sample, "lane", name)) == ARRAY_SIZE(lanes))
      print_lane(view, name, &count);
  }
  if (count != 0)
    fprintf(view->out, "\n");
}

static void print_pool(const struct view* view) {
  static const char* const classes[] = { "fs", "dns", "work" };
  static const char* const names[] = { "uv_pool_queue_seconds_bucket",
                                       "uv_pool_service_seconds_bucket" };
  static const double shares[] = { 0.5, 0.99 };
  double count = 0;

  fprintf(view->out, "\npool       queued %.0f, running %.0f\n",
          metrics_value(view->now, "uv_pool_queue"),
          metrics_value(view->now, "uv_pool_running"));
  print_lanes(view);
  for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
    metrics_percentile(view->now, view->before, names[1], "class", classes[i],
                       1, &count);
    if (count <= 0)
      continue;
    fprintf(view->out, "  %-8s", classes[i]);
    print_rate(view, 8, count);
    for (size_t k = 0; k < 2 * ARRAY_SIZE(shares); k++) {
      double n;
      if (k % 2 == 0)
        fprintf(view->out, k == 0 ? "  waited" : "  ran");
      print_seconds(view, 9,
                    metrics_percentile(view->now, view->before, names[k / 2],
                                       "class", classes[i], shares[k % 2], &n));
    }
    fprintf(view->out, "  (p50, p99)\n");
  }
}

static void print_bytes(const struct view* view) {
  static const struct {
    const char* title;
    const char* name;
    const char* in;
    const char* out;
  } rows[] = { { "streams", "uv_stream_bytes_total", "read", "written" },
               { "udp", "uv_udp_bytes_total", "received", "sent" } };

  for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
    double in = grown_of(view, rows[i].name, "direction", rows[i].in);
    double out = grown_of(view, rows[i].name, "direction", rows[i].out);
    if (in + out <= 0)
      continue;
    fprintf(view->out, "%-10s", rows[i].title);
    print_rate(view, 1, in);
    fprintf(view->out, " bytes%s %s,", view->seconds > 0 ? "/s" : "",
            rows[i].in);
    print_rate(view, 1, out);
    fprintf(view->out, " %s\n", rows[i].out);
  }
}

void top_print(FILE* out,
               const struct metrics* now,
               const struct metrics* before,
               double seconds,
               struct symbols* symbols,
               size_t rows,
               int columns) {
  struct view view = { out, now, before, seconds, symbols, columns };

  print_loops(&view);
  fputc('\n', out);
  print_phases(&view);
  print_sums(&view, "handles", "uv_handles", "type");
  print_bytes(&view);
  print_callbacks(&view, rows);
  print_pool(&view);
}
