/* SPDX-License-Identifier: MIT */
#include "util/env.h"
#include "os/system.h"

#include <stdlib.h>

#define NUMBER_SIZE 256

/* The value, which may be empty. */
static int env_read(const char* name, char* value, size_t size) {
  assert(size > 0);
  int err = uv_os_getenv(name, value, &size);

  if (err != 0 && err != UV_ENOBUFS)
    return UV_ENOENT; /* also where Windows had no memory for it */
  if (uv__os_has_raised_rights())
    return UV_ENOENT;
  return err == 0 ? 0 : UV_ENAMETOOLONG;
}

int uv__env_get(const char* name, char* value, size_t size) {
  int err = env_read(name, value, size);

  return err == 0 && value[0] == '\0' ? UV_ENOENT : err;
}

int uv__env_number(const char* text, long min, long max, long* number) {
  char* end;
  long value = strtol(text, &end, 10);

  if (end == text || *end != '\0' || value < min || value > max)
    return UV_EINVAL;
  *number = value;
  return 0;
}

int uv__env_get_ms(const char* name, unsigned* ms) {
  char text[NUMBER_SIZE];
  long value;

  int err = uv__env_get(name, text, sizeof(text));
  if (err == 0)
    err = uv__env_number(text, 1, UV__ENV_MS_MAX, &value);
  if (err == 0)
    *ms = (unsigned) value;
  return err;
}

int uv__env_get_int(const char* name, int* number) {
  char text[NUMBER_SIZE];

  int err = env_read(name, text, sizeof(text));
  if (err == 0)
    *number = (int) strtol(text, NULL, 10);
  return err;
}
