/* SPDX-License-Identifier: MIT */
/* Many file requests at once, some of them cancelled: what a ring submits with
 * one call. Three rounds: writes, reads of what was written, and a mixture that
 * is partly cancelled. */
#include "scenarios.h"

#include <fcntl.h>
#include <unistd.h>

enum { MANY = 12, CHUNK = 100 };

static uv_fs_t reqs[MANY];
static char text[MANY][CHUNK];
static ssize_t written[MANY];
static int may_be_cancelled[MANY];
static int fd;
static int left;
static void (*after_round)(void);

static void on_done(uv_fs_t* req) {
  int i = (int) (req - reqs);
  int result = (int) req->result;

  sc_arrived();
  if (req->fs_type == UV_FS_WRITE)
    written[i] = result;
  if (req->fs_type == UV_FS_READ && result > 0) {
    SC_CHECK(result <= CHUNK);
    for (int k = 0; k < result && k < written[i]; k++)
      SC_CHECK(text[i][k] == 'a' + i);
  }
  if (req->fs_type == UV_FS_OPEN && result >= 0)
    close(result);
  if (req->fs_type == UV_FS_STAT && result == 0)
    SC_CHECK(req->statbuf.st_size > 0 && req->ptr == &req->statbuf);
  uv_fs_req_cleanup(req);
  if (result < 0 && !(result == UV_ECANCELED && may_be_cancelled[i]))
    sc_fail(result);
  if (--left == 0 && sc.err == 0)
    after_round();
}

/* The i-th of a round; returns the error if it was not accepted. */
static int transfer(int i, int is_write) {
  uv_buf_t bufs[2] = {
    uv_buf_init(text[i], CHUNK / 2),
    uv_buf_init(text[i] + CHUNK / 2, CHUNK / 2),
  };
  unsigned count = 2;

  if (i % 2 == 0) {
    bufs[0].len = CHUNK;
    count = 1;
  }
  memset(text[i], is_write ? 'a' + i : 0, CHUNK);
  if (is_write)
    return uv_fs_write(&sc.loop, &reqs[i], fd, bufs, count, i * CHUNK, on_done);
  return uv_fs_read(&sc.loop, &reqs[i], fd, bufs, count, i * CHUNK, on_done);
}

static int write_one(int i) {
  return transfer(i, 1);
}

static int read_one(int i) {
  return transfer(i, 0);
}

static int mixed_one(int i) {
  switch (i % 4) {
  case 0:
    return uv_fs_stat(&sc.loop, &reqs[i], "many", on_done);
  case 1:
    return uv_fs_open(&sc.loop, &reqs[i], "many", UV_FS_O_RDONLY, 0, on_done);
  case 2:
    return uv_fs_fsync(&sc.loop, &reqs[i], fd, on_done);
  default:
    return uv_fs_read(&sc.loop, &reqs[i], fd,
                      &(uv_buf_t) { .base = text[i], .len = CHUNK }, 1,
                      i * CHUNK, on_done);
  }
}

static void begin_round(int (*one)(int i), void (*after)(void)) {
  after_round = after;
  left = 0;
  for (int i = 0; i < MANY && sc.err == 0; i++) {
    int err = one(i);
    if (err != 0)
      uv_fs_req_cleanup(&reqs[i]);
    else
      left++;
    sc_expect(err);
  }
}

static void reach_goal(void) {
  sc.goal = 1;
}

static void mix(void) {
  begin_round(mixed_one, reach_goal);
  for (int i = 0; i < left; i += 3) {
    may_be_cancelled[i] = 1;
    int err = uv_cancel((uv_req_t*) &reqs[i]);
    SC_CHECK(err == 0 || err == UV_EBUSY);
  }
}

static void read_back(void) {
  begin_round(read_one, mix);
}

void scenario_fs_many(void) {
  memset(written, 0, sizeof(written));
  memset(may_be_cancelled, 0, sizeof(may_be_cancelled));
  fd = open("many", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  SC_CHECK(fd >= 0);
  begin_round(write_one, read_back);
  sc_run();
  close(fd);
  unlink("many");
}
