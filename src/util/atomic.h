/* SPDX-License-Identifier: MIT */
/* C11 atomics on plain objects.
 *
 * The ABI fixes the types of the fields shared between threads (uv_async_t's
 * `pending` is an int), so these work on ordinary lvalues through the compiler
 * builtins instead of on _Atomic types. Each use names its pair in a comment.
 */
#ifndef UV_UTIL_ATOMIC_H_
#define UV_UTIL_ATOMIC_H_

/* Does ThreadSanitizer instrument this? */
#if defined(__SANITIZE_THREAD__)
# define UV__TSAN 1
#elif defined(__has_feature)
# if __has_feature(thread_sanitizer)
#  define UV__TSAN 1
# endif
#endif
#ifndef UV__TSAN
# define UV__TSAN 0
#endif

/* UV__ATOMIC_MSVC: ./check compiles that header with other compilers too. */
#if defined(_MSC_VER) && !defined(__clang__) || defined(UV__ATOMIC_MSVC)
# include "util/atomic-msvc.h"
#else

# define uv__load_relaxed(p) __atomic_load_n((p), __ATOMIC_RELAXED)
# define uv__load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
# define uv__store_relaxed(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
# define uv__store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
# define uv__exchange(p, v) __atomic_exchange_n((p), (v), __ATOMIC_ACQ_REL)
# define uv__fetch_add(p, v) __atomic_fetch_add((p), (v), __ATOMIC_ACQ_REL)
# define uv__fetch_sub(p, v) __atomic_fetch_sub((p), (v), __ATOMIC_ACQ_REL)
# define uv__fetch_or(p, v) __atomic_fetch_or((p), (v), __ATOMIC_ACQ_REL)
# define uv__fetch_and(p, v) __atomic_fetch_and((p), (v), __ATOMIC_ACQ_REL)
/* Orders a store before a later load of another object, for all threads. (Not
 * a fence, which TSan does not understand.) */
# define uv__store_seq_cst(p, v) __atomic_store_n((p), (v), __ATOMIC_SEQ_CST)
# define uv__load_seq_cst(p) __atomic_load_n((p), __ATOMIC_SEQ_CST)

/* Stores `desired` if `*p` equals `*expected`, else loads `*p` into
 * `*expected`. Weak: may fail spuriously, so use it in a loop. */
# define uv__cas_weak(p, expected, desired)                                    \
  __atomic_compare_exchange_n((p), (expected), (desired), 1, __ATOMIC_ACQ_REL, \
                              __ATOMIC_ACQUIRE)
# define uv__cas_strong(p, expected, desired)                                  \
  __atomic_compare_exchange_n((p), (expected), (desired), 0, __ATOMIC_ACQ_REL, \
                              __ATOMIC_ACQUIRE)

/* Order earlier stores before later ones (release), and earlier loads before
 * later ones (acquire), whatever their objects. gcc has no fence between
 * threads under ThreadSanitizer: there, only the compiler keeps the order. */
# if UV__TSAN
#  define uv__fence_release() __atomic_signal_fence(__ATOMIC_RELEASE)
#  define uv__fence_acquire() __atomic_signal_fence(__ATOMIC_ACQUIRE)
# else
#  define uv__fence_release() __atomic_thread_fence(__ATOMIC_RELEASE)
#  define uv__fence_acquire() __atomic_thread_fence(__ATOMIC_ACQUIRE)
# endif

#endif

/* A relaxed load of a word that only selects between two correct paths.
 * Compilers combine a plain load with other operations, but not an atomic one.
 * ThreadSanitizer gets to see the atomic load that it is. */
#if UV__TSAN
# define uv__load_hint(p) uv__load_relaxed(p)
#else
# define uv__load_hint(p) (*(p))
#endif

/* Tells the core that this is a spin loop. */
static inline void uv__cpu_relax(void) {
#if defined(_MSC_VER) && !defined(__clang__)
  YieldProcessor();
#elif defined(__i386__) || defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ __volatile__("yield" ::: "memory");
#endif
}

/* Fetches a line that will be written to soon and that another core has. */
static inline void uv__prefetch_write(const void* p) {
#if defined(__GNUC__)
  __builtin_prefetch(p, 1);
#else
  (void) p;
#endif
}

#endif /* UV_UTIL_ATOMIC_H_ */
