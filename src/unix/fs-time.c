/* SPDX-License-Identifier: MIT */
/* File times, as exact as a double.
 *
 * UV_FS_UTIME_NOW (infinity, of either sign) is the current time,
 * UV_FS_UTIME_OMIT (NaN) leaves the time unchanged. A time out of range of
 * time_t is UV_EINVAL.
 */
#include "unix/fs-ops.h"
#include "unix/fd.h"

#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <time.h>

#define NS_PER_SEC 1000000000L

/* A conservative bound: exact as a double, and valid for any time_t of its
 * size. */
static double seconds_max(void) {
  return sizeof(time_t) >= 8 ? 9.0e18 : 2147483647.0;
}

static int to_timespec(double when, struct timespec* ts) {
  *ts = (struct timespec) { 0 };

  if (isnan(when)) {
    ts->tv_nsec = UTIME_OMIT;
    return 0;
  }
  if (isinf(when)) {
    ts->tv_nsec = UTIME_NOW;
    return 0;
  }

  if (!(when > -seconds_max() && when < seconds_max()))
    return UV_EINVAL;

  /* Rounds down, without the math library. */
  ts->tv_sec = (time_t) when;
  if ((double) ts->tv_sec > when)
    ts->tv_sec--;

  /* Truncated, as in libuv: programs compare what they read back. */
  ts->tv_nsec = (long) ((when - (double) ts->tv_sec) * NS_PER_SEC);
  return 0;
}

/* Access time first, as utimensat() expects. */
static int to_timespecs(const uv_fs_t* req, struct timespec ts[2]) {
  int err = to_timespec(req->atime, &ts[0]);
  return err != 0 ? err : to_timespec(req->mtime, &ts[1]);
}

static ssize_t set_path_times(const uv_fs_t* req, int at_flags) {
  struct timespec ts[2];
  int err = to_timespecs(req, ts);
  if (err != 0)
    return err;

  return utimensat(AT_FDCWD, req->path, ts, at_flags) == 0 ? 0 : uv__errno();
}

ssize_t uv__fs_utime(uv_fs_t* req) {
  return set_path_times(req, 0);
}

ssize_t uv__fs_lutime(uv_fs_t* req) {
  return set_path_times(req, AT_SYMLINK_NOFOLLOW);
}

ssize_t uv__fs_futime(uv_fs_t* req) {
  struct timespec ts[2];
  int err = to_timespecs(req, ts);
  if (err != 0)
    return err;

  return futimens(req->file, ts) == 0 ? 0 : uv__errno();
}
