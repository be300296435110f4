/* SPDX-License-Identifier: MIT */
/* Events of watched trees.
 *
 * The nodes are changed first and the callback runs last, so that nothing need
 * survive it. New directories are scanned at the end of the batch, after their
 * own names were reported; what is left of moves ends when the queue is empty.
 */
#include "observe/callback.h"
#include "unix/fs-event/inotify-tree.h"
#include "util/alloc.h"

#include <string.h>

#define BATCH_NS ((uint64_t) 2 * 1000 * 1000)
#define ORPHANS_MAX 16384

/* An event of a watch that a scan has added and not brought yet. */
struct orphan {
  struct uv__queue link; /* in table->orphans, oldest first */
  uint64_t position;
  unsigned last_job;          /* no later job has caused it */
  struct inotify_event event; /* and its name */
};

void uv__tree_report(struct uv__tree* tree,
                     const char* path,
                     int events,
                     int status) {
  uv__tree_pin(tree);
  uv__call_fs_event(tree->handle, path, events, status);
  uv__tree_unpin(tree);
}

void uv__tree_tell(struct uv__tree* tree, const char* path, int err) {
  int* has_told =
      err == UV_ENOSPC ? &tree->has_told_nospc : &tree->has_told_long;
  char copy[UV__SCAN_PATH_MAX];

  if (*has_told)
    return;
  *has_told = 1;
  memcpy(copy, path, strlen(path) + 1);
  uv__tree_report(tree, copy, 0, err);
}

void uv__tree_retire(struct uv__tree_dir* dir) {
  while (!uv__queue_empty(&dir->children))
    uv__tree_dir_free(
        container_of(dir->children.next, struct uv__tree_dir, siblings));
  if (dir->parent == NULL) { /* the tree stays, without anything */
    dir->tree->is_displaced = 1;
    uv__tree_put(dir, UV__TREE_NOWHERE);
    uv__tree_unwatch(dir);
  } else if (dir->place == UV__TREE_MOVED || dir->tree->is_displaced) {
    uv__tree_dir_free(dir);
  } else {
    /* The event that took its name was older than the last listing: the name
     * may be that of another directory, which the listing has seen. */
    uv__scan_forget(dir);
    uv__tree_unwatch(dir);
    uv__tree_put(dir, UV__TREE_NOWHERE);
    uv__tree_queue(dir, UV__SCAN_LIST | UV__SCAN_ALL | UV__SCAN_ASK);
  }
}

/* The directory had another path when some of what is below it was watched, or
 * that cannot be excluded: looks there again. */
static void check_below(struct uv__tree_dir* top) {
  struct uv__tree* tree = top->tree;
  unsigned drains = uv__watches_of(tree->loop)->drains;

  if (tree->last_drains != drains)
    return;
  for (struct uv__tree_dir* dir = top; dir != NULL;
       dir = uv__tree_next(dir, top)) {
    if (dir->watch != NULL && dir->drains == drains)
      uv__tree_queue(dir, UV__SCAN_LIST | UV__SCAN_ALL);
  }
}

static struct uv__tree_dir* find_moved(struct uv__tree* tree, unsigned cookie) {
  struct uv__queue* q = tree->moved.prev;

  for (; q != &tree->moved; q = q->prev) {
    struct uv__tree_dir* dir = container_of(q, struct uv__tree_dir, queue);
    if (dir->cookie == cookie)
      return dir;
  }
  return NULL;
}

static void add_new(struct uv__tree_dir* parent,
                    const char* name,
                    uint64_t position) {
  struct uv__tree_dir* dir =
      uv__tree_dir_new(parent->tree, parent, name, position);

  if (dir != NULL)
    uv__tree_queue(dir, UV__SCAN_LIST | UV__SCAN_ALL | UV__SCAN_ASK);
  else
    uv__scan_later(parent, UV__SCAN_LIST | UV__SCAN_CHECK);
}

/* `child` has the name, or NULL. */
static void dir_created(struct uv__tree_dir* parent,
                        struct uv__tree_dir* child,
                        const char* name,
                        uint64_t position) {
  if (child != NULL && child->watch == NULL) {
    child->mark = position;
    uv__tree_queue(child, UV__SCAN_LIST | UV__SCAN_ALL | UV__SCAN_ASK);
    return;
  }
  if (child != NULL)
    uv__tree_unname(child, 0); /* was another directory */
  add_new(parent, name, position);
}

static void dir_deleted(struct uv__tree_dir* child) {
  if (child != NULL)
    uv__tree_dir_free(child);
}

static void dir_moved_from(struct uv__tree_dir* child, unsigned cookie) {
  if (child == NULL)
    return;
  uv__tree_unname(child, cookie);
}

/* Two directories were exchanged if that is what their paths say. The events of
 * the second half are older than what the paths said, then. */
static int dirs_exchanged(struct uv__tree_dir* moved,
                          struct uv__tree_dir* parent,
                          struct uv__tree_dir* child) {
  struct uv__tree_dir* old_parent = moved->parent;
  uint64_t mark = uv__inotify_position(parent->tree->loop);
  char old_name[NAME_MAX + 1];
  char name[NAME_MAX + 1];

  if (moved->watch == NULL || uv__tree_is_within(old_parent, child) ||
      uv__tree_look(parent, child->name) != moved->watch->wd)
    return 0;
  int wd = uv__tree_look(old_parent, moved->name);
  if (wd < 0 || (child->watch != NULL && wd != child->watch->wd))
    return 0;
  memcpy(name, child->name, strlen(child->name) + 1);
  memcpy(old_name, moved->name, strlen(moved->name) + 1);
  uv__tree_unname(child, 0);
  if (uv__tree_rename(moved, parent, name) != 0 ||
      uv__tree_rename(child, old_parent, old_name) != 0)
    return 0;
  moved->mark = mark;
  child->mark = mark;
  uv__tree_doubt(child, 0);
  check_below(moved);
  check_below(child);
  return 1;
}

/* If the name was taken, the directory that had it was overwritten, or the two
 * were exchanged: what the paths lead to decides. */
static void dir_moved_to(struct uv__tree_dir* parent,
                         struct uv__tree_dir* child,
                         const struct inotify_event* event,
                         uint64_t position) {
  struct uv__tree_dir* moved = find_moved(parent->tree, event->cookie);

  if (moved != NULL && uv__tree_is_within(parent, moved)) {
    uv__tree_queue(parent->tree->root, UV__SCAN_LIST | UV__SCAN_DEEP);
    return;
  }
  if (child != NULL && moved != NULL) {
    if (dirs_exchanged(moved, parent, child))
      return;
    uv__tree_queue(moved->parent, UV__SCAN_LIST | UV__SCAN_CHECK);
    uv__tree_doubt(moved, 1);
  }
  if (child != NULL) {
    uv__tree_queue(parent, UV__SCAN_LIST | UV__SCAN_CHECK);
    if (child->watch != NULL)
      uv__tree_unname(child, 0);
    else
      uv__tree_dir_free(child);
  }
  if (moved == NULL || uv__tree_rename(moved, parent, event->name) != 0) {
    add_new(parent, event->name, position);
    return;
  }
  moved->mark = position;
  if (moved->watch == NULL)
    uv__tree_queue(moved, UV__SCAN_LIST | UV__SCAN_ALL | UV__SCAN_ASK);
  else if (uv__tree_has_filter(parent->tree))
    uv__tree_queue(moved, UV__SCAN_ASK);
  check_below(moved);
}

/* Its rights have changed, perhaps: now it may be readable. */
static void dir_changed(struct uv__tree_dir* child) {
  if (child != NULL && child->watch == NULL)
    uv__tree_queue(child, UV__SCAN_LIST | UV__SCAN_RECENT | UV__SCAN_ASK);
}

/* Changes the nodes for an event about a subdirectory. */
static void change_subdirectory(struct uv__tree_dir* dir,
                                const struct inotify_event* event,
                                uint64_t position) {
  struct uv__tree_dir* child = uv__tree_find(dir, event->name);

  /* Older than what is known here of that name. */
  if (position < dir->listed || (child != NULL && position < child->mark) ||
      dir->tree->is_displaced)
    return;
  if (event->mask & IN_CREATE)
    dir_created(dir, child, event->name, position);
  else if (event->mask & IN_DELETE)
    dir_deleted(child);
  else if (event->mask & IN_MOVED_FROM)
    dir_moved_from(child, event->cookie);
  else if (event->mask & IN_MOVED_TO)
    dir_moved_to(dir, child, event, position);
  else
    dir_changed(child);
}

/* An event of the directory itself. Its parent reports the same with its name,
 * so that only the root's are. */
static void own_event(struct uv__tree_dir* dir,
                      const struct inotify_event* event) {
  struct uv__tree* tree = dir->tree;
  char self[NAME_MAX + 1];

  if (dir->parent != NULL)
    return;
  if (event->mask & IN_MOVE_SELF)
    uv__tree_displace(tree);
  uv__tree_report(tree, uv__inotify_own_name(tree->handle->path, self),
                  uv__inotify_events(event->mask), 0);
}

/* Is there a directory without a certain name on the way to it? */
static int is_doubtful(const struct uv__tree_dir* dir) {
  if (dir->tree->doubts == 0 && uv__queue_empty(&dir->tree->moved))
    return 0;
  while (dir != NULL && !dir->is_doubtful && dir->place != UV__TREE_MOVED)
    dir = dir->parent;
  return dir != NULL;
}

void uv__tree_event(struct uv__tree_dir* dir,
                    const struct inotify_event* event,
                    uint64_t position) {
  struct uv__tree* tree = dir->tree;
  char buf[UV__TREE_PATH_MAX];

  if (event->len == 0) {
    own_event(dir, event);
    return;
  }
  const char* path = uv__tree_path(dir, event->name, buf);
  if (is_doubtful(dir))
    uv__tree_queue(dir, UV__SCAN_LIST | UV__SCAN_ALL);
  if (event->mask & IN_ISDIR)
    change_subdirectory(dir, event, position);
  uv__tree_report(tree, path, uv__inotify_events(event->mask), 0);
}

/* ---- events of watches that scans are bringing ---- */

static struct orphan* orphan_of(struct uv__queue* q) {
  return container_of(q, struct orphan, link);
}

static void orphan_free(struct uv__watches* table, struct orphan* orphan) {
  uv__queue_remove(&orphan->link);
  table->orphan_count--;
  uv__free(orphan);
}

void uv__tree_orphan(uv_loop_t* loop,
                     const struct inotify_event* event,
                     uint64_t position) {
  struct uv__watches* table = uv__watches_of(loop);
  struct orphan* orphan = NULL;

  if (table->orphan_count < ORPHANS_MAX)
    orphan = uv__malloc(sizeof(*orphan) + event->len);
  if (orphan == NULL) {
    uv__trees_overflow(loop);
    return;
  }
  orphan->position = position;
  orphan->last_job = table->last_job;
  memcpy(&orphan->event, event, sizeof(*event) + event->len);
  uv__queue_push_back(&table->orphans, &orphan->link);
  table->orphan_count++;
}

/* The oldest scan that is out, or one that will be. */
static unsigned first_job(const struct uv__watches* table) {
  unsigned first = table->last_job + 1;

  for (const struct uv__queue* q = table->scans.next; q != &table->scans;
       q = q->next) {
    const struct uv__scan* scan =
        container_of((struct uv__queue*) q, struct uv__scan, link);
    if (scan->job != 0 && (int) (scan->job - first) < 0)
      first = scan->job;
  }
  return first;
}

void uv__orphans_trim(uv_loop_t* loop) {
  struct uv__watches* table = uv__watches_of(loop);
  unsigned first = first_job(table);

  while (!uv__queue_empty(&table->orphans)) {
    struct orphan* orphan = orphan_of(uv__queue_first(&table->orphans));
    if (table->jobs != 0 && (int) (orphan->last_job - first) >= 0)
      return;
    orphan_free(table, orphan);
  }
}

static struct orphan* find_orphan(const struct uv__watches* table, int wd) {
  for (struct uv__queue* q = table->orphans.next; q != &table->orphans;
       q = q->next) {
    if (orphan_of(q)->event.wd == wd)
      return orphan_of(q);
  }
  return NULL;
}

void uv__orphans_replay(uv_loop_t* loop, int wd) {
  struct uv__watches* table = uv__watches_of(loop);
  unsigned generation = table->generation;
  struct orphan* orphan;

  uv__orphans_trim(loop);
  while ((orphan = find_orphan(table, wd)) != NULL) {
    struct uv__watch* watch = uv__watch_find(table, wd);
    uv__queue_remove(&orphan->link);
    table->orphan_count--;
    int is_valid =
        watch == NULL ||
        uv__inotify_deliver(loop, watch, &orphan->event, orphan->position);
    uv__free(orphan);
    if (!is_valid || table->generation != generation)
      return;
  }
}

/* ---- overflow, and the end of a batch ---- */

/* A tree that has not had its turn, which callbacks cannot disturb. */
static struct uv__tree* find_tree(struct uv__watches* table, unsigned turn) {
  for (struct uv__queue* q = table->trees.next; q != &table->trees;
       q = q->next) {
    struct uv__tree* tree = container_of(q, struct uv__tree, link);
    if (tree->turn != turn) {
      tree->turn = turn;
      return tree;
    }
  }
  return NULL;
}

void uv__trees_overflow(uv_loop_t* loop) {
  struct uv__watches* table = uv__watches_of(loop);
  unsigned generation = table->generation;
  unsigned turn = ++table->turn;
  struct uv__tree* tree;

  while ((tree = find_tree(table, turn)) != NULL) {
    if (tree->root->watch != NULL)
      uv__tree_scan_again(tree);
    uv__tree_report(tree, NULL, UV_CHANGE, 0);
    if (table->generation != generation)
      return;
  }
}

/* Those that moved and did not come back have left the tree. Others are without
 * a name because something else was found in their place: a scan may still find
 * them. */
void uv__tree_end_moves(struct uv__tree* tree, int is_drained) {
  struct uv__queue* next;

  for (struct uv__queue* q = tree->moved.next; q != &tree->moved; q = next) {
    struct uv__tree_dir* dir = container_of(q, struct uv__tree_dir, queue);
    next = q->next;
    if (dir->cookie == 0 ? tree->unscanned_count != 0 || tree->is_confused
                         : !is_drained)
      continue;
    uv__tree_dir_free(dir);
    next = tree->moved.next; /* it may have contained others */
  }
}

/* Scans run callbacks. */
static int scan_new_ones(uv_loop_t* loop, uint64_t deadline_ns) {
  struct uv__watches* table = uv__watches_of(loop);
  unsigned generation = table->generation;
  unsigned turn = ++table->turn;
  struct uv__tree* tree;

  while ((tree = find_tree(table, turn)) != NULL) {
    uv__scan_here(tree, deadline_ns, 1);
    if (table->generation != generation)
      return 0;
  }
  return 1;
}

void uv__trees_end_batch(uv_loop_t* loop, int is_empty) {
  struct uv__watches* table = uv__watches_of(loop);

  if (!scan_new_ones(loop, uv_hrtime() + BATCH_NS))
    return;
  if (is_empty) {
    table->drains++;
    for (struct uv__queue* q = table->trees.next; q != &table->trees;
         q = q->next)
      uv__tree_end_moves(container_of(q, struct uv__tree, link), 1);
  }
  uv__scan_pump(loop);
}
