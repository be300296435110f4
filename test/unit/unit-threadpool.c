/* SPDX-License-Identifier: MIT */
/* pool/lanes.c and pool/pool.c: sizes, order, the share of slow work,
 * cancelling. */
#include "unit.h"

#include "pool/lanes.h"
#include "pool/threads.h"
#include "loop/state.h"

#include <stdlib.h>
#include <string.h>

#define ITEMS 64

struct item {
  struct uv__work work;
  int id;
  int status; /* of done(); 1: not done */
};

static uv_loop_t loop;
static struct item items[ITEMS];
static int ndone;
static int done_order[ITEMS];

static uv_mutex_t lock;
static uv_cond_t changed;
static int gate_open; /* all below are guarded by the lock */
static int running;
static int most_running;
static int run_order[ITEMS];
static int nrun;

static void setup(const char* size) {
  if (size != NULL)
    CHECK_EQ(0, uv_os_setenv("UV_THREADPOOL_SIZE", size));
  else
    CHECK_EQ(0, uv_os_unsetenv("UV_THREADPOOL_SIZE"));
  CHECK_EQ(0, uv_loop_init(&loop));
  CHECK_EQ(0, uv_mutex_init(&lock));
  CHECK_EQ(0, uv_cond_init(&changed));
  for (int i = 0; i < ITEMS; i++) {
    items[i].id = i;
    items[i].status = 1;
  }
}

static void teardown(void) {
  CHECK_EQ(0, uv_loop_close(&loop));
  uv_library_shutdown();
}

/* Runs until the gate opens. */
static void wait_at_gate(struct uv__work* w) {
  struct item* item = container_of(w, struct item, work);

  uv_mutex_lock(&lock);
  run_order[nrun++] = item->id;
  running++;
  if (running > most_running)
    most_running = running;
  uv_cond_broadcast(&changed);
  while (!gate_open)
    uv_cond_wait(&changed, &lock);
  running--;
  uv_mutex_unlock(&lock);
}

static void on_done(struct uv__work* w, int status) {
  struct item* item = container_of(w, struct item, work);
  CHECK_EQ(1, item->status);
  item->status = status;
  done_order[ndone++] = item->id;
}

#define KIND(work_id) [work_id] = { wait_at_gate, on_done, work_id, 0 }

static const struct uv__work_kind kinds[] = {
  KIND(UV__WORK_USER),
  KIND(UV__WORK_FS),
  KIND(UV__WORK_GETADDRINFO),
};

static void submit(int i, enum uv__work_id work_id) {
  CHECK_EQ(0, uv__work_submit(&loop, &items[i].work, &kinds[work_id]));
}

static int cancel(int i) {
  struct uv__work* w = &items[i].work;
  const struct uv__work_kind* kind = w->kind;

  return uv__work_cancel(&loop, w, kind == NULL ? &kinds[0] : kind);
}

static void wait_until_running(int n) {
  uv_mutex_lock(&lock);
  while (running < n)
    uv_cond_wait(&changed, &lock);
  uv_mutex_unlock(&lock);
}

static void open_gate(void) {
  uv_mutex_lock(&lock);
  gate_open = 1;
  uv_cond_broadcast(&changed);
  uv_mutex_unlock(&lock);
}

static void run_until_done(int n) {
  uv_async_t keep_alive;
  CHECK_EQ(0, uv_async_init(&loop, &keep_alive, NULL));
  while (ndone < n)
    uv_run(&loop, UV_RUN_ONCE);
  uv_close((uv_handle_t*) &keep_alive, NULL);
  CHECK_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  CHECK_EQ(n, ndone);
}

/* Exactly this many items run at once; `text` is the variable. */
static void check_size(const char* text, int workers) {
  setup(text);
  int n = workers + 3;
  for (int i = 0; i < n; i++)
    submit(i, UV__WORK_USER);
  wait_until_running(workers);
  uv_sleep(20); /* time for one too many to show */
  open_gate();
  run_until_done(n);
  CHECK_EQ(workers, most_running);
  teardown();
}

/* As atoi() reads it, within 1 and 1024; what 1.53.0 does with each. */
UNIT_TEST(threadpool_size_from_text) {
  static const struct {
    const char* text;
    unsigned size;
  } rows[] = {
    { "7", 7 },     { " +9", 9 },           { "64 ", 64 },    { "64\r", 64 },
    { "8x", 8 },    { "4.5", 4 },           { "0", 1 },       { "", 1 },
    { "many", 1 },  { "0x10", 1 },          { "1024", 1024 }, { "2000", 1024 },
    { "-3", 1024 }, { "-3 threads", 1024 },
  };

  for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
    CHECK_EQ(0, uv_os_setenv("UV_THREADPOOL_SIZE", rows[i].text));
    CHECK_ROW(uv__lanes_read_config().size == rows[i].size, rows[i].text);
  }
}

UNIT_TEST(threadpool_size_default) {
  check_size(NULL, 4);
}

UNIT_TEST(threadpool_size_given) {
  check_size("7", 7);
}

UNIT_TEST(threadpool_size_zero_is_one) {
  check_size("0", 1);
}

/* Slow work takes half of the workers; the rest is for fast work. */
UNIT_TEST(threadpool_slow_work_takes_half) {
  setup("4");
  for (int i = 0; i < 10; i++)
    submit(i, UV__WORK_GETADDRINFO);
  wait_until_running(2);
  for (int i = 10; i < 12; i++)
    submit(i, UV__WORK_FS);
  wait_until_running(4);
  uv_mutex_lock(&lock);
  int fast = 0;
  for (int i = 0; i < nrun; i++)
    fast += run_order[i] >= 10;
  CHECK_EQ(2, fast);
  CHECK_EQ(4, nrun);
  uv_mutex_unlock(&lock);
  open_gate();
  run_until_done(12);
  teardown();
}

/* With one worker, neither kind starves the other: the first slow item waits
 * for what was queued before it, the second for what is queued by then. */
UNIT_TEST(threadpool_one_worker_runs_both_kinds) {
  static const int order[] = { 0, 1, 2, 3, 7, 4, 5, 6, 8 };

  setup("1");
  submit(0, UV__WORK_USER);
  wait_until_running(1);
  for (int i = 1; i < 4; i++)
    submit(i, UV__WORK_USER);
  for (int i = 7; i < 9; i++)
    submit(i, UV__WORK_GETADDRINFO);
  for (int i = 4; i < 7; i++)
    submit(i, UV__WORK_USER);
  open_gate();
  run_until_done(9);
  for (int i = 0; i < 9; i++)
    CHECK_EQ(order[i], run_order[i]);
  teardown();
}

UNIT_TEST(threadpool_one_worker_keeps_order) {
  setup("1");
  for (int i = 0; i < ITEMS; i++)
    submit(i, UV__WORK_FS);
  open_gate();
  run_until_done(ITEMS);
  for (int i = 0; i < ITEMS; i++) {
    CHECK_EQ(i, run_order[i]);
    CHECK_EQ(i, done_order[i]);
    CHECK_EQ(0, items[i].status);
  }
  teardown();
}

UNIT_TEST(threadpool_cancel) {
  setup("1");
  for (int i = 0; i < 6; i++)
    submit(i, i == 3 ? UV__WORK_GETADDRINFO : UV__WORK_USER);
  wait_until_running(1);
  CHECK_EQ(UV_EBUSY, cancel(0)); /* runs */
  CHECK_EQ(0, cancel(2));
  CHECK_EQ(0, cancel(3));
  CHECK_EQ(0, cancel(3)); /* already */
  CHECK_EQ(0, ndone);     /* never inline */

  /* They are reported without a worker. */
  while (ndone < 2) {
    uv_async_t keep_alive;
    CHECK_EQ(0, uv_async_init(&loop, &keep_alive, NULL));
    uv_run(&loop, UV_RUN_ONCE);
    uv_close((uv_handle_t*) &keep_alive, NULL);
    uv_run(&loop, UV_RUN_NOWAIT);
  }
  CHECK_EQ(UV_ECANCELED, items[2].status);
  CHECK_EQ(UV_ECANCELED, items[3].status);

  open_gate();
  run_until_done(6);
  CHECK_EQ(4, nrun);
  for (int i = 0; i < 6; i++) {
    CHECK_EQ(i == 2 || i == 3 ? UV_ECANCELED : 0, items[i].status);
    CHECK_EQ(UV_EBUSY, cancel(i));
  }
  teardown();
}

UNIT_TEST(threadpool_cancel_before_any_submit) {
  struct uv__work work;
  setup(NULL);
  memset(&work, 0, sizeof(work));
  CHECK_EQ(UV_EBUSY, uv__work_cancel(&loop, &work, &kinds[UV__WORK_USER]));
  teardown();
}

UNIT_TEST(threadpool_no_work_after_shutdown) {
  setup("2");
  submit(0, UV__WORK_USER);
  open_gate();
  run_until_done(1);
  uv_library_shutdown();
  CHECK(uv__work_submit(&loop, &items[1].work, &kinds[UV__WORK_USER]) != 0);
  CHECK_EQ(0, uv_loop_close(&loop));
}

/* Makes `count` workers idle that have no thread, so that they stay called. */
static void add_idle_workers(struct uv__pool* pool, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    struct uv__worker* worker = uv__pool_place(pool, pool->nused++);
    CHECK_EQ(0, uv_cond_init(&worker->called));
    worker->state = UV__WORKER_IDLE;
    worker->next = pool->idle;
    pool->idle = worker;
  }
  pool->idle_count = count;
  pool->threads = count;
}

static void push_items(struct uv__pool* pool, int count) {
  for (int i = 0; i < count; i++)
    uv__work_queue_push(&pool->queue, &items[i].work, 0);
}

/* L3: one for each item that is ready and that no worker comes for, as far as
 * there are idle ones. */
UNIT_TEST(threadpool_flush_wakes_a_worker_per_item) {
  static const struct {
    int nready;
    unsigned coming;
    unsigned left; /* idle workers of four */
  } cases[] = { { 0, 0, 4 }, { 1, 0, 3 }, { 3, 0, 1 },
                { 3, 1, 2 }, { 2, 2, 4 }, { 9, 0, 0 } };

  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    struct uv__pool pool;
    struct uv__pool_limits limits = { .name = "test",
                                      .threads_min = 4,
                                      .threads_max = 4 };
    memset(&pool, 0, sizeof(pool));
    CHECK_EQ(0, uv__pool_init(&pool, &limits));
    add_idle_workers(&pool, 4);
    pool.woken = cases[i].coming;
    push_items(&pool, cases[i].nready);
    uv__pool_flush(&pool);
    CHECK_EQ(cases[i].left, pool.idle_count);
    CHECK_EQ(cases[i].coming + 4 - cases[i].left, pool.woken);
    uv__pool_flush(&pool);
    CHECK_EQ(cases[i].left, pool.idle_count); /* they are on their way */
    uv__pool_close(&pool);
  }
}
