/* SPDX-License-Identifier: MIT */
/* Results that libuv returns on Windows and not on unix, found by generated
 * programs (test/differential). */
#include "ignore.h"
#include "test.h"

#include <signal.h>

static uv_loop_t loop;
static int calls;
static int result;

static void on_send(uv_udp_send_t* req, int status) {
  ASSERT_OK(status);
  ASSERT_EQ(0, uv_is_active((uv_handle_t*) req->handle));
  calls++;
}

TEST_IMPL(udp_last_send_stops_the_handle) {
  uv_buf_t one = uv_buf_init("x", 1);
  struct sockaddr_in addr;
  uv_udp_send_t req;
  uv_udp_t udp;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_OK(uv_ip4_addr("127.0.0.1", 0, &addr));
  ASSERT_OK(uv_udp_bind(&udp, (struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_udp_bind(&udp, (struct sockaddr*) &addr, 0)); /* ignored */
  ASSERT_OK(uv_ip4_addr("127.0.0.1", 9, &addr));
  ASSERT_OK(
      uv_udp_send(&req, &udp, &one, 1, (struct sockaddr*) &addr, on_send));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, calls);
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(signal_bad_number_changes_nothing) {
  uv_signal_t handle;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_signal_init(&loop, &handle));
  ASSERT_OK(uv_signal_start(&handle, ignore_signal, SIGINT));
  ASSERT_ERR(UV_EINVAL, uv_signal_start(&handle, ignore_signal, -1));
  ASSERT_ERR(UV_EINVAL, uv_signal_start(&handle, ignore_signal, NSIG));
  ASSERT_EQ(1, uv_is_active((uv_handle_t*) &handle));
  test_close_loop(&loop);
  return 0;
}

static void on_connect(uv_connect_t* req, int status) {
  (void) req;
  result = status;
  calls++;
}

TEST_IMPL(tcp_connecting_is_not_open_yet) {
  struct sockaddr_in addr;
  uv_connect_t req;
  uv_tcp_t tcp;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  ASSERT_OK(uv_ip4_addr("127.0.0.1", 9, &addr));
  ASSERT_OK(uv_tcp_connect(&req, &tcp, (struct sockaddr*) &addr, on_connect));
  ASSERT_EQ(0, uv_is_readable((uv_stream_t*) &tcp));
  ASSERT_EQ(0, uv_is_writable((uv_stream_t*) &tcp));
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(pipe_known_error_survives_the_close) {
  uv_connect_t req;
  uv_pipe_t pipe;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &pipe, 0));
  uv_pipe_connect(&req, &pipe, "\\\\?\\pipe\\uv-test-missing", on_connect);
  ASSERT_ERR(UV_EBUSY, uv_pipe_open(&pipe, 0)); /* it connects */
  uv_close((uv_handle_t*) &pipe, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_EQ(1, calls);
  ASSERT_EQ(UV_ENOENT, result);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

static void on_connection(uv_stream_t* server, int status) {
  (void) server;
  ASSERT_OK(status);
}

/* The peer has its name before the callback. */
TEST_IMPL(pipe_peer_name_while_connecting) {
  const char* path = test_pipe_name("peer");
  char name[256];
  size_t size = sizeof(name);
  uv_connect_t req;
  uv_pipe_t server;
  uv_pipe_t client;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &server, 0));
  ASSERT_OK(uv_pipe_bind(&server, path));
  ASSERT_OK(uv_listen((uv_stream_t*) &server, 1, on_connection));
  ASSERT_OK(uv_pipe_init(&loop, &client, 0));
  uv_pipe_connect(&req, &client, path, on_connect);
  ASSERT_OK(uv_pipe_getpeername(&client, name, &size));
  ASSERT_EQ(strlen(path), size);
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(pipe_names_without_a_peer) {
  char name[256];
  size_t size = sizeof(name);
  uv_connect_t req;
  uv_pipe_t pipes[3];
  uv_file fds[2];

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &pipes[2], 0));
  uv_pipe_connect(&req, &pipes[2], "\\\\?\\pipe\\uv-test-missing", on_connect);
  ASSERT_ERR(UV_EBADF, uv_pipe_getpeername(&pipes[2], name, &size));

  ASSERT_OK(uv_pipe(fds, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE));
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(uv_pipe_init(&loop, &pipes[i], 0));
    ASSERT_OK(uv_pipe_open(&pipes[i], fds[i]));
  }
  uv_close((uv_handle_t*) &pipes[0], NULL);
  size = sizeof(name);
  int err = uv_pipe_getpeername(&pipes[1], name, &size);
  if (err != 0) /* Wine does not know the name without a peer. */
    ASSERT_EQ(0, size);
  test_close_loop(&loop);
  return 0;
}

static void on_alloc_one(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  static char byte;

  (void) handle;
  (void) suggested;
  *buf = uv_buf_init(&byte, 1);
}

static void on_recv(uv_udp_t* handle,
                    ssize_t nread,
                    const uv_buf_t* buf,
                    const struct sockaddr* addr,
                    unsigned flags) {
  (void) handle;
  (void) buf;
  (void) addr;
  ASSERT_EQ(1, nread);
  ASSERT_EQ(UV_UDP_PARTIAL, flags);
  calls++;
}

/* The callback is not called again to say that there is nothing more. */
TEST_IMPL(udp_truncated_datagram_ends_the_turn) {
  uv_buf_t three = uv_buf_init("abc", 3);
  struct sockaddr_in addr = test_loopback();
  uv_udp_t udp;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_OK(uv_udp_bind(&udp, (struct sockaddr*) &addr, 0));
  addr = test_udp_address(&udp);
  ASSERT_OK(uv_udp_recv_start(&udp, on_alloc_one, on_recv));
  for (int i = 1; i <= 3; i++) {
    ASSERT_EQ(3, uv_udp_try_send(&udp, &three, 1, (struct sockaddr*) &addr));
    uv_run(&loop, UV_RUN_ONCE);
    ASSERT_EQ(i, calls);
  }
  test_close_loop(&loop);
  return 0;
}

static void on_write(uv_write_t* req, int status) {
  (void) req;
  result = status;
  calls++;
}

TEST_IMPL(tcp_write_that_fails_at_once_is_not_queued) {
  uv_buf_t five = uv_buf_init("hello", 5);
  uv_tcp_t ends[2];
  uv_write_t req;
  uv_os_fd_t fd;

  ASSERT_OK(uv_loop_init(&loop));
  test_tcp_pair(&loop, &ends[0], &ends[1]);
  ASSERT_OK(uv_fileno((uv_handle_t*) &ends[0], &fd));
  ASSERT_OK(shutdown((SOCKET) fd, SD_SEND));
  ASSERT_OK(uv_write(&req, (uv_stream_t*) &ends[0], &five, 1, on_write));
  ASSERT_EQ(0, uv_stream_get_write_queue_size((uv_stream_t*) &ends[0]));
  uv_close((uv_handle_t*) &ends[0], NULL);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(1, calls);
  ASSERT_ERR(UV_EPIPE, result); /* not UV_ECANCELED */
  test_close_loop(&loop);
  return 0;
}

static void on_canceled(uv_write_t* req, int status) {
  ASSERT_ERR(UV_ECANCELED, status);
  ASSERT_EQ(calls, (int) (intptr_t) req->data);
  calls++;
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  for (ssize_t i = 0; i < nread; i++)
    ASSERT_EQ(0, buf->base[i]);
  if (nread < 0)
    uv_close((uv_handle_t*) stream, NULL);
}

/* What the peer still gets has no gap: nothing of the last, short write. */
TEST_IMPL(pipe_close_cancels_writes_in_order) {
  static char data[300000];
  uv_buf_t bufs[2] = { uv_buf_init(data, sizeof(data)), uv_buf_init("x", 1) };
  uv_pipe_t pipes[2];
  uv_write_t reqs[4];
  uv_file fds[2];

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe(fds, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE));
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(uv_pipe_init(&loop, &pipes[i], 0));
    ASSERT_OK(uv_pipe_open(&pipes[i], fds[i]));
  }
  for (int i = 0; i < 4; i++) {
    reqs[i].data = (void*) (intptr_t) i;
    ASSERT_OK(uv_write(&reqs[i], (uv_stream_t*) &pipes[1], &bufs[i / 3], 1,
                       on_canceled));
  }
  uv_close((uv_handle_t*) &pipes[1], NULL);
  ASSERT_OK(uv_read_start((uv_stream_t*) &pipes[0], test_alloc, on_read));
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_EQ(4, calls);
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(buffer_size_without_a_socket) {
  uv_tcp_t tcp;
  uv_udp_t udp;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  ASSERT_OK(uv_udp_init(&loop, &udp));
  for (int value = 0; value <= 4096; value += 4096) {
    int size = value;
    ASSERT_ERR(UV_ENOTSOCK, uv_send_buffer_size((uv_handle_t*) &tcp, &size));
    ASSERT_ERR(UV_ENOTSOCK, uv_recv_buffer_size((uv_handle_t*) &udp, &size));
  }
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(thread_affinity_to_a_missing_cpu) {
  uv_thread_t self = uv_thread_self();
  int size = uv_cpumask_size();
  char mask[64] = { 0 };
  int missing = -1;

  ASSERT(size <= 64);
  ASSERT_OK(uv_thread_getaffinity(&self, mask, (size_t) size));
  for (int i = 0; i < size; i++)
    if (!mask[i])
      missing = i;
  if (missing == -1)
    SKIP("the process may use every CPU that a mask has");
  mask[missing] = 1;
  ASSERT_ERR(UV_EINVAL,
             uv_thread_setaffinity(&self, mask, NULL, (size_t) size));
  return 0;
}
