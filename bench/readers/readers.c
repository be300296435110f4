/* SPDX-License-Identifier: MIT */
/* Reading by requests beside reading by callbacks: bench/readers/run.
 *
 *   readers echo STYLE CONNECTIONS MS    messages a second, CPU of the server
 *   readers idle STYLE CONNECTIONS       bytes per connection that is idle
 *
 * STYLE is callback (uv_read_start), request (uvx_read) or none (idle only).
 * The server is this process; the other ends are those of a child, which sends
 * 64 bytes on each connection, waits for the answer, and sends again. All
 * requests of a server name one buffer: it is filled immediately before the
 * callback. */
#include "uv.h"
#include "uv/ext.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MESSAGE 64

struct connection {
  uv_tcp_t tcp; /* must be first */
  uvx_read_t read;
  uv_write_t write;
  char text[MESSAGE];
};

enum style { NONE, CALLBACK, REQUEST };

static uv_loop_t* loop;
static enum style style;
static struct connection* connections;
static unsigned count;
static unsigned accepted;
static unsigned long messages;
static char shared[65536];

static void check(int err, const char* what) {
  if (err >= 0)
    return;
  fprintf(stderr, "readers: %s: %s\n", what, uv_strerror(err));
  exit(1);
}

/* ---- memory of the library ---- */

static size_t held; /* bytes, without the allocator's own */

static void* note_size(size_t* block, size_t size) {
  if (block == NULL)
    return NULL;
  *block = size;
  held += size;
  return block + 2;
}

static void* count_malloc(size_t size) {
  return note_size(malloc(size + 2 * sizeof(size_t)), size);
}

static void* count_calloc(size_t n, size_t size) {
  return note_size(calloc(1, n * size + 2 * sizeof(size_t)), n * size);
}

static void count_free(void* p) {
  size_t* block = p;

  if (block == NULL)
    return;
  held -= block[-2];
  free(block - 2);
}

static void* count_realloc(void* p, size_t size) {
  void* fresh = count_malloc(size);

  if (p != NULL && fresh != NULL) {
    size_t old = ((size_t*) p)[-2];
    memcpy(fresh, p, old < size ? old : size);
    count_free(p);
  }
  return fresh;
}

/* ---- the server ---- */

static void on_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  (void) handle;
  (void) size;
  *buf = uv_buf_init(shared, sizeof(shared));
}

static void on_written(uv_write_t* req, int status) {
  (void) req;
  (void) status; /* the child may be gone at the end */
}

static void answer(struct connection* c, ssize_t nread) {
  if (nread <= 0)
    return; /* nothing, or the child is gone */
  memcpy(c->text, shared, (size_t) nread < MESSAGE ? (size_t) nread : MESSAGE);
  uv_buf_t buf = uv_buf_init(c->text, MESSAGE);
  check(uv_write(&c->write, (uv_stream_t*) &c->tcp, &buf, 1, on_written),
        "uv_write");
  messages++;
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) buf;
  if (nread < 0)
    check(uv_read_stop(stream), "uv_read_stop");
  answer((struct connection*) stream, nread);
}

static void read_next(struct connection* c);

static void on_request(uvx_read_t* req, ssize_t nread) {
  struct connection* c = (struct connection*) req->stream;

  answer(c, nread);
  if (nread > 0)
    read_next(c);
}

static void read_next(struct connection* c) {
  uv_buf_t buf = uv_buf_init(shared, sizeof(shared));

  check(uvx_read(&c->read, (uv_stream_t*) &c->tcp, &buf, 1, on_request),
        "uvx_read");
}

static void start_reading(struct connection* c) {
  if (style == CALLBACK)
    check(uv_read_start((uv_stream_t*) &c->tcp, on_alloc, on_read),
          "uv_read_start");
  else if (style == REQUEST)
    read_next(c);
}

static void on_connection(uv_stream_t* server, int status) {
  struct connection* c = &connections[accepted];

  check(status, "a connection");
  check(uv_tcp_init(loop, &c->tcp), "uv_tcp_init");
  check(uv_accept(server, (uv_stream_t*) &c->tcp), "uv_accept");
  accepted++;
}

/* ---- the other end ---- */

static void client_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* b) {
  struct connection* c = (struct connection*) stream;
  uv_buf_t buf = uv_buf_init(c->text, MESSAGE);

  (void) b;
  if (nread < 0)
    exit(0);
  if (nread > 0)
    check(uv_write(&c->write, stream, &buf, 1, on_written), "uv_write");
}

static void client_connected(uv_connect_t* req, int status) {
  check(status, "uv_tcp_connect");
  check(uv_read_start(req->handle, on_alloc, client_read), "uv_read_start");
  accepted++;
}

/* Connects all to the port that comes through `go`, and begins when there is a
 * byte after it. */
static void run_client(int go, int is_echo) {
  struct sockaddr_in addr;
  int port;
  char byte;

  if (read(go, &port, sizeof(port)) != sizeof(port))
    exit(0);
  loop = uv_default_loop();
  uv_connect_t* reqs = calloc(count, sizeof(*reqs));
  check(reqs == NULL ? UV_ENOMEM : 0, "memory");
  uv_ip4_addr("127.0.0.1", port, &addr);
  for (unsigned i = 0; i < count; i++) {
    check(uv_tcp_init(loop, &connections[i].tcp), "uv_tcp_init");
    check(uv_tcp_connect(&reqs[i], &connections[i].tcp,
                         (struct sockaddr*) &addr, client_connected),
          "uv_tcp_connect");
    while (accepted + 64 <= i) /* less than the backlog */
      uv_run(loop, UV_RUN_ONCE);
  }
  while (accepted < count)
    uv_run(loop, UV_RUN_ONCE);
  if (read(go, &byte, 1) != 1)
    exit(0);
  for (unsigned i = 0; is_echo && i < count; i++)
    client_read((uv_stream_t*) &connections[i].tcp, 1, NULL);
  uv_run(loop, UV_RUN_DEFAULT); /* until the server is gone */
}

static pid_t start_client(int go[2], int is_echo) {
  check(pipe(go) != 0 ? -errno : 0, "pipe");
  pid_t pid = fork();
  check(pid < 0 ? -errno : 0, "fork");
  if (pid == 0) {
    close(go[1]);
    run_client(go[0], is_echo);
    exit(0);
  }
  return pid;
}

static void start_server(uv_tcp_t* server, int go) {
  struct sockaddr_in addr;
  int len = sizeof(addr);

  loop = uv_default_loop();
  uv_ip4_addr("127.0.0.1", 0, &addr);
  check(uv_tcp_init(loop, server), "uv_tcp_init");
  check(uv_tcp_bind(server, (struct sockaddr*) &addr, 0), "uv_tcp_bind");
  check(uv_listen((uv_stream_t*) server, 512, on_connection), "uv_listen");
  check(uv_tcp_getsockname(server, (struct sockaddr*) &addr, &len), "name");
  int port = ntohs(addr.sin_port);
  check(write(go, &port, sizeof(port)) < 0 ? -errno : 0, "write");
  while (accepted < count)
    uv_run(loop, UV_RUN_ONCE);
}

/* ---- what is measured ---- */

static double cpu_seconds(void) {
  struct rusage usage;

  getrusage(RUSAGE_SELF, &usage);
  return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void on_time(uv_timer_t* timer) {
  uv_stop(timer->loop);
}

static void run_for(uint64_t ms) {
  static uv_timer_t timer;

  check(uv_timer_init(loop, &timer), "uv_timer_init");
  check(uv_timer_start(&timer, on_time, ms, 0), "uv_timer_start");
  uv_run(loop, UV_RUN_DEFAULT);
}

static void measure_echo(int go, uint64_t ms) {
  for (unsigned i = 0; i < count; i++)
    start_reading(&connections[i]);
  check(write(go, "g", 1) == 1 ? 0 : -errno, "write");
  run_for(ms / 4); /* warm */
  unsigned long before = messages;
  double cpu = cpu_seconds();
  uint64_t begin = uv_hrtime();
  run_for(ms);
  double seconds = (double) (uv_hrtime() - begin) / 1e9;
  double n = (double) (messages - before);
  printf("%.0f messages/s, %.3f us of CPU each; %lu in all\n", n / seconds,
         (cpu_seconds() - cpu) * 1e6 / n, messages);
}

static void measure_idle(void) {
  size_t before = held;

  for (unsigned i = 0; i < count; i++)
    start_reading(&connections[i]);
  for (int i = 0; i < 10; i++)
    uv_run(loop, UV_RUN_NOWAIT);
  printf("library: %.1f bytes of heap per connection, %.1f of them for "
         "reading; handle %zu, request %zu\n",
         (double) held / count, ((double) held - (double) before) / count,
         sizeof(uv_tcp_t), style == REQUEST ? sizeof(uvx_read_t) : 0);
}

int main(int argc, char** argv) {
  static const char* const styles[] = { "none", "callback", "request" };
  struct rlimit limit;
  uv_tcp_t server;
  int go[2];

  if (argc < 4)
    return 2;
  check(uv_replace_allocator(count_malloc, count_realloc, count_calloc,
                             count_free),
        "uv_replace_allocator");
  int is_echo = strcmp(argv[1], "echo") == 0;
  for (int i = 0; i < 3; i++)
    if (strcmp(argv[2], styles[i]) == 0)
      style = (enum style) i;
  count = (unsigned) atoi(argv[3]);
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  connections = calloc(count, sizeof(*connections));
  check(connections == NULL ? UV_ENOMEM : 0, "memory");
  pid_t pid = start_client(go, is_echo);
  start_server(&server, go[1]);
  if (is_echo)
    measure_echo(go[1], (uint64_t) (argc > 4 ? atoi(argv[4]) : 2000));
  else
    measure_idle();
  fflush(stdout);
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  return 0;
}
