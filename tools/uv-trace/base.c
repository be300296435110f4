/* SPDX-License-Identifier: MIT */
#include "base.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void base_say(const char* format, ...) {
  va_list args;

  fputs("uv-trace: ", stderr);
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
}

static void* base_check(void* memory) {
  if (memory == NULL) {
    base_say("out of memory");
    exit(1);
  }
  return memory;
}

void* base_alloc(size_t count, size_t size) {
  return base_check(calloc(count == 0 ? 1 : count, size));
}

void* base_room(size_t size) {
  return base_check(malloc(size));
}

void* base_grow(void* items, size_t count, size_t* room, size_t size) {
  if (count < *room)
    return items;
  size_t more = *room == 0 ? 16 : *room * 2;
  if (more > SIZE_MAX / size)
    return base_check(NULL);
  items = base_check(realloc(items, more * size));
  *room = more;
  return items;
}

char* base_copy(const char* text) {
  size_t size = strlen(text) + 1;

  return memcpy(base_alloc(1, size), text, size);
}

const char* base_duration(char text[BASE_TEXT], uint64_t ns) {
  static const struct {
    double ns;
    const char* name;
  } units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } };
  size_t i = 0;

  /* The rounded number decides: 999.96 us are 1.00 ms. */
  while (i < ARRAY_SIZE(units) - 1 && (double) ns < units[i].ns * 0.9995)
    i++;
  double value = (double) ns / units[i].ns;
  int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  if (i == ARRAY_SIZE(units) - 1)
    decimals = 0;
  snprintf(text, BASE_TEXT, "%.*f %s", decimals, value, units[i].name);
  return text;
}

const char* base_count(char text[BASE_TEXT], uint64_t number) {
  char digits[BASE_TEXT];
  int len = snprintf(digits, sizeof(digits), "%" PRIu64, number);
  size_t at = 0;

  for (int i = 0; i < len; i++) {
    if (i != 0 && (len - i) % 3 == 0)
      text[at++] = ',';
    text[at++] = digits[i];
  }
  text[at] = '\0';
  return text;
}
