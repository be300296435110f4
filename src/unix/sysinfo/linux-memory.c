/* SPDX-License-Identifier: MIT */
/* Memory of the machine, of the cgroups of the process, and of the process.
 * Context: any.
 */
#include "os/system.h"
#include "unix/proc-info.h"
#include "unix/sysinfo/cgroup.h"
#include "unix/sysinfo/procfs.h"

#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

/* A row of /proc/meminfo in bytes: "key   <n> kB". 0 if there is none. */
static uint64_t meminfo_get(const char* key) {
  struct uv__procfs_lines lines;
  if (uv__procfs_lines_open(&lines, "", "/proc/meminfo") != 0)
    return 0;

  size_t key_len = strlen(key);
  uint64_t kilobytes = 0;
  char* line;
  while ((line = uv__procfs_lines_next(&lines)) != NULL) {
    if (strncmp(line, key, key_len) != 0)
      continue;
    const char* at = line + key_len;
    if (uv__procfs_number(&at, &kilobytes) != 0)
      kilobytes = 0;
    break;
  }
  uv__procfs_lines_close(&lines);
  return kilobytes > UINT64_MAX / 1024 ? 0 : kilobytes * 1024;
}

/* Available without swapping, including reclaimable caches. */
uint64_t uv_get_free_memory(void) {
  uint64_t bytes = meminfo_get("MemAvailable:");
  struct sysinfo info;
  if (bytes == 0 && sysinfo(&info) == 0)
    bytes = (uint64_t) info.freeram * info.mem_unit;
  return bytes;
}

uint64_t uv_get_total_memory(void) {
  uint64_t bytes = meminfo_get("MemTotal:");
  struct sysinfo info;
  if (bytes == 0 && sysinfo(&info) == 0)
    bytes = (uint64_t) info.totalram * info.mem_unit;
  return bytes;
}

static uint64_t min_u64(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* 0: no limit, or it cannot be determined. UINT64_MAX: there are cgroups, but
 * none sets a limit. */
uint64_t uv_get_constrained_memory(void) {
  struct uv__cgroup_memory group;
  int err = uv__cgroup_memory("", &group);

  uint64_t limit = uv__rlimit_memory();
  if (err == 0)
    return min_u64(limit, group.limit);
  return limit == UINT64_MAX ? 0 : limit;
}

/* Columns of /proc/self/statm, in pages. */
enum statm_column {
  STATM_SIZE = 0,
  STATM_RESIDENT = 1,
  STATM_DATA = 5,
  STATM_COLUMNS = 7
};

static int statm_read(uint64_t bytes[STATM_COLUMNS]) {
  char text[160];
  ssize_t n = uv__procfs_slurp("/proc/self/statm", text, sizeof(text));
  if (n < 0)
    return (int) n;

  uint64_t page = (uint64_t) sysconf(_SC_PAGESIZE);
  const char* at = text;
  for (int i = 0; i < STATM_COLUMNS; i++) {
    if (uv__procfs_number(&at, &bytes[i]) != 0)
      return UV_EINVAL;
    bytes[i] *= page;
  }
  return 0;
}

/* What remains of a resource limit after `used`. */
static uint64_t rlimit_left(int resource, uint64_t used) {
  uint64_t limit = uv__rlimit_get(resource);
  if (limit == UINT64_MAX)
    return UINT64_MAX;
  return used < limit ? limit - used : 0;
}

uint64_t uv_get_available_memory(void) {
  uint64_t available = uv_get_free_memory();

  struct uv__cgroup_memory group;
  if (uv__cgroup_memory("", &group) == 0)
    available = min_u64(available, group.headroom);

  uint64_t used[STATM_COLUMNS];
  if (statm_read(used) == 0) {
    available = min_u64(available, rlimit_left(RLIMIT_AS, used[STATM_SIZE]));
    available = min_u64(available, rlimit_left(RLIMIT_DATA, used[STATM_DATA]));
  }
  return available;
}

int uv__os_resident_set_memory(size_t* rss) {
  uint64_t bytes[STATM_COLUMNS];
  int err = statm_read(bytes);
  if (err != 0)
    return err;
  *rss = (size_t) bytes[STATM_RESIDENT];
  return 0;
}
