/* SPDX-License-Identifier: MIT */
/* TCP handles: behaviour 35-40 of docs/internals/behaviour.md. */
#include "ignore.h"
#include "test.h"

#if TEST_POSIX
# include <netinet/in.h>
# include <netinet/tcp.h>
# include <sys/socket.h>
# include <unistd.h>
#endif

static uv_loop_t loop;
static int connect_status = 1;

static void on_connect(uv_connect_t* req, int status) {
  connect_status = status;
  if (status == UV_ECANCELED)
    ASSERT_EQ(1, uv_is_closing((uv_handle_t*) req->handle));
}

static int connections;

static void on_connection(uv_stream_t* server, int status) {
  (void) server;
  ASSERT_OK(status);
  connections++;
}

static int option_of(uv_tcp_t* tcp, int level, int name) {
  int value = 0; /* some systems store it in one byte */
  socklen_t len = sizeof(value);
  uv_os_fd_t fd;

  ASSERT_OK(uv_fileno((uv_handle_t*) tcp, &fd));
  ASSERT_EQ(0,
            getsockopt((uv_os_sock_t) fd, level, name, (void*) &value, &len));
  return value;
}

TEST_IMPL(tcp_connection_waits_for_accept) {
  uv_tcp_t server;
  uv_tcp_t peers[3];
  uv_os_sock_t fds[2];

  ASSERT_OK(uv_loop_init(&loop));
  struct sockaddr_in addr = test_tcp_listen(&loop, &server, 8, on_connection);
  for (int i = 0; i < 2; i++) {
    fds[i] = socket(AF_INET, SOCK_STREAM, 0);
    ASSERT_EQ(0, connect(fds[i], (struct sockaddr*) &addr, sizeof(addr)));
  }
  for (int i = 0; i < 3; i++)
    ASSERT_OK(uv_tcp_init(&loop, &peers[i]));
  ASSERT_ERR(UV_EAGAIN,
             uv_accept((uv_stream_t*) &server, (uv_stream_t*) &peers[0]));
  uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(1, connections);
  /* No more until the first has been accepted. */
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(1, connections);
  ASSERT_OK(uv_accept((uv_stream_t*) &server, (uv_stream_t*) &peers[0]));
  while (connections == 1)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_OK(uv_accept((uv_stream_t*) &server, (uv_stream_t*) &peers[1]));
  ASSERT_ERR(UV_EAGAIN,
             uv_accept((uv_stream_t*) &server, (uv_stream_t*) &peers[2]));
  test_close_loop(&loop);
  test_close_socket(fds[0]);
  test_close_socket(fds[1]);
  return 0;
}

/* Connections wait in the backlog for the callback of another uv_listen().
 * Issue 37. */
TEST_IMPL(tcp_listen_without_a_callback) {
  uv_tcp_t server;
  uv_tcp_t peers[2];
  uv_os_sock_t fds[2];

  ASSERT_OK(uv_loop_init(&loop));
  struct sockaddr_in addr = test_tcp_listen(&loop, &server, 8, NULL);
  ASSERT(uv_is_active((uv_handle_t*) &server));
  for (int i = 0; i < 2; i++) {
    fds[i] = socket(AF_INET, SOCK_STREAM, 0);
    ASSERT_EQ(0, connect(fds[i], (struct sockaddr*) &addr, sizeof(addr)));
    ASSERT_OK(uv_tcp_init(&loop, &peers[i]));
    uv_run(&loop, UV_RUN_NOWAIT);
  }
  ASSERT_EQ(0, connections);

  ASSERT_OK(uv_listen((uv_stream_t*) &server, 8, on_connection));
  for (int i = 0; i < 2; i++) {
    while (connections == i)
      uv_run(&loop, UV_RUN_ONCE);
    ASSERT_OK(uv_accept((uv_stream_t*) &server, (uv_stream_t*) &peers[i]));
  }
  test_close_loop(&loop);
  test_close_socket(fds[0]);
  test_close_socket(fds[1]);
  return 0;
}

/* Binds `second` to the address that `first` listens on, and returns it. */
static struct sockaddr_in bind_twice(uv_tcp_t* first, uv_tcp_t* second) {
  struct sockaddr_in addr = test_loopback();

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_tcp_init(&loop, first));
  ASSERT_OK(uv_tcp_init(&loop, second));
  ASSERT_OK(uv_tcp_bind(first, (struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_listen((uv_stream_t*) first, 1, on_connection));
  addr = test_tcp_address(first);
  ASSERT_OK(uv_tcp_bind(second, (struct sockaddr*) &addr, 0));
  return addr;
}

/* listen, not bind, reports an address in use. */
TEST_IMPL(tcp_address_in_use_is_deferred) {
  uv_tcp_t first;
  uv_tcp_t second;

  bind_twice(&first, &second);
  ASSERT_ERR(UV_EADDRINUSE,
             uv_listen((uv_stream_t*) &second, 1, on_connection));
  test_close_loop(&loop);
  return 0;
}

#if TEST_POSIX
/* A connect that is refused at once changes nothing (libuv marks the handle
 * readable and writable). The socket has the other address family. */
TEST_IMPL(tcp_refused_connect_changes_nothing) {
  struct sockaddr_in addr = test_loopback();
  struct sockaddr_in6 addr6;
  uv_tcp_t tcp;
  uv_connect_t req;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  ASSERT_OK(uv_tcp_bind(&tcp, (struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_ip6_addr("::1", 9, &addr6));
  int err = uv_tcp_connect(&req, &tcp, (struct sockaddr*) &addr6, NULL);
  ASSERT(err == UV_EAFNOSUPPORT || err == UV_EINVAL);
  ASSERT_EQ(0, uv_is_readable((uv_stream_t*) &tcp));
  ASSERT_EQ(0, uv_is_writable((uv_stream_t*) &tcp));
  ASSERT_EQ(0, uv_loop_alive(&loop));
  test_close_loop(&loop);
  return 0;
}

/* The callback reports it; the handle is no more readable or writable than
 * before. */
TEST_IMPL(tcp_address_in_use_fails_the_connect) {
  uv_tcp_t first;
  uv_tcp_t second;
  uv_connect_t req;
  struct sockaddr_in addr = bind_twice(&first, &second);

  struct sockaddr_storage name;
  int len = sizeof(name);
  ASSERT_ERR(UV_EADDRINUSE,
             uv_tcp_getsockname(&second, (struct sockaddr*) &name, &len));
  ASSERT_ERR(UV_EADDRINUSE,
             uv_tcp_getpeername(&second, (struct sockaddr*) &name, &len));
  ASSERT_OK(
      uv_tcp_connect(&req, &second, (struct sockaddr*) &addr, on_connect));
  ASSERT_EQ(0, uv_is_writable((uv_stream_t*) &second));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_ERR(UV_EADDRINUSE, connect_status);
  ASSERT_EQ(0, uv_is_readable((uv_stream_t*) &second));
  test_close_loop(&loop);
  return 0;
}
#endif

TEST_IMPL(tcp_connect_refused_is_reported_later) {
  struct sockaddr_in addr = test_loopback();
  uv_tcp_t probe;
  uv_tcp_t tcp;
  uv_connect_t req;
  uv_connect_t second;

  /* A port that is bound but not listening. */
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_tcp_init(&loop, &probe));
  ASSERT_OK(uv_tcp_bind(&probe, (struct sockaddr*) &addr, 0));
  addr = test_tcp_address(&probe);
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  ASSERT_OK(uv_tcp_connect(&req, &tcp, (struct sockaddr*) &addr, on_connect));
  ASSERT_ERR(UV_EALREADY, uv_tcp_connect(&second, &tcp,
                                         (struct sockaddr*) &addr, on_connect));
  ASSERT_EQ(1, connect_status);
  while (connect_status == 1)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_ERR(UV_ECONNREFUSED, connect_status);
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(tcp_close_while_connecting_loopback) {
  uv_tcp_t server;
  uv_tcp_t tcp;
  uv_connect_t req;

  ASSERT_OK(uv_loop_init(&loop));
  struct sockaddr_in addr = test_tcp_listen(&loop, &server, 1, on_connection);
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  ASSERT_OK(uv_tcp_connect(&req, &tcp, (struct sockaddr*) &addr, on_connect));
  uv_close((uv_handle_t*) &tcp, NULL);
  while (connect_status == 1)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_ERR(UV_ECANCELED, connect_status);
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(tcp_listen_binds_implicitly) {
  uv_tcp_t server;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_tcp_init(&loop, &server));
  ASSERT_OK(uv_listen((uv_stream_t*) &server, 1, on_connection));
  ASSERT_NE(0, test_tcp_address(&server).sin_port);
  test_close_loop(&loop);
  return 0;
}

/* Set before there is a socket, applied when there is one. */
TEST_IMPL(tcp_options_before_the_socket) {
  struct sockaddr_in addr = test_loopback();
  uv_tcp_t tcp;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  ASSERT_OK(uv_tcp_nodelay(&tcp, 1));
  ASSERT_OK(uv_tcp_keepalive(&tcp, 1, 10));
  ASSERT_OK(uv_tcp_simultaneous_accepts(&tcp, 1));
  ASSERT_OK(uv_tcp_simultaneous_accepts(&tcp, 0));
  ASSERT_OK(uv_tcp_bind(&tcp, (struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_listen((uv_stream_t*) &tcp, 1, on_connection));
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(tcp_options_on_a_connection) {
  uv_tcp_t client;
  uv_tcp_t server;

  ASSERT_OK(uv_loop_init(&loop));
  test_tcp_pair(&loop, &client, &server);
  ASSERT_OK(uv_tcp_nodelay(&client, 1));
  ASSERT_NE(0, option_of(&client, IPPROTO_TCP, TCP_NODELAY));
  ASSERT_ERR(UV_EINVAL, uv_tcp_keepalive(&client, 1, 0));
  ASSERT_OK(uv_tcp_keepalive(&client, 1, 33));
  ASSERT_NE(0, option_of(&client, SOL_SOCKET, SO_KEEPALIVE));
#ifdef TCP_KEEPIDLE
  ASSERT_EQ(33, option_of(&client, IPPROTO_TCP, TCP_KEEPIDLE));
#endif
  ASSERT_ERR(UV_EINVAL, uv_tcp_keepalive_ex(&client, 1, 5, 0, 3));
  ASSERT_ERR(UV_EINVAL, uv_tcp_keepalive_ex(&client, 1, 5, 2, 0));
  ASSERT_OK(uv_tcp_keepalive_ex(&client, 1, 5, 2, 3));
#ifdef TCP_KEEPIDLE
  ASSERT_EQ(5, option_of(&client, IPPROTO_TCP, TCP_KEEPIDLE));
  ASSERT_EQ(2, option_of(&client, IPPROTO_TCP, TCP_KEEPINTVL));
  ASSERT_EQ(3, option_of(&client, IPPROTO_TCP, TCP_KEEPCNT));
#endif
  ASSERT_OK(uv_tcp_keepalive(&client, 0, 0));
  ASSERT_EQ(0, option_of(&client, SOL_SOCKET, SO_KEEPALIVE));
  test_close_loop(&loop);
  return 0;
}

static ssize_t read_result = 1;

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) stream;
  (void) buf;
  if (nread < 0)
    read_result = nread;
}

TEST_IMPL(tcp_close_reset) {
  uv_tcp_t client;
  uv_tcp_t server;
  uv_shutdown_t shut;

  ASSERT_OK(uv_loop_init(&loop));
  test_tcp_pair(&loop, &client, &server);
  ASSERT_OK(uv_read_start((uv_stream_t*) &server, test_alloc, on_read));
  ASSERT_OK(uv_tcp_close_reset(&client, NULL));
  while (read_result == 1)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_ERR(UV_ECONNRESET, read_result);
  test_close_loop(&loop);

  /* Not while a shutdown is pending. */
  ASSERT_OK(uv_loop_init(&loop));
  test_tcp_pair(&loop, &client, &server);
  ASSERT_OK(uv_shutdown(&shut, (uv_stream_t*) &client, ignore_shutdown));
  ASSERT_ERR(UV_EINVAL, uv_tcp_close_reset(&client, NULL));
  ASSERT_EQ(0, uv_is_closing((uv_handle_t*) &client));
  test_close_loop(&loop);
  return 0;
}

static void on_shutdown_reset(uv_shutdown_t* req, int status) {
  ASSERT_OK(status);
  ASSERT_OK(uv_tcp_close_reset((uv_tcp_t*) req->handle, NULL));
  ASSERT(uv_is_closing((uv_handle_t*) req->handle));
  ASSERT_ERR(UV_EBADF, uv_tcp_close_reset((uv_tcp_t*) req->handle, NULL));
}

/* Node's socket.end() followed by resetAndDestroy(). */
TEST_IMPL(tcp_close_reset_after_shutdown) {
  uv_tcp_t client;
  uv_tcp_t server;
  uv_shutdown_t shut;

  ASSERT_OK(uv_loop_init(&loop));
  test_tcp_pair(&loop, &client, &server);
  ASSERT_OK(uv_shutdown(&shut, (uv_stream_t*) &client, on_shutdown_reset));
  while (!uv_is_closing((uv_handle_t*) &client))
    uv_run(&loop, UV_RUN_ONCE);
  test_close_loop(&loop);
  return 0;
}

#if TEST_POSIX
/* The same socket again is allowed; errors of another one come first. */
TEST_IMPL(tcp_open_twice) {
  uv_tcp_t tcp;
  uv_tcp_t reading;
  uv_tcp_t peer;
  uv_os_fd_t taken;

  ASSERT_OK(uv_loop_init(&loop));
  test_tcp_pair(&loop, &reading, &peer);
  ASSERT_OK(uv_fileno((uv_handle_t*) &reading, &taken));
  ASSERT_OK(uv_read_start((uv_stream_t*) &reading, test_alloc, on_read));
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  int other = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  ASSERT_OK(uv_tcp_open(&tcp, fd));
  ASSERT_OK(uv_tcp_open(&tcp, fd));
  ASSERT_ERR(UV_EBUSY, uv_tcp_open(&tcp, other));
  ASSERT_ERR(UV_EEXIST, uv_tcp_open(&tcp, taken));
  ASSERT_ERR(UV_EBADF, uv_tcp_open(&tcp, -1));
  ASSERT_ERR(UV_EBADF, uv_tcp_open(&tcp, 9999));
  test_close_loop(&loop);
  close(other);
  return 0;
}
#endif

TEST_IMPL(tcp_fileno_and_bind_after_close) {
  struct sockaddr_in addr = test_loopback();
  uv_tcp_t tcp;
  uv_os_fd_t fd;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  ASSERT_ERR(UV_EBADF, uv_fileno((uv_handle_t*) &tcp, &fd));
  ASSERT_OK(uv_tcp_bind(&tcp, (struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_fileno((uv_handle_t*) &tcp, &fd));
  ASSERT_ERR(UV_EINVAL, uv_tcp_bind(&tcp, (struct sockaddr*) &addr, 0));
  uv_close((uv_handle_t*) &tcp, NULL);
  ASSERT_ERR(UV_EBADF, uv_fileno((uv_handle_t*) &tcp, &fd));
  ASSERT_ERR(UV_EINVAL, uv_tcp_bind(&tcp, (struct sockaddr*) &addr, 0));
  ASSERT_ERR(UV_EINVAL, uv_listen((uv_stream_t*) &tcp, 1, on_connection));
  test_close_loop(&loop);
  return 0;
}

static int writes_done;
static size_t bytes_read;

static void on_write(uv_write_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  writes_done++;
}

static void on_ordered_read(uv_stream_t* s, ssize_t n, const uv_buf_t* buf) {
  (void) s;
  ASSERT_GE(n, 0);
  for (ssize_t i = 0; i < n; i++)
    ASSERT_EQ((bytes_read + (size_t) i) % 251, (unsigned char) buf->base[i]);
  bytes_read += (size_t) n;
}

/* More buffers than a system call accepts and more data than a socket does:
 * everything arrives in order, with the second write behind the first. */
TEST_IMPL(tcp_write_of_very_many_large_buffers) {
  enum { BUFS = 3000, SIZE = 251 * 8 };
  static uv_buf_t bufs[BUFS];
  static char bytes[SIZE];
  uv_write_t reqs[2];
  uv_tcp_t client;
  uv_tcp_t server;

  for (int i = 0; i < SIZE; i++)
    bytes[i] = (char) (i % 251);
  for (int i = 0; i < BUFS; i++)
    bufs[i] = uv_buf_init(bytes, SIZE);
  ASSERT_OK(uv_loop_init(&loop));
  test_tcp_pair(&loop, &client, &server);
  for (int i = 0; i < 2; i++)
    ASSERT_OK(uv_write(&reqs[i], (uv_stream_t*) &client, bufs, BUFS, on_write));
  memset(bufs, 0xff, sizeof(bufs)); /* the array is ours again */
  ASSERT_OK(uv_read_start((uv_stream_t*) &server, test_alloc, on_ordered_read));
  while (bytes_read < 2 * BUFS * SIZE || writes_done < 2)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(2 * BUFS * SIZE, bytes_read);
  ASSERT_EQ(0, uv_stream_get_write_queue_size((uv_stream_t*) &client));
  test_close_loop(&loop);
  return 0;
}

static int accept_errors;

static void accept_closing(uv_stream_t* server, int status) {
  static uv_tcp_t closing;
  static uv_tcp_t client;

  ASSERT_OK(status);
  ASSERT_OK(uv_tcp_init(&loop, &closing));
  uv_close((uv_handle_t*) &closing, NULL);
  ASSERT_ERR(UV_EINVAL, uv_accept(server, (uv_stream_t*) &closing));
  accept_errors++;
  ASSERT_OK(uv_tcp_init(&loop, &client));
  ASSERT_OK(uv_accept(server, (uv_stream_t*) &client));
  uv_close((uv_handle_t*) &client, NULL);
  uv_close((uv_handle_t*) server, NULL);
}

/* A refused accept does not lose the connection. */
TEST_IMPL(tcp_accept_into_a_closing_handle) {
  uv_tcp_t server;
  uv_tcp_t client;
  uv_connect_t req;

  ASSERT_OK(uv_loop_init(&loop));
  struct sockaddr_in addr = test_tcp_listen(&loop, &server, 1, accept_closing);
  ASSERT_OK(uv_tcp_init(&loop, &client));
  ASSERT_OK(uv_tcp_connect(&req, &client, (struct sockaddr*) &addr, NULL));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, accept_errors);
  test_close_loop(&loop);
  return 0;
}
