/* SPDX-License-Identifier: MIT */
/* File operations on paths: permissions, owners, links, creation, removal. */
#include "unix/fs-ops.h"
#include "unix/fd.h"
#include "util/alloc.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Turns the usual "0 or -1 with errno" into a result. */
static ssize_t result_of(int rc) {
  return rc == 0 ? 0 : uv__errno();
}

ssize_t uv__fs_access(uv_fs_t* req) {
  return result_of(access(req->path, req->flags));
}

ssize_t uv__fs_chmod(uv_fs_t* req) {
  return result_of(chmod(req->path, req->mode));
}

ssize_t uv__fs_fchmod(uv_fs_t* req) {
  return result_of(fchmod(req->file, req->mode));
}

ssize_t uv__fs_chown(uv_fs_t* req) {
  return result_of(chown(req->path, req->uid, req->gid));
}

ssize_t uv__fs_fchown(uv_fs_t* req) {
  return result_of(fchown(req->file, req->uid, req->gid));
}

ssize_t uv__fs_lchown(uv_fs_t* req) {
  return result_of(lchown(req->path, req->uid, req->gid));
}

ssize_t uv__fs_link(uv_fs_t* req) {
  return result_of(link(req->path, req->new_path));
}

ssize_t uv__fs_symlink(uv_fs_t* req) {
  return result_of(symlink(req->path, req->new_path));
}

ssize_t uv__fs_rename(uv_fs_t* req) {
  return result_of(rename(req->path, req->new_path));
}

ssize_t uv__fs_unlink(uv_fs_t* req) {
  return result_of(unlink(req->path));
}

ssize_t uv__fs_rmdir(uv_fs_t* req) {
  return result_of(rmdir(req->path));
}

ssize_t uv__fs_mkdir(uv_fs_t* req) {
  return result_of(mkdir(req->path, req->mode));
}

/* The request has its own copy of the template, which becomes the name. */
static char* own_template(uv_fs_t* req) {
  assert(req->path == *uv__fs_owned(req));
  return *uv__fs_owned(req);
}

/* FreeBSD: the C library takes a template without an X as the name itself. */
static int check_template(const char* path) {
  size_t len = strlen(path);
  return len >= 6 && strcmp(path + len - 6, "XXXXXX") == 0 ? 0 : UV_EINVAL;
}

ssize_t uv__fs_mkdtemp(uv_fs_t* req) {
  char* path = own_template(req);
  int err = check_template(path);
  if (err == 0 && mkdtemp(path) == NULL)
    err = uv__errno();
  return err;
}

ssize_t uv__fs_mkstemp(uv_fs_t* req) {
  char* path = own_template(req);
  int err = check_template(path);
  int fd = err == 0 ? mkostemp(path, O_CLOEXEC) : -1;
  if (fd >= 0)
    return fd;

  if (err == 0)
    err = uv__errno();
  path[0] = '\0'; /* no file: programs may check only the path */
  return err;
}

/* The length of the target is unknown beforehand: st_size is 0 in procfs, and
 * the link may change meanwhile. A result that fills the buffer may be
 * truncated. */
#define LINK_SIZE_FIRST 256
#define LINK_SIZE_MAX (1 << 20)

/* Reads into a buffer of `size` bytes. *link is the NUL-terminated target, or
 * NULL if it may be longer: 0 or UV_E*. */
static int read_link(const char* path, size_t size, char** link) {
  *link = NULL;

  char* buf = uv__malloc(size);
  if (buf == NULL)
    return UV_ENOMEM;

  ssize_t len = readlink(path, buf, size);
  if (len >= 0 && (size_t) len < size) {
    buf[len] = '\0';
    *link = buf;
    return 0;
  }

  int err = len < 0 ? uv__errno() : 0;
  uv__free(buf);
  return err;
}

ssize_t uv__fs_readlink(uv_fs_t* req) {
  for (size_t size = LINK_SIZE_FIRST; size <= LINK_SIZE_MAX; size *= 2) {
    char* link;
    int err = read_link(req->path, size, &link);
    if (err != 0)
      return err;

    if (link != NULL) {
      req->ptr = link;
      return 0;
    }
  }

  return UV_ENAMETOOLONG;
}

/* The C library sizes the buffer; the copy is ours to free (allocators may be
 * replaced). */
ssize_t uv__fs_realpath(uv_fs_t* req) {
  char* resolved = realpath(req->path, NULL);
  if (resolved == NULL)
    return uv__errno();

  req->ptr = uv__strdup(resolved);
  free(resolved);
  return req->ptr != NULL ? 0 : UV_ENOMEM;
}
