/* SPDX-License-Identifier: MIT */
/* What every part of uv-trace uses: messages, memory, numbers for people. */
#ifndef UV_TRACE_BASE_H_
#define UV_TRACE_BASE_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Room for any text of the functions below. */
#define BASE_TEXT 32

#if defined(__GNUC__)
# define BASE_PRINTF(at, args) __attribute__((format(printf, at, args)))
#else
# define BASE_PRINTF(at, args)
#endif

/* "uv-trace: ..." on standard error. */
void base_say(const char* format, ...) BASE_PRINTF(1, 2);

/* `count` zeroed items of `size` bytes; ends the program if there is no memory.
 * Freed with free(). */
void* base_alloc(size_t count, size_t size);

/* Likewise `size` bytes that are not initialised. */
void* base_room(size_t size);

/* Makes room for one more item in an array of `count` items; `*room` is how
 * many fit. New items are not initialised. */
void* base_grow(void* items, size_t count, size_t* room, size_t size);

/* A copy of the string, to be freed. */
char* base_copy(const char* text);

/* "12.3 us"; three digits that count. */
const char* base_duration(char text[BASE_TEXT], uint64_t ns);

/* "1,234,567". */
const char* base_count(char text[BASE_TEXT], uint64_t number);

/* A sum that stops at the largest number. */
static inline uint64_t base_add(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif /* UV_TRACE_BASE_H_ */
