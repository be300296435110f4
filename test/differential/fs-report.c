/* SPDX-License-Identifier: MIT */
#include "fs-report.h"
#include "trace.h"

#include <stdio.h>
#include <string.h>

#define OLD_SECONDS 100000 /* times before were set by the program */

static void report_stat(const uv_fs_t* req, char* text, size_t size) {
  const uv_stat_t* s = &req->statbuf;
  int is_dir = (s->st_mode & 0170000) == 0040000;

  snprintf(text, size, "mode=%o nlink=%d size=%d mtime=%ld",
           (unsigned) s->st_mode, (int) s->st_nlink,
           is_dir ? 0 : (int) s->st_size,
           s->st_mtim.tv_sec < OLD_SECONDS ? (long) s->st_mtim.tv_sec : -1);
}

static void report_names(uv_fs_t* req, char* text, size_t size) {
  uv_dirent_t entry;
  size_t used = 0;

  text[0] = '\0';
  while (uv_fs_scandir_next(req, &entry) == 0 && used + 32 < size)
    used += (size_t) snprintf(text + used, size - used, "%.12s:%d ", entry.name,
                              entry.type);
}

/* The part of a path below the program's directory. */
static const char* below(const char* path) {
  const char* mark = path == NULL ? NULL : strstr(path, "differ-");
  const char* slash = mark == NULL ? NULL : strpbrk(mark, "/\\");

  if (path == NULL)
    return "NULL";
  if (mark == NULL)
    return path;
  return slash == NULL ? "." : slash + 1;
}

static unsigned sum_of(const char* data, ssize_t size) {
  unsigned sum = 0;

  for (ssize_t i = 0; i < size; i++)
    sum = sum * 31 + (unsigned char) data[i];
  return sum;
}

static void report_details(uv_fs_t* req,
                           const char* data,
                           char* text,
                           size_t size) {
  switch (req->fs_type) {
  case UV_FS_STAT:
  case UV_FS_LSTAT:
  case UV_FS_FSTAT:
    report_stat(req, text, size);
    break;
  case UV_FS_SCANDIR:
    report_names(req, text, size);
    break;
  case UV_FS_READLINK:
  case UV_FS_REALPATH:
    snprintf(text, size, "%s", below(req->ptr));
    break;
  case UV_FS_READ:
    snprintf(text, size, "sum=%u", sum_of(data, req->result));
    break;
  case UV_FS_MKDTEMP:
    snprintf(text, size, "%.5s length=%zu", req->path, strlen(req->path));
    break;
  default:
    text[0] = '\0';
    break;
  }
}

void fs_report(uv_fs_t* req, const char* data, char* text, size_t size) {
  int is_open = req->fs_type == UV_FS_OPEN && req->result >= 0;
  int n = snprintf(text, size, "%s type=%d ",
                   is_open ? "opened" : trace_code((long) req->result),
                   req->fs_type);

  text[n] = '\0';
  if (req->result >= 0)
    report_details(req, data, text + n, size - (size_t) n);
}
