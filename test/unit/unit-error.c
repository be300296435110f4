/* SPDX-License-Identifier: MIT */
/* error.c: the whole table, unknown codes, and buffers of every size. */
#include "unit.h"

#include "uv.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))

struct row {
  int code;
  const char* name;
  const char* message;
};

static const struct row rows[] = {
#define XX(name, message) { UV_##name, #name, message },
  UV_ERRNO_MAP(XX)
#undef XX
};

UNIT_TEST(error_table) {
  for (size_t i = 0; i < N(rows); i++) {
    char buf[128];
    CHECK(rows[i].code < 0);
    CHECK_STR(rows[i].name, uv_err_name(rows[i].code));
    CHECK_STR(rows[i].message, uv_strerror(rows[i].code));
    CHECK(uv_err_name_r(rows[i].code, buf, sizeof(buf)) == buf);
    CHECK_STR(rows[i].name, buf);
    CHECK(uv_strerror_r(rows[i].code, buf, sizeof(buf)) == buf);
    CHECK_STR(rows[i].message, buf);
  }
  /* The code that programs compiled before 1.53 use. */
  CHECK_STR("EFTYPE", uv_err_name(-4028));
}

/* No number has two names: the second could never be found. */
UNIT_TEST(error_table_distinct) {
  for (size_t i = 0; i < N(rows); i++)
    for (size_t k = 0; k < i; k++)
      CHECK_ROW(rows[i].code != rows[k].code, rows[i].name);
}

/* Every unknown code near the table. */
UNIT_TEST(error_unknown_r) {
  for (int code = -5000; code <= 200; code++) {
    int known = code == -4028; /* EFTYPE before 1.53 */
    for (size_t i = 0; i < N(rows); i++)
      known |= rows[i].code == code;
    if (known)
      continue;

    char want[64];
    char got[64];
    snprintf(want, sizeof(want), "Unknown system error %d", code);
    CHECK_STR(want, uv_err_name_r(code, got, sizeof(got)));
    CHECK_STR(want, uv_strerror_r(code, got, sizeof(got)));
  }
}

UNIT_TEST(error_unknown_static) {
  CHECK_STR("Unknown system error 0", uv_strerror(0));
  CHECK_STR("Unknown system error 1337", uv_strerror(1337));
  CHECK_STR("Unknown system error -1337", uv_strerror(-1337));
  CHECK_STR("Unknown system error -1337", uv_err_name(-1337));
  CHECK_STR("Unknown system error -2147483648", uv_err_name(INT_MIN));
  CHECK_STR("Unknown system error 2147483647", uv_err_name(INT_MAX));

  /* The same code needs no new memory, and earlier texts stay valid. */
  const char* first = uv_strerror(-1337);
  for (int i = 0; i < 1000; i++)
    CHECK(uv_strerror(-1337) == first);
  CHECK_STR("Unknown system error -1337", first);
}

static void* no_malloc(size_t size) {
  (void) size;
  return NULL;
}

/* More codes than are kept: valid texts, also without memory. */
UNIT_TEST(error_unknown_many) {
  const char* texts[64];
  for (int i = 0; i < 64; i++)
    texts[i] = uv_strerror(10000 + i);
  for (int i = 0; i < 64; i++) {
    char want[64];
    snprintf(want, sizeof(want), "Unknown system error %d", 10000 + i);
    CHECK_STR(want, texts[i]);
  }

  char* leaked = (char*) uv_strerror(20000);
  CHECK_STR("Unknown system error 20000", leaked);
  free(leaked); /* the block that the manual says leaks */

  CHECK_EQ(0, uv_replace_allocator(no_malloc, realloc, calloc, free));
  CHECK_STR("Unknown system error", uv_strerror(20001));
  CHECK_STR("Unknown system error 10005", uv_strerror(10005));
}

static void ask_from_thread(void* arg) {
  (void) arg;
  for (int i = 0; i < 20000; i++) {
    int code = 30000 + i % 16;
    char want[64];
    snprintf(want, sizeof(want), "Unknown system error %d", code);
    CHECK_STR(want, uv_strerror(code));
  }
}

UNIT_TEST(error_unknown_threads) {
  uv_thread_t threads[4];
  for (size_t i = 0; i < N(threads); i++)
    CHECK_EQ(0, uv_thread_create(&threads[i], ask_from_thread, NULL));
  for (size_t i = 0; i < N(threads); i++)
    CHECK_EQ(0, uv_thread_join(&threads[i]));
}

/* Truncated to fit, always with a NUL; nothing at size 0. */
UNIT_TEST(error_r_every_size) {
  static const struct {
    int code;
    const char* text;
  } cases[] = { { UV_EINVAL, "invalid argument" },
                { -1337, "Unknown system error -1337" } };

  for (size_t c = 0; c < N(cases); c++) {
    for (size_t size = 0; size <= strlen(cases[c].text) + 2; size++) {
      char* buf = malloc(size > 0 ? size : 1);
      CHECK(buf != NULL);
      buf[0] = '#';
      CHECK(uv_strerror_r(cases[c].code, buf, size) == buf);
      if (size == 0) {
        CHECK_EQ('#', buf[0]);
      } else {
        size_t len = strlen(cases[c].text);
        len = len < size ? len : size - 1;
        CHECK_EQ(len, strlen(buf));
        CHECK_MEM(cases[c].text, buf, len);
      }
      free(buf);
    }
  }

  char cut[5];
  CHECK_STR("EINV", uv_err_name_r(UV_EINVAL, cut, sizeof(cut)));
  CHECK_STR("Unkn", uv_err_name_r(-1337, cut, sizeof(cut)));
}

#if TEST_POSIX
/* Numbers of errno.h, which UV_E* negate. */
UNIT_TEST(error_translate) {
  CHECK_EQ(0, uv_translate_sys_error(0));
  for (int e = 1; e < 200; e++) {
    CHECK_EQ(-e, uv_translate_sys_error(e));
    CHECK_EQ(-e, uv_translate_sys_error(-e));
  }
  CHECK_EQ(UV_EPIPE, uv_translate_sys_error(EPIPE));
  CHECK_EQ(UV_EOF, uv_translate_sys_error(UV_EOF));
  CHECK_EQ(-INT_MAX, uv_translate_sys_error(INT_MAX));
  CHECK_EQ(INT_MIN, uv_translate_sys_error(INT_MIN));
}
#else
/* Numbers of Win32 and Winsock. */
UNIT_TEST(error_translate) {
  CHECK_EQ(0, uv_translate_sys_error(0));
  CHECK_EQ(UV_ENOENT, uv_translate_sys_error(ERROR_FILE_NOT_FOUND));
  CHECK_EQ(UV_EPERM, uv_translate_sys_error(ERROR_ACCESS_DENIED));
  CHECK_EQ(UV_ECONNRESET, uv_translate_sys_error(WSAECONNRESET));
  CHECK_EQ(UV_ECONNRESET, uv_translate_sys_error(ERROR_NETNAME_DELETED));
  CHECK_EQ(UV_ECONNABORTED, uv_translate_sys_error(WSAECONNABORTED));
  CHECK_EQ(UV_ECANCELED, uv_translate_sys_error(WSAEINTR));
  CHECK_EQ(UV_ECANCELED, uv_translate_sys_error(ERROR_OPERATION_ABORTED));
  CHECK_EQ(UV_ETIMEDOUT, uv_translate_sys_error(ERROR_SEM_TIMEOUT));
  CHECK_EQ(UV_ENOBUFS, uv_translate_sys_error(WSAENOBUFS));
  CHECK_EQ(UV_EOF, uv_translate_sys_error(ERROR_BROKEN_PIPE));
  CHECK_EQ(UV_UNKNOWN, uv_translate_sys_error(INT_MAX));
  /* A UV_E* code stays as it is. */
  CHECK_EQ(UV_EOF, uv_translate_sys_error(UV_EOF));
  CHECK_EQ(INT_MIN, uv_translate_sys_error(INT_MIN));
}
#endif
