/* SPDX-License-Identifier: MIT */
/* The library's own environment variables. Nothing is printed here: a caller
 * that explains a value prints it (variable.h). A process with more rights than
 * its caller has none of them. Context: any; as in the C library, not while
 * another thread changes the environment. */
#ifndef UV_UTIL_ENV_H_
#define UV_UTIL_ENV_H_

#include "util/base.h"

/* The largest number of milliseconds that is accepted: a day. */
#define UV__ENV_MS_MAX 86400000

/* Stores the value: 0. UV_ENOENT: not set, empty, or not to be trusted;
 * UV_ENAMETOOLONG: longer than `size` allows. */
int uv__env_get(const char* name, char* value, size_t size);

/* The same for a number of milliseconds, at least 1; UV_EINVAL: not one. */
int uv__env_get_ms(const char* name, unsigned* ms);

/* The same as atoi() reads it: blanks and a sign first, what follows the digits
 * ignored, 0 without digits. An empty value is set, and 0. */
int uv__env_get_int(const char* name, int* number);

/* Stores the number that is the whole text: 0, or UV_EINVAL if the text is not
 * a decimal number from `min` to `max`. */
int uv__env_number(const char* text, long min, long max, long* number);

#endif /* UV_UTIL_ENV_H_ */
