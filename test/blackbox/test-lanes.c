/* SPDX-License-Identifier: MIT */
/* Lanes of the pool: work, files and lookups do not wait for each other, unless
 * the environment asks for one pool. */
#include "ignore.h"
#include "test.h"

#include <stdio.h>

#define WORKERS 4 /* of the lanes for work and files */
#define THREADS 10

static uv_loop_t loop;
static uv_work_t blockers[WORKERS];
static uv_sem_t running;
static uv_sem_t go_on;
static int nstat;
static int nlookup;
static int ncancelled;

static void block(uv_work_t* req) {
  (void) req;
  uv_sem_post(&running);
  uv_sem_wait(&go_on);
}

static void set_lanes(const char* size, const char* lanes) {
  if (size == NULL)
    ASSERT_OK(uv_os_unsetenv("UV_THREADPOOL_SIZE"));
  else
    ASSERT_OK(uv_os_setenv("UV_THREADPOOL_SIZE", size));
  if (lanes == NULL)
    ASSERT_OK(uv_os_unsetenv("UV_THREADPOOL_LANES"));
  else
    ASSERT_OK(uv_os_setenv("UV_THREADPOOL_LANES", lanes));
  ASSERT_OK(uv_os_setenv("UV_USE_IO_URING", "0")); /* files need the pool */
}

/* Every thread of the lane for work is blocked. */
static void begin(unsigned nblockers) {
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_sem_init(&running, 0));
  ASSERT_OK(uv_sem_init(&go_on, 0));
  for (unsigned i = 0; i < nblockers; i++)
    ASSERT_OK(uv_queue_work(&loop, &blockers[i], block, ignore_after_work));
  for (unsigned i = 0; i < nblockers; i++)
    uv_sem_wait(&running);
}

static void end(unsigned nblockers) {
  for (unsigned i = 0; i < nblockers; i++)
    uv_sem_post(&go_on);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  uv_sem_destroy(&running);
  uv_sem_destroy(&go_on);
  test_close_loop(&loop);
}

static void on_stat(uv_fs_t* req) {
  if (req->result == UV_ECANCELED)
    ncancelled++;
  else
    ASSERT_EQ(0, req->result);
  uv_fs_req_cleanup(req);
  nstat++;
}

static void on_name(uv_getnameinfo_t* req,
                    int status,
                    const char* host,
                    const char* service) {
  (void) req;
  (void) host;
  (void) service;
  ASSERT_OK(status);
  nlookup++;
}

static void start_lookup(uv_getnameinfo_t* req) {
  struct sockaddr_in addr;

  ASSERT_OK(uv_ip4_addr("127.0.0.1", 80, &addr));
  /* Without flags for numbers, so that it is not answered at once. */
  ASSERT_OK(uv_getnameinfo(&loop, req, on_name, (struct sockaddr*) &addr, 0));
}

/* Files and lookups go on while all threads for work are blocked. */
TEST_IMPL(lanes_others_run_beside_blocked_work) {
  uv_fs_t stat;
  uv_getnameinfo_t lookup;

  set_lanes(NULL, NULL);
  begin(WORKERS);
  ASSERT_OK(uv_fs_stat(&loop, &stat, ".", on_stat));
  start_lookup(&lookup);
  while (nstat + nlookup < 2)
    (void) uv_run(&loop, UV_RUN_ONCE);
  end(WORKERS);
  return 0;
}

/* One pool: a file request waits behind blocked work: it can be cancelled. */
static void check_one_pool(const char* size, const char* lanes, unsigned n) {
  uv_fs_t stat;

  set_lanes(size, lanes);
  begin(n);
  ASSERT_OK(uv_fs_stat(&loop, &stat, ".", on_stat));
  ASSERT_OK(uv_cancel((uv_req_t*) &stat));
  end(n);
  ASSERT_EQ(1, ncancelled);
}

TEST_IMPL(lanes_off) {
  check_one_pool(NULL, "0", WORKERS);
  return 0;
}

TEST_IMPL(lanes_off_with_a_size) {
  check_one_pool("2", NULL, 2);
  return 0;
}

/* Neither 0 nor 1: as if it were not set. */
TEST_IMPL(lanes_value_unknown_with_a_size) {
  check_one_pool("1", "yes", 1);
  return 0;
}

/* The size is that of the lane for work. */
TEST_IMPL(lanes_on_with_a_size) {
  uv_work_t queued;
  uv_fs_t stat;

  set_lanes("1", "1");
  begin(1);
  ASSERT_OK(uv_queue_work(&loop, &queued, block, ignore_after_work));
  ASSERT_OK(uv_fs_stat(&loop, &stat, ".", on_stat));
  while (nstat == 0)
    (void) uv_run(&loop, UV_RUN_ONCE);
  ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) &blockers[0]));
  ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) &stat));
  end(2);
  return 0;
}

static uv_loop_t other;
static uv_sem_t stat_done;

static void wait_for_stat(uv_work_t* req) {
  (void) req;
  uv_sem_post(&running);
  uv_sem_wait(&stat_done);
}

static void tell_stat(uv_fs_t* req) {
  on_stat(req);
  for (int i = 0; i < WORKERS; i++)
    uv_sem_post(&stat_done);
}

/* Items that wait for a file request of another loop: with one pool, four of
 * them wait for ever. */
TEST_IMPL(lanes_work_may_wait_for_a_file_of_another_loop) {
  uv_fs_t stat;

  set_lanes(NULL, NULL);
  ASSERT_OK(uv_sem_init(&stat_done, 0));
  begin(0);
  ASSERT_OK(uv_loop_init(&other));
  for (int i = 0; i < WORKERS; i++)
    ASSERT_OK(
        uv_queue_work(&loop, &blockers[i], wait_for_stat, ignore_after_work));
  for (int i = 0; i < WORKERS; i++)
    uv_sem_wait(&running);
  ASSERT_OK(uv_fs_stat(&other, &stat, ".", tell_stat));
  ASSERT_EQ(0, uv_run(&other, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&other));
  end(0);
  uv_sem_destroy(&stat_done);
  return 0;
}

#define ORDERED 200

static int next_number;

static void note_order(uv_work_t* req) {
  ASSERT_EQ(next_number, (int) (intptr_t) req->data);
  next_number++;
}

/* One thread per lane: requests of a lane run in the order of submission. (Not
 * files: that lane may get more threads on a slow machine.) */
TEST_IMPL(lanes_keep_the_order_within_a_lane) {
  static uv_work_t items[ORDERED];

  set_lanes("1", "1");
  begin(0);
  for (int i = 0; i < ORDERED; i++) {
    items[i].data = (void*) (intptr_t) i;
    ASSERT_OK(uv_queue_work(&loop, &items[i], note_order, ignore_after_work));
  }
  end(0);
  ASSERT_EQ(ORDERED, next_number);
  return 0;
}

static uv_work_t more[WORKERS];

static void run_other_lanes(uv_work_t* req, int status) {
  static uv_fs_t stat;
  static uv_getnameinfo_t lookup;

  ASSERT_OK(status);
  ASSERT_OK(uv_fs_stat(req->loop, &stat, ".", on_stat));
  start_lookup(&lookup);
}

/* A callback that runs the loop: requests of all lanes end inside it. */
static void run_nested(uv_work_t* req, int status) {
  run_other_lanes(req, status);
  ASSERT_OK(uv_queue_work(req->loop, &more[0], block, ignore_after_work));
  uv_sem_post(&go_on);
  while (nstat + nlookup < 2)
    (void) uv_run(req->loop, UV_RUN_ONCE);
}

static void do_nothing(uv_work_t* req) {
  (void) req;
}

TEST_IMPL(lanes_nested_run_delivers_all_of_them) {
  set_lanes(NULL, NULL);
  begin(0);
  ASSERT_OK(uv_queue_work(&loop, &blockers[0], do_nothing, run_nested));
  end(0);
  ASSERT_EQ(1, nstat);
  ASSERT_EQ(1, nlookup);
  return 0;
}

/* Only UV_RUN_NOWAIT, as in a game: everything ends. */
TEST_IMPL(lanes_run_nowait) {
  set_lanes(NULL, NULL);
  begin(0);
  for (int i = 0; i < WORKERS; i++)
    ASSERT_OK(
        uv_queue_work(&loop, &blockers[i], do_nothing, ignore_after_work));
  run_other_lanes(&blockers[0], 0);
  while (uv_run(&loop, UV_RUN_NOWAIT) != 0)
    uv_sleep(0);
  ASSERT_EQ(1, nstat);
  ASSERT_EQ(1, nlookup);
  end(0);
  return 0;
}

#define LOOPS 4
#define REQS 24 /* a third in each lane */
#define ROUNDS 60

/* A loop on a thread of its own, and what it has in flight. */
struct crowd {
  uv_loop_t loop;
  uv_thread_t thread;
  union {
    uv_work_t work;
    uv_fs_t fs;
    uv_getaddrinfo_t addr;
  } reqs[REQS];
  unsigned seed;
  int ends; /* callbacks in this round */
  int cancels;
  int cancelled;
};

static struct crowd crowds[LOOPS];

static void crowd_end(struct crowd* crowd, int is_cancelled) {
  crowd->ends++;
  crowd->cancelled += is_cancelled;
}

static void crowd_work(uv_work_t* req, int status) {
  crowd_end(req->data, status == UV_ECANCELED);
}

static void crowd_stat(uv_fs_t* req) {
  crowd_end(req->data, req->result == UV_ECANCELED);
  uv_fs_req_cleanup(req);
}

static void crowd_addr(uv_getaddrinfo_t* req,
                       int status,
                       struct addrinfo* list) {
  crowd_end(req->data, status == UV_EAI_CANCELED);
  uv_freeaddrinfo(list);
}

static void crowd_start(struct crowd* crowd, int i) {
  struct addrinfo hints;

  ((uv_req_t*) &crowd->reqs[i])->data = crowd;
  if (i % 3 == 0) {
    ASSERT_OK(uv_queue_work(&crowd->loop, &crowd->reqs[i].work, do_nothing,
                            crowd_work));
  } else if (i % 3 == 1) {
    ASSERT_OK(uv_fs_stat(&crowd->loop, &crowd->reqs[i].fs, ".", crowd_stat));
  } else {
    /* No host: answered by a thread, and without a server. */
    memset(&hints, 0, sizeof(hints));
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    ASSERT_OK(uv_getaddrinfo(&crowd->loop, &crowd->reqs[i].addr, crowd_addr,
                             NULL, i % 2 == 0 ? "80" : "443", &hints));
  }
}

static void crowd_run(void* arg) {
  struct crowd* crowd = arg;

  ASSERT_OK(uv_loop_init(&crowd->loop));
  for (int round = 0; round < ROUNDS; round++) {
    crowd->ends = 0;
    for (int i = 0; i < REQS; i++)
      crowd_start(crowd, i);
    for (int i = 0; i < REQS / 2; i++) {
      crowd->seed = crowd->seed * 1664525 + 1013904223;
      int err = uv_cancel((uv_req_t*) &crowd->reqs[(crowd->seed >> 8) % REQS]);
      ASSERT(err == 0 || err == UV_EBUSY);
      crowd->cancels += err == 0;
    }
    ASSERT_EQ(0, uv_run(&crowd->loop, UV_RUN_DEFAULT));
    ASSERT_EQ(REQS, crowd->ends);
  }
  ASSERT_LE(crowd->cancelled, crowd->cancels); /* some were, twice */
  ASSERT_OK(uv_loop_close(&crowd->loop));
}

/* Four loops, three lanes, random cancels: each request ends once. */
TEST_IMPL(lanes_of_many_loops_with_random_cancels) {
  set_lanes(NULL, NULL);
  for (unsigned i = 0; i < LOOPS; i++) {
    crowds[i].seed = i + 1;
    ASSERT_OK(uv_thread_create(&crowds[i].thread, crowd_run, &crowds[i]));
  }
  for (int i = 0; i < LOOPS; i++)
    ASSERT_OK(uv_thread_join(&crowds[i].thread));
  return 0;
}
