/* SPDX-License-Identifier: MIT */
/* Servers with many clients: the last descriptor, and a full backlog. Method:
 * a child with blocking sockets connects. */
#include "ignore.h"
#include "test.h"
#include "uv/ext.h"

#include <netinet/in.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define REJECTS 10000
#define WAITING 1000

static uv_loop_t loop;
static uv_tcp_t server;
static int announced;

static void set_fd_limit(int count) {
  struct rlimit limit;

  ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &limit));
  limit.rlim_cur = (rlim_t) count;
  ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
}

static int connected_socket(const struct sockaddr_in* addr) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);

  if (fd == -1 || connect(fd, (const struct sockaddr*) addr, sizeof(*addr)))
    _exit(1);
  return fd;
}

static void listen_with(uv_connection_cb cb) {
  ASSERT_OK(uv_loop_init(&loop));
  (void) test_tcp_listen(&loop, &server, 1024, cb);
}

/* With one descriptor left, a server that refuses each connection never runs
 * out: nothing leaks, nobody waits. */
static void on_connection_reject(uv_stream_t* handle, int status) {
  ASSERT_OK(status);
  ASSERT_OK(uvx_reject(handle));
  if (++announced == REJECTS)
    uv_close((uv_handle_t*) handle, NULL);
}

TEST_IMPL(server_rejects_with_one_descriptor_left) {
  listen_with(on_connection_reject);
  struct sockaddr_in addr = test_tcp_address(&server);
  pid_t child = test_fork();
  if (child == 0) {
    for (int i = 0; i < REJECTS; i++) {
      char byte;
      int fd = connected_socket(&addr);
      if (read(fd, &byte, 1) > 0)
        test_exit_bare(1);
      close(fd);
    }
    test_exit_bare(0);
  }
  /* The first wait may need descriptors of its own. */
  uv_run(&loop, UV_RUN_NOWAIT);
  set_fd_limit(test_lowest_fd() + 1);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(REJECTS, announced);
  ASSERT_EQ(0, test_wait_child(child));
  test_close_loop(&loop);
  return 0;
}

/* A thousand clients connect to a paused server and wait; all of them are
 * announced when the pause ends. */
static uv_pipe_t signal_end;

static void on_connection_count(uv_stream_t* handle, int status) {
  ASSERT_OK(status);
  ASSERT_OK(uvx_reject(handle));
  if (++announced == WAITING)
    uv_close((uv_handle_t*) handle, NULL);
}

static void on_all_connected(uv_stream_t* stream,
                             ssize_t nread,
                             const uv_buf_t* buf) {
  (void) buf;
  ASSERT_EQ(1, nread);
  ASSERT_EQ(0, announced);
  ASSERT_OK(uvx_listen_pause((uv_stream_t*) &server, 0));
  uv_close((uv_handle_t*) stream, NULL);
}

static int backlog_is_long(void) {
  FILE* file = fopen("/proc/sys/net/core/somaxconn", "r");
  int size = 0;

  if (file == NULL)
    return 1;
  if (fscanf(file, "%d", &size) != 1)
    size = 0;
  fclose(file);
  return size > WAITING;
}

TEST_IMPL(server_pause_with_a_thousand_clients) {
  int ends[2];

  if (!backlog_is_long())
    SKIP("net.core.somaxconn is too small for the clients");
  listen_with(on_connection_count);
  ASSERT_OK(uvx_listen_pause((uv_stream_t*) &server, 1));
  ASSERT_EQ(0, pipe(ends));
  struct sockaddr_in addr = test_tcp_address(&server);
  pid_t child = test_fork();
  if (child == 0) {
    char byte;
    int first = 0;
    set_fd_limit(WAITING + 100);
    for (int i = 0; i < WAITING; i++)
      first = connected_socket(&addr);
    if (write(ends[1], "x", 1) != 1 || read(first, &byte, 1) > 0)
      test_exit_bare(1);
    test_exit_bare(0);
  }
  close(ends[1]);
  ASSERT_OK(uv_pipe_init(&loop, &signal_end, 0));
  ASSERT_OK(uv_pipe_open(&signal_end, ends[0]));
  ASSERT_OK(
      uv_read_start((uv_stream_t*) &signal_end, test_alloc, on_all_connected));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(WAITING, announced);
  ASSERT_EQ(0, test_wait_child(child));
  test_close_loop(&loop);
  return 0;
}

/* A pipe with ipc: received descriptors are taken or refused one by one, and
 * release has to wait for them. */
static uv_pipe_t channel[2];
static uv_tcp_t sent_handles[3];
static uv_write_t writes[3];

static void on_channel_read(uv_stream_t* stream,
                            ssize_t nread,
                            const uv_buf_t* buf) {
  uv_os_fd_t fd;

  (void) buf;
  ASSERT_GT(nread, 0);
  if (uv_pipe_pending_count(&channel[1]) < 3)
    return;
  ASSERT_OK(uv_read_stop(stream));
  ASSERT_ERR(UV_EBUSY, uvx_release((uv_handle_t*) stream, &fd));
  ASSERT_OK(uvx_reject(stream));
  ASSERT_EQ(2, uv_pipe_pending_count(&channel[1]));
  ASSERT_OK(uvx_accept_fd(stream, &fd));
  ASSERT_EQ(UV_TCP, uv_guess_handle(fd));
  test_close_socket(fd);
  ASSERT_OK(uvx_reject(stream));
  ASSERT_ERR(UV_EAGAIN, uvx_reject(stream));
  ASSERT_OK(uvx_release((uv_handle_t*) stream, &fd));
  test_close_socket(fd);
  announced++;
}

TEST_IMPL(server_refuses_received_descriptors) {
  int fds[2];
  uv_buf_t buf = uv_buf_init("x", 1);
  struct sockaddr_in addr = test_loopback();

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(uv_pipe_init(&loop, &channel[i], 1));
    ASSERT_OK(uv_pipe_open(&channel[i], fds[i]));
  }
  for (int i = 0; i < 3; i++) {
    ASSERT_OK(uv_tcp_init(&loop, &sent_handles[i]));
    ASSERT_OK(uv_tcp_bind(&sent_handles[i], (struct sockaddr*) &addr, 0));
    ASSERT_OK(uv_write2(&writes[i], (uv_stream_t*) &channel[0], &buf, 1,
                        (uv_stream_t*) &sent_handles[i], NULL));
  }
  ASSERT_OK(
      uv_read_start((uv_stream_t*) &channel[1], test_alloc, on_channel_read));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, announced);
  test_close_loop(&loop);
  return 0;
}
