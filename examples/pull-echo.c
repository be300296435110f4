/* SPDX-License-Identifier: MIT */
/* The pull loop on two threads: one blocks, the other runs the callbacks.
 *
 * A program whose main thread has its own loop (a GUI, a game) cannot block in
 * uv_run(). Here a helper thread blocks in uvx_backend_process(), which runs no
 * callback; then the main thread, when it suits, calls uvx_backend_dispatch().
 * Two semaphores hand the loop back and forth: `wait` gives it to the helper,
 * `ready` returns it.
 *
 * While the helper has the loop, the main thread may do anything but touch it,
 * except uv_async_send(), which ends the wait. That is how the main thread ends
 * the program below, when the echo is finished and nothing would ever happen
 * again.
 *
 * On the loop: a TCP server that echoes, a client that keeps several messages
 * in flight and verifies the replies, work on the thread pool, a timer.
 *
 * Exit status 0: everything came back, and every callback ran on the main
 * thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>
#include <uv/ext.h>

#define MESSAGE 1000u
#define MESSAGES 2000u
#define WINDOW 16u
#define WORKS 20u
#define LIMIT_MS (30 * 1000)

static uv_loop_t loop;
static uv_thread_t main_thread;

/* What the two threads pass to each other along with the loop. */
static struct {
  uv_sem_t wait;
  uv_sem_t ready;
  int timeout; /* in: for uvx_backend_process(); */
  int result;  /* out: its result */
  int over;    /* in: no more waiting */
} turn;

static uv_tcp_t listener;
static uv_tcp_t peer; /* the server's side of the connection */
static uv_tcp_t client;
static uv_connect_t connect_req;
static uv_timer_t limit;
static uv_timer_t ticker;
static uv_async_t quit;
static uv_work_t work;
static uv_write_t requests[WINDOW];
static char requests_data[WINDOW][MESSAGE];
static unsigned sent;
static unsigned written;
static size_t received; /* bytes */
static unsigned works;
static unsigned ticks;
static unsigned waits;
static int quitting;

static void check(int err, const char* what) {
  if (err >= 0)
    return;
  fprintf(stderr, "pull-echo: %s: %s\n", what, uv_strerror(err));
  exit(1);
}

static void require(int ok, const char* what) {
  if (ok)
    return;
  fprintf(stderr, "pull-echo: %s\n", what);
  exit(1);
}

/* Called by every callback. */
static void on_main_thread(void) {
  uv_thread_t me = uv_thread_self();
  require(uv_thread_equal(&me, &main_thread), "a callback on another thread");
}

/* ---- the server ---- */

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  static char storage[65536];

  (void) handle;
  (void) suggested;
  on_main_thread();
  *buf = uv_buf_init(storage, sizeof(storage));
}

static void on_echoed(uv_write_t* req, int status) {
  on_main_thread();
  check(status, "echo");
  free(req);
}

static void on_peer_read(uv_stream_t* stream,
                         ssize_t nread,
                         const uv_buf_t* buf) {
  on_main_thread();
  check(nread < 0 ? (int) nread : 0, "peer");
  if (nread == 0)
    return;

  uv_write_t* req = malloc(sizeof(*req) + (size_t) nread);
  require(req != NULL, "out of memory");
  char* data = (char*) (req + 1);
  memcpy(data, buf->base, (size_t) nread);
  uv_buf_t out = uv_buf_init(data, (unsigned int) nread);
  check(uv_write(req, stream, &out, 1, on_echoed), "uv_write");
}

static void on_connection(uv_stream_t* server, int status) {
  on_main_thread();
  check(status, "connection");
  check(uv_tcp_init(&loop, &peer), "uv_tcp_init");
  check(uv_accept(server, (uv_stream_t*) &peer), "uv_accept");
  check(uv_read_start((uv_stream_t*) &peer, on_alloc, on_peer_read),
        "uv_read_start");
}

/* ---- the client ---- */

static char byte_at(size_t position) {
  return (char) (position * 7 + position / MESSAGE);
}

static void on_sent(uv_write_t* req, int status);

/* A slot is free again when its message was written, and has returned. */
static void send_more(void) {
  while (sent < MESSAGES && sent - written < WINDOW &&
         sent - received / MESSAGE < WINDOW) {
    char* data = requests_data[sent % WINDOW];
    for (size_t i = 0; i < MESSAGE; i++)
      data[i] = byte_at(sent * MESSAGE + i);
    uv_buf_t buf = uv_buf_init(data, MESSAGE);
    check(uv_write(&requests[sent % WINDOW], (uv_stream_t*) &client, &buf, 1,
                   on_sent),
          "uv_write");
    sent++;
  }
}

static void on_sent(uv_write_t* req, int status) {
  (void) req;
  on_main_thread();
  check(status, "write");
  written++;
  send_more();
}

static void on_client_read(uv_stream_t* stream,
                           ssize_t nread,
                           const uv_buf_t* buf) {
  (void) stream;
  on_main_thread();
  check(nread < 0 ? (int) nread : 0, "client");
  for (ssize_t i = 0; i < nread; i++)
    require(buf->base[i] == byte_at(received++), "wrong data");
  send_more();
}

static void on_connect(uv_connect_t* req, int status) {
  (void) req;
  on_main_thread();
  check(status, "connect");
  check(uv_read_start((uv_stream_t*) &client, on_alloc, on_client_read),
        "uv_read_start");
  send_more();
}

/* ---- work, time, the end ---- */

static void on_work(uv_work_t* req) {
  uv_thread_t me = uv_thread_self();

  (void) req;
  require(!uv_thread_equal(&me, &main_thread), "work on the main thread");
}

static void on_worked(uv_work_t* req, int status) {
  on_main_thread();
  check(status, "work");
  if (++works < WORKS)
    check(uv_queue_work(&loop, req, on_work, on_worked), "uv_queue_work");
}

static void on_tick(uv_timer_t* timer) {
  on_main_thread();
  if (++ticks == 10)
    uv_timer_stop(timer);
}

static void on_limit(uv_timer_t* timer) {
  (void) timer;
  require(0, "waited too long");
}

static void on_closed(uv_handle_t* handle) {
  (void) handle;
  on_main_thread();
}

static void close_one(uv_handle_t* handle, void* arg) {
  (void) arg;
  if (!uv_is_closing(handle))
    uv_close(handle, on_closed);
}

static void on_quit(uv_async_t* handle) {
  (void) handle;
  on_main_thread();
  uv_walk(&loop, close_one, NULL);
}

static void start(void) {
  struct sockaddr_in addr;
  int len = sizeof(addr);

  check(uv_loop_init(&loop), "uv_loop_init");
  check(uv_async_init(&loop, &quit, on_quit), "uv_async_init");
  check(uv_timer_init(&loop, &limit), "uv_timer_init");
  check(uv_timer_start(&limit, on_limit, LIMIT_MS, 0), "uv_timer_start");
  check(uv_timer_init(&loop, &ticker), "uv_timer_init");
  check(uv_timer_start(&ticker, on_tick, 2, 2), "uv_timer_start");
  check(uv_queue_work(&loop, &work, on_work, on_worked), "uv_queue_work");

  check(uv_ip4_addr("127.0.0.1", 0, &addr), "uv_ip4_addr");
  check(uv_tcp_init(&loop, &listener), "uv_tcp_init");
  check(uv_tcp_bind(&listener, (struct sockaddr*) &addr, 0), "uv_tcp_bind");
  check(uv_listen((uv_stream_t*) &listener, 1, on_connection), "uv_listen");
  check(uv_tcp_getsockname(&listener, (struct sockaddr*) &addr, &len),
        "uv_tcp_getsockname");
  check(uv_tcp_init(&loop, &client), "uv_tcp_init");
  check(uv_tcp_connect(&connect_req, &client, (struct sockaddr*) &addr,
                       on_connect),
        "uv_tcp_connect");
}

/* ---- the two threads ---- */

static void wait_thread(void* arg) {
  (void) arg;
  for (;;) {
    uv_sem_wait(&turn.wait);
    if (turn.over)
      return;
    turn.result = uvx_backend_process(&loop, turn.timeout);
    uv_sem_post(&turn.ready);
  }
}

static int is_done(void) {
  return received == (size_t) MESSAGES * MESSAGE && works == WORKS &&
         ticks == 10;
}

/* Here the main thread owns the loop, before and after. */
static void wait_for_events(void) {
  int idle = is_done() && !quitting;

  turn.timeout = uv_backend_timeout(&loop);
  uv_sem_post(&turn.wait);
  /* Now the helper owns the loop; a real program would draw a frame. */
  if (idle) {
    quitting = 1;
    check(uv_async_send(&quit), "uv_async_send");
  }
  uv_sem_wait(&turn.ready);
  check(turn.result, "uvx_backend_process");
  waits++;
}

int main(void) {
  uv_thread_t helper;

  main_thread = uv_thread_self();
  check(uv_sem_init(&turn.wait, 0), "uv_sem_init");
  check(uv_sem_init(&turn.ready, 0), "uv_sem_init");
  start();
  check(uv_thread_create(&helper, wait_thread, NULL), "uv_thread_create");

  do
    wait_for_events();
  while (uvx_backend_dispatch(&loop));

  turn.over = 1;
  uv_sem_post(&turn.wait);
  check(uv_thread_join(&helper), "uv_thread_join");
  check(uv_loop_close(&loop), "uv_loop_close");
  uv_sem_destroy(&turn.wait);
  uv_sem_destroy(&turn.ready);

  require(quitting && is_done(), "the loop ended too early");
  printf("%u messages, %u works and %u ticks in %u waits\n", MESSAGES, works,
         ticks, waits);
  return 0;
}
