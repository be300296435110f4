/* SPDX-License-Identifier: MIT */
/* Windows has no signals for errors of a process, and debuggers and runtimes
 * compete for the one filter of exceptions: nothing is done at a crash. */
#include "os/crash.h"

int uv__crash_os_start(void (*last)(int signum, int is_certain)) {
  (void) last;
  return UV_ENOSYS;
}

void uv__crash_os_stop(void) {
}
