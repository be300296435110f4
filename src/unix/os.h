/* SPDX-License-Identifier: MIT */
/* The one header that names operating systems.
 *
 * Each section defines every capability below as 0 or 1; other files write
 * `#if UV__HAVE_X` around whole functions. A macro missing from a section is an
 * error of the check at the end, not a silent 0. To add one: comment here,
 * value in every section, name in the check. The build provides _GNU_SOURCE on
 * Linux, _DARWIN_C_SOURCE on macOS and _NETBSD_SOURCE on NetBSD.
 *
 * threads
 *   UV__HAVE_CONDATTR_CLOCK    pthread_condattr_setclock()
 *   UV__HAVE_PTHREAD_BARRIER   pthread_barrier_*(), with the layout that
 *                              uv_barrier_t has in the public header
 *   UV__HAVE_MACH_SEMAPHORE    uv_sem_t is a Mach semaphore, not a sem_t
 *   UV__HAVE_CPU_SET           affinity as a fixed uv__cpu_set (CPU_SET() etc.)
 *   UV__HAVE_CPUSET_CREATE     affinity as an allocated cpuset_t (NetBSD)
 *   UV__HAVE_SCHED_GETCPU      sched_getcpu()
 *   UV__HAVE_THREAD_NICE       setpriority() on a thread id of gettid()
 *   UV__HAVE_SETNAME_SELF      pthread_setname_np(name), current thread only
 *   UV__HAVE_SETNAME_FORMAT    pthread_setname_np(thread, format, arg)
 *   UV__HAVE_SET_NAME_NP       pthread_set_name_np()/pthread_get_name_np()
 *                              (none of the three: setname_np(thread, name))
 *   UV__HAVE_RUSAGE_THREAD     getrusage(RUSAGE_THREAD)
 *   UV__HAVE_MACH_THREAD_INFO  thread_info(THREAD_BASIC_INFO)
 * process and system information
 *   UV__HAVE_PROCFS_EXE        /proc/self/exe is a link to the program
 *   UV__HAVE_ARGV_TITLE        overwriting argv changes what ps shows
 *   UV__HAVE_PROC_COMM         /proc/self/comm names the process
 *   UV__HAVE_SETPROCTITLE      setproctitle()
 *   UV__HAVE_MAXRSS_BYTES      ru_maxrss counts bytes (else kilobytes)
 *   UV__HAVE_AF_PACKET         link addresses are struct sockaddr_ll
 *   UV__HAVE_AF_LINK           link addresses are struct sockaddr_dl
 * pollers and descriptors
 *   UV__HAVE_EPOLL             epoll
 *   UV__HAVE_KQUEUE            kqueue; then UV__FS_EVENT_FD(handle) is where a
 *                              uv_fs_event_t keeps its fd
 *   UV__HAVE_FSEVENTS          the FSEvents service watches directories
 *   UV__HAVE_SELECT_THREAD     kqueue refuses some terminals, or knows nothing
 *                              of urgent data: a thread with select() stands in
 *   UV__HAVE_EVENTFD           eventfd()
 *   UV__HAVE_PIPE2             pipe2(), accept4(), SOCK_CLOEXEC/SOCK_NONBLOCK
 *   UV__HAVE_SO_NOSIGPIPE      SO_NOSIGPIPE
 *   UV__HAVE_MSG_NOSIGNAL      MSG_NOSIGNAL
 *   UV__HAVE_MMSG              sendmmsg(), recvmmsg()
 *   UV__HAVE_ABSTRACT_SOCKET   unix sockets with names that are no files; in
 *                              expressions only, the shim decides at run time
 *   UV__HAVE_IP_RECVERR        ICMP errors through MSG_ERRQUEUE
 *   uv__multicast_opt_t        type of IPv4 multicast TTL and loop options
 *   UV__HAVE_REUSEPORT_LB      UV__SO_REUSEPORT_LB: the kernel balances between
 *                              the sockets that share a port
 *   UV__SO_REUSE_UDP           the option behind UV_UDP_REUSEADDR
 * files
 *   UV__HAVE_STATX             statx(), by number
 *   UV__HAVE_URING             io_uring, for those who ask for it
 *   UV__HAVE_STAT_BIRTHTIME    struct stat has UV__STAT_BIRTHTIM()
 *   UV__HAVE_STAT_FLAGS        struct stat has st_flags and st_gen
 *   UV__HAVE_STATFS            statfs() with f_type (else statvfs())
 *   UV__HAVE_FDATASYNC         fdatasync()
 *   UV__HAVE_SENDFILE_ANY      sendfile() between any two files
 *   UV__HAVE_COPY_FILE_RANGE   copy_file_range()
 *   UV__HAVE_FICLONE           ioctl(FICLONE) of <linux/fs.h>
 *   UV__HAVE_CLONEFILE         fclonefileat() of <sys/clonefile.h>
 *   UV__HAVE_FCOPYFILE         fcopyfile() of <copyfile.h>
 * processes and terminals
 *   UV__HAVE_WAITID            waitid() tells who has ended and takes nothing
 *   UV__HAVE_VFORK_CLONE       clone(CLONE_VM | CLONE_VFORK) and syscall()
 *   UV__HAVE_POSIX_SPAWN       posix_spawn() with sessions is the best way;
 *                              UV__SPAWN_CLOEXEC_DEFAULT: its flag that closes
 *                              what is not passed on, or 0
 *   UV__ENVIRON                the environment (a shared library cannot name
 *                              `environ` everywhere)
 *   UV__HAVE_PTSNAME_R         ptsname_r(): tells a pty's master from its slave
 * clocks
 *   UV__CLOCK                  the clock of uv_hrtime(). macOS' CLOCK_MONOTONIC
 *                              counts microseconds and has been seen going back
 * random numbers
 *   UV__HAVE_GETRANDOM         getrandom()
 *   UV__HAVE_GETENTROPY        getentropy(), used where there is no getrandom()
 *   UV__HAVE_NEWER_CALLS       the C library has functions for the two calls of
 *                              newer-calls.h, if the system has them at all
 */
#ifndef UV_UNIX_OS_H_
#define UV_UNIX_OS_H_

#if defined(__linux__)

# include <sched.h>
# include <sys/vfs.h> /* statfs() */

# define UV__HAVE_CONDATTR_CLOCK 1
# define UV__HAVE_PTHREAD_BARRIER 1
# define UV__HAVE_MACH_SEMAPHORE 0
# define UV__HAVE_CPU_SET 1
# define UV__HAVE_CPUSET_CREATE 0
# define UV__HAVE_SCHED_GETCPU 1
# define UV__HAVE_THREAD_NICE 1
# define UV__HAVE_SETNAME_SELF 0
# define UV__HAVE_SETNAME_FORMAT 0
# define UV__HAVE_SET_NAME_NP 0
# define UV__HAVE_RUSAGE_THREAD 1
# define UV__HAVE_MACH_THREAD_INFO 0
# define UV__HAVE_PROCFS_EXE 1
# define UV__HAVE_ARGV_TITLE 1
# define UV__HAVE_PROC_COMM 1
# define UV__HAVE_SETPROCTITLE 0
# define UV__HAVE_MAXRSS_BYTES 0
# define UV__HAVE_AF_PACKET 1
# define UV__HAVE_AF_LINK 0
# define UV__HAVE_EPOLL 1
# if defined(UV__KQUEUE_SHIM) /* a test library, see test/kqueue-shim */
#  define UV__HAVE_KQUEUE 1
#  define UV__HAVE_SELECT_THREAD 1
#  define UV__FS_EVENT_FD(handle) ((handle)->wd)
#  define UV__HAVE_CLONEFILE 1
#  define UV__HAVE_ABSTRACT_SOCKET uv__shim_has_abstract_sockets()
#  define UV__SO_REUSE_UDP SO_REUSEPORT
int uv__shim_has_abstract_sockets(void);
# else
#  define UV__HAVE_ABSTRACT_SOCKET 1
#  define UV__SO_REUSE_UDP SO_REUSEADDR
#  define UV__HAVE_CLONEFILE 0
#  define UV__HAVE_KQUEUE 0
#  define UV__HAVE_SELECT_THREAD 0
# endif
# define UV__HAVE_FSEVENTS 0
# define UV__HAVE_EVENTFD 1
# define UV__HAVE_PIPE2 1
# define UV__HAVE_IP_RECVERR 1
# define uv__multicast_opt_t int
# define UV__HAVE_REUSEPORT_LB 1
# define UV__SO_REUSEPORT_LB SO_REUSEPORT
# define UV__HAVE_SO_NOSIGPIPE 0
# define UV__HAVE_MSG_NOSIGNAL 1
# define UV__HAVE_MMSG 1
# define UV__HAVE_WAITID 1
# define UV__HAVE_STATX 1
# if defined(__ANDROID__) || defined(UV__KQUEUE_SHIM)
#  define UV__HAVE_URING 0 /* seccomp kills there; no eventfd here */
# else
#  define UV__HAVE_URING 1
# endif
# define UV__HAVE_STAT_BIRTHTIME 0
# define UV__HAVE_STAT_FLAGS 0
# define UV__HAVE_STATFS 1
# define UV__HAVE_FDATASYNC 1
# define UV__HAVE_SENDFILE_ANY 1
# define UV__HAVE_COPY_FILE_RANGE 1
# define UV__HAVE_FICLONE 1
# define UV__HAVE_FCOPYFILE 0
# define UV__CLOCK CLOCK_MONOTONIC
# define UV__HAVE_GETRANDOM 1
# define UV__HAVE_GETENTROPY 0
# if defined(UV__KQUEUE_SHIM) /* as on macOS */
#  define UV__HAVE_VFORK_CLONE 0
#  define UV__HAVE_POSIX_SPAWN 1
# else
#  define UV__HAVE_VFORK_CLONE 1
#  define UV__HAVE_POSIX_SPAWN 0
# endif
# define UV__SPAWN_CLOEXEC_DEFAULT 0
# define UV__ENVIRON environ
# define UV__HAVE_PTSNAME_R 1

/* clone(2). ThreadSanitizer replaces the public name by a version that takes
 * every child for one with memory of its own, and goes blind in the parent. */
# include <features.h>
# if defined(__GLIBC__)
#  define UV__CLONE __clone
#  define UV__HAVE_NEWER_CALLS __GLIBC_PREREQ(2, 27)
# else
#  define UV__CLONE clone
#  define UV__HAVE_NEWER_CALLS 1 /* musl has them since 2018 */
# endif

/* Times in struct stat: x is a, m or c. */
# define UV__STAT_TIM(st, x) ((st)->st_##x##tim)
# define UV__STATFS_FRSIZE(st) ((st)->f_frsize)

/* TASK_COMM_LEN of the kernel, with the NUL. */
# define UV_PTHREAD_MAX_NAMELEN_NP 16

# if defined(__ANDROID__)
#  define UV__DEFAULT_TMPDIR "/data/local/tmp"
# else
#  define UV__DEFAULT_TMPDIR "/tmp"
# endif

typedef cpu_set_t uv__cpu_set;

#elif defined(__APPLE__)

# include <crt_externs.h> /* _NSGetEnviron() */
# include <sys/types.h>
# include <sys/mount.h>  /* statfs() */
# include <sys/param.h>
# include <sys/random.h> /* getentropy() */

# define UV__HAVE_CONDATTR_CLOCK 0
# define UV__HAVE_PTHREAD_BARRIER 0
# define UV__HAVE_MACH_SEMAPHORE 1
# define UV__HAVE_CPU_SET 0
# define UV__HAVE_CPUSET_CREATE 0
# define UV__HAVE_SCHED_GETCPU 0
# define UV__HAVE_THREAD_NICE 0
# define UV__HAVE_SETNAME_SELF 1
# define UV__HAVE_SETNAME_FORMAT 0
# define UV__HAVE_SET_NAME_NP 0
# define UV__HAVE_RUSAGE_THREAD 0
# define UV__HAVE_MACH_THREAD_INFO 1
# define UV__HAVE_PROCFS_EXE 0
# define UV__HAVE_ARGV_TITLE 1
# define UV__HAVE_PROC_COMM 0
# define UV__HAVE_SETPROCTITLE 0
# define UV__HAVE_MAXRSS_BYTES 1
# define UV__HAVE_AF_PACKET 0
# define UV__HAVE_AF_LINK 1
# define UV__HAVE_EPOLL 0
# define UV__HAVE_KQUEUE 1
# define UV__FS_EVENT_FD(handle) ((handle)->event_watcher.fd)
# define UV__HAVE_FSEVENTS 1
# define UV__HAVE_SELECT_THREAD 1
# define UV__HAVE_EVENTFD 0
# define UV__HAVE_PIPE2 0
# define UV__HAVE_IP_RECVERR 0
# define uv__multicast_opt_t int
# define UV__HAVE_REUSEPORT_LB 0
# define UV__SO_REUSE_UDP SO_REUSEPORT
# define UV__HAVE_SO_NOSIGPIPE 1
# define UV__HAVE_MSG_NOSIGNAL 0
# define UV__HAVE_MMSG 0
# define UV__HAVE_ABSTRACT_SOCKET 0
# define UV__HAVE_WAITID 0
# define UV__HAVE_STATX 0
# define UV__HAVE_URING 0
# define UV__HAVE_STAT_BIRTHTIME 1
# define UV__HAVE_STAT_FLAGS 1
# define UV__HAVE_STATFS 1
# define UV__HAVE_FDATASYNC 0
# define UV__HAVE_SENDFILE_ANY 0
# define UV__HAVE_COPY_FILE_RANGE 0
# define UV__HAVE_FICLONE 0
# define UV__HAVE_CLONEFILE 1
# define UV__HAVE_FCOPYFILE 1
# define UV__CLOCK CLOCK_UPTIME_RAW
# define UV__HAVE_GETRANDOM 0
# define UV__HAVE_GETENTROPY 1
# define UV__HAVE_NEWER_CALLS 1
# define UV__HAVE_VFORK_CLONE 0
# define UV__HAVE_POSIX_SPAWN 1
# define UV__SPAWN_CLOEXEC_DEFAULT POSIX_SPAWN_CLOEXEC_DEFAULT
# define UV__ENVIRON (*_NSGetEnviron())
# define UV__HAVE_PTSNAME_R 1

/* Times in struct stat: x is a, m or c. */
# define UV__STAT_TIM(st, x) ((st)->st_##x##timespec)
# define UV__STAT_BIRTHTIM(st) ((st)->st_birthtimespec)
# define UV__STATFS_FRSIZE(st) ((st)->f_bsize)

/* MAXTHREADNAMESIZE of <sys/proc_info.h>. */
# define UV_PTHREAD_MAX_NAMELEN_NP 64
# define UV__DEFAULT_TMPDIR "/tmp"

#elif defined(__FreeBSD__) || defined(__DragonFly__)

# include <sys/param.h>
# include <sys/cpuset.h>
# include <sys/mount.h> /* statfs() */
# include <pthread_np.h>

# define UV__HAVE_CONDATTR_CLOCK 1
# define UV__HAVE_PTHREAD_BARRIER 1
# define UV__HAVE_MACH_SEMAPHORE 0
# define UV__HAVE_CPU_SET 1
# define UV__HAVE_CPUSET_CREATE 0
# define UV__HAVE_SCHED_GETCPU 1
# define UV__HAVE_THREAD_NICE 0
# define UV__HAVE_SETNAME_SELF 0
# define UV__HAVE_SETNAME_FORMAT 0
# define UV__HAVE_SET_NAME_NP 1
# define UV__HAVE_RUSAGE_THREAD 1
# define UV__HAVE_MACH_THREAD_INFO 0
# define UV__HAVE_PROCFS_EXE 0
# define UV__HAVE_ARGV_TITLE 0
# define UV__HAVE_PROC_COMM 0
# define UV__HAVE_SETPROCTITLE 1
# define UV__HAVE_MAXRSS_BYTES 0
# define UV__HAVE_AF_PACKET 0
# define UV__HAVE_AF_LINK 1
# define UV__HAVE_EPOLL 0
# define UV__HAVE_KQUEUE 1
# define UV__FS_EVENT_FD(handle) ((handle)->event_watcher.fd)
# define UV__HAVE_FSEVENTS 0
# define UV__HAVE_SELECT_THREAD 1
# define UV__HAVE_EVENTFD 0
# define UV__HAVE_PIPE2 1
# define UV__HAVE_IP_RECVERR 0
# define uv__multicast_opt_t int
# define UV__HAVE_REUSEPORT_LB 1
# define UV__SO_REUSEPORT_LB SO_REUSEPORT_LB
# define UV__SO_REUSE_UDP SO_REUSEPORT
# define UV__HAVE_SO_NOSIGPIPE 1
# define UV__HAVE_MSG_NOSIGNAL 1
# define UV__HAVE_MMSG 1
# define UV__HAVE_ABSTRACT_SOCKET 0
# define UV__HAVE_WAITID 0
# define UV__HAVE_STATX 0
# define UV__HAVE_URING 0
# define UV__HAVE_STAT_BIRTHTIME 1
# define UV__HAVE_STAT_FLAGS 1
# define UV__HAVE_STATFS 1
# define UV__HAVE_FDATASYNC 1
# define UV__HAVE_SENDFILE_ANY 0
# define UV__HAVE_COPY_FILE_RANGE 1
# define UV__HAVE_FICLONE 0
# define UV__HAVE_CLONEFILE 0
# define UV__HAVE_FCOPYFILE 0
# define UV__CLOCK CLOCK_MONOTONIC
# define UV__HAVE_GETRANDOM 1
# define UV__HAVE_GETENTROPY 0
# define UV__HAVE_NEWER_CALLS 1
# define UV__HAVE_VFORK_CLONE 0
# define UV__HAVE_POSIX_SPAWN 0
# define UV__ENVIRON environ
# define UV__HAVE_PTSNAME_R 1

/* Times in struct stat: x is a, m or c. */
# define UV__STAT_TIM(st, x) ((st)->st_##x##tim)
# define UV__STAT_BIRTHTIM(st) ((st)->st_birthtim)
# define UV__STATFS_FRSIZE(st) ((st)->f_bsize)

# define UV_PTHREAD_MAX_NAMELEN_NP (MAXCOMLEN + 1)
# define UV__DEFAULT_TMPDIR "/tmp"

typedef cpuset_t uv__cpu_set;

#elif defined(__NetBSD__)

# include <sched.h>

# define UV__HAVE_CONDATTR_CLOCK 1
# define UV__HAVE_PTHREAD_BARRIER 1
# define UV__HAVE_MACH_SEMAPHORE 0
# define UV__HAVE_CPU_SET 0
# define UV__HAVE_CPUSET_CREATE 1
# define UV__HAVE_SCHED_GETCPU 0
# define UV__HAVE_THREAD_NICE 0
# define UV__HAVE_SETNAME_SELF 0
# define UV__HAVE_SETNAME_FORMAT 1
# define UV__HAVE_SET_NAME_NP 0
# define UV__HAVE_RUSAGE_THREAD 0
# define UV__HAVE_MACH_THREAD_INFO 0
# define UV__HAVE_PROCFS_EXE 0
# define UV__HAVE_ARGV_TITLE 0
# define UV__HAVE_PROC_COMM 0
# define UV__HAVE_SETPROCTITLE 1
# define UV__HAVE_MAXRSS_BYTES 0
# define UV__HAVE_AF_PACKET 0
# define UV__HAVE_AF_LINK 1
# define UV__HAVE_EPOLL 0
# define UV__HAVE_KQUEUE 1
# define UV__FS_EVENT_FD(handle) ((handle)->event_watcher.fd)
# define UV__HAVE_FSEVENTS 0
# define UV__HAVE_SELECT_THREAD 1
# define UV__HAVE_EVENTFD 0
# define UV__HAVE_PIPE2 1
# define UV__HAVE_IP_RECVERR 0
# define uv__multicast_opt_t int
# define UV__HAVE_REUSEPORT_LB 0
# define UV__SO_REUSE_UDP SO_REUSEPORT
# define UV__HAVE_SO_NOSIGPIPE 1
# define UV__HAVE_MSG_NOSIGNAL 1
# define UV__HAVE_MMSG 1
# define UV__HAVE_ABSTRACT_SOCKET 0
# define UV__HAVE_WAITID 0
# define UV__HAVE_STATX 0
# define UV__HAVE_URING 0
# define UV__HAVE_STAT_BIRTHTIME 1
# define UV__HAVE_STAT_FLAGS 1
# define UV__HAVE_STATFS 0
# define UV__HAVE_FDATASYNC 1
# define UV__HAVE_SENDFILE_ANY 0
# define UV__HAVE_COPY_FILE_RANGE 0
# define UV__HAVE_FICLONE 0
# define UV__HAVE_CLONEFILE 0
# define UV__HAVE_FCOPYFILE 0
# define UV__CLOCK CLOCK_MONOTONIC
# define UV__HAVE_GETRANDOM 1
# define UV__HAVE_GETENTROPY 0
# define UV__HAVE_NEWER_CALLS 1
# define UV__HAVE_VFORK_CLONE 0
# define UV__HAVE_POSIX_SPAWN 0
# define UV__ENVIRON environ
# define UV__HAVE_PTSNAME_R 1

/* Times in struct stat: x is a, m or c. */
# define UV__STAT_TIM(st, x) ((st)->st_##x##timespec)
# define UV__STAT_BIRTHTIM(st) ((st)->st_birthtimespec)

/* PTHREAD_MAX_NAMELEN_NP of <pthread.h>. */
# define UV_PTHREAD_MAX_NAMELEN_NP 32
# define UV__DEFAULT_TMPDIR "/tmp"

#elif defined(__OpenBSD__)

# include <pthread_np.h>

# define UV__HAVE_CONDATTR_CLOCK 1
# define UV__HAVE_PTHREAD_BARRIER 0
# define UV__HAVE_MACH_SEMAPHORE 0
# define UV__HAVE_CPU_SET 0
# define UV__HAVE_CPUSET_CREATE 0
# define UV__HAVE_SCHED_GETCPU 0
# define UV__HAVE_THREAD_NICE 0
# define UV__HAVE_SETNAME_SELF 0
# define UV__HAVE_SETNAME_FORMAT 0
# define UV__HAVE_SET_NAME_NP 1
# define UV__HAVE_RUSAGE_THREAD 1
# define UV__HAVE_MACH_THREAD_INFO 0
# define UV__HAVE_PROCFS_EXE 0
# define UV__HAVE_ARGV_TITLE 0
# define UV__HAVE_PROC_COMM 0
# define UV__HAVE_SETPROCTITLE 1
# define UV__HAVE_MAXRSS_BYTES 0
# define UV__HAVE_AF_PACKET 0
# define UV__HAVE_AF_LINK 1
# define UV__HAVE_EPOLL 0
# define UV__HAVE_KQUEUE 1
# define UV__FS_EVENT_FD(handle) ((handle)->event_watcher.fd)
# define UV__HAVE_FSEVENTS 0
# define UV__HAVE_SELECT_THREAD 0
# define UV__HAVE_EVENTFD 0
# define UV__HAVE_PIPE2 1
# define UV__HAVE_IP_RECVERR 0
# define uv__multicast_opt_t unsigned char
# define UV__HAVE_REUSEPORT_LB 0
# define UV__SO_REUSE_UDP SO_REUSEPORT
# define UV__HAVE_SO_NOSIGPIPE 0
# define UV__HAVE_MSG_NOSIGNAL 1
# define UV__HAVE_MMSG 1
# define UV__HAVE_ABSTRACT_SOCKET 0
# define UV__HAVE_WAITID 0
# define UV__HAVE_STATX 0
# define UV__HAVE_URING 0
# define UV__HAVE_STAT_BIRTHTIME 1
# define UV__HAVE_STAT_FLAGS 1
# define UV__HAVE_STATFS 0
# define UV__HAVE_FDATASYNC 1
# define UV__HAVE_SENDFILE_ANY 0
# define UV__HAVE_COPY_FILE_RANGE 0
# define UV__HAVE_FICLONE 0
# define UV__HAVE_CLONEFILE 0
# define UV__HAVE_FCOPYFILE 0
# define UV__CLOCK CLOCK_MONOTONIC
# define UV__HAVE_GETRANDOM 0
# define UV__HAVE_GETENTROPY 1
# define UV__HAVE_NEWER_CALLS 1
# define UV__HAVE_VFORK_CLONE 0
# define UV__HAVE_POSIX_SPAWN 0
# define UV__ENVIRON environ
# define UV__HAVE_PTSNAME_R 0

/* Times in struct stat: x is a, m or c. */
# define UV__STAT_TIM(st, x) ((st)->st_##x##tim)
# define UV__STAT_BIRTHTIM(st) ((st)->__st_birthtim)

/* _MAXCOMLEN of <sys/syslimits.h>. */
# define UV_PTHREAD_MAX_NAMELEN_NP 24
# define UV__DEFAULT_TMPDIR "/tmp"

#else
# error "no section for this operating system in src/unix/os.h"
#endif

/* Every capability has a value in the section that was chosen. */
#if !defined(UV__HAVE_CONDATTR_CLOCK) || !defined(UV__HAVE_PTHREAD_BARRIER) || \
    !defined(UV__HAVE_MACH_SEMAPHORE) || !defined(UV__HAVE_CPU_SET) || \
    !defined(UV__HAVE_CPUSET_CREATE) || !defined(UV__HAVE_SCHED_GETCPU) || \
    !defined(UV__HAVE_THREAD_NICE) || !defined(UV__HAVE_SETNAME_SELF) || \
    !defined(UV__HAVE_SETNAME_FORMAT) || !defined(UV__HAVE_SET_NAME_NP) || \
    !defined(UV__HAVE_RUSAGE_THREAD) || !defined(UV__HAVE_MACH_THREAD_INFO) || \
    !defined(UV__HAVE_PROCFS_EXE) || !defined(UV__HAVE_ARGV_TITLE) || \
    !defined(UV__HAVE_PROC_COMM) || !defined(UV__HAVE_SETPROCTITLE) || \
    !defined(UV__HAVE_MAXRSS_BYTES) || !defined(UV__HAVE_AF_PACKET) || \
    !defined(UV__HAVE_AF_LINK) || !defined(UV__HAVE_EPOLL) || \
    !defined(UV__HAVE_KQUEUE) || !defined(UV__HAVE_EVENTFD) || \
    !defined(UV__HAVE_FSEVENTS) || !defined(UV__HAVE_SELECT_THREAD) || \
    !defined(UV__HAVE_PIPE2) || !defined(UV__HAVE_REUSEPORT_LB) || \
    !defined(UV__HAVE_IP_RECVERR) || \
    !defined(UV__HAVE_SO_NOSIGPIPE) || \
    !defined(UV__HAVE_MSG_NOSIGNAL) || !defined(UV__HAVE_MMSG) || \
    !defined(UV__HAVE_ABSTRACT_SOCKET) || \
    !defined(UV__HAVE_WAITID) || \
    !defined(UV__HAVE_STATX) || !defined(UV__HAVE_URING) || \
    !defined(UV__HAVE_STAT_BIRTHTIME) || \
    !defined(UV__HAVE_STAT_FLAGS) || !defined(UV__HAVE_STATFS) || \
    !defined(UV__HAVE_FDATASYNC) || !defined(UV__HAVE_SENDFILE_ANY) || \
    !defined(UV__HAVE_COPY_FILE_RANGE) || !defined(UV__HAVE_FICLONE) || \
    !defined(UV__HAVE_CLONEFILE) || !defined(UV__HAVE_FCOPYFILE) || \
    !defined(UV__SO_REUSE_UDP) || !defined(UV__CLOCK) || \
    !defined(UV__HAVE_GETRANDOM) || !defined(UV__HAVE_GETENTROPY) || \
    !defined(UV__HAVE_NEWER_CALLS) || \
    !defined(UV__HAVE_VFORK_CLONE) || !defined(UV__HAVE_POSIX_SPAWN) || \
    !defined(UV__ENVIRON) || !defined(UV__HAVE_PTSNAME_R)
# error "a capability has no value for this system in src/unix/os.h"
#endif

#endif /* UV_UNIX_OS_H_ */
