/* SPDX-License-Identifier: MIT */
/* fs_event: very many watches, and watched files that disappear. */
#include "test.h"

#include <stdio.h>
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
