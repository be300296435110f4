/* SPDX-License-Identifier: MIT */
/* uvx_post(): each post runs once, in the order of its sender, whatever the
 * loop does meanwhile. Method: messages with a sender and a number. */
#include "ignore.h"
#include "test.h"
#include "uv/ext.h"

#define SENDERS 8

static uv_loop_t loop;

/* Many threads: the numbers of each ascend without a gap. */
struct message {
  uvx_post_t post;
  int sender;
  int number;
};

static int per_sender;
static int next_number[SENDERS];
static int senders_done;
static uv_async_t keep;

static void on_message(uvx_post_t* post) {
  struct message* m = (struct message*) post;

  ASSERT_PTR_EQ(&loop, post->loop);
  ASSERT_EQ(next_number[m->sender], m->number);
  next_number[m->sender]++;
  if (m->number == per_sender - 1 && ++senders_done == SENDERS)
    uv_close((uv_handle_t*) &keep, NULL);
  free(m);
}

static void send_numbers(void* arg) {
  int sender = *(int*) arg;

  for (int i = 0; i < per_sender; i++) {
    struct message* m = malloc(sizeof(*m));
    ASSERT_NOT_NULL(m);
    m->sender = sender;
    m->number = i;
    ASSERT_OK(uvx_post(&loop, &m->post, on_message));
  }
}

TEST_IMPL(post_many_threads_each_in_order) {
  uv_thread_t threads[SENDERS];
  int ids[SENDERS];

  per_sender = test_is_slow() ? 5000 : 100000;
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_async_init(&loop, &keep, NULL));
  for (int i = 0; i < SENDERS; i++) {
    ids[i] = i;
    ASSERT_OK(uv_thread_create(&threads[i], send_numbers, &ids[i]));
  }
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  for (int i = 0; i < SENDERS; i++) {
    ASSERT_OK(uv_thread_join(&threads[i]));
    ASSERT_EQ(per_sender, next_number[i]);
  }
  test_close_loop(&loop);
  return 0;
}

/* Arguments are checked, and a closed loop takes no post. */
static int calls;

static void on_count(uvx_post_t* post) {
  (void) post;
  calls++;
}

TEST_IMPL(post_bad_arguments) {
  uvx_post_t post;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_ERR(UV_EINVAL, uvx_post(NULL, &post, on_count));
  ASSERT_ERR(UV_EINVAL, uvx_post(&loop, NULL, on_count));
  ASSERT_ERR(UV_EINVAL, uvx_post(&loop, &post, NULL));
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_ERR(UV_EINVAL, uvx_post(&loop, &post, on_count));
  ASSERT_EQ(0, calls);
  return 0;
}

/* A post keeps the loop alive and open; when it has run, the loop ends. */
TEST_IMPL(post_keeps_the_loop_alive) {
  uvx_post_t post;

  ASSERT_OK(uv_loop_init(&loop));
  post.data = &calls;
  ASSERT(!uv_loop_alive(&loop));
  ASSERT_OK(uvx_post(&loop, &post, on_count));
  ASSERT(uv_loop_alive(&loop));
  ASSERT_ERR(UV_EBUSY, uv_loop_close(&loop));
  ASSERT_EQ(0, calls);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, calls);
  ASSERT_PTR_EQ(&calls, post.data);
  ASSERT(!uv_loop_alive(&loop));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* A post in its own callback runs in the next iteration; the callback may also
 * free the post (post_many_threads_each_in_order). */
static uint64_t last_iteration;

static uint64_t iteration(void) {
  uv_metrics_t metrics;

  ASSERT_OK(uv_metrics_info(&loop, &metrics));
  return metrics.loop_count;
}

static void on_repost(uvx_post_t* post) {
  ASSERT_GT(iteration(), last_iteration);
  last_iteration = iteration();
  if (++calls < 100)
    ASSERT_OK(uvx_post(post->loop, post, on_repost));
}

TEST_IMPL(post_in_callback_is_a_later_iteration) {
  uvx_post_t post;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uvx_post(&loop, &post, on_repost));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(100, calls);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* A flood that never ends starves neither timers nor streams. */
static uvx_post_t flood[3];
static test_stream_t ends[2];
static uv_timer_t timer;
static int ticks;
static int echoed;

static void on_flood(uvx_post_t* post) {
  calls++;
  if (ticks < 100 || echoed < 100)
    ASSERT_OK(uvx_post(post->loop, post, on_flood));
}

static void on_tick(uv_timer_t* handle) {
  if (++ticks == 100)
    uv_close((uv_handle_t*) handle, NULL);
}

static void write_byte(uv_stream_t* stream) {
  uv_buf_t buf = uv_buf_init("x", 1);

  ASSERT_EQ(1, uv_try_write(stream, &buf, 1));
}

static void on_byte(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) buf;
  if (nread == UV_EOF) {
    uv_close((uv_handle_t*) stream, NULL);
  } else if (stream == (uv_stream_t*) &ends[0] && ++echoed == 100) {
    uv_close((uv_handle_t*) stream, NULL);
  } else if (nread > 0) {
    write_byte(stream);
  }
}

TEST_IMPL(post_flood_starves_nothing) {
  ASSERT_OK(uv_loop_init(&loop));
  test_stream_pair(&loop, &ends[0], &ends[1]);
  for (int i = 0; i < 2; i++)
    ASSERT_OK(uv_read_start((uv_stream_t*) &ends[i], test_alloc, on_byte));
  write_byte((uv_stream_t*) &ends[0]);
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, on_tick, 1, 1));
  for (size_t i = 0; i < ARRAY_SIZE(flood); i++)
    ASSERT_OK(uvx_post(&loop, &flood[i], on_flood));
  /* Ends only if the timer and the echo came to their turn; the runner limits
   * the time. */
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_GE(calls, 100);
  test_close_loop(&loop);
  return 0;
}

/* A million that wait before the loop runs: all run, in order, and timers run
 * in between. */
#define WAITING 1000000

static uvx_post_t* waiting;
static int waiting_count;
static int calls_at_tick;

static void on_first_tick(uv_timer_t* handle) {
  calls_at_tick = calls;
  uv_close((uv_handle_t*) handle, NULL);
}

static void on_waiting(uvx_post_t* post) {
  ASSERT_PTR_EQ(&waiting[calls], post);
  if (calls++ == 0)
    ASSERT_OK(uv_timer_start(&timer, on_first_tick, 0, 0));
}

TEST_IMPL(post_a_million_before_the_loop_runs) {
  waiting_count = test_is_slow() ? WAITING / 20 : WAITING;
  waiting = malloc(sizeof(*waiting) * (size_t) waiting_count);
  ASSERT_NOT_NULL(waiting);
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < waiting_count; i++)
    ASSERT_OK(uvx_post(&loop, &waiting[i], on_waiting));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(waiting_count, calls);
  ASSERT_GT(calls_at_tick, 0);
  ASSERT_LT(calls_at_tick, waiting_count);
  ASSERT_OK(uv_loop_close(&loop));
  free(waiting);
  return 0;
}

/* A callback that runs the loop: the posts behind it run there, in order. */
static int order[8];
static int nested_mode = -1;

static void on_order(uvx_post_t* post) {
  int i = *(int*) post->data;

  order[calls++] = i;
  if (i != 1 || nested_mode < 0)
    return;
  while (uv_run(&loop, (uv_run_mode) nested_mode) != 0)
    continue;
  ASSERT_EQ(4, calls);
}

static void run_nested(uv_run_mode outer, int inner) {
  uvx_post_t posts[4];
  int ids[4] = { 0, 1, 2, 3 };

  calls = 0;
  nested_mode = inner;
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 4; i++) {
    posts[i].data = &ids[i];
    ASSERT_OK(uvx_post(&loop, &posts[i], on_order));
  }
  while (uv_run(&loop, outer) != 0)
    continue;
  ASSERT_EQ(4, calls);
  for (int i = 0; i < 4; i++)
    ASSERT_EQ(i, order[i]);
  ASSERT_OK(uv_loop_close(&loop));
}

TEST_IMPL(post_callback_runs_the_loop) {
  static const uv_run_mode modes[] = { UV_RUN_DEFAULT, UV_RUN_ONCE,
                                       UV_RUN_NOWAIT };

  for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
    run_nested(modes[i], -1);
    for (size_t k = 0; k < ARRAY_SIZE(modes); k++)
      run_nested(modes[i], (int) modes[k]);
  }
  return 0;
}

/* uv_stop() in a callback: what is left over runs with the next uv_run(). */
static void on_stop(uvx_post_t* post) {
  calls++;
  if (calls == 1)
    uv_stop(post->loop);
}

TEST_IMPL(post_rest_survives_a_stop) {
  enum { MANY = 5000 };
  static uvx_post_t posts[MANY];

  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < MANY; i++)
    ASSERT_OK(uvx_post(&loop, &posts[i], on_stop));
  ASSERT_NE(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_LT(calls, MANY);
  ASSERT_ERR(UV_EBUSY, uv_loop_close(&loop));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(MANY, calls);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* UV_RUN_NOWAIT from the outside finds every post, also those of a long queue.
 */
TEST_IMPL(post_found_without_waiting) {
  enum { MANY = 3000 };
  static uvx_post_t posts[MANY];

  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < MANY; i++)
    ASSERT_OK(uvx_post(&loop, &posts[i], on_count));
  for (int i = 0; i < 10 && uv_run(&loop, UV_RUN_NOWAIT) != 0; i++)
    continue;
  ASSERT_EQ(MANY, calls);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* The pull loop: a post from another thread ends the wait. */
static uvx_post_t pulled;

static void post_to_loop(void* arg) {
  (void) arg;
  ASSERT_OK(uvx_post(&loop, &pulled, on_count));
}

TEST_IMPL(post_ends_the_wait_of_the_pull_loop) {
  uv_thread_t thread;
  uv_async_t handle;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_async_init(&loop, &handle, NULL));
  ASSERT_OK(uv_thread_create(&thread, post_to_loop, NULL));
  while (calls == 0) {
    ASSERT_GE(uvx_backend_process(&loop, -1), 0);
    ASSERT_NE(0, uvx_backend_dispatch(&loop));
  }
  ASSERT_OK(uv_thread_join(&thread));
  ASSERT_EQ(1, calls);
  test_close_loop(&loop);
  return 0;
}

/* The loop is closed and freed right after the last callback, while its sender
 * may still be on its way out. */
#define LIVES 500

static uv_async_t* kept;

static void on_last(uvx_post_t* post) {
  (void) post;
  calls++;
  uv_close((uv_handle_t*) kept, NULL);
}

static void post_the_last(void* arg) {
  uvx_post_t* post = arg;

  ASSERT_OK(uvx_post(post->data, post, on_last));
}

TEST_IMPL(post_loop_is_freed_after_the_last) {
  for (int i = 0; i < LIVES; i++) {
    uv_thread_t thread;
    uvx_post_t post;
    uv_async_t handle;
    uv_loop_t* own = malloc(sizeof(*own));

    ASSERT_NOT_NULL(own);
    ASSERT_OK(uv_loop_init(own));
    ASSERT_OK(uv_async_init(own, &handle, NULL));
    kept = &handle;
    post.data = own;
    ASSERT_OK(uv_thread_create(&thread, post_the_last, &post));
    ASSERT_EQ(0, uv_run(own, UV_RUN_DEFAULT));
    ASSERT_OK(uv_loop_close(own));
    free(own);
    ASSERT_OK(uv_thread_join(&thread));
  }
  ASSERT_EQ(LIVES, calls);
  return 0;
}

/* Two loops post to each other; neither has anything else but a handle. */
#define TRIPS 20000

static uv_loop_t sides[2];
static uv_async_t holds[2];
static int trips;

static void on_ball(uvx_post_t* ball) {
  int side = ball->loop == &sides[1];

  if (++trips >= TRIPS)
    uv_close((uv_handle_t*) &holds[side], NULL);
  if (trips <= TRIPS)
    ASSERT_OK(uvx_post(&sides[!side], ball, on_ball));
}

static void run_side(void* arg) {
  ASSERT_EQ(0, uv_run(arg, UV_RUN_DEFAULT));
}

TEST_IMPL(post_back_and_forth) {
  uv_thread_t thread;
  uvx_post_t ball;

  for (int i = 0; i < 2; i++) {
    ASSERT_OK(uv_loop_init(&sides[i]));
    ASSERT_OK(uv_async_init(&sides[i], &holds[i], NULL));
  }
  ASSERT_OK(uv_thread_create(&thread, run_side, &sides[1]));
  ASSERT_OK(uvx_post(&sides[0], &ball, on_ball));
  run_side(&sides[0]);
  ASSERT_OK(uv_thread_join(&thread));
  ASSERT_EQ(TRIPS + 1, trips);
  for (int i = 0; i < 2; i++)
    ASSERT_OK(uv_loop_close(&sides[i]));
  return 0;
}
