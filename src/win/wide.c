/* SPDX-License-Identifier: MIT */
/* Conversion between UTF-8 and Windows' 16-bit strings; based on wtf8.c. */
#include "win/wide.h"
#include "util/alloc.h"
#include "util/out-string.h"

static_assert(sizeof(WCHAR) == sizeof(uint16_t), "WCHAR is a UTF-16 unit");

ssize_t uv__wide_size(const char* text) {
  ssize_t units = uv_wtf8_length_as_utf16(text);
  return units < 0 ? UV_EINVAL : units;
}

int uv__wide_from_utf8(const char* text, WCHAR** out) {
  ssize_t units = uv__wide_size(text);
  if (units < 0)
    return (int) units;

  WCHAR* wide = uv__malloc_array((size_t) units, sizeof(*wide));
  if (wide == NULL)
    return UV_ENOMEM;
  uv_wtf8_to_utf16(text, (uint16_t*) wide, (size_t) units);
  *out = wide;
  return 0;
}

int uv__wide_to_utf8(const WCHAR* wide, ssize_t len, char** out) {
  char* text = NULL;
  size_t size = 0;
  int err = uv_utf16_to_wtf8((const uint16_t*) wide, len, &text, &size);

  if (err == 0)
    *out = text;
  return err;
}

int uv__wide_put(const WCHAR* wide, ssize_t len, char* buffer, size_t* size) {
  const uint16_t* units = (const uint16_t*) wide;
  size_t needed = uv_utf16_length_as_wtf8(units, len);

  if (needed >= *size) {
    *size = needed + 1;
    return UV_ENOBUFS;
  }
  return uv_utf16_to_wtf8(units, len, &buffer, size);
}
