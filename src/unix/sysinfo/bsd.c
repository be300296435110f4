/* SPDX-License-Identifier: MIT */
/* System information functions on top of the per-system readers of
 * sysinfo/bsd.h: CPUs, memory, load, uptime, program path. Context: any.
 */
#include "unix/sysinfo/bsd.h"
#include "os/system.h"
#include "unix/fd.h"
#include "unix/os.h"
#include "unix/proc-info.h"
#include "util/alloc.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One block: the entries, then the name they share. */
static uv_cpu_info_t* infos_new(const struct uv__cpu_common* common) {
  size_t name_size = strlen(common->model) + 1;
  size_t entries_size = common->count * sizeof(uv_cpu_info_t);
  uv_cpu_info_t* infos = uv__calloc(1, entries_size + name_size);
  if (infos == NULL)
    return NULL;

  char* name = memcpy((char*) infos + entries_size, common->model, name_size);
  for (unsigned int i = 0; i < common->count; i++) {
    infos[i].model = name;
    infos[i].speed = common->mhz;
  }
  return infos;
}

int uv__os_cpu_info(uv_cpu_info_t** cpu_infos, int* count) {
  struct uv__cpu_common common = { .count = 0 };
  int err = uv__cpu_common_read(&common);
  if (err != 0)
    return err;
  if (common.count == 0 || common.count > INT_MAX / 1024)
    return UV_EINVAL;
  if (common.model[0] == '\0')
    memcpy(common.model, "unknown", sizeof("unknown"));

  struct uv_cpu_times_s* times = uv__calloc(common.count, sizeof(*times));
  if (times == NULL)
    return UV_ENOMEM;
  err = uv__cpu_times_read(times, common.count);
  uv_cpu_info_t* infos = err == 0 ? infos_new(&common) : NULL;
  if (err == 0 && infos == NULL)
    err = UV_ENOMEM;
  if (err == 0) {
    for (unsigned int i = 0; i < common.count; i++)
      infos[i].cpu_times = times[i];
    *cpu_infos = infos;
    *count = (int) common.count;
  }
  uv__free(times);
  return err;
}

#if UV__HAVE_CPU_SET
/* CPUs that the scheduler may use for this process. */
static unsigned int affinity_count(void) {
  uv__cpu_set set;
  CPU_ZERO(&set);
  if (cpuset_getaffinity(CPU_LEVEL_WHICH, CPU_WHICH_PID, -1, sizeof(set),
                         &set) != 0)
    return 0;
  return (unsigned int) CPU_COUNT(&set);
}
#else
static unsigned int affinity_count(void) {
  return 0;
}
#endif

unsigned int uv_available_parallelism(void) {
  unsigned int allowed = affinity_count();
  if (allowed != 0)
    return allowed;
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online < 1 ? 1 : (unsigned int) online;
}

void uv_loadavg(double avg[3]) {
  double found[3];
  if (getloadavg(found, 3) == 3)
    memcpy(avg, found, sizeof(found));
}

int uv__clock_seconds(clockid_t clock, double* seconds) {
  struct timespec now;

  if (clock_gettime(clock, &now) != 0)
    return uv__errno();
  *seconds = (double) now.tv_sec + (double) now.tv_nsec / 1e9;
  return 0;
}

int uv__os_uptime(double* uptime) {
  return uv__uptime_read(uptime);
}

uint64_t uv_get_free_memory(void) {
  struct uv__memory memory = { .total = 0 };
  uv__memory_read(&memory);
  return memory.free;
}

uint64_t uv_get_total_memory(void) {
  struct uv__memory memory = { .total = 0 };
  uv__memory_read(&memory);
  return memory.total;
}

/* 0 means no limit. */
uint64_t uv_get_constrained_memory(void) {
  uint64_t limit = uv__rlimit_memory();
  return limit == UINT64_MAX ? 0 : limit;
}

uint64_t uv_get_available_memory(void) {
  uint64_t available = uv_get_free_memory();
  uint64_t limit = uv_get_constrained_memory();
  size_t used = 0;

  if (limit == 0 || uv__resident_read(&used) != 0)
    return available;
  uint64_t left = used < limit ? limit - used : 0;
  return left < available ? left : available;
}

int uv__os_resident_set_memory(size_t* rss) {
  return uv__resident_read(rss);
}

/* Unlike the other string getters, truncates: a small buffer gets the start of
 * the path and a NUL. */
int uv__os_exepath(char* buffer, size_t* size) {
  char path[PATH_MAX];
  int err = uv__program_path(path, sizeof(path));
  if (err != 0)
    return err;
  size_t len = uv__min_size(strlen(path), *size - 1);
  memcpy(buffer, path, len);
  buffer[len] = '\0';
  *size = len;
  return 0;
}
