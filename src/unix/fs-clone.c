/* SPDX-License-Identifier: MIT */
/* Cloning files with fclonefileat(2) (macOS), which creates a new name and
 * takes no descriptor for the destination; see fs-clone.h.
 *
 *   if the name is free: clone
 *   if it is a file, and only a clone is acceptable: clone to a temporary name
 *   in the same directory and rename. A failure leaves the file unchanged.
 */
#include "unix/fs-clone.h"
#include "unix/fd.h"
#include "unix/os.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/clonefile.h>
#include <sys/stat.h>
#include <unistd.h>

/* Attempts to find a free name. */
#define NAMES_MAX 16

static int clone_as(int in, const char* name) {
  return fclonefileat(in, AT_FDCWD, name, 0) == 0 ? 0 : uv__errno();
}

/* Clones to a free name derived from `to` and stores it in `name`. */
static int clone_beside(int in, const char* to, char name[PATH_MAX]) {
  int err = UV_EEXIST;

  for (unsigned i = 0; i < NAMES_MAX && err == UV_EEXIST; i++) {
    int len = snprintf(name, PATH_MAX, "%s.%d-%u-%u", to, (int) getpid(),
                       (unsigned) (uv_hrtime() / 1000), i);
    if (len >= PATH_MAX)
      return UV_ENAMETOOLONG;
    err = clone_as(in, name);
  }
  return err;
}

static int replace_by_clone(int in, const char* to) {
  char name[PATH_MAX];
  int err = clone_beside(in, to, name);

  if (err != 0)
    return err;
  if (rename(name, to) == 0)
    return 0;
  err = uv__errno();
  (void) unlink(name); /* ours; report the first error */
  return err;
}

int uv__fs_clone(int in, const char* to, int flags) {
  struct stat from_st;
  struct stat to_st;
  int err = clone_as(in, to);

  if (err != UV_EEXIST || (flags & UV_FS_COPYFILE_EXCL))
    return err;
  if (!(flags & UV_FS_COPYFILE_FICLONE_FORCE))
    return UV_ENOTSUP; /* the caller overwrites it instead */
  if (lstat(to, &to_st) != 0 || fstat(in, &from_st) != 0)
    return uv__errno();
  if (to_st.st_dev == from_st.st_dev && to_st.st_ino == from_st.st_ino)
    return 0;
  if (!S_ISREG(to_st.st_mode))
    return UV_ENOTSUP;
  return replace_by_clone(in, to);
}
