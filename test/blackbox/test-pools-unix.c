/* SPDX-License-Identifier: MIT */
/* Pools of the program's own, and fork() and exit(). */
#include "ignore.h"
#include "test.h"
#include "uv/ext.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static uv_loop_t loop;
static uvx_pool_t* pool;
static uv_work_t works[4];
static uv_sem_t begun;
static uv_sem_t go_on;
static int ndone;

static void block(uv_work_t* req) {
  (void) req;
  uv_sem_post(&begun);
  uv_sem_wait(&go_on);
}

static void after(uv_work_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  ndone++;
}

static void queue(int i, uv_work_cb work_cb) {
  ASSERT_OK(uvx_queue_work(pool, &loop, &works[i], work_cb, after));
}

static void begin(void) {
  uvx_pool_options_t options = { .size = sizeof(options), .threads = 1 };

  ASSERT_OK(uv_sem_init(&begun, 0));
  ASSERT_OK(uv_sem_init(&go_on, 0));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uvx_pool_new(&pool, &options));
}

static pid_t fork_with_limit(void) {
  fflush(NULL);
  pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0)
    alarm(8); /* a child that hangs must not outlive the test */
  return pid;
}

static void expect_success(pid_t pid) {
  int status;

  ASSERT_EQ(pid, waitpid(pid, &status, 0));
  ASSERT_EQ(0, status);
}

/* The child has the pool without threads and items: what it queues runs there,
 * and it can be freed. What the parent queued cannot be cancelled there. */
static void use_in_child(void) {
  static uv_loop_t own;
  static uv_work_t work;

  ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) &works[0]));
  ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) &works[1]));
  ASSERT_OK(uv_loop_init(&own));
  ASSERT_OK(uvx_queue_work(pool, &own, &work, ignore_work, after));
  ASSERT_EQ(0, uv_run(&own, UV_RUN_DEFAULT));
  ASSERT_EQ(1, ndone);
  ASSERT_OK(uvx_pool_free(pool));
  ASSERT_OK(uv_loop_close(&own));
  _exit(0);
}

TEST_IMPL(pools_after_a_fork) {
  if (TEST_FORK_IS_UNSAFE)
    SKIP(FORK_IS_UNSAFE);
  begin();
  queue(0, block);
  queue(1, block);
  uv_sem_wait(&begun);
  pid_t pid = fork_with_limit();
  if (pid == 0)
    use_in_child();
  expect_success(pid);
  uv_sem_post(&go_on);
  uv_sem_post(&go_on);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(2, ndone);
  ASSERT_OK(uvx_pool_free(pool));
  test_close_loop(&loop);
  return 0;
}

/* A callback that forks: the child reports the rest of the batch, which does
 * not touch the pool that it has freed. */
static int is_child;

static void free_in_child(uv_work_t* req, int status) {
  after(req, status);
  pid_t pid = fork_with_limit();
  if (pid != 0) {
    expect_success(pid);
    return;
  }
  is_child = 1;
  ASSERT_OK(uvx_pool_free(pool));
}

TEST_IMPL(pools_freed_in_the_child_of_a_callback) {
  if (TEST_FORK_IS_UNSAFE)
    SKIP(FORK_IS_UNSAFE);
  begin();
  ASSERT_OK(uvx_queue_work(pool, &loop, &works[0], ignore_work, free_in_child));
  queue(1, ignore_work);
  queue(2, block);
  uv_sem_wait(&begun); /* the first two are done */
  (void) uv_run(&loop, UV_RUN_NOWAIT);
  if (is_child) {
    ASSERT_EQ(2, ndone);
    _exit(0);
  }
  uv_sem_post(&go_on);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(3, ndone);
  ASSERT_OK(uvx_pool_free(pool));
  test_close_loop(&loop);
  return 0;
}

static void fail(uv_work_t* req) {
  (void) req;
  _exit(3);
}

static void go_on_later(uv_work_t* req) {
  (void) req;
  uv_sem_post(&begun);
  uv_sleep(20);
}

/* exit() waits for the function that runs, and drops what is queued. */
TEST_IMPL(pools_exit_drops_what_is_queued) {
  pid_t pid = fork_with_limit();

  if (pid == 0) {
    begin();
    queue(0, go_on_later);
    uv_sem_wait(&begun);
    queue(1, fail);
    queue(2, fail);
    exit(0);
  }
  expect_success(pid);
  return 0;
}
