/* SPDX-License-Identifier: MIT */
#include "variable.h"
#include "os/private-file.h"
#include "os/system.h"
#include "util/atomic.h"
#include "util/env.h"
#include "uv/ext.h"

#include <stdio.h>
#include <stdlib.h>

#define LINE_SIZE 480

/* Set by the build: may the environment turn observers on? */
#ifndef UV__ENVIRONMENT
# define UV__ENVIRONMENT 1
#endif

static int is_ignored = !UV__ENVIRONMENT; /* atomic */

void uvx_ignore_environment(void) {
  uv__store_relaxed(&is_ignored, 1);
}

void uv__variable_refuse(const char* name, const char* value, const char* why) {
  char line[LINE_SIZE];
  const char* equals = value[0] != '\0' ? "=" : "";

  /* A long value must not push the reason out of the line. */
  snprintf(line, sizeof(line), "%s%s%.300s: %s", name, equals, value, why);
  uv__os_print_line(line);
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
  if (uv__load_relaxed(&is_ignored))
    return 0;
  int err = uv__env_get(name, value, size);

  if (err == UV_ENAMETOOLONG)
    uv__variable_refuse(name, "", uv_strerror(err));
  return err == 0;
}

int uv__variable_get_ms(const char* name, unsigned* ms) {
  char text[256];

  if (uv__load_relaxed(&is_ignored))
    return 0;
  int err = uv__env_get_ms(name, ms);
  if (err == UV_EINVAL && uv__variable_get(name, text, sizeof(text)))
    uv__variable_refuse(name, text, "not a number of milliseconds");
  if (err == UV_ENAMETOOLONG)
    uv__variable_refuse(name, "", uv_strerror(err));
  return err == 0;
}

void uv__variable_get_number(const char* name,
                             unsigned min,
                             unsigned max,
                             unsigned* number) {
  char text[256];
  char why[64];
  long value;

  if (!uv__variable_get(name, text, sizeof(text)))
    return;
  if (uv__env_number(text, (long) min, (long) max, &value) == 0) {
    *number = (unsigned) value;
    return;
  }
  snprintf(why, sizeof(why), "not a number from %u to %u", min, max);
  uv__variable_refuse(name, text, why);
}

void uv__variable_get_mode(const char* name, unsigned* mode) {
  char text[32];
  char* end;

  if (!uv__variable_get(name, text, sizeof(text)))
    return;
  unsigned long value = strtoul(text, &end, 8);
  if (end == text || *end != '\0' || value > 0777 ||
      !uv__private_file_is_mode((unsigned) value))
    uv__variable_refuse(name, text, "not a mode such as 0640 or 0644");
  else
    *mode = (unsigned) value;
}
