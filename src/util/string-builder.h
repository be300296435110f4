/* SPDX-License-Identifier: MIT */
/* A growing string, for reports. Without memory it stops growing, and ends with
 * a note about that. */
#ifndef UV_UTIL_STRING_BUILDER_H_
#define UV_UTIL_STRING_BUILDER_H_

#include <stddef.h>

struct uv__strbuf {
  char* data; /* NULL as long as it is empty */
  size_t used;
  size_t size;
  int is_short; /* there was no memory for all of it */
};

/* Appends; the format is printf()'s, at most 1,000 bytes at a time. */
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
void uv__strbuf_add(struct uv__strbuf* text, const char* format, ...);
void uv__strbuf_free(struct uv__strbuf* text);

#endif /* UV_UTIL_STRING_BUILDER_H_ */
