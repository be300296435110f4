/* SPDX-License-Identifier: MIT */
/* The analysis as text: what a person asks first comes first. */
#include "report.h"
#include "base.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void print_duration(FILE* out, uint64_t ns) {
  char text[BASE_TEXT];

  fprintf(out, " %9s", base_duration(text, ns));
}

static void print_count(FILE* out, int width, uint64_t number) {
  char text[BASE_TEXT];

  fprintf(out, " %*s", width, base_count(text, number));
}

static void print_share(FILE* out, uint64_t part, uint64_t whole) {
  double share = whole == 0 ? 0 : (double) part / (double) whole;

  fprintf(out, " %6.1f%%", share * 100);
}

static void print_head(FILE* out,
                       const struct analysis* a,
                       const struct reader* reader,
                       const char* name) {
  char text[BASE_TEXT];

  fprintf(out, "%s: ", name);
  if (a->program[0] != '\0')
    fprintf(out, "%s, process %" PRId64 ", ", a->program, a->pid);
  fprintf(out, "%s", base_duration(text, a->end_ns - a->begin_ns));
  fprintf(out, ", %s events", base_count(text, reader->nevents));
  if (a->library[0] != '\0')
    fprintf(out, ", %s", a->library);
  fputc('\n', out);
  if (!a->is_uv)
    fprintf(out, "There is no header of the library's: "
                 "this may not be a trace of UV_TRACE.\n");
  if (a->dropped != 0)
    fprintf(out,
            "%s events were dropped because a buffer was full: "
            "counts below are too low.\n",
            base_count(text, a->dropped));
  if (a->crash.signum != 0)
    fprintf(out, "Signal %" PRId64 " on thread %" PRIu64 "%s%s.\n",
            a->crash.signum, a->crash.tid,
            a->crash.name != 0 ? ", in " : ", in no callback",
            a->crash.name != 0 ? a->names.texts[a->crash.name] : "");
  if (!reader->has_end)
    fprintf(out, "The end is missing: the process was killed, still runs, "
                 "or the disk was full.\n");
  if (reader->nbad != 0)
    fprintf(out, "%s %s skipped.\n", base_count(text, reader->nbad),
            reader->nbad == 1 ? "line that is no event was"
                              : "lines that are no events were");
}

static void print_lag(FILE* out, const struct analysis* a) {
  static const double shares[] = { 0.5, 0.9, 0.99, 0.999 };

  fprintf(out, "\nLoop lag: busy time from one poll to the next\n"
               "  loop                    p50       p90       p99     p99.9"
               "       max  polls/s   empty\n");
  double seconds = analysis_seconds(a);
  for (size_t i = 0; i < a->nloops; i++) {
    const struct loop* loop = &a->loops[i];
    fprintf(out, "  %#-16" PRIx64, loop->address);
    for (size_t k = 0; k < ARRAY_SIZE(shares); k++)
      print_duration(out, histogram_percentile(&loop->lag, shares[k]));
    print_duration(out, loop->lag.max);
    fprintf(out, " %8.1f", seconds > 0 ? (double) loop->polls / seconds : 0);
    print_share(out, loop->polls_empty, loop->polls);
    fputc('\n', out);
  }
}

static void print_late(FILE* out, const struct analysis* a) {
  static const double shares[] = { 0.5, 0.9, 0.99, 0.999 };
  int has_title = 0;

  for (size_t i = 0; i < a->nloops; i++) {
    const struct histogram* late = &a->loops[i].late;
    if (late->count == 0)
      continue;
    if (!has_title)
      fprintf(out, "\nTimers: how late their callbacks began\n"
                   "  loop                    p50       p90       p99     p99.9"
                   "       max    count\n");
    has_title = 1;
    fprintf(out, "  %#-16" PRIx64, a->loops[i].address);
    for (size_t k = 0; k < ARRAY_SIZE(shares); k++)
      print_duration(out, histogram_percentile(late, shares[k]));
    print_duration(out, late->max);
    print_count(out, 8, late->count);
    fputc('\n', out);
  }
}

/* All loops together. What no phase covers is between calls of uv_run(). */
static void print_phases(FILE* out, const struct analysis* a) {
  uint64_t span = 0;
  uint64_t known = 0;

  for (size_t i = 0; i < a->nloops; i++)
    span = base_add(span, a->loops[i].end_ns - a->loops[i].begin_ns);
  fprintf(out,
          "\nWhere the time went%s\n"
          "  phase          time   share       count   longest\n",
          a->nloops > 1 ? ", all loops" : "");
  for (int phase = 0; phase < PHASE_MAX; phase++) {
    struct phase_time sum = { 0, 0, 0 };
    for (size_t i = 0; i < a->nloops; i++) {
      const struct phase_time* part = &a->loops[i].phases[phase];
      sum.count += part->count;
      sum.ns = base_add(sum.ns, part->ns);
      sum.max_ns = part->max_ns > sum.max_ns ? part->max_ns : sum.max_ns;
    }
    if (sum.count == 0)
      continue;
    known = base_add(known, sum.ns);
    fprintf(out, "  %-8s", phase_names[phase]);
    print_duration(out, sum.ns);
    print_share(out, sum.ns, span);
    print_count(out, 11, sum.count);
    print_duration(out, sum.max_ns);
    fputc('\n', out);
  }
  fprintf(out, "  %-8s", "outside");
  print_duration(out, span > known ? span - known : 0);
  print_share(out, span > known ? span - known : 0, span);
  fputc('\n', out);
}

static void print_callback(FILE* out,
                           const struct analysis* a,
                           const struct callback* callback,
                           uint64_t span) {
  const char* call = a->names.texts[callback->call];
  const char* type = a->names.texts[callback->type];

  fputc(' ', out);
  print_duration(out, callback->time.sum);
  print_share(out, callback->time.sum, span);
  print_count(out, 9, callback->time.count);
  print_duration(out, callback->time.sum / callback->time.count);
  print_duration(out, histogram_percentile(&callback->time, 0.99));
  print_duration(out, callback->time.max);
  fprintf(out, "  %s (%s", a->names.texts[callback->name], type);
  fprintf(out, strcmp(type, call) != 0 && call[0] != '\0' ? " %s)" : ")", call);
  if (callback->errors != 0)
    fprintf(out, ", %" PRIu64 " with an error", callback->errors);
  fputc('\n', out);
}

static void print_callbacks(FILE* out, const struct analysis* a, size_t top) {
  uint32_t* order = analysis_order(a);
  uint64_t span = 0;
  char text[BASE_TEXT];

  for (size_t i = 0; i < a->nloops; i++)
    span = base_add(span, a->loops[i].end_ns - a->loops[i].begin_ns);
  fprintf(out, "\nCallbacks, by the time they took\n"
               "       total   share     count      mean       p99       max"
               "  name (type, call)\n");
  for (size_t i = 0; i < a->ncallbacks && i < top; i++)
    print_callback(out, a, &a->callbacks[order[i]], span);
  if (a->ncallbacks > top)
    fprintf(out, "  and %s more (--top N)\n",
            base_count(text, a->ncallbacks - top));
  free(order);
}

static void print_about(FILE* out,
                        const struct analysis* a,
                        const struct incident* row) {
  if (row->about != 0)
    fprintf(out, ", %s", a->names.texts[row->about]);
  fputc('\n', out);
}

static void print_slowest(FILE* out, const struct analysis* a, size_t top) {
  const struct incidents* list = &a->slowest;

  if (list->count == 0)
    return;
  fprintf(out, "\nThe longest single callbacks\n"
               "        took     after  name\n");
  for (size_t i = 0; i < list->count && i < top; i++) {
    fputc(' ', out);
    print_duration(out, list->rows[i].ns);
    print_duration(out, list->rows[i].ts_ns - a->begin_ns);
    fprintf(out, "  %s", a->names.texts[list->rows[i].name]);
    print_about(out, a, &list->rows[i]);
  }
}

/* Inclusive times: the callers of what took the time have it, too. */
static void print_stacks(FILE* out, const struct analysis* a, size_t top) {
  const struct stacks* stacks = &a->stacks;
  char text[BASE_TEXT];

  if (stacks->samples == 0)
    return;
  fprintf(out,
          "\nWhere blocked callbacks were, by %s samples\n"
          "       total   share      self  function\n",
          base_count(text, stacks->samples));
  for (size_t i = 0; i < stacks->count && i < top; i++) {
    const struct stacks_row* row = &stacks->rows[i];
    fputc(' ', out);
    print_duration(out, row->ns);
    print_share(out, row->ns, stacks->ns);
    print_duration(out, row->self_ns);
    fprintf(out, "  %s\n", a->names.texts[row->name]);
  }
}

static void print_work(FILE* out,
                       const struct analysis* a,
                       const struct work* work,
                       const char* indent) {
  char text[2 * BASE_TEXT];

  snprintf(text, sizeof(text), "%s%s", indent, a->names.texts[work->name]);
  fprintf(out, "  %-16s", text);
  print_count(out, 8, work->ran.count);
  for (int i = 0; i < 2; i++) {
    const struct histogram* h = i == 0 ? &work->queued : &work->ran;
    print_duration(out, histogram_percentile(h, 0.5));
    print_duration(out, histogram_percentile(h, 0.99));
    print_duration(out, h->max);
  }
  print_count(out, 8, work->starved);
  fputc('\n', out);
}

static void print_pool(FILE* out, const struct analysis* a, size_t top) {
  if (a->nclasses == 0)
    return;
  fprintf(out,
          "\nThread pool, %" PRIu64 " thread%s seen\n"
          "                             waited                        ran\n"
          "  class               count       p50       p99       max"
          "       p50       p99       max  starved\n",
          (uint64_t) a->workers.count, a->workers.count == 1 ? "" : "s");
  for (size_t i = 0; i < a->nclasses; i++)
    print_work(out, a, &a->classes[i], "");
  for (size_t i = 0; i < a->nworks && i < top; i++)
    print_work(out, a, &a->works[i], "  ");
}

static void print_starved(FILE* out, const struct analysis* a, size_t top) {
  const struct incidents* list = &a->starved;
  char count[BASE_TEXT];
  char least[BASE_TEXT];

  if (list->total == 0)
    return;
  fprintf(out,
          "\nStarved: %s waited for a thread longer than they ran, "
          "and at least %s\n"
          "      waited       ran    queued  name (class)\n",
          base_count(count, list->total),
          base_duration(least, a->starved_min_ns));
  for (size_t i = 0; i < list->count && i < top; i++) {
    const struct incident* row = &list->rows[i];
    fputc(' ', out);
    print_duration(out, row->ns);
    print_duration(out, row->more_ns);
    print_duration(out,
                   row->ts_ns > a->begin_ns ? row->ts_ns - a->begin_ns : 0);
    fprintf(out, "  %s (%s)", a->names.texts[row->name],
            a->names.texts[row->where]);
    print_about(out, a, row);
  }
}

static void print_blocked(FILE* out, const struct analysis* a, size_t top) {
  const struct incidents* list = &a->blocked;

  if (list->total == 0)
    return;
  fprintf(out, "\nBlocked: what the watchdog saw\n"
               "         for     after  name (phase)\n");
  for (size_t i = 0; i < list->count && i < top; i++) {
    const struct incident* row = &list->rows[i];
    fputc(' ', out);
    print_duration(out, row->ns);
    print_duration(out,
                   row->ts_ns > a->begin_ns ? row->ts_ns - a->begin_ns : 0);
    fprintf(out, "  %s (%s)\n", a->names.texts[row->name],
            a->names.texts[row->where]);
  }
}

void report_print(FILE* out,
                  const struct analysis* a,
                  const struct reader* reader,
                  const char* name,
                  size_t top) {
  print_head(out, a, reader, name);
  if (a->slices == 0) {
    fprintf(out, "No loop ran.\n");
    return;
  }
  if (a->nloops != 0) {
    print_lag(out, a);
    print_late(out, a);
    print_phases(out, a);
  }
  if (a->ncallbacks != 0) {
    print_callbacks(out, a, top);
    print_slowest(out, a, top < 5 ? top : 5);
    print_stacks(out, a, top);
  }
  print_pool(out, a, top);
  print_starved(out, a, top);
  print_blocked(out, a, top);
}
