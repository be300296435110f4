/* SPDX-License-Identifier: MIT */
/* The one file of the tests that names an operating system.
 *
 *   TEST_POSIX         1 where there are fork(), signals sent with kill(),
 *                      descriptors with numbers; else 0. A test of such a thing
 *                      is a TEST_UNIX() or UNIT_UNIX() of its list, with the
 *                      reason, and is skipped elsewhere.
 *   TEST_HAVE_LINKER_LOCK  1 if dl_iterate_phdr() holds a lock while it calls
 *   TEST_NULL_DEVICE   takes everything, gives nothing
 *   TEST_LIBRARY       a library that every program can load, for uv_dlopen()
 *   TEST_SYMBOL        what it has
 *   TEST_HOME          the variable that names the home directory
 *   TEST_PATH_SEP      between the directories of PATH
 *   TEST_NO_SOCKET     what the system says of a socket that is not open
 *   TEST_POLL_FILE     what uv_poll_init() says of a regular file
 *   TEST_REPLACES      1 if a function of the program comes before that of the
 *                      C library for the library, too (on macOS it does not)
 *   TEST_NAME_SIZE     the type of the sizes that getnameinfo() gets
 *   TEST_MMSG_COUNT, TEST_MMSG_RESULT  types of sendmmsg()
 *   TEST_REUSEPORT     the socket option that balances between those that have
 *                      it; not on Windows
 *   TEST_NO_STREAM     the error of a write to a stream that is not open
 *   TEST_NO_INTERFACE  what it says of an interface that does not exist
 *   TEST_KILLED_STATUS exit status of a child that was killed with a signal
 *   TEST_SPAWN_FORKS   1 if every child is forked, so that the handlers of
 *                      pthread_atfork() run
 *   TEST_SPAWN_NEEDS_FD  1 if no child can be started without a free
 *                      descriptor
 *   TEST_CLONES_BY_NAME  1 if UV_FS_COPYFILE_FICLONE makes the system create
 *                      the copy, without set-user-ID bits
 *   TEST_NTOP_RFC5952  1 if inet_ntop() writes IPv6 addresses as RFC 5952 says
 *                      (musl may shorten another run of zeros than the first)
 *   TEST_SHARES_LOOKUPS  1 if equal lookups in flight are one call: a copy of a
 *                      result can be freed
 */
#ifndef TEST_PLATFORM_H_
#define TEST_PLATFORM_H_

#include <limits.h> /* says which C library it is */

#if defined(_WIN32)

# define TEST_POSIX 0
# define TEST_NULL_DEVICE "NUL"
# define TEST_LIBRARY "kernel32.dll"
# define TEST_SYMBOL "GetTickCount"
# define TEST_HOME "USERPROFILE"
# define TEST_PATH_SEP ";"
# define TEST_NO_SOCKET UV_ENOTSOCK
# define TEST_NO_STREAM UV_EPIPE
# define TEST_NO_INTERFACE UV_ENOENT
# define TEST_KILLED_STATUS 1
# if defined(__MINGW32__)
#  define TEST_SYSNAME "MINGW32_NT-"
# else
#  define TEST_SYSNAME "Windows_NT"
# endif

#else

# define TEST_POSIX 1
# define TEST_NULL_DEVICE "/dev/null"
# define TEST_LIBRARY NULL
# define TEST_SYMBOL "malloc"
# define TEST_HOME "HOME"
# define TEST_PATH_SEP ":"
# define TEST_NO_SOCKET UV_EBADF
# define TEST_NO_STREAM UV_EBADF
# define TEST_NO_INTERFACE UV_ENXIO
# define TEST_KILLED_STATUS 0

#endif

#if defined(__linux__) && !defined(__GLIBC__)
# define TEST_NTOP_RFC5952 0
#else
# define TEST_NTOP_RFC5952 1
#endif

#if defined(_WIN32) || defined(__GLIBC__)
# define TEST_SHARES_LOOKUPS 1
#else
# define TEST_SHARES_LOOKUPS 0
#endif

/* Functions that only some builds of the library have. */
#if defined(__linux__)
# define TEST_HAVE_LINKER_LOCK 1
# define TEST_HAVE_WEAK 1
# define TEST_WEAK __attribute__((weak))
#else
# define TEST_HAVE_LINKER_LOCK 0
# define TEST_HAVE_WEAK 0
#endif

#if defined(__APPLE__)
# define TEST_REPLACES 0
#else
# define TEST_REPLACES 1
#endif

#if defined(__FreeBSD__) || defined(__OpenBSD__)
# define TEST_NAME_SIZE size_t
#else
# define TEST_NAME_SIZE socklen_t
#endif

#if defined(__FreeBSD__)
# define TEST_MMSG_COUNT size_t
# define TEST_MMSG_RESULT ssize_t
#else
# define TEST_MMSG_COUNT unsigned
# define TEST_MMSG_RESULT int
#endif

#if defined(__FreeBSD__)
# define TEST_REUSEPORT SO_REUSEPORT_LB
#else
# define TEST_REUSEPORT SO_REUSEPORT
#endif

#if defined(__FreeBSD__)
# define TEST_POLL_FILE UV_EINVAL
#else
# define TEST_POLL_FILE UV_EPERM
#endif

#if defined(__OpenBSD__)
# define TEST_SPAWN_FORKS 1
#else
# define TEST_SPAWN_FORKS 0
#endif

#if defined(__OpenBSD__) || defined(__APPLE__)
# define TEST_SPAWN_NEEDS_FD 1
#else
# define TEST_SPAWN_NEEDS_FD 0
#endif

#if defined(__APPLE__)
# define TEST_CLONES_BY_NAME 1
#else
# define TEST_CLONES_BY_NAME 0
#endif

/* The tests of unix things, and of Windows', for a list: `why` says what they
 * need. */
#if TEST_POSIX
# define TEST_UNIX(name, why) TEST(name)
# define TEST_WINDOWS(name, why) TEST_LEFT_OUT(name, "Windows only: " why)
# define UNIT_UNIX(name, why) UNIT(name)
# define UNIT_WINDOWS(name, why) UNIT_LEFT_OUT(name, "Windows only: " why)
#else
# define TEST_UNIX(name, why) TEST_LEFT_OUT(name, "unix only: " why)
# define TEST_WINDOWS(name, why) TEST(name)
# define UNIT_UNIX(name, why) UNIT_LEFT_OUT(name, "unix only: " why)
# define UNIT_WINDOWS(name, why) UNIT(name)
#endif

/* A build without observers (LIBUV_OBSERVE=OFF) has no such unit tests. */
#if !defined(UV__OBSERVE) || UV__OBSERVE
# define UNIT_OBSERVE(name) UNIT(name)
#else
# define UNIT_OBSERVE(name) UNIT_LEFT_OUT(name, "built without observers")
#endif

#endif /* TEST_PLATFORM_H_ */
