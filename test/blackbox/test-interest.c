/* SPDX-License-Identifier: MIT */
/* uvx_loop_on_interest(): whoever waits on the loop's descriptor hears of each
 * change that makes the wait too long. */
#include "test.h"
#include "uv/ext.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static int calls;

static void on_interest(uv_loop_t* loop, void* arg) {
  ASSERT_PTR_EQ(arg, loop);
  calls++;
}

static void ignore_timer(uv_timer_t* timer) {
  (void) timer;
}

static void ignore_idle(uv_idle_t* idle) {
  (void) idle;
}

/* One call per round, for the first change. */
TEST_IMPL(interest_is_told_once_per_round) {
  uv_loop_t loop;
  uv_timer_t timers[3];

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uvx_loop_on_interest(&loop, on_interest, &loop));
  for (int i = 0; i < 3; i++)
    ASSERT_OK(uv_timer_init(&loop, &timers[i]));
  ASSERT_EQ(0, calls);
  ASSERT_OK(uv_timer_start(&timers[0], ignore_timer, 100000, 0));
  ASSERT_EQ(1, calls);
  ASSERT_OK(uv_timer_start(&timers[1], ignore_timer, 50000, 0));
  ASSERT_EQ(1, calls);
  ASSERT_EQ(1, uv_run(&loop, UV_RUN_NOWAIT));
  /* Not the earliest: the wait is as long as before. */
  ASSERT_OK(uv_timer_start(&timers[2], ignore_timer, 90000, 0));
  ASSERT_EQ(1, calls);
  ASSERT_OK(uv_timer_start(&timers[2], ignore_timer, 10000, 0));
  ASSERT_EQ(2, calls);
  ASSERT_EQ(0, uvx_backend_process(&loop, 0));
  ASSERT_OK(uv_timer_start(&timers[2], ignore_timer, 5000, 0));
  ASSERT_EQ(3, calls);
  ASSERT_OK(uvx_loop_on_interest(&loop, NULL, NULL));
  ASSERT_EQ(1, uv_run(&loop, UV_RUN_NOWAIT));
  for (int i = 0; i < 3; i++)
    uv_close((uv_handle_t*) &timers[i], NULL);
  ASSERT_EQ(3, calls);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

static void start_things(uv_timer_t* timer) {
  uv_idle_t* idle = timer->data;

  ASSERT_ERR(UV_EBUSY, uvx_loop_on_interest(timer->loop, on_interest, NULL));
  ASSERT_OK(uv_idle_start(idle, ignore_idle));
  ASSERT_OK(uv_timer_start(timer, ignore_timer, 1, 0));
  uv_close((uv_handle_t*) idle, NULL);
}

/* Changes made by callbacks need no call: the loop looks before it waits. */
TEST_IMPL(interest_is_not_told_of_callbacks) {
  uv_loop_t loop;
  uv_timer_t timer;
  uv_idle_t idle;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_idle_init(&loop, &idle));
  timer.data = &idle;
  ASSERT_OK(uv_timer_start(&timer, start_things, 0, 0)); /* before the rest */
  ASSERT_OK(uvx_loop_on_interest(&loop, on_interest, &loop));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(0, calls);
  uv_close((uv_handle_t*) &timer, NULL);
  ASSERT_EQ(1, calls);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

TEST_IMPL(interest_refuses_no_loop) {
  uv_loop_t loop;

  ASSERT_ERR(UV_EINVAL, uvx_loop_on_interest(NULL, on_interest, NULL));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_ERR(UV_EINVAL, uvx_loop_on_interest(&loop, on_interest, NULL));
  return 0;
}

/* ---- the promise, with random changes ---- */

#define TIMERS 6
#define IDLES 3
#define STEPS 20000
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

struct world {
  uv_loop_t loop;
  uv_timer_t timers[TIMERS];
  uv_idle_t idles[IDLES];
  uv_udp_t udp;
  uv_async_t keeper; /* keeps the loop alive */
  uv_async_t* async; /* NULL: closed */
};

static unsigned random_state;

static unsigned test_random(void) {
  random_state = random_state * 1664525u + 1013904223u;
  return random_state >> 8;
}

static void free_handle(uv_handle_t* handle) {
  free(handle);
}

static void ignore_async(uv_async_t* async) {
  (void) async;
}

static void alloc_small(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  static char space[64];

  (void) handle;
  (void) size;
  *buf = uv_buf_init(space, sizeof(space));
}

static void ignore_datagram(uv_udp_t* udp,
                            ssize_t nread,
                            const uv_buf_t* buf,
                            const struct sockaddr* from,
                            unsigned flags) {
  (void) udp;
  (void) nread;
  (void) buf;
  (void) from;
  (void) flags;
}

static void free_request(uv_fs_t* req) {
  uv_fs_req_cleanup(req);
  free(req);
}

static void change_timer(struct world* w) {
  uv_timer_t* timer = &w->timers[test_random() % TIMERS];

  if (test_random() % 3 == 0)
    ASSERT_OK(uv_timer_stop(timer));
  else
    ASSERT_OK(uv_timer_start(timer, ignore_timer, 1000 + test_random() % 9000,
                             test_random() % 2 * 7));
}

static void change_idle(struct world* w) {
  uv_idle_t* idle = &w->idles[test_random() % IDLES];

  if (test_random() % 2 == 0)
    ASSERT_OK(uv_idle_stop(idle));
  else
    ASSERT_OK(uv_idle_start(idle, ignore_idle));
}

static void change_handle(struct world* w) {
  if (w->async != NULL) {
    uv_close((uv_handle_t*) w->async, free_handle);
    w->async = NULL;
    return;
  }
  w->async = malloc(sizeof(*w->async));
  ASSERT_NOT_NULL(w->async);
  ASSERT_OK(uv_async_init(&w->loop, w->async, ignore_async));
}

static void change_udp(struct world* w) {
  if (test_random() % 2 == 0)
    ASSERT_OK(uv_udp_recv_stop(&w->udp));
  else if (!uv_is_active((uv_handle_t*) &w->udp))
    ASSERT_OK(uv_udp_recv_start(&w->udp, alloc_small, ignore_datagram));
}

static void change_file(struct world* w) {
  uv_fs_t* req = malloc(sizeof(*req));

  ASSERT_NOT_NULL(req);
  ASSERT_OK(uv_fs_stat(&w->loop, req, ".", free_request));
}

static void change_stop(struct world* w) {
  uv_stop(&w->loop);
}

static void (*const changes[])(struct world*) = {
  change_timer, change_timer, change_idle, change_handle,
  change_udp,   change_file,  change_stop,
};

static int is_shorter(int now_ms, int before_ms) {
  unsigned now = now_ms < 0 ? UINT_MAX : (unsigned) now_ms;
  unsigned before = before_ms < 0 ? UINT_MAX : (unsigned) before_ms;

  return now < before;
}

static void open_world(struct world* w) {
  struct sockaddr_in addr;

  ASSERT_OK(uv_loop_init(&w->loop));
  for (int i = 0; i < TIMERS; i++)
    ASSERT_OK(uv_timer_init(&w->loop, &w->timers[i]));
  for (int i = 0; i < IDLES; i++)
    ASSERT_OK(uv_idle_init(&w->loop, &w->idles[i]));
  ASSERT_OK(uv_udp_init(&w->loop, &w->udp));
  ASSERT_OK(uv_ip4_addr("127.0.0.1", 0, &addr));
  ASSERT_OK(uv_udp_bind(&w->udp, (const struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_async_init(&w->loop, &w->keeper, ignore_async));
  w->async = NULL;
  change_handle(w);
}

static void close_handle(uv_handle_t* handle, void* arg) {
  struct world* w = arg;

  if (!uv_is_closing(handle))
    uv_close(handle, handle == (uv_handle_t*) w->async ? free_handle : NULL);
}

TEST_IMPL(interest_whenever_the_timeout_shrinks) {
  static struct world w;

  random_state = (unsigned) uv_hrtime();
  fprintf(stderr, "# seed %u\n", random_state);
  open_world(&w);
  ASSERT_OK(uvx_loop_on_interest(&w.loop, on_interest, &w.loop));
  for (int step = 0; step < STEPS; step++) {
    if (test_random() % 4 == 0) {
      (void) uv_run(&w.loop, UV_RUN_NOWAIT);
      calls = 0;
    }
    int before_ms = uv_backend_timeout(&w.loop);
    changes[test_random() % ARRAY_LEN(changes)](&w);
    if (is_shorter(uv_backend_timeout(&w.loop), before_ms))
      ASSERT_EQ(1, calls);
    ASSERT_LE(calls, 1);
  }
  ASSERT_OK(uvx_loop_on_interest(&w.loop, NULL, NULL));
  uv_walk(&w.loop, close_handle, &w);
  (void) uv_run(&w.loop, UV_RUN_NOWAIT); /* the last change may be uv_stop() */
  ASSERT_EQ(0, uv_run(&w.loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&w.loop));
  return 0;
}
