/* SPDX-License-Identifier: MIT */
/* A thread that pthread_cancel() is about to end, inside the library: what it
 * has begun there is done. The thread is cancelled before the call, so it would
 * end at the first point of cancellation. */
#include "test.h"

#include <pthread.h>
#include <signal.h>

static uv_loop_t loop;
static uv_signal_t handle;
static uv_async_t async;
static uv_sem_t ready;
static uv_sem_t cancelled;
static int signals;
static int sends;

static void on_signal(uv_signal_t* h, int signum) {
  ASSERT_PTR_EQ(h, &handle);
  ASSERT_EQ(SIGUSR1, signum);
  signals++;
  ASSERT_OK(uv_signal_stop(h));
}

static void on_async(uv_async_t* h) {
  sends++;
  uv_close((uv_handle_t*) h, NULL);
}

/* Neither waiting for a semaphore with cancellation disabled nor enabling it is
 * a point of cancellation. */
static void wait_until_cancelled(void) {
  int saved;

  ASSERT_EQ(0, pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &saved));
  uv_sem_post(&ready);
  uv_sem_wait(&cancelled);
  ASSERT_EQ(0, pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &saved));
}

static void* take_a_signal(void* arg) {
  (void) arg;
  wait_until_cancelled();
  ASSERT_EQ(0, pthread_kill(pthread_self(), SIGUSR1));
  pthread_testcancel();
  return NULL;
}

static void* send_async(void* arg) {
  (void) arg;
  wait_until_cancelled();
  (void) uv_async_send(&async);
  pthread_testcancel();
  return NULL;
}

static void run_cancelled(void* (*entry)(void*) ) {
  pthread_t thread;
  void* result;

  ASSERT_OK(uv_sem_init(&ready, 0));
  ASSERT_OK(uv_sem_init(&cancelled, 0));
  ASSERT_EQ(0, pthread_create(&thread, NULL, entry, NULL));
  uv_sem_wait(&ready);
  ASSERT_EQ(0, pthread_cancel(thread));
  uv_sem_post(&cancelled);
  ASSERT_EQ(0, pthread_join(thread, &result));
  ASSERT_PTR_EQ(PTHREAD_CANCELED, result);
  uv_sem_destroy(&ready);
  uv_sem_destroy(&cancelled);
}

/* uv_signal_stop() waits for handlers that are running: it waited for ever. */
TEST_IMPL(thread_cancelled_in_a_signal_handler) {
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_signal_init(&loop, &handle));
  ASSERT_OK(uv_signal_start(&handle, on_signal, SIGUSR1));
  run_cancelled(take_a_signal);
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, signals);
  test_close_loop(&loop);
  return 0;
}

/* The loop was never woken. */
TEST_IMPL(thread_cancelled_in_a_send) {
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_async_init(&loop, &async, on_async));
  run_cancelled(send_async);
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, sends);
  test_close_loop(&loop);
  return 0;
}
