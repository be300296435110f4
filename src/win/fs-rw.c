/* SPDX-License-Identifier: MIT */
/* Reading, writing, syncing and truncating open files.
 *
 * One system call per buffer, or for several small ones: cached files have no
 * vectored I/O. A call with an offset moves the file position, so it is
 * restored afterwards. The caller's array of buffers is never modified.
 */
#include "win/fs.h"

#include <string.h>

void uv__fs_cursor_init(struct uv__fs_cursor* c,
                        const uv_fs_t* req,
                        int writes) {
  c->buf = req->bufs;
  c->nbufs = req->nbufs;
  c->skip = 0;
  c->room = UV__FS_BYTES_MAX;
  c->writes = writes;
}

/* Gathers consecutive small buffers, up to `max` bytes; returns their total
 * size. */
static size_t gather_small(struct uv__fs_cursor* c, size_t max) {
  size_t skip = c->skip;
  size_t sum = 0;

  for (size_t i = 0; i < c->nbufs && sum < max; i++) {
    if (c->buf[i].len >= UV__FS_SMALL)
      break;

    size_t len = uv__min_size(c->buf[i].len - skip, max - sum);
    if (c->writes && len > 0)
      memcpy(c->gather + sum, c->buf[i].base + skip, len);
    sum += len;
    skip = 0;
  }
  return sum;
}

uv_buf_t uv__fs_cursor_next(struct uv__fs_cursor* c, size_t max) {
  while (c->nbufs > 0 && c->skip == c->buf->len) {
    c->skip = 0;
    c->buf++;
    c->nbufs--;
  }
  max = uv__min_size(max, c->room);
  if (c->nbufs == 0 || max == 0)
    return uv_buf_init(NULL, 0);

  if (c->nbufs > 1 && c->buf->len < UV__FS_SMALL) {
    size_t sum = gather_small(c, uv__min_size(max, sizeof(c->gather)));
    return uv_buf_init(c->gather, (unsigned int) sum);
  }
  size_t len = uv__min_size(c->buf->len - c->skip, max);
  return uv_buf_init(c->buf->base + c->skip, (unsigned int) len);
}

void uv__fs_cursor_advance(struct uv__fs_cursor* c,
                           uv_buf_t moved,
                           size_t bytes) {
  int spread = !c->writes && moved.base == c->gather;
  const char* from = moved.base;

  c->room -= bytes;
  while (bytes > 0) {
    size_t len = uv__min_size(c->buf->len - c->skip, bytes);
    if (spread && len > 0)
      memcpy(c->buf->base + c->skip, from, len);
    from += len;
    bytes -= len;
    c->skip += len;

    if (c->skip == c->buf->len) {
      c->skip = 0;
      c->buf++;
      c->nbufs--;
    }
  }
}

/* A handle without the required access is UV_EBADF, as on Unix. So is writing
 * to a directory. */
int uv__fs_rw_fail(uv_fs_t* req, HANDLE file, DWORD sys_error) {
  if (sys_error == ERROR_ACCESS_DENIED)
    return uv__fs_fail(req, ERROR_INVALID_FLAGS);
  if (req->fs_type == UV_FS_WRITE)
    return uv__fs_fail(req, sys_error);

  DWORD attributes = uv__fs_attributes(file);
  if (attributes != INVALID_FILE_ATTRIBUTES &&
      (attributes & FILE_ATTRIBUTE_DIRECTORY))
    return uv__fs_fail_as(req, sys_error, UV_EISDIR);
  return uv__fs_fail(req, sys_error);
}

/* A transfer in progress. */
struct transfer {
  HANDLE file;
  int writes;
  int64_t off;          /* of the next piece; -1: use the file position */
  int put_back;         /* restore the file position at the end */
  LARGE_INTEGER before; /* the position to restore */
};

static const LARGE_INTEGER nowhere; /* 0 */

static struct transfer transfer_begin(const uv_fs_t* req,
                                      HANDLE file,
                                      int writes) {
  struct transfer t = { .file = file, .writes = writes, .off = req->off };

  if (t.off < 0)
    t.off = -1;
  else
    t.put_back = SetFilePointerEx(file, nowhere, &t.before, FILE_CURRENT);
  return t;
}

static void transfer_end(const struct transfer* t) {
  if (t->put_back) /* a position that could be read can be set */
    (void) SetFilePointerEx(t->file, t->before, NULL, FILE_BEGIN);
}

/* Waits for a transfer of a handle that was opened for overlapped I/O: the
 * system uses the OVERLAPPED and the buffer until then. Other transfers of the
 * handle may end the wait too early. */
static DWORD transfer_wait(HANDLE file, OVERLAPPED* overlapped, DWORD* bytes) {
  while (!GetOverlappedResult(file, overlapped, bytes, TRUE)) {
    DWORD sys_error = GetLastError();
    if (sys_error != ERROR_IO_INCOMPLETE)
      return sys_error;
  }
  return 0;
}

/* One system call: 0 or the Win32 error. */
static DWORD transfer_piece(struct transfer* t, uv_buf_t piece, DWORD* bytes) {
  ULARGE_INTEGER off = { .QuadPart = (ULONGLONG) t->off };
  OVERLAPPED overlapped = { 0 };
  OVERLAPPED* at = NULL;

  if (t->off >= 0) {
    overlapped.Offset = off.LowPart;
    overlapped.OffsetHigh = off.HighPart;
    at = &overlapped;
  }

  *bytes = 0;
  BOOL ok = t->writes ? WriteFile(t->file, piece.base, piece.len, bytes, at)
                      : ReadFile(t->file, piece.base, piece.len, bytes, at);
  DWORD sys_error = ok ? 0 : GetLastError();
  if (sys_error == ERROR_IO_PENDING)
    sys_error = transfer_wait(t->file, &overlapped, bytes);
  if (sys_error != 0)
    return sys_error;

  if (t->off >= 0)
    t->off += *bytes;
  return 0;
}

/* A read of nothing waits for data on a pipe. */
static int would_block(const struct transfer* t) {
  return !t->writes && GetFileType(t->file) != FILE_TYPE_DISK;
}

/* Transfers until the buffers are exhausted or a call moves less than
 * requested. *done is the number of bytes; 0 or the Win32 error. */
static DWORD transfer_all(struct transfer* t,
                          struct uv__fs_cursor* cursor,
                          size_t* done) {
  for (;;) {
    uv_buf_t piece = uv__fs_cursor_next(cursor, UV__FS_BYTES_MAX);
    /* Transferring nothing fails if the file is not open for it. */
    if (piece.len == 0 && (*done > 0 || would_block(t)))
      return 0;

    DWORD bytes;
    DWORD sys_error = transfer_piece(t, piece, &bytes);
    uv__fs_cursor_advance(cursor, piece, bytes);
    *done += bytes;
    if (sys_error != 0 || bytes < piece.len || piece.len == 0)
      return sys_error;

    /* A pipe or console returned data: reading more might block
     * indefinitely. */
    if (!t->writes && cursor->nbufs > 0 &&
        GetFileType(t->file) != FILE_TYPE_DISK)
      return 0;
  }
}

/* An error after the first bytes is left for the caller's next call to find. */
static ssize_t transfer_run(uv_fs_t* req, HANDLE file, int writes) {
  struct uv__fs_cursor cursor;
  struct transfer t = transfer_begin(req, file, writes);
  size_t done = 0;

  uv__fs_cursor_init(&cursor, req, writes);
  DWORD sys_error = transfer_all(&t, &cursor, &done);
  transfer_end(&t);

  if (sys_error == 0 || done > 0)
    return (ssize_t) done;
  if (!writes &&
      (sys_error == ERROR_HANDLE_EOF || sys_error == ERROR_BROKEN_PIPE))
    return 0;
  return uv__fs_rw_fail(req, file, sys_error);
}

/* Rejects sizes that the result cannot represent, for reads too (src/fs.c has
 * checked writes). */
static int is_too_much(const uv_fs_t* req) {
  size_t sum = 0;

  for (unsigned int i = 0; i < req->nbufs; i++) {
    if (req->bufs[i].len > INT32_MAX - sum)
      return 1;
    sum += req->bufs[i].len;
  }
  return 0;
}

ssize_t uv__fs_read(uv_fs_t* req) {
  HANDLE file = uv__fs_handle(req->file.fd);
  if (file == INVALID_HANDLE_VALUE)
    return uv__fs_fail(req, ERROR_INVALID_HANDLE);
  if (is_too_much(req))
    return uv__fs_fail(req, ERROR_INVALID_PARAMETER);

  int map_flags = uv__fs_map_flags(req->file.fd);
  if (map_flags >= 0)
    return uv__fs_map_read(req, file, map_flags);
  return transfer_run(req, file, 0);
}

ssize_t uv__fs_write(uv_fs_t* req) {
  HANDLE file = uv__fs_handle(req->file.fd);
  if (file == INVALID_HANDLE_VALUE)
    return uv__fs_fail(req, ERROR_INVALID_HANDLE);

  int map_flags = uv__fs_map_flags(req->file.fd);
  if (map_flags >= 0)
    return uv__fs_map_write(req, file, map_flags);
  return transfer_run(req, file, 1);
}

/* fsync and fdatasync: Windows does not distinguish them. */
ssize_t uv__fs_sync(uv_fs_t* req) {
  HANDLE file = uv__fs_handle(req->file.fd);
  if (file == INVALID_HANDLE_VALUE)
    return uv__fs_fail(req, ERROR_INVALID_HANDLE);

  return FlushFileBuffers(file) ? 0 : uv__fs_fail_last(req);
}

/* Does not move the file position, like ftruncate(). */
ssize_t uv__fs_ftruncate(uv_fs_t* req) {
  HANDLE file = uv__fs_handle(req->file.fd);
  if (file == INVALID_HANDLE_VALUE)
    return uv__fs_fail(req, ERROR_INVALID_HANDLE);

  FILE_END_OF_FILE_INFO info;
  info.EndOfFile.QuadPart = req->off;
  if (SetFileInformationByHandle(file, FileEndOfFileInfo, &info, sizeof(info)))
    return 0;
  return uv__fs_fail_last(req);
}
