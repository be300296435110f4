/* SPDX-License-Identifier: MIT */
/* Watching paths with inotify: one descriptor per loop, opened by the first
 * start.
 *
 *   readable -> uv__fs_event_io: read a batch -> find the watch of each event
 *   -> call the callbacks of its handles, and of the trees it belongs to
 *
 * The kernel has one watch per inode, so handles on the same file share it, and
 * so do the directories of watched trees (inotify-tree.h). A watch ends with
 * its inode (IN_IGNORED); its handles stay active but receive nothing more.
 * When the kernel's queue overflows, events are lost: trees are told and read
 * again, but for a plain handle the API has no way to report it.
 *
 * N1  An active handle has a tree, or has wd >= 0 and is in the queue of that
 *     watch, or has wd -1 and is in no queue.
 * N2  A watch without users is removed, except while one of its events is being
 *     delivered or a scan of a tree may have got it: then it is removed
 *     afterwards.
 */
#include "unix/fs-event/inotify.h"
#include "observe/callback.h"
#include "unix/fd.h"
#include "unix/fs-event/inotify-tree.h"
#include "unix/io.h"
#include "util/alloc.h"
#include "util/atomic.h"

#include <stdalign.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#define BATCH_BYTES 8192
/* Batches per readiness event, so that a busy directory does not block the
 * loop. */
#define BATCHES_MAX 16

static int open_inotify(uv_loop_t* loop) {
  if (loop->inotify_fd >= 0)
    return 0;

  int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  fd = fd == -1 ? uv__errno() : uv__fd_above_stdio(fd);
  if (fd < 0)
    return fd;

  uv__io_init(&loop->inotify_read_watcher, UV__IO_FS_EVENT);
  int err = uv__io_attach(loop, &loop->inotify_read_watcher, fd);
  if (err != 0)
    goto err_close_fd;

  /* Survives a fork. */
  if (loop->inotify_watchers == NULL)
    loop->inotify_watchers = uv__watches_new();
  if (loop->inotify_watchers == NULL) {
    err = UV_ENOMEM;
    goto err_close_fd;
  }

  loop->inotify_fd = fd;
  uv__io_start(loop, &loop->inotify_read_watcher, POLLIN);
  return 0;

err_close_fd:
  (void) uv__fd_close(fd); /* the first error is the one to report */
  return err;
}

static void close_inotify_fd(uv_loop_t* loop) {
  uv__io_close(loop, &loop->inotify_read_watcher);
  (void) uv__fd_close(loop->inotify_fd); /* only read from */
  loop->inotify_fd = -1;
}

void uv__fs_event_init_loop(uv_loop_t* loop) {
  loop->inotify_fd = -1;
  loop->inotify_watchers = NULL;
}

void uv__fs_event_close_loop(uv_loop_t* loop) {
  if (loop->inotify_watchers != NULL) {
    uv__scans_close(loop);
    uv__watches_free(uv__watches_of(loop));
  }
  if (loop->inotify_fd >= 0)
    close_inotify_fd(loop);
  loop->inotify_watchers = NULL;
}

/* u.reserved: [0] the tree, [1] the filter, [2] not NULL: started recursively.
 */
void uv__fs_event_os_init(uv_fs_event_t* handle) {
  handle->wd = -1;
  uv__queue_init(&handle->watchers);
  memset(&handle->u, 0, sizeof(handle->u));
}

static int is_directory(const char* path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int uv__fs_event_os_start(uv_fs_event_t* handle, unsigned int flags) {
  uv_loop_t* loop = handle->loop;

  int err = open_inotify(loop);
  if (err != 0)
    return err;

  handle->u.reserved[2] = NULL;
  if ((flags & UV_FS_EVENT_RECURSIVE) && is_directory(handle->path)) {
    handle->u.reserved[2] = handle;
    return uv__tree_start(handle);
  }

  int wd = inotify_add_watch(loop->inotify_fd, handle->path, UV__INOTIFY_MASK);
  if (wd < 0)
    return uv__errno();

  struct uv__watch* watch = uv__watch_get(uv__watches_of(loop), wd);
  if (watch == NULL) {
    (void) inotify_rm_watch(loop->inotify_fd, wd); /* undo: it was new */
    return UV_ENOMEM;
  }

  handle->wd = wd;
  uv__queue_push_back(&watch->handles, &handle->watchers);
  return 0;
}

void uv__fs_event_os_stop(uv_fs_event_t* handle) {
  uv_loop_t* loop = handle->loop;
  int wd = handle->wd;

  if (uv__tree_of(handle) != NULL)
    uv__tree_stop(handle);
  handle->wd = -1;
  uv__queue_remove(&handle->watchers);
  if (wd >= 0)
    uv__watch_release(loop, uv__watch_find(uv__watches_of(loop), wd));
}

static uv_fs_event_t* handle_of(struct uv__queue* q) {
  return container_of(q, uv_fs_event_t, watchers);
}

/* Detaches the users: the inode of the watch is gone (N1). */
static void retire_watch(uv_loop_t* loop, struct uv__watch* watch) {
  watch->busy = 1; /* its last user does not free it */
  while (!uv__queue_empty(&watch->handles))
    handle_of(uv__queue_pop_front(&watch->handles))->wd = -1;
  while (!uv__queue_empty(&watch->dirs))
    uv__tree_retire(uv__tree_user(uv__queue_first(&watch->dirs)));
  uv__watch_free(uv__watches_of(loop), watch);
}

const char* uv__inotify_own_name(const char* path, char out[NAME_MAX + 1]) {
  size_t end = strlen(path);
  while (end > 1 && path[end - 1] == '/')
    end--;

  size_t begin = end;
  while (begin > 0 && path[begin - 1] != '/')
    begin--;

  size_t len = uv__min_size(end - begin, NAME_MAX);
  memcpy(out, path + begin, len);
  out[len] = '\0';
  return out;
}

/* Callbacks may stop, start and close any handle: each handle is back in its
 * queue before its callback runs, and handles started meanwhile are not in
 * `todo`. Returns 0 if a callback replaced all watches (uv_loop_fork() in a
 * child); `watch` and the batch are invalid then. */
static int deliver_to_handles(uv_loop_t* loop,
                              struct uv__watch* watch,
                              const struct inotify_event* event) {
  unsigned generation = uv__watches_of(loop)->generation;
  char self[NAME_MAX + 1];
  struct uv__queue todo;

  uv__queue_move(&todo, &watch->handles);
  watch->todo = &todo;
  while (!uv__queue_empty(&todo)) {
    struct uv__queue* q = uv__queue_pop_front(&todo);
    uv__queue_push_back(&watch->handles, q);

    uv_fs_event_t* handle = handle_of(q);
    const char* name = event->len != 0
                           ? event->name
                           : uv__inotify_own_name(handle->path, self);
    uv__call_fs_event(handle, name, uv__inotify_events(event->mask), 0);
    if (uv__watches_of(loop)->generation != generation)
      return 0;
  }
  watch->todo = NULL;
  return 1;
}

/* A directory of the watch that has not got event number `delivery`. */
static struct uv__tree_dir* find_dir(struct uv__watch* watch,
                                     unsigned delivery) {
  for (struct uv__queue* q = watch->dirs.next; q != &watch->dirs; q = q->next) {
    struct uv__tree_dir* dir = uv__tree_user(q);
    if (dir->delivery != delivery)
      return dir;
  }
  return NULL;
}

/* The same for directories of trees. */
static int deliver_to_dirs(uv_loop_t* loop,
                           struct uv__watch* watch,
                           const struct inotify_event* event,
                           uint64_t position) {
  struct uv__watches* table = uv__watches_of(loop);
  unsigned generation = table->generation;
  unsigned delivery = ++table->delivery;
  struct uv__tree_dir* dir;

  while ((dir = find_dir(watch, delivery)) != NULL) {
    dir->delivery = delivery;
    uv__tree_event(dir, event, position);
    if (table->generation != generation)
      return 0;
  }
  return 1;
}

/* A scan that is out may have got this watch as well: it finds the event. */
static int end_watch(uv_loop_t* loop,
                     struct uv__watch* watch,
                     const struct inotify_event* event,
                     uint64_t position) {
  struct uv__watches* table = uv__watches_of(loop);
  unsigned generation = table->generation;

  retire_watch(loop, watch);
  if (table->jobs != 0 && (event->mask & IN_IGNORED))
    uv__tree_orphan(loop, event, position);
  return table->generation == generation;
}

int uv__inotify_deliver(uv_loop_t* loop,
                        struct uv__watch* watch,
                        const struct inotify_event* event,
                        uint64_t position) {
  watch->busy++;
  if (!deliver_to_handles(loop, watch, event))
    return 0;
  if (!uv__queue_empty(&watch->dirs) &&
      !deliver_to_dirs(loop, watch, event, position))
    return 0;
  watch->busy--;

  if (event->mask & IN_IGNORED)
    watch->is_gone = 1;
  if (!watch->is_gone)
    uv__watch_release(loop, watch);
  else if (watch->busy == 0)
    return end_watch(loop, watch, event, position);
  return 1;
}

/* Delivers an event whose watch is not known: it was stopped after the kernel
 * queued the event, or is the business of trees. */
static int deliver_unknown(uv_loop_t* loop,
                           const struct inotify_event* event,
                           uint64_t position) {
  struct uv__watches* table = uv__watches_of(loop);
  unsigned generation = table->generation;

  if (event->mask & IN_Q_OVERFLOW)
    uv__trees_overflow(loop);
  else if (table->jobs != 0)
    uv__tree_orphan(loop, event, position);
  return table->generation == generation;
}

static int deliver_batch(uv_loop_t* loop, const char* batch, size_t size) {
  struct uv__watches* table = uv__watches_of(loop);
  const char* end = batch + size;
  uint64_t position = table->position;

  table->position += size;
  uv__store_relaxed(&table->position_low, (unsigned) table->position);
  while (batch < end) {
    const struct inotify_event* event = (const void*) batch;
    uint64_t at = position;
    batch += sizeof(*event) + event->len;
    position += sizeof(*event) + event->len;

    struct uv__watch* watch = uv__watch_find(table, event->wd);
    if (watch != NULL) {
      if (!uv__inotify_deliver(loop, watch, event, at))
        return 0;
    } else if (!uv__queue_empty(&table->trees)) {
      if (!deliver_unknown(loop, event, at))
        return 0;
    }
  }
  return 1;
}

uint64_t uv__inotify_position(const uv_loop_t* loop) {
  int queued = 0;

  /* Cannot fail on this kind of descriptor. */
  (void) ioctl(loop->inotify_fd, FIONREAD, &queued);
  return uv__watches_of(loop)->position + (unsigned) queued;
}

/* Detaches all handles from their watches and trees, and frees both (N1). */
static void take_handles(uv_loop_t* loop, struct uv__queue* handles) {
  struct uv__watches* table = uv__watches_of(loop);

  uv__queue_init(handles);
  table->generation++;
  table->is_ending = 1;
  uv__trees_take(loop, handles);
  table->is_ending = 0;
  for (unsigned i = 0; i < table->size; i++) {
    while (table->buckets[i] != NULL) {
      struct uv__watch* watch = table->buckets[i];
      uv__queue_splice(handles, &watch->handles);
      if (watch->todo != NULL)
        uv__queue_splice(handles, watch->todo);
      uv__watch_free(table, watch);
    }
  }

  for (struct uv__queue* q = handles->next; q != handles; q = q->next)
    handle_of(q)->wd = -1;
}

int uv__inotify_is_only(const uv_loop_t* loop, const struct uv__tree* tree) {
  const struct uv__watches* table = uv__watches_of(loop);

  if (table->trees.next != &tree->link || table->trees.prev != &tree->link)
    return 0;
  for (unsigned i = 0; i < table->size; i++) {
    for (const struct uv__watch* watch = table->buckets[i]; watch != NULL;
         watch = watch->next) {
      if (watch->todo != NULL || !uv__queue_empty(&watch->handles))
        return 0;
    }
  }
  return 1;
}

void uv__inotify_close(uv_loop_t* loop,
                       void (*end)(struct uv__tree* tree),
                       struct uv__tree* tree) {
  struct uv__queue none;

  uv__watches_of(loop)->is_ending = 1;
  end(tree);
  take_handles(loop, &none);
  close_inotify_fd(loop);
}

/* The descriptor failed (P4): reports the error to each handle, which stays
 * active but receives nothing more. The next start opens a new descriptor. */
static void give_up(uv_loop_t* loop, int err) {
  struct uv__queue handles;

  take_handles(loop, &handles);
  close_inotify_fd(loop);
  while (!uv__queue_empty(&handles)) {
    uv_fs_event_t* handle = handle_of(uv__queue_pop_front(&handles));
    uv__call_fs_event(handle, NULL, 0, err);
  }
}

void uv__fs_event_io(uv_loop_t* loop, uv__io_t* w, unsigned events) {
  alignas(struct inotify_event) char batch[BATCH_BYTES];
  int is_empty = 0;

  if (w->events == 0 && (events & POLLERR)) {
    int err = uv__io_probe(loop, loop->inotify_fd);
    give_up(loop, err != 0 ? err : UV_EIO);
    return;
  }

  for (int i = 0; i < BATCHES_MAX && !is_empty; i++) {
    ssize_t size = uv__fd_read(loop->inotify_fd, batch, sizeof(batch));
    if (size == 0 || size == UV_EAGAIN) {
      is_empty = 1; /* no more events */
    } else if (size < 0) {
      give_up(loop, (int) size); /* the fd would stay ready for ever */
      return;
    } else if (!deliver_batch(loop, batch, (size_t) size)) {
      return;
    }
  }
  if (!uv__queue_empty(&uv__watches_of(loop)->trees))
    uv__trees_end_batch(loop, is_empty);
}

/* The descriptor is shared with the parent: removing watches or reading events
 * through it would affect the parent. */
int uv__fs_event_fork(uv_loop_t* loop) {
  if (loop->inotify_watchers != NULL)
    uv__scans_fork(loop);
  if (loop->inotify_fd < 0)
    return 0;

  struct uv__queue handles;
  take_handles(loop, &handles);
  close_inotify_fd(loop);

  int first_err = 0;
  while (!uv__queue_empty(&handles)) {
    uv_fs_event_t* handle = handle_of(uv__queue_pop_front(&handles));
    unsigned flags = handle->u.reserved[2] != NULL ? UV_FS_EVENT_RECURSIVE : 0;
    int err = uv__fs_event_os_start(handle, flags);
    if (first_err == 0)
      first_err = err;
  }
  return first_err;
}

/* The program's data pointers and function pointers have one size on every
 * system with inotify. */
int uv__fs_event_os_filter(uv_fs_event_t* handle, uvx_fs_event_filter_cb cb) {
  memcpy(&handle->u.reserved[1], &cb, sizeof(cb));
  return 0;
}

size_t uv__fs_event_os_unscanned(const uv_fs_event_t* handle) {
  const struct uv__tree* tree = uv__tree_of(handle);
  return tree == NULL ? 0 : tree->unscanned_count;
}
