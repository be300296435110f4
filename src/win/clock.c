/* SPDX-License-Identifier: MIT */
/* Clocks and sleeping. Context: any. */
#include "os/system.h"

#define NSEC_PER_SEC UINT64_C(1000000000)

/* From 1601, the epoch of Windows, to 1970, in 100 ns. */
#define UNIX_EPOCH INT64_C(116444736000000000)
#define TICKS_PER_SEC INT64_C(10000000)

static uv_once_t frequency_once = UV_ONCE_INIT;
static uint64_t frequency;

static void frequency_get(void) {
  LARGE_INTEGER value;
  QueryPerformanceFrequency(&value); /* never fails since Windows XP */
  frequency = (uint64_t) value.QuadPart;
}

uint64_t uv_hrtime(void) {
  LARGE_INTEGER now;

  uv_once(&frequency_once, frequency_get);
  QueryPerformanceCounter(&now);

  /* In two steps: a single product would overflow after a few minutes. */
  uint64_t ticks = (uint64_t) now.QuadPart;
  uint64_t nsec = ticks / frequency * NSEC_PER_SEC;
  return nsec + ticks % frequency * NSEC_PER_SEC / frequency;
}

/* 100 ns since 1970. */
static int64_t wall_ticks(void) {
  FILETIME time;
  GetSystemTimePreciseAsFileTime(&time);
  uint64_t ticks = (uint64_t) time.dwHighDateTime << 32 | time.dwLowDateTime;
  return (int64_t) ticks - UNIX_EPOCH;
}

int uv__os_clock_gettime(uv_clock_id clock_id, uv_timespec64_t* ts) {
  if (clock_id == UV_CLOCK_MONOTONIC) {
    uint64_t now = uv_hrtime();
    ts->tv_sec = (int64_t) (now / NSEC_PER_SEC);
    ts->tv_nsec = (int32_t) (now % NSEC_PER_SEC);
    return 0;
  }

  int64_t now = wall_ticks();
  ts->tv_sec = now / TICKS_PER_SEC;
  ts->tv_nsec = (int32_t) (now % TICKS_PER_SEC * 100);
  return 0;
}

int uv__os_gettimeofday(uv_timeval64_t* tv) {
  int64_t now = wall_ticks();
  tv->tv_sec = now / TICKS_PER_SEC;
  tv->tv_usec = (int32_t) (now % TICKS_PER_SEC / 10);
  return 0;
}

void uv_sleep(unsigned int msec) {
  Sleep(msec);
}
