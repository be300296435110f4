/* SPDX-License-Identifier: MIT */
/* C11 atomics on plain objects.
 *
 * The ABI fixes the types of the fields shared between threads (uv_async_t's
 * `pending` is an int), so these work on ordinary lvalues through the compiler
 * builtins instead of on _Atomic types. Each use names its pair in a comment.
 */
#ifndef UV_ATOMIC_H_
#define UV_ATOMIC_H_

/* UV__ATOMIC_MSVC: ./check has other compilers look at that header too. */
#if defined(_MSC_VER) && !defined(__clang__) || defined(UV__ATOMIC_MSVC)
# include "atomic-msvc.h"
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

#endif

/* A relaxed load of a word that decides nothing but which of two ways is taken,
 * either of which is right. Compilers combine a plain word in memory with other
 * operations, but load an atomic one first. ThreadSanitizer is shown the atomic
 * load that it is. */
#if defined(__SANITIZE_THREAD__)
# define uv__load_hint(p) uv__load_relaxed(p)
#elif defined(__has_feature)
# if __has_feature(thread_sanitizer)
#  define uv__load_hint(p) uv__load_relaxed(p)
# endif
#endif
#ifndef uv__load_hint
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

#endif /* UV_ATOMIC_H_ */
