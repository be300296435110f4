/* SPDX-License-Identifier: MIT */
/* Timers as a program sees them: several due at the same time, the loop's time,
 * reading the timeout from another thread. */
#include "ignore.h"
#include "test.h"

static uv_loop_t loop;
static uv_timer_t timers[3];
static char trace[16];
static void (*in_first)(void);

static void on_timer(uv_timer_t* timer) {
  int i = (int) (timer - timers);
  size_t n = strlen(trace);

  ASSERT_LT(n, sizeof(trace) - 1);
  trace[n] = (char) ('a' + i);
  trace[n + 1] = '\0';
  if (i == 0 && in_first != NULL)
    in_first();
}

static int active(int i) {
  return uv_is_active((uv_handle_t*) &timers[i]);
}

/* Three timers that are all due in the next iteration; the last one repeats.
 * The first callback calls `first`. */
static void run_three(void (*first)(void)) {
  in_first = first;
  trace[0] = '\0';
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 3; i++) {
    ASSERT_OK(uv_timer_init(&loop, &timers[i]));
    ASSERT_OK(uv_timer_start(&timers[i], on_timer, 1 + (uint64_t) i,
                             i == 2 ? 100000 : 0));
  }
  uv_sleep(5);
  uv_run(&loop, UV_RUN_NOWAIT);
}

static void expect(const char* want) {
  ASSERT_STR_EQ(want, trace);
  test_close_loop(&loop);
}

static void look_around(void) {
  for (int i = 0; i < 3; i++) {
    ASSERT_EQ(0, active(i));
    ASSERT_EQ(0, uv_timer_get_due_in(&timers[i]));
  }
  ASSERT_EQ(0, uv_loop_alive(&loop));
}

/* All due timers are stopped before the first callback runs; those that repeat
 * are started again just before their own callback. */
TEST_IMPL(timer_due_together_are_inactive) {
  run_three(look_around);
  ASSERT_EQ(0, active(1));
  ASSERT_EQ(1, active(2));
  ASSERT_GT(uv_timer_get_due_in(&timers[2]), 0);
  expect("abc");
  return 0;
}

static void stop_second(void) {
  ASSERT_OK(uv_timer_stop(&timers[1]));
}

static void close_third(void) {
  uv_close((uv_handle_t*) &timers[2], NULL);
}

static void start_second(void) {
  ASSERT_OK(uv_timer_start(&timers[1], on_timer, 0, 0));
  ASSERT_EQ(1, active(1));
}

static void start_second_for_later(void) {
  ASSERT_OK(uv_timer_start(&timers[1], on_timer, 100000, 0));
}

static void third_again(void) {
  ASSERT_OK(uv_timer_again(&timers[2]));
  ASSERT_EQ(1, active(2));
}

TEST_IMPL(timer_due_together_stopped_or_closed) {
  run_three(stop_second);
  expect("ac");
  run_three(close_third);
  expect("ab");
  return 0;
}

TEST_IMPL(timer_due_together_started_again) {
  run_three(start_second);
  uv_run(&loop, UV_RUN_NOWAIT);
  expect("acb");
  run_three(start_second_for_later);
  ASSERT_EQ(1, active(1));
  expect("ac");
  run_three(third_again);
  expect("ab");
  return 0;
}

static void run_inside(void) {
  in_first = NULL;
  ASSERT_OK(uv_timer_start(&timers[0], on_timer, 0, 0));
  uv_run(&loop, UV_RUN_NOWAIT);
}

/* A run inside the callback does not run the rest of the round. */
TEST_IMPL(timer_callback_runs_the_loop) {
  run_three(run_inside);
  expect("aabc");
  return 0;
}

/* Enough due timers that the heap is full when all of them start again. */
#define MANY 16

static uv_timer_t many[MANY];
static uv_timer_t more[MANY];
static int many_calls;

static void on_many(uv_timer_t* timer) {
  int i = (int) (timer - many);

  many_calls++;
  ASSERT_EQ(1, uv_is_active((uv_handle_t*) timer));
  ASSERT_OK(uv_timer_start(&more[i], on_timer, 100000, 0));
}

TEST_IMPL(timer_many_due_together_repeat) {
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < MANY; i++) {
    ASSERT_OK(uv_timer_init(&loop, &many[i]));
    ASSERT_OK(uv_timer_init(&loop, &more[i]));
    ASSERT_OK(uv_timer_start(&many[i], on_many, 0, 100000));
  }
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(MANY, many_calls);
  for (int i = 0; i < MANY; i++) {
    ASSERT_EQ(1, uv_is_active((uv_handle_t*) &many[i]));
    ASSERT_EQ(1, uv_is_active((uv_handle_t*) &more[i]));
  }
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(timer_again_while_closing) {
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timers[0]));
  ASSERT_ERR(UV_EINVAL, uv_timer_again(&timers[0])); /* never started */
  ASSERT_OK(uv_timer_start(&timers[0], on_timer, 1, 1));
  uv_close((uv_handle_t*) &timers[0], NULL);
  ASSERT_OK(uv_timer_again(&timers[0])); /* does nothing, says nothing */
  ASSERT_EQ(0, active(0));
  ASSERT_ERR(UV_EINVAL, uv_timer_start(&timers[0], on_timer, 1, 1));
  test_close_loop(&loop);
  ASSERT_STR_EQ("", trace);
  return 0;
}

static uint64_t time_before;

static void idle_cb(uv_idle_t* idle) {
  ASSERT_EQ(time_before, uv_now(&loop));
  uv_idle_stop(idle);
}

static void prepare_cb(uv_prepare_t* prepare) {
  (void) prepare;
  ASSERT_EQ(time_before, uv_now(&loop));
}

static void check_cb(uv_check_t* check) {
  (void) check;
  ASSERT_GE(uv_now(&loop), time_before + 5);
}

/* UV_RUN_ONCE and UV_RUN_NOWAIT read the clock in the poll phase, not before.
 */
TEST_IMPL(loop_time_in_idle_and_prepare) {
  uv_idle_t idle;
  uv_prepare_t prepare;
  uv_check_t check;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_idle_init(&loop, &idle));
  ASSERT_OK(uv_prepare_init(&loop, &prepare));
  ASSERT_OK(uv_prepare_start(&prepare, prepare_cb));
  ASSERT_OK(uv_check_init(&loop, &check));
  ASSERT_OK(uv_check_start(&check, check_cb));
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(uv_idle_start(&idle, idle_cb));
    uv_update_time(&loop);
    time_before = uv_now(&loop);
    uv_sleep(6);
    uv_run(&loop, i == 0 ? UV_RUN_ONCE : UV_RUN_NOWAIT);
  }
  test_close_loop(&loop);
  return 0;
}

/* A loop that was stopped before it ran does not read the clock at all. */
TEST_IMPL(loop_time_of_a_stopped_run) {
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timers[0]));
  ASSERT_OK(uv_timer_start(&timers[0], on_timer, 1, 0));
  uv_update_time(&loop);
  time_before = uv_now(&loop);
  uv_sleep(6);
  uv_stop(&loop);
  ASSERT_EQ(1, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(time_before, uv_now(&loop));
  ASSERT_STR_EQ("", trace);
  test_close_loop(&loop);
  return 0;
}

/* Before the first iteration the backend does not know what there is to do. A
 * completion port has nothing to know. */
TEST_IMPL(backend_timeout_before_the_first_round) {
  uv_timer_t* timer = &timers[0];

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, timer));
  ASSERT_OK(uv_timer_start(timer, ignore_timer, 100000, 0));
  if (TEST_POSIX)
    ASSERT_EQ(0, uv_backend_timeout(&loop));
  else
    ASSERT_GT(uv_backend_timeout(&loop), 90000);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_GT(uv_backend_timeout(&loop), 90000);
  test_close_loop(&loop);
  return 0;
}

static int asked;

static void ask_once(void* arg) {
  (void) arg;
  asked = uv_backend_timeout(&loop);
}

/* On the loop's own thread the timeout is exact, whatever was restarted; on
 * another one it may be too early, until its own thread has looked. */
TEST_IMPL(backend_timeout_after_a_restart) {
  uv_thread_t thread;

  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 2; i++)
    ASSERT_OK(uv_timer_init(&loop, &timers[i]));
  ASSERT_OK(uv_timer_start(&timers[0], ignore_timer, 10000, 0));
  ASSERT_OK(uv_timer_start(&timers[1], ignore_timer, 60000, 0));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_OK(uv_timer_start(&timers[0], ignore_timer, 80000, 0));
  ASSERT_OK(uv_thread_create(&thread, ask_once, NULL));
  ASSERT_OK(uv_thread_join(&thread));
  ASSERT_GT(asked, 0);
  ASSERT_LE(asked, 60000);
  ASSERT_EQ(uv_timer_get_due_in(&timers[1]), uv_backend_timeout(&loop));
  ASSERT_OK(uv_thread_create(&thread, ask_once, NULL));
  ASSERT_OK(uv_thread_join(&thread));
  ASSERT_EQ(uv_timer_get_due_in(&timers[1]), asked);
  test_close_loop(&loop);
  return 0;
}

static uv_sem_t asking;
static int over; /* atomic */

/* Embedders call this on a thread of their own while the main thread starts
 * timers: a race, but one that they rely on. */
static void ask(void* arg) {
  (void) arg;
  uv_sem_post(&asking);
  while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
    int timeout = uv_backend_timeout(&loop);
    ASSERT_GE(timeout, 0);
    ASSERT_LE(timeout, 100000); /* never later than what stays armed */
  }
}

#define CROWD 5000

static uv_timer_t crowd[CROWD];

/* Calls `change` while another thread asks for the timeout. */
static void change_while_asked(void (*change)(void)) {
  uv_thread_t thread;

  if (TEST_TSAN)
    test_skip("the race is the program's");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timers[0]));
  ASSERT_OK(uv_timer_start(&timers[0], ignore_timer, 100000, 0));
  for (int i = 0; i < CROWD; i++)
    ASSERT_OK(uv_timer_init(&loop, &crowd[i]));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_OK(uv_sem_init(&asking, 0));
  ASSERT_OK(uv_thread_create(&thread, ask, NULL));
  uv_sem_wait(&asking);
  change();
  __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
  ASSERT_OK(uv_thread_join(&thread));
  uv_sem_destroy(&asking);
  test_close_loop(&loop);
}

static void start_and_stop_at_random(void) {
  unsigned seed = 1;

  for (int step = 0; step < 100000; step++) {
    seed = seed * 1664525 + 1013904223;
    uv_timer_t* timer = &crowd[(seed >> 8) % (unsigned) (step / 20 + 1)];
    if (seed % 5 == 0)
      ASSERT_OK(uv_timer_stop(timer));
    else
      ASSERT_OK(uv_timer_start(timer, ignore_timer, 50000 + (seed >> 16), 0));
  }
}

TEST_IMPL(backend_timeout_while_timers_start) {
  change_while_asked(start_and_stop_at_random);
  return 0;
}

/* The heap grows and shrinks under the reader. */
static void start_and_stop_all(void) {
  for (int round = 0; round < 50; round++) {
    for (int i = 0; i < CROWD; i++)
      ASSERT_OK(uv_timer_start(&crowd[i], ignore_timer, 200000, 0));
    for (int i = 0; i < CROWD; i++)
      ASSERT_OK(uv_timer_stop(&crowd[i]));
  }
}

TEST_IMPL(backend_timeout_while_all_timers_come_and_go) {
  change_while_asked(start_and_stop_all);
  return 0;
}
