/* SPDX-License-Identifier: MIT */
/* Managed loops: one beginning and one end for all, and no post lost in
 * between. Method: each loop notes what it calls. */
#include "test.h"
#include "uv/ext.h"

#define LOOPS 8

static uvx_loops_t* loops;
static uvx_loops_options_t options;

static void make_loops(unsigned count) {
  options.size = sizeof(options);
  options.count = count;
  ASSERT_OK(uvx_loops_new(&loops, &options));
}

/* Start functions run on their loop's thread in the order of addition, when all
 * threads exist; end functions likewise. */
static char notes[LOOPS][16];
static int started; /* atomic */

static void note(uv_loop_t* loop, void* arg) {
  int index = uvx_loop_index(loop);

  ASSERT_GE(index, 0);
  ASSERT_PTR_EQ(loop, uvx_loop_current());
  ASSERT_PTR_EQ(loop, uvx_loops_get(loops, (unsigned) index));
  strcat(notes[index], arg);
}

static void shut_down_as_last(uv_loop_t* loop, void* arg) {
  (void) loop;
  (void) arg;
  if (__atomic_add_fetch(&started, 1, __ATOMIC_RELAXED) == LOOPS)
    uvx_loops_shutdown(loops);
}

TEST_IMPL(loops_start_and_end_in_order) {
  make_loops(LOOPS);
  ASSERT_EQ(LOOPS, uvx_loops_count(loops));
  ASSERT_NULL(uvx_loops_get(loops, LOOPS));
  uv_loop_t* third = uvx_loops_get(loops, 3);
  ASSERT_OK(uvx_loops_on_start(loops, NULL, note, "a"));
  ASSERT_OK(uvx_loops_on_start(loops, third, note, "b"));
  ASSERT_OK(uvx_loops_on_start(loops, NULL, note, "c"));
  ASSERT_OK(uvx_loops_on_start(loops, NULL, shut_down_as_last, NULL));
  ASSERT_OK(uvx_loops_on_end(loops, NULL, note, "d"));
  ASSERT_OK(uvx_loops_on_end(loops, third, note, "e"));
  ASSERT_NULL(uvx_loop_current());
  ASSERT_OK(uvx_loops_run(loops));
  ASSERT_NULL(uvx_loop_current());
  for (int i = 0; i < LOOPS; i++)
    ASSERT_STR_EQ(i == 3 ? "abcde" : "acd", notes[i]);
  ASSERT_ERR(UV_EBUSY, uvx_loops_run(loops));
  ASSERT_ERR(UV_EBUSY, uvx_loops_on_start(loops, NULL, note, ""));
  ASSERT_OK(uvx_loops_free(loops));
  return 0;
}

TEST_IMPL(loops_bad_arguments) {
  uv_loop_t plain;

  ASSERT_ERR(UV_EINVAL, uvx_loops_new(NULL, NULL));
  ASSERT_ERR(UV_EINVAL, uvx_loops_new(&loops, &options)); /* size 0 */
  options.size = sizeof(options);
  options.flags = 0x1000;
  ASSERT_ERR(UV_EINVAL, uvx_loops_new(&loops, &options));
  options.flags = 0;
  options.count = 1000000;
  ASSERT_ERR(UV_EINVAL, uvx_loops_new(&loops, &options));
  ASSERT_ERR(UV_EINVAL, uvx_loops_run(NULL));
  ASSERT_OK(uvx_loops_free(NULL));

  ASSERT_OK(uv_loop_init(&plain));
  ASSERT_ERR(UV_EINVAL, uvx_loop_index(&plain));
  ASSERT_ERR(UV_EINVAL, uvx_loop_index(NULL));
  ASSERT_OK(uvx_loops_new(&loops, NULL));
  ASSERT_EQ(uv_available_parallelism(), uvx_loops_count(loops));
  ASSERT_ERR(UV_EINVAL, uvx_loops_on_start(loops, NULL, NULL, NULL));
  ASSERT_ERR(UV_EINVAL, uvx_loops_on_start(loops, &plain, note, NULL));
  ASSERT_ERR(UV_EINVAL, uvx_loops_on_end(NULL, NULL, note, NULL));
  ASSERT_OK(uvx_loops_free(loops));
  ASSERT_OK(uv_loop_close(&plain));
  return 0;
}

TEST_IMPL(loops_are_not_closed_by_hand) {
  make_loops(2);
  ASSERT_ERR(UV_EBUSY, uv_loop_close(uvx_loops_get(loops, 1)));
  ASSERT(uv_loop_alive(uvx_loops_get(loops, 1)));
  ASSERT_OK(uvx_loops_free(loops));
  return 0;
}

/* A ring of posts that begins with the end functions: each goes on until its
 * hops are used up, although most loops have nothing else to do by then. */
#define HOPS 2000

struct ball {
  uvx_post_t post;
  int left;
};

static struct ball balls[LOOPS];
static int calls[LOOPS];

static void pass_on(uvx_post_t* post) {
  struct ball* ball = (struct ball*) post;
  unsigned index = (unsigned) uvx_loop_index(post->loop);

  ASSERT_PTR_EQ(post->loop, uvx_loop_current());
  calls[index]++;
  if (--ball->left > 0)
    ASSERT_OK(
        uvx_post(uvx_loops_get(loops, (index + 1) % LOOPS), post, pass_on));
}

static void throw_ball(uv_loop_t* loop, void* arg) {
  int index = uvx_loop_index(loop);

  (void) arg;
  balls[index].left = HOPS;
  ASSERT_OK(uvx_post(loop, &balls[index].post, pass_on));
}

TEST_IMPL(loops_shutdown_loses_no_post) {
  for (int i = 0; i < 10; i++) {
    memset(calls, 0, sizeof(calls));
    make_loops(LOOPS);
    ASSERT_OK(uvx_loops_on_end(loops, NULL, throw_ball, NULL));
    uvx_loops_shutdown(loops);
    uvx_loops_shutdown(loops);
    ASSERT_OK(uvx_loops_run(loops));
    for (int k = 0; k < LOOPS; k++)
      ASSERT_EQ(HOPS, calls[k]);
    ASSERT_OK(uvx_loops_free(loops));
  }
  return 0;
}

/* A thread that posts for ever learns that the loops have ended, and every post
 * that was taken is called. */
static int accepted;
static int called;

static void on_stranger(uvx_post_t* post) {
  called++;
  free(post);
}

static void post_for_ever(void* arg) {
  unsigned i = 0;

  (void) arg;
  for (;;) {
    uvx_post_t* post = malloc(sizeof(*post));
    ASSERT_NOT_NULL(post);
    /* One loop has all of the calls: they need no lock. */
    int err = uvx_post(uvx_loops_get(loops, 1), post, on_stranger);
    if (err != 0) {
      ASSERT_ERR(UV_ECANCELED, err);
      free(post);
      return;
    }
    if (++accepted == 1000)
      uvx_loops_shutdown(loops);
    if (++i % 64 == 0)
      uv_sleep(1); /* the end needs a moment in which nothing is queued */
  }
}

TEST_IMPL(loops_refuse_posts_when_they_have_ended) {
  uv_thread_t thread;

  make_loops(3);
  ASSERT_OK(uv_thread_create(&thread, post_for_ever, NULL));
  ASSERT_OK(uvx_loops_run(loops));
  ASSERT_OK(uv_thread_join(&thread));
  ASSERT_OK(uvx_loops_free(loops));
  ASSERT_GE(accepted, 1000);
  ASSERT_EQ(accepted, called);
  return 0;
}

/* uv_stop() ends an iteration; a timer of the loop goes on. */
static uv_timer_t timer;
static int ticks;

static void on_tick(uv_timer_t* handle) {
  uv_stop(handle->loop);
  if (++ticks < 20)
    return;
  uv_close((uv_handle_t*) handle, NULL);
  uvx_loops_shutdown(loops);
}

static void start_timer(uv_loop_t* loop, void* arg) {
  (void) arg;
  ASSERT_OK(uv_timer_init(loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, on_tick, 1, 1));
}

TEST_IMPL(loops_go_on_after_a_stop) {
  make_loops(2);
  ASSERT_OK(
      uvx_loops_on_start(loops, uvx_loops_get(loops, 1), start_timer, NULL));
  ASSERT_OK(uvx_loops_run(loops));
  ASSERT_EQ(20, ticks);
  ASSERT_OK(uvx_loops_free(loops));
  return 0;
}

/* options.main is loop 0 and belongs to the program again in the end. */
TEST_IMPL(loops_with_a_loop_of_the_program) {
  uv_loop_t own;

  ASSERT_OK(uv_loop_init(&own));
  options.main = &own;
  make_loops(2);
  ASSERT_PTR_EQ(&own, uvx_loops_get(loops, 0));
  ASSERT_ERR(UV_EBUSY, uv_loop_close(&own));
  ASSERT_ERR(UV_EINVAL, uvx_loops_new(&loops, &options));
  uvx_loops_shutdown(loops);
  ASSERT_OK(uvx_loops_run(loops));
  ASSERT_OK(uvx_loops_free(loops));
  ASSERT_ERR(UV_EINVAL, uvx_loop_index(&own));

  uvx_post_t* post = malloc(sizeof(*post));
  ASSERT_NOT_NULL(post);
  ASSERT_OK(uvx_post(&own, post, on_stranger));
  ASSERT_EQ(0, uv_run(&own, UV_RUN_DEFAULT));
  ASSERT_EQ(1, called);
  ASSERT_OK(uv_loop_close(&own));
  return 0;
}

/* A handle that nobody closed keeps the loops; closing it frees them. */
static uv_timer_t forgotten;

static void forget_timer(uv_loop_t* loop, void* arg) {
  (void) arg;
  ASSERT_OK(uv_timer_init(loop, &forgotten));
  uvx_loops_shutdown(loops);
}

TEST_IMPL(loops_free_says_what_is_left) {
  make_loops(2);
  uv_loop_t* second = uvx_loops_get(loops, 1);
  ASSERT_OK(uvx_loops_on_start(loops, second, forget_timer, NULL));
  ASSERT_OK(uvx_loops_run(loops));
  ASSERT_ERR(UV_EBUSY, uvx_loops_free(loops));
  uv_close((uv_handle_t*) &forgotten, NULL);
  ASSERT_EQ(0, uv_run(second, UV_RUN_DEFAULT));
  ASSERT_OK(uvx_loops_free(loops));
  return 0;
}
