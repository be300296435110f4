/* SPDX-License-Identifier: MIT */
/* File operations on descriptors: open, close, read, write, sync, truncate.
 *
 * A read is one system call, so a short read is the kernel's result. A write
 * continues until all buffers are written: one call may not take that many.
 * Neither moves more than UV__FS_BYTES_MAX. The caller's array of buffers is
 * not modified.
 */
#include "unix/fs-ops.h"
#include "unix/fd.h"
#include "unix/iovec.h"
#include "unix/os.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

ssize_t uv__fs_open(uv_fs_t* req) {
  return uv__fd_open(req->path, req->flags, (int) req->mode);
}

ssize_t uv__fs_close(uv_fs_t* req) {
  return uv__fd_close(req->file);
}

/* What remains to be transferred. */
struct cursor {
  const uv_buf_t* buf; /* first buffer with bytes left */
  size_t nbufs;        /* this one and those after it */
  size_t skip;         /* bytes of it already transferred */
  size_t room;         /* bytes until UV__FS_BYTES_MAX */
};

static struct cursor cursor_of(const uv_fs_t* req) {
  return (struct cursor) {
    .buf = req->bufs,
    .nbufs = req->nbufs,
    .room = UV__FS_BYTES_MAX,
  };
}

/* How many whole buffers one call can take. */
static size_t whole_buffers(const struct cursor* c) {
  size_t limit = uv__min_size(c->nbufs, UV__IOV_MAX);
  size_t room = c->room;
  size_t n = 0;

  while (n < limit && c->buf[n].len <= room)
    room -= c->buf[n++].len;
  return n;
}

/* The vector for the next call: whole buffers of the caller, or `rest` if only
 * part of one remains or is allowed. Returns its length, at least 1. */
static int next_vector(const struct cursor* c,
                       struct iovec* rest,
                       const struct iovec** iov) {
  size_t n = c->skip == 0 ? whole_buffers(c) : 0;

  *iov = uv__iovec(c->buf);
  if (n > 0)
    return (int) n;

  rest->iov_base = c->buf->base + c->skip;
  rest->iov_len = uv__min_size(c->buf->len - c->skip, c->room);
  *iov = rest;
  return 1;
}

static void cursor_advance(struct cursor* c, size_t bytes) {
  c->room -= bytes;
  c->skip += bytes;

  while (c->nbufs > 0 && c->skip >= c->buf->len) {
    c->skip -= c->buf->len;
    c->buf++;
    c->nbufs--;
  }
}

static ssize_t read_vector(int fd, const struct iovec* iov, int n, off_t off) {
  if (off < 0)
    return n == 1 ? read(fd, iov->iov_base, iov->iov_len) : readv(fd, iov, n);
  if (n == 1)
    return pread(fd, iov->iov_base, iov->iov_len, off);
  return preadv(fd, iov, n, off);
}

static ssize_t write_vector(int fd, const struct iovec* iov, int n, off_t off) {
  if (off < 0)
    return n == 1 ? write(fd, iov->iov_base, iov->iov_len) : writev(fd, iov, n);
  if (n == 1)
    return pwrite(fd, iov->iov_base, iov->iov_len, off);
  return pwritev(fd, iov, n, off);
}

ssize_t uv__fs_read(uv_fs_t* req) {
  struct cursor cursor = cursor_of(req);
  struct iovec rest;
  const struct iovec* iov;
  int n = next_vector(&cursor, &rest, &iov);

  ssize_t got = read_vector(req->file, iov, n, req->off);
  return got < 0 ? uv__errno() : got;
}

/* One write, EINTR retried: bytes or UV_E*. */
static ssize_t write_some(int fd, const struct cursor* cursor, off_t off) {
  struct iovec rest;
  const struct iovec* iov;
  int n = next_vector(cursor, &rest, &iov);
  ssize_t put;

  do
    put = write_vector(fd, iov, n, off);
  while (put < 0 && errno == EINTR);

  return put < 0 ? uv__errno() : put;
}

/* Returns a partial count if an error follows: the next write reports it.
 * Another executor may have written req->result bytes already. */
ssize_t uv__fs_write(uv_fs_t* req) {
  struct cursor cursor = cursor_of(req);
  ssize_t done = req->result;
  off_t off = req->off < 0 ? req->off : req->off + done;

  /* Make a call even for no data: the descriptor may be invalid. */
  if (done > 0)
    cursor_advance(&cursor, (size_t) done);
  while (cursor.nbufs > 0 && cursor.room > 0) {
    size_t nbufs = cursor.nbufs;
    ssize_t put = write_some(req->file, &cursor, off);
    if (put < 0)
      return done > 0 ? done : put;

    cursor_advance(&cursor, (size_t) put);
    if (put == 0 && cursor.nbufs == nbufs)
      break; /* the device accepts no more */
    done += put;
    if (off >= 0)
      off += put;
  }

  return done;
}

#ifdef F_FULLFSYNC
/* macOS: fsync() does not flush the cache of the drive, F_FULLFSYNC does; not
 * every file system supports it (fsync(2)). */
static int sync_all(int fd) {
  return fcntl(fd, F_FULLFSYNC) == 0 ? 0 : fsync(fd);
}
#else
static int sync_all(int fd) {
  return fsync(fd);
}
#endif

#if UV__HAVE_FDATASYNC
static int sync_data(int fd) {
  return fdatasync(fd);
}
#else
static int sync_data(int fd) {
  return sync_all(fd);
}
#endif

ssize_t uv__fs_fsync(uv_fs_t* req) {
  return sync_all(req->file) == 0 ? 0 : uv__errno();
}

ssize_t uv__fs_fdatasync(uv_fs_t* req) {
  return sync_data(req->file) == 0 ? 0 : uv__errno();
}

ssize_t uv__fs_ftruncate(uv_fs_t* req) {
  return ftruncate(req->file, req->off) == 0 ? 0 : uv__errno();
}

/* A C file descriptor is the OS handle here. */
uv_os_fd_t uv_get_osfhandle(int fd) {
  return fd;
}

int uv_open_osfhandle(uv_os_fd_t os_fd) {
  return os_fd;
}
