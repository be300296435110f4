/* SPDX-License-Identifier: MIT */
/* random.c without a loop: arguments, and that every byte is filled. */
#include "unit.h"

#include "os/random.h"

#include <stdlib.h>
#include <string.h>

static int is_zero(const char* p, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (p[i] != 0)
      return 0;
  return 1;
}

UNIT_TEST(random_sync_arguments) {
  char buf[64] = { 0 };

  CHECK_EQ(UV_EINVAL, uv_random(NULL, NULL, buf, sizeof(buf), 1, NULL));
  CHECK_EQ(UV_EINVAL, uv_random(NULL, NULL, buf, sizeof(buf), -1u, NULL));
  CHECK_EQ(UV_E2BIG, uv_random(NULL, NULL, buf, (size_t) -1, 0, NULL));
  CHECK_EQ(UV_E2BIG, uv_random(NULL, NULL, buf, 0x80000000u, 0, NULL));
  CHECK_EQ(UV_E2BIG, uv_random(NULL, NULL, buf, (size_t) -1, -1u, NULL));
  CHECK_EQ(UV_EINVAL, uv_random(NULL, NULL, NULL, 1, 0, NULL));
  CHECK_EQ(0, uv_random(NULL, NULL, NULL, 0, 0, NULL));
  CHECK_EQ(0, uv_random(NULL, NULL, buf, 0, 0, NULL));
  CHECK(is_zero(buf, sizeof(buf)));
}

static void never_cb(uv_random_t* req, int status, void* buf, size_t buflen) {
  (void) req;
  (void) status;
  (void) buf;
  (void) buflen;
  CHECK(!"called back after an error");
}

UNIT_TEST(random_async_arguments) {
  char buf[8];
  uv_random_t req;
  CHECK_EQ(UV_EINVAL, uv_random(NULL, &req, buf, sizeof(buf), 0, never_cb));
}

/* Every byte up to the end is written, and none beyond it. */
UNIT_TEST(random_fills_exactly) {
  for (size_t size = 1; size <= 300; size++) {
    char* buf = malloc(size);
    CHECK(buf != NULL);
    int last_seen = 0;
    /* The last byte is 0 by chance once in 256: 8 tries are enough. */
    for (int i = 0; i < 8; i++) {
      memset(buf, 0, size);
      CHECK_EQ(0, uv_random(NULL, NULL, buf, size, 0, NULL));
      last_seen |= buf[size - 1] != 0;
    }
    CHECK(last_seen);
    free(buf);
  }
}

/* Linux returns at most 32 MB - 1 per call. */
UNIT_TEST(random_more_than_one_call_gives) {
  size_t size = (40u << 20) + 13;
  char* buf = calloc(1, size);
  if (buf == NULL)
    SKIP("no 40 MB of memory");
  CHECK_EQ(0, uv_random(NULL, NULL, buf, size, 0, NULL));
  for (size_t at = 0; at + 64 <= size; at += 64)
    CHECK(!is_zero(buf + at, 64));
  CHECK(!is_zero(buf + size - 32, 32));
  free(buf);
}
