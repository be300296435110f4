/* SPDX-License-Identifier: MIT */
/* idna.c: strict UTF-8, Punycode, and names that must not be truncated. Buffers
 * have their exact size, so that ASan sees one byte too many. */
#include "unit.h"

#include "idna.h"
#include "util/utf8.h"

#include <stdlib.h>
#include <string.h>

#define BAD ((unsigned) -1)

/* A copy of exactly `n` bytes. */
static char* exact(const char* bytes, size_t n) {
  char* copy = malloc(n > 0 ? n : 1);
  CHECK(copy != NULL);
  memcpy(copy, bytes, n);
  return copy;
}

/* Decodes the first character of `n` bytes; stores how far it moved in `*used`.
 */
static unsigned decode(const char* bytes, size_t n, size_t* used) {
  char* copy = exact(bytes, n);
  const char* p = copy;
  unsigned cp = uv__utf8_decode1(&p, copy + n);
  *used = (size_t) (p - copy);
  free(copy);
  return cp;
}

/* Every code point, written by an encoder of our own, is decoded again. */
UNIT_TEST(idna_utf8_all_code_points) {
  for (unsigned cp = 0; cp <= 0x10FFFF; cp++) {
    char b[4];
    size_t n;
    if (cp < 0x80) {
      b[0] = (char) cp;
      n = 1;
    } else if (cp < 0x800) {
      b[0] = (char) (0xC0 | cp >> 6);
      b[1] = (char) (0x80 | (cp & 63));
      n = 2;
    } else if (cp < 0x10000) {
      b[0] = (char) (0xE0 | cp >> 12);
      b[1] = (char) (0x80 | (cp >> 6 & 63));
      b[2] = (char) (0x80 | (cp & 63));
      n = 3;
    } else {
      b[0] = (char) (0xF0 | cp >> 18);
      b[1] = (char) (0x80 | (cp >> 12 & 63));
      b[2] = (char) (0x80 | (cp >> 6 & 63));
      b[3] = (char) (0x80 | (cp & 63));
      n = 4;
    }

    const char* p = b;
    unsigned got = uv__utf8_decode1(&p, b + n);
    int surrogate = cp >= 0xD800 && cp <= 0xDFFF;
    CHECK_EQ(surrogate ? BAD : cp, got);
    CHECK_EQ(n, p - b);
  }
}

/* Each form truncated at the end of the buffer: an error, nothing read beyond
 * (CVE-2021-22918). */
UNIT_TEST(idna_utf8_truncated) {
  static const char* whole[] = { "\xC3\xA9", "\xE2\x82\xAC",
                                 "\xF0\x9F\x92\xA9" };
  for (size_t i = 0; i < 3; i++) {
    size_t len = strlen(whole[i]);
    for (size_t n = 1; n < len; n++) {
      size_t used;
      CHECK_EQ(BAD, decode(whole[i], n, &used));
      CHECK(used >= 1);
      CHECK(used <= n);

      char out[64];
      char* in = exact(whole[i], n);
      CHECK_EQ(UV_EINVAL, uv__idna_toascii(in, in + n, out, out + 64));
      free(in);
    }
  }
}

UNIT_TEST(idna_utf8_malformed) {
  static const struct {
    const char* bytes;
    size_t n;
    size_t used;
  } rows[] = {
    { "\x80", 1, 1 },                 /* stray continuation */
    { "\xBF\x41", 2, 1 },             /* stray continuation */
    { "\xC0\x80", 2, 2 },             /* overlong NUL */
    { "\xC1\xBF", 2, 2 },             /* overlong 0x7F */
    { "\xE0\x80\x80", 3, 3 },         /* overlong */
    { "\xE0\x9F\xBF", 3, 3 },         /* overlong 0x7FF */
    { "\xF0\x80\x80\x80", 4, 4 },     /* overlong */
    { "\xF0\x8F\xBF\xBF", 4, 4 },     /* overlong 0xFFFF */
    { "\xF4\x90\x80\x80", 4, 4 },     /* 0x110000 */
    { "\xF7\xBF\xBF\xBF", 4, 4 },     /* 0x1FFFFF */
    { "\xED\xA0\x80", 3, 3 },         /* high surrogate */
    { "\xED\xBF\xBF", 3, 3 },         /* low surrogate */
    { "\xC3\x28", 2, 2 },             /* no continuation */
    { "\xE2\x28\xA1", 3, 3 },         /* no continuation */
    { "\xE2\x82\x28", 3, 3 },         /* no continuation */
    { "\xF0\x28\x8C\xBC", 4, 4 },     /* no continuation */
    { "\xF8\x88\x80\x80\x80", 5, 1 }, /* five bytes */
    { "\xFE", 1, 1 },
    { "\xFF", 1, 1 },
  };

  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    size_t used;
    CHECK_EQ(BAD, decode(rows[i].bytes, rows[i].n, &used));
    CHECK_EQ(rows[i].used, used);
  }
}

/* All pairs of bytes: nothing is read beyond the end, and only valid UTF-8 is
 * accepted. */
UNIT_TEST(idna_utf8_all_pairs) {
  for (unsigned hi = 0; hi < 256; hi++) {
    for (unsigned lo = 0; lo < 256; lo++) {
      char b[2] = { (char) hi, (char) lo };
      size_t used;
      unsigned cp = decode(b, 2, &used);
      CHECK(used == 1 || used == 2);
      if (hi < 0x80)
        CHECK_EQ(hi, cp);
      else if (hi >= 0xC2 && hi <= 0xDF && (lo & 0xC0) == 0x80)
        CHECK_EQ((hi & 31) << 6 | (lo & 63), cp);
      else
        CHECK_EQ(BAD, cp);
    }
  }
}

struct conversion {
  const char* name;
  const char* ascii;
};

/* Section 7.1 of RFC 3492, letters A to S (without case annotations), and some
 * well-known names. */
static const struct conversion conversions[] = {
  /* (A) Arabic (Egyptian) */
  { "\u0644\u064A\u0647\u0645\u0627\u0628\u062A\u0643\u0644\u0645\u0648\u0634"
    "\u0639\u0631\u0628\u064A\u061F",
    "xn--egbpdaj6bu4bxfgehfvwxn" },
  /* (B) Chinese (simplified) */
  { "\u4ED6\u4EEC\u4E3A\u4EC0\u4E48\u4E0D\u8BF4\u4E2D\u6587",
    "xn--ihqwcrb4cv8a8dqg056pqjye" },
  /* (C) Chinese (traditional) */
  { "\u4ED6\u5011\u7232\u4EC0\u9EBD\u4E0D\u8AAA\u4E2D\u6587",
    "xn--ihqwctvzc91f659drss3x8bo0yb" },
  /* (D) Czech */
  { "Pro\u010Dprost\u011Bnemluv\u00ED\u010Desky",
    "xn--Proprostnemluvesky-uyb24dma41a" },
  /* (E) Hebrew */
  { "\u05DC\u05DE\u05D4\u05D4\u05DD\u05E4\u05E9\u05D5\u05D8\u05DC\u05D0\u05DE"
    "\u05D3\u05D1\u05E8\u05D9\u05DD\u05E2\u05D1\u05E8\u05D9\u05EA",
    "xn--4dbcagdahymbxekheh6e0a7fei0b" },
  /* (F) Hindi */
  { "\u092F\u0939\u0932\u094B\u0917\u0939\u093F\u0928\u094D\u0926\u0940\u0915"
    "\u094D\u092F\u094B\u0902\u0928\u0939\u0940\u0902\u092C\u094B\u0932\u0938"
    "\u0915\u0924\u0947\u0939\u0948\u0902",
    "xn--i1baa7eci9glrd9b2ae1bj0hfcgg6iyaf8o0a1dig0cd" },
  /* (G) Japanese */
  { "\u306A\u305C\u307F\u3093\u306A\u65E5\u672C\u8A9E\u3092\u8A71\u3057\u3066"
    "\u304F\u308C\u306A\u3044\u306E\u304B",
    "xn--n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa" },
  /* (H) Korean */
  { "\uC138\uACC4\uC758\uBAA8\uB4E0\uC0AC\uB78C\uB4E4\uC774\uD55C\uAD6D\uC5B4"
    "\uB97C\uC774\uD574\uD55C\uB2E4\uBA74\uC5BC\uB9C8\uB098\uC88B\uC744\uAE4C",
    "xn--"
    "989aomsvi5e83db1d2a355cv1e0vak1dwrv93d5xbh15a0dt30a5jpsd879ccm6fea98c" },
  /* (I) Russian, without the annotated capital */
  { "\u043F\u043E\u0447\u0435\u043C\u0443\u0436\u0435\u043E\u043D\u0438\u043D"
    "\u0435\u0433\u043E\u0432\u043E\u0440\u044F\u0442\u043F\u043E\u0440\u0443"
    "\u0441\u0441\u043A\u0438",
    "xn--b1abfaaepdrnnbgefbadotcwatmq2g4l" },
  /* (J) Spanish */
  { "Porqu\u00E9nopuedensimplementehablarenEspa\u00F1ol",
    "xn--PorqunopuedensimplementehablarenEspaol-fmd56a" },
  /* (K) Vietnamese */
  { "T\u1EA1isaoh\u1ECDkh\u00F4ngth\u1EC3ch\u1EC9n\u00F3iti\u1EBFngVi\u1EC7t",
    "xn--TisaohkhngthchnitingVit-kjcr8268qyxafd2f1b9g" },
  /* (L) to (R) */
  { "3\u5E74B\u7D44\u91D1\u516B\u5148\u751F", "xn--3B-ww4c5e180e575a65lsy2b" },
  { "\u5B89\u5BA4\u5948\u7F8E\u6075-with-SUPER-MONKEYS",
    "xn---with-SUPER-MONKEYS-pc58ag80a8qai00g7n9n" },
  { "Hello-Another-Way-\u305D\u308C\u305E\u308C\u306E\u5834\u6240",
    "xn--Hello-Another-Way--fc4qua05auwb3674vfr0b" },
  { "\u3072\u3068\u3064\u5C4B\u6839\u306E\u4E0B"
    "2",
    "xn--2-u9tlzr9756bt3uc0v" },
  { "Maji\u3067Koi\u3059\u308B5\u79D2\u524D",
    "xn--MajiKoi5-783gue6qz075azm5e" },
  { "\u30D1\u30D5\u30A3\u30FCde\u30EB\u30F3\u30D0", "xn--de-jg4avhby1noc0d" },
  { "\u305D\u306E\u30B9\u30D4\u30FC\u30C9\u3067", "xn--d9juau41awczczp" },
  /* (S) is ASCII with a dot: stays as it is */
  { "-> $1.00 <-", "-> $1.00 <-" },

  { "b\u00FCcher.example", "xn--bcher-kva.example" },
  { "fa\u00DF.de", "xn--fa-hia.de" },
  { "\u00FC", "xn--tda" },
  { ".\u00FC.", ".xn--tda." },
  { "\U0001F4A9.la", "xn--ls8h.la" },
  { "\U0010FFFF", "xn--dn32g" },
  { "xn--bcher-kva.example", "xn--bcher-kva.example" },
  { "\u00FC\u00FC\u00FC", "xn--tdaaa" },
  /* the other full stops */
  { "\u00FC\u3002a", "xn--tda.a" },
  { "\u00FC\uFF0Ea", "xn--tda.a" },
  { "a\uFF61"
    "b\u3002",
    "a.b." },
  /* nothing to do */
  { ".", "." },
  { "..", ".." },
  { "example.com.", "example.com." },
  { "A_b-C", "A_b-C" },
  { "\x7F", "\x7F" },
};

#define NCONVERSIONS (sizeof(conversions) / sizeof(conversions[0]))

UNIT_TEST(idna_toascii_vectors) {
  for (size_t i = 0; i < NCONVERSIONS; i++) {
    const char* name = conversions[i].name;
    const char* want = conversions[i].ascii;
    char* in = exact(name, strlen(name));
    char out[256];

    ssize_t n = uv__idna_toascii(in, in + strlen(name), out, out + 256);
    CHECK_ROW(n == (ssize_t) strlen(want) + 1, want);
    CHECK_STR(want, out);

    /* ASCII stays as it is. */
    char again[256];
    ssize_t m = uv__idna_toascii(out, out + n - 1, again, again + 256);
    CHECK_EQ(n, m);
    CHECK_STR(want, again);
    free(in);
  }
}

/* Every output size from nothing to plenty: the whole name with its NUL or an
 * error, and nothing written beyond (CVE-2024-24806). */
UNIT_TEST(idna_toascii_every_output_size) {
  for (size_t i = 0; i < NCONVERSIONS; i++) {
    const char* name = conversions[i].name;
    const char* want = conversions[i].ascii;
    size_t need = strlen(want) + 1;

    for (size_t size = 0; size <= need + 1; size++) {
      char* out = malloc(size > 0 ? size : 1);
      CHECK(out != NULL);
      ssize_t n = uv__idna_toascii(name, name + strlen(name), out, out + size);
      if (size < need) {
        CHECK_EQ(UV_EINVAL, n);
      } else {
        CHECK_EQ(need, n);
        CHECK_STR(want, out);
      }
      free(out);
    }
  }
}

static ssize_t to_256(const char* name, size_t n) {
  char out[256];
  return uv__idna_toascii(name, name + n, out, out + sizeof(out));
}

/* The names of the CVE: they used to be truncated to a numeric address. */
UNIT_TEST(idna_toascii_too_long) {
  char name[400];

  memset(name, '0', sizeof(name));
  memcpy(name, "0x", 2);
  memcpy(name + 2 + 246, "7f000001.example.com", 20);
  CHECK_EQ(UV_EINVAL, to_256(name, 2 + 246 + 20));

  memset(name, 'a', sizeof(name));
  CHECK_EQ(UV_EINVAL, to_256(name, 399));
  CHECK_EQ(UV_EINVAL, to_256(name, 256));
  CHECK_EQ(256, to_256(name, 255));

  memset(name, '.', sizeof(name));
  CHECK_EQ(UV_EINVAL, to_256(name, 256));
  CHECK_EQ(256, to_256(name, 255));

  /* 133 characters of two bytes each: the same digit over and over. */
  for (size_t i = 0; i < 266; i += 2)
    memcpy(name + i, "\xC3\xBC", 2);
  ssize_t n = to_256(name, 266);
  CHECK(n > 4 + 133);
  CHECK(n <= 256);
}

/* More characters than a label may have, whatever the buffer size. */
UNIT_TEST(idna_toascii_long_label_large_buffer) {
  size_t size = 1 << 20;
  char* in = malloc(size);
  char* out = malloc(size);
  CHECK(in != NULL);
  CHECK(out != NULL);

  memset(in, 'a', size);
  CHECK_EQ(UV_EINVAL, uv__idna_toascii(in, in + size - 1, out, out + size));
  for (size_t i = 0; i < size; i += 2)
    memcpy(in + i, "\xC3\xBC", 2);
  CHECK_EQ(UV_EINVAL, uv__idna_toascii(in, in + size, out, out + size));

  /* There may be as many short labels as fit. */
  for (size_t i = 0; i < size; i += 2)
    memcpy(in + i, "a.", 2);
  CHECK_EQ(size - 1, uv__idna_toascii(in, in + size - 2, out, out + size));

  free(in);
  free(out);
}

UNIT_TEST(idna_toascii_refused) {
  char out[16];
  const char* empty = "";

  CHECK_EQ(UV_EINVAL, uv__idna_toascii(empty, empty, out, out + 16));
  CHECK_EQ(UV_EINVAL, uv__idna_toascii("a", "a", out, out));
  CHECK_EQ(UV_EINVAL, to_256("a\0b", 3));
  CHECK_EQ(UV_EINVAL, to_256("\xC3\xBC\0", 3));
  CHECK_EQ(UV_EINVAL, to_256("a.\xED\xA0\x80", 5));
  CHECK_EQ(UV_EINVAL, to_256("\xC0\xAE"
                             "com",
                             5)); /* overlong dot */
}
