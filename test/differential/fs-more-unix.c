/* SPDX-License-Identifier: MIT */
/* More of area fs, on Unix: directories read in pieces, temporary files,
 * owners. A step finishes what it started, with or without a callback; only
 * the directories stay open. */
#include "areas.h"
#include "moment.h"
#include "trace.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DIRS 2
#define ENTRIES_MAX 4

static const char* const names[] = { ".", ".", ".", "d", "a", "missing", "" };

static uv_dir_t* dirs[DIRS];
static int is_done;

static void on_done(uv_fs_t* req) {
  (void) req;
  is_done = 1;
}

/* A step that goes through the pool waits for it, with a loop of its own: the
 * program's loop may be running. */
static int finish(uv_loop_t* loop, int err) {
  is_done = 0;
  while (err == 0 && !is_done)
    uv_run(loop, UV_RUN_ONCE);
  return err;
}

struct call {
  uv_loop_t loop;
  uv_fs_t req;
  uv_fs_cb cb; /* NULL: at once */
};

static struct call* call_begin(unsigned arg) {
  static struct call call;

  uv_loop_init(&call.loop);
  memset(&call.req, 0xa5, sizeof(call.req));
  call.cb = arg % 2 ? on_done : NULL;
  return &call;
}

/* What the request says at its end. */
static long call_end(struct call* call, int err) {
  long result;

  if (call->cb != NULL)
    finish(&call->loop, err);
  result =
      err < 0 && call->cb != NULL ? err : (long) uv_fs_get_result(&call->req);
  return result;
}

static void call_drop(struct call* call) {
  uv_fs_req_cleanup(&call->req);
  uv_loop_close(&call->loop);
}

/* --- directories --------------------------------------------------------- */

static void dir_open(const struct step* step) {
  uv_dir_t** dir = &dirs[step->arg[0] % DIRS];
  const char* name = AT(names, step->arg[1]);

  if (*dir != NULL) {
    world_skip(step);
    return;
  }
  struct call* call = call_begin(step->arg[2]);
  long result =
      call_end(call, uv_fs_opendir(&call->loop, &call->req, name, call->cb));
  if (result == 0)
    *dir = uv_fs_get_ptr(&call->req);
  world_say(step, NULL, result, "opendir \"%s\" type %d system error %d", name,
            uv_fs_get_type(&call->req), uv_fs_get_system_error(&call->req));
  call_drop(call);
}

static void dir_read(const struct step* step) {
  uv_dir_t* dir = dirs[step->arg[0] % DIRS];
  uv_dirent_t entries[ENTRIES_MAX];

  if (dir == NULL) {
    world_skip(step);
    return;
  }
  dir->dirents = step->arg[3] % 20 == 0 ? NULL : entries;
  dir->nentries = step->arg[1] % (ENTRIES_MAX + 1);
  struct call* call = call_begin(step->arg[2]);
  long result =
      call_end(call, uv_fs_readdir(&call->loop, &call->req, dir, call->cb));
  trace_add("entries:");
  for (long i = 0; i < result; i++)
    trace_add(" %s:%d", entries[i].name, entries[i].type);
  trace_end();
  world_say(step, NULL, result, "readdir %zu", dir->nentries);
  call_drop(call);
}

static void dir_close(const struct step* step) {
  uv_dir_t** dir = &dirs[step->arg[0] % DIRS];

  if (*dir == NULL) {
    world_skip(step);
    return;
  }
  struct call* call = call_begin(step->arg[2]);
  long result =
      call_end(call, uv_fs_closedir(&call->loop, &call->req, *dir, call->cb));
  *dir = NULL;
  world_say(step, NULL, result, "closedir");
  call_drop(call);
}

/* --- temporary files and owners ------------------------------------------ */

static void temporary(const struct step* step) {
  static const char* const templates[] = {
    "temp-XXXXXX", "temp-XXXXXXX", "temp-XXXXX", "temp-", "", "missing/XXXXXX"
  };
  const char* template = AT(templates, step->arg[0]);
  struct call* call = call_begin(step->arg[2]);
  long result = call_end(
      call, uv_fs_mkstemp(&call->loop, &call->req, template, call->cb));
  const char* path = uv_fs_get_path(&call->req);
  int flags = result >= 0 ? fcntl((int) result, F_GETFD) : -1;

  world_say(step, NULL, result >= 0 ? 0 : result,
            "mkstemp \"%s\": length %zu, %.5s, descriptor flags %d", template,
            path == NULL ? 0 : strlen(path), path == NULL ? "NULL" : path,
            flags);
  if (result >= 0) {
    close((int) result);
    unlink(path); /* its place in a directory is random */
  }
  call_drop(call);
}

static void owner(const struct step* step) {
  static const unsigned ids[] = { 0, 1000, 4294967295u };
  const char* name = AT(names, step->arg[1]);
  uv_uid_t uid = AT(ids, step->arg[2]);
  uv_gid_t gid = AT(ids, step->arg[2] / 3);
  struct call* call = call_begin(step->arg[3]);
  int is_file = step->arg[0] % 2;
  int fd = is_file ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  int err =
      is_file ? uv_fs_fchown(&call->loop, &call->req, fd, uid, gid, call->cb)
              : uv_fs_lchown(&call->loop, &call->req, name, uid, gid, call->cb);
  long result = call_end(call, err);

  world_say(step, NULL, result, "%s \"%s\" %u %u type %d",
            is_file ? "fchown" : "lchown", name, uid, gid,
            uv_fs_get_type(&call->req));
  if (fd != -1)
    close(fd);
  call_drop(call);
}

const struct op fs_more_ops[] = {
  { "opendir", 30, dir_open, 0 },   { "readdir", 40, dir_read, 0 },
  { "closedir", 12, dir_close, 0 }, { "mkstemp", 6, temporary, 0 },
  { "owner", 10, owner, 0 },        { NULL, 0, NULL, 0 },
};
