/* SPDX-License-Identifier: MIT */
/* An echo server, the short form (echo-server.c is the long one).
 *
 *   tcp-echo [PORT]     prints the port it has; ends with SIGINT
 *
 * Exit status 0: everything was closed in the end.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <uv.h>

struct client {
  uv_tcp_t tcp; /* first: a pointer to one is a pointer to the other */
  uv_write_t write;
  char data[65536];
};

static void on_closed(uv_handle_t* handle) {
  free(handle);
}

/* Memory is free again when its write is done: one buffer per client will do
 * if it does not read meanwhile. */
static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  struct client* client = (struct client*) handle;
  (void) suggested;
  *buf = uv_buf_init(client->data, sizeof(client->data));
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf);

static void on_written(uv_write_t* req, int status) {
  uv_stream_t* stream = req->handle;
  if (uv_is_closing((uv_handle_t*) stream))
    return;
  if (status != 0 || uv_read_start(stream, on_alloc, on_read) != 0)
    uv_close((uv_handle_t*) stream, on_closed);
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  struct client* client = (struct client*) stream;
  if (nread == 0)
    return; /* nothing yet */

  int err = -1;
  if (nread > 0) {
    uv_buf_t reply = uv_buf_init(buf->base, (unsigned int) nread);
    uv_read_stop(stream);
    err = uv_write(&client->write, stream, &reply, 1, on_written);
  }
  if (err != 0) /* the end, or an error */
    uv_close((uv_handle_t*) stream, on_closed);
}

static void on_connection(uv_stream_t* server, int status) {
  struct client* client = status == 0 ? malloc(sizeof(*client)) : NULL;
  if (client == NULL)
    return;

  uv_tcp_init(server->loop, &client->tcp);
  uv_stream_t* stream = (uv_stream_t*) &client->tcp;
  if (uv_accept(server, stream) != 0 ||
      uv_read_start(stream, on_alloc, on_read) != 0)
    uv_close((uv_handle_t*) stream, on_closed);
}

static void close_any(uv_handle_t* handle, void* server) {
  if (uv_is_closing(handle))
    return;
  int is_client = handle->type == UV_TCP && handle != server;
  uv_close(handle, is_client ? on_closed : NULL);
}

static void on_signal(uv_signal_t* handle, int signum) {
  (void) signum;
  uv_walk(handle->loop, close_any, handle->data);
}

int main(int argc, char** argv) {
  uv_loop_t* loop = uv_default_loop();
  uv_tcp_t server;
  uv_signal_t sigint;
  struct sockaddr_in addr;
  int len = sizeof(addr);

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
    fprintf(stderr, "tcp-echo: %s\n", uv_strerror(err));
    return 1;
  }
  printf("port %d\n", ntohs(addr.sin_port));
  fflush(stdout);

  sigint.data = &server;
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) != 0;
}
