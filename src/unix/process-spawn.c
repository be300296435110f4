/* SPDX-License-Identifier: MIT */
/* Launching with posix_spawn(2) where it is a system call (macOS): the cost
 * does not depend on the size of the parent, and none of our code runs in the
 * child.
 *
 *   copy sources that are in the range of targets -> describe descriptors,
 *   session, directory, signals -> spawn the first program that can be executed
 *   -> close the copies
 *
 * Refused, so that fork is used: a session or a directory on a system without
 * both features (macOS before 10.15), and a directory with a program that has
 * no absolute path, because where it would be searched is undocumented; no free
 * descriptor.
 */
#include "unix/process.h"
#include "unix/fd.h"
#include "unix/os.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <unistd.h>

typedef int add_chdir(posix_spawn_file_actions_t* actions, const char* path);

struct orders {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attr;
};

static pthread_once_t chdir_once = PTHREAD_ONCE_INIT;
static add_chdir* chdir_function; /* NULL: not on this system */

/* Looked up at run time: it is newer than the oldest supported system, and
 * recent systems dropped the suffix. */
static void find_chdir(void) {
  static const char* const names[] = {
    "posix_spawn_file_actions_addchdir",
    "posix_spawn_file_actions_addchdir_np",
  };

  for (size_t i = 0; i < ARRAY_SIZE(names) && chdir_function == NULL; i++) {
    void* address = dlsym(RTLD_DEFAULT, names[i]);
    memcpy(&chdir_function, &address, sizeof(address));
  }
}

static int is_absolute(char** paths) {
  for (; *paths != NULL; paths++)
    if ((*paths)[0] != '/')
      return 0;
  return 1;
}

/* POSIX_SPAWN_SETSID came with the same release as the function; older ones
 * ignore it. */
static int can_spawn(const struct uv__child* child) {
  if (child->cwd == NULL && !(child->flags & UV_PROCESS_DETACHED))
    return 1;
  pthread_once(&chdir_once, find_chdir);
  if (chdir_function == NULL)
    return 0;
  return child->cwd == NULL || is_absolute(child->paths);
}

static void close_copies(struct uv__child* child) {
  for (int i = 0; i < child->fds_count; i++) {
    if (child->fds[i].copy != 0)
      uv__fd_close(child->fds[i].copy);
    child->fds[i].copy = 0;
  }
}

/* Also copies a source that is at its target already: dup2 onto it then clears
 * close-on-exec. */
static int make_copies(struct uv__child* child) {
  for (int i = 0; i < child->fds_count; i++) {
    int fd = child->fds[i].fd;
    if (fd < 0 || fd >= child->fds_count)
      continue;
    fd = fcntl(fd, F_DUPFD_CLOEXEC, child->fds_count);
    if (fd == -1)
      return errno;
    child->fds[i].copy = fd;
  }
  return 0;
}

/* O_NONBLOCK is shared with the parent's descriptor, whichever process clears
 * it. */
static int clear_nonblock(const struct uv__child* child) {
  for (int i = 0; i < child->fds_count; i++) {
    const struct uv__child_fd* source = &child->fds[i];
    if (source->fd < 0 || !source->blocking)
      continue;
    int flags = fcntl(source->fd, F_GETFL);
    if (flags == -1)
      return errno;
    if ((flags & O_NONBLOCK) &&
        fcntl(source->fd, F_SETFL, flags & ~O_NONBLOCK) == -1)
      return errno;
  }
  return 0;
}

/* Spawn attributes and file actions. All return 0 or an errno. */

static int order_fd(struct orders* orders,
                    const struct uv__child_fd* source,
                    int target) {
  int from = source->copy != 0 ? source->copy : source->fd;
  int null_mode = target == STDIN_FILENO ? O_RDONLY : O_RDWR;

  if (from >= 0)
    return posix_spawn_file_actions_adddup2(&orders->actions, from, target);
  if (target > STDERR_FILENO)
    return 0;
  return posix_spawn_file_actions_addopen(&orders->actions, target, "/dev/null",
                                          null_mode, 0);
}

static int order_files(struct orders* orders, const struct uv__child* child) {
  int err = 0;

  for (int i = 0; i < child->fds_count && err == 0; i++)
    err = order_fd(orders, &child->fds[i], i);
  if (err == 0 && child->cwd != NULL)
    err = chdir_function(&orders->actions, child->cwd);
  return err;
}

static int order_attributes(struct orders* orders,
                            const struct uv__child* child) {
  int flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
              UV__SPAWN_CLOEXEC_DEFAULT;
  sigset_t all;
  sigset_t none;

  if (child->flags & UV_PROCESS_DETACHED)
    flags |= POSIX_SPAWN_SETSID;
  sigfillset(&all);
  sigdelset(&all, SIGKILL);
  sigdelset(&all, SIGSTOP);
  sigemptyset(&none);
  int err = posix_spawnattr_setflags(&orders->attr, (short) flags);
  if (err == 0)
    err = posix_spawnattr_setsigdefault(&orders->attr, &all);
  if (err == 0)
    err = posix_spawnattr_setsigmask(&orders->attr, &none);
  return err;
}

static int spawn_one(struct orders* orders,
                     const struct uv__child* child,
                     const char* path,
                     int* pid) {
  pid_t made = 0;
  int err = posix_spawn(&made, path, &orders->actions, &orders->attr,
                        child->argv, child->envp);
  if (err == 0)
    *pid = (int) made;
  return err;
}

/* Like child_execute() in process-child.c, but in the parent. */
static int spawn_first(struct orders* orders,
                       struct uv__child* child,
                       int* pid) {
  int denied = 0;
  int err = ENOENT;

  for (char** path = child->paths; *path != NULL; path++) {
    err = spawn_one(orders, child, *path, pid);
    if (err == EACCES)
      denied = 1;
    else if (!uv__child_is_search_error(err))
      return err; /* including 0 */
  }
  return denied ? EACCES : err;
}

static int spawn_with_orders(struct uv__child* child, int* pid) {
  struct orders orders;
  int err = posix_spawn_file_actions_init(&orders.actions);
  if (err != 0)
    return err;
  err = posix_spawnattr_init(&orders.attr);
  if (err != 0)
    goto destroy_actions;

  err = order_files(&orders, child);
  if (err == 0)
    err = order_attributes(&orders, child);
  if (err == 0)
    err = spawn_first(&orders, child, pid);
  (void) posix_spawnattr_destroy(&orders.attr); /* memory only */
destroy_actions:
  (void) posix_spawn_file_actions_destroy(&orders.actions); /* likewise */
  return err;
}

int uv__child_launch_by_spawn(struct uv__child* child, int* pid, int* refused) {
  *refused = !can_spawn(child);
  if (*refused)
    return 0;

  int err = make_copies(child);
  if (err == 0)
    err = clear_nonblock(child);
  if (err == 0)
    err = spawn_with_orders(child, pid);
  close_copies(child);
  *refused = err == ENOSYS || err == EMFILE;
  return err == 0 ? 0 : uv_translate_sys_error(err);
}
