/* SPDX-License-Identifier: MIT */
/* Capabilities of FreeBSD and DragonFly BSD; unix/os.h explains them. */
#ifndef UV_UNIX_OS_FREEBSD_H_
#define UV_UNIX_OS_FREEBSD_H_

#include "unix/os-bsd.h"

#include <sys/param.h>
#include <sys/cpuset.h>
#include <sys/mount.h> /* statfs() */
#include <pthread_np.h>
#if !defined(__DragonFly__)
# include <sys/thr.h>
#endif

#define UV__HAVE_CANCEL 1
#define UV__HAVE_PTHREAD_BARRIER 1
#define UV__HAVE_CPU_SET 1
#define UV__HAVE_CPUSET_CREATE 0
#define UV__HAVE_SCHED_GETCPU 1
#define UV__THREAD_ID() pthread_getthreadid_np()
#if defined(__DragonFly__)
# define UV__THREAD_KILL(id, signum) lwp_kill(-1, (lwpid_t) (id), signum)
#else
# define UV__THREAD_KILL(id, signum) thr_kill((long) (id), signum)
#endif
#define UV__EXECINFO "libexecinfo.so.1"
#define UV__HAVE_SETNAME_FORMAT 0
#define UV__HAVE_SET_NAME_NP 1
#define UV__HAVE_RUSAGE_THREAD 1
#define UV__HAVE_SELECT_THREAD 1
#define uv__multicast_opt_t int
#define UV__HAVE_IP_TOS_MESSAGE 1
typedef unsigned char uv__ip_tos_t;
#define UV__HAVE_REUSEPORT_LB 1
#define UV__SO_REUSEPORT_LB SO_REUSEPORT_LB
#define UV__HAVE_SO_NOSIGPIPE 1
#define UV__POLL_FILE_ERROR UV_EINVAL
#define UV__HAVE_SENDFILE_SOCKET 1
#define UV__HAVE_STATFS 1
#define UV__HAVE_COPY_FILE_RANGE 1
#define UV__HAVE_GETRANDOM 1
#define UV__HAVE_GETENTROPY 0
#define UV__HAVE_VFORK 1
#define UV__HAVE_SIGACTION_TABLE 1
#define UV__HAVE_PTSNAME_R 1

/* Times in struct stat: x is a, m or c. */
#define UV__STAT_TIM(st, x) ((st)->st_##x##tim)
#define UV__STAT_BIRTHTIM(st) ((st)->st_birthtim)
#define UV__STATFS_FRSIZE(st) ((st)->f_bsize)

#define UV_PTHREAD_MAX_NAMELEN_NP (MAXCOMLEN + 1)

typedef cpuset_t uv__cpu_set;

#endif /* UV_UNIX_OS_FREEBSD_H_ */
