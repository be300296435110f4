/* SPDX-License-Identifier: MIT */
/* Conversion of UTF-16 as Windows uses it, with unpaired surrogates anywhere,
 * to WTF-8 and back (https://simonsapin.github.io/wtf-8/): a lone surrogate
 * becomes a sequence of three bytes, so every 16-bit string survives the round
 * trip.
 *
 * The conversion back also accepts a pair encoded as two surrogates. Context:
 * any.
 */
#include "util/base.h"
#include "util/alloc.h"
#include "util/utf8.h"

#include <string.h>

#define REPLACEMENT 0xFFFD

/* 16-bit units still to be read. */
struct source {
  const uint16_t* at;  /* next unit */
  const uint16_t* end; /* NULL: a unit of 0 ends it */
};

static struct source source_init(const uint16_t* utf16, ssize_t len) {
  return (struct source) { utf16, len < 0 ? NULL : utf16 + len };
}

static int source_empty(const struct source* in) {
  return in->end == NULL ? *in->at == 0 : in->at == in->end;
}

/* Returns the next code point of a non-empty source; an unpaired surrogate
 * stands for itself. */
static uint32_t source_next(struct source* in) {
  uint32_t high = *in->at++;

  if (high < 0xD800 || high > 0xDBFF || source_empty(in))
    return high;

  uint32_t low = *in->at;
  if (low < 0xDC00 || low > 0xDFFF)
    return high;

  in->at++;
  return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

static size_t encoded_size(uint32_t cp) {
  return 1 + (cp > 0x7F) + (cp > 0x7FF) + (cp > 0xFFFF);
}

/* Writes the encoded_size(cp) bytes of `cp`. */
static void wtf8_encode(uint32_t cp, char* to, size_t size) {
  static const uint8_t lead[] = { 0, 0, 0xC0, 0xE0, 0xF0 };

  for (size_t i = size - 1; i > 0; i--) {
    to[i] = (char) (0x80 | (cp & 0x3F));
    cp >>= 6;
  }
  to[0] = (char) (lead[size] | cp);
}

size_t uv_utf16_length_as_wtf8(const uint16_t* utf16, ssize_t utf16_len) {
  struct source in = source_init(utf16, utf16_len);
  size_t total = 0;

  while (!source_empty(&in))
    total += encoded_size(source_next(&in));

  return total;
}

/* Writes as many whole sequences as fit `room` bytes, and a NUL. */
static void fill_wtf8(struct source in, char* to, size_t room) {
  while (!source_empty(&in)) {
    uint32_t cp = source_next(&in);
    size_t size = encoded_size(cp);

    if (size > room)
      break;
    wtf8_encode(cp, to, size);
    to += size;
    room -= size;
  }
  *to = '\0';
}

int uv_utf16_to_wtf8(const uint16_t* utf16,
                     ssize_t utf16_len,
                     char** wtf8_ptr,
                     size_t* wtf8_len_ptr) {
  int allocate = wtf8_ptr != NULL && *wtf8_ptr == NULL;

  /* The length may be omitted only if the function allocates the buffer. */
  if (utf16 == NULL || (wtf8_len_ptr == NULL && !allocate))
    return UV_EINVAL;

  size_t need = uv_utf16_length_as_wtf8(utf16, utf16_len);
  size_t room = need;

  if (allocate) {
    char* fresh = uv__malloc(need + 1);
    if (fresh == NULL)
      return UV_ENOMEM;
    *wtf8_ptr = fresh;
  } else if (wtf8_ptr != NULL) {
    room = *wtf8_len_ptr;
  }

  if (wtf8_len_ptr != NULL)
    *wtf8_len_ptr = need;
  if (wtf8_ptr != NULL)
    fill_wtf8(source_init(utf16, utf16_len), *wtf8_ptr, room);

  return room < need ? UV_ENOBUFS : 0;
}

/* The next code point of a string that is not at its NUL, or UV__UTF8_BAD. A
 * truncated sequence never makes it step over the NUL. */
static uint32_t wtf8_next(const char** s) {
  size_t avail = 1;
  while (avail < 4 && (*s)[avail] != '\0')
    avail++;

  size_t used = 0;
  uint32_t cp = uv__utf8_scan(*s, avail, &used);
  *s += used;
  return cp;
}

ssize_t uv_wtf8_length_as_utf16(const char* wtf8) {
  ssize_t units = 1; /* the NUL */

  if (wtf8 == NULL)
    return UV_EINVAL;

  while (*wtf8 != '\0') {
    uint32_t cp = wtf8_next(&wtf8);
    if (cp == UV__UTF8_BAD)
      return UV_EINVAL;
    units += cp > 0xFFFF ? 2 : 1;
  }

  return units;
}

/* Never writes past `utf16_len`, whatever the caller measured: what does not
 * fit is left out, what is no WTF-8 is replaced. */
void uv_wtf8_to_utf16(const char* wtf8, uint16_t* utf16, size_t utf16_len) {
  if (utf16_len == 0)
    return;

  size_t room = utf16_len - 1;
  while (*wtf8 != '\0') {
    uint32_t cp = wtf8_next(&wtf8);
    size_t units = 1;

    if (cp == UV__UTF8_BAD)
      cp = REPLACEMENT;
    if (cp > 0xFFFF)
      units = 2;
    if (units > room)
      break;

    if (units == 2) {
      cp -= 0x10000;
      *utf16++ = (uint16_t) (0xD800 + (cp >> 10));
      cp = 0xDC00 + (cp & 0x3FF);
    }
    *utf16++ = (uint16_t) cp;
    room -= units;
  }
  *utf16 = 0;
}
