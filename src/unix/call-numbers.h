/* SPDX-License-Identifier: MIT */
/* Numbers of system calls that older headers lack: glibc 2.17 is used with
 * those of Linux 3.10. They never change. Where the headers have the call, the
 * compiler compares. An architecture without a row gets -1, for which every
 * kernel returns ENOSYS.
 */
#ifndef UV_UNIX_CALL_NUMBERS_H_
#define UV_UNIX_CALL_NUMBERS_H_

#include <assert.h>
#include <sys/syscall.h>

#if defined(__x86_64__) && !defined(__ILP32__)
# define UV__SYS_GETRANDOM 318
# define UV__SYS_COPY_FILE_RANGE 326
# define UV__SYS_STATX 332
#elif defined(__i386__)
# define UV__SYS_GETRANDOM 355
# define UV__SYS_COPY_FILE_RANGE 377
# define UV__SYS_STATX 383
#elif defined(__aarch64__) || defined(__riscv) || defined(__loongarch__)
# define UV__SYS_GETRANDOM 278
# define UV__SYS_COPY_FILE_RANGE 285
# define UV__SYS_STATX 291
#elif defined(__arm__)
# define UV__SYS_GETRANDOM 384
# define UV__SYS_COPY_FILE_RANGE 391
# define UV__SYS_STATX 397
#elif defined(__powerpc__)
# define UV__SYS_GETRANDOM 359
# define UV__SYS_COPY_FILE_RANGE 379
# define UV__SYS_STATX 383
#elif defined(__s390__)
# define UV__SYS_GETRANDOM 349
# define UV__SYS_COPY_FILE_RANGE 375
# define UV__SYS_STATX 379
#else
# ifdef SYS_getrandom
#  define UV__SYS_GETRANDOM SYS_getrandom
# else
#  define UV__SYS_GETRANDOM (-1)
# endif
# ifdef SYS_copy_file_range
#  define UV__SYS_COPY_FILE_RANGE SYS_copy_file_range
# else
#  define UV__SYS_COPY_FILE_RANGE (-1)
# endif
# ifdef SYS_statx
#  define UV__SYS_STATX SYS_statx
# else
#  define UV__SYS_STATX (-1)
# endif
# ifdef SYS_close_range
#  define UV__SYS_CLOSE_RANGE SYS_close_range
# else
#  define UV__SYS_CLOSE_RANGE (-1)
# endif
# ifdef SYS_fchmodat2
#  define UV__SYS_FCHMODAT2 SYS_fchmodat2
# else
#  define UV__SYS_FCHMODAT2 (-1)
# endif
#endif

/* Since Linux 5.1 a call has one number on all architectures with a row. */
#ifndef UV__SYS_CLOSE_RANGE
# define UV__SYS_CLOSE_RANGE 436
#endif
#ifndef UV__SYS_FCHMODAT2
# define UV__SYS_FCHMODAT2 452
#endif

#ifdef SYS_getrandom
static_assert(UV__SYS_GETRANDOM == SYS_getrandom, "as in the headers");
#endif
#ifdef SYS_copy_file_range
static_assert(UV__SYS_COPY_FILE_RANGE == SYS_copy_file_range,
              "as in the headers");
#endif
#ifdef SYS_statx
static_assert(UV__SYS_STATX == SYS_statx, "as in the headers");
#endif
#ifdef SYS_close_range
static_assert(UV__SYS_CLOSE_RANGE == SYS_close_range, "as in the headers");
#endif
#ifdef SYS_fchmodat2
static_assert(UV__SYS_FCHMODAT2 == SYS_fchmodat2, "as in the headers");
#endif

#endif /* UV_UNIX_CALL_NUMBERS_H_ */
