/* SPDX-License-Identifier: MIT */
/* An HTTP server on managed loops.
 *
 *   loops-http [PORT [LOOPS [BALANCE]]]
 *
 * Prints the port it has. BALANCE is kernel, shared or turns. If a service
 * manager has passed sockets (systemd's LISTEN_FDS), it listens on those
 * instead. Ends with SIGINT or SIGTERM: each connection is answered once more,
 * or closed after a second, and the counts of each loop are printed. Exit
 * status 0: nothing was left.
 */
#include "loops-http.h"

#include <uv/ext.h>

static void begin_worker(uv_loop_t* loop, void* arg) {
  (void) arg;
  worker_init(loop, (unsigned) uvx_loop_index(loop));
}

static enum uvx_balance balance_of(const char* name) {
  static const char* const names[] = { "default", "kernel", "shared", "turns" };

  for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
    if (strcmp(name, names[i]) == 0)
      return (enum uvx_balance) i;
  return (enum uvx_balance) - 1; /* UV_EINVAL */
}

static int fail(const char* what, int err) {
  fprintf(stderr, "loops-http: %s: %s\n", what, uv_strerror(err));
  return 1;
}

int main(int argc, char** argv) {
  struct sockaddr_in addr;
  int len = sizeof(addr);
  uvx_loops_t* loops;
  uvx_listener_t* listener;
  uv_os_sock_t socks[WORKERS_MAX];
  unsigned count = WORKERS_MAX;
  uvx_loops_options_t options = { .size = sizeof(options) };
  uvx_listen_options_t listening = { .size = sizeof(listening),
                                     .addr = (const struct sockaddr*) &addr,
                                     .backlog = 511,
                                     .cb = on_connection };

  int err = uv_ip4_addr("127.0.0.1", argc > 1 ? atoi(argv[1]) : 0, &addr);
  if (err != 0)
    return fail("port", err);
  options.count =
      argc > 2 ? (unsigned) atoi(argv[2]) : uv_available_parallelism();
  if (options.count > WORKERS_MAX)
    options.count = WORKERS_MAX;
  if (argc > 3)
    listening.balance = balance_of(argv[3]);
  if (uvx_inherited_sockets(NULL, socks, &count) == 0) {
    listening.addr = NULL;
    listening.socks = socks;
    listening.nsocks = count;
  }

  err = uvx_loops_new(&loops, &options);
  if (err != 0)
    return fail("loops", err);
  err = uvx_loops_on_start(loops, NULL, begin_worker, NULL);
  if (err == 0)
    err = uvx_loops_on_end(loops, NULL, end_worker, NULL);
  if (err == 0)
    err = uvx_loops_listen(loops, &listening, &listener);
  if (err != 0) {
    uvx_loops_free(loops);
    return fail("listen", err);
  }
  uvx_listener_getsockname(listener, (struct sockaddr*) &addr, &len);
  printf("port %d\n", ntohs(addr.sin_port));
  fflush(stdout);

  err = uvx_loops_run(loops);
  print_workers(uvx_loops_count(loops));
  if (err != 0)
    return fail("run", err);
  return uvx_loops_free(loops) != 0;
}
