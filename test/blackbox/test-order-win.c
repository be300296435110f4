/* SPDX-License-Identifier: MIT */
/* The order of callbacks that libuv has on Windows and not on unix: async
 * callbacks in the order of the sends, and a close phase that takes one handle
 * at a time. Method: each callback appends a letter; '|' ends an iteration. */
#include "test.h"

#define ASYNCS 3

static uv_loop_t loop;
static uv_async_t asyncs[ASYNCS];
static uv_timer_t timers[ASYNCS];
static char trace[64];
static void (*in_callback)(int handle);

static void add(char c) {
  size_t n = strlen(trace);
  ASSERT_LT(n, sizeof(trace) - 1);
  trace[n] = c;
  trace[n + 1] = '\0';
}

static void on_async(uv_async_t* handle) {
  int i = (int) (handle - asyncs);

  add((char) ('A' + i));
  if (in_callback != NULL)
    in_callback(i);
}

static void on_async_closed(uv_handle_t* handle) {
  add((char) ('a' + ((uv_async_t*) handle - asyncs)));
}

static void send_to(int i) {
  ASSERT_OK(uv_async_send(&asyncs[i]));
}

static void begin(void (*callback)(int handle)) {
  in_callback = callback;
  trace[0] = '\0';
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < ASYNCS; i++)
    ASSERT_OK(uv_async_init(&loop, &asyncs[i], on_async));
}

static void iterate(int n) {
  while (n-- > 0) {
    uv_run(&loop, UV_RUN_NOWAIT);
    add('|');
  }
}

static void send_to_b(int i) {
  if (i == 0)
    send_to(1);
}

TEST_IMPL(async_callbacks_in_order_of_sends) {
  begin(send_to_b);
  send_to(2);
  send_to(1);
  send_to(2); /* merged with the first */
  send_to(0);
  iterate(3);
  ASSERT_STR_EQ("CBA|B||", trace);

  trace[0] = '\0';
  send_to(0); /* sends to B, whose send is still in the port: merged, too */
  send_to(1);
  iterate(2);
  ASSERT_STR_EQ("AB||", trace);
  test_close_loop(&loop);
  return 0;
}

static void close_async(int i) {
  uv_close((uv_handle_t*) &asyncs[i], on_async_closed);
}

/* A send in the port delays the close callback; the callback of the handle does
 * not run any more, and sends to a closing handle do nothing. */
TEST_IMPL(async_close_waits_for_its_packet) {
  begin(NULL);
  send_to(0);
  close_async(0);
  close_async(1);
  send_to(1);
  ASSERT(uv_loop_alive(&loop));
  iterate(1); /* A's packet arrives in the poll, so it closes last: first out */
  ASSERT_STR_EQ("ab|", trace);
  test_close_loop(&loop);
  return 0;
}

static void on_timer_closed(uv_handle_t* handle) {
  int i = (int) ((uv_timer_t*) handle - timers);

  add((char) ('0' + i));
  add(uv_has_ref(handle) ? 'r' : '-');
  add(uv_loop_alive(&loop) ? '+' : '.');
  if (i == 1)
    uv_close((uv_handle_t*) &timers[2], on_timer_closed);
}

static void on_prepare(uv_prepare_t* handle) {
  (void) handle;
  add('p');
}

static void on_check(uv_check_t* handle) {
  (void) handle;
  add('c');
}

static void on_write(uv_write_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  add('w');
}

/* As in libuv 1.53: 1.50 reports it after the poll. */
TEST_IMPL(pipe_write_that_is_taken_skips_the_port) {
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  uv_prepare_t prepare;
  uv_check_t check;
  uv_write_t req;
  uv_file fds[2];
  uv_pipe_t pipe;
  uv_fs_t fs_req;

  trace[0] = '\0';
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe(fds, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE));
  ASSERT_OK(uv_pipe_init(&loop, &pipe, 0));
  ASSERT_OK(uv_pipe_open(&pipe, fds[1]));
  ASSERT_OK(uv_prepare_init(&loop, &prepare));
  ASSERT_OK(uv_prepare_start(&prepare, on_prepare));
  ASSERT_OK(uv_check_init(&loop, &check));
  ASSERT_OK(uv_check_start(&check, on_check));
  ASSERT_EQ(-1, uv_backend_timeout(&loop));
  ASSERT_OK(uv_write(&req, (uv_stream_t*) &pipe, &buf, 1, on_write));
  ASSERT_EQ(0, uv_backend_timeout(&loop));
  iterate(1);
  ASSERT_STR_EQ("wpc|", trace);
  ASSERT_OK(uv_fs_close(NULL, &fs_req, fds[0], NULL));
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(close_phase_takes_one_handle_at_a_time) {
  trace[0] = '\0';
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 3; i++)
    ASSERT_OK(uv_timer_init(&loop, &timers[i]));
  uv_close((uv_handle_t*) &timers[0], on_timer_closed);
  uv_close((uv_handle_t*) &timers[1], on_timer_closed);
  iterate(1);
  ASSERT_STR_EQ("1r+2r+0r.|", trace);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

#define MANY 300

static uv_async_t many[MANY];
static int many_calls;

static void on_many(uv_async_t* handle) {
  (void) handle;
  many_calls++;
}

/* An iteration takes 128 packets from the port, so that many completions do not
 * keep the other phases waiting. */
TEST_IMPL(loop_takes_a_limited_number_of_packets) {
  static const int after[] = { 128, 256, MANY };

  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < MANY; i++)
    ASSERT_OK(uv_async_init(&loop, &many[i], on_many));
  for (int i = 0; i < MANY; i++)
    ASSERT_OK(uv_async_send(&many[i]));
  for (size_t i = 0; i < ARRAY_SIZE(after); i++) {
    uv_run(&loop, UV_RUN_NOWAIT);
    ASSERT_EQ(after[i], many_calls);
  }
  test_close_loop(&loop);
  return 0;
}

static void on_shutdown(uv_shutdown_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  add('s');
}

static uv_shutdown_t shutdown_req;

static void write_then_shutdown(uv_write_t* req, int status) {
  on_write(req, status);
  ASSERT_OK(uv_shutdown(&shutdown_req, req->handle, on_shutdown));
}

/* Also if the shutdown is requested in that callback. */
TEST_IMPL(tcp_shutdown_follows_the_last_write) {
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  uv_prepare_t prepare;
  uv_write_t reqs[2];
  uv_tcp_t a;
  uv_tcp_t b;

  trace[0] = '\0';
  ASSERT_OK(uv_loop_init(&loop));
  test_tcp_pair(&loop, &a, &b);
  ASSERT_OK(uv_prepare_init(&loop, &prepare));
  ASSERT_OK(uv_prepare_start(&prepare, on_prepare));
  ASSERT_OK(uv_write(&reqs[0], (uv_stream_t*) &a, &buf, 1, on_write));
  ASSERT_OK(uv_shutdown(&shutdown_req, (uv_stream_t*) &a, on_shutdown));
  iterate(1);
  ASSERT_STR_EQ("wsp|", trace);

  trace[0] = '\0';
  ASSERT_OK(uv_write(&reqs[0], (uv_stream_t*) &b, &buf, 1, on_write));
  ASSERT_OK(
      uv_write(&reqs[1], (uv_stream_t*) &b, &buf, 1, write_then_shutdown));
  iterate(1);
  ASSERT_STR_EQ("wwsp|", trace);
  test_close_loop(&loop);
  return 0;
}
