/* SPDX-License-Identifier: MIT */
/* UDP on Windows: an undeliverable datagram is reported by the next receive,
 * which is not a receive error. */
#include "test.h"

static uv_loop_t loop;
static int errors;
static int timeouts;

static void on_recv(uv_udp_t* handle,
                    ssize_t nread,
                    const uv_buf_t* buf,
                    const struct sockaddr* addr,
                    unsigned flags) {
  (void) handle;
  (void) buf;
  (void) addr;
  (void) flags;
  if (nread < 0)
    errors++;
}

static void on_sent(uv_udp_send_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
}

static void on_timeout(uv_timer_t* timer) {
  timeouts++;
  uv_stop(timer->loop);
}

/* An address without a receiver. */
static struct sockaddr_in nobody(void) {
  struct sockaddr_in addr = test_loopback();
  uv_udp_t handle;

  ASSERT_OK(uv_udp_init(&loop, &handle));
  ASSERT_OK(uv_udp_bind(&handle, (struct sockaddr*) &addr, 0));
  addr = test_udp_address(&handle);
  uv_close((uv_handle_t*) &handle, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  return addr;
}

TEST_IMPL(udp_connected_to_a_closed_port_still_receives) {
  uv_udp_t handle;
  uv_timer_t timer;
  uv_udp_send_t reqs[2];
  uv_buf_t buf = uv_buf_init((char*) "x", 1);

  ASSERT_OK(uv_loop_init(&loop));
  struct sockaddr_in addr = nobody();
  ASSERT_OK(uv_udp_init(&loop, &handle));
  ASSERT_OK(uv_udp_connect(&handle, (struct sockaddr*) &addr));
  ASSERT_OK(uv_udp_recv_start(&handle, test_alloc, on_recv));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(uv_udp_send(&reqs[i], &handle, &buf, 1, NULL, on_sent));
    ASSERT_OK(uv_timer_start(&timer, on_timeout, 100, 0));
    uv_run(&loop, UV_RUN_DEFAULT);
  }
  ASSERT_EQ(2, timeouts);
  ASSERT_EQ(0, errors);
  ASSERT(uv_is_active((uv_handle_t*) &handle));
  test_close_loop(&loop);
  return 0;
}
