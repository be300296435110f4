/* SPDX-License-Identifier: MIT */
#include "metrics.h"
#include "base.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file of the library's has some hundred kB with many loops. */
#define TEXT_MAX ((size_t) 16 << 20)
/* Buckets of a histogram that we look at. */
#define BUCKETS_MAX 256

static int by_key(const void* a, const void* b) {
  const struct sample* x = a;
  const struct sample* y = b;

  return strcmp(x->key, y->key);
}

/* The end of a sample's key: the first space that is in no label's value. */
static char* key_end(char* line) {
  int is_quoted = 0;

  for (; *line != '\0'; line++) {
    if (*line == '\\' && line[1] != '\0')
      line++;
    else if (*line == '"')
      is_quoted = !is_quoted;
    else if (*line == ' ' && !is_quoted)
      return line;
  }
  return NULL;
}

static void add_line(struct metrics* metrics, char* line, size_t* room) {
  char* end = key_end(line);
  char* rest;

  if (line[0] == '#' || end == NULL)
    return;
  double value = strtod(end + 1, &rest);
  if (rest == end + 1 || !isfinite(value))
    return;
  *end = '\0';
  metrics->samples = base_grow(metrics->samples, metrics->count, room,
                               sizeof(*metrics->samples));
  struct sample sample = { line, value };
  metrics->samples[metrics->count++] = sample;
}

/* The file's text with a NUL; NULL and errno. */
static char* read_text(const char* path) {
  FILE* file = fopen(path, "rb");
  size_t size = 0;
  size_t room = 0;
  char* text = NULL;

  if (file == NULL)
    return NULL;
  for (size_t n = 1; n != 0 && size < TEXT_MAX; size += n) {
    /* One byte is left for the NUL. */
    while (room < size + 2)
      text = base_grow(text, room, &room, 1);
    n = fread(text + size, 1, room - size - 1, file);
  }
  int err = ferror(file) ? EIO : size >= TEXT_MAX ? EFBIG : 0;
  fclose(file);
  if (err != 0) {
    free(text);
    errno = err;
    return NULL;
  }
  text[size] = '\0';
  return text;
}

int metrics_parse(struct metrics* metrics, char* text) {
  size_t room = 0;
  int is_whole = 0;

  memset(metrics, 0, sizeof(*metrics));
  metrics->text = text;
  for (char* line = metrics->text; line != NULL && *line != '\0';) {
    char* next = strchr(line, '\n');
    if (next != NULL)
      *next++ = '\0';
    is_whole = strcmp(line, "# EOF") == 0;
    add_line(metrics, line, &room);
    line = next;
  }
  if (!is_whole) {
    metrics_close(metrics);
    return EINVAL;
  }
  if (metrics->count != 0)
    qsort(metrics->samples, metrics->count, sizeof(*metrics->samples), by_key);
  return 0;
}

int metrics_read(struct metrics* metrics, const char* path) {
  char* text = read_text(path);

  return text == NULL ? errno : metrics_parse(metrics, text);
}

void metrics_close(struct metrics* metrics) {
  free(metrics->samples);
  free(metrics->text);
  memset(metrics, 0, sizeof(*metrics));
}

double metrics_value(const struct metrics* metrics, const char* key) {
  struct sample wanted = { key, 0 };
  const struct sample* found =
      metrics->count == 0 ? NULL
                          : bsearch(&wanted, metrics->samples, metrics->count,
                                    sizeof(*metrics->samples), by_key);

  return found == NULL ? 0 : found->value;
}

int sample_is(const struct sample* sample, const char* name) {
  size_t len = strlen(name);

  return strncmp(sample->key, name, len) == 0 &&
         (sample->key[len] == '{' || sample->key[len] == '\0');
}

/* Copies a value up to its quote; control characters become question marks.
 * Returns what follows. */
static const char* copy_value(const char* from, char text[METRICS_LABEL]) {
  size_t len = 0;

  for (; *from != '\0' && *from != '"'; from++) {
    if (*from == '\\' && from[1] != '\0')
      from++;
    unsigned char c = (unsigned char) *from;
    if (len < METRICS_LABEL - 1)
      text[len++] = (char) (c < 0x20 || c >= 0x7f ? '?' : c);
  }
  text[len] = '\0';
  return *from == '"' ? from + 1 : from;
}

const char* sample_label(const struct sample* sample,
                         const char* label,
                         char text[METRICS_LABEL]) {
  const char* at = strchr(sample->key, '{');
  size_t len = strlen(label);

  while (at != NULL && *at != '\0' && *at != '}') {
    const char* name = ++at;
    at = strchr(name, '=');
    if (at == NULL || at[1] != '"')
      break;
    int is_it = (size_t) (at - name) == len && strncmp(name, label, len) == 0;
    at = copy_value(at + 2, text);
    if (is_it)
      return text;
  }
  text[0] = '\0';
  return text;
}

struct bucket {
  double bound;
  double count; /* of values up to the bound */
};

static int by_bound(const void* a, const void* b) {
  const struct bucket* x = a;
  const struct bucket* y = b;

  return x->bound < y->bound ? -1 : x->bound > y->bound;
}

double metrics_percentile(const struct metrics* now,
                          const struct metrics* before,
                          const char* name,
                          const char* label,
                          const char* value,
                          double share,
                          double* count) {
  struct bucket buckets[BUCKETS_MAX];
  size_t n = 0;
  char text[METRICS_LABEL];

  for (size_t i = 0; i < now->count && n < BUCKETS_MAX; i++) {
    const struct sample* sample = &now->samples[i];
    if (!sample_is(sample, name) ||
        strcmp(sample_label(sample, label, text), value) != 0)
      continue;
    buckets[n].bound = strtod(sample_label(sample, "le", text), NULL);
    buckets[n].count = sample->value - metrics_value(before, sample->key);
    n++;
  }
  *count = 0;
  if (n == 0)
    return 0;
  qsort(buckets, n, sizeof(*buckets), by_bound);
  *count = buckets[n - 1].count;
  if (*count <= 0)
    return 0;
  size_t i = 0;
  while (i < n - 1 && buckets[i].count < share * *count)
    i++;
  /* Nothing is known of the last bucket, which has no end. */
  return isfinite(buckets[i].bound) || i == 0 ? buckets[i].bound
                                              : buckets[i - 1].bound;
}
