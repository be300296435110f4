/* SPDX-License-Identifier: MIT */
/* Tutorial, step 1: listen, accept, say who it is, hang up.
 *
 *   step-1 [PORT]     prints the port it has; ends with Ctrl+C
 */
#include <stdio.h>
#include <stdlib.h>

#include <uv.h>

static void on_closed(uv_handle_t* handle) {
  free(handle);
}

static void on_connection(uv_stream_t* listener, int status) {
  uv_tcp_t* client = status == 0 ? malloc(sizeof(*client)) : NULL;
  struct sockaddr_in addr;
  int len = sizeof(addr);

  if (client == NULL)
    return;
  uv_tcp_init(listener->loop, client);
  if (uv_accept(listener, (uv_stream_t*) client) == 0 &&
      uv_tcp_getpeername(client, (struct sockaddr*) &addr, &len) == 0)
    fprintf(stderr, "a client at port %d\n", ntohs(addr.sin_port));
  uv_close((uv_handle_t*) client, on_closed);
}

static int fail(const char* what, int err) {
  fprintf(stderr, "%s: %s\n", what, uv_strerror(err));
  return 1;
}

int main(int argc, char** argv) {
  uv_loop_t* loop = uv_default_loop();
  uv_tcp_t listener;
  struct sockaddr_in addr;
  int len = sizeof(addr);

  uv_tcp_init(loop, &listener);
  int err = uv_ip4_addr("127.0.0.1", argc > 1 ? atoi(argv[1]) : 0, &addr);
  if (err == 0)
    err = uv_tcp_bind(&listener, (const struct sockaddr*) &addr, 0);
  if (err == 0)
    err = uv_listen((uv_stream_t*) &listener, 128, on_connection);
  if (err == 0)
    err = uv_tcp_getsockname(&listener, (struct sockaddr*) &addr, &len);
  if (err != 0)
    return fail("listen", err);
  printf("port %d\n", ntohs(addr.sin_port));
  fflush(stdout);
  return uv_run(loop, UV_RUN_DEFAULT);
}
