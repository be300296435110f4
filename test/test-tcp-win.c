/* SPDX-License-Identifier: MIT */
/* TCP on Windows: what a failed connect leaves. */
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
