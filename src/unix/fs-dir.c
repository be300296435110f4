/* SPDX-License-Identifier: MIT */
/* Reading directories, at once (scandir) or in steps (opendir, readdir). Both
 * share fs-entries.c; "." and ".." are skipped.
 */
#include "unix/fs-ops.h"
#include "os/fs-entries.h"
#include "unix/fd.h"
#include "util/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <sys/types.h>

#ifdef HAVE_DIRENT_TYPES
static uv_dirent_type_t type_of(const struct dirent* ent) {
  static const unsigned char types[] = {
    [DT_UNKNOWN] = UV_DIRENT_UNKNOWN, [DT_REG] = UV_DIRENT_FILE,
    [DT_DIR] = UV_DIRENT_DIR,         [DT_LNK] = UV_DIRENT_LINK,
    [DT_FIFO] = UV_DIRENT_FIFO,       [DT_SOCK] = UV_DIRENT_SOCKET,
    [DT_CHR] = UV_DIRENT_CHAR,        [DT_BLK] = UV_DIRENT_BLOCK,
  };

  return ent->d_type < ARRAY_SIZE(types) ? types[ent->d_type]
                                         : UV_DIRENT_UNKNOWN;
}
#else
static uv_dirent_type_t type_of(const struct dirent* ent) {
  (void) ent;
  return UV_DIRENT_UNKNOWN;
}
#endif

/* Adds entries up to `max`, the end of the directory or an error: 0 or
 * UV_E*. */
static int read_entries(DIR* dir, struct uv__entries* entries, size_t max) {
  while (entries->count < max) {
    errno = 0; /* distinguishes the end from an error */
    const struct dirent* ent = readdir(dir);
    if (ent == NULL)
      return errno == 0 ? 0 : uv__errno();

    int err = uv__entries_add(entries, ent->d_name, type_of(ent));
    if (err != 0)
      return err;
  }

  return 0;
}

static int scan_directory(const char* path, struct uv__entries* entries) {
  DIR* dir = opendir(path);
  if (dir == NULL)
    return uv__errno();

  int err = read_entries(dir, entries, INT32_MAX);
  (void) closedir(dir); /* read-only: nothing can be lost */
  return err;
}

ssize_t uv__fs_scandir(uv_fs_t* req) {
  struct uv__entries entries = { 0 };
  int err = scan_directory(req->path, &entries);

  return uv__entries_finish(&entries, err, &req->ptr);
}

ssize_t uv__fs_opendir(uv_fs_t* req) {
  uv_dir_t* dir = uv__calloc(1, sizeof(*dir));
  if (dir == NULL)
    return UV_ENOMEM;

  dir->dir = opendir(req->path);
  if (dir->dir == NULL) {
    int err = uv__errno();
    uv__free(dir);
    return err;
  }

  req->ptr = dir;
  return 0;
}

/* The request owns the names: its cleanup frees them, even after the directory
 * is closed. */
ssize_t uv__fs_readdir(uv_fs_t* req) {
  uv_dir_t* dir = req->ptr;
  struct uv__entries entries = { 0 };
  size_t max = uv__min_size(dir->nentries, INT32_MAX);

  int err = read_entries(dir->dir, &entries, max);
  if (err != 0) {
    uv__entries_close(&entries);
    return err;
  }

  uv__entries_list(&entries, dir->dirents);
  *uv__fs_owned(req) = entries.records;
  return (ssize_t) entries.count;
}

ssize_t uv__fs_closedir(uv_fs_t* req) {
  uv_dir_t* dir = req->ptr;
  req->ptr = NULL;

  /* As with uv__fd_close(), the descriptor is closed in any case. */
  (void) closedir(dir->dir);
  uv__free(dir);
  return 0;
}
