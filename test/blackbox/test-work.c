/* SPDX-License-Identifier: MIT */
/* uv_queue_work() and uv_cancel(): cancelling twice, submitting twice, and a
 * pool with more work than processors or that is shut down. */
#include "ignore.h"
#include "test.h"

#if TEST_POSIX
# include <fcntl.h>
# include <signal.h>
# include <sys/resource.h>
# include <sys/wait.h>
# include <unistd.h>
#endif

#define WORKERS 4 /* the default */

static uv_loop_t loop;
static uv_work_t blockers[WORKERS];
static uv_sem_t running;
static uv_sem_t go_on;
static int calls;

static void block(uv_work_t* req) {
  (void) req;
  uv_sem_post(&running);
  uv_sem_wait(&go_on);
}

static void after_block(uv_work_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
}

/* A loop, and a pool whose workers all wait. */
static void begin(void) {
  ASSERT_OK(uv_os_setenv("UV_THREADPOOL_SIZE", "4")); /* one pool */
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_sem_init(&running, 0));
  ASSERT_OK(uv_sem_init(&go_on, 0));
  for (int i = 0; i < WORKERS; i++)
    ASSERT_OK(uv_queue_work(&loop, &blockers[i], block, after_block));
  for (int i = 0; i < WORKERS; i++)
    uv_sem_wait(&running);
}

static void release(void) {
  for (int i = 0; i < WORKERS; i++)
    uv_sem_post(&go_on);
}

static void after_cancel(uv_work_t* req, int status) {
  calls++;
  ASSERT_ERR(UV_ECANCELED, status);
  ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) req)); /* too late */
}

static void after_fs(uv_fs_t* req) {
  calls++;
  ASSERT_ERR(UV_ECANCELED, req->result);
  ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) req));
}

/* Cancelling again returns the same result, and the callback runs once. (libuv
 * also accepts a cancel inside the callback and then calls it a second time.)
 */
TEST_IMPL(work_cancel_twice) {
  uv_work_t req;
  uv_fs_t fs;

  begin();
  ASSERT_OK(uv_queue_work(&loop, &req, ignore_work, after_cancel));
  ASSERT_OK(uv_fs_stat(&loop, &fs, ".", after_fs));
  for (int i = 0; i < 3; i++) {
    ASSERT_OK(uv_cancel((uv_req_t*) &req));
    ASSERT_OK(uv_cancel((uv_req_t*) &fs));
  }
  ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) &blockers[0])); /* runs */
  release();
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(2, calls);
  ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) &req));
  ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) &blockers[0])); /* has run */
  uv_fs_req_cleanup(&fs);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* A pool with more short work than processors, and items in the middle of it
 * that block every worker until the loop has seen what was finished before. */
#define SHORT_BEFORE 100
#define SHORT_AFTER 400
#define ROUNDS 20

static struct {
  uv_work_t before[SHORT_BEFORE];
  uv_work_t after[SHORT_AFTER];
  int seen; /* callbacks of `before` in this round */
} queue;

static void work_briefly(uv_work_t* req) {
  uint64_t end = uv_hrtime() + 10000;

  (void) req;
  while (uv_hrtime() < end) {
    /* busy */
  }
}

static void after_before(uv_work_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  if (++queue.seen == SHORT_BEFORE)
    release();
}

static void after_after(uv_work_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  calls++;
}

static void fill_queue(void) {
  queue.seen = 0;
  for (int i = 0; i < SHORT_BEFORE; i++)
    ASSERT_OK(
        uv_queue_work(&loop, &queue.before[i], work_briefly, after_before));
  for (int i = 0; i < WORKERS; i++)
    ASSERT_OK(uv_queue_work(&loop, &blockers[i], block, after_block));
  for (int i = 0; i < SHORT_AFTER; i++)
    ASSERT_OK(uv_queue_work(&loop, &queue.after[i], work_briefly, after_after));
}

/* A loop that collects finished work while all processors are busy must not
 * wait for a worker to finish its next item. */
TEST_IMPL(work_done_is_reported_while_workers_block) {
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_sem_init(&running, 0));
  ASSERT_OK(uv_sem_init(&go_on, 0));
  for (int i = 0; i < ROUNDS; i++) {
    fill_queue();
    ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  }
  ASSERT_EQ(ROUNDS * SHORT_AFTER, calls);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

static uv_async_t ping;
static uv_sem_t ping_answered;
static int pings_left;

static void on_ping(uv_async_t* handle) {
  if (--pings_left == 0)
    uv_close((uv_handle_t*) handle, NULL);
  uv_sem_post(&ping_answered);
}

static void send_pings(void* arg) {
  (void) arg;
  for (int left = pings_left; left > 0; left--) {
    ASSERT_OK(uv_async_send(&ping));
    uv_sem_wait(&ping_answered);
  }
}

static void after_again(uv_work_t* req, int status) {
  ASSERT_OK(status);
  calls++;
  if (pings_left > 0)
    ASSERT_OK(uv_queue_work(&loop, req, work_briefly, after_again));
}

/* Only finished work may wait for more of its kind: each send is answered, and
 * no item is lost, however busy the workers are. */
TEST_IMPL(work_saturated_and_asyncs) {
  uv_thread_t sender;

  pings_left = 2000;
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_sem_init(&ping_answered, 0));
  ASSERT_OK(uv_async_init(&loop, &ping, on_ping));
  for (int i = 0; i < SHORT_BEFORE; i++)
    ASSERT_OK(
        uv_queue_work(&loop, &queue.before[i], work_briefly, after_again));
  ASSERT_OK(uv_thread_create(&sender, send_pings, NULL));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_thread_join(&sender));
  ASSERT_EQ(0, pings_left);
  ASSERT_GE(calls, SHORT_BEFORE);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

#if TEST_POSIX
static void submit_twice(int others_between) {
  static uv_work_t reqs[4];

  begin();
  ASSERT_OK(uv_queue_work(&loop, &reqs[0], ignore_work, ignore_after_work));
  for (int i = 1; i <= others_between; i++)
    ASSERT_OK(uv_queue_work(&loop, &reqs[i], ignore_work, ignore_after_work));
  (void) uv_queue_work(&loop, &reqs[0], ignore_work, ignore_after_work);
  release();
  uv_run(&loop, UV_RUN_DEFAULT);
}

/* A request that is submitted again while it is queued would corrupt the queue:
 * the process ends with a message instead of a worker that loops. */
TEST_IMPL(work_submitted_twice_is_fatal) {
  for (int others = 0; others < 3; others++) {
    char text[256];
    int fds[2];

    ASSERT_EQ(0, pipe(fds));
    pid_t pid = test_fork();
    if (pid == 0) {
      struct rlimit none = { 0, 0 };
      setrlimit(RLIMIT_CORE, &none);
      dup2(fds[1], 2);
      submit_twice(others);
      _exit(0);
    }
    close(fds[1]);
    ssize_t n = read(fds[0], text, sizeof(text) - 1);
    close(fds[0]);
    int status = test_wait_child(pid);
    ASSERT(WIFSIGNALED(status));
    ASSERT_EQ(SIGABRT, WTERMSIG(status));
    ASSERT_GT(n, 0);
    text[n] = '\0';
    ASSERT_NOT_NULL(strstr(
        text, "is in use until its callback has run (caller's error); see "
              "man uv_queue_work"));
  }
  return 0;
}

enum { SHUTDOWNS = 100, QUEUED = 8 };
static int works_ended; /* atomic */

static void end_later(uv_work_t* req) {
  (void) req;
  uv_sleep(1);
  __atomic_add_fetch(&works_ended, 1, __ATOMIC_RELAXED);
}

/* Workers that are started while the shutdown waits for the first ones are
 * waited for, too. */
TEST_IMPL(work_queued_at_the_shutdown) {
  static uv_work_t reqs[QUEUED];

  for (int i = 0; i < SHUTDOWNS; i++) {
    pid_t pid = test_fork();
    if (pid == 0) {
      ASSERT_OK(uv_loop_init(&loop));
      for (int k = 0; k < QUEUED; k++)
        ASSERT_OK(uv_queue_work(&loop, &reqs[k], end_later, after_block));
      uv_library_shutdown();
      ASSERT_EQ(QUEUED, __atomic_load_n(&works_ended, __ATOMIC_RELAXED));
      uv_sleep(1);
      _exit(0);
    }
    ASSERT_EQ(0, test_wait_child(pid));
  }
  return 0;
}

enum { SUBMITTED_MAX = 100000 };

struct submitter {
  uv_loop_t loop;
  uv_sem_t is_at_work;  /* posted after the first requests */
  int is_slow;          /* name resolution, which has a queue of its own */
  unsigned submitted;   /* accepted requests */
  unsigned called_back; /* of those: whose callback ran */
};

static void count_work(uv_work_t* req, int status) {
  ASSERT_OK(status);
  ((struct submitter*) req->data)->called_back++;
}

static void count_name(uv_getnameinfo_t* req,
                       int status,
                       const char* host,
                       const char* service) {
  (void) status;
  (void) host;
  (void) service;
  ((struct submitter*) req->data)->called_back++;
}

static int submit_one(struct submitter* s) {
  static uv_work_t works[SUBMITTED_MAX];
  static uv_getnameinfo_t names[SUBMITTED_MAX];
  struct sockaddr_in addr = test_loopback();

  if (!s->is_slow) {
    works[s->submitted].data = s;
    return uv_queue_work(&s->loop, &works[s->submitted], ignore_work,
                         count_work);
  }
  names[s->submitted].data = s;
  return uv_getnameinfo(&s->loop, &names[s->submitted], count_name,
                        (const struct sockaddr*) &addr, NI_NUMERICHOST);
}

static void submit_until_refused(void* arg) {
  struct submitter* s = arg;
  int err = 0;

  while (s->submitted < SUBMITTED_MAX && (err = submit_one(s)) == 0)
    if (++s->submitted == QUEUED)
      uv_sem_post(&s->is_at_work);
  if (err != 0)
    ASSERT_ERR(UV_ECANCELED, err);
  ASSERT_OK(uv_run(&s->loop, UV_RUN_DEFAULT));
  ASSERT_EQ(s->submitted, s->called_back);
}

static void shut_down_beside_submitter(int is_slow) {
  static struct submitter s;
  uv_thread_t thread;

  s.is_slow = is_slow;
  ASSERT_OK(uv_loop_init(&s.loop));
  ASSERT_OK(uv_sem_init(&s.is_at_work, 0));
  ASSERT_OK(uv_thread_create(&thread, submit_until_refused, &s));
  uv_sem_wait(&s.is_at_work);
  uv_library_shutdown();
  ASSERT_OK(uv_thread_join(&thread));
}

/* exit() shuts the library down while other threads run: a submit is accepted
 * and called back, or refused. */
TEST_IMPL(work_submitted_during_the_shutdown) {
  for (int i = 0; i < SHUTDOWNS; i++) {
    pid_t pid = test_fork();
    if (pid == 0) {
      shut_down_beside_submitter(i % 2);
      _exit(0);
    }
    ASSERT_EQ(0, test_wait_child(pid));
  }
  return 0;
}
#endif

#define THREADS 4

static uv_thread_t seen[THREADS];
static int nseen;

static void note_thread(uv_work_t* req) {
  *(uv_thread_t*) req->data = uv_thread_self();
}

static void submit_until_all_ran(uv_work_t* req, int status) {
  int i = 0;

  ASSERT_OK(status);
  while (i < nseen && !uv_thread_equal(&seen[i], req->data))
    i++;
  if (i == nseen)
    seen[nseen++] = *(uv_thread_t*) req->data;
  if (nseen < THREADS)
    ASSERT_OK(uv_queue_work(req->loop, req, note_thread, submit_until_all_ran));
}

/* Each thread gets a turn, even if one could run all: libuv's own suite waits
 * for that. */
TEST_IMPL(work_one_at_a_time_reaches_every_thread) {
  uv_loop_t loop;
  uv_thread_t last;
  uv_work_t req = { .data = &last };

  ASSERT_OK(uv_os_unsetenv("UV_THREADPOOL_SIZE"));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_queue_work(&loop, &req, note_thread, submit_until_all_ran));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(THREADS, nseen);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}
