/* SPDX-License-Identifier: MIT */
/* Attributes through statx(2); see fs-statx.h. */
#include "unix/fs-statx.h"
#include "unix/call-numbers.h"
#include "unix/fd.h"
#include "util/atomic.h"

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static_assert(sizeof(struct uv__statx_data) == 256, "what the kernel writes");
static_assert(offsetof(struct uv__statx_data, ino) == 32, "as in statx(2)");
static_assert(offsetof(struct uv__statx_data, btime) == 80, "as in statx(2)");
static_assert(offsetof(struct uv__statx_data, dev_major) == 136,
              "as in statx(2)");

/* Set once, and no data depends on it: relaxed on both sides. */
static int gave_up;

void uv__statx_disable(void) {
  uv__store_relaxed(&gave_up, 1);
}

/* EPERM: container sandboxes of 2018-2020 return it for unknown calls; stat()
 * itself never does (github.com/opencontainers/runc/issues/2151). EOPNOTSUPP:
 * gVisor. */
int uv__statx_maybe_refused(int err) {
  return err == UV_ENOSYS || err == UV_EPERM || err == UV_EINVAL ||
         err == UV_ENOTSUP;
}

static void set_time(uv_timespec_t* out, const struct uv__statx_time* ts) {
  out->tv_sec = (long) ts->sec;
  out->tv_nsec = (long) ts->nsec;
}

/* makedev(), and quickly for the usual case: no device. */
static uint64_t device_of(uint32_t high, uint32_t low) {
  return (high | low) == 0 ? 0 : makedev(high, low);
}

/* Field by field: an initialiser would be built elsewhere and copied. */
UV__INLINE void stat_from_statx(uv_stat_t* out,
                                const struct uv__statx_data* stx) {
  out->st_dev = makedev(stx->dev_major, stx->dev_minor);
  out->st_mode = stx->mode;
  out->st_nlink = stx->nlink;
  out->st_uid = stx->uid;
  out->st_gid = stx->gid;
  out->st_rdev = device_of(stx->rdev_major, stx->rdev_minor);
  out->st_ino = stx->ino;
  out->st_size = stx->size;
  out->st_blksize = stx->blksize;
  out->st_blocks = stx->blocks;
  out->st_flags = 0;
  out->st_gen = 0;
  set_time(&out->st_atim, &stx->atime);
  set_time(&out->st_mtim, &stx->mtime);
  set_time(&out->st_ctim, &stx->ctime);
  set_time(&out->st_birthtim, &stx->btime);
}

void uv__statx_take(uv_stat_t* out, const struct uv__statx_data* stx) {
  stat_from_statx(out, stx);
}

int uv__statx(int fd, const char* path, int at_flags, uv_stat_t* out) {
  struct uv__statx_data stx; /* filled by the kernel */
  const char* name = path != NULL ? path : "";
  int flags = path != NULL ? at_flags : AT_EMPTY_PATH;

  if (uv__load_relaxed(&gave_up))
    return UV_ENOSYS;
  if (syscall(UV__SYS_STATX, fd, name, flags, UV__STATX_MASK, &stx) != 0)
    return uv__errno();

  stat_from_statx(out, &stx);
  return 0;
}
