/* SPDX-License-Identifier: MIT */
/* Host names from UTF-8 to ASCII (RFC 3490 ToASCII without Nameprep, Punycode
 * of RFC 3492).
 *
 *   name -> label by label: decode into code points -> copy or Punycode
 *
 * The whole name converts or none of it does: a name cut short is a different
 * host (CVE-2024-24806). Reads are bounded by the end pointer (CVE-2021-22918)
 * and writes by struct sink, which keeps back the byte for the NUL.
 *
 * libuv's test-idna.c includes this file: it may use no other module.
 */
#include "idna.h"
#include "util/utf8.h"

#include <assert.h>
#include <stdint.h>

/* No name longer than 255 bytes exists in the DNS, and every code point takes
 * at least one byte, so a longer label cannot be part of a valid name. */
#define LABEL_MAX 255

/* Parameters of Punycode, RFC 3492 section 5. */
enum {
  PUNY_BASE = 36,
  PUNY_TMIN = 1,
  PUNY_TMAX = 26,
  PUNY_SKEW = 38,
  PUNY_DAMP = 700,
  PUNY_BIAS = 72,
  PUNY_FIRST = 0x80 /* the lowest code point that gets encoded */
};

/* A delta is at most (code points skipped) * (label length + 1), see
 * puny_encode(); this is what RFC 3492 section 6.4 asks to be checked. */
static_assert((uint64_t) 0x110000 * (LABEL_MAX + 1) <= UINT32_MAX,
              "a delta must fit 32 bits");

/* A label on its way through. */
struct label {
  uint32_t cp[LABEL_MAX]; /* its characters */
  uint32_t len;           /* how many */
  uint32_t nbasic;        /* how many of them are ASCII */
};

/* Where the output goes. */
struct sink {
  char* at;   /* next byte to write */
  char* last; /* the byte kept for the NUL */
  int full;   /* something did not fit; sticky */
};

unsigned uv__utf8_decode1(const char** p, const char* pe) {
  size_t used = 0;
  uint32_t cp = uv__utf8_scan(*p, (size_t) (pe - *p), &used);

  *p += used;
  return uv__is_surrogate(cp) ? (unsigned) -1 : (unsigned) cp;
}

static void sink_put(struct sink* out, char c) {
  if (out->at == out->last)
    out->full = 1;
  else
    *out->at++ = c;
}

/* The full stops that IDNA takes for a dot, RFC 3490 section 3.1. */
static int is_dot(unsigned cp) {
  return cp == '.' || cp == 0x3002 || cp == 0xFF0E || cp == 0xFF61;
}

/* Fills `label` from *s up to a dot or the end. Returns 1 if a dot ended it (*s
 * is then past the dot), 0 at the end of the name, UV_EINVAL. */
static int label_read(struct label* label, const char** s, const char* se) {
  label->len = 0;
  label->nbasic = 0;

  while (*s < se) {
    unsigned cp = uv__utf8_decode1(s, se);

    if (cp == (unsigned) -1 || cp == 0)
      return UV_EINVAL;
    if (is_dot(cp))
      return 1;
    if (label->len == LABEL_MAX)
      return UV_EINVAL;

    label->cp[label->len++] = cp;
    label->nbasic += cp < PUNY_FIRST;
  }

  return 0;
}

static void put_basic(const struct label* label, struct sink* out) {
  for (uint32_t i = 0; i < label->len; i++)
    if (label->cp[i] < PUNY_FIRST)
      sink_put(out, (char) label->cp[i]);
}

/* RFC 3492 section 6.1: how the thresholds follow the sizes seen so far. */
static uint32_t puny_adapt(uint32_t delta, uint32_t npoints, int first) {
  uint32_t steps = 0;

  delta /= first ? PUNY_DAMP : 2;
  delta += delta / npoints;
  for (; delta > (PUNY_BASE - PUNY_TMIN) * PUNY_TMAX / 2; steps++)
    delta /= PUNY_BASE - PUNY_TMIN;

  return PUNY_BASE * steps +
         (PUNY_BASE - PUNY_TMIN + 1) * delta / (delta + PUNY_SKEW);
}

/* The threshold of the digit at position `k`, clamp(k - bias). */
static uint32_t puny_threshold(uint32_t k, uint32_t bias) {
  if (k <= bias + PUNY_TMIN)
    return PUNY_TMIN;
  return k - bias < PUNY_TMAX ? k - bias : PUNY_TMAX;
}

/* RFC 3492 section 3.3: a number of variable length, least digit first. */
static void put_number(struct sink* out, uint32_t value, uint32_t bias) {
  static const char digits[PUNY_BASE + 1] =
      "abcdefghijklmnopqrstuvwxyz0123456789";

  for (uint32_t k = PUNY_BASE; /* until the last digit */; k += PUNY_BASE) {
    uint32_t t = puny_threshold(k, bias);

    if (value < t)
      break;
    sink_put(out, digits[t + (value - t) % (PUNY_BASE - t)]);
    value = (value - t) / (PUNY_BASE - t);
  }
  sink_put(out, digits[value]);
}

/* The smallest code point of the label that is not below `lowest`. */
static uint32_t label_next(const struct label* label, uint32_t lowest) {
  uint32_t best = UINT32_MAX;

  for (uint32_t i = 0; i < label->len; i++)
    if (label->cp[i] >= lowest && label->cp[i] < best)
      best = label->cp[i];

  return best;
}

/* Code points in ascending order, each occurrence as the distance from the one
 * before: (code point, position) is one number, position the lesser digit. */
static void puny_encode(const struct label* label, struct sink* out) {
  uint32_t done = label->nbasic;
  uint32_t bias = PUNY_BIAS;
  uint32_t delta = 0;
  uint32_t lowest = PUNY_FIRST;

  while (done < label->len) {
    uint32_t target = label_next(label, lowest);

    delta += (target - lowest) * (done + 1);
    for (uint32_t i = 0; i < label->len; i++) {
      if (label->cp[i] < target)
        delta++;
      if (label->cp[i] != target)
        continue;
      put_number(out, delta, bias);
      bias = puny_adapt(delta, done + 1, done == label->nbasic);
      delta = 0;
      done++;
    }

    lowest = target + 1;
    delta++;
  }
}

static void label_write(const struct label* label, struct sink* out) {
  if (label->nbasic == label->len) {
    put_basic(label, out);
    return;
  }

  for (const char* prefix = "xn--"; *prefix != '\0'; prefix++)
    sink_put(out, *prefix);
  put_basic(label, out);
  if (label->nbasic > 0)
    sink_put(out, '-');
  puny_encode(label, out);
}

ssize_t uv__idna_toascii(const char* s, const char* se, char* d, char* de) {
  if (s >= se || d >= de)
    return UV_EINVAL;

  struct sink out = { d, de - 1, 0 };
  struct label label;
  int dot;

  do {
    dot = label_read(&label, &s, se);
    if (dot < 0)
      return dot;
    label_write(&label, &out);
    if (dot)
      sink_put(&out, '.');
  } while (dot && !out.full);

  if (out.full)
    return UV_EINVAL;

  *out.at++ = '\0';
  return out.at - d;
}
