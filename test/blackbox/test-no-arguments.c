/* SPDX-License-Identifier: MIT */
/* NULL where a handle, request or result is required, and closing handles:
 * UV_EINVAL, and nothing happens. libuv crashes on most of these. */
#include "ignore.h"
#include "test.h"

#include <stdio.h>

static uv_loop_t loop;
static uv_buf_t buf;
static char text[64];
static int number;

static uv_stream_t* stream_of(void* handle) {
  return handle;
}

TEST_IMPL(no_arguments_streams) {
  uv_tcp_t tcp;
  uv_write_t write_req;
  uv_shutdown_t shutdown_req;
  int size = sizeof(struct sockaddr_storage);
  struct sockaddr_storage name;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  ASSERT_ERR(UV_EINVAL, uv_accept(NULL, stream_of(&tcp)));
  ASSERT_ERR(UV_EINVAL, uv_accept(stream_of(&tcp), NULL));
  ASSERT_ERR(UV_EINVAL, uv_read_stop(NULL));
  ASSERT_ERR(UV_EINVAL, uv_stream_set_blocking(NULL, 1));
  ASSERT_ERR(UV_EINVAL, uv_shutdown(NULL, stream_of(&tcp), NULL));
  ASSERT_ERR(UV_EINVAL, uv_shutdown(&shutdown_req, NULL, NULL));
  ASSERT_ERR(UV_EINVAL, uv_write(NULL, stream_of(&tcp), &buf, 1, NULL));
  ASSERT_ERR(TEST_NO_STREAM,
             uv_write(&write_req, stream_of(&tcp), &buf, 1, NULL));
  ASSERT_ERR(UV_EINVAL, uv_tcp_open(NULL, 0));
  ASSERT_ERR(UV_EINVAL, uv_tcp_nodelay(NULL, 1));
  ASSERT_ERR(UV_EINVAL, uv_tcp_keepalive(NULL, 1, 1));
  ASSERT_ERR(UV_EINVAL, uv_tcp_simultaneous_accepts(NULL, 1));
  ASSERT_ERR(UV_EINVAL, uv_tcp_getsockname(NULL, (void*) &name, &size));
  ASSERT_ERR(UV_EINVAL, uv_tcp_getpeername(NULL, (void*) &name, &size));
  ASSERT_ERR(UV_EINVAL, uv_tcp_close_reset(NULL, NULL));
  ASSERT_ERR(UV_EINVAL, uv_tcp_bind(&tcp, NULL, 0));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(no_arguments_pipes_and_terminals) {
  uv_pipe_t pipe;
  uv_tty_t tty;
  uv_poll_t poll_handle;
  uv_connect_t req;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_ERR(UV_EINVAL, uv_pipe_init(NULL, &pipe, 0));
  ASSERT_ERR(UV_EINVAL, uv_pipe_init(&loop, NULL, 0));
  ASSERT_OK(uv_pipe_init(&loop, &pipe, 0));
  ASSERT_ERR(UV_EBADF, uv_pipe_open(&pipe, -1));
  ASSERT_ERR(UV_EINVAL, uv_pipe_connect2(NULL, &pipe, "x", 1, 0, NULL));
  ASSERT_ERR(UV_EINVAL, uv_tty_init(NULL, &tty, 0, 0));
  ASSERT_ERR(UV_EINVAL, uv_tty_get_winsize(NULL, &number, &number));
  ASSERT_ERR(UV_EINVAL, uv_poll_init_socket(NULL, &poll_handle, 0));
  uv_close((uv_handle_t*) &pipe, NULL);
  ASSERT_ERR(UV_EINVAL, uv_pipe_open(&pipe, 0));
  ASSERT_ERR(UV_EINVAL, uv_pipe_connect2(&req, &pipe, "x", 1, 0, NULL));
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(no_arguments_datagrams) {
  struct sockaddr_in addr = test_loopback();
  const struct sockaddr* to = (const struct sockaddr*) &addr;
  uv_udp_t udp;

  buf = uv_buf_init(text, 1);
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_ERR(UV_EINVAL, uv_udp_send(NULL, &udp, &buf, 1, to, NULL));
  ASSERT_ERR(UV_EINVAL, uv_udp_bind(&udp, NULL, 0));
  ASSERT_OK(uv_udp_recv_stop(&udp)); /* nothing to stop */
  ASSERT_ERR(UV_EINVAL, uv_udp_set_membership(&udp, NULL, NULL, UV_JOIN_GROUP));
  ASSERT_ERR(UV_EINVAL,
             uv_udp_set_membership(&udp, "224.0.0.1", NULL, (uv_membership) 9));
  ASSERT_ERR(UV_EINVAL, uv_udp_set_source_membership(&udp, "232.1.1.1", NULL,
                                                     NULL, UV_JOIN_GROUP));
  uv_close((uv_handle_t*) &udp, NULL);
  ASSERT_ERR(UV_EINVAL, uv_udp_open(&udp, 0));
  ASSERT_ERR(UV_EINVAL, uv_udp_bind(&udp, to, 0));
  ASSERT_ERR(UV_EINVAL, uv_udp_connect(&udp, to));
  ASSERT_ERR(UV_EINVAL, uv_udp_try_send(&udp, &buf, 1, to));
  ASSERT_ERR(UV_EINVAL,
             uv_udp_set_membership(&udp, "224.0.0.1", NULL, UV_JOIN_GROUP));
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(no_arguments_files_and_system) {
  uv_fs_poll_t poll_handle;
  uv_fs_event_t event;
  uv_fs_t req;
  size_t size = 0;
  uv_cpu_info_t* cpus;
  uv_interface_address_t* addresses;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_fs_poll_init(&loop, &poll_handle));
  ASSERT_OK(uv_fs_poll_start(&poll_handle, ignore_fs_poll, ".", 1000));
  ASSERT_OK(uv_fs_poll_start(&poll_handle, ignore_fs_poll, ".", 1000));
  ASSERT_OK(uv_fs_event_init(&loop, &event));
  ASSERT_ERR(UV_EINVAL, uv_fs_event_getpath(&event, text, &size));
  ASSERT_ERR(UV_EINVAL, uv_fs_stat(NULL, &req, ".", ignore_fs));
  ASSERT_ERR(UV_EINVAL, uv_fs_scandir_next(NULL, NULL));
  ASSERT_ERR(UV_EINVAL, uv_cpu_info(NULL, &number));
  ASSERT_ERR(UV_EINVAL, uv_cpu_info(&cpus, NULL));
  ASSERT_ERR(UV_EINVAL, uv_interface_addresses(NULL, &number));
  ASSERT_ERR(UV_EINVAL, uv_interface_addresses(&addresses, NULL));
  ASSERT_ERR(UV_EINVAL, uv_ip4_name(NULL, text, sizeof(text)));
  ASSERT_ERR(UV_EINVAL, uv_ip6_name(NULL, text, sizeof(text)));
  test_close_loop(&loop);
  return 0;
}
