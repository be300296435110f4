/* SPDX-License-Identifier: MIT */
/* Calls that return their result at once on Windows, and empty transfers. Each
 * result was seen on libuv 1.50.0 under Wine. */
#include "test.h"

#include <fcntl.h>

static uv_loop_t loop;
static uv_pipe_t ends[2];
static uv_connect_t connect_req;
static uv_write_t write_req;
static int calls;
static int result;

static void open_ends(void) {
  uv_file fds[2];

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe(fds, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE));
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(uv_pipe_init(&loop, &ends[i], 0));
    ASSERT_OK(uv_pipe_open(&ends[i], fds[i]));
  }
}

static void on_write(uv_write_t* req, int status) {
  (void) req;
  calls++;
  result = status;
}

static void refuse_writes(uv_stream_t* stream) {
  uv_buf_t five = uv_buf_init((char*) "hello", 5);
  uv_buf_t nothing = uv_buf_init((char*) "", 0);
  uv_buf_t two[2] = { five, five };

  ASSERT_ERR(UV_EPIPE, uv_write(&write_req, stream, &five, 1, on_write));
  ASSERT_ERR(UV_EPIPE, uv_write(&write_req, stream, two, 2, on_write));
  ASSERT_ERR(UV_EPIPE, uv_write(&write_req, stream, &nothing, 1, on_write));
  ASSERT_EQ(0, uv_stream_get_write_queue_size(stream));
  ASSERT_EQ(0, uv_is_active((uv_handle_t*) stream));
}

/* No callback: an error that uv_write() returns is not reported again. */
TEST_IMPL(pipe_write_without_a_reader_is_refused) {
  open_ends();
  uv_close((uv_handle_t*) &ends[0], NULL);
  refuse_writes((uv_stream_t*) &ends[1]);
  ASSERT_OK(uv_stream_set_blocking((uv_stream_t*) &ends[1], 1));
  refuse_writes((uv_stream_t*) &ends[1]);
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_EQ(0, calls);
  test_close_loop(&loop);
  return 0;
}

static void on_connect(uv_connect_t* req, int status) {
  (void) req;
  calls++;
  result = status;
}

static void on_connection(uv_stream_t* server, int status) {
  (void) server;
  (void) status;
  ASSERT(0 && "nobody listens");
}

TEST_IMPL(pipe_connect_of_a_connection_is_busy) {
  const char* name = test_pipe_name("busy");

  open_ends();
  uv_pipe_connect(&connect_req, &ends[0], name, on_connect);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(1, calls);
  ASSERT_ERR(UV_EBUSY, result);
  ASSERT_OK(uv_pipe_connect2(&connect_req, &ends[0], name, strlen(name), 0,
                             on_connect));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(2, calls);
  ASSERT_ERR(UV_EBUSY, result);
  ASSERT_ERR(UV_EINVAL, uv_listen((uv_stream_t*) &ends[0], 1, on_connection));
  test_close_loop(&loop);
  return 0;
}

static void on_write_try_again(uv_write_t* req, int status) {
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  uv_buf_t nothing = uv_buf_init((char*) "", 0);

  ASSERT_OK(status);
  ASSERT_ERR(UV_EAGAIN, uv_try_write(req->handle, &buf, 1));
  ASSERT_ERR(UV_EAGAIN, uv_try_write(req->handle, &nothing, 1));
  calls++;
}

/* A write counts as queued until its callback has returned. */
TEST_IMPL(tcp_try_write_in_a_write_callback) {
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  uv_tcp_t client;
  uv_tcp_t accepted;
  uv_stream_t* stream = (uv_stream_t*) &client;

  ASSERT_OK(uv_loop_init(&loop));
  test_tcp_pair(&loop, &client, &accepted);
  ASSERT_OK(uv_write(&write_req, stream, &buf, 1, on_write_try_again));
  while (calls == 0)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(1, uv_try_write(stream, &buf, 1));
  test_close_loop(&loop);
  return 0;
}

static void write_nothing(uv_stream_t* stream) {
  uv_buf_t nothing = uv_buf_init((char*) "", 0);

  calls = 0;
  ASSERT_OK(uv_write(&write_req, stream, &nothing, 1, on_write));
  ASSERT_EQ(0, uv_stream_get_write_queue_size(stream));
  ASSERT_EQ(1, uv_is_active((uv_handle_t*) stream));
  while (calls == 0)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_OK(result);
}

TEST_IMPL(stream_write_of_nothing) {
  uv_tcp_t client;
  uv_tcp_t accepted;

  open_ends();
  write_nothing((uv_stream_t*) &ends[1]);
  test_tcp_pair(&loop, &client, &accepted);
  write_nothing((uv_stream_t*) &client);
  test_close_loop(&loop);
  return 0;
}

static int open_file(const char* path, int flags) {
  uv_fs_t req;
  return uv_fs_open(NULL, &req, path, flags, 0600, NULL);
}

static int transfer(int fd, uv_fs_type type, unsigned int nbufs) {
  uv_buf_t nothing[2] = { uv_buf_init((char*) "", 0),
                          uv_buf_init((char*) "", 0) };
  uv_fs_t req;
  int r = type == UV_FS_READ
              ? uv_fs_read(NULL, &req, fd, nothing, nbufs, -1, NULL)
              : uv_fs_write(NULL, &req, fd, nothing, nbufs, -1, NULL);

  ASSERT_EQ(r, req.result);
  uv_fs_req_cleanup(&req);
  return r;
}

/* Nothing to transfer, but the file must be open for it. */
TEST_IMPL(fs_transfer_of_nothing) {
  static const struct {
    int flags, read, write;
  } rows[] = {
    { O_RDWR, 0, 0 },
    { O_RDONLY, 0, UV_EBADF },
    { O_WRONLY, UV_EBADF, 0 },
  };
  uv_fs_t req;

  test_write_file("file", "x");
  for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
    int fd = open_file("file", rows[i].flags);
    ASSERT_GE(fd, 0);
    for (unsigned int nbufs = 1; nbufs <= 2; nbufs++) {
      ASSERT_EQ(rows[i].read, transfer(fd, UV_FS_READ, nbufs));
      ASSERT_EQ(rows[i].write, transfer(fd, UV_FS_WRITE, nbufs));
    }
    ASSERT_OK(uv_fs_close(NULL, &req, fd, NULL));
  }

  int fd = open_file(".", O_RDONLY);
  ASSERT_GE(fd, 0);
  ASSERT_ERR(UV_EISDIR, transfer(fd, UV_FS_READ, 1));
  ASSERT_ERR(UV_EBADF, transfer(fd, UV_FS_WRITE, 1));
  ASSERT_OK(uv_fs_close(NULL, &req, fd, NULL));
  return 0;
}

TEST_IMPL(fs_directory_is_not_a_file) {
  uv_fs_t req;

  int err = open_file(".", O_RDWR | O_TRUNC); /* as the system says */
  ASSERT_LT(err, 0);
  if (test_on_wine())
    ASSERT_ERR(UV_EEXIST, err);
  ASSERT_ERR(UV_EISDIR, open_file(".", O_WRONLY | O_TRUNC | O_CREAT));
  ASSERT_ERR(UV_EPERM, uv_fs_copyfile(NULL, &req, ".", ".", 0, NULL));
  return 0;
}

static void on_fs_poll(uv_fs_poll_t* handle,
                       int status,
                       const uv_stat_t* prev,
                       const uv_stat_t* curr) {
  (void) handle;
  (void) prev;
  (void) curr;
  ASSERT_ERR(UV_ENOENT, status);
  calls++;
}

/* Unlike on unix, where it takes another iteration. */
TEST_IMPL(fs_poll_close_is_in_its_turn) {
  uv_fs_poll_t handle;
  uv_idle_t before;
  uv_idle_t after;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_idle_init(&loop, &before));
  ASSERT_OK(uv_idle_init(&loop, &after));
  ASSERT_OK(uv_fs_poll_init(&loop, &handle));
  ASSERT_OK(uv_fs_poll_start(&handle, on_fs_poll, "missing", 100000));
  while (calls == 0)
    uv_run(&loop, UV_RUN_ONCE);
  test_close_as(&before, "b");
  test_close_as(&handle, "p");
  test_close_as(&after, "a");
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_NOWAIT));
  ASSERT_STR_EQ("apb", test_close_order());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}
