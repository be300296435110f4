/* SPDX-License-Identifier: MIT */
/* What every file of the library may assume: the public interface, the
 * language helpers below, and nothing else.
 */
#ifndef UV_BASE_H_
#define UV_BASE_H_

#include "uv.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* The structure that contains `ptr` as its member. */
#define container_of(ptr, type, member)                                        \
  ((type*) (void*) ((char*) (ptr) - offsetof(type, member)))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof(*(a)))

/* Checks that cost more than O(1); on in builds configured for debugging. */
#ifdef UV__DEBUG
# define uv__debug_assert(cond) assert(cond)
# define uv__debug_check(call) (call)
#else
# define uv__debug_assert(cond) ((void) sizeof(cond))
# define uv__debug_check(call) ((void) 0)
#endif

/* Keeps a function out of its caller, whose short way need not save registers
 * or make room on the stack for what the longer way needs. */
#ifdef __GNUC__
# define UV__NOINLINE __attribute__((noinline))
#else
# define UV__NOINLINE
#endif

static inline size_t uv__min_size(size_t a, size_t b) {
  return a < b ? a : b;
}

#endif /* UV_BASE_H_ */
