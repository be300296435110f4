/* SPDX-License-Identifier: MIT */
/* strscpy.c and strtok.c. */
#include "unit.h"

#include "strscpy.h"
#include "strtok.h"

#include <stdlib.h>
#include <string.h>

/* Every source length with every target size, to the byte. */
UNIT_TEST(strscpy_every_size) {
  for (size_t len = 0; len <= 12; len++) {
    char* src = malloc(len + 1);
    CHECK(src != NULL);
    memset(src, 'x', len);
    src[len] = '\0';

    for (size_t size = 0; size <= 14; size++) {
      char dst[16];
      memset(dst, '#', sizeof(dst));
      ssize_t n = uv__strscpy(dst, src, size);

      size_t copied = len < size ? len : size - 1;
      if (size == 0) {
        CHECK_EQ(0, n);
        CHECK_EQ('#', dst[0]);
        continue;
      }
      CHECK_EQ(len < size ? (ssize_t) len : UV_E2BIG, n);
      CHECK_MEM(src, dst, copied);
      CHECK_EQ('\0', dst[copied]);
      CHECK_EQ('#', dst[copied + 1]); /* nothing beyond the NUL */
    }
    free(src);
  }
}

/* No more of the source is read than fits: it need not be terminated. */
UNIT_TEST(strscpy_source_without_end) {
  char* src = malloc(4);
  char dst[4];
  CHECK(src != NULL);
  memcpy(src, "abcd", 4);
  CHECK_EQ(UV_E2BIG, uv__strscpy(dst, src, 4));
  CHECK_STR("abc", dst);
  free(src);
}

static void check_tokens(const char* text,
                         const char* sep,
                         const char* joined) {
  char buf[128];
  char got[128] = "";
  char* place = NULL;
  strcpy(buf, text);

  char* token = uv__strtok(buf, sep, &place);
  for (; token != NULL; token = uv__strtok(NULL, sep, &place)) {
    strcat(got, "[");
    strcat(got, token);
    strcat(got, "]");
  }
  CHECK_STR(joined, got);
  /* The end stays the end. */
  CHECK(uv__strtok(NULL, sep, &place) == NULL);
}

UNIT_TEST(strtok_tokens) {
  check_tokens("abc", "", "[abc]");
  check_tokens("abc.def", ".", "[abc][def]");
  check_tokens("a,b;c", ",;", "[a][b][c]");
  check_tokens("", ",", "");
  check_tokens(",", ",", "");
  check_tokens(",,,", ",", "");
  check_tokens(",a", ",", "[a]");
  check_tokens("a,", ",", "[a]");
  check_tokens(",,a,,;b,,", ",;", "[a][b]");
  check_tokens("/usr/bin:/bin", ":", "[/usr/bin][/bin]");
}

/* Two strings at a time, and changing separators. */
UNIT_TEST(strtok_keeps_its_place) {
  char one[] = "a b";
  char two[] = "1:2 3";
  char* p1 = NULL;
  char* p2 = NULL;

  CHECK_STR("a", uv__strtok(one, " ", &p1));
  CHECK_STR("1", uv__strtok(two, ":", &p2));
  CHECK_STR("b", uv__strtok(NULL, " ", &p1));
  CHECK_STR("2", uv__strtok(NULL, " ", &p2));
  CHECK_STR("3", uv__strtok(NULL, " ", &p2));
  CHECK_STR(NULL, uv__strtok(NULL, " ", &p1));
  CHECK_STR(NULL, uv__strtok(NULL, " ", &p2));

  char* nowhere = NULL;
  CHECK_STR(NULL, uv__strtok(NULL, " ", &nowhere));
  CHECK_STR(NULL, uv__strtok(one, NULL, &p1));
}
