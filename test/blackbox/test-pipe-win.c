/* SPDX-License-Identifier: MIT */
/* Pipes on Windows have no half-closed state: when a shutdown completes, and
 * what the peer can still read. Also what a failed connect leaves. Method: both
 * ends in one loop. */
#include "test.h"

static uv_loop_t loop;
static uv_pipe_t server;
static uv_pipe_t client;
static uv_pipe_t accepted;
static uv_connect_t connect_req;
static uv_write_t write_req;
static uv_shutdown_t shutdown_req;
static int is_accepted;
static int shutdown_status = 1;
static size_t received;
static int ends;

static void on_connection(uv_stream_t* stream, int status) {
  ASSERT_OK(status);
  ASSERT_OK(uv_pipe_init(&loop, &accepted, 0));
  ASSERT_OK(uv_accept(stream, (uv_stream_t*) &accepted));
  is_accepted = 1;
}

static void on_connect(uv_connect_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
}

static void on_written(uv_write_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
}

static void on_shutdown(uv_shutdown_t* req, int status) {
  (void) req;
  shutdown_status = status;
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) buf;
  if (nread < 0) {
    ASSERT_ERR(UV_EOF, nread);
    uv_close((uv_handle_t*) stream, NULL);
    ends++;
    return;
  }
  ASSERT_EQ(1, shutdown_status); /* not before */
  received += (size_t) nread;
}

static void connect_client(void) {
  const char* name = test_pipe_name("shutdown");

  ASSERT_OK(uv_pipe_init(&loop, &server, 0));
  ASSERT_OK(uv_pipe_bind(&server, name));
  ASSERT_OK(uv_listen((uv_stream_t*) &server, 1, on_connection));
  uv_pipe_connect(&connect_req, &client, name, on_connect);
  while (!is_accepted)
    uv_run(&loop, UV_RUN_ONCE);
  uv_close((uv_handle_t*) &server, NULL);
}

static void connect_pipes(void) {
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &client, 0));
  connect_client();
}

/* Issue 15: the queue is shorter as soon as the system has the data, which Node
 * looks at. */
TEST_IMPL(pipe_write_that_is_taken_leaves_the_queue) {
  uv_buf_t buf = uv_buf_init((char*) "hello", 5);
  uv_stream_t* writer = (uv_stream_t*) &client;

  connect_pipes();
  ASSERT_OK(uv_write(&write_req, writer, &buf, 1, on_written));
  ASSERT_EQ(0, uv_stream_get_write_queue_size(writer));
  ASSERT_EQ(5, uv_write_nwritten(&write_req));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(0, uv_stream_get_write_queue_size(writer));
  ASSERT_EQ(5, uv_write_nwritten(&write_req));
  uv_close((uv_handle_t*) &client, NULL);
  uv_close((uv_handle_t*) &accepted, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* Writes, shuts down, and lets the loop do everything it can without the peer.
 */
static void write_and_shut_down(uv_pipe_t* writer) {
  uv_buf_t buf = uv_buf_init((char*) "hello", 5);

  ASSERT_OK(uv_write(&write_req, (uv_stream_t*) writer, &buf, 1, on_written));
  ASSERT_OK(uv_shutdown(&shutdown_req, (uv_stream_t*) writer, on_shutdown));
  for (int i = 0; i < 20; i++) {
    uv_run(&loop, UV_RUN_NOWAIT);
    uv_sleep(2);
  }
}

static void shutdown_waits(uv_pipe_t* writer, uv_pipe_t* reader) {
  write_and_shut_down(writer);
  ASSERT_EQ(1, shutdown_status); /* nobody has read yet */
  ASSERT_OK(uv_read_start((uv_stream_t*) reader, test_alloc, on_read));
  while (shutdown_status == 1)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(0, shutdown_status);
  ASSERT_EQ(5, received);
  test_close_loop(&loop);
}

TEST_IMPL(pipe_shutdown_waits_for_the_reader) {
  connect_pipes();
  shutdown_waits(&accepted, &client);
  return 0;
}

TEST_IMPL(pipe_shutdown_of_the_client_waits_for_the_reader) {
  connect_pipes();
  shutdown_waits(&client, &accepted);
  return 0;
}

/* Closed before anybody has read: what was written is not lost. */
TEST_IMPL(pipe_close_while_a_shutdown_waits) {
  connect_pipes();
  write_and_shut_down(&accepted);
  uv_close((uv_handle_t*) &accepted, NULL);
  while (shutdown_status == 1)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_ERR(UV_ECANCELED, shutdown_status);
  shutdown_status = 1;
  ASSERT_OK(uv_read_start((uv_stream_t*) &client, test_alloc, on_read));
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_EQ(5, received);
  ASSERT_EQ(1, ends);
  test_close_loop(&loop);
  return 0;
}

static int failed_connects;

static void on_refused(uv_connect_t* req, int status) {
  (void) req;
  ASSERT_ERR(UV_ENOENT, status);
  failed_connects++;
}

static void init_refused(uv_pipe_t* pipe) {
  int before = failed_connects;

  ASSERT_OK(uv_pipe_init(&loop, pipe, 0));
  uv_pipe_connect(&connect_req, pipe, test_pipe_name("nobody"), on_refused);
  while (failed_connects == before)
    uv_run(&loop, UV_RUN_ONCE);
}

/* In libuv such a handle is UV_EBUSY to both. */
TEST_IMPL(pipe_is_usable_after_a_failed_connect) {
  uv_pipe_t opened;
  uv_file fds[2];
  uv_fs_t req;

  ASSERT_OK(uv_loop_init(&loop));
  init_refused(&client);
  connect_client();
  ASSERT(uv_is_writable((uv_stream_t*) &client));

  init_refused(&opened);
  ASSERT_OK(uv_pipe(fds, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE));
  ASSERT_OK(uv_pipe_open(&opened, fds[1]));
  ASSERT(uv_is_writable((uv_stream_t*) &opened));
  ASSERT_OK(uv_fs_close(NULL, &req, fds[0], NULL));
  test_close_loop(&loop);
  return 0;
}
