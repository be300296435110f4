/* SPDX-License-Identifier: MIT */
/* Descriptors received over a pipe (SCM_RIGHTS). Method: the other end is a
 * plain socket of the test. */
#include "test.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define MANY 64

static uv_loop_t loop;
static uv_pipe_t channel;
static size_t received;

static void send_fd(int sock, int fd) {
  char byte = 'x';
  struct iovec iov = { &byte, 1 };
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr msg;

  memset(&msg, 0, sizeof(msg));
  memset(&control, 0, sizeof(control));
  msg.msg_iov = &iov;
  msg.msg_iovlen = 1;
  msg.msg_control = &control;
  msg.msg_controllen = sizeof(control.space);
  struct cmsghdr* header = CMSG_FIRSTHDR(&msg);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(header), &fd, sizeof(fd));
  ASSERT_EQ(1, sendmsg(sock, &msg, 0));
}

static void on_read(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  (void) stream;
  (void) buf;
  ASSERT_GT(n, 0);
  received += (size_t) n;
}

/* Returns the test's end of `channel`, which reads. */
static int open_channel(void) {
  int fds[2];

  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &channel, 1));
  ASSERT_OK(uv_pipe_open(&channel, fds[0]));
  ASSERT_OK(uv_read_start((uv_stream_t*) &channel, test_alloc, on_read));
  return fds[1];
}

static void receive(size_t count) {
  while (received < count)
    uv_run(&loop, UV_RUN_ONCE);
}

static void close_channel(int sock) {
  close(sock);
  uv_close((uv_handle_t*) &channel, NULL);
  test_close_loop(&loop);
}

/* They wait in order, and those that nobody accepts are closed. */
TEST_IMPL(ipc_many_descriptors_wait) {
  static uv_pipe_t pipes[MANY];
  char byte;
  int before = test_open_handles();
  int sock = open_channel();

  for (int i = 0; i < MANY + 8; i++) {
    int fds[2];
    byte = (char) i;
    ASSERT_EQ(0, pipe(fds));
    ASSERT_EQ(1, write(fds[1], &byte, 1));
    send_fd(sock, fds[0]);
    close(fds[0]);
    close(fds[1]);
  }
  receive(MANY + 8);
  ASSERT_EQ(MANY + 8, uv_pipe_pending_count(&channel));
  ASSERT_EQ(UV_NAMED_PIPE, uv_pipe_pending_type(&channel));
  for (int i = 0; i < MANY; i++) {
    uv_os_fd_t fd;
    ASSERT_OK(uv_pipe_init(&loop, &pipes[i], 0));
    ASSERT_OK(uv_accept((uv_stream_t*) &channel, (uv_stream_t*) &pipes[i]));
    ASSERT_OK(uv_fileno((uv_handle_t*) &pipes[i], &fd));
    ASSERT_EQ(1, read(fd, &byte, 1));
    ASSERT_EQ(i, byte);
  }
  ASSERT_EQ(8, uv_pipe_pending_count(&channel));
  close_channel(sock);
  ASSERT_EQ(before, test_open_handles());
  return 0;
}

static int lost_errors;

static void on_read_lost(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  (void) buf;
  if (n == 0)
    return;
  ASSERT_ERR(UV_EMFILE, n);
  lost_errors++;
  ASSERT_OK(uv_read_stop(stream));
}

/* The kernel drops a descriptor that the process may not have: the reader gets
 * an error, not data without its descriptor. Issue 29. */
TEST_IMPL(ipc_descriptor_above_the_limit) {
  struct rlimit before;
  int sock = open_channel();

  if (test_on_valgrind())
    SKIP("valgrind emulates resource exhaustion itself");
  ASSERT_OK(uv_read_stop((uv_stream_t*) &channel));
  ASSERT_OK(uv_read_start((uv_stream_t*) &channel, test_alloc, on_read_lost));
  ASSERT_NE(0, uv_run(&loop, UV_RUN_NOWAIT)); /* the poller knows it */
  send_fd(sock, sock);
  ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &before));
  struct rlimit none = before;
  none.rlim_cur = (rlim_t) test_lowest_fd();
  ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &none));
  while (lost_errors == 0)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &before));
  ASSERT_EQ(1, lost_errors);
  ASSERT_EQ(0, uv_pipe_pending_count(&channel));
  close_channel(sock);
  return 0;
}

/* A UDP socket is accepted by a UDP handle; others refuse it. */
TEST_IMPL(ipc_udp_socket_is_accepted) {
  struct sockaddr_in addr = test_loopback();
  struct sockaddr_in name;
  int namelen = sizeof(name);
  uv_udp_t udp;
  uv_timer_t timer;
  int sock = open_channel();
  int fd = socket(AF_INET, SOCK_DGRAM, 0);

  ASSERT_GE(fd, 0);
  ASSERT_EQ(0, bind(fd, (struct sockaddr*) &addr, sizeof(addr)));
  send_fd(sock, fd);
  close(fd);
  receive(1);
  ASSERT_EQ(UV_UDP, uv_pipe_pending_type(&channel));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_ERR(UV_EINVAL,
             uv_accept((uv_stream_t*) &channel, (uv_stream_t*) &timer));
  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_OK(uv_accept((uv_stream_t*) &channel, (uv_stream_t*) &udp));
  ASSERT_OK(uv_udp_getsockname(&udp, (struct sockaddr*) &name, &namelen));
  ASSERT_NE(0, name.sin_port);
  ASSERT_ERR(UV_EAGAIN,
             uv_accept((uv_stream_t*) &channel, (uv_stream_t*) &udp));
  close_channel(sock);
  return 0;
}

#define BYTES (1 << 20)

static void read_slowly(void* arg) {
  static char sink[4096];
  size_t left = BYTES;

  while (left > 0) {
    ssize_t n = read(*(int*) arg, sink, sizeof(sink));
    ASSERT_GT(n, 0);
    left -= (size_t) n;
  }
}

static void on_write(uv_write_t* req, int status) {
  ASSERT_OK(status);
  uv_close((uv_handle_t*) req->handle, NULL);
}

/* A blocking stream whose descriptor somebody made non-blocking again: the
 * write still returns when all is written. */
TEST_IMPL(ipc_blocking_stream_on_a_nonblocking_descriptor) {
  static char data[BYTES];
  uv_buf_t buf = uv_buf_init(data, sizeof(data));
  uv_write_t req;
  uv_thread_t reader;
  int fds[2];

  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &channel, 0));
  ASSERT_OK(uv_pipe_open(&channel, fds[0]));
  ASSERT_OK(uv_stream_set_blocking((uv_stream_t*) &channel, 1));
  ASSERT_EQ(0, fcntl(fds[0], F_SETFL, O_RDWR | O_NONBLOCK));
  ASSERT_OK(uv_thread_create(&reader, read_slowly, &fds[1]));
  ASSERT_OK(uv_write(&req, (uv_stream_t*) &channel, &buf, 1, on_write));
  ASSERT_EQ(0, uv_stream_get_write_queue_size((uv_stream_t*) &channel));
  ASSERT_OK(uv_thread_join(&reader));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));
  close(fds[1]);
  return 0;
}
