/* SPDX-License-Identifier: MIT */
/* Datagrams. */
#include "peer.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

#define MESSAGE 64

/* Several chunks of 64 KiB, for UV_UDP_RECVMMSG; others use the first. */
static void udp_alloc(uv_handle_t* handle, size_t hint, uv_buf_t* buf) {
  static char data[20 * 64 * 1024];

  (void) handle;
  (void) hint;
  *buf = uv_buf_init(data, sizeof(data));
}

static void any_loopback(struct sockaddr_in* address) {
  CHECK_OK(uv_ip4_addr("127.0.0.1", 0, address));
}

/* ---- pummel: one operation is a datagram sent and received by the same loop,
 * a receipt being what starts the next send. kind UNREAD: nobody receives, the
 * callback starts the next send. ---- */

enum { PLAIN, MMSG, UNREAD };

static struct {
  uv_loop_t loop;
  uv_udp_t receiver;
  uv_udp_t sender;
  uv_udp_send_t* reqs;
  uv_udp_send_t** idle; /* stack of requests that are not in flight */
  size_t idle_count;
  struct sockaddr_in address;
  int kind;
  uint64_t ops;
  uint64_t started;
  uint64_t sent;
  uint64_t received;
} pummel;

static void pummel_sent(uv_udp_send_t* req, int status);

static void pummel_send(void) {
  static char data[MESSAGE];
  uv_buf_t buf = uv_buf_init(data, sizeof(data));

  if (pummel.started == pummel.ops || pummel.idle_count == 0)
    return;
  pummel.started++;
  CHECK_OK(uv_udp_send(pummel.idle[--pummel.idle_count], &pummel.sender, &buf,
                       1, (const struct sockaddr*) &pummel.address,
                       pummel_sent));
}

static void pummel_end(void) {
  bench_end();
  uv_close((uv_handle_t*) &pummel.sender, NULL);
  uv_close((uv_handle_t*) &pummel.receiver, NULL);
}

static void pummel_sent(uv_udp_send_t* req, int status) {
  CHECK_OK(status);
  pummel.idle[pummel.idle_count++] = req;
  pummel.sent++;
  if (pummel.kind != UNREAD)
    return;
  if (pummel.sent == pummel.ops)
    pummel_end();
  else
    pummel_send();
}

static void pummel_receive(uv_udp_t* udp,
                           ssize_t n,
                           const uv_buf_t* buf,
                           const struct sockaddr* from,
                           unsigned flags) {
  (void) udp;
  (void) buf;
  (void) flags;
  if (from == NULL)
    return;
  CHECK(n == MESSAGE);
  if (++pummel.received == pummel.ops)
    pummel_end();
  else
    pummel_send();
}

static void run_pummel(struct run* run) {
  int len = sizeof(pummel.address);
  unsigned flags = run->kind == MMSG ? UV_UDP_RECVMMSG : 0;

  pummel.kind = run->kind;
  pummel.ops = run->ops;
  any_loopback(&pummel.address);
  CHECK_OK(uv_loop_init(&pummel.loop));
  CHECK_OK(uv_udp_init_ex(&pummel.loop, &pummel.receiver, AF_INET | flags));
  CHECK_OK(uv_udp_bind(&pummel.receiver,
                       (const struct sockaddr*) &pummel.address, 0));
  CHECK_OK(uv_udp_getsockname(&pummel.receiver,
                              (struct sockaddr*) &pummel.address, &len));
  if (run->kind != UNREAD)
    CHECK_OK(uv_udp_recv_start(&pummel.receiver, udp_alloc, pummel_receive));
  CHECK_OK(uv_udp_init(&pummel.loop, &pummel.sender));

  /* Twice as many requests as are in flight: a datagram may come back before
   * the callback of its send. */
  size_t count = 2 * (size_t) run->size;
  pummel.reqs = bench_alloc(count, sizeof(*pummel.reqs));
  pummel.idle = bench_alloc(count, sizeof(*pummel.idle));
  for (size_t i = 0; i < count; i++)
    pummel.idle[pummel.idle_count++] = &pummel.reqs[i];
  bench_begin();
  for (unsigned i = 0; i < run->size; i++)
    pummel_send();
  bench_drain(&pummel.loop);
}

/* ---- echo: one operation is a datagram received and answered ---- */

static struct {
  uv_loop_t loop;
  uv_udp_t udp;
  uint64_t ops;
  uint64_t done;
} echo;

struct echo_reply {
  uv_udp_send_t req;
  struct echo_reply* next; /* free list */
};
static struct echo_reply* echo_free;

static void echo_sent(uv_udp_send_t* req, int status) {
  struct echo_reply* reply = (struct echo_reply*) req;

  CHECK_OK(status);
  reply->next = echo_free;
  echo_free = reply;
  if (++echo.done == echo.ops) {
    bench_end();
    uv_close((uv_handle_t*) &echo.udp, NULL);
  }
}

static void echo_receive(uv_udp_t* udp,
                         ssize_t n,
                         const uv_buf_t* buf,
                         const struct sockaddr* from,
                         unsigned flags) {
  struct echo_reply* reply = echo_free;
  static char data[MESSAGE];
  static int is_running;

  (void) flags;
  (void) buf;
  if (from == NULL)
    return;
  CHECK(n == MESSAGE);
  if (!is_running) {
    is_running = 1;
    bench_begin();
  }
  if (reply == NULL)
    reply = bench_alloc(1, sizeof(*reply));
  else
    echo_free = reply->next;
  uv_buf_t out = uv_buf_init(data, MESSAGE);
  CHECK_OK(uv_udp_send(&reply->req, udp, &out, 1, from, echo_sent));
}

static void run_echo(struct run* run) {
  struct sockaddr_in address;
  int len = sizeof(address);

  echo.ops = run->ops;
  any_loopback(&address);
  CHECK_OK(uv_loop_init(&echo.loop));
  CHECK_OK(uv_udp_init(&echo.loop, &echo.udp));
  CHECK_OK(uv_udp_bind(&echo.udp, (const struct sockaddr*) &address, 0));
  CHECK_OK(uv_udp_getsockname(&echo.udp, (struct sockaddr*) &address, &len));
  CHECK_OK(uv_udp_recv_start(&echo.udp, udp_alloc, echo_receive));
  struct place place = { AF_INET, ntohs(address.sin_port) };
  peer_start("udp", place, run->size, run->ops);
  bench_drain(&echo.loop);
  peer_wait();
}

static void floor_echo(struct run* run) {
  struct place place;
  struct sockaddr_in from;
  char data[MESSAGE];
  int fd = place_listen(AF_INET, SOCK_DGRAM, &place);
  struct pollfd ready = { .fd = fd, .events = POLLIN };

  peer_start("udp", place, run->size, run->ops);
  for (uint64_t done = 0; done < run->ops;) {
    CHECK(poll(&ready, 1, -1) == 1);
    if (done == 0)
      bench_begin();
    for (int i = 0; i < 32; i++) {
      socklen_t len = sizeof(from);
      ssize_t n = recvfrom(fd, data, sizeof(data), 0,
                           (struct sockaddr*) &from, &len);
      if (n < 0)
        break;
      CHECK(sendto(fd, data, MESSAGE, 0, (struct sockaddr*) &from, len) ==
            MESSAGE);
      done++;
    }
  }
  bench_end();
  close(fd);
  peer_wait();
}

const struct workload udp_workloads[] = {
  { "udp-pummel", run_pummel, NULL, PLAIN, 50000, 0, 100,
    "a 64-byte datagram sent and received by the loop, 100 under way" },
  { "udp-pummel-mmsg", run_pummel, NULL, MMSG, 50000, 0, 100,
    "the same with UV_UDP_RECVMMSG" },
  { "udp-send", run_pummel, NULL, UNREAD, 50000, 0, 500,
    "a 64-byte datagram sent, 500 in flight, read by nobody" },
  { "udp-echo-1", run_echo, floor_echo, 0, 10000, 0, 1,
    "a datagram answered, 1 in flight" },
  { "udp-echo-64", run_echo, floor_echo, 0, 20000, 0, 64,
    "a datagram answered, 64 in flight" },
  { .name = NULL },
};
