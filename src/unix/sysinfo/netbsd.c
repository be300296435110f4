/* SPDX-License-Identifier: MIT */
/* System information on NetBSD. See sysinfo/bsd.h. */
#include "unix/fd.h"
#include "unix/sysinfo/bsd.h"
#include "util/alloc.h"

#include <string.h>
#include <sys/param.h>
#include <sys/sched.h>
#include <sys/sysctl.h>
#include <time.h>
#include <unistd.h>
#include <uvm/uvm_extern.h>

void uv__memory_read(struct uv__memory* memory) {
  int total_mib[] = { CTL_HW, HW_PHYSMEM64 };
  int uvm_mib[] = { CTL_VM, VM_UVMEXP2 };
  struct uvmexp_sysctl uvm;
  uint64_t total;
  size_t size = sizeof(total);

  if (sysctl(total_mib, 2, &total, &size, NULL, 0) == 0)
    memory->total = total;
  size = sizeof(uvm);
  if (sysctl(uvm_mib, 2, &uvm, &size, NULL, 0) == 0)
    memory->free = (uint64_t) uvm.free * (uint64_t) uvm.pagesize;
}

int uv__resident_read(size_t* bytes) {
  struct kinfo_proc2 info;
  size_t size = sizeof(info);
  int mib[] = { CTL_KERN, KERN_PROC2,         KERN_PROC_PID,
                getpid(), (int) sizeof(info), 1 };

  if (sysctl(mib, ARRAY_SIZE(mib), &info, &size, NULL, 0) != 0)
    return uv__errno();
  *bytes = (size_t) info.p_vm_rssize * (size_t) sysconf(_SC_PAGESIZE);
  return 0;
}

int uv__uptime_read(double* seconds) {
  return uv__clock_seconds(CLOCK_MONOTONIC, seconds);
}

int uv__cpu_common_read(struct uv__cpu_common* common) {
  int count_mib[] = { CTL_HW, HW_NCPU };
  int count = 0;
  size_t size = sizeof(count);

  if (sysctl(count_mib, 2, &count, &size, NULL, 0) != 0)
    return uv__errno();
  common->count = count < 0 ? 0 : (unsigned int) count;

  size = sizeof(common->model) - 1;
  if (sysctlbyname("machdep.cpu_brand", common->model, &size, NULL, 0) != 0) {
    size = sizeof(common->model) - 1;
    if (sysctlbyname("hw.model", common->model, &size, NULL, 0) != 0)
      common->model[0] = '\0';
  }

  uint64_t hertz = 0;
  size = sizeof(hertz);
  if (sysctlbyname("machdep.tsc_freq", &hertz, &size, NULL, 0) == 0)
    common->mhz = (int) (hertz / 1000000);
  return 0;
}

int uv__cpu_times_read(struct uv_cpu_times_s* times, unsigned int count) {
  int mib[] = { CTL_KERN, KERN_CP_TIME };
  size_t size = count * CPUSTATES * sizeof(uint64_t);
  uint64_t* ticks = uv__calloc(count * CPUSTATES, sizeof(*ticks));
  if (ticks == NULL)
    return UV_ENOMEM;

  int err = 0;
  if (sysctl(mib, 2, ticks, &size, NULL, 0) != 0)
    err = uv__errno();
  uint64_t hz = (uint64_t) sysconf(_SC_CLK_TCK);
  const uint64_t* at = ticks;
  for (unsigned int i = 0; err == 0 && i < count; i++, at += CPUSTATES) {
    times[i].user = uv__ticks_to_ms(at[CP_USER], hz);
    times[i].nice = uv__ticks_to_ms(at[CP_NICE], hz);
    times[i].sys = uv__ticks_to_ms(at[CP_SYS], hz);
    times[i].idle = uv__ticks_to_ms(at[CP_IDLE], hz);
    times[i].irq = uv__ticks_to_ms(at[CP_INTR], hz);
  }
  uv__free(ticks);
  return err;
}

int uv__program_path(char* path, size_t size) {
  int mib[] = { CTL_KERN, KERN_PROC_ARGS, -1, KERN_PROC_PATHNAME };

  if (sysctl(mib, ARRAY_SIZE(mib), path, &size, NULL, 0) != 0)
    return uv__errno();
  return 0;
}
