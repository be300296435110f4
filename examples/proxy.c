/* SPDX-License-Identifier: MIT */
/* A TCP proxy, the short form: a buffer for each direction, which is not read
 * into while it is being written. The manual's tutorial has the long form.
 *
 *   proxy UPSTREAM [PORT]
 *
 * Forwards to port UPSTREAM; prints the port it has; ends with SIGINT. Exit
 * status 0: everything was closed in the end.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <uv.h>

struct side {
  uv_tcp_t tcp; /* first: a pointer to one is a pointer to the other */
  struct side* other;
  uv_write_t write; /* of data, to the other side */
  uv_shutdown_t shutdown;
  char data[65536]; /* read from this side */
};

struct session {
  struct side sides[2]; /* the client, the server */
  uv_connect_t connect;
  int open;  /* handles that are not closed yet */
  int ended; /* directions that have ended, of two */
};

static struct sockaddr_in upstream;
static uv_tcp_t listener;

static void on_closed(uv_handle_t* handle) {
  struct session* session = handle->data;

  if (--session->open == 0)
    free(session);
}

static void session_close(struct session* session) {
  for (int i = 0; i < 2; i++)
    if (!uv_is_closing((uv_handle_t*) &session->sides[i].tcp))
      uv_close((uv_handle_t*) &session->sides[i].tcp, on_closed);
}

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  struct side* side = (struct side*) handle;

  (void) suggested;
  *buf = uv_buf_init(side->data, sizeof(side->data));
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf);

static void on_written(uv_write_t* req, int status) {
  uv_stream_t* from = req->data;

  if (status != 0 || uv_read_start(from, on_alloc, on_read) != 0)
    session_close(from->data);
}

static void on_shutdown(uv_shutdown_t* req, int status) {
  struct session* session = req->handle->data;

  if (status != 0 || ++session->ended == 2)
    session_close(session);
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  struct side* from = (struct side*) stream;
  uv_stream_t* to = (uv_stream_t*) &from->other->tcp;
  int err = (int) nread;

  if (nread > 0) {
    uv_buf_t data = uv_buf_init(buf->base, (unsigned int) nread);
    uv_read_stop(stream); /* until that is written */
    from->write.data = from;
    err = uv_write(&from->write, to, &data, 1, on_written);
  } else if (nread == UV_EOF) {
    err = uv_shutdown(&from->shutdown, to, on_shutdown);
  }
  if (err != 0)
    session_close(stream->data);
}

static void on_connected(uv_connect_t* req, int status) {
  struct session* session = req->handle->data;

  for (int i = 0; i < 2 && status == 0; i++)
    status =
        uv_read_start((uv_stream_t*) &session->sides[i].tcp, on_alloc, on_read);
  if (status != 0)
    session_close(session);
}

static void on_connection(uv_stream_t* server, int status) {
  struct session* session = status == 0 ? calloc(1, sizeof(*session)) : NULL;
  if (session == NULL)
    return;

  for (int i = 0; i < 2; i++) {
    uv_tcp_init(server->loop, &session->sides[i].tcp);
    session->sides[i].tcp.data = session;
    session->sides[i].other = &session->sides[1 - i];
  }
  session->open = 2;
  int err = uv_accept(server, (uv_stream_t*) &session->sides[0].tcp);
  if (err == 0)
    err = uv_tcp_connect(&session->connect, &session->sides[1].tcp,
                         (const struct sockaddr*) &upstream, on_connected);
  if (err != 0)
    session_close(session);
}

static void close_any(uv_handle_t* handle, void* arg) {
  (void) arg;
  if (handle->type == UV_TCP && handle != (uv_handle_t*) &listener)
    session_close(handle->data);
  else if (!uv_is_closing(handle))
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

#ifdef SIGPIPE
  signal(SIGPIPE, SIG_IGN); /* libuv needs this where a peer may be gone */
#endif
  uv_tcp_init(loop, &listener);
  int err =
      argc > 1 ? uv_ip4_addr("127.0.0.1", atoi(argv[1]), &upstream) : UV_EINVAL;
  if (err == 0)
    err = uv_ip4_addr("127.0.0.1", argc > 2 ? atoi(argv[2]) : 0, &addr);
  if (err == 0)
    err = uv_tcp_bind(&listener, (const struct sockaddr*) &addr, 0);
  if (err == 0)
    err = uv_listen((uv_stream_t*) &listener, 128, on_connection);
  if (err == 0)
    err = uv_tcp_getsockname(&listener, (struct sockaddr*) &addr, &len);
  if (err == 0)
    err = uv_signal_init(loop, &sigint);
  if (err == 0)
    err = uv_signal_start(&sigint, on_signal, SIGINT);
  if (err != 0) {
    fprintf(stderr, "proxy: %s\n", uv_strerror(err));
    return 1;
  }
  printf("port %d\n", ntohs(addr.sin_port));
  fflush(stdout);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) != 0;
}
