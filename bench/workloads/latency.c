/* SPDX-License-Identifier: MIT */
/* How long an item of work waits: from its submission until a worker starts it,
 * and from its end until the loop calls back. Closed loads keep `size` items in
 * flight; open loads submit `size` items together at fixed times, whether the
 * earlier ones are back or not. `kind` is the microseconds of arithmetic in
 * each item. bench/matrix runs them. */
#include "bench.h"
#include "samples.h"

#include <sys/timerfd.h>
#include <unistd.h>

#define NS_PER_S 1000000000u
/* Turns of an empty loop in a microsecond, about. */
#define TURNS_PER_US 2500
/* An open load takes 30 % of one processor if an item costs 10 us more than its
 * arithmetic. */
#define OPEN_PERCENT 30
#define OPEN_COST_US 10
/* Of an open load in flight. If the machine stalls for longer, it waits. */
#define OPEN_MAX 65536

struct item {
  uv_work_t work;
  struct item* next; /* in the list of free items */
  uint64_t submitted;
  uint64_t started;
  uint64_t ended;
};

static struct {
  uv_loop_t loop;
  uint64_t ops;
  uint64_t submitted;
  uint64_t done;
  unsigned turns; /* of each item */
  unsigned batch; /* open: items submitted together */
  int is_open;
  struct samples start_wait;
  struct samples done_wait;
  struct item* free;
} load;

static uv_poll_t poller;
static int timer_fd;

static void item_done(uv_work_t* work, int status);

static void item_run(uv_work_t* work) {
  struct item* item = (struct item*) work;
  unsigned sum = (unsigned) (uintptr_t) work;

  item->started = bench_clock();
  for (unsigned i = 0; i < load.turns; i++)
    __asm__ __volatile__("" : "+r"(sum));
  item->ended = bench_clock();
}

static void item_submit(struct item* item) {
  load.submitted++;
  item->submitted = bench_clock();
  CHECK_OK(uv_queue_work(&load.loop, &item->work, item_run, item_done));
}

static void item_free(struct item* item) {
  item->next = load.free;
  load.free = item;
}

static void item_done(uv_work_t* work, int status) {
  struct item* item = (struct item*) work;

  CHECK_OK(status);
  samples_add(&load.start_wait, item->started - item->submitted);
  samples_add(&load.done_wait, bench_clock() - item->ended);
  if (++load.done == load.ops)
    bench_end();
  if (load.is_open)
    item_free(item);
  else if (load.submitted < load.ops)
    item_submit(item);
}

static void begin(const struct run* run) {
  load.ops = run->ops;
  load.turns = (unsigned) run->kind * TURNS_PER_US;
  samples_init(&load.start_wait, run->ops);
  samples_init(&load.done_wait, run->ops);
  CHECK_OK(uv_loop_init(&load.loop));
}

static void finish(void) {
  bench_drain(&load.loop);
  CHECK(load.done == load.ops);
  samples_note(&load.start_wait, "start_p50_us", "start_p99_us", 99,
               "start_max_us");
  samples_note(&load.done_wait, "done_p50_us", "done_p99_us", 99,
               "done_max_us");
}

static void run_closed(struct run* run) {
  struct item* items = bench_alloc(run->size, sizeof(*items));

  begin(run);
  bench_begin();
  for (unsigned i = 0; i < run->size && load.submitted < load.ops; i++)
    item_submit(&items[i]);
  finish();
  free(items);
}

static void submit_batch(void) {
  for (unsigned i = 0; i < load.batch && load.submitted < load.ops; i++) {
    struct item* item = load.free;

    if (item == NULL)
      return;
    load.free = item->next;
    item_submit(item);
  }
}

static void tick_cb(uv_poll_t* handle, int status, int events) {
  uint64_t due;

  CHECK_OK(status);
  CHECK(events == UV_READABLE);
  CHECK(read(timer_fd, &due, sizeof(due)) == sizeof(due));
  for (; due > 0 && load.submitted < load.ops; due--)
    submit_batch();
  if (load.submitted == load.ops)
    uv_close((uv_handle_t*) handle, NULL);
}

/* The period of batches, in ns. */
static uint64_t open_period(const struct run* run) {
  uint64_t cost = ((uint64_t) run->kind + OPEN_COST_US) * 1000;

  return run->size * cost * 100 / OPEN_PERCENT;
}

static void run_open(struct run* run) {
  uint64_t period = open_period(run);
  struct timespec step = { (time_t) (period / NS_PER_S),
                           (long) (period % NS_PER_S) };
  struct itimerspec every = { .it_interval = step, .it_value = step };
  struct item* items = bench_alloc(OPEN_MAX, sizeof(*items));

  begin(run);
  load.is_open = 1;
  load.batch = run->size;
  for (unsigned i = 0; i < OPEN_MAX; i++)
    item_free(&items[i]);
  timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  CHECK(timer_fd >= 0);
  CHECK_OK(uv_poll_init(&load.loop, &poller, timer_fd));
  CHECK_OK(uv_poll_start(&poller, UV_READABLE, tick_cb));
  bench_begin();
  CHECK(timerfd_settime(timer_fd, 0, &every, NULL) == 0);
  finish();
  close(timer_fd);
  free(items);
}

const struct workload latency_workloads[] = {
  { "matrix-closed-0us", run_closed, NULL, 0, 20000, 0, 4,
    "an item of work that does nothing, so many in flight" },
  { "matrix-closed-2us", run_closed, NULL, 2, 20000, 0, 4,
    "2 us of arithmetic, so many items in flight" },
  { "matrix-closed-20us", run_closed, NULL, 20, 5000, 0, 4,
    "20 us of arithmetic, so many items in flight" },
  { "matrix-closed-200us", run_closed, NULL, 200, 500, 0, 4,
    "200 us of arithmetic, so many items in flight" },
  { "matrix-closed-2000us", run_closed, NULL, 2000, 100, 0, 4,
    "2 ms of arithmetic, so many items in flight" },
  { "matrix-open-0us", run_open, NULL, 0, 5000, 0, 4,
    "an item of work that does nothing, so many submitted together" },
  { "matrix-open-2us", run_open, NULL, 2, 5000, 0, 4,
    "2 us of arithmetic, so many items submitted together" },
  { "matrix-open-20us", run_open, NULL, 20, 2000, 0, 4,
    "20 us of arithmetic, so many items submitted together" },
  { "matrix-open-200us", run_open, NULL, 200, 300, 0, 4,
    "200 us of arithmetic, so many items submitted together" },
  { "matrix-open-2000us", run_open, NULL, 2000, 40, 0, 4,
    "2 ms of arithmetic, so many items submitted together" },
  { .name = NULL },
};
