/* SPDX-License-Identifier: MIT */
/* Filters of system calls (seccomp), for tests of sandboxes and old kernels. */
#ifndef FILTER_H_
#define FILTER_H_

#if __has_include(<linux/seccomp.h>)
# define HAVE_FILTER 1
# include <linux/filter.h>
# include <linux/seccomp.h>
# include <stddef.h>
# include <sys/prctl.h>
# ifndef SECCOMP_RET_KILL_PROCESS
#  define SECCOMP_RET_KILL_PROCESS SECCOMP_RET_KILL
# endif

/* From here on in this thread and those it starts. 0 if the system has no
 * filters. */
static inline int filter_install(struct sock_filter* rules, size_t count) {
  struct sock_fprog program = {
    .len = (unsigned short) count,
    .filter = rules,
  };
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}
#endif

#endif /* FILTER_H_ */
