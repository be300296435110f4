/* SPDX-License-Identifier: MIT */
#ifndef UV_STRSCPY_H_
#define UV_STRSCPY_H_

#include "uv.h"

/* Copies `s` to the `n` bytes at `d`, cut to what fits; there is always a NUL,
 * unless `n` is 0, when nothing is written. Returns the length copied without
 * the NUL, or UV_E2BIG if it was cut. No bytes beyond the NUL are touched.
 * Context: any. */
ssize_t uv__strscpy(char* d, const char* s, size_t n);

#endif /* UV_STRSCPY_H_ */
