/* SPDX-License-Identifier: MIT */
/* Watching paths with EVFILT_VNODE: one queue per loop, created by the first
 * start. A kqueue is pollable like any fd, so it has an ordinary watcher and
 * the poller needs no support for it.
 *
 *   readable -> uv__fs_event_io: fetch a batch -> the callback of each handle
 *
 * The kernel watches open files, so each handle keeps its path open. It reports
 * that entries of a directory were added or removed, but not which ones: we
 * keep the previous list and compare. The reported name is NULL if there is
 * nothing to compare with (a large directory, no memory) or no difference (an
 * entry came and went). A deleted file stays open, without further events,
 * until the handle is stopped.
 *
 * V1  An active handle has an fd >= 0 and a vnode, in the table under that fd.
 * V2  Stopping removes a vnode from the batch that is being delivered. If its
 *     own callback is running, the delivery frees it.
 */
#include "unix/fs-event/fs-event.h"
#include "observe/callback.h"
#include "unix/fd.h"
#include "unix/fs-event/dir-names.h"
#include "unix/io.h"
#include "unix/loop.h"
#include "unix/os.h"
#include "util/alloc.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/types.h>
#include <sys/event.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#ifdef F_KINFO
# include <sys/user.h>
#endif

#if UV__HAVE_FSEVENTS
# include "unix/fs-event/fsevents.h"
#else

/* Without FSEvents, kqueue watches every path. */

static void uv__fsevents_init(uv_fs_event_t* handle) {
  (void) handle;
}

static int uv__fsevents_start(uv_fs_event_t* handle, unsigned int flags) {
  (void) handle;
  (void) flags;
  return UV_ENOTSUP;
}

static void uv__fsevents_stop(uv_fs_event_t* handle) {
  (void) handle;
}

static void uv__fsevents_init_loop(uv_loop_t* loop) {
  (void) loop;
}

static void uv__fsevents_close_loop(uv_loop_t* loop) {
  (void) loop;
}

static int uv__fsevents_fork(uv_loop_t* loop) {
  (void) loop;
  return 0;
}

#endif

#define CHANGES (NOTE_WRITE | NOTE_EXTEND | NOTE_ATTRIB)
#define RENAMES (NOTE_DELETE | NOTE_RENAME | NOTE_REVOKE)

#define BATCH_MAX 64
/* Batches per readiness event, so that a busy directory does not block the
 * loop. */
#define BATCHES_MAX 16

#ifdef O_EVTONLY
# define WATCH_FLAGS (O_EVTONLY | O_NONBLOCK) /* does not block unmounting */
#else
# define WATCH_FLAGS (O_RDONLY | O_NONBLOCK)
#endif

/* One watched path. */
struct vnode {
  uv_fs_event_t* handle;       /* NULL once stopped */
  struct uv__dir_names* names; /* entries of a directory; NULL: unknown */
  int is_dir;
  int is_large;   /* a directory that is no longer read, see dir-names.h */
  int is_renamed; /* a file that no longer has the name in handle->path */
  int busy;       /* its callback is running; the delivery frees it */
};

/* Per-loop state, present once a path was watched. */
struct uv__vnodes {
  uv__io_t watcher;     /* of the queue */
  struct vnode** by_fd; /* NULL where nothing is watched */
  unsigned size;        /* of by_fd */
  int owner;            /* the process that created the queue */
  /* The batch being delivered; `next` is the first undelivered event. */
  struct kevent batch[BATCH_MAX];
  int next;
  int count;
};

static struct uv__vnodes* vnodes_of(const uv_loop_t* loop) {
  return uv__loop_os(loop)->vnodes;
}

static int open_queue(uv_loop_t* loop, struct uv__vnodes* vnodes) {
  int kq = uv__fd_kqueue();
  if (kq < 0)
    return kq;

  uv__io_init(&vnodes->watcher, UV__IO_FS_EVENT);
  int err = uv__io_attach(loop, &vnodes->watcher, kq);
  if (err != 0) {
    (void) uv__fd_close(kq); /* the first error is the one to report */
    return err;
  }
  vnodes->owner = (int) getpid();
  uv__io_start(loop, &vnodes->watcher, POLLIN);
  return 0;
}

static int open_vnodes(uv_loop_t* loop) {
  if (vnodes_of(loop) != NULL)
    return 0;

  struct uv__vnodes* vnodes = uv__calloc(1, sizeof(*vnodes));
  if (vnodes == NULL)
    return UV_ENOMEM;
  int err = open_queue(loop, vnodes);
  if (err != 0) {
    uv__free(vnodes);
    return err;
  }
  uv__loop_os(loop)->vnodes = vnodes;
  return 0;
}

void uv__fs_event_init_loop(uv_loop_t* loop) {
  uv__loop_os(loop)->vnodes = NULL;
  uv__fsevents_init_loop(loop);
}

void uv__fs_event_close_loop(uv_loop_t* loop) {
  struct uv__vnodes* vnodes = vnodes_of(loop);

  uv__fsevents_close_loop(loop);
  if (vnodes == NULL)
    return;
  int kq = vnodes->watcher.fd;
  uv__io_close(loop, &vnodes->watcher);
  /* A forked child does not inherit the queue, only its number. */
  if (kq != -1 && vnodes->owner == (int) getpid())
    (void) uv__fd_close(kq); /* holds no data */
  uv__free(vnodes->by_fd);
  uv__free(vnodes);
  uv__loop_os(loop)->vnodes = NULL;
}

void uv__fs_event_os_init(uv_fs_event_t* handle) {
  UV__FS_EVENT_FD(handle) = -1;
  uv__fsevents_init(handle);
}

static int vnodes_reserve(struct uv__vnodes* vnodes, unsigned fd) {
  if (fd < vnodes->size)
    return 0;

  unsigned size = vnodes->size == 0 ? 64 : vnodes->size;
  while (size <= fd)
    size *= 2;
  struct vnode** by_fd = uv__realloc_array(vnodes->by_fd, size, sizeof(*by_fd));
  if (by_fd == NULL)
    return UV_ENOMEM;
  for (unsigned i = vnodes->size; i < size; i++)
    by_fd[i] = NULL;
  vnodes->by_fd = by_fd;
  vnodes->size = size;
  return 0;
}

static int vnode_watch(const struct uv__vnodes* vnodes, int fd) {
  struct kevent change;

  EV_SET(&change, (uintptr_t) fd, EVFILT_VNODE, EV_ADD | EV_CLEAR,
         CHANGES | RENAMES, 0, (void*) vnodes->by_fd[fd]);
  if (kevent(vnodes->watcher.fd, &change, 1, NULL, 0, NULL) != 0)
    return uv__errno();
  return 0;
}

static int is_directory(int fd) {
  struct stat st;
  return fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
}

static void free_vnode(struct vnode* vnode) {
  uv__free(vnode->names);
  uv__free(vnode);
}

/* Reads the entries of a directory, unless it was found to be large: it then
 * stays so until the handle is started again, because to look is the cost. */
static void vnode_read_names(struct vnode* vnode, int fd) {
  vnode->names = NULL;
  if (!vnode->is_large)
    vnode->is_large = uv__dir_names_read(fd, &vnode->names) == UV_EFBIG;
}

/* Watches before reading the names: a change in between is reported, and the
 * comparison finds no difference. The other order could miss it. */
static int add_vnode(struct uv__vnodes* vnodes, uv_fs_event_t* handle, int fd) {
  int err = vnodes_reserve(vnodes, (unsigned) fd);
  if (err != 0)
    return err;
  struct vnode* vnode = uv__calloc(1, sizeof(*vnode));
  if (vnode == NULL)
    return UV_ENOMEM;

  vnode->handle = handle;
  vnode->is_dir = is_directory(fd);
  vnodes->by_fd[fd] = vnode;
  err = vnode_watch(vnodes, fd);
  if (err != 0) {
    vnodes->by_fd[fd] = NULL;
    free_vnode(vnode);
    return err;
  }
  if (vnode->is_dir)
    vnode_read_names(vnode, fd);
  return 0;
}

int uv__fs_event_os_start(uv_fs_event_t* handle, unsigned int flags) {
  int err = uv__fsevents_start(handle, flags);
  if (err != UV_ENOTSUP)
    return err;

  err = open_vnodes(handle->loop);
  if (err != 0)
    return err;
  int fd = uv__fd_above_stdio(uv__fd_open(handle->path, WATCH_FLAGS, 0));
  if (fd < 0)
    return fd;
  err = add_vnode(vnodes_of(handle->loop), handle, fd);
  if (err != 0) {
    (void) uv__fd_close(fd); /* the first error is the one to report */
    return err;
  }
  UV__FS_EVENT_FD(handle) = fd;
  return 0;
}

void uv__fs_event_os_stop(uv_fs_event_t* handle) {
  struct uv__vnodes* vnodes = vnodes_of(handle->loop);
  int fd = UV__FS_EVENT_FD(handle);

  if (fd == -1) {
    uv__fsevents_stop(handle);
    return;
  }
  struct vnode* vnode = vnodes->by_fd[fd];
  UV__FS_EVENT_FD(handle) = -1;
  vnodes->by_fd[fd] = NULL;
  vnode->handle = NULL;
  for (int i = vnodes->next; i < vnodes->count; i++)
    if (vnodes->batch[i].udata == (void*) vnode)
      vnodes->batch[i].udata = NULL;
  if (!vnode->busy)
    free_vnode(vnode);
  (void) uv__fd_close(fd); /* which also removes it from the queue */
}

/* The last component of a path. */
static void copy_last_part(char out[NAME_MAX + 1], const char* path) {
  size_t len = strlen(path);
  while (len > 1 && path[len - 1] == '/')
    len--;

  size_t size = 0;
  while (size < len && size < NAME_MAX && path[len - size - 1] != '/')
    size++;
  memcpy(out, path + len - size, size);
  out[size] = '\0';
}

/* The present path of an open file: 0, or UV_E* where the system cannot tell,
 * as for a file that was deleted. */
#if defined(F_GETPATH) /* macOS, NetBSD 10 */
static int path_of_fd(int fd, char path[PATH_MAX]) {
  return fcntl(fd, F_GETPATH, path) == -1 ? uv__errno() : 0;
}
#elif defined(F_KINFO) /* FreeBSD 13.1 */
static int path_of_fd(int fd, char path[PATH_MAX]) {
  struct kinfo_file info;

  memset(&info, 0, sizeof(info));
  info.kf_structsize = (int) sizeof(info);
  if (fcntl(fd, F_KINFO, &info) == -1)
    return uv__errno();
  memcpy(path, info.kf_path, sizeof(info.kf_path));
  path[sizeof(info.kf_path) - 1] = '\0';
  return path[0] == '\0' ? UV_ENOENT : 0;
}
#else
static int path_of_fd(int fd, char path[PATH_MAX]) {
  (void) fd;
  (void) path;
  return UV_ENOSYS;
}
#endif

/* The name of the watched path itself. A copy, because the callback may stop
 * the handle, which frees the path. The kernel is asked only about a file that
 * was renamed: before that, the program's own spelling is the better answer (it
 * may have watched a symbolic link). */
static void copy_own_name(char out[NAME_MAX + 1], const struct vnode* vnode) {
  char path[PATH_MAX];

  if (vnode->is_renamed &&
      path_of_fd(UV__FS_EVENT_FD(vnode->handle), path) == 0)
    copy_last_part(out, path);
  else
    copy_last_part(out, vnode->handle->path);
}

static void deliver_self(struct vnode* vnode, unsigned changes) {
  uv_fs_event_t* handle = vnode->handle;
  char name[NAME_MAX + 1];
  int events = 0;

  if (changes & CHANGES)
    events |= UV_CHANGE;
  if (changes & RENAMES)
    events |= UV_RENAME;
  if ((changes & NOTE_RENAME) && !vnode->is_dir)
    vnode->is_renamed = 1;
  copy_own_name(name, vnode);
  uv__call_fs_event(handle, name, events, 0);
}

/* Reports each difference between the lists; returns how many there are. */
static int deliver_names(struct vnode* vnode,
                         const struct uv__dir_names* before,
                         const struct uv__dir_names* after) {
  size_t i = 0;
  size_t k = 0;
  int count = 0;

  while (vnode->handle != NULL) {
    const char* name = uv__dir_names_next(before, after, &i, &k);
    if (name == NULL)
      break;
    uv__call_fs_event(vnode->handle, name, UV_RENAME, 0);
    count++;
  }
  return count;
}

/* Reports the entries that were added or removed since the last comparison. */
static void deliver_entries(struct vnode* vnode) {
  struct uv__dir_names* before = vnode->names;
  int count = 0;

  vnode_read_names(vnode, UV__FS_EVENT_FD(vnode->handle));
  if (before != NULL && vnode->names != NULL)
    count = deliver_names(vnode, before, vnode->names);
  if (count == 0)
    uv__call_fs_event(vnode->handle, NULL, UV_RENAME, 0);
  uv__free(before);
}

static void vnode_deliver(struct vnode* vnode, unsigned changes) {
  unsigned self = vnode->is_dir ? RENAMES | NOTE_ATTRIB : RENAMES | CHANGES;

  vnode->busy = 1;
  if (vnode->is_dir && (changes & NOTE_WRITE) && !(changes & NOTE_DELETE))
    deliver_entries(vnode);
  if (vnode->handle != NULL && (changes & self))
    deliver_self(vnode, changes & self);
  vnode->busy = 0;
  if (vnode->handle == NULL)
    free_vnode(vnode);
}

void uv__fs_event_io(uv_loop_t* loop, uv__io_t* w, unsigned events) {
  static const struct timespec at_once = { 0, 0 };
  struct uv__vnodes* vnodes = vnodes_of(loop);
  (void) events;

  for (int i = 0; i < BATCHES_MAX; i++) {
    int n = kevent(w->fd, NULL, 0, vnodes->batch, BATCH_MAX, &at_once);
    if (n <= 0)
      return; /* no more events; an error would only repeat */

    vnodes->count = n;
    for (vnodes->next = 0; vnodes->next < vnodes->count;) {
      const struct kevent* event = &vnodes->batch[vnodes->next++];
      if (event->udata != NULL)
        vnode_deliver((struct vnode*) event->udata, event->fflags);
    }
    if (n < BATCH_MAX)
      return;
  }
}

/* Registers the inherited files with a new queue, which a child does not
 * inherit. */
static int watch_again(uv_loop_t* loop, struct uv__vnodes* vnodes) {
  uv__io_close(loop, &vnodes->watcher);
  vnodes->watcher.fd = -1;
  vnodes->count = 0;
  int first_err = open_queue(loop, vnodes);
  if (first_err != 0)
    return first_err;

  for (unsigned fd = 0; fd < vnodes->size; fd++) {
    if (vnodes->by_fd[fd] == NULL)
      continue;
    int err = vnode_watch(vnodes, (int) fd);
    if (first_err == 0)
      first_err = err;
  }
  return first_err;
}

int uv__fs_event_fork(uv_loop_t* loop) {
  int err = 0;
  if (vnodes_of(loop) != NULL)
    err = watch_again(loop, vnodes_of(loop));
  int fsevents_err = uv__fsevents_fork(loop);
  return err != 0 ? err : fsevents_err;
}

/* FSEvents knows subdirectories by itself, kqueue does not know any. */
int uv__fs_event_os_filter(uv_fs_event_t* handle, uvx_fs_event_filter_cb cb) {
  (void) handle;
  (void) cb;
  return UV_ENOTSUP;
}

size_t uv__fs_event_os_unscanned(const uv_fs_event_t* handle) {
  (void) handle;
  return 0;
}
