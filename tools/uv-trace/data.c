/* SPDX-License-Identifier: MIT */
/* Times are nanoseconds since the trace's beginning; names are numbers of
 * "names". Addresses and thread ids, which may need 64 bits, are strings. */
#include "data.h"
#include "base.h"
#include "json.h"
#include "os.h"
#include "timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t since(const struct analysis* a, uint64_t ts_ns) {
  return ts_ns > a->begin_ns ? ts_ns - a->begin_ns : 0;
}

static void print_head(FILE* out, const struct trace* trace) {
  const struct analysis* a = &trace->analysis;

  fprintf(out, "\"file\":");
  json_string(out, os_base_name(trace->path));
  fprintf(out, ",\"program\":");
  json_string(out, a->program);
  fprintf(out, ",\"library\":");
  json_string(out, a->library);
  fprintf(out,
          ",\n\"pid\":\"%" PRId64 "\",\"events\":%" PRIu64 ",\"bad\":%" PRIu64
          ",\"dropped\":%" PRIu64 ",\"is_torn\":%s,\"span_ns\":%" PRIu64
          ",\"workers\":%" PRIu64 ",\n",
          a->pid, trace->reader.nevents, trace->reader.nbad, a->dropped,
          trace->reader.has_end ? "false" : "true", a->end_ns - a->begin_ns,
          (uint64_t) a->workers.count);
}

/* Which signal, in which callback, or null. */
static void print_crash(FILE* out, const struct analysis* a) {
  const struct crash* crash = &a->crash;

  if (crash->signum == 0) {
    fprintf(out, "\"crash\":null,\n");
    return;
  }
  fprintf(out,
          "\"crash\":{\"signum\":%" PRId64 ",\"tid\":\"%" PRIu64
          "\",\"at\":%" PRIu64 ",\"name\":%" PRIu32 "},\n",
          crash->signum, crash->tid, since(a, crash->ts_ns), crash->name);
}

static void print_phases(FILE* out, const struct loop* loop) {
  int is_first = 1;

  fprintf(out, "\"phases\":[");
  for (int i = 0; i < PHASE_MAX; i++) {
    const struct phase_time* phase = &loop->phases[i];
    if (phase->count == 0)
      continue;
    fprintf(out, "%s[\"%s\",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]",
            is_first ? "" : ",", phase_names[i], phase->ns, phase->count,
            phase->max_ns);
    is_first = 0;
  }
  fprintf(out, "]");
}

static void print_loops(FILE* out, const struct analysis* a) {
  fprintf(out, "\"loops\":[");
  for (size_t i = 0; i < a->nloops; i++) {
    const struct loop* loop = &a->loops[i];
    fprintf(out,
            "%s{\"address\":\"0x%" PRIx64 "\",\"tid\":\"%" PRIu64
            "\",\"span_ns\":%" PRIu64 ",\"iterations\":%" PRIu64
            ",\"polls\":%" PRIu64 ",\"empty\":%" PRIu64 ",\"lag\":",
            i == 0 ? "" : ",\n", loop->address, loop->tid,
            loop->end_ns - loop->begin_ns, loop->iterations, loop->polls,
            loop->polls_empty);
    json_histogram(out, &loop->lag);
    fprintf(out, ",\"late\":");
    json_histogram(out, &loop->late);
    fprintf(out, ",\"lag_buckets\":");
    json_buckets(out, &loop->lag);
    fputc(',', out);
    print_phases(out, loop);
    fputc('}', out);
  }
  fprintf(out, "],\n");
}

static void print_callbacks(FILE* out, const struct analysis* a) {
  uint32_t* order = analysis_order(a);

  fprintf(out, "\"callbacks\":[");
  for (size_t i = 0; i < a->ncallbacks; i++) {
    const struct callback* c = &a->callbacks[order[i]];
    fprintf(out,
            "%s{\"name\":%" PRIu32 ",\"type\":%" PRIu32 ",\"call\":%" PRIu32
            ",\"at\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"errors\":%" PRIu64
            ",\"time\":",
            i == 0 ? "" : ",\n", c->name, c->type, c->call,
            since(a, c->max_ts_ns), c->bytes, c->errors);
    json_histogram(out, &c->time);
    fputc('}', out);
  }
  fprintf(out, "],\n");
  free(order);
}

static void print_works(FILE* out,
                        const char* name,
                        const struct work* works,
                        size_t count) {
  fprintf(out, "\"%s\":[", name);
  for (size_t i = 0; i < count; i++) {
    fprintf(out, "%s{\"name\":%" PRIu32 ",\"starved\":%" PRIu64 ",\"queued\":",
            i == 0 ? "" : ",\n", works[i].name, works[i].starved);
    json_histogram(out, &works[i].queued);
    fprintf(out, ",\"ran\":");
    json_histogram(out, &works[i].ran);
    fputc('}', out);
  }
  fprintf(out, "],\n");
}

static void print_incidents(FILE* out,
                            const char* name,
                            const struct analysis* a,
                            const struct incidents* list) {
  fprintf(out, "\"%s\":{\"total\":%" PRIu64 ",\"rows\":[", name, list->total);
  for (size_t i = 0; i < list->count; i++) {
    const struct incident* row = &list->rows[i];
    fprintf(out,
            "%s[%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu32
            ",%" PRIu32 "]",
            i == 0 ? "" : ",", row->ns, since(a, row->ts_ns), row->more_ns,
            row->name, row->where, row->about);
  }
  fprintf(out, "]},\n");
}

int data_print(FILE* out, struct trace* trace, uint64_t slices_max) {
  const struct analysis* a = &trace->analysis;

  fprintf(out, "{");
  print_head(out, trace);
  print_crash(out, a);
  print_loops(out, a);
  print_callbacks(out, a);
  print_works(out, "classes", a->classes, a->nclasses);
  print_works(out, "works", a->works, a->nworks);
  print_incidents(out, "starved", a, &a->starved);
  print_incidents(out, "blocked", a, &a->blocked);
  print_incidents(out, "slowest", a, &a->slowest);
  fprintf(out, "\"starved_min_ns\":%" PRIu64 ",\n", a->starved_min_ns);
  int err = timeline_print(out, trace, slices_max);
  /* Last: the timeline may have met new ones. */
  fprintf(out, ",\n\"names\":");
  json_names(out, &a->names);
  fprintf(out, "}\n");
  return err;
}
