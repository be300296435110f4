/* SPDX-License-Identifier: MIT */
/* Pauses of managed loops. What a pauser changes, `paused` above all, is not
 * atomic: ThreadSanitizer shows whether a pause excludes the other loops. */
#include "test.h"
#include "uv/ext.h"

#define LOOPS 8

static uvx_loops_t* loops;
static uvx_loops_options_t options;
static int paused; /* the pause of some loop is in force */

static void make_loops(unsigned count) {
  options.size = sizeof(options);
  options.count = count;
  ASSERT_OK(uvx_loops_new(&loops, &options));
}

/* Runs the loops with a start function for loop 0 and one for loop 1. */
static void run_loops(unsigned count, uvx_loop_cb first, uvx_loop_cb second) {
  make_loops(count);
  ASSERT_OK(uvx_loops_on_start(loops, uvx_loops_get(loops, 0), first, NULL));
  if (second != NULL)
    ASSERT_OK(uvx_loops_on_start(loops, uvx_loops_get(loops, 1), second, NULL));
  ASSERT_OK(uvx_loops_run(loops));
  ASSERT_OK(uvx_loops_free(loops));
}

static void begin_pause(void) {
  ASSERT_OK(uvx_loops_pause(loops, -1));
  ASSERT_EQ(0, paused);
  paused = 1;
}

static void end_pause(void) {
  ASSERT_EQ(1, paused);
  paused = 0;
  uvx_loops_resume(loops);
}

static uvx_post_t stop_post;

static void stop_all(uvx_post_t* post) {
  (void) post;
  uvx_loops_shutdown(loops);
}

/* Eight busy loops, of which some pause all the time: no callback runs in a
 * pause of another loop, and everybody gets a turn. */
#define PAUSES 500

static unsigned npausers;
static unsigned pauses_left; /* of all of them; changed in pauses only */
static uvx_post_t busy_posts[LOOPS];
static unsigned busy_calls[LOOPS];

static void on_busy(uvx_post_t* post) {
  unsigned index = (unsigned) uvx_loop_index(post->loop);

  ASSERT_EQ(0, paused);
  busy_calls[index]++;
  if (pauses_left == 0)
    return;
  if (index < npausers) {
    begin_pause();
    unsigned calls[LOOPS];
    memcpy(calls, busy_calls, sizeof(calls));
    if (pauses_left > 0 && --pauses_left == 0)
      uvx_loops_shutdown(loops);
    if (pauses_left % 16 == 0)
      uv_sleep(1); /* a chance for what should not happen */
    ASSERT_MEM_EQ(calls, busy_calls, sizeof(calls));
    end_pause();
  }
  /* Eight threads that never sleep would take long to stop, and where a sleep
   * of no time returns at once they would not. */
  uv_sleep(1);
  ASSERT_OK(uvx_post(post->loop, post, on_busy));
}

static void begin_busy(uv_loop_t* loop, void* arg) {
  (void) arg;
  ASSERT_OK(uvx_post(loop, &busy_posts[uvx_loop_index(loop)], on_busy));
}

static void pause_by(unsigned count) {
  npausers = count;
  pauses_left = PAUSES;
  make_loops(LOOPS);
  ASSERT_OK(uvx_loops_on_start(loops, NULL, begin_busy, NULL));
  ASSERT_OK(uvx_loops_run(loops));
  ASSERT_OK(uvx_loops_free(loops));
  ASSERT_EQ(0, pauses_left);
  for (unsigned i = 0; i < count; i++)
    ASSERT_GE(busy_calls[i], PAUSES / count / 2);
}

TEST_IMPL(loops_pause_by_one_of_eight) {
  pause_by(1);
  return 0;
}

TEST_IMPL(loops_pause_by_two_of_eight) {
  pause_by(2);
  return 0;
}

TEST_IMPL(loops_pause_by_three_of_eight) {
  pause_by(3);
  return 0;
}

TEST_IMPL(loops_pause_by_all_of_eight) {
  pause_by(8);
  return 0;
}

/* A loop finishes an iteration between two pauses, however soon one follows the
 * other. */
static uv_idle_t counting_idle;
static unsigned iterations; /* of loop 1; read in pauses only */

static void count_iteration(uv_idle_t* handle) {
  ASSERT_EQ(0, paused);
  iterations++;
  if (iterations >= 100)
    uv_close((uv_handle_t*) handle, NULL);
}

static void start_counting(uv_loop_t* loop, void* arg) {
  (void) arg;
  ASSERT_OK(uv_idle_init(loop, &counting_idle));
  ASSERT_OK(uv_idle_start(&counting_idle, count_iteration));
}

static void pause_without_a_break(uv_loop_t* loop, void* arg) {
  (void) loop;
  (void) arg;
  for (;;) {
    begin_pause();
    int is_done = iterations >= 100;
    end_pause();
    if (is_done)
      break;
  }
  uvx_loops_shutdown(loops);
}

TEST_IMPL(loops_pause_lets_others_run_in_between) {
  run_loops(2, pause_without_a_break, start_counting);
  return 0;
}

/* The others go on after as many resumes as there were pauses. */
static void pause_twice(uv_loop_t* loop, void* arg) {
  (void) arg;
  uvx_loops_resume(loops); /* nothing to end */
  begin_pause();
  ASSERT_OK(uvx_loops_pause(loops, 0));
  ASSERT_OK(uvx_loops_pause(loops, 0));
  uvx_loops_resume(loops);
  uvx_loops_resume(loops);
  uv_sleep(2); /* a chance for what should not happen */
  pauses_left = 0;
  ASSERT_OK(uvx_post(loop, &stop_post, stop_all));
  end_pause();
  uvx_loops_resume(loops);
}

TEST_IMPL(loops_pause_nests) {
  pauses_left = 1;
  run_loops(2, pause_twice, begin_busy);
  return 0;
}

/* Loop 1 is in a callback until it is told to leave it. */
static uv_sem_t entered;
static uv_sem_t leave;
static uvx_post_t blocking_post;
static uvx_post_t ping;

static void block(uvx_post_t* post) {
  (void) post;
  uv_sem_post(&entered);
  uv_sem_wait(&leave);
}

static void on_ping(uvx_post_t* post) {
  (void) post;
  ASSERT_EQ(0, paused);
  uv_sem_post(&entered);
}

static void pause_in_time(uv_loop_t* loop, void* arg) {
  (void) loop;
  (void) arg;
  uv_loop_t* second = uvx_loops_get(loops, 1);
  uv_loop_t* third = uvx_loops_get(loops, 2);
  ASSERT_OK(uvx_post(second, &blocking_post, block));
  uv_sem_wait(&entered);
  ASSERT_ERR(UV_ETIMEDOUT, uvx_loops_pause(loops, 0));
  ASSERT_ERR(UV_ETIMEDOUT, uvx_loops_pause(loops, 5));
  /* The third loop goes on. */
  ASSERT_OK(uvx_post(third, &ping, on_ping));
  uv_sem_wait(&entered);
  /* And so does the second one; a park that is too late does nothing. */
  uv_sem_post(&leave);
  ASSERT_OK(uvx_post(second, &ping, on_ping));
  uv_sem_wait(&entered);
  begin_pause();
  end_pause();
  uvx_loops_shutdown(loops);
}

TEST_IMPL(loops_pause_times_out) {
  ASSERT_OK(uv_sem_init(&entered, 0));
  ASSERT_OK(uv_sem_init(&leave, 0));
  run_loops(3, pause_in_time, NULL);
  return 0;
}

/* A loop whose time is up while another one pauses stands still until that
 * pause is over. */
static int is_over; /* changed in a pause only */

static void pause_once(uv_loop_t* loop, void* arg) {
  (void) loop;
  (void) arg;
  begin_pause();
  uv_sleep(2); /* a chance for what should not happen */
  is_over = 1;
  end_pause();
  uvx_loops_shutdown(loops);
}

static void pause_while_it_lasts(uv_loop_t* loop, void* arg) {
  (void) loop;
  (void) arg;
  while (!is_over) {
    int err = uvx_loops_pause(loops, 0);
    ASSERT_EQ(0, paused);
    if (err == 0) /* loop 0 waits for its turn */
      uvx_loops_resume(loops);
    else
      ASSERT_ERR(UV_ETIMEDOUT, err);
  }
}

TEST_IMPL(loops_pause_that_is_late_is_in_no_pause) {
  run_loops(2, pause_once, pause_while_it_lasts);
  return 0;
}

/* Start and end functions may pause, all at once. */
static int pauses; /* changed in pauses only */

static void pause_hook(uv_loop_t* loop, void* arg) {
  (void) loop;
  begin_pause();
  pauses++;
  if (arg != NULL && pauses == 4)
    uvx_loops_shutdown(loops);
  end_pause();
}

TEST_IMPL(loops_pause_in_start_and_end_functions) {
  make_loops(4);
  ASSERT_OK(uvx_loops_on_start(loops, NULL, pause_hook, "last"));
  ASSERT_OK(uvx_loops_on_end(loops, NULL, pause_hook, NULL));
  ASSERT_OK(uvx_loops_run(loops));
  ASSERT_OK(uvx_loops_free(loops));
  ASSERT_EQ(8, pauses);
  return 0;
}

/* A loop that runs itself in a callback stands still in there. */
static int is_done; /* changed in a pause only */
static uv_timer_t timer;

static void on_tick(uv_timer_t* handle) {
  (void) handle;
  ASSERT_EQ(0, paused);
}

static void run_nested(uv_loop_t* loop, void* arg) {
  (void) arg;
  ASSERT_OK(uv_timer_init(loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, on_tick, 1, 1));
  uv_sem_post(&entered);
  while (!is_done)
    uv_run(loop, UV_RUN_ONCE);
  uv_close((uv_handle_t*) &timer, NULL);
}

static void pause_nested(uv_loop_t* loop, void* arg) {
  (void) loop;
  (void) arg;
  uv_sem_wait(&entered);
  begin_pause();
  is_done = 1;
  end_pause();
  uvx_loops_shutdown(loops);
}

TEST_IMPL(loops_pause_in_a_nested_run) {
  ASSERT_OK(uv_sem_init(&entered, 0));
  run_loops(2, pause_nested, run_nested);
  return 0;
}

/* A pauser that runs its loop in the pause runs its own callbacks only. */
static void on_last_tick(uv_timer_t* handle) {
  ASSERT_EQ(1, paused);
  uv_close((uv_handle_t*) handle, NULL);
  is_done = 1;
}

static void run_in_pause(uv_loop_t* loop, void* arg) {
  (void) arg;
  ASSERT_OK(uv_timer_init(loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, on_last_tick, 2, 0));
  begin_pause();
  while (!is_done)
    uv_run(loop, UV_RUN_ONCE);
  pauses_left = 0;
  end_pause();
  uvx_loops_shutdown(loops);
}

TEST_IMPL(loops_pause_and_run_the_loop_in_it) {
  pauses_left = 1;
  run_loops(2, run_in_pause, begin_busy);
  return 0;
}

/* The pause outlasts the callback: a later one of the same loop resumes. */
static void resume_later(uv_timer_t* handle) {
  ASSERT_EQ(1, paused);
  uv_close((uv_handle_t*) handle, NULL);
  pauses_left = 0;
  end_pause();
  uvx_loops_shutdown(loops);
}

static void pause_and_return(uv_loop_t* loop, void* arg) {
  (void) arg;
  ASSERT_OK(uv_timer_init(loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, resume_later, 2, 0));
  begin_pause();
}

TEST_IMPL(loops_pause_outlasts_a_callback) {
  pauses_left = 1;
  run_loops(2, pause_and_return, begin_busy);
  return 0;
}

/* uv_stop() on a loop, even all the time, changes nothing; nor can a loop be
 * closed in a pause. */
static void stop_and_go_on(uv_timer_t* handle) {
  ASSERT_EQ(0, paused);
  uv_stop(handle->loop);
  if (is_done)
    uv_close((uv_handle_t*) handle, NULL);
}

static void start_stopping(uv_loop_t* loop, void* arg) {
  (void) arg;
  ASSERT_OK(uv_timer_init(loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, stop_and_go_on, 1, 1));
}

static void pause_and_stop(uv_loop_t* loop, void* arg) {
  (void) arg;
  for (int i = 0; i < 50; i++) {
    begin_pause();
    uv_stop(loop);
    uv_stop(uvx_loops_get(loops, 1)); /* nobody else uses it now */
    ASSERT_ERR(UV_EBUSY, uv_loop_close(loop));
    ASSERT_ERR(UV_EBUSY, uv_loop_close(uvx_loops_get(loops, 1)));
    ASSERT_ERR(UV_EBUSY, uvx_loops_free(loops));
    is_done = i == 49;
    end_pause();
  }
  ASSERT_OK(uvx_post(loop, &stop_post, stop_all));
}

TEST_IMPL(loops_pause_and_uv_stop) {
  run_loops(2, pause_and_stop, start_stopping);
  return 0;
}

/* Only the thread of a loop can pause, while they run. */
static uv_work_t work;

static void pause_in_work(uv_work_t* req) {
  (void) req;
  ASSERT_ERR(UV_EPERM, uvx_loops_pause(loops, -1));
  uvx_loops_resume(loops);
}

static void end_after_work(uv_work_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  uvx_loops_shutdown(loops);
}

static void queue_work(uv_loop_t* loop, void* arg) {
  (void) arg;
  ASSERT_OK(uv_queue_work(loop, &work, pause_in_work, end_after_work));
}

TEST_IMPL(loops_pause_is_for_their_threads) {
  uvx_loops_t* others;

  ASSERT_ERR(UV_EINVAL, uvx_loops_pause(NULL, -1));
  uvx_loops_resume(NULL);
  make_loops(2);
  ASSERT_OK(uvx_loops_new(&others, &options));
  ASSERT_ERR(UV_EPERM, uvx_loops_pause(loops, -1));
  ASSERT_OK(
      uvx_loops_on_start(loops, uvx_loops_get(loops, 1), queue_work, NULL));
  ASSERT_OK(uvx_loops_run(loops));
  ASSERT_ERR(UV_EPERM, uvx_loops_pause(loops, -1));
  uvx_loops_resume(loops);
  ASSERT_OK(uvx_loops_free(loops));
  ASSERT_OK(uvx_loops_free(others));
  return 0;
}

/* A pauser may add end functions, until the shutdown has begun; a shutdown in a
 * pause begins after it. */
static void count_end(uv_loop_t* loop, void* arg) {
  (void) loop;
  (void) arg;
  begin_pause();
  pauses++;
  ASSERT_ERR(UV_EBUSY, uvx_loops_on_end(loops, NULL, count_end, NULL));
  end_pause();
}

static void add_end(uv_loop_t* loop, void* arg) {
  (void) loop;
  (void) arg;
  ASSERT_ERR(UV_EBUSY, uvx_loops_on_end(loops, NULL, count_end, NULL));
  begin_pause();
  ASSERT_OK(uvx_loops_on_end(loops, NULL, count_end, NULL));
  ASSERT_ERR(UV_EBUSY, uvx_loops_on_start(loops, NULL, count_end, NULL));
  uvx_loops_shutdown(loops);
  ASSERT_EQ(0, pauses);
  end_pause();
}

TEST_IMPL(loops_pause_and_add_end_functions) {
  run_loops(4, add_end, NULL);
  ASSERT_EQ(4, pauses);
  return 0;
}

/* The only loop waits for nobody. */
static void pause_alone(uv_loop_t* loop, void* arg) {
  (void) loop;
  (void) arg;
  ASSERT_OK(uvx_loops_pause(loops, 0));
  uvx_loops_resume(loops);
  uvx_loops_shutdown(loops);
}

TEST_IMPL(loops_pause_of_one) {
  run_loops(1, pause_alone, NULL);
  return 0;
}

/* The watchdog reports the callback that pauses, not those that stand still. */
static int is_reported; /* atomic */

static void on_report(const uvx_watchdog_report_t* report, void* arg) {
  (void) arg;
  ASSERT_PTR_EQ(uvx_loops_get(loops, 0), report->loop);
  __atomic_store_n(&is_reported, 1, __ATOMIC_RELEASE);
}

static void pause_for_long(uvx_post_t* post) {
  (void) post;
  begin_pause();
  while (!__atomic_load_n(&is_reported, __ATOMIC_ACQUIRE))
    uv_sleep(1);
  uv_sleep(100); /* a chance for what should not happen */
  end_pause();
  uvx_loops_shutdown(loops);
}

static void begin_long_pause(uv_loop_t* loop, void* arg) {
  (void) arg;
  ASSERT_OK(uvx_post(loop, &ping, pause_for_long));
}

TEST_IMPL(watchdog_leaves_parked_loops_alone) {
  uvx_watchdog_options_t watchdog = { .size = sizeof(watchdog),
                                      .limit_ms = 20,
                                      .cb = on_report };

  make_loops(3);
  ASSERT_OK(uvx_watchdog_start(&watchdog));
  ASSERT_OK(uvx_loops_on_start(loops, uvx_loops_get(loops, 0), begin_long_pause,
                               NULL));
  ASSERT_OK(uvx_loops_run(loops));
  ASSERT_OK(uvx_watchdog_stop());
  ASSERT_OK(uvx_loops_free(loops));
  return 0;
}

/* No work function of the loops runs in a pause; those that wait run after it,
 * also between pauses that follow each other at once. */
#define ITEMS 64

static uvx_pool_t* own_pool; /* where work is queued; NULL: the lane */
static uv_work_t items[2][ITEMS];
static int work_ran[2]; /* by loop; changed on its own thread */

static void run_item(uv_work_t* req) {
  (void) req;
  ASSERT_EQ(0, paused);
  uv_sleep(0);
  ASSERT_EQ(0, paused);
}

static void end_item(uv_work_t* req, int status) {
  int index = uvx_loop_index(req->loop);

  ASSERT_OK(status);
  work_ran[index]++;
}

static void queue_items(uv_loop_t* loop, void* arg) {
  int index = uvx_loop_index(loop);

  (void) arg;
  for (int i = 0; i < ITEMS; i++)
    ASSERT_OK(
        uvx_queue_work(own_pool, loop, &items[index][i], run_item, end_item));
}

static void pause_and_look(uvx_post_t* post) {
  begin_pause();
  uv_sleep(0);
  int is_complete = work_ran[0] + work_ran[1] == 2 * ITEMS;
  end_pause();
  if (is_complete)
    uvx_loops_shutdown(loops);
  else
    ASSERT_OK(uvx_post(post->loop, post, pause_and_look));
}

static void begin_pauses(uv_loop_t* loop, void* arg) {
  queue_items(loop, arg);
  ASSERT_OK(uvx_post(loop, &ping, pause_and_look));
}

TEST_IMPL(loops_pause_holds_work_functions) {
  run_loops(2, begin_pauses, queue_items);
  ASSERT_EQ(ITEMS, work_ran[0]);
  ASSERT_EQ(ITEMS, work_ran[1]);
  return 0;
}

static void make_own_pool(unsigned threads) {
  uvx_pool_options_t pool_options = { .size = sizeof(pool_options),
                                      .threads = threads };

  ASSERT_OK(uvx_pool_new(&own_pool, &pool_options));
}

TEST_IMPL(loops_pause_holds_work_functions_of_pools) {
  make_own_pool(3);
  run_loops(2, begin_pauses, queue_items);
  ASSERT_EQ(ITEMS, work_ran[0]);
  ASSERT_EQ(ITEMS, work_ran[1]);
  ASSERT_OK(uvx_pool_free(own_pool));
  return 0;
}

/* A work function that takes too long is a reason to give up, too. */
static void run_until_told(uv_work_t* req) {
  (void) req;
  uv_sem_post(&entered);
  uv_sem_wait(&leave);
}

static void pause_beside_work(uv_loop_t* loop, void* arg) {
  (void) arg;
  ASSERT_OK(uvx_queue_work(own_pool, loop, &work, run_until_told, NULL));
  uv_sem_wait(&entered);
  ASSERT_ERR(UV_ETIMEDOUT, uvx_loops_pause(loops, 5));
  uv_sem_post(&leave);
  begin_pause();
  end_pause();
  uvx_loops_shutdown(loops);
}

TEST_IMPL(loops_pause_waits_for_a_work_function) {
  ASSERT_OK(uv_sem_init(&entered, 0));
  ASSERT_OK(uv_sem_init(&leave, 0));
  run_loops(2, pause_beside_work, NULL);
  return 0;
}

TEST_IMPL(loops_pause_waits_for_a_function_of_a_pool) {
  ASSERT_OK(uv_sem_init(&entered, 0));
  ASSERT_OK(uv_sem_init(&leave, 0));
  make_own_pool(1);
  run_loops(2, pause_beside_work, NULL);
  ASSERT_OK(uvx_pool_free(own_pool));
  return 0;
}

/* The only thread passes by what waits for the end of the pause, which can be
 * cancelled, and keeps its order. */
static uv_work_t held[4];
static int held_order[ARRAY_SIZE(held)];
static int nheld;

static void note_held(uv_work_t* req) {
  ASSERT_EQ(0, paused);
  held_order[nheld++] = (int) (req - held);
}

static void do_nothing(uv_work_t* req) {
  (void) req;
}

static void pass_by(uv_loop_t* loop, void* arg) {
  uv_loop_t other;

  (void) arg;
  ASSERT_OK(uv_loop_init(&other));
  begin_pause();
  for (size_t i = 0; i < ARRAY_SIZE(held); i++)
    ASSERT_OK(uvx_queue_work(own_pool, loop, &held[i], note_held, NULL));
  for (int i = 0; i < 3; i++) {
    ASSERT_OK(uvx_queue_work(own_pool, &other, &work, do_nothing, NULL));
    ASSERT_EQ(0, uv_run(&other, UV_RUN_DEFAULT));
  }
  ASSERT_OK(uv_cancel((uv_req_t*) &held[1]));
  ASSERT_OK(uv_cancel((uv_req_t*) &held[1]));
  ASSERT_EQ(0, nheld);
  end_pause();
  ASSERT_OK(uv_loop_close(&other));
  uvx_loops_shutdown(loops);
}

static void check_passing_by(void) {
  static const int expected[] = { 0, 2, 3 };

  run_loops(2, pass_by, NULL);
  ASSERT_EQ(3, nheld);
  ASSERT_MEM_EQ(expected, held_order, sizeof(expected));
}

TEST_IMPL(loops_pause_keeps_no_worker) {
  ASSERT_OK(uv_os_setenv("UV_THREADPOOL_SIZE", "1"));
  check_passing_by();
  return 0;
}

TEST_IMPL(loops_pause_keeps_no_worker_of_a_pool) {
  make_own_pool(1);
  check_passing_by();
  ASSERT_OK(uvx_pool_free(own_pool));
  return 0;
}

/* Two groups of loops pause at once and share a pool: each holds its own work,
 * and the end of one pause lets the work of that group run. */
static uvx_loops_t* second_loops;
static uv_sem_t second_paused;
static uv_sem_t second_may_go;
static int second_ran; /* atomic */

static void run_second_item(uv_work_t* req) {
  (void) req;
  __atomic_store_n(&second_ran, 1, __ATOMIC_SEQ_CST);
}

static void pause_second(uv_loop_t* loop, void* arg) {
  static uv_work_t second_work;

  (void) arg;
  ASSERT_OK(uvx_loops_pause(second_loops, -1));
  ASSERT_OK(
      uvx_queue_work(own_pool, loop, &second_work, run_second_item, NULL));
  uv_sem_post(&second_paused);
  uv_sem_wait(&second_may_go);
  uvx_loops_resume(second_loops);
  uvx_loops_shutdown(second_loops);
}

static void run_second(void* arg) {
  (void) arg;
  ASSERT_OK(uvx_loops_run(second_loops));
}

TEST_IMPL(loops_pause_of_two_groups) {
  uv_thread_t thread;

  ASSERT_OK(uv_sem_init(&second_paused, 0));
  ASSERT_OK(uv_sem_init(&second_may_go, 0));
  make_own_pool(1);
  options.flags = UVX_LOOPS_NO_SIGNALS;
  make_loops(1);
  second_loops = loops;
  ASSERT_OK(uvx_loops_on_start(second_loops, NULL, pause_second, NULL));
  ASSERT_OK(uv_thread_create(&thread, run_second, NULL));
  uv_sem_wait(&second_paused);
  check_passing_by();
  ASSERT_EQ(0, __atomic_load_n(&second_ran, __ATOMIC_SEQ_CST));
  uv_sem_post(&second_may_go);
  ASSERT_OK(uv_thread_join(&thread));
  ASSERT_EQ(1, second_ran);
  ASSERT_OK(uvx_loops_free(second_loops));
  ASSERT_OK(uvx_pool_free(own_pool));
  return 0;
}

/* Work of a loop that is not managed goes on in a pause. */
static void run_other_loop(uv_loop_t* loop, void* arg) {
  uv_loop_t other;

  (void) loop;
  (void) arg;
  ASSERT_OK(uv_loop_init(&other));
  begin_pause();
  ASSERT_OK(uv_queue_work(&other, &work, run_until_told, NULL));
  uv_sem_post(&leave);
  ASSERT_EQ(0, uv_run(&other, UV_RUN_DEFAULT));
  end_pause();
  ASSERT_OK(uv_loop_close(&other));
  uvx_loops_shutdown(loops);
}

TEST_IMPL(loops_pause_lets_other_work_go_on) {
  ASSERT_OK(uv_sem_init(&entered, 0));
  ASSERT_OK(uv_sem_init(&leave, 0));
  run_loops(2, run_other_loop, NULL);
  return 0;
}

/* Work of a managed loop is cancelled as any other, and keeps the loops from
 * being freed. */
static int cancelled;
static uv_work_t blocker;

static void count_cancelled(uv_work_t* req, int status) {
  (void) req;
  ASSERT_ERR(UV_ECANCELED, status);
  cancelled++;
}

TEST_IMPL(loops_work_can_be_cancelled) {
  ASSERT_OK(uv_sem_init(&entered, 0));
  ASSERT_OK(uv_sem_init(&leave, 0));
  ASSERT_OK(uv_os_setenv("UV_THREADPOOL_SIZE", "1"));
  make_loops(1);
  uv_loop_t* loop = uvx_loops_get(loops, 0);
  ASSERT_OK(uv_queue_work(loop, &blocker, run_until_told, NULL));
  uv_sem_wait(&entered);
  ASSERT_OK(uv_queue_work(loop, &work, run_until_told, count_cancelled));
  ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) &blocker));
  ASSERT_OK(uv_cancel((uv_req_t*) &work));
  ASSERT_ERR(UV_EBUSY, uvx_loops_free(loops));
  uv_sem_post(&leave);
  uvx_loops_shutdown(loops);
  ASSERT_OK(uvx_loops_run(loops));
  ASSERT_EQ(1, cancelled);
  ASSERT_OK(uvx_loops_free(loops));
  return 0;
}

/* UVX_LOOPS_PIN: each thread may use one processor; afterwards the caller has
 * its own back, and the workers were never pinned. */
static char all_processors[4096];

static int count_processors(const char* mask) {
  int count = 0;

  for (int i = 0; i < uv_cpumask_size(); i++)
    count += mask[i] != 0;
  return count;
}

static int count_own_processors(void) {
  char mask[sizeof(all_processors)] = { 0 };
  uv_thread_t self = uv_thread_self();

  ASSERT_OK(uv_thread_getaffinity(&self, mask, sizeof(mask)));
  return count_processors(mask);
}

static void look_from_a_worker(uv_work_t* req) {
  (void) req;
  ASSERT_EQ(count_processors(all_processors), count_own_processors());
}

static void look_from_a_loop(uv_loop_t* loop, void* arg) {
  (void) arg;
  ASSERT_EQ(1, count_own_processors());
  if (uvx_loop_index(loop) == 1)
    ASSERT_OK(uv_queue_work(loop, &work, look_from_a_worker, end_after_work));
}

TEST_IMPL(loops_are_pinned_to_processors) {
  uv_thread_t self = uv_thread_self();

  if (uv_cpumask_size() < 0) {
    options.flags = UVX_LOOPS_PIN;
    make_loops(3);
    ASSERT_ERR(UV_ENOTSUP, uvx_loops_run(loops));
    ASSERT_OK(uvx_loops_free(loops));
    return 0;
  }
  ASSERT_OK(
      uv_thread_getaffinity(&self, all_processors, sizeof(all_processors)));
  options.flags = UVX_LOOPS_PIN;
  make_loops(3);
  ASSERT_OK(uvx_loops_on_start(loops, NULL, look_from_a_loop, NULL));
  ASSERT_OK(uvx_loops_run(loops));
  ASSERT_EQ(count_processors(all_processors), count_own_processors());
  ASSERT_OK(uvx_loops_free(loops));
  return 0;
}
