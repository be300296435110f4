/* SPDX-License-Identifier: MIT */
/* Listeners of managed loops: which loop gets a connection, and what is left
 * after a failure or a close. Method: a server writes the number of its loop
 * into each connection; a thread with a loop of its own connects and counts. */
#include "test.h"
#include "uv/ext.h"

#define LOOPS 8
#define CONNECTIONS (TEST_POSIX ? 1000 : 200) /* Wine takes 8 ms for one */
#define WINDOW 40 /* connections of the client at once */

static uvx_loops_t* loops;
static uvx_listener_t* listener;
static uvx_listen_options_t listen_options;
static struct sockaddr_in address;

/* ---- the client, on a thread of its own ---- */

struct client {
  uv_tcp_t tcp;
  uv_connect_t connect;
  char byte;
  int has_byte;
};

static struct client clients[WINDOW];
static int wanted;         /* connections to make */
static int begun;          /* so far */
static int ended;          /* likewise */
static int answers[LOOPS]; /* by loop */
static int lost;           /* connections without an answer */
static int may_lose;
static int shall_shut_down = 1; /* when all have ended */

static void client_start(struct client* client, uv_loop_t* loop);

static void on_client_closed(uv_handle_t* handle) {
  struct client* client = handle->data;

  if (client->has_byte)
    answers[(int) client->byte]++;
  else
    lost++;
  ended++;
  if (begun < wanted)
    client_start(client, handle->loop);
}

static void on_client_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  struct client* client = handle->data;

  (void) size;
  *buf = uv_buf_init(&client->byte, 1);
}

static void on_client_read(uv_stream_t* stream,
                           ssize_t nread,
                           const uv_buf_t* buf) {
  struct client* client = stream->data;

  (void) buf;
  if (nread > 0)
    client->has_byte = 1;
  if (nread < 0 && !may_lose)
    ASSERT_ERR(UV_EOF, (int) nread);
  if (nread != 0)
    uv_close((uv_handle_t*) stream, on_client_closed);
}

static void on_client_connected(uv_connect_t* req, int status) {
  if (status != 0) {
    ASSERT(may_lose);
    uv_close((uv_handle_t*) req->handle, on_client_closed);
    return;
  }
  ASSERT_OK(uv_read_start(req->handle, on_client_alloc, on_client_read));
}

static void client_start(struct client* client, uv_loop_t* loop) {
  begun++;
  client->has_byte = 0;
  ASSERT_OK(uv_tcp_init(loop, &client->tcp));
  client->tcp.data = client;
  ASSERT_OK(uv_tcp_connect(&client->connect, &client->tcp,
                           (const struct sockaddr*) &address,
                           on_client_connected));
}

static void run_clients(void* arg) {
  uv_loop_t loop;

  (void) arg;
  begun = ended = 0;
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < WINDOW && begun < wanted; i++)
    client_start(&clients[i], &loop);
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(wanted, ended);
  ASSERT_OK(uv_loop_close(&loop));
  if (shall_shut_down)
    uvx_loops_shutdown(loops);
}

/* ---- the server ---- */

struct conn {
  uv_tcp_t tcp;
  uv_write_t write;
  char byte;
};

static void on_conn_closed(uv_handle_t* handle) {
  free(handle->data);
}

static void on_conn_written(uv_write_t* req, int status) {
  (void) status; /* the client may be gone */
  uv_close((uv_handle_t*) req->handle, on_conn_closed);
}

static void accept_and_answer(uv_stream_t* server) {
  struct conn* conn = malloc(sizeof(*conn));
  ASSERT_NOT_NULL(conn);
  uv_stream_t* stream = (uv_stream_t*) &conn->tcp;

  ASSERT_PTR_EQ(&listen_options, server->data);
  ASSERT_PTR_EQ(server->loop, uvx_loop_current());
  ASSERT_OK(uv_tcp_init(server->loop, &conn->tcp));
  conn->tcp.data = conn;
  ASSERT_OK(uv_accept(server, stream));
  ASSERT_ERR(UV_EAGAIN, uv_accept(server, stream));
  conn->byte = (char) uvx_loop_index(server->loop);
  uv_buf_t buf = uv_buf_init(&conn->byte, 1);
  ASSERT_OK(uv_write(&conn->write, stream, &buf, 1, on_conn_written));
}

static void on_connection(uv_stream_t* server, int status) {
  ASSERT_OK(status);
  accept_and_answer(server);
}

static void make_loops(unsigned count) {
  uvx_loops_options_t options = { .size = sizeof(options), .count = count };

  ASSERT_OK(uvx_loops_new(&loops, &options));
}

static uv_connection_cb connection_cb = on_connection;

static void set_options(enum uvx_balance balance) {
  address = test_loopback();
  memset(&listen_options, 0, sizeof(listen_options));
  listen_options.size = sizeof(listen_options);
  listen_options.addr = (const struct sockaddr*) &address;
  listen_options.backlog = 128;
  listen_options.balance = balance;
  listen_options.cb = connection_cb;
  listen_options.data = &listen_options;
}

/* The address with the port that the listener got. */
static void find_address(void) {
  int len = sizeof(address);

  ASSERT_OK(
      uvx_listener_getsockname(listener, (struct sockaddr*) &address, &len));
  ASSERT_EQ(sizeof(address), len);
  ASSERT_NE(0, address.sin_port);
}

/* Does this system have the balance? Makes the listener if it does. */
static int begin_listening(enum uvx_balance balance) {
  set_options(balance);
  int err = uvx_loops_listen(loops, &listen_options, &listener);
  if (err == UV_ENOTSUP && balance == UVX_BALANCE_KERNEL)
    return 0;
  ASSERT_OK(err);
  find_address();
  return 1;
}

static void run_with_clients(int count) {
  uv_thread_t thread;

  wanted = count;
  memset(answers, 0, sizeof(answers));
  lost = 0;
  ASSERT_OK(uv_thread_create(&thread, run_clients, NULL));
  ASSERT_OK(uvx_loops_run(loops));
  ASSERT_OK(uv_thread_join(&thread));
}

static int total(void) {
  int sum = 0;

  for (int i = 0; i < LOOPS; i++)
    sum += answers[i];
  return sum;
}

#define NO_KERNEL_BALANCE "the kernel does not balance between sockets"

TEST_IMPL(listener_kernel_spreads_connections) {
  make_loops(LOOPS);
  if (!begin_listening(UVX_BALANCE_KERNEL)) {
    ASSERT_OK(uvx_loops_free(loops));
    SKIP(NO_KERNEL_BALANCE);
  }
  run_with_clients(CONNECTIONS);
  ASSERT_OK(uvx_loops_free(loops));
  ASSERT_EQ(CONNECTIONS, total());
  for (int i = 0; i < LOOPS; i++)
    ASSERT_GT(answers[i], 0);
  return 0;
}

/* In turn: each loop gets exactly its share. */
TEST_IMPL(listener_turns_are_exactly_equal) {
  make_loops(LOOPS);
  begin_listening(UVX_BALANCE_TURNS);
  run_with_clients(CONNECTIONS);
  ASSERT_OK(uvx_loops_free(loops));
  for (int i = 0; i < LOOPS; i++)
    ASSERT_EQ(CONNECTIONS / LOOPS, answers[i]);
  return 0;
}

/* Any loop that is free takes the next connection: each one stops with its
 * first until all have one. */
static uv_barrier_t all_have_one;
static int has_one[LOOPS];

static void on_shared_connection(uv_stream_t* server, int status) {
  int index = uvx_loop_index(server->loop);

  ASSERT_OK(status);
  if (!has_one[index]) {
    has_one[index] = 1;
    uv_barrier_wait(&all_have_one);
  }
  accept_and_answer(server);
}

TEST_IMPL(listener_shared_wakes_every_loop) {
  make_loops(LOOPS);
  ASSERT_OK(uv_barrier_init(&all_have_one, LOOPS));
  set_options(UVX_BALANCE_SHARED);
  listen_options.cb = on_shared_connection;
  ASSERT_OK(uvx_loops_listen(loops, &listen_options, &listener));
  find_address();
  run_with_clients(CONNECTIONS);
  ASSERT_OK(uvx_loops_free(loops));
  ASSERT_EQ(CONNECTIONS, total());
  for (int i = 0; i < LOOPS; i++)
    ASSERT_GT(answers[i], 0);
  uv_barrier_destroy(&all_have_one);
  return 0;
}

TEST_IMPL(listener_default_serves_one_loop) {
  make_loops(1);
  begin_listening(UVX_BALANCE_DEFAULT);
  run_with_clients(100);
  ASSERT_OK(uvx_loops_free(loops));
  ASSERT_EQ(100, answers[0]);
  return 0;
}

static const enum uvx_balance balances[] = { UVX_BALANCE_KERNEL,
                                             UVX_BALANCE_SHARED,
                                             UVX_BALANCE_TURNS };

/* A listener that a callback makes, and another callback closes: the answer
 * comes on the loop that closed it, and connections are refused from then on.
 * The client's thread is begun when all loops listen. */
static uv_thread_t client_thread;
static int served; /* atomic */
static int closed_on = -1;
static enum uvx_balance late_balance;
static int is_missing;

static void on_listener_closed(void* arg) {
  ASSERT_PTR_EQ(&closed_on, arg);
  closed_on = uvx_loop_index(uvx_loop_current());
  uvx_loops_shutdown(loops);
}

static uvx_post_t close_post;

static void close_listener(uvx_post_t* post) {
  uv_os_sock_t sock;
  unsigned count = 1;

  (void) post;
  ASSERT_OK(uvx_listener_close(listener, on_listener_closed, &closed_on));
  ASSERT_ERR(UV_EALREADY, uvx_listener_close(listener, NULL, NULL));
  ASSERT_ERR(UV_ECANCELED, uvx_listener_socks(listener, &sock, &count));
}

static void on_late_connection(uv_stream_t* server, int status) {
  ASSERT_OK(status);
  accept_and_answer(server);
  if (__atomic_add_fetch(&served, 1, __ATOMIC_RELAXED) == 100)
    ASSERT_OK(uvx_post(uvx_loops_get(loops, 2), &close_post, close_listener));
}

static void listen_late(uv_loop_t* loop, void* arg) {
  (void) loop;
  (void) arg;
  connection_cb = on_late_connection;
  is_missing = !begin_listening(late_balance);
  if (is_missing) {
    uvx_loops_shutdown(loops);
    return;
  }
  wanted = 100;
  ASSERT_OK(uv_thread_create(&client_thread, run_clients, NULL));
}

static void is_refused(void) {
  uv_loop_t loop;
  uv_tcp_t tcp;
  uv_connect_t req;

  may_lose = 1;
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  tcp.data = &clients[0];
  clients[0].has_byte = 0;
  begun = ended = lost = 0;
  wanted = 0;
  ASSERT_OK(uv_tcp_connect(&req, &tcp, (const struct sockaddr*) &address,
                           on_client_connected));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, lost);
  ASSERT_OK(uv_loop_close(&loop));
  may_lose = 0;
}

static void listen_and_close_late(enum uvx_balance balance) {
  late_balance = balance;
  served = 0;
  closed_on = -1;
  shall_shut_down = 0;
  make_loops(4);
  ASSERT_OK(
      uvx_loops_on_start(loops, uvx_loops_get(loops, 1), listen_late, NULL));
  ASSERT_OK(uvx_loops_run(loops));
  if (!is_missing) {
    ASSERT_OK(uv_thread_join(&client_thread));
    ASSERT_EQ(2, closed_on);
    is_refused();
  }
  ASSERT_OK(uvx_loops_free(loops));
}

TEST_IMPL(listener_opened_and_closed_while_loops_run) {
  for (size_t i = 0; i < ARRAY_SIZE(balances); i++)
    listen_and_close_late(balances[i]);
  return 0;
}

/* Before the loops run and after it, a listener is closed inside the call. */
static void on_closed_at_once(void* arg) {
  ++*(int*) arg;
}

static void close_at_once(enum uvx_balance balance) {
  int calls = 0;

  make_loops(3);
  if (begin_listening(balance)) {
    ASSERT_OK(uvx_listener_close(listener, on_closed_at_once, &calls));
    ASSERT_EQ(1, calls);
    is_refused();
    begin_listening(balance);
    uvx_loops_shutdown(loops);
    ASSERT_OK(uvx_loops_run(loops));
    is_refused();
    ASSERT_OK(uvx_listener_close(listener, on_closed_at_once, &calls));
    ASSERT_EQ(2, calls);
  }
  ASSERT_OK(uvx_loops_free(loops));
}

TEST_IMPL(listener_closed_while_loops_do_not_run) {
  for (size_t i = 0; i < ARRAY_SIZE(balances); i++)
    close_at_once(balances[i]);
  return 0;
}

TEST_IMPL(listener_freed_with_its_loops) {
  make_loops(3);
  begin_listening(UVX_BALANCE_DEFAULT);
  ASSERT_OK(uvx_loops_free(loops));
  is_refused();
  return 0;
}

/* ---- failures ---- */

/* A server of another loop has the port: EADDRINUSE, in the call. When it is
 * gone, the same call succeeds: nothing was left bound. */
static void fail_to_bind(enum uvx_balance balance) {
  uv_loop_t loop;
  uv_tcp_t other;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_tcp_init(&loop, &other));
  make_loops(3);
  set_options(balance);
  ASSERT_OK(uv_tcp_bind(&other, (const struct sockaddr*) &address, 0));
  ASSERT_OK(uv_listen((uv_stream_t*) &other, 1, on_connection));
  address = test_tcp_address(&other);
  listener = NULL;
  int err = uvx_loops_listen(loops, &listen_options, &listener);
  if (balance != UVX_BALANCE_KERNEL || err != UV_ENOTSUP)
    ASSERT_ERR(UV_EADDRINUSE, err);
  ASSERT_NULL(listener);
  uv_close((uv_handle_t*) &other, NULL);
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));
  if (err == UV_EADDRINUSE) {
    ASSERT_OK(uvx_loops_listen(loops, &listen_options, &listener));
    find_address();
    shall_shut_down = 1;
    run_with_clients(10);
    ASSERT_EQ(10, total());
  }
  ASSERT_OK(uvx_loops_free(loops));
}

TEST_IMPL(listener_address_in_use) {
  for (size_t i = 0; i < ARRAY_SIZE(balances); i++)
    fail_to_bind(balances[i]);
  return 0;
}

static void ignore_connection(uv_stream_t* server, int status) {
  (void) server;
  (void) status;
}

TEST_IMPL(listener_bad_arguments) {
  uvx_listener_t* unchanged = NULL;
  uv_os_sock_t sock = 0;
  unsigned count = 0;
  int len = -1;

  make_loops(2);
  set_options(UVX_BALANCE_DEFAULT);
  ASSERT_ERR(UV_EINVAL, uvx_loops_listen(NULL, &listen_options, &unchanged));
  ASSERT_ERR(UV_EINVAL, uvx_loops_listen(loops, NULL, &unchanged));
  ASSERT_ERR(UV_EINVAL, uvx_loops_listen(loops, &listen_options, NULL));

  uvx_listen_options_t bad[10];
  for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
    bad[i] = listen_options;
  struct sockaddr_in unknown = address;
  unknown.sin_family = 250;
  bad[0].size = 0;
  bad[1].cb = NULL;
  bad[2].addr = NULL;
  bad[3].nsocks = 1; /* beside addr */
  bad[4].addr = NULL;
  bad[4].nsocks = 1; /* without socks */
  bad[5].tcp_flags = 0x100;
  bad[6].tcp_flags = UV_TCP_IPV6ONLY; /* for IPv4 */
  bad[7].balance = (enum uvx_balance) 17;
  bad[8].addr = (const struct sockaddr*) &unknown;
  bad[9].addr = NULL;
  bad[9].socks = &sock;
  bad[9].nsocks = 1000000;
  for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
    ASSERT_ERR(UV_EINVAL, uvx_loops_listen(loops, &bad[i], &unchanged));
  ASSERT_NULL(unchanged);

  begin_listening(UVX_BALANCE_DEFAULT);
  ASSERT_ERR(UV_EINVAL, uvx_listener_getsockname(NULL, NULL, NULL));
  ASSERT_ERR(UV_EINVAL, uvx_listener_getsockname(
                            listener, (struct sockaddr*) &address, &len));
  ASSERT_ERR(UV_EINVAL, uvx_listener_socks(NULL, &sock, &count));
  ASSERT_ERR(UV_EINVAL, uvx_listener_socks(listener, NULL, NULL));
  ASSERT_ERR(UV_ENOBUFS, uvx_listener_socks(listener, NULL, &count));
  ASSERT_GT(count, 0);
  ASSERT_ERR(UV_EINVAL, uvx_listener_socks(listener, NULL, &count));
  ASSERT_ERR(UV_EINVAL, uvx_listener_close(NULL, NULL, NULL));
  ASSERT_ERR(UV_EINVAL, uvx_inherited_sockets(NULL, NULL, NULL));
  ASSERT_OK(uvx_loops_free(loops));
  return 0;
}

/* From a thread that is none of the loops', and when it is too late. */
static int strange_err;

static void close_from_elsewhere(void* arg) {
  (void) arg;
  strange_err = uvx_listener_close(listener, NULL, NULL);
  uvx_listener_t* another;
  ASSERT_ERR(UV_EPERM, uvx_loops_listen(loops, &listen_options, &another));
  uvx_loops_shutdown(loops);
}

static void start_stranger(uv_loop_t* loop, void* arg) {
  (void) loop;
  (void) arg;
  ASSERT_OK(uv_thread_create(&client_thread, close_from_elsewhere, NULL));
}

static void listen_too_late(uv_loop_t* loop, void* arg) {
  uvx_listener_t* another;

  (void) loop;
  (void) arg;
  ASSERT_ERR(UV_ECANCELED, uvx_loops_listen(loops, &listen_options, &another));
}

TEST_IMPL(listener_calls_from_elsewhere) {
  make_loops(2);
  set_options(UVX_BALANCE_DEFAULT);
  listen_options.cb = ignore_connection;
  ASSERT_OK(uvx_loops_listen(loops, &listen_options, &listener));
  ASSERT_OK(
      uvx_loops_on_start(loops, uvx_loops_get(loops, 0), start_stranger, NULL));
  ASSERT_OK(uvx_loops_on_end(loops, NULL, listen_too_late, NULL));
  ASSERT_OK(uvx_loops_run(loops));
  ASSERT_OK(uv_thread_join(&client_thread));
  ASSERT_ERR(UV_EPERM, strange_err);
  listen_too_late(NULL, NULL);
  ASSERT_OK(uvx_loops_free(loops));
  return 0;
}
