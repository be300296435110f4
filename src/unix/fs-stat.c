/* SPDX-License-Identifier: MIT */
/* File attributes and file system statistics. */
#include "unix/fs-ops.h"
#include "unix/fd.h"
#include "unix/os.h"
#include "util/alloc.h"

#include <fcntl.h>
#include <sys/stat.h>

#if UV__HAVE_STATX
# include "unix/fs-statx.h"
#endif

#if !UV__HAVE_STATFS
# include <sys/statvfs.h>
#endif

static uv_timespec_t time_from(const struct timespec* ts) {
  return (uv_timespec_t) { .tv_sec = ts->tv_sec, .tv_nsec = ts->tv_nsec };
}

#if UV__HAVE_STAT_BIRTHTIME
static uv_timespec_t birthtime_from(const struct stat* st) {
  return time_from(&UV__STAT_BIRTHTIM(st));
}
#else
/* The best approximation: the last change of the inode. */
static uv_timespec_t birthtime_from(const struct stat* st) {
  return time_from(&UV__STAT_TIM(st, c));
}
#endif

#if UV__HAVE_STAT_FLAGS
static void add_flags(uv_stat_t* out, const struct stat* st) {
  out->st_flags = st->st_flags;
  out->st_gen = st->st_gen;
}
#else
static void add_flags(uv_stat_t* out, const struct stat* st) {
  (void) out;
  (void) st; /* stay 0 */
}
#endif

static void stat_from(uv_stat_t* out, const struct stat* st) {
  *out = (uv_stat_t) {
    .st_dev = (uint64_t) st->st_dev,
    .st_mode = st->st_mode,
    .st_nlink = st->st_nlink,
    .st_uid = st->st_uid,
    .st_gid = st->st_gid,
    .st_rdev = (uint64_t) st->st_rdev,
    .st_ino = st->st_ino,
    .st_size = (uint64_t) st->st_size,
    .st_blksize = (uint64_t) st->st_blksize,
    .st_blocks = (uint64_t) st->st_blocks,
    .st_atim = time_from(&UV__STAT_TIM(st, a)),
    .st_mtim = time_from(&UV__STAT_TIM(st, m)),
    .st_ctim = time_from(&UV__STAT_TIM(st, c)),
    .st_birthtim = birthtime_from(st),
  };
  add_flags(out, st);
}

/* `path` NULL: the file `fd`; else the path, relative to the directory `fd`. */
static int plain_stat(int fd, const char* path, int at_flags, uv_stat_t* out) {
  struct stat st;
  int rc;

  if (path == NULL)
    rc = fstat(fd, &st);
  else
    rc = fstatat(fd, path, &st, at_flags);
  if (rc != 0)
    return uv__errno();

  stat_from(out, &st);
  return 0;
}

#if UV__HAVE_STATX
/* uv__statx() failed with `err`. If fstatat() succeeds, it was refused. */
UV__NOINLINE static int stat_again(int err,
                                   int fd,
                                   const char* path,
                                   int at_flags,
                                   uv_stat_t* out) {
  if (!uv__statx_maybe_refused(err))
    return err;
  err = plain_stat(fd, path, at_flags, out);
  if (err == 0)
    uv__statx_disable();
  return err;
}

UV__INLINE int any_stat(int fd,
                        const char* path,
                        int at_flags,
                        uv_stat_t* out) {
  int err = uv__statx(fd, path, at_flags, out);
  return err == 0 ? 0 : stat_again(err, fd, path, at_flags, out);
}
#else
static int any_stat(int fd, const char* path, int at_flags, uv_stat_t* out) {
  return plain_stat(fd, path, at_flags, out);
}
#endif

static ssize_t stat_done(uv_fs_t* req, int err) {
  if (err == 0)
    req->ptr = &req->statbuf;
  return err;
}

ssize_t uv__fs_stat(uv_fs_t* req) {
  return stat_done(req, any_stat(AT_FDCWD, req->path, 0, &req->statbuf));
}

ssize_t uv__fs_lstat(uv_fs_t* req) {
  int err = any_stat(AT_FDCWD, req->path, AT_SYMLINK_NOFOLLOW, &req->statbuf);
  return stat_done(req, err);
}

ssize_t uv__fs_fstat(uv_fs_t* req) {
  return stat_done(req, any_stat(req->file, NULL, 0, &req->statbuf));
}

#if UV__HAVE_STATFS
static int statfs_of(const char* path, uv_statfs_t* out) {
  struct statfs st;
  if (statfs(path, &st) != 0)
    return uv__errno();

  *out = (uv_statfs_t) {
    .f_type = (uint64_t) st.f_type,
    .f_bsize = (uint64_t) st.f_bsize,
    .f_blocks = st.f_blocks,
    .f_bfree = st.f_bfree,
    .f_bavail = (uint64_t) st.f_bavail,
    .f_files = st.f_files,
    .f_ffree = (uint64_t) st.f_ffree,
    .f_frsize = (uint64_t) UV__STATFS_FRSIZE(&st),
  };
  return 0;
}
#else
static int statfs_of(const char* path, uv_statfs_t* out) {
  struct statvfs st;
  if (statvfs(path, &st) != 0)
    return uv__errno();

  *out = (uv_statfs_t) {
    .f_bsize = st.f_bsize,
    .f_blocks = st.f_blocks,
    .f_bfree = st.f_bfree,
    .f_bavail = st.f_bavail,
    .f_files = st.f_files,
    .f_ffree = st.f_ffree,
    .f_frsize = st.f_frsize,
  };
  return 0;
}
#endif

ssize_t uv__fs_statfs(uv_fs_t* req) {
  uv_statfs_t* out = uv__malloc(sizeof(*out));
  if (out == NULL)
    return UV_ENOMEM;

  int err = statfs_of(req->path, out);
  if (err != 0) {
    uv__free(out);
    return err;
  }

  req->ptr = out;
  return 0;
}
