/* SPDX-License-Identifier: MIT */
/* The stack of another thread. */
#include "os/backtrace.h"

/* Signals are not sent to threads. */
int uv__backtrace_os_start(int signum) {
  (void) signum;
  return UV_ENOSYS;
}

void uv__backtrace_os_stop(int signum) {
  (void) signum;
}

size_t uv__backtrace_os_take(uint64_t tid,
                             int signum,
                             const void** frames,
                             size_t max) {
  (void) tid;
  (void) signum;
  (void) frames;
  (void) max;
  return 0;
}
