/* SPDX-License-Identifier: MIT */
/* Loops and handles themselves. */
#include "bench.h"

#include <unistd.h>

static uv_loop_t loop;
static uint64_t left;

/* One operation: an iteration with one active idle handle. */
static void idle_cb(uv_idle_t* idle) {
  if (--left == 0) {
    bench_end();
    uv_close((uv_handle_t*) idle, NULL);
  }
}

static void run_idle(struct run* run) {
  uv_idle_t idle;

  left = run->ops;
  CHECK_OK(uv_loop_init(&loop));
  CHECK_OK(uv_idle_init(&loop, &idle));
  CHECK_OK(uv_idle_start(&idle, idle_cb));
  bench_begin();
  bench_drain(&loop);
}

/* One operation: a call of uv_run(UV_RUN_NOWAIT) with nothing to do. */
static void timer_cb(uv_timer_t* timer) {
  (void) timer;
}

static void run_nowait(struct run* run) {
  uv_timer_t timer;

  CHECK_OK(uv_loop_init(&loop));
  CHECK_OK(uv_timer_init(&loop, &timer));
  CHECK_OK(uv_timer_start(&timer, timer_cb, 3600000, 0));
  bench_begin();
  for (uint64_t i = 0; i < run->ops; i++)
    CHECK(uv_run(&loop, UV_RUN_NOWAIT) == 1);
  bench_end();
  uv_close((uv_handle_t*) &timer, NULL);
  bench_drain(&loop);
}

/* One operation: a loop initialised, run and closed. */
static void run_init(struct run* run) {
  bench_begin();
  for (uint64_t i = 0; i < run->ops; i++) {
    CHECK_OK(uv_loop_init(&loop));
    CHECK_OK(uv_run(&loop, UV_RUN_DEFAULT));
    CHECK_OK(uv_loop_close(&loop));
  }
  bench_end();
}

/* One operation: a handle initialised, started and closed; `size` at once. */
static void close_cb(uv_handle_t* handle) {
  (void) handle;
  left--;
}

static void prepare_cb(uv_prepare_t* prepare) {
  (void) prepare;
}

static void run_handles(struct run* run) {
  uv_prepare_t* handles = bench_alloc(run->size, sizeof(*handles));

  run->ops = (run->ops + run->size - 1) / run->size * run->size;
  CHECK_OK(uv_loop_init(&loop));
  bench_begin();
  for (left = run->ops; left > 0;) {
    for (unsigned i = 0; i < run->size; i++) {
      CHECK_OK(uv_prepare_init(&loop, &handles[i]));
      CHECK_OK(uv_prepare_start(&handles[i], prepare_cb));
    }
    for (unsigned i = 0; i < run->size; i++)
      uv_close((uv_handle_t*) &handles[i], close_cb);
    CHECK_OK(uv_run(&loop, UV_RUN_DEFAULT));
  }
  bench_end();
  bench_drain(&loop);
}

/* One operation: a poll handle reports a pipe that is always readable; there
 * are `size` of them. */
static uint64_t polled;

static void poll_cb(uv_poll_t* poll, int status, int events) {
  (void) poll;
  CHECK_OK(status);
  CHECK(events == UV_READABLE);
  polled++;
}

static void run_poll(struct run* run) {
  uv_poll_t* handles = bench_alloc(run->size, sizeof(*handles));
  int(*fds)[2] = bench_alloc(run->size, sizeof(*fds));

  bench_raise_fd_limit();
  CHECK_OK(uv_loop_init(&loop));
  for (unsigned i = 0; i < run->size; i++) {
    CHECK(pipe(fds[i]) == 0);
    CHECK(write(fds[i][1], "x", 1) == 1);
    CHECK_OK(uv_poll_init(&loop, &handles[i], fds[i][0]));
    CHECK_OK(uv_poll_start(&handles[i], UV_READABLE, poll_cb));
  }
  bench_begin();
  while (polled < run->ops)
    uv_run(&loop, UV_RUN_ONCE);
  bench_end();
  run->ops = polled;
  for (unsigned i = 0; i < run->size; i++)
    uv_close((uv_handle_t*) &handles[i], NULL);
  bench_drain(&loop);
}

/* One operation: one of `size` watched descriptors becomes readable, is
 * reported and read. The others stay silent. */
static struct {
  uint64_t left;
  int out; /* the pipe's other end */
} one;

static void one_cb(uv_poll_t* poll, int status, int events) {
  uv_os_fd_t fd;
  char byte;

  CHECK_OK(status);
  CHECK(events == UV_READABLE);
  CHECK_OK(uv_fileno((uv_handle_t*) poll, &fd));
  CHECK(read(fd, &byte, 1) == 1);
  if (--one.left == 0)
    uv_stop(&loop);
  else
    CHECK(write(one.out, &byte, 1) == 1);
}

static void silent_cb(uv_poll_t* poll, int status, int events) {
  (void) poll;
  (void) events;
  CHECK(status == UV_ECANCELED); /* never called */
}

static void run_poll_idle(struct run* run) {
  uv_poll_t* handles = bench_alloc(run->size, sizeof(*handles));
  int silent[2];
  int loud[2];

  CHECK(bench_raise_fd_limit() >= run->size + 16);
  CHECK(pipe(silent) == 0);
  CHECK(pipe(loud) == 0);
  one.left = run->ops;
  one.out = loud[1];
  CHECK_OK(uv_loop_init(&loop));
  for (unsigned i = 0; i < run->size; i++) {
    int is_loud = i == run->size / 2;
    int fd = is_loud ? loud[0] : dup(silent[0]);
    CHECK(fd >= 0);
    CHECK_OK(uv_poll_init(&loop, &handles[i], fd));
    CHECK_OK(
        uv_poll_start(&handles[i], UV_READABLE, is_loud ? one_cb : silent_cb));
  }
  uv_run(&loop, UV_RUN_NOWAIT); /* registers them with the kernel */
  bench_begin();
  CHECK(write(one.out, "x", 1) == 1);
  uv_run(&loop, UV_RUN_DEFAULT);
  bench_end();
  CHECK(one.left == 0);
  for (unsigned i = 0; i < run->size; i++)
    uv_close((uv_handle_t*) &handles[i], NULL);
  bench_drain(&loop);
}

const struct workload loop_workloads[] = {
  { "loop-idle", run_idle, NULL, 0, 500000, 0, 1,
    "an iteration with an idle handle" },
  { "loop-nowait", run_nowait, NULL, 0, 500000, 0, 1,
    "uv_run(UV_RUN_NOWAIT) with a timer far away" },
  { "loop-init", run_init, NULL, 0, 20000, 0, 1, "a loop made and closed" },
  { "handle-close", run_handles, NULL, 0, 500000, 0, 1000,
    "a handle started and closed, 1000 at once" },
  { "poll-100", run_poll, NULL, 0, 200000, 0, 100,
    "a readable descriptor reported, 100 ready" },
  { "poll-idle-10k", run_poll_idle, NULL, 0, 50000, 0, 10000,
    "one of 10000 watched descriptors reported and read" },
  { .name = NULL },
};
