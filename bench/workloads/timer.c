/* SPDX-License-Identifier: MIT */
/* Timers. */
#include "bench.h"

#define RESTARTS_PER_TICK 1000
#define HOUR_MS 3600000u

static uv_loop_t loop;
static uint64_t fired;

static void count_fired(uv_timer_t* timer) {
  (void) timer;
  fired++;
}

static uv_timer_t* init_timers(unsigned count) {
  uv_timer_t* timers = bench_alloc(count, sizeof(*timers));

  CHECK_OK(uv_loop_init(&loop));
  for (unsigned i = 0; i < count; i++)
    CHECK_OK(uv_timer_init(&loop, &timers[i]));
  return timers;
}

static void close_timers(uv_timer_t* timers, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    uv_close((uv_handle_t*) &timers[i], NULL);
  bench_drain(&loop);
  free(timers);
}

/* One operation: a timer started, with others due before and after it, and
 * fired. None is far away, so that no time is spent waiting. */
static void run_fire(struct run* run) {
  unsigned count = (unsigned) run->ops;
  uv_timer_t* timers = init_timers(count);

  bench_begin();
  for (unsigned i = 0; i < count; i++)
    CHECK_OK(uv_timer_start(&timers[i], count_fired, bench_random() % 8, 0));
  CHECK_OK(uv_run(&loop, UV_RUN_DEFAULT));
  bench_end();
  CHECK(fired == count);
  close_timers(timers, count);
}

/* One operation: a timer restarted among `size` armed ones, as a server does
 * for every message. kind 0: always with the same timeout; 1: with random
 * timeouts. */
static void run_restart(struct run* run) {
  uv_timer_t* timers = init_timers(run->size);
  uint64_t timeout = HOUR_MS;

  for (unsigned i = 0; i < run->size; i++)
    CHECK_OK(uv_timer_start(&timers[i], count_fired,
                            HOUR_MS + bench_random() % HOUR_MS, 0));
  bench_begin();
  for (uint64_t i = 0; i < run->ops; i++) {
    if (run->kind == 1)
      timeout = HOUR_MS + bench_random() % HOUR_MS;
    CHECK_OK(uv_timer_start(&timers[bench_random() % run->size], count_fired,
                            timeout, 0));
    if (i % RESTARTS_PER_TICK == 0)
      uv_run(&loop, UV_RUN_NOWAIT);
  }
  bench_end();
  CHECK(fired == 0);
  close_timers(timers, run->size);
}

/* One operation: a timer stopped and started again, among `size`. */
static void run_stop(struct run* run) {
  uv_timer_t* timers = init_timers(run->size);

  for (unsigned i = 0; i < run->size; i++)
    CHECK_OK(uv_timer_start(&timers[i], count_fired,
                            HOUR_MS + bench_random() % HOUR_MS, 0));
  bench_begin();
  for (uint64_t i = 0; i < run->ops; i++) {
    uv_timer_t* timer = &timers[bench_random() % run->size];
    CHECK_OK(uv_timer_stop(timer));
    CHECK_OK(uv_timer_start(timer, count_fired, HOUR_MS, 0));
    if (i % RESTARTS_PER_TICK == 0)
      uv_run(&loop, UV_RUN_NOWAIT);
  }
  bench_end();
  close_timers(timers, run->size);
}

/* One operation: a repeating timer fires, with `size` due together. */
static void run_repeat(struct run* run) {
  uv_timer_t* timers = init_timers(run->size);

  for (unsigned i = 0; i < run->size; i++)
    CHECK_OK(uv_timer_start(&timers[i], count_fired, 1, 1));
  bench_begin();
  while (fired < run->ops)
    uv_run(&loop, UV_RUN_NOWAIT);
  bench_end();
  run->ops = fired;
  close_timers(timers, run->size);
}

const struct workload timer_workloads[] = {
  { "timer-fire-1m", run_fire, NULL, 0, 1000000, 1000000, 0,
    "a timer started and fired, 1000000 at once" },
  { "timer-restart-100k", run_restart, NULL, 0, 500000, 0, 100000,
    "a timer restarted, 100000 armed" },
  { "timer-shuffle-100k", run_restart, NULL, 1, 500000, 0, 100000,
    "a timer restarted for a random time, 100000 armed" },
  { "timer-stop-100k", run_stop, NULL, 0, 500000, 0, 100000,
    "a timer stopped and started, 100000 armed" },
  { "timer-repeat-10k", run_repeat, NULL, 0, 200000, 0, 10000,
    "a repeating timer fires, 10000 of 1 ms" },
  { .name = NULL },
};
