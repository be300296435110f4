/* SPDX-License-Identifier: MIT */
/* Errors that the network reports for undeliverable datagrams: pending socket
 * errors, and the error queue of UV_UDP_LINUX_RECVERR. */
#include "test.h"

#include <sys/socket.h>

#define CALLS_MAX 16

/* One call of the receive callback. */
struct call {
  ssize_t nread;
  int family; /* of the address; 0: none */
  unsigned flags;
};

static uv_loop_t loop;
static uv_udp_t handle;
static struct sockaddr_storage dead; /* nobody is there */
static char memory[128 * 1024];
static int allocs;
static int calls_count;
static struct call calls[CALLS_MAX];
static int close_in_callback;
static int closed;
static int send_status;

static void on_alloc(uv_handle_t* h, size_t suggested, uv_buf_t* buf) {
  (void) h;
  (void) suggested;
  allocs++;
  *buf = uv_buf_init(memory, sizeof(memory));
}

static void on_close(uv_handle_t* h) {
  (void) h;
  closed++;
}

static void on_recv(uv_udp_t* h,
                    ssize_t nread,
                    const uv_buf_t* buf,
                    const struct sockaddr* from,
                    unsigned flags) {
  ASSERT_PTR_EQ(memory, buf->base);
  ASSERT_LT(calls_count, CALLS_MAX);
  struct call* call = &calls[calls_count++];
  call->nread = nread;
  call->family = from == NULL ? 0 : from->sa_family;
  call->flags = flags;
  if (close_in_callback && !uv_is_closing((uv_handle_t*) h))
    uv_close((uv_handle_t*) h, on_close);
}

static void on_send(uv_udp_send_t* req, int status) {
  (void) req;
  send_status = status;
}

/* A port of a socket that has just been closed. */
static void find_dead_port(int family) {
  int fd = socket(family, SOCK_DGRAM, 0);
  socklen_t len = sizeof(dead);

  if (family == AF_INET6)
    ASSERT_OK(uv_ip6_addr("::1", 0, (struct sockaddr_in6*) &dead));
  else
    ASSERT_OK(uv_ip4_addr("127.0.0.1", 0, (struct sockaddr_in*) &dead));
  if (fd < 0 || bind(fd, (struct sockaddr*) &dead,
                     family == AF_INET6 ? sizeof(struct sockaddr_in6)
                                        : sizeof(struct sockaddr_in)) != 0)
    SKIP("no such address here");
  ASSERT_EQ(0, getsockname(fd, (struct sockaddr*) &dead, &len));
  test_close_socket(fd);
}

/* Binds to the address of `dead` with another port. */
static void setup(int family, unsigned init_flags, unsigned bind_flags) {
  struct sockaddr_storage any;

  if ((bind_flags & UV_UDP_LINUX_RECVERR) && test_on_kqueue())
    SKIP("kqueue has no error queues; no system has both");
  if ((bind_flags & UV_UDP_LINUX_RECVERR) && sizeof(void*) == 4 &&
      getenv("UV_TEST_EMULATED") != NULL)
    SKIP("qemu-user loses the address in the queue of 32-bit programs");
  find_dead_port(family);
  any = dead;
  ((struct sockaddr_in*) &any)->sin_port = 0; /* as in sockaddr_in6 */
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_udp_init_ex(&loop, &handle, (unsigned) family | init_flags));
  ASSERT_OK(uv_udp_bind(&handle, (struct sockaddr*) &any, bind_flags));
  ASSERT_OK(uv_udp_recv_start(&handle, on_alloc, on_recv));
}

/* Loopback answers inside the call: the error is pending afterwards. */
static void send_to_nobody(const struct sockaddr* to) {
  uv_buf_t buf = uv_buf_init((char*) "PING", 4);
  uv_udp_send_t req;

  ASSERT_OK(uv_udp_send(&req, &handle, &buf, 1, to, on_send));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_OK(send_status);
}

static void expect(int i, ssize_t nread, int family, unsigned flags) {
  ASSERT_LT(i, calls_count);
  ASSERT_EQ(nread, calls[i].nread);
  ASSERT_EQ(family, calls[i].family);
  ASSERT_EQ(flags, calls[i].flags);
}

#if defined(MSG_ERRQUEUE)
/* The nread of an error-queue entry: a negative number in 32 bits. */
# define QUEUED_ERROR ((ssize_t) (uint32_t) UV_ECONNREFUSED)

/* The pending error, then the queue's entry with the address of the host that
 * sent it, then the empty queue. Each has a buffer, which is returned. */
static void unreachable(int family) {
  setup(family, 0, UV_UDP_LINUX_RECVERR);
  send_to_nobody((struct sockaddr*) &dead);
  ASSERT_EQ(3, calls_count);
  ASSERT_EQ(3, allocs);
  expect(0, UV_ECONNREFUSED, 0, 0);
  expect(1, QUEUED_ERROR, family, UV_UDP_LINUX_RECVERR);
  expect(2, 0, 0, 0);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(3, calls_count);
  test_close_loop(&loop);
}

TEST_IMPL(udp_error_queue_unreachable) {
  unreachable(AF_INET);
  return 0;
}

TEST_IMPL(udp_error_queue_unreachable6) {
  unreachable(AF_INET6);
  return 0;
}

TEST_IMPL(udp_error_queue_in_chunks) {
  setup(AF_INET, UV_UDP_RECVMMSG, UV_UDP_LINUX_RECVERR);
  if (!uv_udp_using_recvmmsg(&handle))
    SKIP("recvmmsg is not in use on this system");
  send_to_nobody((struct sockaddr*) &dead);
  ASSERT_EQ(4, calls_count);
  ASSERT_EQ(3, allocs);
  expect(0, UV_ECONNREFUSED, 0, 0);
  expect(1, QUEUED_ERROR, AF_INET, UV_UDP_LINUX_RECVERR | UV_UDP_MMSG_CHUNK);
  expect(2, 0, 0, UV_UDP_MMSG_FREE);
  expect(3, 0, 0, 0);
  test_close_loop(&loop);
  return 0;
}

/* A send that fails with the pending error leaves the queue's entry for the
 * receive callback. */
TEST_IMPL(udp_error_queue_beside_failed_send) {
  uv_buf_t buf = uv_buf_init((char*) "PING", 4);
  struct sockaddr* to = (struct sockaddr*) &dead;

  setup(AF_INET, 0, UV_UDP_LINUX_RECVERR);
  ASSERT_EQ(4, uv_udp_try_send(&handle, &buf, 1, to));
  ASSERT_ERR(UV_ECONNREFUSED, uv_udp_try_send(&handle, &buf, 1, to));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(3, calls_count);
  expect(0, 0, 0, 0);
  expect(1, QUEUED_ERROR, AF_INET, UV_UDP_LINUX_RECVERR);
  expect(2, 0, 0, 0);
  test_close_loop(&loop);
  return 0;
}
#else
TEST_IMPL(udp_error_queue_unreachable) {
  SKIP("no error queue on this system");
}

TEST_IMPL(udp_error_queue_unreachable6) {
  SKIP("no error queue on this system");
}

TEST_IMPL(udp_error_queue_in_chunks) {
  SKIP("no error queue on this system");
}

TEST_IMPL(udp_error_queue_beside_failed_send) {
  SKIP("no error queue on this system");
}
#endif

/* The callback that gets the pending error closes the handle while the error
 * queue is still unread: it is not called again. */
TEST_IMPL(udp_error_callback_closes) {
  close_in_callback = 1;
  setup(AF_INET, 0, UV_UDP_LINUX_RECVERR);
  ASSERT_OK(uv_udp_connect(&handle, (struct sockaddr*) &dead));
  send_to_nobody(NULL);
  ASSERT_EQ(1, calls_count);
  expect(0, UV_ECONNREFUSED, 0, 0);
  test_close_loop(&loop);
  ASSERT_EQ(1, closed);
  ASSERT_EQ(1, calls_count);
  return 0;
}

/* Without a receiver the error waits for the next send and keeps nothing busy.
 */
TEST_IMPL(udp_error_without_receiver) {
  uv_metrics_t metrics;

  setup(AF_INET, 0, UV_UDP_LINUX_RECVERR);
  ASSERT_OK(uv_udp_recv_stop(&handle));
  ASSERT_OK(uv_udp_connect(&handle, (struct sockaddr*) &dead));
  send_to_nobody(NULL);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_metrics_info(&loop, &metrics));
  ASSERT_LE(metrics.loop_count, 3);
  ASSERT_EQ(0, calls_count);
  test_close_loop(&loop);
  return 0;
}
