/* SPDX-License-Identifier: MIT */
/* Files that the library itself writes. */
#include "os/private-file.h"
#include "unix/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file that is empty is left alone: ext4 writes a truncated one to the disk
 * as it is closed, and the process would wait for that. */
static int empty_file(int fd) {
  struct stat st;
  int rc = fstat(fd, &st);

  if (rc == 0 && st.st_size == 0)
    return 0;
  do
    rc = ftruncate(fd, 0);
  while (rc == -1 && errno == EINTR);
  return rc == 0 ? 0 : uv__errno();
}

/* Accepts only a regular file that we own, with a single link, that no other
 * process is tracing into. */
static int claim_file(int fd) {
  struct stat st;

  if (fstat(fd, &st) == -1)
    return uv__errno();
  if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_nlink != 1)
    return UV_EPERM;
  /* Other errors: the file system has no locks. */
  if (flock(fd, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK)
    return UV_EBUSY;
  return empty_file(fd);
}

int uv__private_file_os_open(const char* path, int is_new) {
  int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
  int fd = uv__fd_open(path, is_new ? flags | O_EXCL : flags, 0600);

  if (fd < 0)
    return fd;
  int err = claim_file(fd);
  if (err != 0) {
    uv__fd_close(fd);
    return err;
  }
  return fd;
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

/* A write beyond the limit of file sizes raises a signal, on this thread, that
 * ends the process: not because of a trace. */
int uv__private_file_os_write(uv_file fd, const char* data, size_t size) {
  sigset_t limit;
  sigset_t before;
  sigset_t pending;
  int signum;

  sigemptyset(&limit);
  sigaddset(&limit, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &limit, &before);
  sigpending(&pending);
  int was_pending = sigismember(&pending, SIGXFSZ);
  int err = write_all(fd, data, size);
  sigpending(&pending);
  if (err == UV_EFBIG && !was_pending && sigismember(&pending, SIGXFSZ))
    (void) sigwait(&limit, &signum); /* takes it; it is there */
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return err;
}

void uv__private_file_os_close(uv_file fd) {
  uv__fd_close(fd);
}
