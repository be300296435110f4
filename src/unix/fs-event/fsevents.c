/* SPDX-License-Identifier: MIT */
/* Watching directories with FSEvents, which unlike kqueue reports names and
 * subdirectories. Files are left to kqueue.
 *
 *   a dispatch thread calls on_changes() -> list under the watch's lock ->
 *   async handle -> loop thread: watch_deliver() -> the callback
 *
 * The frameworks are loaded on first use: a program that watches nothing does
 * not pay for them, and building needs none. Each watch is a stream on the
 * loop's serial dispatch queue. A forked child must not call the frameworks;
 * kqueue takes over there.
 *
 * W1  After stop_stream(), on_changes() is neither running nor called again.
 * W2  After its handle is stopped, a watch lives on until its async handle is
 *     closed.
 */
#include "unix/fs-event/fsevents.h"
#include "observe/callback.h"
#include "os/fs-event.h"
#include "unix/fd.h"
#include "util/alloc.h"
#include "util/queue.h"

#include <dispatch/dispatch.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Seconds for which the system collects changes before it reports them. */
#define LATENCY_S 0.03
#define EVENT_ID_NOW UINT64_MAX

/* FSEventStreamCreateFlags */
enum { CREATE_NO_DEFER = 0x2, CREATE_WATCH_ROOT = 0x4, CREATE_FILES = 0x10 };

/* FSEventStreamEventFlags */
enum {
  EVENT_ROOT_CHANGED = 0x20,
  EVENT_CREATED = 0x100,
  EVENT_REMOVED = 0x200,
  EVENT_META = 0x400,
  EVENT_RENAMED = 0x800,
  EVENT_MODIFIED = 0x1000,
  EVENT_FINDER = 0x2000,
  EVENT_OWNER = 0x4000,
  EVENT_XATTR = 0x8000
};

#define EVENTS_CHANGE                                                          \
 (EVENT_META | EVENT_MODIFIED | EVENT_FINDER | EVENT_OWNER | EVENT_XATTR)
#define EVENTS_RENAME                                                          \
 (EVENT_ROOT_CHANGED | EVENT_CREATED | EVENT_REMOVED | EVENT_RENAMED)

/* Types of CoreFoundation and CoreServices, as far as they are used. */
typedef const void* cf_ref;
typedef void* stream_ref;

struct stream_context {
  long version;
  void* info;
  const void* (*retain)(const void*);
  void (*release)(const void*);
  cf_ref (*describe)(const void*);
};

typedef void stream_callback(const void* stream,
                             void* info,
                             size_t count,
                             void* paths,
                             const uint32_t* flags,
                             const uint64_t* ids);

/* Functions of the frameworks. `usable` is 1 if all were found. */
static struct {
  int usable;
  cf_ref (*string_create)(cf_ref allocator, const char* path);
  cf_ref (*array_create)(cf_ref allocator,
                         const void** values,
                         long count,
                         const void* callbacks);
  void (*release)(cf_ref object);
  const void* array_callbacks;
  stream_ref (*create)(cf_ref allocator,
                       stream_callback* callback,
                       struct stream_context* context,
                       cf_ref paths,
                       uint64_t since,
                       double latency,
                       uint32_t flags);
  void (*set_queue)(stream_ref stream, dispatch_queue_t queue);
  unsigned char (*start)(stream_ref stream);
  void (*stop)(stream_ref stream);
  void (*invalidate)(stream_ref stream);
  void (*release_stream)(stream_ref stream);
} api;

static uv_once_t api_once = UV_ONCE_INIT;
static int in_forked_child;

/* One change, queued for the loop thread. */
struct change {
  struct uv__queue link;
  int events;  /* UV_RENAME | UV_CHANGE */
  char name[]; /* relative to the watched directory */
};

/* One watched directory. handle->cf_cb points to `async`. */
struct watch {
  uv_async_t async;
  uv_fs_event_t* handle; /* NULL after stop; loop thread only */
  stream_ref stream;
  char* root; /* real path without trailing slash; "" for "/" */
  size_t root_len;
  int recursive;
  uv_mutex_t lock;
  struct uv__queue changes; /* guarded by lock */
};

static void load_api(void) {
  static const char frameworks[] = "/System/Library/Frameworks/";
  char path[128];
  void* foundation;
  void* services;

  snprintf(path, sizeof(path), "%sCoreFoundation.framework/CoreFoundation",
           frameworks);
  foundation = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  snprintf(path, sizeof(path), "%sCoreServices.framework/CoreServices",
           frameworks);
  services = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (foundation == NULL || services == NULL)
    return;

  const struct {
    void* library;
    const char* name;
    void* slot;
  } symbols[] = {
    { foundation, "CFStringCreateWithFileSystemRepresentation",
      &api.string_create },
    { foundation, "CFArrayCreate", &api.array_create },
    { foundation, "CFRelease", &api.release },
    { foundation, "kCFTypeArrayCallBacks", &api.array_callbacks },
    { services, "FSEventStreamCreate", &api.create },
    { services, "FSEventStreamSetDispatchQueue", &api.set_queue },
    { services, "FSEventStreamStart", &api.start },
    { services, "FSEventStreamStop", &api.stop },
    { services, "FSEventStreamInvalidate", &api.invalidate },
    { services, "FSEventStreamRelease", &api.release_stream },
  };
  for (size_t i = 0; i < ARRAY_SIZE(symbols); i++) {
    void* address = dlsym(symbols[i].library, symbols[i].name);
    if (address == NULL)
      return;
    memcpy(symbols[i].slot, &address, sizeof(address));
  }
  api.usable = 1;
}

/* The name to report: the path relative to the root, or the name of the root.
 * NULL if the change does not concern the watch. */
static const char* relative_name(const struct watch* watch,
                                 const char* path,
                                 uint32_t flags) {
  if (strncmp(path, watch->root, watch->root_len) != 0)
    return NULL;

  const char* rest = path + watch->root_len;
  if (*rest == '\0') {
    const char* own = strrchr(watch->root, '/');
    int is_gone =
        (flags & (EVENT_ROOT_CHANGED | EVENT_REMOVED | EVENT_RENAMED)) != 0;
    return is_gone && own != NULL ? own + 1 : NULL;
  }
  if (*rest != '/')
    return NULL; /* a sibling with the same prefix */
  rest++;
  if (*rest == '\0' || (!watch->recursive && strchr(rest, '/') != NULL))
    return NULL;
  return rest;
}

static struct change* change_new(const char* name, uint32_t flags) {
  size_t size = strlen(name) + 1;
  struct change* change = uv__malloc(sizeof(*change) + size);
  if (change == NULL)
    return NULL; /* no way to report it */

  change->events = flags & EVENTS_RENAME ? UV_RENAME : UV_CHANGE;
  memcpy(change->name, name, size);
  return change;
}

/* Context: a thread of the dispatch queue. */
static void on_changes(const void* stream,
                       void* info,
                       size_t count,
                       void* paths,
                       const uint32_t* flags,
                       const uint64_t* ids) {
  struct watch* watch = info;
  char** path = paths;
  int found = 0;

  (void) stream;
  (void) ids;
  for (size_t i = 0; i < count; i++) {
    if (!(flags[i] & (EVENTS_RENAME | EVENTS_CHANGE)))
      continue;
    const char* name = relative_name(watch, path[i], flags[i]);
    struct change* change = name == NULL ? NULL : change_new(name, flags[i]);
    if (change == NULL)
      continue;
    uv_mutex_lock(&watch->lock);
    uv__queue_push_back(&watch->changes, &change->link);
    uv_mutex_unlock(&watch->lock);
    found = 1;
  }
  if (found)
    (void) uv_async_send(&watch->async); /* cannot fail while it is open */
}

static void take_changes(struct watch* watch, struct uv__queue* changes) {
  uv_mutex_lock(&watch->lock);
  uv__queue_move(changes, &watch->changes);
  uv_mutex_unlock(&watch->lock);
}

/* The callback may stop the handle; the remaining changes are dropped then. */
static void watch_deliver(uv_async_t* async) {
  struct watch* watch = container_of(async, struct watch, async);
  struct uv__queue changes;

  take_changes(watch, &changes);
  while (!uv__queue_empty(&changes)) {
    struct uv__queue* q = uv__queue_pop_front(&changes);
    struct change* change = container_of(q, struct change, link);
    uv_fs_event_t* handle = watch->handle;
    if (handle != NULL)
      uv__call_fs_event(handle, change->name, change->events, 0);
    uv__free(change);
  }
}

static void free_watch(uv_handle_t* async) {
  struct watch* watch = container_of((uv_async_t*) async, struct watch, async);
  struct uv__queue changes;

  take_changes(watch, &changes);
  while (!uv__queue_empty(&changes)) {
    struct uv__queue* q = uv__queue_pop_front(&changes);
    uv__free(container_of(q, struct change, link));
  }
  uv_mutex_destroy(&watch->lock);
  uv__free(watch->root);
  uv__free(watch);
}

/* The loop's dispatch queue, created on first use. */
static dispatch_queue_t queue_of(uv_loop_t* loop) {
  if (loop->cf_state == NULL)
    loop->cf_state = dispatch_queue_create("libuv.fsevents", NULL);
  return (dispatch_queue_t) loop->cf_state;
}

static stream_ref create_stream(struct watch* watch, const char* path) {
  struct stream_context context = { 0, watch, NULL, NULL, NULL };
  cf_ref string = api.string_create(NULL, path);
  if (string == NULL)
    return NULL;

  stream_ref stream = NULL;
  cf_ref paths = api.array_create(NULL, &string, 1, api.array_callbacks);
  api.release(string);
  if (paths == NULL)
    return NULL;
  stream =
      api.create(NULL, on_changes, &context, paths, EVENT_ID_NOW, LATENCY_S,
                 CREATE_NO_DEFER | CREATE_WATCH_ROOT | CREATE_FILES);
  api.release(paths);
  return stream;
}

/* 0 or UV_E*; on failure there is no stream. */
static int start_stream(struct watch* watch,
                        uv_loop_t* loop,
                        const char* path) {
  dispatch_queue_t queue = queue_of(loop);
  if (queue == NULL)
    return UV_ENOMEM;
  watch->stream = create_stream(watch, path);
  if (watch->stream == NULL)
    return UV_ENOMEM;

  api.set_queue(watch->stream, queue);
  if (api.start(watch->stream))
    return 0;
  api.invalidate(watch->stream);
  api.release_stream(watch->stream);
  watch->stream = NULL;
  return UV_EMFILE; /* the limit of the service is reached */
}

static void do_nothing(void* arg) {
  (void) arg;
}

/* Ensures W1: the queue is serial, so once an empty block has run, the
 * callbacks queued before it have returned. */
static void stop_stream(struct watch* watch, uv_loop_t* loop) {
  api.stop(watch->stream);
  api.invalidate(watch->stream);
  dispatch_sync_f(queue_of(loop), NULL, do_nothing);
  api.release_stream(watch->stream);
  watch->stream = NULL;
}

static int watch_new(uv_loop_t* loop, char* real, struct watch** out) {
  struct watch* watch = uv__calloc(1, sizeof(*watch));
  int err;

  if (watch == NULL)
    return UV_ENOMEM;
  err = uv_mutex_init(&watch->lock);
  if (err != 0)
    goto err_free;
  err = uv_async_init(loop, &watch->async, watch_deliver);
  if (err != 0)
    goto err_destroy_lock;

  uv__handle_make_internal(uv__base(&watch->async));
  uv__queue_init(&watch->changes);
  watch->root = real;
  watch->root_len = strlen(real);
  if (watch->root_len == 1)
    watch->root[--watch->root_len] = '\0';
  *out = watch;
  return 0;

err_destroy_lock:
  uv_mutex_destroy(&watch->lock);
err_free:
  uv__free(watch);
  return err;
}

/* Stores a copy of the resolved path, in our memory. */
static int path_resolve(const char* path, char** out) {
  char real[PATH_MAX];

  if (realpath(path, real) == NULL)
    return uv__errno();
  *out = uv__strdup(real);
  return *out == NULL ? UV_ENOMEM : 0;
}

void uv__fsevents_init_loop(uv_loop_t* loop) {
  loop->cf_state = NULL;
}

void uv__fsevents_init(uv_fs_event_t* handle) {
  handle->cf_cb = NULL;
}

int uv__fsevents_start(uv_fs_event_t* handle, unsigned int flags) {
  struct stat st;
  struct watch* watch;
  char* real;

  handle->cf_cb = NULL;
  if (in_forked_child || stat(handle->path, &st) != 0 || !S_ISDIR(st.st_mode))
    return UV_ENOTSUP; /* kqueue handles it, or returns the error */
  uv_once(&api_once, load_api);
  if (!api.usable)
    return UV_ENOTSUP;

  int err = path_resolve(handle->path, &real);
  if (err != 0)
    return err;
  err = watch_new(handle->loop, real, &watch);
  if (err != 0) {
    uv__free(real);
    return err;
  }
  watch->recursive = (flags & UV_FS_EVENT_RECURSIVE) != 0;
  watch->handle = handle;
  err = start_stream(watch, handle->loop, handle->path);
  if (err != 0) {
    watch->handle = NULL;
    uv_close(uv__base(&watch->async), free_watch);
    return err;
  }
  handle->cf_cb = &watch->async;
  return 0;
}

static void end_watch(uv_fs_event_t* handle, int with_stream) {
  struct watch* watch = container_of(handle->cf_cb, struct watch, async);

  handle->cf_cb = NULL;
  if (with_stream)
    stop_stream(watch, handle->loop);
  watch->handle = NULL;
  uv_close(uv__base(&watch->async), free_watch);
}

void uv__fsevents_stop(uv_fs_event_t* handle) {
  if (handle->cf_cb != NULL)
    end_watch(handle, 1);
}

void uv__fsevents_close_loop(uv_loop_t* loop) {
  if (loop->cf_state != NULL && !in_forked_child)
    dispatch_release((dispatch_queue_t) loop->cf_state);
  loop->cf_state = NULL;
}

/* Child side of fork: abandons the parent's streams and queue without releasing
 * them, and watches the directories through kqueue. */
int uv__fsevents_fork(uv_loop_t* loop) {
  struct uv__queue* q;
  int first_err = 0;

  in_forked_child = 1;
  loop->cf_state = NULL;
  for (q = loop->handle_queue.next; q != &loop->handle_queue; q = q->next) {
    uv_handle_t* base = container_of(q, uv_handle_t, handle_queue);
    if (base->type != UV_FS_EVENT || !uv__is_active(base))
      continue;
    uv_fs_event_t* handle = (uv_fs_event_t*) base;
    if (handle->cf_cb == NULL)
      continue;
    end_watch(handle, 0);
    int err = uv__fs_event_os_start(handle, 0);
    if (first_err == 0)
      first_err = err;
  }
  return first_err;
}
