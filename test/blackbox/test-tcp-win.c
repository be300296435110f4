/* SPDX-License-Identifier: MIT */
/* TCP on Windows: what a failed connect leaves, what servers accept, and when
 * a close ends the connection. */
#include "test.h"

static uv_loop_t loop;
static int connect_status;

static void on_connect(uv_connect_t* req, int status) {
  connect_status = status;
  ASSERT(!uv_is_readable(req->handle));
  ASSERT(!uv_is_writable(req->handle));
}

static void on_write(uv_write_t* req, int status) {
  (void) req;
  ASSERT_OK(status); /* never called */
}

/* Issue 15: the stream stayed writable, and a write was ECONNRESET. */
TEST_IMPL(tcp_failed_connect_leaves_nothing_to_write_to) {
  struct sockaddr_in addr;
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  uv_connect_t connect_req;
  uv_write_t write_req;
  uv_tcp_t tcp;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_ip4_addr("127.0.0.1", 1, &addr));
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  ASSERT_OK(
      uv_tcp_connect(&connect_req, &tcp, (struct sockaddr*) &addr, on_connect));
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_ERR(UV_ECONNREFUSED, connect_status);
  ASSERT_ERR(UV_EPIPE, uv_try_write((uv_stream_t*) &tcp, &buf, 1));
  ASSERT_ERR(UV_EPIPE,
             uv_write(&write_req, (uv_stream_t*) &tcp, &buf, 1, on_write));
  uv_close((uv_handle_t*) &tcp, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

static void expect_accepts(uv_tcp_t* tcp, int off, int on) {
  ASSERT_ERR(off, uv_tcp_simultaneous_accepts(tcp, 0));
  ASSERT_ERR(on, uv_tcp_simultaneous_accepts(tcp, 1));
}

static int connections;

static void on_connection(uv_stream_t* server, int status) {
  static uv_tcp_t clients[40];
  uv_tcp_t* client = &clients[connections++];

  ASSERT_OK(status);
  ASSERT_OK(uv_tcp_init(server->loop, client));
  ASSERT_OK(uv_accept(server, (uv_stream_t*) client));
  uv_close((uv_handle_t*) client, NULL);
}

/* Off for good, and never for a connection; a server that is told so while it
 * listens keeps accepting, also after the accepts that it had. */
TEST_IMPL(tcp_simultaneous_accepts_by_state) {
  struct sockaddr_in addr;
  struct sockaddr* name = (struct sockaddr*) &addr;
  int len = sizeof(addr);
  uv_tcp_t server;
  uv_tcp_t pair[2];

  ASSERT_OK(uv_loop_init(&loop));
  test_tcp_pair(&loop, &pair[0], &pair[1]);
  expect_accepts(&pair[0], UV_EINVAL, UV_EINVAL);
  expect_accepts(&pair[1], UV_EINVAL, UV_EINVAL);
  ASSERT_OK(uv_ip4_addr("127.0.0.1", 0, &addr));
  ASSERT_OK(uv_tcp_init(&loop, &server));
  ASSERT_OK(uv_tcp_simultaneous_accepts(&server, 1));
  ASSERT_OK(uv_tcp_bind(&server, name, 0));
  ASSERT_OK(uv_listen((uv_stream_t*) &server, 128, on_connection));
  ASSERT_OK(uv_tcp_simultaneous_accepts(&server, 1));
  expect_accepts(&server, 0, UV_ENOTSUP);
  ASSERT_OK(uv_tcp_getsockname(&server, name, &len));
  for (int i = 0; i < 40; i++) {
    SOCKET sock = socket(AF_INET, SOCK_STREAM, 0);
    ASSERT_EQ(0, connect(sock, name, len));
    while (connections == i)
      uv_run(&loop, UV_RUN_ONCE);
    closesocket(sock);
  }
  test_close_loop(&loop);
  return 0;
}

static int write_status = 1;

static void on_written(uv_write_t* req, int status) {
  (void) req;
  write_status = status;
}

/* In libuv the connection ends after the callback. */
TEST_IMPL(tcp_close_with_a_write_callback_due) {
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  uv_os_sock_t socks[2];
  uv_write_t write_req;
  uv_tcp_t tcp;
  char byte;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_socketpair(SOCK_STREAM, 0, socks, 0, 0));
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  ASSERT_OK(uv_tcp_open(&tcp, socks[0]));
  ASSERT_OK(uv_write(&write_req, (uv_stream_t*) &tcp, &buf, 1, on_written));
  uv_close((uv_handle_t*) &tcp, NULL);
  ASSERT_EQ(1, recv(socks[1], &byte, 1, 0));
  ASSERT_EQ(0, recv(socks[1], &byte, 1, 0)); /* waits in libuv */
  ASSERT_EQ(1, write_status);
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_OK(write_status);
  test_close_socket(socks[1]);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}
