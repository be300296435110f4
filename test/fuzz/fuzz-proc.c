/* SPDX-License-Identifier: MIT */
/* uv_cpu_info() and the limits of control groups on trees of files with any
 * content: parts of the input, separated by 0xff, are the files, in order. */
#define _GNU_SOURCE
#include "fuzz.h"

#include "uv.h"
#include "unix/sysinfo/cgroup.h"
#include "unix/sysinfo/linux-cpu.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char* const names[] = {
  "/proc/stat",
  "/proc/cpuinfo",
  "/proc/self/cgroup",
  "/proc/self/mountinfo",
  "/sys/devices/system/cpu/online",
  "/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq",
  "/sys/fs/cgroup/memory.max",
  "/sys/fs/cgroup/memory.current",
  "/sys/fs/cgroup/cpu.max",
  "/sys/fs/cgroup/a/memory.max",
  "/sys/fs/cgroup/a/cpu.max",
};

static char root[64];

static void make_root(void) {
  snprintf(root, sizeof(root), "%s/uv-fuzz-%d",
           access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", getpid());
  mkdir(root, 0700);
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    char path[256];
    snprintf(path, sizeof(path), "%s%s", root, names[i]);
    for (char* p = path + strlen(root) + 1; *p != '\0'; p++) {
      if (*p != '/')
        continue;
      *p = '\0';
      mkdir(path, 0700);
      *p = '/';
    }
  }
}

static void remove_root(void) {
  char command[128];
  snprintf(command, sizeof(command), "rm -rf %s", root);
  if (root[0] != '\0')
    REQUIRE(system(command) == 0);
}

static void write_file(const char* name, const uint8_t* data, size_t size) {
  char path[256];
  snprintf(path, sizeof(path), "%s%s", root, name);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  REQUIRE(fd >= 0);
  REQUIRE(write(fd, data, size) == (ssize_t) size);
  close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  uv_cpu_info_t* infos = NULL;
  struct uv__cgroup_memory memory;
  int count = 0;

  if (root[0] == '\0') {
    make_root();
    atexit(remove_root);
  }
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    const uint8_t* end = memchr(data, 0xff, size);
    size_t part = end == NULL ? size : (size_t) (end - data);
    write_file(names[i], data, part);
    data += part;
    size -= part;
    if (size > 0) {
      data++;
      size--;
    }
  }

  if (uv__cpuinfo_read(root, &infos, &count) == 0) {
    for (int i = 0; i < count; i++)
      REQUIRE(infos[i].model == NULL || strlen(infos[i].model) < 4096);
    uv_free_cpu_info(infos, count);
  }
  (void) uv__cgroup_memory(root, &memory);
  (void) uv__cgroup_cpu_quota(root);
  return 0;
}
