/* SPDX-License-Identifier: MIT */
/* A loop and a listening socket for every core; the kernel spreads the
 * connections. Linux, FreeBSD, DragonFly BSD.
 *
 *   cores [PORT]     prints the port it has; ends with SIGINT
 *
 * Each connection is told which core has it and closed. The threads share
 * nothing but the address. Exit status 0: everything was closed in the end;
 * 77: this system does not spread connections.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <uv.h>

#define CORES_MAX 64

struct core {
  int number;
  uv_thread_t thread;
  uv_loop_t loop;
  uv_tcp_t server;
  uv_async_t stop;
  int failed;
};

static struct core cores[CORES_MAX];
static struct sockaddr_in addr;

static void on_closed(uv_handle_t* handle) {
  free(handle);
}

static void on_connection(uv_stream_t* server, int status) {
  struct core* core = server->data;
  uv_tcp_t* client = status == 0 ? malloc(sizeof(*client)) : NULL;
  char text[32];
  if (client == NULL)
    return;

  uv_tcp_init(server->loop, client);
  if (uv_accept(server, (uv_stream_t*) client) == 0) {
    int len = snprintf(text, sizeof(text), "core %d\n", core->number);
    uv_buf_t buf = uv_buf_init(text, (unsigned int) len);
    uv_try_write((uv_stream_t*) client, &buf, 1); /* fits any socket */
  }
  uv_close((uv_handle_t*) client, on_closed);
}

static void on_stop(uv_async_t* async) {
  struct core* core = async->data;
  uv_close((uv_handle_t*) &core->server, NULL);
  uv_close((uv_handle_t*) &core->stop, NULL);
}

static int listen_on(struct core* core, int number) {
  core->number = number;
  core->server.data = core->stop.data = core;
  int err = uv_loop_init(&core->loop);
  if (err != 0)
    return err;
  uv_tcp_init(&core->loop, &core->server);
  uv_async_init(&core->loop, &core->stop, on_stop);
  err = uv_tcp_bind(&core->server, (const struct sockaddr*) &addr,
                    UV_TCP_REUSEPORT);
  if (err == 0)
    err = uv_listen((uv_stream_t*) &core->server, 128, on_connection);
  return err;
}

static void run(void* arg) {
  struct core* core = arg;
  uv_run(&core->loop, UV_RUN_DEFAULT);
  core->failed = uv_loop_close(&core->loop) != 0;
}

static void on_signal(uv_signal_t* handle, int signum) {
  (void) signum;
  uv_close((uv_handle_t*) handle, NULL);
}

int main(int argc, char** argv) {
  int count = (int) uv_available_parallelism();
  int len = sizeof(addr);
  int failures = 0;
  uv_signal_t sigint;

  if (count > CORES_MAX)
    count = CORES_MAX;
  uv_ip4_addr("127.0.0.1", argc > 1 ? atoi(argv[1]) : 0, &addr);
  for (int i = 0; i < count; i++) {
    int err = listen_on(&cores[i], i);
    if (err != 0) {
      fprintf(stderr, "cores: %s\n", uv_strerror(err));
      return err == UV_ENOTSUP ? 77 : 1;
    }
    if (i == 0) /* the others take the same port */
      uv_tcp_getsockname(&cores[0].server, (struct sockaddr*) &addr, &len);
  }
  for (int i = 0; i < count; i++)
    if (uv_thread_create(&cores[i].thread, run, &cores[i]) != 0)
      return 1;
  printf("port %d\n", ntohs(addr.sin_port));
  fflush(stdout);

  uv_signal_init(uv_default_loop(), &sigint);
  uv_signal_start(&sigint, on_signal, SIGINT);
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
  for (int i = 0; i < count; i++)
    uv_async_send(&cores[i].stop);
  for (int i = 0; i < count; i++) {
    uv_thread_join(&cores[i].thread);
    failures += cores[i].failed;
  }
  return uv_loop_close(uv_default_loop()) != 0 || failures != 0;
}
