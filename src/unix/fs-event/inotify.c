/* SPDX-License-Identifier: MIT */
/* Watching paths with inotify: one descriptor per loop, opened by the first
 * start.
 *
 *   readable -> uv__fs_event_io: read a batch -> find the watch of each event
 *   -> call the callbacks of its handles
 *
 * The kernel has one watch per inode, so handles on the same file share it. A
 * watch ends with its inode (IN_IGNORED); its handles stay active but receive
 * nothing more. When the kernel's queue overflows, events are lost without
 * notice: the API has no way to report it.
 *
 * N1  An active handle has wd >= 0 and is in the queue of that watch, or has
 *     wd -1 and is in no queue.
 * N2  A watch without handles is removed, except while one of its events is
 *     being delivered: then the delivery removes it.
 */
#include "unix/fs-event/fs-event.h"
#include "observe/callback.h"
#include "unix/fd.h"
#include "unix/io.h"
#include "util/alloc.h"
#include "util/queue.h"

#include <limits.h>
#include <stdalign.h>
#include <string.h>
#include <sys/inotify.h>

#define CHANGES (IN_ATTRIB | IN_MODIFY)
#define RENAMES                                                                \
 (IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_MOVED_FROM |      \
  IN_MOVED_TO)

#define BUCKETS_FIRST 16u
#define BATCH_BYTES 8192
/* Batches per readiness event, so that a busy directory does not block the
 * loop. */
#define BATCHES_MAX 16

/* One inotify watch. */
struct watch {
  struct watch* next; /* next in the same bucket */
  int wd;
  struct uv__queue handles;
  /* During a delivery: the handles whose callback has not run yet. NULL
   * otherwise. */
  struct uv__queue* todo;
};

/* loop->inotify_watchers: the watches, hashed by wd. The kernel assigns watch
 * descriptors in sequence, so their low bits hash well. */
struct watch_table {
  struct watch** buckets;
  unsigned size; /* a power of two */
  unsigned count;
  unsigned generation; /* changes when all watches are replaced */
};

static struct watch_table* table_of(const uv_loop_t* loop) {
  return loop->inotify_watchers;
}

static struct watch** bucket_of(const struct watch_table* table, int wd) {
  return &table->buckets[(unsigned) wd & (table->size - 1)];
}

static struct watch_table* table_new(void) {
  struct watch_table* table = uv__calloc(1, sizeof(*table));
  if (table == NULL)
    return NULL;

  table->size = BUCKETS_FIRST;
  table->buckets = uv__calloc(table->size, sizeof(*table->buckets));
  if (table->buckets == NULL) {
    uv__free(table);
    return NULL;
  }
  return table;
}

static void table_free(struct watch_table* table) {
  assert(table->count == 0);
  uv__free(table->buckets);
  uv__free(table);
}

static void link_watch(struct watch_table* table, struct watch* watch) {
  struct watch** bucket = bucket_of(table, watch->wd);
  watch->next = *bucket;
  *bucket = watch;
}

/* Doubles the number of buckets; without memory the chains grow instead. */
static void table_grow(struct watch_table* table) {
  struct watch** old = table->buckets;
  unsigned old_size = table->size;

  struct watch** buckets = uv__calloc(old_size * 2, sizeof(*buckets));
  if (buckets == NULL)
    return;

  table->buckets = buckets;
  table->size = old_size * 2;
  for (unsigned i = 0; i < old_size; i++) {
    struct watch* next;
    for (struct watch* watch = old[i]; watch != NULL; watch = next) {
      next = watch->next;
      link_watch(table, watch);
    }
  }
  uv__free(old);
}

static struct watch* find_watch(const struct watch_table* table, int wd) {
  struct watch* watch = *bucket_of(table, wd);
  while (watch != NULL && watch->wd != wd)
    watch = watch->next;
  return watch;
}

static struct watch* add_watch(struct watch_table* table, int wd) {
  struct watch* watch = uv__calloc(1, sizeof(*watch));
  if (watch == NULL)
    return NULL;

  if (table->count >= table->size)
    table_grow(table);

  watch->wd = wd;
  uv__queue_init(&watch->handles);
  link_watch(table, watch);
  table->count++;
  return watch;
}

static void free_watch(struct watch_table* table, struct watch* watch) {
  struct watch** link = bucket_of(table, watch->wd);
  while (*link != watch)
    link = &(*link)->next;

  *link = watch->next;
  table->count--;
  uv__free(watch);
}

/* Keeps N2. */
static void remove_watch_if_unused(uv_loop_t* loop, struct watch* watch) {
  if (watch->todo != NULL || !uv__queue_empty(&watch->handles))
    return;

  /* Fails only if the inode is gone, which removed the watch as well. */
  (void) inotify_rm_watch(loop->inotify_fd, watch->wd);
  free_watch(table_of(loop), watch);
}

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
    loop->inotify_watchers = table_new();
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
  if (loop->inotify_fd >= 0)
    close_inotify_fd(loop);
  if (loop->inotify_watchers != NULL)
    table_free(table_of(loop));
  loop->inotify_watchers = NULL;
}

void uv__fs_event_os_init(uv_fs_event_t* handle) {
  handle->wd = -1;
  uv__queue_init(&handle->watchers);
}

int uv__fs_event_os_start(uv_fs_event_t* handle, unsigned int flags) {
  uv_loop_t* loop = handle->loop;
  (void) flags; /* recursive watching is not supported on Linux */

  int err = open_inotify(loop);
  if (err != 0)
    return err;

  int wd = inotify_add_watch(loop->inotify_fd, handle->path, CHANGES | RENAMES);
  if (wd < 0)
    return uv__errno();

  struct watch* watch = find_watch(table_of(loop), wd);
  if (watch == NULL)
    watch = add_watch(table_of(loop), wd);
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

  handle->wd = -1;
  uv__queue_remove(&handle->watchers);
  if (wd >= 0)
    remove_watch_if_unused(loop, find_watch(table_of(loop), wd));
}

static uv_fs_event_t* handle_of(struct uv__queue* q) {
  return container_of(q, uv_fs_event_t, watchers);
}

/* Detaches the handles: the inode of the watch is gone (N1). */
static void retire_watch(uv_loop_t* loop, struct watch* watch) {
  while (!uv__queue_empty(&watch->handles))
    handle_of(uv__queue_pop_front(&watch->handles))->wd = -1;
  free_watch(table_of(loop), watch);
}

/* The last component of a path, for events of the watched file itself. A copy,
 * because the callback may stop the handle, which frees the path. */
static const char* own_name(const char* path, char out[NAME_MAX + 1]) {
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

/* Everything except changes of content or attributes is UV_RENAME. As in libuv,
 * that includes IN_ISDIR: an attribute change of a directory reports both. */
static int public_events(uint32_t mask) {
  int events = 0;

  if (mask & CHANGES)
    events |= UV_CHANGE;
  if (mask & ~(uint32_t) CHANGES)
    events |= UV_RENAME;
  return events;
}

/* Delivers an event to the handles of one watch. Callbacks may stop, start and
 * close any handle: each handle is back in its queue before its callback runs,
 * and handles started meanwhile are not in `todo`. Returns 0 if a callback
 * replaced all watches (uv_loop_fork() in a child); `watch` and the batch are
 * invalid then. */
static int watch_deliver(uv_loop_t* loop,
                         struct watch* watch,
                         const struct inotify_event* event) {
  unsigned generation = table_of(loop)->generation;
  char self[NAME_MAX + 1];
  struct uv__queue todo;

  uv__queue_move(&todo, &watch->handles);
  watch->todo = &todo;
  while (!uv__queue_empty(&todo)) {
    struct uv__queue* q = uv__queue_pop_front(&todo);
    uv__queue_push_back(&watch->handles, q);

    uv_fs_event_t* handle = handle_of(q);
    const char* name =
        event->len != 0 ? event->name : own_name(handle->path, self);
    uv__call_fs_event(handle, name, public_events(event->mask), 0);
    if (table_of(loop)->generation != generation)
      return 0;
  }
  watch->todo = NULL;

  if (event->mask & IN_IGNORED)
    retire_watch(loop, watch);
  else
    remove_watch_if_unused(loop, watch);
  return 1;
}

static int deliver_batch(uv_loop_t* loop, const char* batch, size_t size) {
  const char* end = batch + size;

  while (batch < end) {
    const struct inotify_event* event = (const void*) batch;
    batch += sizeof(*event) + event->len;

    /* NULL if it was stopped after the kernel queued the event. */
    struct watch* watch = find_watch(table_of(loop), event->wd);
    if (watch != NULL && !watch_deliver(loop, watch, event))
      return 0;
  }
  return 1;
}

/* Detaches all handles from their watches and frees the watches (N1). */
static void take_handles(struct watch_table* table, struct uv__queue* handles) {
  for (unsigned i = 0; i < table->size; i++) {
    while (table->buckets[i] != NULL) {
      struct watch* watch = table->buckets[i];
      uv__queue_splice(handles, &watch->handles);
      if (watch->todo != NULL)
        uv__queue_splice(handles, watch->todo);
      free_watch(table, watch);
    }
  }
  table->generation++;

  for (struct uv__queue* q = handles->next; q != handles; q = q->next)
    handle_of(q)->wd = -1;
}

/* The descriptor failed (P4): reports the error to each handle, which stays
 * active but receives nothing more. The next start opens a new descriptor. */
static void give_up(uv_loop_t* loop, int err) {
  struct uv__queue handles;

  uv__queue_init(&handles);
  take_handles(table_of(loop), &handles);
  close_inotify_fd(loop);
  while (!uv__queue_empty(&handles)) {
    uv_fs_event_t* handle = handle_of(uv__queue_pop_front(&handles));
    uv__call_fs_event(handle, NULL, 0, err);
  }
}

void uv__fs_event_io(uv_loop_t* loop, uv__io_t* w, unsigned events) {
  alignas(struct inotify_event) char batch[BATCH_BYTES];

  if (w->events == 0 && (events & POLLERR)) {
    int err = uv__io_probe(loop, loop->inotify_fd);
    give_up(loop, err != 0 ? err : UV_EIO);
    return;
  }

  for (int i = 0; i < BATCHES_MAX; i++) {
    ssize_t size = uv__fd_read(loop->inotify_fd, batch, sizeof(batch));
    if (size == 0 || size == UV_EAGAIN)
      return; /* no more events */
    if (size < 0) {
      give_up(loop, (int) size); /* the fd would stay ready for ever */
      return;
    }
    if (!deliver_batch(loop, batch, (size_t) size))
      return;
  }
}

/* The descriptor is shared with the parent: removing watches or reading events
 * through it would affect the parent. */
int uv__fs_event_fork(uv_loop_t* loop) {
  if (loop->inotify_fd < 0)
    return 0;

  struct watch_table* table = table_of(loop);
  struct uv__queue handles;
  uv__queue_init(&handles);
  take_handles(table, &handles);
  close_inotify_fd(loop);

  int first_err = 0;
  while (!uv__queue_empty(&handles)) {
    uv_fs_event_t* handle = handle_of(uv__queue_pop_front(&handles));
    int err = uv__fs_event_os_start(handle, 0);
    if (first_err == 0)
      first_err = err;
  }
  return first_err;
}
