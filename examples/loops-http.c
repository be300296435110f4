/* SPDX-License-Identifier: MIT */
/* An HTTP server on managed loops.
 *
 *   loops-http [PORT [LOOPS [BALANCE [RELOAD_MS]]]]
 *
 * Prints the port it has. BALANCE is kernel, shared, turns or default. With
 * RELOAD_MS, the answer changes so often, while all loops pause. If a service
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

/* ---- reloading, on loop 0 ---- */

static uvx_loops_t* loops;
static uv_timer_t reload_timer;
static unsigned reload_ms;
static unsigned reloads;

static void on_reload(uv_timer_t* timer) {
  static char* current;
  char* next = malloc(32);

  (void) timer;
  if (next == NULL)
    return;
  snprintf(next, 32, "hello %u\n", reloads + 1);
  if (uvx_loops_pause(loops, 1000) != 0) {
    free(next); /* a callback takes that long: the next time, then */
    return;
  }
  greeting = next; /* the other loops stand between two callbacks */
  uvx_loops_resume(loops);
  free(current); /* nobody has kept it: answers are copies */
  current = next;
  reloads++;
}

static void begin_reloading(uv_loop_t* loop, void* arg) {
  (void) arg;
  uv_timer_init(loop, &reload_timer);
  if (reload_ms != 0)
    uv_timer_start(&reload_timer, on_reload, reload_ms, reload_ms);
}

static void end_reloading(uv_loop_t* loop, void* arg) {
  (void) loop;
  (void) arg;
  uv_close((uv_handle_t*) &reload_timer, NULL);
}

/* ---- the program ---- */

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
  if (argc > 4)
    reload_ms = (unsigned) atoi(argv[4]);
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
    err = uvx_loops_on_start(loops, uvx_loops_get(loops, 0), begin_reloading,
                             NULL);
  if (err == 0)
    err = uvx_loops_on_end(loops, NULL, end_worker, NULL);
  if (err == 0)
    err = uvx_loops_on_end(loops, uvx_loops_get(loops, 0), end_reloading, NULL);
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
  printf("%u reloads\n", reloads);
  if (err != 0)
    return fail("run", err);
  return uvx_loops_free(loops) != 0;
}
