/* SPDX-License-Identifier: MIT */
/* What a stream reports in which iteration, and what the write queue counts
 * meanwhile. Method: each callback appends a letter; the order is that of libuv
 * 1.53.0 with the same program. */
#include "test.h"

#if TEST_POSIX
# include <poll.h>
# include <signal.h>
# include <sys/socket.h>
# include <unistd.h>

static uv_loop_t loop;
static uv_pipe_t server;
static uv_pipe_t client;
static uv_pipe_t peer;
static uv_connect_t connecting;
static uv_prepare_t turn;

static char trace[64];

static void note(char letter) {
  size_t n = strlen(trace);
  ASSERT_LT(n, sizeof(trace) - 1);
  trace[n] = letter;
}

static void on_turn(uv_prepare_t* handle) {
  (void) handle;
  note('.');
}

/* If listener and client are both ready, epoll and poll report the listener
 * first; kqueue may start with the client. */
static void check_trace(const char* listener_first, const char* client_first) {
  if (strchr(trace, 'a') < strchr(trace, 'c'))
    ASSERT_STR_EQ(listener_first, trace);
  else
    ASSERT_STR_EQ(client_first, trace);
}

static void setup(void) {
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_prepare_init(&loop, &turn));
  ASSERT_OK(uv_prepare_start(&turn, on_turn));
  uv_unref((uv_handle_t*) &turn);
}

static void run(int turns) {
  for (int i = 0; i < turns; i++)
    uv_run(&loop, UV_RUN_NOWAIT);
}

/* A request's letter is in its data. */
static char letter_of(void* data) {
  return *(const char*) data;
}

static int last_status;

static void on_write(uv_write_t* req, int status) {
  last_status = status;
  note(letter_of(req->data));
}

static void on_shutdown(uv_shutdown_t* req, int status) {
  last_status = status;
  note(letter_of(req->data));
}

static void write_text(uv_pipe_t* to, uv_write_t* req, const char* letter) {
  uv_buf_t buf = uv_buf_init((char*) "xy", 2);
  req->data = (void*) letter;
  ASSERT_OK(uv_write(req, (uv_stream_t*) to, &buf, 1, on_write));
}

static void shut_down(uv_pipe_t* end, uv_shutdown_t* req, const char* letter) {
  req->data = (void*) letter;
  ASSERT_OK(uv_shutdown(req, (uv_stream_t*) end, on_shutdown));
}

static uv_shutdown_t peer_shutdown;
static uv_shutdown_t client_shutdown;
static uv_write_t client_writes[2];

static void on_connection(uv_stream_t* handle, int status) {
  ASSERT_OK(status);
  note('a');
  ASSERT_OK(uv_pipe_init(&loop, &peer, 0));
  ASSERT_OK(uv_accept(handle, (uv_stream_t*) &peer));
  shut_down(&peer, &peer_shutdown, "s");
}

static void start_connecting(uv_connect_cb cb) {
  setup();
  ASSERT_OK(uv_pipe_init(&loop, &server, 0));
  ASSERT_OK(uv_pipe_bind(&server, "socket"));
  ASSERT_OK(uv_listen((uv_stream_t*) &server, 1, on_connection));
  ASSERT_OK(uv_pipe_init(&loop, &client, 0));
  uv_pipe_connect(&connecting, &client, "socket", cb);
}

static void on_connect(uv_connect_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  note('c');
}

/* connect(2) has already succeeded, but the listener's callback runs first. */
TEST_IMPL(stream_connect_is_reported_by_the_poll) {
  start_connecting(on_connect);
  ASSERT(uv_is_writable((uv_stream_t*) &client));
  run(1);
  check_trace(".acs", ".cas");
  test_close_loop(&loop);
  return 0;
}

static void on_connect_shut_down(uv_connect_t* req, int status) {
  on_connect(req, status);
  shut_down(&client, &client_shutdown, "t");
}

/* What the server started before comes first. */
TEST_IMPL(stream_shutdown_in_connect_callback) {
  start_connecting(on_connect_shut_down);
  run(1);
  check_trace(".acst", ".cats");
  ASSERT_OK(last_status);
  test_close_loop(&loop);
  return 0;
}

static void on_connect_write(uv_connect_t* req, int status) {
  on_connect(req, status);
  write_text(&client, &client_writes[0], "w");
  ASSERT_EQ(0, uv_stream_get_write_queue_size((uv_stream_t*) &client));
  shut_down(&client, &client_shutdown, "t");
}

TEST_IMPL(stream_write_in_connect_callback) {
  start_connecting(on_connect_write);
  run(1);
  check_trace(".acswt", ".cawts");
  ASSERT_OK(last_status);
  test_close_loop(&loop);
  return 0;
}

/* They go out in the turn after the one that reports the connection. */
TEST_IMPL(stream_writes_queued_while_connecting) {
  start_connecting(on_connect);
  write_text(&client, &client_writes[0], "v");
  write_text(&client, &client_writes[1], "w");
  shut_down(&client, &client_shutdown, "t");
  ASSERT_EQ(4, uv_stream_get_write_queue_size((uv_stream_t*) &client));
  run(1);
  check_trace(".acs", ".cas");
  ASSERT_EQ(-1, uv_backend_timeout(&loop)); /* the poller knows about it */
  ASSERT_EQ(4, uv_stream_get_write_queue_size((uv_stream_t*) &client));
  run(1);
  check_trace(".acs.vwt", ".cas.vwt");
  ASSERT_OK(last_status);
  test_close_loop(&loop);
  return 0;
}

/* libuv never reports it. */
TEST_IMPL(stream_shutdown_while_connecting) {
  start_connecting(on_connect);
  shut_down(&client, &client_shutdown, "t");
  run(1);
  check_trace(".acst", ".cats");
  ASSERT_OK(last_status);
  test_close_loop(&loop);
  return 0;
}

/* libuv reports the connection too early, and never a single cancelled write.
 */
TEST_IMPL(stream_write_cancelled_while_connecting) {
  start_connecting(on_connect);
  write_text(&client, &client_writes[0], "v");
  write_text(&client, &client_writes[1], "w");
  ASSERT_OK(uv_cancel((uv_req_t*) &client_writes[0]));
  ASSERT_EQ(4, uv_stream_get_write_queue_size((uv_stream_t*) &client));
  run(2);
  check_trace("v.acs.w", "v.cas.w");
  ASSERT_EQ(0, uv_stream_get_write_queue_size((uv_stream_t*) &client));
  test_close_loop(&loop);
  return 0;
}

static size_t queued_in_callback[2];

static void on_counted(uv_write_t* req, int status) {
  queued_in_callback[req - client_writes] =
      uv_stream_get_write_queue_size(req->handle);
  on_write(req, status);
}

static void write_counted(int i, const char* letter, size_t len) {
  static char data[1 << 20];
  uv_buf_t buf = uv_buf_init(data, (unsigned) len);

  client_writes[i].data = (void*) letter;
  ASSERT_OK(
      uv_write(&client_writes[i], (uv_stream_t*) &client, &buf, 1, on_counted));
}

static void open_pair(int fds[2]) {
  signal(SIGPIPE, SIG_IGN);
  setup();
  ASSERT_OK(uv_socketpair(SOCK_STREAM, 0, fds, 0, 0));
  ASSERT_OK(uv_pipe_init(&loop, &client, 0));
  ASSERT_OK(uv_pipe_open(&client, fds[0]));
}

/* A failed write counts in the queue until its callback has run. */
TEST_IMPL(stream_failed_write_counts_until_reported) {
  uv_buf_t buf = uv_buf_init((char*) "z", 1);
  uv_stream_t* stream = (uv_stream_t*) &client;
  int fds[2];

  open_pair(fds);
  close(fds[1]);
  write_counted(0, "v", 5);
  ASSERT_EQ(5, uv_stream_get_write_queue_size(stream));
  ASSERT_ERR(UV_EAGAIN, uv_try_write(stream, &buf, 1));
  write_counted(1, "w", 7);
  ASSERT_EQ(12, uv_stream_get_write_queue_size(stream));
  run(1);
  ASSERT_STR_EQ("vw.", trace);
  ASSERT_ERR(UV_EPIPE, last_status);
  ASSERT_EQ(7, queued_in_callback[0]);
  ASSERT_EQ(0, queued_in_callback[1]);
  ASSERT_ERR(UV_EPIPE, uv_try_write(stream, &buf, 1));
  test_close_loop(&loop);
  return 0;
}

/* So does a cancelled one, and those that uv_close() cancels. */
TEST_IMPL(stream_cancelled_writes_count_until_reported) {
  uv_stream_t* stream = (uv_stream_t*) &client;
  int fds[2];

  open_pair(fds);
  ASSERT_GT(test_fill(stream), 0);
  write_counted(0, "v", 5);
  write_counted(1, "w", 7);
  ASSERT_OK(uv_cancel((uv_req_t*) &client_writes[1]));
  ASSERT_EQ(12, uv_stream_get_write_queue_size(stream));
  run(1);
  ASSERT_STR_EQ("w.", trace);
  ASSERT_EQ(5, queued_in_callback[1]);

  write_counted(1, "w", 7);
  uv_close((uv_handle_t*) &client, NULL);
  ASSERT_EQ(12, uv_stream_get_write_queue_size(stream));
  run(1);
  ASSERT_STR_EQ("w..vw", trace);
  ASSERT_EQ(7, queued_in_callback[0]);
  ASSERT_EQ(0, queued_in_callback[1]);
  test_close_loop(&loop);
  close(fds[1]);
  return 0;
}

/* The first queued write is attempted together with the first failure's
 * callback; each of the next has a round of its own. */
TEST_IMPL(stream_failed_writes_one_by_one) {
  uv_write_t writes[4];
  int fds[2];

  open_pair(fds);
  close(fds[1]);
  write_text(&client, &writes[0], "t");
  write_text(&client, &writes[1], "u");
  write_text(&client, &writes[2], "v");
  write_text(&client, &writes[3], "w");
  ASSERT_EQ(8, uv_stream_get_write_queue_size((uv_stream_t*) &client));
  run(1);
  ASSERT_STR_EQ("tu.vw", trace);
  test_close_loop(&loop);
  return 0;
}

static void on_write_again(uv_write_t* req, int status) {
  on_write(req, status);
  write_text(&client, &client_writes[1], "w");
  shut_down(&client, &client_shutdown, "t");
}

/* The data went out, so the shutdown need not wait for the callback. */
TEST_IMPL(stream_write_and_shutdown_in_write_callback) {
  uv_buf_t buf = uv_buf_init((char*) "xy", 2);
  int fds[2];

  open_pair(fds);
  client_writes[0].data = (void*) "v";
  ASSERT_OK(uv_write(&client_writes[0], (uv_stream_t*) &client, &buf, 1,
                     on_write_again));
  run(1);
  ASSERT_STR_EQ("vt.w", trace);
  test_close_loop(&loop);
  close(fds[1]);
  return 0;
}

static void on_write_close(uv_write_t* req, int status) {
  on_write(req, status);
  uv_close((uv_handle_t*) req->handle, NULL);
}

/* Closing the stream cancels what was next in the same turn. */
TEST_IMPL(stream_close_in_write_callback_cancels_the_shutdown) {
  uv_buf_t buf = uv_buf_init((char*) "xy", 2);
  int fds[2];

  open_pair(fds);
  client_writes[0].data = (void*) "v";
  ASSERT_OK(uv_write(&client_writes[0], (uv_stream_t*) &client, &buf, 1,
                     on_write_close));
  shut_down(&client, &client_shutdown, "t");
  run(1);
  ASSERT_STR_EQ("vt.", trace);
  ASSERT_ERR(UV_ECANCELED, last_status);
  test_close_loop(&loop);
  close(fds[1]);
  return 0;
}

/* Requests without data wait like others, but delay nobody. */
TEST_IMPL(stream_empty_write_queued_while_connecting) {
  uv_buf_t none = uv_buf_init(NULL, 0);
  uv_buf_t buf = uv_buf_init((char*) "x", 1);

  start_connecting(on_connect);
  client_writes[0].data = (void*) "v";
  ASSERT_OK(
      uv_write(&client_writes[0], (uv_stream_t*) &client, &none, 1, on_write));
  run(1);
  check_trace(".acs", ".cas");
  ASSERT_EQ(1, uv_try_write((uv_stream_t*) &client, &buf, 1));
  write_text(&client, &client_writes[1], "w");
  ASSERT_EQ(0, uv_stream_get_write_queue_size((uv_stream_t*) &client));
  run(1);
  check_trace(".acsvw.", ".casvw.");
  test_close_loop(&loop);
  return 0;
}

static int allocs;

static void on_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  allocs++;
  test_alloc(handle, size, buf);
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) stream;
  if (nread == UV_EOF && buf->base == NULL)
    ASSERT_EQ(0, buf->len);
  note(nread > 0 ? 'd' : nread == UV_EOF ? 'e' : '?');
}

/* A short read ends the turn, even if the other side has hung up. */
TEST_IMPL(stream_end_after_data_is_in_the_next_turn) {
  int fds[2];

  open_pair(fds);
  ASSERT_EQ(2, write(fds[1], "xy", 2));
  close(fds[1]);
  ASSERT_OK(uv_read_start((uv_stream_t*) &client, on_alloc, on_read));
  run(2);
  ASSERT_STR_EQ(".d.e", trace);
  test_close_loop(&loop);
  return 0;
}

/* Does poll(2) call a pipe at its end readable? FreeBSD's does. */
static int end_is_readable(int fd) {
  struct pollfd pfd = { .fd = fd, .events = POLLIN };

  ASSERT_EQ(1, poll(&pfd, 1, 0));
  return (pfd.revents & POLLIN) != 0;
}

/* Nothing to read, so no buffer is requested, if the poller knows. */
TEST_IMPL(stream_end_by_hangup_takes_no_buffer) {
  uv_file fds[2];

  setup();
  ASSERT_OK(uv_pipe(fds, 0, 0));
  ASSERT_OK(uv_pipe_init(&loop, &client, 0));
  ASSERT_OK(uv_pipe_open(&client, fds[0]));
  ASSERT_EQ(2, write(fds[1], "xy", 2));
  close(fds[1]);
  ASSERT_OK(uv_read_start((uv_stream_t*) &client, on_alloc, on_read));
  run(2);
  ASSERT_STR_EQ(".d.e", trace);
  if (test_on_kqueue() || !end_is_readable(fds[0]))
    ASSERT_EQ(1, allocs);
  test_close_loop(&loop);
  return 0;
}
static void on_reset(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) buf;
  ASSERT_ERR(UV_ECONNRESET, (int) nread);
  ASSERT_EQ(1, uv_is_active((uv_handle_t*) stream));
  ASSERT_EQ(0, uv_is_readable(stream));
  ASSERT_EQ(0, uv_is_writable(stream));
  ASSERT_ERR(UV_EALREADY, uv_read_start(stream, on_alloc, on_reset));
  note('r');
}

/* An error ends reading after its callback. */
TEST_IMPL(stream_read_error_is_reported_to_an_active_stream) {
  uv_tcp_t tcp;
  uv_tcp_t other;

  ASSERT_OK(uv_loop_init(&loop));
  test_tcp_pair(&loop, &tcp, &other);
  ASSERT_OK(uv_read_start((uv_stream_t*) &tcp, on_alloc, on_reset));
  ASSERT_OK(uv_tcp_close_reset(&other, NULL));
  while (trace[0] == '\0')
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(0, uv_is_active((uv_handle_t*) &tcp));
  ASSERT_ERR(UV_ENOTCONN,
             uv_read_start((uv_stream_t*) &tcp, on_alloc, on_reset));
  test_close_loop(&loop);
  return 0;
}
static void on_end_write(uv_stream_t* stream,
                         ssize_t nread,
                         const uv_buf_t* buf) {
  uv_buf_t text = uv_buf_init((char*) "xy", 2);

  on_read(stream, nread, buf);
  client_writes[0].data = (void*) "w";
  ASSERT_OK(uv_write(&client_writes[0], stream, &text, 1, on_write));
}

/* The write fails in the turn that reads the end, and is reported before the
 * next one. */
TEST_IMPL(stream_failed_write_in_the_turn_of_the_end) {
  int fds[2];

  open_pair(fds);
  close(fds[1]);
  ASSERT_OK(uv_read_start((uv_stream_t*) &client, on_alloc, on_end_write));
  run(1);
  ASSERT_STR_EQ(".ew", trace);
  ASSERT_ERR(UV_EPIPE, last_status);
  ASSERT_EQ(0, uv_loop_alive(&loop));
  test_close_loop(&loop);
  return 0;
}
#endif
