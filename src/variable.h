/* SPDX-License-Identifier: MIT */
/* Environment variables that are explained to whoever set them. They never make
 * a program fail: an invalid value is reported on standard error and otherwise
 * ignored. */
#ifndef UV_VARIABLE_H_
#define UV_VARIABLE_H_

#include "util/base.h"

/* Stores the value of a variable and returns 1. Returns 0 if uv__env_get() has
 * none, or if the program or the build ignores the environment; with a message
 * if the value is too long. */
int uv__variable_get(const char* name, char* value, size_t size);

/* The same for a number of milliseconds; with a message if it is not one. */
int uv__variable_get_ms(const char* name, unsigned* ms);

/* The same for a number from `min` to `max`; no result. */
void uv__variable_get_number(const char* name,
                             unsigned min,
                             unsigned max,
                             unsigned* number);

/* The same for the permissions of a file, in octal digits; no result. */
void uv__variable_get_mode(const char* name, unsigned* mode);

/* Prints why the value of a variable could not be used. */
void uv__variable_refuse(const char* name, const char* value, const char* why);

/* The same of a signal, by the error of taking it. */
void uv__variable_refuse_signal(const char* name, const char* value, int err);

#endif /* UV_VARIABLE_H_ */
