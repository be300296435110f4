/* SPDX-License-Identifier: MIT */
/* uvx_post() where only Unix can: in signal handlers, and across a fork. */
#include "test.h"
#include "uv/ext.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

/* A signal handler that interrupts posting threads posts as well: the post it
 * interrupted is half queued, and the loop must not lose its rest. */
#define THREADS 2
#define SLOTS 64

struct signal_post {
  uvx_post_t post;
  int is_busy; /* atomic: the library's */
};

static uv_loop_t loop;
static uv_async_t keep;
static struct signal_post slots[SLOTS];
static int posted_by_signals; /* atomic */
static int called_by_signals;
static int called_by_threads;
static int threads_left = THREADS;
static int per_thread;

static void on_signal_post(uvx_post_t* post) {
  struct signal_post* slot = (struct signal_post*) post;

  called_by_signals++;
  __atomic_store_n(&slot->is_busy, 0, __ATOMIC_RELEASE);
}

static void post_from_handler(int signum) {
  (void) signum;
  for (int i = 0; i < SLOTS; i++) {
    if (__atomic_exchange_n(&slots[i].is_busy, 1, __ATOMIC_ACQUIRE) != 0)
      continue;
    if (uvx_post(&loop, &slots[i].post, on_signal_post) != 0)
      abort();
    __atomic_fetch_add(&posted_by_signals, 1, __ATOMIC_RELAXED);
    return;
  }
}

static void on_thread_post(uvx_post_t* post) {
  called_by_threads++;
  free(post);
}

static void on_thread_end(uvx_post_t* post) {
  free(post);
  if (--threads_left == 0)
    uv_close((uv_handle_t*) &keep, NULL);
}

static void post_often(void* arg) {
  (void) arg;
  for (int i = 0; i <= per_thread; i++) {
    uvx_post_t* post = malloc(sizeof(*post));
    ASSERT_NOT_NULL(post);
    ASSERT_OK(
        uvx_post(&loop, post, i < per_thread ? on_thread_post : on_thread_end));
  }
}

static void set_alarm(long us) {
  struct itimerval interval;

  interval.it_interval.tv_sec = 0;
  interval.it_interval.tv_usec = us;
  interval.it_value = interval.it_interval;
  ASSERT_EQ(0, setitimer(ITIMER_REAL, &interval, NULL));
}

TEST_IMPL(post_from_signal_handlers) {
  uv_thread_t threads[THREADS];
  struct sigaction action;

  per_thread = test_is_slow() ? 5000 : 200000;
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_async_init(&loop, &keep, NULL));
  memset(&action, 0, sizeof(action));
  action.sa_handler = post_from_handler;
  action.sa_flags = SA_RESTART;
  ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
  for (int i = 0; i < THREADS; i++)
    ASSERT_OK(uv_thread_create(&threads[i], post_often, NULL));
  set_alarm(100);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  set_alarm(0);
  for (int i = 0; i < THREADS; i++)
    ASSERT_OK(uv_thread_join(&threads[i]));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(THREADS * per_thread, called_by_threads);
  ASSERT_EQ(posted_by_signals, called_by_signals);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* What is queued at a fork is the parent's: the child starts with nothing, and
 * can post itself. */
static int calls;

static void on_count(uvx_post_t* post) {
  (void) post;
  calls++;
}

static void run_child(uvx_post_t* post) {
  ASSERT_OK(uv_loop_fork(&loop));
  ASSERT(!uv_loop_alive(&loop));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(0, calls);
  ASSERT_OK(uvx_post(&loop, post, on_count));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, calls);
  ASSERT_OK(uv_loop_close(&loop));
}

TEST_IMPL(post_fork_empties_the_queue_of_the_child) {
  uvx_post_t posts[2];

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uvx_post(&loop, &posts[0], on_count));
  ASSERT_OK(uvx_post(&loop, &posts[1], on_count));
  pid_t pid = test_fork();
  if (pid == 0) {
    run_child(&posts[0]);
    test_exit_bare(0);
  }
  ASSERT_EQ(0, test_wait_child(pid));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(2, calls);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}
