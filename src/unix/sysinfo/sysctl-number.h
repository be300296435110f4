/* SPDX-License-Identifier: MIT */
/* A number from the system's table of values, for the systems whose table has
 * names. Context: any. */
#ifndef UV_UNIX_SYSINFO_SYSCTL_NUMBER_H_
#define UV_UNIX_SYSINFO_SYSCTL_NUMBER_H_

#include "util/base.h"

#include <sys/types.h>
#include <sys/sysctl.h>

/* A value of 4 or 8 bytes; 0 if it does not exist. */
static inline uint64_t uv__sysctl_number(const char* name) {
  union {
    uint32_t narrow;
    uint64_t wide;
  } value = { .wide = 0 };
  size_t size = sizeof(value);

  if (sysctlbyname(name, &value, &size, NULL, 0) != 0)
    return 0;
  return size == sizeof(value.narrow) ? value.narrow : value.wide;
}

#endif /* UV_UNIX_SYSINFO_SYSCTL_NUMBER_H_ */
