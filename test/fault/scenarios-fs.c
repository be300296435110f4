/* SPDX-License-Identifier: MIT */
/* Files: every operation, synchronously and on the pool; watching. */
#include "scenarios.h"

#include <fcntl.h>
#include <unistd.h>

/* The operations in sequence; `file` and `file2` are their descriptors. */
static uv_fs_t req;
static uv_file file;
static uv_file file2;
static char bytes[4096];
static uv_dir_t* dir;
static uv_dirent_t dirents[4];
static char made[64];
static uv_fs_cb step_cb;

static uv_buf_t buf_of(size_t n) {
  return uv_buf_init(bytes, (unsigned) n);
}

static int op_open(void) {
  return uv_fs_open(&sc.loop, &req, "a", UV_FS_O_RDWR | UV_FS_O_CREAT, 0600,
                    step_cb);
}

static int op_open2(void) {
  return uv_fs_open(&sc.loop, &req, "b", UV_FS_O_RDWR | UV_FS_O_CREAT, 0600,
                    step_cb);
}

static int op_write(void) {
  uv_buf_t bufs[2] = { buf_of(2000), buf_of(2000) };
  return uv_fs_write(&sc.loop, &req, file, bufs, 2, 0, step_cb);
}

static int op_write_here(void) {
  uv_buf_t buf = buf_of(500);
  return uv_fs_write(&sc.loop, &req, file, &buf, 1, -1, step_cb);
}

static int op_write_many_here(void) {
  uv_buf_t bufs[2] = { buf_of(100), buf_of(100) };
  return uv_fs_write(&sc.loop, &req, file, bufs, 2, -1, step_cb);
}

static int op_read(void) {
  uv_buf_t bufs[2] = { buf_of(1000), buf_of(1000) };
  return uv_fs_read(&sc.loop, &req, file, bufs, 2, 0, step_cb);
}

static int op_read_one(void) {
  uv_buf_t buf = buf_of(1000);
  return uv_fs_read(&sc.loop, &req, file, &buf, 1, 0, step_cb);
}

static int op_read_many(void) {
  uv_buf_t bufs[8];
  for (int i = 0; i < 8; i++)
    bufs[i] = buf_of(10);
  return uv_fs_read(&sc.loop, &req, file, bufs, 8, -1, step_cb);
}

static int op_fsync(void) {
  return uv_fs_fsync(&sc.loop, &req, file, step_cb);
}

static int op_fdatasync(void) {
  return uv_fs_fdatasync(&sc.loop, &req, file, step_cb);
}

static int op_ftruncate(void) {
  return uv_fs_ftruncate(&sc.loop, &req, file, 1000, step_cb);
}

static int op_sendfile(void) {
  return uv_fs_sendfile(&sc.loop, &req, file2, file, 0, 1000, step_cb);
}

static int op_fstat(void) {
  return uv_fs_fstat(&sc.loop, &req, file, step_cb);
}

static int op_futime(void) {
  return uv_fs_futime(&sc.loop, &req, file, 1, 2, step_cb);
}

static int op_fchmod(void) {
  return uv_fs_fchmod(&sc.loop, &req, file, 0644, step_cb);
}

static int op_fchown(void) {
  return uv_fs_fchown(&sc.loop, &req, file, (uv_uid_t) -1, (uv_gid_t) -1,
                      step_cb);
}

static int op_close(void) {
  int fd = file;
  file = -1;
  return uv_fs_close(&sc.loop, &req, fd, step_cb);
}

static int op_close2(void) {
  int fd = file2;
  file2 = -1;
  return uv_fs_close(&sc.loop, &req, fd, step_cb);
}

static int op_stat(void) {
  return uv_fs_stat(&sc.loop, &req, "a", step_cb);
}

static int op_lstat(void) {
  return uv_fs_lstat(&sc.loop, &req, "a", step_cb);
}

static int op_access(void) {
  return uv_fs_access(&sc.loop, &req, "a", F_OK, step_cb);
}

static int op_chmod(void) {
  return uv_fs_chmod(&sc.loop, &req, "a", 0600, step_cb);
}

static int op_chown(void) {
  return uv_fs_chown(&sc.loop, &req, "a", (uv_uid_t) -1, (uv_gid_t) -1,
                     step_cb);
}

static int op_lchown(void) {
  return uv_fs_lchown(&sc.loop, &req, "a", (uv_uid_t) -1, (uv_gid_t) -1,
                      step_cb);
}

static int op_utime(void) {
  return uv_fs_utime(&sc.loop, &req, "a", 3, 4, step_cb);
}

static int op_lutime(void) {
  return uv_fs_lutime(&sc.loop, &req, "a", 3, 4, step_cb);
}

static int op_copyfile(void) {
  return uv_fs_copyfile(&sc.loop, &req, "a", "copy", 0, step_cb);
}

static int op_link(void) {
  return uv_fs_link(&sc.loop, &req, "a", "hard", step_cb);
}

static int op_symlink(void) {
  return uv_fs_symlink(&sc.loop, &req, "a", "soft", 0, step_cb);
}

static int op_readlink(void) {
  return uv_fs_readlink(&sc.loop, &req, "soft", step_cb);
}

static int op_realpath(void) {
  return uv_fs_realpath(&sc.loop, &req, "soft", step_cb);
}

static int op_rename(void) {
  return uv_fs_rename(&sc.loop, &req, "hard", "moved", step_cb);
}

static int op_unlink(void) {
  return uv_fs_unlink(&sc.loop, &req, "moved", step_cb);
}

static int op_mkdir(void) {
  return uv_fs_mkdir(&sc.loop, &req, "dir", 0700, step_cb);
}

static int op_rmdir(void) {
  return uv_fs_rmdir(&sc.loop, &req, "dir", step_cb);
}

static int op_mkdtemp(void) {
  return uv_fs_mkdtemp(&sc.loop, &req, "tmpXXXXXX", step_cb);
}

static int op_mkstemp(void) {
  return uv_fs_mkstemp(&sc.loop, &req, "fileXXXXXX", step_cb);
}

static int op_scandir(void) {
  return uv_fs_scandir(&sc.loop, &req, ".", 0, step_cb);
}

static int op_opendir(void) {
  return uv_fs_opendir(&sc.loop, &req, ".", step_cb);
}

static int op_readdir(void) {
  dir->dirents = dirents;
  dir->nentries = 4;
  return uv_fs_readdir(&sc.loop, &req, dir, step_cb);
}

static int op_closedir(void) {
  uv_dir_t* closing = dir;
  dir = NULL;
  return uv_fs_closedir(&sc.loop, &req, closing, step_cb);
}

static int op_statfs(void) {
  return uv_fs_statfs(&sc.loop, &req, ".", step_cb);
}

struct op {
  int (*call)(void);
  void (*done)(void); /* with the result in req */
};

static void keep_file(void) {
  file = (uv_file) req.result;
}

static void keep_file2(void) {
  file2 = (uv_file) req.result;
}

static void close_temp(void) {
  snprintf(made, sizeof(made), "%s", req.path);
  close((int) req.result);
}

static void keep_dir(void) {
  dir = req.ptr;
}

static void list_dir(void) {
  uv_dirent_t entry;
  while (uv_fs_scandir_next(&req, &entry) == 0)
    continue;
}

static const struct op ops[] = {
  { op_open, keep_file },     { op_write, NULL },
  { op_write_here, NULL },    { op_write_many_here, NULL },
  { op_read, NULL },          { op_read_one, NULL },
  { op_read_many, NULL },     { op_fsync, NULL },
  { op_fdatasync, NULL },     { op_ftruncate, NULL },
  { op_open2, keep_file2 },   { op_sendfile, NULL },
  { op_fstat, NULL },         { op_futime, NULL },
  { op_fchmod, NULL },        { op_fchown, NULL },
  { op_close2, NULL },        { op_close, NULL },
  { op_stat, NULL },          { op_lstat, NULL },
  { op_access, NULL },        { op_chmod, NULL },
  { op_chown, NULL },         { op_lchown, NULL },
  { op_utime, NULL },         { op_lutime, NULL },
  { op_copyfile, NULL },      { op_link, NULL },
  { op_symlink, NULL },       { op_readlink, NULL },
  { op_realpath, NULL },      { op_rename, NULL },
  { op_unlink, NULL },        { op_mkdir, NULL },
  { op_rmdir, NULL },         { op_mkdtemp, NULL },
  { op_mkstemp, close_temp }, { op_scandir, list_dir },
  { op_opendir, keep_dir },   { op_readdir, NULL },
  { op_closedir, NULL },      { op_statfs, NULL },
};

enum { OPS = sizeof(ops) / sizeof(ops[0]) };
static int at;

/* The end of ops[at]. 1 if the next may start. */
static int op_done(int result) {
  if (result >= 0 && ops[at].done != NULL)
    ops[at].done();
  uv_fs_req_cleanup(&req);
  if (result < 0) {
    sc_step = at;
    sc_fail(result);
  }
  return result >= 0;
}

static void clean_up(void) {
  uv_fs_t sync;

  fault_pause();
  if (file >= 0)
    close(file);
  if (file2 >= 0)
    close(file2);
  if (dir != NULL) {
    uv_fs_closedir(NULL, &sync, dir, NULL);
    uv_fs_req_cleanup(&sync);
  }
  SC_CHECK(system("rm -rf a b copy hard soft moved dir tmp?????? "
                  "file??????") == 0);
  fault_resume();
}

static void begin(uv_fs_cb cb) {
  step_cb = cb;
  file = -1;
  file2 = -1;
  dir = NULL;
  at = 0;
}

void scenario_fs_sync(void) {
  begin(NULL);
  for (at = 0; at < OPS && sc.err == 0; at++) {
    int r = ops[at].call();
    /* A refused request has no result of its own. */
    SC_CHECK(r == (int) req.result || r < 0);
    op_done(r);
  }
  sc.goal = at == OPS;
  clean_up();
}

static void next_op(void);

static void on_step(uv_fs_t* r) {
  SC_CHECK(r == &req);
  sc_arrived();
  if (op_done((int) r->result)) {
    at++;
    next_op();
  }
}

static void next_op(void) {
  if (at == OPS) {
    sc.goal = 1;
    return;
  }
  int err = ops[at].call();
  if (err != 0)
    uv_fs_req_cleanup(&req);
  sc_expect(err);
}

void scenario_fs_async(void) {
  begin(on_step);
  next_op();
  sc_run();
  clean_up();
}

/* ------------------------------------------------------------------------- */

static void on_change(uv_fs_event_t* h, const char* name, int events, int err) {
  (void) h;
  (void) name;
  (void) events;
  if (err != 0) {
    sc_fail(err);
    return;
  }
  sc.goal = 1;
  sc_close_all();
}

static void on_touch(uv_timer_t* timer) {
  fault_pause();
  int fd = open("watched", O_RDWR | O_CREAT | O_TRUNC, 0600);
  SC_CHECK(fd >= 0);
  SC_CHECK(write(fd, "x", 1) == 1);
  close(fd);
  unlink("watched");
  fault_resume();
  uv_close((uv_handle_t*) timer, NULL);
}

void scenario_fs_event(void) {
  static uv_fs_event_t watches[3];
  static uv_timer_t timer;
  char path[64];
  size_t size = sizeof(path);

  for (int i = 0; i < 3; i++) {
    if (sc_try(uv_fs_event_init(&sc.loop, &watches[i])) != 0)
      return sc_run();
    if (sc_try(uv_fs_event_start(&watches[i], on_change, i == 2 ? ".." : ".",
                                 0)) != 0)
      return sc_run();
  }
  SC_CHECK(uv_fs_event_getpath(&watches[0], path, &size) == 0);
  if (sc_try(uv_timer_init(&sc.loop, &timer)) == 0)
    sc_try(uv_timer_start(&timer, on_touch, 20, 0));
  sc_run();
}

static void on_poll_change(uv_fs_poll_t* handle,
                           int status,
                           const uv_stat_t* prev,
                           const uv_stat_t* curr) {
  (void) handle;
  (void) prev;
  (void) curr;
  if (status < 0) {
    sc_fail(status);
    return;
  }
  sc.goal = 1;
  sc_close_all();
}

static void on_grow(uv_timer_t* timer) {
  static int length;
  (void) timer;
  fault_pause();
  int fd = open("polled", O_RDWR | O_CREAT, 0600);
  SC_CHECK(fd >= 0);
  SC_CHECK(ftruncate(fd, ++length) == 0);
  close(fd);
  fault_resume();
}

void scenario_fs_poll(void) {
  static uv_fs_poll_t poll_handle;
  static uv_timer_t timer;

  on_grow(NULL);
  if (sc_try(uv_fs_poll_init(&sc.loop, &poll_handle)) == 0 &&
      sc_try(uv_fs_poll_start(&poll_handle, on_poll_change, "polled", 2)) ==
          0 &&
      sc_try(uv_timer_init(&sc.loop, &timer)) == 0)
    sc_try(uv_timer_start(&timer, on_grow, 3, 3));
  sc_run();
}
