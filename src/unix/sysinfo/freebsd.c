/* SPDX-License-Identifier: MIT */
/* System information on FreeBSD. See sysinfo/bsd.h. */
#include "unix/sysinfo/bsd.h"
#include "unix/fd.h"
#include "unix/sysinfo/sysctl-number.h"
#include "util/alloc.h"

#include <string.h>
#include <sys/types.h>
#include <sys/resource.h>
#include <sys/sysctl.h>
#include <sys/time.h>
#include <sys/user.h>
#include <time.h>
#include <unistd.h>

static uint64_t page_size(void) {
  return (uint64_t) sysconf(_SC_PAGESIZE);
}

void uv__memory_read(struct uv__memory* memory) {
  uint64_t pages = uv__sysctl_number("vm.stats.vm.v_free_count");

  memory->total = uv__sysctl_number("hw.physmem");
  memory->free = pages * page_size();
}

int uv__resident_read(size_t* bytes) {
  int mib[] = { CTL_KERN, KERN_PROC, KERN_PROC_PID, getpid() };
  struct kinfo_proc info;
  size_t size = sizeof(info);

  if (sysctl(mib, ARRAY_SIZE(mib), &info, &size, NULL, 0) != 0)
    return uv__errno();
  *bytes = (size_t) info.ki_rssize * (size_t) page_size();
  return 0;
}

int uv__uptime_read(double* seconds) {
  return uv__clock_seconds(CLOCK_MONOTONIC, seconds);
}

/* "hw.clockrate" is missing on some machines; the rest is still valid. */
int uv__cpu_common_read(struct uv__cpu_common* common) {
  size_t size = sizeof(common->model) - 1;

  if (sysctlbyname("hw.model", common->model, &size, NULL, 0) != 0)
    common->model[0] = '\0';
  common->count = (unsigned int) uv__sysctl_number("hw.ncpu");
  common->mhz = (int) uv__sysctl_number("hw.clockrate");
  return 0;
}

int uv__cpu_times_read(struct uv_cpu_times_s* times, unsigned int count) {
  size_t size = count * CPUSTATES * sizeof(long);
  long* ticks = uv__calloc(count * CPUSTATES, sizeof(*ticks));
  if (ticks == NULL)
    return UV_ENOMEM;

  int err = 0;
  if (sysctlbyname("kern.cp_times", ticks, &size, NULL, 0) != 0)
    err = uv__errno();
  uint64_t hz = (uint64_t) sysconf(_SC_CLK_TCK);
  const long* at = ticks;
  for (unsigned int i = 0; err == 0 && i < count; i++, at += CPUSTATES) {
    times[i].user = uv__ticks_to_ms((uint64_t) at[CP_USER], hz);
    times[i].nice = uv__ticks_to_ms((uint64_t) at[CP_NICE], hz);
    times[i].sys = uv__ticks_to_ms((uint64_t) at[CP_SYS], hz);
    times[i].idle = uv__ticks_to_ms((uint64_t) at[CP_IDLE], hz);
    times[i].irq = uv__ticks_to_ms((uint64_t) at[CP_INTR], hz);
  }
  uv__free(ticks);
  return err;
}

int uv__program_path(char* path, size_t size) {
  int mib[] = { CTL_KERN, KERN_PROC, KERN_PROC_PATHNAME, -1 };

  if (sysctl(mib, ARRAY_SIZE(mib), path, &size, NULL, 0) != 0)
    return uv__errno();
  return 0;
}
