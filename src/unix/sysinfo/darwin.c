/* SPDX-License-Identifier: MIT */
/* System information on macOS. See sysinfo/bsd.h. */
#include "unix/sysinfo/bsd.h"
#include "unix/fd.h"
#include "unix/sysinfo/sysctl-number.h"

#include <limits.h>
#include <mach-o/dyld.h>
#include <mach/mach.h>
#include <mach/mach_host.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

void uv__memory_read(struct uv__memory* memory) {
  vm_statistics64_data_t vm;
  mach_msg_type_number_t words = HOST_VM_INFO64_COUNT;
  mach_port_t host = mach_host_self();

  memory->total = uv__sysctl_number("hw.memsize");
  if (host_statistics64(host, HOST_VM_INFO64, (host_info64_t) &vm, &words) ==
      KERN_SUCCESS)
    memory->free = (uint64_t) vm.free_count * (uint64_t) getpagesize();
  mach_port_deallocate(mach_task_self(), host);
}

/* The physical footprint, which is what macOS reports as the memory of a
 * process. */
int uv__resident_read(size_t* bytes) {
  task_vm_info_data_t info;
  mach_msg_type_number_t words = TASK_VM_INFO_COUNT;

  if (task_info(mach_task_self(), TASK_VM_INFO, (task_info_t) &info, &words) !=
      KERN_SUCCESS)
    return UV_EINVAL;
  *bytes = (size_t) info.phys_footprint;
  return 0;
}

int uv__uptime_read(double* seconds) {
  int mib[] = { CTL_KERN, KERN_BOOTTIME };
  struct timeval boot;
  struct timeval now;
  size_t size = sizeof(boot);

  if (sysctl(mib, 2, &boot, &size, NULL, 0) != 0)
    return uv__errno();
  if (gettimeofday(&now, NULL) != 0)
    return uv__errno();
  *seconds = (double) (now.tv_sec - boot.tv_sec) +
             (double) (now.tv_usec - boot.tv_usec) / 1e6;
  return 0;
}

/* Apple silicon does not report its clock rate. */
int uv__cpu_common_read(struct uv__cpu_common* common) {
  size_t size = sizeof(common->model) - 1;

  if (sysctlbyname("machdep.cpu.brand_string", common->model, &size, NULL, 0))
    common->model[0] = '\0';
  common->count = (unsigned int) uv__sysctl_number("hw.logicalcpu");
  common->mhz = (int) (uv__sysctl_number("hw.cpufrequency") / 1000000);
  return 0;
}

int uv__cpu_times_read(struct uv_cpu_times_s* times, unsigned int count) {
  natural_t found;
  processor_cpu_load_info_data_t* load;
  mach_msg_type_number_t words;
  mach_port_t host = mach_host_self();

  kern_return_t status =
      host_processor_info(host, PROCESSOR_CPU_LOAD_INFO, &found,
                          (processor_info_array_t*) &load, &words);
  mach_port_deallocate(mach_task_self(), host);
  if (status != KERN_SUCCESS)
    return UV_EINVAL;

  uint64_t hz = (uint64_t) sysconf(_SC_CLK_TCK);
  for (unsigned int i = 0; i < count && i < found; i++) {
    const unsigned int* ticks = load[i].cpu_ticks;
    times[i].user = uv__ticks_to_ms(ticks[CPU_STATE_USER], hz);
    times[i].nice = uv__ticks_to_ms(ticks[CPU_STATE_NICE], hz);
    times[i].sys = uv__ticks_to_ms(ticks[CPU_STATE_SYSTEM], hz);
    times[i].idle = uv__ticks_to_ms(ticks[CPU_STATE_IDLE], hz);
  }
  vm_deallocate(mach_task_self(), (vm_address_t) load,
                (vm_size_t) words * sizeof(integer_t));
  return 0;
}

int uv__program_path(char* path, size_t size) {
  char found[2 * PATH_MAX];
  char resolved[PATH_MAX];
  uint32_t found_size = sizeof(found);

  if (_NSGetExecutablePath(found, &found_size) != 0)
    return UV_ENAMETOOLONG;
  if (realpath(found, resolved) == NULL)
    return uv__errno();
  if (strlen(resolved) >= size)
    return UV_ENAMETOOLONG;
  memcpy(path, resolved, strlen(resolved) + 1);
  return 0;
}
