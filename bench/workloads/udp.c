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

/* ---- pummel: one operation is a datagram of five buffers sent by uv_udp_send,
 * whose callback starts the next one. `size` senders and as many receivers
 * share one loop; each sender has one receiver and one datagram in flight. This
 * is what libuv's own udp_pummel_NvN measures. ---- */

#define PIECES 5
#define PIECE 9

struct sender {
  uv_udp_t udp;
  uv_udp_send_t req;
  struct sockaddr_in to;
};

static struct {
  uv_loop_t loop;
  struct sender* senders;
  uv_udp_t* receivers;
  unsigned size;
  unsigned closed; /* senders with nothing more to send */
  uint64_t left;   /* sends to start */
  uint64_t sent;
  uint64_t received;
} pummel;

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
  CHECK(n == PIECES * PIECE);
  pummel.received++;
}

static void pummel_sent(uv_udp_send_t* req, int status);

static void pummel_send(struct sender* sender) {
  static char data[PIECES * PIECE];
  uv_buf_t bufs[PIECES];

  for (int i = 0; i < PIECES; i++)
    bufs[i] = uv_buf_init(data + i * PIECE, PIECE);
  pummel.left--;
  CHECK_OK(uv_udp_send(&sender->req, &sender->udp, bufs, PIECES,
                       (const struct sockaddr*) &sender->to, pummel_sent));
}

static void pummel_sent(uv_udp_send_t* req, int status) {
  struct sender* sender = req->data;

  CHECK_OK(status);
  pummel.sent++;
  if (pummel.left > 0) {
    pummel_send(sender);
    return;
  }
  uv_close((uv_handle_t*) &sender->udp, NULL);
  if (++pummel.closed < pummel.size)
    return;
  bench_end();
  for (unsigned i = 0; i < pummel.size; i++)
    uv_close((uv_handle_t*) &pummel.receivers[i], NULL);
}

static void pummel_pair(struct sender* sender, uv_udp_t* receiver) {
  int len = sizeof(sender->to);

  any_loopback(&sender->to);
  CHECK_OK(uv_udp_init(&pummel.loop, receiver));
  CHECK_OK(uv_udp_bind(receiver, (const struct sockaddr*) &sender->to, 0));
  CHECK_OK(uv_udp_getsockname(receiver, (struct sockaddr*) &sender->to, &len));
  CHECK_OK(uv_udp_recv_start(receiver, udp_alloc, pummel_receive));
  CHECK_OK(uv_udp_init(&pummel.loop, &sender->udp));
  sender->req.data = sender;
}

static void run_pummel(struct run* run) {
  if (run->ops < run->size)
    run->ops = run->size;
  pummel.size = run->size;
  pummel.left = run->ops;
  pummel.senders = bench_alloc(run->size, sizeof(*pummel.senders));
  pummel.receivers = bench_alloc(run->size, sizeof(*pummel.receivers));
  CHECK_OK(uv_loop_init(&pummel.loop));
  for (unsigned i = 0; i < run->size; i++)
    pummel_pair(&pummel.senders[i], &pummel.receivers[i]);
  bench_begin();
  for (unsigned i = 0; i < run->size; i++)
    pummel_send(&pummel.senders[i]);
  bench_drain(&pummel.loop);
  CHECK(pummel.sent == run->ops);
  /* A library that neglects to read would be fast, so the number of received
   * datagrams is reported. (The kernel may drop some, and the last may be
   * late.) */
  bench_note("received_per_sent",
             (double) pummel.received / (double) pummel.sent);
}

static void floor_pummel(struct run* run) {
  char data[PIECES * PIECE] = { 0 };
  struct iovec pieces[PIECES];
  struct sockaddr_storage to;
  struct sockaddr_in from;
  struct place place;
  int receiver = place_listen(AF_INET, SOCK_DGRAM, &place);
  int sender = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

  CHECK(sender >= 0);
  for (int i = 0; i < PIECES; i++)
    pieces[i] = (struct iovec) { data + i * PIECE, PIECE };
  struct msghdr out = { .msg_name = &to,
                        .msg_namelen = place_address(place, &to),
                        .msg_iov = pieces,
                        .msg_iovlen = PIECES };
  bench_begin();
  for (uint64_t i = 0; i < run->ops; i++) {
    socklen_t len = sizeof(from);
    CHECK(sendmsg(sender, &out, 0) == sizeof(data));
    CHECK(recvfrom(receiver, data, sizeof(data), 0, (struct sockaddr*) &from,
                   &len) == sizeof(data));
  }
  bench_end();
  close(sender);
  close(receiver);
}

/* ---- window: one operation is a datagram sent and received by the same loop;
 * receiving one starts the next send. kind UNREAD: nobody receives, and the
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
} window;

static void window_sent(uv_udp_send_t* req, int status);

static void window_send(void) {
  static char data[MESSAGE];
  uv_buf_t buf = uv_buf_init(data, sizeof(data));

  if (window.started == window.ops || window.idle_count == 0)
    return;
  window.started++;
  CHECK_OK(uv_udp_send(window.idle[--window.idle_count], &window.sender, &buf,
                       1, (const struct sockaddr*) &window.address,
                       window_sent));
}

static void window_end(void) {
  bench_end();
  uv_close((uv_handle_t*) &window.sender, NULL);
  uv_close((uv_handle_t*) &window.receiver, NULL);
}

static void window_sent(uv_udp_send_t* req, int status) {
  CHECK_OK(status);
  window.idle[window.idle_count++] = req;
  window.sent++;
  if (window.kind != UNREAD)
    return;
  if (window.sent == window.ops)
    window_end();
  else
    window_send();
}

static void window_receive(uv_udp_t* udp,
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
  if (++window.received == window.ops)
    window_end();
  else
    window_send();
}

static void run_window(struct run* run) {
  int len = sizeof(window.address);
  unsigned flags = run->kind == MMSG ? UV_UDP_RECVMMSG : 0;

  window.kind = run->kind;
  window.ops = run->ops;
  any_loopback(&window.address);
  CHECK_OK(uv_loop_init(&window.loop));
  CHECK_OK(uv_udp_init_ex(&window.loop, &window.receiver, AF_INET | flags));
  CHECK_OK(uv_udp_bind(&window.receiver,
                       (const struct sockaddr*) &window.address, 0));
  CHECK_OK(uv_udp_getsockname(&window.receiver,
                              (struct sockaddr*) &window.address, &len));
  if (run->kind != UNREAD)
    CHECK_OK(uv_udp_recv_start(&window.receiver, udp_alloc, window_receive));
  CHECK_OK(uv_udp_init(&window.loop, &window.sender));

  /* Twice as many requests as are in flight: a datagram may return before the
   * callback of its send. */
  size_t count = 2 * (size_t) run->size;
  window.reqs = bench_alloc(count, sizeof(*window.reqs));
  window.idle = bench_alloc(count, sizeof(*window.idle));
  for (size_t i = 0; i < count; i++)
    window.idle[window.idle_count++] = &window.reqs[i];
  bench_begin();
  for (unsigned i = 0; i < run->size; i++)
    window_send();
  bench_drain(&window.loop);
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
  peer_start("udp", run, place);
  bench_drain(&echo.loop);
  peer_wait();
}

static void floor_echo(struct run* run) {
  struct place place;
  struct sockaddr_in from;
  char data[MESSAGE];
  int fd = place_listen(AF_INET, SOCK_DGRAM, &place);
  struct pollfd ready = { .fd = fd, .events = POLLIN };

  peer_start("udp", run, place);
  for (uint64_t done = 0; done < run->ops;) {
    CHECK(poll(&ready, 1, -1) == 1);
    if (done == 0)
      bench_begin();
    for (int i = 0; i < 32; i++) {
      socklen_t len = sizeof(from);
      ssize_t n =
          recvfrom(fd, data, sizeof(data), 0, (struct sockaddr*) &from, &len);
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
  { "udp-pummel-1v1", run_pummel, floor_pummel, 0, 50000, 0, 1,
    "a datagram sent from the callback of the last, received by the loop" },
  { "udp-pummel-10v10", run_pummel, floor_pummel, 0, 50000, 0, 10,
    "the same with 10 senders and 10 receivers" },
  { "udp-window", run_window, NULL, PLAIN, 50000, 0, 100,
    "a 64-byte datagram sent and received by the loop, 100 in flight" },
  { "udp-window-mmsg", run_window, NULL, MMSG, 50000, 0, 100,
    "the same with UV_UDP_RECVMMSG" },
  { "udp-window-64", run_window, NULL, PLAIN, 50000, 0, 64,
    "a 64-byte datagram sent and received by the loop, 64 in flight" },
  { "udp-window-64-mmsg", run_window, NULL, MMSG, 50000, 0, 64,
    "the same with UV_UDP_RECVMMSG" },
  { "udp-send", run_window, NULL, UNREAD, 50000, 0, 500,
    "a 64-byte datagram sent, 500 in flight, read by nobody" },
  { "udp-echo-1", run_echo, floor_echo, 0, 10000, 0, 1,
    "a datagram answered, 1 in flight" },
  { "udp-echo-1-apart", run_echo, floor_echo, PEER_APART, 10000, 0, 1,
    "the same, each side on a processor of its own" },
  { "udp-echo-64", run_echo, floor_echo, 0, 20000, 0, 64,
    "a datagram answered, 64 in flight" },
  { .name = NULL },
};
