/* SPDX-License-Identifier: MIT */
/* sysinfo/procfs.c and sysinfo/linux-cpu.c over fixture trees. */
#include "fixture.h"

#include "uv.h"
#include "unix/sysinfo/linux-cpu.h"
#include "unix/sysinfo/procfs.h"

UNIT_TEST(procfs_number) {
  const char* at = " \t42 18446744073709551615 18446744073709551616";
  uint64_t value = 7;
  CHECK_EQ(0, uv__procfs_number(&at, &value));
  CHECK(value == 42);
  CHECK_EQ(0, uv__procfs_number(&at, &value));
  CHECK(value == UINT64_MAX);
  const char* before = at;
  CHECK_EQ(UV_EINVAL, uv__procfs_number(&at, &value));
  CHECK(value == UINT64_MAX); /* untouched */
  CHECK(at == before);
}

UNIT_TEST(procfs_slurp_every_size) {
  struct fixture fx;
  char path[256];
  char buf[16];
  fixture_init(&fx);
  fixture_write(&fx, "/f", "0123456789");
  snprintf(path, sizeof(path), "%s/f", fx.root);

  CHECK_EQ(UV_EINVAL, uv__procfs_slurp(path, buf, 0));
  for (size_t size = 1; size <= sizeof(buf); size++) {
    memset(buf, '#', sizeof(buf));
    size_t want = size - 1 < 10 ? size - 1 : 10;
    CHECK_EQ(want, uv__procfs_slurp(path, buf, size));
    CHECK_MEM("0123456789", buf, want);
    CHECK_EQ('\0', buf[want]);
    if (size < sizeof(buf))
      CHECK_EQ('#', buf[size]);
  }
  fixture_close(&fx);
  CHECK_EQ(UV_ENOENT, uv__procfs_slurp(path, buf, sizeof(buf)));
}

UNIT_TEST(procfs_lines) {
  struct fixture fx;
  struct uv__procfs_lines lines;
  fixture_init(&fx);
  fixture_write(&fx, "/f", "one\n\ntwo\nno newline");
  CHECK_EQ(0, uv__procfs_lines_open(&lines, fx.root, "/f"));
  CHECK_STR("one", uv__procfs_lines_next(&lines));
  CHECK_STR("", uv__procfs_lines_next(&lines));
  CHECK_STR("two", uv__procfs_lines_next(&lines));
  CHECK_STR("no newline", uv__procfs_lines_next(&lines));
  CHECK(uv__procfs_lines_next(&lines) == NULL);
  CHECK(uv__procfs_lines_next(&lines) == NULL);
  uv__procfs_lines_close(&lines);
  fixture_close(&fx);
}

/* A line of every length around the limit, between two short ones. */
UNIT_TEST(procfs_lines_long) {
  static char text[4 * UV__PROCFS_LINE_SIZE];
  size_t limit = UV__PROCFS_LINE_SIZE - 1;
  size_t sizes[] = { limit - 1, limit,         limit + 1,
                     2 * limit, 2 * limit + 1, 3 * limit };
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    struct fixture fx;
    struct uv__procfs_lines lines;
    memcpy(text, "a\n", 2);
    memset(text + 2, 'x', sizes[i]);
    memcpy(text + 2 + sizes[i], "\nb\n", 4);
    fixture_init(&fx);
    fixture_write(&fx, "/f", text);

    CHECK_EQ(0, uv__procfs_lines_open(&lines, fx.root, "/f"));
    CHECK_STR("a", uv__procfs_lines_next(&lines));
    const char* line = uv__procfs_lines_next(&lines);
    CHECK(line != NULL);
    CHECK_EQ(sizes[i] < limit ? sizes[i] : limit, strlen(line));
    CHECK_EQ(strlen(line), strspn(line, "x"));
    CHECK_STR("b", uv__procfs_lines_next(&lines));
    CHECK(uv__procfs_lines_next(&lines) == NULL);
    uv__procfs_lines_close(&lines);
    fixture_close(&fx);
  }
}

static uint64_t ticks(uint64_t n) {
  return n * 1000 / (uint64_t) sysconf(_SC_CLK_TCK);
}

/* CPU 1 is offline: two entries, each with its own model, clock and times. */
UNIT_TEST(cpuinfo_hole_in_numbering) {
  struct fixture fx;
  uv_cpu_info_t* infos;
  int count;
  fixture_init(&fx);
  fixture_write(&fx, "/proc/stat",
                "cpu  9 9 9 9 9 9 9 9 9 9\n"
                "cpu0 100 2 300 4000 50 6 7 8 0 0\n"
                "cpu2 1100 12 1300 14000 150 16 17 18 0 0\n"
                "intr 1 2 3\n");
  fixture_write(&fx, "/proc/cpuinfo",
                "processor\t: 0\n"
                "model name\t: Zero @ 1: fast\n"
                "cpu MHz\t\t: 1111.500\n"
                "\n"
                "processor\t: 1\n"
                "model name\t: One\n"
                "\n"
                "processor\t: 2\n"
                "model name\t: Two\n"
                "cpu MHz\t\t: 2222.000\n");
  fixture_write(&fx, "/sys/devices/system/cpu/cpu2/cpufreq/scaling_max_freq",
                "3500000\n");

  CHECK_EQ(0, uv__cpuinfo_read(fx.root, &infos, &count));
  CHECK_EQ(2, count);
  CHECK_STR("Zero @ 1: fast", infos[0].model);
  CHECK_EQ(1111, infos[0].speed);
  CHECK_EQ(ticks(100), infos[0].cpu_times.user);
  CHECK_EQ(ticks(2), infos[0].cpu_times.nice);
  CHECK_EQ(ticks(300), infos[0].cpu_times.sys);
  CHECK_EQ(ticks(4000), infos[0].cpu_times.idle);
  CHECK_EQ(ticks(6), infos[0].cpu_times.irq);
  CHECK_STR("Two", infos[1].model);
  CHECK_EQ(3500, infos[1].speed);
  CHECK_EQ(ticks(14000), infos[1].cpu_times.idle);
  uv_free_cpu_info(infos, count);
  fixture_close(&fx);
}

UNIT_TEST(cpuinfo_other_machines) {
  static const struct {
    const char* cpuinfo;
    const char* model;
    int speed;
  } rows[] = {
    { "", "unknown", 0 },
    { "processor : 0\nCPU implementer : 0x41\nCPU part : 0xd0c\n",
      "Neoverse-N1", 0 },
    { "processor : 0\nCPU implementer : 0x41\nCPU part : 0xfff\n", "unknown",
      0 },
    { "Processor : ARMv7 rev 3\nprocessor : 0\n\nprocessor : 1\n",
      "ARMv7 rev 3", 0 },
    { "processor : 0\ncpu : POWER9\nclock : 2300.000000MHz\n", "POWER9", 2300 },
    { "processor : 0\nuarch : sifive,u74-mc\n", "sifive,u74-mc", 0 },
    { "processor : 7\nmodel name : another one's\n", "unknown", 0 },
    { "processor : 0\nmodel name\n:\n : x\nmodel name :\n", "unknown", 0 },
  };

  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    struct fixture fx;
    uv_cpu_info_t* infos;
    int count;
    fixture_init(&fx);
    fixture_write(&fx, "/proc/stat", "cpu0 1 1 1 1 1 1\n");
    fixture_write(&fx, "/proc/cpuinfo", rows[i].cpuinfo);
    CHECK_EQ(0, uv__cpuinfo_read(fx.root, &infos, &count));
    CHECK_EQ(1, count);
    CHECK_STR(rows[i].model, infos[0].model);
    CHECK_EQ(rows[i].speed, infos[0].speed);
    uv_free_cpu_info(infos, count);
    fixture_close(&fx);
  }
}

UNIT_TEST(cpuinfo_many) {
  struct fixture fx;
  uv_cpu_info_t* infos;
  int count;
  size_t room = 1 << 19;
  char* stat = malloc(room);
  char* info = malloc(room);
  size_t stat_len = 0;
  size_t info_len = 0;
  CHECK(stat != NULL && info != NULL);
  for (int i = 0; i < 4096; i++) {
    stat_len += (size_t) snprintf(stat + stat_len, room - stat_len,
                                  "cpu%d %d 0 0 0 0 0\n", i, i);
    info_len += (size_t) snprintf(info + info_len, room - info_len,
                                  "processor : %d\nmodel name : M%d\n\n", i, i);
  }
  fixture_init(&fx);
  fixture_write(&fx, "/proc/stat", stat);
  fixture_write(&fx, "/proc/cpuinfo", info);

  CHECK_EQ(0, uv__cpuinfo_read(fx.root, &infos, &count));
  CHECK_EQ(4096, count);
  CHECK_STR("M0", infos[0].model);
  CHECK_STR("M4095", infos[4095].model);
  CHECK_EQ(ticks(4095), infos[4095].cpu_times.user);
  uv_free_cpu_info(infos, count);
  fixture_close(&fx);
  free(stat);
  free(info);
}

UNIT_TEST(cpuinfo_nothing_there) {
  struct fixture fx;
  uv_cpu_info_t* infos = NULL;
  int count = 7;
  fixture_init(&fx);
  CHECK_EQ(UV_ENOENT, uv__cpuinfo_read(fx.root, &infos, &count));
  fixture_write(&fx, "/proc/stat", "cpu  1 1 1 1 1 1\ncpux 1\ncpu0 1 x\n");
  CHECK_EQ(UV_ENOENT, uv__cpuinfo_read(fx.root, &infos, &count));
  CHECK(infos == NULL);
  CHECK_EQ(7, count); /* untouched */
  fixture_close(&fx);
}
