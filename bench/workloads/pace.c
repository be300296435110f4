/* SPDX-License-Identifier: MIT */
/* Moderate rates: so many operations per second, evenly spaced, and a loop
 * that sleeps between them. The time per operation is the rate's; the figure
 * to compare is processor time. A library that spins while it waits would show
 * here. */
#include "bench.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000u

enum { ASYNC, WORK, STAT };

/* More are never in flight, unless the machine stands still. */
#define REQUESTS 4096

struct request {
  union {
    uv_work_t work;
    uv_fs_t fs;
  } req;
  uint64_t began; /* ns */
};

static struct {
  uv_loop_t loop;
  int kind;
  unsigned rate; /* per second */
  uint64_t ops;
  uint64_t started;
  uint64_t done;
  uint64_t waited; /* ns from start to callback, all operations */
  struct request requests[REQUESTS];
} pace;

static uv_async_t async;
static uint64_t async_sent; /* ns, by the sender */
static uint64_t async_done; /* callbacks, by the loop */
static uv_poll_t poller;
static int timer_fd;

static void pace_count(uint64_t began) {
  pace.waited += bench_clock() - began;
  if (++pace.done == pace.ops)
    bench_end();
}

/* ---- asyncs: sent by a thread that sleeps in between ---- */

static void async_cb(uv_async_t* handle) {
  pace_count(__atomic_load_n(&async_sent, __ATOMIC_ACQUIRE));
  __atomic_store_n(&async_done, pace.done, __ATOMIC_RELEASE);
  if (pace.done == pace.ops)
    uv_close((uv_handle_t*) handle, NULL);
}

static void sleep_until(uint64_t ns) {
  struct timespec at = { (time_t) (ns / NS_PER_S), (long) (ns % NS_PER_S) };

  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0)
    continue;
}

static void async_sender(void* arg) {
  const unsigned step = NS_PER_S / pace.rate;
  uint64_t due = bench_clock();

  (void) arg;
  prctl(PR_SET_TIMERSLACK, 1);
  for (uint64_t i = 0; i < pace.ops; i++) {
    do {
      due += step;
      sleep_until(due);
      /* Two sends before a callback would be merged into one. */
    } while (__atomic_load_n(&async_done, __ATOMIC_ACQUIRE) < i);
    __atomic_store_n(&async_sent, bench_clock(), __ATOMIC_RELEASE);
    CHECK_OK(uv_async_send(&async));
  }
}

static void run_asyncs(void) {
  uv_thread_t thread;

  CHECK_OK(uv_async_init(&pace.loop, &async, async_cb));
  bench_begin();
  CHECK_OK(uv_thread_create(&thread, async_sender, NULL));
  CHECK_OK(uv_run(&pace.loop, UV_RUN_DEFAULT));
  CHECK_OK(uv_thread_join(&thread));
}

/* ---- requests: started by the loop when a timer descriptor says so ---- */

static void work_cb(uv_work_t* req) {
  (void) req;
}

static void work_done(uv_work_t* req, int status) {
  CHECK_OK(status);
  pace_count(((struct request*) req)->began);
}

static void stat_done(uv_fs_t* req) {
  CHECK_OK(req->result);
  uv_fs_req_cleanup(req);
  pace_count(((struct request*) req)->began);
}

static void start_request(void) {
  struct request* r = &pace.requests[pace.started++ % REQUESTS];

  CHECK(pace.started - pace.done < REQUESTS);
  r->began = bench_clock();
  if (pace.kind == WORK)
    CHECK_OK(uv_queue_work(&pace.loop, &r->req.work, work_cb, work_done));
  else
    CHECK_OK(uv_fs_stat(&pace.loop, &r->req.fs, "/", stat_done));
}

static void tick_cb(uv_poll_t* handle, int status, int events) {
  uint64_t due;

  CHECK_OK(status);
  CHECK(events == UV_READABLE);
  CHECK(read(timer_fd, &due, sizeof(due)) == sizeof(due));
  for (; due > 0 && pace.started < pace.ops; due--)
    start_request();
  if (pace.started == pace.ops)
    uv_close((uv_handle_t*) handle, NULL);
}

static void run_requests(void) {
  const long step = NS_PER_S / pace.rate;
  struct itimerspec every = { .it_interval = { 0, step },
                              .it_value = { 0, step } };

  timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  CHECK(timer_fd >= 0);
  CHECK_OK(uv_poll_init(&pace.loop, &poller, timer_fd));
  CHECK_OK(uv_poll_start(&poller, UV_READABLE, tick_cb));
  bench_begin();
  CHECK(timerfd_settime(timer_fd, 0, &every, NULL) == 0);
  CHECK_OK(uv_run(&pace.loop, UV_RUN_DEFAULT));
  close(timer_fd);
}

static void run_pace(struct run* run) {
  pace.kind = run->kind;
  pace.rate = run->size;
  pace.ops = run->ops;
  CHECK_OK(uv_loop_init(&pace.loop));
  if (run->kind == ASYNC)
    run_asyncs();
  else
    run_requests();
  CHECK(pace.done == pace.ops);
  bench_note("latency_us", (double) pace.waited / 1000.0 / (double) run->ops);
  bench_drain(&pace.loop);
}

const struct workload pace_workloads[] = {
  { "pace-async-1k", run_pace, NULL, ASYNC, 300, 0, 1000,
    "an async sent by a thread and called back, 1000 per second" },
  { "pace-async-20k", run_pace, NULL, ASYNC, 6000, 0, 20000,
    "the same, 20000 per second" },
  { "pace-work-1k", run_pace, NULL, WORK, 300, 0, 1000,
    "uv_queue_work and back, 1000 per second" },
  { "pace-work-20k", run_pace, NULL, WORK, 6000, 0, 20000,
    "the same, 20000 per second" },
  { "pace-stat-1k", run_pace, NULL, STAT, 300, 0, 1000,
    "uv_fs_stat, 1000 per second" },
  { "pace-stat-20k", run_pace, NULL, STAT, 6000, 0, 20000,
    "the same, 20000 per second" },
  { .name = NULL },
};
