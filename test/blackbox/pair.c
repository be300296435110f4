/* SPDX-License-Identifier: MIT */
/* Connected streams for tests that are not about connecting. */
#include "test.h"

struct connecting {
  uv_tcp_t* accepted;
  int connected;
  int ready;
  int closed;
};

static void on_connected(uv_connect_t* req, int status) {
  struct connecting* state = req->data;
  ASSERT_OK(status);
  state->connected = 1;
}

static void on_connection(uv_stream_t* server, int status) {
  struct connecting* state = server->data;
  ASSERT_OK(status);
  ASSERT_OK(uv_accept(server, (uv_stream_t*) state->accepted));
  state->ready = 1;
}

static void on_server_closed(uv_handle_t* server) {
  struct connecting* state = server->data;
  state->closed = 1;
}

struct sockaddr_in test_tcp_listen(uv_loop_t* loop,
                                   uv_tcp_t* server,
                                   int backlog,
                                   uv_connection_cb cb) {
  struct sockaddr_in addr = test_loopback();

  ASSERT_OK(uv_tcp_init(loop, server));
  ASSERT_OK(uv_tcp_bind(server, (struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_listen((uv_stream_t*) server, backlog, cb));
  return test_tcp_address(server);
}

void test_tcp_pair(uv_loop_t* loop, uv_tcp_t* client, uv_tcp_t* accepted) {
  uv_tcp_t server;
  uv_connect_t connect;
  struct connecting state = { accepted, 0, 0, 0 };
  struct sockaddr_in addr = test_tcp_listen(loop, &server, 1, on_connection);

  ASSERT_OK(uv_tcp_init(loop, client));
  ASSERT_OK(uv_tcp_init(loop, accepted));
  server.data = &state;
  connect.data = &state;
  ASSERT_OK(
      uv_tcp_connect(&connect, client, (struct sockaddr*) &addr, on_connected));
  while (!state.connected || !state.ready)
    uv_run(loop, UV_RUN_ONCE);
  uv_close((uv_handle_t*) &server, on_server_closed);
  while (!state.closed)
    uv_run(loop, UV_RUN_NOWAIT);
}

void test_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  static char slab[65536];
  (void) handle;
  (void) suggested;
  *buf = uv_buf_init(slab, sizeof(slab));
}

size_t test_fill(uv_stream_t* stream) {
  static char block[65536];
  uv_buf_t buf = uv_buf_init(block, sizeof(block));
  /* The peer's buffer may take some of it a moment later, once even after
   * 100 ms (seen under Wine). */
  const int refusals_wanted = TEST_POSIX ? 1 : 150;
  size_t total = 0;

  for (int refusals = 0; refusals < refusals_wanted;) {
    int n = uv_try_write(stream, &buf, 1);
    if (n == UV_EAGAIN) {
      refusals++;
      if (!TEST_POSIX)
        uv_sleep(2);
      continue;
    }
    ASSERT_GT(n, 0);
    total += (size_t) n;
    refusals = 0;
  }
  return total;
}
