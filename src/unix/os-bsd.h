/* SPDX-License-Identifier: MIT */
/* Capabilities that FreeBSD, NetBSD and OpenBSD have in common; unix/os.h
 * explains them. */
#ifndef UV_UNIX_OS_BSD_H_
#define UV_UNIX_OS_BSD_H_

#define UV__HAVE_CONDATTR_CLOCK 1
#define UV__HAVE_MACH_SEMAPHORE 0
#define UV__HAVE_THREAD_NICE 0
#define UV__HAVE_THREAD_ATTR 0
#define UV__HAVE_SETNAME_SELF 0
#define UV__HAVE_MACH_THREAD_INFO 0
#define UV__HAVE_PROCFS_EXE 0
#define UV__HAVE_ARGV_TITLE 0
#define UV__HAVE_PROC_COMM 0
#define UV__HAVE_SETPROCTITLE 1
#define UV__HAVE_MAXRSS_BYTES 0
#define UV__HAVE_GETAUXVAL 0
#define UV__HAVE_DL_PHDR 0
#define UV__HAVE_BACKTRACE 0
#define UV__HAVE_UNWINDER 0
#define UV__HAVE_EXECINFO 1
#define UV__HAVE_THREAD_KILL 1
#define UV__HAVE_AF_PACKET 0
#define UV__HAVE_AF_LINK 1
#define UV__HAVE_EPOLL 0
#define UV__HAVE_KQUEUE 1
#define UV__FS_EVENT_FD(handle) ((handle)->event_watcher.fd)
#define UV__HAVE_FSEVENTS 0
#define UV__HAVE_EVENTFD 0
#define UV__HAVE_CLOSE_RANGE 0
#define UV__HAVE_PIPE2 1
#define UV__HAVE_IP_RECVERR 0
#define UV__SO_REUSE_UDP SO_REUSEPORT
#define UV__HAVE_MSG_NOSIGNAL 1
#define UV__HAVE_MMSG 1
#define UV__HAVE_CONNECT_UNDO 0
#define UV__HAVE_UDP_SEGMENT 0
#define UV__HAVE_MAPPED_OPTIONS 0
#define UV__HAVE_ABSTRACT_SOCKET 0
#define UV__HAVE_WAITID 0
#define UV__HAVE_STATX 0
#define UV__HAVE_URING 0
#define UV__HAVE_STAT_BIRTHTIME 1
#define UV__HAVE_STAT_FLAGS 1
#define UV__HAVE_FDATASYNC 1
#define UV__HAVE_SENDFILE_ANY 0
#define UV__HAVE_SENDFILE_INOUT 0
#define UV__HAVE_FICLONE 0
#define UV__HAVE_FCHMODAT2 0
#define UV__HAVE_CLONEFILE 0
#define UV__HAVE_FCOPYFILE 0
#define UV__HAVE_ADDRINFO_COPY 0 /* not tried there */
#define UV__CLOCK CLOCK_MONOTONIC
#define UV__HAVE_NEWER_CALLS 1
#define UV__HAVE_VFORK_CLONE 0
#define UV__HAVE_POSIX_SPAWN 0
#define UV__ENVIRON environ
#define UV__DEFAULT_TMPDIR "/tmp"

#endif /* UV_UNIX_OS_BSD_H_ */
