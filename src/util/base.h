/* SPDX-License-Identifier: MIT */
/* What every file of the library may assume: the public interface, the
 * language helpers below, and nothing else.
 */
#ifndef UV_UTIL_BASE_H_
#define UV_UTIL_BASE_H_

#include "uv.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* The structure that contains `ptr` as its member. */
#define container_of(ptr, type, member)                                        \
 ((type*) (void*) ((char*) (ptr) -offsetof(type, member)))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof(*(a)))

/* Checks that cost more than O(1); on in builds configured for debugging. */
#ifdef UV__DEBUG
# define uv__debug_assert(cond) assert(cond)
# define uv__debug_check(call) (call)
#else
# define uv__debug_assert(cond) ((void) sizeof(cond))
# define uv__debug_check(call) ((void) 0)
#endif

/* Keeps a slow path out of its caller, so that the fast path need not save
 * registers or reserve stack for it. */
#ifdef __GNUC__
# define UV__NOINLINE __attribute__((noinline))
#else
# define UV__NOINLINE
#endif

/* Forces inlining, so that each caller gets a copy specialised for the
 * constants it passes. */
#ifdef __GNUC__
# define UV__INLINE static inline __attribute__((always_inline))
#else
# define UV__INLINE static inline
#endif

/* For functions that rarely run: out of line, and branches to them are laid out
 * as not taken. */
#ifdef __GNUC__
# define UV__COLD __attribute__((noinline, cold))
#else
# define UV__COLD
#endif

/* Marks a condition that is rarely true. */
static inline int uv__unlikely(int condition) {
#ifdef __GNUC__
  return __builtin_expect(condition, 0);
#else
  return condition;
#endif
}

/* For objects shared between files: accessed directly, not through the GOT. */
#if defined(__GNUC__) && defined(__ELF__)
# define UV__HIDDEN __attribute__((visibility("hidden")))
#else
# define UV__HIDDEN
#endif

static inline size_t uv__min_size(size_t a, size_t b) {
  return a < b ? a : b;
}

#endif /* UV_UTIL_BASE_H_ */
