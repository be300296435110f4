/* SPDX-License-Identifier: MIT */
/* handle.c: the rules H1-H4, close order, walking, order of watchers. */
#include "poller-fake.h"

#include "handle.h"

#include <string.h>

#define HANDLES 24

/* A handle of any type; its recorded character is its index. */
union any {
  uv_handle_t handle;
  uv_timer_t timer;
  uv_idle_t idle;
  uv_prepare_t prepare;
  uv_check_t check;
  uv_async_t async;
};

enum life { GONE, OPEN, CLOSING };

struct model {
  enum life life;
  int active;
  int ref;
};

static union any handles[HANDLES];
static struct model models[HANDLES];
static uint32_t seed;
static int closed_order[HANDLES];
static int nclosed;

static unsigned random_below(unsigned n) {
  seed = seed * 1664525 + 1013904223;
  return (seed >> 10) % n;
}

static int index_of(const void* handle) {
  return (int) ((const union any*) handle - handles);
}

static void on_timer(uv_timer_t* h) {
  (void) h;
}

static void on_idle(uv_idle_t* h) {
  (void) h;
}

static void on_prepare(uv_prepare_t* h) {
  (void) h;
}

static void on_check(uv_check_t* h) {
  (void) h;
}

static void on_close(uv_handle_t* h) {
  int i = index_of(h);
  CHECK_EQ(CLOSING, models[i].life); /* H3: once */
  CHECK_EQ(1, uv_is_closing(h));
  models[i].life = GONE;
  closed_order[nclosed++] = i;
}

static void init_handle(int i) {
  uv_loop_t* loop = &fake.loop;
  int active = 0;

  switch (random_below(5)) {
  case 0:
    CHECK_EQ(0, uv_timer_init(loop, &handles[i].timer));
    break;
  case 1:
    CHECK_EQ(0, uv_idle_init(loop, &handles[i].idle));
    break;
  case 2:
    CHECK_EQ(0, uv_prepare_init(loop, &handles[i].prepare));
    break;
  case 3:
    CHECK_EQ(0, uv_check_init(loop, &handles[i].check));
    break;
  case 4:
    CHECK_EQ(0, uv_async_init(loop, &handles[i].async, NULL));
    active = 1;
    break;
  }
  models[i] = (struct model) { OPEN, active, 1 };
}

/* Start and stop do nothing on a closing handle but return. */
static void start_handle(int i) {
  union any* h = &handles[i];
  int want = models[i].life == CLOSING ? UV_EINVAL : 0;

  if (h->handle.type == UV_TIMER)
    CHECK_EQ(want, uv_timer_start(&h->timer, on_timer, 1 + random_below(9), 2));
  else if (h->handle.type == UV_IDLE)
    CHECK_EQ(want, uv_idle_start(&h->idle, on_idle));
  else if (h->handle.type == UV_PREPARE)
    CHECK_EQ(want, uv_prepare_start(&h->prepare, on_prepare));
  else if (h->handle.type == UV_CHECK)
    CHECK_EQ(want, uv_check_start(&h->check, on_check));
  else
    return;
  if (want == 0)
    models[i].active = 1;
}

static void stop_handle(int i) {
  union any* h = &handles[i];

  if (h->handle.type == UV_TIMER)
    CHECK_EQ(0, uv_timer_stop(&h->timer));
  else if (h->handle.type == UV_IDLE)
    CHECK_EQ(0, uv_idle_stop(&h->idle));
  else if (h->handle.type == UV_PREPARE)
    CHECK_EQ(0, uv_prepare_stop(&h->prepare));
  else if (h->handle.type == UV_CHECK)
    CHECK_EQ(0, uv_check_stop(&h->check));
  else
    return;
  models[i].active = 0;
}

static void ref_handle(int i) {
  uv_ref(&handles[i].handle);
  models[i].ref = 1;
}

static void unref_handle(int i) {
  uv_unref(&handles[i].handle);
  models[i].ref = 0;
}

static void close_handle(int i) {
  if (models[i].life == CLOSING)
    return;
  uv_close(&handles[i].handle, on_close);
  models[i].life = CLOSING;
  models[i].active = 0;
}

static void count_walked(uv_handle_t* handle, void* arg) {
  int* seen = arg;
  seen[index_of(handle)]++;
}

static void check_against_model(void) {
  unsigned active = 0;
  int closing = 0;
  int seen[HANDLES] = { 0 };

  uv_walk(&fake.loop, count_walked, seen);
  for (int i = 0; i < HANDLES; i++) {
    const struct model* m = &models[i];
    CHECK_EQ(m->life != GONE, seen[i]); /* H4 */
    if (m->life == GONE)
      continue;
    active += m->active && m->ref;
    closing += m->life == CLOSING;
    CHECK_EQ(m->active, uv_is_active(&handles[i].handle));
    CHECK_EQ(m->ref, uv_has_ref(&handles[i].handle));
    CHECK_EQ(m->life == CLOSING, uv_is_closing(&handles[i].handle));
  }
  CHECK_EQ(active, fake.loop.active_handles); /* H1 */
  CHECK_EQ(active != 0 || closing != 0, uv_loop_alive(&fake.loop));
}

UNIT_TEST(handle_random_life_against_model) {
  static void (*const actions[])(int) = { start_handle, stop_handle, ref_handle,
                                          unref_handle, close_handle };
  fake_init();
  seed = 20261116;
  for (int step = 0; step < 30000; step++) {
    int i = (int) random_below(HANDLES);
    if (models[i].life == GONE)
      init_handle(i);
    else
      actions[random_below(5)](i);
    check_against_model();
    if (random_below(20) == 0) {
      nclosed = 0;
      uv_run(&fake.loop, UV_RUN_NOWAIT);
      fake.nwaits = 0;
      /* Closing handles keep a loop alive. */
      check_against_model();
      for (int k = 0; k < HANDLES; k++)
        CHECK(models[k].life != CLOSING);
    }
  }
  for (int i = 0; i < HANDLES; i++)
    if (models[i].life != GONE)
      close_handle(i);
  uv_run(&fake.loop, UV_RUN_NOWAIT);
  check_against_model();
  fake_close();
}

static void open_timers(int n) {
  for (int i = 0; i < n; i++) {
    CHECK_EQ(0, uv_timer_init(&fake.loop, &handles[i].timer));
    models[i] = (struct model) { OPEN, 0, 1 };
  }
  nclosed = 0;
}

UNIT_TEST(handle_close_last_in_first_out) {
  fake_init();
  open_timers(5);
  for (int i = 0; i < 5; i++)
    close_handle(i);
  CHECK_EQ(0, nclosed); /* never inside uv_close() */
  CHECK_EQ(UV_EBUSY, uv_loop_close(&fake.loop));
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_DEFAULT));
  CHECK_EQ(5, nclosed);
  for (int i = 0; i < 5; i++)
    CHECK_EQ(4 - i, closed_order[i]);
  fake_close();
}

static void close_next_cb(uv_handle_t* h) {
  int i = index_of(h);
  on_close(h);
  if (i + 1 < 4) {
    uv_close(&handles[i + 1].handle, close_next_cb);
    models[i + 1].life = CLOSING;
  }
}

/* Closed by a close callback: reported in the next iteration, not in this one.
 */
UNIT_TEST(handle_close_in_close_callback) {
  fake_init();
  open_timers(4);
  uv_close(&handles[0].handle, close_next_cb);
  models[0].life = CLOSING;
  for (int i = 1; i <= 4; i++) {
    uv_run(&fake.loop, UV_RUN_ONCE);
    CHECK_EQ(i, nclosed);
  }
  FAKE_CHECK_WAITS(0, 0, 0, 0);
  fake_close();
}

static void free_like_cb(uv_handle_t* h) {
  on_close(h);
  memset(h, 0xdb, sizeof(union any)); /* the program owns the memory again */
}

UNIT_TEST(handle_memory_is_free_in_close_callback) {
  fake_init();
  open_timers(6);
  for (int i = 0; i < 6; i++) {
    uv_close(&handles[i].handle, i % 2 ? free_like_cb : on_close);
    models[i].life = CLOSING;
  }
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_DEFAULT));
  CHECK_EQ(6, nclosed);
  fake_close();
}

static int walked;

static void close_walked(uv_handle_t* handle, void* arg) {
  CHECK(arg == &walked);
  walked++;
  if (!uv_is_closing(handle))
    close_handle(index_of(handle));
}

/* Closing in the callback is allowed, and each handle is visited once. */
UNIT_TEST(handle_walk_closes) {
  fake_init();
  open_timers(HANDLES);
  uv_walk(&fake.loop, close_walked, &walked);
  CHECK_EQ(HANDLES, walked);
  uv_walk(&fake.loop, close_walked, &walked); /* closing ones are still there */
  CHECK_EQ(2 * HANDLES, walked);
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_DEFAULT));
  uv_walk(&fake.loop, close_walked, &walked);
  CHECK_EQ(2 * HANDLES, walked);
  CHECK_EQ(HANDLES, nclosed);
  fake_close();
}

static void init_in_walk(uv_handle_t* handle, void* arg) {
  (void) handle;
  (void) arg;
  walked++;
  if (walked == 1)
    CHECK_EQ(0, uv_timer_init(&fake.loop, &handles[3].timer));
}

/* A handle created in the callback is not visited by the same walk. */
UNIT_TEST(handle_walk_with_a_new_handle) {
  fake_init();
  open_timers(3);
  uv_walk(&fake.loop, init_in_walk, NULL);
  CHECK_EQ(3, walked);
  models[3] = (struct model) { OPEN, 0, 1 };
  for (int i = 0; i < 4; i++)
    close_handle(i);
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_DEFAULT));
  fake_close();
}

/* Internal handles are invisible to the program. */
UNIT_TEST(handle_internal_is_invisible) {
  fake_init();
  open_timers(2);
  uv__handle_make_internal(&handles[0].handle);
  CHECK_EQ(0, uv_timer_start(&handles[0].timer, on_timer, 1, 1));
  CHECK_EQ(0, uv_loop_alive(&fake.loop));
  int seen[HANDLES] = { 0 };
  uv_walk(&fake.loop, count_walked, seen);
  CHECK_EQ(0, seen[0]);
  CHECK_EQ(1, seen[1]);
  close_handle(0);
  close_handle(1);
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_DEFAULT));
  fake_close();
}

static void note_idle(uv_idle_t* h) {
  fake_note((char) ('0' + index_of(h)));
}

static void note_other(uv_idle_t* h) {
  (void) h;
  fake_note('!');
}

static void stop_rest(uv_idle_t* h) {
  note_idle(h);
  uv_idle_stop(&handles[0].idle);
  uv_idle_stop(&handles[1].idle);
}

/* The handle started last runs first; a second start changes nothing; a handle
 * stopped by an earlier callback of the same round does not run. */
UNIT_TEST(handle_watchers_last_in_first_out) {
  fake_init();
  for (int i = 0; i < 3; i++) {
    CHECK_EQ(0, uv_idle_init(&fake.loop, &handles[i].idle));
    models[i] = (struct model) { OPEN, 0, 1 };
    CHECK_EQ(0, uv_idle_start(&handles[i].idle, note_idle));
  }
  CHECK_EQ(0, uv_idle_start(&handles[1].idle, note_other));
  CHECK_EQ(0, uv_idle_start(&handles[1].idle, NULL));
  uv_run(&fake.loop, UV_RUN_NOWAIT);
  fake_check_trace("210");
  uv_run(&fake.loop, UV_RUN_NOWAIT);
  fake_check_trace("210");

  uv_idle_stop(&handles[2].idle);
  CHECK_EQ(0, uv_idle_start(&handles[2].idle, stop_rest));
  uv_run(&fake.loop, UV_RUN_NOWAIT);
  fake_check_trace("2");
  for (int i = 0; i < 3; i++)
    close_handle(i);
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_DEFAULT));
  fake_close();
}

UNIT_TEST(handle_fileno_without_fd) {
  uv_os_fd_t fd = (uv_os_fd_t) -7;

  fake_init();
  open_timers(1);
  CHECK_EQ(UV_EINVAL, uv_fileno(&handles[0].handle, &fd));
  CHECK(fd == (uv_os_fd_t) -7);
  close_handle(0);
  CHECK_EQ(UV_EINVAL, uv_fileno(&handles[0].handle, &fd));
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_DEFAULT));
  fake_close();
}
