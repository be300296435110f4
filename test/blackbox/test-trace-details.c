/* SPDX-License-Identifier: MIT */
/* What the slices of a trace are about: only if that was asked for. */
#include "ignore.h"
#include "test.h"
#include "trace-file.h"
#include "uv/ext.h"

#include <stdio.h>

static uv_loop_t loop;
static uv_tcp_t server;
static uv_tcp_t client;
static uv_tcp_t accepted;
static uv_udp_t udp;
static uv_connect_t connecting;
static uv_connect_t refused;
static uv_tcp_t nowhere;
static uv_tcp_t bound;
static uv_getaddrinfo_t lookup;
static uv_fs_t reading;
static uv_write_t writing;
static uv_process_t child;
static char long_path[300];
static char buffer[64];
/* Of the server, the client, the datagram's sender, of one that refuses. */
static int ports[4];

static void use_buffer(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  (void) handle;
  (void) size;
  *buf = uv_buf_init(buffer, sizeof(buffer));
}

static void close_all(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  (void) buf;
  ASSERT(n == 4 || n == UV_EOF);
  if (!uv_is_closing((uv_handle_t*) stream))
    uv_close((uv_handle_t*) stream, NULL);
  if (stream != (uv_stream_t*) &accepted)
    return;
  uv_close((uv_handle_t*) &server, NULL);
}

static void accept_it(uv_stream_t* listener, int status) {
  ASSERT_OK(status);
  ASSERT_OK(uv_tcp_init(&loop, &accepted));
  ASSERT_OK(uv_accept(listener, (uv_stream_t*) &accepted));
  ASSERT_OK(uv_read_start((uv_stream_t*) &accepted, use_buffer, close_all));
}

static void on_written(uv_write_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
}

static void write_it(uv_connect_t* req, int status) {
  uv_buf_t buf = uv_buf_init("ping", 4);

  ASSERT_OK(status);
  ASSERT_OK(uv_write(&writing, req->handle, &buf, 1, on_written));
  ASSERT_OK(uv_read_start(req->handle, use_buffer, close_all));
}

static void on_refused(uv_connect_t* req, int status) {
  ASSERT_LT(status, 0);
  uv_close((uv_handle_t*) req->handle, NULL);
  uv_close((uv_handle_t*) &bound, NULL);
}

static void on_datagram(uv_udp_t* handle,
                        ssize_t n,
                        const uv_buf_t* buf,
                        const struct sockaddr* addr,
                        unsigned flags) {
  (void) buf;
  (void) flags;
  if (n == 0 && addr == NULL)
    return;
  ASSERT_EQ(4, n);
  uv_close((uv_handle_t*) handle, NULL);
}

static int port_of(const void* addr) {
  return ntohs(((const struct sockaddr_in*) addr)->sin_port);
}

static void start_tcp(void) {
  struct sockaddr_in addr;
  int size = sizeof(addr);

  ASSERT_OK(uv_ip4_addr("127.0.0.1", 0, &addr));
  ASSERT_OK(uv_tcp_init(&loop, &server));
  ASSERT_OK(uv_tcp_bind(&server, (struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_listen((uv_stream_t*) &server, 8, accept_it));
  ASSERT_OK(uv_tcp_getsockname(&server, (struct sockaddr*) &addr, &size));
  ports[0] = port_of(&addr);
  ASSERT_OK(uv_tcp_init(&loop, &client));
  ASSERT_OK(
      uv_tcp_connect(&connecting, &client, (struct sockaddr*) &addr, write_it));
  ASSERT_OK(uv_tcp_getsockname(&client, (struct sockaddr*) &addr, &size));
  ports[1] = port_of(&addr);

  /* Nobody listens there. */
  ASSERT_OK(uv_ip4_addr("127.0.0.1", 0, &addr));
  ASSERT_OK(uv_tcp_init(&loop, &bound));
  ASSERT_OK(uv_tcp_bind(&bound, (struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_tcp_getsockname(&bound, (struct sockaddr*) &addr, &size));
  ports[3] = port_of(&addr);
  ASSERT_OK(uv_tcp_init(&loop, &nowhere));
  ASSERT_OK(
      uv_tcp_connect(&refused, &nowhere, (struct sockaddr*) &addr, on_refused));
}

static void start_udp(void) {
  struct sockaddr_in addr;
  uv_buf_t buf = uv_buf_init("ping", 4);
  int size = sizeof(addr);

  ASSERT_OK(uv_ip4_addr("127.0.0.1", 0, &addr));
  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_OK(uv_udp_bind(&udp, (struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_udp_recv_start(&udp, use_buffer, on_datagram));
  ASSERT_OK(uv_udp_getsockname(&udp, (struct sockaddr*) &addr, &size));
  ports[2] = port_of(&addr);
  ASSERT_EQ(4, uv_udp_try_send(&udp, &buf, 1, (struct sockaddr*) &addr));
}

static void on_link(uv_fs_t* req) {
  ASSERT_LT(req->result, 0);
  uv_fs_req_cleanup(req);
}

static void on_found(uv_getaddrinfo_t* req, int status, struct addrinfo* res) {
  (void) req;
  (void) status; /* the host may have no such name */
  uv_freeaddrinfo(res);
}

static void on_child(uv_process_t* process, int64_t status, int signum) {
  (void) signum;
  ASSERT_EQ(0, status);
  uv_close((uv_handle_t*) process, NULL);
}

static void start_requests(void) {
  char* args[] = { (char*) test_self(), "--helper", "exit_at_once", NULL };
  uv_process_options_t options;

  memset(long_path, 'x', sizeof(long_path));
  memcpy(long_path + sizeof(long_path) - 14, "/missing\"file", 14);
  /* A thread runs this one with io_uring, too. */
  ASSERT_OK(uv_fs_readlink(&loop, &reading, long_path, on_link));
  ASSERT_OK(uv_getaddrinfo(&loop, &lookup, on_found, "localhost", NULL, NULL));
  memset(&options, 0, sizeof(options));
  options.file = args[0];
  options.args = args;
  options.exit_cb = on_child;
  ASSERT_OK(uv_spawn(&loop, &child, &options));
}

HELPER_IMPL(exit_at_once) {
  (void) argc;
  (void) argv;
  return 0;
}

static void run_all(unsigned details) {
  uvx_trace_options_t options = { .size = sizeof(options),
                                  .path = "details.json",
                                  .details = details };

  ASSERT_OK(uvx_trace_start(&options));
  ASSERT_OK(uv_loop_init(&loop));
  start_tcp();
  start_udp();
  start_requests();
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_OK(uvx_trace_stop());
}

static size_t peers_in(const struct trace_file* trace,
                       const char* call,
                       int port) {
  char peer[64];

  snprintf(peer, sizeof(peer), "\"peer\":\"127.0.0.1:%d\"", port);
  return trace_file_count(trace, call, peer);
}

TEST_IMPL(trace_details_say_what_slices_are_about) {
  struct trace_file trace;

  run_all(1);
  trace_file_read(&trace, "details.json");
  ASSERT(trace.is_closed);
  trace_file_check_nesting(&trace);
  ASSERT_EQ(1, peers_in(&trace, "\"call\":\"connect\"", ports[0]));
  ASSERT_EQ(1, peers_in(&trace, "\"call\":\"write\"", ports[0]));
  ASSERT_GE(peers_in(&trace, "\"call\":\"read\"", ports[1]), 1);
  ASSERT_EQ(1, peers_in(&trace, "\"call\":\"recv\"", ports[2]));
  ASSERT_EQ(1, peers_in(&trace, "\"call\":\"connect\"", ports[3]));
  ASSERT_EQ(
      1, trace_file_count(&trace, "\"class\":\"fs\"", "xx/missing\\\"file\""));
  ASSERT_EQ(1, trace_file_count(&trace, "\"call\":\"fs\"", "\"path\":\"xx"));
  ASSERT_EQ(1, trace_file_count(&trace, "\"class\":\"dns\"",
                                "\"host\":\"localhost\""));
  ASSERT_EQ(1, trace_file_count(&trace, "\"call\":\"getaddrinfo\"",
                                "\"host\":\"localhost\""));
  ASSERT_EQ(1, trace_file_count(&trace, "\"call\":\"exit\"", "\"command\":\""));
  trace_file_free(&trace);
  return 0;
}

/* Traces are handed on: without being asked, they name nobody. */
TEST_IMPL(trace_without_details_names_nobody) {
  static const char* const keys[] = { "\"path\"",    "\"host\"",  "\"peer\"",
                                      "\"command\"", "localhost", "127.0.0.1",
                                      "missing" };
  struct trace_file trace;

  run_all(0);
  trace_file_read(&trace, "details.json");
  for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
    ASSERT_EQ(0, trace_file_count(&trace, keys[i], NULL));
  trace_file_free(&trace);
  return 0;
}

/* A handle's memory and descriptor may be another connection's later. */
TEST_IMPL(trace_details_of_handles_that_are_used_again) {
  struct trace_file trace;

  run_all(1);
  run_all(1);
  trace_file_read(&trace, "details.json");
  ASSERT_EQ(1, peers_in(&trace, "\"call\":\"write\"", ports[0]));
  ASSERT_GE(peers_in(&trace, "\"call\":\"read\"", ports[1]), 1);
  ASSERT_EQ(trace_file_count(&trace, "\"call\":\"read\"", NULL),
            peers_in(&trace, "\"call\":\"read\"", ports[0]) +
                peers_in(&trace, "\"call\":\"read\"", ports[1]));
  trace_file_free(&trace);
  return 0;
}

TEST_IMPL(trace_details_of_the_environment) {
  uvx_trace_options_t options = { .size = sizeof(options),
                                  .path = "details.json",
                                  .details = 2 };
  struct trace_file trace;

  ASSERT_ERR(UV_EINVAL, uvx_trace_start(&options));
  ASSERT_OK(uv_os_setenv("UV_TRACE", "details.json"));
  ASSERT_OK(uv_os_setenv("UV_TRACE_DETAILS", "1"));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_getaddrinfo(&loop, &lookup, on_found, "localhost", NULL, NULL));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_OK(uvx_trace_stop());
  trace_file_read(&trace, "details.json");
  ASSERT_GE(trace_file_count(&trace, "\"host\":\"localhost\"", NULL), 1);
  trace_file_free(&trace);
  return 0;
}
