/* SPDX-License-Identifier: MIT */
/* Opening a kqueue above the standard streams.
 *
 * The manuals do not say on every system that a kqueue can be duplicated, so it
 * is not moved as other descriptors are. Queues that get a low number are kept
 * open until one gets a higher number, and closed then.
 */
#include "unix/fd.h"

#include <sys/types.h>
#include <sys/event.h>
#include <sys/time.h>
#include <unistd.h>

static int queue_open(void) {
  int fd = kqueue();
  if (fd == -1)
    return uv__errno();

  int err = uv__fd_cloexec(fd, 1);
  if (err == 0)
    return fd;
  uv__fd_close(fd);
  return err;
}

int uv__fd_kqueue(void) {
  int low[STDERR_FILENO + 1];
  int count = 0;
  int fd = queue_open();

  while (fd >= 0 && fd <= STDERR_FILENO && count <= STDERR_FILENO) {
    low[count++] = fd;
    fd = queue_open();
  }
  while (count > 0)
    uv__fd_close(low[--count]);
  return fd;
}
