/* SPDX-License-Identifier: MIT */
/* UV_POLLER=select: descriptors from FD_SETSIZE on cannot be watched. A call
 * that needs one fails with UV_EMFILE, the descriptor stays with the program,
 * and handles below the limit keep working. */
#include "ignore.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROOM 64 /* numbers needed beyond the limit */

static uv_loop_t loop;

static void allow_many_descriptors(void) {
  struct rlimit limit;

  ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &limit));
  if (limit.rlim_cur < FD_SETSIZE + ROOM) {
    limit.rlim_cur = FD_SETSIZE + ROOM;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
      SKIP("this user may not open more than FD_SETSIZE descriptors");
  }
}

/* A loop on select(); from now on new descriptors are above the limit. */
static void begin(void) {
  allow_many_descriptors();
  ASSERT_OK(uv_os_setenv("UV_POLLER", "select"));
  ASSERT_OK(uv_loop_init(&loop));
}

static void use_up_numbers(void) {
  int fd;
  do
    fd = dup(0);
  while (fd >= 0 && fd < FD_SETSIZE);
  ASSERT_EQ(FD_SETSIZE, fd);
}

static int open_socket(int type) {
  int fd = socket(AF_INET, type, 0);
  ASSERT_GE(fd, FD_SETSIZE);
  return fd;
}

static void check_still_open(int fd) {
  ASSERT_GE(fcntl(fd, F_GETFD), 0);
}

/* The program passes a descriptor to the handle. */
TEST_IMPL(select_limit_descriptors_of_the_program) {
  uv_poll_t poll_handle;
  uv_tcp_t tcp;
  uv_udp_t udp;
  uv_pipe_t pipe;
  int pair[2];

  begin();
  use_up_numbers();
  int stream = open_socket(SOCK_STREAM);
  int datagram = open_socket(SOCK_DGRAM);
  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));

  ASSERT_ERR(UV_EMFILE, uv_poll_init(&loop, &poll_handle, stream));
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  ASSERT_ERR(UV_EMFILE, uv_tcp_open(&tcp, stream));
  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_ERR(UV_EMFILE, uv_udp_open(&udp, datagram));
  ASSERT_OK(uv_pipe_init(&loop, &pipe, 0));
  ASSERT_ERR(UV_EMFILE, uv_pipe_open(&pipe, pair[0]));
  check_still_open(stream);
  check_still_open(datagram);
  check_still_open(pair[0]);
  test_close_loop(&loop);
  return 0;
}

/* The handle creates its own descriptor. */
TEST_IMPL(select_limit_descriptors_of_handles) {
  struct sockaddr_in addr;
  uv_tcp_t tcp;
  uv_udp_t udp;
  uv_pipe_t pipe;
  uv_fs_event_t event;
  uv_loop_t other;

  begin();
  use_up_numbers();
  int before = dup(0);
  close(before);
  ASSERT_OK(uv_ip4_addr("127.0.0.1", 0, &addr));
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  ASSERT_ERR(UV_EMFILE, uv_tcp_bind(&tcp, (void*) &addr, 0));
  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_ERR(UV_EMFILE, uv_udp_bind(&udp, (void*) &addr, 0));
  ASSERT_OK(uv_pipe_init(&loop, &pipe, 0));
  ASSERT_ERR(UV_EMFILE, uv_pipe_bind(&pipe, "socket"));
  ASSERT_OK(uv_fs_event_init(&loop, &event));
  ASSERT_ERR(UV_EMFILE, uv_fs_event_start(&event, ignore_fs_event, ".", 0));
  ASSERT_ERR(UV_EMFILE, uv_loop_init(&other));
  int after = dup(0);
  ASSERT_EQ(before, after); /* nothing was left open */
  test_close_loop(&loop);
  return 0;
}

static int connections;
static int callbacks;

static void on_close(uv_handle_t* handle) {
  (void) handle;
  callbacks++;
}

static void on_connection(uv_stream_t* server, int status) {
  static uv_tcp_t peer;

  ASSERT_OK(status);
  connections++;
  ASSERT_OK(uv_tcp_init(&loop, &peer));
  ASSERT_ERR(UV_EMFILE, uv_accept(server, (uv_stream_t*) &peer));
  uv_close((uv_handle_t*) &peer, on_close);
  uv_close((uv_handle_t*) server, on_close);
}

/* An existing listener still reports connections; accepting one fails. */
TEST_IMPL(select_limit_accept) {
  struct sockaddr_in addr;
  struct sockaddr_storage name;
  int length = sizeof(name);
  uv_tcp_t server;

  begin();
  ASSERT_OK(uv_ip4_addr("127.0.0.1", 0, &addr));
  ASSERT_OK(uv_tcp_init(&loop, &server));
  ASSERT_OK(uv_tcp_bind(&server, (void*) &addr, 0));
  ASSERT_OK(uv_listen((uv_stream_t*) &server, 1, on_connection));
  ASSERT_OK(uv_tcp_getsockname(&server, (void*) &name, &length));
  use_up_numbers();
  int client = open_socket(SOCK_STREAM);
  ASSERT_EQ(0, connect(client, (void*) &name, sizeof(addr)));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, connections);
  ASSERT_EQ(2, callbacks);
  ASSERT_EQ(0, close(client));
  test_close_loop(&loop);
  return 0;
}

static void on_timer(uv_timer_t* timer) {
  callbacks++;
  uv_close((uv_handle_t*) timer, NULL);
}

static void on_async(uv_async_t* async) {
  callbacks++;
  uv_close((uv_handle_t*) async, NULL);
}

static void after_work(uv_work_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  callbacks++;
}

/* Handles that need no descriptor. */
TEST_IMPL(select_limit_loop_goes_on) {
  uv_timer_t timer;
  uv_async_t async;
  uv_work_t work;

  begin();
  use_up_numbers();
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, on_timer, 1, 0));
  ASSERT_OK(uv_async_init(&loop, &async, on_async));
  ASSERT_OK(uv_async_send(&async));
  ASSERT_OK(uv_queue_work(&loop, &work, ignore_work, after_work));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(3, callbacks);
  test_close_loop(&loop);
  return 0;
}
