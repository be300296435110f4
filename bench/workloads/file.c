/* SPDX-License-Identifier: MIT */
/* Files: requests with a callback, `size` of them in flight; and the bare
 * system calls, one after the other, as the floor. */
#include "bench.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK 4096
#define BLOCKS 1024
#define ENTRIES 1000

enum { STAT, READ, WRITE, OPEN, STAT_SYNC, SCAN };

struct job {
  uv_fs_t req;
  char* data;
};

static struct {
  uv_loop_t loop;
  char path[128];
  int fd;
  uint64_t ops;
  uint64_t started;
  uint64_t done;
} files;

static char blocks[256][BLOCK];

static void make_file(void) {
  static char block[BLOCK];

  snprintf(files.path, sizeof(files.path), "%s/file", bench_dir());
  files.fd = open(files.path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  CHECK(files.fd >= 0);
  for (int i = 0; i < BLOCKS; i++)
    CHECK(write(files.fd, block, BLOCK) == BLOCK);
}

static off_t next_offset(void) {
  return (off_t) (bench_random() % BLOCKS) * BLOCK;
}

static int is_next(void) {
  if (++files.done == files.ops)
    bench_end();
  return files.started < files.ops;
}

static void stat_start(struct job* job);
static void read_start(struct job* job);
static void write_start(struct job* job);
static void open_start(struct job* job);
static void scan_start(struct job* job);

static void stat_done(uv_fs_t* req) {
  CHECK_OK(req->result);
  uv_fs_req_cleanup(req);
  if (is_next())
    stat_start((struct job*) req);
}

static void stat_start(struct job* job) {
  files.started++;
  CHECK_OK(uv_fs_stat(&files.loop, &job->req, files.path, stat_done));
}

static void read_done(uv_fs_t* req) {
  CHECK(req->result == BLOCK);
  uv_fs_req_cleanup(req);
  if (is_next())
    read_start((struct job*) req);
}

static void read_start(struct job* job) {
  uv_buf_t buf = uv_buf_init(job->data, BLOCK);

  files.started++;
  CHECK_OK(uv_fs_read(&files.loop, &job->req, files.fd, &buf, 1, next_offset(),
                      read_done));
}

static void write_done(uv_fs_t* req) {
  CHECK(req->result == BLOCK);
  uv_fs_req_cleanup(req);
  if (is_next())
    write_start((struct job*) req);
}

static void write_start(struct job* job) {
  uv_buf_t buf = uv_buf_init(job->data, BLOCK);

  files.started++;
  CHECK_OK(uv_fs_write(&files.loop, &job->req, files.fd, &buf, 1, next_offset(),
                       write_done));
}

static void close_done(uv_fs_t* req) {
  CHECK_OK(req->result);
  uv_fs_req_cleanup(req);
  if (is_next())
    open_start((struct job*) req);
}

static void open_done(uv_fs_t* req) {
  uv_file fd = (uv_file) req->result;

  CHECK_OK(req->result);
  uv_fs_req_cleanup(req);
  CHECK_OK(uv_fs_close(&files.loop, req, fd, close_done));
}

static void open_start(struct job* job) {
  files.started++;
  CHECK_OK(uv_fs_open(&files.loop, &job->req, files.path, UV_FS_O_RDONLY, 0,
                      open_done));
}

static void scan_done(uv_fs_t* req) {
  uv_dirent_t entry;
  int count = 0;

  CHECK(req->result == ENTRIES);
  while (uv_fs_scandir_next(req, &entry) == 0)
    count++;
  CHECK(count == ENTRIES);
  uv_fs_req_cleanup(req);
  if (is_next())
    scan_start((struct job*) req);
}

static void scan_start(struct job* job) {
  files.started++;
  CHECK_OK(uv_fs_scandir(&files.loop, &job->req, files.path, 0, scan_done));
}

static void (*const starters[])(struct job*) = {
  [STAT] = stat_start, [READ] = read_start, [WRITE] = write_start,
  [OPEN] = open_start, [SCAN] = scan_start,
};

static void run_in_flight(const struct run* run) {
  struct job* jobs = bench_alloc(run->size, sizeof(*jobs));

  files.ops = run->ops;
  CHECK_OK(uv_loop_init(&files.loop));
  bench_begin();
  for (unsigned i = 0; i < run->size && files.started < run->ops; i++) {
    jobs[i].data = blocks[i % 256];
    starters[run->kind](&jobs[i]);
  }
  bench_drain(&files.loop);
  CHECK(files.done == run->ops);
  free(jobs);
}

static void run_file(struct run* run) {
  make_file();
  run_in_flight(run);
  close(files.fd);
}

static void make_entries(void) {
  char name[256];

  snprintf(files.path, sizeof(files.path), "%s/dir", bench_dir());
  CHECK(mkdir(files.path, 0700) == 0);
  for (int i = 0; i < ENTRIES; i++) {
    snprintf(name, sizeof(name), "%s/entry-number-%d", files.path, i);
    int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    CHECK(fd >= 0);
    close(fd);
  }
}

static void run_scan(struct run* run) {
  make_entries();
  run_in_flight(run);
}

static void run_sync(struct run* run) {
  uv_fs_t req;

  make_file();
  CHECK_OK(uv_loop_init(&files.loop));
  bench_begin();
  for (uint64_t i = 0; i < run->ops; i++) {
    CHECK_OK(uv_fs_stat(&files.loop, &req, files.path, NULL));
    uv_fs_req_cleanup(&req);
  }
  bench_end();
  bench_drain(&files.loop);
  close(files.fd);
}

static void bare_call(int kind) {
  struct stat info;
  int fd;

  switch (kind) {
  case READ:
    CHECK(pread(files.fd, blocks[0], BLOCK, next_offset()) == BLOCK);
    break;
  case WRITE:
    CHECK(pwrite(files.fd, blocks[0], BLOCK, next_offset()) == BLOCK);
    break;
  case OPEN:
    fd = open(files.path, O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0);
    CHECK(close(fd) == 0);
    break;
  default:
    CHECK(stat(files.path, &info) == 0);
    break;
  }
}

static void floor_file(struct run* run) {
  make_file();
  bench_begin();
  for (uint64_t i = 0; i < run->ops; i++)
    bare_call(run->kind);
  bench_end();
  close(files.fd);
}

static void floor_scan(struct run* run) {
  make_entries();
  bench_begin();
  for (uint64_t i = 0; i < run->ops; i++) {
    int count = 0;
    DIR* dir = opendir(files.path);
    CHECK(dir != NULL);
    while (readdir(dir) != NULL)
      count++;
    CHECK(count == ENTRIES + 2);
    closedir(dir);
  }
  bench_end();
}

const struct workload file_workloads[] = {
  { "fs-stat-1", run_file, floor_file, STAT, 10000, 0, 1,
    "uv_fs_stat, 1 in flight" },
  { "fs-stat-64", run_file, floor_file, STAT, 50000, 0, 64,
    "uv_fs_stat, 64 in flight" },
  { "fs-read-1", run_file, floor_file, READ, 10000, 0, 1,
    "uv_fs_read of 4 KiB, 1 in flight" },
  { "fs-read-64", run_file, floor_file, READ, 50000, 0, 64,
    "uv_fs_read of 4 KiB, 64 in flight" },
  { "fs-write-1", run_file, floor_file, WRITE, 10000, 0, 1,
    "uv_fs_write of 4 KiB, 1 in flight" },
  { "fs-write-64", run_file, floor_file, WRITE, 50000, 0, 64,
    "uv_fs_write of 4 KiB, 64 in flight" },
  { "fs-open-1", run_file, floor_file, OPEN, 5000, 0, 1,
    "uv_fs_open and uv_fs_close, 1 in flight" },
  { "fs-open-64", run_file, floor_file, OPEN, 20000, 0, 64,
    "uv_fs_open and uv_fs_close, 64 in flight" },
  { "fs-stat-64-uring", run_file, floor_file, STAT, 50000, 0, 64,
    "uv_fs_stat, 64 in flight, ours with UV_USE_IO_URING=1" },
  { "fs-read-64-uring", run_file, floor_file, READ, 50000, 0, 64,
    "uv_fs_read of 4 KiB, 64 in flight, ours with UV_USE_IO_URING=1" },
  { "fs-write-64-uring", run_file, floor_file, WRITE, 50000, 0, 64,
    "uv_fs_write of 4 KiB, 64 in flight, ours with UV_USE_IO_URING=1" },
  { "fs-open-64-uring", run_file, floor_file, OPEN, 20000, 0, 64,
    "open and close, 64 in flight, ours with UV_USE_IO_URING=1" },
  { "fs-stat-sync", run_sync, floor_file, STAT_SYNC, 100000, 0, 1,
    "uv_fs_stat without a callback" },
  { "fs-scandir", run_scan, floor_scan, SCAN, 200, 0, 1,
    "uv_fs_scandir of 1000 entries, and their names" },
  { .name = NULL },
};
