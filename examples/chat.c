/* SPDX-License-Identifier: MIT */
/* A chat room: what one client writes, all of them get.
 *
 *   chat [PORT]     prints the port it has; ends with SIGINT
 *
 * A message is one allocation that all its writes share; the last of them frees
 * it. A client that does not read is hung up on when LAG_MAX bytes wait for it.
 * Exit status 0: everything was closed in the end.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#define LAG_MAX (1u << 20)

struct message {
  int users; /* writes under way, and the sender */
  size_t len;
  char text[];
};

struct post {
  uv_write_t write;
  struct message* message;
};

static uv_tcp_t server;

static void message_release(struct message* message) {
  if (--message->users == 0)
    free(message);
}

static void on_closed(uv_handle_t* handle) {
  free(handle);
}

static void hang_up(uv_handle_t* client) {
  if (!uv_is_closing(client))
    uv_close(client, on_closed);
}

static int is_client(const uv_handle_t* handle) {
  return handle->type == UV_TCP && handle != (uv_handle_t*) &server;
}

static void on_written(uv_write_t* req, int status) {
  struct post* post = (struct post*) req;
  if (status != 0)
    hang_up((uv_handle_t*) req->handle);
  message_release(post->message);
  free(post);
}

static void send_to(uv_handle_t* handle, void* arg) {
  struct message* message = arg;
  uv_stream_t* stream = (uv_stream_t*) handle;
  if (!is_client(handle) || uv_is_closing(handle))
    return;

  struct post* post = malloc(sizeof(*post));
  uv_buf_t buf = uv_buf_init(message->text, (unsigned int) message->len);
  if (post != NULL)
    post->message = message;
  if (post == NULL || stream->write_queue_size > LAG_MAX ||
      uv_write(&post->write, stream, &buf, 1, on_written) != 0) {
    free(post);
    hang_up(handle);
    return;
  }
  message->users++;
}

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  static char room[4096]; /* copied before anything else is read */
  (void) handle;
  (void) suggested;
  *buf = uv_buf_init(room, sizeof(room));
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  if (nread < 0)
    hang_up((uv_handle_t*) stream);
  if (nread <= 0)
    return;

  size_t len = (size_t) nread;
  struct message* message = malloc(sizeof(*message) + len);
  if (message == NULL)
    return;
  message->users = 1;
  message->len = len;
  memcpy(message->text, buf->base, len);
  uv_walk(stream->loop, send_to, message);
  message_release(message);
}

static void on_connection(uv_stream_t* listener, int status) {
  uv_tcp_t* client = status == 0 ? malloc(sizeof(*client)) : NULL;
  if (client == NULL)
    return;

  uv_tcp_init(listener->loop, client);
  if (uv_accept(listener, (uv_stream_t*) client) != 0 ||
      uv_read_start((uv_stream_t*) client, on_alloc, on_read) != 0)
    hang_up((uv_handle_t*) client);
}

static void close_any(uv_handle_t* handle, void* arg) {
  (void) arg;
  if (!uv_is_closing(handle))
    uv_close(handle, is_client(handle) ? on_closed : NULL);
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
    fprintf(stderr, "chat: %s\n", uv_strerror(err));
    return 1;
  }
  printf("port %d\n", ntohs(addr.sin_port));
  fflush(stdout);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) != 0;
}
