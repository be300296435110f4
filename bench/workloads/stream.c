/* SPDX-License-Identifier: MIT */
/* Streams: echo servers, one-way pumps, bursts of small writes. The other side
 * is a process on bare system calls; see peer.c. */
#include "peer.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <unistd.h>

#define MESSAGE 64
#define CHUNK (64 * 1024)
#define BURST_MESSAGE 32
#define EVENTS_MAX 1024

/* ---- echo: one operation is a message received and answered ---- */

struct echo_connection {
  union server stream;
  uv_write_t req;
  int is_writing;         /* req is in use until its callback */
  char data[4 * MESSAGE]; /* spare room: a read that fills the buffer is
                           * repeated */
};

static struct {
  uv_loop_t loop;
  union server server;
  int family;
  unsigned expected; /* connections */
  unsigned accepted;
  uint64_t warm; /* messages before the clock starts */
  uint64_t ops;
  uint64_t messages;
  struct echo_connection* connections;
} echo;

static void echo_alloc(uv_handle_t* handle, size_t hint, uv_buf_t* buf) {
  struct echo_connection* c = handle->data;

  (void) hint;
  *buf = uv_buf_init(c->data, sizeof(c->data));
}

static void echo_written(uv_write_t* req, int status) {
  struct echo_connection* c = req->handle->data;

  CHECK_OK(status);
  c->is_writing = 0;
}

static void echo_count(void) {
  if (echo.messages == echo.warm)
    bench_begin();
  echo.messages++;
  if (echo.messages == echo.warm + echo.ops)
    bench_end();
}

static void echo_read(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  struct echo_connection* c = stream->data;

  if (n == UV_EOF) {
    uv_close((uv_handle_t*) stream, NULL);
    return;
  }
  CHECK(n == MESSAGE);
  CHECK(!c->is_writing);
  c->is_writing = 1;
  uv_buf_t reply = uv_buf_init(buf->base, (unsigned) n);
  CHECK_OK(uv_write(&c->req, stream, &reply, 1, echo_written));
  echo_count();
}

static void echo_accept(uv_stream_t* server, int status) {
  struct echo_connection* c = &echo.connections[echo.accepted];

  CHECK_OK(status);
  CHECK(echo.accepted < echo.expected);
  server_accept(server, &c->stream, echo.family);
  c->stream.handle.data = c;
  CHECK_OK(uv_read_start(&c->stream.stream, echo_alloc, echo_read));
  if (++echo.accepted == echo.expected)
    uv_close((uv_handle_t*) server, NULL);
}

static void run_echo(struct run* run) {
  struct place place;

  bench_raise_fd_limit();
  echo.family = run->kind & FAMILY_MASK;
  echo.expected = run->size;
  echo.warm = run->size;
  echo.ops = run->ops;
  echo.connections = bench_alloc(run->size, sizeof(*echo.connections));
  CHECK_OK(uv_loop_init(&echo.loop));
  server_listen(&echo.loop, &echo.server, echo.family, &place, echo_accept);
  peer_start("echo", run, place);
  bench_drain(&echo.loop);
  peer_wait();
  place_remove(place);
  CHECK(echo.messages == echo.warm + echo.ops);
}

static void floor_accept(int ep, int listener) {
  int one = 1;
  int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

  CHECK(fd >= 0);
  if (echo.family == AF_INET)
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event) == 0);
  echo.accepted++;
}

/* 1: the connection has ended. */
static int floor_serve(int fd) {
  char data[4 * MESSAGE];
  ssize_t n = read(fd, data, sizeof(data));

  if (n == 0) {
    close(fd);
    return 1;
  }
  CHECK(n == MESSAGE);
  CHECK(send(fd, data, (size_t) n, MSG_NOSIGNAL) == n);
  echo_count();
  return 0;
}

static void floor_echo(struct run* run) {
  struct epoll_event events[EVENTS_MAX];
  struct place place;
  unsigned ended = 0;
  int listener = place_listen(run->kind & FAMILY_MASK, SOCK_STREAM, &place);
  int ep = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = { .events = EPOLLIN, .data.fd = listener };

  bench_raise_fd_limit();
  echo.family = run->kind & FAMILY_MASK;
  echo.warm = run->size;
  echo.ops = run->ops;
  CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, listener, &event) == 0);
  peer_start("echo", run, place);
  while (ended < run->size) {
    int n = epoll_wait(ep, events, EVENTS_MAX, -1);
    CHECK(n > 0 || errno == EINTR);
    for (int i = 0; i < n; i++) {
      if (events[i].data.fd == listener)
        floor_accept(ep, listener);
      else
        ended += (unsigned) floor_serve(events[i].data.fd);
    }
  }
  peer_wait();
  place_remove(place);
}

/* ---- pumps: one operation is 64 KiB ---- */

enum { PUMP_OUT = 0x100, PUMP_IN = 0x200 };

static struct {
  uv_loop_t loop;
  union server server;
  union server stream;
  uv_write_t reqs[4];
  int kind;
  uint64_t ops;
  uint64_t started;
  uint64_t done;
  uint64_t bytes;
  char data[CHUNK];
} pump;

static void pump_written(uv_write_t* req, int status);

static void pump_write(uv_write_t* req) {
  uv_buf_t buf = uv_buf_init(pump.data, CHUNK);

  pump.started++;
  CHECK_OK(uv_write(req, &pump.stream.stream, &buf, 1, pump_written));
}

static void pump_written(uv_write_t* req, int status) {
  CHECK_OK(status);
  if (++pump.done == pump.ops) {
    bench_end();
    uv_close(&pump.stream.handle, NULL);
  } else if (pump.started < pump.ops) {
    pump_write(req);
  }
}

static void pump_alloc(uv_handle_t* handle, size_t hint, uv_buf_t* buf) {
  (void) handle;
  (void) hint;
  *buf = uv_buf_init(pump.data, CHUNK);
}

static void pump_read(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  (void) buf;
  if (n >= 0) {
    pump.bytes += (uint64_t) n;
    return;
  }
  CHECK(n == UV_EOF);
  bench_end();
  CHECK(pump.bytes == pump.ops * CHUNK);
  uv_close((uv_handle_t*) stream, NULL);
}

static void pump_accept(uv_stream_t* server, int status) {
  CHECK_OK(status);
  server_accept(server, &pump.stream, pump.kind & FAMILY_MASK);
  uv_close((uv_handle_t*) server, NULL);
  bench_begin();
  if (pump.kind & PUMP_IN) {
    CHECK_OK(uv_read_start(&pump.stream.stream, pump_alloc, pump_read));
    return;
  }
  for (size_t i = 0; i < 4 && pump.started < pump.ops; i++)
    pump_write(&pump.reqs[i]);
}

static void run_pump(struct run* run) {
  struct place place;

  pump.kind = run->kind;
  pump.ops = run->ops;
  CHECK_OK(uv_loop_init(&pump.loop));
  server_listen(&pump.loop, &pump.server, run->kind & FAMILY_MASK, &place,
                pump_accept);
  peer_start(run->kind & PUMP_IN ? "source" : "sink", run, place);
  bench_drain(&pump.loop);
  peer_wait();
  place_remove(place);
}

static void floor_pump(struct run* run) {
  struct place place;
  int listener = place_listen(run->kind & FAMILY_MASK, SOCK_STREAM, &place);
  uint64_t left = run->ops * CHUNK;
  int fd;

  peer_start(run->kind & PUMP_IN ? "source" : "sink", run, place);
  while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) < 0)
    usleep(50);
  bench_begin();
  while (left > 0) {
    ssize_t n;
    if (run->kind & PUMP_IN)
      n = read(fd, pump.data, CHUNK);
    else
      n = send(fd, pump.data, left < CHUNK ? left : CHUNK, MSG_NOSIGNAL);
    CHECK(n > 0);
    left -= (uint64_t) n;
  }
  bench_end();
  close(fd);
  peer_wait();
  place_remove(place);
}

/* ---- burst: `size` small writes in one tick, then their callbacks ---- */

static struct {
  uv_loop_t loop;
  union server server;
  union server stream;
  uv_write_t* reqs;
  unsigned size;
  unsigned left;
  uint64_t ops;
  uint64_t done;
} burst;

static void burst_written(uv_write_t* req, int status);

static void burst_begin(void) {
  static char data[BURST_MESSAGE];
  uv_buf_t buf = uv_buf_init(data, sizeof(data));

  burst.left = burst.size;
  for (unsigned i = 0; i < burst.size; i++)
    CHECK_OK(
        uv_write(&burst.reqs[i], &burst.stream.stream, &buf, 1, burst_written));
}

static void burst_written(uv_write_t* req, int status) {
  (void) req;
  CHECK_OK(status);
  burst.done++;
  if (--burst.left != 0)
    return;
  if (burst.done < burst.ops) {
    burst_begin();
    return;
  }
  bench_end();
  uv_close(&burst.stream.handle, NULL);
}

static void burst_accept(uv_stream_t* server, int status) {
  CHECK_OK(status);
  server_accept(server, &burst.stream, AF_INET);
  uv_close((uv_handle_t*) server, NULL);
  bench_begin();
  burst_begin();
}

static void run_burst(struct run* run) {
  struct place place;

  burst.size = run->size;
  run->ops = (run->ops + run->size - 1) / run->size * run->size;
  burst.ops = run->ops;
  burst.reqs = bench_alloc(run->size, sizeof(*burst.reqs));
  CHECK_OK(uv_loop_init(&burst.loop));
  server_listen(&burst.loop, &burst.server, AF_INET, &place, burst_accept);
  peer_start("sink", run, place);
  bench_drain(&burst.loop);
  peer_wait();
}

const struct workload stream_workloads[] = {
  { "tcp-echo-1", run_echo, floor_echo, AF_INET, 10000, 0, 1,
    "TCP echo, 1 connection: a 64-byte message answered" },
  { "tcp-echo-1-apart", run_echo, floor_echo, AF_INET | PEER_APART, 10000, 0, 1,
    "the same, each side on a processor of its own" },
  { "tcp-echo-100", run_echo, floor_echo, AF_INET, 20000, 0, 100,
    "TCP echo, 100 connections" },
  { "tcp-echo-1000", run_echo, floor_echo, AF_INET, 20000, 0, 1000,
    "TCP echo, 1000 connections" },
  { "unix-echo-1", run_echo, floor_echo, AF_UNIX, 10000, 0, 1,
    "unix-socket echo, 1 connection" },
  { "unix-echo-1-apart", run_echo, floor_echo, AF_UNIX | PEER_APART, 10000, 0,
    1, "the same, each side on a processor of its own" },
  { "unix-echo-100", run_echo, floor_echo, AF_UNIX, 20000, 0, 100,
    "unix-socket echo, 100 connections" },
  { "unix-echo-1000", run_echo, floor_echo, AF_UNIX, 20000, 0, 1000,
    "unix-socket echo, 1000 connections" },
  { "tcp-pump-write", run_pump, floor_pump, AF_INET | PUMP_OUT, 4000, 0, 1,
    "64 KiB written to a TCP connection, 4 writes in flight" },
  { "tcp-pump-read", run_pump, floor_pump, AF_INET | PUMP_IN, 4000, 0, 1,
    "64 KiB read from a TCP connection" },
  { "unix-pump-write", run_pump, floor_pump, AF_UNIX | PUMP_OUT, 4000, 0, 1,
    "64 KiB written to a unix socket, 4 writes in flight" },
  { "unix-pump-read", run_pump, floor_pump, AF_UNIX | PUMP_IN, 4000, 0, 1,
    "64 KiB read from a unix socket" },
  { "tcp-burst-1000", run_burst, NULL, 0, 50000, 0, 1000,
    "a 32-byte write, 1000 of them queued in one tick" },
  { .name = NULL },
};
