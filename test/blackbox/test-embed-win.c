/* SPDX-License-Identifier: MIT */
/* Programs that embed a loop in another event loop: one of their threads takes
 * packets off the loop's completion port and posts them again, as Electron
 * does. What was sent must still reach the loop. */
#include "ignore.h"
#include "test.h"

#define SENDS 20
#define PATIENCE_MS 5000

static uv_loop_t loop;
static uv_sem_t go;
static uv_sem_t polled;
static int polls;
static int calls;

/* Like Electron's: a packet without an OVERLAPPED is taken for a timeout. */
static void poll_thread(void* arg) {
  (void) arg;
  for (int i = 0; i < polls; i++) {
    DWORD bytes;
    ULONG_PTR key;
    OVERLAPPED* overlapped = NULL;

    uv_sem_wait(&go);
    GetQueuedCompletionStatus(loop.iocp, &bytes, &key, &overlapped,
                              PATIENCE_MS);
    ASSERT_NOT_NULL(overlapped);
    ASSERT(PostQueuedCompletionStatus(loop.iocp, bytes, key, overlapped));
    uv_sem_post(&polled);
  }
}

static void on_async(uv_async_t* handle) {
  (void) handle;
  calls++;
}

static void start_polling(uv_thread_t* thread, int count) {
  polls = count;
  ASSERT_OK(uv_sem_init(&go, 0));
  ASSERT_OK(uv_sem_init(&polled, 0));
  ASSERT_OK(uv_thread_create(thread, poll_thread, NULL));
}

static void stop_polling(uv_thread_t* thread) {
  ASSERT_OK(uv_thread_join(thread));
  uv_sem_destroy(&go);
  uv_sem_destroy(&polled);
  test_close_loop(&loop);
}

TEST_IMPL(embed_reposted_wakeups_arrive) {
  uv_async_t async;
  uv_thread_t thread;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_async_init(&loop, &async, on_async));
  start_polling(&thread, SENDS);
  for (int i = 0; i < SENDS; i++) {
    uv_sem_post(&go);
    ASSERT_OK(uv_async_send(&async));
    uv_sem_wait(&polled);
    uv_run(&loop, UV_RUN_NOWAIT);
    ASSERT_EQ(i + 1, calls);
  }
  stop_polling(&thread);
  return 0;
}

/* The thread holds the packet while the loop runs and gets another send. It is
 * merged with the first, so the packet that returns must cover both. */
TEST_IMPL(embed_wakeup_held_while_the_loop_runs) {
  uv_async_t async;
  DWORD bytes;
  ULONG_PTR key;
  OVERLAPPED* overlapped = NULL;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_async_init(&loop, &async, on_async));
  for (int i = 0; i < SENDS; i++) {
    ASSERT_OK(uv_async_send(&async));
    GetQueuedCompletionStatus(loop.iocp, &bytes, &key, &overlapped,
                              PATIENCE_MS);
    ASSERT_NOT_NULL(overlapped);
    uv_run(&loop, UV_RUN_NOWAIT);
    ASSERT_OK(uv_async_send(&async));
    ASSERT(PostQueuedCompletionStatus(loop.iocp, bytes, key, overlapped));
    uv_run(&loop, UV_RUN_ONCE);
    ASSERT_EQ(i + 1, calls);
    uv_run(&loop, UV_RUN_NOWAIT);
    ASSERT_EQ(i + 1, calls);
  }
  test_close_loop(&loop);
  return 0;
}

static void on_worked(uv_work_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  calls++;
}

TEST_IMPL(embed_reposted_work_arrives) {
  uv_work_t req;
  uv_thread_t thread;

  ASSERT_OK(uv_loop_init(&loop));
  start_polling(&thread, SENDS);
  for (int i = 0; i < SENDS; i++) {
    ASSERT_OK(uv_queue_work(&loop, &req, ignore_work, on_worked));
    uv_sem_post(&go);
    uv_sem_wait(&polled);
    uv_run(&loop, UV_RUN_NOWAIT);
    ASSERT_EQ(i + 1, calls);
  }
  stop_polling(&thread);
  return 0;
}
