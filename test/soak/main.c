/* SPDX-License-Identifier: MIT */
/* See soak.h. */
#include "soak.h"

#include <sys/resource.h>
#include <unistd.h>

uv_loop_t loop;
int ending_all;
long long owed;

static int nclients = 1000;
static int seconds = 10;

static uv_process_t server;
static uv_pipe_t server_input;
static int server_failed = -1;
static uv_timer_t end_timer;
static uv_timer_t drain_timer;

static void on_server_exit(uv_process_t* p, int64_t status, int signum) {
  owed--;
  REQUIRE(signum == 0);
  server_failed = (int) status;
  uv_close((uv_handle_t*) p, NULL);
}

/* The same program, sharing our output; it sends its ports over a pipe. */
static void start_server(unsigned short* ports) {
  static char self[4096];
  size_t size = sizeof(self);
  char* args[] = { self, (char*) "--server", NULL };
  uv_process_options_t options;
  uv_stdio_container_t stdio[4];
  uv_file tell[2];

  REQUIRE(uv_exepath(self, &size) == 0);
  REQUIRE(uv_pipe(tell, 0, 0) == 0);
  REQUIRE(uv_pipe_init(&loop, &server_input, 0) == 0);
  memset(&options, 0, sizeof(options));
  options.file = self;
  options.args = args;
  options.exit_cb = on_server_exit;
  options.stdio = stdio;
  options.stdio_count = 4;
  stdio[0].flags = UV_CREATE_PIPE | UV_READABLE_PIPE;
  stdio[0].data.stream = (uv_stream_t*) &server_input;
  for (int fd = 1; fd < 3; fd++) {
    stdio[fd].flags = UV_INHERIT_FD;
    stdio[fd].data.fd = fd;
  }
  stdio[3].flags = UV_INHERIT_FD;
  stdio[3].data.fd = tell[1];
  REQUIRE(uv_spawn(&loop, &server, &options) == 0);
  owed++;
  close(tell[1]);
  size_t have = 0;
  while (have < LISTENERS * sizeof(*ports)) {
    ssize_t n =
        read(tell[0], (char*) ports + have, LISTENERS * sizeof(*ports) - have);
    REQUIRE(n > 0);
    have += (size_t) n;
  }
  close(tell[0]);
}

static void on_drain(uv_timer_t* timer) {
  if (clients_open > 0)
    return;
  /* The last client has finished: so may the server. */
  uv_close((uv_handle_t*) &server_input, NULL);
  uv_close((uv_handle_t*) timer, NULL);
}

static void on_the_end(uv_timer_t* timer) {
  ending_all = 1;
  uv_close((uv_handle_t*) timer, NULL);
  measure_stop();
  jobs_stop();
  REQUIRE(uv_timer_start(&drain_timer, on_drain, 10, 10) == 0);
}

static void check_limit(void) {
  struct rlimit limit;

  REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  if (limit.rlim_cur >= (rlim_t) nclients + 200)
    return;
  nclients = (int) limit.rlim_cur - 200;
  printf("# only %d clients: RLIMIT_NOFILE\n", nclients);
}

int main(int argc, char** argv) {
  unsigned short ports[LISTENERS];

  if (argc > 1 && strcmp(argv[1], "--server") == 0)
    return server_main();
  for (int i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--seconds") == 0)
      seconds = atoi(argv[i + 1]);
    else if (strcmp(argv[i], "--connections") == 0)
      nclients = atoi(argv[i + 1]);
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  measure_init();
  check_limit();
  REQUIRE(uv_loop_init(&loop) == 0);
  start_server(ports);
  measure_start();
  clients_start(nclients, ports);
  jobs_start();
  REQUIRE(uv_timer_init(&loop, &drain_timer) == 0);
  REQUIRE(uv_timer_init(&loop, &end_timer) == 0);
  REQUIRE(uv_timer_start(&end_timer, on_the_end, (uint64_t) seconds * 1000,
                         0) == 0);

  REQUIRE(uv_run(&loop, UV_RUN_DEFAULT) == 0);
  REQUIRE(uv_loop_close(&loop) == 0);
  clients_free();

  int total = 2;
  int failed = verdict(server_failed == 0, "the server found nothing wrong");
  failed += verdict(owed == 0, "every callback came");
  failed += clients_report(&total);
  failed += jobs_report(&total);
  failed += measure_report("clients", nclients + 64, &total);
  printf("%d passed, %d failed, 0 skipped\n", total - failed, failed);
  return failed == 0 ? 0 : 1;
}
