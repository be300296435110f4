/* SPDX-License-Identifier: MIT */
/* fclonefileat(2) by copying: "cause the named file to be created ... copies
 * ... are shared"; a program cannot see that they are shared. */
#include <sys/clonefile.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int fclonefileat(int in, int dir, const char* name, uint32_t flags) {
  struct stat st;
  off_t at = 0;
  ssize_t n = 0;

  (void) flags;
  if (fstat(in, &st) != 0)
    return -1;
  /* "EEXIST: The path to the destination exists." */
  if (faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return -1;
  }
  if (getenv("KQUEUE_SHIM_NO_CLONES") != NULL) {
    errno = ENOTSUP;
    return -1;
  }
  int out = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (out == -1)
    return -1;
  while (at < st.st_size && n >= 0)
    n = sendfile(out, in, &at, (size_t) (st.st_size - at));
  struct timespec times[2] = { st.st_atim, st.st_mtim };
  if (n >= 0 && (fchmod(out, st.st_mode & 0777) || futimens(out, times)))
    n = -1;
  int err = errno;
  syscall(SYS_close, out);
  errno = err;
  return n < 0 ? -1 : 0;
}
