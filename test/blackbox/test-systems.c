/* SPDX-License-Identifier: MIT */
/* Behaviour that the interface guarantees although systems differ. In a build
 * with test/kqueue-shim, KQUEUE_SHIM_SYSTEM makes the C library answer as on
 * FreeBSD, OpenBSD or macOS; in all others these tests check the system they
 * run on. */
#include "test.h"

#if TEST_POSIX
# include <netinet/in.h>
# include <signal.h>
# include <sys/socket.h>
# include <unistd.h>

static void act_as(const char* system) {
  ASSERT_OK(uv_os_setenv("KQUEUE_SHIM_SYSTEM", system));
}

/* FreeBSD: SO_REUSEADDR does not let two sockets share a UDP port; that takes
 * SO_REUSEPORT, which the interface documents for all BSDs. */
TEST_IMPL(system_udp_reuseaddr_shares_a_port) {
  struct sockaddr_in addr = test_loopback();
  uv_loop_t loop;
  uv_udp_t handles[3];

  act_as("freebsd");
  ASSERT_OK(uv_loop_init(&loop));
  for (size_t i = 0; i < ARRAY_SIZE(handles); i++)
    ASSERT_OK(uv_udp_init(&loop, &handles[i]));
  ASSERT_OK(
      uv_udp_bind(&handles[0], (struct sockaddr*) &addr, UV_UDP_REUSEADDR));
  addr = test_udp_address(&handles[0]);
  ASSERT_OK(
      uv_udp_bind(&handles[1], (struct sockaddr*) &addr, UV_UDP_REUSEADDR));
  ASSERT_ERR(UV_EADDRINUSE,
             uv_udp_bind(&handles[2], (struct sockaddr*) &addr, 0));
  test_close_loop(&loop);
  return 0;
}

/* FreeBSD: mkdtemp() and mkostemp() accept any name as a template. */
TEST_IMPL(system_templates_end_with_six_x) {
  static const char* const wrong[] = { "", "XXXXX", "aXXXXX", "name",
                                       "XXXXXXa" };
  uv_fs_t req;

  act_as("freebsd");
  for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
    ASSERT_ERR(UV_EINVAL, uv_fs_mkdtemp(NULL, &req, wrong[i], NULL));
    uv_fs_req_cleanup(&req);
    ASSERT_ERR(UV_EINVAL, uv_fs_mkstemp(NULL, &req, wrong[i], NULL));
    uv_fs_req_cleanup(&req);
  }
  ASSERT_OK(uv_fs_mkdtemp(NULL, &req, "dir-XXXXXX", NULL));
  ASSERT_EQ(0, rmdir(req.path));
  uv_fs_req_cleanup(&req);
  int fd = uv_fs_mkstemp(NULL, &req, "file-XXXXXX", NULL);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(0, unlink(req.path));
  uv_fs_req_cleanup(&req);
  ASSERT_OK(uv_fs_close(NULL, &req, fd, NULL));
  uv_fs_req_cleanup(&req);
  return 0;
}

/* FreeBSD: the address of a unix socket without a name is 16 bytes of NULs. */
TEST_IMPL(system_unbound_pipe_has_no_name) {
  test_stream_t pair[2];
  uv_loop_t loop;
  char name[64] = "not written to";
  size_t size = sizeof(name);

  act_as("freebsd");
  ASSERT_OK(uv_loop_init(&loop));
  test_stream_pair(&loop, &pair[0], &pair[1]);
  ASSERT_OK(uv_pipe_getsockname(&pair[0], name, &size));
  ASSERT_EQ(0, size);
  ASSERT_STR_EQ("", name);
  size = sizeof(name);
  ASSERT_OK(uv_pipe_getpeername(&pair[0], name, &size));
  ASSERT_EQ(0, size);
  test_close_loop(&loop);
  return 0;
}

static int calls;

static void on_poll(uv_poll_t* handle, int status, int events) {
  ASSERT_OK(status);
  ASSERT_EQ(UV_READABLE, events);
  calls++;
  uv_close((uv_handle_t*) handle, NULL);
}

static void on_async(uv_async_t* handle) {
  uv_close((uv_handle_t*) handle, NULL);
}

/* A loop watches another by its descriptor. BSDs: a kqueue has no blocking
 * mode, so switching it off is ENOTTY. */
TEST_IMPL(system_poll_the_fd_of_a_loop) {
  uv_loop_t outer;
  uv_loop_t inner;
  uv_async_t async;
  uv_poll_t poll;

  ASSERT_OK(uv_loop_init(&outer));
  ASSERT_OK(uv_loop_init(&inner));
  ASSERT_OK(uv_async_init(&inner, &async, on_async));
  ASSERT_OK(uv_poll_init(&outer, &poll, uv_backend_fd(&inner)));
  ASSERT_OK(uv_poll_start(&poll, UV_READABLE, on_poll));
  (void) uv_run(&inner, UV_RUN_NOWAIT);
  ASSERT_OK(uv_async_send(&async));
  ASSERT_OK(uv_run(&outer, UV_RUN_DEFAULT));
  ASSERT_EQ(1, calls);
  ASSERT_OK(uv_run(&inner, UV_RUN_DEFAULT));
  test_close_loop(&inner);
  test_close_loop(&outer);
  return 0;
}

static void on_connect(uv_connect_t* req, int status) {
  ASSERT_EQ((intptr_t) req->data, status);
  calls++;
  uv_close((uv_handle_t*) req->handle, NULL);
}

static void on_connection(uv_stream_t* server, int status) {
  ASSERT_OK(status);
  ASSERT_OK(uv_accept(server, server->data));
  uv_close((uv_handle_t*) server, NULL);
}

/* FreeBSD: connect() over loopback completes before it returns. The handle
 * still owns the descriptor. */
TEST_IMPL(system_connected_at_once) {
  struct sockaddr_in addr = test_loopback();
  uv_loop_t loop;
  uv_tcp_t server;
  uv_tcp_t accepted;
  uv_tcp_t client;
  uv_tcp_t other;
  uv_connect_t req = { .data = (void*) (intptr_t) 0 };
  int fd;

  act_as("freebsd");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_tcp_init(&loop, &server));
  ASSERT_OK(uv_tcp_init(&loop, &accepted));
  ASSERT_OK(uv_tcp_init(&loop, &client));
  server.data = &accepted;
  ASSERT_OK(uv_tcp_init(&loop, &other));
  ASSERT_OK(uv_tcp_bind(&server, (struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_listen((uv_stream_t*) &server, 4, on_connection));
  addr = test_tcp_address(&server);
  ASSERT_OK(
      uv_tcp_connect(&req, &client, (struct sockaddr*) &addr, on_connect));
  ASSERT_EQ(0, calls);
  ASSERT_OK(uv_fileno((uv_handle_t*) &client, &fd));
  ASSERT_ERR(UV_EEXIST, uv_tcp_open(&other, fd));
  uv_close((uv_handle_t*) &other, NULL);
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, calls);
  test_close_loop(&loop);
  return 0;
}

/* A port of this machine that nobody listens on. */
static struct sockaddr_in deserted_address(uv_loop_t* loop) {
  struct sockaddr_in addr = test_loopback();
  uv_tcp_t handle;

  ASSERT_OK(uv_tcp_init(loop, &handle));
  ASSERT_OK(uv_tcp_bind(&handle, (struct sockaddr*) &addr, 0));
  addr = test_tcp_address(&handle);
  uv_close((uv_handle_t*) &handle, NULL);
  ASSERT_OK(uv_run(loop, UV_RUN_DEFAULT));
  return addr;
}

/* FreeBSD: connect() itself returns ECONNREFUSED. The callback gets it. */
TEST_IMPL(system_refused_at_once) {
  uv_loop_t loop;
  uv_tcp_t client;
  uv_connect_t req = { .data = (void*) (intptr_t) UV_ECONNREFUSED };

  act_as("freebsd");
  ASSERT_OK(uv_loop_init(&loop));
  struct sockaddr_in addr = deserted_address(&loop);
  ASSERT_OK(uv_tcp_init(&loop, &client));
  ASSERT_OK(
      uv_tcp_connect(&req, &client, (struct sockaddr*) &addr, on_connect));
  ASSERT_EQ(0, calls);
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, calls);
  test_close_loop(&loop);
  return 0;
}

/* OpenBSD: IPV6_V6ONLY cannot be switched off (EINVAL). */
TEST_IMPL(system_tcp_bind_without_dual_stack) {
  struct sockaddr_in6 addr;
  uv_loop_t loop;
  uv_tcp_t handle;

  act_as("openbsd");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_ip6_addr("::1", 0, &addr));
  ASSERT_OK(uv_tcp_init(&loop, &handle));
  int err = uv_tcp_bind(&handle, (struct sockaddr*) &addr, 0);
  if (err == UV_EAFNOSUPPORT || err == UV_EADDRNOTAVAIL)
    SKIP("there is no IPv6 here");
  ASSERT_OK(err);
  ASSERT_OK(uv_listen((uv_stream_t*) &handle, 4, NULL));
  test_close_loop(&loop);
  return 0;
}

/* macOS: a write to a connection that is being torn down may fail with
 * EPROTOTYPE, which programs do not expect. */
TEST_IMPL(system_write_to_a_peer_that_left) {
  static char byte[] = "x";
  uv_buf_t buf = uv_buf_init(byte, 1);
  uv_loop_t loop;
  uv_tcp_t client;
  uv_tcp_t accepted;

  act_as("macos");
  ASSERT_OK(uv_loop_init(&loop));
  test_tcp_pair(&loop, &client, &accepted);
  ASSERT_OK(uv_tcp_close_reset(&accepted, NULL));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  int err = 1;
  for (int i = 0; err >= 0 && i < 100; i++)
    err = uv_try_write((uv_stream_t*) &client, &buf, 1);
  ASSERT(err == UV_ECONNRESET || err == UV_EPIPE);
  test_close_loop(&loop);
  return 0;
}

static int write_status;

static void on_write(uv_write_t* req, int status) {
  (void) req;
  write_status = status;
  calls++;
}

/* BSDs: the filter for a pipe without a reader is refused. The waiting write
 * reports the state of the pipe, not of the filter. */
TEST_IMPL(system_queued_write_to_a_pipe_without_reader) {
  static char byte[] = "x";
  uv_buf_t buf = uv_buf_init(byte, 1);
  uv_loop_t loop;
  uv_pipe_t pipe;
  uv_write_t req;
  uv_file fds[2];
  uv_fs_t close_req;

  signal(SIGPIPE, SIG_IGN); /* a pipe is not a socket: the program ignores
                             * SIGPIPE */
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe(fds, 0, UV_NONBLOCK_PIPE));
  ASSERT_OK(uv_pipe_init(&loop, &pipe, 0));
  ASSERT_OK(uv_pipe_open(&pipe, fds[1]));
  (void) test_fill((uv_stream_t*) &pipe);
  ASSERT_OK(uv_write(&req, (uv_stream_t*) &pipe, &buf, 1, on_write));
  ASSERT_OK(uv_fs_close(NULL, &close_req, fds[0], NULL));
  uv_fs_req_cleanup(&close_req);
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, calls);
  ASSERT_ERR(UV_EPIPE, write_status);
  test_close_loop(&loop);
  return 0;
}

/* macOS: CLOCK_MONOTONIC counts microseconds, unlike the kernel's clock. A tick
 * shows within a few calls, and it is shorter than a microsecond. */
TEST_IMPL(system_clock_is_finer_than_a_microsecond) {
  for (int i = 0; i < 10000; i++)
    if (uv_hrtime() % 1000 != 0)
      return 0;
  ASSERT(!"some time is not a whole number of microseconds");
  return 1;
}
#endif
