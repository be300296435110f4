/* SPDX-License-Identifier: MIT */
#include "trace.h"
#include "base.h"

#include <errno.h>
#include <string.h>

int trace_read(struct trace* trace) {
  struct event event;
  int result;

  while ((result = reader_next(&trace->reader, &event)) > 0)
    analysis_add(&trace->analysis, &event);
  if (result < 0) {
    base_say("%s: %s", trace->path, strerror(errno));
    return -1;
  }
  analysis_end(&trace->analysis);
  if (trace->reader.nevents != 0)
    return 0;
  base_say("%s: not a trace: it has no event", trace->path);
  return -1;
}

int trace_open(struct trace* trace,
               const char* path,
               const struct options* options) {
  trace->path = path;
  trace->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  if (trace->file == NULL) {
    base_say("%s: %s", path, strerror(errno));
    return -1;
  }
  reader_init(&trace->reader, trace->file);
  analysis_init(&trace->analysis);
  trace->analysis.starved_min_ns = options->starved_ms * 1000000;
  trace->analysis.symbols = options->symbols;
  if (trace_read(trace) == 0)
    return 0;
  trace_close(trace);
  return -1;
}

void trace_close(struct trace* trace) {
  reader_close(&trace->reader);
  analysis_close(&trace->analysis);
  if (trace->file != stdin)
    fclose(trace->file);
}
