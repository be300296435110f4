/* SPDX-License-Identifier: MIT */
/* One line of a trace. Everything in it is untrusted. */
#ifndef UV_TRACE_EVENT_H_
#define UV_TRACE_EVENT_H_

#include <stddef.h>
#include <stdint.h>

/* More arguments than an event of the library has; others are skipped. */
#define EVENT_ARGS 24

/* Times beyond this are refused: a century. Sums of two cannot overflow. */
#define EVENT_NS_MAX UINT64_C(0x2bd1970ff9b05400)

/* A decimal number: (-1)^is_negative * digits * 10^exponent. */
struct number {
  uint64_t digits;
  int exponent;
  int is_negative;
};

/* A member of "args". */
struct arg {
  const char* key;
  const char* text; /* NULL: a number, or nothing that we read */
  struct number number;
};

/* Strings point into the line, are valid UTF-8 and have no control characters;
 * "" where the event has none. */
struct event {
  char ph;
  int64_t pid;
  uint64_t tid;
  uint64_t ts_ns;
  uint64_t dur_ns;
  const char* name;
  const char* cat;
  const char* id;
  struct arg args[EVENT_ARGS];
  size_t nargs;
};

/* Reads an event; `line` has `len` bytes, a NUL behind them and becomes the
 * memory of its strings. Returns 0, or -1 if it is not a whole event. */
int event_parse(struct event* event, char* line, size_t len);

/* The argument's text, or "". */
const char* event_text(const struct event* event, const char* key);

/* Stores the argument's value, rounded towards 0, times 10^`shift`; saturates.
 * Returns 0, or -1 if the argument is missing or not a number. */
int event_number(const struct event* event,
                 const char* key,
                 int shift,
                 int64_t* value);

/* A hexadecimal number: "0x1f"; 0 if it is none. */
uint64_t event_address(const char* text);

#endif /* UV_TRACE_EVENT_H_ */
