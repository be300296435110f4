/* SPDX-License-Identifier: MIT */
/* uvx_release(): the descriptor leaves the handle whole, the handle is as new,
 * and a refusal changes nothing. Method: pairs of connected handles. */
#include "ignore.h"
#include "test.h"
#include "uv/ext.h"

#define PIECE 5000
#define PIECES 200
#define MOVES 100
#define LOOPS 4

static uv_loop_t loop;
static uv_os_fd_t fd;
static char received[64];
static size_t received_len;
static int calls;

/* Where sockets cannot leave a completion port: the test is over. */
static void release_or_skip(void* handle) {
  int err = uvx_release(handle, &fd);

  if (err == UV_ENOTSUP)
    SKIP("this system cannot detach a socket from a completion port");
  ASSERT_OK(err);
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  ASSERT_GE(nread, 0);
  memcpy(received + received_len, buf->base, (size_t) nread);
  received_len += (size_t) nread;
  ASSERT_OK(uv_read_stop(stream));
}

static void write_text(void* stream, const char* text) {
  uv_buf_t buf = uv_buf_init((char*) text, (unsigned) strlen(text));
  ASSERT_EQ((int) buf.len, uv_try_write(stream, &buf, 1));
}

/* What the peer has sent is still there for the next owner, which may be the
 * same handle: it is as after uv_tcp_init(). */
TEST_IMPL(release_leaves_unread_bytes) {
  uv_tcp_t client;
  uv_tcp_t accepted;

  ASSERT_OK(uv_loop_init(&loop));
  test_tcp_pair(&loop, &client, &accepted);
  ASSERT_OK(uv_read_start((uv_stream_t*) &accepted, test_alloc, on_read));
  write_text(&client, "one");
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  write_text(&client, "two");
  release_or_skip(&accepted);
  ASSERT(!uv_is_active((uv_handle_t*) &accepted));
  ASSERT(!uv_is_readable((uv_stream_t*) &accepted));
  ASSERT(!uv_is_writable((uv_stream_t*) &accepted));
  uv_os_fd_t none;
  ASSERT_ERR(UV_EBADF, uv_fileno((uv_handle_t*) &accepted, &none));
  ASSERT_ERR(UV_EBADF, uvx_release((uv_handle_t*) &accepted, &none));

  ASSERT_OK(uv_tcp_open(&accepted, (uv_os_sock_t) fd));
  ASSERT_OK(uv_read_start((uv_stream_t*) &accepted, test_alloc, on_read));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(6, received_len);
  ASSERT_MEM_EQ("onetwo", received, 6);
  test_close_loop(&loop);
  return 0;
}

/* The same for datagrams. */
static void on_datagram(uv_udp_t* handle,
                        ssize_t nread,
                        const uv_buf_t* buf,
                        const struct sockaddr* from,
                        unsigned flags) {
  (void) flags;
  if (from == NULL)
    return;
  memcpy(received + received_len, buf->base, (size_t) nread);
  received_len += (size_t) nread;
  ASSERT_OK(uv_udp_recv_stop(handle));
}

TEST_IMPL(release_leaves_unread_datagrams) {
  struct sockaddr_in addr = test_loopback();
  uv_udp_t sender;
  uv_udp_t receiver;
  uv_buf_t buf = uv_buf_init("one", 3);

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_udp_init(&loop, &sender));
  ASSERT_OK(uv_udp_init(&loop, &receiver));
  ASSERT_OK(uv_udp_bind(&receiver, (struct sockaddr*) &addr, 0));
  addr = test_udp_address(&receiver);
  ASSERT_OK(uv_udp_recv_start(&receiver, test_alloc, on_datagram));
  ASSERT_ERR(UV_EBUSY, uvx_release((uv_handle_t*) &receiver, &fd));
  ASSERT_EQ(3, uv_udp_try_send(&sender, &buf, 1, (struct sockaddr*) &addr));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  buf = uv_buf_init("two", 3);
  ASSERT_EQ(3, uv_udp_try_send(&sender, &buf, 1, (struct sockaddr*) &addr));

  release_or_skip(&receiver);
  ASSERT(!uv_is_active((uv_handle_t*) &receiver));
  ASSERT_ERR(UV_EBADF, uvx_release((uv_handle_t*) &receiver, &fd));
  ASSERT_OK(uv_udp_open(&receiver, (uv_os_sock_t) fd));
  ASSERT_OK(uv_udp_recv_start(&receiver, test_alloc, on_datagram));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(6, received_len);
  ASSERT_MEM_EQ("onetwo", received, 6);
  test_close_loop(&loop);
  return 0;
}

/* Arguments that make no sense. */
TEST_IMPL(release_bad_arguments) {
  uv_tcp_t tcp;
  uv_timer_t timer;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_ERR(UV_EINVAL, uvx_release(NULL, &fd));
  ASSERT_ERR(UV_EINVAL, uvx_release((uv_handle_t*) &tcp, NULL));
  ASSERT_ERR(UV_EINVAL, uvx_release((uv_handle_t*) &timer, &fd));
  ASSERT_ERR(UV_EBADF, uvx_release((uv_handle_t*) &tcp, &fd));
  uv_close((uv_handle_t*) &tcp, NULL);
  ASSERT_ERR(UV_EINVAL, uvx_release((uv_handle_t*) &tcp, &fd));
  test_close_loop(&loop);
  return 0;
}

/* Each thing that is under way refuses, and goes on. */
static void on_write(uv_write_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  calls++;
}

static void on_shutdown(uv_shutdown_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  calls++;
}

static void on_connect(uv_connect_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  calls++;
}

TEST_IMPL(release_is_busy_while_reading_and_writing) {
  uv_tcp_t client;
  uv_tcp_t accepted;
  uv_write_t write_req;
  uv_shutdown_t shutdown_req;
  uv_buf_t buf = uv_buf_init("x", 1);

  ASSERT_OK(uv_loop_init(&loop));
  test_tcp_pair(&loop, &client, &accepted);
  ASSERT_OK(uv_read_start((uv_stream_t*) &accepted, test_alloc, on_read));
  ASSERT_ERR(UV_EBUSY, uvx_release((uv_handle_t*) &accepted, &fd));
  ASSERT_OK(uv_write(&write_req, (uv_stream_t*) &client, &buf, 1, on_write));
  ASSERT_ERR(UV_EBUSY, uvx_release((uv_handle_t*) &client, &fd));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, calls);
  ASSERT_EQ(1, received_len);

  ASSERT_OK(uv_shutdown(&shutdown_req, (uv_stream_t*) &client, on_shutdown));
  ASSERT_ERR(UV_EBUSY, uvx_release((uv_handle_t*) &client, &fd));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(2, calls);
  test_close_loop(&loop);
  return 0;
}

/* Nor may a descriptor leave in the middle of connecting, or with a connection
 * that waits for uv_accept(). */
static uv_tcp_t server;
static uv_tcp_t client;

static void on_connection_kept(uv_stream_t* handle, int status) {
  ASSERT_OK(status);
#if TEST_POSIX
  ASSERT_ERR(UV_EBUSY, uvx_release((uv_handle_t*) handle, &fd));
#else
  ASSERT_ERR(UV_ENOTSUP, uvx_release((uv_handle_t*) handle, &fd));
#endif
  uv_close((uv_handle_t*) handle, NULL);
}

static void listen_and_connect(uv_connect_t* req, uv_connection_cb cb) {
  ASSERT_OK(uv_loop_init(&loop));
  struct sockaddr_in addr = test_tcp_listen(&loop, &server, 8, cb);
  ASSERT_OK(uv_tcp_init(&loop, &client));
  ASSERT_OK(uv_tcp_connect(req, &client, (struct sockaddr*) &addr, on_connect));
}

TEST_IMPL(release_is_busy_while_connecting) {
  uv_connect_t req;

  listen_and_connect(&req, on_connection_kept);
  ASSERT_ERR(UV_EBUSY, uvx_release((uv_handle_t*) &client, &fd));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, calls);
  test_close_loop(&loop);
  return 0;
}

/* 1 MB in pieces, echoed by a connection that moves between four loops: it
 * arrives complete and in order. Each loop has a thread; the connection is
 * opened there, echoes some pieces, is released, and posted to the next. */
struct conn {
  uvx_post_t post; /* first */
  uv_tcp_t tcp;
  uv_os_fd_t fd;
  int moves; /* left */
  int at;    /* the loop it is on */
  size_t echoed;
};

static uvx_loops_t* loops;
static struct conn moving;
static uv_tcp_t driver;
static char out[PIECE];
static uv_write_t out_req;
static size_t sent;
static size_t returned;

static char byte_at(size_t at) {
  return (char) (at * 31 + at / 251);
}

static void on_moved(uvx_post_t* post);

static void on_move_closed(uv_handle_t* handle) {
  struct conn* conn = handle->data;

  conn->at = (conn->at + 1) % LOOPS;
  ASSERT_OK(uvx_post(uvx_loops_get(loops, (unsigned) conn->at), &conn->post,
                     on_moved));
}

static void move_on(struct conn* conn) {
  ASSERT_OK(uv_read_stop((uv_stream_t*) &conn->tcp));
  int err = uvx_release((uv_handle_t*) &conn->tcp, &conn->fd);
  if (err == UV_ENOTSUP)
    SKIP("this system cannot detach a socket from a completion port");
  ASSERT_OK(err);
  conn->moves--;
  uv_close((uv_handle_t*) &conn->tcp, on_move_closed);
}

static void on_echo_read(uv_stream_t* stream,
                         ssize_t nread,
                         const uv_buf_t* buf) {
  struct conn* conn = stream->data;

  if (nread == UV_EOF) {
    uv_close((uv_handle_t*) stream, NULL);
    return;
  }
  ASSERT_GE(nread, 0);
  for (ssize_t i = 0; i < nread; i++)
    ASSERT_EQ(byte_at(conn->echoed + (size_t) i), buf->base[i]);
  uv_buf_t echo = uv_buf_init(buf->base, (unsigned) nread);
  if (nread > 0)
    ASSERT_EQ(nread, uv_try_write(stream, &echo, 1));
  conn->echoed += (size_t) nread;
  if (conn->moves > 0 &&
      conn->echoed >= (size_t) (MOVES - conn->moves) * 2 * PIECE)
    move_on(conn);
}

static void small_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  static char space[LOOPS][PIECE / 3];
  struct conn* conn = handle->data;

  (void) suggested;
  *buf = uv_buf_init(space[conn->at], sizeof(space[0]));
}

static void on_moved(uvx_post_t* post) {
  struct conn* conn = (struct conn*) post;

  ASSERT_OK(uv_tcp_init(post->loop, &conn->tcp));
  conn->tcp.data = conn;
  ASSERT_OK(uv_tcp_open(&conn->tcp, (uv_os_sock_t) conn->fd));
  ASSERT_OK(
      uv_read_start((uv_stream_t*) &conn->tcp, small_alloc, on_echo_read));
}

static void on_piece_sent(uv_write_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  sent += PIECE;
}

static void send_piece(void) {
  uv_buf_t buf = uv_buf_init(out, PIECE);

  for (size_t i = 0; i < PIECE; i++)
    out[i] = byte_at(sent + i);
  ASSERT_OK(uv_write(&out_req, (uv_stream_t*) &driver, &buf, 1, on_piece_sent));
}

/* The next piece goes out when the last one came back. */
static void on_returned(uv_stream_t* stream,
                        ssize_t nread,
                        const uv_buf_t* buf) {
  ASSERT_GE(nread, 0);
  for (ssize_t i = 0; i < nread; i++)
    ASSERT_EQ(byte_at(returned + (size_t) i), buf->base[i]);
  returned += (size_t) nread;
  if (returned == (size_t) PIECE * PIECES) {
    uv_close((uv_handle_t*) stream, NULL);
    uvx_loops_shutdown(loops);
  } else if (returned == sent) {
    send_piece();
  }
}

static void on_first_start(uv_loop_t* first, void* arg) {
  (void) arg;
  test_tcp_pair(first, &driver, &moving.tcp);
  ASSERT_OK(uv_tcp_nodelay(&moving.tcp, 1));
  moving.tcp.data = &moving;
  moving.moves = MOVES;
  ASSERT_OK(
      uv_read_start((uv_stream_t*) &moving.tcp, small_alloc, on_echo_read));
  ASSERT_OK(uv_read_start((uv_stream_t*) &driver, test_alloc, on_returned));
  send_piece();
}

TEST_IMPL(release_moves_a_connection_between_loops) {
  uvx_loops_options_t options = { .size = sizeof(options),
                                  .count = LOOPS,
                                  .flags = UVX_LOOPS_NO_SIGNALS };

  ASSERT_OK(uvx_loops_new(&loops, &options));
  ASSERT_OK(
      uvx_loops_on_start(loops, uvx_loops_get(loops, 0), on_first_start, NULL));
  ASSERT_OK(uvx_loops_run(loops));
  ASSERT_EQ(PIECE * PIECES, returned);
  ASSERT_EQ(0, moving.moves);
  ASSERT_OK(uvx_loops_free(loops));
  return 0;
}

/* A handle that is released in a callback takes another socket at once. Both
 * ends are readable in one batch: the event of the released one is dropped. */
static uv_tcp_t pairs[2][2];
static int released;

static void on_read_release_other(uv_stream_t* stream,
                                  ssize_t nread,
                                  const uv_buf_t* buf) {
  uv_tcp_t* other = &pairs[stream == (uv_stream_t*) &pairs[0][1]][1];

  (void) buf;
  ASSERT_EQ(1, nread);
  calls++;
  ASSERT_OK(uv_read_stop(stream));
  if (released++)
    return;
  ASSERT_OK(uv_read_stop((uv_stream_t*) other));
  release_or_skip(other);
}

TEST_IMPL(release_drops_events_of_the_same_batch) {
  uv_buf_t buf = uv_buf_init("x", 1);

  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 2; i++) {
    test_tcp_pair(&loop, &pairs[i][0], &pairs[i][1]);
    ASSERT_OK(uv_read_start((uv_stream_t*) &pairs[i][1], test_alloc,
                            on_read_release_other));
  }
  for (int i = 0; i < 2; i++)
    ASSERT_EQ(1, uv_try_write((uv_stream_t*) &pairs[i][0], &buf, 1));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, calls);

  /* The byte of the other one is still there. */
  uv_tcp_t heir;
  ASSERT_OK(uv_tcp_init(&loop, &heir));
  ASSERT_OK(uv_tcp_open(&heir, (uv_os_sock_t) fd));
  ASSERT_OK(uv_read_start((uv_stream_t*) &heir, test_alloc, on_read));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, received_len);
  test_close_loop(&loop);
  return 0;
}

/* In its own callback, and the handle then listens, connects or is closed. */
static void on_read_release_self(uv_stream_t* stream,
                                 ssize_t nread,
                                 const uv_buf_t* buf) {
  (void) nread;
  (void) buf;
  calls++;
  ASSERT_OK(uv_read_stop(stream));
  release_or_skip(stream);
  struct sockaddr_in addr = test_loopback();
  ASSERT_OK(uv_tcp_bind((uv_tcp_t*) stream, (struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_listen(stream, 1, on_connection_kept));
  ASSERT(uv_is_active((uv_handle_t*) stream));
  uv_close((uv_handle_t*) stream, NULL);
}

TEST_IMPL(release_in_its_own_callback) {
  uv_tcp_t ends[2];
  uv_buf_t buf = uv_buf_init("x", 1);

  ASSERT_OK(uv_loop_init(&loop));
  test_tcp_pair(&loop, &ends[0], &ends[1]);
  ASSERT_OK(
      uv_read_start((uv_stream_t*) &ends[1], test_alloc, on_read_release_self));
  ASSERT_EQ(1, uv_try_write((uv_stream_t*) &ends[0], &buf, 1));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, calls);
  test_close_socket((uv_os_sock_t) fd);
  test_close_loop(&loop);
  return 0;
}

#if TEST_POSIX
/* A released server goes on listening; the file of a pipe stays. */
static uv_pipe_t pipe_server;
static uv_pipe_t pipe_client;

static void on_pipe_connection(uv_stream_t* handle, int status) {
  ASSERT_OK(status);
  ASSERT_OK(uvx_reject(handle));
  calls++;
  uv_close((uv_handle_t*) handle, NULL);
}

TEST_IMPL(release_of_a_server_keeps_it_listening) {
  const char* name = test_pipe_name("release");
  uv_connect_t req;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &pipe_server, 0));
  ASSERT_OK(uv_pipe_bind(&pipe_server, name));
  ASSERT_OK(uv_listen((uv_stream_t*) &pipe_server, 8, on_pipe_connection));
  ASSERT_OK(uvx_release((uv_handle_t*) &pipe_server, &fd));
  ASSERT(!uv_is_active((uv_handle_t*) &pipe_server));
  uv_close((uv_handle_t*) &pipe_server, NULL);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));

  ASSERT_OK(uv_pipe_init(&loop, &pipe_client, 0));
  uv_pipe_connect(&req, &pipe_client, name, on_connect);
  ASSERT_OK(uv_pipe_init(&loop, &pipe_server, 0));
  ASSERT_OK(uv_pipe_open(&pipe_server, fd));
  ASSERT_OK(uv_listen((uv_stream_t*) &pipe_server, 8, on_pipe_connection));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(2, calls);
  uv_fs_t fs;
  ASSERT_OK(uv_fs_unlink(NULL, &fs, name, NULL));
  uv_fs_req_cleanup(&fs);
  test_close_loop(&loop);
  return 0;
}

/* An error of bind that is still to be reported is not lost. */
TEST_IMPL(release_reports_a_delayed_error) {
  uv_tcp_t second;

  ASSERT_OK(uv_loop_init(&loop));
  struct sockaddr_in addr =
      test_tcp_listen(&loop, &server, 8, on_connection_kept);
  ASSERT_OK(uv_tcp_init(&loop, &second));
  ASSERT_OK(uv_tcp_bind(&second, (struct sockaddr*) &addr, 0));
  ASSERT_ERR(UV_EADDRINUSE, uvx_release((uv_handle_t*) &second, &fd));
  ASSERT_ERR(UV_EADDRINUSE, uv_listen((uv_stream_t*) &second, 8, NULL));
  test_close_loop(&loop);
  return 0;
}
#endif
