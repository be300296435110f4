/* SPDX-License-Identifier: MIT */
/* What a scan found, into the tree.
 *
 * A scan says: at this path there is this inode (by its watch), with these
 * entries. Usually the inode is new to the tree. If another node of the tree
 * has it, that node's own path is tried: if it leads to the same inode, the
 * directory is mounted twice, and the second path is left out; otherwise the
 * other node has moved here, and its move is still in the queue or was mistaken
 * for another. If the scanned node has another inode, that one is no longer
 * here: it loses its name, and goes unless another scan finds it.
 */
#include "unix/fs-event/inotify-tree.h"
#include "unix/fd.h"
#include "util/alloc.h"

#include <string.h>

static void dir_missing(struct uv__tree_dir* dir, unsigned how) {
  /* In use: an event says where it went, or another scan. */
  if (dir->watch != NULL) {
    dir->how |= (unsigned char) how;
    uv__tree_unname(dir, 0);
    return;
  }
  uv__scan_later(dir, how);
  dir->wait = uv__inotify_position(dir->tree->loop);
  dir->is_missing = 1;
}

/* The directory could not be watched or listed. */
static void dir_failed(struct uv__scan* scan, int err) {
  struct uv__tree_dir* dir = scan->dir;
  struct uv__tree* tree = dir->tree;

  switch (err) {
  case UV_ENOENT:
  case UV_ENOTDIR:
    if (dir->parent != NULL)
      dir_missing(dir, scan->how);
    return;
  case UV_EMFILE:
  case UV_ENFILE:
  case UV_ENOMEM:
    uv__scan_later(dir, scan->how);
    return;
  default: /* it is left out */
    if (err == UV_ENOSPC || err == UV_ENAMETOOLONG)
      uv__tree_tell(tree, scan->path + scan->path_at, err);
  }
}

/* The node of this tree that has the watch, or NULL. */
static struct uv__tree_dir* user_of(const struct uv__watch* watch,
                                    const struct uv__tree* tree) {
  const struct uv__queue* dirs = &watch->dirs;

  for (struct uv__queue* q = dirs->next; q != dirs; q = q->next) {
    if (uv__tree_user(q)->tree == tree)
      return uv__tree_user(q);
  }
  return NULL;
}

int uv__tree_look(const struct uv__tree_dir* parent, const char* name) {
  uv_loop_t* loop = parent->tree->loop;
  struct uv__watches* table = uv__watches_of(loop);
  char buf[UV__SCAN_PATH_MAX];
  const char* path = uv__scan_path(parent, name, buf);

  if (path == NULL)
    return UV_ENAMETOOLONG;
  int wd = inotify_add_watch(loop->inotify_fd, path,
                             UV__INOTIFY_MASK | IN_ONLYDIR | IN_DONT_FOLLOW);
  if (wd < 0)
    return uv__errno();
  if (uv__watch_get(table, wd) != NULL)
    table->has_unused = 1;
  return wd;
}

/* Is there a directory without a name on the way to it? Then its path belongs
 * to another node. */
static int is_nameless(const struct uv__tree_dir* dir) {
  while (dir != NULL && dir->place != UV__TREE_MOVED)
    dir = dir->parent;
  return dir != NULL;
}

/* Does the path of a watched directory lead to it? If not, and to another
 * directory, stores 1. */
static int is_in_place(struct uv__tree_dir* dir, int* is_taken) {
  *is_taken = 0;
  if (dir->parent == NULL)
    return 1;
  if (is_nameless(dir))
    return 0;
  int wd = uv__tree_look(dir->parent, dir->name);
  *is_taken = wd >= 0 && wd != dir->watch->wd;
  return wd == dir->watch->wd;
}

static void dir_add(struct uv__tree_dir* parent,
                    const char* name,
                    uint64_t mark,
                    unsigned how) {
  struct uv__tree_dir* dir = uv__tree_dir_new(parent->tree, parent, name, mark);

  if (dir != NULL)
    uv__tree_queue(dir, how | UV__SCAN_ASK);
  else
    uv__scan_later(parent, UV__SCAN_LIST | UV__SCAN_CHECK);
}

/* Watched before, and found in the place of `dir`. */
static void dir_takes_place(struct uv__tree_dir* other,
                            struct uv__tree_dir* dir,
                            uint64_t mark,
                            int is_old_place_taken) {
  struct uv__tree_dir* parent = dir->parent;
  struct uv__tree_dir* old_parent = other->parent;
  char name[NAME_MAX + 1];
  char old_name[NAME_MAX + 1];

  memcpy(name, dir->name, strlen(dir->name) + 1);
  memcpy(old_name, other->name, strlen(other->name) + 1);
  if (dir->watch != NULL)
    uv__tree_unname(dir, 0);
  else
    uv__tree_dir_free(dir);
  uv__tree_report_again(other);
  if (uv__tree_rename(other, parent, name) != 0) {
    uv__scan_later(parent, UV__SCAN_LIST | UV__SCAN_CHECK);
    return;
  }
  other->mark = mark;
  uv__tree_doubt(other, 1); /* what is below it was looked for elsewhere */
  uv__tree_doubt(other, 0);
  uv__tree_queue(other, UV__SCAN_LIST | UV__SCAN_ALL);
  if (is_old_place_taken)
    dir_add(old_parent, old_name, mark, UV__SCAN_LIST | UV__SCAN_ALL);
}

/* Another node of the tree has the inode that was found at the path of `dir`.
 */
static void dir_is_other(struct uv__tree_dir* dir,
                         struct uv__tree_dir* other,
                         uint64_t mark) {
  int is_taken;

  if (is_in_place(other, &is_taken)) {
    /* Mounted twice: this path is left out. Unless the directory has moved from
     * here to there since the scan looked. */
    if (dir->watch != NULL)
      uv__tree_unname(dir, 0);
    else if (uv__tree_look(dir->parent, dir->name) != other->watch->wd)
      uv__tree_queue(dir, UV__SCAN_LIST | UV__SCAN_ALL);
  } else if (uv__tree_is_within(dir, other)) {
    /* Both are wrong: look at everything again. */
    uv__tree_queue(dir->tree->root, UV__SCAN_LIST | UV__SCAN_DEEP);
  } else {
    dir_takes_place(other, dir, mark, is_taken);
  }
}

/* Gives the watch that was found to the node. Returns 1 if the listing is that
 * of this node. */
static int dir_identify(struct uv__scan* scan, uint64_t mark) {
  struct uv__tree_dir* dir = scan->dir;
  struct uv__tree* tree = dir->tree;
  struct uv__watch* watch = uv__watch_get(uv__watches_of(tree->loop), scan->wd);

  if (watch == NULL) {
    uv__scan_later(dir, scan->how);
    return 0;
  }
  struct uv__tree_dir* other = user_of(watch, tree);
  if (other == dir)
    return 1;
  if (other != NULL) {
    dir_is_other(dir, other, mark);
    return 0;
  }
  if (dir->watch == NULL) {
    uv__tree_watch(dir, watch);
    return 1;
  }
  /* Another directory has its place. */
  struct uv__tree_dir* parent = dir->parent;
  char name[NAME_MAX + 1];
  memcpy(name, dir->name, strlen(dir->name) + 1);
  uv__tree_unname(dir, 0);
  dir_add(parent, name, mark, UV__SCAN_LIST | UV__SCAN_ALL);
  uv__watches_of(tree->loop)->has_unused = 1;
  return 0;
}

/* What a subdirectory is scanned for that the tree did not know. */
static unsigned how_of_new(unsigned how, unsigned flags) {
  if (how & (UV__SCAN_ALL | UV__SCAN_CHECK | UV__SCAN_DEEP))
    return UV__SCAN_LIST | UV__SCAN_ALL;
  if (flags & UV__ENTRY_MOVED)
    return UV__SCAN_LIST | UV__SCAN_ALL;
  return UV__SCAN_LIST | (how & UV__SCAN_RECENT);
}

/* Calls each() for the entries of the scan, as long as it returns 1. */
static void each_entry(struct uv__scan* scan,
                       int (*each)(struct uv__scan* scan,
                                   unsigned flags,
                                   const char* name,
                                   uint64_t mark),
                       uint64_t mark) {
  for (size_t at = 0; at < scan->used;) {
    unsigned flags = (unsigned char) scan->names[at];
    const char* name = scan->names + at + 1;
    at += strlen(name) + 2;
    if (!each(scan, flags, name, mark))
      return;
  }
}

static int add_subdirectory(struct uv__scan* scan,
                            unsigned flags,
                            const char* name,
                            uint64_t mark) {
  struct uv__tree_dir* dir = scan->dir;

  if (!(flags & UV__ENTRY_DIR))
    return 1;
  struct uv__tree_dir* child = uv__tree_find(dir, name);
  if (child == NULL) {
    dir_add(dir, name, mark, how_of_new(scan->how, flags));
    child = uv__tree_find(dir, name);
  } else if (scan->how & UV__SCAN_DEEP) {
    uv__tree_queue(child, UV__SCAN_LIST | UV__SCAN_DEEP);
  } else if (scan->how & UV__SCAN_CHECK) {
    uv__tree_queue(child, UV__SCAN_LIST);
  }
  if (child != NULL)
    child->listing = dir->tree->listings;
  return 1;
}

/* Removes subdirectories that the listing did not have and no newer event has
 * named. */
static void remove_others(struct uv__tree_dir* dir, uint64_t mark) {
  struct uv__queue* next;

  for (struct uv__queue* q = dir->children.next; q != &dir->children;
       q = next) {
    struct uv__tree_dir* child = container_of(q, struct uv__tree_dir, siblings);
    next = q->next;
    if (child->listing == dir->tree->listings || child->mark >= mark ||
        child->place == UV__TREE_MOVED)
      continue;
    if (child->watch != NULL)
      uv__tree_unname(child, 0);
    else
      uv__tree_dir_free(child);
  }
}

/* T4: after a callback only `scan` is looked at, which learns when its
 * directory goes. */
static int report_entry(struct uv__scan* scan,
                        unsigned flags,
                        const char* name,
                        uint64_t mark) {
  char buf[UV__SCAN_PATH_MAX];
  const char* path = scan->path + scan->path_at;
  size_t len = strlen(path);

  (void) mark;
  if (!(flags & UV__ENTRY_REPORT))
    return 1;
  memcpy(buf, path, len);
  if (len != 0)
    buf[len++] = '/';
  memcpy(buf + len, name, strlen(name) + 1);
  uv__tree_report(scan->tree, buf, UV_RENAME, 0);
  return scan->tree != NULL && scan->tree->handle != NULL && scan->dir != NULL;
}

/* Is the directory still where it was when the scan began? */
static int is_same_path(const struct uv__scan* scan) {
  char buf[UV__SCAN_PATH_MAX];
  const char* path = uv__scan_path(scan->dir, NULL, buf);

  return path != NULL && strcmp(path, scan->path) == 0;
}

static void apply_listing(struct uv__scan* scan, uint64_t mark) {
  struct uv__tree_dir* dir = scan->dir;
  uv_loop_t* loop = scan->loop;
  unsigned generation = uv__watches_of(loop)->generation;
  int wd = dir->watch == NULL ? -1 : dir->watch->wd;

  dir->mark = mark;
  dir->listed = mark;
  uv__tree_doubt(dir, 0);
  dir->tree->listings++;
  if (dir->how != 0)
    uv__tree_queue(dir, UV__SCAN_LIST); /* for what it was asked meanwhile */
  each_entry(scan, add_subdirectory, mark);
  if (scan->err == 0 && !scan->is_partial)
    remove_others(dir, mark);
  if (scan->err != 0)
    dir_failed(scan, scan->err);
  else if (scan->is_partial)
    uv__tree_queue(dir, scan->how);
  each_entry(scan, report_entry, mark);
  if (wd >= 0 && uv__watches_of(loop)->generation == generation)
    uv__orphans_replay(loop, wd);
}

void uv__scan_apply(struct uv__scan* scan) {
  struct uv__tree_dir* dir = scan->dir;
  struct uv__watches* table = uv__watches_of(scan->loop);

  if (dir->tree->moves != dir->moves && !is_same_path(scan)) {
    if (scan->wd >= 0 && uv__watch_get(table, scan->wd) != NULL)
      table->has_unused = 1;
    dir->how |= (unsigned char) scan->how;
    uv__tree_put(dir, UV__TREE_UNSCANNED);
    return;
  }
  uint64_t mark =
      table->position -
      (uint64_t) (int64_t) (int) ((unsigned) table->position - scan->mark_low);
  uv__tree_put(dir, UV__TREE_NOWHERE);
  if (scan->wd < 0 && !scan->is_root)
    dir_failed(scan, scan->err);
  else if (scan->is_root || dir_identify(scan, mark))
    apply_listing(scan, mark);
}
