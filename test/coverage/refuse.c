/* SPDX-License-Identifier: MIT */
/* refuse COMMAND...: runs COMMAND without system calls that the library can do
 * without.
 *
 * A seccomp filter answers them as old kernels, sandboxes and simple file
 * systems do, so that tests take the fallbacks. (test/steps/old-kernel imitates
 * one particular kernel; this also refuses calls that every kernel has.) */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field)                                                            \
 BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define SKIP_UNLESS(value, n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, n)
#define SKIP_UNLESS_ANY(bits, n)                                               \
 BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, n)
#define ANSWER(err) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (err))
#define REFUSE(name) SKIP_UNLESS(SYS_##name, 1), ANSWER(ENOSYS)

static struct sock_filter filter[] = {
  LOAD(arch),
#if defined(__x86_64__)
  SKIP_UNLESS(AUDIT_ARCH_X86_64, 1),
#elif defined(__aarch64__)
  SKIP_UNLESS(AUDIT_ARCH_AARCH64, 1),
#endif
  BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0),
  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  LOAD(nr),
  /* The C library hides that the call is missing, but not that it is forbidden.
   */
  SKIP_UNLESS(SYS_statx, 1),
  ANSWER(EPERM),
  REFUSE(copy_file_range),
  REFUSE(sendfile),
  REFUSE(getrandom),
  REFUSE(io_uring_setup),
  /* A child that shares memory; threads are created by clone, too. */
  SKIP_UNLESS(SYS_clone, 3),
  LOAD(args[0]),
  SKIP_UNLESS_ANY(CLONE_VFORK, 1),
  ANSWER(ENOSYS),
  LOAD(nr),
  SKIP_UNLESS(SYS_ioctl, 3),
  LOAD(args[1]),
  SKIP_UNLESS(FICLONE, 1),
  ANSWER(EOPNOTSUPP),
  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

int main(int argc, char** argv) {
  struct sock_fprog program = {
    .len = sizeof(filter) / sizeof(filter[0]),
    .filter = filter,
  };

  if (argc < 2) {
    fprintf(stderr, "usage: refuse COMMAND...\n");
    return 2;
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    perror("refuse: no filter");
    return 77;
  }
  execvp(argv[1], argv + 1);
  perror(argv[1]);
  return 127;
}
