/* SPDX-License-Identifier: MIT */
/* uv-trace: a trace's events, its report, and the data of its page. */
#include "fuzz.h"

#include "../../tools/uv-trace/base.h"
#include "../../tools/uv-trace/data.h"
#include "../../tools/uv-trace/report.h"

/* What may be written to a terminal and into a page. */
static void check_text(const char* text) {
  for (; *text != '\0'; text++) {
    unsigned char c = (unsigned char) *text;
    REQUIRE(c >= 0x20 && c != 0x7f);
    REQUIRE(c != 0xc2 || (unsigned char) text[1] >= 0xa0);
  }
}

static void check_events(struct reader* reader) {
  struct event event;
  int result;

  while ((result = reader_next(reader, &event)) > 0) {
    REQUIRE(event.ph != '\0');
    REQUIRE(event.ts_ns <= EVENT_NS_MAX && event.dur_ns <= EVENT_NS_MAX);
    REQUIRE(event.nargs <= EVENT_ARGS);
    check_text(event.name);
    check_text(event.cat);
    check_text(event.id);
    for (size_t i = 0; i < event.nargs; i++) {
      check_text(event.args[i].key);
      check_text(event_text(&event, event.args[i].key));
    }
  }
  REQUIRE(result == 0);
}

/* Between <script> and </script> there is nothing that ends it. */
static void check_data(const char* text) {
  REQUIRE(text[0] == '{');
  REQUIRE(strpbrk(text, "<>&") == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  struct options options = { .starved_ms = 1 };
  struct trace trace;
  char* text = NULL;
  size_t len = 0;

  if (size == 0)
    return 0;
  memset(&trace, 0, sizeof(trace));
  trace.path = "trace";
  trace.file = fmemopen((void*) (uintptr_t) data, size, "rb");
  REQUIRE(trace.file != NULL);
  reader_init(&trace.reader, trace.file);
  check_events(&trace.reader);
  uint64_t nevents = trace.reader.nevents;

  REQUIRE(reader_rewind(&trace.reader) == 0);
  analysis_init(&trace.analysis);
  trace.analysis.starved_min_ns = options.starved_ms * 1000000;
  REQUIRE(trace_read(&trace) == (nevents == 0 ? -1 : 0));
  FILE* out = open_memstream(&text, &len);
  REQUIRE(out != NULL);
  report_print(out, &trace.analysis, &trace.reader, "trace", 15);
  REQUIRE(fclose(out) == 0);
  free(text);
  out = open_memstream(&text, &len);
  REQUIRE(out != NULL);
  REQUIRE(data_print(out, &trace, 20) == 0);
  REQUIRE(fclose(out) == 0);
  check_data(text);
  free(text);
  REQUIRE(trace.reader.nevents == nevents);
  trace_close(&trace);
  return 0;
}
