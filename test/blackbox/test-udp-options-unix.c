/* SPDX-License-Identifier: MIT */
/* Datagrams with options that wait in the queue, and sockets that cannot have
 * any. Method: sendmsg() and sendmmsg() of this program come before those of
 * the C library, and say that there is no room while they are told to. */
#include "udp-world.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#define W udp_world

static uv_udp_send_t reqs[UDP_WORLD_MAX];

#if TEST_STATIC || !TEST_REPLACES

static void set_room(int is_there) {
  (void) is_there;
  SKIP("functions of the C library cannot be replaced");
}

#else

static int has_no_room; /* of the thread that runs the loop */

typedef ssize_t send_fn(int, const struct msghdr*, int);

ssize_t sendmsg(int fd, const struct msghdr* msg, int flags) {
  static send_fn* real;

  if (has_no_room) {
    errno = EAGAIN;
    return -1;
  }
  if (real == NULL)
    test_find_symbol(RTLD_NEXT, "sendmsg", &real);
  return real(fd, msg, flags);
}

/* Under a name of ours: C libraries declare it in different ways. */
TEST_MMSG_RESULT send_many(int fd,
                           void* msgs,
                           TEST_MMSG_COUNT n,
                           int flags) __asm__("sendmmsg");

typedef TEST_MMSG_RESULT send_many_fn(int, void*, TEST_MMSG_COUNT, int);

TEST_MMSG_RESULT send_many(int fd, void* msgs, TEST_MMSG_COUNT n, int flags) {
  static send_many_fn* real;

  if (has_no_room) {
    errno = EAGAIN;
    return -1;
  }
  if (real == NULL)
    test_find_symbol(RTLD_NEXT, "sendmmsg", &real);
  return real(fd, msgs, n, flags);
}

static void set_room(int is_there) {
  has_no_room = !is_there;
}

#endif

static uvx_udp_send_options_t with_tos(int tos) {
  uvx_udp_send_options_t options = { .size = sizeof(options) };

  options.flags = UVX_UDP_TOS;
  options.tos = tos;
  return options;
}

static int statuses[8];

static void on_sent(uv_udp_send_t* req, int status) {
  statuses[req - reqs] = status;
  W.sent_count++;
}

static void send_one(int i, const uvx_udp_send_options_t* options) {
  uv_buf_t buf = uv_buf_init((char*) &"01234567"[i], 1);
  int err = uvx_udp_send(&reqs[i], &W.sender, &buf, 1, (struct sockaddr*) &W.to,
                         options, on_sent);

  if (err == UV_ENOTSUP)
    SKIP("the system has no such options of datagrams");
  ASSERT_OK(err);
}

/* The library may call another sendmsg(): test/kqueue-shim has one. */
static void expect_no_room(void) {
  uvx_udp_send_options_t options = with_tos(0);
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  uv_buf_t* bufs = &buf;
  unsigned nbufs = 1;
  struct sockaddr* to = (struct sockaddr*) &W.to;
  int n = uvx_udp_try_send(&W.sender, 1, &bufs, &nbufs, &to, &options);

  if (n == 1)
    SKIP("sendmsg() cannot be replaced");
  if (n == UV_ENOTSUP)
    SKIP("the system has no such options of datagrams");
  ASSERT_ERR(UV_EAGAIN, n);
}

/* Queues so many with options, without room for the first. */
static void queue_up(int count) {
  set_room(0);
  expect_no_room();
  for (int i = 0; i < count; i++) {
    uvx_udp_send_options_t options = with_tos(i + 1);
    statuses[i] = 1;
    send_one(i, &options);
  }
  ASSERT_EQ(count, uv_udp_get_send_queue_count(&W.sender));
  uv_run(&W.loop, UV_RUN_NOWAIT);
  ASSERT_EQ(count, uv_udp_get_send_queue_count(&W.sender));
  ASSERT_EQ(0, W.sent_count);
}

TEST_IMPL(udp_options_wait_for_room) {
  udp_world_begin(UDP_WORLD_V4, 0);
  udp_world_ask(UVX_UDP_TOS);
  queue_up(4);
  ASSERT_ERR(UV_EAGAIN, uv_udp_try_send(&W.sender, &(uv_buf_t) { .len = 0 }, 1,
                                        (struct sockaddr*) &W.to));
  send_one(4, NULL);
  set_room(1);
  udp_world_expect(5);
  for (int i = 0; i < 5; i++) {
    ASSERT_EQ('0' + i, W.got[i].data[0]);
    ASSERT_EQ(i == 4 ? 0 : i + 1, W.got[i].info.tos);
    ASSERT_OK(statuses[i]);
  }
  udp_world_end();
  return 0;
}

TEST_IMPL(udp_options_cancelled) {
  udp_world_begin(UDP_WORLD_V4, 0);
  udp_world_ask(UVX_UDP_TOS);
  queue_up(3);
  ASSERT_OK(uv_cancel((uv_req_t*) &reqs[1]));
  uv_run(&W.loop, UV_RUN_NOWAIT);
  ASSERT_EQ(1, W.sent_count);
  ASSERT_ERR(UV_ECANCELED, statuses[1]);
  ASSERT_EQ(2, uv_udp_get_send_queue_count(&W.sender));
  set_room(1);
  udp_world_expect(2);
  ASSERT_EQ(1, W.got[0].info.tos);
  ASSERT_EQ(3, W.got[1].info.tos);
  ASSERT_OK(statuses[0]);
  ASSERT_OK(statuses[2]);
  ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) &reqs[0]));
  udp_world_end();
  return 0;
}

TEST_IMPL(udp_options_deadline) {
  udp_world_begin(UDP_WORLD_V4, 0);
  udp_world_ask(UVX_UDP_TOS);
  queue_up(3);
  ASSERT_OK(uvx_deadline((uv_req_t*) &reqs[0], 1));
  ASSERT_OK(uvx_deadline((uv_req_t*) &reqs[2], 60000));
  while (W.sent_count == 0)
    uv_run(&W.loop, UV_RUN_NOWAIT);
  ASSERT_ERR(UV_ETIMEDOUT, statuses[0]);
  ASSERT_EQ(2, uv_udp_get_send_queue_count(&W.sender));
  set_room(1);
  udp_world_expect(2);
  /* A deadline does not take a request's options away. */
  ASSERT_EQ(2, W.got[0].info.tos);
  ASSERT_EQ(3, W.got[1].info.tos);
  ASSERT_OK(statuses[1]);
  ASSERT_OK(statuses[2]);
  udp_world_end();
  return 0;
}

TEST_IMPL(udp_options_close_with_queue) {
  udp_world_begin(UDP_WORLD_V4, 0);
  queue_up(3);
  uv_close((uv_handle_t*) &W.sender, NULL);
  uv_run(&W.loop, UV_RUN_NOWAIT);
  ASSERT_EQ(3, W.sent_count);
  for (int i = 0; i < 3; i++)
    ASSERT_ERR(UV_ECANCELED, statuses[i]);
  set_room(1);
  udp_world_end();
  return 0;
}

/* The options do not overwrite the buffers, of which a request has room for a
 * few. */
TEST_IMPL(udp_options_of_many_buffers) {
  uv_buf_t bufs[12];

  udp_world_begin(UDP_WORLD_V4, 0);
  udp_world_ask(UVX_UDP_TOS);
  set_room(0);
  for (unsigned count = 1; count <= 12; count++) {
    uvx_udp_send_options_t options = with_tos((int) count);
    for (unsigned i = 0; i < count; i++)
      bufs[i] = uv_buf_init((char*) &"abcdefghijkl"[i], 1);
    int err =
        uvx_udp_send(&reqs[count], &W.sender, bufs, count,
                     (struct sockaddr*) &W.to, &options, udp_world_on_sent);
    if (err == UV_ENOTSUP)
      SKIP("the system has no such options of datagrams");
    ASSERT_OK(err);
    memset(bufs, 0, sizeof(bufs));
  }
  set_room(1);
  udp_world_expect(12);
  for (int i = 0; i < 12; i++) {
    ASSERT_EQ(i + 1, W.got[i].nread);
    ASSERT_MEM_EQ("abcdefghijkl", W.got[i].data, (size_t) i + 1);
    ASSERT_EQ(i + 1, W.got[i].info.tos);
  }
  udp_world_end();
  return 0;
}

/* Datagram sockets of other families have none of this. */
TEST_IMPL(udp_options_unix_socket) {
  uv_loop_t loop;
  uv_udp_t udp;
  int fds[2];
  size_t mtu;
  uv_buf_t buf = uv_buf_init((char*) "u", 1);
  uvx_udp_send_options_t options = with_tos(1);
  uv_buf_t* bufs = &buf;
  unsigned nbufs = 1;

  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM, 0, fds));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_OK(uv_udp_open(&udp, fds[0]));
  ASSERT_ERR(UV_ENOTSUP, uvx_udp_set_tos(&udp, 1));
  ASSERT_ERR(UV_ENOTSUP, uvx_udp_set_dontfrag(&udp, 1));
  ASSERT_ERR(UV_ENOTSUP, uvx_udp_get_mtu(&udp, &mtu));
  ASSERT_ERR(UV_ENOTSUP, uvx_udp_set_recv_info(&udp, UVX_UDP_TOS));
  ASSERT_ERR(UV_ENOTSUP,
             uvx_udp_send(&reqs[0], &udp, &buf, 1, NULL, &options, on_sent));
  ASSERT_ERR(UV_ENOTSUP,
             uvx_udp_try_send(&udp, 1, &bufs, &nbufs, NULL, &options));
  options.flags = 0;
  ASSERT_OK(uvx_udp_send(&reqs[0], &udp, &buf, 1, NULL, &options, on_sent));
  test_close_loop(&loop);
  close(fds[1]);
  return 0;
}

/* A socket that was given away takes the handle's mask with it. */
TEST_IMPL(udp_options_release) {
  uv_os_fd_t fd;

  udp_world_begin(UDP_WORLD_V4, 0);
  udp_world_ask(UVX_UDP_TTL);
  ASSERT_OK(uv_udp_recv_stop(&W.receiver));
  ASSERT_OK(uvx_release((uv_handle_t*) &W.receiver, &fd));
  close(fd);
  struct sockaddr_in addr = test_loopback();
  ASSERT_OK(uv_udp_bind(&W.receiver, (struct sockaddr*) &addr, 0));
  /* Only what differs from the mask is asked for: here it is all. */
  udp_world_ask(UVX_UDP_TTL);
  int value = 0;
  socklen_t len = sizeof(value);
  ASSERT_OK(uv_fileno((uv_handle_t*) &W.receiver, &fd));
#ifdef IP_RECVTTL
  ASSERT_EQ(0, getsockopt(fd, IPPROTO_IP, IP_RECVTTL, &value, &len));
  ASSERT_EQ(1, value);
#endif
  udp_world_end();
  return 0;
}

/* The kernel puts these messages before the error of the error queue, which
 * must not be cut off by them. */
TEST_IMPL(udp_options_beside_the_error_queue) {
#ifdef IP_RECVERR
  uv_loop_t loop;
  uv_udp_t closed;
  struct sockaddr_in addr = test_loopback();

  if (test_on_kqueue())
    SKIP("kqueue has no error queues; no system has both");
  udp_world_begin(UDP_WORLD_V4, 0);
  /* A port where nobody receives. */
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_udp_init(&loop, &closed));
  ASSERT_OK(uv_udp_bind(&closed, (struct sockaddr*) &addr, 0));
  addr = test_udp_address(&closed);
  test_close_loop(&loop);

  int on = 1;
  uv_os_fd_t fd;
  ASSERT_OK(uv_fileno((uv_handle_t*) &W.receiver, &fd));
  ASSERT_EQ(0, setsockopt(fd, IPPROTO_IP, IP_RECVERR, &on, sizeof(on)));
  udp_world_ask(UVX_UDP_TOS | UVX_UDP_TTL | UVX_UDP_PKTINFO | UVX_UDP_SEGMENT);
  uv_buf_t buf = uv_buf_init((char*) "lost", 4);
  ASSERT_EQ(4, uv_udp_try_send(&W.receiver, &buf, 1, (struct sockaddr*) &addr));
  udp_world_expect(1);
  ASSERT_ERR(UV_EINVAL, W.got[0].info_err);
  ASSERT(W.got[0].flags & UV_UDP_LINUX_RECVERR);
  ASSERT_EQ(UV_ECONNREFUSED, (int) W.got[0].nread);
  udp_world_end();
  return 0;
#else
  SKIP("no error queue");
#endif
}
