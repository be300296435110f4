/* SPDX-License-Identifier: MIT */
/* One descriptor used by several handles in turn; descriptors that change under
 * a poll handle; events that a callback made stale. Method: socket pairs; the
 * expectations are what libuv 1.53.0 does with the same program. */
#include "test.h"

#if TEST_POSIX
# include <sys/socket.h>
# include <unistd.h>

static uv_loop_t loop;
static uv_pipe_t first;
static uv_pipe_t second;
static int fds[2];

static void setup(void) {
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_socketpair(SOCK_STREAM, 0, fds, UV_NONBLOCK_PIPE, 0));
  ASSERT_OK(uv_pipe_init(&loop, &first, 0));
  ASSERT_OK(uv_pipe_init(&loop, &second, 0));
}

static int nread_first;
static int nread_second;

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) buf;
  ASSERT_EQ(1, nread);
  *(int*) stream->data += 1;
}

static void read_start(uv_pipe_t* pipe, int* count) {
  pipe->data = count;
  ASSERT_OK(uv_read_start((uv_stream_t*) pipe, test_alloc, on_read));
}

static void send_byte(int fd) {
  ASSERT_EQ(1, write(fd, "x", 1));
}

/* Both handles close the descriptor; the second close must not hit another
 * file. */
static void close_shared(void) {
  int copy = dup(fds[0]);

  uv_close((uv_handle_t*) &first, NULL);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(fds[0], dup2(copy, fds[0]));
  test_close_loop(&loop);
  close(copy);
  close(fds[1]);
}

/* Two handles on one descriptor: the first stops and the second starts within
 * one iteration. */
static void read_by_turns(void) {
  setup();
  ASSERT_OK(uv_pipe_open(&first, fds[0]));
  ASSERT_OK(uv_pipe_open(&second, fds[0]));
  read_start(&first, &nread_first);
  uv_run(&loop, UV_RUN_NOWAIT);

  ASSERT_OK(uv_read_stop((uv_stream_t*) &first));
  read_start(&second, &nread_second);
}

/* The second gets what arrives. */
TEST_IMPL(fd_table_next_reader_in_the_same_tick) {
  read_by_turns();
  send_byte(fds[1]);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(0, nread_first);
  ASSERT_EQ(1, nread_second);

  /* And back again. */
  ASSERT_OK(uv_read_stop((uv_stream_t*) &second));
  read_start(&first, &nread_first);
  send_byte(fds[1]);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(1, nread_first);
  ASSERT_EQ(1, nread_second);
  ASSERT_OK(uv_read_stop((uv_stream_t*) &first));
  close_shared();
  return 0;
}

/* The new owner keeps the descriptor when the previous one starts again. */
TEST_IMPL(fd_table_first_watcher_wins) {
  read_by_turns();
  read_start(&first, &nread_first);
  send_byte(fds[1]);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(0, nread_first);
  ASSERT_EQ(1, nread_second);
  ASSERT_OK(uv_read_stop((uv_stream_t*) &first));
  ASSERT_OK(uv_read_stop((uv_stream_t*) &second));
  close_shared();
  return 0;
}

/* Stopping leaves nothing to do in the next iteration. */
TEST_IMPL(fd_table_timeout_after_stop) {
  setup();
  ASSERT_OK(uv_pipe_open(&first, fds[0]));
  ASSERT_OK(uv_pipe_open(&second, fds[1]));
  read_start(&first, &nread_first);
  read_start(&second, &nread_second);
  ASSERT_EQ(0, uv_backend_timeout(&loop)); /* the poller has to be told */
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(-1, uv_backend_timeout(&loop));
  ASSERT_OK(uv_read_stop((uv_stream_t*) &first));
  ASSERT_EQ(-1, uv_backend_timeout(&loop));

  /* Data for the stopped handle wakes nobody and is there when it starts. */
  send_byte(fds[1]);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(0, nread_first);
  read_start(&first, &nread_first);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(1, nread_first);

  /* A start requests an iteration, whether or not the poller must be told. */
  ASSERT_OK(uv_read_stop((uv_stream_t*) &first));
  read_start(&first, &nread_first);
  ASSERT_EQ(0, uv_backend_timeout(&loop));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(-1, uv_backend_timeout(&loop));
  test_close_loop(&loop);
  return 0;
}

static int npolls;

static void on_poll(uv_poll_t* handle, int status, int events) {
  ASSERT_OK(status);
  ASSERT_EQ(UV_READABLE, events);
  npolls++;
  ASSERT_OK(uv_poll_stop(handle));
}

/* A descriptor without a watcher is free at once. */
TEST_IMPL(fd_table_open_after_stop_in_the_same_tick) {
  uv_poll_t poll;

  setup();
  ASSERT_OK(uv_pipe_open(&first, fds[0]));
  read_start(&first, &nread_first);
  ASSERT_ERR(UV_EEXIST, uv_pipe_open(&second, fds[0]));
  ASSERT_ERR(UV_EEXIST, uv_poll_init(&loop, &poll, fds[0]));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_ERR(UV_EEXIST, uv_pipe_open(&second, fds[0]));

  ASSERT_OK(uv_read_stop((uv_stream_t*) &first));
  ASSERT_OK(uv_pipe_open(&second, fds[0]));
  ASSERT_OK(uv_poll_init(&loop, &poll, fds[0]));
  ASSERT_OK(uv_poll_start(&poll, UV_READABLE, on_poll));
  send_byte(fds[1]);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(1, npolls);
  ASSERT_EQ(0, nread_first);
  close_shared();
  return 0;
}

/* An empty event mask stops the handle, but only where it could be started. */
TEST_IMPL(poll_start_without_events) {
  uv_poll_t poll;
  uv_poll_t other;

  setup();
  ASSERT_OK(uv_poll_init(&loop, &poll, fds[0]));
  ASSERT_OK(uv_poll_init(&loop, &other, fds[0]));
  ASSERT_OK(uv_poll_start(&poll, UV_READABLE, on_poll));
  ASSERT_ERR(UV_EEXIST, uv_poll_start(&other, 0, on_poll));
  ASSERT_OK(uv_poll_start(&poll, 0, on_poll));
  ASSERT_EQ(0, uv_is_active((uv_handle_t*) &poll));
  ASSERT_OK(uv_poll_start(&other, 0, on_poll));
  test_close_loop(&loop);
  close(fds[0]);
  close(fds[1]);
  return 0;
}

static uv_poll_t polls[2];
static int ends[2][2];

static void open_polls(uv_poll_cb cb) {
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(uv_socketpair(SOCK_STREAM, 0, ends[i], UV_NONBLOCK_PIPE, 0));
    ASSERT_OK(uv_poll_init(&loop, &polls[i], ends[i][0]));
    ASSERT_OK(uv_poll_start(&polls[i], UV_READABLE, cb));
  }
  uv_run(&loop, UV_RUN_NOWAIT);
}

static int distant_events;

static void on_distant(uv_poll_t* handle, int status, int events) {
  ASSERT_OK(status);
  distant_events = events;
  ASSERT_OK(uv_poll_stop(handle));
}

/* The table grows to a number far above those it has. */
TEST_IMPL(fd_table_distant_descriptor) {
  enum { DISTANT = 900 };
  uv_poll_t poll;

  setup();
  if (dup2(fds[0], DISTANT) != DISTANT)
    SKIP("no 901 descriptors here");
  ASSERT_OK(uv_poll_init(&loop, &poll, DISTANT));
  ASSERT_OK(uv_poll_start(&poll, UV_READABLE, on_distant));
  send_byte(fds[1]);
  uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(UV_READABLE, distant_events);
  test_close_loop(&loop);
  close(DISTANT);
  close(fds[0]);
  close(fds[1]);
  return 0;
}

static void close_polls(void) {
  test_close_loop(&loop);
  for (int i = 0; i < 2; i++) {
    close(ends[i][0]);
    close(ends[i][1]);
  }
}

static void take_byte(uv_poll_t* handle, int status, int events) {
  char byte;
  uv_os_fd_t fd;

  ASSERT_OK(status);
  ASSERT_EQ(UV_READABLE, events);
  ASSERT_OK(uv_fileno((uv_handle_t*) handle, &fd));
  ASSERT_EQ(1, read(fd, &byte, 1));
  npolls++;
}

/* Restarting with the same mask detects the new descriptor. */
TEST_IMPL(poll_start_again_after_the_fd_was_reopened) {
  int next[2];

  open_polls(take_byte);
  ASSERT_OK(uv_socketpair(SOCK_STREAM, 0, next, UV_NONBLOCK_PIPE, 0));
  close(ends[0][0]);
  ASSERT_EQ(ends[0][0], dup2(next[0], ends[0][0]));
  send_byte(next[1]);
  ASSERT_OK(uv_poll_start(&polls[0], UV_READABLE, take_byte));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(1, npolls);
  close_polls();
  close(next[0]);
  close(next[1]);
  return 0;
}

static int restart_events;

/* Whichever callback runs first reads both descriptors and restarts the other.
 */
static void read_both_restart_other(uv_poll_t* handle, int status, int events) {
  char byte;
  uv_poll_t* other = handle == &polls[0] ? &polls[1] : &polls[0];

  ASSERT_OK(status);
  ASSERT_EQ(UV_READABLE, events & UV_READABLE);
  npolls++;
  for (int i = 0; i < 2; i++)
    ASSERT_EQ(1, read(ends[i][0], &byte, 1));
  ASSERT_OK(uv_poll_start(other, restart_events, read_both_restart_other));
}

static void check_stale_is_dropped(int restart_with) {
  restart_events = restart_with;
  open_polls(read_both_restart_other);
  send_byte(ends[0][1]);
  send_byte(ends[1][1]);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(1, npolls);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(1, npolls);
  /* New data is reported. */
  send_byte(ends[0][1]);
  send_byte(ends[1][1]);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(2, npolls);
  close_polls();
}

TEST_IMPL(poll_start_again_drops_stale_events) {
  check_stale_is_dropped(UV_READABLE);
  return 0;
}

TEST_IMPL(poll_start_again_with_more_drops_stale_events) {
  check_stale_is_dropped(UV_READABLE | UV_DISCONNECT);
  return 0;
}
static int hangup_events;

static void on_hangup(uv_poll_t* handle, int status, int events) {
  (void) handle;
  hangup_events = status < 0 ? 0 : events;
}

/* A peer that is gone satisfies every interest, with or without unread data.
 * kqueue refuses to wait for writability of the read end, and does not report a
 * hangup to a handle that waits for urgent data only. */
TEST_IMPL(poll_hangup_satisfies_every_interest) {
  int all = UV_READABLE | UV_WRITABLE | UV_DISCONNECT | UV_PRIORITIZED;

  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 2 * all; i++) {
    int mask = i / 2 + 1;
    uv_poll_t poll;
    uv_file pipe_fds[2];

    ASSERT_OK(uv_pipe(pipe_fds, 0, 0));
    if (i % 2)
      send_byte(pipe_fds[1]);
    close(pipe_fds[1]);
    ASSERT_OK(uv_poll_init(&loop, &poll, pipe_fds[0]));
    ASSERT_OK(uv_poll_start(&poll, mask, on_hangup));
    hangup_events = 0;
    uv_run(&loop, UV_RUN_NOWAIT);
    if (hangup_events != 0 || (mask & 3) == UV_READABLE)
      ASSERT_EQ(mask, hangup_events);
    uv_close((uv_handle_t*) &poll, NULL);
    uv_run(&loop, UV_RUN_NOWAIT);
    close(pipe_fds[0]);
  }
  test_close_loop(&loop);
  return 0;
}

static int nresets;

static void on_reset(uv_poll_t* handle, int status, int events) {
  ASSERT(status < 0 || events != 0);
  nresets++;
  ASSERT_OK(uv_poll_stop(handle));
}

/* A handle that waits for urgent data only hears of a connection that is reset;
 * with kqueue it never did. */
TEST_IMPL(poll_prioritized_alone_is_told_of_a_reset) {
  struct linger at_once = { 1, 0 };
  struct sockaddr_in addr = test_loopback();
  socklen_t len = sizeof(addr);
  uv_poll_t poll;

  ASSERT_OK(uv_loop_init(&loop));
  int server = socket(AF_INET, SOCK_STREAM, 0);
  int client = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_EQ(0, bind(server, (struct sockaddr*) &addr, len));
  ASSERT_EQ(0, listen(server, 1));
  ASSERT_EQ(0, getsockname(server, (struct sockaddr*) &addr, &len));
  ASSERT_EQ(0, connect(client, (struct sockaddr*) &addr, len));
  int accepted = accept(server, NULL, NULL);
  ASSERT_GE(accepted, 0);
  ASSERT_OK(uv_poll_init(&loop, &poll, accepted));
  ASSERT_OK(uv_poll_start(&poll, UV_PRIORITIZED, on_reset));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(0, nresets);
  ASSERT_EQ(
      0, setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)));
  ASSERT_EQ(0, close(client));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, nresets);
  test_close_loop(&loop);
  close(accepted);
  close(server);
  return 0;
}
#endif
