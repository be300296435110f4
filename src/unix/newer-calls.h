/* SPDX-License-Identifier: MIT */
/* getrandom(), copy_file_range() and newer calls: functions of the C library,
 * or system calls by number where it lacks them. All return like system calls;
 * a kernel without one returns ENOSYS. Context: any.
 */
#ifndef UV_UNIX_NEWER_CALLS_H_
#define UV_UNIX_NEWER_CALLS_H_

#include "unix/os.h"
#include "util/base.h"

#include <fcntl.h>
#include <unistd.h>

#if UV__HAVE_GETRANDOM && UV__HAVE_NEWER_CALLS
# include <sys/random.h>
#endif

#if !UV__HAVE_NEWER_CALLS || UV__HAVE_FCHMODAT2 || UV__HAVE_CLOSE_RANGE
# include "unix/call-numbers.h"
#endif

#if !UV__HAVE_NEWER_CALLS
static inline ssize_t uv__getrandom(void* buf, size_t len) {
  return syscall(UV__SYS_GETRANDOM, buf, len, 0);
}
#elif UV__HAVE_GETRANDOM
static inline ssize_t uv__getrandom(void* buf, size_t len) {
  return getrandom(buf, len, 0);
}
#endif

/* Reads and writes at the file positions and advances them. */
#if !UV__HAVE_NEWER_CALLS
static inline ssize_t uv__copy_file_range(int in, int out, size_t len) {
  return syscall(UV__SYS_COPY_FILE_RANGE, in, NULL, out, NULL, len, 0);
}
#elif UV__HAVE_COPY_FILE_RANGE
static inline ssize_t uv__copy_file_range(int in, int out, size_t len) {
  return copy_file_range(in, NULL, out, NULL, len, 0);
}
#endif

/* fchmod() for a descriptor opened with O_PATH. */
#if UV__HAVE_FCHMODAT2
static inline int uv__fchmod_path(int fd, mode_t mode) {
  return (int) syscall(UV__SYS_FCHMODAT2, fd, "", mode, AT_EMPTY_PATH);
}
#endif

/* Sets close-on-exec for all descriptors from `first` on. */
#if UV__HAVE_CLOSE_RANGE
static inline int uv__cloexec_from(unsigned first) {
  const unsigned cloexec = 1u << 2; /* CLOSE_RANGE_CLOEXEC, of Linux 5.11 */
  return (int) syscall(UV__SYS_CLOSE_RANGE, first, ~0u, cloexec);
}
#endif

#endif /* UV_UNIX_NEWER_CALLS_H_ */
