/* SPDX-License-Identifier: MIT */
/* The lines that name the process and its threads: few, so that snprintf() is
 * quick enough. */
#include "observe/trace/format.h"

#include <stdio.h>
#include <string.h>

/* Truncated text cannot happen: UV__TRACE_TEXT_MAX has room for all strings. */
static size_t length_of(int printed) {
  assert(printed > 0 && printed < UV__TRACE_TEXT_MAX);
  return (size_t) printed;
}

static size_t put_meta(char* out,
                       const struct uv__trace_context* context,
                       const char* kind,
                       const char* name) {
  return length_of(
      snprintf(out, UV__TRACE_TEXT_MAX,
               "{\"ph\":\"M%.*s,\"name\":\"%s\",\"args\":{\"name\":\"%s\"}},\n",
               (int) context->length, context->text, kind, name));
}

size_t uv__trace_format_begin(char* out,
                              struct uv__trace_context* context,
                              const char* program,
                              const char* path,
                              const char* library) {
  char escaped[UV__TRACE_SYMBOL_MAX + 1];
  char where[UV__TRACE_SYMBOL_MAX + 1] = "";
  int has_path = strlen(path) <= UV__TRACE_SYMBOL_MAX;

  uv__trace_escape(escaped, library);
  if (has_path)
    uv__trace_escape(where, path);
  size_t used = length_of(snprintf(
      out, UV__TRACE_TEXT_MAX,
      UV__TRACE_EVENT "%.*s,\"args\":{\"version\":2,\"library\":\"%s\"%s%s%s,"
                      "\"clock\":\"monotonic\",\"symbols\":\"dynamic\"}},\n",
      (int) context->length, context->text, escaped,
      has_path ? ",\"program\":\"" : "", where, has_path ? "\"" : ""));
  uv__trace_escape(escaped, program);
  return used + put_meta(out + used, context, "process_name", escaped);
}

size_t uv__trace_format_thread(char* out,
                               struct uv__trace_context* context,
                               const char* name,
                               const void* loop,
                               unsigned number) {
  char text[64];

  if (loop != NULL)
    snprintf(text, sizeof(text), "%s 0x%llx", name,
             (unsigned long long) (uintptr_t) loop);
  else
    snprintf(text, sizeof(text), "%s %u", name, number);
  return put_meta(out, context, "thread_name", text);
}
