/* SPDX-License-Identifier: MIT */
/* Answers every HTTP request with a greeting.
 *
 *   http-hello [PORT]     prints the port it has; ends with SIGINT
 *
 * One request per connection; reads until the empty line that ends its head.
 * Exit status 0: everything was closed in the end.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

static char answer[] = "HTTP/1.1 200 OK\r\n"
                       "Content-Type: text/plain\r\n"
                       "Content-Length: 6\r\n"
                       "Connection: close\r\n"
                       "\r\n"
                       "hello\n";

struct client {
  uv_tcp_t tcp;
  uv_write_t write;
  uv_shutdown_t shutdown;
  size_t used;
  char head[4096];
};

static void on_closed(uv_handle_t* handle) {
  free(handle);
}

static void hang_up(uv_stream_t* stream) {
  if (!uv_is_closing((uv_handle_t*) stream))
    uv_close((uv_handle_t*) stream, on_closed);
}

static void on_shutdown(uv_shutdown_t* req, int status) {
  (void) status;
  hang_up(req->handle);
}

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  struct client* client = (struct client*) handle;
  (void) suggested;
  *buf = uv_buf_init(client->head + client->used, /* room for a NUL */
                     (unsigned int) (sizeof(client->head) - 1 - client->used));
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  struct client* client = (struct client*) stream;
  (void) buf;
  if (nread < 0) { /* the end, an error, or a head that does not fit */
    hang_up(stream);
    return;
  }
  client->used += (size_t) nread;
  client->head[client->used] = '\0';
  if (strstr(client->head, "\r\n\r\n") == NULL)
    return;

  uv_buf_t reply = uv_buf_init(answer, sizeof(answer) - 1);
  uv_read_stop(stream);
  if (uv_write(&client->write, stream, &reply, 1, NULL) != 0 ||
      uv_shutdown(&client->shutdown, stream, on_shutdown) != 0)
    hang_up(stream);
}

static void on_connection(uv_stream_t* server, int status) {
  struct client* client = status == 0 ? calloc(1, sizeof(*client)) : NULL;
  if (client == NULL)
    return;

  uv_tcp_init(server->loop, &client->tcp);
  uv_stream_t* stream = (uv_stream_t*) &client->tcp;
  if (uv_accept(server, stream) != 0 ||
      uv_read_start(stream, on_alloc, on_read) != 0)
    hang_up(stream);
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
    fprintf(stderr, "http-hello: %s\n", uv_strerror(err));
    return 1;
  }
  printf("port %d\n", ntohs(addr.sin_port));
  fflush(stdout);

  sigint.data = &server;
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) != 0;
}
