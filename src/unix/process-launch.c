/* SPDX-License-Identifier: MIT */
/* Creating the child process: by the first of a table of ways that does what is
 * asked for and that the system has and allows.
 *
 * clone (Linux): signals blocked -> clone on a stack of its own, sharing memory
 * -> the child prepares itself and calls exec, this thread is suspended ->
 * result read. The cost does not depend on the size of the parent, and errors
 * come back through memory: no pipe, no descriptor.
 * posix_spawn (macOS): process-spawn.c.
 * fork, and a pipe that exec closes: everywhere, and all that the BSDs use. The
 * only way that runs pthread_atfork() handlers, which libuv does for children
 * with another user; uvloop runs Python's preexec_fn from one, and asks for
 * UV_PROCESS_SETUID with its own user to have it run.
 */
#include "unix/process.h"
#include "atomic.h"
#include "unix/fd.h"
#include "unix/process-sys.h"

#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>

/* Seen by nobody: the failed child is reaped here. */
#define EXIT_NOT_STARTED 127

static void reap(int pid, int options) {
  int r;

  do
    r = waitpid(pid, NULL, options);
  while (r == -1 && errno == EINTR);
  /* Otherwise somebody else was quicker; gone is gone. */
}

/* The write end must not be where the child places its descriptors. */
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

static void fork_child(struct uv__child* child, int report_fd) {
  int err = uv__child_run(child);
  (void) uv__fd_write(report_fd, &err, sizeof(err)); /* or exit status 127 */
  sys_exit(EXIT_NOT_STARTED);
}

/* The read ends when exec closes the child's end, or with an error code. */
static int launch_by_fork(struct uv__child* child, int* pid, int* refused) {
  int fds[2];

  *refused = 0;
  int err = open_report(fds, child->fds_count);
  if (err != 0)
    return err;

  int child_pid = fork();
  if (child_pid == 0)
    fork_child(child, fds[1]);
  err = child_pid == -1 ? uv__errno() : 0;
  uv__fd_close(fds[1]);

  if (err == 0) {
    int child_err = 0;
    ssize_t n = uv__fd_read(fds[0], &child_err, sizeof(child_err));
    if (n == (ssize_t) sizeof(child_err)) {
      reap(child_pid, 0);
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

/* Not in <sched.h> under every name it has; see os.h. */
int UV__CLONE(int (*fn)(void*), void* stack, int flags, void* arg, ...);

/* Much more than the few small frames need, also without optimisation. */
# define STACK_SIZE ((size_t) 64 * 1024)

/* What clone() does here. Unknown: not tried yet, or there was no process to be
 * had, which the launch itself will say. */
enum { CLONE_UNKNOWN, CLONE_SHARES, CLONE_IS_FORK };

/* Lies above the child's stack. */
struct shared {
  struct uv__child* child;
  volatile int err; /* an errno, by the child */
} __attribute__((aligned(16)));

/* Mapped shared: under valgrind the child gets a copy of all other memory. */
static char* map_stack(size_t guard_size) {
  size_t size = guard_size + STACK_SIZE;
  char* stack = mmap(NULL,
                     size,
                     PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS,
                     -1,
                     0);

  if (stack == MAP_FAILED)
    return NULL;
  /* Too deep a stack ends in the child's death instead of a corrupt parent. */
  if (mprotect(stack, guard_size, PROT_NONE) == 0)
    return stack;
  munmap(stack, size);
  return NULL;
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

/* Emulators make a fork of it: qemu-user neither shares the memory nor suspends
 * the parent, and then nobody would hear that exec failed. Seen by writing to
 * memory that a fork would copy. The child ends without a signal (0), so that
 * the program does not notice it; qemu-user refuses that, which is an answer,
 * too. */
static int probe(void* stack) {
  volatile int written = 0;
  int pid = UV__CLONE(probe_child,
                      stack,
                      CLONE_VM | CLONE_VFORK,
                      (void*) &written);

  if (pid == -1)
    return clone_is_refused(uv__errno()) ? CLONE_IS_FORK : CLONE_UNKNOWN;
  reap(pid, __WALL);
  return written ? CLONE_SHARES : CLONE_IS_FORK;
}

/* Once per process, in the first spawn; two threads may both look. */
static int clone_is_fork(void* stack) {
  static int known;
  int found = uv__load_relaxed(&known);

  if (found == CLONE_UNKNOWN) {
    found = probe(stack);
    uv__store_relaxed(&known, found);
  }
  return found == CLONE_IS_FORK;
}

static int launch_by_clone(struct uv__child* child, int* pid, int* refused) {
  size_t guard_size = (size_t) sysconf(_SC_PAGESIZE);
  char* stack = map_stack(guard_size);

  *refused = 0;
  if (stack == NULL)
    return UV_ENOMEM;

  struct shared* shared =
      (struct shared*) (void*) (stack + guard_size + STACK_SIZE) - 1;
  if (clone_is_fork(shared)) {
    munmap(stack, guard_size + STACK_SIZE);
    *refused = 1;
    return UV_ENOSYS;
  }
  shared->child = child;
  shared->err = 0;
  /* Without CLONE_SIGHAND the child changes its own dispositions only. */
  int child_pid = UV__CLONE(clone_child,
                            shared,
                            CLONE_VM | CLONE_VFORK | SIGCHLD,
                            shared);
  int err = child_pid == -1 ? uv__errno() : 0;
  *refused = clone_is_refused(err);

  if (err == 0 && shared->err != 0) {
    err = uv_translate_sys_error(shared->err);
    reap(child_pid, 0);
  }
  if (err == 0)
    *pid = child_pid;
  munmap(stack, guard_size + STACK_SIZE);
  return err;
}

#endif /* UV__HAVE_VFORK_CLONE */

/* What a way of launching may or may not do. */
enum {
  NEED_SESSION = 1u << 0,
  NEED_CWD = 1u << 1,
  /* A uid or gid, without supplementary groups, and fork handlers. */
  NEED_USER = 1u << 2,
};

static const struct way {
  /* As uv__child_launch(). *refused: not possible here, nothing was done. */
  int (*launch)(struct uv__child* child, int* pid, int* refused);
  unsigned can;
} ways[] = {
#if UV__HAVE_VFORK_CLONE
  { launch_by_clone, NEED_SESSION | NEED_CWD },
#endif
#if UV__HAVE_POSIX_SPAWN
  { uv__child_launch_by_spawn, NEED_SESSION | NEED_CWD },
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

static int launch(struct uv__child* child, int* pid) {
  unsigned needs = needs_of(child);
  int refused = 1;
  int err = 0;

  for (size_t i = 0; refused && i < ARRAY_SIZE(ways); i++)
    if ((needs & ~ways[i].can) == 0)
      err = ways[i].launch(child, pid, &refused);
  return err;
}

int uv__child_launch(struct uv__child* child, int* pid) {
  sigset_t all;
  sigset_t saved_mask;

  /* A handler of the parent that ran in the child would run in the parent's
   * memory. Nor may this thread be cancelled in between. */
  int saved_cancel;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &saved_cancel);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &saved_mask);
  int err = launch(child, pid);
  pthread_sigmask(SIG_SETMASK, &saved_mask, NULL);
  pthread_setcancelstate(saved_cancel, NULL);
  return err;
}
