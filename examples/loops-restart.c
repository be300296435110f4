/* SPDX-License-Identifier: MIT */
/* A server that is replaced while it serves.
 *
 *   loops-restart PATH [PORT]
 *
 * The first process listens, and answers at the local socket PATH. The next one
 * finds it there:
 *
 *   new: connects to PATH
 *   old: sends its listening sockets (uv_write2()), then "."
 *   new: listens on them, sends "."
 *   old: stops listening, closes PATH; its connections get one more answer
 *   new: sees the end of the connection, and opens PATH for the one after it
 *
 * No connection is refused or reset: both processes have the same sockets, and
 * what waits in a backlog is accepted by the new one. Exit status 0: nothing
 * was left.
 */
#include "loops-http.h"

#include <unistd.h>

#include <uv/ext.h>

#define LOOPS 2
#define SOCKS_MAX 64

static uvx_loops_t* loops;
static uvx_listener_t* listener;
static const char* path;
static uv_pipe_t control;   /* at PATH */
static uv_pipe_t successor; /* the next process */
static uv_pipe_t predecessor;

static void check(int err, const char* what) {
  if (err >= 0)
    return;
  fprintf(stderr, "loops-restart: %s: %s\n", what, uv_strerror(err));
  exit(1);
}

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  static char byte;
  (void) handle;
  (void) suggested;
  *buf = uv_buf_init(&byte, 1);
}

/* ---- the old process: hands its sockets over ---- */

static uv_tcp_t passed[SOCKS_MAX];
static uv_write_t writes[SOCKS_MAX + 1];

static void on_passed(uv_write_t* req, int status) {
  check(status, "passing a socket");
  if (req->data != NULL)
    uv_close(req->data, NULL);
}

static void on_unlistened(void* arg) {
  (void) arg;
  uvx_loops_shutdown(loops);
}

/* The new process is ready, or gone. */
static void on_answer(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  (void) buf;
  if (n == 0)
    return;
  if (n > 0) {
    uv_close((uv_handle_t*) &control, NULL); /* removes PATH */
    check(uvx_listener_close(listener, on_unlistened, NULL), "closing");
  }
  uv_close((uv_handle_t*) stream, NULL);
}

static void on_successor(uv_stream_t* server, int status) {
  uv_os_sock_t socks[SOCKS_MAX];
  unsigned count = SOCKS_MAX;
  uv_stream_t* stream = (uv_stream_t*) &successor;

  check(status, "control");
  check(uv_pipe_init(server->loop, &successor, 1), "pipe");
  check(uv_accept(server, stream), "accept");
  check(uvx_listener_socks(listener, socks, &count), "sockets");
  uv_buf_t buf = uv_buf_init((char*) "s", 1);
  for (unsigned i = 0; i < count; i++) {
    check(uv_tcp_init(server->loop, &passed[i]), "tcp");
    check(uv_tcp_open(&passed[i], dup(socks[i])), "open");
    writes[i].data = &passed[i];
    check(uv_write2(&writes[i], stream, &buf, 1, (uv_stream_t*) &passed[i],
                    on_passed),
          "write");
  }
  buf = uv_buf_init((char*) ".", 1);
  check(uv_write(&writes[count], stream, &buf, 1, on_passed), "write");
  check(uv_read_start(stream, on_alloc, on_answer), "read");
}

static void open_control(uv_loop_t* loop) {
  check(uv_pipe_init(loop, &control, 0), "pipe");
  check(uv_pipe_bind(&control, path), "bind");
  check(uv_listen((uv_stream_t*) &control, 1, on_successor), "listen");
  printf("ready\n");
  fflush(stdout);
}

/* ---- the new process: takes them, before its loops run ---- */

static uv_os_sock_t taken[SOCKS_MAX];
static unsigned taken_count;
static int is_first; /* there is no old process */

static void on_socket(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  uv_os_fd_t fd;

  check((int) n, "the old process");
  while (uv_pipe_pending_count(&predecessor) > 0) {
    uv_tcp_t* tcp = malloc(sizeof(*tcp));
    check(tcp != NULL && taken_count < SOCKS_MAX ? 0 : UV_ENOMEM, "socket");
    check(uv_tcp_init(stream->loop, tcp), "tcp");
    check(uv_accept(stream, (uv_stream_t*) tcp), "accept");
    check(uv_fileno((uv_handle_t*) tcp, &fd), "fileno");
    taken[taken_count++] = dup(fd); /* the handle closes its own */
    uv_close((uv_handle_t*) tcp, (uv_close_cb) free);
  }
  if (n > 0 && buf->base[0] == '.')
    uv_read_stop(stream); /* which ends the loop */
}

static void on_connected(uv_connect_t* req, int status) {
  is_first = status != 0;
  if (is_first)
    uv_close((uv_handle_t*) req->handle, NULL);
  else
    check(uv_read_start(req->handle, on_alloc, on_socket), "read");
}

static void take_sockets(uv_loop_t* loop) {
  uv_connect_t req;

  check(uv_pipe_init(loop, &predecessor, 1), "pipe");
  uv_pipe_connect(&req, &predecessor, path, on_connected);
  uv_run(loop, UV_RUN_DEFAULT);
  if (is_first)
    unlink(path); /* of a process that did not end in order */
}

static void on_old_gone(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  (void) buf;
  if (n >= 0)
    return;
  open_control(stream->loop);
  uv_close((uv_handle_t*) stream, NULL);
}

/* Start functions: of each loop, and of loop 0. */
static void begin_worker(uv_loop_t* loop, void* arg) {
  (void) arg;
  worker_init(loop, (unsigned) uvx_loop_index(loop));
}

static void begin(uv_loop_t* loop, void* arg) {
  uv_stream_t* stream = (uv_stream_t*) &predecessor;
  uv_buf_t buf = uv_buf_init((char*) ".", 1);

  (void) arg;
  if (is_first) {
    open_control(loop);
    return;
  }
  check(uv_try_write(stream, &buf, 1), "answer");
  check(uv_read_start(stream, on_alloc, on_old_gone), "read");
}

static void end(uv_loop_t* loop, void* arg) {
  uv_pipe_t* pipes[] = { &control, &successor, &predecessor };

  (void) loop;
  (void) arg;
  for (int i = 0; i < 3; i++)
    if (pipes[i]->type == UV_NAMED_PIPE &&
        !uv_is_closing((uv_handle_t*) pipes[i]))
      uv_close((uv_handle_t*) pipes[i], NULL);
}

int main(int argc, char** argv) {
  uv_loop_t* loop = uv_default_loop();
  struct sockaddr_in addr;
  int len = sizeof(addr);
  uvx_loops_options_t options = { .size = sizeof(options),
                                  .count = LOOPS,
                                  .main = loop };
  uvx_listen_options_t listening = { .size = sizeof(listening),
                                     .backlog = 511,
                                     .cb = on_connection };

  check(argc > 1 ? 0 : UV_EINVAL, "PATH");
  path = argv[1];
  take_sockets(loop);
  check(uv_ip4_addr("127.0.0.1", argc > 2 ? atoi(argv[2]) : 0, &addr), "port");
  if (is_first)
    listening.addr = (const struct sockaddr*) &addr;
  else
    listening.socks = taken;
  listening.nsocks = taken_count;

  check(uvx_loops_new(&loops, &options), "loops");
  check(uvx_loops_on_start(loops, NULL, begin_worker, NULL), "start");
  check(uvx_loops_on_start(loops, loop, begin, NULL), "start");
  check(uvx_loops_on_end(loops, NULL, end_worker, NULL), "end");
  check(uvx_loops_on_end(loops, loop, end, NULL), "end");
  check(uvx_loops_listen(loops, &listening, &listener), "listen");
  uvx_listener_getsockname(listener, (struct sockaddr*) &addr, &len);
  printf("port %d\n", ntohs(addr.sin_port));
  fflush(stdout);

  check(uvx_loops_run(loops), "run");
  print_workers(LOOPS);
  check(uvx_loops_free(loops), "free");
  return uv_loop_close(loop) != 0;
}
