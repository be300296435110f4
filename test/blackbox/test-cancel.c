/* SPDX-License-Identifier: MIT */
/* uv_cancel() of connects and datagrams, which libuv does not have. Method: a
 * connect that was not reported yet, a Unix socket whose reader has no room. */
#include "ignore.h"
#include "test.h"

#if TEST_POSIX
# include <sys/socket.h>
#endif

static uv_loop_t loop;
static uv_tcp_t server;
static uv_tcp_t client;
static uv_connect_t req;
static int calls;
static int connections;
static int last_status;

static void on_connection(uv_stream_t* stream, int status) {
  static uv_tcp_t accepted[4];

  /* A cancelled one may have been reset. */
  if (status != 0)
    return;
  ASSERT_OK(uv_tcp_init(&loop, &accepted[connections]));
  ASSERT_OK(uv_accept(stream, (uv_stream_t*) &accepted[connections]));
  connections++;
}

static struct sockaddr_in listen_somewhere(void) {
  ASSERT_OK(uv_loop_init(&loop));
  struct sockaddr_in addr = test_tcp_listen(&loop, &server, 8, on_connection);
  uv_unref((uv_handle_t*) &server);
  ASSERT_OK(uv_tcp_init(&loop, &client));
  return addr;
}

static void on_connect(uv_connect_t* request, int status) {
  ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) request));
  calls++;
  last_status = status;
}

/* The callback gets UV_ECANCELED, once. */
TEST_IMPL(cancel_connect) {
  struct sockaddr_in addr = listen_somewhere();

  ASSERT_OK(
      uv_tcp_connect(&req, &client, (struct sockaddr*) &addr, on_connect));
  int err = uv_cancel((uv_req_t*) &req);
  if (err == UV_EBUSY)
    SKIP("this system connects before the call returns");
  ASSERT_OK(err);
  ASSERT_OK(uv_cancel((uv_req_t*) &req));
  ASSERT_EQ(0, calls);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_ERR(UV_ECANCELED, last_status);
  ASSERT_EQ(1, calls);
  test_close_loop(&loop);
  return 0;
}

/* Too late: closed, or refused. */
TEST_IMPL(cancel_connect_too_late) {
  struct sockaddr_in addr = listen_somewhere();

  ASSERT_OK(
      uv_tcp_connect(&req, &client, (struct sockaddr*) &addr, on_connect));
  uv_close((uv_handle_t*) &client, NULL);
  ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) &req));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, calls);
  ASSERT_ERR(UV_ECANCELED, last_status);
  test_close_loop(&loop);
  return 0;
}

/* A shutdown cannot be cancelled by itself, as in libuv. */
static void on_shutdown(uv_shutdown_t* request, int status) {
  (void) request;
  ASSERT_OK(status);
  calls++;
}

TEST_IMPL(cancel_shutdown_is_refused) {
  test_stream_t ends[2];
  uv_shutdown_t shutdown;

  ASSERT_OK(uv_loop_init(&loop));
  test_stream_pair(&loop, &ends[0], &ends[1]);
  ASSERT_OK(uv_shutdown(&shutdown, (uv_stream_t*) &ends[0], on_shutdown));
  ASSERT_ERR(UV_EINVAL, uv_cancel((uv_req_t*) &shutdown));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, calls);
  test_close_loop(&loop);
  return 0;
}

#if TEST_POSIX
/* On Linux the handle connects again after that. */
static void on_reconnect(uv_connect_t* request, int status) {
  ASSERT_OK(status);
  calls++;
  uv_close((uv_handle_t*) request->handle, NULL);
}

/* What was written meanwhile ends with the connect. */
static void on_write_cancelled(uv_write_t* request, int status) {
  (void) request;
  ASSERT_EQ(1, calls);
  ASSERT_ERR(UV_ECANCELED, status);
  calls++;
}

TEST_IMPL(cancel_connect_with_a_write) {
  struct sockaddr_in addr = listen_somewhere();
  uv_write_t write;
  uv_buf_t buf = uv_buf_init("x", 1);

  ASSERT_OK(
      uv_tcp_connect(&req, &client, (struct sockaddr*) &addr, on_connect));
  ASSERT_OK(
      uv_write(&write, (uv_stream_t*) &client, &buf, 1, on_write_cancelled));
  ASSERT_OK(uv_cancel((uv_req_t*) &req));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(2, calls);
  test_close_loop(&loop);
  return 0;
}

static struct sockaddr_in target;

static void on_cancelled_connect(uv_connect_t* request, int status) {
  ASSERT_ERR(UV_ECANCELED, status);
  calls++;
  ASSERT_OK(uv_tcp_connect(request, &client, (struct sockaddr*) &target,
                           on_reconnect));
}

static int is_linux(void) {
  uv_utsname_t name;

  ASSERT_OK(uv_os_uname(&name));
  return strcmp(name.sysname, "Linux") == 0 && !test_on_kqueue();
}

TEST_IMPL(cancel_connect_and_connect_again) {
  if (!is_linux())
    SKIP("a socket of this system cannot take a connect back");
  target = listen_somewhere();
  ASSERT_OK(uv_tcp_connect(&req, &client, (struct sockaddr*) &target,
                           on_cancelled_connect));
  ASSERT_OK(uv_cancel((uv_req_t*) &req));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(2, calls);
  test_close_loop(&loop);
  return 0;
}

/* A pipe connects at once, and the callback is still to come. */
TEST_IMPL(cancel_connect_of_a_pipe) {
  const char* name = test_pipe_name("cancel");
  uv_pipe_t pipes[2];

  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 2; i++)
    ASSERT_OK(uv_pipe_init(&loop, &pipes[i], 0));
  ASSERT_OK(uv_pipe_bind(&pipes[0], name));
  ASSERT_OK(uv_listen((uv_stream_t*) &pipes[0], 8, ignore_connection));
  uv_unref((uv_handle_t*) &pipes[0]);
  uv_pipe_connect(&req, &pipes[1], name, on_connect);
  ASSERT_OK(uv_cancel((uv_req_t*) &req));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, calls);
  ASSERT_ERR(UV_ECANCELED, last_status);
  test_close_loop(&loop);
  return 0;
}

/* Datagrams that the kernel does not have yet: in any order, the others go out
 * when there is room. */
static uv_udp_send_t sends[4];
static int statuses[4];

static void on_send(uv_udp_send_t* request, int status) {
  ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) request));
  statuses[request - sends] = status;
  calls++;
}

TEST_IMPL(cancel_datagrams) {
  uv_udp_t udp;
  uv_buf_t buf = uv_buf_init("data", 4);
  char space[16];
  int fds[2];
  int filled = 0;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM, 0, fds));
  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_OK(uv_udp_open(&udp, fds[0]));
  while (uv_udp_try_send(&udp, &buf, 1, NULL) == 4)
    filled++;
  for (int i = 0; i < 4; i++)
    ASSERT_OK(uv_udp_send(&sends[i], &udp, &buf, 1, NULL, on_send));
  ASSERT_OK(uv_cancel((uv_req_t*) &sends[1]));
  ASSERT_OK(uv_cancel((uv_req_t*) &sends[3]));
  ASSERT_OK(uv_cancel((uv_req_t*) &sends[3]));
  while (calls < 2)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_ERR(UV_ECANCELED, statuses[1]);
  ASSERT_ERR(UV_ECANCELED, statuses[3]);
  ASSERT_EQ(8, udp.send_queue_size);

  for (int i = 0; i < filled; i++)
    ASSERT_EQ(4, recv(fds[1], space, sizeof(space), MSG_DONTWAIT));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(4, calls);
  ASSERT_OK(statuses[0]);
  ASSERT_OK(statuses[2]);
  for (int i = 0; i < 2; i++)
    ASSERT_EQ(4, recv(fds[1], space, sizeof(space), MSG_DONTWAIT));
  ASSERT_EQ(-1, recv(fds[1], space, sizeof(space), MSG_DONTWAIT));
  test_close_loop(&loop);
  test_close_socket(fds[1]);
  return 0;
}
#endif
