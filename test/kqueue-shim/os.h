/* SPDX-License-Identifier: MIT */
/* The capabilities of Linux with this kqueue: those of macOS where the two
 * differ in what is tested here. unix/os.h includes it by UV__OS_H. */
#ifndef KQUEUE_SHIM_OS_H_
#define KQUEUE_SHIM_OS_H_

#include "unix/os-linux.h"

#include <stddef.h>
#include <sys/types.h>

#undef UV__HAVE_KQUEUE
#define UV__HAVE_KQUEUE 1
#undef UV__HAVE_SELECT_THREAD
#define UV__HAVE_SELECT_THREAD 1
#define UV__FS_EVENT_FD(handle) ((handle)->wd)
#define F_GETPATH 50 /* see libc.c */

#undef UV__HAVE_CLONEFILE
#define UV__HAVE_CLONEFILE 1
#undef UV__HAVE_ABSTRACT_SOCKET
#define UV__HAVE_ABSTRACT_SOCKET shim_has_abstract_sockets()
#undef UV__SO_REUSE_UDP
#define UV__SO_REUSE_UDP SO_REUSEPORT

/* FreeBSD's sendfile(), see libc.c. */
#undef UV__HAVE_SENDFILE_ANY
#define UV__HAVE_SENDFILE_ANY 0
#undef UV__HAVE_SENDFILE_SOCKET
#define UV__HAVE_SENDFILE_SOCKET 1
#define sendfile shim_sendfile

/* The C library's own, found as the BSDs find theirs. */
#undef UV__HAVE_BACKTRACE
#define UV__HAVE_BACKTRACE 0
#undef UV__HAVE_UNWINDER
#define UV__HAVE_UNWINDER 0
#undef UV__HAVE_EXECINFO
#define UV__HAVE_EXECINFO 1
#define UV__EXECINFO "libc.so.6"

/* The ring's results come by an eventfd. */
#undef UV__HAVE_URING
#define UV__HAVE_URING 0

#undef UV__HAVE_VFORK_CLONE
#define UV__HAVE_VFORK_CLONE 0
#undef UV__HAVE_VFORK
#define UV__HAVE_VFORK 1
#undef UV__HAVE_POSIX_SPAWN
#define UV__HAVE_POSIX_SPAWN 1

int shim_has_abstract_sockets(void);
int shim_sendfile(int, int, off_t, size_t, void*, off_t*, int);

#endif /* KQUEUE_SHIM_OS_H_ */
