/* SPDX-License-Identifier: MIT */
/* Two processes with different libuvs at the ends of a pipe with ipc=1: this
 * program, built with each, is the parent of the other (test/peer/run).
 *
 *   ipc parent CHILD    starts CHILD with the pipe as standard input
 *   ipc child           the other end
 *
 * Parent: a listening socket, one whose bind was refused, and data of many
 * sizes. Child: listens, sends what comes in as a connection to the parent,
 * reports the result of listening on the refused one, and echoes. On an error
 * each prints it and exits with 1; the parent prints "ok" on success.
 */
#include "uv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(cond) check((cond) ? 1 : 0, #cond, __LINE__)
#define OK(call) check_result((call), #call, __LINE__)

/* Messages that come with a socket; echoed data contain neither. */
#define MSG_SIZE 4
#define MSG_SERVER "SERV"
#define MSG_BUSY "BUSY"
#define MSG_CONNECTION "CONN"
#define MSG_NO_LISTEN "INUS"
#define MSG_ECHO "ECHO"

#define ECHO_TOTAL (1 << 20)

/* libuv 1.50.0 writes a frame for an empty buffer and then refuses to read it.
 */
#ifndef EMPTY_WRITES
# define EMPTY_WRITES 0
#endif

static const char* role = "?";
static uv_loop_t loop;
static uv_pipe_t channel;
static char inbox[2 * ECHO_TOTAL];
static size_t inbox_len;
static size_t inbox_at; /* bytes of it already handled */

static void check(int ok, const char* text, int line) {
  if (ok)
    return;
  fprintf(stderr, "ipc %s: line %d: %s\n", role, line, text);
  exit(1);
}

static void check_result(int result, const char* text, int line) {
  if (result == 0)
    return;
  fprintf(stderr, "ipc %s: line %d: %s: %s\n", role, line, text,
          uv_err_name(result));
  exit(1);
}

static void on_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  (void) handle;
  (void) size;
  CHECK(inbox_len < sizeof(inbox));
  *buf = uv_buf_init(inbox + inbox_len,
                     (unsigned int) (sizeof(inbox) - inbox_len));
}

static void on_written(uv_write_t* req, int status) {
  OK(status);
  free(req);
}

/* `base` must stay: the pipe reads it later. */
static void send_on(const void* base, size_t size, uv_stream_t* handle) {
  uv_write_t* req = malloc(sizeof(*req));
  uv_buf_t buf = uv_buf_init((char*) base, (unsigned int) size);

  CHECK(req != NULL);
  if (handle == NULL)
    OK(uv_write(req, (uv_stream_t*) &channel, &buf, 1, on_written));
  else
    OK(uv_write2(req, (uv_stream_t*) &channel, &buf, 1, handle, on_written));
}

static int inbox_has(const char* message) {
  return inbox_len - inbox_at >= MSG_SIZE &&
         memcmp(inbox + inbox_at, message, MSG_SIZE) == 0;
}

/* ---- child ---- */

static uv_tcp_t server;
static uv_tcp_t busy;
static uv_tcp_t incoming;
static size_t echoed;
static int is_echoing;

static void on_connection(uv_stream_t* stream, int status) {
  OK(status);
  OK(uv_tcp_init(&loop, &incoming));
  OK(uv_accept(stream, (uv_stream_t*) &incoming));
  send_on(MSG_CONNECTION, MSG_SIZE, (uv_stream_t*) &incoming);
}

static void on_nothing(uv_stream_t* stream, int status) {
  (void) stream;
  (void) status;
}

static void take_tcp(uv_tcp_t* tcp) {
  CHECK(uv_pipe_pending_count(&channel) == 1);
  CHECK(uv_pipe_pending_type(&channel) == UV_TCP);
  OK(uv_tcp_init(&loop, tcp));
  OK(uv_accept((uv_stream_t*) &channel, (uv_stream_t*) tcp));
  CHECK(uv_pipe_pending_count(&channel) == 0);
  inbox_at += MSG_SIZE;
}

static void child_echo(void) {
  size_t n = inbox_len - inbox_at;

  send_on(inbox + inbox_at, n, NULL);
  inbox_at += n;
  echoed += n;
  if (echoed < ECHO_TOTAL)
    return;
  uv_close((uv_handle_t*) &server, NULL);
  uv_close((uv_handle_t*) &busy, NULL);
  uv_close((uv_handle_t*) &incoming, NULL);
}

static void child_answer(void) {
  if (is_echoing) {
    child_echo();
  } else if (inbox_has(MSG_SERVER)) {
    take_tcp(&server);
    OK(uv_listen((uv_stream_t*) &server, 16, on_connection));
  } else if (inbox_has(MSG_BUSY)) {
    take_tcp(&busy);
    CHECK(uv_listen((uv_stream_t*) &busy, 16, on_nothing) == UV_EADDRINUSE);
    send_on(MSG_NO_LISTEN, MSG_SIZE, NULL);
  } else if (inbox_has(MSG_ECHO)) {
    inbox_at += MSG_SIZE;
    is_echoing = 1;
  }
}

static void on_child_read(uv_stream_t* stream,
                          ssize_t nread,
                          const uv_buf_t* buf) {
  (void) buf;
  if (nread == UV_EOF) {
    CHECK(echoed == ECHO_TOTAL);
    uv_close((uv_handle_t*) stream, NULL);
    return;
  }
  OK(nread < 0 ? (int) nread : 0);
  inbox_len += (size_t) nread;
  for (size_t before = inbox_at + 1;
       inbox_at != before && inbox_at < inbox_len;) {
    before = inbox_at;
    child_answer();
  }
}

static int child_main(void) {
  role = "child";
  OK(uv_loop_init(&loop));
  OK(uv_pipe_init(&loop, &channel, 1));
  OK(uv_pipe_open(&channel, 0));
  OK(uv_read_start((uv_stream_t*) &channel, on_alloc, on_child_read));
  CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0);
  OK(uv_loop_close(&loop));
  return 0;
}

/* ---- parent ---- */

static uv_process_t process;
static uv_tcp_t client;
static uv_tcp_t passed_back;
static uv_connect_t connect_req;
static char ping_text[] = "ping";
static char ping_inbox[8];
static char echo_out[ECHO_TOTAL];
static int exits;
static int has_connection;
static int has_refusal;

static void on_exit_of(uv_process_t* handle, int64_t status, int signal) {
  CHECK(status == 0);
  CHECK(signal == 0);
  exits++;
  uv_close((uv_handle_t*) handle, NULL);
}

static void on_ping_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  (void) handle;
  (void) size;
  *buf = uv_buf_init(ping_inbox, sizeof(ping_inbox));
}

/* Many sizes in a row; the child sends them all back. */
static void send_echo_data(void) {
  size_t at = 0;

  send_on(MSG_ECHO, MSG_SIZE, NULL);
  for (size_t size = !EMPTY_WRITES; at < ECHO_TOTAL; size = size * 3 + 1) {
    if (size > ECHO_TOTAL - at)
      size = ECHO_TOTAL - at;
    send_on(echo_out + at, size, NULL);
    at += size;
  }
}

static void on_ping_read(uv_stream_t* stream,
                         ssize_t nread,
                         const uv_buf_t* buf) {
  (void) buf;
  CHECK(nread == 4);
  CHECK(memcmp(ping_inbox, ping_text, 4) == 0);
  uv_close((uv_handle_t*) stream, NULL);
  uv_close((uv_handle_t*) &passed_back, NULL);
  send_echo_data();
}

static void on_connect(uv_connect_t* req, int status) {
  OK(status);
  OK(uv_read_start(req->handle, on_ping_alloc, on_ping_read));
}

static void on_pinged(uv_write_t* req, int status) {
  (void) req;
  OK(status);
}

static void parent_answer(void) {
  static uv_write_t req;
  uv_buf_t buf = uv_buf_init(ping_text, 4);

  if (inbox_has(MSG_CONNECTION)) {
    take_tcp(&passed_back);
    OK(uv_write(&req, (uv_stream_t*) &passed_back, &buf, 1, on_pinged));
    has_connection = 1;
  } else if (inbox_has(MSG_NO_LISTEN)) {
    inbox_at += MSG_SIZE;
    has_refusal = 1;
  }
}

static void on_parent_read(uv_stream_t* stream,
                           ssize_t nread,
                           const uv_buf_t* buf) {
  (void) buf;
  OK(nread < 0 ? (int) nread : 0);
  inbox_len += (size_t) nread;
  for (int i = 0; i < 2 && (!has_connection || !has_refusal); i++)
    parent_answer();
  if (inbox_len - inbox_at == ECHO_TOTAL) {
    CHECK(memcmp(inbox + inbox_at, echo_out, ECHO_TOTAL) == 0);
    uv_close((uv_handle_t*) stream, NULL);
  }
}

static void start_child(char* path) {
  char* args[] = { path, (char*) "child", NULL };
  uv_stdio_container_t stdio[3];
  uv_process_options_t options;

  memset(&options, 0, sizeof(options));
  options.file = path;
  options.args = args;
  options.exit_cb = on_exit_of;
  options.stdio = stdio;
  options.stdio_count = 3;
  stdio[0].flags = UV_CREATE_PIPE | UV_READABLE_PIPE | UV_WRITABLE_PIPE;
  stdio[0].data.stream = (uv_stream_t*) &channel;
  for (int i = 1; i < 3; i++) {
    stdio[i].flags = UV_INHERIT_FD;
    stdio[i].data.fd = i;
  }
  OK(uv_spawn(&loop, &process, &options));
}

/* A bound socket for the child to listen on, and one at the same address. */
static void send_servers(struct sockaddr_in* addr) {
  int len = sizeof(*addr);

  OK(uv_ip4_addr("127.0.0.1", 0, addr));
  OK(uv_tcp_init(&loop, &server));
  OK(uv_tcp_bind(&server, (struct sockaddr*) addr, 0));
  OK(uv_tcp_getsockname(&server, (struct sockaddr*) addr, &len));
  send_on(MSG_SERVER, MSG_SIZE, (uv_stream_t*) &server);

  OK(uv_tcp_init(&loop, &busy));
  OK(uv_tcp_bind(&busy, (struct sockaddr*) addr, 0));
  send_on(MSG_BUSY, MSG_SIZE, (uv_stream_t*) &busy);
}

static int parent_main(char* child) {
  struct sockaddr_in addr;

  role = "parent";
  for (size_t i = 0; i < sizeof(echo_out); i++)
    echo_out[i] = (char) ('a' + i * 7 % 26);
  OK(uv_loop_init(&loop));
  OK(uv_pipe_init(&loop, &channel, 1));
  start_child(child);
  send_servers(&addr);
  OK(uv_read_start((uv_stream_t*) &channel, on_alloc, on_parent_read));

  /* The child has listened: its report about the refused socket shows that. */
  while (!has_refusal)
    uv_run(&loop, UV_RUN_ONCE);
  OK(uv_tcp_init(&loop, &client));
  OK(uv_tcp_connect(&connect_req, &client, (struct sockaddr*) &addr,
                    on_connect));
  uv_close((uv_handle_t*) &server, NULL);
  uv_close((uv_handle_t*) &busy, NULL);
  CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0);
  OK(uv_loop_close(&loop));
  CHECK(exits == 1);
  puts("ok");
  return 0;
}

int main(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[1], "parent") == 0)
    return parent_main(argv[2]);
  if (argc == 2 && strcmp(argv[1], "child") == 0)
    return child_main();
  fprintf(stderr, "usage: ipc parent CHILD | ipc child\n");
  return 2;
}
