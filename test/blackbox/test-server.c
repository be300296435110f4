/* SPDX-License-Identifier: MIT */
/* Servers: connections that are taken without a handle (uvx_accept_fd()),
 * refused (uvx_reject()) or held back (uvx_listen_pause()). */
#include "ignore.h"
#include "test.h"
#include "uv/ext.h"

#define CLIENTS 32

static uv_loop_t loop;
static uv_tcp_t server;
static uv_tcp_t clients[CLIENTS];
static uv_connect_t reqs[CLIENTS];
static int announced;
static int connected;
static int ended;

static void listen_with(uv_connection_cb cb) {
  ASSERT_OK(uv_loop_init(&loop));
  (void) test_tcp_listen(&loop, &server, 1024, cb);
}

static void on_end(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) buf;
  ASSERT_LT(nread, 0);
  uv_close((uv_handle_t*) stream, NULL);
  ended++;
}

static void on_connect(uv_connect_t* req, int status) {
  ASSERT_OK(status);
  connected++;
  ASSERT_OK(uv_read_start(req->handle, test_alloc, on_end));
}

static void connect_one(int i) {
  struct sockaddr_in addr = test_tcp_address(&server);

  ASSERT_OK(uv_tcp_init(&loop, &clients[i]));
  ASSERT_OK(uv_tcp_connect(&reqs[i], &clients[i], (struct sockaddr*) &addr,
                           on_connect));
}

/* Each connection that is announced can be refused; its client reads the end.
 */
static void on_connection_reject(uv_stream_t* handle, int status) {
  ASSERT_OK(status);
  ASSERT_OK(uvx_reject(handle));
  if (++announced == CLIENTS)
    uv_close((uv_handle_t*) handle, NULL);
  else
    ASSERT_ERR(UV_EAGAIN, uvx_reject(handle));
}

TEST_IMPL(server_rejects_connections) {
  listen_with(on_connection_reject);
  for (int i = 0; i < CLIENTS; i++)
    connect_one(i);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(CLIENTS, announced);
  ASSERT_EQ(CLIENTS, connected);
  ASSERT_EQ(CLIENTS, ended);
  test_close_loop(&loop);
  return 0;
}

/* A connection without a handle: opened by hand, also on another loop. */
static uv_loop_t other;
static uv_os_fd_t taken;

static void on_connection_take(uv_stream_t* handle, int status) {
  ASSERT_OK(status);
  ASSERT_OK(uvx_accept_fd(handle, &taken));
  uv_os_fd_t none;
  ASSERT_ERR(UV_EAGAIN, uvx_accept_fd(handle, &none));
  announced++;
  uv_close((uv_handle_t*) handle, NULL);
}

static void on_hello(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  ASSERT_EQ(5, nread);
  ASSERT_MEM_EQ("hello", buf->base, 5);
  uv_close((uv_handle_t*) stream, NULL);
  ended++;
}

static void on_connect_hello(uv_connect_t* req, int status) {
  uv_buf_t buf = uv_buf_init("hello", 5);

  ASSERT_OK(status);
  ASSERT_EQ(5, uv_try_write(req->handle, &buf, 1));
}

TEST_IMPL(server_connection_goes_to_another_loop) {
  uv_tcp_t accepted;

  listen_with(on_connection_take);
  struct sockaddr_in addr = test_tcp_address(&server);
  ASSERT_OK(uv_tcp_init(&loop, &clients[0]));
  ASSERT_OK(uv_tcp_connect(&reqs[0], &clients[0], (struct sockaddr*) &addr,
                           on_connect_hello));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, announced);

  ASSERT_OK(uv_loop_init(&other));
  ASSERT_OK(uv_tcp_init(&other, &accepted));
  ASSERT_OK(uv_tcp_open(&accepted, (uv_os_sock_t) taken));
  ASSERT_OK(uv_read_start((uv_stream_t*) &accepted, test_alloc, on_hello));
  ASSERT_EQ(0, uv_run(&other, UV_RUN_DEFAULT));
  ASSERT_EQ(1, ended);
  test_close_loop(&other);
  test_close_loop(&loop);
  return 0;
}

/* Arguments that make no sense. */
TEST_IMPL(server_bad_arguments) {
  uv_tty_t* none = NULL;
  uv_tcp_t idle;
  uv_os_fd_t fd;

  listen_with(on_connection_reject);
  ASSERT_OK(uv_tcp_init(&loop, &idle));
  ASSERT_ERR(UV_EINVAL, uvx_reject((uv_stream_t*) none));
  ASSERT_ERR(UV_EINVAL, uvx_accept_fd((uv_stream_t*) none, &fd));
  ASSERT_ERR(UV_EINVAL, uvx_accept_fd((uv_stream_t*) &server, NULL));
  ASSERT_ERR(UV_EINVAL, uvx_listen_pause((uv_stream_t*) none, 1));
  ASSERT_ERR(UV_EINVAL, uvx_listen_pause((uv_stream_t*) &idle, 1));
  ASSERT_ERR(UV_EAGAIN, uvx_reject((uv_stream_t*) &idle));
  ASSERT_ERR(UV_EAGAIN, uvx_reject((uv_stream_t*) &server));
  ASSERT_ERR(UV_EAGAIN, uvx_accept_fd((uv_stream_t*) &server, &fd));
  uv_close((uv_handle_t*) &server, NULL);
  ASSERT_ERR(UV_EINVAL, uvx_reject((uv_stream_t*) &server));
  ASSERT_ERR(UV_EINVAL, uvx_accept_fd((uv_stream_t*) &server, &fd));
  ASSERT_ERR(UV_EINVAL, uvx_listen_pause((uv_stream_t*) &server, 1));
  test_close_loop(&loop);
  return 0;
}

/* A paused server is silent and stays active. When the pause ends, everything
 * that waited is announced. The timer counts iterations in which all clients
 * are connected already. */
static uv_idle_t idle;
static int rounds;

static void on_round(uv_idle_t* handle) {
  if (connected < CLIENTS || ++rounds < 10)
    return;
  ASSERT_EQ(0, announced);
  ASSERT(uv_is_active((uv_handle_t*) &server));
  uv_close((uv_handle_t*) handle, NULL);
  ASSERT_OK(uvx_listen_pause((uv_stream_t*) &server, 0));
}

TEST_IMPL(server_pause_holds_connections_back) {
  listen_with(on_connection_reject);
  ASSERT_OK(uvx_listen_pause((uv_stream_t*) &server, 1));
  ASSERT_OK(uvx_listen_pause((uv_stream_t*) &server, 1));
  for (int i = 0; i < CLIENTS; i++)
    connect_one(i);
  ASSERT_OK(uv_idle_init(&loop, &idle));
  ASSERT_OK(uv_idle_start(&idle, on_round));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(CLIENTS, announced);
  ASSERT_EQ(CLIENTS, ended);
  test_close_loop(&loop);
  return 0;
}

/* Pausing in connection_cb: what was announced is accepted, nothing else comes
 * until the pause ends, however often it is ended and begun again. */
static void on_connection_pause(uv_stream_t* handle, int status) {
  ASSERT_OK(status);
  announced++;
  for (int i = 0; i < 3; i++) {
    ASSERT_OK(uvx_listen_pause(handle, 0));
    ASSERT_OK(uvx_listen_pause(handle, 1));
  }
  ASSERT_OK(uvx_reject(handle));
  ASSERT_ERR(UV_EAGAIN, uvx_reject(handle));
}

static int last_announced;

static void on_round_resume(uv_idle_t* handle) {
  ASSERT_LE(announced, last_announced + 1);
  last_announced = announced;
  if (announced == CLIENTS) {
    uv_close((uv_handle_t*) handle, NULL);
    uv_close((uv_handle_t*) &server, NULL);
    return;
  }
  ASSERT_OK(uvx_listen_pause((uv_stream_t*) &server, 0));
}

TEST_IMPL(server_pauses_itself_after_each_connection) {
  listen_with(on_connection_pause);
  for (int i = 0; i < CLIENTS; i++)
    connect_one(i);
  ASSERT_OK(uv_idle_init(&loop, &idle));
  ASSERT_OK(uv_idle_start(&idle, on_round_resume));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(CLIENTS, ended);
  test_close_loop(&loop);
  return 0;
}

/* A second uv_listen() brings another callback, and does not end the pause. */
static void on_never(uv_stream_t* handle, int status) {
  (void) handle;
  (void) status;
  ASSERT(0);
}

TEST_IMPL(server_stays_paused_when_it_listens_again) {
  listen_with(on_never);
  ASSERT_OK(uvx_listen_pause((uv_stream_t*) &server, 1));
  ASSERT_OK(uv_listen((uv_stream_t*) &server, 1024, on_connection_reject));
  for (int i = 0; i < CLIENTS; i++)
    connect_one(i);
  ASSERT_OK(uv_idle_init(&loop, &idle));
  ASSERT_OK(uv_idle_start(&idle, on_round));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(CLIENTS, announced);
  test_close_loop(&loop);
  return 0;
}

/* The same for pipes, which Windows accepts differently. */
static uv_pipe_t pipe_server;
static uv_pipe_t pipe_clients[4];
static uv_pipe_t pipe_accepted;

static void on_pipe_connection(uv_stream_t* handle, int status) {
  ASSERT_OK(status);
  if (++announced < 4) {
    ASSERT_OK(uvx_reject(handle));
    return;
  }
  ASSERT_OK(uv_pipe_init(&loop, &pipe_accepted, 0));
  ASSERT_OK(uv_accept(handle, (uv_stream_t*) &pipe_accepted));
  uv_close((uv_handle_t*) &pipe_accepted, NULL);
  uv_close((uv_handle_t*) handle, NULL);
}

static void on_pipe_round(uv_idle_t* handle) {
  if (++rounds < 10)
    return;
  ASSERT_EQ(0, announced);
  uv_close((uv_handle_t*) handle, NULL);
  ASSERT_OK(uvx_listen_pause((uv_stream_t*) &pipe_server, 0));
}

TEST_IMPL(server_pipe_pauses_and_rejects) {
  const char* name = test_pipe_name("pause");

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &pipe_server, 0));
  uv_pipe_pending_instances(&pipe_server, 4);
  ASSERT_OK(uv_pipe_bind(&pipe_server, name));
  ASSERT_OK(uv_listen((uv_stream_t*) &pipe_server, 8, on_pipe_connection));
  ASSERT_OK(uvx_listen_pause((uv_stream_t*) &pipe_server, 1));
  for (int i = 0; i < 4; i++) {
    ASSERT_OK(uv_pipe_init(&loop, &pipe_clients[i], 0));
    uv_pipe_connect(&reqs[i], &pipe_clients[i], name, on_connect);
  }
  ASSERT_OK(uv_idle_init(&loop, &idle));
  ASSERT_OK(uv_idle_start(&idle, on_pipe_round));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(4, announced);
  ASSERT_EQ(4, ended);
  test_close_loop(&loop);
  return 0;
}
