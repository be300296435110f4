/* SPDX-License-Identifier: MIT */
/* Watching a tree where the library does that by itself (Linux): which paths
 * are named when directories are made, moved, exchanged and removed. */
#include "fs-event-tree.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static struct tree tree;

/* A whole path made and filled before the loop looks at the first event. */
TEST_IMPL(fs_event_tree_names_what_a_burst_has_made) {
  tree_start(&tree, "root", NULL);
  test_mkdir("root/a");
  test_mkdir("root/a/b");
  test_mkdir("root/a/b/c");
  test_write_file("root/a/b/c/d", "");
  tree_wait(&tree, "a");
  tree_wait(&tree, "a/b");
  tree_wait(&tree, "a/b/c");
  tree_wait(&tree, "a/b/c/d");
  tree_end(&tree);
  return 0;
}

/* What exists at the start is watched and not reported. */
TEST_IMPL(fs_event_tree_watches_what_exists) {
  test_mkdir("root");
  test_mkdir("root/a");
  test_mkdir("root/a/b");
  test_write_file("root/a/b/old", "");
  tree_start(&tree, "root", NULL);
  ASSERT_EQ(0, uvx_fs_event_unscanned(&tree.handle));
  test_write_file("root/a/b/new", "");
  tree_wait(&tree, "a/b/new");
  ASSERT_EQ(UV_RENAME, tree_events(&tree, "a/b/new") & UV_RENAME);
  ASSERT_EQ(0, tree_events(&tree, "a/b/old"));
  test_write_file("root/a/b/old", "x");
  tree_wait(&tree, "a/b/old");
  ASSERT_EQ(UV_CHANGE, tree_events(&tree, "a/b/old"));
  ASSERT_EQ(0, unlink("root/a/b/old"));
  while (!(tree_events(&tree, "a/b/old") & UV_RENAME))
    ASSERT_NE(0, uv_run(&tree.loop, UV_RUN_ONCE));
  tree_end(&tree);
  return 0;
}

/* The parent's events only, and no error. */
TEST_IMPL(fs_event_tree_directory_gone_before_it_is_watched) {
  tree_start(&tree, "root", NULL);
  test_mkdir("root/a");
  ASSERT_EQ(0, rmdir("root/a"));
  test_mkdir("root/b");
  tree_wait(&tree, "a");
  tree_wait(&tree, "b");
  tree_settle(&tree);
  tree_check(&tree);
  tree_end(&tree);
  return 0;
}

/* A moved directory keeps its watches: both paths are named, and what happens
 * deep inside has the new one. */
TEST_IMPL(fs_event_tree_move_inside) {
  test_mkdir("root");
  test_mkdir("root/a");
  test_mkdir("root/a/b");
  test_mkdir("root/x");
  tree_start(&tree, "root", NULL);
  ASSERT_EQ(0, rename("root/a", "root/x/y"));
  tree_wait(&tree, "a");
  tree_wait(&tree, "x/y");
  test_write_file("root/x/y/b/new", "");
  tree_wait(&tree, "x/y/b/new");
  tree_check(&tree);
  tree_end(&tree);
  return 0;
}

/* The loop sees a move and a write below it in one batch. */
TEST_IMPL(fs_event_tree_move_and_write_in_one_batch) {
  test_mkdir("root");
  test_mkdir("root/a");
  test_mkdir("root/a/b");
  tree_start(&tree, "root", NULL);
  test_write_file("root/a/b/before", "");
  ASSERT_EQ(0, rename("root/a", "root/c"));
  test_write_file("root/c/b/after", "");
  tree_wait(&tree, "a/b/before");
  tree_wait(&tree, "c/b/after");
  ASSERT_EQ(0, tree_events(&tree, "a/b/after"));
  tree_check(&tree);
  tree_end(&tree);
  return 0;
}

/* A directory that comes from elsewhere is new, with all that is in it. */
TEST_IMPL(fs_event_tree_move_in) {
  test_mkdir("outside");
  test_mkdir("outside/b");
  test_write_file("outside/b/file", "");
  tree_start(&tree, "root", NULL);
  ASSERT_EQ(0, rename("outside", "root/a"));
  tree_wait(&tree, "a");
  tree_wait(&tree, "a/b");
  tree_wait(&tree, "a/b/file");
  tree_settle(&tree);
  tree_check(&tree);
  tree_end(&tree);
  return 0;
}

/* A directory that leaves is not watched any more. */
TEST_IMPL(fs_event_tree_move_out) {
  test_mkdir("root");
  test_mkdir("root/a");
  test_mkdir("root/a/b");
  tree_start(&tree, "root", NULL);
  ASSERT_EQ(0, rename("root/a", "outside"));
  tree_wait(&tree, "a");
  tree_settle(&tree);
  tree_check(&tree);
  test_write_file("outside/b/new", "");
  test_write_file("root/last", "");
  tree_wait(&tree, "last");
  ASSERT_EQ(0, tree_events(&tree, "a/b/new"));
  tree_end(&tree);
  return 0;
}

/* Moved out and in again before the loop looks: one of it, under its name. */
TEST_IMPL(fs_event_tree_move_out_and_in) {
  test_mkdir("root");
  test_mkdir("root/a");
  test_mkdir("root/a/b");
  tree_start(&tree, "root", NULL);
  ASSERT_EQ(0, rename("root/a", "outside"));
  ASSERT_EQ(0, rename("outside", "root/a"));
  tree_wait(&tree, "a");
  tree_settle(&tree);
  tree_check(&tree);
  test_write_file("root/a/b/new", "");
  tree_wait(&tree, "a/b/new");
  tree_end(&tree);
  return 0;
}

/* The directory that was there is overwritten. */
TEST_IMPL(fs_event_tree_move_onto_an_empty_directory) {
  test_mkdir("root");
  test_mkdir("root/a");
  test_mkdir("root/a/b");
  test_mkdir("root/c");
  tree_start(&tree, "root", NULL);
  ASSERT_EQ(0, rename("root/a", "root/c"));
  tree_wait(&tree, "a");
  tree_wait(&tree, "c");
  tree_settle(&tree);
  tree_check(&tree);
  test_write_file("root/c/b/new", "");
  tree_wait(&tree, "c/b/new");
  ASSERT_EQ(0, tree_events(&tree, "a/b/new"));
  tree_end(&tree);
  return 0;
}

/* Two trees change places: later events carry the right paths. */
TEST_IMPL(fs_event_tree_exchange) {
  test_mkdir("root");
  test_mkdir("root/a");
  test_mkdir("root/a/in-a");
  test_mkdir("root/d");
  test_mkdir("root/d/b");
  test_mkdir("root/d/b/in-b");
  tree_start(&tree, "root", NULL);
  tree_exchange("root/a", "root/d/b");
  tree_wait(&tree, "a");
  tree_wait(&tree, "d/b");
  tree_settle(&tree);
  tree_check(&tree);
  test_write_file("root/a/in-b/new", "");
  test_write_file("root/d/b/in-a/new", "");
  tree_wait(&tree, "a/in-b/new");
  tree_wait(&tree, "d/b/in-a/new");
  tree_end(&tree);
  return 0;
}

/* The name of a directory that moved away is used again at once. */
TEST_IMPL(fs_event_tree_name_used_again) {
  test_mkdir("root");
  test_mkdir("root/a");
  test_write_file("root/a/one", "");
  tree_start(&tree, "root", NULL);
  ASSERT_EQ(0, rename("root/a", "root/b"));
  test_mkdir("root/a");
  ASSERT_EQ(0, rename("root/a", "root/c"));
  test_mkdir("root/a");
  test_write_file("root/a/a", "");
  test_write_file("root/b/b", "");
  test_write_file("root/c/c", "");
  tree_wait(&tree, "a/a");
  tree_wait(&tree, "b/b");
  tree_wait(&tree, "c/c");
  tree_settle(&tree);
  tree_check(&tree);
  tree_end(&tree);
  return 0;
}

/* Links are named like files, and not followed: neither one to a directory
 * elsewhere, nor one to the root. */
TEST_IMPL(fs_event_tree_links_are_not_followed) {
  test_mkdir("outside");
  test_mkdir("root");
  ASSERT_EQ(0, symlink("../outside", "root/link"));
  ASSERT_EQ(0, symlink(".", "root/loop"));
  tree_start(&tree, "root", NULL);
  ASSERT_EQ(0, symlink("../outside", "root/second"));
  tree_wait(&tree, "second");
  test_write_file("outside/new", "");
  test_write_file("root/last", "");
  tree_wait(&tree, "last");
  ASSERT_EQ(0, tree_events(&tree, "link/new"));
  ASSERT_EQ(0, tree_events(&tree, "second/new"));
  ASSERT_EQ(0, tree_events(&tree, "loop/last"));
  tree_check(&tree);
  tree_end(&tree);
  return 0;
}

/* The root may be one, and the program may change its directory. */
TEST_IMPL(fs_event_tree_root_is_a_relative_link) {
  test_mkdir("real");
  test_mkdir("elsewhere");
  ASSERT_EQ(0, symlink("real", "root"));
  tree_start(&tree, "root", NULL);
  ASSERT_EQ(0, chdir("elsewhere"));
  test_mkdir("../real/a");
  tree_wait(&tree, "a");
  tree_settle(&tree);
  test_write_file("../real/a/new", "");
  tree_wait(&tree, "a/new");
  ASSERT_EQ(0, chdir(".."));
  tree_end(&tree);
  return 0;
}

/* A file as the root: a plain watch. */
TEST_IMPL(fs_event_tree_root_is_a_file) {
  test_write_file("root", "");
  tree_start(&tree, "root", NULL);
  ASSERT_EQ(0, uvx_fs_event_unscanned(&tree.handle));
  test_write_file("root", "x");
  tree_wait(&tree, "root");
  tree_end(&tree);
  return 0;
}

/* UV_RENAME with its own name; then it is silent and active. */
TEST_IMPL(fs_event_tree_root_removed) {
  test_mkdir("root");
  test_mkdir("root/a");
  tree_start(&tree, "root", NULL);
  ASSERT_EQ(0, rmdir("root/a"));
  ASSERT_EQ(0, rmdir("root"));
  tree_wait(&tree, "root");
  tree_settle(&tree);
  ASSERT_EQ(1, uv_is_active((uv_handle_t*) &tree.handle));
  ASSERT_EQ(0, uvx_fs_event_unscanned(&tree.handle));
  test_mkdir("root");
  test_mkdir("root/b");
  tree_settle(&tree);
  ASSERT_EQ(0, tree_events(&tree, "b"));
  tree_end(&tree);
  return 0;
}

/* It goes on with what it watches; a directory that takes its place is none of
 * its business. */
TEST_IMPL(fs_event_tree_root_moved) {
  test_mkdir("root");
  test_mkdir("root/a");
  tree_start(&tree, "root", NULL);
  ASSERT_EQ(0, rename("root", "elsewhere"));
  tree_wait(&tree, "root");
  test_mkdir("root");
  test_mkdir("root/made-later");
  test_mkdir("elsewhere/made-later");
  tree_wait(&tree, "made-later");
  test_write_file("elsewhere/a/new", "");
  tree_wait(&tree, "a/new");
  test_write_file("root/made-later/new", "");
  tree_settle(&tree);
  ASSERT_EQ(0, tree_events(&tree, "made-later/new"));
  tree_end(&tree);
  return 0;
}

/* Bytes as they are. */
TEST_IMPL(fs_event_tree_name_that_is_not_utf8) {
  tree_start(&tree, "root", NULL);
  test_mkdir("root/\xff\xfe");
  test_write_file("root/\xff\xfe/\x80", "");
  tree_wait(&tree, "\xff\xfe/\x80");
  tree_end(&tree);
  return 0;
}

/* Left out, and told once. */
TEST_IMPL(fs_event_tree_path_too_long) {
  char name[201];

  memset(name, 'n', sizeof(name) - 1);
  name[sizeof(name) - 1] = '\0';
  test_mkdir("root");
  ASSERT_EQ(0, chdir("root"));
  for (int i = 0; i < 25; i++) {
    test_mkdir(name);
    ASSERT_EQ(0, chdir(name));
  }
  for (int i = 0; i < 26; i++)
    ASSERT_EQ(0, chdir(".."));
  tree.is_error_expected = 1;
  tree_start(&tree, "root", NULL);
  while (tree.nerrors == 0)
    ASSERT_NE(0, uv_run(&tree.loop, UV_RUN_ONCE));
  tree_settle(&tree);
  ASSERT_EQ(1, tree.nerrors);
  ASSERT_ERR(UV_ENAMETOOLONG, tree.error);
  ASSERT_EQ(0, uvx_fs_event_unscanned(&tree.handle));
  tree_end(&tree);

  ASSERT_EQ(0, chdir("root")); /* too deep for the runner to remove */
  for (int i = 0; i < 25; i++)
    ASSERT_EQ(0, chdir(name));
  for (int i = 0; i < 25; i++) {
    ASSERT_EQ(0, chdir(".."));
    ASSERT_EQ(0, rmdir(name));
  }
  return 0;
}

/* A directory without rights is left out; when it gets them, it is watched. */
TEST_IMPL(fs_event_tree_directory_that_cannot_be_read) {
  if (geteuid() == 0 &&
      (setegid(65534) != 0 || chmod(".", 0777) != 0 || seteuid(65534) != 0))
    SKIP("root reads every directory, and this one may not become another");
  test_mkdir("root");
  test_mkdir("root/a");
  ASSERT_EQ(0, chmod("root/a", 0300));
  tree_start(&tree, "root", NULL);
  tree_settle(&tree);
  test_write_file("root/a/unseen", "");
  ASSERT_EQ(0, chmod("root/a", 0700));
  tree_wait(&tree, "a");
  tree_settle(&tree);
  test_write_file("root/a/new", "");
  tree_wait(&tree, "a/new");
  tree_check(&tree);
  tree_end(&tree);
  (void) seteuid(getuid()); /* LeakSanitizer reads /proc */
  return 0;
}
