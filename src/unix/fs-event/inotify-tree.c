/* SPDX-License-Identifier: MIT */
/* Watched trees and their nodes: names, places, paths.
 *
 * Start watches the root and then, breadth first, what is below it, for at most
 * 20 ms; workers do the rest (inotify-scan.c). What a scan found becomes nodes
 * in inotify-apply.c, and events change them in inotify-change.c.
 */
#include "unix/fs-event/inotify-tree.h"
#include "unix/fd.h"
#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NAMES_FIRST 16u
#define CLOSE_MIN 1000
#define START_NS ((uint64_t) 20 * 1000 * 1000)
/* The clock of time stamps in files stands still between ticks. */
#define STAMP_SLACK_NS (10 * 1000 * 1000)
#define NS_PER_S (1000 * 1000 * 1000)

/* FNV-1a. */
static unsigned hash_name(const struct uv__tree_dir* parent, const char* name) {
  uint64_t address = (uintptr_t) parent;
  unsigned hash = 2166136261u;

  for (unsigned i = 0; i < sizeof(address); i++)
    hash = (hash ^ (unsigned char) (address >> (8 * i))) * 16777619u;
  for (; *name != '\0'; name++)
    hash = (hash ^ (unsigned char) *name) * 16777619u;
  return hash ^ hash >> 15;
}

static struct uv__tree_dir** bucket_of(const struct uv__tree* tree,
                                       unsigned hash) {
  return &tree->names[hash & (tree->names_size - 1)];
}

static void add_name(struct uv__tree_dir* dir) {
  struct uv__tree_dir** bucket = bucket_of(dir->tree, dir->hash);

  dir->next = *bucket;
  *bucket = dir;
  dir->tree->names_count++;
}

static void remove_name(struct uv__tree_dir* dir) {
  struct uv__tree_dir** at = bucket_of(dir->tree, dir->hash);

  while (*at != dir)
    at = &(*at)->next;
  *at = dir->next;
  dir->tree->names_count--;
}

/* Doubles the number of buckets; without memory the chains grow instead. */
static void grow_names(struct uv__tree* tree) {
  struct uv__tree_dir** old = tree->names;
  unsigned old_size = tree->names_size;
  struct uv__tree_dir** names = uv__calloc(old_size * 2, sizeof(*names));

  if (names == NULL)
    return;
  tree->names = names;
  tree->names_size = old_size * 2;
  tree->names_count = 0;
  for (unsigned i = 0; i < old_size; i++) {
    struct uv__tree_dir* next;
    for (struct uv__tree_dir* dir = old[i]; dir != NULL; dir = next) {
      next = dir->next;
      add_name(dir);
    }
  }
  uv__free(old);
}

struct uv__tree_dir* uv__tree_find(const struct uv__tree_dir* parent,
                                   const char* name) {
  unsigned hash = hash_name(parent, name);
  struct uv__tree_dir* dir = *bucket_of(parent->tree, hash);

  while (dir != NULL && (dir->hash != hash || dir->parent != parent ||
                         strcmp(dir->name, name) != 0))
    dir = dir->next;
  return dir;
}

static int is_counted(const struct uv__tree_dir* dir) {
  return dir->place == UV__TREE_UNSCANNED || dir->place == UV__TREE_SCANNING ||
         dir->place == UV__TREE_LATE;
}

void uv__tree_put(struct uv__tree_dir* dir, enum uv__tree_place place) {
  struct uv__tree* tree = dir->tree;

  tree->unscanned_count -= (size_t) is_counted(dir);
  uv__queue_remove(&dir->queue);
  dir->place = (unsigned char) place;
  tree->unscanned_count += (size_t) is_counted(dir);
  switch (place) {
  case UV__TREE_UNSCANNED:
    /* What is new comes before what has been there all the time. */
    if (dir->how & (UV__SCAN_ALL | UV__SCAN_CHECK))
      uv__queue_push_front(&tree->unscanned, &dir->queue);
    else
      uv__queue_push_back(&tree->unscanned, &dir->queue);
    break;
  case UV__TREE_LATE:
    uv__queue_push_back(&tree->late, &dir->queue);
    break;
  case UV__TREE_MOVED:
    uv__queue_push_back(&tree->moved, &dir->queue);
    break;
  case UV__TREE_NOWHERE:
  case UV__TREE_SCANNING:
    break;
  }
}

void uv__tree_queue(struct uv__tree_dir* dir, unsigned how) {
  dir->how |= (unsigned char) how;
  if (dir->tree->is_displaced)
    dir->how = 0;
  else if (dir->place == UV__TREE_NOWHERE || dir->place == UV__TREE_LATE)
    uv__tree_put(dir, UV__TREE_UNSCANNED);
}

static struct uv__tree_dir* dir_alloc(struct uv__tree* tree, const char* name) {
  size_t size = strlen(name) + 1;
  struct uv__tree_dir* dir = uv__calloc(1, sizeof(*dir) + size);

  if (dir == NULL)
    return NULL;
  dir->tree = tree;
  dir->name = dir->first_name;
  memcpy(dir->name, name, size);
  uv__queue_init(&dir->user);
  uv__queue_init(&dir->children);
  uv__queue_init(&dir->siblings);
  uv__queue_init(&dir->queue);
  return dir;
}

static void set_parent(struct uv__tree_dir* dir, struct uv__tree_dir* parent) {
  dir->parent = parent;
  dir->hash = hash_name(parent, dir->name);
  uv__queue_push_back(&parent->children, &dir->siblings);
  dir->named_at = uv__watches_of(dir->tree->loop)->delivery;
  add_name(dir);
}

struct uv__tree_dir* uv__tree_dir_new(struct uv__tree* tree,
                                      struct uv__tree_dir* parent,
                                      const char* name,
                                      uint64_t mark) {
  struct uv__tree_dir* dir = dir_alloc(tree, name);

  if (dir == NULL)
    return NULL;
  if (tree->names_count >= tree->names_size)
    grow_names(tree);
  dir->mark = mark;
  set_parent(dir, parent);
  return dir;
}

void uv__tree_watch(struct uv__tree_dir* dir, struct uv__watch* watch) {
  struct uv__watches* table = uv__watches_of(dir->tree->loop);

  dir->watch = watch;
  dir->delivery = table->delivery; /* the event under way is not for it */
  dir->drains = table->drains;
  dir->tree->last_drains = table->drains;
  uv__queue_push_back(&watch->dirs, &dir->user);
}

void uv__tree_unwatch(struct uv__tree_dir* dir) {
  struct uv__watch* watch = dir->watch;

  if (watch == NULL)
    return;
  dir->watch = NULL;
  uv__queue_remove(&dir->user);
  uv__watch_release(dir->tree->loop, watch);
}

void uv__tree_doubt(struct uv__tree_dir* dir, int is_doubtful) {
  dir->tree->doubts -= dir->is_doubtful;
  dir->is_doubtful = (unsigned char) is_doubtful;
  dir->tree->doubts += dir->is_doubtful;
  if (is_doubtful && !dir->tree->is_confused) {
    dir->tree->is_confused = 1;
    dir->tree->confused_at = uv__watches_of(dir->tree->loop)->delivery;
  }
}

void uv__tree_displace(struct uv__tree* tree) {
  struct uv__tree_dir* dir = tree->root;
  struct uv__tree_dir* next;

  tree->is_displaced = 1;
  for (; dir != NULL; dir = next) {
    next = uv__tree_next(dir, tree->root);
    if (dir->place == UV__TREE_SCANNING)
      uv__scan_forget(dir);
    dir->how = 0;
    if (dir->place != UV__TREE_MOVED)
      uv__tree_put(dir, UV__TREE_NOWHERE);
  }
}

static int is_root_in_place(struct uv__tree* tree) {
  char buf[UV__SCAN_PATH_MAX];
  const char* path = uv__scan_path(tree->root, NULL, buf);
  int wd = inotify_add_watch(tree->loop->inotify_fd, path,
                             UV__INOTIFY_MASK | IN_ONLYDIR);

  if (wd == tree->root->watch->wd)
    return 1;
  if (wd < 0) {
    int err = uv__errno();
    return err != UV_ENOENT && err != UV_ENOTDIR; /* refused, perhaps */
  }
  if (uv__watch_get(uv__watches_of(tree->loop), wd) != NULL)
    uv__watches_of(tree->loop)->has_unused = 1;
  return 0;
}

void uv__tree_scan_again(struct uv__tree* tree) {
  if (is_root_in_place(tree))
    uv__tree_queue(tree->root, UV__SCAN_LIST | UV__SCAN_DEEP);
  else
    uv__tree_displace(tree);
}

void uv__tree_check(struct uv__tree* tree) {
  if (!tree->is_confused || tree->unscanned_count != 0 ||
      tree->root->watch == NULL)
    return;
  tree->is_confused = 0;
  uv__tree_scan_again(tree);
  for (struct uv__tree_dir* dir = tree->root; dir != NULL;
       dir = uv__tree_next(dir, tree->root)) {
    if ((int) (dir->delivery - tree->confused_at) >= 0)
      uv__tree_queue(dir, UV__SCAN_LIST | UV__SCAN_ALL);
  }
}

/* Without children. */
static void dir_free(struct uv__tree_dir* dir) {
  struct uv__tree* tree = dir->tree;

  uv__scan_forget(dir);
  if (tree->asking == dir)
    tree->asking = NULL;
  if (dir->parent != NULL && dir->place != UV__TREE_MOVED)
    remove_name(dir);
  uv__tree_put(dir, UV__TREE_NOWHERE);
  uv__tree_doubt(dir, 0);
  uv__tree_unwatch(dir);
  uv__queue_remove(&dir->siblings);
  if (dir->is_name_moved)
    uv__free(dir->name);
  uv__free(dir);
}

static struct uv__tree_dir* sibling_of(struct uv__queue* q) {
  return container_of(q, struct uv__tree_dir, siblings);
}

void uv__tree_dir_free(struct uv__tree_dir* top) {
  struct uv__tree_dir* dir = top;

  for (;;) {
    while (!uv__queue_empty(&dir->children))
      dir = sibling_of(uv__queue_first(&dir->children));
    struct uv__tree_dir* parent = dir->parent;
    dir_free(dir);
    if (dir == top)
      return;
    dir = parent;
  }
}

struct uv__tree_dir* uv__tree_next(const struct uv__tree_dir* dir,
                                   const struct uv__tree_dir* top) {
  if (!uv__queue_empty(&dir->children))
    return sibling_of(uv__queue_first(&dir->children));
  while (dir != top) {
    if (dir->siblings.next != &dir->parent->children)
      return sibling_of(dir->siblings.next);
    dir = dir->parent;
  }
  return NULL;
}

int uv__tree_is_within(const struct uv__tree_dir* dir,
                       const struct uv__tree_dir* top) {
  while (dir != NULL && dir != top)
    dir = dir->parent;
  return dir == top;
}

void uv__tree_unname(struct uv__tree_dir* dir, unsigned cookie) {
  assert(dir->parent != NULL);
  if (dir->place == UV__TREE_MOVED)
    return;
  if (dir->place == UV__TREE_SCANNING)
    uv__scan_forget(dir);
  remove_name(dir);
  if (cookie == 0)
    uv__tree_doubt(dir, 1);
  dir->cookie = cookie;
  dir->named_at = uv__watches_of(dir->tree->loop)->delivery;
  uv__tree_put(dir, UV__TREE_MOVED);
}

void uv__tree_report_again(struct uv__tree_dir* top) {
  unsigned since = top->named_at;

  for (struct uv__tree_dir* dir = top; dir != NULL;
       dir = uv__tree_next(dir, top)) {
    if (dir->watch != NULL && (int) (dir->delivery - since) >= 0)
      uv__tree_queue(dir, UV__SCAN_LIST | UV__SCAN_ALL);
  }
}

int uv__tree_rename(struct uv__tree_dir* dir,
                    struct uv__tree_dir* parent,
                    const char* name) {
  char* copy = uv__strdup(name);

  if (copy == NULL)
    return UV_ENOMEM;
  uv__tree_unname(dir, 1); /* for a moment */
  uv__queue_remove(&dir->siblings);
  if (dir->is_name_moved)
    uv__free(dir->name);
  dir->name = copy;
  dir->is_name_moved = 1;
  set_parent(dir, parent);
  dir->tree->moves++;
  uv__tree_put(dir, UV__TREE_NOWHERE);
  if (dir->how != 0 || dir->is_doubtful)
    uv__tree_queue(dir, dir->is_doubtful ? UV__SCAN_LIST | UV__SCAN_ALL : 0);
  return 0;
}

const char* uv__tree_path(const struct uv__tree_dir* dir,
                          const char* name,
                          char buf[UV__TREE_PATH_MAX]) {
  char* at = buf + UV__TREE_PATH_MAX;

  *--at = '\0';
  if (name == NULL && dir->parent != NULL) {
    name = dir->name;
    dir = dir->parent;
  }
  while (name != NULL) {
    size_t len = strlen(name);
    if ((size_t) (at - buf) < len + 1)
      return NULL;
    at -= len;
    memcpy(at, name, len);
    if (dir->parent != NULL)
      *--at = '/';
    name = dir->parent == NULL ? NULL : dir->name;
    dir = dir->parent;
  }
  return at;
}

void uv__tree_pin(struct uv__tree* tree) {
  tree->pins++;
}

static void tree_free(struct uv__tree* tree) {
  uv__free(tree->names);
  uv__free(tree);
}

void uv__tree_unpin(struct uv__tree* tree) {
  if (--tree->pins == 0 && tree->handle == NULL)
    tree_free(tree);
}

/* T4: frees the nodes; the tree itself when no callback of it is under way. */
static void tree_end(struct uv__tree* tree) {
  uv__tree_pin(tree);
  tree->handle->u.reserved[0] = NULL;
  tree->handle = NULL;
  if (tree->root != NULL)
    uv__tree_dir_free(tree->root);
  tree->root = NULL;
  uv__queue_remove(&tree->link);
  uv__tree_unpin(tree);
}

void uv__tree_stop(uv_fs_event_t* handle) {
  struct uv__tree* tree = uv__tree_of(handle);
  uv_loop_t* loop = tree->loop;

  /* Each watch that is removed becomes an event: those of a large tree would
   * fill the queue. */
  if (uv__watches_of(loop)->count > CLOSE_MIN &&
      uv__inotify_is_only(loop, tree))
    uv__inotify_close(loop, tree_end, tree);
  else
    tree_end(tree);
}

void uv__trees_take(uv_loop_t* loop, struct uv__queue* handles) {
  struct uv__watches* table = uv__watches_of(loop);

  while (!uv__queue_empty(&table->trees)) {
    struct uv__tree* tree =
        container_of(table->trees.next, struct uv__tree, link);
    uv__queue_push_back(handles, &tree->handle->watchers);
    tree_end(tree);
  }
}

/* The root's absolute path, so that the program may change its directory. If it
 * cannot be found out, the path as it was given. */
static struct uv__tree* tree_alloc(const char* given) {
  char absolute[PATH_MAX];
  const char* path = realpath(given, absolute) == NULL ? given : absolute;
  size_t len = strlen(path);

  while (len > 0 && path[len - 1] == '/')
    len--;
  struct uv__tree* tree = uv__calloc(1, sizeof(*tree) + len + 1);
  if (tree == NULL)
    return NULL;
  memcpy(tree->path, path, len);
  tree->path_len = len;
  tree->names_size = NAMES_FIRST;
  tree->names = uv__calloc(tree->names_size, sizeof(struct uv__tree_dir*));
  tree->root = dir_alloc(tree, "");
  if (tree->names == NULL || tree->root == NULL) {
    uv__free(tree->root);
    tree_free(tree);
    return NULL;
  }
  return tree;
}

static struct uv__tree* tree_new(uv_fs_event_t* handle) {
  struct uv__tree* tree = tree_alloc(handle->path);

  if (tree == NULL)
    return NULL;
  tree->loop = handle->loop;
  tree->handle = handle;
  uv__queue_init(&tree->unscanned);
  uv__queue_init(&tree->late);
  uv__queue_init(&tree->moved);
  handle->u.reserved[0] = tree;
  uv__queue_push_back(&uv__watches_of(tree->loop)->trees, &tree->link);

  /* Fails on no Linux. */
  (void) clock_gettime(CLOCK_REALTIME_COARSE, &tree->since);
  tree->since.tv_nsec -= STAMP_SLACK_NS;
  if (tree->since.tv_nsec < 0) {
    tree->since.tv_nsec += NS_PER_S;
    tree->since.tv_sec--;
  }
  return tree;
}

static int watch_root(struct uv__tree* tree) {
  uv_loop_t* loop = tree->loop;
  uint64_t mark = uv__inotify_position(loop);
  int wd =
      inotify_add_watch(loop->inotify_fd, tree->handle->path, UV__INOTIFY_MASK);
  if (wd < 0)
    return uv__errno();

  struct uv__watch* watch = uv__watch_get(uv__watches_of(loop), wd);
  if (watch == NULL) {
    (void) inotify_rm_watch(loop->inotify_fd, wd); /* undo: it was new */
    return UV_ENOMEM;
  }
  tree->root->mark = mark;
  uv__tree_watch(tree->root, watch);
  return 0;
}

/* What is not watched when the start returns may change until it is. */
static void expect_changes(struct uv__queue* dirs) {
  for (struct uv__queue* q = dirs->next; q != dirs; q = q->next)
    container_of(q, struct uv__tree_dir, queue)->how |= UV__SCAN_RECENT;
}

int uv__tree_start(uv_fs_event_t* handle) {
  uv_loop_t* loop = handle->loop;
  struct uv__tree* tree = tree_new(handle);
  if (tree == NULL)
    return UV_ENOMEM;

  int err = watch_root(tree);
  if (err != 0) {
    tree_end(tree);
    return err;
  }
  uv__tree_queue(tree->root, UV__SCAN_LIST);
  uv__tree_pin(tree);
  uv__scan_here(tree, uv_hrtime() + START_NS, 0);
  expect_changes(&tree->unscanned);
  expect_changes(&tree->late);
  uv__tree_unpin(tree);
  uv__scan_pump(loop);
  return 0;
}
