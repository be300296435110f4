/* SPDX-License-Identifier: MIT */
#include "trace.h"
#include "room.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

#define TRACE_BYTES (1 << 20)

struct trace {
  size_t used;
  int indent;
  int in_line; /* something was added since the last end */
  char text[TRACE_BYTES];
};

static struct trace* trace;

void trace_open(void) {
  trace = room_memory(sizeof(*trace));
}

void trace_clear(void) {
  trace->used = 0;
  trace->indent = 0;
  trace->in_line = 0;
}

static void put(const char* format, va_list args) {
  size_t room = TRACE_BYTES - trace->used;
  int n = vsnprintf(trace->text + trace->used, room, format, args);

  if (n > 0 && (size_t) n < room)
    trace->used += (size_t) n;
}

static void put_text(const char* format, ...) {
  va_list args;

  va_start(args, format);
  put(format, args);
  va_end(args);
}

void trace_add(const char* format, ...) {
  va_list args;

  if (!trace->in_line)
    put_text("%*s", 2 * trace->indent, "");
  trace->in_line = 1;
  va_start(args, format);
  put(format, args);
  va_end(args);
}

void trace_end(void) {
  put_text("\n");
  trace->in_line = 0;
  room_line_ended();
}

void trace_indent(int by) {
  trace->indent += by;
}

void trace_print(void) {
  FILE* out = room_output();

  fwrite(trace->text, 1, trace->used, out);
  if (trace->in_line)
    fputc('\n', out);
  fflush(out);
  trace->used = 0;
}

const char* trace_code(long code) {
  static char text[4][32];
  static int turn;
  char* out = text[turn++ % 4];

  if (code < 0)
    uv_err_name_r((int) code, out, sizeof(text[0]));
  else
    snprintf(out, sizeof(text[0]), "%ld", code);
  return out;
}
