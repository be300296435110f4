/* SPDX-License-Identifier: MIT */
/* A reader of JSON objects of one line, as far as a trace needs it: members of
 * the event and of "args"; whatever else there is must only be well formed.
 * No recursion, no allocation; each byte is looked at once.
 */
#include "event.h"

#include <string.h>

/* Nested values that we skip: deeper is refused. */
#define DEPTH_MAX 32
#define EXPONENT_MAX 400

struct cursor {
  char* at;
  char* end; /* a NUL is there */
};

static void skip_space(struct cursor* c) {
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\r'))
    c->at++;
}

/* Takes the character if it is next. */
static int take(struct cursor* c, char expected) {
  skip_space(c);
  if (c->at == c->end || *c->at != expected)
    return 0;
  c->at++;
  return 1;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Four hexadecimal digits, or -1. */
static long take_unit(struct cursor* c) {
  long unit = 0;

  if (c->end - c->at < 4)
    return -1;
  for (int i = 0; i < 4; i++) {
    int digit = hex_digit(*c->at++);
    if (digit < 0)
      return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

/* What follows \u, as UTF-8: never longer than the escape. Surrogates and
 * control characters become a question mark. */
static char* take_unicode(struct cursor* c, char* out) {
  long unit = take_unit(c);

  if (unit < 0)
    return NULL;
  if (unit < 0x20 || (unit >= 0x7f && unit < 0xa0) ||
      (unit >= 0xd800 && unit < 0xe000)) {
    *out++ = '?';
  } else if (unit < 0x80) {
    *out++ = (char) unit;
  } else if (unit < 0x800) {
    *out++ = (char) (0xc0 | unit >> 6);
    *out++ = (char) (0x80 | (unit & 63));
  } else {
    *out++ = (char) (0xe0 | unit >> 12);
    *out++ = (char) (0x80 | (unit >> 6 & 63));
    *out++ = (char) (0x80 | (unit & 63));
  }
  return out;
}

static char* take_escape(struct cursor* c, char* out) {
  if (c->at == c->end)
    return NULL;
  char kind = *c->at++;
  if (kind == 'u')
    return take_unicode(c, out);
  if (strchr("\"\\/", kind) != NULL && kind != '\0')
    *out = kind;
  else if (strchr("bfnrt", kind) != NULL && kind != '\0')
    *out = '?'; /* a control character */
  else
    return NULL;
  return out + 1;
}

/* Bytes of a well-formed UTF-8 sequence at `s`, of at most `len`; 0: none. C1
 * controls, which some terminals act upon, are none either. */
static size_t utf8_length(const unsigned char* s, size_t len) {
  static const struct {
    unsigned char mask, lead;
    uint32_t least;
  } rows[] = { { 0xe0, 0xc0, 0xa0 },
               { 0xf0, 0xe0, 0x800 },
               { 0xf8, 0xf0, 0x10000 } };

  for (size_t n = 2; n <= 4; n++) {
    if ((s[0] & rows[n - 2].mask) != rows[n - 2].lead)
      continue;
    uint32_t point = s[0] & (unsigned char) ~rows[n - 2].mask;
    for (size_t i = 1; i < n; i++) {
      if (i >= len || (s[i] & 0xc0) != 0x80)
        return 0;
      point = point << 6 | (s[i] & 63);
    }
    int is_surrogate = point >= 0xd800 && point < 0xe000;
    return point < rows[n - 2].least || point > 0x10ffff || is_surrogate ? 0
                                                                         : n;
  }
  return 0;
}

/* The string at the cursor, which becomes NUL-terminated in place; NULL if it
 * is not one. */
static char* take_string(struct cursor* c) {
  if (!take(c, '"'))
    return NULL;
  char* text = c->at;
  char* out = text;
  while (c->at < c->end && *c->at != '"') {
    unsigned char byte = (unsigned char) *c->at;
    if (byte == '\\') {
      c->at++;
      out = take_escape(c, out);
      if (out == NULL)
        return NULL;
    } else if (byte >= 0x80) {
      size_t n = utf8_length((unsigned char*) c->at, (size_t) (c->end - c->at));
      if (n == 0) {
        *out++ = '?';
        c->at++;
      }
      for (; n > 0; n--)
        *out++ = *c->at++;
    } else {
      *out++ = byte < 0x20 || byte == 0x7f ? '?' : (char) byte;
      c->at++;
    }
  }
  if (c->at == c->end)
    return NULL;
  c->at++;
  *out = '\0';
  return text;
}

static int is_digit(const struct cursor* c) {
  return c->at < c->end && *c->at >= '0' && *c->at <= '9';
}

/* Digits of a number; those that do not fit are counted. */
static void take_digits(struct cursor* c, struct number* n, int after_point) {
  for (; is_digit(c); c->at++) {
    if (n->digits < UINT64_C(1000000000000000000) / 10) {
      n->digits = n->digits * 10 + (uint64_t) (*c->at - '0');
      n->exponent -= after_point;
    } else if (!after_point && n->exponent < EXPONENT_MAX) {
      n->exponent++;
    }
  }
}

static int take_exponent(struct cursor* c, struct number* n) {
  int exponent = 0;
  int is_negative = c->at < c->end && *c->at == '-';

  if (is_negative || (c->at < c->end && *c->at == '+'))
    c->at++;
  if (!is_digit(c))
    return -1;
  for (; is_digit(c); c->at++)
    if (exponent < EXPONENT_MAX)
      exponent = exponent * 10 + (*c->at - '0');
  n->exponent += is_negative ? -exponent : exponent;
  return 0;
}

static int take_number(struct cursor* c, struct number* n) {
  memset(n, 0, sizeof(*n));
  n->is_negative = take(c, '-');
  if (!is_digit(c))
    return -1;
  take_digits(c, n, 0);
  if (c->at < c->end && *c->at == '.') {
    c->at++;
    if (!is_digit(c))
      return -1;
    take_digits(c, n, 1);
  }
  if (c->at < c->end && (*c->at == 'e' || *c->at == 'E')) {
    c->at++;
    return take_exponent(c, n);
  }
  return 0;
}

/* true, false and null. */
static int skip_word(struct cursor* c) {
  char* start = c->at;

  while (c->at < c->end && *c->at >= 'a' && *c->at <= 'z')
    c->at++;
  return c->at == start ? -1 : 0;
}

/* An array or object, of which only brackets and strings are looked at. */
static int skip_nested(struct cursor* c) {
  char closing[DEPTH_MAX];
  size_t depth = 0;

  do {
    if (c->at == c->end)
      return -1;
    char byte = *c->at;
    if (byte == '"') {
      if (take_string(c) == NULL)
        return -1;
      continue;
    }
    c->at++;
    if (byte == '[' || byte == '{') {
      if (depth == DEPTH_MAX)
        return -1;
      closing[depth++] = byte == '[' ? ']' : '}';
    } else if (byte == ']' || byte == '}') {
      if (depth == 0 || closing[--depth] != byte)
        return -1;
    }
  } while (depth != 0);
  return 0;
}

/* Any value: `*text` is NULL unless it is a string, `*number` 0 unless one. */
static int take_value(struct cursor* c, char** text, struct number* number) {
  *text = NULL;
  memset(number, 0, sizeof(*number));
  skip_space(c);
  if (c->at == c->end)
    return -1;
  if (*c->at == '"') {
    *text = take_string(c);
    return *text == NULL ? -1 : 0;
  }
  if (*c->at == '[' || *c->at == '{')
    return skip_nested(c);
  if (*c->at == '-' || is_digit(c))
    return take_number(c, number);
  return skip_word(c);
}

/* value * 10^shift without decimals. */
static int64_t number_value(const struct number* number, int shift) {
  uint64_t value = number->digits;
  int exponent = number->exponent + shift;

  for (; exponent < 0 && value != 0; exponent++)
    value /= 10;
  for (; exponent > 0 && value != 0 && value <= INT64_MAX; exponent--)
    value = value > INT64_MAX / 10 ? (uint64_t) INT64_MAX + 1 : value * 10;
  if (value > INT64_MAX)
    value = INT64_MAX;
  return number->is_negative ? -(int64_t) value : (int64_t) value;
}

static int take_args(struct cursor* c, struct event* event) {
  if (!take(c, '{'))
    return -1;
  if (take(c, '}'))
    return 0;
  do {
    struct arg arg;
    char* key = take_string(c);
    char* text;
    if (key == NULL || !take(c, ':') || take_value(c, &text, &arg.number) != 0)
      return -1;
    arg.key = key;
    arg.text = text;
    if (event->nargs < EVENT_ARGS)
      event->args[event->nargs++] = arg;
  } while (take(c, ','));
  return take(c, '}') ? 0 : -1;
}

/* A time in microseconds; -1 if it is negative or absurd. */
static int set_time(uint64_t* ns, const struct number* number) {
  int64_t value = number_value(number, 3);

  if (value < 0 || (uint64_t) value > EVENT_NS_MAX)
    return -1;
  *ns = (uint64_t) value;
  return 0;
}

static int set_member(struct event* event,
                      const char* key,
                      const char* text,
                      const struct number* number) {
  if (strcmp(key, "ts") == 0)
    return set_time(&event->ts_ns, number);
  if (strcmp(key, "dur") == 0)
    return set_time(&event->dur_ns, number);
  if (strcmp(key, "pid") == 0)
    event->pid = number_value(number, 0);
  else if (strcmp(key, "tid") == 0)
    event->tid = (uint64_t) number_value(number, 0);
  if (text == NULL)
    return 0;
  if (strcmp(key, "ph") == 0)
    event->ph = text[0];
  else if (strcmp(key, "name") == 0)
    event->name = text;
  else if (strcmp(key, "cat") == 0)
    event->cat = text;
  else if (strcmp(key, "id") == 0)
    event->id = text;
  return 0;
}

int event_parse(struct event* event, char* line, size_t len) {
  struct cursor c = { line, line + len };

  event->ph = '\0';
  event->pid = 0;
  event->tid = 0;
  event->ts_ns = 0;
  event->dur_ns = 0;
  event->name = event->cat = event->id = "";
  event->nargs = 0;
  if (!take(&c, '{'))
    return -1;
  do {
    struct number number;
    char* text = NULL;
    char* key = take_string(&c);
    if (key == NULL || !take(&c, ':'))
      return -1;
    skip_space(&c);
    if (strcmp(key, "args") == 0) {
      if (take_args(&c, event) != 0)
        return -1;
    } else if (take_value(&c, &text, &number) != 0 ||
               set_member(event, key, text, &number) != 0) {
      return -1;
    }
  } while (take(&c, ','));
  if (!take(&c, '}'))
    return -1;
  (void) take(&c, ','); /* the last event has none */
  skip_space(&c);
  return c.at == c.end && event->ph != '\0' ? 0 : -1;
}

static const struct arg* find_arg(const struct event* event, const char* key) {
  for (size_t i = 0; i < event->nargs; i++)
    if (strcmp(event->args[i].key, key) == 0)
      return &event->args[i];
  return NULL;
}

const char* event_text(const struct event* event, const char* key) {
  const struct arg* arg = find_arg(event, key);

  return arg == NULL || arg->text == NULL ? "" : arg->text;
}

int event_number(const struct event* event,
                 const char* key,
                 int shift,
                 int64_t* value) {
  const struct arg* arg = find_arg(event, key);

  if (arg == NULL || arg->text != NULL)
    return -1;
  *value = number_value(&arg->number, shift);
  return 0;
}

uint64_t event_address(const char* text) {
  uint64_t value = 0;

  if (text[0] != '0' || text[1] != 'x')
    return 0;
  for (text += 2; hex_digit(*text) >= 0; text++)
    value = value << 4 | (uint64_t) hex_digit(*text);
  return value;
}
