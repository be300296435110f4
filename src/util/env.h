/* SPDX-License-Identifier: MIT */
/* Environment variables that enable observers. They never make a program fail:
 * an invalid value is reported on standard error and otherwise ignored. */
#ifndef UV_UTIL_ENV_H_
#define UV_UTIL_ENV_H_

#include "util/base.h"

/* The largest number of milliseconds that is accepted: a day. */
#define UV__VARIABLE_MS_MAX 86400000

/* Stores the value of a variable and returns 1. Returns 0 if it is not set or
 * empty, if the process has raised rights, or, with a message, if the value is
 * longer than `size` allows. */
int uv__variable_get(const char* name, char* value, size_t size);

/* The same for a number of milliseconds greater than 0; with a message if the
 * value is not one. */
int uv__variable_get_ms(const char* name, unsigned* ms);

/* Prints why the value of a variable could not be used. */
void uv__variable_refuse(const char* name, const char* value, const char* why);

/* The same of a signal, by the error of taking it. */
void uv__variable_refuse_signal(const char* name, const char* value, int err);

#endif /* UV_UTIL_ENV_H_ */
