/* SPDX-License-Identifier: MIT */
/* Results that libuv returns on Windows and not on unix, found by generated
 * programs (test/differential). */
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

static void on_signal(uv_signal_t* handle, int signum) {
  (void) handle;
  (void) signum;
}

TEST_IMPL(signal_bad_number_changes_nothing) {
  uv_signal_t handle;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_signal_init(&loop, &handle));
  ASSERT_OK(uv_signal_start(&handle, on_signal, SIGINT));
  ASSERT_ERR(UV_EINVAL, uv_signal_start(&handle, on_signal, -1));
  ASSERT_ERR(UV_EINVAL, uv_signal_start(&handle, on_signal, NSIG));
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
