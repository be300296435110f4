/* SPDX-License-Identifier: MIT */
/* What programs do with whole files: several requests one after the other,
 * `size` such chains at the same time. One operation is a chain. */
#include "bench.h"

#include <fcntl.h>
#include <unistd.h>

#define FILES 64
#define BYTES 1024

enum { READ_FILE, WRITE_FILE, UNLINK };

struct chain {
  uv_fs_t req;
  uv_file fd;
  char path[128];
  char data[BYTES];
};

static struct {
  uv_loop_t loop;
  int kind;
  uint64_t ops;
  uint64_t started;
  uint64_t done;
} chains;

static void name_file(char* path, size_t size, uint64_t number) {
  snprintf(path, size, "%s/file-%llu", bench_dir(),
           (unsigned long long) number);
}

/* Unlinked files exist beforehand, one for each operation; the others are few
 * and used in turn. */
static void make_files(uint64_t count) {
  static const char data[BYTES];
  char path[128];

  for (uint64_t i = 0; i < count; i++) {
    name_file(path, sizeof(path), i);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK(fd >= 0);
    CHECK(write(fd, data, sizeof(data)) == sizeof(data));
    CHECK(close(fd) == 0);
  }
}

static void chain_start(struct chain* chain);

static void chain_done(uv_fs_t* req) {
  CHECK_OK(req->result);
  uv_fs_req_cleanup(req);
  if (++chains.done == chains.ops)
    bench_end();
  if (chains.started < chains.ops)
    chain_start((struct chain*) req);
}

/* Reading or writing is over. */
static void chain_moved(uv_fs_t* req) {
  struct chain* chain = (struct chain*) req;

  CHECK(req->result == BYTES);
  uv_fs_req_cleanup(req);
  CHECK_OK(uv_fs_close(&chains.loop, req, chain->fd, chain_done));
}

static void chain_sized(uv_fs_t* req) {
  struct chain* chain = (struct chain*) req;
  uv_buf_t buf = uv_buf_init(chain->data, BYTES);

  CHECK_OK(req->result);
  CHECK(req->statbuf.st_size == BYTES);
  uv_fs_req_cleanup(req);
  CHECK_OK(uv_fs_read(&chains.loop, req, chain->fd, &buf, 1, -1, chain_moved));
}

static void chain_opened(uv_fs_t* req) {
  struct chain* chain = (struct chain*) req;
  uv_buf_t buf = uv_buf_init(chain->data, BYTES);

  CHECK_OK(req->result);
  chain->fd = (uv_file) req->result;
  uv_fs_req_cleanup(req);
  if (chains.kind == READ_FILE)
    CHECK_OK(uv_fs_fstat(&chains.loop, req, chain->fd, chain_sized));
  else
    CHECK_OK(
        uv_fs_write(&chains.loop, req, chain->fd, &buf, 1, -1, chain_moved));
}

static void chain_start(struct chain* chain) {
  int flags = UV_FS_O_RDONLY;
  uint64_t number = chains.started++;

  if (chains.kind == UNLINK) {
    name_file(chain->path, sizeof(chain->path), number);
    CHECK_OK(uv_fs_unlink(&chains.loop, &chain->req, chain->path, chain_done));
    return;
  }
  if (chains.kind == WRITE_FILE)
    flags = UV_FS_O_WRONLY | UV_FS_O_CREAT | UV_FS_O_TRUNC;
  name_file(chain->path, sizeof(chain->path), number % FILES);
  CHECK_OK(uv_fs_open(&chains.loop, &chain->req, chain->path, flags, 0600,
                      chain_opened));
}

static void run_chain(struct run* run) {
  struct chain* all = bench_alloc(run->size, sizeof(*all));

  make_files(run->kind == UNLINK ? run->ops : FILES);
  chains.kind = run->kind;
  chains.ops = run->ops;
  CHECK_OK(uv_loop_init(&chains.loop));
  bench_begin();
  for (unsigned i = 0; i < run->size && chains.started < chains.ops; i++)
    chain_start(&all[i]);
  bench_drain(&chains.loop);
  CHECK(chains.done == run->ops);
  free(all);
}

const struct workload file_chain_workloads[] = {
  { "fs-readfile-1", run_chain, NULL, READ_FILE, 5000, 0, 1,
    "open, fstat, read 1 KiB, close, 1 chain at a time" },
  { "fs-readfile-64", run_chain, NULL, READ_FILE, 20000, 0, 64,
    "open, fstat, read 1 KiB, close, 64 chains" },
  { "fs-writefile-4", run_chain, NULL, WRITE_FILE, 5000, 0, 4,
    "open (truncates), write 1 KiB, close, 4 chains" },
  { "fs-writefile-32", run_chain, NULL, WRITE_FILE, 5000, 0, 32,
    "open (truncates), write 1 KiB, close, 32 chains" },
  { "fs-unlink-4", run_chain, NULL, UNLINK, 10000, 0, 4,
    "uv_fs_unlink in one directory, 4 in flight" },
  { "fs-unlink-32", run_chain, NULL, UNLINK, 10000, 0, 32,
    "uv_fs_unlink in one directory, 32 in flight" },
  { .name = NULL },
};
