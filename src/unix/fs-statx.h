/* SPDX-License-Identifier: MIT */
/* statx(2): file attributes including the birth time. Declared here because C
 * libraries have it only since glibc 2.28 and musl 1.2.4. Context: any. */
#ifndef UV_UNIX_FS_STATX_H_
#define UV_UNIX_FS_STATX_H_

#include "util/base.h"

struct uv__statx_time {
  int64_t sec;
  uint32_t nsec;
  int32_t unused;
};

/* The result; names as in statx(2) without stx_. */
struct uv__statx_data {
  uint32_t mask; /* the fields that are valid */
  uint32_t blksize;
  uint64_t attributes;
  uint32_t nlink;
  uint32_t uid;
  uint32_t gid;
  uint16_t mode;
  uint16_t unused;
  uint64_t ino;
  uint64_t size;
  uint64_t blocks;
  uint64_t attributes_mask;
  struct uv__statx_time atime;
  struct uv__statx_time btime;
  struct uv__statx_time ctime;
  struct uv__statx_time mtime;
  uint32_t rdev_major;
  uint32_t rdev_minor;
  uint32_t dev_major;
  uint32_t dev_minor;
  uint64_t later[14]; /* fields of newer kernels */
};

/* STATX_BASIC_STATS | STATX_BTIME. */
#define UV__STATX_MASK 0xfffu

/* The file `fd` (`path` NULL), or `path` relative to the directory `fd`: 0 or
 * UV_E*. `at_flags` is 0 or AT_SYMLINK_NOFOLLOW. */
int uv__statx(int fd, const char* path, int at_flags, uv_stat_t* out);

/* Converts a result that was requested with UV__STATX_MASK. */
void uv__statx_take(uv_stat_t* out, const struct uv__statx_data* stx);

/* Could this error mean that statx() is unavailable: a kernel before 4.11, or a
 * sandbox that does not know it? */
int uv__statx_maybe_refused(int err);

/* Process-wide: after this, uv__statx() returns UV_ENOSYS for good. */
void uv__statx_disable(void);

#endif /* UV_UNIX_FS_STATX_H_ */
