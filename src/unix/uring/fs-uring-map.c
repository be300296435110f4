/* SPDX-License-Identifier: MIT */
/* The operations that a ring can execute; see fs-uring-map.h.
 *
 * Operations that the kernel completes during submission cost a fraction of a
 * round trip to a worker. Those that it passes to its own workers take longer
 * than the thread pool, whose workers spin before they sleep; they go to the
 * pool unless UV_USE_IO_URING asks for everything.
 *
 * A result that may be about io_uring rather than about the file (refused,
 * interrupted, try again) is not passed on: nothing has happened yet, so the
 * pool executes the request and its result counts.
 */
#include "unix/uring/fs-uring-map.h"
#include "os/fs.h"
#include "unix/fs-statx.h"
#include "unix/iovec.h"
#include "util/alloc.h"

#include <errno.h>
#include <fcntl.h>

/* Larger copies would hold up the loop thread, even from the page cache; this
 * one takes about ten microseconds. */
#define COPY_MAX (64u << 10)

/* Not every file system can write without blocking (ext4 cannot). After a
 * refusal, this many writes go to the pool before the next attempt. */
#define WRITES_OFF 255

/* Missing in older headers. */
#ifndef RWF_NOWAIT
# define RWF_NOWAIT 0x00000008
#endif
#ifndef O_TMPFILE
# define O_TMPFILE (020000000 | O_DIRECTORY)
#endif

struct uv__statx_buffer {
  struct uv__statx_data attributes;
  struct uv__statx_buffer* next;
};

typedef int fill_fn(struct uv__fs_uring_map*, uv_fs_t*, struct uv__sqe*);
typedef int finish_fn(struct uv__fs_uring_map*, uv_fs_t*, int res);

static uint64_t address_of(const void* p) {
  return (uint64_t) (uintptr_t) p;
}

static int fill_fd(struct uv__fs_uring_map* map,
                   uv_fs_t* req,
                   struct uv__sqe* sqe) {
  (void) map;
  sqe->fd = req->file;
  return 1;
}

static int fill_length(struct uv__fs_uring_map* map,
                       uv_fs_t* req,
                       struct uv__sqe* sqe) {
  sqe->off = (uint64_t) req->off;
  return fill_fd(map, req, sqe);
}

static int fill_path(struct uv__fs_uring_map* map,
                     uv_fs_t* req,
                     struct uv__sqe* sqe) {
  (void) map;
  sqe->fd = AT_FDCWD;
  sqe->addr = address_of(req->path);
  return 1;
}

static int fill_path_mode(struct uv__fs_uring_map* map,
                          uv_fs_t* req,
                          struct uv__sqe* sqe) {
  sqe->len = req->mode;
  return fill_path(map, req, sqe);
}

/* Creating and truncating always block. */
static int may_create(int flags) {
  return (flags & (O_CREAT | O_TRUNC)) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

static int fill_open(struct uv__fs_uring_map* map,
                     uv_fs_t* req,
                     struct uv__sqe* sqe) {
  if (may_create(req->flags) && !map->takes_all)
    return 0;
  sqe->op_flags = (uint32_t) (req->flags | O_CLOEXEC | O_LARGEFILE);
  return fill_path_mode(map, req, sqe);
}

/* symlink: the target, then the name. */
static int fill_symlink(struct uv__fs_uring_map* map,
                        uv_fs_t* req,
                        struct uv__sqe* sqe) {
  sqe->off = address_of(req->new_path);
  return fill_path(map, req, sqe);
}

/* Two paths, each with its directory. */
static int fill_paths(struct uv__fs_uring_map* map,
                      uv_fs_t* req,
                      struct uv__sqe* sqe) {
  sqe->len = (uint32_t) AT_FDCWD;
  return fill_symlink(map, req, sqe);
}

static size_t bytes_of(const uv_fs_t* req) {
  size_t sum = 0;

  for (unsigned i = 0; i < req->nbufs; i++) {
    if (req->bufs[i].len > UV__FS_BYTES_MAX - sum)
      return SIZE_MAX;
    sum += req->bufs[i].len;
  }
  return sum;
}

/* pread() and pwrite() fail for pipes and the like; io_uring would ignore the
 * offset and transfer the bytes. Probe with an empty transfer, which neither
 * changes the file nor waits for the lock of its position. */
static int is_seekable(struct uv__fs_uring_map* map, const uv_fs_t* req) {
  int is_write = req->fs_type == UV_FS_WRITE;
  int64_t key = (int64_t) req->file * 2 + is_write;

  if (key == map->seekable)
    return 1;
  ssize_t rc =
      is_write ? pwritev(req->file, NULL, 0, 0) : preadv(req->file, NULL, 0, 0);
  if (rc != 0 && errno == ESPIPE)
    return 0;
  map->seekable = key;
  return 1;
}

/* A transfer at the current position of a seekable file goes to the pool.
 * io_uring loads the position at the start and stores it at the end, without
 * the lock that read(2) and write(2) hold: writes of another thread in between
 * are lost (seen on Linux 6.18 with ext4). */
static int is_position_safe(struct uv__fs_uring_map* map, const uv_fs_t* req) {
  return is_seekable(map, req) == (req->off >= 0);
}

/* A write that would block is refused, and nothing is written. A write to a
 * pipe may block: that occupies no worker. */
static int is_write_worth_it(struct uv__fs_uring_map* map,
                             const uv_fs_t* req,
                             struct uv__sqe* sqe) {
  if (req->fs_type != UV_FS_WRITE || req->off < 0 || map->takes_all)
    return 1;
  sqe->op_flags = RWF_NOWAIT;
  if (map->writes_off == 0)
    return 1;
  map->writes_off--;
  return 0;
}

static void fill_buffers(const uv_fs_t* req, struct uv__sqe* sqe) {
  if (req->nbufs == 1) {
    sqe->addr = address_of(req->bufs[0].base);
    sqe->len = (uint32_t) req->bufs[0].len;
    return;
  }
  sqe->opcode = req->fs_type == UV_FS_READ ? UV__URING_READV : UV__URING_WRITEV;
  sqe->addr = address_of(req->bufs);
  sqe->len = req->nbufs;
}

static int fill_rw(struct uv__fs_uring_map* map,
                   uv_fs_t* req,
                   struct uv__sqe* sqe) {
  size_t bytes = bytes_of(req);

  if (bytes > UV__FS_BYTES_MAX || req->nbufs > UV__IOV_MAX)
    return 0;
  if (bytes > COPY_MAX && !map->takes_all)
    return 0;
  if (!is_write_worth_it(map, req, sqe) || !is_position_safe(map, req))
    return 0;

  sqe->fd = req->file;
  sqe->off = req->off < 0 ? UINT64_MAX : (uint64_t) req->off;
  if (bytes > COPY_MAX)
    sqe->flags |= UV__SQE_ASYNC;
  fill_buffers(req, sqe);
  return 1;
}

static struct uv__statx_buffer* take_buffer(struct uv__fs_uring_map* map) {
  struct uv__statx_buffer* buffer = map->buffers;

  if (buffer == NULL)
    return uv__calloc(1, sizeof(*buffer)); /* zeroed for analysers */
  map->buffers = buffer->next;
  return buffer;
}

/* While a stat is in flight, req->ptr points to its buffer; afterwards to the
 * result, as usual. */
static void put_buffer(struct uv__fs_uring_map* map, uv_fs_t* req) {
  struct uv__statx_buffer* buffer = req->ptr;

  buffer->next = map->buffers;
  map->buffers = buffer;
  req->ptr = NULL;
}

static int is_stat(const uv_fs_t* req) {
  return req->fs_type == UV_FS_STAT || req->fs_type == UV_FS_LSTAT ||
         req->fs_type == UV_FS_FSTAT;
}

static int fill_stat(struct uv__fs_uring_map* map,
                     uv_fs_t* req,
                     struct uv__sqe* sqe) {
  struct uv__statx_buffer* buffer = take_buffer(map);
  if (buffer == NULL)
    return 0;

  req->ptr = buffer;
  sqe->fd = req->fs_type == UV_FS_FSTAT ? req->file : AT_FDCWD;
  sqe->addr = address_of(req->fs_type == UV_FS_FSTAT ? "" : req->path);
  sqe->off = address_of(&buffer->attributes);
  sqe->len = UV__STATX_MASK;
  return 1;
}

/* Could this error be about io_uring rather than about the file? */
static int is_ring_error(int err) {
  return err == UV_EINTR || err == UV_EAGAIN || err == UV_ECANCELED ||
         err == UV_EINVAL || err == UV_ENOTSUP || err == UV_ENOSYS;
}

static int finish_plain(struct uv__fs_uring_map* map, uv_fs_t* req, int res) {
  (void) map;
  if (is_ring_error(res))
    return 0;
  req->result = res;
  return 1;
}

/* Never retried: a second close could hit a reused descriptor. */
static int finish_close(struct uv__fs_uring_map* map, uv_fs_t* req, int res) {
  (void) map;
  if (res == UV_ECANCELED)
    return 0; /* not started */
  req->result = res == UV_EINTR || res == -EINPROGRESS ? 0 : res;
  return 1;
}

/* The pool continues after a short write. */
static int finish_write(struct uv__fs_uring_map* map, uv_fs_t* req, int res) {
  if (res == UV_EAGAIN || res == UV_ENOTSUP)
    map->writes_off = WRITES_OFF;
  if (res <= 0 || (size_t) res == bytes_of(req))
    return finish_plain(map, req, res);
  req->result = res;
  return 0;
}

static int finish_stat(struct uv__fs_uring_map* map, uv_fs_t* req, int res) {
  const struct uv__statx_buffer* buffer = req->ptr;

  if (res == 0)
    uv__statx_take(&req->statbuf, &buffer->attributes);
  put_buffer(map, req);
  if (uv__statx_maybe_refused(res) || is_ring_error(res))
    return 0;
  if (res == 0)
    req->ptr = &req->statbuf;
  req->result = res;
  return 1;
}

static const struct mapping {
  unsigned char opcode;  /* NOP: not mapped */
  unsigned char at_once; /* may complete during submission */
  uint16_t op_flags;
  fill_fn* fill;
  finish_fn* finish;
} mappings[UV__FS_TYPES] = {
  [UV_FS_OPEN] = { UV__URING_OPENAT, 1, 0, fill_open, finish_plain },
  [UV_FS_CLOSE] = { UV__URING_CLOSE, 1, 0, fill_fd, finish_close },
  [UV_FS_READ] = { UV__URING_READ, 1, 0, fill_rw, finish_plain },
  [UV_FS_WRITE] = { UV__URING_WRITE, 1, 0, fill_rw, finish_write },
  [UV_FS_STAT] = { UV__URING_STATX, 0, 0, fill_stat, finish_stat },
  [UV_FS_LSTAT] = { UV__URING_STATX, 0, AT_SYMLINK_NOFOLLOW, fill_stat,
                    finish_stat },
  [UV_FS_FSTAT] = { UV__URING_STATX, 0, AT_EMPTY_PATH, fill_stat, finish_stat },
  [UV_FS_FTRUNCATE] = { UV__URING_FTRUNCATE, 0, 0, fill_length, finish_plain },
  [UV_FS_FSYNC] = { UV__URING_FSYNC, 0, 0, fill_fd, finish_plain },
  [UV_FS_FDATASYNC] = { UV__URING_FSYNC, 0, UV__URING_FSYNC_DATASYNC, fill_fd,
                        finish_plain },
  [UV_FS_UNLINK] = { UV__URING_UNLINKAT, 0, 0, fill_path, finish_plain },
  [UV_FS_RMDIR] = { UV__URING_UNLINKAT, 0, AT_REMOVEDIR, fill_path,
                    finish_plain },
  [UV_FS_MKDIR] = { UV__URING_MKDIRAT, 0, 0, fill_path_mode, finish_plain },
  [UV_FS_RENAME] = { UV__URING_RENAMEAT, 0, 0, fill_paths, finish_plain },
  [UV_FS_LINK] = { UV__URING_LINKAT, 0, 0, fill_paths, finish_plain },
  [UV_FS_SYMLINK] = { UV__URING_SYMLINKAT, 0, 0, fill_symlink, finish_plain },
};

int uv__fs_uring_is_mapped(uv_fs_type type, int takes_all) {
  const struct mapping* m = &mappings[type];
  return m->opcode != UV__URING_NOP && (m->at_once || takes_all);
}

int uv__fs_uring_fill(struct uv__fs_uring_map* map,
                      uv_fs_t* req,
                      struct uv__sqe* sqe) {
  const struct mapping* m = &mappings[req->fs_type];

  if (!uv__fs_uring_is_mapped(req->fs_type, map->takes_all))
    return 0;
  if ((map->ops >> m->opcode & 1) == 0)
    return 0;
  sqe->opcode = m->opcode;
  sqe->op_flags = m->op_flags;
  sqe->user_data = address_of(req);
  return m->fill(map, req, sqe);
}

int uv__fs_uring_finish(struct uv__fs_uring_map* map, uv_fs_t* req, int res) {
  return mappings[req->fs_type].finish(map, req, res);
}

void uv__fs_uring_undo(struct uv__fs_uring_map* map, uv_fs_t* req) {
  if (is_stat(req))
    put_buffer(map, req);
}

void uv__fs_uring_forget_fds(struct uv__fs_uring_map* map) {
  map->seekable = -1;
}

void uv__fs_uring_map_close(struct uv__fs_uring_map* map) {
  while (map->buffers != NULL)
    uv__free(take_buffer(map));
}
