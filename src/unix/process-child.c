/* SPDX-License-Identifier: MIT */
/* The child, from its creation to exec. process.h has the rules for this code
 * (C1-C3).
 *
 *   session -> descriptors -> directory -> groups, gid, uid -> signals -> exec
 *
 * The first failing step ends the child; uv_spawn() returns its errno.
 */
#include "unix/process.h"
#include "unix/process-sys.h"

#include <errno.h>

/* The same errors as in execvp(). */
UV__CHILD int uv__child_is_search_error(int err) {
  switch (err) {
  case ENOENT:
  case ENOTDIR:
  case ENAMETOOLONG:
  case ENODEV:
  case ESTALE:
  case ETIMEDOUT:
    return 1;
  default:
    return 0;
  }
}

UV__CHILD static int is_needed(const struct uv__child* child, int fd) {
  if (fd == child->report_fd)
    return 1;
  for (int i = 0; i < child->fds_count; i++)
    if (child->fds[i].fd == fd)
      return 1;
  return 0;
}

/* For a process without a free descriptor: copies `fd` over one above the range
 * of targets that exec would close anyway. Every number up to the limit is in
 * use, so the first one that is not ends the search. */
UV__CHILD static int replace_unneeded(const struct uv__child* child, int fd) {
  for (int to = child->fds_count;; to++) {
    int flags = sys_fcntl(to, F_GETFD, 0);
    if (flags == -1) {
      errno = EMFILE;
      return -1;
    }
    if (!(flags & FD_CLOEXEC) || is_needed(child, to))
      continue;
    if (sys_dup2(fd, to) == -1)
      return -1;
    return sys_fcntl(to, F_SETFD, FD_CLOEXEC) == -1 ? -1 : to;
  }
}

/* Moves every source that is in the range of targets, but not at its own
 * target, above that range, so that no target overwrites a source. */
UV__CHILD static int save_sources(struct uv__child* child) {
  int count = child->fds_count;

  for (int i = 0; i < count; i++) {
    int fd = child->fds[i].fd;
    if (fd < 0 || fd >= count || fd == i)
      continue;
    int copy = sys_fcntl(fd, F_DUPFD_CLOEXEC, count);
    if (copy == -1 && errno == EMFILE)
      copy = replace_unneeded(child, fd);
    if (copy == -1)
      return errno;
    child->fds[i].fd = copy;
  }
  return 0;
}

/* Closes the target first: its number may be the only free one. */
UV__CHILD static int open_null(int target) {
  (void) sys_close(target); /* it may not be open */
  int fd = sys_open("/dev/null", target == 0 ? O_RDONLY : O_RDWR);
  if (fd == -1)
    return errno;
  if (fd == target)
    return 0;

  int err = sys_dup2(fd, target) == -1 ? errno : 0;
  sys_close(fd);
  return err;
}

UV__CHILD static int clear_nonblock(int fd) {
  int flags = sys_fcntl(fd, F_GETFL, 0);
  if (flags == -1)
    return errno;
  if (!(flags & O_NONBLOCK))
    return 0;
  return sys_fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == -1 ? errno : 0;
}

UV__CHILD static int place_one(const struct uv__child_fd* source, int target) {
  int r;

  if (source->fd == target)
    r = sys_fcntl(target, F_SETFD, 0); /* in place; clear close-on-exec */
  else
    r = sys_dup2(source->fd, target);
  if (r == -1)
    return errno;
  return source->blocking ? clear_nonblock(target) : 0;
}

UV__CHILD static int place_fds(struct uv__child* child) {
  int err = save_sources(child);

  for (int i = 0; err == 0 && i < child->fds_count; i++) {
    if (child->fds[i].fd >= 0)
      err = place_one(&child->fds[i], i);
    else if (i <= STDERR_FILENO)
      err = open_null(i);
  }
  return err;
}

/* Clears the supplementary groups first, while that is still permitted:
 * otherwise the child would keep those of root (CVE-2015-0278). Without
 * privileges this fails and does not matter; the next steps report their own
 * errors. */
UV__CHILD static int change_user(const struct uv__child* child) {
  unsigned flags = child->flags & (UV_PROCESS_SETUID | UV_PROCESS_SETGID);

  if (flags == 0)
    return 0;
  if (sys_clear_groups() == -1 && errno != EPERM)
    return errno;
  if ((flags & UV_PROCESS_SETGID) && sys_setgid(child->gid) == -1)
    return errno;
  if ((flags & UV_PROCESS_SETUID) && sys_setuid(child->uid) == -1)
    return errno;
  return 0;
}

/* Resets signals: handlers of the parent must not run here, and what it ignores
 * or blocks must not affect the new program. */
UV__CHILD static int reset_signals(void) {
  for (int signum = 1; signum < NSIG; signum++)
    sys_reset_signal(signum); /* fails for SIGKILL and SIGSTOP */
  return sys_unblock_signals() == -1 ? errno : 0;
}

/* Unlike execvp(), never lets a shell run what the kernel cannot execute: a
 * program that was meant to fail must not become shell code. */
UV__CHILD static int child_execute(const struct uv__child* child) {
  int denied = 0;
  int err = ENOENT;

  for (char** path = child->paths; *path != NULL; path++) {
    sys_execve(*path, child->argv, child->envp);
    err = errno;
    if (err == EACCES)
      denied = 1;
    else if (!uv__child_is_search_error(err))
      return err;
  }
  return denied ? EACCES : err;
}

UV__CHILD int uv__child_run(struct uv__child* child) {
  if ((child->flags & UV_PROCESS_DETACHED) && sys_setsid() == -1)
    return errno;
  int err = place_fds(child);
  if (err == 0 && child->cwd != NULL && sys_chdir(child->cwd) == -1)
    err = errno;
  if (err == 0)
    err = change_user(child);
  if (err == 0)
    err = reset_signals();
  if (err == 0)
    err = child_execute(child);
  return err;
}
