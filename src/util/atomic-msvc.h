/* SPDX-License-Identifier: MIT */
/* atomic.h for Microsoft's compiler, which has Interlocked functions instead of
 * generic builtins. Each works on 4 or 8 bytes; values travel as 64 bits, so
 * pointers and integers of either size go the same way, and get their type back
 * from UV__MSVC_AS() (__typeof__ came with Visual Studio 17.9 only).
 *
 * Loads and stores of up to a word are plain ones: on x86 these have acquire
 * and release order by themselves and only the compiler must be kept from
 * moving them, ARM64 needs a barrier (__dmb):
 * https://learn.microsoft.com/cpp/intrinsics/arm64-intrinsics
 */
#ifndef UV_UTIL_ATOMIC_MSVC_H_
#define UV_UTIL_ATOMIC_MSVC_H_

#include "uv.h" /* windows.h, with winsock2.h before it */

#include <intrin.h>
#include <stddef.h>
#include <stdint.h>

/* `v` with the type of *p; all pointers become void*, which is any of them. */
#define UV__MSVC_AS(p, v)                                                      \
 _Generic(*(p), int                                                            \
          : (int) (v), unsigned int                                            \
          : (unsigned int) (v), long                                           \
          : (long) (v), unsigned long                                          \
          : (unsigned long) (v), long long                                     \
          : (long long) (v), unsigned long long                                \
          : (unsigned long long) (v), default                                  \
          : (void*) (intptr_t) (v))

/* What comes before it in the program stays before what comes after it, as far
 * as acquire and release need it. */
static inline void uv__msvc_barrier(void) {
#if defined(_M_ARM64) || defined(_M_ARM64EC)
  __dmb(_ARM64_BARRIER_ISH);
#else
  _ReadWriteBarrier();
#endif
}

/* The old value. All of these are full barriers. */
static inline int64_t uv__msvc_exchange(volatile void* p,
                                        int64_t value,
                                        size_t size) {
  if (size == 4)
    return InterlockedExchange((volatile LONG*) p, (LONG) value);
  return InterlockedExchange64((volatile LONG64*) p, value);
}

static inline int64_t uv__msvc_fetch_add(volatile void* p,
                                         int64_t value,
                                         size_t size) {
  if (size == 4)
    return InterlockedExchangeAdd((volatile LONG*) p, (LONG) value);
  return InterlockedExchangeAdd64((volatile LONG64*) p, value);
}

static inline int64_t uv__msvc_fetch_or(volatile void* p,
                                        int64_t value,
                                        size_t size) {
  if (size == 4)
    return InterlockedOr((volatile LONG*) p, (LONG) value);
  return InterlockedOr64((volatile LONG64*) p, value);
}

static inline int64_t uv__msvc_fetch_and(volatile void* p,
                                         int64_t value,
                                         size_t size) {
  if (size == 4)
    return InterlockedAnd((volatile LONG*) p, (LONG) value);
  return InterlockedAnd64((volatile LONG64*) p, value);
}

static inline int uv__msvc_cas(volatile void* p,
                               void* expected,
                               int64_t desired,
                               size_t size) {
  if (size == 4) {
    LONG* want = (LONG*) expected;
    LONG was =
        InterlockedCompareExchange((volatile LONG*) p, (LONG) desired, *want);
    int same = was == *want;
    *want = was;
    return same;
  }

  LONG64* want = (LONG64*) expected;
  LONG64 was =
      InterlockedCompareExchange64((volatile LONG64*) p, desired, *want);
  int same = was == *want;
  *want = was;
  return same;
}

/* Volatile accesses of a word are single ones, and kept; 64 bits take two
 * words in 32-bit programs. */
static inline int64_t uv__msvc_load(const volatile void* p, size_t size) {
  if (size == 4)
    return *(const volatile int32_t*) p;
  if (sizeof(void*) == 4)
    return InterlockedCompareExchange64((volatile LONG64*) (uintptr_t) p, 0, 0);
  return *(const volatile int64_t*) p;
}

static inline void uv__msvc_store(volatile void* p,
                                  int64_t value,
                                  size_t size) {
  if (size == 4)
    *(volatile int32_t*) p = (int32_t) value;
  else if (sizeof(void*) == 4)
    (void) InterlockedExchange64((volatile LONG64*) p, value);
  else
    *(volatile int64_t*) p = value;
}

static inline int64_t uv__msvc_load_acquire(const volatile void* p,
                                            size_t size) {
  int64_t value = uv__msvc_load(p, size);

  uv__msvc_barrier();
  return value;
}

static inline void uv__msvc_store_release(volatile void* p,
                                          int64_t value,
                                          size_t size) {
  uv__msvc_barrier();
  uv__msvc_store(p, value, size);
}

/* Behind the full barrier of the stores of this order. */
static inline int64_t uv__msvc_load_seq_cst(const volatile void* p,
                                            size_t size) {
  uv__msvc_barrier();
  return uv__msvc_load_acquire(p, size);
}

#define uv__load_relaxed(p) UV__MSVC_AS(p, uv__msvc_load((p), sizeof(*(p))))
#define uv__load_acquire(p)                                                    \
 UV__MSVC_AS(p, uv__msvc_load_acquire((p), sizeof(*(p))))
#define uv__load_seq_cst(p)                                                    \
 UV__MSVC_AS(p, uv__msvc_load_seq_cst((p), sizeof(*(p))))
#define uv__store_relaxed(p, v) uv__msvc_store((p), (int64_t) (v), sizeof(*(p)))
#define uv__store_release(p, v)                                                \
 uv__msvc_store_release((p), (int64_t) (v), sizeof(*(p)))
#define uv__store_seq_cst(p, v) ((void) uv__exchange((p), (v)))
#define uv__fence_release() uv__msvc_barrier()
#define uv__fence_acquire() uv__msvc_barrier()
#define uv__exchange(p, v)                                                     \
 UV__MSVC_AS(p, uv__msvc_exchange((p), (int64_t) (v), sizeof(*(p))))
#define uv__fetch_add(p, v)                                                    \
 UV__MSVC_AS(p, uv__msvc_fetch_add((p), (int64_t) (v), sizeof(*(p))))
#define uv__fetch_sub(p, v) uv__fetch_add((p), -(int64_t) (v))
#define uv__fetch_or(p, v)                                                     \
 UV__MSVC_AS(p, uv__msvc_fetch_or((p), (int64_t) (v), sizeof(*(p))))
#define uv__fetch_and(p, v)                                                    \
 UV__MSVC_AS(p, uv__msvc_fetch_and((p), (int64_t) (v), sizeof(*(p))))
#define uv__cas_strong(p, expected, desired)                                   \
 uv__msvc_cas((p), (expected), (int64_t) (desired), sizeof(*(p)))
#define uv__cas_weak(p, expected, desired)                                     \
 uv__cas_strong((p), (expected), (desired))

#endif /* UV_UTIL_ATOMIC_MSVC_H_ */
