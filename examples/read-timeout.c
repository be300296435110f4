/* SPDX-License-Identifier: MIT */
/* A server that does not wait for ever: each client has so long to send a
 * line, and so long in all.
 *
 *   read-timeout [PORT [BYTE_MS [LINE_MS]]]
 *
 * Prints the port it has, and why each client was hung up on; ends with SIGINT.
 * Exit status 0: everything was closed in the end.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

struct client {
  uv_tcp_t tcp;   /* first: a pointer to one is a pointer to the other */
  uv_timer_t gap; /* from byte to byte: started again by each read */
  uv_timer_t all; /* for the whole line: not started again */
  int handles;    /* that are not closed yet */
  char in[512];
};

static uint64_t gap_ms = 5 * 1000;
static uint64_t all_ms = 30 * 1000;
static uv_tcp_t server;

static void on_closed(uv_handle_t* handle) {
  struct client* client = handle->data;

  if (--client->handles == 0)
    free(client);
}

static void hang_up(struct client* client, const char* why) {
  if (uv_is_closing((uv_handle_t*) &client->tcp))
    return;
  printf("%s\n", why);
  fflush(stdout);
  uv_close((uv_handle_t*) &client->tcp, on_closed);
  uv_close((uv_handle_t*) &client->gap, on_closed);
  uv_close((uv_handle_t*) &client->all, on_closed);
}

static void on_gap(uv_timer_t* timer) {
  hang_up(timer->data, "silent for too long");
}

static void on_all(uv_timer_t* timer) {
  hang_up(timer->data, "too slow");
}

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  struct client* client = (struct client*) handle;

  (void) suggested;
  *buf = uv_buf_init(client->in, sizeof(client->in));
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  struct client* client = (struct client*) stream;

  if (nread < 0) {
    hang_up(client, uv_err_name((int) nread));
  } else if (nread > 0) {
    uv_timer_start(&client->gap, on_gap, gap_ms, 0);
    if (memchr(buf->base, '\n', (size_t) nread) != NULL)
      hang_up(client, "a line");
  }
}

static void on_connection(uv_stream_t* listener, int status) {
  struct client* client = status == 0 ? malloc(sizeof(*client)) : NULL;
  if (client == NULL)
    return;

  uv_tcp_init(listener->loop, &client->tcp);
  uv_timer_init(listener->loop, &client->gap);
  uv_timer_init(listener->loop, &client->all);
  client->tcp.data = client->gap.data = client->all.data = client;
  client->handles = 3;
  uv_timer_start(&client->gap, on_gap, gap_ms, 0);
  uv_timer_start(&client->all, on_all, all_ms, 0);
  int err = uv_accept(listener, (uv_stream_t*) &client->tcp);
  if (err == 0)
    err = uv_read_start((uv_stream_t*) &client->tcp, on_alloc, on_read);
  if (err != 0)
    hang_up(client, uv_err_name(err));
}

static void close_any(uv_handle_t* handle, void* arg) {
  (void) arg;
  if (handle->type == UV_TCP && handle != (uv_handle_t*) &server)
    hang_up(handle->data, "the end");
  else if (handle->type != UV_TIMER && !uv_is_closing(handle))
    uv_close(handle, NULL);
}

static void on_signal(uv_signal_t* handle, int signum) {
  (void) signum;
  uv_walk(handle->loop, close_any, NULL);
}

int main(int argc, char** argv) {
  uv_loop_t* loop = uv_default_loop();
  uv_signal_t sigint;
  struct sockaddr_in addr;
  int len = sizeof(addr);

  if (argc > 2)
    gap_ms = strtoull(argv[2], NULL, 10);
  if (argc > 3)
    all_ms = strtoull(argv[3], NULL, 10);
  uv_tcp_init(loop, &server);
  int err = uv_ip4_addr("127.0.0.1", argc > 1 ? atoi(argv[1]) : 0, &addr);
  if (err == 0)
    err = uv_tcp_bind(&server, (const struct sockaddr*) &addr, 0);
  if (err == 0)
    err = uv_listen((uv_stream_t*) &server, 128, on_connection);
  if (err == 0)
    err = uv_tcp_getsockname(&server, (struct sockaddr*) &addr, &len);
  if (err == 0)
    err = uv_signal_init(loop, &sigint);
  if (err == 0)
    err = uv_signal_start(&sigint, on_signal, SIGINT);
  if (err != 0) {
    fprintf(stderr, "read-timeout: %s\n", uv_strerror(err));
    return 1;
  }
  printf("port %d\n", ntohs(addr.sin_port));
  fflush(stdout);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) != 0;
}
