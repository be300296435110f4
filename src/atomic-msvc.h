/* SPDX-License-Identifier: MIT */
/* atomic.h for Microsoft's compiler, which has Interlocked functions instead of
 * generic builtins. Each works on 4 or 8 bytes; values travel as 64 bits, so
 * pointers and integers of either size go the same way.
 */
#ifndef UV_ATOMIC_MSVC_H_
#define UV_ATOMIC_MSVC_H_

#include "uv.h" /* windows.h, with winsock2.h before it */

#include <stddef.h>
#include <stdint.h>

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
    LONG was = InterlockedCompareExchange((volatile LONG*) p, (LONG) desired,
                                          *want);
    int same = was == *want;
    *want = was;
    return same;
  }

  LONG64* want = (LONG64*) expected;
  LONG64 was = InterlockedCompareExchange64((volatile LONG64*) p, desired,
                                            *want);
  int same = was == *want;
  *want = was;
  return same;
}

/* Adding nothing reads atomically, 64 bits on 32-bit machines too. */
#define uv__load_acquire(p)                                                    \
  ((__typeof__(*(p))) uv__msvc_fetch_add((volatile void*) (p), 0,              \
                                         sizeof(*(p))))
#define uv__load_relaxed(p) uv__load_acquire(p)
#define uv__exchange(p, v)                                                     \
  ((__typeof__(*(p))) uv__msvc_exchange((p), (int64_t) (v), sizeof(*(p))))
#define uv__store_release(p, v) ((void) uv__exchange((p), (v)))
#define uv__store_relaxed(p, v) uv__store_release((p), (v))
#define uv__fetch_add(p, v)                                                    \
  ((__typeof__(*(p))) uv__msvc_fetch_add((p), (int64_t) (v), sizeof(*(p))))
#define uv__fetch_sub(p, v) uv__fetch_add((p), -(int64_t) (v))
#define uv__fetch_or(p, v)                                                     \
  ((__typeof__(*(p))) uv__msvc_fetch_or((p), (int64_t) (v), sizeof(*(p))))
#define uv__fetch_and(p, v)                                                    \
  ((__typeof__(*(p))) uv__msvc_fetch_and((p), (int64_t) (v), sizeof(*(p))))
#define uv__store_seq_cst(p, v) uv__store_release((p), (v))
#define uv__load_seq_cst(p) uv__load_acquire(p)
#define uv__cas_strong(p, expected, desired)                                   \
  uv__msvc_cas((p), (expected), (int64_t) (desired), sizeof(*(p)))
#define uv__cas_weak(p, expected, desired)                                     \
  uv__cas_strong((p), (expected), (desired))

#endif /* UV_ATOMIC_MSVC_H_ */
