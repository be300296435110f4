/* SPDX-License-Identifier: MIT */
/* Limits that control groups set for this process.
 *
 * Two versions exist and can be mounted side by side: v1 has a hierarchy per
 * controller, v2 one for all. /proc/self/cgroup names the group of the process,
 * /proc/self/mountinfo the mount point of its hierarchy. Limits of all
 * ancestors apply as well, so every level up to the mount point is read and the
 * tightest limit wins.
 *
 * Pure parsers first (no file access; unit-tested and fuzzed), then the
 * functions that read files; `root` as in procfs.h. Context: any.
 */
#ifndef UV_UNIX_SYSINFO_CGROUP_H_
#define UV_UNIX_SYSINFO_CGROUP_H_

#include "unix/sysinfo/procfs.h"
#include "util/base.h"

/* "No limit" of the files below. */
#define UV__CGROUP_UNLIMITED UINT64_MAX

/* Which hierarchy something belongs to. */
enum uv__cgroup_kind {
  UV__CGROUP_NONE = 0,
  UV__CGROUP_V1 = 1,
  UV__CGROUP_V2 = 2
};

/* The directory of a group. Levels between top_len and the end are
 * ancestors. */
struct uv__cgroup_dir {
  enum uv__cgroup_kind kind;       /* NONE if not found */
  size_t top_len;                  /* length of the mount point in path */
  char path[UV__PROCFS_PATH_SIZE]; /* without a trailing slash */
};

/* A line of /proc/self/cgroup: V1 if it names the group for `controller`, V2
 * for the unified hierarchy, otherwise NONE. *path is the group, pointing into
 * the line. */
enum uv__cgroup_kind uv__cgroup_parse_membership(const char* line,
                                                 const char* controller,
                                                 const char** path);

/* A line of /proc/self/mountinfo: V1 if it mounts `controller`, V2 if it mounts
 * the unified hierarchy, otherwise NONE. Modifies the line: *top (the mounted
 * group) and *mount (the mount point) point into it, unescaped. */
enum uv__cgroup_kind uv__cgroup_parse_mount(char* line,
                                            const char* controller,
                                            const char** top,
                                            const char** mount);

/* The directory of group `path` under a mount that shows `top`. A group that
 * the mount does not show (other namespace) becomes the mount point itself. 0
 * or UV_ENAMETOOLONG. */
int uv__cgroup_locate(struct uv__cgroup_dir* dir,
                      const char* mount,
                      const char* top,
                      const char* path);

/* memory.max, memory.high, memory.limit_in_bytes, ...: a number or "max".
 * Values so large that they mean "none" become UV__CGROUP_UNLIMITED. 0 or
 * UV_EINVAL. */
int uv__cgroup_parse_amount(const char* text, uint64_t* amount);

/* cpu.max: "quota period" or "max period". 0 or UV_EINVAL. */
int uv__cgroup_parse_cpu_max(const char* text,
                             uint64_t* quota_us,
                             uint64_t* period_us);

/* Whole CPUs that a quota allows, at least 1; 0 if there is no limit. */
unsigned int uv__cgroup_cpus(uint64_t quota_us, uint64_t period_us);

/* Memory limits of the groups. */
struct uv__cgroup_memory {
  uint64_t limit;    /* tightest limit; UV__CGROUP_UNLIMITED if none is set */
  uint64_t headroom; /* smallest remainder under a limit, likewise */
};

/* 0, or UV_ENOENT if there is no readable memory controller. */
int uv__cgroup_memory(const char* root, struct uv__cgroup_memory* memory);

/* CPUs that the tightest quota allows; 0 without one. */
unsigned int uv__cgroup_cpu_quota(const char* root);

#endif /* UV_UNIX_SYSINFO_CGROUP_H_ */
