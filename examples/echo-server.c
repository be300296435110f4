/* SPDX-License-Identifier: MIT */
/* A request/response server that keeps state per connection.
 *
 *   echo-server [IDLE_MS [SECONDS]]
 *
 * Frame, both ways: u32 body length, u32 serial, body (big endian). Serials
 * count from 0 on each connection; a reply has the request's serial and its
 * body with every bit flipped.
 *
 * What it shows:
 *  - framing: an incomplete frame at the end of a read waits in `in`
 *  - pipelining: all requests of one read are answered by one write
 *  - partial writes: what the kernel accepts goes out straight from `in`;
 *    only the rest is copied and queued
 *  - back-pressure: no reading above QUEUE_HIGH queued bytes, until QUEUE_LOW
 *  - idle timeout: one timer per connection, restarted by every message
 *  - shutdown on SIGINT or SIGTERM: no more requests are read, queued
 *    replies still go out, every handle is closed, the loop is closed
 *
 * No message causes an allocation unless its peer is too slow. Prints the port,
 * and at the end what it has seen. After SECONDS (default 60) it stops by
 * itself with exit status 1. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#define HEADER 8u
#define BODY_MAX 65536u
#define QUEUE_HIGH (256u * 1024u)
#define QUEUE_LOW (64u * 1024u)
#define SEND_BUFFER (32 * 1024)

/* Whatever happens, a connection in one of these states ends. */
enum state {
  OPEN,
  DRAINING, /* no more requests; queued replies go out, then it closes */
  CLOSING
};

struct connection {
  uv_tcp_t tcp;
  uv_timer_t idle;
  uv_shutdown_t shutdown;
  struct connection* next; /* of all of them */
  struct connection** link;
  enum state state;
  int handles;     /* not closed yet; the memory is freed with the last */
  int paused;      /* for back-pressure */
  uint32_t serial; /* of the next request */
  size_t in_len;
  unsigned char in[2 * (HEADER + BODY_MAX)];
};

/* Bytes that the kernel did not accept at once. */
struct backlog {
  uv_write_t req;
  char data[];
};

static uv_loop_t loop;
static uv_tcp_t listener;
static uv_signal_t signals[2];
static uv_timer_t lifetime;
static struct connection* connections;
static uint64_t idle_ms = 5000;
static int stopping;
static int failed;

static struct {
  unsigned long connections;
  unsigned long messages;
  unsigned long partial; /* writes that left a remainder */
  unsigned long pauses;
  unsigned long idle;
  unsigned long errors; /* of protocol */
} seen;

static void check(int err, const char* what) {
  if (err >= 0)
    return;
  fprintf(stderr, "echo-server: %s: %s\n", what, uv_strerror(err));
  exit(1);
}

static uint32_t get_u32(const unsigned char* p) {
  return (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16 | (uint32_t) p[2] << 8 |
         p[3];
}

/* ---- the end of a connection ---- */

static void on_handle_closed(uv_handle_t* handle) {
  struct connection* c = handle->data;

  if (--c->handles == 0)
    free(c);
}

static void connection_close(struct connection* c) {
  if (c->state == CLOSING)
    return;
  c->state = CLOSING;
  *c->link = c->next;
  if (c->next != NULL)
    c->next->link = c->link;
  uv_close((uv_handle_t*) &c->tcp, on_handle_closed);
  uv_close((uv_handle_t*) &c->idle, on_handle_closed);
}

static void on_drained(uv_shutdown_t* req, int status) {
  (void) status; /* failed or not, that was all */
  connection_close(req->data);
}

/* No more requests. The idle timer keeps running: a peer that does not read its
 * replies does not hold us up. */
static void connection_drain(struct connection* c) {
  if (c->state != OPEN)
    return;
  c->state = DRAINING;
  uv_read_stop((uv_stream_t*) &c->tcp);
  c->shutdown.data = c;
  if (uv_shutdown(&c->shutdown, (uv_stream_t*) &c->tcp, on_drained) != 0)
    connection_close(c);
}

static void on_idle(uv_timer_t* timer) {
  seen.idle++;
  connection_close(timer->data);
}

static void restart_idle_timer(struct connection* c) {
  if (c->state != CLOSING)
    check(uv_timer_start(&c->idle, on_idle, idle_ms, 0), "uv_timer_start");
}

/* ---- replies ---- */

static void connection_read(struct connection* c);

static void on_backlog_written(uv_write_t* req, int status) {
  struct connection* c = req->handle->data;

  free(req->data);
  if (status != 0) {
    connection_close(c);
    return;
  }
  restart_idle_timer(c); /* the peer reads its replies: it is alive */
  if (c->paused && c->state == OPEN &&
      uv_stream_get_write_queue_size((uv_stream_t*) &c->tcp) <= QUEUE_LOW) {
    c->paused = 0;
    connection_read(c);
  }
}

static int queue_rest(struct connection* c, const void* data, size_t len) {
  struct backlog* b = malloc(sizeof(*b) + len);
  if (b == NULL)
    return UV_ENOMEM;

  memcpy(b->data, data, len);
  b->req.data = b;
  uv_buf_t buf = uv_buf_init(b->data, (unsigned int) len);
  int err =
      uv_write(&b->req, (uv_stream_t*) &c->tcp, &buf, 1, on_backlog_written);
  if (err != 0)
    free(b);
  return err;
}

static int send_replies(struct connection* c, unsigned char* data, size_t len) {
  uv_stream_t* stream = (uv_stream_t*) &c->tcp;
  uv_buf_t buf = uv_buf_init((char*) data, (unsigned int) len);

  int n = uv_try_write(stream, &buf, 1);
  if (n == UV_EAGAIN)
    n = 0; /* older replies are still waiting, or the kernel is full */
  if (n < 0)
    return n;
  if ((size_t) n == len)
    return 0;

  seen.partial++;
  int err = queue_rest(c, data + n, len - (size_t) n);
  if (err != 0)
    return err;
  if (uv_stream_get_write_queue_size(stream) > QUEUE_HIGH) {
    seen.pauses++;
    c->paused = 1;
    uv_read_stop(stream);
  }
  return 0;
}

/* ---- requests ---- */

static void flip(unsigned char* body, size_t len) {
  for (size_t i = 0; i < len; i++)
    body[i] = (unsigned char) ~body[i];
}

/* Turns the requests at the front of `in` into replies, in place. Returns their
 * size in bytes, or UV_EPROTO. */
static int make_replies(struct connection* c) {
  size_t done = 0;

  while (c->in_len - done >= HEADER) {
    unsigned char* frame = c->in + done;
    uint32_t body = get_u32(frame);
    if (body > BODY_MAX || get_u32(frame + 4) != c->serial)
      return UV_EPROTO;
    if (c->in_len - done < HEADER + body)
      break;
    flip(frame + HEADER, body);
    c->serial++;
    seen.messages++;
    done += HEADER + body;
  }
  return (int) done;
}

static void on_bytes(struct connection* c, size_t nread) {
  c->in_len += nread;
  int done = make_replies(c);
  if (done < 0) {
    seen.errors++;
    connection_close(c);
    return;
  }
  if (done == 0)
    return;

  restart_idle_timer(c);
  if (send_replies(c, c->in, (size_t) done) != 0) {
    connection_close(c);
    return;
  }
  c->in_len -= (size_t) done;
  memmove(c->in, c->in + done, c->in_len);
}

/* The free end of `in`. There always is one: a complete frame would have been
 * answered, and there is room for two. */
static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  struct connection* c = handle->data;

  (void) suggested;
  *buf = uv_buf_init((char*) c->in + c->in_len,
                     (unsigned int) (sizeof(c->in) - c->in_len));
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  struct connection* c = stream->data;

  (void) buf;
  if (nread > 0)
    on_bytes(c, (size_t) nread);
  else if (nread == UV_EOF)
    connection_drain(c);
  else if (nread < 0)
    connection_close(c);
}

static void connection_read(struct connection* c) {
  if (uv_read_start((uv_stream_t*) &c->tcp, on_alloc, on_read) != 0)
    connection_close(c);
}

/* ---- the listener ---- */

static struct connection* connection_new(void) {
  struct connection* c = malloc(sizeof(*c));
  if (c == NULL)
    return NULL;
  memset(c, 0, offsetof(struct connection, in));

  check(uv_tcp_init(&loop, &c->tcp), "uv_tcp_init");
  check(uv_timer_init(&loop, &c->idle), "uv_timer_init");
  c->tcp.data = c;
  c->idle.data = c;
  c->handles = 2;
  c->link = &connections;
  c->next = connections;
  if (c->next != NULL)
    c->next->link = &c->next;
  connections = c;
  return c;
}

static void on_connection(uv_stream_t* server, int status) {
  if (status != 0) {
    fprintf(stderr, "echo-server: connection: %s\n", uv_strerror(status));
    return;
  }
  struct connection* c = connection_new();
  if (c == NULL)
    return; /* it waits, and nobody else is accepted meanwhile */
  if (uv_accept(server, (uv_stream_t*) &c->tcp) != 0) {
    connection_close(c);
    return;
  }

  /* A small kernel buffer: we decide what a slow peer may cost. */
  int size = SEND_BUFFER;
  (void) uv_send_buffer_size((uv_handle_t*) &c->tcp, &size);
  (void) uv_tcp_nodelay(&c->tcp, 1);
  seen.connections++;
  restart_idle_timer(c);
  connection_read(c);
}

/* ---- start and stop ---- */

static void stop(void) {
  if (stopping)
    return;
  stopping = 1;
  uv_close((uv_handle_t*) &listener, NULL);
  uv_close((uv_handle_t*) &signals[0], NULL);
  uv_close((uv_handle_t*) &signals[1], NULL);
  uv_close((uv_handle_t*) &lifetime, NULL);
  for (struct connection* c = connections; c != NULL;) {
    struct connection* next = c->next;
    connection_drain(c);
    c = next;
  }
}

static void on_signal(uv_signal_t* handle, int signum) {
  (void) handle;
  (void) signum;
  stop();
}

static void on_lifetime(uv_timer_t* timer) {
  (void) timer;
  fprintf(stderr, "echo-server: nobody stopped it\n");
  failed = 1;
  stop();
}

static void print_port(void) {
  struct sockaddr_storage addr;
  int len = sizeof(addr);

  check(uv_tcp_getsockname(&listener, (struct sockaddr*) &addr, &len),
        "uv_tcp_getsockname");
  printf("port %d\n", ntohs(((struct sockaddr_in*) &addr)->sin_port));
  fflush(stdout);
}

static void start(uint64_t lifetime_ms) {
  static const int signums[2] = { SIGINT, SIGTERM };
  struct sockaddr_in addr;

  check(uv_loop_init(&loop), "uv_loop_init");
  check(uv_ip4_addr("127.0.0.1", 0, &addr), "uv_ip4_addr");
  check(uv_tcp_init(&loop, &listener), "uv_tcp_init");
  check(uv_tcp_bind(&listener, (struct sockaddr*) &addr, 0), "uv_tcp_bind");
  check(uv_listen((uv_stream_t*) &listener, 128, on_connection), "uv_listen");
  for (int i = 0; i < 2; i++) {
    check(uv_signal_init(&loop, &signals[i]), "uv_signal_init");
    check(uv_signal_start(&signals[i], on_signal, signums[i]),
          "uv_signal_start");
  }
  check(uv_timer_init(&loop, &lifetime), "uv_timer_init");
  check(uv_timer_start(&lifetime, on_lifetime, lifetime_ms, 0),
        "uv_timer_start");
}

int main(int argc, char** argv) {
  uint64_t lifetime_ms = 60 * 1000;

  if (argc > 1)
    idle_ms = strtoull(argv[1], NULL, 10);
  if (argc > 2)
    lifetime_ms = 1000 * strtoull(argv[2], NULL, 10);

  start(lifetime_ms);
  print_port();
  uv_run(&loop, UV_RUN_DEFAULT);
  check(uv_loop_close(&loop), "uv_loop_close"); /* otherwise something leaked */

  printf("connections %lu, messages %lu, partial writes %lu, pauses %lu, "
         "idle %lu, errors %lu\n",
         seen.connections, seen.messages, seen.partial, seen.pauses, seen.idle,
         seen.errors);
  return failed || connections != NULL;
}
