/* SPDX-License-Identifier: MIT */
/* Results of system functions on Windows that libuv 1.50.0 returns, found by
 * running the same calls on both. */
#include "test.h"

#include <stdio.h>
#include <string.h>

/* The system's text for an error, in English. */
static void system_text(DWORD sys_error, char* out, DWORD size) {
  DWORD flags = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS;
  DWORD english = MAKELANGID(LANG_ENGLISH, SUBLANG_ENGLISH_US);

  if (FormatMessageA(flags, NULL, sys_error, english, out, size, NULL) == 0)
    ASSERT_NE(0, FormatMessageA(flags, NULL, sys_error, 0, out, size, NULL));
}

/* Node appends the path to the message, which ends with a line break. */
TEST_IMPL(dl_message_is_the_systems) {
  static const struct {
    const char* name;
    DWORD sys_error;
  } rows[] = {
    { "no-such-library.dll", ERROR_MOD_NOT_FOUND },
    { "", ERROR_MOD_NOT_FOUND },
    { "\xff.dll", ERROR_NO_UNICODE_TRANSLATION },
  };
  char expected[512];
  uv_lib_t lib;

  for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
    system_text(rows[i].sys_error, expected, sizeof(expected));
    ASSERT_EQ(-1, uv_dlopen(rows[i].name, &lib));
    ASSERT_STR_EQ(expected, uv_dlerror(&lib));
    uv_dlclose(&lib);
  }
  return 0;
}

/* One CPU that the process may use and one that it may not. */
TEST_IMPL(thread_affinity_with_a_missing_cpu) {
  uv_thread_t self = uv_thread_self();
  char mask[sizeof(DWORD_PTR) * 8];
  DWORD_PTR usable;
  DWORD_PTR all;

  ASSERT_EQ((int) sizeof(mask), uv_cpumask_size());
  ASSERT(GetProcessAffinityMask(GetCurrentProcess(), &usable, &all));
  if (usable + 1 == 0)
    SKIP("the process may use every CPU of a mask");
  memset(mask, 1, sizeof(mask));
  ASSERT_ERR(UV_EINVAL, uv_thread_setaffinity(&self, mask, NULL, sizeof(mask)));
  for (size_t i = 0; i < sizeof(mask); i++)
    mask[i] = (char) (usable >> i & 1);
  ASSERT_OK(uv_thread_setaffinity(&self, mask, NULL, sizeof(mask)));
  return 0;
}

TEST_IMPL(tty_of_a_file_is_a_bad_descriptor) {
  static const char* const names[] = { "NUL", "." };
  uv_loop_t loop;
  uv_tty_t tty;
  uv_fs_t req;

  ASSERT_OK(uv_loop_init(&loop));
  for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
    int fd = uv_fs_open(NULL, &req, names[i], UV_FS_O_RDONLY, 0, NULL);
    ASSERT_GE(fd, 0);
    ASSERT_ERR(UV_EBADF, uv_tty_init(&loop, &tty, fd, 0));
    ASSERT_OK(uv_fs_close(NULL, &req, fd, NULL));
  }
  test_close_loop(&loop);
  return 0;
}

/* So that Node uses its default title. */
TEST_IMPL(sysinfo_title_needs_a_console) {
  char title[64];

  FreeConsole();
  ASSERT_LT(uv_get_process_title(title, sizeof(title)), 0);
  return 0;
}

TEST_IMPL(sysinfo_homedir_that_is_no_path) {
  char home[64];
  size_t size = sizeof(home);

  ASSERT_OK(uv_os_setenv("USERPROFILE", "C:"));
  ASSERT_ERR(UV_ENOENT, uv_os_homedir(home, &size));
  ASSERT_EQ(2, size);
  return 0;
}

TEST_IMPL(sysinfo_uname_tells_the_compiler) {
  uv_utsname_t name;

  ASSERT_OK(uv_os_uname(&name));
  ASSERT_EQ(0, strncmp(name.sysname, TEST_SYSNAME, strlen(TEST_SYSNAME)));
  return 0;
}
