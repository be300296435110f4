/* SPDX-License-Identifier: MIT */
/* Copying whole files by name, or bytes from one fd to another. */
#include "win/fs.h"
#include "util/alloc.h"

#define CHUNK_SIZE (64 * 1024)

static int file_id(const WCHAR* path, BY_HANDLE_FILE_INFORMATION* info) {
  HANDLE file = uv__fs_open_path(path, FILE_READ_ATTRIBUTES, 0);
  if (file == INVALID_HANDLE_VALUE)
    return 0;

  BOOL ok = GetFileInformationByHandle(file, info);
  CloseHandle(file);
  return ok;
}

/* Some network file systems have no file IDs, only zeros. */
static int has_id(const BY_HANDLE_FILE_INFORMATION* info) {
  return info->nFileIndexHigh != 0 || info->nFileIndexLow != 0;
}

/* A directory is not a file that could be copied. */
static int is_same_file(const WCHAR* a, const WCHAR* b) {
  BY_HANDLE_FILE_INFORMATION left;
  BY_HANDLE_FILE_INFORMATION right;

  return file_id(a, &left) && file_id(b, &right) && has_id(&left) &&
         !(left.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) &&
         left.dwVolumeSerialNumber == right.dwVolumeSerialNumber &&
         left.nFileIndexHigh == right.nFileIndexHigh &&
         left.nFileIndexLow == right.nFileIndexLow;
}

/* CopyFileW() clones blocks where the file system supports it, but there is no
 * way to require that. Copying a file onto itself is not an error. */
ssize_t uv__fs_copyfile(uv_fs_t* req) {
  if (req->flags & UV_FS_COPYFILE_FICLONE_FORCE)
    return uv__fs_fail_as(req, ERROR_NOT_SUPPORTED, UV_ENOSYS);

  BOOL exclusive = (req->flags & UV_FS_COPYFILE_EXCL) != 0;
  if (CopyFileW(req->file.pathw, req->new_pathw, exclusive))
    return 0;

  DWORD sys_error = GetLastError();
  if (sys_error != ERROR_FILE_EXISTS &&
      is_same_file(req->file.pathw, req->new_pathw))
    return 0;
  return uv__fs_fail(req, sys_error);
}

/* Runs one read or write as part of the request. */
static ssize_t run_part(uv_fs_t* req,
                        uv_fs_type type,
                        int64_t off,
                        uv_buf_t buf) {
  uv_fs_t part = { 0 };

  part.file.fd = type == UV_FS_READ ? req->file.fd : req->fd_out;
  part.off = off;
  part.bufs = &buf;
  part.nbufs = 1;
  ssize_t result = uv__fs_ops[type].run(&part);
  if (result < 0)
    (void) uv__fs_fail_as(req, part.sys_errno_, (int) result); /* stores it */
  return result;
}

/* Writes all of `buf` at the file position: 0 or UV_E*. *done counts the
 * bytes. */
static int write_chunk(uv_fs_t* req, uv_buf_t buf, ssize_t* done) {
  while (buf.len > 0) {
    ssize_t put = run_part(req, UV_FS_WRITE, -1, buf);
    if (put < 0)
      return (int) put;
    if (put == 0)
      return UV_ENOSPC; /* the device is full */

    *done += put;
    buf.base += put;
    buf.len -= (ULONG) put;
  }
  return 0;
}

static int copy_chunks(uv_fs_t* req, char* chunk, ssize_t* done) {
  size_t left = req->nbufs; /* the length, see fs-ops.c */
  int64_t off = req->off;

  while (left > 0) {
    unsigned int size = (unsigned int) uv__min_size(left, CHUNK_SIZE);
    ssize_t got = run_part(req, UV_FS_READ, off, uv_buf_init(chunk, size));
    if (got <= 0)
      return (int) got;

    int err = write_chunk(req, uv_buf_init(chunk, (unsigned int) got), done);
    if (err != 0)
      return err;
    left -= (size_t) got;
    if (off >= 0)
      off += got;
  }
  return 0;
}

/* An error after the first bytes is left for the caller's next call to find. */
ssize_t uv__fs_sendfile(uv_fs_t* req) {
  char* chunk = uv__malloc(CHUNK_SIZE);
  if (chunk == NULL)
    return uv__fs_fail(req, ERROR_NOT_ENOUGH_MEMORY);

  ssize_t done = 0;
  int err = copy_chunks(req, chunk, &done);
  uv__free(chunk);
  return err != 0 && done == 0 ? err : done;
}
