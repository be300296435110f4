/* SPDX-License-Identifier: MIT */
/* Files through io_uring (UV_USE_IO_URING=1): when it is used, that results
 * equal the pool's, and what happens when the kernel, a fork or a cancellation
 * interferes. test-uring-rights.c is about refused and dropped credentials. */
#include "test.h"
#include "test-uring.h"
#include "uv/ext.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

void uring_ask_for(const char* value) {
  if (value == NULL)
    ASSERT_EQ(0, unsetenv("UV_USE_IO_URING"));
  else
    ASSERT_EQ(0, setenv("UV_USE_IO_URING", value, 1));
}

int uring_count(void) {
  char path[64];
  char target[64];
  int count = 0;

  for (int fd = 0; fd < 256; fd++) {
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    ssize_t len = readlink(path, target, sizeof(target) - 1);
    if (len <= 0)
      continue;
    target[len] = '\0';
    if (strcmp(target, "anon_inode:[io_uring]") == 0)
      count++;
  }
  return count;
}

static uv_loop_t loop;
int uring_callbacks;
static ssize_t last_result;

void uring_cb(uv_fs_t* req) {
  uring_callbacks++;
  last_result = req->result;
}

ssize_t uring_run(int err, uv_fs_t* req) {
  ASSERT_OK(err);
  ASSERT_EQ(0, uv_run(req->loop, UV_RUN_DEFAULT));
  uv_fs_req_cleanup(req);
  return last_result;
}

/* The modes: what the kernel completes at once; everything (which the pool
 * would do better, but the kernel can); the same two with the kernel's polling
 * thread. */
enum { AT_ONCE, ALL, POLLED, POLLED_ALL };

static void start_loop(int how) {
  static const char* const values[] = { "1", "2", NULL, "2" };

  uring_ask_for(values[how]);
  ASSERT_OK(uv_loop_init(&loop));
  if (how >= POLLED)
    ASSERT_OK(uv_loop_configure(&loop, UV_LOOP_USE_IO_URING_SQPOLL));
}

/* At least one request, to create the ring. */
static void need_ring(int how) {
  uv_fs_t req;

  start_loop(how);
  ASSERT_EQ(0, uring_count());
  ssize_t fd =
      uring_run(uv_fs_open(&loop, &req, ".", O_RDONLY, 0, uring_cb), &req);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(0, close((int) fd));
  if (uring_count() == 0)
    SKIP("this kernel has no io_uring");
  uring_callbacks = 0;
}

static int make_file(const char* path, const char* text) {
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  ASSERT_GE(fd, 0);
  ASSERT_EQ((ssize_t) strlen(text), write(fd, text, strlen(text)));
  return fd;
}

/* Requests with comparable results: they change nothing, or fail. Each is done
 * synchronously (as the pool does it) and through the ring. */
static struct {
  int file;
  int dir;
  int pipe[2];
  char text[4][8];
} at;

typedef int request_fn(uv_fs_t* req, uv_fs_cb cb);

static char long_name[PATH_MAX + 16];

#define REQUEST(name, call)                                                    \
 static int name(uv_fs_t* req, uv_fs_cb cb) {                                  \
  return call;                                                                 \
 }

static int read_bufs(uv_fs_t* req, int fd, int n, int64_t off, uv_fs_cb cb) {
  uv_buf_t bufs[4];
  memset(at.text, 0, sizeof(at.text));
  for (int i = 0; i < n; i++)
    bufs[i] = uv_buf_init(at.text[i], i == 1 ? 0 : 3);
  return uv_fs_read(&loop, req, fd, bufs, (unsigned) n, off, cb);
}

static int write_bufs(uv_fs_t* req, int fd, int n, int64_t off, uv_fs_cb cb) {
  uv_buf_t bufs[4];
  for (int i = 0; i < n; i++)
    bufs[i] = uv_buf_init("same", i == 1 ? 0 : 4);
  return uv_fs_write(&loop, req, fd, bufs, (unsigned) n, off, cb);
}

REQUEST(open_none, uv_fs_open(&loop, req, "none", O_RDONLY, 0, cb))
REQUEST(open_excl, uv_fs_open(&loop, req, "file", O_CREAT | O_EXCL, 0600, cb))
REQUEST(open_dir, uv_fs_open(&loop, req, ".", O_WRONLY, 0, cb))
REQUEST(open_under, uv_fs_open(&loop, req, "file/x", O_RDONLY, 0, cb))
REQUEST(open_long, uv_fs_open(&loop, req, long_name, O_RDONLY, 0, cb))
REQUEST(open_empty, uv_fs_open(&loop, req, "", O_RDONLY, 0, cb))
REQUEST(open_tmp, uv_fs_open(&loop, req, "file", 020000000, 0, cb))
REQUEST(close_bad, uv_fs_close(&loop, req, 9999, cb))
REQUEST(close_minus, uv_fs_close(&loop, req, -1, cb))
REQUEST(read_one, read_bufs(req, at.file, 1, 1, cb))
REQUEST(read_four, read_bufs(req, at.file, 4, 1, cb))
REQUEST(read_end, read_bufs(req, at.file, 1, 1 << 20, cb))
REQUEST(read_dir, read_bufs(req, at.dir, 1, 0, cb))
REQUEST(read_pipe, read_bufs(req, at.pipe[0], 1, 0, cb))
REQUEST(read_bad, read_bufs(req, 9999, 1, 0, cb))
REQUEST(read_cursor, read_bufs(req, 9999, 1, -1, cb))
REQUEST(read_wrong, read_bufs(req, at.pipe[1], 1, -1, cb))
REQUEST(write_one, write_bufs(req, at.file, 1, 4, cb))
REQUEST(write_four, write_bufs(req, at.file, 4, 4, cb))
REQUEST(write_pipe, write_bufs(req, at.pipe[1], 1, 3, cb))
REQUEST(write_dir, write_bufs(req, at.dir, 1, 0, cb))
REQUEST(write_stream, write_bufs(req, at.pipe[1], 4, -1, cb))
REQUEST(fsync_file, uv_fs_fsync(&loop, req, at.file, cb))
REQUEST(fsync_pipe, uv_fs_fsync(&loop, req, at.pipe[0], cb))
REQUEST(fdatasync_file, uv_fs_fdatasync(&loop, req, at.file, cb))
REQUEST(fdatasync_bad, uv_fs_fdatasync(&loop, req, 9999, cb))
REQUEST(truncate_same, uv_fs_ftruncate(&loop, req, at.file, 12, cb))
REQUEST(truncate_minus, uv_fs_ftruncate(&loop, req, at.file, -1, cb))
REQUEST(stat_file, uv_fs_stat(&loop, req, "file", cb))
REQUEST(stat_link, uv_fs_stat(&loop, req, "link", cb))
REQUEST(stat_null, uv_fs_stat(&loop, req, "/dev/null", cb))
REQUEST(stat_none, uv_fs_stat(&loop, req, "none", cb))
REQUEST(stat_loop, uv_fs_stat(&loop, req, "self/x", cb))
REQUEST(stat_long, uv_fs_stat(&loop, req, long_name, cb))
REQUEST(stat_proc, uv_fs_stat(&loop, req, "/proc/self/status", cb))
REQUEST(lstat_link, uv_fs_lstat(&loop, req, "link", cb))
REQUEST(lstat_loop, uv_fs_lstat(&loop, req, "self", cb))
REQUEST(fstat_file, uv_fs_fstat(&loop, req, at.file, cb))
REQUEST(fstat_pipe, uv_fs_fstat(&loop, req, at.pipe[0], cb))
REQUEST(fstat_bad, uv_fs_fstat(&loop, req, 9999, cb))
REQUEST(unlink_none, uv_fs_unlink(&loop, req, "none", cb))
REQUEST(unlink_dir, uv_fs_unlink(&loop, req, "dir", cb))
REQUEST(rmdir_full, uv_fs_rmdir(&loop, req, "dir", cb))
REQUEST(rmdir_file, uv_fs_rmdir(&loop, req, "file", cb))
REQUEST(mkdir_there, uv_fs_mkdir(&loop, req, "dir", 0700, cb))
REQUEST(mkdir_under, uv_fs_mkdir(&loop, req, "none/x", 0700, cb))
REQUEST(rename_none, uv_fs_rename(&loop, req, "none", "x", cb))
REQUEST(rename_into, uv_fs_rename(&loop, req, "dir", "dir/x/y", cb))
REQUEST(rename_self, uv_fs_rename(&loop, req, "file", "file", cb))
REQUEST(link_there, uv_fs_link(&loop, req, "file", "link", cb))
REQUEST(link_dir, uv_fs_link(&loop, req, "dir", "x", cb))
REQUEST(symlink_there, uv_fs_symlink(&loop, req, "a", "link", 0, cb))
REQUEST(symlink_none, uv_fs_symlink(&loop, req, "a", "none/x", 0, cb))
REQUEST(access_none, uv_fs_access(&loop, req, "none", 0, cb))
REQUEST(chmod_file, uv_fs_chmod(&loop, req, "file", 0644, cb))

static request_fn* const requests[] = {
  open_none,     open_excl,     open_dir,       open_under,  open_long,
  open_empty,    open_tmp,      close_bad,      close_minus, read_one,
  read_four,     read_end,      read_dir,       read_pipe,   read_bad,
  read_cursor,   read_wrong,    write_one,      write_four,  write_pipe,
  write_dir,     write_stream,  fsync_file,     fsync_pipe,  fdatasync_file,
  fdatasync_bad, truncate_same, truncate_minus, stat_file,   stat_link,
  stat_null,     stat_none,     stat_loop,      stat_long,   stat_proc,
  lstat_link,    lstat_loop,    fstat_file,     fstat_pipe,  fstat_bad,
  unlink_none,   unlink_dir,    rmdir_full,     rmdir_file,  mkdir_there,
  mkdir_under,   rename_none,   rename_into,    rename_self, link_there,
  link_dir,      symlink_there, symlink_none,   access_none, chmod_file,
};

static void make_places(void) {
  memset(long_name, 'n', sizeof(long_name) - 1);
  at.file = make_file("file", "hello, world");
  ASSERT_EQ(0, mkdir("dir", 0755));
  ASSERT_EQ(0, mkdir("dir/x", 0755));
  at.dir = open("dir", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(at.dir, 0);
  ASSERT_EQ(0, symlink("file", "link"));
  ASSERT_EQ(0, symlink("self", "self"));
  ASSERT_EQ(0, pipe(at.pipe));
  ASSERT_EQ(5, write(at.pipe[1], "bytes", 5));
}

static void compare_request(size_t i) {
  uv_fs_t here;
  uv_fs_t ring;
  char text[sizeof(at.text)];

  (void) requests[i](&here, NULL);
  memcpy(text, at.text, sizeof(text));
  ASSERT_OK(requests[i](&ring, uring_cb));
  ASSERT_EQ((intptr_t) i, uring_callbacks); /* never before it returns */
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ((intptr_t) i + 1, uring_callbacks);
  if (here.result != ring.result)
    fprintf(stderr, "request %zu\n", i);
  ASSERT_EQ(here.result, ring.result);
  ASSERT_MEM_EQ(text, at.text, sizeof(text));
  ASSERT_EQ(here.ptr == NULL, ring.ptr == NULL);
  if (here.ptr != NULL) {
    ASSERT_PTR_EQ(&ring.statbuf, ring.ptr);
    ASSERT_MEM_EQ(&here.statbuf, &ring.statbuf, sizeof(here.statbuf));
  }
  if (here.path != NULL)
    ASSERT_STR_EQ(here.path, ring.path);
  ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) &ring));
  uv_fs_req_cleanup(&here);
  uv_fs_req_cleanup(&ring);
  ASSERT_NULL(ring.ptr);
  ASSERT_NULL(ring.path);
}

static void compare_results(int how) {
  make_places();
  need_ring(how);
  for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
    compare_request(i);
  ASSERT_EQ(1, uring_count());
  test_close_loop(&loop);
  ASSERT_EQ(0, uring_count());
}

TEST_IMPL(uring_results_equal_the_pools) {
  compare_results(AT_ONCE);
  return 0;
}

TEST_IMPL(uring_all_results_equal_the_pools) {
  compare_results(ALL);
  return 0;
}

TEST_IMPL(uring_polled_results_equal_the_pools) {
  compare_results(POLLED);
  return 0;
}

TEST_IMPL(uring_polled_all_results_equal_the_pools) {
  compare_results(POLLED_ALL);
  return 0;
}

/* Requests that change something, in an order in which each effect shows. */
static void do_all(int how) {
  uv_fs_t req;
  struct stat st;
  uv_buf_t bufs[2];
  char text[16] = "";
  mode_t mask = umask(022);

  need_ring(how);
  ASSERT_OK(uring_run(uv_fs_mkdir(&loop, &req, "d", 0777, uring_cb), &req));
  ASSERT_EQ(0, stat("d", &st));
  ASSERT_EQ(0755, st.st_mode & 07777);
  ssize_t fd = uring_run(
      uv_fs_open(&loop, &req, "d/f", O_RDWR | O_CREAT, 0666, uring_cb), &req);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(FD_CLOEXEC, fcntl((int) fd, F_GETFD));
  ASSERT_EQ(0, fstat((int) fd, &st));
  ASSERT_EQ(0644, st.st_mode & 07777);

  bufs[0] = uv_buf_init("hello ", 6);
  bufs[1] = uv_buf_init("world", 5);
  ASSERT_EQ(11,
            uring_run(uv_fs_write(&loop, &req, (int) fd, bufs, 2, 2, uring_cb),
                      &req));
  /* At the current position, which is still the start. */
  ASSERT_EQ(5, uring_run(uv_fs_write(&loop, &req, (int) fd, bufs + 1, 1, -1,
                                     uring_cb),
                         &req));
  bufs[0] = uv_buf_init(text, 5);
  bufs[1] = uv_buf_init(text + 5, 11);
  ASSERT_EQ(
      13,
      uring_run(uv_fs_read(&loop, &req, (int) fd, bufs, 2, 0, uring_cb), &req));
  ASSERT_STR_EQ("worldlo world", text);
  ASSERT_EQ(8,
            uring_run(uv_fs_read(&loop, &req, (int) fd, bufs, 2, -1, uring_cb),
                      &req));
  ASSERT_EQ(13, lseek((int) fd, 0, SEEK_CUR));
  ASSERT_OK(
      uring_run(uv_fs_ftruncate(&loop, &req, (int) fd, 3, uring_cb), &req));
  ASSERT_EQ(0, fstat((int) fd, &st));
  ASSERT_EQ(3, st.st_size);
  ASSERT_OK(uring_run(uv_fs_close(&loop, &req, (int) fd, uring_cb), &req));
  ASSERT_EQ(-1, fcntl((int) fd, F_GETFD));

  ASSERT_OK(uring_run(uv_fs_rename(&loop, &req, "d/f", "d/g", uring_cb), &req));
  ASSERT_EQ(-1, access("d/f", F_OK));
  ASSERT_OK(uring_run(uv_fs_link(&loop, &req, "d/g", "d/h", uring_cb), &req));
  ASSERT_OK(
      uring_run(uv_fs_symlink(&loop, &req, "g", "d/i", 0, uring_cb), &req));
  ASSERT_EQ(1, readlink("d/i", text, sizeof(text)));
  ASSERT_EQ(0, stat("d/i", &st));
  ASSERT_EQ(2, st.st_nlink);
  ASSERT_OK(uring_run(uv_fs_unlink(&loop, &req, "d/g", uring_cb), &req));
  ASSERT_OK(uring_run(uv_fs_unlink(&loop, &req, "d/h", uring_cb), &req));
  ASSERT_OK(uring_run(uv_fs_unlink(&loop, &req, "d/i", uring_cb), &req));
  ASSERT_OK(uring_run(uv_fs_rmdir(&loop, &req, "d", uring_cb), &req));
  ASSERT_EQ(-1, access("d", F_OK));
  umask(mask);
  test_close_loop(&loop);
}

TEST_IMPL(uring_does_what_it_says) {
  do_all(AT_ONCE);
  do_all(ALL);
  do_all(POLLED);
  do_all(POLLED_ALL);
  return 0;
}

#define MANY 3000
static uv_fs_t many[MANY];

/* More than fits into the ring: the rest goes to the pool. */
static void do_many(int how) {
  need_ring(how);
  for (int round = 0; round < 3; round++) {
    uring_callbacks = 0;
    for (int i = 0; i < MANY; i++)
      ASSERT_OK(uv_fs_stat(&loop, &many[i], i % 2 ? "." : "none", uring_cb));
    ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
    ASSERT_EQ(MANY, uring_callbacks);
    for (int i = 0; i < MANY; i++) {
      ASSERT_ERR(i % 2 ? 0 : UV_ENOENT, many[i].result);
      uv_fs_req_cleanup(&many[i]);
    }
  }
  test_close_loop(&loop);
}

TEST_IMPL(uring_more_than_there_is_room_for) {
  do_many(ALL);
  return 0;
}

TEST_IMPL(uring_polled_more_than_there_is_room_for) {
  do_many(POLLED_ALL);
  return 0;
}

/* Many reads of the same file in one iteration, and again from their
 * callbacks. */
static char blocks[1000][16];
static uv_file blocks_fd;

static void on_block(uv_fs_t* req) {
  size_t i = (size_t) (req - many);
  uv_buf_t buf = uv_buf_init(blocks[i], sizeof(blocks[i]));

  ASSERT_EQ((ssize_t) sizeof(blocks[i]), req->result);
  ASSERT_EQ((int) i, atoi(blocks[i]));
  uv_fs_req_cleanup(req);
  if (++uring_callbacks > 5000)
    return;
  memset(blocks[i], 0, sizeof(blocks[i]));
  ASSERT_OK(uv_fs_read(&loop, req, blocks_fd, &buf, 1,
                       (int64_t) (i * sizeof(blocks[i])), on_block));
}

static void read_blocks(int how) {
  need_ring(how);
  blocks_fd = make_file("blocks", "");
  for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
    snprintf(blocks[i], sizeof(blocks[i]), "%zu", i);
    ASSERT_EQ(16, write(blocks_fd, blocks[i], 16));
    memset(blocks[i], 0, sizeof(blocks[i]));
  }
  for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
    uv_buf_t buf = uv_buf_init(blocks[i], sizeof(blocks[i]));
    ASSERT_OK(uv_fs_read(&loop, &many[i], blocks_fd, &buf, 1,
                         (int64_t) (i * sizeof(blocks[i])), on_block));
  }
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(6000, uring_callbacks);
  close(blocks_fd);
  test_close_loop(&loop);
}

TEST_IMPL(uring_reads_in_callbacks) {
  read_blocks(AT_ONCE);
  read_blocks(ALL);
  read_blocks(POLLED);
  return 0;
}

enum { RECORDS = 400, RECORD_SIZE = 64 };
static char records[2 * RECORDS][RECORD_SIZE];

static void write_records(void* arg) {
  uv_fs_t req;

  for (int i = RECORDS; i < 2 * RECORDS; i++) {
    uv_buf_t buf = uv_buf_init(records[i], RECORD_SIZE);
    ASSERT_EQ(RECORD_SIZE,
              uv_fs_write(NULL, &req, *(int*) arg, &buf, 1, -1, NULL));
  }
}

/* Requests without an offset share the file position, with each other and with
 * other threads: none overwrites another. */
TEST_IMPL(uring_writes_at_the_cursor) {
  static char seen[2 * RECORDS];
  char record[RECORD_SIZE];
  uv_thread_t thread;

  need_ring(AT_ONCE);
  int fd = make_file("log", "");
  for (int i = 0; i < 2 * RECORDS; i++)
    snprintf(records[i], RECORD_SIZE, "%d", i);
  ASSERT_OK(uv_thread_create(&thread, write_records, &fd));
  for (int i = 0; i < RECORDS; i++) {
    uv_buf_t buf = uv_buf_init(records[i], RECORD_SIZE);
    ASSERT_OK(uv_fs_write(&loop, &many[i], fd, &buf, 1, -1, uring_cb));
    if (i % 8 == 7)
      uv_run(&loop, UV_RUN_NOWAIT);
  }
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(RECORDS, uring_callbacks);
  ASSERT_OK(uv_thread_join(&thread));
  for (int i = 0; i < RECORDS; i++) {
    ASSERT_EQ(RECORD_SIZE, many[i].result);
    uv_fs_req_cleanup(&many[i]);
  }
  for (int i = 0; i < 2 * RECORDS; i++) {
    ASSERT_EQ(RECORD_SIZE,
              pread(fd, record, RECORD_SIZE, (off_t) i * RECORD_SIZE));
    int number = atoi(record);
    ASSERT_EQ(0, seen[number]);
    seen[number] = 1;
  }
  close(fd);
  test_close_loop(&loop);
  return 0;
}

static void read_all(void* arg) {
  char sink[4096];
  int fd = *(int*) arg;
  while (read(fd, sink, sizeof(sink)) > 0)
    continue;
}

/* A pipe accepts 64 KiB at a time: the request continues until all is written.
 */
TEST_IMPL(uring_write_is_never_short) {
  enum { SIZE = 1 << 20 };
  static char data[SIZE];
  uv_buf_t bufs[3] = { { data, 100 }, { data, 0 }, { data, SIZE } };
  uv_thread_t reader;
  uv_fs_t req;
  int fds[2];

  need_ring(AT_ONCE);
  ASSERT_EQ(0, pipe(fds));
  ASSERT_OK(uv_thread_create(&reader, read_all, &fds[0]));
  ASSERT_EQ(
      SIZE + 100,
      uring_run(uv_fs_write(&loop, &req, fds[1], bufs, 3, -1, uring_cb), &req));
  close(fds[1]);
  ASSERT_OK(uv_thread_join(&reader));
  close(fds[0]);
  test_close_loop(&loop);
  return 0;
}

/* Before submission; in the kernel; in the pipe's queue. */
TEST_IMPL(uring_cancel) {
  char byte = 0;
  uv_buf_t buf = uv_buf_init(&byte, 1);
  uv_fs_t req;
  int fds[2];

  need_ring(ALL);
  ASSERT_OK(uv_fs_mkdir(&loop, &req, "never", 0700, uring_cb));
  ASSERT_OK(uv_cancel((uv_req_t*) &req));
  ASSERT_EQ(0, uring_callbacks);
  ASSERT_OK(uv_cancel((uv_req_t*) &req)); /* changes nothing */
  ASSERT_ERR(UV_ECANCELED, uring_run(0, &req));
  ASSERT_EQ(-1, access("never", F_OK));
  ASSERT_OK(uv_fs_stat(&loop, &req, ".", uring_cb));
  ASSERT_OK(uv_cancel((uv_req_t*) &req));
  ASSERT_ERR(UV_ECANCELED, uring_run(0, &req));
  ASSERT_NULL(req.ptr);

  ASSERT_EQ(0, pipe(fds));
  ASSERT_OK(uv_fs_read(&loop, &req, fds[0], &buf, 1, -1, uring_cb));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(2, uring_callbacks);
  ASSERT_OK(uv_cancel((uv_req_t*) &req));
  ASSERT_EQ(2, uring_callbacks);
  ASSERT_OK(uv_cancel((uv_req_t*) &req));
  ASSERT_ERR(UV_ECANCELED, uring_run(0, &req));
  /* Nothing was read. */
  ASSERT_EQ(1, write(fds[1], "x", 1));
  ASSERT_EQ(1, read(fds[0], &byte, 1));

  /* Whatever the result is, it is kept. */
  for (int i = 0; i < 200; i++) {
    ASSERT_OK(uv_fs_stat(&loop, &req, ".", uring_cb));
    uv_run(&loop, UV_RUN_NOWAIT);
    int err = uv_cancel((uv_req_t*) &req);
    ASSERT(err == 0 || err == UV_EBUSY);
    ASSERT_ERR(err == 0 ? UV_ECANCELED : 0, uring_run(0, &req));
  }
  ASSERT_EQ(203, uring_callbacks);
  close(fds[0]);
  close(fds[1]);
  test_close_loop(&loop);
  return 0;
}

/* Metrics count a request that is cancelled before its submission. */
TEST_IMPL(uring_cancel_while_observed) {
  uvx_metrics_options_t options;
  uv_fs_t req;

  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  ASSERT_OK(uvx_metrics_start(&options));
  need_ring(ALL);
  ASSERT_OK(uv_fs_mkdir(&loop, &req, "never", 0700, uring_cb));
  ASSERT_OK(uv_cancel((uv_req_t*) &req));
  ASSERT_ERR(UV_ECANCELED, uring_run(0, &req));
  ASSERT_EQ(1, uring_callbacks);
  ASSERT_EQ(-1, access("never", F_OK));
  test_close_loop(&loop);
  ASSERT_OK(uvx_metrics_stop());
  return 0;
}

/* The kernel's polling thread has the request: nothing waits for its answer. */
TEST_IMPL(uring_polled_cancel_is_refused) {
  char byte = 0;
  uv_buf_t buf = uv_buf_init(&byte, 1);
  uv_fs_t req;
  int fds[2];

  need_ring(POLLED_ALL);
  ASSERT_EQ(0, pipe(fds));
  ASSERT_OK(uv_fs_read(&loop, &req, fds[0], &buf, 1, -1, uring_cb));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) &req));
  ASSERT_EQ(1, write(fds[1], "x", 1));
  ASSERT_EQ(1, uring_run(0, &req));
  ASSERT_EQ('x', byte);
  close(fds[0]);
  close(fds[1]);
  test_close_loop(&loop);
  return 0;
}

/* Much data, and more buffers than one system call takes. */
TEST_IMPL(uring_large_transfers) {
  enum { SIZE = 1 << 20, PARTS = 1500 };
  static char data[SIZE];
  static char copy[SIZE];
  static uv_buf_t parts[PARTS];
  uv_buf_t whole = uv_buf_init(data, SIZE);
  uv_fs_t req;

  for (int i = 0; i < SIZE; i++)
    data[i] = (char) (i * 7 + i / 4096);
  need_ring(ALL);
  int fd = make_file("large", "");
  ASSERT_EQ(
      SIZE,
      uring_run(uv_fs_write(&loop, &req, fd, &whole, 1, 0, uring_cb), &req));
  whole.base = copy;
  ASSERT_EQ(SIZE, uring_run(uv_fs_read(&loop, &req, fd, &whole, 1, 0, uring_cb),
                            &req));
  ASSERT_MEM_EQ(data, copy, SIZE);
  for (int i = 0; i < PARTS; i++)
    parts[i] = uv_buf_init(data + i, 1);
  ASSERT_EQ(PARTS, uring_run(uv_fs_write(&loop, &req, fd, parts, PARTS, SIZE,
                                         uring_cb),
                             &req));
  ASSERT_EQ(PARTS, pread(fd, copy, SIZE, SIZE));
  ASSERT_MEM_EQ(data, copy, PARTS);
  close(fd);
  test_close_loop(&loop);
  return 0;
}

/* The kernel writes a part, up to the limit of file sizes; what follows fails.
 * The result is what was written, as the pool's would be. */
TEST_IMPL(uring_short_write_keeps_what_was_written) {
  enum { LIMIT = 4 << 20 }; /* coverage builds write files as well */
  struct rlimit limit;
  uv_buf_t buf = uv_buf_init((char*) "0123456789", 10);
  char got[16];
  uv_fs_t req;

  need_ring(ALL);
  int fd = make_file("short", "");
  ASSERT_EQ(0, getrlimit(RLIMIT_FSIZE, &limit));
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit lower = { LIMIT, limit.rlim_max };
  ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &lower));
  ASSERT_EQ(
      4, uring_run(uv_fs_write(&loop, &req, fd, &buf, 1, LIMIT - 4, uring_cb),
                   &req));
  ASSERT_ERR(
      UV_EFBIG,
      uring_run(uv_fs_write(&loop, &req, fd, &buf, 1, LIMIT, uring_cb), &req));
  ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &limit));
  ASSERT_EQ(4, pread(fd, got, sizeof(got), LIMIT - 4));
  ASSERT_MEM_EQ("0123", got, 4);
  close(fd);
  test_close_loop(&loop);
  return 0;
}

static void child_of_fork(uv_fs_t* req) {
  uring_callbacks = 0;
  ASSERT_OK(uv_loop_fork(&loop));
  ASSERT_EQ(0, uring_count());
  ASSERT_OK(uv_fs_mkdir(&loop, req, "made-by-child", 0700, uring_cb));
  while (uring_callbacks == 0)
    uv_run(&loop, UV_RUN_ONCE); /* the parent's request is not ours to cancel */
  ASSERT_OK(last_result);
  ASSERT_EQ(1, uring_count());
  uv_fs_req_cleanup(req);
  _exit(0);
}

/* One request in the kernel, one about to be submitted. */
TEST_IMPL(uring_fork) {
  char byte = 0;
  uv_buf_t buf = uv_buf_init(&byte, 1);
  uv_fs_t reading;
  uv_fs_t making;
  uv_fs_t other;
  int fds[2];

  need_ring(ALL);
  ASSERT_EQ(0, pipe(fds));
  ASSERT_OK(uv_fs_read(&loop, &reading, fds[0], &buf, 1, -1, uring_cb));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_OK(uv_fs_mkdir(&loop, &making, "made-by-parent", 0700, uring_cb));
  pid_t pid = test_fork();
  if (pid == 0)
    child_of_fork(&other);
  ASSERT_EQ(0, test_wait_child(pid));
  ASSERT_EQ(0, access("made-by-child", F_OK));
  ASSERT_EQ(-1, access("made-by-parent", F_OK));

  while (uring_callbacks == 0)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(0, access("made-by-parent", F_OK));
  ASSERT_EQ(1, write(fds[1], "x", 1));
  ASSERT_EQ(1, uring_run(0, &reading));
  ASSERT_EQ('x', byte);
  uv_fs_req_cleanup(&making);
  close(fds[0]);
  close(fds[1]);
  test_close_loop(&loop);
  return 0;
}

/* A child that does not call uv_loop_fork() leaves the parent's ring alone. */
TEST_IMPL(uring_fork_without_telling_the_loop) {
  uv_fs_t making;
  uv_fs_t other;

  need_ring(ALL);
  ASSERT_OK(uv_fs_mkdir(&loop, &making, "made-by-parent", 0700, uring_cb));
  pid_t pid = test_fork();
  if (pid == 0) {
    (void) uv_fs_mkdir(&loop, &other, "made-by-child", 0700, uring_cb);
    _exit(0);
  }
  ASSERT_EQ(0, test_wait_child(pid));
  ASSERT_OK(uring_run(0, &making));
  ASSERT_EQ(1, uring_callbacks);
  ASSERT_EQ(0, access("made-by-parent", F_OK));
  test_close_loop(&loop);
  return 0;
}

/* A program that embeds the loop is notified: by the timeout that there is
 * something to submit, by the descriptor that there is a result. */
static void embed(int how) {
  struct pollfd pfd = { .events = POLLIN };
  uv_fs_t req;

  need_ring(how);
  pfd.fd = uv_backend_fd(&loop);
  for (int i = 1; i <= 50; i++) {
    ASSERT_OK(uv_fs_stat(&loop, &req, ".", uring_cb));
    ASSERT_EQ(0, uv_backend_timeout(&loop));
    while (uring_callbacks < i) {
      uv_run(&loop, UV_RUN_NOWAIT);
      if (uring_callbacks < i && uv_backend_timeout(&loop) != 0)
        ASSERT_EQ(1, poll(&pfd, 1, 5000));
    }
    uv_fs_req_cleanup(&req);
  }
  test_close_loop(&loop);
}

TEST_IMPL(uring_embedded) {
  embed(ALL);
  embed(POLLED_ALL);
  return 0;
}

static uv_fs_t chain_req;
static int chain_left;

static void on_chain(uv_fs_t* req) {
  ASSERT_OK(req->result);
  uv_fs_req_cleanup(req);
  if (--chain_left > 0)
    ASSERT_OK(uv_fs_stat(&loop, req, ".", on_chain));
}

static void on_timer(uv_timer_t* timer) {
  uring_callbacks++;
  uv_close((uv_handle_t*) timer, NULL);
}

/* Requests that start one another starve nobody; a loop that is polled only now
 * and then still gets its results. */
TEST_IMPL(uring_chain_beside_timers_and_idle) {
  uv_timer_t timer;

  need_ring(ALL);
  chain_left = 2000;
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, on_timer, 1, 0));
  ASSERT_OK(uv_fs_stat(&loop, &chain_req, ".", on_chain));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, uring_callbacks);
  ASSERT_EQ(0, chain_left);

  chain_left = 50;
  ASSERT_OK(uv_fs_stat(&loop, &chain_req, ".", on_chain));
  while (uv_run(&loop, UV_RUN_NOWAIT) != 0)
    continue;
  ASSERT_EQ(0, chain_left);
  chain_left = 50;
  ASSERT_OK(uv_fs_stat(&loop, &chain_req, ".", on_chain));
  while (uv_run(&loop, UV_RUN_ONCE) != 0)
    continue;
  ASSERT_EQ(0, chain_left);
  test_close_loop(&loop);
  return 0;
}

#if TEST_HAVE_WEAK
/* As Node declares it. */
int uv__node_patch_is_using_io_uring(void) TEST_WEAK;
#endif

/* What decides whether Node's process.setuid() works: not used, requested,
 * used by a loop, left behind in a child. */
TEST_IMPL(uring_tells_node_whether_it_is_used) {
#if TEST_HAVE_WEAK

  if (uv__node_patch_is_using_io_uring == NULL)
    SKIP("this library is built without io_uring");
  uring_ask_for(NULL);
  ASSERT_EQ(0, uv__node_patch_is_using_io_uring());
  uring_ask_for("0");
  ASSERT_EQ(0, uv__node_patch_is_using_io_uring());
  uring_ask_for("1");
  ASSERT_EQ(1, uv__node_patch_is_using_io_uring());
  need_ring(POLLED);
  ASSERT_EQ(1, uv__node_patch_is_using_io_uring());
  pid_t pid = test_fork();
  if (pid == 0)
    _exit(uv__node_patch_is_using_io_uring());
  ASSERT_EQ(0, test_wait_child(pid));
  test_close_loop(&loop);
  ASSERT_EQ(0, uv__node_patch_is_using_io_uring());
  return 0;
#else
  SKIP("io_uring is Linux's");
#endif
}

static void run_in_thread(void* arg) {
  (void) arg;
  uv_run(&loop, UV_RUN_NOWAIT);
}

/* The thread that submitted a request ends: the kernel cancels it, and the
 * library completes it anyway. */
TEST_IMPL(uring_thread_ends) {
  char byte = 0;
  uv_buf_t buf = uv_buf_init(&byte, 1);
  uv_thread_t thread;
  uv_fs_t req;
  int fds[2];

  need_ring(AT_ONCE);
  ASSERT_EQ(0, pipe(fds));
  ASSERT_OK(uv_fs_read(&loop, &req, fds[0], &buf, 1, -1, uring_cb));
  ASSERT_OK(uv_thread_create(&thread, run_in_thread, NULL));
  ASSERT_OK(uv_thread_join(&thread));
  ASSERT_EQ(0, uring_callbacks);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(1, write(fds[1], "x", 1));
  ASSERT_EQ(1, uring_run(0, &req));
  ASSERT_EQ('x', byte);
  close(fds[0]);
  close(fds[1]);
  test_close_loop(&loop);
  return 0;
}
