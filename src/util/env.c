/* SPDX-License-Identifier: MIT */
#include "util/env.h"
#include "os/trace.h"

#include <stdio.h>
#include <stdlib.h>

#define LINE_SIZE 480

void uv__variable_refuse(const char* name, const char* value, const char* why) {
  char line[LINE_SIZE];
  const char* equals = value[0] != '\0' ? "=" : "";

  /* A long value must not push the reason out of the line. */
  snprintf(line, sizeof(line), "%s%s%.300s: %s", name, equals, value, why);
  uv__trace_os_say(line);
}

void uv__variable_refuse_signal(const char* name, const char* value, int err) {
  const char* why = uv_strerror(err);

  if (err == UV_EINVAL)
    why = "no such signal";
  if (err == UV_EBUSY)
    why = "the program uses that signal";
  uv__variable_refuse(name, value, why);
}

int uv__variable_get(const char* name, char* value, size_t size) {
  int err = uv_os_getenv(name, value, &size);

  /* Any other error, such as no memory on Windows, counts as not set. */
  if ((err != 0 && err != UV_ENOBUFS) || (err == 0 && value[0] == '\0') ||
      uv__trace_os_has_raised_rights())
    return 0;
  if (err == UV_ENOBUFS)
    uv__variable_refuse(name, "", uv_strerror(UV_ENAMETOOLONG));
  return err == 0;
}

int uv__variable_get_ms(const char* name, unsigned* ms) {
  char text[256];
  char* end;

  if (!uv__variable_get(name, text, sizeof(text)))
    return 0;
  long value = strtol(text, &end, 10);
  if (end == text || *end != '\0' || value <= 0 ||
      value > UV__VARIABLE_MS_MAX) {
    uv__variable_refuse(name, text, "not a number of milliseconds");
    return 0;
  }
  *ms = (unsigned) value;
  return 1;
}
