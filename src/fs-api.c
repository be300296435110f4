/* SPDX-License-Identifier: MIT */
/* The uv_fs_*() entry points, for every platform.
 *
 * Each describes the operation and leaves the rest to uv__fs_start(): checks,
 * copies and running it inline or on a worker.
 */
#include "fs.h"

/* Descriptors. */

int uv_fs_open(uv_loop_t* loop,
               uv_fs_t* req,
               const char* path,
               int flags,
               int mode,
               uv_fs_cb cb) {
  struct uv__fs_args args = {
    .type = UV_FS_OPEN,
    .path = path,
    .flags = flags,
    .mode = mode,
  };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_close(uv_loop_t* loop, uv_fs_t* req, uv_file file, uv_fs_cb cb) {
  struct uv__fs_args args = { .type = UV_FS_CLOSE, .file = file };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_read(uv_loop_t* loop,
               uv_fs_t* req,
               uv_file file,
               const uv_buf_t bufs[],
               unsigned int nbufs,
               int64_t offset,
               uv_fs_cb cb) {
  struct uv__fs_args args = {
    .type = UV_FS_READ,
    .file = file,
    .bufs = bufs,
    .nbufs = nbufs,
    .off = offset,
  };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_write(uv_loop_t* loop,
                uv_fs_t* req,
                uv_file file,
                const uv_buf_t bufs[],
                unsigned int nbufs,
                int64_t offset,
                uv_fs_cb cb) {
  struct uv__fs_args args = {
    .type = UV_FS_WRITE,
    .file = file,
    .bufs = bufs,
    .nbufs = nbufs,
    .off = offset,
  };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_sendfile(uv_loop_t* loop,
                   uv_fs_t* req,
                   uv_file out_fd,
                   uv_file in_fd,
                   int64_t in_offset,
                   size_t length,
                   uv_fs_cb cb) {
  struct uv__fs_args args = {
    .type = UV_FS_SENDFILE,
    .file = out_fd,
    .from = in_fd,
    .off = in_offset,
    .length = length,
  };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_fsync(uv_loop_t* loop, uv_fs_t* req, uv_file file, uv_fs_cb cb) {
  struct uv__fs_args args = { .type = UV_FS_FSYNC, .file = file };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_fdatasync(uv_loop_t* loop, uv_fs_t* req, uv_file file, uv_fs_cb cb) {
  struct uv__fs_args args = { .type = UV_FS_FDATASYNC, .file = file };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_ftruncate(uv_loop_t* loop,
                    uv_fs_t* req,
                    uv_file file,
                    int64_t offset,
                    uv_fs_cb cb) {
  struct uv__fs_args args = {
    .type = UV_FS_FTRUNCATE,
    .file = file,
    .off = offset,
  };
  return uv__fs_start(loop, req, &args, cb);
}

/* Attributes. */

int uv_fs_stat(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_fs_cb cb) {
  struct uv__fs_args args = { .type = UV_FS_STAT, .path = path };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_lstat(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_fs_cb cb) {
  struct uv__fs_args args = { .type = UV_FS_LSTAT, .path = path };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_fstat(uv_loop_t* loop, uv_fs_t* req, uv_file file, uv_fs_cb cb) {
  struct uv__fs_args args = { .type = UV_FS_FSTAT, .file = file };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_statfs(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_fs_cb cb) {
  struct uv__fs_args args = { .type = UV_FS_STATFS, .path = path };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_access(uv_loop_t* loop,
                 uv_fs_t* req,
                 const char* path,
                 int mode,
                 uv_fs_cb cb) {
  struct uv__fs_args args = {
    .type = UV_FS_ACCESS,
    .path = path,
    .flags = mode,
  };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_chmod(uv_loop_t* loop,
                uv_fs_t* req,
                const char* path,
                int mode,
                uv_fs_cb cb) {
  struct uv__fs_args args = { .type = UV_FS_CHMOD, .path = path, .mode = mode };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_fchmod(uv_loop_t* loop,
                 uv_fs_t* req,
                 uv_file file,
                 int mode,
                 uv_fs_cb cb) {
  struct uv__fs_args args = {
    .type = UV_FS_FCHMOD,
    .file = file,
    .mode = mode,
  };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_chown(uv_loop_t* loop,
                uv_fs_t* req,
                const char* path,
                uv_uid_t uid,
                uv_gid_t gid,
                uv_fs_cb cb) {
  struct uv__fs_args args = {
    .type = UV_FS_CHOWN,
    .path = path,
    .uid = uid,
    .gid = gid,
  };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_fchown(uv_loop_t* loop,
                 uv_fs_t* req,
                 uv_file file,
                 uv_uid_t uid,
                 uv_gid_t gid,
                 uv_fs_cb cb) {
  struct uv__fs_args args = {
    .type = UV_FS_FCHOWN,
    .file = file,
    .uid = uid,
    .gid = gid,
  };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_lchown(uv_loop_t* loop,
                 uv_fs_t* req,
                 const char* path,
                 uv_uid_t uid,
                 uv_gid_t gid,
                 uv_fs_cb cb) {
  struct uv__fs_args args = {
    .type = UV_FS_LCHOWN,
    .path = path,
    .uid = uid,
    .gid = gid,
  };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_utime(uv_loop_t* loop,
                uv_fs_t* req,
                const char* path,
                double atime,
                double mtime,
                uv_fs_cb cb) {
  struct uv__fs_args args = {
    .type = UV_FS_UTIME,
    .path = path,
    .atime = atime,
    .mtime = mtime,
  };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_futime(uv_loop_t* loop,
                 uv_fs_t* req,
                 uv_file file,
                 double atime,
                 double mtime,
                 uv_fs_cb cb) {
  struct uv__fs_args args = {
    .type = UV_FS_FUTIME,
    .file = file,
    .atime = atime,
    .mtime = mtime,
  };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_lutime(uv_loop_t* loop,
                 uv_fs_t* req,
                 const char* path,
                 double atime,
                 double mtime,
                 uv_fs_cb cb) {
  struct uv__fs_args args = {
    .type = UV_FS_LUTIME,
    .path = path,
    .atime = atime,
    .mtime = mtime,
  };
  return uv__fs_start(loop, req, &args, cb);
}

/* Names. */

int uv_fs_unlink(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_fs_cb cb) {
  struct uv__fs_args args = { .type = UV_FS_UNLINK, .path = path };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_rename(uv_loop_t* loop,
                 uv_fs_t* req,
                 const char* path,
                 const char* new_path,
                 uv_fs_cb cb) {
  struct uv__fs_args args = {
    .type = UV_FS_RENAME,
    .path = path,
    .new_path = new_path,
  };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_link(uv_loop_t* loop,
               uv_fs_t* req,
               const char* path,
               const char* new_path,
               uv_fs_cb cb) {
  struct uv__fs_args args = {
    .type = UV_FS_LINK,
    .path = path,
    .new_path = new_path,
  };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_symlink(uv_loop_t* loop,
                  uv_fs_t* req,
                  const char* path,
                  const char* new_path,
                  int flags,
                  uv_fs_cb cb) {
  struct uv__fs_args args = {
    .type = UV_FS_SYMLINK,
    .path = path,
    .new_path = new_path,
    .flags = flags,
  };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_readlink(uv_loop_t* loop,
                   uv_fs_t* req,
                   const char* path,
                   uv_fs_cb cb) {
  struct uv__fs_args args = { .type = UV_FS_READLINK, .path = path };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_realpath(uv_loop_t* loop,
                   uv_fs_t* req,
                   const char* path,
                   uv_fs_cb cb) {
  struct uv__fs_args args = { .type = UV_FS_REALPATH, .path = path };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_copyfile(uv_loop_t* loop,
                   uv_fs_t* req,
                   const char* path,
                   const char* new_path,
                   int flags,
                   uv_fs_cb cb) {
  struct uv__fs_args args = {
    .type = UV_FS_COPYFILE,
    .path = path,
    .new_path = new_path,
    .flags = flags,
  };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_mkstemp(uv_loop_t* loop, uv_fs_t* req, const char* tpl, uv_fs_cb cb) {
  struct uv__fs_args args = { .type = UV_FS_MKSTEMP, .path = tpl };
  return uv__fs_start(loop, req, &args, cb);
}

/* Directories. */

int uv_fs_mkdir(uv_loop_t* loop,
                uv_fs_t* req,
                const char* path,
                int mode,
                uv_fs_cb cb) {
  struct uv__fs_args args = { .type = UV_FS_MKDIR, .path = path, .mode = mode };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_mkdtemp(uv_loop_t* loop, uv_fs_t* req, const char* tpl, uv_fs_cb cb) {
  struct uv__fs_args args = { .type = UV_FS_MKDTEMP, .path = tpl };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_rmdir(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_fs_cb cb) {
  struct uv__fs_args args = { .type = UV_FS_RMDIR, .path = path };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_scandir(uv_loop_t* loop,
                  uv_fs_t* req,
                  const char* path,
                  int flags,
                  uv_fs_cb cb) {
  struct uv__fs_args args = {
    .type = UV_FS_SCANDIR,
    .path = path,
    .flags = flags,
  };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_opendir(uv_loop_t* loop,
                  uv_fs_t* req,
                  const char* path,
                  uv_fs_cb cb) {
  struct uv__fs_args args = { .type = UV_FS_OPENDIR, .path = path };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_readdir(uv_loop_t* loop, uv_fs_t* req, uv_dir_t* dir, uv_fs_cb cb) {
  struct uv__fs_args args = { .type = UV_FS_READDIR, .dir = dir };
  return uv__fs_start(loop, req, &args, cb);
}

int uv_fs_closedir(uv_loop_t* loop, uv_fs_t* req, uv_dir_t* dir, uv_fs_cb cb) {
  struct uv__fs_args args = { .type = UV_FS_CLOSEDIR, .dir = dir };
  return uv__fs_start(loop, req, &args, cb);
}
