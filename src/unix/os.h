/* SPDX-License-Identifier: MIT */
/* The capabilities of the operating system.
 *
 * The header of each system, chosen below, defines every one of them as 0 or 1;
 * other files write `#if UV__HAVE_X` around whole functions, and -Wundef warns
 * if a system does not define it. To add one: comment here, value in every
 * header (os-bsd.h has what the BSDs share). The build provides _GNU_SOURCE on
 * Linux, _DARWIN_C_SOURCE on macOS and _NETBSD_SOURCE on NetBSD, and may name a
 * header of its own: UV__OS_H.
 *
 * threads
 *   UV__HAVE_CANCEL            pthread_cancel()
 *   UV__HAVE_CONDATTR_CLOCK    pthread_condattr_setclock()
 *   UV__HAVE_PTHREAD_BARRIER   pthread_barrier_*(), with the layout that
 *                              uv_barrier_t has in the public header
 *   UV__HAVE_MACH_SEMAPHORE    uv_sem_t is a Mach semaphore, not a sem_t
 *   UV__HAVE_CPU_SET           affinity as a fixed uv__cpu_set (CPU_SET() etc.)
 *   UV__HAVE_CPUSET_CREATE     affinity as an allocated cpuset_t (NetBSD)
 *   UV__HAVE_SCHED_GETCPU      sched_getcpu()
 *   UV__HAVE_THREAD_NICE       setpriority() on a thread id of gettid()
 *   UV__THREAD_ID()            the kernel's number of the calling thread
 *   UV__HAVE_THREAD_KILL       UV__THREAD_KILL(id, signum): sends a signal to a
 *                              thread of this process; 0 or -1
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
 *   UV__HAVE_GETAUXVAL         getauxval(AT_SECURE) (else issetugid())
 *   UV__HAVE_DL_PHDR           dl_iterate_phdr() does not take the lock that
 *                              dlclose() holds; getauxval(AT_EXECFN)
 *   UV__HAVE_BACKTRACE         backtrace() of <execinfo.h> in the C library
 *   UV__HAVE_EXECINFO          backtrace() in the library called UV__EXECINFO,
 *                              which is loaded when it is needed
 *   UV__HAVE_UNWINDER          backtrace() loads libgcc_s.so.1, in whose tables
 *                              the frame pointer has number UV__FRAME_POINTER
 *                              (0: not known); process_vm_readv()
 *   UV__HAVE_AF_PACKET         link addresses are struct sockaddr_ll
 *   UV__HAVE_AF_LINK           link addresses are struct sockaddr_dl
 * pollers and descriptors
 *   UV__HAVE_EPOLL             epoll
 *   UV__HAVE_KQUEUE            kqueue; then UV__FS_EVENT_FD(handle) is where a
 *                              uv_fs_event_t keeps its fd
 *   UV__HAVE_FSEVENTS          the FSEvents service watches directories
 *   UV__HAVE_SELECT_THREAD     kqueue refuses some terminals, or lacks a
 *                              filter for urgent data: select() on a thread
 *   UV__POLL_FILE_ERROR        what uv_poll_init() says of a regular file, as
 *                              libuv does there
 *   UV__HAVE_EVENTFD           eventfd()
 *   UV__HAVE_PIPE2             pipe2(), accept4(), SOCK_CLOEXEC/SOCK_NONBLOCK
 *   UV__HAVE_CLOSE_RANGE       close_range(), by number
 *   UV__HAVE_SO_NOSIGPIPE      SO_NOSIGPIPE
 *   UV__HAVE_MSG_NOSIGNAL      MSG_NOSIGNAL
 *   UV__HAVE_CONNECT_UNDO      connect() to AF_UNSPEC ends a TCP connect
 *   UV__HAVE_MMSG              sendmmsg(), recvmmsg()
 *   UV__HAVE_UDP_SEGMENT       UDP_SEGMENT: a message of several datagrams
 *   UV__HAVE_MAPPED_OPTIONS    an IPv6 socket has the options of IPPROTO_IP for
 *                              what it sends and receives by IPv4
 *   UV__HAVE_IP_TOS_MESSAGE    sendmsg() takes IP_TOS, a uv__ip_tos_t
 *   UV__HAVE_ABSTRACT_SOCKET   unix sockets with names outside the file system;
 *                              may be a run-time expression, so never in #if
 *   UV__HAVE_IP_RECVERR        ICMP errors through MSG_ERRQUEUE
 *   uv__multicast_opt_t        type of IPv4 multicast TTL and loop options
 *   UV__HAVE_REUSEPORT_LB      UV__SO_REUSEPORT_LB: the kernel balances between
 *                              the sockets that share a port
 *   UV__SO_REUSE_UDP           the option behind UV_UDP_REUSEADDR
 * files
 *   UV__HAVE_STATX             statx(), by number
 *   UV__HAVE_URING             io_uring, used on request
 *   UV__HAVE_STAT_BIRTHTIME    struct stat has UV__STAT_BIRTHTIM()
 *   UV__HAVE_STAT_FLAGS        struct stat has st_flags and st_gen
 *   UV__HAVE_STATFS            statfs() with f_type (else statvfs())
 *   UV__HAVE_FDATASYNC         fdatasync()
 *   UV__HAVE_SENDFILE_ANY      sendfile() between any two files
 *   UV__HAVE_SENDFILE_SOCKET   sendfile(file, socket, offset, length, headers,
 *                              &sent, flags), from files to sockets only
 *   UV__HAVE_SENDFILE_INOUT    the same, with the length and what was sent in
 *                              one argument
 *   UV__HAVE_COPY_FILE_RANGE   copy_file_range()
 *   UV__HAVE_FICLONE           ioctl(FICLONE) of <linux/fs.h>
 *   UV__HAVE_FCHMODAT2         the call fchmodat2, by number
 *   UV__HAVE_CLONEFILE         fclonefileat() of <sys/clonefile.h>
 *   UV__HAVE_FCOPYFILE         fcopyfile() of <copyfile.h>
 * processes and terminals
 *   UV__HAVE_WAITID            waitid() with WNOWAIT
 *   UV__HAVE_VFORK_CLONE       clone(CLONE_VM | CLONE_VFORK) and syscall()
 *   UV__HAVE_VFORK             vfork() that shares the memory of the parent
 *                              (OpenBSD's copies it, as fork() does)
 *   UV__HAVE_SIGACTION_TABLE   sigaction() writes to a table of the C library,
 *                              which a vfork child shares; there is syscall()
 *   UV__HAVE_POSIX_SPAWN       posix_spawn() with sessions is preferred;
 *                              UV__SPAWN_CLOEXEC_DEFAULT: its flag that closes
 *                              what is not passed on, or 0
 *   UV__ENVIRON                the environment (a shared library cannot name
 *                              `environ` everywhere)
 *   UV__HAVE_PTSNAME_R         ptsname_r(): fails unless the fd is a pty master
 * names
 *   UV__HAVE_ADDRINFO_COPY     freeaddrinfo() frees each element with free(),
 *                              and its name with another
 * clocks
 *   UV__CLOCK                  the clock of uv_hrtime(). macOS' CLOCK_MONOTONIC
 *                              has microseconds and was seen to go backwards
 * random numbers
 *   UV__HAVE_GETRANDOM         getrandom()
 *   UV__HAVE_GETENTROPY        getentropy(), used where there is no getrandom()
 *   UV__HAVE_NEWER_CALLS       the C library has functions for the two calls of
 *                              newer-calls.h, if the system has them at all
 */
#ifndef UV_UNIX_OS_H_
#define UV_UNIX_OS_H_

#if defined(UV__OS_H)
# include UV__OS_H
#elif defined(__linux__)
# include "unix/os-linux.h"
#elif defined(__APPLE__)
# include "unix/os-darwin.h"
#elif defined(__FreeBSD__) || defined(__DragonFly__)
# include "unix/os-freebsd.h"
#elif defined(__NetBSD__)
# include "unix/os-netbsd.h"
#elif defined(__OpenBSD__)
# include "unix/os-openbsd.h"
#else
# error "no header for this operating system in src/unix"
#endif

#endif /* UV_UNIX_OS_H_ */
