/* SPDX-License-Identifier: MIT */
/* Files that the library itself writes.
 *
 * A path is looked at before it is opened, because opening a device may have an
 * effect, and again afterwards. The lock belongs to the open file. Another
 * process may replace a file between opening and locking; then the one that was
 * locked has no name any more, and the path is opened again.
 */
#include "os/private-file.h"
#include "unix/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Longer than the beginning of any file of the library. */
#define FIRST_MAX 128
/* Files that are replaced while they are being opened. */
#define TRIES 100

int uv__private_file_os_absolute(const char* path, char* out, size_t size) {
  size_t len = size;
  int err = 0;

  out[0] = '\0';
  if (path[0] != '/')
    err = uv_cwd(out, &len);
  if (err != 0)
    return err;
  size_t used = strlen(out);
  int n = snprintf(out + used, size - used, "%s%s", used > 1 ? "/" : "", path);
  return n < 0 || (size_t) n >= size - used ? UV_ENAMETOOLONG : 0;
}

/* Is it what was opened? */
static int is_same(const struct uv__private_file* file, const struct stat* st) {
  return file->device == (uint64_t) st->st_dev &&
         file->inode == (uint64_t) st->st_ino;
}

/* 0; UV_EBADF: the descriptor is closed, or somebody else's; UV_E*. */
static int check_owner(const struct uv__private_file* file) {
  struct stat st;

  if (file->fd < 0)
    return UV_EBADF;
  if (fstat(file->fd, &st) != 0)
    return uv__errno();
  return is_same(file, &st) ? 0 : UV_EBADF;
}

static int path_check(const char* path) {
  struct stat st;

  if (lstat(path, &st) == -1)
    return uv__errno();
  if (S_ISLNK(st.st_mode))
    return 0; /* open() refuses it */
  if (S_ISDIR(st.st_mode))
    return UV_EISDIR;
  return S_ISREG(st.st_mode) && st.st_uid == geteuid() ? 0 : UV_EPERM;
}

/* Files without blocks are settings and states of the kernel. */
static int has_blocks(int fd) {
  struct statvfs fs;

  return fstatvfs(fd, &fs) == 0 && fs.f_blocks != 0;
}

static int begins_with(int fd, const char* first) {
  char text[FIRST_MAX];
  size_t size = strlen(first);
  ssize_t n;

  assert(size <= sizeof(text));
  do
    n = pread(fd, text, size, 0);
  while (n == -1 && errno == EINTR);
  return n == 0 || (n == (ssize_t) size && memcmp(text, first, size) == 0);
}

static int content_check(int fd, const char* first) {
  struct stat st;

  if (fstat(fd, &st) == -1)
    return uv__errno();
  if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_nlink > 1 ||
      !has_blocks(fd))
    return UV_EPERM;
  return begins_with(fd, first) ? 0 : UV_EEXIST;
}

/* UV_EAGAIN: it has been replaced. Errors of flock() that are not about another
 * process: the file system has no locks. */
static int file_lock(int fd) {
  struct stat st;

  if (flock(fd, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK)
    return UV_EBUSY;
  if (fstat(fd, &st) == -1)
    return uv__errno();
  return st.st_nlink == 0 ? UV_EAGAIN : 0;
}

/* A link that open(O_NOFOLLOW) refuses is ELOOP by POSIX, but EMLINK on FreeBSD
 * and EFTYPE on NetBSD: https://man.freebsd.org/cgi/man.cgi?open(2),
 * https://man.netbsd.org/open.2. Nothing else here fails with these two. */
static int refused_link(int err) {
  return err == UV_EMLINK || err == UV_EFTYPE ? UV_ELOOP : err;
}

static int open_existing(const char* path, const char* first) {
  int err = path_check(path);
  if (err != 0)
    return err;

  int fd = uv__fd_open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
  if (fd < 0)
    return refused_link(fd);
  err = content_check(fd, first);
  if (err == 0)
    return fd;
  uv__fd_close(fd);
  return err;
}

/* The fd or UV_E*; UV_EAGAIN as above. */
static int open_once(const char* path, const char* first, int* is_new) {
  int fd = uv__fd_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);

  *is_new = fd >= 0;
  if (fd == UV_EEXIST && first != NULL)
    fd = open_existing(path, first);
  if (fd == UV_ENOENT && first != NULL && path_check(path) != UV_ENOENT)
    return UV_EAGAIN; /* removed in between */
  if (fd < 0)
    return fd;
  int err = file_lock(fd);
  if (err == 0)
    return uv__fd_above_stdio(fd);
  uv__fd_close(fd);
  return err;
}

int uv__private_file_os_open(struct uv__private_file* file,
                             const char* path,
                             const char* first,
                             unsigned mode) {
  struct stat st;
  int fd = UV_EAGAIN;

  file->fd = -1;
  for (int i = 0; i < TRIES && fd == UV_EAGAIN; i++)
    fd = open_once(path, first, &file->is_new);
  if (fd < 0)
    return fd;
  if (fstat(fd, &st) == -1 || fchmod(fd, (mode_t) (mode | 0600)) == -1) {
    int err = uv__errno();
    uv__fd_close(fd);
    return err;
  }
  file->fd = fd;
  file->device = (uint64_t) st.st_dev;
  file->inode = (uint64_t) st.st_ino;
  file->size = 0;
  return 0;
}

static int file_truncate(int fd) {
  int result;

  do
    result = ftruncate(fd, 0);
  while (result == -1 && errno == EINTR);
  return result;
}

/* A file that is empty is left alone: ext4 writes a truncated one to the disk
 * as it is closed, and the process would wait for that. */
int uv__private_file_os_empty(struct uv__private_file* file) {
  struct stat st;

  if (fstat(file->fd, &st) == -1)
    return uv__errno();
  if (!is_same(file, &st))
    return UV_EBADF;
  if (st.st_size != 0 && file_truncate(file->fd) == -1)
    return uv__errno();
  if (lseek(file->fd, 0, SEEK_SET) == -1)
    return uv__errno();
  file->size = 0;
  return 0;
}

static int write_all(int fd, const char* data, size_t size) {
  while (size != 0) {
    ssize_t n = uv__fd_write(fd, data, size);
    if (n < 0)
      return (int) n;
    data += n;
    size -= (size_t) n;
  }
  return 0;
}

/* A write beyond the limit raises SIGXFSZ, which ends the process; some systems
 * deliver it to any thread, so blocking it is not enough. */
static int exceeds_limit(uint64_t size) {
  struct rlimit limit;

  return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
         limit.rlim_cur != RLIM_INFINITY && size > (uint64_t) limit.rlim_cur;
}

int uv__private_file_os_write(struct uv__private_file* file,
                              const char* data,
                              size_t size) {
  int err = check_owner(file);

  if (err == 0 && exceeds_limit(file->size + size))
    err = UV_EFBIG;
  if (err != 0)
    return err;
  err = write_all(file->fd, data, size);
  file->size += size;
  return err;
}

int uv__private_file_os_replace(struct uv__private_file* file,
                                const char* path,
                                struct uv__private_file* draft,
                                const char* draft_path) {
  struct stat st;
  int err = lstat(path, &st) == 0 ? 0 : uv__errno();

  if (err == 0 && !is_same(file, &st))
    return UV_EEXIST;
  if (err != 0 && err != UV_ENOENT) /* the program may have removed it */
    return err;
  if (rename(draft_path, path) == -1)
    return uv__errno();
  uv__private_file_os_close(file);
  *file = *draft;
  draft->fd = -1;
  return 0;
}

void uv__private_file_os_remove(const struct uv__private_file* file,
                                const char* path) {
  struct stat st;

  if (lstat(path, &st) == 0 && is_same(file, &st))
    (void) unlink(path); /* what cannot be removed stays */
}

void uv__private_file_os_close(struct uv__private_file* file) {
  if (check_owner(file) != UV_EBADF)
    uv__fd_close(file->fd);
  file->fd = -1;
}
