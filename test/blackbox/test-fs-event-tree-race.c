/* SPDX-License-Identifier: MIT */
/* A watched tree that changes while it is read: the steps of a test run inside
 * of the callbacks that it names, so that the order is always the same. */
#include "fs-event-tree.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum trigger { EVENT, FILTER };
enum action { MAKE, MOVE, EXCHANGE };

struct step {
  enum trigger trigger;
  const char* path; /* when this is named, or asked about */
  enum action action;
  const char* from;
  const char* to;
};

static struct tree tree;
static const struct step* steps; /* those to come, ends with a NULL path */

static void step_if(enum trigger trigger, const char* path) {
  const struct step* step = steps;

  if (step->path == NULL || step->trigger != trigger || path == NULL ||
      strcmp(step->path, path) != 0)
    return;
  steps++;
  switch (step->action) {
  case MAKE:
    test_mkdir(step->from);
    break;
  case MOVE:
    ASSERT_EQ(0, rename(step->from, step->to));
    break;
  case EXCHANGE:
    tree_exchange(step->from, step->to);
    break;
  }
}

static int on_filter(uv_fs_event_t* handle, const char* path) {
  (void) handle;
  step_if(FILTER, path);
  return 1;
}

static void on_event(uv_fs_event_t* handle,
                     const char* path,
                     int events,
                     int status) {
  step_if(EVENT, path);
  tree_on_event(handle, path, events, status);
}

static void start(const struct step* first) {
  steps = first;
  tree_start(&tree, "root", on_filter);
  ASSERT_OK(uv_fs_event_stop(&tree.handle));
  ASSERT_OK(
      uv_fs_event_start(&tree.handle, on_event, "root", UV_FS_EVENT_RECURSIVE));
}

static void finish(const char* path) {
  char file[64];

  tree_settle(&tree);
  ASSERT_NULL(steps->path);
  tree_check(&tree);
  snprintf(file, sizeof(file), "root/%s/new", path);
  test_write_file(file, "");
  snprintf(file, sizeof(file), "%s/new", path);
  tree_wait(&tree, file);
  tree_end(&tree);
}

/* A directory moves into another one, which is exchanged with a third before it
 * was read, and leaves the tree. A node below one that has lost its name has
 * the same path as one that has a name, and must not be taken for it. */
TEST_IMPL(fs_event_tree_exchanged_while_it_is_read) {
  static const struct step story[] = {
    { EVENT, "b/c", MAKE, "root/a", NULL },
    { FILTER, "a", MOVE, "root/b", "root/a/a" },
    { EVENT, "a/a", EXCHANGE, "root/a", "root/c" },
    { FILTER, "c/a/c", MOVE, "root/c", "outside" },
    { EVENT, NULL, MAKE, NULL, NULL },
  };

  test_mkdir("root");
  test_mkdir("root/b");
  test_mkdir("root/c");
  test_mkdir("root/c/a");
  start(story);
  test_mkdir("root/b/c");
  finish("a/a");
  return 0;
}

static uv_sem_t go_on;

static void hold_worker(uv_work_t* req) {
  (void) req;
  uv_sem_wait(&go_on);
}

static void on_held(uv_work_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
}

/* A directory overwrites another one while that is to be read by the only
 * worker, which is busy. The listing of the root has the name already when the
 * watch of the other ends. */
TEST_IMPL(fs_event_tree_overwritten_while_it_is_read) {
  static const struct step story[] = {
    { FILTER, "b", MOVE, "root/b", "root/a" },
    { EVENT, NULL, MAKE, NULL, NULL },
  };

  uv_work_t work;

  ASSERT_OK(uv_os_setenv("UV_THREADPOOL_SIZE", "1"));
  ASSERT_OK(uv_sem_init(&go_on, 0));
  test_mkdir("root");
  test_mkdir("root/a");
  start(story);
  ASSERT_OK(uv_queue_work(&tree.loop, &work, hold_worker, on_held));
  test_mkdir("root/c");
  test_mkdir("root/c/b");
  tree_exchange("root/a", "root/c/b");
  ASSERT_NE(0, uv_run(&tree.loop, UV_RUN_NOWAIT));
  test_mkdir("root/b");
  for (int i = 0; i < 3; i++)
    ASSERT_NE(0, uv_run(&tree.loop, UV_RUN_NOWAIT));
  ASSERT_NULL(steps->path);
  uv_sem_post(&go_on);
  finish("a");
  uv_sem_destroy(&go_on);
  return 0;
}
