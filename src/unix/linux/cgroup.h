/* SPDX-License-Identifier: MIT */
/* Limits that control groups put on this process.
 *
 * Two generations exist and can be mounted side by side: v1 has a hierarchy per
 * controller, v2 one for all. /proc/self/cgroup says where the process is,
 * /proc/self/mountinfo where that hierarchy can be seen. A limit of any
 * ancestor counts as well, so all levels up to the mount are asked and the
 * tightest answer wins.
 *
 * Pure parsers first (no file access: unit-tested and fuzzed), then the
 * functions that read; `root` as in procfs.h. Context: any.
 */
#ifndef UV_LINUX_CGROUP_H_
#define UV_LINUX_CGROUP_H_

#include "base.h"
#include "unix/linux/procfs.h"

/* "No limit" of the files below. */
#define UV__CGROUP_UNLIMITED UINT64_MAX

/* Which hierarchy something belongs to. */
enum uv__cgroup_kind {
  UV__CGROUP_NONE = 0,
  UV__CGROUP_V1 = 1,
  UV__CGROUP_V2 = 2
};

/* A group's directory. Levels between top_len and the end are ancestors. */
struct uv__cgroup_dir {
  enum uv__cgroup_kind kind;           /* NONE if not found */
  size_t top_len;                      /* length of the mount point in path */
  char path[UV__PROCFS_PATH_SIZE];     /* without a trailing slash */
};

/* A line of /proc/self/cgroup: V1 if it places the process for `controller`, V2
 * for the line of the unified hierarchy, else NONE. *path is the group then,
 * pointing into the line. */
enum uv__cgroup_kind uv__cgroup_parse_membership(const char* line,
                                                 const char* controller,
                                                 const char** path);

/* A line of /proc/self/mountinfo: V1 if it mounts `controller`, V2 if it mounts
 * the unified hierarchy, else NONE. The line is changed: *top and *mount point
 * into it, unescaped: the group that is mounted, and where. */
enum uv__cgroup_kind uv__cgroup_parse_mount(char* line,
                                            const char* controller,
                                            const char** top,
                                            const char** mount);

/* The directory of group `path` under a mount that shows `top`; a group that
 * the mount does not show (other namespace) becomes the mount point itself.
 * 0 or UV_ENAMETOOLONG. */
int uv__cgroup_locate(struct uv__cgroup_dir* dir,
                      const char* mount,
                      const char* top,
                      const char* path);

/* memory.max, memory.high, memory.limit_in_bytes, ...: a number or "max".
 * Counts so large that the kernel means "none" become UV__CGROUP_UNLIMITED.
 * 0 or UV_EINVAL. */
int uv__cgroup_parse_amount(const char* text, uint64_t* amount);

/* cpu.max: "quota period" or "max period". 0 or UV_EINVAL. */
int uv__cgroup_parse_cpu_max(const char* text,
                             uint64_t* quota_us,
                             uint64_t* period_us);

/* Whole CPUs that a quota pays for, at least 1; 0 if it is no limit. */
unsigned int uv__cgroup_cpus(uint64_t quota_us, uint64_t period_us);

/* Memory as the groups see it. */
struct uv__cgroup_memory {
  uint64_t limit;    /* tightest limit; UV__CGROUP_UNLIMITED if none is set */
  uint64_t headroom; /* least that is left under a limit, likewise */
};

/* 0, or UV_ENOENT if no memory controller can be asked. */
int uv__cgroup_memory(const char* root, struct uv__cgroup_memory* memory);

/* CPUs that the tightest quota pays for, 0 without one. */
unsigned int uv__cgroup_cpu_quota(const char* root);

#endif /* UV_LINUX_CGROUP_H_ */
