/* SPDX-License-Identifier: MIT */
/* The ring of a trace in memory: what is got is the end of what was added, from
 * the first whole line on. */
#include "unit.h"
#include "observe/trace/keep.h"

#include <stdio.h>
#include <string.h>

#define SIZE 100

static struct uv__trace_keep keep;

static const char* kept(void) {
  static char text[SIZE + 1];
  struct uv__trace_part parts[2];

  uv__trace_keep_get(&keep, parts);
  CHECK(parts[0].length + parts[1].length <= SIZE);
  memcpy(text, parts[0].text, parts[0].length);
  memcpy(text + parts[0].length, parts[1].text, parts[1].length);
  text[parts[0].length + parts[1].length] = '\0';
  return text;
}

static void add(const char* lines) {
  uv__trace_keep_add(&keep, lines, strlen(lines));
}

UNIT_TEST(trace_keep_has_all_that_fits) {
  CHECK(uv__trace_keep_init(&keep, SIZE) == 0);
  CHECK_STR("", kept());
  add("one\n");
  add("two\nthree\n");
  CHECK_STR("one\ntwo\nthree\n", kept());
  uv__trace_keep_free(&keep);
}

/* Lines of all lengths, so that they meet the end of the ring at each place. */
UNIT_TEST(trace_keep_replaces_the_oldest_lines) {
  char all[20000] = "";
  size_t used = 0;

  CHECK(uv__trace_keep_init(&keep, SIZE) == 0);
  for (int i = 0; i < 900; i++) {
    char line[32];
    int n = snprintf(line, sizeof(line), "%.*s%d\n", i % 17,
                     "abcdefghijklmnopqrs", i);
    memcpy(all + used, line, (size_t) n + 1);
    used += (size_t) n;
    add(line);

    const char* text = kept();
    size_t length = strlen(text);
    CHECK_STR(all + used - length, text);
    CHECK(length == used || all[used - length - 1] == '\n');
    CHECK(length >= uv__min_size(used, SIZE - 22));
  }
  uv__trace_keep_free(&keep);
}

UNIT_TEST(trace_keep_of_one_full_ring) {
  char line[SIZE + 1];

  CHECK(uv__trace_keep_init(&keep, SIZE) == 0);
  memset(line, 'x', SIZE);
  line[SIZE - 1] = '\n';
  line[SIZE] = '\0';
  add(line);
  CHECK_STR(line, kept());
  add("y\n");
  CHECK_STR("y\n", kept());
  uv__trace_keep_free(&keep);
}
