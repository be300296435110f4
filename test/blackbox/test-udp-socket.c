/* SPDX-License-Identifier: MIT */
/* UDP sockets that somebody else created or bound, and sockets that share a
 * port. */
#include "test.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static uv_loop_t loop;
static uv_udp_t receiver;
static uv_udp_t sender;
static struct sockaddr_in addr; /* the receiver's */
static int sent;
static uv_buf_t text;

static void setup(void) {
  text = uv_buf_init((char*) "hello", 5);
  addr = test_loopback();
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_udp_init(&loop, &receiver));
  ASSERT_OK(uv_udp_bind(&receiver, (struct sockaddr*) &addr, 0));
  addr = test_udp_address(&receiver);
}

static int fd_of(uv_udp_t* handle) {
  uv_os_fd_t fd;

  ASSERT_OK(uv_fileno((uv_handle_t*) handle, &fd));
  return fd;
}

static void bind_fd(int fd) {
  struct sockaddr_in any = test_loopback();
  ASSERT_EQ(0, bind(fd, (struct sockaddr*) &any, sizeof(any)));
}

static void on_send(uv_udp_send_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  sent++;
}

static void on_recv(uv_udp_t* handle,
                    ssize_t nread,
                    const uv_buf_t* buf,
                    const struct sockaddr* from,
                    unsigned flags) {
  (void) handle;
  (void) buf;
  (void) from;
  (void) flags;
  ASSERT_EQ(0, nread);
}

/* The sender sends, queues and receives. */
static void use_sender(void) {
  uv_udp_send_t req;
  struct sockaddr* to = (struct sockaddr*) &addr;

  ASSERT_EQ(5, uv_udp_try_send(&sender, &text, 1, to));
  ASSERT_OK(uv_udp_send(&req, &sender, &text, 1, to, on_send));
  ASSERT_OK(uv_udp_recv_start(&sender, test_alloc, on_recv));
  ASSERT_OK(uv_udp_recv_stop(&sender));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, sent);
  test_close_loop(&loop);
}

TEST_IMPL(udp_opened_then_bound_by_the_program) {
  setup();
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  ASSERT_OK(uv_udp_init(&loop, &sender));
  ASSERT_OK(uv_udp_open(&sender, fd));
  bind_fd(fd);
  use_sender();
  return 0;
}

TEST_IMPL(udp_created_early_then_bound_by_the_program) {
  setup();
  ASSERT_OK(uv_udp_init_ex(&loop, &sender, AF_INET));
  bind_fd(fd_of(&sender));
  use_sender();
  return 0;
}

TEST_IMPL(udp_opened_then_bound_by_sendto) {
  setup();
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  ASSERT_OK(uv_udp_init(&loop, &sender));
  ASSERT_OK(uv_udp_open(&sender, fd));
  ASSERT_EQ(1, sendto(fd, "x", 1, 0, (struct sockaddr*) &addr, sizeof(addr)));
  use_sender();
  return 0;
}

TEST_IMPL(udp_bound_by_try_send2) {
  uv_buf_t* bufs[] = { &text };
  unsigned int nbufs[] = { 1 };
  struct sockaddr* addrs[] = { (struct sockaddr*) &addr };

  setup();
  ASSERT_OK(uv_udp_init_ex(&loop, &sender, AF_INET));
  ASSERT_EQ(1, uv_udp_try_send2(&sender, 1, bufs, nbufs, addrs, 0));
  use_sender();
  return 0;
}

/* Receiving does not bind a socket that existed before. */
TEST_IMPL(udp_recv_start_then_bind) {
  struct sockaddr_in any = test_loopback();

  setup();
  ASSERT_OK(uv_udp_init_ex(&loop, &sender, AF_INET));
  ASSERT_OK(uv_udp_recv_start(&sender, test_alloc, on_recv));
  ASSERT_EQ(0, test_udp_address(&sender).sin_port);
  ASSERT_OK(uv_udp_bind(&sender, (struct sockaddr*) &any, 0));
  ASSERT_NE(0, test_udp_address(&sender).sin_port);
  ASSERT_OK(uv_udp_recv_stop(&sender));
  use_sender();
  return 0;
}

/* It binds a socket that it creates. */
TEST_IMPL(udp_recv_start_binds_its_own_socket) {
  struct sockaddr_in any = test_loopback();

  setup();
  ASSERT_OK(uv_udp_init(&loop, &sender));
  ASSERT_OK(uv_udp_recv_start(&sender, test_alloc, on_recv));
  ASSERT_NE(0, test_udp_address(&sender).sin_port);
  ASSERT_ERR(UV_EINVAL, uv_udp_bind(&sender, (struct sockaddr*) &any, 0));
  test_close_loop(&loop);
  return 0;
}

/* If one address is wrong, nothing is sent. */
TEST_IMPL(udp_try_send2_checks_all_addresses) {
  uv_buf_t* bufs[] = { &text, &text };
  unsigned int nbufs[] = { 1, 1 };
  struct sockaddr* to = (struct sockaddr*) &addr;
  struct sockaddr* both[] = { to, to };
  struct sockaddr* first[] = { to, NULL };
  struct sockaddr* second[] = { NULL, to };
  struct sockaddr* none[] = { NULL, NULL };
  char byte;

  setup();
  ASSERT_OK(uv_udp_init_ex(&loop, &sender, AF_INET));
  ASSERT_ERR(UV_EDESTADDRREQ,
             uv_udp_try_send2(&sender, 2, bufs, nbufs, first, 0));
  ASSERT_ERR(UV_EDESTADDRREQ,
             uv_udp_try_send2(&sender, 2, bufs, nbufs, none, 0));
  ASSERT_OK(uv_udp_connect(&sender, to));
  ASSERT_ERR(UV_EISCONN, uv_udp_try_send2(&sender, 2, bufs, nbufs, both, 0));
  ASSERT_ERR(UV_EISCONN, uv_udp_try_send2(&sender, 2, bufs, nbufs, first, 0));
  ASSERT_ERR(UV_EISCONN, uv_udp_try_send2(&sender, 2, bufs, nbufs, second, 0));
  ASSERT_EQ(-1, recv(fd_of(&receiver), &byte, 1, MSG_DONTWAIT));
  ASSERT_EQ(2, uv_udp_try_send2(&sender, 2, bufs, nbufs, none, 0));
  /* Checked before anything else. */
  uv_udp_send_t req;
  ASSERT_OK(uv_udp_send(&req, &sender, &text, 1, NULL, on_send));
  ASSERT_ERR(UV_EISCONN, uv_udp_try_send2(&sender, 2, bufs, nbufs, both, 0));
  ASSERT_ERR(UV_EAGAIN, uv_udp_try_send2(&sender, 2, bufs, nbufs, none, 0));
  test_close_loop(&loop);
  return 0;
}

/* Without load balancing there is nothing to test. */
static void need_reuseport(int err) {
  if (err == UV_ENOTSUP)
    SKIP("the system does not balance sockets that share a port");
  ASSERT_OK(err);
}

/* UV_UDP_REUSEPORT adds to UV_UDP_REUSEADDR, it does not replace it. */
TEST_IMPL(udp_reuseport_joins_reuseaddr) {
  unsigned both = UV_UDP_REUSEADDR | UV_UDP_REUSEPORT;
  uv_udp_t first;

  setup();
  addr = test_loopback();
  ASSERT_OK(uv_udp_init(&loop, &first));
  ASSERT_OK(uv_udp_bind(&first, (struct sockaddr*) &addr, UV_UDP_REUSEADDR));
  addr = test_udp_address(&first);
  ASSERT_OK(uv_udp_init(&loop, &sender));
  need_reuseport(uv_udp_bind(&sender, (struct sockaddr*) &addr, both));
  test_close_loop(&loop);
  return 0;
}

static void on_connection(uv_stream_t* server, int status) {
  (void) server;
  ASSERT_OK(status);
}

/* Leaves a connection of the address in TIME_WAIT: the accepted end closes
 * first. */
static void leave_time_wait(struct sockaddr_in* local) {
  int server = socket(AF_INET, SOCK_STREAM, 0);
  int client = socket(AF_INET, SOCK_STREAM, 0);
  socklen_t len = sizeof(*local);
  int on = 1;
  char byte;

  *local = test_loopback();
  /* Both need it: the connection and the later bind. */
  ASSERT_EQ(0, setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)));
  ASSERT_EQ(0, bind(server, (struct sockaddr*) local, len));
  ASSERT_EQ(0, getsockname(server, (struct sockaddr*) local, &len));
  ASSERT_EQ(0, listen(server, 1));
  ASSERT_EQ(0, connect(client, (struct sockaddr*) local, len));
  int accepted = accept(server, NULL, NULL);
  ASSERT_GE(accepted, 0);
  test_close_socket(accepted);
  ASSERT_EQ(0, recv(client, &byte, 1, 0));
  test_close_socket(client);
  test_close_socket(server);
}

TEST_IMPL(tcp_reuseport_binds_over_time_wait) {
  uv_tcp_t server;

  ASSERT_OK(uv_loop_init(&loop));
  leave_time_wait(&addr);
  ASSERT_OK(uv_tcp_init(&loop, &server));
  need_reuseport(
      uv_tcp_bind(&server, (struct sockaddr*) &addr, UV_TCP_REUSEPORT));
  ASSERT_OK(uv_listen((uv_stream_t*) &server, 1, on_connection));
  test_close_loop(&loop);
  return 0;
}

/* An opened IPv6 socket is known as one: options without an address apply to
 * IPv6. */
TEST_IMPL(udp_opened_ipv6_socket) {
  int fd = socket(AF_INET6, SOCK_DGRAM, 0);

  if (fd < 0)
    SKIP("no IPv6 here");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_udp_init(&loop, &sender));
  ASSERT_OK(uv_udp_open_ex(&sender, fd, UV_UDP_REUSEADDR));
  ASSERT_OK(uv_udp_set_multicast_interface(&sender, NULL));
  ASSERT_OK(uv_udp_set_multicast_ttl(&sender, 3));
  int hops = 0;
  socklen_t len = sizeof(hops);
  ASSERT_EQ(0, getsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hops, &len));
  ASSERT_EQ(3, hops);
  test_close_loop(&loop);
  return 0;
}

/* Goal: a request keeps its own array of buffers, of any length. Method: a
 * first send waits in the queue, since the peer, a unix socket, is full. */
TEST_IMPL(udp_queued_send_of_many_buffers) {
  enum { PARTS = 9 };
  uv_udp_send_t req;
  uv_buf_t parts[PARTS];
  char got[1024];
  ssize_t n;
  int fds[2];

  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM, 0, fds));
  text = uv_buf_init((char*) "hello", 5);
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_udp_init(&loop, &sender));
  ASSERT_OK(uv_udp_open(&sender, fds[0]));
  while ((n = uv_udp_try_send(&sender, &text, 1, NULL)) == 5)
    continue;
  ASSERT_ERR(UV_EAGAIN, n);
  for (int i = 0; i < PARTS; i++)
    parts[i] = uv_buf_init((char*) "0123456789" + i, 1);
  ASSERT_OK(uv_udp_send(&req, &sender, parts, PARTS, NULL, on_send));
  ASSERT_EQ(1, uv_udp_get_send_queue_count(&sender));
  ASSERT_EQ(PARTS, uv_udp_get_send_queue_size(&sender));
  memset(parts, 0, sizeof(parts));
  while ((n = recv(fds[1], got, sizeof(got), MSG_DONTWAIT)) == 5)
    continue;
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, sent);
  ASSERT_EQ(PARTS, recv(fds[1], got, sizeof(got), MSG_DONTWAIT));
  ASSERT_MEM_EQ("012345678", got, PARTS);
  test_close_loop(&loop);
  close(fds[1]);
  return 0;
}

TEST_IMPL(udp_opened_socket_shares_its_port) {
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  int on = 0;
  socklen_t len = sizeof(on);

  ASSERT_GE(fd, 0);
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_udp_init(&loop, &sender));
  need_reuseport(uv_udp_open_ex(&sender, fd, UV_UDP_REUSEPORT));
  ASSERT_EQ(0, getsockopt(fd, SOL_SOCKET, TEST_REUSEPORT, &on, &len));
  ASSERT_NE(0, on);
  test_close_loop(&loop);
  return 0;
}

/* The first batch is sent, the second refused: the number of the first. */
TEST_IMPL(udp_try_send2_stops_at_a_bad_batch) {
  enum { COUNT = 100, BATCH = 64 };
  uv_buf_t* bufs[COUNT];
  unsigned nbufs[COUNT];
  struct sockaddr* addrs[COUNT];
  struct sockaddr_in bad;

  setup();
  ASSERT_OK(uv_udp_init_ex(&loop, &sender, AF_INET));
  /* Broadcasts are refused unless they are enabled. */
  ASSERT_OK(uv_ip4_addr("255.255.255.255", 9, &bad));
  for (int i = 0; i < COUNT; i++) {
    bufs[i] = &text;
    nbufs[i] = 1;
    addrs[i] = (struct sockaddr*) (i < BATCH ? &addr : &bad);
  }
  int n = uv_udp_try_send2(&sender, COUNT, bufs, nbufs, addrs, 0);
  ASSERT_EQ(BATCH, n);
  ASSERT_ERR(UV_EACCES, uv_udp_try_send2(&sender, 2, bufs + BATCH,
                                         nbufs + BATCH, addrs + BATCH, 0));
  ASSERT_ERR(UV_EACCES, uv_udp_try_send2(&sender, 1, bufs + BATCH,
                                         nbufs + BATCH, addrs + BATCH, 0));
  test_close_loop(&loop);
  return 0;
}

/* Joining a group creates and binds the socket, even if the kernel has no
 * interface for the group. */
TEST_IMPL(udp_membership_binds_its_own_socket) {
  struct sockaddr_in name;
  int len = sizeof(name);

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_udp_init(&loop, &receiver));
  int err =
      uv_udp_set_membership(&receiver, "239.255.7.7", NULL, UV_JOIN_GROUP);
  ASSERT(err == 0 || err == UV_ENODEV);
  ASSERT_OK(uv_udp_getsockname(&receiver, (struct sockaddr*) &name, &len));
  ASSERT_NE(0, name.sin_port);
  test_close_loop(&loop);
  return 0;
}

/* A datagram that does not fit: `room` bytes of it, marked as partial. */
static char arrived[70000];
static size_t room;
static int partial;

static void alloc_room(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  (void) handle;
  (void) size;
  *buf = uv_buf_init(arrived, (unsigned int) room);
}

static void on_truncated(uv_udp_t* handle,
                         ssize_t nread,
                         const uv_buf_t* buf,
                         const struct sockaddr* from,
                         unsigned flags) {
  (void) buf;
  (void) from;
  ASSERT_EQ(room, (size_t) nread);
  ASSERT_EQ(UV_UDP_PARTIAL, flags);
  partial++;
  uv_close((uv_handle_t*) handle, NULL);
}

TEST_IMPL(udp_recv_truncated) {
  setup();
  room = 4;
  ASSERT_OK(uv_udp_recv_start(&receiver, alloc_room, on_truncated));
  ASSERT_OK(uv_udp_init(&loop, &sender));
  ASSERT_EQ(5,
            uv_udp_try_send(&sender, &text, 1, (const struct sockaddr*) &addr));
  uv_close((uv_handle_t*) &sender, NULL);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, partial);
  test_close_loop(&loop);
  return 0;
}

/* No IP datagram is larger than the buffer that uv_alloc_cb is asked for, but
 * one of another family may be, where the system lets it. */
TEST_IMPL(udp_recv_truncated_unix_datagram) {
  int space = 2 * (int) sizeof(arrived);
  int pair[2];

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_udp_init(&loop, &receiver));
  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
  ASSERT_OK(uv_udp_open(&receiver, pair[0]));
  room = 64 * 1024;
  ASSERT_OK(uv_udp_recv_start(&receiver, alloc_room, on_truncated));
  for (int i = 0; i < 2; i++) /* the BSDs need to be asked for the space */
    ASSERT_EQ(0, setsockopt(pair[i], SOL_SOCKET, i == 0 ? SO_RCVBUF : SO_SNDBUF,
                            &space, sizeof(space)));
  ssize_t n = send(pair[1], arrived, sizeof(arrived), 0);
  if (n == -1 && (errno == EMSGSIZE || errno == ENOBUFS))
    SKIP("the system limits the datagrams of unix sockets");
  ASSERT_EQ(sizeof(arrived), n);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, partial);
  close(pair[1]);
  test_close_loop(&loop);
  return 0;
}
