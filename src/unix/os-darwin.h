/* SPDX-License-Identifier: MIT */
/* Capabilities of macOS; unix/os.h explains them. */
#ifndef UV_UNIX_OS_DARWIN_H_
#define UV_UNIX_OS_DARWIN_H_

/* RFC 3542 in <netinet/in.h>; so this is included before uv.h where it matters.
 */
#define __APPLE_USE_RFC_3542 1

#include <crt_externs.h> /* _NSGetEnviron() */
#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/mount.h> /* statfs() */
#include <sys/param.h>
#include <sys/random.h> /* getentropy() */

#define UV__HAVE_CONDATTR_CLOCK 0
#define UV__HAVE_CANCEL 1
#define UV__HAVE_PTHREAD_BARRIER 0
#define UV__HAVE_MACH_SEMAPHORE 1
#define UV__HAVE_CPU_SET 0
#define UV__HAVE_CPUSET_CREATE 0
#define UV__HAVE_SCHED_GETCPU 0
#define UV__HAVE_THREAD_NICE 0
#define UV__HAVE_THREAD_ATTR 0
#define UV__HAVE_SETNAME_SELF 1
#define UV__HAVE_SETNAME_FORMAT 0
#define UV__HAVE_SET_NAME_NP 0
#define UV__HAVE_RUSAGE_THREAD 0
#define UV__HAVE_MACH_THREAD_INFO 1
#define UV__HAVE_PROCFS_EXE 0
#define UV__HAVE_ARGV_TITLE 1
#define UV__HAVE_PROC_COMM 0
#define UV__HAVE_SETPROCTITLE 0
#define UV__HAVE_MAXRSS_BYTES 1
#define UV__HAVE_GETAUXVAL 0
#define UV__HAVE_DL_PHDR 0
#define UV__HAVE_BACKTRACE 0
#define UV__HAVE_UNWINDER 0
#define UV__HAVE_EXECINFO 0
#define UV__HAVE_THREAD_KILL 0
#define UV__THREAD_ID() uv__darwin_thread_id()
#define UV__HAVE_AF_PACKET 0
#define UV__HAVE_AF_LINK 1
#define UV__HAVE_EPOLL 0
#define UV__HAVE_KQUEUE 1
#define UV__FS_EVENT_FD(handle) ((handle)->event_watcher.fd)
#define UV__HAVE_FSEVENTS 1
#define UV__HAVE_SELECT_THREAD 1
#define UV__HAVE_EVENTFD 0
#define UV__HAVE_CLOSE_RANGE 0
#define UV__HAVE_PIPE2 0
#define UV__HAVE_IP_RECVERR 0
#define uv__multicast_opt_t int
#define UV__HAVE_REUSEPORT_LB 0
#define UV__SO_REUSE_UDP SO_REUSEPORT
#define UV__HAVE_SO_NOSIGPIPE 1
#define UV__HAVE_MSG_NOSIGNAL 0
#define UV__HAVE_MMSG 0
#define UV__HAVE_CONNECT_UNDO 0
#define UV__HAVE_UDP_SEGMENT 0
#define UV__HAVE_MAPPED_OPTIONS 0
#define UV__HAVE_IP_TOS_MESSAGE 1
typedef int uv__ip_tos_t;
#define UV__HAVE_ABSTRACT_SOCKET 0
#define UV__HAVE_WAITID 0
#define UV__HAVE_STATX 0
#define UV__HAVE_URING 0
#define UV__HAVE_STAT_BIRTHTIME 1
#define UV__HAVE_STAT_FLAGS 1
#define UV__HAVE_STATFS 1
#define UV__HAVE_FDATASYNC 0
#define UV__HAVE_SENDFILE_ANY 0
#define UV__POLL_FILE_ERROR UV_EPERM
#define UV__HAVE_SENDFILE_SOCKET 0
#define UV__HAVE_SENDFILE_INOUT 1
#define UV__HAVE_COPY_FILE_RANGE 0
#define UV__HAVE_FICLONE 0
#define UV__HAVE_FCHMODAT2 0
#define UV__HAVE_CLONEFILE 1
#define UV__HAVE_FCOPYFILE 1
#define UV__HAVE_ADDRINFO_COPY 0 /* not tried there */
#define UV__CLOCK CLOCK_UPTIME_RAW
#define UV__HAVE_GETRANDOM 0
#define UV__HAVE_GETENTROPY 1
#define UV__HAVE_NEWER_CALLS 1
#define UV__HAVE_VFORK_CLONE 0
#define UV__HAVE_VFORK 0
#define UV__HAVE_SIGACTION_TABLE 0
#define UV__HAVE_POSIX_SPAWN 1
#define UV__SPAWN_CLOEXEC_DEFAULT POSIX_SPAWN_CLOEXEC_DEFAULT
#define UV__ENVIRON (*_NSGetEnviron())
#define UV__HAVE_PTSNAME_R 1

/* Times in struct stat: x is a, m or c. */
#define UV__STAT_TIM(st, x) ((st)->st_##x##timespec)
#define UV__STAT_BIRTHTIM(st) ((st)->st_birthtimespec)
#define UV__STATFS_FRSIZE(st) ((st)->f_bsize)

/* MAXTHREADNAMESIZE of <sys/proc_info.h>. */
#define UV_PTHREAD_MAX_NAMELEN_NP 64
#define UV__DEFAULT_TMPDIR "/tmp"

static inline uint64_t uv__darwin_thread_id(void) {
  uint64_t id = 0;

  (void) pthread_threadid_np(NULL, &id); /* of oneself: cannot fail */
  return id;
}

#endif /* UV_UNIX_OS_DARWIN_H_ */
