/* SPDX-License-Identifier: MIT */
/* Load average, uptime, available parallelism. Context: any. */
#include "os/system.h"
#include "unix/fd.h"
#include "unix/sysinfo/cgroup.h"
#include "unix/sysinfo/procfs.h"

#include <sched.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

/* CPUs in the affinity mask; more than any kernel supports. */
#define AFFINITY_CPUS 16384

/* Decimal digits that are parsed. */
#define DECIMALS_MAX 9

/* Parses the decimal number at *at ("0.52") and advances *at. 0 or UV_EINVAL.
 * Not strtod(), which depends on the locale. */
static int decimal_parse(const char** at, double* value) {
  uint64_t whole;
  if (uv__procfs_number(at, &whole) != 0)
    return UV_EINVAL;

  uint64_t digits = 0;
  uint64_t scale = 1;
  const char* p = *at;
  if (*p == '.')
    for (p++; *p >= '0' && *p <= '9' && p - *at <= DECIMALS_MAX; p++) {
      digits = digits * 10 + (uint64_t) (*p - '0');
      scale *= 10;
    }
  *at = p;
  *value = (double) whole + (double) digits / (double) scale;
  return 0;
}

static int loadavg_read(double avg[3]) {
  char text[128];
  if (uv__procfs_slurp("/proc/loadavg", text, sizeof(text)) < 0)
    return UV_ENOENT;
  const char* at = text;
  for (int i = 0; i < 3; i++)
    if (decimal_parse(&at, &avg[i]) != 0)
      return UV_EINVAL;
  return 0;
}

void uv_loadavg(double avg[3]) {
  double found[3];
  struct sysinfo info;
  if (loadavg_read(found) == 0) {
    memcpy(avg, found, sizeof(found));
  } else if (sysinfo(&info) == 0) {
    for (int i = 0; i < 3; i++)
      avg[i] = (double) info.loads[i] / (1 << SI_LOAD_SHIFT);
  }
}

/* The file first: containers virtualise it. */
int uv__os_uptime(double* uptime) {
  char text[128];
  const char* at = text;
  double found;
  if (uv__procfs_slurp("/proc/uptime", text, sizeof(text)) > 0 &&
      decimal_parse(&at, &found) == 0) {
    *uptime = found;
    return 0;
  }

  struct timespec now;
  if (clock_gettime(CLOCK_BOOTTIME, &now) != 0)
    return uv__errno();
  *uptime = (double) now.tv_sec + (double) now.tv_nsec / 1e9;
  return 0;
}

/* CPUs that the scheduler may use for this thread. */
static unsigned int affinity_count(void) {
  unsigned long mask[AFFINITY_CPUS / (8 * sizeof(unsigned long))];
  memset(mask, 0, sizeof(mask));
  if (sched_getaffinity(0, sizeof(mask), (cpu_set_t*) mask) == 0)
    return (unsigned int) CPU_COUNT_S(sizeof(mask), (cpu_set_t*) mask);

  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online < 1 ? 1 : (unsigned int) online;
}

unsigned int uv_available_parallelism(void) {
  unsigned int cpus = affinity_count();
  unsigned int quota = uv__cgroup_cpu_quota("");
  if (quota != 0 && quota < cpus)
    cpus = quota;
  return cpus == 0 ? 1 : cpus;
}
