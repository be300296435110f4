/* SPDX-License-Identifier: MIT */
/* The timer heap against a model that examines every timer: random starts,
 * restarts, stops and passing time, with few distinct deadlines so that the
 * order of equals matters, and callbacks that do the same. */
#include "poller-fake.h"

#include "loop/timer-heap.h"
#include "timer.h"

#include <string.h>

#define TIMERS 40
#define STEPS 60000

struct model {
  int armed;
  uint64_t due_ns;
  uint64_t order;
  uint64_t repeat;
};

static uv_timer_t timers[TIMERS];
static struct model models[TIMERS];
static uint64_t next_order;
static uint64_t round_first_order; /* what is armed later waits for the next
                                    * round */
static uint64_t round_now_ns;
static int expecting; /* inside a round of the loop */
static uint64_t fired;
static uint32_t seed;

static unsigned random_below(unsigned n) {
  seed = seed * 1664525 + 1013904223;
  return (seed >> 10) % n;
}

static uint64_t loop_now_ns(void) {
  return uv__loop_state(&fake.loop)->now_ns;
}

static void model_arm(int i, uint64_t timeout_ms, uint64_t repeat_ms) {
  models[i].armed = 1;
  models[i].due_ns = loop_now_ns() + timeout_ms * FAKE_MS;
  models[i].order = next_order++;
  models[i].repeat = repeat_ms;
}

/* The earliest armed timer, -1 if none. */
static int model_first(void) {
  int best = -1;

  for (int i = 0; i < TIMERS; i++) {
    if (!models[i].armed)
      continue;
    if (best == -1 || models[i].due_ns < models[best].due_ns ||
        (models[i].due_ns == models[best].due_ns &&
         models[i].order < models[best].order))
      best = i;
  }
  return best;
}

static int model_is_in_round(int i) {
  return i != -1 && models[i].due_ns <= round_now_ns &&
         models[i].order < round_first_order;
}

static void mutate(void);

static void on_timer(uv_timer_t* timer) {
  int i = (int) (timer - timers);

  CHECK(expecting);
  CHECK_EQ(model_first(), i);
  CHECK(model_is_in_round(i));
  CHECK(fake.now_ns >= models[i].due_ns);
  fired++;
  if (models[i].repeat != 0)
    model_arm(i, models[i].repeat, models[i].repeat);
  else
    models[i].armed = 0;
  CHECK_EQ(models[i].armed, uv_is_active((uv_handle_t*) timer));

  if (random_below(2) == 0)
    mutate();
}

static void mutate(void) {
  int i = (int) random_below(TIMERS);
  uint64_t timeout = random_below(4) == 0 ? random_below(500) : random_below(8);
  uint64_t repeat = random_below(5) == 0 ? 1 + random_below(6) : 0;

  switch (random_below(8)) {
  case 0:
  case 1:
    CHECK_EQ(0, uv_timer_stop(&timers[i]));
    models[i].armed = 0;
    break;
  case 2:
    /* A busy server: later and later. */
    for (unsigned n = 0; n < 5; n++) {
      CHECK_EQ(0, uv_timer_start(&timers[i], on_timer, timeout + n, 0));
      model_arm(i, timeout + n, 0);
    }
    break;
  case 3:
    if (models[i].repeat != 0) {
      CHECK_EQ(0, uv_timer_again(&timers[i]));
      model_arm(i, models[i].repeat, models[i].repeat);
    }
    break;
  default:
    CHECK_EQ(0, uv_timer_start(&timers[i], on_timer, timeout, repeat));
    model_arm(i, timeout, repeat);
    break;
  }
}

static void check_against_model(void) {
  int first = model_first();
  uint64_t bound = uv__timer_due_bound(&fake.loop);
  uint64_t due = uv__timer_next_due(&fake.loop);
  unsigned armed = 0;

  CHECK(bound <= due);
  /* The question has corrected the top. */
  CHECK_EQ(due, uv__timer_due_bound(&fake.loop));
  CHECK_EQ(first == -1, due == UINT64_MAX);
  if (first != -1)
    CHECK_EQ(models[first].due_ns, due);
  for (int i = 0; i < TIMERS; i++)
    armed += (unsigned) models[i].armed;
  CHECK_EQ(armed, uv__loop_state(&fake.loop)->timers.count);
  CHECK_EQ(armed, fake.loop.active_handles);
}

/* One round of timers as the loop does it, at the time the clock shows. */
static void run_round(void) {
  fake.now_ns += random_below(3) * 700000u;
  uv_update_time(&fake.loop);
  round_now_ns = loop_now_ns();
  round_first_order = next_order;
  expecting = 1;
  uv__timer_run_due(&fake.loop);
  expecting = 0;
  CHECK(!model_is_in_round(model_first()));
}

UNIT_TEST(timer_random_operations_against_model) {
  for (uint32_t round = 1; round <= 3; round++) {
    seed = round * 7919;
    fired = 0;
    memset(models, 0, sizeof(models));
    fake_init();
    for (int i = 0; i < TIMERS; i++)
      CHECK_EQ(0, uv_timer_init(&fake.loop, &timers[i]));

    for (int step = 0; step < STEPS; step++) {
      mutate();
      check_against_model();
      if (random_below(3) == 0)
        run_round();
    }
    CHECK(fired > 1000);

    for (int i = 0; i < TIMERS; i++)
      uv_close((uv_handle_t*) &timers[i], NULL);
    uv_run(&fake.loop, UV_RUN_NOWAIT);
    fake_close();
  }
}
