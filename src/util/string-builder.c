/* SPDX-License-Identifier: MIT */
#include "util/string-builder.h"
#include "util/alloc.h"

#include <stdarg.h>
#include <stdio.h>

#define LINE_MAX_SIZE 1024

void uv__strbuf_add(struct uv__strbuf* text, const char* format, ...) {
  va_list ap;

  if (text->is_short)
    return;
  if (text->size - text->used < LINE_MAX_SIZE) {
    size_t size = text->size * 2 + 4 * LINE_MAX_SIZE;
    char* data = uv__realloc(text->data, size);
    if (data == NULL) {
      text->is_short = 1;
      return;
    }
    text->data = data;
    text->size = size;
  }

  va_start(ap, format);
  int n = vsnprintf(text->data + text->used, LINE_MAX_SIZE, format, ap);
  va_end(ap);
  if (n > 0)
    text->used += n < LINE_MAX_SIZE ? (size_t) n : LINE_MAX_SIZE - 1;
}

void uv__strbuf_free(struct uv__strbuf* text) {
  uv__free(text->data);
  text->data = NULL;
  text->used = 0;
  text->size = 0;
}
