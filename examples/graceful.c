/* SPDX-License-Identifier: MIT */
/* A graceful shutdown: an echo server that on SIGTERM or SIGINT accepts nobody
 * any more, sends what it has queued, and then ends.
 *
 *   graceful [PORT [GRACE_MS]]     prints the port it has
 *
 * Exit status 0: everything was closed in the end.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

struct client {
  uv_tcp_t tcp; /* first: a pointer to one is a pointer to the other */
  uv_write_t write;
  uv_shutdown_t shutdown;
  char data[65536];
};

static uv_tcp_t server;
static uv_signal_t signals[2];
static uv_timer_t grace;
static uint64_t grace_ms = 5 * 1000;
static int is_ending;

static void on_closed(uv_handle_t* handle) {
  free(handle);
}

static void hang_up(uv_handle_t* handle) {
  if (!uv_is_closing(handle))
    uv_close(handle, on_closed);
}

/* ---- the end ---- */

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf);
static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf);

/* All is sent. Closing now, with bytes of the client unread, would reset the
 * connection and could destroy what it has not read yet: wait for its end. */
static void on_shutdown(uv_shutdown_t* req, int status) {
  int err =
      status != 0 ? status : uv_read_start(req->handle, on_alloc, on_read);

  if (err != 0 && err != UV_EALREADY)
    hang_up((uv_handle_t*) req->handle);
}

/* The end of our side, behind all writes that are queued. */
static void drain_client(uv_handle_t* handle, void* arg) {
  struct client* client = (struct client*) handle;

  (void) arg;
  if (handle->type != UV_TCP || uv_is_closing(handle))
    return;
  if (uv_shutdown(&client->shutdown, (uv_stream_t*) handle, on_shutdown) != 0)
    hang_up(handle);
}

static void close_client(uv_handle_t* handle, void* arg) {
  (void) arg;
  if (handle->type == UV_TCP)
    hang_up(handle);
}

static void on_grace_over(uv_timer_t* timer) {
  uv_walk(timer->loop, close_client, NULL);
}

static void on_signal(uv_signal_t* handle, int signum) {
  (void) signum;
  is_ending = 1;
  uv_close((uv_handle_t*) &server, NULL); /* first: it is a TCP handle, too */
  uv_close((uv_handle_t*) &signals[0], NULL);
  uv_close((uv_handle_t*) &signals[1], NULL);
  uv_walk(handle->loop, drain_client, NULL);
  uv_timer_start(&grace, on_grace_over, grace_ms, 0);
}

/* ---- the service ---- */

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  struct client* client = (struct client*) handle;

  (void) suggested;
  *buf = uv_buf_init(client->data, sizeof(client->data));
}

static void on_written(uv_write_t* req, int status) {
  if (is_ending)
    return; /* on_shutdown() comes next */
  if (status != 0 || uv_read_start(req->handle, on_alloc, on_read) != 0)
    hang_up((uv_handle_t*) req->handle);
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  struct client* client = (struct client*) stream;
  int err = (int) nread;

  if (is_ending && nread > 0)
    return; /* too late to be answered */
  if (nread > 0) {
    uv_buf_t reply = uv_buf_init(buf->base, (unsigned int) nread);
    uv_read_stop(stream);
    err = uv_write(&client->write, stream, &reply, 1, on_written);
  }
  if (err != 0)
    hang_up((uv_handle_t*) stream);
}

static void on_connection(uv_stream_t* listener, int status) {
  struct client* client = status == 0 ? malloc(sizeof(*client)) : NULL;
  if (client == NULL)
    return;

  uv_tcp_init(listener->loop, &client->tcp);
  if (uv_accept(listener, (uv_stream_t*) &client->tcp) != 0 ||
      uv_read_start((uv_stream_t*) &client->tcp, on_alloc, on_read) != 0)
    hang_up((uv_handle_t*) &client->tcp);
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

int main(int argc, char** argv) {
  uv_loop_t* loop = uv_default_loop();
  struct sockaddr_in addr;
  int len = sizeof(addr);

  if (argc > 2)
    grace_ms = strtoull(argv[2], NULL, 10);
  uv_tcp_init(loop, &server);
  int err = uv_ip4_addr("127.0.0.1", argc > 1 ? atoi(argv[1]) : 0, &addr);
  if (err == 0)
    err = uv_tcp_bind(&server, (const struct sockaddr*) &addr, 0);
  if (err == 0)
    err = uv_listen((uv_stream_t*) &server, 128, on_connection);
  if (err == 0)
    err = uv_tcp_getsockname(&server, (struct sockaddr*) &addr, &len);
  if (err == 0)
    err = watch_signals(loop);
  if (err != 0) {
    fprintf(stderr, "graceful: %s\n", uv_strerror(err));
    return 1;
  }
  printf("port %d\n", ntohs(addr.sin_port));
  fflush(stdout);

  uv_run(loop, UV_RUN_DEFAULT); /* until the last client is gone */
  uv_close((uv_handle_t*) &grace, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) != 0;
}
