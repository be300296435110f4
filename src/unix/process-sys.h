/* SPDX-License-Identifier: MIT */
/* System calls for the child between its creation and exec (C2).
 *
 * On Linux they go straight to the kernel: the C library's setuid() would
 * change all threads of the parent, and sanitizers replace sigaction(), dup2()
 * and others by versions that write to process-wide tables. The C libraries of
 * the BSDs add nothing to these calls but cancellation, which is disabled, with
 * one exception (UV__HAVE_SIGACTION_TABLE). Where the child is forked, it has
 * its own copy of everything.
 *
 * All return -1 with errno on failure.
 */
#ifndef UV_UNIX_PROCESS_SYS_H_
#define UV_UNIX_PROCESS_SYS_H_

#include "unix/os.h"
#include "util/base.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <unistd.h>

/* Exempts functions of the child from the sanitizers: it leaves them by exec,
 * without unwinding what it entered in the shared state of the parent. */
#if defined(__clang__)
# define UV__CHILD __attribute__((no_sanitize("address", "thread")))
#elif defined(__GNUC__)
# define UV__CHILD __attribute__((no_sanitize_address, no_sanitize_thread))
#else
# define UV__CHILD
#endif

#if UV__HAVE_VFORK_CLONE

# include <sys/syscall.h>

/* The newer calls with wider ids, where an old architecture has both. */
# if defined(SYS_setuid32)
#  define UV__SYS_SETUID SYS_setuid32
#  define UV__SYS_SETGID SYS_setgid32
#  define UV__SYS_SETGROUPS SYS_setgroups32
# else
#  define UV__SYS_SETUID SYS_setuid
#  define UV__SYS_SETGID SYS_setgid
#  define UV__SYS_SETGROUPS SYS_setgroups
# endif
# if defined(SYS_fcntl64)
#  define UV__SYS_FCNTL SYS_fcntl64
# else
#  define UV__SYS_FCNTL SYS_fcntl
# endif

/* Bytes of the kernel's signal set; SIGRTMAX is not a constant. */
# define UV__KERNEL_SIGSET_SIZE ((size_t) (_NSIG - 1) / 8)

UV__CHILD static inline int sys_open(const char* path, int flags) {
  return (int) syscall(SYS_openat, AT_FDCWD, path, flags, 0);
}

UV__CHILD static inline int sys_close(int fd) {
  return (int) syscall(SYS_close, fd);
}

UV__CHILD static inline int sys_fcntl(int fd, int command, int value) {
  return (int) syscall(UV__SYS_FCNTL, fd, command, value);
}

/* The two must differ. */
UV__CHILD static inline int sys_dup2(int from, int to) {
  return (int) syscall(SYS_dup3, from, to, 0);
}

UV__CHILD static inline int sys_chdir(const char* path) {
  return (int) syscall(SYS_chdir, path);
}

UV__CHILD static inline int sys_setsid(void) {
  return (int) syscall(SYS_setsid);
}

UV__CHILD static inline int sys_clear_groups(void) {
  return (int) syscall(UV__SYS_SETGROUPS, 0, NULL);
}

UV__CHILD static inline int sys_setgid(uv_gid_t gid) {
  return (int) syscall(UV__SYS_SETGID, gid);
}

UV__CHILD static inline int sys_setuid(uv_uid_t uid) {
  return (int) syscall(UV__SYS_SETUID, uid);
}

/* Resets to the default action; fails for signals that cannot be changed. */
UV__CHILD static inline int sys_reset_signal(int signum) {
  /* Larger than any kernel's struct sigaction, in which zeros mean SIG_DFL. */
  unsigned long action[16] = { 0 };
  return (int) syscall(SYS_rt_sigaction, signum, action, NULL,
                       UV__KERNEL_SIGSET_SIZE);
}

UV__CHILD static inline int sys_unblock_signals(void) {
  unsigned long none[16] = { 0 };
  return (int) syscall(SYS_rt_sigprocmask, SIG_SETMASK, none, NULL,
                       UV__KERNEL_SIGSET_SIZE);
}

UV__CHILD static inline int sys_execve(const char* path,
                                       char** argv,
                                       char** envp) {
  return (int) syscall(SYS_execve, path, argv, envp);
}

UV__CHILD static inline void sys_exit(int status) {
  syscall(SYS_exit_group, status);
}

#else /* !UV__HAVE_VFORK_CLONE */

static inline int sys_open(const char* path, int flags) {
  return open(path, flags);
}

static inline int sys_close(int fd) {
  return close(fd);
}

static inline int sys_fcntl(int fd, int command, int value) {
  return fcntl(fd, command, value);
}

static inline int sys_dup2(int from, int to) {
  return dup2(from, to);
}

static inline int sys_chdir(const char* path) {
  return chdir(path);
}

static inline int sys_setsid(void) {
  return setsid() == -1 ? -1 : 0;
}

static inline int sys_clear_groups(void) {
  return setgroups(0, NULL);
}

static inline int sys_setgid(uv_gid_t gid) {
  return setgid(gid);
}

static inline int sys_setuid(uv_uid_t uid) {
  return setuid(uid);
}

# if UV__HAVE_SIGACTION_TABLE
#  include <sys/syscall.h>

static inline int sys_sigaction(int signum, const struct sigaction* action) {
  return syscall(SYS_sigaction, signum, action, NULL);
}
# else
static inline int sys_sigaction(int signum, const struct sigaction* action) {
  return sigaction(signum, action, NULL);
}
# endif

static inline int sys_reset_signal(int signum) {
  struct sigaction action = { .sa_handler = SIG_DFL };
  return sys_sigaction(signum, &action);
}

static inline int sys_unblock_signals(void) {
  sigset_t none;
  sigemptyset(&none);
  return sigprocmask(SIG_SETMASK, &none, NULL);
}

static inline int sys_execve(const char* path, char** argv, char** envp) {
  return execve(path, argv, envp);
}

static inline void sys_exit(int status) {
  _exit(status);
}

#endif /* !UV__HAVE_VFORK_CLONE */

#endif /* UV_UNIX_PROCESS_SYS_H_ */
