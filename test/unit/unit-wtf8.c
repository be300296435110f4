/* SPDX-License-Identifier: MIT */
/* wtf8.c: every 16-bit string survives the round trip, lengths are exact, and
 * nothing is written past the buffer. */
#include "unit.h"

#include "uv.h"

#include <stdlib.h>
#include <string.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))

struct pair {
  const uint16_t* utf16;
  size_t units;
  const char* wtf8;
};

#define PAIR(bytes, ...)                                                       \
 {                                                                             \
  (const uint16_t[]) { __VA_ARGS__, 0 },                                       \
      N(((const uint16_t[]) { __VA_ARGS__ })), bytes                           \
 }

static const struct pair pairs[] = {
  PAIR("a", 'a'),
  PAIR("\x7F\xC2\x80", 0x7F, 0x80),
  PAIR("\xDF\xBF\xE0\xA0\x80", 0x7FF, 0x800),
  PAIR("\xED\x9F\xBF\xEE\x80\x80", 0xD7FF, 0xE000),
  PAIR("\xEF\xBF\xBF", 0xFFFF),
  PAIR("\xF0\x90\x80\x80", 0xD800, 0xDC00), /* U+10000 */
  PAIR("\xF4\x8F\xBF\xBF", 0xDBFF, 0xDFFF), /* U+10FFFF */
  PAIR("\xF0\x9F\x92\xA9!", 0xD83D, 0xDCA9, '!'),
  PAIR("\xED\xA0\x80", 0xD800),                     /* high alone */
  PAIR("\xED\xBF\xBF", 0xDFFF),                     /* low alone */
  PAIR("\xED\xA0\x80x", 0xD800, 'x'),               /* high, no low */
  PAIR("x\xED\xB0\x80", 'x', 0xDC00),               /* low, no high */
  PAIR("\xED\xB0\x80\xED\xA0\x80", 0xDC00, 0xD800), /* wrong order */
  PAIR("\xED\xA0\x80\xF0\x90\x80\x80", 0xD800, 0xD800, 0xDC00),
  PAIR("\xF0\x90\x80\x80\xED\xB0\x80", 0xD800, 0xDC00, 0xDC00),
  PAIR("\xED\xAF\xBF\xED\xAF\xBF", 0xDBFF, 0xDBFF),
};

static char* to_wtf8(const uint16_t* utf16, ssize_t units, size_t* len) {
  char* out = NULL;
  CHECK_EQ(0, uv_utf16_to_wtf8(utf16, units, &out, len));
  CHECK(out != NULL);
  return out;
}

UNIT_TEST(wtf8_vectors) {
  for (size_t i = 0; i < N(pairs); i++) {
    const struct pair* p = &pairs[i];
    size_t bytes = strlen(p->wtf8);
    size_t len = 0;

    /* by length and by NUL */
    CHECK_EQ(bytes, uv_utf16_length_as_wtf8(p->utf16, (ssize_t) p->units));
    CHECK_EQ(bytes, uv_utf16_length_as_wtf8(p->utf16, -1));

    char* out = to_wtf8(p->utf16, (ssize_t) p->units, &len);
    CHECK_EQ(bytes, len);
    CHECK_STR(p->wtf8, out);
    free(out);
    out = to_wtf8(p->utf16, -1, &len);
    CHECK_EQ(bytes, len);
    CHECK_STR(p->wtf8, out);
    free(out);

    CHECK_EQ(p->units + 1, uv_wtf8_length_as_utf16(p->wtf8));
    uint16_t* back = malloc((p->units + 1) * sizeof(*back));
    CHECK(back != NULL);
    uv_wtf8_to_utf16(p->wtf8, back, p->units + 1);
    CHECK_MEM(p->utf16, back, (p->units + 1) * sizeof(*back));
    free(back);
  }
}

/* All single units and all pairs around the surrogates. */
UNIT_TEST(wtf8_round_trip) {
  static const uint16_t seconds[] = { 1,      0x7F,   0x80,   0x7FF,
                                      0x800,  0xD7FF, 0xD800, 0xDBFF,
                                      0xDC00, 0xDFFF, 0xE000, 0xFFFF };
  for (unsigned first = 1; first <= 0xFFFF; first++) {
    for (size_t i = 0; i < N(seconds); i++) {
      uint16_t in[3] = { (uint16_t) first, seconds[i], 0 };
      uint16_t back[3];
      char text[8];
      char* out = text;
      size_t len = sizeof(text) - 1;

      CHECK_EQ(0, uv_utf16_to_wtf8(in, -1, &out, &len));
      CHECK_EQ(len, strlen(text));
      CHECK_EQ(3, uv_wtf8_length_as_utf16(text));
      uv_wtf8_to_utf16(text, back, 3);
      CHECK_MEM(in, back, sizeof(in));
    }
  }
}

/* A high surrogate as the last unit of a given length is unpaired, whatever
 * follows it. */
UNIT_TEST(wtf8_length_splits_pair) {
  const uint16_t in[] = { 'a', 0xD83D, 0xDCA9, 0 };
  uint16_t* heap = malloc(2 * sizeof(*heap));
  size_t len = 0;

  CHECK_EQ(4, uv_utf16_length_as_wtf8(in, 2));
  char* out = to_wtf8(in, 2, &len);
  CHECK_EQ(4, len);
  CHECK_STR("a\xED\xA0\xBD", out);
  free(out);

  /* And nothing after it is read. */
  CHECK(heap != NULL);
  memcpy(heap, in, 2 * sizeof(*heap));
  CHECK_EQ(4, uv_utf16_length_as_wtf8(heap, 2));
  free(heap);
}

UNIT_TEST(wtf8_embedded_nul) {
  const uint16_t in[] = { 'a', 0, 'b', 0 };
  size_t len = 0;

  CHECK_EQ(1, uv_utf16_length_as_wtf8(in, -1));
  CHECK_EQ(3, uv_utf16_length_as_wtf8(in, 3));
  CHECK_EQ(0, uv_utf16_length_as_wtf8(in, 0));

  char* out = to_wtf8(in, 3, &len);
  CHECK_EQ(3, len);
  CHECK_MEM("a\0b", out, 4);
  free(out);

  out = to_wtf8(in, 0, &len);
  CHECK_EQ(0, len);
  CHECK_STR("", out);
  free(out);

  CHECK_EQ(1, uv_wtf8_length_as_utf16(""));
}

/* Buffer sizes from nothing to plenty, in blocks of exactly size + NUL. */
UNIT_TEST(wtf8_to_every_buffer_size) {
  const uint16_t in[] = { 'a', 0xE9, 0x4E2D, 0xD83D, 0xDCA9, 'z', 0 };
  const char* whole = "a\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x92\xA9z";
  /* Complete sequences that fit into this many bytes. */
  static const size_t fits[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11 };

  for (size_t room = 0; room < N(fits); room++) {
    char* out = malloc(room + 1);
    CHECK(out != NULL);
    memset(out, '#', room + 1);
    size_t len = room;
    int err = uv_utf16_to_wtf8(in, -1, &out, &len);
    CHECK_EQ(room < 11 ? UV_ENOBUFS : 0, err);
    CHECK_EQ(11, len);
    CHECK_MEM(whole, out, fits[room]);
    CHECK_EQ('\0', out[fits[room]]);
    free(out);
  }
}

/* GHSA-4prr-4742-3ccf: the given length excludes the NUL. */
UNIT_TEST(wtf8_three_byte_characters_exact_fill) {
  for (size_t n = 1; n <= 64; n++) {
    uint16_t in[65];
    for (size_t i = 0; i < n; i++)
      in[i] = 0x4E2D;

    char* out = malloc(3 * n + 1);
    CHECK(out != NULL);
    size_t len = 3 * n;
    CHECK_EQ(0, uv_utf16_to_wtf8(in, (ssize_t) n, &out, &len));
    CHECK_EQ(3 * n, len);
    CHECK_EQ(3 * n, strlen(out));

    len = 3 * n - 1;
    CHECK_EQ(UV_ENOBUFS, uv_utf16_to_wtf8(in, (ssize_t) n, &out, &len));
    CHECK_EQ(3 * n, len);
    CHECK_EQ(3 * (n - 1), strlen(out));
    free(out);
  }
}

UNIT_TEST(wtf8_optional_outputs) {
  const uint16_t in[] = { 0x4E2D, 0 };
  char text[4];
  char* out = NULL;
  size_t len = 99;

  /* only the length */
  CHECK_EQ(0, uv_utf16_to_wtf8(in, -1, NULL, &len));
  CHECK_EQ(3, len);

  /* only the text */
  CHECK_EQ(0, uv_utf16_to_wtf8(in, -1, &out, NULL));
  CHECK_STR("\xE4\xB8\xAD", out);
  free(out);

  out = text;
  CHECK_EQ(UV_EINVAL, uv_utf16_to_wtf8(in, -1, &out, NULL));
  CHECK_EQ(UV_EINVAL, uv_utf16_to_wtf8(in, -1, NULL, NULL));
  CHECK_EQ(UV_EINVAL, uv_utf16_to_wtf8(NULL, -1, NULL, &len));
  CHECK_EQ(UV_EINVAL, uv_wtf8_length_as_utf16(NULL));
}

static void* no_malloc(size_t size) {
  (void) size;
  return NULL;
}

UNIT_TEST(wtf8_no_memory) {
  const uint16_t in[] = { 'a', 0 };
  char* out = NULL;
  size_t len = 99;

  CHECK_EQ(0, uv_replace_allocator(no_malloc, realloc, calloc, free));
  CHECK_EQ(UV_ENOMEM, uv_utf16_to_wtf8(in, -1, &out, &len));
  CHECK(out == NULL);
  CHECK_EQ(99, len);
}

static const char* const malformed[] = {
  "\x80",
  "a\xBF",
  "\xC0\x80",
  "\xC1\xBF",
  "\xC3",
  "\xC3"
  "a",
  "\xE0\x80\x80",
  "\xE4\xB8",
  "\xE4",
  "\xE4\xB8"
  "a",
  "\xF0\x8F\xBF\xBF",
  "\xF0\x9F\x92",
  "\xF0\x9F",
  "\xF0",
  "\xF4\x90\x80\x80",
  "\xF8\x88\x80\x80\x80",
  "\xFF",
};

/* Refused, without reading past the NUL. */
UNIT_TEST(wtf8_malformed) {
  for (size_t i = 0; i < N(malformed); i++) {
    char* in = malloc(strlen(malformed[i]) + 1);
    CHECK(in != NULL);
    memcpy(in, malformed[i], strlen(malformed[i]) + 1);
    CHECK_ROW(uv_wtf8_length_as_utf16(in) == UV_EINVAL, malformed[i]);

    /* Converting it anyway yields replacements and a NUL. */
    uint16_t out[16];
    memset(out, 0x55, sizeof(out));
    uv_wtf8_to_utf16(in, out, 16);
    size_t n = 0;
    int replaced = 0;
    for (; n < 16 && out[n] != 0; n++)
      replaced |= out[n] == 0xFFFD;
    CHECK(n < 16);
    CHECK(replaced);
    free(in);
  }
}

/* The reverse direction accepts a pair encoded as two halves. */
UNIT_TEST(wtf8_pair_in_halves) {
  uint16_t out[3];
  CHECK_EQ(3, uv_wtf8_length_as_utf16("\xED\xA0\xBD\xED\xB2\xA9"));
  uv_wtf8_to_utf16("\xED\xA0\xBD\xED\xB2\xA9", out, 3);
  CHECK_EQ(0xD83D, out[0]);
  CHECK_EQ(0xDCA9, out[1]);
  CHECK_EQ(0, out[2]);
}

/* A buffer that is too small: truncated between characters, always with a NUL.
 */
UNIT_TEST(wtf8_to_utf16_every_buffer_size) {
  const char* in = "a\xF0\x9F\x92\xA9z";
  static const size_t fits[] = { 0, 0, 1, 1, 3, 4, 4 };

  uv_wtf8_to_utf16(in, NULL, 0);
  for (size_t room = 1; room < N(fits); room++) {
    uint16_t* out = malloc(room * sizeof(*out));
    CHECK(out != NULL);
    memset(out, 0x55, room * sizeof(*out));
    uv_wtf8_to_utf16(in, out, room);
    CHECK_EQ(0, out[fits[room]]);
    if (fits[room] > 0)
      CHECK_EQ('a', out[0]);
    if (fits[room] > 1)
      CHECK_EQ(0xDCA9, out[2]);
    free(out);
  }
}
