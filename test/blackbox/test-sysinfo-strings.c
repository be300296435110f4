/* SPDX-License-Identifier: MIT */
/* Every function that fills a buffer of a given size: bad arguments, a one-byte
 * probe, and every size around the one that fits. */
#include "uv.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static int get_variable(char* buffer, size_t* size) {
  return uv_os_getenv("UV_TEST_STRINGS", buffer, size);
}

static int get_interface(char* buffer, size_t* size) {
  return uv_if_indextoname(1, buffer, size);
}

static int get_interface_id(char* buffer, size_t* size) {
  return uv_if_indextoiid(1, buffer, size);
}

static const struct {
  const char* name;
  int (*get)(char* buffer, size_t* size);
} getters[] = {
  { "uv_os_getenv", get_variable },
  { "uv_os_homedir", uv_os_homedir },
  { "uv_os_tmpdir", uv_os_tmpdir },
  { "uv_os_gethostname", uv_os_gethostname },
  { "uv_cwd", uv_cwd },
  { "uv_if_indextoname", get_interface },
  { "uv_if_indextoiid", get_interface_id },
};

#define GETTERS (sizeof(getters) / sizeof(getters[0]))

TEST_IMPL(sysinfo_strings_bad_arguments) {
  ASSERT_EQ(0, uv_os_setenv("UV_TEST_STRINGS", "value"));
  for (size_t i = 0; i < GETTERS; i++) {
    char buffer[16] = "kept";
    size_t size = sizeof(buffer);
    ASSERT_EQ(UV_EINVAL, getters[i].get(NULL, &size));
    ASSERT_EQ(UV_EINVAL, getters[i].get(buffer, NULL));
    size = 0;
    ASSERT_EQ(UV_EINVAL, getters[i].get(buffer, &size));
    ASSERT_EQ(0, size);
    ASSERT_EQ(0, strcmp("kept", buffer));
  }
  return 0;
}

TEST_IMPL(sysinfo_strings_every_size) {
  ASSERT_EQ(0, uv_os_setenv("UV_TEST_STRINGS", "value"));
  for (size_t i = 0; i < GETTERS; i++) {
    char buffer[4096];
    size_t needed = 1;
    ASSERT_EQ(UV_ENOBUFS, getters[i].get(buffer, &needed));
    ASSERT(needed > 1 && needed < sizeof(buffer));

    for (size_t room = 1; room <= needed + 1; room++) {
      size_t size = room;
      memset(buffer, '#', sizeof(buffer));
      int err = getters[i].get(buffer, &size);
      ASSERT_EQ('#', buffer[room]);
      if (room < needed) {
        ASSERT_EQ(UV_ENOBUFS, err);
        ASSERT_EQ(needed, size);
        ASSERT_EQ('#', buffer[0]); /* untouched */
      } else {
        ASSERT_EQ(0, err);
        ASSERT_EQ(needed - 1, size);
        ASSERT_EQ(size, strlen(buffer));
      }
    }
  }
  return 0;
}

/* The program's path is truncated instead of refused. */
TEST_IMPL(sysinfo_exepath_is_truncated) {
  char full[4096];
  char part[4096];
  size_t len = sizeof(full);
  ASSERT_EQ(0, uv_exepath(full, &len));
  ASSERT_EQ(len, strlen(full));

  for (size_t room = 1; room <= len + 2; room++) {
    size_t size = room;
    size_t want = room - 1 < len ? room - 1 : len;
    memset(part, '#', sizeof(part));
    ASSERT_EQ(0, uv_exepath(part, &size));
    ASSERT_EQ(want, size);
    ASSERT_EQ('\0', part[want]);
    ASSERT_EQ(0, memcmp(full, part, want));
    ASSERT_EQ('#', part[room]);
  }
  return 0;
}

#if TEST_POSIX
TEST_IMPL(sysinfo_tmpdir_variables) {
  static const char* const names[] = { "TMPDIR", "TMP", "TEMP", "TEMPDIR" };
  char buffer[64];
  size_t size;

  for (int i = 0; i < 4; i++)
    ASSERT_EQ(0, uv_os_unsetenv(names[i]));
  for (int i = 3; i >= 0; i--) {
    char value[32];
    snprintf(value, sizeof(value), "/dir-of-%s/", names[i]);
    ASSERT_EQ(0, uv_os_setenv(names[i], value));
    size = sizeof(buffer);
    ASSERT_EQ(0, uv_os_tmpdir(buffer, &size));
    ASSERT_EQ(strlen(value) - 1, size); /* the last slash is dropped */
    ASSERT_EQ(0, strncmp(value, buffer, size));
  }

  /* The buffer has room for the slash, or is too small. */
  ASSERT_EQ(0, uv_os_setenv("TMPDIR", "/dir/"));
  size = 5;
  ASSERT_EQ(UV_ENOBUFS, uv_os_tmpdir(buffer, &size));
  ASSERT_EQ(6, size);
  ASSERT_EQ(0, uv_os_tmpdir(buffer, &size));
  ASSERT_EQ(4, size);

  ASSERT_EQ(0, uv_os_setenv("TMPDIR", "/"));
  size = sizeof(buffer);
  ASSERT_EQ(0, uv_os_tmpdir(buffer, &size));
  ASSERT_EQ(0, strcmp("/", buffer));
  return 0;
}

#endif

TEST_IMPL(sysinfo_interface_unknown_index) {
  char buffer[64] = "kept";
  size_t size = sizeof(buffer);

  ASSERT_EQ(TEST_NO_INTERFACE, uv_if_indextoname(0x7ffffff0, buffer, &size));
  ASSERT_EQ(sizeof(buffer), size);
  ASSERT_EQ(0, strcmp("kept", buffer));
#if TEST_POSIX /* the number itself is the name on Windows */
  ASSERT_EQ(UV_ENXIO, uv_if_indextoiid(0x7ffffff0, buffer, &size));
  ASSERT_EQ(0, strcmp("kept", buffer));
#endif
  return 0;
}

TEST_IMPL(sysinfo_environ_values_with_equals) {
  uv_env_item_t* items;
  int count;
  int found = 0;

  ASSERT_EQ(0, uv_os_setenv("UV_TEST_STRINGS", "a=b=c"));
  ASSERT_EQ(UV_EINVAL, uv_os_environ(NULL, &count));
  ASSERT_EQ(UV_EINVAL, uv_os_environ(&items, NULL));
  ASSERT_EQ(0, uv_os_environ(&items, &count));
  for (int i = 0; i < count; i++)
    if (strcmp("UV_TEST_STRINGS", items[i].name) == 0)
      found += strcmp("a=b=c", items[i].value) == 0;
  ASSERT_EQ(1, found);
  uv_os_free_environ(items, count);

  ASSERT_EQ(UV_EINVAL, uv_os_setenv("", "x"));
  ASSERT_EQ(UV_EINVAL, uv_os_setenv("a=b", "x"));
  return 0;
}
