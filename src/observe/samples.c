/* SPDX-License-Identifier: MIT */
#include "observe/samples.h"
#include "observe/hooks.h"
#include "observe/names.h"
#include "observe/trace/format.h"
#include "observe/trace/notes.h"
#include "os/backtrace.h"
#include "os/symbol.h"
#include "util/alloc.h"
#include "util/string-builder.h"

#include <stdlib.h>
#include <string.h>

/* More than these at a time are written before the callback has ended. */
#define SAMPLES_MAX 256
/* Bytes of a stack's names in a line. */
#define STACK_TEXT_MAX (UV__TRACE_NOTE_MAX - 1024)

struct uv__sample {
  uint64_t tid;
  uint64_t at_ns;
  uint64_t ns; /* it stands for so long */
  const void* symbol;
  unsigned phase;
  size_t count;
  const void* frames[UV__BACKTRACE_MAX]; /* the innermost first */
};

/* The names of all frames of some samples. */
struct named {
  struct uv__generated* functions; /* in the order of addresses */
  size_t count;
};

static int by_address(const void* a, const void* b) {
  uintptr_t x = (uintptr_t) ((const struct uv__generated*) a)->address;
  uintptr_t y = (uintptr_t) ((const struct uv__generated*) b)->address;

  return x < y ? -1 : x > y;
}

/* Each address once. */
static void remove_duplicates(struct named* named) {
  size_t kept = 0;

  for (size_t i = 0; i < named->count; i++)
    if (kept == 0 ||
        named->functions[kept - 1].address != named->functions[i].address)
      named->functions[kept++].address = named->functions[i].address;
  named->count = kept;
}

/* A semicolon would end the frame. */
static void replace_semicolons(char* name) {
  for (; *name != '\0'; name++)
    if (*name == ';')
      *name = ',';
}

static int name_frames(struct named* named,
                       const struct uv__samples* samples,
                       uint64_t tid) {
  size_t room = 0;

  for (size_t i = 0; i < samples->count; i++)
    if (samples->all[i].tid == tid)
      room += samples->all[i].count;
  named->count = 0;
  named->functions = uv__malloc_array(room + 1, sizeof(*named->functions));
  if (named->functions == NULL)
    return UV_ENOMEM;
  for (size_t i = 0; i < samples->count; i++) {
    const struct uv__sample* sample = &samples->all[i];
    for (size_t k = 0; sample->tid == tid && k < sample->count; k++)
      named->functions[named->count++].address = sample->frames[k];
  }
  qsort(named->functions, named->count, sizeof(*named->functions), by_address);
  remove_duplicates(named);
  uv__symbol_os_generated(named->functions, named->count);
  for (size_t i = 0; i < named->count; i++) {
    struct uv__generated* function = &named->functions[i];
    if (function->name[0] == '\0')
      uv__symbol_os_place(function->address, function->name,
                          sizeof(function->name));
    replace_semicolons(function->name);
  }
  return 0;
}

static const char* name_of(const struct named* named, const void* address) {
  struct uv__generated key;

  key.address = address;
  const struct uv__generated* function =
      bsearch(&key, named->functions, named->count, sizeof(key), by_address);
  return function != NULL ? function->name : "";
}

/* The outermost frame first; of a stack that is too long the inner ones. */
static void add_stack(struct uv__strbuf* line,
                      const struct named* named,
                      const struct uv__sample* sample) {
  char escaped[UV__TRACE_SYMBOL_MAX + 1];
  size_t length = 0;
  size_t shown = 0;

  for (; shown < sample->count; shown++) {
    uv__trace_escape(escaped, name_of(named, sample->frames[shown]));
    length += strlen(escaped) + 1;
    if (length > STACK_TEXT_MAX)
      break;
  }
  for (size_t i = shown; i-- > 0;) {
    uv__trace_escape(escaped, name_of(named, sample->frames[i]));
    uv__strbuf_add(line, "%s%s", escaped, i == 0 ? "" : ";");
  }
}

static void write_sample(const struct uv__sample* sample,
                         const struct named* named,
                         struct uv__symbols* symbols) {
  char callback[UV__TRACE_SYMBOL_MAX + 1];
  struct uv__strbuf line;

  memset(&line, 0, sizeof(line));
  uv__trace_escape(callback, uv__symbol_name(symbols, sample->symbol));
  uv__strbuf_add(
      &line,
      "{\"ph\":\"i\",\"pid\":%d,\"tid\":%llu,\"ts\":%llu.%03u,"
      "\"cat\":\"sample\",\"name\":\"stack\",\"s\":\"t\","
      "\"args\":{\"symbol\":\"%s\",\"phase\":\"%s\",\"ns\":%llu,\"stack\":\"",
      (int) uv_os_getpid(), (unsigned long long) sample->tid,
      (unsigned long long) (sample->at_ns / 1000),
      (unsigned) (sample->at_ns % 1000), callback,
      uv__phase_name((enum uv__phase) sample->phase),
      (unsigned long long) sample->ns);
  add_stack(&line, named, sample);
  uv__strbuf_add(&line, "\"}},\n");
  if (!line.is_short)
    uv__trace_note_add(line.data, line.used);
  uv__strbuf_free(&line);
}

void uv__samples_end(struct uv__samples* samples,
                     struct uv__symbols* symbols,
                     uint64_t tid) {
  struct named named;
  size_t kept = 0;

  if (samples->count == 0 || name_frames(&named, samples, tid) != 0)
    return;
  for (size_t i = 0; i < samples->count; i++) {
    if (samples->all[i].tid == tid)
      write_sample(&samples->all[i], &named, symbols);
    else
      samples->all[kept++] = samples->all[i];
  }
  samples->count = kept;
  uv__free(named.functions);
}

void uv__samples_add(struct uv__samples* samples,
                     struct uv__symbols* symbols,
                     uint64_t tid,
                     const struct uv__running* running,
                     const void* const* frames,
                     size_t count,
                     uint64_t ns) {
  assert(count <= UV__BACKTRACE_MAX);
  if (count == 0 || !uv__is_observed_by(UV__OBSERVE_TRACE))
    return;
  if (samples->all == NULL)
    samples->all = uv__malloc_array(SAMPLES_MAX, sizeof(*samples->all));
  if (samples->all == NULL)
    return;
  if (samples->count == SAMPLES_MAX)
    uv__samples_end(samples, symbols, tid);
  if (samples->count == SAMPLES_MAX)
    return; /* all are other threads' */
  struct uv__sample* sample = &samples->all[samples->count++];
  sample->tid = tid;
  sample->at_ns = uv_hrtime();
  sample->ns = ns;
  sample->symbol = running->symbol;
  sample->phase = running->phase;
  sample->count = count;
  memcpy(sample->frames, frames, count * sizeof(*frames));
}

void uv__samples_free(struct uv__samples* samples) {
  uv__free(samples->all);
  memset(samples, 0, sizeof(*samples));
}
