/* SPDX-License-Identifier: MIT */
/* The lines that name the process and its threads, and what events are about:
 * few, so that snprintf() is quick enough. */
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

static const char* const about_keys[] = {
  [UV__ABOUT_PATH] = "path",
  [UV__ABOUT_HOST] = "host",
  [UV__ABOUT_PEER] = "peer",
  [UV__ABOUT_COMMAND] = "command",
};
static_assert(ARRAY_SIZE(about_keys) == UV__ABOUT_MAX, "one per kind");

/* 1.2.3.4:80, [::1]:80; "" if it is neither. */
static void print_address(char* out, size_t size, const char* bytes) {
  struct sockaddr_storage addr;
  char ip[INET6_ADDRSTRLEN];

  memset(&addr, 0, sizeof(addr));
  memcpy(&addr, bytes, UV__TEXT_BYTES);
  const struct sockaddr_in* in = (const struct sockaddr_in*) &addr;
  const struct sockaddr_in6* in6 = (const struct sockaddr_in6*) &addr;
  out[0] = '\0';
  if (addr.ss_family == AF_INET && uv_ip4_name(in, ip, sizeof(ip)) == 0)
    snprintf(out, size, "%s:%d", ip, ntohs(in->sin_port));
  if (addr.ss_family == AF_INET6 && uv_ip6_name(in6, ip, sizeof(ip)) == 0)
    snprintf(out, size, "[%s]:%d", ip, ntohs(in6->sin6_port));
}

void uv__trace_format_about(char* out,
                            enum uv__about_kind kind,
                            const char* text,
                            size_t length) {
  char plain[UV__ABOUT_PIECES * UV__TEXT_BYTES + 1];
  char escaped[UV__TRACE_SYMBOL_MAX + 1];

  assert(kind < UV__ABOUT_MAX && length < sizeof(plain));
  memcpy(plain, text, length);
  plain[length] = '\0';
  if (kind == UV__ABOUT_PEER)
    print_address(plain, sizeof(plain), text);
  uv__trace_escape(escaped, plain);
  snprintf(out, UV__TRACE_ABOUT_MAX, ",\"%s\":\"%s\"", about_keys[kind],
           escaped);
}
