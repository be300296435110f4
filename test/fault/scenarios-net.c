/* SPDX-License-Identifier: MIT */
/* TCP, pipes, passed descriptors, UDP. */
#include "scenarios.h"
#include "uv/ext.h"

#include <sys/socket.h>
#include <unistd.h>

/* A conversation over any stream: the client sends BYTES and shuts down, the
 * server echoes and closes at the end, the client counts. */
enum { BYTES = 3000, PARTS = 3 };

static union {
  uv_tcp_t tcp;
  uv_pipe_t pipe;
  uv_stream_t stream;
  uv_handle_t handle;
} server, client, peer, passed;

static char data[BYTES];
static size_t echoed;
static uv_connect_t connect_req;
static uv_shutdown_t shutdown_req;
static uv_shutdown_t peer_end;
static uv_write_t write_reqs[PARTS];

struct echo {
  uv_write_t req;
  char bytes[1];
};

static void close_if_open(uv_handle_t* handle) {
  if (!uv_is_closing(handle))
    uv_close(handle, NULL);
}

static void on_client_read(uv_stream_t* s, ssize_t n, const uv_buf_t* buf) {
  if (n > 0) {
    SC_CHECK(echoed + (size_t) n <= BYTES);
    SC_CHECK(memcmp(data + echoed, buf->base, (size_t) n) == 0);
    echoed += (size_t) n;
    return;
  }
  if (n == 0)
    return;
  if (n != UV_EOF) {
    sc_fail((int) n);
    return;
  }
  if (echoed == BYTES)
    sc.goal = 1;
  else if (!sc.err)
    sc_fail(UV_EOF); /* the other side gave up */
  close_if_open((uv_handle_t*) s);
  close_if_open(&server.handle);
}

static void on_client_write(uv_write_t* req, int status) {
  (void) req;
  sc_arrived();
  if (status != 0)
    sc_fail(status);
}

static void on_client_shutdown(uv_shutdown_t* req, int status) {
  (void) req;
  sc_arrived();
  if (status != 0)
    sc_fail(status);
}

static void begin_talk(uv_stream_t* stream) {
  enum { PART = BYTES / PARTS, PIECE = PART / PARTS };
  uv_buf_t bufs[PARTS];

  if (sc_try(uv_read_start(stream, sc_alloc, on_client_read)) != 0)
    return;
  for (int i = 0; i < PARTS; i++) {
    for (int j = 0; j < PARTS; j++)
      bufs[j] = uv_buf_init(data + i * PART + j * PIECE, PIECE);
    bufs[PARTS - 1].len = PART - (PARTS - 1) * PIECE;
    if (sc_expect(uv_write(&write_reqs[i], stream, bufs, PARTS,
                           on_client_write)) != 0)
      return;
  }
  sc_expect(uv_shutdown(&shutdown_req, stream, on_client_shutdown));
}

static void on_connect(uv_connect_t* req, int status) {
  sc_arrived();
  if (status != 0)
    sc_fail(status);
  else
    begin_talk(req->handle);
}

static void on_echo(uv_write_t* req, int status) {
  sc_arrived();
  free(req->data);
  if (status != 0)
    sc_fail(status);
}

static void on_peer_end(uv_shutdown_t* req, int status) {
  sc_arrived();
  if (status != 0)
    sc_fail(status);
  else
    close_if_open((uv_handle_t*) req->handle);
}

static void on_peer_read(uv_stream_t* s, ssize_t n, const uv_buf_t* buf) {
  if (n == 0)
    return;
  if (n < 0) {
    if (n != UV_EOF)
      sc_fail((int) n);
    else
      sc_expect(uv_shutdown(&peer_end, s, on_peer_end));
    return;
  }
  struct echo* echo = malloc(sizeof(*echo) + (size_t) n);
  memcpy(echo->bytes, buf->base, (size_t) n);
  uv_buf_t out = uv_buf_init(echo->bytes, (unsigned) n);
  echo->req.data = echo;
  if (sc_expect(uv_write(&echo->req, s, &out, 1, on_echo)) != 0)
    free(echo);
}

static void on_connection(uv_stream_t* s, int status) {
  if (status != 0) {
    sc_fail(status);
    return;
  }
  int err = s->type == UV_TCP ? uv_tcp_init(s->loop, &peer.tcp)
                              : uv_pipe_init(s->loop, &peer.pipe, 0);
  if (sc_try(err) == 0 && sc_try(uv_accept(s, &peer.stream)) == 0)
    sc_try(uv_read_start(&peer.stream, sc_alloc, on_peer_read));
}

static void prepare_data(void) {
  for (int i = 0; i < BYTES; i++)
    data[i] = (char) (i * 7);
  echoed = 0;
}

void scenario_tcp(void) {
  struct sockaddr_in addr = sc_loopback(0);
  int len = sizeof(addr);

  prepare_data();
  if (sc_try(uv_tcp_init(&sc.loop, &server.tcp)) != 0 ||
      sc_try(uv_tcp_nodelay(&server.tcp, 1)) != 0 ||
      sc_try(uv_tcp_bind(&server.tcp, (struct sockaddr*) &addr, 0)) != 0 ||
      sc_try(uv_listen(&server.stream, 8, on_connection)) != 0 ||
      sc_try(uv_tcp_getsockname(&server.tcp, (struct sockaddr*) &addr, &len)) !=
          0 ||
      sc_try(uv_tcp_init_ex(&sc.loop, &client.tcp, AF_INET)) != 0 ||
      sc_try(uv_tcp_keepalive(&client.tcp, 1, 60)) != 0)
    return sc_run();
  sc_expect(uv_tcp_connect(&connect_req, &client.tcp, (struct sockaddr*) &addr,
                           on_connect));
  sc_run();
}

void scenario_pipe(void) {
  prepare_data();
  if (sc_try(uv_pipe_init(&sc.loop, &server.pipe, 0)) != 0 ||
      sc_try(uv_pipe_bind(&server.pipe, "fault.sock")) != 0 ||
      sc_try(uv_pipe_chmod(&server.pipe, UV_READABLE | UV_WRITABLE)) != 0 ||
      sc_try(uv_listen(&server.stream, 8, on_connection)) != 0 ||
      sc_try(uv_pipe_init(&sc.loop, &client.pipe, 0)) != 0)
    return sc_run();
  sc_expect(uv_pipe_connect2(&connect_req, &client.pipe, "fault.sock", 10, 0,
                             on_connect));
  sc_run();
}

/* ------------------------------------------------------------------------- */

static size_t fifo_got;

static void on_fifo_read(uv_stream_t* s, ssize_t n, const uv_buf_t* buf) {
  (void) buf;
  if (n > 0)
    fifo_got += (size_t) n;
  if (n >= 0)
    return;
  /* EIO after a hangup is how a terminal ends: reported as the end here too. */
  if (n == UV_EOF && fifo_got == 2000)
    sc.goal = 1;
  else
    sc_fail(n == UV_EOF ? UV_EIO : (int) n);
  if (!uv_is_closing((uv_handle_t*) s))
    uv_close((uv_handle_t*) s, NULL);
}

static void on_fifo_written(uv_write_t* req, int status) {
  sc_arrived();
  if (status != 0)
    sc_fail(status);
  if (!uv_is_closing((uv_handle_t*) req->handle))
    uv_close((uv_handle_t*) req->handle, NULL);
}

/* A pipe without a name. Ends that no handle has taken are ours to close. */
void scenario_fifo(void) {
  static char bytes[1000];
  static uv_write_t write_req;
  uv_buf_t bufs[2] = { uv_buf_init(bytes, 1000), uv_buf_init(bytes, 1000) };
  uv_file ends[2] = { -1, -1 };

  fifo_got = 0;
  if (sc_try(uv_pipe(ends, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE)) != 0)
    return sc_run();
  int have_in = sc_try(uv_pipe_init(&sc.loop, &server.pipe, 0)) == 0 &&
                sc_try(uv_pipe_open(&server.pipe, ends[0])) == 0;
  int have_out = sc.err == 0 &&
                 sc_try(uv_pipe_init(&sc.loop, &client.pipe, 0)) == 0 &&
                 sc_try(uv_pipe_open(&client.pipe, ends[1])) == 0;
  if (!have_in)
    close(ends[0]);
  if (!have_out)
    close(ends[1]);
  if (sc.err == 0 &&
      sc_try(uv_read_start(&server.stream, sc_alloc, on_fifo_read)) == 0)
    sc_expect(uv_write(&write_req, &client.stream, bufs, 2, on_fifo_written));
  sc_run();
}

static void on_ipc_read(uv_stream_t* s, ssize_t n, const uv_buf_t* buf) {
  (void) buf;
  if (n == 0)
    return;
  if (n < 0) {
    sc_fail((int) n);
    return;
  }
  while (uv_pipe_pending_count((uv_pipe_t*) s) > 0) {
    SC_CHECK(uv_pipe_pending_type((uv_pipe_t*) s) == UV_TCP ||
             fault_happened());
    if (sc_try(uv_tcp_init(s->loop, &passed.tcp)) != 0)
      return;
    if (sc_try(uv_accept(s, &passed.stream)) != 0)
      return;
    sc.goal = 1;
    sc_close_all();
  }
}

static void on_ipc_write(uv_write_t* req, int status) {
  (void) req;
  sc_arrived();
  if (status != 0)
    sc_fail(status);
}

void scenario_ipc(void) {
  static uv_tcp_t sent;
  struct sockaddr_in addr = sc_loopback(0);
  uv_os_sock_t fds[2];
  uv_buf_t buf = uv_buf_init((char*) "x", 1);

  if (sc_try(uv_socketpair(SOCK_STREAM, 0, fds, UV_NONBLOCK_PIPE,
                           UV_NONBLOCK_PIPE)) != 0)
    return sc_run();
  int err = uv_pipe_init(&sc.loop, &client.pipe, 1);
  if (sc_try(err) != 0 || sc_try(uv_pipe_open(&client.pipe, fds[0])) != 0) {
    close(fds[0]);
    close(fds[1]);
    return sc_run();
  }
  err = uv_pipe_init(&sc.loop, &peer.pipe, 1);
  if (sc_try(err) != 0 || sc_try(uv_pipe_open(&peer.pipe, fds[1])) != 0) {
    close(fds[1]);
    return sc_run();
  }
  if (sc_try(uv_tcp_init(&sc.loop, &sent)) == 0 &&
      sc_try(uv_tcp_bind(&sent, (struct sockaddr*) &addr, 0)) == 0 &&
      sc_try(uv_listen((uv_stream_t*) &sent, 1, on_connection)) == 0 &&
      sc_try(uv_read_start(&peer.stream, sc_alloc, on_ipc_read)) == 0)
    sc_expect(uv_write2(&write_reqs[0], &client.stream, &buf, 1,
                        (uv_stream_t*) &sent, on_ipc_write));
  sc_run();
}

/* ------------------------------------------------------------------------- */

static uv_udp_t udp[2];
static uv_udp_send_t send_reqs[4];
static int datagrams;

static void udp_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  static char space[4 * 65536];
  (void) handle;
  (void) size;
  *buf = uv_buf_init(space, sizeof(space));
}

static void on_datagram(uv_udp_t* handle,
                        ssize_t n,
                        const uv_buf_t* buf,
                        const struct sockaddr* addr,
                        unsigned flags) {
  (void) handle;
  (void) flags;
  if (n < 0) {
    sc_fail((int) n);
    return;
  }
  if (addr == NULL)
    return;
  SC_CHECK(n == 4 && memcmp(buf->base, "ping", 4) == 0);
  if (++datagrams == 4) {
    sc.goal = 1;
    sc_close_all();
  }
}

static void on_sent(uv_udp_send_t* req, int status) {
  (void) req;
  sc_arrived();
  if (status != 0)
    sc_fail(status);
}

void scenario_udp(void) {
  struct sockaddr_in addr = sc_loopback(0);
  int len = sizeof(addr);
  uv_buf_t buf = uv_buf_init((char*) "ping", 4);

  datagrams = 0;
  if (sc_try(uv_udp_init_ex(&sc.loop, &udp[0], AF_INET | UV_UDP_RECVMMSG)) !=
          0 ||
      sc_try(uv_udp_init(&sc.loop, &udp[1])) != 0 ||
      sc_try(uv_udp_bind(&udp[0], (struct sockaddr*) &addr,
                         UV_UDP_REUSEADDR)) != 0 ||
      sc_try(uv_udp_getsockname(&udp[0], (struct sockaddr*) &addr, &len)) !=
          0 ||
      sc_try(uv_udp_recv_start(&udp[0], udp_alloc, on_datagram)) != 0)
    return sc_run();
  for (int i = 0; i < 2; i++)
    if (sc_expect(uv_udp_send(&send_reqs[i], &udp[1], &buf, 1,
                              (struct sockaddr*) &addr, on_sent)) != 0)
      return sc_run();
  uv_buf_t* lists[2] = { &buf, &buf };
  unsigned counts[2] = { 1, 1 };
  struct sockaddr* to[2] = { (struct sockaddr*) &addr,
                             (struct sockaddr*) &addr };
  int n = uv_udp_try_send2(&udp[1], 2, lists, counts, to, 0);
  SC_CHECK(n < 0 || n <= 2);
  for (int i = n < 0 ? 0 : n; i < 2 && sc.err == 0; i++)
    sc_expect(uv_udp_send(&send_reqs[2 + i], &udp[1], &buf, 1,
                          (struct sockaddr*) &addr, on_sent));
  sc_run();
}

void scenario_udp_options(void) {
  struct sockaddr_in addr = sc_loopback(0);
  uv_buf_t buf = uv_buf_init((char*) "ping", 4);
  int size = 0;

  if (sc_try(uv_udp_init(&sc.loop, &udp[0])) != 0 ||
      sc_try(uv_udp_bind(&udp[0], (struct sockaddr*) &addr, 0)) != 0 ||
      sc_try(uv_udp_set_broadcast(&udp[0], 1)) != 0 ||
      sc_try(uv_udp_set_ttl(&udp[0], 4)) != 0 ||
      sc_try(uv_udp_set_multicast_loop(&udp[0], 1)) != 0 ||
      sc_try(uv_udp_set_multicast_ttl(&udp[0], 2)) != 0 ||
      sc_try(uv_udp_set_multicast_interface(&udp[0], "127.0.0.1")) != 0 ||
      sc_try(uv_udp_set_membership(&udp[0], "239.255.0.1", "127.0.0.1",
                                   UV_JOIN_GROUP)) != 0 ||
      sc_try(uv_send_buffer_size((uv_handle_t*) &udp[0], &size)) != 0)
    return sc_run();
  int len = sizeof(addr);
  if (sc_try(uv_udp_getsockname(&udp[0], (struct sockaddr*) &addr, &len)) !=
          0 ||
      sc_try(uv_udp_init(&sc.loop, &udp[1])) != 0 ||
      sc_try(uv_udp_connect(&udp[1], (struct sockaddr*) &addr)) != 0 ||
      sc_try(uv_udp_getpeername(&udp[1], (struct sockaddr*) &addr, &len)) != 0)
    return sc_run();
  int n = uv_udp_try_send(&udp[1], &buf, 1, NULL);
  if (n < 0 && n != UV_EAGAIN)
    sc_fail(n);
  else
    sc.goal = 1;
  sc_close_all();
  sc_run();
}

/* ------------------------------------------------------------------------- */

static size_t quic_bytes;

/* "ping" alone, or several that came as one. */
static void on_quic(uv_udp_t* handle,
                    ssize_t n,
                    const uv_buf_t* buf,
                    const struct sockaddr* addr,
                    unsigned flags) {
  uvx_udp_recv_info_t info = { .size = sizeof(info) };

  (void) flags;
  if (n < 0) {
    sc_fail((int) n);
    return;
  }
  if (addr == NULL)
    return;
  SC_CHECK(n % 4 == 0 && n <= 8 && memcmp(buf->base, "ping", 4) == 0);
  SC_CHECK(uvx_udp_recv_info(handle, &info) == 0);
  SC_CHECK(info.tos == 1);
  quic_bytes += (size_t) n;
  if (quic_bytes == 20) {
    sc.goal = 1;
    sc_close_all();
  }
}

/* A refused mask has changed nothing. */
static void check_unasked(const uv_udp_t* handle) {
  static const int names[] = { IP_RECVTOS, IP_RECVTTL, IP_PKTINFO };
  uv_os_fd_t fd;

  SC_CHECK(uv_fileno((const uv_handle_t*) handle, &fd) == 0);
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    int value = 0;
    socklen_t len = sizeof(value);
    SC_CHECK(getsockopt(fd, IPPROTO_IP, names[i], &value, &len) == 0);
    SC_CHECK(value == 0);
  }
}

static int quic_open(struct sockaddr_in* addr) {
  struct sockaddr_in any = sc_loopback(0);
  int len = sizeof(*addr);

  if (sc_try(uv_udp_init(&sc.loop, &udp[0])) != 0 ||
      sc_try(uv_udp_init(&sc.loop, &udp[1])) != 0 ||
      sc_try(uv_udp_bind(&udp[0], (struct sockaddr*) addr, 0)) != 0 ||
      sc_try(uv_udp_bind(&udp[1], (struct sockaddr*) &any, 0)) != 0 ||
      sc_try(uv_udp_getsockname(&udp[0], (struct sockaddr*) addr, &len)) != 0 ||
      sc_try(uvx_udp_set_tos(&udp[1], 0)) != 0 ||
      sc_try(uvx_udp_set_dontfrag(&udp[1], 1)) != 0)
    return 1;
  int err = uvx_udp_set_recv_info(
      &udp[0], UVX_UDP_TOS | UVX_UDP_TTL | UVX_UDP_PKTINFO | UVX_UDP_SEGMENT);
  if (err != 0 && fault_count() == 1) /* undoing it was not refused */
    check_unasked(&udp[0]);
  if (sc_try(err) != 0)
    return 1;
  return sc_try(uv_udp_recv_start(&udp[0], udp_alloc, on_quic));
}

void scenario_udp_quic(void) {
  struct sockaddr_in addr = sc_loopback(0);
  uv_buf_t bufs[2] = { uv_buf_init((char*) "ping", 4),
                       uv_buf_init((char*) "ping", 4) };
  uvx_udp_send_options_t options = { .size = sizeof(options) };

  quic_bytes = 0;
  if (quic_open(&addr) != 0)
    return sc_run();
  options.flags = UVX_UDP_TOS | UVX_UDP_SEGMENT;
  options.tos = 1;
  options.segment_size = 4;
  uv_buf_t* lists[1] = { bufs };
  unsigned counts[1] = { 1 };
  struct sockaddr* to[1] = { (struct sockaddr*) &addr };
  int n = uvx_udp_try_send(&udp[1], 1, lists, counts, to, &options);
  SC_CHECK(n < 0 || n == 1);
  /* 4 bytes, or as much as a request instead; then 8 and 8. */
  if (n < 0)
    sc_expect(uvx_udp_send(&send_reqs[0], &udp[1], bufs, 1,
                           (struct sockaddr*) &addr, &options, on_sent));
  for (int i = 1; i < 3 && sc.err == 0; i++)
    sc_expect(uvx_udp_send(&send_reqs[i], &udp[1], bufs, 2,
                           (struct sockaddr*) &addr, &options, on_sent));
  sc_run();
}
