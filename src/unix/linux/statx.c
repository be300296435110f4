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

static uv_timespec_t time_from(const struct statx_timestamp* ts) {
  return (uv_timespec_t) {
    .tv_sec = (long) ts->tv_sec,
    .tv_nsec = (long) ts->tv_nsec,
  };
}

static void stat_from(uv_stat_t* out, const struct statx* stx) {
  *out = (uv_stat_t) {
    .st_dev = makedev(stx->stx_dev_major, stx->stx_dev_minor),
    .st_mode = stx->stx_mode,
    .st_nlink = stx->stx_nlink,
    .st_uid = stx->stx_uid,
    .st_gid = stx->stx_gid,
    .st_rdev = makedev(stx->stx_rdev_major, stx->stx_rdev_minor),
    .st_ino = stx->stx_ino,
    .st_size = stx->stx_size,
    .st_blksize = stx->stx_blksize,
    .st_blocks = stx->stx_blocks,
    .st_atim = time_from(&stx->stx_atime),
    .st_mtim = time_from(&stx->stx_mtime),
    .st_ctim = time_from(&stx->stx_ctime),
    .st_birthtim = time_from(&stx->stx_btime),
  };
}

int uv__statx(int fd, const char* path, int at_flags, uv_stat_t* out) {
  struct statx stx = { 0 };
  const char* name = path != NULL ? path : "";
  int flags = path != NULL ? at_flags : AT_EMPTY_PATH;

  if (statx(fd, name, flags, STATX_BASIC_STATS | STATX_BTIME, &stx) != 0)
    return uv__errno();

  stat_from(out, &stx);
  return 0;
}
