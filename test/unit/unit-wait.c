/* SPDX-License-Identifier: MIT */
/* Waiting for a thread of lower priority on the same processor: it has to run.
 *
 * An ordinary thread holds something and is preempted by one of SCHED_FIFO that
 * needs it. Yielding would not help: the one that waits would use its processor
 * until the kernel takes it away, which is most of a second. The test counts
 * the processor time of the wait, which does not depend on other load. */
#include "unit.h"

#include "loop/state.h"
#include "os/async.h"
#include "unix/signal.h"
#include "util/atomic.h"
#include "util/fork-lock.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#define CPU_MASK_SIZE 4096
#define LIMIT_NS 100000000

struct held {
  void (*hold)(void);
  void (*release)(void);
  void (*wait)(void); /* until it is released */
};

static const struct held* held;
static uv_loop_t loop;
static uv_signal_t handle;
static struct uv__fork_lock lock;
static uv_sem_t is_ready;
static uv_sem_t is_held;
static int64_t waited_ns;
static int err_fifo;

static void hold_lock(void) {
  (void) uv__fork_lock(&lock);
}

static void release_lock(void) {
  uv__fork_unlock(&lock);
}

static void wait_lock(void) {
  (void) uv__fork_lock(&lock);
  uv__fork_unlock(&lock);
}

/* A signal handler that is running. */
static void hold_handler(void) {
  uv__fetch_add(&uv__signal_slots[SIGUSR1].in_flight, 1);
}

static void release_handler(void) {
  uv__fetch_sub(&uv__signal_slots[SIGUSR1].in_flight, 1);
}

static void wait_handler(void) {
  CHECK_EQ(0, uv_signal_stop(&handle));
}

/* A sender that has not left the loop. */
static void hold_send(void) {
  uv__fetch_add(&uv__loop_state(&loop)->shared.busy, 1);
}

static void release_send(void) {
  uv__fetch_sub(&uv__loop_state(&loop)->shared.busy, 1);
}

static void wait_send(void) {
  uv__async_os_close_loop(&loop);
}

static const struct held of_lock = { hold_lock, release_lock, wait_lock };
static const struct held of_handler = { hold_handler, release_handler,
                                        wait_handler };
static const struct held of_send = { hold_send, release_send, wait_send };

static void on_signal(uv_signal_t* h, int signum) {
  (void) h;
  CHECK_EQ(0, signum); /* nobody sends it */
}

static int64_t thread_time_ns(void) {
  struct timespec now;

  CHECK_EQ(0, clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now));
  return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Waits at a higher priority. */
static void run_waiter(void* arg) {
  struct sched_param param = { 0 };

  (void) arg;
  param.sched_priority = sched_get_priority_min(SCHED_FIFO);
  err_fifo = pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
  uv_sem_post(&is_ready);
  if (err_fifo != 0)
    return;
  uv_sem_wait(&is_held);
  int64_t before_ns = thread_time_ns();
  held->wait();
  waited_ns = thread_time_ns() - before_ns;
}

/* The post wakes the other thread, which takes the processor at once. */
static void run_holder(void* arg) {
  (void) arg;
  held->hold();
  uv_sem_post(&is_held);
  held->release();
}

/* All threads that are started from now on share one processor. */
static void use_one_processor(void) {
  static char mask[CPU_MASK_SIZE];
  uv_thread_t self = uv_thread_self();
  int size = uv_cpumask_size();

  if (size < 0)
    SKIP("this system does not bind threads to processors");
  CHECK(size <= CPU_MASK_SIZE);
  CHECK_EQ(0, uv_thread_getaffinity(&self, mask, (size_t) size));
  int first = 0;
  while (!mask[first])
    first++;
  for (int i = first + 1; i < size; i++)
    mask[i] = 0;
  CHECK_EQ(0, uv_thread_setaffinity(&self, mask, NULL, (size_t) size));
}

static void check_wait(const struct held* what) {
  uv_thread_t waiter;
  uv_thread_t holder;

  held = what;
  use_one_processor();
  CHECK_EQ(0, uv_loop_init(&loop));
  CHECK_EQ(0, uv_signal_init(&loop, &handle));
  CHECK_EQ(0, uv_signal_start(&handle, on_signal, SIGUSR1));
  CHECK_EQ(0, uv_sem_init(&is_ready, 0));
  CHECK_EQ(0, uv_sem_init(&is_held, 0));
  CHECK_EQ(0, uv_thread_create(&waiter, run_waiter, NULL));
  uv_sem_wait(&is_ready); /* it runs on until it waits, too */
  CHECK_EQ(0, uv_thread_create(&holder, run_holder, NULL));
  CHECK_EQ(0, uv_thread_join(&holder));
  CHECK_EQ(0, uv_thread_join(&waiter));
  if (err_fifo != 0)
    SKIP("this user may not raise priorities (SCHED_FIFO)");
  CHECK(waited_ns < LIMIT_NS);
  uv_close((uv_handle_t*) &handle, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  CHECK_EQ(0, uv_loop_close(&loop));
  uv_sem_destroy(&is_ready);
  uv_sem_destroy(&is_held);
}

UNIT_TEST(wait_lets_the_holder_of_a_lock_run) {
  check_wait(&of_lock);
}

UNIT_TEST(wait_lets_a_signal_handler_run) {
  check_wait(&of_handler);
}

UNIT_TEST(wait_lets_a_sender_run) {
  check_wait(&of_send);
}
