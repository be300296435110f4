/* SPDX-License-Identifier: MIT */
/* A service on a local socket, and its client.
 *
 *   pipe-server serve NAME          answers what it reads; ends with SIGINT
 *   pipe-server ask NAME TEXT       prints the answer to TEXT
 *
 * NAME is a path, on Windows \\.\pipe\NAME. Exit status 0: the answer came;
 * everything was closed in the end.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

struct client {
  uv_pipe_t pipe;
  uv_write_t write;
  char data[1024];
};

static struct client asking; /* of the client */
static const char* question;
static int answered;

static void on_closed(uv_handle_t* handle) {
  if (handle != (uv_handle_t*) &asking.pipe)
    free(handle);
}

static void hang_up(uv_stream_t* stream) {
  if (!uv_is_closing((uv_handle_t*) stream))
    uv_close((uv_handle_t*) stream, on_closed);
}

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
    hang_up(stream);
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  struct client* client = (struct client*) stream;
  if (nread == 0)
    return; /* nothing yet */
  if (nread < 0 || client == &asking) {
    if (nread > 0) {
      printf("%.*s\n", (int) nread, buf->base);
      answered = 1;
    }
    hang_up(stream);
    return;
  }
  /* One question at a time: the write has the buffer until it is done. */
  uv_buf_t reply[] = { uv_buf_init("you said ", 9),
                       uv_buf_init(buf->base, (unsigned int) nread) };
  uv_read_stop(stream);
  if (uv_write(&client->write, stream, reply, 2, on_written) != 0)
    hang_up(stream);
}

static void on_connection(uv_stream_t* server, int status) {
  struct client* client = status == 0 ? malloc(sizeof(*client)) : NULL;
  if (client == NULL)
    return;

  uv_pipe_init(server->loop, &client->pipe, 0);
  uv_stream_t* stream = (uv_stream_t*) &client->pipe;
  if (uv_accept(server, stream) != 0 ||
      uv_read_start(stream, on_alloc, on_read) != 0)
    hang_up(stream);
}

static void on_connect(uv_connect_t* req, int status) {
  uv_stream_t* stream = req->handle;
  uv_buf_t text =
      uv_buf_init((char*) question, (unsigned int) strlen(question));
  if (status != 0)
    fprintf(stderr, "pipe-server: %s\n", uv_strerror(status));
  if (status != 0 || uv_write(&asking.write, stream, &text, 1, on_written) != 0)
    hang_up(stream);
}

static void close_any(uv_handle_t* handle, void* server) {
  if (uv_is_closing(handle))
    return;
  int is_client = handle->type == UV_NAMED_PIPE && handle != server;
  uv_close(handle, is_client ? on_closed : NULL);
}

static void on_signal(uv_signal_t* handle, int signum) {
  (void) signum;
  uv_walk(handle->loop, close_any, handle->data);
}

static int serve(uv_loop_t* loop, const char* name) {
  uv_pipe_t server;
  uv_signal_t sigint;

  uv_pipe_init(loop, &server, 0);
  int err = uv_pipe_bind2(&server, name, strlen(name), UV_PIPE_NO_TRUNCATE);
  if (err == 0)
    err = uv_listen((uv_stream_t*) &server, 128, on_connection);
  if (err != 0) {
    fprintf(stderr, "pipe-server: %s: %s\n", name, uv_strerror(err));
    return 1;
  }
  printf("ready\n");
  fflush(stdout);
  uv_signal_init(loop, &sigint);
  sigint.data = &server;
  uv_signal_start(&sigint, on_signal, SIGINT);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) != 0;
}

int main(int argc, char** argv) {
  uv_loop_t* loop = uv_default_loop();
  uv_connect_t connect;

  if (argc == 3 && strcmp(argv[1], "serve") == 0)
    return serve(loop, argv[2]);
  if (argc != 4 || strcmp(argv[1], "ask") != 0)
    return 2;

  question = argv[3];
  uv_pipe_init(loop, &asking.pipe, 0);
  uv_pipe_connect(&connect, &asking.pipe, argv[2], on_connect);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) != 0 || !answered;
}
