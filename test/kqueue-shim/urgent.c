/* SPDX-License-Identifier: MIT */
/* Urgent data as the BSDs and macOS have it. Linux forgets a socket's mark when
 * the urgent byte is read; sopoll_generic() of FreeBSD and the filters of the
 * others report it until everything before it is read, too ("so->so_oobmark ||
 * (so->so_rcv.sb_state & SBS_RCVATMARK)").
 */
#include "shim.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>

static int inline_mode(int fd, int on) {
  return setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &on, sizeof(on));
}

/* Linux counts the bytes up to the mark, and all of them where urgent data is
 * not apart. */
int shim_is_before_mark(int fd) {
  int value = 0;
  socklen_t len = sizeof(value);
  int to_mark = 0;
  int all = 0;

  if (getsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &value, &len) != 0 || value != 0)
    return 0;
  if (ioctl(fd, SIOCATMARK, &value) == 0 && value)
    return 1;
  if (ioctl(fd, FIONREAD, &to_mark) != 0 || inline_mode(fd, 1) != 0)
    return 0;
  if (ioctl(fd, FIONREAD, &all) != 0)
    all = to_mark;
  (void) inline_mode(fd, 0);
  return all > to_mark;
}

static int select_itself(int count,
                         fd_set* in,
                         fd_set* out,
                         fd_set* exceptional,
                         struct timeval* timeout) {
  int (*next)(int, fd_set*, fd_set*, fd_set*, struct timeval*);

  void* address = dlsym(RTLD_NEXT, "select");
  memcpy(&next, &address, sizeof(next));
  return next(count, in, out, exceptional, timeout);
}

/* Is one of these before its mark? Then they are in `found`. */
static int find_before_mark(int count, const fd_set* asked, fd_set* found) {
  int n = 0;

  FD_ZERO(found);
  for (int fd = 0; asked != NULL && fd < count; fd++) {
    if (!FD_ISSET(fd, asked) || !shim_is_before_mark(fd))
      continue;
    FD_SET(fd, found);
    n++;
  }
  return n;
}

int select(int count,
           fd_set* in,
           fd_set* out,
           fd_set* exceptional,
           struct timeval* timeout) {
  struct timeval at_once = { 0, 0 };
  fd_set found;

  if (!shim_acts_as("freebsd") ||
      find_before_mark(count, exceptional, &found) == 0)
    return select_itself(count, in, out, exceptional, timeout);
  int n = select_itself(count, in, out, exceptional, &at_once);
  for (int fd = 0; n >= 0 && fd < count; fd++) {
    if (!FD_ISSET(fd, &found) || FD_ISSET(fd, exceptional))
      continue;
    FD_SET(fd, exceptional);
    n++;
  }
  return n;
}
