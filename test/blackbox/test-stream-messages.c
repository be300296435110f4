/* SPDX-License-Identifier: MIT */
/* Descriptors that preserve message boundaries: every write arrives as one
 * message, even if it had to wait. Method: more writes than the kernel has room
 * for, counted on the other side. */
#include "test.h"

#if TEST_POSIX
# include <fcntl.h>
# include <sys/socket.h>
# include <sys/un.h>
# include <unistd.h>

# define WRITES 300
# define SIZE 1000

static uv_loop_t loop;
static uv_pipe_t handle;
static uv_write_t writes[WRITES];
static int done;

static void on_write(uv_write_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  done++;
}

/* Two buffers each, so that a message has more than one part. */
static void write_all(void) {
  static char data[SIZE];
  uv_buf_t bufs[2] = { uv_buf_init(data, 300), uv_buf_init(data, SIZE - 300) };

  for (int i = 0; i < WRITES; i++)
    ASSERT_OK(uv_write(&writes[i], (uv_stream_t*) &handle, bufs, 2, on_write));
  ASSERT_GT(uv_stream_get_write_queue_size((uv_stream_t*) &handle), 0);
}

static void check_messages(int from) {
  static char message[WRITES * SIZE];
  int messages = 0;

  ASSERT_EQ(0, fcntl(from, F_SETFL, O_NONBLOCK));
  write_all();
  while (messages < WRITES) {
    ssize_t n = read(from, message, sizeof(message));
    if (n == -1)
      uv_run(&loop, UV_RUN_NOWAIT);
    else
      ASSERT_EQ(SIZE, n);
    messages += n != -1;
  }
  while (done < WRITES)
    uv_run(&loop, UV_RUN_ONCE);
}

static void check_pair(int to, int from) {
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &handle, 0));
  ASSERT_OK(uv_pipe_open(&handle, to));
  check_messages(from);
  test_close_loop(&loop);
  close(from);
}

TEST_IMPL(stream_messages_of_packet_sockets) {
  int fds[2];

  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) != 0)
    SKIP("no packet sockets");
  check_pair(fds[0], fds[1]);
  return 0;
}

TEST_IMPL(stream_messages_of_datagram_sockets) {
  int fds[2];

  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM, 0, fds));
  check_pair(fds[0], fds[1]);
  return 0;
}

TEST_IMPL(stream_messages_of_packet_pipes) {
  uv_file fds[2];
  char packets[2];

  ASSERT_OK(uv_pipe(fds, 0, 0));
  if (fcntl(fds[1], F_SETFL, UV_FS_O_DIRECT) != 0)
    SKIP("no pipes that preserve packets");
  for (int i = 0; i < 2; i++)
    ASSERT_EQ(1, write(fds[1], "x", 1));
  if (read(fds[0], packets, 2) == 2)
    SKIP("no pipes that preserve packets");
  ASSERT_EQ(1, read(fds[0], packets, 2));
  check_pair(fds[1], fds[0]);
  return 0;
}

static int keeps_empty_messages(void) {
  int fds[2];
  char byte = 0;

  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds));
  ASSERT_EQ(0, send(fds[0], &byte, 0, 0));
  ssize_t n = recv(fds[1], &byte, 1, MSG_DONTWAIT);
  close(fds[0]);
  close(fds[1]);
  return n == 0;
}

/* One empty buffer is an empty message; several send nothing. Some systems
 * deliver no empty messages (FreeBSD 14.1); sending one is no error there. */
TEST_IMPL(stream_messages_without_data) {
  char byte;
  uv_buf_t bufs[2] = { uv_buf_init(&byte, 0), uv_buf_init(&byte, 0) };
  int fds[2];

  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) != 0)
    SKIP("no packet sockets");
  ASSERT_EQ(0, fcntl(fds[1], F_SETFL, O_NONBLOCK));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &handle, 0));
  ASSERT_OK(uv_pipe_open(&handle, fds[0]));
  ASSERT_EQ(0, uv_try_write((uv_stream_t*) &handle, bufs, 2));
  ASSERT_EQ(-1, read(fds[1], &byte, 1));
  ASSERT_EQ(0, uv_try_write((uv_stream_t*) &handle, bufs, 1));
  if (keeps_empty_messages())
    ASSERT_EQ(0, read(fds[1], &byte, 1));
  else
    ASSERT_EQ(-1, read(fds[1], &byte, 1));
  test_close_loop(&loop);
  close(fds[1]);
  return 0;
}

static int peer_fd;

static void on_connection(uv_stream_t* server, int status) {
  ASSERT_OK(status);
  ASSERT_OK(uv_pipe_init(&loop, &handle, 0));
  ASSERT_OK(uv_accept(server, (uv_stream_t*) &handle));
  uv_close((uv_handle_t*) server, NULL);
}

/* A socket accepted from a packet socket is one too. */
TEST_IMPL(stream_messages_of_accepted_sockets) {
  struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "socket" };
  uv_pipe_t server;

  int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  if (fd == -1)
    SKIP("no packet sockets");
  ASSERT_EQ(0, bind(fd, (struct sockaddr*) &name, sizeof(name)));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &server, 0));
  ASSERT_OK(uv_pipe_open(&server, fd));
  ASSERT_OK(uv_listen((uv_stream_t*) &server, 1, on_connection));
  peer_fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  ASSERT_EQ(0, connect(peer_fd, (struct sockaddr*) &name, sizeof(name)));
  uv_run(&loop, UV_RUN_DEFAULT);
  check_messages(peer_fd);
  test_close_loop(&loop);
  close(peer_fd);
  return 0;
}
#endif
