/* SPDX-License-Identifier: MIT */
/* Capabilities of NetBSD; unix/os.h explains them. */
#ifndef UV_UNIX_NETBSD_OS_H_
#define UV_UNIX_NETBSD_OS_H_

#include <sched.h>

#define UV__HAVE_CONDATTR_CLOCK 1
#define UV__HAVE_PTHREAD_BARRIER 1
#define UV__HAVE_MACH_SEMAPHORE 0
#define UV__HAVE_CPU_SET 0
#define UV__HAVE_CPUSET_CREATE 1
#define UV__HAVE_SCHED_GETCPU 0
#define UV__HAVE_THREAD_NICE 0
#define UV__HAVE_SETNAME_SELF 0
#define UV__HAVE_SETNAME_FORMAT 1
#define UV__HAVE_SET_NAME_NP 0
#define UV__HAVE_RUSAGE_THREAD 0
#define UV__HAVE_MACH_THREAD_INFO 0
#define UV__HAVE_PROCFS_EXE 0
#define UV__HAVE_ARGV_TITLE 0
#define UV__HAVE_PROC_COMM 0
#define UV__HAVE_SETPROCTITLE 1
#define UV__HAVE_MAXRSS_BYTES 0
#define UV__HAVE_GETAUXVAL 0
#define UV__HAVE_AF_PACKET 0
#define UV__HAVE_AF_LINK 1
#define UV__HAVE_EPOLL 0
#define UV__HAVE_KQUEUE 1
#define UV__FS_EVENT_FD(handle) ((handle)->event_watcher.fd)
#define UV__HAVE_FSEVENTS 0
#define UV__HAVE_SELECT_THREAD 1
#define UV__HAVE_EVENTFD 0
#define UV__HAVE_PIPE2 1
#define UV__HAVE_IP_RECVERR 0
#define uv__multicast_opt_t int
#define UV__HAVE_REUSEPORT_LB 0
#define UV__SO_REUSE_UDP SO_REUSEPORT
#define UV__HAVE_SO_NOSIGPIPE 1
#define UV__HAVE_MSG_NOSIGNAL 1
#define UV__HAVE_MMSG 1
#define UV__HAVE_ABSTRACT_SOCKET 0
#define UV__HAVE_WAITID 0
#define UV__HAVE_STATX 0
#define UV__HAVE_URING 0
#define UV__HAVE_STAT_BIRTHTIME 1
#define UV__HAVE_STAT_FLAGS 1
#define UV__HAVE_STATFS 0
#define UV__HAVE_FDATASYNC 1
#define UV__HAVE_SENDFILE_ANY 0
#define UV__HAVE_COPY_FILE_RANGE 0
#define UV__HAVE_FICLONE 0
#define UV__HAVE_CLONEFILE 0
#define UV__HAVE_FCOPYFILE 0
#define UV__CLOCK CLOCK_MONOTONIC
#define UV__HAVE_GETRANDOM 1
#define UV__HAVE_GETENTROPY 0
#define UV__HAVE_NEWER_CALLS 1
#define UV__HAVE_VFORK_CLONE 0
#define UV__HAVE_POSIX_SPAWN 0
#define UV__ENVIRON environ
#define UV__HAVE_PTSNAME_R 1

/* Times in struct stat: x is a, m or c. */
#define UV__STAT_TIM(st, x) ((st)->st_##x##timespec)
#define UV__STAT_BIRTHTIM(st) ((st)->st_birthtimespec)

/* PTHREAD_MAX_NAMELEN_NP of <pthread.h>. */
#define UV_PTHREAD_MAX_NAMELEN_NP 32
#define UV__DEFAULT_TMPDIR "/tmp"

#endif /* UV_UNIX_NETBSD_OS_H_ */
