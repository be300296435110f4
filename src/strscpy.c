/* SPDX-License-Identifier: MIT */
/* A bounded string copy that reports truncation. libuv's test-strscpy.c
 * includes this file: it may use no other module.
 */
#include "strscpy.h"

#include <string.h>

ssize_t uv__strscpy(char* d, const char* s, size_t n) {
  if (n == 0)
    return 0;

  const char* nul = memchr(s, '\0', n);
  size_t len = nul == NULL ? n - 1 : (size_t) (nul - s);

  memcpy(d, s, len);
  d[len] = '\0';
  return nul == NULL ? UV_E2BIG : (ssize_t) len;
}
