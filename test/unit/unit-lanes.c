/* SPDX-License-Identifier: MIT */
/* pool/: what the environment asks for, the queue against a model, held queues,
 * threads that end when idle, growing when stuck, and pools without threads. */
#include "unit.h"

#include "loop/wake.h"
#include "pool/lanes.h"
#include "pool/threads.h"

#include <string.h>

/* UV_THREADPOOL_SIZE and UV_THREADPOOL_LANES; NULL: not set. */
UNIT_TEST(lanes_from_the_environment) {
  static const struct {
    const char* size;
    const char* lanes;
    unsigned expected_size;
    int has_lanes;
  } rows[] = {
    { NULL, NULL, 4, 1 },   { NULL, "1", 4, 1 },  { NULL, "2", 4, 1 },
    { NULL, "on", 4, 1 },   { NULL, "", 4, 1 },   { NULL, "0", 4, 0 },
    { "8", NULL, 8, 0 },    { "8", "0", 8, 0 },   { "8", "", 8, 0 },
    { "8", "00000", 8, 0 }, { "8", "1", 8, 1 },   { "", NULL, 1, 0 },
    { "", "1", 1, 1 },      { "20", "1", 20, 1 },
  };

  for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
    CHECK_EQ(0, rows[i].size == NULL
                    ? uv_os_unsetenv("UV_THREADPOOL_SIZE")
                    : uv_os_setenv("UV_THREADPOOL_SIZE", rows[i].size));
    CHECK_EQ(0, rows[i].lanes == NULL
                    ? uv_os_unsetenv("UV_THREADPOOL_LANES")
                    : uv_os_setenv("UV_THREADPOOL_LANES", rows[i].lanes));
    struct uv__lanes_config config = uv__lanes_read_config();
    CHECK_EQ(rows[i].expected_size, config.size);
    CHECK_EQ(rows[i].has_lanes, config.has_lanes);
  }
}

/* ------------------------------------------------------------------------- */
/* The queue. */

#define MODEL_ITEMS 64
#define MODEL_STEPS 20000

/* Both kinds in the order of submission, and what is where. */
static struct {
  struct uv__work works[MODEL_ITEMS];
  int is_slow[MODEL_ITEMS];
  int order[2][MODEL_ITEMS]; /* fast, slow: the queued ones */
  unsigned count[2];
  int unused[MODEL_ITEMS];
  unsigned nunused;
  unsigned slow_running;
} model;

static unsigned model_random(unsigned below) {
  static uint32_t seed = 12345;

  seed = seed * 1664525 + 1013904223;
  return (seed >> 8) % below;
}

static void model_push(struct uv__work_queue* q) {
  if (model.nunused == 0)
    return;
  int i = model.unused[--model.nunused];
  int is_slow = model_random(3) == 0;
  model.is_slow[i] = is_slow;
  model.order[is_slow][model.count[is_slow]++] = i;
  uv__work_queue_push(q, &model.works[i], is_slow);
}

static void model_drop(int is_slow, unsigned at) {
  int i = model.order[is_slow][at];

  model.count[is_slow]--;
  memmove(&model.order[is_slow][at], &model.order[is_slow][at + 1],
          (model.count[is_slow] - at) * sizeof(int));
  model.unused[model.nunused++] = i;
}

static unsigned model_ready(unsigned slow_max) {
  unsigned slow = slow_max - model.slow_running;

  if (slow > model.count[1])
    slow = model.count[1];
  return model.count[0] + slow;
}

static void model_take(struct uv__work_queue* q, unsigned slow_max) {
  unsigned ready = model_ready(slow_max);
  int is_slow;
  struct uv__work* w = uv__work_queue_take(q, &is_slow);

  CHECK_EQ(ready != 0, w != NULL);
  if (w == NULL)
    return;
  /* The oldest of its kind; slow ones keep their limit. */
  int i = (int) (w - model.works);
  CHECK_EQ(is_slow, model.is_slow[i]);
  CHECK_EQ(model.order[is_slow][0], i);
  model_drop(is_slow, 0);
  if (is_slow)
    model.slow_running++;
  CHECK(model.slow_running <= slow_max);
}

static void model_remove(struct uv__work_queue* q) {
  int is_slow = (int) model_random(2);

  if (model.count[is_slow] == 0)
    return;
  unsigned at = model_random(model.count[is_slow]);
  struct uv__work* w = &model.works[model.order[is_slow][at]];
  CHECK(uv__work_queue_contains(q, w));
  uv__work_queue_remove(q, w, is_slow);
  CHECK(!uv__work_queue_contains(q, w));
  model_drop(is_slow, at);
}

static void model_step(struct uv__work_queue* q, unsigned slow_max) {
  switch (model_random(8)) {
  case 0:
  case 1:
  case 2:
    model_push(q);
    break;
  case 3:
  case 4:
    model_take(q, slow_max);
    break;
  case 5:
    model_remove(q);
    break;
  case 6:
    if (model.slow_running > 0) {
      model.slow_running--;
      uv__work_queue_ran_slow(q);
    }
    break;
  default:
    uv__work_queue_set_holds(q, 1);
    CHECK_EQ(0, q->ready);
    CHECK_EQ(model_ready(slow_max), q->held);
    uv__work_queue_set_holds(q, 0);
    break;
  }
}

/* Random pushes, takes, cancels and ends of slow items against arrays. */
UNIT_TEST(lanes_queue_against_a_model) {
  for (unsigned slow_max = 1; slow_max <= 3; slow_max++) {
    struct uv__work_queue q;
    memset(&model, 0, sizeof(model));
    for (int i = 0; i < MODEL_ITEMS; i++)
      model.unused[model.nunused++] = i;
    uv__work_queue_init(&q, slow_max);
    for (int step = 0; step < MODEL_STEPS; step++) {
      model_step(&q, slow_max);
      CHECK_EQ(model_ready(slow_max), q.ready);
    }
  }
}

/* With a lower limit no slow item is taken before enough have ended. */
UNIT_TEST(lanes_queue_slow_limit_changes) {
  struct uv__work_queue q;
  int is_slow;

  uv__work_queue_init(&q, 3);
  for (int i = 0; i < 6; i++)
    uv__work_queue_push(&q, &model.works[i], 1);
  for (int i = 0; i < 3; i++)
    CHECK(uv__work_queue_take(&q, &is_slow) == &model.works[i]);
  uv__work_queue_set_slow_max(&q, 1);
  for (int i = 0; i < 2; i++) {
    CHECK_EQ(0, q.ready);
    CHECK(uv__work_queue_take(&q, &is_slow) == NULL);
    uv__work_queue_ran_slow(&q);
  }
  CHECK_EQ(0, q.ready);
  uv__work_queue_ran_slow(&q);
  CHECK_EQ(1, q.ready);
  CHECK(uv__work_queue_take(&q, &is_slow) == &model.works[3]);
  CHECK_EQ(0, q.ready);
  uv__work_queue_set_slow_max(&q, 4);
  CHECK_EQ(2, q.ready);
}

static const struct uv__work_kind aside_kind = { uv__work_aside, NULL,
                                                 UV__WORK_USER, 0 };

static void count_item(const struct uv__work* w, void* arg) {
  (void) w;
  ++*(int*) arg;
}

/* Items that were set aside are still queued, but not ready; they come back to
 * the front, in their order. */
UNIT_TEST(lanes_queue_sets_items_aside) {
  static const int order[] = { 0, 2, 4, 3 };
  struct uv__work_queue q;
  int is_slow;
  int count = 0;

  uv__work_queue_init(&q, 1);
  for (int i = 0; i < 5; i++) {
    model.works[i].kind = &aside_kind;
    model.works[i].work = NULL;
    uv__work_queue_push(&q, &model.works[i], i == 3);
  }
  for (int i = 0; i < 3; i++) {
    CHECK(uv__work_queue_peek(&q) == &model.works[i]);
    uv__work_queue_set_aside(&q, &model.works[i]);
    CHECK(uv__work_queue_contains(&q, &model.works[i]));
  }
  CHECK_EQ(2, q.ready);
  uv__work_queue_remove(&q, &model.works[1], 0);
  CHECK_EQ(2, q.ready);
  CHECK(uv__work_queue_peek(&q) == &model.works[3]);
  CHECK(uv__work_queue_take(&q, &is_slow) == &model.works[3] && is_slow);
  uv__work_queue_push(&q, &model.works[3], 1);
  CHECK(uv__work_queue_peek(&q) == &model.works[4]); /* one slow one runs */
  uv__work_queue_each(&q, count_item, &count);
  CHECK_EQ(4, count);
  uv__work_queue_ran_slow(&q);
  uv__work_queue_set_paused(&q, 0);
  CHECK_EQ(4, q.ready);
  for (int i = 0; i < 4; i++)
    CHECK(uv__work_queue_take(&q, &is_slow) == &model.works[order[i]]);
}

/* ------------------------------------------------------------------------- */
/* Pools, with items that have no loop: work() owns them. */

#define ITEMS 16

static struct uv__pool pool;
static struct uv__work works[ITEMS];
static uv_sem_t begun;
static uv_sem_t go_on;

static void wait_for_go(struct uv__work* w) {
  (void) w;
  uv_sem_post(&begun);
  uv_sem_wait(&go_on);
}

static const struct uv__work_kind blocking = { wait_for_go, NULL, UV__WORK_FS,
                                               0 };

static void make_pool(struct uv__pool_limits limits) {
  limits.name = "test";
  CHECK_EQ(0, uv_sem_init(&begun, 0));
  CHECK_EQ(0, uv_sem_init(&go_on, 0));
  CHECK_EQ(0, uv__pool_init(&pool, &limits));
}

static void submit(struct uv__pool* to, int i) {
  works[i].loop = NULL;
  works[i].work = blocking.work;
  works[i].kind = &blocking;
  CHECK_EQ(0, uv__pool_submit(to, &works[i]));
}

static void go(int count) {
  for (int i = 0; i < count; i++)
    uv_sem_post(&go_on);
}

static void end_pool(void) {
  uv__pool_end(&pool);
  uv__pool_join(&pool, 0);
  uv__pool_close(&pool);
  uv_sem_destroy(&begun);
  uv_sem_destroy(&go_on);
}

static unsigned ready_items(void) {
  return uv__load_relaxed(&pool.queue.ready);
}

static void skip_item(const struct uv__work* w, void* arg) {
  (void) w;
  (void) arg;
}

static struct uv__pool_view view_pool(void) {
  struct uv__pool_view view;

  uv__pool_look(&pool, &view, skip_item, NULL);
  return view;
}

/* Threads beyond the minimum come while items wait, and end when idle. */
UNIT_TEST(lanes_idle_threads_end) {
  make_pool((struct uv__pool_limits) {
      .threads_min = 1, .threads_max = 3, .idle_ms = 50 });
  for (int i = 0; i < 3; i++)
    submit(&pool, i);
  for (int i = 0; i < 3; i++)
    uv_sem_wait(&begun);
  CHECK_EQ(3, view_pool().threads);
  go(3);
  while (view_pool().threads > 1)
    uv_sleep(1);
  /* And come again. */
  for (int i = 0; i < 3; i++)
    submit(&pool, i);
  for (int i = 0; i < 3; i++)
    uv_sem_wait(&begun);
  go(3);
  end_pool();
}

/* Nothing is taken while the pool is held, by however many. */
UNIT_TEST(lanes_held_pool_takes_nothing) {
  make_pool((struct uv__pool_limits) { .threads_min = 2, .threads_max = 2 });
  CHECK_EQ(2, uv__pool_start(&pool));
  uv__pool_hold(&pool);
  uv__pool_hold(&pool);
  submit(&pool, 0);
  submit(&pool, 1);
  uv__pool_flush(&pool);
  uv__pool_release(&pool);
  CHECK_EQ(0, ready_items());
  CHECK_EQ(2, uv__load_relaxed(&pool.queue.held));
  CHECK_EQ(UV_EAGAIN, uv_sem_trywait(&begun));
  CHECK_EQ(0, uv__pool_cancel(&pool, NULL, &works[1], &blocking));
  uv__pool_release(&pool);
  uv_sem_wait(&begun);
  CHECK_EQ(UV_EAGAIN, uv_sem_trywait(&begun));
  go(1);
  end_pool();
}

/* The shutdown runs what was held. */
UNIT_TEST(lanes_held_pool_at_the_shutdown) {
  make_pool((struct uv__pool_limits) { .threads_min = 1, .threads_max = 1 });
  uv__pool_hold(&pool);
  submit(&pool, 0);
  go(1);
  end_pool();
}

/* A limit that is set while a pool is held counts from its release on, and at
 * once if there is no thread yet. */
UNIT_TEST(lanes_threads_change_while_held) {
  make_pool((struct uv__pool_limits) { .threads_min = 3, .threads_max = 3 });
  uv__pool_hold(&pool);
  CHECK_EQ(0, uv__pool_set_threads(&pool, 5));
  CHECK_EQ(5, view_pool().size);
  CHECK_EQ(5, uv__pool_start(&pool));
  CHECK_EQ(0, uv__pool_set_threads(&pool, 2));
  CHECK_EQ(5, view_pool().size);
  CHECK_EQ(5, view_pool().threads);
  for (int i = 0; i < 3; i++)
    submit(&pool, i);
  uv__pool_release(&pool);
  uv_sem_wait(&begun);
  uv_sem_wait(&begun);
  CHECK_EQ(2, view_pool().threads);
  CHECK_EQ(1, ready_items());
  CHECK_EQ(0, uv__pool_set_threads(&pool, 3));
  uv_sem_wait(&begun);
  CHECK_EQ(3, view_pool().threads);
  go(3);
  end_pool();
}

/* What is queued at an abort stays queued; joining twice is harmless. */
UNIT_TEST(lanes_ended_pool_runs_no_more) {
  make_pool((struct uv__pool_limits) { .threads_min = 1, .threads_max = 1 });
  submit(&pool, 0);
  uv_sem_wait(&begun);
  submit(&pool, 1);
  uv__pool_end_now(&pool);
  go(1);
  uv__pool_join(&pool, 0);
  CHECK_EQ(UV_EAGAIN, uv_sem_trywait(&begun));
  CHECK_EQ(0, uv__pool_cancel(&pool, NULL, &works[1], &blocking));
  end_pool();
}

static unsigned look_at(uint64_t ms) {
  uv__pool_lock(&pool);
  unsigned left_ms = uv__pool_look_if_stuck(&pool, ms * 1000000);
  uv__pool_unlock(&pool, NULL);
  return left_ms;
}

/* 1, 2, 4 more each time that nothing was taken for 20 ms, up to the maximum;
 * from 1 again after an item was taken. */
UNIT_TEST(lanes_stuck_pool_grows) {
  static const struct {
    uint64_t at_ms;
    unsigned threads;
    unsigned left_ms;
  } looks[] = { { 1000, 2, 20 },  { 1019, 2, 1 },  { 1020, 3, 20 },
                { 1030, 3, 10 },  { 1040, 5, 20 }, { 1060, 9, 20 },
                { 1080, 10, 20 }, { 1100, 10, 20 } };

  make_pool((struct uv__pool_limits) {
      .threads_min = 2, .threads_max = 10, .idle_ms = 10000, .stuck_ms = 20 });
  CHECK_EQ(2, uv__pool_start(&pool));
  uv__pool_hold(&pool); /* submits do not look */
  for (int i = 0; i < 12; i++)
    submit(&pool, i);
  CHECK_EQ(20, look_at(999)); /* held */
  uv__pool_release(&pool);
  uv_sem_wait(&begun);
  uv_sem_wait(&begun);
  unsigned running = 2;
  for (size_t i = 0; i < ARRAY_SIZE(looks); i++) {
    CHECK_EQ(looks[i].left_ms, look_at(looks[i].at_ms));
    CHECK_EQ(looks[i].threads, view_pool().threads);
    for (; running < looks[i].threads; running++)
      uv_sem_wait(&begun);
  }
  CHECK_EQ(8, view_pool().grown);
  go(1); /* one moves: begins again */
  uv_sem_wait(&begun);
  CHECK_EQ(20, look_at(1200));
  CHECK_EQ(1, pool.grow_step);
  go(11);
  uv_sem_wait(&begun);
  while (ready_items() != 0)
    uv_sleep(1);
  CHECK_EQ(0, look_at(1300)); /* nothing waits */
  end_pool();
}

/* A pool without threads: its items are in another's queue, where a cancel
 * finds them; once it has a thread, in its own. */
UNIT_TEST(lanes_cancel_in_the_substitute) {
  static struct uv__pool empty;
  struct uv__pool_limits limits = { .name = "empty",
                                    .threads_min = 1,
                                    .threads_max = 1 };

  make_pool((struct uv__pool_limits) { .threads_min = 1, .threads_max = 1 });
  CHECK_EQ(0, uv__pool_init(&empty, &limits));
  submit(&pool, 0);
  uv_sem_wait(&begun);
  CHECK(uv__pool_substitute(&empty, &pool));
  submit(&pool, 1);
  submit(&pool, 2);
  CHECK_EQ(0, uv__pool_cancel(&empty, NULL, &works[1], &blocking));
  CHECK_EQ(0, uv__pool_cancel(&empty, NULL, &works[1], &blocking));
  CHECK_EQ(UV_EBUSY, uv__pool_cancel(&empty, NULL, &works[0], &blocking));
  CHECK_EQ(1, ready_items());

  submit(&empty, 3); /* starts its thread */
  uv_sem_wait(&begun);
  CHECK(!uv__pool_substitute(&empty, &pool));
  submit(&empty, 4);
  CHECK_EQ(0, uv__pool_cancel(&empty, NULL, &works[4], &blocking));
  CHECK_EQ(0, uv__pool_cancel(&empty, NULL, &works[2], &blocking));
  go(2);
  uv__pool_end(&empty);
  uv__pool_join(&empty, 0);
  uv__pool_close(&empty);
  end_pool();
}

static void do_nothing(struct uv__work* w) {
  (void) w;
  uv_sem_post(&begun);
}

static const struct uv__work_kind empty_kind = { do_nothing, NULL,
                                                 UV__WORK_USER, 0 };

/* Lets a worker spin, and returns with the lock held while it does. */
static int catch_spinner(void) {
  for (int i = 0; i < 20000; i++) {
    int has_run = 0;
    works[0].loop = NULL;
    works[0].work = empty_kind.work;
    works[0].kind = &empty_kind;
    CHECK_EQ(0, uv__pool_submit(&pool, &works[0]));
    for (int k = 0; k < 1000 || !has_run; k++) {
      uv__pool_lock(&pool);
      if (has_run && uv__load_relaxed(&pool.spinner) && ready_items() == 0)
        return 1;
      uv__pool_unlock(&pool, NULL);
      if (!has_run)
        has_run = uv_sem_trywait(&begun) == 0;
    }
  }
  return 0;
}

/* The spinner counts as coming until it has the lock: a submit that queues the
 * item which ends the spin does not wake another worker for it. */
UNIT_TEST(lanes_spinner_comes_until_it_has_the_lock) {
  make_pool((struct uv__pool_limits) { .threads_min = 2, .threads_max = 2 });
  uv__wake_init_process();
  if (!uv__wake_may_spin())
    SKIP("nothing spins on a single processor");
  CHECK_EQ(2, uv__pool_start(&pool));
  if (!catch_spinner())
    SKIP("the machine is too busy: no worker was seen spinning");
  works[1].loop = NULL;
  works[1].work = empty_kind.work;
  works[1].kind = &empty_kind;
  uv__work_queue_push(&pool.queue, &works[1], 0);
  uv_sleep(2); /* time for a spinner that would not wait for the lock */
  CHECK_EQ(1, uv__load_relaxed(&pool.spinner));
  uv__pool_unlock(&pool, NULL);
  uv_sem_wait(&begun);
  end_pool();
}
