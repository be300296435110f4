/* SPDX-License-Identifier: MIT */
/* Capabilities of OpenBSD; unix/os.h explains them. */
#ifndef UV_UNIX_OS_OPENBSD_H_
#define UV_UNIX_OS_OPENBSD_H_

#include "unix/os-bsd.h"

#include <pthread_np.h>
#include <signal.h> /* thrkill() */
#include <unistd.h> /* getthrid() */

#define UV__HAVE_CANCEL 1
#define UV__HAVE_PTHREAD_BARRIER 0
#define UV__HAVE_CPU_SET 0
#define UV__HAVE_CPUSET_CREATE 0
#define UV__HAVE_SCHED_GETCPU 0
#define UV__THREAD_ID() getthrid()
#define UV__THREAD_KILL(id, signum) thrkill((pid_t) (id), signum, NULL)
#define UV__EXECINFO "libexecinfo.so" /* its highest version */
#define UV__HAVE_SETNAME_FORMAT 0
#define UV__HAVE_SET_NAME_NP 1
#define UV__HAVE_RUSAGE_THREAD 1
#define UV__HAVE_SELECT_THREAD 0
#define uv__multicast_opt_t unsigned char
#define UV__HAVE_IP_TOS_MESSAGE 0
#define UV__HAVE_REUSEPORT_LB 0
#define UV__HAVE_SO_NOSIGPIPE 0
#define UV__POLL_FILE_ERROR UV_EPERM
#define UV__HAVE_SENDFILE_SOCKET 0
#define UV__HAVE_STATFS 0
#define UV__HAVE_COPY_FILE_RANGE 0
#define UV__HAVE_GETRANDOM 0
#define UV__HAVE_GETENTROPY 1
#define UV__HAVE_VFORK 0
#define UV__HAVE_SIGACTION_TABLE 0
#define UV__HAVE_PTSNAME_R 0

/* Times in struct stat: x is a, m or c. */
#define UV__STAT_TIM(st, x) ((st)->st_##x##tim)
#define UV__STAT_BIRTHTIM(st) ((st)->__st_birthtim)

/* _MAXCOMLEN of <sys/syslimits.h>. */
#define UV_PTHREAD_MAX_NAMELEN_NP 24

#endif /* UV_UNIX_OS_OPENBSD_H_ */
