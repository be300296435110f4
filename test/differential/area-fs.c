/* SPDX-License-Identifier: MIT */
/* Area fs: file operations on a handful of names in an empty directory, with
 * and without a callback. */
#include "areas.h"
#include "fs-report.h"
#include "moment.h"
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KIND_REQUEST = KIND_AREA };

#define REQUESTS 6
#define FILES 3

/* A few names shared by files, directories and links. */
static const char* const names[] = { "a",   "a",         "a",   "b",   "b",
                                     "c",   "d",         "d/x", "d/y", "e",
                                     "a/b", "missing/x", "",    ".",   "d/." };

struct request {
  uv_fs_t req;
  int file; /* slot for an opened or closed file; -1: none */
  char what[96];
  char data[4096];
};

static struct request requests[REQUESTS];
static int files[FILES] = { -1, -1, -1 };

/* What an operation is called with. */
struct call {
  struct request* request;
  uv_fs_t* req;
  uv_fs_cb cb;
  const char* name;
  const char* other;
  int* file;
  unsigned arg;
};

typedef int (*fs_call)(const struct call* c);

static int do_open(const struct call* c) {
  static const int flags[] = { UV_FS_O_RDONLY,
                               UV_FS_O_RDWR | UV_FS_O_CREAT,
                               UV_FS_O_RDWR | UV_FS_O_CREAT,
                               UV_FS_O_RDWR | UV_FS_O_CREAT | UV_FS_O_EXCL,
                               UV_FS_O_WRONLY | UV_FS_O_TRUNC,
                               UV_FS_O_RDONLY | UV_FS_O_DIRECTORY,
                               UV_FS_O_RDWR | UV_FS_O_APPEND | UV_FS_O_CREAT };
  c->request->file = (int) (c->file - files);
  if (*c->file >= 0)
    return UV_EBUSY; /* ours: the place is taken */
  return uv_fs_open(world_loop(), c->req, c->name, AT(flags, c->arg),
                    c->arg % 5 == 0 ? 0400 : 0644, c->cb);
}
static int do_close(const struct call* c) {
  int fd = *c->file;
  *c->file = -1;
  return uv_fs_close(world_loop(), c->req, fd, c->cb);
}
static uv_buf_t buffer(const struct call* c) {
  static const unsigned sizes[] = { 0, 1, 10, 100, 1000, 4096 };
  return uv_buf_init(c->request->data, AT(sizes, c->arg));
}
static int64_t offset(const struct call* c) {
  static const int offsets[] = { -1, -1, 0, 0, 5, 2000 };
  return AT(offsets, c->arg / 7);
}
static int do_read(const struct call* c) {
  uv_buf_t buf = buffer(c);
  return uv_fs_read(world_loop(), c->req, *c->file, &buf, 1, offset(c), c->cb);
}
static int do_write(const struct call* c) {
  uv_buf_t buf = buffer(c);
  memset(buf.base, 'a' + (int) (c->arg % 26), buf.len);
  return uv_fs_write(world_loop(), c->req, *c->file, &buf, 1, offset(c), c->cb);
}
static int do_unlink(const struct call* c) {
  return uv_fs_unlink(world_loop(), c->req, c->name, c->cb);
}
static int do_mkdir(const struct call* c) {
  return uv_fs_mkdir(world_loop(), c->req, c->name, 0755, c->cb);
}
static int do_rmdir(const struct call* c) {
  return uv_fs_rmdir(world_loop(), c->req, c->name, c->cb);
}
static int do_rename(const struct call* c) {
  return uv_fs_rename(world_loop(), c->req, c->name, c->other, c->cb);
}
static int do_stat(const struct call* c) {
  return uv_fs_stat(world_loop(), c->req, c->name, c->cb);
}
static int do_lstat(const struct call* c) {
  return uv_fs_lstat(world_loop(), c->req, c->name, c->cb);
}
static int do_fstat(const struct call* c) {
  return uv_fs_fstat(world_loop(), c->req, *c->file, c->cb);
}
static int do_ftruncate(const struct call* c) {
  return uv_fs_ftruncate(world_loop(), c->req, *c->file, c->arg % 3000, c->cb);
}
static int do_access(const struct call* c) {
  return uv_fs_access(world_loop(), c->req, c->name, (int) (c->arg % 8), c->cb);
}
static int do_chmod(const struct call* c) {
  return uv_fs_chmod(world_loop(), c->req, c->name, (int) (c->arg & 0777),
                     c->cb);
}
static int do_fchmod(const struct call* c) {
  return uv_fs_fchmod(world_loop(), c->req, *c->file, (int) (c->arg & 0777),
                      c->cb);
}
static int do_utime(const struct call* c) {
  return uv_fs_utime(world_loop(), c->req, c->name, 1000.5, c->arg % 5000,
                     c->cb);
}
static int do_futime(const struct call* c) {
  return uv_fs_futime(world_loop(), c->req, *c->file, 1000, c->arg % 5000,
                      c->cb);
}
static int do_lutime(const struct call* c) {
  return uv_fs_lutime(world_loop(), c->req, c->name, 1000, c->arg % 5000,
                      c->cb);
}
static int do_link(const struct call* c) {
  return uv_fs_link(world_loop(), c->req, c->name, c->other, c->cb);
}
static int do_symlink(const struct call* c) {
  return uv_fs_symlink(world_loop(), c->req, c->name, c->other, 0, c->cb);
}
static int do_readlink(const struct call* c) {
  return uv_fs_readlink(world_loop(), c->req, c->name, c->cb);
}
static int do_realpath(const struct call* c) {
  return uv_fs_realpath(world_loop(), c->req, c->name, c->cb);
}
static int do_copyfile(const struct call* c) {
  return uv_fs_copyfile(world_loop(), c->req, c->name, c->other,
                        (int) (c->arg % 10 == 0 ? 8 : c->arg % 4), c->cb);
}
static int do_sendfile(const struct call* c) {
  return uv_fs_sendfile(world_loop(), c->req, files[1], files[0], c->arg % 20,
                        c->arg % 2000, c->cb);
}
static int do_scandir(const struct call* c) {
  return uv_fs_scandir(world_loop(), c->req, c->name, 0, c->cb);
}
static int do_mkdtemp(const struct call* c) {
  return uv_fs_mkdtemp(world_loop(), c->req,
                       c->arg % 4 ? "temp-XXXXXX" : "temp-XX", c->cb);
}
static int do_fsync(const struct call* c) {
  if (c->arg % 2)
    return uv_fs_fsync(world_loop(), c->req, *c->file, c->cb);
  return uv_fs_fdatasync(world_loop(), c->req, *c->file, c->cb);
}
static int do_statfs(const struct call* c) {
  return uv_fs_statfs(world_loop(), c->req, c->name, c->cb);
}
static int do_chown(const struct call* c) {
  return uv_fs_chown(world_loop(), c->req, c->name, (uv_uid_t) -1,
                     (uv_gid_t) -1, c->cb);
}

enum operand { NAME, TWO_NAMES, A_FILE, NAME_AND_FILE };

static const struct fs_op {
  const char* name;
  fs_call call;
  enum operand operand;
  int weight;
} fs_ops[] = {
  { "open", do_open, NAME_AND_FILE, 12 },
  { "close", do_close, A_FILE, 5 },
  { "read", do_read, A_FILE, 6 },
  { "write", do_write, A_FILE, 9 },
  { "unlink", do_unlink, NAME, 4 },
  { "mkdir", do_mkdir, NAME, 8 },
  { "rmdir", do_rmdir, NAME, 3 },
  { "rename", do_rename, TWO_NAMES, 4 },
  { "stat", do_stat, NAME, 6 },
  { "lstat", do_lstat, NAME, 4 },
  { "fstat", do_fstat, A_FILE, 3 },
  { "ftruncate", do_ftruncate, A_FILE, 2 },
  { "access", do_access, NAME, 3 },
  { "chmod", do_chmod, NAME, 2 },
  { "fchmod", do_fchmod, A_FILE, 1 },
  { "utime", do_utime, NAME, 2 },
  { "futime", do_futime, A_FILE, 1 },
  { "lutime", do_lutime, NAME, 1 },
  { "link", do_link, TWO_NAMES, 3 },
  { "symlink", do_symlink, TWO_NAMES, 4 },
  { "readlink", do_readlink, NAME, 3 },
  { "realpath", do_realpath, NAME, 3 },
  { "copyfile", do_copyfile, TWO_NAMES, 6 },
  { "sendfile", do_sendfile, A_FILE, 2 },
  { "scandir", do_scandir, NAME, 4 },
  { "mkdtemp", do_mkdtemp, NAME, 1 },
  { "fsync", do_fsync, A_FILE, 1 },
  { "statfs", do_statfs, NAME, 1 },
  { "chown", do_chown, NAME, 1 },
};

#define NOPS (sizeof(fs_ops) / sizeof(fs_ops[0]))

static const struct fs_op* choose(unsigned arg) {
  unsigned sum = 0;

  for (size_t i = 0; i < NOPS; i++)
    sum += (unsigned) fs_ops[i].weight;
  arg %= sum;
  for (size_t i = 0; i < NOPS; i++) {
    if (arg < (unsigned) fs_ops[i].weight)
      return &fs_ops[i];
    arg -= (unsigned) fs_ops[i].weight;
  }
  return &fs_ops[0];
}

/* A random name has a random place in its directory. */
static void remove_dir(const char* path) {
  uv_fs_t req;

  uv_fs_rmdir(NULL, &req, path, NULL);
  uv_fs_req_cleanup(&req);
}

/* What is left of a finished request: its report, the opened file. */
static void finish(struct request* request, char* text, size_t size) {
  uv_fs_t* req = &request->req;

  fs_report(req, request->data, text, size);
  if (req->fs_type == UV_FS_OPEN && req->result >= 0)
    files[request->file] = (int) req->result;
  if (req->fs_type == UV_FS_MKDTEMP && req->result == 0)
    remove_dir(req->path);
  uv_fs_req_cleanup(req);
}

static void on_fs(uv_fs_t* req) {
  struct object* o = req->data;
  struct request* request = &requests[o->number];
  char text[400];

  finish(request, text, sizeof(text));
  o->life = GONE;
  world_callback(o, "fs_cb %s: %s", request->what, text);
}

static void describe(const struct fs_op* op, const struct call* c) {
  char* out = c->request->what;
  size_t size = sizeof(c->request->what);
  int file = (int) (c->file - files);

  switch (op->operand) {
  case NAME:
    snprintf(out, size, "%s \"%s\" %u", op->name, c->name, c->arg % 1000);
    break;
  case TWO_NAMES:
    snprintf(out, size, "%s \"%s\" \"%s\" %u", op->name, c->name, c->other,
             c->arg % 1000);
    break;
  case A_FILE:
    snprintf(out, size, "%s file%d %u", op->name, file, c->arg % 1000);
    break;
  case NAME_AND_FILE:
    snprintf(out, size, "%s \"%s\" file%d %u", op->name, c->name, file,
             c->arg % 1000);
    break;
  }
}

static void fs_any(const struct step* step) {
  struct object* o = object_pick(KIND_REQUEST, step->arg[3]);
  struct request* request = &requests[o->number];
  const struct fs_op* op = choose(step->arg[0]);
  int is_async = step->arg[3] % 3 == 0;
  struct call call = {
    .request = request,
    .req = &request->req,
    .cb = is_async ? on_fs : NULL,
    .name = AT(names, step->arg[1]),
    .other = AT(names, step->arg[1] / 16),
    .file = &files[step->arg[2] % FILES],
    .arg = step->arg[2] % 1000,
  };
  char text[400] = "";

  if (o->life != GONE) {
    world_skip(step);
    return;
  }
  memset(&request->req, 0xa5, sizeof(request->req));
  request->req.data = o;
  describe(op, &call);
  int err = op->call(&call);
  moment_settle();
  if (is_async && err == 0)
    o->life = OPEN;
  else if (!is_async && err != UV_EBUSY)
    finish(request, text, sizeof(text));
  /* The descriptor's number does not matter. */
  if (op->call == do_open && err > 0)
    err = 0;
  world_say(step, NULL, err, "%s %s%s %s", o->name, is_async ? "async " : "",
            request->what, text);
}

/* ------------------------------------------------------------------------- */

static void setup(void) {
  loop_setup();
  world_add(KIND_REQUEST, "q", REQUESTS);
}

static const struct op ops[] = {
  { "fs", 400, fs_any, 0 },
  { NULL, 0, NULL, 0 },
};

const struct area area_fs = {
  .name = "fs",
  .ops = ops,
  .common = loop_few_ops,
  .more = fs_more_ops,
  .setup = setup,
};
