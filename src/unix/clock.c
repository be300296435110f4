/* SPDX-License-Identifier: MIT */
/* Clocks and sleeping. Context: any. */
#include "os/system.h"
#include "unix/fd.h"
#include "unix/os.h"
#include "util/fatal.h"

#include <errno.h>
#include <sys/time.h>
#include <time.h>

uint64_t uv_hrtime(void) {
  struct timespec now;
  if (clock_gettime(UV__CLOCK, &now) != 0)
    uv__fatal("uv_hrtime", uv__errno()); /* every supported system has it */
  return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

int uv__os_clock_gettime(uv_clock_id clock_id, uv_timespec64_t* ts) {
  clockid_t clock = clock_id == UV_CLOCK_MONOTONIC ? UV__CLOCK : CLOCK_REALTIME;
  struct timespec now;
  if (clock_gettime(clock, &now) != 0)
    return uv__errno();
  ts->tv_sec = now.tv_sec;
  ts->tv_nsec = (int32_t) now.tv_nsec;
  return 0;
}

int uv__os_gettimeofday(uv_timeval64_t* tv) {
  struct timeval now;
  if (gettimeofday(&now, NULL) != 0)
    return uv__errno();
  tv->tv_sec = now.tv_sec;
  tv->tv_usec = (int32_t) now.tv_usec;
  return 0;
}

void uv_sleep(unsigned int msec) {
  struct timespec left;
  left.tv_sec = msec / 1000;
  left.tv_nsec = (long) (msec % 1000) * 1000000;
  /* A signal handler interrupts the sleep; `left` has the remaining time. */
  while (nanosleep(&left, &left) != 0)
    if (errno != EINTR)
      uv__fatal("uv_sleep", uv__errno());
}
