/* SPDX-License-Identifier: MIT */
/* IP addresses between text and network order, the same on every system.
 *
 * Text to address is strict: four decimal numbers without leading zeros for
 * IPv4; RFC 4291 section 2.2 for IPv6, with an optional zone ("%eth0") that is
 * not looked at here (see addr.c). Address to text is RFC 5952. The target is
 * written only on success. Context: any.
 */
#include "util/base.h"

#include <string.h>

enum {
  V4_BYTES = 4,
  V6_BYTES = 16,
  V6_GROUPS = 8,
  V6_TEXT_MAX = sizeof("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255")
};

/* Text still to be read; not NUL-terminated. */
struct text {
  const char* at;
  const char* end;
};

static int text_peek(const struct text* in) {
  return in->at < in->end ? (unsigned char) *in->at : -1;
}

static int text_take(struct text* in, char c) {
  if (text_peek(in) != c)
    return 0;
  in->at++;
  return 1;
}

/* A number from 0 to 255 without leading zeros, or -1. */
static int parse_octet(struct text* in) {
  const char* first = in->at;
  int value = 0;

  while (text_peek(in) >= '0' && text_peek(in) <= '9') {
    value = value * 10 + (*in->at++ - '0');
    if (value > 255)
      return -1;
  }

  long len = in->at - first;
  if (len == 0 || (len > 1 && *first == '0'))
    return -1;
  return value;
}

static int parse_v4(struct text in, unsigned char out[V4_BYTES]) {
  for (int i = 0; i < V4_BYTES; i++) {
    if (i > 0 && !text_take(&in, '.'))
      return UV_EINVAL;

    int octet = parse_octet(&in);
    if (octet < 0)
      return UV_EINVAL;
    out[i] = (unsigned char) octet;
  }

  return in.at == in.end ? 0 : UV_EINVAL;
}

static int hex_value(int c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

/* One to four hexadecimal digits, or -1. */
static int parse_group(struct text* in) {
  int value = 0;
  int ndigits = 0;

  for (; hex_value(text_peek(in)) >= 0; ndigits++) {
    if (ndigits == 4)
      return -1;
    value = value << 4 | hex_value(*in->at++);
  }

  return ndigits > 0 ? value : -1;
}

/* An IPv6 address while it is read. */
struct v6 {
  unsigned char bytes[V6_BYTES]; /* groups so far, without the gap */
  int n;                         /* bytes of it */
  int gap;                       /* where "::" stood, -1: nowhere */
};

/* Appends the group at the front of `in`, or the IPv4 address that the rest of
 * `in` may be. */
static int parse_v6_part(struct text* in, struct v6* addr) {
  struct text start = *in;
  int group = parse_group(in);

  if (text_peek(in) == '.') {
    if (addr->n > V6_BYTES - V4_BYTES)
      return UV_EINVAL;
    if (parse_v4(start, addr->bytes + addr->n) != 0)
      return UV_EINVAL;
    addr->n += V4_BYTES;
    in->at = in->end;
    return 0;
  }

  if (group < 0 || addr->n == V6_BYTES)
    return UV_EINVAL;
  addr->bytes[addr->n++] = (unsigned char) (group >> 8);
  addr->bytes[addr->n++] = (unsigned char) group;
  return 0;
}

/* The colon or colons in front of the next part. Sets addr->gap at "::". */
static int parse_v6_colons(struct text* in, struct v6* addr) {
  if (!text_take(in, ':'))
    return UV_EINVAL;
  if (!text_take(in, ':'))
    return addr->n == 0 ? UV_EINVAL : 0; /* nothing starts with one colon */
  if (addr->gap >= 0)
    return UV_EINVAL;
  addr->gap = addr->n;
  return 0;
}

static int parse_v6(struct text in, unsigned char out[V6_BYTES]) {
  struct v6 addr = { .n = 0, .gap = -1 };
  int more = in.at < in.end;

  while (more) {
    if (addr.n > 0 || text_peek(&in) == ':')
      if (parse_v6_colons(&in, &addr) != 0)
        return UV_EINVAL;
    if (addr.gap == addr.n && in.at == in.end)
      break; /* "::" may be the last thing, ":" may not */
    if (parse_v6_part(&in, &addr) != 0)
      return UV_EINVAL;
    more = in.at < in.end;
  }

  /* "::" stands for at least one group; without it all must be there. */
  if (addr.gap < 0 ? addr.n != V6_BYTES : addr.n == V6_BYTES)
    return UV_EINVAL;

  int head = addr.gap < 0 ? addr.n : addr.gap;
  int tail = addr.n - head;
  memset(out, 0, V6_BYTES);
  memcpy(out, addr.bytes, (size_t) head);
  memcpy(out + V6_BYTES - tail, addr.bytes + head, (size_t) tail);
  return 0;
}

int uv_inet_pton(int af, const char* src, void* dst) {
  if (src == NULL || dst == NULL)
    return UV_EINVAL;
  if (af != AF_INET && af != AF_INET6)
    return UV_EAFNOSUPPORT;

  unsigned char bytes[V6_BYTES];
  struct text in = { src, src + strlen(src) };
  int err;

  if (af == AF_INET) {
    err = parse_v4(in, bytes);
  } else {
    in.end = src + strcspn(src, "%");
    err = parse_v6(in, bytes);
  }

  if (err == 0)
    memcpy(dst, bytes, af == AF_INET ? V4_BYTES : V6_BYTES);
  return err;
}

static char* put_number(char* to, unsigned value, unsigned base) {
  char reversed[8];
  int n = 0;

  do {
    reversed[n++] = "0123456789abcdef"[value % base];
    value /= base;
  } while (value > 0);

  while (n > 0)
    *to++ = reversed[--n];
  return to;
}

static char* put_v4(char* to, const unsigned char* bytes) {
  for (int i = 0; i < V4_BYTES; i++) {
    if (i > 0)
      *to++ = '.';
    to = put_number(to, bytes[i], 10);
  }
  return to;
}

static unsigned group_at(const unsigned char* bytes, int i) {
  return (unsigned) bytes[2 * i] << 8 | bytes[2 * i + 1];
}

/* The first of the longest runs of zero groups: its length, 0 if no run has
 * two groups. */
static int longest_gap(const unsigned char* bytes, int* start) {
  int best = 1;
  int run = 0;

  for (int i = 0; i < V6_GROUPS; i++) {
    run = group_at(bytes, i) == 0 ? run + 1 : 0;
    if (run > best) {
      best = run;
      *start = i + 1 - run;
    }
  }

  return best > 1 ? best : 0;
}

/* Whether the last four bytes read better as IPv4: compatible (::1.2.3.4) and
 * mapped (::ffff:1.2.3.4) addresses. */
static int embeds_v4(const unsigned char* bytes, int gap, int start) {
  if (gap == 0 || start != 0)
    return 0;
  return gap == 6 || (gap == 5 && group_at(bytes, 5) == 0xFFFF);
}

static char* put_v6(char* to, const unsigned char* bytes) {
  int start = V6_GROUPS;
  int gap = longest_gap(bytes, &start);
  int ngroups = embeds_v4(bytes, gap, start) ? V6_GROUPS - 2 : V6_GROUPS;

  for (int i = 0; i < ngroups; i++) {
    if (i == start) {
      *to++ = ':';
      i += gap - 1;
      /* The other colon: before the next part, or here if there is none. */
      if (i == V6_GROUPS - 1)
        *to++ = ':';
      continue;
    }
    if (i > 0)
      *to++ = ':';
    to = put_number(to, group_at(bytes, i), 16);
  }

  if (ngroups == V6_GROUPS)
    return to;
  *to++ = ':';
  return put_v4(to, bytes + V6_BYTES - V4_BYTES);
}

int uv_inet_ntop(int af, const void* src, char* dst, size_t size) {
  if (af != AF_INET && af != AF_INET6)
    return UV_EAFNOSUPPORT;
  if (src == NULL || (dst == NULL && size > 0))
    return UV_EINVAL;

  char text[V6_TEXT_MAX];
  char* end = af == AF_INET ? put_v4(text, src) : put_v6(text, src);
  *end++ = '\0';

  size_t len = (size_t) (end - text);
  if (len > size)
    return UV_ENOSPC;
  memcpy(dst, text, len);
  return 0;
}
