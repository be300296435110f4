/* SPDX-License-Identifier: MIT */
/* Mistakes that no function can return end the process at once. Method: the
 * mistake is made in a child, which must die of SIGABRT. */
#include "ignore.h"
#include "test.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child's message on standard error is of no interest. */
static void check_aborts(void (*mistake)(void)) {
  struct rlimit no_core = { 0, 0 };
  int status;
  pid_t pid = fork();

  ASSERT_GE(pid, 0);
  if (pid == 0) {
    (void) setrlimit(RLIMIT_CORE, &no_core);
    close(2);
    mistake();
    _exit(0);
  }
  ASSERT_EQ(pid, waitpid(pid, &status, 0));
  ASSERT(WIFSIGNALED(status));
  ASSERT_EQ(SIGABRT, WTERMSIG(status));
}

/* One more than a semaphore can count. */
static void post_too_often(void) {
  uv_sem_t sem;

  if (uv_sem_init(&sem, 0x7fffffff) == 0)
    uv_sem_post(&sem);
}

static void close_what_is_no_handle(void) {
  uv_handle_t handle;
  uv_loop_t loop;

  memset(&handle, 0, sizeof(handle));
  if (uv_loop_init(&loop) != 0)
    return;
  handle.loop = &loop;
  uv_close(&handle, NULL);
}

static void delete_twice(void) {
  uv_key_t key;

  if (uv_key_create(&key) != 0)
    return;
  uv_key_delete(&key);
  uv_key_delete(&key);
}

static void destroy_locked(void) {
  uv_mutex_t lock;

  if (uv_mutex_init(&lock) != 0)
    return;
  uv_mutex_lock(&lock);
  uv_mutex_destroy(&lock);
}

static uv_sem_t never;

static void wait_for_ever(uv_work_t* req) {
  (void) req;
  uv_sem_wait(&never);
}

/* While all workers are busy, so that it is certainly still queued. */
static void submit_twice(void) {
  static uv_work_t blockers[4];
  static uv_work_t work;
  uv_loop_t loop;

  if (uv_loop_init(&loop) != 0 || uv_sem_init(&never, 0) != 0)
    return;
  for (int i = 0; i < 4; i++)
    if (uv_queue_work(&loop, &blockers[i], wait_for_ever, NULL) != 0)
      return;
  if (uv_queue_work(&loop, &work, ignore_work, NULL) != 0 ||
      uv_queue_work(&loop, &work, ignore_work, NULL) != 0)
    return;
  for (int i = 0; i < 4; i++)
    uv_sem_post(&never);
  uv_run(&loop, UV_RUN_DEFAULT);
}

TEST_IMPL(misuse_request_submitted_twice_aborts) {
  ASSERT_OK(uv_os_setenv("UV_THREADPOOL_SIZE", "4"));
  check_aborts(submit_twice);
  return 0;
}

TEST_IMPL(misuse_of_a_semaphore_aborts) {
  check_aborts(post_too_often);
  return 0;
}

TEST_IMPL(misuse_close_of_no_handle_aborts) {
  check_aborts(close_what_is_no_handle);
  return 0;
}

TEST_IMPL(misuse_of_locks_and_keys_aborts) {
#ifdef __GLIBC__
  if (TEST_TSAN)
    SKIP("ThreadSanitizer reports it first");
  check_aborts(delete_twice);
  check_aborts(destroy_locked);
  return 0;
#else
  (void) delete_twice;
  (void) destroy_locked;
  SKIP("this C library does not tell of it");
#endif
}
