/* SPDX-License-Identifier: MIT */
/* Capabilities of NetBSD; unix/os.h explains them. */
#ifndef UV_UNIX_OS_NETBSD_H_
#define UV_UNIX_OS_NETBSD_H_

#include "unix/os-bsd.h"

#include <lwp.h>
#include <sched.h>

#define UV__HAVE_CANCEL 1
#define UV__HAVE_PTHREAD_BARRIER 1
#define UV__HAVE_CPU_SET 0
#define UV__HAVE_CPUSET_CREATE 1
#define UV__HAVE_SCHED_GETCPU 0
#define UV__THREAD_ID() _lwp_self()
#define UV__THREAD_KILL(id, signum) _lwp_kill((lwpid_t) (id), signum)
#define UV__EXECINFO "libexecinfo.so.0"
#define UV__HAVE_SETNAME_FORMAT 1
#define UV__HAVE_SET_NAME_NP 0
#define UV__HAVE_RUSAGE_THREAD 0
#define UV__HAVE_SELECT_THREAD 1
#define uv__multicast_opt_t int
#define UV__HAVE_IP_TOS_MESSAGE 0
#define UV__HAVE_REUSEPORT_LB 0
#define UV__HAVE_SO_NOSIGPIPE 1
#define UV__POLL_FILE_ERROR UV_EPERM
#define UV__HAVE_SENDFILE_SOCKET 0
#define UV__HAVE_STATFS 0
#define UV__HAVE_COPY_FILE_RANGE 0
#define UV__HAVE_GETRANDOM 1
#define UV__HAVE_GETENTROPY 0
#define UV__HAVE_VFORK 1
#define UV__HAVE_SIGACTION_TABLE 0
#define UV__HAVE_PTSNAME_R 1

/* Times in struct stat: x is a, m or c. */
#define UV__STAT_TIM(st, x) ((st)->st_##x##timespec)
#define UV__STAT_BIRTHTIM(st) ((st)->st_birthtimespec)

/* PTHREAD_MAX_NAMELEN_NP of <pthread.h>. */
#define UV_PTHREAD_MAX_NAMELEN_NP 32

#endif /* UV_UNIX_OS_NETBSD_H_ */
