/* SPDX-License-Identifier: MIT */
/* One sequence of generalised UTF-8, the common ground of idna.c (which then
 * refuses surrogates) and wtf8.c (which keeps them). Inline and free of other
 * headers of ours, because libuv's own tests compile idna.c by itself.
 */
#ifndef UV_UTIL_UTF8_H_
#define UV_UTIL_UTF8_H_

#include <stddef.h>
#include <stdint.h>

#define UV__UTF8_BAD UINT32_MAX

/* What a lead byte announces, by the number of ones it begins with. */
struct uv__utf8_lead {
  uint8_t len;  /* bytes of the sequence; 0: cannot start one */
  uint8_t mask; /* which bits of the lead byte are payload */
  uint32_t min; /* smallest code point that needs so many bytes */
};

/* Decodes the sequence at `s`, of which `avail` > 0 bytes may be read. Returns
 * the code point, surrogates included, or UV__UTF8_BAD for stray, overlong,
 * truncated or too large sequences. `*used` is how far to move on, never more
 * than `avail`: the announced length also for a sequence that turns out bad.
 * Context: any. */
static inline uint32_t uv__utf8_scan(const char* s,
                                     size_t avail,
                                     size_t* used) {
  static const struct uv__utf8_lead leads[9] = {
    [0] = { 1, 0x7F, 0 },       [1] = { 0, 0, 0 }, /* a continuation byte */
    [2] = { 2, 0x1F, 0x80 },    [3] = { 3, 0x0F, 0x800 },
    [4] = { 4, 0x07, 0x10000 },
    /* More than four: never assigned by Unicode. */
  };
  uint8_t first = (uint8_t) *s;
  unsigned ones = 0;
  while ((first & 0x80u >> ones) != 0)
    ones++;

  const struct uv__utf8_lead* lead = &leads[ones];
  if (lead->len == 0) {
    *used = 1;
    return UV__UTF8_BAD;
  }
  if (lead->len > avail) {
    *used = avail;
    return UV__UTF8_BAD;
  }
  *used = lead->len;

  uint32_t cp = first & lead->mask;
  for (size_t i = 1; i < lead->len; i++) {
    uint8_t next = (uint8_t) s[i];
    if ((next & 0xC0) != 0x80)
      return UV__UTF8_BAD;
    cp = cp << 6 | (next & 0x3F);
  }

  return cp >= lead->min && cp <= 0x10FFFF ? cp : UV__UTF8_BAD;
}

/* Half of a UTF-16 pair, not a character by itself. */
static inline int uv__is_surrogate(uint32_t cp) {
  return cp >= 0xD800 && cp <= 0xDFFF;
}

#endif /* UV_UTIL_UTF8_H_ */
