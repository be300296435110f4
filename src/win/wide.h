/* SPDX-License-Identifier: MIT */
/* Between the interface's UTF-8 (WTF-8, see wtf8.c) and Windows' 16-bit
 * strings. Context: any.
 */
#ifndef UV_WIN_WIDE_H_
#define UV_WIN_WIDE_H_

#include "util/base.h"

/* A copy in 16-bit units, freed with uv__free(): 0, UV_EINVAL (not WTF-8) or
 * UV_ENOMEM. */
int uv__wide_from_utf8(const char* text, WCHAR** out);

/* Units needed for `text`, including its NUL, or UV_EINVAL. */
ssize_t uv__wide_size(const char* text);

/* A copy in WTF-8, freed with uv__free(); `len` is in units, or -1 if `wide` is
 * NUL-terminated. 0 or UV_ENOMEM. */
int uv__wide_to_utf8(const WCHAR* wide, ssize_t len, char** out);

/* Copies the text to a checked buffer as described in out-string.h. 0 or
 * UV_ENOBUFS. */
int uv__wide_put(const WCHAR* wide, ssize_t len, char* buffer, size_t* size);

#endif /* UV_WIN_WIDE_H_ */
