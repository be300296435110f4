/* SPDX-License-Identifier: MIT */
/* fs_event: very many watches, and watched files that disappear. */
#include "test.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MANY 300

static uv_loop_t loop;
static uv_fs_event_t handles[MANY];
static int calls[MANY];
static int called; /* how many of them */

static void on_change(uv_fs_event_t* handle,
                      const char* name,
                      int events,
                      int status) {
  size_t i = (size_t) (handle - handles);

  (void) events;
  ASSERT_OK(status);
  ASSERT_STR_EQ("new", name);
  if (calls[i]++ == 0)
    called++;
}

/* Each directory's event reaches its handle. */
TEST_IMPL(fs_event_many_watches) {
  char path[64];

  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < MANY; i++) {
    snprintf(path, sizeof(path), "d%d", i);
    test_mkdir(path);
    ASSERT_OK(uv_fs_event_init(&loop, &handles[i]));
    ASSERT_OK(uv_fs_event_start(&handles[i], on_change, path, 0));
  }
  for (int i = 0; i < MANY; i += 2) {
    snprintf(path, sizeof(path), "d%d/new", i);
    test_write_file(path, "");
  }
  while (called < MANY / 2)
    ASSERT_NE(0, uv_run(&loop, UV_RUN_ONCE));
  for (int i = 0; i < MANY; i++)
    ASSERT_EQ(i % 2 == 0, calls[i] > 0);
  test_close_loop(&loop);
  return 0;
}

static int renames;

static void on_gone(uv_fs_event_t* handle,
                    const char* name,
                    int events,
                    int status) {
  (void) handle;
  ASSERT_OK(status);
  ASSERT_STR_EQ("file", name);
  if (events & UV_RENAME)
    renames++;
}

/* The handle is notified, stays active, and can be started for the new file. */
TEST_IMPL(fs_event_watched_file_is_deleted) {
  uv_fs_event_t* handle = &handles[0];

  ASSERT_OK(uv_loop_init(&loop));
  test_write_file("file", "");
  ASSERT_OK(uv_fs_event_init(&loop, handle));
  ASSERT_OK(uv_fs_event_start(handle, on_gone, "file", 0));
  ASSERT_EQ(0, unlink("file"));
  while (renames == 0)
    ASSERT_NE(0, uv_run(&loop, UV_RUN_ONCE));
  ASSERT_EQ(1, uv_is_active((uv_handle_t*) handle));
  ASSERT_OK(uv_fs_event_stop(handle));

  test_write_file("file", "");
  ASSERT_OK(uv_fs_event_start(handle, on_gone, "file", 0));
  renames = 0;
  ASSERT_EQ(0, unlink("file"));
  while (renames == 0)
    ASSERT_NE(0, uv_run(&loop, UV_RUN_ONCE));
  test_close_loop(&loop);
  return 0;
}

static char last_name[64];

static void on_own_change(uv_fs_event_t* handle,
                          const char* name,
                          int events,
                          int status) {
  (void) handle;
  (void) events;
  ASSERT_OK(status);
  snprintf(last_name, sizeof(last_name), "%s", name);
}

/* Slashes at the end of the path do not hide the name of the directory. */
TEST_IMPL(fs_event_directory_with_a_slash_at_the_end) {
  uv_fs_event_t* handle = &handles[0];

  ASSERT_OK(uv_loop_init(&loop));
  test_mkdir("watched");
  ASSERT_OK(uv_fs_event_init(&loop, handle));
  ASSERT_OK(uv_fs_event_start(handle, on_own_change, "watched//", 0));
  ASSERT_EQ(0, chmod("watched", 0700));
  while (last_name[0] == '\0')
    ASSERT_NE(0, uv_run(&loop, UV_RUN_ONCE));
  ASSERT_STR_EQ("watched", last_name);
  test_close_loop(&loop);
  return 0;
}

/* Watches come and go beside one that stays: it still gets its events, and
 * none after it was stopped. */
TEST_IMPL(fs_event_watches_come_and_go) {
  uv_fs_event_t* first = &handles[0];
  uv_fs_event_t* other = &handles[1];

  ASSERT_OK(uv_loop_init(&loop));
  test_mkdir("stays");
  test_mkdir("goes");
  ASSERT_OK(uv_fs_event_init(&loop, first));
  ASSERT_OK(uv_fs_event_init(&loop, other));
  ASSERT_OK(uv_fs_event_start(first, on_change, "stays", 0));
  for (int i = 0; i < 100; i++) {
    ASSERT_OK(uv_fs_event_start(other, on_change, "goes", 0));
    if (i == 70)
      break; /* both are there */
    ASSERT_OK(uv_fs_event_stop(other));
  }
  for (int i = 2; i < 100; i++) {
    char path[64];
    snprintf(path, sizeof(path), "more%d", i);
    test_mkdir(path);
    ASSERT_OK(uv_fs_event_init(&loop, &handles[i]));
    ASSERT_OK(uv_fs_event_start(&handles[i], on_change, path, 0));
  }
  test_write_file("stays/new", "");
  while (calls[0] == 0)
    ASSERT_NE(0, uv_run(&loop, UV_RUN_ONCE));
  ASSERT_OK(uv_fs_event_stop(first));
  test_write_file("goes/new", "");
  test_write_file("stays/new", "again");
  while (calls[1] == 0)
    ASSERT_NE(0, uv_run(&loop, UV_RUN_ONCE));
  ASSERT_EQ(0, uv_is_active((uv_handle_t*) first));
  ASSERT_EQ(2, called);
  test_close_loop(&loop);
  return 0;
}

static int forked_child = -1;
static int calls_in_child;

static void fork_in_callback(uv_fs_event_t* handle,
                             const char* name,
                             int events,
                             int status) {
  (void) handle;
  (void) name;
  (void) events;
  ASSERT_OK(status);
  if (forked_child == 0)
    calls_in_child++;
  if (forked_child != -1)
    return;
  fflush(NULL);
  forked_child = fork();
  ASSERT_GE(forked_child, 0);
  if (forked_child == 0)
    ASSERT_OK(uv_loop_fork(&loop));
}

/* The child forgets the rest of the parent's events; both handles, the one
 * whose callback forks and the one that is next, get those of its own. */
TEST_IMPL(fs_event_callback_forks) {
  int status;

  ASSERT_OK(uv_loop_init(&loop));
  test_mkdir("watched");
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(uv_fs_event_init(&loop, &handles[i]));
    ASSERT_OK(uv_fs_event_start(&handles[i], fork_in_callback, "watched", 0));
  }
  test_write_file("watched/new", "");
  while (forked_child == -1)
    ASSERT_NE(0, uv_run(&loop, UV_RUN_ONCE));
  if (forked_child == 0) {
    ASSERT_EQ(0, calls_in_child);
    test_write_file("watched/of-the-child", "");
    while (calls_in_child < 2)
      ASSERT_NE(0, uv_run(&loop, UV_RUN_ONCE));
    test_close_loop(&loop);
    _exit(0);
  }
  ASSERT_EQ(forked_child, waitpid(forked_child, &status, 0));
  ASSERT_EQ(0, status);
  test_close_loop(&loop);
  return 0;
}
