/* SPDX-License-Identifier: MIT */
/* Reading the directories of watched trees.
 *
 *   uv__scan_pump -> a worker watches and lists one directory -> scan_done
 *   -> uv__scan_apply -> uv__scan_pump
 *
 * A scan is an object of its own, so that its tree may end while it is out:
 * it loses its `tree` or `dir` then, and its result is dropped. Scans that are
 * out are requests of the loop. They use a copy of the descriptor, because the
 * loop may close its own.
 *
 * Context: scan_read() any; the rest is the loop's.
 */
#include "observe/callback.h"
#include "req.h"
#include "unix/fd.h"
#include "unix/fs-event/inotify-tree.h"
#include "util/alloc.h"
#include "util/atomic.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define JOBS_MAX 2
#define NAMES_SIZE_FIRST 512
/* Entries between two looks at the clock. */
#define ENTRIES_PER_LOOK 256

const char* uv__scan_path(const struct uv__tree_dir* dir,
                          const char* name,
                          char buf[UV__SCAN_PATH_MAX]) {
  const struct uv__tree* tree = dir->tree;
  char relative[UV__TREE_PATH_MAX];
  const char* path = uv__tree_path(dir, name, relative);

  if (path == NULL)
    return NULL;
  memcpy(buf, tree->path, tree->path_len);
  buf[tree->path_len] = '/';
  memcpy(buf + tree->path_len + 1, path, strlen(path) + 1);
  return buf;
}

static struct uv__scan* scan_of(struct uv__queue* q) {
  return container_of(q, struct uv__scan, link);
}

/* Makes a scan of `dir`. On failure that has another place, or is left out. */
static struct uv__scan* scan_new(struct uv__tree_dir* dir) {
  struct uv__tree* tree = dir->tree;
  char buf[UV__SCAN_PATH_MAX];
  const char* path = uv__scan_path(dir, NULL, buf);

  if (path == NULL) { /* moved so deep that no system call would take it */
    dir->how = 0;
    uv__tree_put(dir, UV__TREE_NOWHERE);
    return NULL;
  }
  size_t size = strlen(path) + 1;
  struct uv__scan* scan = uv__calloc(1, sizeof(*scan) + size);
  if (scan == NULL) {
    uv__scan_later(dir, 0);
    return NULL;
  }
  memcpy(scan->path, path, size);
  scan->path_at = tree->path_len + 1;
  scan->loop = tree->loop;
  scan->tree = tree;
  scan->dir = dir;
  scan->is_root = dir->parent == NULL;
  scan->how = dir->how;
  scan->since = tree->since;
  scan->position_low = &uv__watches_of(tree->loop)->position_low;
  scan->fd = tree->loop->inotify_fd;
  scan->wd = -1;
  dir->how = 0; /* what it is asked for from now on */
  dir->moves = tree->moves;
  uv__queue_push_back(&uv__watches_of(tree->loop)->scans, &scan->link);
  uv__tree_put(dir, UV__TREE_SCANNING);
  return scan;
}

static void scan_free(struct uv__scan* scan) {
  uv__queue_remove(&scan->link);
  uv__free(scan->names);
  uv__free(scan);
}

void uv__scan_later(struct uv__tree_dir* dir, unsigned how) {
  dir->how |= (unsigned char) how;
  dir->is_missing = 0;
  dir->wait = uv__inotify_position(dir->tree->loop) + 1;
  if (dir->place != UV__TREE_MOVED && dir->place != UV__TREE_SCANNING)
    uv__tree_put(dir, UV__TREE_LATE);
}

void uv__scan_forget(struct uv__tree_dir* dir) {
  struct uv__queue* scans = &uv__watches_of(dir->tree->loop)->scans;

  for (struct uv__queue* q = scans->next; q != scans; q = q->next) {
    struct uv__scan* scan = scan_of(q);
    if (scan->dir == dir) {
      scan->dir = NULL;
      dir->how |= (unsigned char) scan->how;
    }
  }
}

static int add_entry(struct uv__scan* scan, unsigned flags, const char* name) {
  size_t len = strlen(name) + 2;

  if (scan->size - scan->used < len) {
    size_t size = scan->size == 0 ? NAMES_SIZE_FIRST : scan->size * 2;
    char* names = uv__realloc(scan->names, size);
    if (names == NULL)
      return UV_ENOMEM;
    scan->names = names;
    scan->size = size;
  }
  scan->names[scan->used] = (char) flags;
  memcpy(scan->names + scan->used + 1, name, len - 1);
  scan->used += len;
  return 0;
}

static int is_since(const struct uv__scan* scan, const struct timespec* time) {
  if (time->tv_sec != scan->since.tv_sec)
    return time->tv_sec > scan->since.tv_sec;
  return time->tv_nsec >= scan->since.tv_nsec;
}

/* The flags of an entry; 0: not wanted. */
static unsigned look_at_entry(const struct uv__scan* scan,
                              int fd,
                              const struct dirent* entry,
                              int is_recent) {
  struct stat st;
  unsigned flags = scan->how & UV__SCAN_ALL ? UV__ENTRY_REPORT : 0;

  if (entry->d_type == DT_DIR)
    flags |= UV__ENTRY_DIR;
  if ((entry->d_type != DT_UNKNOWN && !is_recent) ||
      fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
    return flags;
  if (S_ISDIR(st.st_mode))
    flags |= UV__ENTRY_DIR;
  if (is_recent && is_since(scan, &st.st_ctim)) {
    flags |= UV__ENTRY_REPORT;
    if (!is_since(scan, &st.st_mtim))
      flags |= UV__ENTRY_MOVED;
  }
  return flags;
}

static int is_own_entry(const char* name) {
  return name[0] == '.' &&
         (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

static int list_entries(struct uv__scan* scan, DIR* stream, int is_recent) {
  const struct dirent* entry;

  for (unsigned i = 1;; i++) {
    errno = 0;
    entry = readdir(stream);
    if (entry == NULL)
      return uv__errno();
    if (is_own_entry(entry->d_name))
      continue;
    unsigned flags = look_at_entry(scan, dirfd(stream), entry, is_recent);
    if (flags != 0) {
      int err = add_entry(scan, flags, entry->d_name);
      if (err != 0)
        return err;
    }
    if (i % ENTRIES_PER_LOOK == 0 && scan->deadline_ns != 0 &&
        uv_hrtime() >= scan->deadline_ns) {
      scan->is_partial = 1;
      return 0;
    }
  }
}

static int list_directory(struct uv__scan* scan) {
  struct stat st;
  int is_recent = 0;
  int fd = uv__fd_open(scan->path,
                       O_RDONLY | O_DIRECTORY | O_NONBLOCK |
                           (scan->is_root ? 0 : O_NOFOLLOW),
                       0);
  if (fd < 0)
    return fd;

  if ((scan->how & UV__SCAN_RECENT) && fstat(fd, &st) == 0)
    is_recent = is_since(scan, &st.st_mtim);
  DIR* stream = fdopendir(fd);
  if (stream == NULL) {
    int err = uv__errno();
    (void) uv__fd_close(fd); /* only read from */
    return err;
  }
  int err = list_entries(scan, stream, is_recent);
  (void) closedir(stream); /* only read from */
  return err;
}

/* T2. The position is taken before the watch is added, and the loop's part of
 * it before the kernel's, so that it is never too high. Context: any. */
static void scan_read(struct uv__scan* scan) {
  int queued = 0;

  scan->mark_low = uv__load_acquire(scan->position_low);
  (void) ioctl(scan->fd, FIONREAD, &queued); /* cannot fail on these */
  scan->mark_low += (unsigned) queued;
  if (!scan->is_root) {
    scan->wd = inotify_add_watch(
        scan->fd, scan->path, UV__INOTIFY_MASK | IN_ONLYDIR | IN_DONT_FOLLOW);
    if (scan->wd < 0) {
      scan->err = uv__errno();
      scan->wd = -1;
      return;
    }
  }
  scan->err = list_directory(scan);
}

/* Asks the filter about a directory that is about to be watched. Returns 0 if
 * it is left out, or gone, or the tree is; pinned. */
static int ask_filter(struct uv__tree_dir* dir) {
  struct uv__tree* tree = dir->tree;
  unsigned generation = uv__watches_of(tree->loop)->generation;
  char buf[UV__TREE_PATH_MAX];
  const char* path = uv__tree_path(dir, NULL, buf);
  uvx_fs_event_filter_cb filter;

  memcpy(&filter, &tree->handle->u.reserved[1], sizeof(filter));
  int is_wanted = 1;
  if (filter != NULL && path != NULL) {
    tree->asking = dir;
    is_wanted = uv__call_fs_event_filter(tree->handle, filter, path);
    if (uv__watches_of(tree->loop)->generation != generation ||
        tree->asking != dir)
      return 0;
    tree->asking = NULL;
  }
  dir->how &= (unsigned char) ~UV__SCAN_ASK;
  if (!is_wanted)
    uv__tree_dir_free(dir);
  return is_wanted != 0;
}

/* The next directory to be scanned, taken through the filter; NULL if there is
 * none. The tree is pinned and may be stopped. */
static struct uv__tree_dir* next_dir(struct uv__tree* tree, int only_new) {
  while (tree->handle != NULL && !uv__queue_empty(&tree->unscanned)) {
    struct uv__tree_dir* dir =
        container_of(tree->unscanned.next, struct uv__tree_dir, queue);
    if (only_new && !(dir->how & (UV__SCAN_ALL | UV__SCAN_CHECK)))
      return NULL;
    if ((dir->how & UV__SCAN_ASK) && !ask_filter(dir))
      continue;
    if (dir->how & UV__SCAN_LIST)
      return dir;
    uv__tree_put(dir, UV__TREE_NOWHERE); /* watched: it was only to be asked */
  }
  return NULL;
}

/* What the callback must be told cannot be told inside of a start: a worker
 * finds it out again. */
static int is_to_be_told(int err) {
  return err == UV_ENOSPC || err == UV_ENAMETOOLONG;
}

static void scan_one_here(struct uv__tree_dir* dir,
                          uint64_t deadline_ns,
                          int is_start) {
  struct uv__scan* scan = scan_new(dir);
  if (scan == NULL)
    return;

  scan->deadline_ns = deadline_ns;
  scan_read(scan);
  if (is_start && is_to_be_told(scan->err)) {
    uv__tree_put(dir, UV__TREE_NOWHERE);
    uv__scan_later(dir, scan->how);
    dir->wait = 0;
  } else {
    uv__scan_apply(scan);
  }
  scan_free(scan);
}

void uv__scan_here(struct uv__tree* tree, uint64_t deadline_ns, int only_new) {
  unsigned generation = uv__watches_of(tree->loop)->generation;
  struct uv__watches* table = uv__watches_of(tree->loop);
  struct uv__tree_dir* dir;

  uv__tree_pin(tree);
  do {
    dir = next_dir(tree, only_new);
    if (dir != NULL)
      scan_one_here(dir, deadline_ns, !only_new);
  } while (dir != NULL && table->generation == generation &&
           uv_hrtime() < deadline_ns);
  uv__tree_unpin(tree);
}

/* ---- workers ---- */

/* Context: worker. */
static void scan_work(struct uv__work* w) {
  scan_read(container_of(w, struct uv__scan, work));
}

/* Keeps a watch that nobody wants until no scan can have got it as well. */
static void drop_watch(struct uv__scan* scan) {
  struct uv__watches* table = uv__watches_of(scan->loop);

  if (scan->wd < 0 || table->scan_generation != table->generation)
    return;
  struct uv__watch* watch = uv__watch_get(table, scan->wd);
  if (watch != NULL) {
    table->has_unused = 1;
    uv__watch_release(scan->loop, watch);
  }
}

static void pump(uv_loop_t* loop, int may_end);

/* Pinned during the callbacks; `scan` is in the list, so that it learns when
 * its directory goes. */
static void scan_deliver(struct uv__scan* scan) {
  struct uv__tree* tree = scan->tree;

  uv__tree_pin(tree);
  uv__scan_apply(scan);
  uv__tree_unpin(tree);
}

static void scan_done(struct uv__work* w, int status) {
  struct uv__scan* scan = container_of(w, struct uv__scan, work);
  uv_loop_t* loop = scan->loop;
  struct uv__watches* table = uv__watches_of(loop);

  if (scan->is_lost) {
    scan_free(scan);
    return;
  }
  uv__req_unregister(loop);
  table->jobs--;
  scan->job = 0;
  if (status == 0 && scan->dir != NULL && scan->tree != NULL &&
      table->scan_generation == table->generation)
    scan_deliver(scan);
  else
    drop_watch(scan);
  scan_free(scan);
  pump(loop, 1);
}

static const struct uv__work_kind scan_kind = {
  scan_work,
  scan_done,
  UV__WORK_SCAN,
  offsetof(struct uv__scan, work),
};

static void submit_scan(struct uv__scan* scan) {
  struct uv__watches* table = uv__watches_of(scan->loop);

  scan->fd = table->scan_fd;
  scan->job = ++table->last_job;
  table->jobs++;
  uv__req_register(scan->loop);
  if (uv__work_submit(scan->loop, &scan->work, &scan_kind) == 0)
    return;

  /* No worker: tried again with the tree's next event. */
  uv__req_unregister(scan->loop);
  table->jobs--;
  uv__tree_put(scan->dir, UV__TREE_NOWHERE);
  uv__scan_later(scan->dir, scan->how);
  scan_free(scan);
}

/* A tree that has something to be scanned, in turns, or NULL. */
static struct uv__tree* next_tree(struct uv__watches* table) {
  for (struct uv__queue* q = table->trees.next; q != &table->trees;
       q = q->next) {
    struct uv__tree* tree = container_of(q, struct uv__tree, link);
    if (!uv__queue_empty(&tree->unscanned)) {
      uv__queue_remove(&tree->link);
      uv__queue_push_back(&table->trees, &tree->link);
      return tree;
    }
  }
  return NULL;
}

/* Has the scans' descriptor ready. Scans of an earlier one come back first. */
static int open_scan_fd(uv_loop_t* loop) {
  struct uv__watches* table = uv__watches_of(loop);

  if (table->scan_fd >= 0 && table->scan_generation == table->generation)
    return 0;
  if (table->jobs != 0)
    return UV_EBUSY;
  int fd = uv__fd_dup(loop->inotify_fd);
  fd = uv__fd_above_stdio(fd);
  if (fd < 0)
    return fd;
  table->scan_fd = fd;
  table->scan_generation = table->generation;
  return 0;
}

/* Nothing is out: what was kept for scans can go. */
static void end_scans(uv_loop_t* loop) {
  struct uv__watches* table = uv__watches_of(loop);

  for (struct uv__queue* q = table->trees.next; q != &table->trees; q = q->next)
    uv__tree_end_moves(container_of(q, struct uv__tree, link), 0);
  uv__orphans_trim(loop);
  uv__watches_sweep(loop);
  if (table->scan_fd >= 0)
    (void) uv__fd_close(table->scan_fd); /* nothing was written */
  table->scan_fd = -1;
}

/* Does nothing but an unreferenced handle want the loop to go on? */
static int is_only_one(const struct uv__tree* tree) {
  const uv_loop_t* loop = tree->loop;

  return !uv_has_ref((uv_handle_t*) tree->handle) &&
         loop->active_handles == 0 &&
         loop->active_reqs.count == uv__watches_of(loop)->jobs;
}

/* Is it time to look for a directory that was not there, or could not be read?
 * All that happened before has been delivered. */
static void wake_late(struct uv__tree* tree) {
  uint64_t position = uv__watches_of(tree->loop)->position;
  struct uv__queue late;

  uv__queue_move(&late, &tree->late);
  while (!uv__queue_empty(&late)) {
    struct uv__tree_dir* dir =
        container_of(uv__queue_pop_front(&late), struct uv__tree_dir, queue);
    if (dir->wait > position)
      uv__queue_push_back(&tree->late, &dir->queue);
    else if (dir->is_missing && dir->moves == tree->moves)
      uv__tree_dir_free(dir); /* no event has moved it: it is gone */
    else
      uv__tree_put(dir, UV__TREE_UNSCANNED);
  }
}

/* Submits a scan of the next directory of a tree. Returns 0 if that has to
 * wait. */
static int submit_next(struct uv__tree* tree) {
  uv_loop_t* loop = tree->loop;
  unsigned generation = uv__watches_of(loop)->generation;
  struct uv__tree_dir* dir = next_dir(tree, 0);

  if (dir == NULL || uv__watches_of(loop)->generation != generation)
    return 1;
  if (open_scan_fd(loop) != 0)
    return 0; /* until the next event */
  struct uv__scan* scan = scan_new(dir);
  if (scan != NULL)
    submit_scan(scan);
  return 1;
}

static void pump(uv_loop_t* loop, int may_end) {
  struct uv__watches* table = uv__watches_of(loop);
  unsigned generation = table->generation;
  struct uv__tree* tree;
  int can_go_on = 1;

  for (struct uv__queue* q = table->trees.next; q != &table->trees;
       q = q->next) {
    wake_late(container_of(q, struct uv__tree, link));
    uv__tree_check(container_of(q, struct uv__tree, link));
  }
  while (can_go_on && table->jobs < JOBS_MAX &&
         table->generation == generation && (tree = next_tree(table)) != NULL) {
    if (may_end && is_only_one(tree))
      break;
    uv__tree_pin(tree);
    can_go_on = submit_next(tree);
    uv__tree_unpin(tree);
  }
  if (table->jobs == 0 && table->generation == generation)
    end_scans(loop);
}

void uv__scan_pump(uv_loop_t* loop) {
  pump(loop, 0);
}

void uv__scans_fork(uv_loop_t* loop) {
  struct uv__watches* table = uv__watches_of(loop);

  while (!uv__queue_empty(&table->scans)) {
    struct uv__scan* scan = scan_of(uv__queue_pop_front(&table->scans));
    scan->tree = NULL;
    scan->dir = NULL;
    uv__queue_push_back(&table->lost, &scan->link);
    if (scan->job != 0 && !scan->is_lost)
      uv__req_unregister(loop);
    scan->is_lost = 1;
  }
  table->jobs = 0;
  uv__orphans_trim(loop);
  if (table->scan_fd >= 0)
    (void) uv__fd_close(table->scan_fd); /* the child's copy */
  table->scan_fd = -1;
}

void uv__scans_close(uv_loop_t* loop) {
  struct uv__watches* table = uv__watches_of(loop);

  end_scans(loop);
  while (!uv__queue_empty(&table->lost)) {
    struct uv__scan* scan = scan_of(uv__queue_pop_front(&table->lost));
    scan->names = NULL; /* a worker may have been changing it */
    scan_free(scan);
  }
}
