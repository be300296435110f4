/* SPDX-License-Identifier: MIT */
/* Listeners on sockets that the program has bound, and connections that are not
 * accepted at once. Method: clients on loop 0 wait for the end of their
 * connections. */
#include "test.h"
#include "uv/ext.h"

#define SOCKS_MAX 5
#define CLIENTS 400

static uvx_loops_t* loops;
static uvx_listener_t* listener;
static uv_os_sock_t socks[SOCKS_MAX];
static struct sockaddr_in addrs[SOCKS_MAX];

static void make_loops(unsigned count) {
  uvx_loops_options_t options = { .size = sizeof(options), .count = count };

  ASSERT_OK(uvx_loops_new(&loops, &options));
}

/* Bound, but not listening. */
static uv_os_sock_t make_socket(int type, struct sockaddr_in* addr) {
  struct sockaddr_in any = test_loopback();
  uv_os_sock_t sock = socket(AF_INET, type, 0);
  socklen_t len = sizeof(*addr);

  ASSERT_NE((uv_os_sock_t) -1, sock);
  ASSERT_EQ(0, bind(sock, (const struct sockaddr*) &any, sizeof(any)));
  ASSERT_EQ(0, getsockname(sock, (struct sockaddr*) addr, &len));
  return sock;
}

static void make_sockets(unsigned count) {
  for (unsigned i = 0; i < count; i++)
    socks[i] = make_socket(SOCK_STREAM, &addrs[i]);
}

static int listen_on_socks(unsigned count,
                           enum uvx_balance balance,
                           uv_connection_cb cb) {
  uvx_listen_options_t options = { .size = sizeof(options),
                                   .backlog = 128,
                                   .balance = balance,
                                   .socks = socks,
                                   .nsocks = count,
                                   .cb = cb };
  return uvx_loops_listen(loops, &options, &listener);
}

/* ---- clients, which wait for the end of the connection ---- */

static uv_tcp_t clients[CLIENTS];
static uv_connect_t connects[CLIENTS];
static int clients_begun;
static int clients_closed;
static int clients_wanted;
static int nsocks; /* clients take them in turn */

static void on_client_closed(uv_handle_t* handle) {
  (void) handle;
  if (++clients_closed == clients_wanted)
    uvx_loops_shutdown(loops);
}

static void on_client_read(uv_stream_t* stream,
                           ssize_t nread,
                           const uv_buf_t* buf) {
  (void) buf;
  if (nread < 0)
    uv_close((uv_handle_t*) stream, on_client_closed);
}

static void connect_next(uv_loop_t* loop);

static void (*on_all_connected)(void);

/* One after the other, so that no backlog overflows. */
static void on_client_connected(uv_connect_t* req, int status) {
  if (status != 0) { /* the listener has been closed */
    uv_close((uv_handle_t*) req->handle, on_client_closed);
  } else {
    ASSERT_OK(uv_read_start(req->handle, test_alloc, on_client_read));
  }
  if (clients_begun < clients_wanted)
    connect_next(req->handle->loop);
  else if (on_all_connected != NULL)
    on_all_connected();
}

static void connect_next(uv_loop_t* loop) {
  int i = clients_begun++;

  ASSERT_OK(uv_tcp_init(loop, &clients[i]));
  ASSERT_OK(uv_tcp_connect(&connects[i], &clients[i],
                           (const struct sockaddr*) &addrs[i % nsocks],
                           on_client_connected));
}

static void on_conn_closed(uv_handle_t* handle) {
  free(handle);
}

static int hang_ups; /* atomic */

/* Closes the connection, which ends that client. */
static void hang_up(uv_stream_t* server) {
  uv_tcp_t* conn = malloc(sizeof(*conn));

  ASSERT_NOT_NULL(conn);
  ASSERT_OK(uv_tcp_init(server->loop, conn));
  ASSERT_OK(uv_accept(server, (uv_stream_t*) conn));
  uv_close((uv_handle_t*) conn, on_conn_closed);
  __atomic_add_fetch(&hang_ups, 1, __ATOMIC_RELAXED);
}

static void on_connection(uv_stream_t* server, int status) {
  ASSERT_OK(status);
  hang_up(server);
}

static void begin_clients(uv_loop_t* loop, void* arg) {
  (void) arg;
  connect_next(loop);
}

static void run_with_clients(int count) {
  clients_begun = clients_closed = hang_ups = 0;
  clients_wanted = count;
  ASSERT_OK(
      uvx_loops_on_start(loops, uvx_loops_get(loops, 0), begin_clients, NULL));
  ASSERT_OK(uvx_loops_run(loops));
  ASSERT_EQ(clients_wanted, clients_closed);
}

/* Ten clients for each socket. */
static void serve_sockets(unsigned nloops,
                          int count,
                          enum uvx_balance balance) {
  make_loops(nloops);
  make_sockets((unsigned) count);
  ASSERT_OK(listen_on_socks((unsigned) count, balance, on_connection));
  nsocks = count;
  run_with_clients(10 * count);
  ASSERT_EQ(clients_wanted, hang_ups);
  ASSERT_OK(uvx_loops_free(loops));
}

/* With fewer sockets than loops, loops share them; with more, a loop has
 * several. */
TEST_IMPL(listener_socks_fewer_than_loops) {
  serve_sockets(5, 2, UVX_BALANCE_SHARED);
  serve_sockets(5, 2, UVX_BALANCE_TURNS);
  return 0;
}

TEST_IMPL(listener_socks_more_than_loops) {
  serve_sockets(2, 5, UVX_BALANCE_SHARED);
  serve_sockets(2, 5, UVX_BALANCE_TURNS);
  return 0;
}

TEST_IMPL(listener_socks_are_told) {
  uv_os_sock_t told[SOCKS_MAX];
  unsigned count = 2;

  make_loops(3);
  make_sockets(3);
  ASSERT_OK(listen_on_socks(3, UVX_BALANCE_SHARED, on_connection));
  ASSERT_ERR(UV_ENOBUFS, uvx_listener_socks(listener, told, &count));
  ASSERT_EQ(3, count);
  ASSERT_OK(uvx_listener_socks(listener, told, &count));
  ASSERT_MEM_EQ(socks, told, 3 * sizeof(socks[0]));
  uvx_loops_shutdown(loops);
  ASSERT_OK(uvx_loops_run(loops));
  ASSERT_ERR(UV_ECANCELED, uvx_listener_socks(listener, told, &count));
  ASSERT_OK(uvx_loops_free(loops));
  return 0;
}

/* A datagram socket cannot listen: all sockets are the program's still. */
TEST_IMPL(listener_socks_stay_after_a_failure) {
  static const enum uvx_balance balances[] = { UVX_BALANCE_SHARED,
                                               UVX_BALANCE_TURNS };

  make_loops(4);
  make_sockets(1);
  socks[1] = make_socket(SOCK_DGRAM, &addrs[1]);
  for (size_t i = 0; i < ARRAY_SIZE(balances); i++) {
    ASSERT(listen_on_socks(2, balances[i], on_connection) < 0);
    for (int k = 0; k < 2; k++) {
      struct sockaddr_in name;
      socklen_t len = sizeof(name);
      ASSERT_EQ(0, getsockname(socks[k], (struct sockaddr*) &name, &len));
      ASSERT_EQ(addrs[k].sin_port, name.sin_port);
    }
  }
  test_close_socket(socks[0]);
  test_close_socket(socks[1]);
  ASSERT_OK(uvx_loops_free(loops));
  return 0;
}

/* TURNS, and a loop does not accept: each connection is reported once, when the
 * one before it has been accepted. The loop gets no more than it may owe. */
#define OWED_MAX 128

static uv_stream_t* slow_server;
static uv_timer_t slow_timer;
static uvx_post_t slow_post;
static int slow_reports;
static int is_patient = 1;

static void on_slow_timer(uv_timer_t* timer) {
  is_patient = 0;
  uv_close((uv_handle_t*) timer, NULL);
  hang_up(slow_server);
}

static void wake_slow(uvx_post_t* post) {
  ASSERT_EQ(1, slow_reports);
  ASSERT_OK(uv_timer_init(post->loop, &slow_timer));
  ASSERT_OK(uv_timer_start(&slow_timer, on_slow_timer, 0, 0));
}

static void on_slow(uv_stream_t* server, int status) {
  ASSERT_OK(status);
  slow_reports++;
  slow_server = server;
  if (!is_patient)
    hang_up(server);
}

/* Loop 0 takes what loop 1 has no room for. */
static void on_one_slow(uv_stream_t* server, int status) {
  static int fast;

  if (uvx_loop_index(server->loop) == 1) {
    on_slow(server, status);
    return;
  }
  on_connection(server, status);
  if (++fast == CLIENTS - OWED_MAX)
    ASSERT_OK(uvx_post(uvx_loops_get(loops, 1), &slow_post, wake_slow));
}

TEST_IMPL(listener_turns_pass_over_a_loop_that_does_not_accept) {
  make_loops(2);
  make_sockets(1);
  nsocks = 1;
  ASSERT_OK(listen_on_socks(1, UVX_BALANCE_TURNS, on_one_slow));
  run_with_clients(CLIENTS);
  ASSERT_OK(uvx_loops_free(loops));
  ASSERT_EQ(CLIENTS, hang_ups);
  ASSERT_EQ(OWED_MAX, slow_reports);
  return 0;
}

/* If no loop has room, connections wait in the backlog. */
static void wake_slow_zero(void) {
  ASSERT_OK(uvx_post(uvx_loops_get(loops, 0), &slow_post, wake_slow));
}

TEST_IMPL(listener_turns_stop_accepting_if_no_loop_does) {
  on_all_connected = wake_slow_zero;
  make_loops(1);
  make_sockets(1);
  nsocks = 1;
  ASSERT_OK(listen_on_socks(1, UVX_BALANCE_TURNS, on_slow));
  run_with_clients(OWED_MAX + 50);
  ASSERT_OK(uvx_loops_free(loops));
  ASSERT_EQ(OWED_MAX + 50, hang_ups);
  ASSERT_EQ(OWED_MAX + 50, slow_reports);
  return 0;
}

/* Closing the listener closes what was reported and what waits; the clients see
 * the end of their connections. */
static int idle_reports; /* atomic */

static void on_nothing(uv_stream_t* server, int status) {
  (void) server;
  ASSERT_OK(status);
  __atomic_add_fetch(&idle_reports, 1, __ATOMIC_RELAXED);
}

static void close_by_hand(void) {
  ASSERT_OK(uvx_listener_close(listener, NULL, NULL));
}

static void shut_down(void) {
  uvx_loops_shutdown(loops);
}

static void drop_unaccepted(void (*when_connected)(void)) {
  idle_reports = 0;
  on_all_connected = when_connected;
  make_loops(3);
  make_sockets(1);
  nsocks = 1;
  ASSERT_OK(listen_on_socks(1, UVX_BALANCE_TURNS, on_nothing));
  run_with_clients(100);
  ASSERT_LE(idle_reports, 3); /* the first of each loop */
  ASSERT_EQ(0, hang_ups);
  ASSERT_OK(uvx_loops_free(loops));
}

TEST_IMPL(listener_closes_connections_that_nobody_accepted) {
  drop_unaccepted(shut_down);
  drop_unaccepted(close_by_hand);
  return 0;
}
