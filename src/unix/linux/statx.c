/* SPDX-License-Identifier: MIT */
/* Attributes through statx(2); see statx.h. */
#include "unix/linux/statx.h"
#include "atomic.h"
#include "unix/fd.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* Written once, 0 to 1, and no data depends on it: relaxed on both sides. */
static int gave_up;

int uv__statx_usable(void) {
  return !uv__load_relaxed(&gave_up);
}

void uv__statx_give_up(void) {
  uv__store_relaxed(&gave_up, 1);
}

/* EPERM is what container sandboxes of 2018-2020 answer for calls they do not
 * know; stat() itself never does (github.com/opencontainers/runc/issues/2151).
 * EOPNOTSUPP is gVisor's. */
int uv__statx_maybe_refused(int err) {
  return err == UV_ENOSYS || err == UV_EPERM || err == UV_EINVAL ||
         err == UV_ENOTSUP;
}

static void set_time(uv_timespec_t* out, const struct statx_timestamp* ts) {
  out->tv_sec = (long) ts->tv_sec;
  out->tv_nsec = (long) ts->tv_nsec;
}

/* Field by field: an initialiser would be built elsewhere and copied. */
void uv__statx_take(uv_stat_t* out, const struct statx* stx) {
  out->st_dev = makedev(stx->stx_dev_major, stx->stx_dev_minor);
  out->st_mode = stx->stx_mode;
  out->st_nlink = stx->stx_nlink;
  out->st_uid = stx->stx_uid;
  out->st_gid = stx->stx_gid;
  out->st_rdev = makedev(stx->stx_rdev_major, stx->stx_rdev_minor);
  out->st_ino = stx->stx_ino;
  out->st_size = stx->stx_size;
  out->st_blksize = stx->stx_blksize;
  out->st_blocks = stx->stx_blocks;
  out->st_flags = 0;
  out->st_gen = 0;
  set_time(&out->st_atim, &stx->stx_atime);
  set_time(&out->st_mtim, &stx->stx_mtime);
  set_time(&out->st_ctim, &stx->stx_ctime);
  set_time(&out->st_birthtim, &stx->stx_btime);
}

int uv__statx(int fd, const char* path, int at_flags, uv_stat_t* out) {
  struct statx stx; /* written as a whole by the kernel */
  const char* name = path != NULL ? path : "";
  int flags = path != NULL ? at_flags : AT_EMPTY_PATH;

  if (statx(fd, name, flags, UV__STATX_MASK, &stx) != 0)
    return uv__errno();

  uv__statx_take(out, &stx);
  return 0;
}
