/* SPDX-License-Identifier: MIT */
/* What a program gets from the threads of the pool: items that wait for each
 * other, and many cancelled ones. */
#include "test.h"

#define WAITERS 4
#define QUEUED 20000

static uv_loop_t loop;
static uv_barrier_t barrier;
static uv_sem_t passed;
static int done;
static int cancelled;

static void wait_for_others(uv_work_t* req) {
  (void) req;
  uv_barrier_wait(&barrier);
  uv_sem_post(&passed);
}

static void on_done(uv_work_t* req, int status) {
  (void) req;
  if (status == UV_ECANCELED)
    cancelled++;
  else
    done++;
}

/* Four items wait for each other, and the loop's thread for all of them: they
 * run at the same time although the loop never comes back. */
TEST_IMPL(work_items_wait_for_each_other) {
  uv_work_t reqs[WAITERS];

  ASSERT_OK(uv_barrier_init(&barrier, WAITERS));
  ASSERT_OK(uv_sem_init(&passed, 0));
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < WAITERS; i++)
    ASSERT_OK(uv_queue_work(&loop, &reqs[i], wait_for_others, on_done));
  for (int i = 0; i < WAITERS; i++)
    uv_sem_wait(&passed);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(WAITERS, done);
  uv_sem_destroy(&passed);
  uv_barrier_destroy(&barrier);
  test_close_loop(&loop);
  return 0;
}

static void hold(uv_work_t* req) {
  (void) req;
  uv_sem_wait(&passed);
}

/* With all threads busy, every queued item can be cancelled, newest first. This
 * took seconds when a cancel walked along the queue. */
TEST_IMPL(work_cancel_many_newest_first) {
  static uv_work_t holders[WAITERS];
  static uv_work_t reqs[QUEUED];

  ASSERT_OK(uv_os_setenv("UV_THREADPOOL_SIZE", "4"));
  ASSERT_OK(uv_sem_init(&passed, 0));
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < WAITERS; i++)
    ASSERT_OK(uv_queue_work(&loop, &holders[i], hold, on_done));
  for (int i = 0; i < QUEUED; i++)
    ASSERT_OK(uv_queue_work(&loop, &reqs[i], hold, on_done));
  for (int i = QUEUED - 1; i >= 0; i--)
    ASSERT_OK(uv_cancel((uv_req_t*) &reqs[i]));
  for (int i = 0; i < WAITERS; i++)
    uv_sem_post(&passed);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(WAITERS, done);
  ASSERT_EQ(QUEUED, cancelled);
  uv_sem_destroy(&passed);
  test_close_loop(&loop);
  return 0;
}
