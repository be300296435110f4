/* SPDX-License-Identifier: MIT */
/* uv_cancel() on writes, and uv_write_nwritten(): new in libuv 1.53 and not
 * covered by any of its released tests. Method: a full socket pair. */
#include "test.h"

#define WRITES 4
#define BIG (1 << 20)

static uv_loop_t loop;
static test_stream_t a;
static test_stream_t b;
static uv_write_t writes[WRITES];
static int statuses[WRITES];
static size_t written[WRITES];
static int order[WRITES];
static int ndone;
static char block[BIG];

static void on_write(uv_write_t* req, int status) {
  int i = (int) (req - writes);
  statuses[i] = status;
  written[i] = uv_write_nwritten(req);
  order[ndone++] = i;
}

static void setup(void) {
  ASSERT_OK(uv_loop_init(&loop));
  test_stream_pair(&loop, &a, &b);
  for (int i = 0; i < WRITES; i++)
    statuses[i] = 1;
}

static void start_write(int i, size_t len) {
  uv_buf_t buf = uv_buf_init(block, (unsigned) len);
  ASSERT_OK(uv_write(&writes[i], (uv_stream_t*) &a, &buf, 1, on_write));
}

static size_t received;

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) buf;
  if (nread == UV_EOF)
    uv_read_stop(stream);
  else if (nread > 0)
    received += (size_t) nread;
}

static void run_until_done(int n) {
  while (ndone < n)
    uv_run(&loop, UV_RUN_ONCE);
}

/* Queued behind another: nothing of it goes out, the others do. */
TEST_IMPL(write_cancel_queued) {
  setup();
  size_t filled = test_fill((uv_stream_t*) &a);
  start_write(0, 10);
  start_write(1, 20);
  start_write(2, 30);
  ASSERT_EQ(60, uv_stream_get_write_queue_size((uv_stream_t*) &a));
  ASSERT_OK(uv_cancel((uv_req_t*) &writes[1]));
  ASSERT_EQ(0, ndone); /* never inline */
  run_until_done(1);
  ASSERT_ERR(UV_ECANCELED, statuses[1]);
  ASSERT_EQ(0, written[1]);
  ASSERT_EQ(40, uv_stream_get_write_queue_size((uv_stream_t*) &a));

  ASSERT_OK(uv_read_start((uv_stream_t*) &b, test_alloc, on_read));
  run_until_done(3);
  ASSERT_EQ(0, order[1]);
  ASSERT_EQ(2, order[2]);
  ASSERT_OK(statuses[0]);
  ASSERT_OK(statuses[2]);
  ASSERT_EQ(10, written[0]);
  ASSERT_EQ(30, written[2]);
  while (received < filled + 40)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(filled + 40, received);
  test_close_loop(&loop);
  return 0;
}

/* Partially written: the count says how much, and the peer gets exactly that.
 */
TEST_IMPL(write_cancel_partly_written) {
  setup();
  start_write(0, BIG);
  size_t left = uv_stream_get_write_queue_size((uv_stream_t*) &a);
  if (!TEST_POSIX && left == 0)
    SKIP("this Windows accepts all of a write while there is any room");
  ASSERT_GT(left, 0);
  ASSERT_LT(left, BIG);
  ASSERT_OK(uv_cancel((uv_req_t*) &writes[0]));
  run_until_done(1);
  ASSERT_ERR(UV_ECANCELED, statuses[0]);
  ASSERT_EQ(BIG - left, written[0]);
  ASSERT_EQ(0, uv_stream_get_write_queue_size((uv_stream_t*) &a));

  /* What is written next follows. */
  start_write(1, 7);
  ASSERT_OK(uv_read_start((uv_stream_t*) &b, test_alloc, on_read));
  run_until_done(2);
  ASSERT_OK(statuses[1]);
  ASSERT_EQ(7, written[1]);
  while (received < written[0] + 7)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(written[0] + 7, received);
  test_close_loop(&loop);
  return 0;
}

/* Already written, with the callback due: it reports success, whatever
 * uv_cancel() returned. Windows returns libuv's older answer for what cannot be
 * cancelled. */
TEST_IMPL(write_cancel_finished) {
  setup();
  start_write(0, 10);
  ASSERT_ERR(TEST_POSIX ? 0 : UV_EBUSY, uv_cancel((uv_req_t*) &writes[0]));
  run_until_done(1);
  ASSERT_OK(statuses[0]);
  ASSERT_EQ(10, written[0]);
  test_close_loop(&loop);
  return 0;
}

/* Cancelling again changes nothing. */
TEST_IMPL(write_cancel_twice) {
  setup();
  test_fill((uv_stream_t*) &a);
  start_write(0, 10);
  ASSERT_OK(uv_cancel((uv_req_t*) &writes[0]));
  ASSERT_OK(uv_cancel((uv_req_t*) &writes[0]));
  run_until_done(1);
  ASSERT_ERR(UV_ECANCELED, statuses[0]);
  test_close_loop(&loop);
  ASSERT_EQ(1, ndone);
  return 0;
}

/* After uv_close() nothing is left to decide: one callback. */
TEST_IMPL(write_cancel_after_close) {
  setup();
  test_fill((uv_stream_t*) &a);
  start_write(0, 10);
  uv_close((uv_handle_t*) &a, NULL);
  ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) &writes[0]));
  run_until_done(1);
  ASSERT_ERR(UV_ECANCELED, statuses[0]);
  test_close_loop(&loop);
  ASSERT_EQ(1, ndone);
  return 0;
}

static int shutdown_done;

static void on_shutdown(uv_shutdown_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  ASSERT_EQ(2, ndone);
  shutdown_done = 1;
}

/* A shutdown waits for the remaining writes, not for cancelled ones. */
TEST_IMPL(write_cancel_before_shutdown) {
  uv_shutdown_t shutdown;

  setup();
  test_fill((uv_stream_t*) &a);
  start_write(0, 10);
  start_write(1, 10);
  ASSERT_OK(uv_shutdown(&shutdown, (uv_stream_t*) &a, on_shutdown));
  ASSERT_OK(uv_cancel((uv_req_t*) &writes[1]));
  ASSERT_OK(uv_cancel((uv_req_t*) &writes[0]));
  while (!shutdown_done)
    uv_run(&loop, UV_RUN_ONCE);
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(write_nwritten_many_buffers) {
  uv_buf_t bufs[5];

  setup();
  for (int i = 0; i < 5; i++)
    bufs[i] = uv_buf_init(block, i == 4 ? 0 : 3); /* a trailing empty one */
  ASSERT_OK(uv_write(&writes[0], (uv_stream_t*) &a, bufs, 5, on_write));
  run_until_done(1);
  ASSERT_OK(statuses[0]);
  ASSERT_EQ(12, written[0]);
  test_close_loop(&loop);
  return 0;
}

/* uv_try_write2: short, busy, and equal to uv_try_write without a handle. */
TEST_IMPL(try_write2_rules) {
  uv_buf_t buf = uv_buf_init(block, 5);
  uv_pipe_t unopened;

  setup();
  ASSERT_OK(uv_pipe_init(&loop, &unopened, 0));
  ASSERT_EQ(5, uv_try_write2((uv_stream_t*) &a, &buf, 1, NULL));
  ASSERT_ERR(TEST_NO_STREAM,
             uv_try_write2((uv_stream_t*) &unopened, &buf, 1, NULL));
  ASSERT_ERR(UV_EINVAL, uv_try_write2((uv_stream_t*) &a, &buf, 0, NULL));
  /* Handles travel over ipc pipes only, and must be open. */
  ASSERT_ERR(UV_EINVAL,
             uv_try_write2((uv_stream_t*) &a, &buf, 1, (uv_stream_t*) &b));
  test_fill((uv_stream_t*) &a);
  ASSERT_ERR(UV_EAGAIN, uv_try_write2((uv_stream_t*) &a, &buf, 1, NULL));
  start_write(0, 10);
  ASSERT_ERR(UV_EAGAIN, uv_try_write2((uv_stream_t*) &a, &buf, 1, NULL));
  test_close_loop(&loop);
  ASSERT_ERR(UV_ECANCELED, statuses[0]);
  return 0;
}

#if TEST_POSIX
/* A handle sent with uv_try_write2 arrives. */
static int accepted;
static uv_tcp_t received_tcp;

static void on_ipc_read(uv_stream_t* stream,
                        ssize_t nread,
                        const uv_buf_t* buf) {
  (void) buf;
  if (nread <= 0 || accepted)
    return;
  ASSERT_EQ(1, uv_pipe_pending_count((uv_pipe_t*) stream));
  ASSERT_EQ(UV_TCP, uv_pipe_pending_type((uv_pipe_t*) stream));
  ASSERT_OK(uv_tcp_init(stream->loop, &received_tcp));
  ASSERT_OK(uv_accept(stream, (uv_stream_t*) &received_tcp));
  ASSERT_NE(0, test_tcp_address(&received_tcp).sin_port);
  ASSERT_EQ(0, uv_pipe_pending_count((uv_pipe_t*) stream));
  accepted = 1;
}

TEST_IMPL(try_write2_sends_a_handle) {
  uv_pipe_t ends[2];
  uv_tcp_t tcp;
  uv_os_sock_t fds[2];
  uv_buf_t buf = uv_buf_init(block, 1);
  struct sockaddr_in addr = test_loopback();

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_socketpair(SOCK_STREAM, 0, fds, 0, 0));
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(uv_pipe_init(&loop, &ends[i], 1));
    ASSERT_OK(uv_pipe_open(&ends[i], fds[i]));
  }
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  ASSERT_ERR(UV_EBADF, uv_try_write2((uv_stream_t*) &ends[0], &buf, 1,
                                     (uv_stream_t*) &tcp));
  ASSERT_OK(uv_tcp_bind(&tcp, (struct sockaddr*) &addr, 0));
  ASSERT_EQ(
      1, uv_try_write2((uv_stream_t*) &ends[0], &buf, 1, (uv_stream_t*) &tcp));
  ASSERT_OK(uv_read_start((uv_stream_t*) &ends[1], test_alloc, on_ipc_read));
  while (!accepted)
    uv_run(&loop, UV_RUN_ONCE);
  test_close_loop(&loop);
  return 0;
}
#endif
