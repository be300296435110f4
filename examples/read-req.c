/* SPDX-License-Identifier: MIT */
/* Reading as requests: a server in the rhythm of its protocol.
 *
 * The connection asks for a request, answers it, and asks for the next one. The
 * data goes straight into the program's buffer. Exit status 0: the client got
 * all its answers.
 */
#include <stdio.h>
#include <string.h>

#include <uv.h>
#include <uv/ext.h>

#define ROUNDS 1000

static uv_loop_t* loop;
static uv_tcp_t server;
static uv_tcp_t conn; /* of the server */
static uv_tcp_t client;
static uvx_read_t requests;
static uvx_read_t answers;
static char request[64];
static char answer[64];
static int rounds;

static void say(uv_tcp_t* tcp, const char* text) {
  uv_buf_t buf = uv_buf_init((char*) text, (unsigned) strlen(text));
  uv_try_write((uv_stream_t*) tcp, &buf, 1);
}

static void on_request(uvx_read_t* req, ssize_t nread) {
  uv_buf_t buf = uv_buf_init(request, sizeof(request));

  if (nread < 0) { /* UV_EOF: the client is content */
    uv_close((uv_handle_t*) &conn, NULL);
    uv_close((uv_handle_t*) &server, NULL);
    return;
  }
  say(&conn, "answer");
  uvx_read(req, req->stream, &buf, 1, on_request);
}

static void on_answer(uvx_read_t* req, ssize_t nread) {
  uv_buf_t buf = uv_buf_init(answer, sizeof(answer));

  if (nread < 0 || ++rounds == ROUNDS) {
    uv_close((uv_handle_t*) &client, NULL);
    return;
  }
  say(&client, "request");
  uvx_read(req, req->stream, &buf, 1, on_answer);
}

static void on_connection(uv_stream_t* listener, int status) {
  uv_buf_t buf = uv_buf_init(request, sizeof(request));

  uv_tcp_init(loop, &conn);
  if (status == 0 && uv_accept(listener, (uv_stream_t*) &conn) == 0)
    uvx_read(&requests, (uv_stream_t*) &conn, &buf, 1, on_request);
}

static void on_connect(uv_connect_t* req, int status) {
  uv_buf_t buf = uv_buf_init(answer, sizeof(answer));

  (void) req;
  if (status != 0)
    return;
  say(&client, "request");
  uvx_read(&answers, (uv_stream_t*) &client, &buf, 1, on_answer);
}

int main(void) {
  struct sockaddr_storage addr;
  int len = sizeof(addr);
  uv_connect_t connect;

  loop = uv_default_loop();
  uv_ip4_addr("127.0.0.1", 0, (struct sockaddr_in*) &addr);
  uv_tcp_init(loop, &server);
  uv_tcp_bind(&server, (struct sockaddr*) &addr, 0);
  if (uv_listen((uv_stream_t*) &server, 16, on_connection) != 0 ||
      uv_tcp_getsockname(&server, (struct sockaddr*) &addr, &len) != 0)
    return 1;
  uv_tcp_init(loop, &client);
  uv_tcp_connect(&connect, &client, (struct sockaddr*) &addr, on_connect);
  uv_run(loop, UV_RUN_DEFAULT);
  printf("%d answers\n", rounds);
  return uv_loop_close(loop) != 0 || rounds != ROUNDS;
}
