/* SPDX-License-Identifier: MIT */
/* Finding the cgroups of this process and reading their limits.
 *
 *   membership (which group) + mount (where) -> directory -> at each level up
 *   to the mount point: read the files, keep the tightest limit
 *
 * A missing or unreadable file at some level sets no limit there.
 */
#include "unix/sysinfo/cgroup.h"

#include <string.h>

/* Size of the content of a limit file. */
#define VALUE_SIZE 128

/* The longest file name that is read in a group, with its slash. */
#define FILE_NAME_SIZE 64

/* Deepest nesting that is followed; the kernel has no default limit, but real
 * hierarchies are far shallower. */
#define LEVELS_MAX 64

/* The group of the process for a controller, in both kinds of hierarchy. */
struct membership {
  int has_v1;
  int has_v2;
  char v1[UV__PROCFS_PATH_SIZE];
  char v2[UV__PROCFS_PATH_SIZE];
};

static int membership_read(struct membership* who,
                           struct uv__procfs_lines* lines,
                           const char* root,
                           const char* controller) {
  who->has_v1 = 0;
  who->has_v2 = 0;
  int err = uv__procfs_lines_open(lines, root, "/proc/self/cgroup");
  if (err != 0)
    return err;

  char* line;
  while ((line = uv__procfs_lines_next(lines)) != NULL) {
    const char* path;
    switch (uv__cgroup_parse_membership(line, controller, &path)) {
    case UV__CGROUP_V1:
      who->has_v1 = uv__procfs_path(who->v1, "", path) == 0;
      break;
    case UV__CGROUP_V2:
      who->has_v2 = uv__procfs_path(who->v2, "", path) == 0;
      break;
    case UV__CGROUP_NONE:
      break; /* some other controller */
    }
  }
  uv__procfs_lines_close(lines);
  return 0;
}

/* A controller belongs to one hierarchy: v1 if the process has a v1 group for
 * it, otherwise v2. */
static enum uv__cgroup_kind membership_kind(const struct membership* who) {
  if (who->has_v1)
    return UV__CGROUP_V1;
  return who->has_v2 ? UV__CGROUP_V2 : UV__CGROUP_NONE;
}

/* Working memory of a search. */
struct search {
  struct membership who;
  struct uv__procfs_lines lines;
  char mount[UV__PROCFS_PATH_SIZE];
};

/* Fills `dir` for `controller`; kind is NONE if none was found. */
static void dir_find(struct uv__cgroup_dir* dir,
                     const char* root,
                     const char* controller) {
  struct search s;
  dir->kind = UV__CGROUP_NONE;
  if (membership_read(&s.who, &s.lines, root, controller) != 0)
    return;
  enum uv__cgroup_kind wanted = membership_kind(&s.who);
  if (wanted == UV__CGROUP_NONE)
    return;
  if (uv__procfs_lines_open(&s.lines, root, "/proc/self/mountinfo") != 0)
    return;

  const char* group = wanted == UV__CGROUP_V1 ? s.who.v1 : s.who.v2;
  char* line;
  while ((line = uv__procfs_lines_next(&s.lines)) != NULL) {
    const char* top;
    const char* mount;
    if (uv__cgroup_parse_mount(line, controller, &top, &mount) != wanted)
      continue;
    if (uv__procfs_path(s.mount, root, mount) != 0)
      continue;
    if (uv__cgroup_locate(dir, s.mount, top, group) == 0) {
      dir->kind = wanted;
      break;
    }
  }
  uv__procfs_lines_close(&s.lines);
}

/* Steps up to the parent; 0 if `dir` was the topmost already. */
static int dir_up(struct uv__cgroup_dir* dir) {
  if (strlen(dir->path) <= dir->top_len)
    return 0;
  char* slash = strrchr(dir->path + dir->top_len, '/');
  if (slash == NULL)
    return 0;
  *slash = '\0';
  return 1;
}

/* Reads dir/name as text; 0 or UV_E*. */
static int value_text(const struct uv__cgroup_dir* dir,
                      const char* name,
                      char text[VALUE_SIZE]) {
  char path[UV__PROCFS_PATH_SIZE + FILE_NAME_SIZE];
  size_t dir_len = strlen(dir->path);
  size_t name_len = strlen(name);
  assert(name_len < FILE_NAME_SIZE);
  memcpy(path, dir->path, dir_len);
  memcpy(path + dir_len, name, name_len + 1);
  ssize_t n = uv__procfs_slurp(path, text, VALUE_SIZE);
  return n < 0 ? (int) n : 0;
}

static int value_amount(const struct uv__cgroup_dir* dir,
                        const char* name,
                        uint64_t* amount) {
  char text[VALUE_SIZE];
  int err = value_text(dir, name, text);
  return err != 0 ? err : uv__cgroup_parse_amount(text, amount);
}

/* The files with limits and usage, by kind; v1 has no second enforced limit. */
static const struct {
  const char* limits[2];
  const char* usage;
} memory_files[] = {
  [UV__CGROUP_V1] = { { "/memory.limit_in_bytes", NULL },
                      "/memory.usage_in_bytes" },
  [UV__CGROUP_V2] = { { "/memory.max", "/memory.high" }, "/memory.current" },
};

/* Applies the limits of one level; returns 1 if the level could be read. */
static int memory_level(const struct uv__cgroup_dir* dir,
                        struct uv__cgroup_memory* memory) {
  uint64_t limit = UV__CGROUP_UNLIMITED;
  int found = 0;
  for (size_t i = 0; i < ARRAY_SIZE(memory_files[0].limits); i++) {
    const char* name = memory_files[dir->kind].limits[i];
    uint64_t amount;
    if (name == NULL || value_amount(dir, name, &amount) != 0)
      continue;
    found = 1;
    if (amount < limit)
      limit = amount;
  }
  if (limit < memory->limit)
    memory->limit = limit;

  uint64_t used;
  if (limit == UV__CGROUP_UNLIMITED)
    return found;
  if (value_amount(dir, memory_files[dir->kind].usage, &used) != 0)
    return found;
  uint64_t left = used < limit ? limit - used : 0;
  if (left < memory->headroom)
    memory->headroom = left;
  return found;
}

int uv__cgroup_memory(const char* root, struct uv__cgroup_memory* memory) {
  struct uv__cgroup_dir dir;
  dir_find(&dir, root, "memory");
  memory->limit = UV__CGROUP_UNLIMITED;
  memory->headroom = UV__CGROUP_UNLIMITED;
  if (dir.kind == UV__CGROUP_NONE)
    return UV_ENOENT;

  int found = 0;
  for (int level = 0; level < LEVELS_MAX; level++) {
    found |= memory_level(&dir, memory);
    if (!dir_up(&dir))
      break;
  }
  return found ? 0 : UV_ENOENT;
}

static unsigned int cpus_level_v1(const struct uv__cgroup_dir* dir) {
  char quota[VALUE_SIZE];
  char period[VALUE_SIZE];
  uint64_t quota_us;
  uint64_t period_us;
  if (value_text(dir, "/cpu.cfs_quota_us", quota) != 0)
    return 0;
  /* "-1" means no quota; it fails to parse. */
  if (uv__cgroup_parse_amount(quota, &quota_us) != 0)
    return 0;
  if (value_text(dir, "/cpu.cfs_period_us", period) != 0)
    return 0;
  if (uv__cgroup_parse_amount(period, &period_us) != 0)
    return 0;
  return uv__cgroup_cpus(quota_us, period_us);
}

static unsigned int cpus_level_v2(const struct uv__cgroup_dir* dir) {
  char text[VALUE_SIZE];
  uint64_t quota_us;
  uint64_t period_us;
  if (value_text(dir, "/cpu.max", text) != 0)
    return 0;
  if (uv__cgroup_parse_cpu_max(text, &quota_us, &period_us) != 0)
    return 0;
  return uv__cgroup_cpus(quota_us, period_us);
}

unsigned int uv__cgroup_cpu_quota(const char* root) {
  struct uv__cgroup_dir dir;
  dir_find(&dir, root, "cpu");
  if (dir.kind == UV__CGROUP_NONE)
    return 0;

  unsigned int tightest = 0;
  for (int level = 0; level < LEVELS_MAX; level++) {
    unsigned int cpus =
        dir.kind == UV__CGROUP_V1 ? cpus_level_v1(&dir) : cpus_level_v2(&dir);
    if (cpus != 0 && (tightest == 0 || cpus < tightest))
      tightest = cpus;
    if (!dir_up(&dir))
      break;
  }
  return tightest;
}
