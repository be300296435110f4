/* SPDX-License-Identifier: MIT */
/* Security history, names and text: CVE-2021-22918, CVE-2024-24806,
 * GHSA-4prr-4742-3ccf. Method: strings in blocks of their exact size, so that
 * ASan and valgrind see a byte too many. */
#include "test.h"

static uv_loop_t loop;

/* A copy with no spare byte. */
static char* tight(const char* text, size_t len) {
  char* copy = malloc(len + 1);
  ASSERT_NOT_NULL(copy);
  memcpy(copy, text, len);
  copy[len] = '\0';
  return copy;
}

static void unexpected(uv_getaddrinfo_t* req,
                       int status,
                       struct addrinfo* list) {
  (void) req;
  (void) status;
  (void) list;
  ASSERT(0);
}

static int resolve(const char* name, size_t len) {
  uv_getaddrinfo_t req;
  char* copy = tight(name, len);
  int err = uv_getaddrinfo(&loop, &req, unexpected, copy, NULL, NULL);
  free(copy);
  return err;
}

/* CVE-2021-22918: the decoder read past a sequence truncated by the end. */
TEST_IMPL(security_host_name_truncated_utf8) {
  static const char* const whole[] = { "\xc3\xbc", "\xe4\xb8\xad",
                                       "\xf0\x9f\x92\xa9" };
  char name[80];

  ASSERT_OK(uv_loop_init(&loop));
  for (size_t i = 0; i < ARRAY_SIZE(whole); i++) {
    for (size_t before = 0; before < 66; before++) {
      memset(name, 'a', before);
      for (size_t cut = 1; cut < strlen(whole[i]); cut++) {
        memcpy(name + before, whole[i], cut);
        name[before + cut] = '\0';
        ASSERT_ERR(UV_EINVAL, resolve(name, before + cut));
      }
    }
  }
  test_close_loop(&loop);
  return 0;
}

/* CVE-2024-24806: a long name was truncated and could name another host. */
TEST_IMPL(security_host_name_is_never_truncated) {
  static const char tail[] = "7f000001.example.com";
  char name[1200] = "0x";

  ASSERT_OK(uv_loop_init(&loop));
  memset(name + 2, '0', 246);
  memcpy(name + 248, tail, sizeof(tail));
  ASSERT_ERR(UV_EINVAL, resolve(name, strlen(name)));
  ASSERT_ERR(UV_EINVAL, resolve("", 0));
  memset(name, 'a', sizeof(name));
  for (size_t len = 256; len < sizeof(name) - 1; len += 61)
    ASSERT_ERR(UV_EINVAL, resolve(name, len));
  /* Punycode expands: 63 characters of three bytes each are too many. */
  for (size_t i = 0; i < 300; i += 3)
    memcpy(name + i, "\xe4\xb8\xad", 3);
  ASSERT_ERR(UV_EINVAL, resolve(name, 1199));
  test_close_loop(&loop);
  return 0;
}

/* GHSA-4prr-4742-3ccf: the NUL was not counted if every unit takes three bytes.
 * The length passed by the caller excludes it. */
TEST_IMPL(security_wtf8_exact_fill) {
  for (size_t n = 1; n < 100; n++) {
    uint16_t* units = malloc(n * sizeof(*units));
    ASSERT_NOT_NULL(units);
    for (size_t i = 0; i < n; i++)
      units[i] = 0x4E2D;
    ASSERT_EQ(3 * n, uv_utf16_length_as_wtf8(units, (ssize_t) n));

    for (size_t room = 3 * n - 1; room <= 3 * n + 1; room++) {
      char* text = malloc(room + 1);
      size_t len = room;
      ASSERT_NOT_NULL(text);
      int err = uv_utf16_to_wtf8(units, (ssize_t) n, &text, &len);
      ASSERT_ERR(room < 3 * n ? UV_ENOBUFS : 0, err);
      ASSERT_EQ(3 * n, len);
      ASSERT_LE(strlen(text), room);
      free(text);
    }
    free(units);
  }
  return 0;
}
