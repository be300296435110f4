/* SPDX-License-Identifier: MIT */
/* Bursts of items that block: `size` items that sleep for 3 ms each, submitted
 * together every 7 ms to a pool that has a thread for each and is warm. What is
 * compared is how long the last of a burst waits until it starts. */
#include "bench.h"
#include "samples.h"

#include <time.h>

#define BLOCK_NS 3000000
#define PAUSE_MS 4 /* from the end of a burst to the next one */
/* The pool's own size is enough up to here. */
#define THREADS 4

struct item {
  uv_work_t work;
  uint64_t started;
};

static struct {
  uv_loop_t loop;
  uv_timer_t timer;
  struct item* items;
  unsigned size;
  uint64_t ops; /* bursts */
  uint64_t done;
  unsigned in_flight;
  uint64_t submitted; /* the burst's first item */
  struct samples last_start;
} burst;

static void item_run(uv_work_t* work) {
  struct timespec block = { 0, BLOCK_NS };

  ((struct item*) work)->started = bench_clock();
  nanosleep(&block, NULL);
}

static void burst_start(uv_timer_t* timer);

static void burst_done(void) {
  uint64_t last = 0;

  for (unsigned i = 0; i < burst.size; i++)
    if (burst.items[i].started > last)
      last = burst.items[i].started;
  samples_add(&burst.last_start, last - burst.submitted);
  if (++burst.done < burst.ops) {
    CHECK_OK(uv_timer_start(&burst.timer, burst_start, PAUSE_MS, 0));
    return;
  }
  bench_end();
  uv_close((uv_handle_t*) &burst.timer, NULL);
}

static void item_done(uv_work_t* work, int status) {
  (void) work;
  CHECK_OK(status);
  if (--burst.in_flight == 0)
    burst_done();
}

static void burst_start(uv_timer_t* timer) {
  (void) timer;
  burst.in_flight = burst.size;
  burst.submitted = bench_clock();
  for (unsigned i = 0; i < burst.size; i++)
    CHECK_OK(
        uv_queue_work(&burst.loop, &burst.items[i].work, item_run, item_done));
}

static void warm_run(uv_work_t* work) {
  (void) work;
}

static void warm_done(uv_work_t* work, int status) {
  (void) work;
  CHECK_OK(status);
}

static void run_burst(struct run* run) {
  uv_work_t warm;
  char threads[16];

  if (run->size > THREADS) {
    snprintf(threads, sizeof(threads), "%u", run->size);
    CHECK(setenv("UV_THREADPOOL_SIZE", threads, 1) == 0);
  }
  burst.size = run->size;
  burst.ops = run->ops;
  burst.items = bench_alloc(run->size, sizeof(*burst.items));
  samples_init(&burst.last_start, run->ops);
  CHECK_OK(uv_loop_init(&burst.loop));
  CHECK_OK(uv_queue_work(&burst.loop, &warm, warm_run, warm_done));
  CHECK_OK(uv_run(&burst.loop, UV_RUN_DEFAULT));
  CHECK_OK(uv_timer_init(&burst.loop, &burst.timer));
  bench_begin();
  burst_start(&burst.timer);
  CHECK_OK(uv_run(&burst.loop, UV_RUN_DEFAULT));
  samples_note(&burst.last_start, "last_start_p50_us", "last_start_p90_us", 90,
               "last_start_max_us");
  bench_drain(&burst.loop);
  free(burst.items);
}

const struct workload burst_workloads[] = {
  { "matrix-burst", run_burst, NULL, 0, 40, 0, 4,
    "so many items that sleep for 3 ms, submitted together every 7 ms" },
  { .name = NULL },
};
