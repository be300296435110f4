/* SPDX-License-Identifier: MIT */
/* Prints a file: one operation starts the next.
 *
 *   cat FILE     open -> read until the end -> close
 *
 * Exit status 0: all of it was printed.
 */
#include <stdio.h>

#include <uv.h>

static uv_fs_t req; /* one operation at a time: one request will do */
static uv_file file;
static char block[65536];
static int failed;

static void start_read(uv_loop_t* loop);

static void fail(const char* what, ssize_t err) {
  fprintf(stderr, "cat: %s: %s\n", what, uv_strerror((int) err));
  failed = 1;
}

static void on_close(uv_fs_t* r) {
  uv_fs_req_cleanup(r);
}

static void finish(uv_loop_t* loop, ssize_t err) {
  if (err < 0)
    fail("read", err);
  uv_fs_close(loop, &req, file, on_close);
}

static void on_read(uv_fs_t* r) {
  ssize_t n = r->result;
  uv_fs_req_cleanup(r);
  if (n <= 0)
    finish(r->loop, n); /* 0: the end of the file */
  else if (fwrite(block, 1, (size_t) n, stdout) == (size_t) n)
    start_read(r->loop);
  else
    finish(r->loop, UV_EIO);
}

static void start_read(uv_loop_t* loop) {
  uv_buf_t buf = uv_buf_init(block, sizeof(block)); /* copied by the call */
  int err = uv_fs_read(loop, &req, file, &buf, 1, -1, on_read);
  if (err != 0)
    finish(loop, err);
}

static void on_open(uv_fs_t* r) {
  if (r->result < 0)
    fail(r->path, r->result);
  file = (uv_file) r->result;
  uv_fs_req_cleanup(r);
  if (!failed)
    start_read(r->loop);
}

int main(int argc, char** argv) {
  uv_loop_t* loop = uv_default_loop();

  if (argc != 2)
    return 2;
  int err = uv_fs_open(loop, &req, argv[1], UV_FS_O_RDONLY, 0, on_open);
  if (err != 0)
    fail(argv[1], err);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) != 0 || failed;
}
