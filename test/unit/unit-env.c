/* SPDX-License-Identifier: MIT */
/* util/env.c: the library's own environment variables. */
#include "unit.h"

#include "util/env.h"

#include <string.h>

#define NAME "UV_UNIT_ENV"

static void set(const char* value) {
  CHECK_EQ(0, uv_os_setenv(NAME, value));
}

UNIT_TEST(env_get_values) {
  char value[4];

  CHECK_EQ(0, uv_os_unsetenv(NAME));
  CHECK_EQ(UV_ENOENT, uv__env_get(NAME, value, sizeof(value)));
  set("");
  CHECK_EQ(UV_ENOENT, uv__env_get(NAME, value, sizeof(value)));
  set("abc");
  CHECK_EQ(0, uv__env_get(NAME, value, sizeof(value)));
  CHECK_STR("abc", value);
  set("abcd");
  CHECK_EQ(UV_ENAMETOOLONG, uv__env_get(NAME, value, sizeof(value)));
  CHECK_EQ(0, uv_os_unsetenv(NAME));
}

/* What 1.53.0 makes of UV_THREADPOOL_SIZE. */
UNIT_TEST(env_get_int_is_atoi) {
  static const struct {
    const char* text;
    int number;
  } cases[] = {
    { "64", 64 },  { "64 ", 64 }, { "64\r", 64 },   { " \t+7", 7 },
    { "4x", 4 },   { "abc", 0 },  { "", 0 },        { "0", 0 },
    { "0x10", 0 }, { "-3", -3 },  { "2000", 2000 },
  };
  int number = 99;

  CHECK_EQ(0, uv_os_unsetenv(NAME));
  CHECK_EQ(UV_ENOENT, uv__env_get_int(NAME, &number));
  CHECK_EQ(99, number);
  for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
    char value[8];
    size_t size = sizeof(value);
    set(cases[i].text);
    if (uv_os_getenv(NAME, value, &size) == UV_ENOENT)
      continue; /* Windows has no empty values */
    CHECK_EQ(0, uv__env_get_int(NAME, &number));
    CHECK_EQ(cases[i].number, number);
  }
  CHECK_EQ(0, uv_os_unsetenv(NAME));
}

UNIT_TEST(env_get_ms_values) {
  static const char* const bad[] = { "0", "-1", "1s", "soon", "86400001" };
  unsigned ms = 99;

  CHECK_EQ(0, uv_os_unsetenv(NAME));
  CHECK_EQ(UV_ENOENT, uv__env_get_ms(NAME, &ms));
  for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
    set(bad[i]);
    CHECK_EQ(UV_EINVAL, uv__env_get_ms(NAME, &ms));
  }
  CHECK_EQ(99, ms);
  set("86400000");
  CHECK_EQ(0, uv__env_get_ms(NAME, &ms));
  CHECK_EQ(86400000, ms);
  CHECK_EQ(0, uv_os_unsetenv(NAME));
}
