/* SPDX-License-Identifier: MIT */
/* The table of file operations, and how a request is filled in. */
#include "unix/fs-ops.h"
#include "unix/os.h"
#include "util/alloc.h"

#include <string.h>

/* The second column: may be repeated after EINTR. Not close, which closed the
 * fd; not operations of several calls, which retry inside. */
const struct uv__fs_op uv__fs_ops[UV__FS_TYPES] = {
  [UV_FS_OPEN] = { uv__fs_open, 0 },
  [UV_FS_CLOSE] = { uv__fs_close, 0 },
  [UV_FS_READ] = { uv__fs_read, 1 },
  [UV_FS_WRITE] = { uv__fs_write, 0 },
  [UV_FS_SENDFILE] = { uv__fs_sendfile, 0 },
  [UV_FS_STAT] = { uv__fs_stat, 1 },
  [UV_FS_LSTAT] = { uv__fs_lstat, 1 },
  [UV_FS_FSTAT] = { uv__fs_fstat, 1 },
  [UV_FS_FTRUNCATE] = { uv__fs_ftruncate, 1 },
  [UV_FS_UTIME] = { uv__fs_utime, 1 },
  [UV_FS_FUTIME] = { uv__fs_futime, 1 },
  [UV_FS_ACCESS] = { uv__fs_access, 1 },
  [UV_FS_CHMOD] = { uv__fs_chmod, 1 },
  [UV_FS_FCHMOD] = { uv__fs_fchmod, 1 },
  [UV_FS_FSYNC] = { uv__fs_fsync, 1 },
  [UV_FS_FDATASYNC] = { uv__fs_fdatasync, 1 },
  [UV_FS_UNLINK] = { uv__fs_unlink, 1 },
  [UV_FS_RMDIR] = { uv__fs_rmdir, 1 },
  [UV_FS_MKDIR] = { uv__fs_mkdir, 1 },
  [UV_FS_MKDTEMP] = { uv__fs_mkdtemp, 0 },
  [UV_FS_RENAME] = { uv__fs_rename, 1 },
  [UV_FS_SCANDIR] = { uv__fs_scandir, 1 },
  [UV_FS_LINK] = { uv__fs_link, 1 },
  [UV_FS_SYMLINK] = { uv__fs_symlink, 1 },
  [UV_FS_READLINK] = { uv__fs_readlink, 1 },
  [UV_FS_CHOWN] = { uv__fs_chown, 1 },
  [UV_FS_FCHOWN] = { uv__fs_fchown, 1 },
  [UV_FS_REALPATH] = { uv__fs_realpath, 1 },
  [UV_FS_COPYFILE] = { uv__fs_copyfile, 0 },
  [UV_FS_LCHOWN] = { uv__fs_lchown, 1 },
  [UV_FS_OPENDIR] = { uv__fs_opendir, 1 },
  [UV_FS_READDIR] = { uv__fs_readdir, 0 },
  [UV_FS_CLOSEDIR] = { uv__fs_closedir, 0 },
  [UV_FS_STATFS] = { uv__fs_statfs, 1 },
  [UV_FS_MKSTEMP] = { uv__fs_mkstemp, 0 },
  [UV_FS_LUTIME] = { uv__fs_lutime, 1 },
};

void uv__fs_os_init(uv_fs_t* req) {
  req->new_path = NULL;
  req->bufs = NULL;
  req->nbufs = 0;
}

/* Copies both paths into one block that the request owns. */
UV__NOINLINE static int copy_paths(uv_fs_t* req,
                                   const struct uv__fs_args* args) {
  size_t size = strlen(args->path) + 1;
  size_t new_size = args->new_path == NULL ? 0 : strlen(args->new_path) + 1;

  char* block = uv__malloc(size + new_size);
  if (block == NULL)
    return UV_ENOMEM;

  *uv__fs_owned(req) = block;
  req->path = memcpy(block, args->path, size);
  if (new_size != 0)
    req->new_path = memcpy(block + size, args->new_path, new_size);
  return 0;
}

/* mkdtemp and mkstemp write into the path. */
static int needs_own_path(const uv_fs_t* req) {
  return uv__fs_is_async(req) || req->fs_type == UV_FS_MKDTEMP ||
         req->fs_type == UV_FS_MKSTEMP;
}

int uv__fs_os_fill(uv_fs_t* req, const struct uv__fs_args* args) {
  req->file = args->file;
  req->flags = args->flags;
  req->mode = (mode_t) args->mode;
  req->nbufs = args->nbufs;
  req->uid = args->uid;
  req->gid = args->gid;
  /* These share storage in args; no type uses both. */
  req->off = (off_t) args->off;
  req->atime = args->atime;
  req->mtime = args->mtime;
  req->ptr = args->dir;

  if (args->type == UV_FS_SENDFILE) {
    *uv__fs_sendfile_from(req) = args->from;
    *uv__fs_sendfile_length(req) = args->length;
  }

  if (args->path != NULL && needs_own_path(req))
    return copy_paths(req, args);

  req->path = args->path;
  req->new_path = args->new_path;
  req->bufs = (uv_buf_t*) args->bufs; /* never written through */
  return 0;
}

#if !UV__HAVE_URING

int uv__fs_os_offer(uv_fs_t* req) {
  (void) req;
  return 0;
}

int uv__fs_os_cancel(uv_fs_t* req) {
  (void) req;
  return UV_EBUSY; /* nothing was ever taken */
}

#endif
