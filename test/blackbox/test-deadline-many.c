/* SPDX-License-Identifier: MIT */
/* uvx_deadline(): many at once, and result and expiry in one iteration. */
#include "ignore.h"
#include "test.h"
#include "uv/ext.h"

#define WRITES 10000
#define ROUNDS 1000

static uv_loop_t loop;
static test_stream_t ends[2];
static int calls;

/* 10,000 writes to a peer that never reads: each ends once, by its own time,
 * and says how much got through. */
static uv_write_t writes[WRITES];
static int timed_out;
static size_t written;

static void on_write(uv_write_t* req, int status) {
  calls++;
  written += uv_write_nwritten(req);
  if (status != 0) {
    ASSERT_ERR(UV_ETIMEDOUT, status);
    timed_out++;
  }
}

TEST_IMPL(deadline_of_writes_to_a_peer_that_never_reads) {
  static char block[100];
  uv_buf_t buf = uv_buf_init(block, sizeof(block));

  ASSERT_OK(uv_loop_init(&loop));
  test_stream_pair(&loop, &ends[0], &ends[1]);
  size_t before = test_fill((uv_stream_t*) &ends[0]);
  ASSERT_GT(before, 0);
  for (int i = 0; i < WRITES; i++) {
    ASSERT_OK(uv_write(&writes[i], (uv_stream_t*) &ends[0], &buf, 1, on_write));
    ASSERT_OK(uvx_deadline((uv_req_t*) &writes[i], 1 + (uint64_t) i % 50));
  }
  while (calls < WRITES)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_GT(timed_out, 0);
  ASSERT_EQ(0, uv_stream_get_write_queue_size((uv_stream_t*) &ends[0]));
  ASSERT_LE(written, (size_t) WRITES * sizeof(block));
  test_close_loop(&loop);
  ASSERT_EQ(WRITES, calls);
  return 0;
}

/* The loop is blocked until a deadline is over, and the result is there, too,
 * but not read yet: it wins. Method: a check handle connects, to a listening
 * socket, and spins; the timers run next, then the poll. */
static uv_tcp_t server;
static uv_tcp_t client;
static uv_connect_t connect_req;
static uv_check_t check;
static uv_idle_t idle;
static int rounds;
static int is_open;

static void on_connection(uv_stream_t* stream, int status) {
  ASSERT_OK(status);
  ASSERT_OK(uvx_reject(stream));
}

static void on_closed(uv_handle_t* handle) {
  (void) handle;
  is_open = 0;
}

static void on_connect(uv_connect_t* req, int status) {
  ASSERT_OK(status);
  calls++;
  uv_close((uv_handle_t*) req->handle, on_closed);
}

static void spin_ms(int ms) {
  uint64_t end_ns = uv_hrtime() + (uint64_t) ms * 1000000;

  while (uv_hrtime() < end_ns)
    continue;
}

static void on_check(uv_check_t* handle) {
  struct sockaddr_in addr = test_tcp_address(&server);

  if (is_open)
    return;
  if (rounds++ == (test_is_slow() ? 100 : ROUNDS)) {
    uv_close((uv_handle_t*) handle, NULL);
    uv_close((uv_handle_t*) &server, NULL);
    uv_close((uv_handle_t*) &idle, NULL);
    return;
  }
  is_open = 1;
  ASSERT_OK(uv_tcp_init(&loop, &client));
  ASSERT_OK(uv_tcp_connect(&connect_req, &client, (struct sockaddr*) &addr,
                           on_connect));
  ASSERT_OK(uvx_deadline((uv_req_t*) &connect_req, 1));
  spin_ms(1);
}

static void on_idle(uv_idle_t* handle) {
  (void) handle; /* keeps the loop from sleeping */
}

TEST_IMPL(deadline_result_wins_in_one_iteration) {
  ASSERT_OK(uv_loop_init(&loop));
  (void) test_tcp_listen(&loop, &server, 128, on_connection);
  ASSERT_OK(uv_check_init(&loop, &check));
  ASSERT_OK(uv_check_start(&check, on_check));
  ASSERT_OK(uv_idle_init(&loop, &idle));
  ASSERT_OK(uv_idle_start(&idle, on_idle));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(rounds - 1, calls);
  test_close_loop(&loop);
  return 0;
}

/* Sockets that wait do not keep a deadline's timer from the loop's end: when
 * the request is done, the loop ends at once. */
static void after_work(uv_work_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  calls++;
}

TEST_IMPL(deadline_does_not_keep_the_loop_alive) {
  uv_work_t work;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_queue_work(&loop, &work, ignore_work, after_work));
  ASSERT_OK(uvx_deadline((uv_req_t*) &work, 3600000));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, calls);
  ASSERT(!uv_loop_alive(&loop));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}
