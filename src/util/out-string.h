/* SPDX-License-Identifier: MIT */
/* The public "buffer, size" convention, once.
 *
 * A NULL buffer, a NULL size or *size == 0 is UV_EINVAL. On success *size is
 * the length without the NUL; when the buffer is too small the result is
 * UV_ENOBUFS, the buffer is untouched and *size is what is needed with the NUL.
 * Context: any.
 */
#ifndef UV_UTIL_OUT_STRING_H_
#define UV_UTIL_OUT_STRING_H_

#include "util/base.h"

#include <string.h>

/* 0 or UV_EINVAL: whether a caller's buffer can be used at all. */
static inline int uv__out_string_check(const char* buffer, const size_t* size) {
  return buffer == NULL || size == NULL || *size == 0 ? UV_EINVAL : 0;
}

/* Hands out `len` bytes of `text` plus a NUL through a checked buffer. */
static inline int uv__out_string_put(const char* text,
                                     size_t len,
                                     char* buffer,
                                     size_t* size) {
  assert(*size > 0);
  if (len >= *size) {
    *size = len + 1;
    return UV_ENOBUFS;
  }
  memmove(buffer, text, len);
  buffer[len] = '\0';
  *size = len;
  return 0;
}

#endif /* UV_UTIL_OUT_STRING_H_ */
