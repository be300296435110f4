/* SPDX-License-Identifier: MIT */
/* Watching a tree where the library does that by itself (Linux): the filter,
 * scans that threads do, handles that share directories, overflow, stopping in
 * callbacks, and forks. */
#include "fs-event-tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct tree tree;
static struct tree other;
static struct tree plain;

static char asked[64][64];
static int nasked;

static int leave_out_modules(uv_fs_event_t* handle, const char* path) {
  const char* name = strrchr(path, '/');

  ASSERT_PTR_EQ(&tree.handle, handle);
  ASSERT_LT(nasked, 64);
  snprintf(asked[nasked++], sizeof(asked[0]), "%s", path);
  return strcmp(name == NULL ? path : name + 1, "modules") != 0;
}

static int was_asked(const char* path) {
  int count = 0;

  for (int i = 0; i < nasked; i++)
    count += strcmp(asked[i], path) == 0;
  return count;
}

/* Asked once for each directory but the root, with its path; what it leaves out
 * is named and not watched, and renamed it is asked again. */
TEST_IMPL(fs_event_tree_filter) {
  test_mkdir("root");
  test_mkdir("root/a");
  test_mkdir("root/a/modules");
  test_mkdir("root/a/modules/deep");
  tree_start(&tree, "root", leave_out_modules);
  ASSERT_EQ(2, nasked);
  ASSERT_EQ(1, was_asked("a"));
  ASSERT_EQ(1, was_asked("a/modules"));
  ASSERT_EQ(2, tree_count_watches());
  test_write_file("root/a/modules/unseen", "");
  test_mkdir("root/modules");
  test_mkdir("root/b");
  tree_wait(&tree, "modules");
  tree_wait(&tree, "b");
  tree_settle(&tree);
  ASSERT_EQ(0, tree_events(&tree, "a/modules/unseen"));
  ASSERT_EQ(1, was_asked("modules"));

  ASSERT_EQ(0, rename("root/a/modules", "root/a/c"));
  tree_wait(&tree, "a/c");
  tree_wait(&tree, "a/c/deep");
  tree_settle(&tree);
  ASSERT_EQ(1, was_asked("a/c"));
  ASSERT_EQ(1, was_asked("a/c/deep"));
  test_write_file("root/a/c/deep/new", "");
  tree_wait(&tree, "a/c/deep/new");

  ASSERT_EQ(0, rename("root/a/c", "root/a/modules"));
  tree_wait(&tree, "a/modules");
  tree_settle(&tree);
  ASSERT_EQ(2, was_asked("a/modules"));
  ASSERT_EQ(3, tree_count_watches());
  tree_end(&tree);
  return 0;
}

/* The start's time is over after the first directory, so that threads scan the
 * others. */
static int take_long(uv_fs_event_t* handle, const char* path) {
  (void) handle;
  (void) path;
  if (nasked++ == 0)
    uv_sleep(40);
  return 1;
}

#define WIDE 40

static void make_wide(const char* root) {
  char path[64];

  test_mkdir(root);
  for (int i = 0; i < WIDE; i++) {
    snprintf(path, sizeof(path), "%s/d%d", root, i);
    test_mkdir(path);
    snprintf(path, sizeof(path), "%s/d%d/e", root, i);
    test_mkdir(path);
  }
}

/* What happens between the start and the end of the scan is named. */
TEST_IMPL(fs_event_tree_scanned_by_threads) {
  char path[64];

  make_wide("root");
  tree_start(&tree, "root", take_long);
  ASSERT_LT(WIDE / 2, uvx_fs_event_unscanned(&tree.handle));
  for (int i = 0; i < WIDE; i++) {
    snprintf(path, sizeof(path), "root/d%d/e/new", i);
    test_write_file(path, "");
  }
  ASSERT_EQ(0, rename("root/d7", "root/moved"));
  ASSERT_EQ(0, rename("root/d8/e", "root/moved-too"));
  while (uvx_fs_event_unscanned(&tree.handle) != 0)
    ASSERT_NE(0, uv_run(&tree.loop, UV_RUN_ONCE));
  tree_settle(&tree);
  tree_check(&tree);
  for (int i = 0; i < WIDE; i++) {
    snprintf(path, sizeof(path), "d%d/e/new", i);
    if (tree_events(&tree, path) == 0)
      ASSERT(i == 7 || i == 8);
  }
  ASSERT_NE(0, tree_events(&tree, "moved"));
  ASSERT(tree_events(&tree, "moved/e/new") != 0 ||
         tree_events(&tree, "d7/e/new") != 0);
  ASSERT(tree_events(&tree, "moved-too/new") != 0 ||
         tree_events(&tree, "d8/e/new") != 0);
  tree_end(&tree);
  return 0;
}

/* Closing a handle while threads scan for it; another tree goes on. */
TEST_IMPL(fs_event_tree_closed_during_a_scan) {
  make_wide("root");
  tree_start(&tree, "root", take_long);
  nasked = 0;
  ASSERT_OK(uv_fs_event_init(&tree.loop, &other.handle));
  ASSERT_OK(uvx_fs_event_filter(&other.handle, take_long));
  other.handle.data = &other;
  other.root = "root";
  ASSERT_OK(uv_fs_event_start(&other.handle, tree_on_event, "root",
                              UV_FS_EVENT_RECURSIVE));
  ASSERT_LT(WIDE / 2, uvx_fs_event_unscanned(&other.handle));
  uv_close((uv_handle_t*) &tree.handle, NULL);
  while (uvx_fs_event_unscanned(&other.handle) != 0)
    ASSERT_NE(0, uv_run(&tree.loop, UV_RUN_ONCE));
  tree_settle(&other);
  tree_check(&other);
  test_write_file("root/d3/e/new", "");
  tree_wait(&other, "d3/e/new");
  tree_end(&tree);
  return 0;
}

/* An unreferenced handle does not keep the loop alive, nor does its scan. */
TEST_IMPL(fs_event_tree_unreferenced) {
  make_wide("root");
  tree_start(&tree, "root", take_long);
  uv_unref((uv_handle_t*) &tree.handle);
  ASSERT_EQ(0, uv_run(&tree.loop, UV_RUN_DEFAULT));
  ASSERT_LT(0, uvx_fs_event_unscanned(&tree.handle));
  tree_end(&tree);
  return 0;
}

/* A tree inside a tree, and a plain handle on a directory of both: one watch of
 * the kernel, and each is told with its own path. Stopping one takes nothing
 * from the others. */
TEST_IMPL(fs_event_tree_handles_share_directories) {
  test_mkdir("root");
  test_mkdir("root/a");
  test_mkdir("root/a/b");
  tree_start(&tree, "root", NULL);
  tree_add(&other, &tree.loop, "root/a");
  ASSERT_OK(uv_fs_event_init(&tree.loop, &plain.handle));
  plain.handle.data = &plain;
  ASSERT_OK(uv_fs_event_start(&plain.handle, tree_on_event, "root/a/b", 0));
  ASSERT_EQ(3, tree_count_watches());
  test_write_file("root/a/b/new", "");
  tree_wait(&tree, "a/b/new");
  tree_wait(&other, "b/new");
  tree_wait(&plain, "new");

  ASSERT_OK(uv_fs_event_stop(&tree.handle));
  ASSERT_EQ(2, tree_count_watches());
  test_write_file("root/a/b/second", "");
  tree_wait(&other, "b/second");
  tree_wait(&plain, "second");
  ASSERT_EQ(0, tree_events(&tree, "a/b/second"));

  ASSERT_OK(uv_fs_event_stop(&other.handle));
  ASSERT_EQ(1, tree_count_watches());
  test_write_file("root/a/b/third", "");
  tree_wait(&plain, "third");
  ASSERT_OK(uv_fs_event_stop(&plain.handle));
  ASSERT_EQ(0, tree_count_watches());
  tree_end(&tree);
  return 0;
}

/* From one watched tree into another: it leaves one and is new in the other. */
TEST_IMPL(fs_event_tree_move_between_trees) {
  test_mkdir("root");
  test_mkdir("root/a");
  test_write_file("root/a/file", "");
  test_mkdir("second");
  tree_start(&tree, "root", NULL);
  tree_add(&other, &tree.loop, "second");
  ASSERT_EQ(0, rename("root/a", "second/b"));
  tree_wait(&tree, "a");
  tree_wait(&other, "b");
  tree_wait(&other, "b/file");
  tree_settle(&other);
  ASSERT_EQ(3, tree_count_watches());
  test_write_file("second/b/new", "");
  tree_wait(&other, "b/new");
  ASSERT_EQ(0, tree_events(&tree, "a/new"));
  tree_end(&tree);
  return 0;
}

/* The same directory at two places of the tree: events have the first path. */
TEST_IMPL(fs_event_tree_mounted_twice) {
#ifdef CLONE_NEWNS
  test_mkdir("root");
  test_mkdir("root/a");
  test_mkdir("root/a/in");
  test_mkdir("root/b");
  if (unshare(CLONE_NEWNS) != 0 ||
      mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("root/a", "root/b", NULL, MS_BIND, NULL) != 0)
    SKIP("this user may not mount");
  tree_start(&tree, "root", NULL);
  tree_settle(&tree);
  ASSERT_EQ(3, tree_count_watches());
  test_write_file("root/b/in/new", "");
  while (tree_events(&tree, "a/in/new") == 0 &&
         tree_events(&tree, "b/in/new") == 0)
    ASSERT_NE(0, uv_run(&tree.loop, UV_RUN_ONCE));
  ASSERT(tree_events(&tree, "a/in/new") == 0 ||
         tree_events(&tree, "b/in/new") == 0);
  tree_end(&tree);
  ASSERT_EQ(0, umount("root/b"));
  return 0;
#else
  SKIP("this system has no mount namespaces");
#endif
}

static int stop_calls;

static void on_event_stop(uv_fs_event_t* handle,
                          const char* name,
                          int events,
                          int status) {
  (void) name;
  (void) events;
  ASSERT_OK(status);
  stop_calls++;
  ASSERT_OK(uv_fs_event_stop(handle));
}

/* No callback after it, although the batch has more. */
TEST_IMPL(fs_event_tree_stopped_in_its_callback) {
  test_mkdir("root");
  test_mkdir("root/a");
  tree_start(&tree, "root", NULL);
  ASSERT_OK(uv_fs_event_stop(&tree.handle));
  for (int i = 0; i < 3; i++) {
    char path[64];
    ASSERT_OK(uv_fs_event_start(&tree.handle, on_event_stop, "root",
                                UV_FS_EVENT_RECURSIVE));
    snprintf(path, sizeof(path), "root/a/d%d", i);
    test_mkdir(path);
    snprintf(path, sizeof(path), "root/a/d%d/file", i);
    test_write_file(path, "");
    ASSERT_EQ(0, uv_run(&tree.loop, UV_RUN_DEFAULT));
    ASSERT_EQ(i + 1, stop_calls);
    ASSERT_EQ(0, tree_count_watches());
  }
  tree_end(&tree);
  return 0;
}

static void on_event_restart(uv_fs_event_t* handle,
                             const char* name,
                             int events,
                             int status) {
  (void) events;
  ASSERT_OK(status);
  if (stop_calls++ < 5) {
    ASSERT_OK(uv_fs_event_stop(handle));
    ASSERT_OK(uv_fs_event_start(handle, on_event_restart, "root",
                                UV_FS_EVENT_RECURSIVE));
  } else if (strcmp(name, "a/last") == 0) {
    uv_close((uv_handle_t*) handle, NULL);
  }
}

/* Each time it is another tree. */
TEST_IMPL(fs_event_tree_started_again_in_its_callback) {
  test_mkdir("root");
  test_mkdir("root/a");
  tree_start(&tree, "root", NULL);
  ASSERT_OK(uv_fs_event_stop(&tree.handle));
  ASSERT_OK(uv_fs_event_start(&tree.handle, on_event_restart, "root",
                              UV_FS_EVENT_RECURSIVE));
  for (int i = 0; stop_calls < 6; i++) {
    char path[64];
    snprintf(path, sizeof(path), "root/a/d%d", i);
    test_mkdir(path);
    ASSERT_NE(0, uv_run(&tree.loop, UV_RUN_ONCE));
  }
  test_write_file("root/a/last", "");
  ASSERT_EQ(0, uv_run(&tree.loop, UV_RUN_DEFAULT));
  tree_end(&tree);
  return 0;
}

static int stop_in_filter(uv_fs_event_t* handle, const char* path) {
  (void) path;
  ASSERT_OK(uv_fs_event_stop(handle));
  return 1;
}

static int close_in_filter(uv_fs_event_t* handle, const char* path) {
  (void) path;
  uv_close((uv_handle_t*) handle, NULL);
  return 0;
}

/* Inside of the start: that returns 0, and the handle is not active. */
TEST_IMPL(fs_event_tree_stopped_by_its_filter) {
  test_mkdir("root");
  test_mkdir("root/a");
  tree_start(&tree, "root", stop_in_filter);
  ASSERT_EQ(0, uv_is_active((uv_handle_t*) &tree.handle));
  ASSERT_EQ(0, tree_count_watches());
  ASSERT_OK(uvx_fs_event_filter(&tree.handle, close_in_filter));
  ASSERT_OK(uv_fs_event_start(&tree.handle, tree_on_event, "root",
                              UV_FS_EVENT_RECURSIVE));
  ASSERT_NE(0, uv_is_closing((uv_handle_t*) &tree.handle));
  tree_end(&tree);
  return 0;
}

static int max_queued_events(void) {
  FILE* file = fopen("/proc/sys/fs/inotify/max_queued_events", "r");
  int max;

  if (file == NULL)
    SKIP("there is no /proc");
  ASSERT_EQ(1, fscanf(file, "%d", &max));
  fclose(file);
  return max;
}

/* Two events that the kernel cannot merge, each time. */
static void flood(int times) {
  int first = open("root/first", O_CREAT | O_WRONLY, 0600);
  int second = open("root/second", O_CREAT | O_WRONLY, 0600);

  ASSERT_GE(first, 0);
  ASSERT_GE(second, 0);
  for (int i = 0; i < times; i++) {
    ASSERT_EQ(1, write(first, "x", 1));
    ASSERT_EQ(1, write(second, "x", 1));
  }
  close(first);
  close(second);
}

/* Told once, without a name; what the lost events were about is found again. */
TEST_IMPL(fs_event_tree_overflow) {
  int max = max_queued_events();

  if (max > 100000)
    SKIP("the limit of queued events is too high to be reached");
  test_mkdir("root");
  test_mkdir("root/a");
  test_mkdir("root/a/stays");
  test_mkdir("root/goes");
  tree_start(&tree, "root", NULL);
  tree_add(&other, &tree.loop, "root/a");
  flood(max / 2 + 10);
  test_mkdir("root/a/b");
  test_mkdir("root/a/b/c");
  test_write_file("root/a/b/c/file", "");
  ASSERT_EQ(0, rename("root/a/stays", "root/a/moved"));
  ASSERT_EQ(0, rmdir("root/goes"));
  while (tree.noverflows == 0 || other.noverflows == 0)
    ASSERT_NE(0, uv_run(&tree.loop, UV_RUN_ONCE));
  tree_wait(&tree, "a/b/c/file");
  tree_wait(&other, "b/c/file");
  tree_settle(&tree);
  tree_settle(&other);
  tree_check(&tree);
  ASSERT_EQ(1, tree.noverflows);
  test_write_file("root/a/moved/new", "");
  tree_wait(&tree, "a/moved/new");
  tree_wait(&other, "moved/new");
  tree_end(&tree);
  return 0;
}

static void join_child(pid_t pid) {
  int status;

  ASSERT_EQ(pid, waitpid(pid, &status, 0));
  ASSERT_EQ(0, status);
}

/* The child watches the tree again, with a descriptor of its own, and threads
 * of the parent bring it nothing. */
TEST_IMPL(fs_event_tree_fork_during_a_scan) {
  if (TEST_FORK_IS_UNSAFE)
    SKIP(FORK_IS_UNSAFE);
  make_wide("root");
  tree_start(&tree, "root", take_long);
  ASSERT_LT(WIDE / 2, uvx_fs_event_unscanned(&tree.handle));
  fflush(NULL);
  pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    ASSERT_OK(uv_loop_fork(&tree.loop));
    while (uvx_fs_event_unscanned(&tree.handle) != 0)
      ASSERT_NE(0, uv_run(&tree.loop, UV_RUN_ONCE));
    test_write_file("root/d1/e/of-the-child", "");
    tree_wait(&tree, "d1/e/of-the-child");
    tree_end(&tree);
    _exit(0);
  }
  join_child(pid);
  tree_wait(&tree, "d1/e/of-the-child");
  tree_settle(&tree);
  tree_check(&tree);
  tree_end(&tree);
  return 0;
}

static pid_t forked = -1;

static void fork_in_callback(uv_fs_event_t* handle,
                             const char* name,
                             int events,
                             int status) {
  tree_on_event(handle, name, events, status);
  if (forked != -1)
    return;
  fflush(NULL);
  forked = fork();
  ASSERT_GE(forked, 0);
  if (forked == 0)
    ASSERT_OK(uv_loop_fork(&tree.loop));
}

/* The rest of the batch is the parent's. */
TEST_IMPL(fs_event_tree_fork_in_a_callback) {
  if (TEST_FORK_IS_UNSAFE)
    SKIP(FORK_IS_UNSAFE);
  test_mkdir("root");
  test_mkdir("root/a");
  tree_start(&tree, "root", NULL);
  tree_add(&other, &tree.loop, "root");
  ASSERT_OK(uv_fs_event_stop(&tree.handle));
  ASSERT_OK(uv_fs_event_start(&tree.handle, fork_in_callback, "root",
                              UV_FS_EVENT_RECURSIVE));
  test_mkdir("root/a/b");
  test_mkdir("root/a/b/c");
  while (forked == -1)
    ASSERT_NE(0, uv_run(&tree.loop, UV_RUN_ONCE));
  const char* file = forked == 0 ? "root/a/b/c/child" : "root/a/b/c/parent";
  if (forked != 0)
    join_child(forked);
  test_write_file(file, "");
  tree_wait(&tree, file + sizeof("root/") - 1);
  tree_wait(&other, file + sizeof("root/") - 1);
  tree_end(&tree);
  if (forked == 0)
    _exit(0);
  return 0;
}
