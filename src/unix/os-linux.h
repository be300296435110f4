/* SPDX-License-Identifier: MIT */
/* Capabilities of Linux; unix/os.h explains them. */
#ifndef UV_UNIX_OS_LINUX_H_
#define UV_UNIX_OS_LINUX_H_

#include <sched.h>
#include <sys/syscall.h>
#include <sys/vfs.h> /* statfs() */
#include <unistd.h>  /* syscall() */

#define UV__HAVE_CONDATTR_CLOCK 1
#if defined(__ANDROID__)
# define UV__HAVE_CANCEL 0
#else
# define UV__HAVE_CANCEL 1
#endif
#define UV__HAVE_PTHREAD_BARRIER 1
#define UV__HAVE_MACH_SEMAPHORE 0
#define UV__HAVE_CPU_SET 1
#define UV__HAVE_CPUSET_CREATE 0
#define UV__HAVE_SCHED_GETCPU 1
#define UV__HAVE_THREAD_NICE 1
#define UV__HAVE_THREAD_ATTR 1 /* pthread_getattr_np() */
#define UV__THREAD_ID() syscall(SYS_gettid)
#define UV__HAVE_THREAD_KILL 1
#define UV__THREAD_KILL(id, signum)                                            \
 syscall(SYS_tgkill, getpid(), (pid_t) (id), signum)
#define UV__HAVE_EXECINFO 0
#define UV__HAVE_SETNAME_SELF 0
#define UV__HAVE_SETNAME_FORMAT 0
#define UV__HAVE_SET_NAME_NP 0
#define UV__HAVE_RUSAGE_THREAD 1
#define UV__HAVE_MACH_THREAD_INFO 0
#define UV__HAVE_PROCFS_EXE 1
#define UV__HAVE_ARGV_TITLE 1
#define UV__HAVE_PROC_COMM 1
#define UV__HAVE_SETPROCTITLE 0
#define UV__HAVE_MAXRSS_BYTES 0
#define UV__HAVE_GETAUXVAL 1
#define UV__HAVE_DL_PHDR 1
#define UV__HAVE_AF_PACKET 1
#define UV__HAVE_AF_LINK 0
#define UV__HAVE_EPOLL 1
#define UV__HAVE_ABSTRACT_SOCKET 1
#define UV__SO_REUSE_UDP SO_REUSEADDR
#define UV__HAVE_CLONEFILE 0
#define UV__HAVE_KQUEUE 0
#define UV__HAVE_SELECT_THREAD 0
#define UV__HAVE_FSEVENTS 0
#define UV__HAVE_EVENTFD 1
#define UV__HAVE_CLOSE_RANGE 1
#define UV__HAVE_PIPE2 1
#define UV__HAVE_IP_RECVERR 1
#define uv__multicast_opt_t int
#define UV__HAVE_REUSEPORT_LB 1
#define UV__SO_REUSEPORT_LB SO_REUSEPORT
#define UV__HAVE_SO_NOSIGPIPE 0
#define UV__HAVE_MSG_NOSIGNAL 1
#define UV__HAVE_MMSG 1
#define UV__HAVE_CONNECT_UNDO 1
#define UV__HAVE_UDP_SEGMENT 1
#define UV__HAVE_MAPPED_OPTIONS 1
#define UV__HAVE_IP_TOS_MESSAGE 1
typedef int uv__ip_tos_t;
#define UV__HAVE_WAITID 1
#define UV__HAVE_STATX 1
#if defined(__ANDROID__)
# define UV__HAVE_URING 0 /* seccomp kills the process there */
#else
# define UV__HAVE_URING 1
#endif
#define UV__HAVE_STAT_BIRTHTIME 0
#define UV__HAVE_STAT_FLAGS 0
#define UV__HAVE_STATFS 1
#define UV__HAVE_FDATASYNC 1
#define UV__HAVE_SENDFILE_ANY 1
#define UV__POLL_FILE_ERROR UV_EPERM
#define UV__HAVE_SENDFILE_SOCKET 0
#define UV__HAVE_SENDFILE_INOUT 0
#define UV__HAVE_COPY_FILE_RANGE 1
#define UV__HAVE_FICLONE 1
#define UV__HAVE_FCHMODAT2 1
#define UV__HAVE_FCOPYFILE 0
#if defined(__GLIBC__) && !defined(__UCLIBC__)
# define UV__HAVE_ADDRINFO_COPY 1 /* musl: one block with a hidden count */
#else
# define UV__HAVE_ADDRINFO_COPY 0
#endif
#define UV__CLOCK CLOCK_MONOTONIC
#define UV__HAVE_GETRANDOM 1
#define UV__HAVE_GETENTROPY 0
#define UV__HAVE_VFORK_CLONE 1
#define UV__HAVE_VFORK 0
#define UV__HAVE_SIGACTION_TABLE 0
#define UV__HAVE_POSIX_SPAWN 0
#define UV__SPAWN_CLOEXEC_DEFAULT 0
#define UV__ENVIRON environ
#define UV__HAVE_PTSNAME_R 1

/* clone(2). ThreadSanitizer intercepts the public name, assumes that the child
 * has its own memory, and stops tracking the parent. */
#include <features.h>
#if defined(__GLIBC__)
# define UV__CLONE __clone
# define UV__HAVE_NEWER_CALLS __GLIBC_PREREQ(2, 27)
# define UV__HAVE_BACKTRACE 1
# define UV__HAVE_UNWINDER 1
# if defined(__x86_64__)
#  define UV__FRAME_POINTER 6
# elif defined(__aarch64__)
#  define UV__FRAME_POINTER 29
# else
#  define UV__FRAME_POINTER 0
# endif
#else
# define UV__CLONE clone
# define UV__HAVE_NEWER_CALLS 1 /* musl has them since 2018 */
# define UV__HAVE_BACKTRACE 0
# define UV__HAVE_UNWINDER 0
#endif

/* Times in struct stat: x is a, m or c. */
#define UV__STAT_TIM(st, x) ((st)->st_##x##tim)
#define UV__STATFS_FRSIZE(st) ((st)->f_frsize)

/* TASK_COMM_LEN of the kernel, with the NUL. */
#define UV_PTHREAD_MAX_NAMELEN_NP 16

#if defined(__ANDROID__)
# define UV__DEFAULT_TMPDIR "/data/local/tmp"
#else
# define UV__DEFAULT_TMPDIR "/tmp"
#endif

typedef cpu_set_t uv__cpu_set;

#endif /* UV_UNIX_OS_LINUX_H_ */
