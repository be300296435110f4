/* SPDX-License-Identifier: MIT */
/* System information, read by freebsd.c, netbsd.c, openbsd.c or darwin.c.
 * bsd.c builds the public functions on top. Context: any. */
#ifndef UV_UNIX_SYSINFO_BSD_H_
#define UV_UNIX_SYSINFO_BSD_H_

#include "util/base.h"

#include <time.h>

struct uv__memory {
  uint64_t total; /* of the machine, in bytes; 0: unknown */
  uint64_t free;  /* available */
};

/* Fills the fields that are known. */
void uv__memory_read(struct uv__memory* memory);

/* Resident bytes of this process: 0 or UV_E*. */
int uv__resident_read(size_t* bytes);

/* Seconds since the system was started: 0 or UV_E*. */
int uv__uptime_read(double* seconds);

/* For systems where a clock starts with the system. */
int uv__clock_seconds(clockid_t clock, double* seconds);

/* Properties that all CPUs share. */
struct uv__cpu_common {
  unsigned int count; /* CPUs that are online */
  int mhz;            /* 0: unknown */
  char model[128];
};

/* 0 or UV_E*; the model may be "". */
int uv__cpu_common_read(struct uv__cpu_common* common);

/* Times of `count` CPUs in milliseconds; unknown ones stay unchanged. 0 or
 * UV_E*. */
int uv__cpu_times_read(struct uv_cpu_times_s* times, unsigned int count);

/* From clock ticks. */
static inline uint64_t uv__ticks_to_ms(uint64_t ticks, uint64_t per_second) {
  return per_second == 0 ? 0 : ticks * 1000 / per_second;
}

/* The absolute path of the program, in a buffer of `size` bytes: 0 or UV_E*. */
int uv__program_path(char* path, size_t size);

#endif /* UV_UNIX_SYSINFO_BSD_H_ */
