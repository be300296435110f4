/* SPDX-License-Identifier: MIT */
/* The table of file operations, and setting up requests on Windows. */
#include "win/fs.h"
#include "util/alloc.h"

#include <string.h>

/* Calls are never interrupted on Windows, so none is retried. */
const struct uv__fs_op uv__fs_ops[UV__FS_TYPES] = {
  [UV_FS_OPEN] = { uv__fs_open, 0 },
  [UV_FS_CLOSE] = { uv__fs_close, 0 },
  [UV_FS_READ] = { uv__fs_read, 0 },
  [UV_FS_WRITE] = { uv__fs_write, 0 },
  [UV_FS_SENDFILE] = { uv__fs_sendfile, 0 },
  [UV_FS_STAT] = { uv__fs_stat, 0 },
  [UV_FS_LSTAT] = { uv__fs_lstat, 0 },
  [UV_FS_FSTAT] = { uv__fs_fstat, 0 },
  [UV_FS_FTRUNCATE] = { uv__fs_ftruncate, 0 },
  [UV_FS_UTIME] = { uv__fs_utime, 0 },
  [UV_FS_FUTIME] = { uv__fs_futime, 0 },
  [UV_FS_ACCESS] = { uv__fs_access, 0 },
  [UV_FS_CHMOD] = { uv__fs_chmod, 0 },
  [UV_FS_FCHMOD] = { uv__fs_fchmod, 0 },
  [UV_FS_FSYNC] = { uv__fs_sync, 0 },
  [UV_FS_FDATASYNC] = { uv__fs_sync, 0 },
  [UV_FS_UNLINK] = { uv__fs_unlink, 0 },
  [UV_FS_RMDIR] = { uv__fs_rmdir, 0 },
  [UV_FS_MKDIR] = { uv__fs_mkdir, 0 },
  [UV_FS_MKDTEMP] = { uv__fs_mkdtemp, 0 },
  [UV_FS_RENAME] = { uv__fs_rename, 0 },
  [UV_FS_SCANDIR] = { uv__fs_scandir, 0 },
  [UV_FS_LINK] = { uv__fs_hard_link, 0 },
  [UV_FS_SYMLINK] = { uv__fs_symlink, 0 },
  [UV_FS_READLINK] = { uv__fs_readlink, 0 },
  [UV_FS_CHOWN] = { uv__fs_chown, 0 },
  [UV_FS_FCHOWN] = { uv__fs_chown, 0 },
  [UV_FS_REALPATH] = { uv__fs_realpath, 0 },
  [UV_FS_COPYFILE] = { uv__fs_copyfile, 0 },
  [UV_FS_LCHOWN] = { uv__fs_chown, 0 },
  [UV_FS_OPENDIR] = { uv__fs_opendir, 0 },
  [UV_FS_READDIR] = { uv__fs_readdir, 0 },
  [UV_FS_CLOSEDIR] = { uv__fs_closedir, 0 },
  [UV_FS_STATFS] = { uv__fs_statfs, 0 },
  [UV_FS_MKSTEMP] = { uv__fs_mkstemp, 0 },
  [UV_FS_LUTIME] = { uv__fs_lutime, 0 },
};

int uv__fs_fail_as(uv_fs_t* req, DWORD sys_error, int err) {
  req->sys_errno_ = sys_error;
  /* Calls since then may have changed it, and programs read it from there
   * too. */
  SetLastError(sys_error);
  return err;
}

int uv__fs_fail(uv_fs_t* req, DWORD sys_error) {
  int err = uv_translate_sys_error((int) sys_error);
  return uv__fs_fail_as(req, sys_error, err == 0 ? UV_UNKNOWN : err);
}

int uv__fs_fail_last(uv_fs_t* req) {
  return uv__fs_fail(req, GetLastError());
}

int uv__fs_fail_status(uv_fs_t* req, LONG status) {
  return uv__fs_fail(req, uv__status_to_win32(status));
}

/* The error of a failed request outlives its cleanup, like the result. */
void uv__fs_os_init(uv_fs_t* req) {
  if (req->result >= 0)
    req->sys_errno_ = 0;
  req->file.pathw = NULL;
  req->new_pathw = NULL;
  req->bufs = NULL;
  req->nbufs = 0;
}

/* Programs read the path while the request runs, and mkdtemp and mkstemp write
 * to it. */
static int needs_own_text(const uv_fs_t* req) {
  return uv__fs_is_async(req) || req->fs_type == UV_FS_MKDTEMP ||
         req->fs_type == UV_FS_MKSTEMP;
}

/* One block for everything: the path, the second path, the text of the
 * first. */
static int fill_block(uv_fs_t* req,
                      const struct uv__fs_args* args,
                      const struct uv__fs_path* path,
                      const struct uv__fs_path* new_path) {
  size_t wide_size = (path->units + new_path->units) * sizeof(WCHAR);
  size_t text_size = needs_own_text(req) ? strlen(args->path) + 1 : 0;

  WCHAR* block = uv__malloc(wide_size + text_size);
  if (block == NULL)
    return UV_ENOMEM;
  *uv__fs_owned(req) = block;

  uv__fs_path_put(path, block);
  req->file.pathw = block;
  if (new_path->units > 0) {
    uv__fs_path_put(new_path, block + path->units);
    req->new_pathw = block + path->units;
  }

  req->path = args->path;
  if (text_size > 0)
    req->path = memcpy((char*) block + wide_size, args->path, text_size);
  return 0;
}

static int copy_paths(uv_fs_t* req, const struct uv__fs_args* args) {
  struct uv__fs_path path = { 0 };
  struct uv__fs_path new_path = { 0 };

  int err = args->type == UV_FS_SYMLINK
                ? uv__fs_path_init_raw(&path, args->path)
                : uv__fs_path_init(&path, args->path);
  if (err == 0 && args->new_path != NULL)
    err = uv__fs_path_init(&new_path, args->new_path);
  if (err == 0)
    err = fill_block(req, args, &path, &new_path);

  uv__fs_path_close(&path);
  uv__fs_path_close(&new_path);
  if (err == UV_EINVAL) /* not WTF-8: no file can have this name */
    err = uv__fs_fail(req, ERROR_INVALID_NAME);
  req->result = err;
  return err;
}

static int sets_times(const struct uv__fs_args* args) {
  return args->type == UV_FS_UTIME || args->type == UV_FS_FUTIME ||
         args->type == UV_FS_LUTIME;
}

/* uv_fs_sendfile() reads from `fd` and stores its length in `nbufs`; more than
 * UV__FS_BYTES_MAX is never transferred. */
static void fill_sendfile(uv_fs_t* req, const struct uv__fs_args* args) {
  req->file.fd = args->from;
  req->fd_out = args->file;
  req->nbufs = (unsigned int) uv__min_size(args->length, UV__FS_BYTES_MAX);
}

int uv__fs_os_fill(uv_fs_t* req, const struct uv__fs_args* args) {
  req->flags = args->flags;
  req->ptr = args->dir;
  if (args->path == NULL)
    req->file.fd = args->file;

  /* The times share memory with the fields below. */
  if (sets_times(args)) {
    int err = args->path == NULL ? 0 : copy_paths(req, args);
    req->atime = args->atime;
    req->mtime = args->mtime;
    return err;
  }

  req->mode = args->mode;
  req->nbufs = args->nbufs;
  req->off = args->off;
  if (args->type == UV_FS_SENDFILE)
    fill_sendfile(req, args);

  if (args->path != NULL)
    return copy_paths(req, args);
  req->bufs = (uv_buf_t*) args->bufs; /* never modified */
  return 0;
}

int uv__fs_os_offer(uv_fs_t* req) {
  (void) req;
  return 0; /* the thread pool does everything */
}

int uv__fs_os_cancel(uv_fs_t* req) {
  (void) req;
  return UV_EBUSY;
}
