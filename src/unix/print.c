/* SPDX-License-Identifier: MIT */
/* Messages on standard error, which must not harm the program.
 *
 * - Descriptor 2 is written to only while it is what it was when the library
 *   was loaded: a daemon that closed it may have its data there.
 * - A full pipe or terminal is waited for once, for a short time; then text is
 *   dropped and counted until there is room again. The descriptor itself stays
 *   blocking, because other processes share that flag.
 * - SIGPIPE, SIGTTOU and SIGXFSZ, which end or stop a process, are not raised.
 *
 * Context: any.
 */
#include "os/system.h"
#include "unix/fd.h"
#include "unix/os.h"
#include "util/atomic.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATIENCE_MS 200
/* Fits into any pipe that poll() calls writable. */
#define PIECE ((size_t) _POSIX_PIPE_BUF)

/* What descriptor 2 was; `mode` is 0 if it was closed. */
static struct {
  dev_t device;
  ino_t inode;
  mode_t mode;
} first;
static int is_stalled;   /* atomic: the last wait for room timed out */
static unsigned dropped; /* atomic: messages since the last that was printed */

__attribute__((constructor)) static void remember_stderr(void) {
  struct stat st;

  if (fstat(STDERR_FILENO, &st) != 0)
    return;
  first.device = st.st_dev;
  first.inode = st.st_ino;
  first.mode = st.st_mode;
}

/* Returns 0 if it is another file. */
static int stat_stderr(struct stat* st) {
  return fstat(STDERR_FILENO, st) == 0 && first.mode != 0 &&
         st->st_dev == first.device && st->st_ino == first.inode &&
         (st->st_mode & S_IFMT) == (first.mode & S_IFMT);
}

/* Writing at the end of a file may exceed a limit. */
static int exceeds_limit(const struct stat* st, size_t size) {
  struct rlimit limit;

  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return 0;
  off_t at = lseek(STDERR_FILENO, 0, SEEK_CUR);
  off_t end = at > st->st_size ? at : st->st_size;
  return (uint64_t) end + size > (uint64_t) limit.rlim_cur;
}

#if UV__HAVE_MSG_NOSIGNAL
# define SEND_FLAGS (MSG_DONTWAIT | MSG_NOSIGNAL)
#else
# define SEND_FLAGS MSG_DONTWAIT
#endif

static int wait_for_room(int fd) {
  struct pollfd pfd = { .fd = fd, .events = POLLOUT };
  int timeout_ms = uv__load_relaxed(&is_stalled) ? 0 : PATIENCE_MS;
  int n;

  do
    n = poll(&pfd, 1, timeout_ms);
  while (n == -1 && errno == EINTR);
  uv__store_relaxed(&is_stalled, n == 0);
  return n == 1;
}

/* At least one byte, or UV_E*. */
static ssize_t write_piece(int fd, mode_t mode, const char* text, size_t size) {
  if (S_ISREG(mode))
    return uv__fd_write(fd, text, size);
  if (!wait_for_room(fd))
    return UV_EAGAIN;
  if (!S_ISSOCK(mode))
    return uv__fd_write(fd, text, uv__min_size(size, PIECE));
  ssize_t n = send(fd, text, size, SEND_FLAGS);
  return n == -1 ? uv__errno() : n;
}

/* A terminal has room for one byte when poll() calls it writable. Reopened,
 * it can be written to without waiting; in a container it may have no name. */
static int open_terminal(void) {
  char name[128];

  if (ttyname_r(STDERR_FILENO, name, sizeof(name)) != 0)
    return -1;
  return uv__fd_above_stdio(
      uv__fd_open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY, 0));
}

static int write_all(int fd, mode_t mode, const char* text, size_t size) {
  while (size != 0) {
    ssize_t n = write_piece(fd, mode, text, size);
    if (n < 0)
      return (int) n;
    text += n;
    size -= (size_t) n;
  }
  return 0;
}

static int write_stderr(const struct stat* st, const char* text, size_t size) {
  if (S_ISREG(st->st_mode) && exceeds_limit(st, size))
    return UV_EFBIG;
  int terminal = isatty(STDERR_FILENO) ? open_terminal() : -1;
  int err = write_all(terminal >= 0 ? terminal : STDERR_FILENO, st->st_mode,
                      text, size);
  if (terminal >= 0)
    uv__fd_close(terminal);
  return err;
}

/* Takes the SIGPIPE of a write that failed. */
static void write_guarded(const struct stat* st,
                          const char* text,
                          size_t size) {
  sigset_t held;
  sigset_t before;
  sigset_t pending;
  int signum;

  sigemptyset(&held);
  sigaddset(&held, SIGPIPE);
  sigaddset(&held, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &held, &before);
  sigpending(&pending);
  int was_pending = sigismember(&pending, SIGPIPE);
  int err = write_stderr(st, text, size);
  sigpending(&pending);
  if (err == UV_EPIPE && !was_pending && sigismember(&pending, SIGPIPE)) {
    sigdelset(&held, SIGTTOU);
    (void) sigwait(&held, &signum); /* it is there */
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (err != 0)
    uv__fetch_add(&dropped, 1);
}

void uv__os_print(const char* text, size_t size) {
  int saved_errno = errno;
  struct stat st;

  if (!stat_stderr(&st))
    return;
  unsigned lost = uv__exchange(&dropped, 0);
  if (lost != 0) {
    char line[64];
    int n = snprintf(line, sizeof(line), "libuv: %u messages dropped\n", lost);
    write_guarded(&st, line, (size_t) n);
    if (uv__load_relaxed(&dropped) != 0)
      uv__fetch_add(&dropped, lost - 1);
  }
  write_guarded(&st, text, size);
  errno = saved_errno;
}

void uv__os_print_line(const char* line) {
  char text[512];
  int n = snprintf(text, sizeof(text), "libuv: %s\n", line);

  if (n > 0)
    uv__os_print(text, uv__min_size((size_t) n, sizeof(text) - 1));
}
