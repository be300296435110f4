/* SPDX-License-Identifier: MIT */
/* The clients. A conversation sends its bytes in random pieces with pauses,
 * sometimes stops reading, and ends by a half-close (then it reads to the end,
 * and every byte must have come back), a reset, or an early close. Then the
 * client starts the next one. */
#include "soak.h"

enum { CHUNK_MAX = 8192, GOAL_MAX = 40000, PAUSE_MS = 2000 };

/* How a conversation ends. */
enum ending { HALF_CLOSE, RESET, CLOSE_EARLY };

struct client {
  uv_tcp_t tcp;
  uv_timer_t pause;
  uv_connect_t connect;
  uv_write_t write;
  uv_shutdown_t shutdown;
  char out[CHUNK_MAX];
  uint32_t seed;
  uint32_t sent;
  uint32_t got;
  uint32_t goal;
  enum ending ending;
  int cut;     /* by us: bytes in flight are not counted as lost */
  int writing; /* c->write is in use */
  int stalled; /* reading is paused */
};

int clients_open;

static struct client* clients;
static int nclients;
static unsigned short ports[LISTENERS];
static long long conversations;
static long long orderly;
static long long resets;
static long long stalls;
static long long broken; /* ended by an unexpected error */
static long long bytes_sent;
static long long bytes_back;
static long long bytes_cut;
static long long bytes_lost;

static char byte_at(uint32_t seed, uint32_t i) {
  return (char) (seed + i * 31 + (i >> 8));
}

static void converse(struct client* c);

static void on_client_closed(uv_handle_t* handle) {
  struct client* c = handle->data;

  conversations++;
  bytes_sent += c->sent;
  bytes_back += c->got;
  if (c->cut)
    bytes_cut += c->sent - c->got;
  else
    bytes_lost += c->sent - c->got;
  if (!ending_all) {
    converse(c);
    return;
  }
  uv_close((uv_handle_t*) &c->pause, NULL);
  clients_open--;
}

static void close_client(struct client* c) {
  uv_timer_stop(&c->pause);
  if (!uv_is_closing((uv_handle_t*) &c->tcp))
    uv_close((uv_handle_t*) &c->tcp, on_client_closed);
}

/* An error: on loopback there is no reason for one, unless we cut the
 * connection. */
static void break_client(struct client* c, const char* where, int err) {
  if (!c->cut && !uv_is_closing((uv_handle_t*) &c->tcp)) {
    broken++;
    printf("# %s: %s\n", where, uv_strerror(err));
  }
  close_client(c);
}

static void on_pause(uv_timer_t* timer);

static void pause_client(struct client* c) {
  REQUIRE(uv_timer_start(&c->pause, on_pause, draw(PAUSE_MS), 0) == 0);
}

static void on_client_read(uv_stream_t* s, ssize_t n, const uv_buf_t* buf) {
  struct client* c = s->data;

  for (ssize_t i = 0; i < n; i++)
    REQUIRE(buf->base[i] == byte_at(c->seed, c->got++));
  if (n > 0 && draw(64) == 0 && !c->stalled) {
    c->stalled = 1;
    stalls++;
    REQUIRE(uv_read_stop(s) == 0);
    if (!uv_is_active((uv_handle_t*) &c->pause))
      pause_client(c);
  }
  if (n >= 0)
    return;
  if (n != UV_EOF) {
    break_client(c, "read", (int) n);
    return;
  }
  orderly++;
  close_client(c);
}

static void on_client_shutdown(uv_shutdown_t* req, int status) {
  owed--;
  if (status != 0)
    break_client(req->handle->data, "shutdown", status);
}

static void finish(struct client* c) {
  switch (c->ending) {
  case HALF_CLOSE:
    REQUIRE(uv_shutdown(&c->shutdown, (uv_stream_t*) &c->tcp,
                        on_client_shutdown) == 0);
    owed++;
    break;
  case RESET:
    c->cut = 1;
    resets++;
    uv_timer_stop(&c->pause);
    REQUIRE(uv_tcp_close_reset(&c->tcp, on_client_closed) == 0);
    break;
  case CLOSE_EARLY:
    c->cut = 1;
    close_client(c);
    break;
  }
}

static void on_client_write(uv_write_t* req, int status) {
  struct client* c = req->handle->data;

  owed--;
  c->writing = 0;
  if (status != 0)
    break_client(c, "write", status);
  if (uv_is_closing((uv_handle_t*) &c->tcp))
    return;
  if (c->sent < c->goal && !ending_all) {
    pause_client(c);
    return;
  }
  c->goal = 0; /* that was all */
  finish(c);
}

static void send_some(struct client* c) {
  uint32_t n = 1 + draw(CHUNK_MAX);
  uv_buf_t bufs[2];

  for (uint32_t i = 0; i < n; i++)
    c->out[i] = byte_at(c->seed, c->sent + i);
  c->sent += n;
  bufs[0] = uv_buf_init(c->out, n / 2);
  bufs[1] = uv_buf_init(c->out + n / 2, n - n / 2);
  REQUIRE(uv_write(&c->write, (uv_stream_t*) &c->tcp, bufs, 2,
                   on_client_write) == 0);
  owed++;
  c->writing = 1;
}

static void on_pause(uv_timer_t* timer) {
  struct client* c = timer->data;

  if (uv_is_closing((uv_handle_t*) &c->tcp))
    return;
  if (c->stalled) {
    c->stalled = 0;
    REQUIRE(uv_read_start((uv_stream_t*) &c->tcp, soak_alloc, on_client_read) ==
            0);
  }
  if (c->sent < c->goal && !c->writing)
    send_some(c);
}

static void on_connect(uv_connect_t* req, int status) {
  struct client* c = req->handle->data;

  owed--;
  if (status != 0) {
    break_client(c, "connect", status);
    return;
  }
  REQUIRE(uv_read_start(req->handle, soak_alloc, on_client_read) == 0);
  send_some(c);
}

static void converse(struct client* c) {
  static const enum ending endings[] = { HALF_CLOSE, HALF_CLOSE, HALF_CLOSE,
                                         RESET, CLOSE_EARLY };
  struct sockaddr_in addr;

  c->seed = draw(1u << 30);
  c->sent = 0;
  c->got = 0;
  c->goal = draw(GOAL_MAX);
  c->cut = 0;
  c->stalled = 0;
  c->writing = 0;
  c->ending = endings[draw(5)];
  c->tcp.data = c;
  REQUIRE(uv_tcp_init(&loop, &c->tcp) == 0);
  REQUIRE(uv_ip4_addr("127.0.0.1", ports[draw(LISTENERS)], &addr) == 0);
  REQUIRE(uv_tcp_connect(&c->connect, &c->tcp, (struct sockaddr*) &addr,
                         on_connect) == 0);
  owed++;
}

void clients_start(int count, const unsigned short* listening) {
  memcpy(ports, listening, sizeof(ports));
  nclients = count;
  clients_open = count;
  clients = calloc((size_t) count, sizeof(*clients));
  REQUIRE(clients != NULL);
  for (int i = 0; i < count; i++) {
    REQUIRE(uv_timer_init(&loop, &clients[i].pause) == 0);
    clients[i].pause.data = &clients[i];
    converse(&clients[i]);
  }
}

void clients_free(void) {
  free(clients);
}

int clients_report(int* total) {
  int failed = 0;

  printf("# %d clients, %lld conversations, %lld of them to their end, %lld "
         "reset, %lld stalls\n",
         nclients, conversations, orderly, resets, stalls);
  printf("# %lld bytes sent: %lld came back, %lld were on connections we cut, "
         "%lld lost\n",
         bytes_sent, bytes_back, bytes_cut, bytes_lost);
  failed += verdict(bytes_lost == 0 && orderly > 0,
                    "every byte of an orderly conversation came back");
  failed += verdict(bytes_sent == bytes_back + bytes_cut,
                    "every byte is accounted for");
  failed += verdict(broken == 0, "no conversation broke by itself");
  *total += 3;
  return failed;
}
