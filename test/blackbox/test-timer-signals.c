/* SPDX-License-Identifier: MIT */
/* Timers are never early and no time is lost, even while signals interrupt
 * every wait. Method: an interval timer sends SIGALRM, the clock is read. */
#include "test.h"

#define MS UINT64_C(1000000)

static int fired;

#if TEST_POSIX
# include <signal.h>
# include <sys/time.h>

static volatile sig_atomic_t caught;

static void on_alarm(int signum) {
  (void) signum;
  caught++;
}

static void start_storm(long every_us) {
  struct sigaction action;
  struct itimerval every = { { 0, every_us }, { 0, every_us } };

  memset(&action, 0, sizeof(action));
  action.sa_handler = on_alarm;
  ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
  ASSERT_EQ(0, setitimer(ITIMER_REAL, &every, NULL));
}

static void stop_storm(void) {
  struct itimerval never = { { 0, 0 }, { 0, 0 } };
  ASSERT_EQ(0, setitimer(ITIMER_REAL, &never, NULL));
}

static uint64_t fired_at;

static void on_timer(uv_timer_t* timer) {
  (void) timer;
  fired++;
  fired_at = uv_hrtime();
}

/* UV_RUN_ONCE keeps waiting; libuv returns early with nothing done. */
TEST_IMPL(timer_once_waits_through_signals) {
  uv_loop_t loop;
  uv_timer_t timer;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  start_storm(5000);
  uv_update_time(&loop);
  uint64_t start = uv_hrtime();
  ASSERT_OK(uv_timer_start(&timer, on_timer, 200, 0));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_ONCE));
  stop_storm();
  ASSERT_EQ(1, fired);
  ASSERT_GT(caught, 5);
  ASSERT_GE(fired_at - start, 199 * MS);
  ASSERT_LT(fired_at - start, 1000 * MS);
  test_close_loop(&loop);
  return 0;
}

struct checked_timer {
  uv_timer_t handle;
  uint64_t due_ns; /* the clock must not show less when it fires */
  unsigned left;
};

static void on_checked(uv_timer_t* timer) {
  struct checked_timer* t = (struct checked_timer*) timer;
  uint64_t now = uv_hrtime();

  ASSERT_GE(now, t->due_ns);
  fired++;
  if (--t->left == 0)
    return;
  unsigned timeout = 1 + (unsigned) (now / 1000) % 7;
  /* The loop's time was taken before `now`: measure from a fresh one. */
  uv_update_time(timer->loop);
  ASSERT_OK(uv_timer_start(timer, on_checked, timeout, 0));
  t->due_ns = now + timeout * MS;
}

/* Short timers of odd lengths, with signals every 300 us. */
TEST_IMPL(timer_never_early_under_signals) {
  enum { TIMERS = 8, ROUNDS = 25 };
  struct checked_timer timers[TIMERS];
  uv_loop_t loop;

  ASSERT_OK(uv_loop_init(&loop));
  start_storm(300);
  for (int i = 0; i < TIMERS; i++) {
    timers[i].left = ROUNDS;
    ASSERT_OK(uv_timer_init(&loop, &timers[i].handle));
    uint64_t now = uv_hrtime();
    uv_update_time(&loop);
    timers[i].due_ns = now + (uint64_t) (i + 1) * MS;
    ASSERT_OK(
        uv_timer_start(&timers[i].handle, on_checked, (uint64_t) i + 1, 0));
  }
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  stop_storm();
  ASSERT_EQ(TIMERS * ROUNDS, fired);
  ASSERT_GT(caught, 10);
  test_close_loop(&loop);
  return 0;
}

#endif

/* The same for a repeating timer without signals. Each period starts at the
 * loop's time, which is not before the previous one was due: the n-th callback
 * is never early, however late the others were. */
static uint64_t start_ns;

static void on_repeat(uv_timer_t* timer) {
  fired++;
  ASSERT_GE(uv_hrtime() - start_ns, (uint64_t) fired * 3 * MS);
  if (fired == 30)
    uv_timer_stop(timer);
}

TEST_IMPL(timer_repeat_period_is_never_short) {
  uv_loop_t loop;
  uv_timer_t timer;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  start_ns = uv_hrtime();
  uv_update_time(&loop);
  ASSERT_OK(uv_timer_start(&timer, on_repeat, 3, 3));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(30, fired);
  test_close_loop(&loop);
  return 0;
}
