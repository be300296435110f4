/* SPDX-License-Identifier: MIT */
/* What the library makes of EVFILT_VNODE, which says that a directory changed
 * but not how: names, and the cost of finding them. readdir() is counted here,
 * in front of the C library's. */
#include "unit/unit.h"
#include "unix/fs-event/dir-names.h"
#include "uv.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned readdir_calls;

struct dirent* readdir(DIR* dir) {
  static struct dirent* (*next)(DIR * dir);

  if (next == NULL) {
    void* found = dlsym(RTLD_NEXT, "readdir");
    memcpy(&next, &found, sizeof(next));
  }
  readdir_calls++;
  return next(dir);
}

static uv_loop_t loop;
static uv_fs_event_t watch;
static char last_name[64]; /* "" for NULL */
static int calls;

static void on_change(uv_fs_event_t* handle,
                      const char* name,
                      int events,
                      int status) {
  (void) handle;
  CHECK_EQ(0, status);
  CHECK(events & UV_RENAME);
  snprintf(last_name, sizeof(last_name), "%s", name == NULL ? "" : name);
  calls++;
}

static void make_file(const char* path) {
  int fd = open(path, O_CREAT | O_WRONLY, 0600);
  CHECK(fd >= 0);
  CHECK_EQ(0, close(fd));
}

static void make_files(const char* dir, unsigned count) {
  char path[64];

  CHECK_EQ(0, mkdir(dir, 0700));
  for (unsigned i = 0; i < count; i++) {
    snprintf(path, sizeof(path), "%s/%u", dir, i);
    make_file(path);
  }
}

static void remove_files(const char* dir, unsigned count) {
  char path[64];

  for (unsigned i = 0; i < count; i++) {
    snprintf(path, sizeof(path), "%s/%u", dir, i);
    CHECK_EQ(0, unlink(path));
  }
  CHECK_EQ(0, rmdir(dir));
}

static void watch_start(const char* path) {
  CHECK_EQ(0, uv_loop_init(&loop));
  CHECK_EQ(0, uv_fs_event_init(&loop, &watch));
  CHECK_EQ(0, uv_fs_event_start(&watch, on_change, path, 0));
}

static void watch_end(void) {
  uv_close((uv_handle_t*) &watch, NULL);
  CHECK_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  CHECK_EQ(0, uv_loop_close(&loop));
}

static void enter_home(char home[64]) {
  snprintf(home, 64, "/tmp/uv-shim-XXXXXX");
  CHECK(mkdtemp(home) != NULL);
  CHECK_EQ(0, chdir(home));
}

static void leave_home(const char* home) {
  CHECK_EQ(0, chdir("/"));
  CHECK_EQ(0, rmdir(home));
}

static void await_call(void) {
  for (int before = calls; calls == before;)
    CHECK(uv_run(&loop, UV_RUN_ONCE) != 0);
}

/* Names up to a size; beyond, a change costs the same however large the
 * directory is. */
UNIT_TEST(watch_large_directory_is_not_read) {
  char home[64];

  enter_home(home);
  make_files("small", UV__DIR_NAMES_MAX - 1);
  watch_start("small");
  make_file("small/new");
  await_call();
  CHECK_STR("new", last_name);
  CHECK_EQ(0, unlink("small/new"));
  watch_end();
  remove_files("small", UV__DIR_NAMES_MAX - 1);

  make_files("large", 5000);
  watch_start("large");
  CHECK(readdir_calls < 4 * UV__DIR_NAMES_MAX);
  readdir_calls = 0;
  for (int i = 0; i < 10; i++) {
    make_file("large/new");
    await_call();
    CHECK_STR("", last_name);
    CHECK_EQ(0, unlink("large/new"));
    await_call();
  }
  CHECK_EQ(0, readdir_calls);
  watch_end();
  remove_files("large", 5000);
  leave_home(home);
}

/* Created and removed before the loop looks: something happened, but to which
 * name is not known. */
UNIT_TEST(watch_name_that_came_and_went) {
  char home[64];

  enter_home(home);
  make_files("dir", 3);
  watch_start("dir");
  make_file("dir/new");
  CHECK_EQ(0, unlink("dir/new"));
  await_call();
  CHECK_STR("", last_name);
  CHECK_EQ(1, calls);
  watch_end();
  remove_files("dir", 3);
  leave_home(home);
}

/* A file is reported under the name that it has. */
UNIT_TEST(watch_renamed_file) {
  char home[64];

  enter_home(home);
  make_file("old");
  CHECK_EQ(0, symlink("old", "link"));
  watch_start("link");
  CHECK_EQ(0, rename("old", "new"));
  await_call();
  CHECK_STR("new", last_name);
  CHECK_EQ(0, unlink("new"));
  await_call();
  CHECK_STR("link", last_name); /* it has none */
  CHECK_EQ(0, unlink("link"));
  watch_end();
  leave_home(home);
}
