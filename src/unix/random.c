/* SPDX-License-Identifier: MIT */
/* Random bytes from the kernel. Context: any | worker.
 *
 *   getrandom(2) or getentropy(3) -> if the system refuses it: wait until
 *   /dev/random returns one byte (the generator is seeded), then read
 *   /dev/urandom
 *
 * Failure: neither is available or permitted (the error of the device), or the
 * device is not a device or ends early (UV_EIO).
 */
#include "os/random.h"
#include "unix/fd.h"
#include "unix/newer-calls.h"
#include "unix/os.h"
#include "util/atomic.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#if UV__HAVE_GETRANDOM
/* Some bytes, or UV_E*. Returns fewer above 32 MB, and if a signal interrupts a
 * request for more than 256 bytes. */
static ssize_t random_read(void* buf, size_t len) {
  ssize_t n;

  do
    n = uv__getrandom(buf, len);
  while (n < 0 && errno == EINTR);

  return n < 0 ? uv__errno() : n;
}
#elif UV__HAVE_GETENTROPY
/* Some bytes, or UV_E*. Takes at most 256 at a time. */
static ssize_t random_read(void* buf, size_t len) {
  len = uv__min_size(len, 256);
  return getentropy(buf, len) != 0 ? uv__errno() : (ssize_t) len;
}
#else
static ssize_t random_read(void* buf, size_t len) {
  (void) buf;
  (void) len;
  return UV_ENOSYS;
}
#endif

static ssize_t read_some(int fd, char* buf, size_t len) {
  ssize_t n = uv__fd_read(fd, buf, len);
  return n == 0 ? UV_EIO : n; /* a generator has no end */
}

/* Opens a device after checking that it is one: in a badly set up chroot the
 * name may belong to an ordinary file. */
static int open_device(const char* path) {
  int fd = uv__fd_open(path, O_RDONLY, 0);
  if (fd < 0)
    return fd;

  struct stat st;
  int err = fstat(fd, &st) != 0 ? uv__errno() : 0;
  if (err == 0 && !S_ISCHR(st.st_mode))
    err = UV_EIO;
  if (err == 0)
    return fd;

  (void) uv__fd_close(fd); /* only read from */
  return err;
}

static int read_device(const char* path, char* buf, size_t buflen) {
  int fd = open_device(path);
  if (fd < 0)
    return fd;

  ssize_t n = 0;
  for (size_t done = 0; done < buflen && n >= 0; done += (size_t) n) {
    n = read_some(fd, buf + done, buflen - done);
    if (n < 0)
      break;
  }

  (void) uv__fd_close(fd); /* only read from */
  return n < 0 ? (int) n : 0;
}

/* /dev/urandom returns data before it is seeded; /dev/random does not. */
static int wait_until_seeded(void) {
  static int seeded;
  char byte;

  /* Two threads may both check, which is harmless; no ordering is needed. */
  if (uv__load_relaxed(&seeded))
    return 0;

  int err = read_device("/dev/random", &byte, sizeof(byte));
  if (err == 0)
    uv__store_relaxed(&seeded, 1);
  return err;
}

static int fill_from_device(char* buf, size_t buflen) {
  int err = wait_until_seeded();
  return err != 0 ? err : read_device("/dev/urandom", buf, buflen);
}

/* Old kernels return ENOSYS, sandboxes often EPERM. */
static int is_refusal(ssize_t err) {
  return err == UV_ENOSYS || err == UV_EPERM;
}

int uv__random_os_fill(void* buf, size_t buflen) {
  char* at = buf;
  size_t left = buflen;

  while (left > 0) {
    ssize_t n = random_read(at, left);
    if (is_refusal(n))
      return fill_from_device(at, left);
    if (n < 0)
      return (int) n;
    at += n;
    left -= (size_t) n;
  }

  return 0;
}
