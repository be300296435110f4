/* SPDX-License-Identifier: MIT */
/* Tutorial, step 5: a TCP proxy that ends in order. On SIGINT or SIGTERM it
 * takes no more connections, and lets sessions end by themselves for a while.
 *
 *   step-5 UPSTREAM [PORT [IDLE_MS [GRACE_MS]]]
 *
 * Forwards to port UPSTREAM; prints the port it has. Exit status 0: everything
 * was closed in the end.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

/* Of bytes that wait to be sent to one side: stop reading from the other above
 * the one, go on below the other. */
#define QUEUE_HIGH (256u * 1024u)
#define QUEUE_LOW (64u * 1024u)
#define CONNECT_MS 1000

/* One of the two connections of a session. */
struct side {
  uv_tcp_t tcp; /* first: a pointer to one is a pointer to the other */
  struct side* other;
  uv_shutdown_t shutdown;
  int is_paused;     /* not read for now: the other side has enough */
  uint64_t received; /* bytes, in all */
  size_t queued_max; /* bytes that waited to be sent to it, at most */
  char in[65536];    /* the last read from it */
};

struct session {
  struct side client;
  struct side server;
  uv_connect_t connect;
  uv_timer_t timer;
  int handles; /* that are not closed yet */
  int ended;   /* directions that have ended, of two */
};

/* A write that is under way. */
struct chunk {
  uv_write_t write;
  char data[];
};

static struct sockaddr_in upstream;
static uint64_t idle_ms = 60 * 1000;
static uint64_t grace_ms = 10 * 1000;

/* ---- the end of a session ---- */

static void on_closed(uv_handle_t* handle) {
  struct session* session = handle->data;

  if (--session->handles > 0)
    return;
  fprintf(stderr,
          "session: %" PRIu64 " bytes up, %" PRIu64 " down, at most %" PRIu64
          " queued\n",
          session->client.received, session->server.received,
          (uint64_t) (session->server.queued_max + session->client.queued_max));
  free(session);
}

static void session_close(struct session* session) {
  if (uv_is_closing((uv_handle_t*) &session->client.tcp))
    return;
  uv_close((uv_handle_t*) &session->client.tcp, on_closed);
  uv_close((uv_handle_t*) &session->server.tcp, on_closed);
  uv_close((uv_handle_t*) &session->timer, on_closed);
}

static void on_timeout(uv_timer_t* timer) {
  fprintf(stderr, "session: timed out\n");
  session_close(timer->data);
}

/* There was activity: restarts the idle timeout. */
static void session_touch(struct session* session) {
  if (!uv_is_closing((uv_handle_t*) &session->timer))
    uv_timer_start(&session->timer, on_timeout, idle_ms, 0);
}

/* ---- writing ---- */

static int side_read(struct side* side);

static void on_written(uv_write_t* req, int status) {
  uv_stream_t* stream = req->handle;
  struct session* session = stream->data;
  struct side* to = (struct side*) stream;

  free(req); /* the chunk, which it is the first member of */
  session_touch(session);
  if (status == 0 && to->other->is_paused &&
      uv_stream_get_write_queue_size(stream) <= QUEUE_LOW) {
    to->other->is_paused = 0;
    status = side_read(to->other);
  }
  if (status != 0)
    session_close(session);
}

/* Queues a copy: the next read reuses `data`. */
static int side_queue(struct side* to, const char* data, size_t len) {
  uv_stream_t* stream = (uv_stream_t*) &to->tcp;
  struct chunk* chunk = malloc(sizeof(*chunk) + len);
  if (chunk == NULL)
    return UV_ENOMEM;

  memcpy(chunk->data, data, len);
  uv_buf_t buf = uv_buf_init(chunk->data, (unsigned int) len);
  int err = uv_write(&chunk->write, stream, &buf, 1, on_written);
  if (err != 0) {
    free(chunk);
    return err;
  }
  if (uv_stream_get_write_queue_size(stream) > to->queued_max)
    to->queued_max = uv_stream_get_write_queue_size(stream);
  return 0;
}

/* Sends what the kernel takes at once; only the rest is copied and queued. */
static int side_send(struct side* to, const char* data, size_t len) {
  uv_stream_t* stream = (uv_stream_t*) &to->tcp;
  uv_buf_t buf = uv_buf_init((char*) data, (unsigned int) len);
  int n = uv_try_write(stream, &buf, 1);

  if (n == UV_EAGAIN)
    n = 0; /* the kernel's buffer is full, or there is a queue already */
  if (n < 0)
    return n;
  if ((size_t) n == len)
    return 0;
  int err = side_queue(to, data + n, len - (size_t) n);
  if (err == 0 && uv_stream_get_write_queue_size(stream) > QUEUE_HIGH) {
    to->other->is_paused = 1;
    uv_read_stop((uv_stream_t*) &to->other->tcp);
  }
  return err;
}

static void on_shutdown(uv_shutdown_t* req, int status) {
  struct session* session = req->handle->data;

  if (status != 0 || ++session->ended == 2)
    session_close(session);
}

/* ---- reading ---- */

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  struct side* side = (struct side*) handle;

  (void) suggested;
  *buf = uv_buf_init(side->in, sizeof(side->in));
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  struct side* from = (struct side*) stream;
  struct side* to = from->other;
  int err = (int) nread;

  session_touch(stream->data);
  if (nread > 0) {
    from->received += (uint64_t) nread;
    err = side_send(to, buf->base, (size_t) nread);
  } else if (nread == UV_EOF) { /* pass it on, behind what is queued */
    err = uv_shutdown(&to->shutdown, (uv_stream_t*) &to->tcp, on_shutdown);
  }
  if (err != 0)
    session_close(stream->data);
}

static int side_read(struct side* side) {
  return uv_read_start((uv_stream_t*) &side->tcp, on_alloc, on_read);
}

/* ---- the beginning of a session ---- */

static void on_connected(uv_connect_t* req, int status) {
  struct session* session = req->handle->data;

  if (status == UV_ECANCELED)
    return; /* timed out */
  session_touch(session);
  if (status == 0)
    status = side_read(&session->client);
  if (status == 0)
    status = side_read(&session->server);
  if (status == 0)
    return;
  fprintf(stderr, "upstream: %s\n", uv_strerror(status));
  session_close(session);
}

static void side_init(uv_loop_t* loop, struct side* side, struct side* other) {
  uv_tcp_init(loop, &side->tcp);
  side->other = other;
}

static void on_connection(uv_stream_t* listener, int status) {
  struct session* session = status == 0 ? calloc(1, sizeof(*session)) : NULL;
  if (session == NULL)
    return;

  side_init(listener->loop, &session->client, &session->server);
  side_init(listener->loop, &session->server, &session->client);
  session->client.tcp.data = session;
  session->server.tcp.data = session;
  uv_timer_init(listener->loop, &session->timer);
  session->timer.data = session;
  session->handles = 3;
  int err = uv_accept(listener, (uv_stream_t*) &session->client.tcp);
  if (err == 0)
    err = uv_tcp_connect(&session->connect, &session->server.tcp,
                         (const struct sockaddr*) &upstream, on_connected);
  if (err == 0)
    err = uv_timer_start(&session->timer, on_timeout, CONNECT_MS, 0);
  if (err != 0)
    session_close(session);
}

/* ---- the end of the program ---- */

static uv_tcp_t listener;
static uv_signal_t signals[2];
static uv_timer_t grace;

static void end_session(uv_handle_t* handle, void* arg) {
  (void) arg;
  if (handle->type == UV_TCP && !uv_is_closing(handle))
    session_close(handle->data); /* (the listener is closing already) */
}

static void on_grace_over(uv_timer_t* timer) {
  uv_walk(timer->loop, end_session, NULL);
}

/* No more connections. Without its signal handles, the program ends at once if
 * the signal comes again. */
static void on_signal(uv_signal_t* handle, int signum) {
  (void) handle;
  fprintf(stderr, "signal %d: no more connections\n", signum);
  uv_close((uv_handle_t*) &listener, NULL);
  uv_close((uv_handle_t*) &signals[0], NULL);
  uv_close((uv_handle_t*) &signals[1], NULL);
  uv_timer_start(&grace, on_grace_over, grace_ms, 0);
}

static int watch_signals(uv_loop_t* loop) {
  static const int signums[2] = { SIGINT, SIGTERM };
  int err = uv_timer_init(loop, &grace);

  uv_unref((uv_handle_t*) &grace); /* it does not keep the loop alive */
  for (int i = 0; i < 2 && err == 0; i++) {
    err = uv_signal_init(loop, &signals[i]);
    if (err == 0)
      err = uv_signal_start(&signals[i], on_signal, signums[i]);
  }
  return err;
}

/* ---- the program ---- */

static int fail(const char* what, int err) {
  fprintf(stderr, "%s: %s\n", what, uv_strerror(err));
  return 1;
}

int main(int argc, char** argv) {
  uv_loop_t* loop = uv_default_loop();
  struct sockaddr_in addr;
  int len = sizeof(addr);

#ifdef SIGPIPE
  signal(SIGPIPE, SIG_IGN); /* libuv needs this where a peer may be gone */
#endif
  if (argc < 2)
    return fail("usage: step-5 UPSTREAM [PORT ...]", UV_EINVAL);
  if (argc > 3)
    idle_ms = strtoull(argv[3], NULL, 10);
  if (argc > 4)
    grace_ms = strtoull(argv[4], NULL, 10);
  uv_tcp_init(loop, &listener);
  int err = uv_ip4_addr("127.0.0.1", atoi(argv[1]), &upstream);
  if (err == 0)
    err = uv_ip4_addr("127.0.0.1", argc > 2 ? atoi(argv[2]) : 0, &addr);
  if (err == 0)
    err = uv_tcp_bind(&listener, (const struct sockaddr*) &addr, 0);
  if (err == 0)
    err = uv_listen((uv_stream_t*) &listener, 128, on_connection);
  if (err == 0)
    err = uv_tcp_getsockname(&listener, (struct sockaddr*) &addr, &len);
  if (err == 0)
    err = watch_signals(loop);
  if (err != 0)
    return fail("listen", err);
  printf("port %d\n", ntohs(addr.sin_port));
  fflush(stdout);

  uv_run(loop, UV_RUN_DEFAULT); /* until the last session has ended */
  uv_close((uv_handle_t*) &grace, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) != 0;
}
