/* SPDX-License-Identifier: MIT */
/* Every kind of callback that test-trace.c leaves out, while a trace, metrics
 * and the watchdog are on: each runs with its arguments, and the trace and the
 * metrics have as many of each as the program saw. */
#include "test.h"
#include "trace-file.h"
#include "uv/ext.h"

#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum kind {
  SHUTDOWN,
  POLL,
  SEND,
  RECV,
  FS_EVENT,
  FS_POLL,
  GETADDRINFO,
  GETNAMEINFO,
  RANDOM,
  WALK,
  KINDS
};

/* In the trace. */
static const struct {
  const char* call;
  const char* type;
} names[KINDS] = {
  [SHUTDOWN] = { "\"call\":\"shutdown\"", "\"type\":\"shutdown\"" },
  [POLL] = { "\"call\":\"poll\"", "\"type\":\"poll\"" },
  [SEND] = { "\"call\":\"send\"", "\"type\":\"udp_send\"" },
  [RECV] = { "\"call\":\"recv\"", "\"type\":\"udp\"" },
  [FS_EVENT] = { "\"call\":\"fs_event\"", "\"type\":\"fs_event\"" },
  [FS_POLL] = { "\"call\":\"fs_poll\"", "\"type\":\"fs_poll\"" },
  [GETADDRINFO] = { "\"call\":\"getaddrinfo\"", "\"type\":\"getaddrinfo\"" },
  [GETNAMEINFO] = { "\"call\":\"getnameinfo\"", "\"type\":\"getnameinfo\"" },
  [RANDOM] = { "\"call\":\"random\"", "\"type\":\"random\"" },
  [WALK] = { "\"call\":\"walk\"", "\"type\":" },
};

static uv_loop_t loop;
static size_t calls[KINDS];
static uv_tcp_t client;
static uv_tcp_t server;
static uv_udp_t receiver;
static uv_udp_t sender;
static uv_poll_t poller;
static uv_fs_event_t watcher;
static uv_fs_poll_t stat_poller;
static uv_timer_t changer;
static char noise[8];

static void close_if_open(uv_handle_t* handle, void* arg) {
  ASSERT_PTR_EQ(&loop, arg);
  calls[WALK]++;
  if (!uv_is_closing(handle))
    uv_close(handle, NULL);
}

/* Ends the program once each kind has been seen. */
static void saw(enum kind kind) {
  calls[kind]++;
  for (int i = 0; i < WALK; i++)
    if (calls[i] == 0)
      return;
  if (calls[WALK] == 0)
    uv_walk(&loop, close_if_open, &loop);
}

static void on_shutdown(uv_shutdown_t* req, int status) {
  ASSERT_OK(status);
  ASSERT_PTR_EQ(&client, req->handle);
  saw(SHUTDOWN);
}

static void on_poll(uv_poll_t* handle, int status, int events) {
  char byte;
  uv_os_fd_t fd;

  ASSERT_OK(status);
  ASSERT_EQ(UV_READABLE, events);
  ASSERT_OK(uv_fileno((uv_handle_t*) handle, &fd));
  ASSERT_EQ(1, read(fd, &byte, 1));
  saw(POLL);
}

static void on_send(uv_udp_send_t* req, int status) {
  ASSERT_OK(status);
  ASSERT_PTR_EQ(&sender, req->handle);
  saw(SEND);
}

static void on_recv(uv_udp_t* handle,
                    ssize_t n,
                    const uv_buf_t* buf,
                    const struct sockaddr* addr,
                    unsigned flags) {
  (void) flags;
  ASSERT_PTR_EQ(&receiver, handle);
  if (n != 0) {
    ASSERT_EQ(3, n);
    ASSERT_MEM_EQ("udp", buf->base, 3);
    ASSERT_NOT_NULL(addr);
  }
  saw(RECV);
}

static void on_fs_event(uv_fs_event_t* handle,
                        const char* name,
                        int events,
                        int status) {
  ASSERT_PTR_EQ(&watcher, handle);
  ASSERT_OK(status);
  ASSERT_STR_EQ("file", name);
  ASSERT_NE(0, events);
  saw(FS_EVENT);
}

static void on_fs_poll(uv_fs_poll_t* handle,
                       int status,
                       const uv_stat_t* before,
                       const uv_stat_t* after) {
  ASSERT_PTR_EQ(&stat_poller, handle);
  ASSERT_OK(status);
  ASSERT_NOT_NULL(before);
  ASSERT_NOT_NULL(after);
  saw(FS_POLL);
}

/* Lets the file grow, for both watchers. */
static void on_change_time(uv_timer_t* timer) {
  static char text[64];
  size_t len = strlen(text);

  (void) timer;
  if (len + 1 < sizeof(text))
    text[len] = 'x';
  test_write_file("watched/file", text);
}

static void on_name(uv_getnameinfo_t* req,
                    int status,
                    const char* host,
                    const char* service) {
  (void) req;
  ASSERT_OK(status);
  ASSERT_NOT_NULL(host);
  ASSERT_STR_EQ("80", service);
  saw(GETNAMEINFO);
}

static void on_addresses(uv_getaddrinfo_t* req,
                         int status,
                         struct addrinfo* list) {
  static uv_getnameinfo_t name_req;

  (void) req;
  ASSERT_OK(status);
  ASSERT_OK(
      uv_getnameinfo(&loop, &name_req, on_name, list->ai_addr, NI_NUMERICSERV));
  uv_freeaddrinfo(list);
  saw(GETADDRINFO);
}

static void on_random(uv_random_t* req, int status, void* buf, size_t len) {
  (void) req;
  ASSERT_OK(status);
  ASSERT_PTR_EQ(noise, buf);
  ASSERT_EQ(sizeof(noise), len);
  saw(RANDOM);
}

static void start_network(void) {
  static uv_shutdown_t shutdown_req;
  static uv_udp_send_t send_req;
  static int fds[2];
  struct sockaddr_in addr = test_loopback();
  uv_buf_t buf = uv_buf_init((char*) "udp", 3);

  test_tcp_pair(&loop, &client, &server);
  ASSERT_OK(uv_shutdown(&shutdown_req, (uv_stream_t*) &client, on_shutdown));
  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
  ASSERT_EQ(1, write(fds[1], "p", 1));
  ASSERT_OK(uv_poll_init(&loop, &poller, fds[0]));
  ASSERT_OK(uv_poll_start(&poller, UV_READABLE, on_poll));
  ASSERT_OK(uv_udp_init(&loop, &receiver));
  ASSERT_OK(uv_udp_bind(&receiver, (const struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_udp_recv_start(&receiver, test_alloc, on_recv));
  addr = test_udp_address(&receiver);
  ASSERT_OK(uv_udp_init(&loop, &sender));
  ASSERT_OK(uv_udp_send(&send_req, &sender, &buf, 1,
                        (const struct sockaddr*) &addr, on_send));
}

static void start_watchers(void) {
  test_mkdir("watched");
  test_write_file("watched/file", "");
  ASSERT_OK(uv_fs_event_init(&loop, &watcher));
  ASSERT_OK(uv_fs_event_start(&watcher, on_fs_event, "watched/file", 0));
  ASSERT_OK(uv_fs_poll_init(&loop, &stat_poller));
  ASSERT_OK(uv_fs_poll_start(&stat_poller, on_fs_poll, "watched/file", 5));
  ASSERT_OK(uv_timer_init(&loop, &changer));
  ASSERT_OK(uv_timer_start(&changer, on_change_time, 30, 30));
}

static void start_requests(void) {
  static uv_getaddrinfo_t address_req;
  static uv_random_t random_req;
  struct addrinfo hints;

  memset(&hints, 0, sizeof(hints));
  hints.ai_family = AF_INET;
  hints.ai_flags = AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  ASSERT_OK(uv_getaddrinfo(&loop, &address_req, on_addresses, "localhost", "80",
                           &hints));
  ASSERT_OK(uv_random(&loop, &random_req, noise, sizeof(noise), 0, on_random));
}

static void check_trace(void) {
  struct trace_file trace;

  trace_file_read(&trace, "calls.json");
  ASSERT(trace.is_closed);
  for (int i = 0; i < KINDS; i++) {
    size_t count = trace_file_count(&trace, names[i].call, names[i].type);
    if (count != calls[i])
      fprintf(stderr, "%s\n", names[i].call);
    ASSERT_EQ(calls[i], count);
  }
  /* What the pool does besides files and work has no symbol of the program. */
  ASSERT_GE(trace_file_count(&trace, "\"class\":\"dns\"", NULL), 2);
  trace_file_check_nesting(&trace);
  trace_file_free(&trace);
}

TEST_IMPL(observe_has_every_kind_of_callback) {
  static uvx_metrics_t metrics;
  uvx_trace_options_t trace = { .size = sizeof(trace), .path = "calls.json" };
  uvx_metrics_options_t counting = { sizeof(counting), "calls.prom", 10, 0, 0 };
  uvx_watchdog_options_t watching = { sizeof(watching), 10000, NULL, NULL, 0 };

  ASSERT_OK(uvx_trace_start(&trace));
  ASSERT_OK(uvx_metrics_start(&counting));
  ASSERT_OK(uvx_watchdog_start(&watching));
  ASSERT_OK(uv_loop_init(&loop));
  start_network();
  start_watchers();
  start_requests();
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uvx_metrics(&loop, &metrics, sizeof(metrics)));
  ASSERT_EQ(1, metrics.udp_sends);
  ASSERT_EQ(3, metrics.udp_sent_bytes);
  ASSERT_EQ(3, metrics.udp_recv_bytes);
  ASSERT_GE(metrics.udp_recvs, 1);
  ASSERT_LE(metrics.udp_recvs, calls[RECV]);
  ASSERT_EQ(2, metrics.pool_service[UVX_CLASS_DNS].count);
  size_t sum = 0;
  for (int i = 0; i < KINDS; i++)
    sum += calls[i];
  ASSERT_GE(metrics.callbacks, sum);
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_OK(uvx_watchdog_stop());
  ASSERT_OK(uvx_metrics_stop());
  ASSERT_OK(uvx_trace_stop());
  check_trace();
  return 0;
}

static void start_observing(const char* path) {
  uvx_trace_options_t trace = { .size = sizeof(trace), .path = path };
  uvx_metrics_options_t counting = { sizeof(counting), NULL, 0, 0, 0 };

  ASSERT_OK(uvx_trace_start(&trace));
  ASSERT_OK(uvx_metrics_start(&counting));
  ASSERT_OK(uv_loop_init(&loop));
}

static void stop_observing(uvx_metrics_t* metrics) {
  ASSERT_OK(uvx_metrics(&loop, metrics, sizeof(*metrics)));
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_OK(uvx_metrics_stop());
  ASSERT_OK(uvx_trace_stop());
}

static int ticks;

static void on_tick(uv_timer_t* timer) {
  if (++ticks == 3)
    uv_close((uv_handle_t*) timer, NULL);
}

/* A loop that somebody else's loop waits for. */
TEST_IMPL(observe_pull_interface) {
  static uvx_metrics_t metrics;
  struct trace_file trace;
  uv_timer_t timer;
  uint64_t rounds = 1;

  start_observing("pull.json");
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, on_tick, 1, 1));
  do
    ASSERT_GE(uvx_backend_process(&loop, uv_backend_timeout(&loop)), 0);
  while (uvx_backend_dispatch(&loop) && ++rounds);
  stop_observing(&metrics);
  ASSERT_EQ(3, ticks);
  ASSERT_EQ(3, metrics.callbacks);
  ASSERT_EQ(rounds, metrics.iterations);
  trace_file_read(&trace, "pull.json");
  ASSERT_EQ(3, trace_file_count(&trace, "\"call\":\"timer\"", NULL));
  trace_file_check_nesting(&trace);
  trace_file_free(&trace);
  return 0;
}

static void on_datagram(uv_udp_t* handle,
                        ssize_t n,
                        const uv_buf_t* buf,
                        const struct sockaddr* addr,
                        unsigned flags) {
  (void) buf;
  (void) addr;
  (void) flags;
  if (n == 0)
    return;
  ASSERT_EQ(3, n);
  if (++calls[RECV] < 3)
    return;
  uv_close((uv_handle_t*) handle, NULL);
  uv_close((uv_handle_t*) &sender, NULL);
}

/* What is sent without a request is counted, too. */
TEST_IMPL(observe_counts_udp_try_send) {
  static uvx_metrics_t metrics;
  struct sockaddr_in addr = test_loopback();
  uv_buf_t buf = uv_buf_init((char*) "udp", 3);
  uv_buf_t* bufs[] = { &buf, &buf };
  unsigned counts[] = { 1, 1 };

  start_observing("udp.json");
  ASSERT_OK(uv_udp_init(&loop, &receiver));
  ASSERT_OK(uv_udp_bind(&receiver, (const struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_udp_recv_start(&receiver, test_alloc, on_datagram));
  addr = test_udp_address(&receiver);
  struct sockaddr* to[] = { (struct sockaddr*) &addr,
                            (struct sockaddr*) &addr };
  ASSERT_OK(uv_udp_init(&loop, &sender));
  ASSERT_EQ(3, uv_udp_try_send(&sender, &buf, 1, to[0]));
  ASSERT_EQ(2, uv_udp_try_send2(&sender, 2, bufs, counts, to, 0));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  stop_observing(&metrics);
  ASSERT_EQ(3, calls[RECV]);
  ASSERT_EQ(9, metrics.udp_sent_bytes);
  ASSERT_EQ(9, metrics.udp_recv_bytes);
  return 0;
}

/* The first goes out at once, the others together. */
TEST_IMPL(observe_counts_queued_datagrams) {
  static uvx_metrics_t metrics;
  static uv_udp_send_t reqs[3];
  struct sockaddr_in addr = test_loopback();
  uv_buf_t buf = uv_buf_init((char*) "udp", 3);

  start_observing("queued.json");
  ASSERT_OK(uv_udp_init(&loop, &receiver));
  ASSERT_OK(uv_udp_bind(&receiver, (const struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_udp_recv_start(&receiver, test_alloc, on_datagram));
  addr = test_udp_address(&receiver);
  ASSERT_OK(uv_udp_init(&loop, &sender));
  for (int i = 0; i < 3; i++)
    ASSERT_OK(uv_udp_send(&reqs[i], &sender, &buf, 1,
                          (const struct sockaddr*) &addr, NULL));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  stop_observing(&metrics);
  ASSERT_EQ(3, calls[RECV]);
  ASSERT_EQ(9, metrics.udp_sent_bytes);
  ASSERT_EQ(9, metrics.udp_recv_bytes);
  return 0;
}

static int file_calls;
static int64_t file_result;

static void on_file(uv_fs_t* req) {
  file_calls++;
  file_result = req->result;
}

/* With io_uring, where the system has it, as without. */
TEST_IMPL(observe_files_on_the_ring) {
  static uvx_metrics_t metrics;
  struct trace_file trace;
  char text[8] = "";
  uv_buf_t buf = uv_buf_init(text, sizeof(text));
  uv_fs_t req;

  ASSERT_OK(uv_os_setenv("UV_USE_IO_URING", "1"));
  test_write_file("file", "ring");
  start_observing("ring.json");
  ASSERT_OK(uv_fs_open(&loop, &req, "file", UV_FS_O_RDONLY, 0, on_file));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  uv_fs_req_cleanup(&req);
  uv_file file = (uv_file) file_result;
  ASSERT_GE(file, 0);
  ASSERT_OK(uv_fs_read(&loop, &req, file, &buf, 1, 0, on_file));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  uv_fs_req_cleanup(&req);
  ASSERT_EQ(4, file_result);
  ASSERT_STR_EQ("ring", text);
  ASSERT_OK(uv_fs_close(&loop, &req, file, on_file));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  uv_fs_req_cleanup(&req);
  stop_observing(&metrics);
  ASSERT_EQ(3, file_calls);
  ASSERT_EQ(3, metrics.callbacks);
  ASSERT_EQ(0, metrics.pool_queued);
  ASSERT_EQ(0, metrics.pool_running);
  trace_file_read(&trace, "ring.json");
  ASSERT_EQ(3, trace_file_count(&trace, "\"call\":\"fs\"", NULL));
  trace_file_free(&trace);
  return 0;
}
