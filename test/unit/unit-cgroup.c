/* SPDX-License-Identifier: MIT */
/* sysinfo/cgroup*.c: the parsers on lines as kernels write them, then complete
 * searches over fixture trees of both versions. */
#include "fixture.h"

#include "uv.h"
#include "unix/sysinfo/cgroup.h"

#include <limits.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define MIB ((uint64_t) 1 << 20)

UNIT_TEST(cgroup_membership) {
  static const struct {
    const char* line;
    const char* controller;
    enum uv__cgroup_kind kind;
    const char* path;
  } rows[] = {
    { "0::/", "memory", UV__CGROUP_V2, "/" },
    { "0::/user.slice/a.scope", "cpu", UV__CGROUP_V2, "/user.slice/a.scope" },
    { "4:memory:/docker/ab", "memory", UV__CGROUP_V1, "/docker/ab" },
    { "3:cpu,cpuacct:/x", "cpu", UV__CGROUP_V1, "/x" },
    { "3:cpu,cpuacct:/x", "cpuacct", UV__CGROUP_V1, "/x" },
    { "12:net_cls,memory:/a:b", "memory", UV__CGROUP_V1, "/a:b" },
    { "3:cpuacct,cpuset:/x", "cpu", UV__CGROUP_NONE, NULL },
    { "9:name=systemd:/", "memory", UV__CGROUP_NONE, NULL },
    { "1::/", "memory", UV__CGROUP_NONE, NULL },
    { "0::", "memory", UV__CGROUP_NONE, NULL },
    { "0::relative", "memory", UV__CGROUP_NONE, NULL },
    { "memory:/", "memory", UV__CGROUP_NONE, NULL },
    { "", "memory", UV__CGROUP_NONE, NULL },
    { ":", "memory", UV__CGROUP_NONE, NULL },
    { "::", "memory", UV__CGROUP_NONE, NULL },
  };

  for (size_t i = 0; i < N(rows); i++) {
    const char* path = NULL;
    enum uv__cgroup_kind kind =
        uv__cgroup_parse_membership(rows[i].line, rows[i].controller, &path);
    CHECK_ROW(kind == rows[i].kind, rows[i].line);
    if (kind != UV__CGROUP_NONE)
      CHECK_STR(rows[i].path, path);
  }
}

UNIT_TEST(cgroup_mount) {
  static const struct {
    const char* line;
    enum uv__cgroup_kind kind;
    const char* top;
    const char* mount;
  } rows[] = {
    { "41 31 0:38 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw",
      UV__CGROUP_V2, "/", "/sys/fs/cgroup" },
    { "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory",
      UV__CGROUP_V1, "/", "/sys/fs/cgroup/memory" },
    { "35 31 0:32 /docker/a /m rw shared:5 master:1 - cgroup none rw,memory",
      UV__CGROUP_V1, "/docker/a", "/m" },
    { "35 31 0:32 /a\\040b /m\\134n rw - cgroup2 none rw", UV__CGROUP_V2,
      "/a b", "/m\\n" },
    { "35 31 0:32 /\\04 /\\ rw - cgroup2 none rw", UV__CGROUP_V2, "/\\04",
      "/\\" },
    { "33 31 0:30 / /c rw - cgroup cgroup rw,cpu,cpuacct", UV__CGROUP_NONE,
      NULL, NULL },
    { "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,memory", UV__CGROUP_NONE,
      NULL, NULL },
    { "31 23 0:28 / /x rw - cgroup cgroup", UV__CGROUP_NONE, NULL, NULL },
    { "31 23 0:28 / /x rw -", UV__CGROUP_NONE, NULL, NULL },
    { "31 23 0:28 / /x rw shared:1", UV__CGROUP_NONE, NULL, NULL },
    { "31 23 0:28 /", UV__CGROUP_NONE, NULL, NULL },
    { "-", UV__CGROUP_NONE, NULL, NULL },
    { "", UV__CGROUP_NONE, NULL, NULL },
  };

  for (size_t i = 0; i < N(rows); i++) {
    char line[160];
    const char* top = NULL;
    const char* mount = NULL;
    snprintf(line, sizeof(line), "%s", rows[i].line);
    enum uv__cgroup_kind kind =
        uv__cgroup_parse_mount(line, "memory", &top, &mount);
    CHECK_ROW(kind == rows[i].kind, rows[i].line);
    if (kind == UV__CGROUP_NONE)
      continue;
    CHECK_STR(rows[i].top, top);
    CHECK_STR(rows[i].mount, mount);
  }
}

UNIT_TEST(cgroup_locate) {
  static const struct {
    const char* top;
    const char* path;
    const char* want;
  } rows[] = {
    { "/", "/", "/cg" },
    { "/", "/a/b", "/cg/a/b" },
    { "/docker/x", "/docker/x", "/cg" },
    { "/docker/x", "/docker/x/y", "/cg/y" },
    { "/docker/x", "/docker/xy", "/cg" },
    { "/docker/x", "/other", "/cg" },
    { "/", "/../outside", "/cg" },
    { "/", "/..", "/cg" },
    { "/", "/..a/b", "/cg/..a/b" },
    { "/..", "/../a", "/cg/a" },
  };

  for (size_t i = 0; i < N(rows); i++) {
    struct uv__cgroup_dir dir;
    CHECK_EQ(0, uv__cgroup_locate(&dir, "/cg", rows[i].top, rows[i].path));
    CHECK_STR(rows[i].want, dir.path);
    CHECK_EQ(3, dir.top_len);
  }
}

UNIT_TEST(cgroup_locate_too_long) {
  char path[UV__PROCFS_PATH_SIZE + 8];
  struct uv__cgroup_dir dir;
  memset(path, 'x', sizeof(path));
  path[0] = '/';

  path[UV__PROCFS_PATH_SIZE - 4] = '\0'; /* "/cg" and the NUL just fit */
  CHECK_EQ(0, uv__cgroup_locate(&dir, "/cg", "/", path));
  CHECK_EQ(UV__PROCFS_PATH_SIZE - 1, strlen(dir.path));
  path[UV__PROCFS_PATH_SIZE - 4] = 'x';
  path[UV__PROCFS_PATH_SIZE - 3] = '\0';
  CHECK_EQ(UV_ENAMETOOLONG, uv__cgroup_locate(&dir, "/cg", "/", path));
}

UNIT_TEST(cgroup_amount) {
  static const struct {
    const char* text;
    int err;
    uint64_t want;
  } rows[] = {
    { "max\n", 0, UINT64_MAX },
    { "0\n", 0, 0 },
    { "536870912\n", 0, 536870912 },
    { "9223372036854771712\n", 0, UINT64_MAX }, /* v1, 4 KiB pages */
    { "9223372036854710272\n", 0, UINT64_MAX }, /* v1, 64 KiB pages */
    { "18446744073709551615", 0, UINT64_MAX },
    { "18446744073709551616", UV_EINVAL, 7 },
    { "-1\n", UV_EINVAL, 7 },
    { "", UV_EINVAL, 7 },
    { "\n", UV_EINVAL, 7 },
    { "ma", UV_EINVAL, 7 },
  };

  for (size_t i = 0; i < N(rows); i++) {
    uint64_t got = 7;
    int err = uv__cgroup_parse_amount(rows[i].text, &got);
    CHECK_ROW(err == rows[i].err, rows[i].text);
    CHECK_ROW(got == rows[i].want, rows[i].text);
  }
}

UNIT_TEST(cgroup_cpu_max) {
  static const struct {
    const char* text;
    int err;
    unsigned int cpus;
  } rows[] = {
    { "max 100000\n", 0, 0 },
    { "200000 100000\n", 0, 2 },
    { "250000 100000\n", 0, 2 }, /* rounded down, as Rust does */
    { "50000 100000\n", 0, 1 },  /* never down to 0 */
    { "1000 100000", 0, 1 },
    { "100000 0", 0, 0 },
    { "18446744073709551614 1", 0, UINT_MAX },
    { "max", UV_EINVAL, 0 },
    { "100000", UV_EINVAL, 0 },
    { "x 100000", UV_EINVAL, 0 },
    { "", UV_EINVAL, 0 },
  };

  for (size_t i = 0; i < N(rows); i++) {
    uint64_t quota = 0;
    uint64_t period = 0;
    int err = uv__cgroup_parse_cpu_max(rows[i].text, &quota, &period);
    CHECK_ROW(err == rows[i].err, rows[i].text);
    if (err == 0)
      CHECK_EQ(rows[i].cpus, uv__cgroup_cpus(quota, period));
  }
}

/* A machine with only the unified hierarchy. */
static void tree_v2(struct fixture* fx, const char* group) {
  char membership[256];
  fixture_init(fx);
  snprintf(membership, sizeof(membership), "0::%s\n", group);
  fixture_write(fx, "/proc/self/cgroup", membership);
  fixture_write(fx, "/proc/self/mountinfo",
                "23 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
                "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
}

UNIT_TEST(cgroup_v2_own_group) {
  struct fixture fx;
  struct uv__cgroup_memory memory;
  tree_v2(&fx, "/app");
  fixture_write(&fx, "/sys/fs/cgroup/app/memory.max", "536870912\n");
  fixture_write(&fx, "/sys/fs/cgroup/app/memory.high", "max\n");
  fixture_write(&fx, "/sys/fs/cgroup/app/memory.current", "104857600\n");
  fixture_write(&fx, "/sys/fs/cgroup/app/cpu.max", "300000 100000\n");

  CHECK_EQ(0, uv__cgroup_memory(fx.root, &memory));
  CHECK(memory.limit == 512 * MIB);
  CHECK(memory.headroom == 412 * MIB);
  CHECK_EQ(3, uv__cgroup_cpu_quota(fx.root));

  /* The throttling limit counts if it is lower. */
  fixture_write(&fx, "/sys/fs/cgroup/app/memory.high", "209715200\n");
  CHECK_EQ(0, uv__cgroup_memory(fx.root, &memory));
  CHECK(memory.limit == 200 * MIB);
  CHECK(memory.headroom == 100 * MIB);

  /* More in use than allowed leaves nothing, not a huge number. */
  fixture_write(&fx, "/sys/fs/cgroup/app/memory.current", "314572800\n");
  CHECK_EQ(0, uv__cgroup_memory(fx.root, &memory));
  CHECK(memory.headroom == 0);
  fixture_close(&fx);
}

UNIT_TEST(cgroup_v2_ancestors) {
  struct fixture fx;
  struct uv__cgroup_memory memory;
  tree_v2(&fx, "/pod/app/leaf");
  fixture_write(&fx, "/sys/fs/cgroup/pod/app/leaf/memory.max", "max\n");
  fixture_write(&fx, "/sys/fs/cgroup/pod/app/leaf/cpu.max", "max 100000\n");
  fixture_write(&fx, "/sys/fs/cgroup/pod/app/memory.max", "536870912\n");
  fixture_write(&fx, "/sys/fs/cgroup/pod/app/memory.current", "1048576\n");
  fixture_write(&fx, "/sys/fs/cgroup/pod/app/cpu.max", "800000 100000\n");
  fixture_write(&fx, "/sys/fs/cgroup/pod/memory.max", "1073741824\n");
  fixture_write(&fx, "/sys/fs/cgroup/pod/memory.current", "1072693248\n");
  fixture_write(&fx, "/sys/fs/cgroup/pod/cpu.max", "150000 100000\n");

  CHECK_EQ(0, uv__cgroup_memory(fx.root, &memory));
  CHECK(memory.limit == 512 * MIB);  /* of /pod/app */
  CHECK(memory.headroom == 1 * MIB); /* of /pod, nearly full */
  CHECK_EQ(1, uv__cgroup_cpu_quota(fx.root));
  fixture_close(&fx);
}

UNIT_TEST(cgroup_v2_no_limit) {
  struct fixture fx;
  struct uv__cgroup_memory memory;
  tree_v2(&fx, "/");

  /* The root group has none of these files: no limit can be read. */
  CHECK_EQ(UV_ENOENT, uv__cgroup_memory(fx.root, &memory));
  CHECK_EQ(0, uv__cgroup_cpu_quota(fx.root));

  fixture_write(&fx, "/sys/fs/cgroup/memory.max", "max\n");
  CHECK_EQ(0, uv__cgroup_memory(fx.root, &memory));
  CHECK(memory.limit == UV__CGROUP_UNLIMITED);
  CHECK(memory.headroom == UV__CGROUP_UNLIMITED);
  fixture_close(&fx);
}

UNIT_TEST(cgroup_v1_hierarchies) {
  struct fixture fx;
  struct uv__cgroup_memory memory;
  fixture_init(&fx);
  fixture_write(&fx, "/proc/self/cgroup",
                "9:name=systemd:/\n"
                "4:memory:/docker/c0ffee\n"
                "1:cpu,cpuacct:/slice\n"
                "0::/\n");
  fixture_write(&fx, "/proc/self/mountinfo",
                "31 23 0:28 / /cg rw - tmpfs tmpfs rw,mode=755\n"
                "41 31 0:38 / /cg/unified rw - cgroup2 cgroup2 rw\n"
                "32 31 0:29 / /cg/cpu,cpuacct rw - cgroup c rw,cpu,cpuacct\n"
                "35 31 0:32 /docker/c0ffee /cg/memory rw - cgroup c memory\n");
  /* The v2 mount comes first but does not own the controllers. */
  fixture_write(&fx, "/cg/unified/memory.max", "1\n");
  fixture_write(&fx, "/cg/memory/memory.limit_in_bytes", "268435456\n");
  fixture_write(&fx, "/cg/memory/memory.usage_in_bytes", "67108864\n");
  fixture_write(&fx, "/cg/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  fixture_write(&fx, "/cg/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  fixture_write(&fx, "/cg/cpu,cpuacct/slice/cpu.cfs_quota_us", "400000\n");
  fixture_write(&fx, "/cg/cpu,cpuacct/slice/cpu.cfs_period_us", "100000\n");

  CHECK_EQ(0, uv__cgroup_memory(fx.root, &memory));
  CHECK(memory.limit == 256 * MIB);
  CHECK(memory.headroom == 192 * MIB);
  CHECK_EQ(4, uv__cgroup_cpu_quota(fx.root));
  fixture_close(&fx);
}

UNIT_TEST(cgroup_v1_no_limit) {
  struct fixture fx;
  struct uv__cgroup_memory memory;
  fixture_init(&fx);
  fixture_write(&fx, "/proc/self/cgroup", "4:memory:/\n1:cpu:/\n");
  fixture_write(&fx, "/proc/self/mountinfo",
                "35 31 0:32 / /cg/memory rw - cgroup c rw,memory\n"
                "36 31 0:33 / /cg/cpu rw - cgroup c rw,cpu\n");
  fixture_write(&fx, "/cg/memory/memory.limit_in_bytes",
                "9223372036854771712\n");
  fixture_write(&fx, "/cg/cpu/cpu.cfs_quota_us", "-1\n");
  fixture_write(&fx, "/cg/cpu/cpu.cfs_period_us", "100000\n");

  CHECK_EQ(0, uv__cgroup_memory(fx.root, &memory));
  CHECK(memory.limit == UV__CGROUP_UNLIMITED);
  CHECK_EQ(0, uv__cgroup_cpu_quota(fx.root));
  fixture_close(&fx);
}

UNIT_TEST(cgroup_nothing_there) {
  struct fixture fx;
  struct uv__cgroup_memory memory;
  fixture_init(&fx);
  CHECK_EQ(UV_ENOENT, uv__cgroup_memory(fx.root, &memory));
  CHECK_EQ(0, uv__cgroup_cpu_quota(fx.root));

  /* A member of a group that is not mounted. */
  fixture_write(&fx, "/proc/self/cgroup", "0::/app\n");
  fixture_write(&fx, "/proc/self/mountinfo", "");
  CHECK_EQ(UV_ENOENT, uv__cgroup_memory(fx.root, &memory));
  CHECK_EQ(0, uv__cgroup_cpu_quota(fx.root));
  fixture_close(&fx);
}

/* A limit counts without the usage, and a level that makes no sense sets no
 * quota. */
UNIT_TEST(cgroup_files_missing_or_malformed) {
  struct fixture fx;
  struct uv__cgroup_memory memory;
  tree_v2(&fx, "/app");
  fixture_write(&fx, "/sys/fs/cgroup/app/memory.max", "536870912\n");
  fixture_write(&fx, "/sys/fs/cgroup/app/cpu.max", "some\n");
  CHECK_EQ(0, uv__cgroup_memory(fx.root, &memory));
  CHECK(memory.limit == 512 * MIB);
  CHECK(memory.headroom == UV__CGROUP_UNLIMITED);
  CHECK_EQ(0, uv__cgroup_cpu_quota(fx.root));
  fixture_close(&fx);

  fixture_init(&fx);
  fixture_write(&fx, "/proc/self/cgroup", "1:cpu:/\n");
  fixture_write(&fx, "/proc/self/mountinfo",
                "36 31 0:33 / /cg/cpu rw - cgroup c rw,cpu\n");
  fixture_write(&fx, "/cg/cpu/cpu.cfs_quota_us", "400000\n");
  CHECK_EQ(0, uv__cgroup_cpu_quota(fx.root));
  fixture_write(&fx, "/cg/cpu/cpu.cfs_period_us", "long\n");
  CHECK_EQ(0, uv__cgroup_cpu_quota(fx.root));
  fixture_write(&fx, "/cg/cpu/cpu.cfs_period_us", "100000\n");
  CHECK_EQ(4, uv__cgroup_cpu_quota(fx.root));
  fixture_close(&fx);
}

/* A mount point whose name is too long is passed over; the next one counts. */
UNIT_TEST(cgroup_mount_with_a_long_name) {
  struct fixture fx;
  struct uv__cgroup_memory memory;
  char mounts[2 * UV__PROCFS_PATH_SIZE];
  char name[UV__PROCFS_PATH_SIZE];

  memset(name, 'x', sizeof(name));
  name[0] = '/';
  name[sizeof(name) - 8] = '\0'; /* with the root before it, too long */
  tree_v2(&fx, "/app");
  snprintf(mounts, sizeof(mounts),
           "30 23 0:28 / %s rw - cgroup2 cgroup2 rw\n"
           "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
           name);
  fixture_write(&fx, "/proc/self/mountinfo", mounts);
  fixture_write(&fx, "/sys/fs/cgroup/app/memory.max", "536870912\n");
  CHECK_EQ(0, uv__cgroup_memory(fx.root, &memory));
  CHECK(memory.limit == 512 * MIB);
  fixture_close(&fx);
}
