/* SPDX-License-Identifier: MIT */
/* Closing handles: what the close phase may touch, and what a close callback
 * may do. */
#include "ignore.h"
#include "test.h"

#include <signal.h>

#if TEST_POSIX
# include <sys/socket.h>
#endif

static uv_loop_t loop;
static int closed;

#if TEST_POSIX

static void count_closed(uv_handle_t* handle) {
  (void) handle;
  closed++;
}

union any {
  uv_handle_t handle;
  uv_timer_t timer;
  uv_prepare_t prepare;
  uv_check_t check;
  uv_idle_t idle;
  uv_async_t async;
  uv_tcp_t tcp;
  uv_pipe_t pipe;
  uv_poll_t poll;
  uv_signal_t signal;
  uv_udp_t udp;
  uv_fs_event_t fs_event;
};

static int one_end(void) {
  int fds[2];
  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
  return fds[0];
}

static void start_timer(union any* h) {
  ASSERT_OK(uv_timer_init(&loop, &h->timer));
  ASSERT_OK(uv_timer_start(&h->timer, ignore_timer, 1000, 0));
}

static void start_prepare(union any* h) {
  ASSERT_OK(uv_prepare_init(&loop, &h->prepare));
  ASSERT_OK(uv_prepare_start(&h->prepare, ignore_prepare));
}

static void start_check(union any* h) {
  ASSERT_OK(uv_check_init(&loop, &h->check));
  ASSERT_OK(uv_check_start(&h->check, ignore_check));
}

static void start_idle(union any* h) {
  ASSERT_OK(uv_idle_init(&loop, &h->idle));
  ASSERT_OK(uv_idle_start(&h->idle, ignore_idle));
}

static void start_async(union any* h) {
  ASSERT_OK(uv_async_init(&loop, &h->async, ignore_async));
  ASSERT_OK(uv_async_send(&h->async));
}

static void start_server(union any* h) {
  struct sockaddr_in addr;

  ASSERT_OK(uv_ip4_addr("127.0.0.1", 0, &addr));
  ASSERT_OK(uv_tcp_init(&loop, &h->tcp));
  ASSERT_OK(uv_tcp_bind(&h->tcp, (const struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_listen((uv_stream_t*) &h->tcp, 1, ignore_connection));
}

static void start_pipe(union any* h) {
  ASSERT_OK(uv_pipe_init(&loop, &h->pipe, 0));
  ASSERT_OK(uv_pipe_open(&h->pipe, one_end()));
  ASSERT_OK(uv_read_start((uv_stream_t*) &h->pipe, test_alloc, ignore_read));
}

static void start_poll(union any* h) {
  ASSERT_OK(uv_poll_init(&loop, &h->poll, one_end()));
  ASSERT_OK(uv_poll_start(&h->poll, UV_READABLE, ignore_poll));
}

static void start_signal(union any* h) {
  ASSERT_OK(uv_signal_init(&loop, &h->signal));
  ASSERT_OK(uv_signal_start(&h->signal, ignore_signal, SIGUSR1));
}

static void init_udp(union any* h) {
  ASSERT_OK(uv_udp_init(&loop, &h->udp));
}

static void start_fs_event(union any* h) {
  ASSERT_OK(uv_fs_event_init(&loop, &h->fs_event));
  ASSERT_OK(uv_fs_event_start(&h->fs_event, ignore_fs_event, ".", 0));
}

/* dqlite's tests free handles right after uv_close(). free() overwrites the
 * first two words, `data` and `loop`; the rest stays. */
TEST_IMPL(close_handle_freed_at_once) {
  static void (*const starts[])(union any*) = {
    start_timer,  start_prepare, start_check,    start_idle,
    start_async,  start_server,  start_pipe,     start_poll,
    start_signal, init_udp,      start_fs_event,
  };
  enum { N = sizeof(starts) / sizeof(starts[0]) };
  union any handles[N];

  ASSERT_OK(uv_loop_init(&loop));
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < N; i++)
      starts[i](&handles[i]);
    if (round == 1) /* the poller knows about them */
      uv_run(&loop, UV_RUN_NOWAIT);
    for (int i = 0; i < N; i++) {
      uv_close(&handles[i].handle, count_closed);
      memset(&handles[i].handle, 0xab, 2 * sizeof(void*));
    }
    ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
    ASSERT_EQ((round + 1) * N, closed);
  }
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}
#endif

static void run_inside(uv_handle_t* handle) {
  (void) handle;
  if (closed++ != 0)
    return;
  ASSERT_EQ(0, uv_loop_alive(&loop));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_ONCE));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_NOWAIT));
  ASSERT_EQ(1, closed); /* the other handle is due after this one */
}

/* Running the loop inside a close callback does not wait for the other handles
 * of the same round; they are reported when the callback returns. */
TEST_IMPL(close_callback_runs_the_loop) {
  uv_timer_t timers[2];

  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(uv_timer_init(&loop, &timers[i]));
    uv_close((uv_handle_t*) &timers[i], run_inside);
  }
  ASSERT_EQ(1, uv_loop_alive(&loop));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(2, closed);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}
