/* SPDX-License-Identifier: MIT */
/* Creating the child process, by the first method in a table that supports the
 * request and that the system has and allows.
 *
 * clone (Linux): block signals -> clone on a separate stack, sharing memory ->
 * the child prepares itself and calls exec while this thread is suspended ->
 * read the result. The cost does not depend on the size of the parent, and
 * errors come back through memory, without a pipe. vfork (FreeBSD, NetBSD): the
 * same on the stack of the caller. posix_spawn (macOS): process-spawn.c. fork
 * with a close-on-exec pipe: available everywhere, the only method on OpenBSD,
 * and the only one that runs pthread_atfork() handlers. libuv runs those for
 * children with another user; uvloop runs Python's preexec_fn from one and
 * passes UV_PROCESS_SETUID with its own user to get that.
 */
#include "unix/process.h"
#include "unix/cancel.h"
#include "unix/fd.h"
#include "unix/process-sys.h"
#include "util/atomic.h"

#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>

/* Never visible: the failed child is reaped here. */
#define EXIT_NOT_STARTED 127

static void child_reap(int pid, int options) {
  int r;

  do
    r = waitpid(pid, NULL, options);
  while (r == -1 && errno == EINTR);
  /* On failure the program reaped it already. */
}

/* The write end must not be at a number where the child places its
 * descriptors. */
static int open_report(int fds[2], int fds_count) {
  int err = uv__fd_pipe(fds, O_CLOEXEC);
  if (err != 0)
    return err;

  int high = fcntl(fds[1], F_DUPFD_CLOEXEC, fds_count);
  err = high == -1 ? uv__errno() : 0;
  uv__fd_close(fds[1]);
  if (err != 0)
    uv__fd_close(fds[0]);
  fds[1] = high;
  return err;
}

static void fork_child(struct uv__child* child) {
  int err = uv__child_run(child);
  /* If this fails, the exit status tells. */
  (void) uv__fd_write(child->report_fd, &err, sizeof(err));
  sys_exit(EXIT_NOT_STARTED);
}

/* The read returns 0 when exec closes the write end, or an error code. */
static int launch_by_fork(struct uv__child* child, int* pid, int* refused) {
  int fds[2];

  *refused = 0;
  int err = open_report(fds, child->fds_count);
  if (err != 0)
    return err;

  child->report_fd = fds[1];
  int child_pid = fork();
  if (child_pid == 0)
    fork_child(child);
  err = child_pid == -1 ? uv__errno() : 0;
  uv__fd_close(fds[1]);

  if (err == 0) {
    int child_err = 0;
    ssize_t n = uv__fd_read(fds[0], &child_err, sizeof(child_err));
    if (n == (ssize_t) sizeof(child_err)) {
      child_reap(child_pid, 0);
      err = uv_translate_sys_error(child_err);
    }
  }
  uv__fd_close(fds[0]);
  if (err == 0)
    *pid = child_pid;
  return err;
}

#if UV__HAVE_VFORK_CLONE

# include <sched.h>
# include <sys/mman.h>

/* <sched.h> does not declare it under every name; see os.h. */
int UV__CLONE(int (*fn)(void*), void* stack, int flags, void* arg, ...);

/* Far more than the child needs, even without optimisation. */
# define STACK_SIZE ((size_t) 64 * 1024)

/* How clone() behaves here. UNKNOWN: not probed yet, or no process could be
 * created; then the launch itself reports that. */
enum { CLONE_UNKNOWN, CLONE_SHARES, CLONE_IS_FORK };

/* Placed above the stack of the child. */
struct shared {
  struct uv__child* child;
  volatile int err; /* errno, written by the child */
} __attribute__((aligned(16)));

static size_t guard_size(void) {
  return (size_t) sysconf(_SC_PAGESIZE);
}

static char* stack_map(void) {
  size_t size = guard_size() + STACK_SIZE;
  char* stack = mmap(NULL, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (stack == MAP_FAILED)
    return NULL;
  /* Guard page: an overflow kills the child instead of corrupting the
   * parent. */
  if (mprotect(stack, guard_size(), PROT_NONE) == 0)
    return stack;
  munmap(stack, size);
  return NULL;
}

/* A stack that no launch uses, or NULL; atomic. Kept for the next launch:
 * mapping one, touching it and unmapping it again took a fifth of a launch's
 * processor time. */
static char* idle_stack;

static char* stack_take(void) {
  char* stack = uv__exchange(&idle_stack, NULL);
  return stack != NULL ? stack : stack_map();
}

static void stack_return(char* stack) {
  char* other = uv__exchange(&idle_stack, stack);

  if (other != NULL) /* several threads launched at a time */
    munmap(other, guard_size() + STACK_SIZE);
}

/* Its upper end. */
static struct shared* stack_top(char* stack) {
  return (struct shared*) (void*) (stack + guard_size() + STACK_SIZE) - 1;
}

UV__CHILD static int clone_child(void* arg) {
  struct shared* shared = arg;

  shared->err = uv__child_run(shared->child);
  sys_exit(EXIT_NOT_STARTED);
  return EXIT_NOT_STARTED;
}

static int clone_is_refused(int err) {
  return err == UV_ENOSYS || err == UV_EINVAL || err == UV_EPERM;
}

UV__CHILD static int probe_child(void* arg) {
  volatile int* written = arg;

  *written = 1;
  sys_exit(0);
  return 0;
}

/* Checks whether clone() really shares memory. qemu-user turns it into a fork
 * that neither shares memory nor suspends the parent, so a failed exec would go
 * unnoticed. The probe writes to memory that a fork would copy. The child ends
 * without a signal (exit signal 0), so the program does not notice it;
 * qemu-user refuses that, which answers the question as well. */
static int clone_probe(void* stack) {
  volatile int written = 0;
  int pid =
      UV__CLONE(probe_child, stack, CLONE_VM | CLONE_VFORK, (void*) &written);

  if (pid == -1)
    return clone_is_refused(uv__errno()) ? CLONE_IS_FORK : CLONE_UNKNOWN;
  child_reap(pid, __WALL);
  return written ? CLONE_SHARES : CLONE_IS_FORK;
}

/* Probed once per process, by the first spawn; a race only probes twice. */
static int clone_is_fork(void* stack) {
  static int known;
  int found = uv__load_relaxed(&known);

  if (found == CLONE_UNKNOWN) {
    found = clone_probe(stack);
    uv__store_relaxed(&known, found);
  }
  return found == CLONE_IS_FORK;
}

static int launch_on_stack(struct shared* shared, int* pid, int* refused) {
  if (clone_is_fork(shared)) {
    *refused = 1;
    return UV_ENOSYS;
  }
  shared->err = 0;
  /* Without CLONE_SIGHAND the child changes only its own dispositions. */
  int child_pid =
      UV__CLONE(clone_child, shared, CLONE_VM | CLONE_VFORK | SIGCHLD, shared);
  int err = child_pid == -1 ? uv__errno() : 0;
  *refused = clone_is_refused(err);

  if (err == 0 && shared->err != 0) {
    err = uv_translate_sys_error(shared->err);
    child_reap(child_pid, 0);
  }
  if (err == 0)
    *pid = child_pid;
  return err;
}

static int launch_by_clone(struct uv__child* child, int* pid, int* refused) {
  char* stack = stack_take();

  *refused = 0;
  if (stack == NULL)
    return UV_ENOMEM;
  struct shared* shared = stack_top(stack);
  shared->child = child;
  int err = launch_on_stack(shared, pid, refused);
  stack_return(stack);
  return err;
}

#endif /* UV__HAVE_VFORK_CLONE */

#if UV__HAVE_VFORK

/* Returns twice, so nothing else is in this function: what the child leaves on
 * the shared stack must not matter to the parent. */
static int vfork_child(struct uv__child* child) {
  int pid = vfork();

  if (pid == 0) {
    child->err = uv__child_run(child);
    sys_exit(EXIT_NOT_STARTED);
  }
  return pid;
}

static int launch_by_vfork(struct uv__child* child, int* pid, int* refused) {
  *refused = 0;
  child->err = 0;
  int child_pid = vfork_child(child);
  if (child_pid == -1)
    return uv__errno();
  if (child->err != 0) {
    child_reap(child_pid, 0);
    return uv_translate_sys_error(child->err);
  }
  *pid = child_pid;
  return 0;
}

#endif /* UV__HAVE_VFORK */

/* Features that a launch method may lack. */
enum {
  NEED_SESSION = 1u << 0,
  NEED_CWD = 1u << 1,
  /* Another uid or gid, no supplementary groups, and fork handlers. */
  NEED_USER = 1u << 2,
};

static const struct method {
  /* Like uv__child_launch(). *refused: not possible here, nothing was done. */
  int (*launch)(struct uv__child* child, int* pid, int* refused);
  unsigned can;
} methods[] = {
#if UV__HAVE_VFORK_CLONE
  { launch_by_clone, NEED_SESSION | NEED_CWD },
#endif
#if UV__HAVE_POSIX_SPAWN
  { uv__child_launch_by_spawn, NEED_SESSION | NEED_CWD },
#endif
#if UV__HAVE_VFORK
  { launch_by_vfork, NEED_SESSION | NEED_CWD },
#endif
  { launch_by_fork, NEED_SESSION | NEED_CWD | NEED_USER },
};

static unsigned needs_of(const struct uv__child* child) {
  unsigned needs = 0;

  if (child->flags & UV_PROCESS_DETACHED)
    needs |= NEED_SESSION;
  if (child->cwd != NULL)
    needs |= NEED_CWD;
  if (child->flags & (UV_PROCESS_SETUID | UV_PROCESS_SETGID))
    needs |= NEED_USER;
  return needs;
}

static int child_launch(struct uv__child* child, int* pid) {
  unsigned needs = needs_of(child);
  int refused = 1;
  int err = 0;

  for (size_t i = 0; refused && i < ARRAY_SIZE(methods); i++)
    if ((needs & ~methods[i].can) == 0)
      err = methods[i].launch(child, pid, &refused);
  return err;
}

int uv__child_launch(struct uv__child* child, int* pid) {
  sigset_t all;
  sigset_t saved_mask;

  /* Block signals: a handler that runs in the child would run in the memory of
   * the parent. Cancellation of this thread is disabled as well. */
  int saved_cancel = uv__cancel_disable();
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &saved_mask);
  int err = child_launch(child, pid);
  pthread_sigmask(SIG_SETMASK, &saved_mask, NULL);
  uv__cancel_restore(saved_cancel);
  return err;
}
