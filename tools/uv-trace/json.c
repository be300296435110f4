/* SPDX-License-Identifier: MIT */
#include "json.h"
#include "base.h"

#include <inttypes.h>
#include <string.h>

/* Of json_buckets(), for each power of two: a power of two. */
#define BUCKETS 4

void json_string(FILE* out, const char* text) {
  fputc('"', out);
  for (; *text != '\0'; text++) {
    unsigned char c = (unsigned char) *text;
    /* A script must not end early, nor a comment begin. */
    if (c < 0x20 || strchr("\"\\<>&", c) != NULL)
      fprintf(out, "\\u%04x", c);
    else
      fputc(c, out);
  }
  fputc('"', out);
}

void json_names(FILE* out, const struct names* names) {
  fputc('[', out);
  for (size_t i = 0; i < names->count; i++) {
    if (i != 0)
      fputs(",\n", out);
    json_string(out, names->texts[i]);
  }
  fputc(']', out);
}

void json_histogram(FILE* out, const struct histogram* h) {
  static const struct {
    const char* name;
    double share;
  } rows[] = {
    { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "p999", 0.999 }
  };

  fprintf(out, "{\"count\":%" PRIu64 ",\"sum\":%" PRIu64 ",\"max\":%" PRIu64,
          h->count, h->sum, h->max);
  for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
    fprintf(out, ",\"%s\":%" PRIu64, rows[i].name,
            histogram_percentile(h, rows[i].share));
  fputc('}', out);
}

/* Buckets of the histogram that become one. */
struct join {
  FILE* out;
  uint64_t low;
  uint64_t count;
  int is_first;
};

static uint64_t join_low(uint64_t value) {
  int power = 0;

  while (value >> power >= 2 * BUCKETS)
    power++;
  return value >> power << power;
}

static void join_put(struct join* join) {
  if (join->count == 0)
    return;
  fprintf(join->out, "%s[%" PRIu64 ",%" PRIu64 "]", join->is_first ? "" : ",",
          join->low, join->count);
  join->is_first = 0;
  join->count = 0;
}

static void join_add(uint64_t low, uint64_t high, uint64_t count, void* arg) {
  struct join* join = arg;

  (void) high;
  if (join_low(low) != join->low)
    join_put(join);
  join->low = join_low(low);
  join->count += count;
}

void json_buckets(FILE* out, const struct histogram* h) {
  struct join join = { out, 0, 0, 1 };

  fputc('[', out);
  histogram_each(h, join_add, &join);
  join_put(&join);
  fputc(']', out);
}
