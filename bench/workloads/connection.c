/* SPDX-License-Identifier: MIT */
/* Connections that come and go, and idle ones. */
#include "peer.h"

#include <poll.h>
#include <unistd.h>

/* ---- churn: one operation is a connection opened and closed ---- */

static struct {
  uv_loop_t loop;
  union server server;
  struct place place;
  uint64_t ops;
  uint64_t started; /* calls, for run_connect */
  uint64_t done;    /* connections closed by the server's side */
  unsigned size;    /* connections at the same time, at most */
  struct caller* idle;
} churn;

/* One of `size` that connect at the same time. */
struct caller {
  uv_tcp_t tcp;
  uv_connect_t req;
  struct caller* next; /* in churn.idle */
};

static void accept_closed(uv_handle_t* handle) {
  free(handle);
}

static void accept_one(uv_stream_t* server, int status) {
  union server* client = malloc(sizeof(*client));

  CHECK_OK(status);
  CHECK(client != NULL);
  if (churn.done == 0)
    bench_begin();
  server_accept(server, client, churn.place.family);
  uv_close(&client->handle, accept_closed);
  if (++churn.done == churn.ops) {
    bench_end();
    uv_close((uv_handle_t*) server, NULL);
  }
}

static void run_accept(struct run* run) {
  churn.ops = run->ops;
  CHECK_OK(uv_loop_init(&churn.loop));
  server_listen(&churn.loop, &churn.server, run->kind, &churn.place,
                accept_one);
  peer_start("connect", run, churn.place);
  bench_drain(&churn.loop);
  peer_wait();
  place_remove(churn.place);
}

static void floor_accept(struct run* run) {
  struct place place;
  int listener = place_listen(run->kind, SOCK_STREAM, &place);
  struct pollfd ready = { .fd = listener, .events = POLLIN };

  peer_start("connect", run, place);
  for (uint64_t done = 0; done < run->ops; done++) {
    CHECK(poll(&ready, 1, -1) == 1);
    if (done == 0)
      bench_begin();
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    CHECK(fd >= 0);
    close(fd);
  }
  bench_end();
  peer_wait();
  place_remove(place);
}

/* A connection counts once both of its ends are closed; only then another may
 * begin. A library that connects before it accepts would otherwise leave
 * connections in the backlog. */
static void connect_more(void);

static void connect_closed(uv_handle_t* handle) {
  struct caller* caller = (struct caller*) handle;

  caller->next = churn.idle;
  churn.idle = caller;
  connect_more();
}

static void connect_made(uv_connect_t* req, int status) {
  CHECK_OK(status);
  uv_close((uv_handle_t*) req->handle, connect_closed);
}

static void connect_more(void) {
  struct sockaddr_storage address;

  place_address(churn.place, &address);
  while (churn.idle != NULL && churn.started < churn.ops &&
         churn.started - churn.done < churn.size) {
    struct caller* caller = churn.idle;
    churn.idle = caller->next;
    churn.started++;
    CHECK_OK(uv_tcp_init(&churn.loop, &caller->tcp));
    CHECK_OK(uv_tcp_connect(&caller->req, &caller->tcp,
                            (struct sockaddr*) &address, connect_made));
  }
}

static void server_closed(uv_handle_t* handle) {
  free(handle);
  if (++churn.done == churn.ops) {
    bench_end();
    uv_close(&churn.server.handle, NULL);
  } else {
    connect_more();
  }
}

static void accept_silently(uv_stream_t* server, int status) {
  union server* client = malloc(sizeof(*client));

  CHECK_OK(status);
  CHECK(client != NULL);
  server_accept(server, client, AF_INET);
  uv_close(&client->handle, server_closed);
}

static void run_connect(struct run* run) {
  struct caller* callers = bench_alloc(run->size, sizeof(*callers));

  churn.ops = run->ops;
  churn.size = run->size;
  for (unsigned i = 0; i < run->size; i++) {
    callers[i].next = churn.idle;
    churn.idle = &callers[i];
  }
  CHECK_OK(uv_loop_init(&churn.loop));
  server_listen(&churn.loop, &churn.server, AF_INET, &churn.place,
                accept_silently);
  bench_begin();
  connect_more();
  bench_drain(&churn.loop);
  CHECK(churn.done == churn.ops);
  free(callers);
}

/* Without waiting: on loopback a connection can be accepted as soon as
 * connect() returns. */
static void connect_and_accept(int listener, int* fds, unsigned count) {
  struct sockaddr_storage address;
  socklen_t len = place_address(churn.place, &address);

  for (unsigned i = 0; i < count; i++) {
    fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(fds[i] >= 0);
    CHECK(connect(fds[i], (struct sockaddr*) &address, len) == 0);
  }
  for (unsigned i = 0; i < count; i++) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    CHECK(fd >= 0);
    close(fd);
    close(fds[i]);
  }
}

static void floor_connect(struct run* run) {
  int listener = place_listen(AF_INET, SOCK_STREAM, &churn.place);
  int* fds = bench_alloc(run->size, sizeof(*fds));

  bench_begin();
  for (uint64_t left = run->ops; left > 0;) {
    unsigned count = left < run->size ? (unsigned) left : run->size;
    connect_and_accept(listener, fds, count);
    left -= count;
  }
  bench_end();
  close(listener);
  free(fds);
}

/* ---- idle: `size` connections, one of which sends now and then ---- */

struct idle_connection {
  union server stream;
};

static struct {
  uv_loop_t loop;
  union server server;
  struct idle_connection* connections;
  unsigned size;
  unsigned accepted;
  unsigned ended;
  uint64_t messages;
  uint64_t ops;
  size_t before; /* resident memory, before the connections */
  size_t slab;   /* and the kernel's */
} idle;

/* Of the whole machine: sockets, files and watches of both sides. */
static size_t kernel_memory(void) {
  char line[128];
  unsigned long kilobytes = 0;
  FILE* lines = fopen("/proc/meminfo", "r");

  CHECK(lines != NULL);
  while (fgets(line, sizeof(line), lines) != NULL)
    if (sscanf(line, "Slab: %lu kB", &kilobytes) == 1)
      break;
  fclose(lines);
  return (size_t) kilobytes << 10;
}

static void note_memory(void) {
  size_t now;

  CHECK_OK(uv_resident_set_memory(&now));
  bench_note("bytes_per_connection",
             (double) (now - idle.before) / (double) idle.size);
  bench_note("kernel_bytes_both_sides",
             (double) (kernel_memory() - idle.slab) / (double) idle.size);
}

static void idle_alloc(uv_handle_t* handle, size_t hint, uv_buf_t* buf) {
  static char data[256];

  (void) handle;
  (void) hint;
  *buf = uv_buf_init(data, sizeof(data));
}

static void idle_read(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  if (n == UV_EOF) {
    uv_close((uv_handle_t*) stream, NULL);
    return;
  }
  CHECK(n == 64);
  uv_buf_t reply = uv_buf_init(buf->base, 64);
  CHECK(uv_try_write(stream, &reply, 1) == 64);
  idle.messages++;
  if (idle.messages == idle.size) {
    note_memory();
    bench_begin();
  }
  if (idle.messages == idle.size + idle.ops)
    bench_end();
}

static void idle_accept(uv_stream_t* server, int status) {
  struct idle_connection* c = &idle.connections[idle.accepted];

  CHECK_OK(status);
  server_accept(server, &c->stream, AF_INET);
  CHECK_OK(uv_read_start(&c->stream.stream, idle_alloc, idle_read));
  if (++idle.accepted == idle.size)
    uv_close((uv_handle_t*) server, NULL);
}

static void run_idle(struct run* run) {
  struct place place;

  unsigned limit = bench_raise_fd_limit();
  if (run->size + 64 > limit)
    run->size = limit - 64;
  idle.size = run->size;
  idle.ops = run->ops;
  CHECK_OK(uv_loop_init(&idle.loop));
  server_listen(&idle.loop, &idle.server, AF_INET, &place, idle_accept);
  CHECK_OK(uv_resident_set_memory(&idle.before));
  idle.slab = kernel_memory();
  idle.connections = bench_alloc(run->size, sizeof(*idle.connections));
  peer_start("idle", run, place);
  bench_drain(&idle.loop);
  peer_wait();
}

const struct workload connection_workloads[] = {
  { "tcp-accept", run_accept, floor_accept, AF_INET, 4000, 0, 1,
    "a TCP connection accepted and closed" },
  { "unix-accept", run_accept, floor_accept, AF_UNIX, 4000, 0, 1,
    "a unix connection accepted and closed" },
  { "tcp-connect", run_connect, floor_connect, 0, 4000, 0, 1,
    "a TCP connection made, accepted by the same loop, closed" },
  { "tcp-connect-64", run_connect, floor_connect, 0, 8000, 0, 64,
    "the same, 64 at once" },
  { "tcp-idle-10k", run_idle, NULL, 0, 5000, 0, 10000,
    "one of 10000 idle connections sends and is answered" },
  { "tcp-idle-20k", run_idle, NULL, 0, 5000, 0, 20000,
    "one of 20000 idle connections sends and is answered" },
  { .name = NULL },
};
