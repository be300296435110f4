/* SPDX-License-Identifier: MIT */
#include "trace-file.h"
#include "test.h"

#include <stdio.h>

static void check_event(const char* line, size_t len) {
  ASSERT(len > 2);
  ASSERT(line[0] == '{');
  ASSERT(line[len - 1] == '}');
  int depth = 0;
  int quotes = 0;
  for (size_t i = 0; i < len; i++) {
    if (line[i] == '"' && line[i - 1] != '\\')
      quotes++;
    if (quotes % 2 == 0 && line[i] == '{')
      depth++;
    if (quotes % 2 == 0 && line[i] == '}')
      depth--;
  }
  ASSERT_EQ(0, depth);
  ASSERT_EQ(0, quotes % 2);
  ASSERT_NOT_NULL(strstr(line, "\"ph\":\""));
  ASSERT_NOT_NULL(strstr(line, "\"pid\":"));
  ASSERT_NOT_NULL(strstr(line, "\"tid\":"));
}

static char* read_text(const char* path) {
  FILE* file = fopen(path, "rb");
  size_t size = 0;
  size_t room = (size_t) 1 << 20;
  char* text = malloc(room + 1);

  ASSERT_NOT_NULL(file);
  ASSERT_NOT_NULL(text);
  for (;;) {
    size_t n = fread(text + size, 1, room - size, file);
    size += n;
    if (n == 0)
      break;
    if (size == room) {
      room *= 2;
      text = realloc(text, room + 1);
      ASSERT_NOT_NULL(text);
    }
  }
  fclose(file);
  text[size] = '\0';
  return text;
}

void trace_file_read(struct trace_file* trace, const char* path) {
  size_t room = 0;

  memset(trace, 0, sizeof(*trace));
  trace->text = read_text(path);
  char* at = trace->text;
  ASSERT_EQ(0, strncmp(at, "[\n", 2));
  at += 2;
  while (*at != '\0') {
    char* end = strchr(at, '\n');
    if (end == NULL)
      break; /* torn */
    if (strcmp(at, "]\n") == 0) {
      trace->is_closed = 1;
      break;
    }
    char* next = end + 1;
    while (end > at && end[-1] == ' ')
      end--; /* the end of a block */
    size_t len = (size_t) (end - at);
    *end = '\0';
    if (at[len - 1] == ',')
      at[--len] = '\0';
    check_event(at, len);
    if (trace->count == room) {
      room = room == 0 ? 1024 : room * 2;
      trace->lines = realloc(trace->lines, room * sizeof(*trace->lines));
      ASSERT_NOT_NULL(trace->lines);
    }
    trace->lines[trace->count++] = at;
    at = next;
  }
}

void trace_file_free(struct trace_file* trace) {
  free(trace->lines);
  free(trace->text);
}

size_t trace_file_count(const struct trace_file* trace,
                        const char* a,
                        const char* b) {
  size_t count = 0;

  for (size_t i = 0; i < trace->count; i++)
    if ((a == NULL || strstr(trace->lines[i], a) != NULL) &&
        (b == NULL || strstr(trace->lines[i], b) != NULL))
      count++;
  return count;
}

static const char* value_of(const char* line, const char* name) {
  char key[64];

  snprintf(key, sizeof(key), "\"%s\":", name);
  const char* at = strstr(line, key);
  if (at == NULL)
    fprintf(stderr, "no %s in %s\n", name, line);
  ASSERT_NOT_NULL(at);
  return at + strlen(key);
}

double trace_number(const char* line, const char* name) {
  return strtod(value_of(line, name), NULL);
}

unsigned long long trace_id(const char* line, const char* name) {
  const char* value = value_of(line, name);

  ASSERT(value[0] == '"');
  return strtoull(value + 1, NULL, 16);
}

/* Of a number of microseconds with three decimals. */
static uint64_t trace_ns(const char* line, const char* name) {
  char* point;
  uint64_t us = strtoull(value_of(line, name), &point, 10);

  ASSERT_EQ('.', *point);
  return us * 1000 + strtoull(point + 1, NULL, 10);
}

struct slice {
  double tid;
  uint64_t begin_ns;
  uint64_t end_ns;
  const char* line;
};

/* By thread, then by begin. */
static int by_begin(const void* a, const void* b) {
  const struct slice* x = a;
  const struct slice* y = b;

  if (x->tid != y->tid)
    return x->tid < y->tid ? -1 : 1;
  return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

void trace_file_check_nesting(const struct trace_file* trace) {
  struct slice* slices = calloc(trace->count + 1, sizeof(*slices));
  struct slice* stack[64];
  size_t depth = 0;
  size_t count = 0;

  ASSERT_NOT_NULL(slices);
  for (size_t i = 0; i < trace->count; i++) {
    const char* line = trace->lines[i];
    if (strstr(line, "\"ph\":\"X\"") == NULL ||
        strstr(line, "\"name\":\"uv_async_send\"") != NULL)
      continue;
    slices[count].tid = trace_number(line, "tid");
    slices[count].begin_ns = trace_ns(line, "ts");
    slices[count].end_ns = slices[count].begin_ns + trace_ns(line, "dur");
    slices[count++].line = line;
  }
  qsort(slices, count, sizeof(*slices), by_begin);

  for (size_t i = 0; i < count; i++) {
    struct slice* slice = &slices[i];
    while (depth != 0 && (stack[depth - 1]->tid != slice->tid ||
                          stack[depth - 1]->end_ns < slice->begin_ns))
      depth--;
    int is_nested =
        depth == 0 || (stack[depth - 1]->begin_ns < slice->begin_ns &&
                       slice->end_ns < stack[depth - 1]->end_ns);
    if (!is_nested)
      fprintf(stderr, "%s\n%s\n", stack[depth - 1]->line, slice->line);
    ASSERT(is_nested);
    ASSERT_LT(depth, ARRAY_SIZE(stack));
    stack[depth++] = slice;
  }
  free(slices);
}

struct arrow {
  unsigned long long id;
  double ts;
  char ph;
};

static int by_id(const void* a, const void* b) {
  const struct arrow* x = a;
  const struct arrow* y = b;

  if (x->id != y->id)
    return x->id < y->id ? -1 : 1;
  if (x->ts != y->ts)
    return x->ts < y->ts ? -1 : 1;
  return x->ph == 's' ? -1 : y->ph == 's'; /* equal times: it begins first */
}

static char arrow_kind(const char* line) {
  if (strstr(line, "\"ph\":\"s\"") != NULL)
    return 's';
  if (strstr(line, "\"ph\":\"t\"") != NULL)
    return 't';
  return strstr(line, "\"ph\":\"f\"") != NULL ? 'f' : 0;
}

size_t trace_file_check_arrows(const struct trace_file* trace,
                               const char* category,
                               size_t passes) {
  struct arrow* arrows = calloc(trace->count + 1, sizeof(*arrows));
  char text[64];
  size_t count = 0;

  ASSERT_NOT_NULL(arrows);
  snprintf(text, sizeof(text), "\"cat\":\"%s\"", category);
  for (size_t i = 0; i < trace->count; i++) {
    const char* line = trace->lines[i];
    char ph = arrow_kind(line);
    if (ph == 0 || strstr(line, text) == NULL)
      continue;
    arrows[count].id = trace_id(line, "id");
    arrows[count].ts = trace_number(line, "ts");
    arrows[count++].ph = ph;
  }
  qsort(arrows, count, sizeof(*arrows), by_id);
  for (size_t i = 0; i < count;) {
    ASSERT_EQ('s', arrows[i].ph);
    for (size_t k = 1; k <= passes; k++)
      ASSERT_EQ('t', arrows[i + k].ph);
    ASSERT_EQ('f', arrows[i + passes + 1].ph);
    ASSERT(arrows[i].id == arrows[i + passes + 1].id);
    i += passes + 2;
  }
  free(arrows);
  return count / (passes + 2);
}
