/* SPDX-License-Identifier: MIT */
/* The checks of debug builds: a loop in order passes, each broken invariant is
 * found and named. */
#include "unit.h"

#include "handle.h"
#include "loop/check.h"

#include <string.h>

static uv_loop_t loop;
static uv_timer_t timers[8];
static uv_idle_t idle;

static void on_timer(uv_timer_t* timer) {
  (void) timer;
}

static void on_idle(uv_idle_t* handle) {
  (void) handle;
}

static void make_loop(void) {
  CHECK_EQ(0, uv_loop_init(&loop));
  for (unsigned i = 0; i < 8; i++) {
    CHECK_EQ(0, uv_timer_init(&loop, &timers[i]));
    CHECK_EQ(0, uv_timer_start(&timers[i], on_timer, 1000 * (i + 1), 0));
  }
  CHECK_EQ(0, uv_idle_init(&loop, &idle));
  CHECK_EQ(0, uv_idle_start(&idle, on_idle));
}

static int breaks(const char* rule) {
  const char* broken = uv__loop_broken_invariant(&loop);

  return broken != NULL && strncmp(broken, rule, strlen(rule)) == 0;
}

UNIT_TEST(loop_check_sound) {
  make_loop();
  CHECK(uv__loop_broken_invariant(&loop) == NULL);
  uv_unref((uv_handle_t*) &timers[0]);
  uv_close((uv_handle_t*) &timers[1], NULL);
  CHECK_EQ(0, uv_timer_start(&timers[2], on_timer, 500, 0));
  CHECK(uv__loop_broken_invariant(&loop) == NULL);
  (void) uv_run(&loop, UV_RUN_NOWAIT);
  CHECK(uv__loop_broken_invariant(&loop) == NULL);
}

static void check_while_walking(uv_handle_t* handle, void* arg) {
  (void) handle;
  (void) arg;
  CHECK(uv__loop_broken_invariant(&loop) == NULL);
}

UNIT_TEST(loop_check_sound_while_walking) {
  make_loop();
  uv_walk(&loop, check_while_walking, NULL);
  loop.active_handles++;
  CHECK(breaks("H1")); /* looked at again afterwards */
}

UNIT_TEST(loop_check_h1) {
  make_loop();
  loop.active_handles--;
  CHECK(breaks("H1"));
  loop.active_handles += 2;
  CHECK(breaks("H1"));
}

UNIT_TEST(loop_check_h4) {
  make_loop();
  idle.flags |= UV__CLOSED;
  CHECK(breaks("H4"));
  idle.flags &= ~(unsigned) UV__CLOSED;
  idle.loop = NULL;
  CHECK(breaks("H4"));
}

UNIT_TEST(loop_check_timer_heap) {
  make_loop();
  struct uv__timer_slot* heap = uv__loop_state(&loop)->timers.heap;
  struct uv__timer_slot first = heap[0];
  heap[0] = heap[7];
  CHECK(breaks("the timer heap"));
  heap[0] = first;
  heap[0].due_ns = timers[0].timeout + 1;
  CHECK(breaks("the timer heap"));
}

UNIT_TEST(loop_check_list) {
  make_loop();
  idle.handle_queue.prev = &idle.handle_queue;
  CHECK(breaks("the links of a list"));
}

#ifdef UV__DEBUG
static int is_own;

static void ask(void* arg) {
  is_own = uv__loop_is_own_thread(arg);
}

UNIT_TEST(loop_check_owning_thread) {
  uv_thread_t thread;

  make_loop();
  uv__loop_enter(&loop);
  CHECK(uv__loop_is_own_thread(&loop));
  CHECK_EQ(0, uv_thread_create(&thread, ask, &loop));
  CHECK_EQ(0, uv_thread_join(&thread));
  CHECK_EQ(0, is_own);
  uv__loop_leave(&loop);
  CHECK_EQ(0, uv_thread_create(&thread, ask, &loop));
  CHECK_EQ(0, uv_thread_join(&thread));
  CHECK_EQ(1, is_own); /* nobody's: it may go to another thread */
}
#else
UNIT_TEST(loop_check_owning_thread) {
  make_loop();
  CHECK(uv__loop_is_own_thread(&loop));
}
#endif
