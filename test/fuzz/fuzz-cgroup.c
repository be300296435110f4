/* SPDX-License-Identifier: MIT */
/* The lines of /proc/self/cgroup and mountinfo, and the files of a group. */
#include "fuzz.h"

#include "uv.h"
#include "unix/sysinfo/cgroup.h"

static void lines(const char* text) {
  static struct uv__cgroup_dir dir;
  const char* path = NULL;
  const char* top = NULL;
  const char* mount = NULL;
  size_t len = strlen(text);

  if (uv__cgroup_parse_membership(text, "memory", &path) != UV__CGROUP_NONE)
    REQUIRE(path >= text && path <= text + len);
  char* copy = fuzz_string((const uint8_t*) text, len);
  if (uv__cgroup_parse_mount(copy, "cpu", &top, &mount) != UV__CGROUP_NONE) {
    REQUIRE(top >= copy && top + strlen(top) <= copy + len);
    REQUIRE(mount >= copy && mount + strlen(mount) <= copy + len);
    int err = uv__cgroup_locate(&dir, mount, top, path != NULL ? path : "/a");
    REQUIRE(err == 0 || err == UV_ENAMETOOLONG);
    if (err == 0)
      REQUIRE(dir.top_len <= strlen(dir.path));
  }
  free(copy);
}

static void values(const char* text) {
  uint64_t a = 1;
  uint64_t b = 1;
  const char* at = text;

  int err = uv__cgroup_parse_amount(text, &a);
  REQUIRE(err == 0 || err == UV_EINVAL);
  err = uv__cgroup_parse_cpu_max(text, &a, &b);
  REQUIRE(err == 0 || err == UV_EINVAL);
  (void) uv__cgroup_cpus(a, b);
  while (uv__procfs_number(&at, &a) == 0)
    REQUIRE(at > text && at <= text + strlen(text));
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  char* text = fuzz_string(data, size);

  for (char* line = text; line != NULL;) {
    char* end = strchr(line, '\n');
    if (end != NULL)
      *end++ = '\0';
    char* own = fuzz_string((const uint8_t*) line, strlen(line));
    lines(own);
    values(own);
    free(own);
    line = end;
  }
  free(text);
  return 0;
}
