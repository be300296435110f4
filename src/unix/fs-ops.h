/* SPDX-License-Identifier: MIT */
/* The file operations on unix, one function per uv_fs_type.
 *
 * Each takes its arguments from the request and returns the result or UV_E*.
 * They do not use the loop. Context: the caller of uv_fs_*() or a worker.
 */
#ifndef UV_UNIX_FS_OPS_H_
#define UV_UNIX_FS_OPS_H_

#include "os/fs.h"

/* fs-rw.c */
ssize_t uv__fs_open(uv_fs_t* req);
ssize_t uv__fs_close(uv_fs_t* req);
ssize_t uv__fs_read(uv_fs_t* req);
ssize_t uv__fs_write(uv_fs_t* req);
ssize_t uv__fs_fsync(uv_fs_t* req);
ssize_t uv__fs_fdatasync(uv_fs_t* req);
ssize_t uv__fs_ftruncate(uv_fs_t* req);

/* fs-stat.c; the attributes go to req->statbuf, req->ptr points there. */
ssize_t uv__fs_stat(uv_fs_t* req);
ssize_t uv__fs_lstat(uv_fs_t* req);
ssize_t uv__fs_fstat(uv_fs_t* req);
ssize_t uv__fs_statfs(uv_fs_t* req);

/* fs-dir.c */
ssize_t uv__fs_scandir(uv_fs_t* req);
ssize_t uv__fs_opendir(uv_fs_t* req);
ssize_t uv__fs_readdir(uv_fs_t* req);
ssize_t uv__fs_closedir(uv_fs_t* req);

/* fs-copy.c */
ssize_t uv__fs_sendfile(uv_fs_t* req);
ssize_t uv__fs_copyfile(uv_fs_t* req);

/* fs-path.c */
ssize_t uv__fs_access(uv_fs_t* req);
ssize_t uv__fs_chmod(uv_fs_t* req);
ssize_t uv__fs_fchmod(uv_fs_t* req);
ssize_t uv__fs_chown(uv_fs_t* req);
ssize_t uv__fs_fchown(uv_fs_t* req);
ssize_t uv__fs_lchown(uv_fs_t* req);
ssize_t uv__fs_link(uv_fs_t* req);
ssize_t uv__fs_symlink(uv_fs_t* req);
ssize_t uv__fs_rename(uv_fs_t* req);
ssize_t uv__fs_unlink(uv_fs_t* req);
ssize_t uv__fs_rmdir(uv_fs_t* req);
ssize_t uv__fs_mkdir(uv_fs_t* req);
ssize_t uv__fs_mkdtemp(uv_fs_t* req);
ssize_t uv__fs_mkstemp(uv_fs_t* req);
ssize_t uv__fs_readlink(uv_fs_t* req);
ssize_t uv__fs_realpath(uv_fs_t* req);

/* fs-time.c */
ssize_t uv__fs_utime(uv_fs_t* req);
ssize_t uv__fs_futime(uv_fs_t* req);
ssize_t uv__fs_lutime(uv_fs_t* req);

/* The arguments of uv_fs_sendfile() are in fields of other operations: `file`
 * is the destination, `off` the start in the source. */
static inline int* uv__fs_sendfile_from(uv_fs_t* req) {
  return &req->flags;
}

static inline size_t* uv__fs_sendfile_length(uv_fs_t* req) {
  return &req->bufsml[0].len;
}

#endif /* UV_UNIX_FS_OPS_H_ */
