/* SPDX-License-Identifier: MIT */
/* Options of datagrams and of their sockets arrive, each with its own datagram
 * only, and what was not asked for is not told. Method: a receiver on loopback
 * asks for everything; the system's own figures are known there. */
#include "udp-world.h"

#define W udp_world

static uv_udp_send_t reqs[UDP_WORLD_MAX];

static uvx_udp_send_options_t with_tos(int tos) {
  uvx_udp_send_options_t options = { .size = sizeof(options) };

  options.flags = UVX_UDP_TOS;
  options.tos = tos;
  return options;
}

/* ---- what is refused ---- */

TEST_IMPL(udp_options_bad_arguments) {
  uv_loop_t loop;
  uv_udp_t udp;
  size_t mtu = 7;
  uvx_udp_recv_info_t info = { .size = sizeof(info) };
  struct sockaddr_in addr = test_loopback();

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_ERR(UV_EBADF, uvx_udp_set_tos(&udp, 1));
  ASSERT_ERR(UV_EBADF, uvx_udp_set_dontfrag(&udp, 1));
  ASSERT_ERR(UV_EBADF, uvx_udp_set_recv_info(&udp, UVX_UDP_TTL));
  ASSERT_ERR(UV_EBADF, uvx_udp_get_mtu(&udp, &mtu));
  ASSERT_OK(uv_udp_bind(&udp, (struct sockaddr*) &addr, 0));
  ASSERT_ERR(UV_EINVAL, uvx_udp_set_tos(&udp, -1));
  ASSERT_ERR(UV_EINVAL, uvx_udp_set_tos(&udp, 256));
  ASSERT_ERR(UV_EINVAL, uvx_udp_set_tos(NULL, 1));
  ASSERT_ERR(UV_EINVAL, uvx_udp_set_dontfrag(NULL, 1));
  ASSERT_ERR(UV_EINVAL, uvx_udp_get_mtu(&udp, NULL));
  ASSERT_ERR(UV_EINVAL, uvx_udp_get_mtu(NULL, &mtu));
  ASSERT_ERR(UV_ENOTCONN, uvx_udp_get_mtu(&udp, &mtu));
  ASSERT_EQ(7, mtu);
  ASSERT_ERR(UV_EINVAL, uvx_udp_set_recv_info(&udp, 16));
  ASSERT_ERR(UV_EINVAL, uvx_udp_set_recv_info(NULL, 0));
  ASSERT_OK(uvx_udp_set_recv_info(&udp, 0));
  ASSERT_ERR(UV_EINVAL, uvx_udp_recv_info(&udp, &info));
  ASSERT_ERR(UV_EINVAL, uvx_udp_recv_info(&udp, NULL));
  ASSERT_ERR(UV_EINVAL, uvx_udp_recv_info(NULL, &info));
  uv_close((uv_handle_t*) &udp, NULL);
  ASSERT_ERR(UV_EINVAL, uvx_udp_set_tos(&udp, 1));
  ASSERT_ERR(UV_EINVAL, uvx_udp_set_dontfrag(&udp, 1));
  ASSERT_ERR(UV_EINVAL, uvx_udp_set_recv_info(&udp, 0));
  test_close_loop(&loop);
  return 0;
}

/* With a request that is not used again. */
static int send_with(const uvx_udp_send_options_t* options) {
  static uv_udp_send_t more_reqs[20];
  static int used;
  uv_buf_t buf = uv_buf_init((char*) "x", 1);

  ASSERT_LT(used, (int) ARRAY_SIZE(more_reqs));
  return uvx_udp_send(&more_reqs[used++], &W.sender, &buf, 1,
                      (struct sockaddr*) &W.to, options, udp_world_on_sent);
}

static int try_with(const uvx_udp_send_options_t* options) {
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  uv_buf_t* bufs = &buf;
  unsigned nbufs = 1;
  struct sockaddr* to = (struct sockaddr*) &W.to;

  return uvx_udp_try_send(&W.sender, 1, &bufs, &nbufs, &to, options);
}

TEST_IMPL(udp_options_bad_send_options) {
  static const struct sockaddr unix_addr = { .sa_family = AF_UNIX };
  static const uvx_udp_send_options_t bad[] = {
    { .size = 0 },
    { .size = sizeof(bad[0]) - 1 },
    { .size = sizeof(bad[0]), .flags = UVX_UDP_TTL },
    { .size = sizeof(bad[0]), .flags = 16 },
    { .size = sizeof(bad[0]), .flags = UVX_UDP_TOS, .tos = -1 },
    { .size = sizeof(bad[0]), .flags = UVX_UDP_TOS, .tos = 256 },
    { .size = sizeof(bad[0]), .flags = UVX_UDP_PKTINFO },
    { .size = sizeof(bad[0]), .flags = UVX_UDP_PKTINFO, .src = &unix_addr },
    { .size = sizeof(bad[0]), .flags = UVX_UDP_SEGMENT },
    { .size = sizeof(bad[0]), .flags = UVX_UDP_SEGMENT, .segment_size = 65536 },
  };
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  uv_buf_t* bufs = &buf;
  unsigned nbufs = 1;

  udp_world_begin(UDP_WORLD_V4, 0);
  for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
    ASSERT_ERR(UV_EINVAL, send_with(&bad[i]));
    ASSERT_ERR(UV_EINVAL, try_with(&bad[i]));
  }
  ASSERT_ERR(UV_EINVAL, uvx_udp_send(NULL, &W.sender, &buf, 1,
                                     (struct sockaddr*) &W.to, NULL, NULL));
  ASSERT_ERR(UV_EINVAL,
             uvx_udp_send(&reqs[0], NULL, &buf, 1, NULL, NULL, NULL));
  ASSERT_ERR(UV_EDESTADDRREQ,
             uvx_udp_send(&reqs[0], &W.sender, &buf, 1, NULL, NULL, NULL));
  ASSERT_ERR(UV_EINVAL, uvx_udp_try_send(NULL, 1, &bufs, &nbufs, NULL, NULL));
  uvx_udp_send_options_t none = { .size = sizeof(none) };
  ASSERT_ERR(UV_EINVAL,
             uvx_udp_try_send(&W.sender, 0, &bufs, &nbufs, NULL, &none));
  ASSERT_ERR(UV_EDESTADDRREQ,
             uvx_udp_try_send(&W.sender, 1, &bufs, &nbufs, NULL, &none));
  /* Without options it is the plain call. */
  ASSERT_EQ(1, try_with(NULL));
  ASSERT_EQ(1, try_with(&none));
  ASSERT_OK(send_with(NULL));
  ASSERT_OK(send_with(&none));
  udp_world_expect(4);
  udp_world_end();
  return 0;
}

/* ---- type of service, time to live, addresses ---- */

/* All but the segment size, which is there only if there are segments. */
static void check_all(const struct udp_world_datagram* got, int tos) {
  ASSERT_OK(got->info_err);
  ASSERT_EQ(UVX_UDP_TOS | UVX_UDP_TTL | UVX_UDP_PKTINFO, got->info.valid);
  ASSERT_EQ(tos, got->info.tos);
  ASSERT_GT(got->info.ttl, 1);
  ASSERT(udp_world_is_host(&got->info.dst, "127.0.0.1"));
  ASSERT_EQ(W.to.ss_family, got->info.dst.ss_family);
  ASSERT_EQ(0, ((const struct sockaddr_in*) &got->info.dst)->sin_port);
  ASSERT_EQ(0, got->info.segment_size);
  ASSERT_EQ(sizeof(got->info), got->info.size);
}

/* Sent one after the other, and queued; with and without options. */
static void tos_of_each(enum udp_world_kind kind, unsigned flags) {
  enum { MANY = 150 };
  static int numbers[MANY];

  udp_world_begin(kind, flags);
  udp_world_ask(UVX_UDP_TOS | UVX_UDP_TTL | UVX_UDP_PKTINFO);
  for (int i = 0; i < MANY; i++) {
    uvx_udp_send_options_t options = with_tos(i);
    numbers[i] = i;
    udp_world_send(&reqs[i], &numbers[i], sizeof(i),
                   i % 3 == 0 ? NULL : &options);
    if (i % 50 == 49)
      udp_world_expect(i + 1); /* a socket has room for so many */
  }
  for (int i = 0; i < MANY; i++) {
    ASSERT_EQ(sizeof(i), W.got[i].nread);
    ASSERT_MEM_EQ(&i, W.got[i].data, sizeof(i));
    check_all(&W.got[i], i % 3 == 0 ? 0 : i);
  }
  while (W.sent_count < MANY)
    uv_run(&W.loop, UV_RUN_ONCE);
  ASSERT_OK(W.sent_status);
  udp_world_end();
}

TEST_IMPL(udp_options_tos_of_each) {
  tos_of_each(UDP_WORLD_V4, 0);
  return 0;
}

TEST_IMPL(udp_options_tos_of_each6) {
  tos_of_each(UDP_WORLD_V6, 0);
  return 0;
}

TEST_IMPL(udp_options_tos_of_each_mapped) {
  tos_of_each(UDP_WORLD_MAPPED, 0);
  return 0;
}

TEST_IMPL(udp_options_tos_of_each_recvmmsg) {
  tos_of_each(UDP_WORLD_V4, UV_UDP_RECVMMSG);
  return 0;
}

TEST_IMPL(udp_options_tos_of_each_recvmmsg6) {
  tos_of_each(UDP_WORLD_V6, UV_UDP_RECVMMSG);
  return 0;
}

/* The socket's own, and a datagram that differs. */
static void tos_of_socket(enum udp_world_kind kind) {
  uvx_udp_send_options_t options = with_tos(2);

  udp_world_begin(kind, 0);
  udp_world_ask(UVX_UDP_TOS | UVX_UDP_TTL | UVX_UDP_PKTINFO);
  int err = uvx_udp_set_tos(&W.sender, 0x29);
  if (err == UV_ENOTSUP)
    SKIP("no type of service here");
  ASSERT_OK(err);
  udp_world_send(&reqs[0], "1", 1, NULL);
  udp_world_send(&reqs[1], "2", 1, &options);
  udp_world_send(&reqs[2], "3", 1, NULL);
  udp_world_expect(3);
  check_all(&W.got[0], 0x29);
  check_all(&W.got[1], 2);
  check_all(&W.got[2], 0x29);
  udp_world_end();
}

TEST_IMPL(udp_options_tos_of_socket) {
  tos_of_socket(UDP_WORLD_V4);
  return 0;
}

TEST_IMPL(udp_options_tos_of_socket6) {
  tos_of_socket(UDP_WORLD_V6);
  return 0;
}

TEST_IMPL(udp_options_tos_of_socket_mapped) {
  tos_of_socket(UDP_WORLD_MAPPED);
  return 0;
}

/* A connected handle has no address in its sends. */
static void tos_connected(enum udp_world_kind kind) {
  uvx_udp_send_options_t options = with_tos(77);
  uv_buf_t buf = uv_buf_init((char*) "c", 1);
  uv_buf_t* bufs = &buf;
  unsigned nbufs = 1;

  udp_world_begin(kind, 0);
  udp_world_ask(UVX_UDP_TOS | UVX_UDP_TTL | UVX_UDP_PKTINFO);
  ASSERT_OK(uv_udp_connect(&W.sender, (struct sockaddr*) &W.to));
  int err = uvx_udp_send(&reqs[0], &W.sender, &buf, 1, NULL, &options,
                         udp_world_on_sent);
  if (err == UV_ENOTSUP)
    SKIP("the system has no such options of datagrams");
  ASSERT_OK(err);
  ASSERT_OK(uvx_udp_send(&reqs[1], &W.sender, &buf, 1, NULL, &options,
                         udp_world_on_sent));
  udp_world_expect(2);
  while (W.sent_count < 2)
    uv_run(&W.loop, UV_RUN_ONCE);
  ASSERT_EQ(1, uvx_udp_try_send(&W.sender, 1, &bufs, &nbufs, NULL, &options));
  udp_world_expect(3);
  for (int i = 0; i < 3; i++)
    check_all(&W.got[i], 77);
  udp_world_end();
}

TEST_IMPL(udp_options_connected) {
  tos_connected(UDP_WORLD_V4);
  return 0;
}

TEST_IMPL(udp_options_connected6) {
  tos_connected(UDP_WORLD_V6);
  return 0;
}

TEST_IMPL(udp_options_connected_mapped) {
  tos_connected(UDP_WORLD_MAPPED);
  return 0;
}

/* An answer comes from where the question went, and by the same interface. */
static void source_of_answer(enum udp_world_kind kind, const char* source) {
  uvx_udp_send_options_t options = { .size = sizeof(options) };
  struct sockaddr_storage src;
  char name[80] = "::ffff:";

  udp_world_begin(kind, 0);
  udp_world_ask(UVX_UDP_PKTINFO);
  memset(&src, 0, sizeof(src));
  if (kind == UDP_WORLD_V4) {
    ASSERT_OK(uv_ip4_addr(source, 9, (struct sockaddr_in*) &src));
  } else {
    strncat(name, source, 40);
    ASSERT_OK(uv_ip6_addr(kind == UDP_WORLD_MAPPED ? name : "::1", 9,
                          (struct sockaddr_in6*) &src));
  }
  options.flags = UVX_UDP_PKTINFO;
  options.src = (struct sockaddr*) &src;
  udp_world_send(&reqs[0], "1", 1, &options);
  memset(&src, 0xff, sizeof(src)); /* it was copied */
  udp_world_send(&reqs[1], "2", 1, NULL);
  udp_world_expect(2);
  ASSERT_OK(W.sent_status);
  ASSERT_EQ(UVX_UDP_PKTINFO, W.got[0].info.valid);
  ASSERT(udp_world_is_host(&W.got[0].from, source));
  ASSERT(udp_world_is_host(&W.got[1].from, "127.0.0.1"));
  ASSERT_EQ(W.got[0].info.ifindex, W.got[1].info.ifindex);

  /* Back with what was told. */
  if (W.got[0].info.ifindex != 0) {
    options.src = NULL;
    options.ifindex = W.got[0].info.ifindex;
    udp_world_send(&reqs[2], "3", 1, &options);
    udp_world_expect(3);
    options.ifindex = 0x7ffffff0;
    ASSERT_OK(send_with(&options));
    W.sent_status = 0;
    while (W.sent_count < 4)
      uv_run(&W.loop, UV_RUN_ONCE);
    ASSERT_NE(0, W.sent_status); /* no such interface */
  }
  udp_world_end();
}

TEST_IMPL(udp_options_source) {
  source_of_answer(UDP_WORLD_V4, "127.0.0.1");
  return 0;
}

TEST_IMPL(udp_options_source6) {
  source_of_answer(UDP_WORLD_V6, "127.0.0.1");
  return 0;
}

TEST_IMPL(udp_options_source_mapped) {
  source_of_answer(UDP_WORLD_MAPPED, "127.0.0.1");
  return 0;
}

/* Of several addresses that a host has. */
TEST_IMPL(udp_options_second_source) {
  struct sockaddr_in second;
  uv_loop_t loop;
  uv_udp_t probe;

  ASSERT_OK(uv_ip4_addr("127.0.0.2", 0, &second));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_udp_init(&loop, &probe));
  if (uv_udp_bind(&probe, (struct sockaddr*) &second, 0) != 0)
    SKIP("no address 127.0.0.2");
  test_close_loop(&loop);
  source_of_answer(UDP_WORLD_V4, "127.0.0.2");
  source_of_answer(UDP_WORLD_MAPPED, "127.0.0.2");
  return 0;
}

/* A source of the other family. */
TEST_IMPL(udp_options_source_of_other_family) {
  uvx_udp_send_options_t options = { .size = sizeof(options) };
  struct sockaddr_in6 src6;
  struct sockaddr_in src4;

  ASSERT_OK(uv_ip6_addr("::1", 0, &src6));
  ASSERT_OK(uv_ip4_addr("127.0.0.1", 0, &src4));
  options.flags = UVX_UDP_PKTINFO;
  udp_world_begin(UDP_WORLD_V4, 0);
  options.src = (struct sockaddr*) &src6;
  int err = send_with(&options);
  if (err == UV_ENOTSUP)
    SKIP("the system has no such options of datagrams");
  ASSERT_ERR(UV_EINVAL, err);
  ASSERT_ERR(UV_EINVAL, try_with(&options));
  udp_world_end();
  udp_world_begin(UDP_WORLD_V6, 0);
  options.src = (struct sockaddr*) &src4;
  ASSERT_ERR(UV_EINVAL, send_with(&options));
  udp_world_end();
  return 0;
}

/* ---- segments ---- */

static uvx_udp_send_options_t with_segments(size_t size) {
  uvx_udp_send_options_t options = { .size = sizeof(options) };

  options.flags = UVX_UDP_SEGMENT;
  options.segment_size = size;
  return options;
}

static void segments(enum udp_world_kind kind) {
  static char data[2500];
  uvx_udp_send_options_t options = with_segments(1000);

  udp_world_begin(kind, 0);
  udp_world_send(&reqs[0], data, sizeof(data), &options);
  udp_world_send(&reqs[1], data, sizeof(data), NULL); /* a large one */
  udp_world_send(&reqs[2], data, sizeof(data), &options);
  udp_world_expect(7);
  static const ssize_t sizes[] = { 1000, 1000, 500, 2500, 1000, 1000, 500 };
  for (int i = 0; i < 7; i++) {
    ASSERT_EQ(sizes[i], W.got[i].nread);
    ASSERT_ERR(UV_EINVAL, W.got[i].info_err); /* not asked for */
  }
  udp_world_end();
}

TEST_IMPL(udp_options_segments) {
  segments(UDP_WORLD_V4);
  return 0;
}

TEST_IMPL(udp_options_segments6) {
  segments(UDP_WORLD_V6);
  return 0;
}

TEST_IMPL(udp_options_segments_mapped) {
  segments(UDP_WORLD_MAPPED);
  return 0;
}

/* Received as they were sent: in one piece, with its size. A datagram that is
 * alone has none. */
static void coalesced(enum udp_world_kind kind, unsigned flags) {
  static char data[2500];
  uvx_udp_send_options_t options = with_segments(1000);

  udp_world_begin(kind, flags);
  udp_world_ask(UVX_UDP_SEGMENT);
  udp_world_send(&reqs[0], data, sizeof(data), &options);
  udp_world_expect(1);
  udp_world_send(&reqs[1], data, 800, NULL);
  udp_world_expect(2);
  ASSERT_EQ(2500, W.got[0].nread);
  ASSERT_EQ(UVX_UDP_SEGMENT, W.got[0].info.valid);
  ASSERT_EQ(1000, W.got[0].info.segment_size);
  ASSERT_EQ(0, W.got[0].flags & UV_UDP_PARTIAL);
  ASSERT_EQ(800, W.got[1].nread);
  ASSERT_OK(W.got[1].info_err);
  ASSERT_EQ(0, W.got[1].info.valid);
  ASSERT_EQ(0, W.got[1].info.segment_size);
  udp_world_end();
}

TEST_IMPL(udp_options_coalesced) {
  coalesced(UDP_WORLD_V4, 0);
  return 0;
}

TEST_IMPL(udp_options_coalesced6) {
  coalesced(UDP_WORLD_V6, 0);
  return 0;
}

TEST_IMPL(udp_options_coalesced_recvmmsg) {
  coalesced(UDP_WORLD_V4, UV_UDP_RECVMMSG);
  return 0;
}

/* More than the kernel cuts at once, more than a datagram can have. */
TEST_IMPL(udp_options_too_many_segments) {
  static char data[70000];
  uvx_udp_send_options_t options = with_segments(10);
  uv_buf_t buf = uv_buf_init(data, 2000);
  uv_buf_t* bufs = &buf;
  unsigned nbufs = 1;
  struct sockaddr* to = (struct sockaddr*) &W.to;

  udp_world_begin(UDP_WORLD_V4, 0);
  udp_world_send(&reqs[0], data, 2000, &options); /* 200 of 10 bytes */
  uv_run(&W.loop, UV_RUN_NOWAIT);
  ASSERT_EQ(1, W.sent_count);
  ASSERT_ERR(UV_EMSGSIZE, W.sent_status);
  ASSERT_ERR(UV_EMSGSIZE,
             uvx_udp_try_send(&W.sender, 1, &bufs, &nbufs, &to, &options));
  options.segment_size = 1400;
  udp_world_send(&reqs[0], data, 70000, &options);
  uv_run(&W.loop, UV_RUN_NOWAIT);
  ASSERT_EQ(2, W.sent_count);
  ASSERT_ERR(UV_EMSGSIZE, W.sent_status);
  udp_world_end();
  return 0;
}

/* ---- many at once ---- */

/* The array's elements belong to their datagrams, over several system calls. */
static void try_send_many(enum udp_world_kind kind) {
  enum { MANY = 150 };
  static uvx_udp_send_options_t options[MANY];
  static int numbers[MANY];
  static uv_buf_t buf[MANY];
  uv_buf_t* bufs[MANY];
  unsigned nbufs[MANY];
  struct sockaddr* to[MANY];

  udp_world_begin(kind, 0);
  udp_world_ask(UVX_UDP_TOS | UVX_UDP_TTL | UVX_UDP_PKTINFO);
  for (int i = 0; i < MANY; i++) {
    numbers[i] = i;
    buf[i] = uv_buf_init((char*) &numbers[i], sizeof(numbers[i]));
    bufs[i] = &buf[i];
    nbufs[i] = 1;
    to[i] = (struct sockaddr*) &W.to;
    options[i] = with_tos(i);
    if (i % 5 == 4)
      options[i].flags = 0;
  }
  int n = uvx_udp_try_send(&W.sender, MANY, bufs, nbufs, to, options);
  if (n == UV_ENOTSUP)
    SKIP("the system has no such options of datagrams");
  ASSERT_EQ(MANY, n);
  udp_world_expect(MANY);
  for (int i = 0; i < MANY; i++) {
    ASSERT_MEM_EQ(&i, W.got[i].data, sizeof(i));
    check_all(&W.got[i], i % 5 == 4 ? 0 : i);
  }
  udp_world_end();
}

TEST_IMPL(udp_options_try_send_many) {
  try_send_many(UDP_WORLD_V4);
  return 0;
}

TEST_IMPL(udp_options_try_send_many6) {
  try_send_many(UDP_WORLD_V6);
  return 0;
}

/* What is before a datagram with impossible options is sent; it itself is the
 * next call's error. A wrong argument anywhere: nothing is sent. */
TEST_IMPL(udp_options_try_send_stops) {
  uvx_udp_send_options_t options[3] = { with_tos(1), with_tos(2), with_tos(3) };
  struct sockaddr_in6 src;
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  uv_buf_t* bufs[3] = { &buf, &buf, &buf };
  unsigned nbufs[3] = { 1, 1, 1 };
  struct sockaddr* each = (struct sockaddr*) &W.to;
  struct sockaddr* to[3] = { each, each, each };

  udp_world_begin(UDP_WORLD_V4, 0);
  udp_world_ask(UVX_UDP_TOS);
  options[2].tos = 1000;
  ASSERT_ERR(UV_EINVAL,
             uvx_udp_try_send(&W.sender, 3, bufs, nbufs, to, options));
  options[2].tos = 3;
  options[2].size++;
  ASSERT_ERR(UV_EINVAL,
             uvx_udp_try_send(&W.sender, 3, bufs, nbufs, to, options));
  options[2].size--;
  ASSERT_OK(uv_ip6_addr("::1", 0, &src));
  options[1].flags = UVX_UDP_PKTINFO;
  options[1].src = (struct sockaddr*) &src;
  int n = uvx_udp_try_send(&W.sender, 3, bufs, nbufs, to, options);
  if (n == UV_ENOTSUP)
    SKIP("the system has no such options of datagrams");
  ASSERT_EQ(1, n);
  ASSERT_ERR(UV_EINVAL,
             uvx_udp_try_send(&W.sender, 2, bufs, nbufs, to, options + 1));
  udp_world_expect(1);
  ASSERT_EQ(1, W.got[0].info.tos);
  udp_world_end();
  return 0;
}

/* ---- what is told ---- */

/* Each alone, then nothing. */
static void only_what_was_asked(enum udp_world_kind kind) {
  static const unsigned masks[] = { UVX_UDP_TOS, UVX_UDP_TTL, UVX_UDP_PKTINFO,
                                    UVX_UDP_TOS | UVX_UDP_TTL };
  int count = 0;

  udp_world_begin(kind, 0);
  for (size_t i = 0; i < ARRAY_SIZE(masks); i++) {
    udp_world_ask(masks[i]);
    udp_world_send(&reqs[i], "m", 1, NULL);
    udp_world_expect(++count);
    ASSERT_OK(W.got[count - 1].info_err);
    ASSERT_EQ(masks[i], W.got[count - 1].info.valid);
  }
  udp_world_ask(0);
  udp_world_send(&reqs[9], "n", 1, NULL);
  udp_world_expect(++count);
  ASSERT_ERR(UV_EINVAL, W.got[count - 1].info_err);
  udp_world_end();
}

TEST_IMPL(udp_options_only_what_was_asked) {
  only_what_was_asked(UDP_WORLD_V4);
  return 0;
}

TEST_IMPL(udp_options_only_what_was_asked6) {
  only_what_was_asked(UDP_WORLD_V6);
  return 0;
}

TEST_IMPL(udp_options_only_what_was_asked_mapped) {
  only_what_was_asked(UDP_WORLD_MAPPED);
  return 0;
}

/* The kernel tells a datagram's options when it is received: those that wait
 * meanwhile follow the new mask. */
static const unsigned turns[] = {
  0, UVX_UDP_TOS, UVX_UDP_TTL, 0, UVX_UDP_TOS | UVX_UDP_TTL, 0
};

static void next_mask(void) {
  int n = W.got_count;

  if (n < (int) ARRAY_SIZE(turns))
    ASSERT_OK(uvx_udp_set_recv_info(&W.receiver, turns[n]));
}

static void mask_changed(enum udp_world_kind kind) {
  uvx_udp_send_options_t options = with_tos(5);

  udp_world_begin(kind, 0);
  udp_world_ask(UVX_UDP_TOS | UVX_UDP_TTL);
  udp_world_ask(0);
  W.on_got = next_mask;
  for (size_t i = 0; i < ARRAY_SIZE(turns); i++)
    udp_world_send(&reqs[i], "t", 1, &options);
  udp_world_expect(ARRAY_SIZE(turns));
  for (size_t i = 0; i < ARRAY_SIZE(turns); i++) {
    const struct udp_world_datagram* got = &W.got[i];
    ASSERT_EQ(turns[i], got->info_err == 0 ? got->info.valid : 0);
    ASSERT_EQ((turns[i] & UVX_UDP_TOS) ? 5 : 0,
              got->info_err == 0 ? got->info.tos : 0);
  }
  udp_world_end();
}

TEST_IMPL(udp_options_mask_changed_in_callback) {
  mask_changed(UDP_WORLD_V4);
  return 0;
}

TEST_IMPL(udp_options_mask_changed_in_callback6) {
  mask_changed(UDP_WORLD_V6);
  return 0;
}

/* A nested run receives a second datagram; afterwards the first one's
 * information is there again. */
static int nested_tos[3];

static int told_tos(void) {
  uvx_udp_recv_info_t info = { .size = sizeof(info) };

  ASSERT_OK(uvx_udp_recv_info(&W.receiver, &info));
  return info.tos;
}

static void run_nested(void) {
  int depth = W.got_count;

  ASSERT_EQ(depth, told_tos());
  if (depth < 3) {
    uvx_udp_send_options_t options = with_tos(depth + 1);
    udp_world_send(&reqs[depth], "n", 1, &options);
    while (W.got_count == depth)
      uv_run(&W.loop, UV_RUN_ONCE);
  }
  nested_tos[depth - 1] = told_tos();
}

TEST_IMPL(udp_options_nested_run) {
  uvx_udp_send_options_t options = with_tos(1);

  udp_world_begin(UDP_WORLD_V4, 0);
  udp_world_ask(UVX_UDP_TOS);
  W.on_got = run_nested;
  udp_world_send(&reqs[0], "n", 1, &options);
  udp_world_expect(3);
  for (int i = 0; i < 3; i++)
    ASSERT_EQ(i + 1, nested_tos[i]);
  udp_world_end();
  return 0;
}

/* Another handle's callback has no information of this one, and none is there
 * outside of callbacks. */
static void ask_elsewhere(void) {
  uvx_udp_recv_info_t info = { .size = sizeof(info) };

  ASSERT_ERR(UV_EINVAL, uvx_udp_recv_info(&W.sender, &info));
  info.size--;
  ASSERT_ERR(UV_EINVAL, uvx_udp_recv_info(&W.receiver, &info));
}

TEST_IMPL(udp_options_info_elsewhere) {
  uvx_udp_recv_info_t info = { .size = sizeof(info) };

  udp_world_begin(UDP_WORLD_V4, 0);
  udp_world_ask(UVX_UDP_TTL);
  W.on_got = ask_elsewhere;
  udp_world_send(&reqs[0], "e", 1, NULL);
  udp_world_expect(1);
  ASSERT_ERR(UV_EINVAL, uvx_udp_recv_info(&W.receiver, &info));
  udp_world_end();
  return 0;
}

/* ---- the path ---- */

TEST_IMPL(udp_options_dontfrag_and_mtu) {
  size_t mtu = 0;

  for (int kind = UDP_WORLD_V4; kind <= UDP_WORLD_MAPPED; kind++) {
    udp_world_begin((enum udp_world_kind) kind, 0);
    int err = uvx_udp_set_dontfrag(&W.sender, 1);
    if (err == UV_ENOTSUP)
      SKIP("fragmenting cannot be turned off");
    ASSERT_OK(err);
    ASSERT_OK(uvx_udp_set_dontfrag(&W.sender, 0));
    ASSERT_OK(uvx_udp_set_dontfrag(&W.sender, 2));
    ASSERT_OK(uv_udp_connect(&W.sender, (struct sockaddr*) &W.to));
    err = uvx_udp_get_mtu(&W.sender, &mtu);
    if (err != UV_ENOTSUP) {
      ASSERT_OK(err);
      ASSERT_GE(mtu, 1280); /* loopback's */
    }
    udp_world_end();
  }
  return 0;
}
