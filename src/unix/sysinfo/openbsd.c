/* SPDX-License-Identifier: MIT */
/* System information on OpenBSD. See sysinfo/bsd.h. */
#include "unix/fd.h"
#include "unix/sysinfo/bsd.h"
#include "util/alloc.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/sched.h>
#include <sys/sysctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <uvm/uvmexp.h>

void uv__memory_read(struct uv__memory* memory) {
  int total_mib[] = { CTL_HW, HW_PHYSMEM64 };
  int uvm_mib[] = { CTL_VM, VM_UVMEXP };
  struct uvmexp uvm;
  int64_t total;
  size_t size = sizeof(total);

  if (sysctl(total_mib, 2, &total, &size, NULL, 0) == 0)
    memory->total = (uint64_t) total;
  size = sizeof(uvm);
  if (sysctl(uvm_mib, 2, &uvm, &size, NULL, 0) == 0)
    memory->free = (uint64_t) uvm.free * (uint64_t) uvm.pagesize;
}

int uv__resident_read(size_t* bytes) {
  struct kinfo_proc info;
  size_t size = sizeof(info);
  int mib[] = { CTL_KERN, KERN_PROC,          KERN_PROC_PID,
                getpid(), (int) sizeof(info), 1 };

  if (sysctl(mib, ARRAY_SIZE(mib), &info, &size, NULL, 0) != 0)
    return uv__errno();
  *bytes = (size_t) info.p_vm_rssize * (size_t) sysconf(_SC_PAGESIZE);
  return 0;
}

int uv__uptime_read(double* seconds) {
  return uv__clock_seconds(CLOCK_BOOTTIME, seconds);
}

int uv__cpu_common_read(struct uv__cpu_common* common) {
  int count_mib[] = { CTL_HW, HW_NCPUONLINE };
  int model_mib[] = { CTL_HW, HW_MODEL };
  int speed_mib[] = { CTL_HW, HW_CPUSPEED };
  int count = 0;
  size_t size = sizeof(count);

  if (sysctl(count_mib, 2, &count, &size, NULL, 0) != 0)
    return uv__errno();
  common->count = count < 0 ? 0 : (unsigned int) count;
  size = sizeof(common->model) - 1;
  if (sysctl(model_mib, 2, common->model, &size, NULL, 0) != 0)
    common->model[0] = '\0';
  size = sizeof(common->mhz);
  if (sysctl(speed_mib, 2, &common->mhz, &size, NULL, 0) != 0)
    common->mhz = 0;
  return 0;
}

int uv__cpu_times_read(struct uv_cpu_times_s* times, unsigned int count) {
  uint64_t hz = (uint64_t) sysconf(_SC_CLK_TCK);
  unsigned int done = 0;

  /* Offline CPUs have numbers too, but no times. */
  for (int cpu = 0; done < count && cpu < 4096; cpu++) {
    int mib[] = { CTL_KERN, KERN_CPTIME2, cpu };
    uint64_t ticks[CPUSTATES];
    size_t size = sizeof(ticks);
    if (sysctl(mib, ARRAY_SIZE(mib), ticks, &size, NULL, 0) != 0)
      continue;
    times[done].user = uv__ticks_to_ms(ticks[CP_USER], hz);
    times[done].nice = uv__ticks_to_ms(ticks[CP_NICE], hz);
    times[done].sys = uv__ticks_to_ms(ticks[CP_SYS], hz);
    times[done].idle = uv__ticks_to_ms(ticks[CP_IDLE], hz);
    times[done].irq = uv__ticks_to_ms(ticks[CP_INTR], hz);
    done++;
  }
  return 0;
}

/* The system does not record the path; search PATH for argv[0], as the shell
 * did.
 */
static int path_search(const char* name, char out[PATH_MAX]) {
  const char* dirs = getenv("PATH");

  while (dirs != NULL && *dirs != '\0') {
    size_t len = strcspn(dirs, ":");
    char path[PATH_MAX];
    int n = snprintf(path, sizeof(path), "%.*s/%s", (int) len, dirs, name);
    if (n > 0 && (size_t) n < sizeof(path) && access(path, X_OK) == 0 &&
        realpath(path, out) != NULL)
      return 0;
    dirs += len;
    dirs += *dirs == ':';
  }
  return UV_ENOENT;
}

static int path_resolve(const char* name, char* path, size_t size) {
  char found[PATH_MAX];

  if (strchr(name, '/') == NULL) {
    int err = path_search(name, found);
    if (err != 0)
      return err;
  } else if (realpath(name, found) == NULL) {
    return uv__errno();
  }
  if (strlen(found) >= size)
    return UV_ENAMETOOLONG;
  memcpy(path, found, strlen(found) + 1);
  return 0;
}

int uv__program_path(char* path, size_t size) {
  int mib[] = { CTL_KERN, KERN_PROC_ARGS, getpid(), KERN_PROC_ARGV };
  size_t args_size = ARG_MAX;

  /* The vector and its strings, laid out like argv. */
  char** args = uv__malloc(args_size);
  if (args == NULL)
    return UV_ENOMEM;
  int err = 0;
  if (sysctl(mib, ARRAY_SIZE(mib), args, &args_size, NULL, 0) != 0)
    err = uv__errno();
  else if (args[0] == NULL)
    err = UV_EINVAL;
  if (err == 0)
    err = path_resolve(args[0], path, size);
  uv__free(args);
  return err;
}
