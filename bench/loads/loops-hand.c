/* SPDX-License-Identifier: MIT */
/* examples/loops-http.c by hand, for any libuv: threads, a loop each, and
 * UV_TCP_REUSEPORT.
 *
 *   loops-hand LOOPS     prints the port it has; ends when it is killed
 */
#include "../../examples/loops-http.h"

struct thread {
  uv_thread_t id;
  uv_loop_t loop;
  uv_tcp_t server;
};

static struct thread threads[WORKERS_MAX];

static void check(int err) {
  if (err == 0)
    return;
  fprintf(stderr, "loops-hand: %s\n", uv_strerror(err));
  exit(1);
}

static void run(void* arg) {
  struct thread* thread = arg;

  worker_init(&thread->loop, (unsigned) (thread - threads));
  uv_run(&thread->loop, UV_RUN_DEFAULT);
}

int main(int argc, char** argv) {
  int count = argc > 1 ? atoi(argv[1]) : 1;
  struct sockaddr_in addr;
  int len = sizeof(addr);

  check(uv_ip4_addr("127.0.0.1", 0, &addr));
  for (int i = 0; i < count && i < WORKERS_MAX; i++) {
    struct thread* thread = &threads[i];
    check(uv_loop_init(&thread->loop));
    check(uv_tcp_init(&thread->loop, &thread->server));
    check(uv_tcp_bind(&thread->server, (const struct sockaddr*) &addr,
                      UV_TCP_REUSEPORT));
    check(uv_listen((uv_stream_t*) &thread->server, 511, on_connection));
    check(uv_tcp_getsockname(&thread->server, (struct sockaddr*) &addr, &len));
  }
  printf("port %d\n", ntohs(addr.sin_port));
  fflush(stdout);
  for (int i = 1; i < count && i < WORKERS_MAX; i++)
    check(uv_thread_create(&threads[i].id, run, &threads[i]));
  (void) end_worker; /* it never ends by itself */
  (void) print_workers;
  run(&threads[0]);
  return 0;
}
