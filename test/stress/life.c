/* SPDX-License-Identifier: MIT */
/* The pool's life: forks, shutdowns, and loops that come and go. */
#include "stress.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child has no time to lose: it hangs if it takes longer than this. */
#define CHILD_S (SANITIZED ? 60 : 20)

static void after_work(uv_work_t* req, int status) {
  (void) req;
  CHECK(status == 0 || status == UV_ECANCELED);
  stress_progress();
}

static void spin_a_little(uv_work_t* req) {
  stress_spin((unsigned) (uintptr_t) req->data);
}

static void queue_some(uv_loop_t* loop,
                       uv_work_t* reqs,
                       unsigned count,
                       unsigned* seed) {
  for (unsigned i = 0; i < count; i++) {
    reqs[i].data = (void*) (uintptr_t) stress_random(seed, 30);
    CHECK(uv_queue_work(loop, &reqs[i], spin_a_little, after_work) == 0);
  }
}

static void wait_for(pid_t pid) {
  int status;

  CHECK(waitpid(pid, &status, 0) == pid);
  CHECK(status == 0);
  stress_progress();
}

/* ------------------------------------------------------------------------- */

/* Children of a process whose pool is in use use theirs, on a new loop and on
 * the parent's. */
static void run_child(uv_loop_t* parents, unsigned seed) {
  uv_work_t reqs[16];
  uv_loop_t own;

  alarm(CHILD_S);
  CHECK(uv_loop_init(&own) == 0);
  queue_some(&own, reqs, 16, &seed);
  CHECK(uv_run(&own, UV_RUN_DEFAULT) == 0);
  CHECK(uv_loop_close(&own) == 0);
  CHECK(uv_loop_fork(parents) == 0);
  uint64_t before = stress_count();
  queue_some(parents, reqs, 16, &seed);
  while (stress_count() < before + 16)
    uv_run(parents, UV_RUN_ONCE);
  if (stress_random(&seed, 2))
    uv_library_shutdown();
  _exit(0);
}

static void run_others(void* arg) {
  stress_client(arg);
}

static void forked_children(void) {
  struct client others = { 0 };
  unsigned seed = stress_seed();
  uv_work_t reqs[16];
  uv_loop_t loop;

  others.seed = seed + 1;
  others.burst_max = 16;
  CHECK(uv_loop_init(&loop) == 0);
  CHECK(uv_thread_create(&others.thread, run_others, &others) == 0);
  do {
    queue_some(&loop, reqs, 16, &seed);
    stress_spin(stress_random(&seed, 200));
    pid_t pid = fork();
    CHECK(pid != -1);
    if (pid == 0)
      run_child(&loop, seed);
    CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0);
    wait_for(pid);
  } while (stress_goes_on());
  CHECK(uv_thread_join(&others.thread) == 0);
  CHECK(uv_loop_close(&loop) == 0);
}

/* ------------------------------------------------------------------------- */

/* Children that shut the library down at any moment: while workers start, spin,
 * run or sleep, with work queued or without. The parent has no threads but the
 * watchdog, which does not allocate. */
static int ended; /* atomic */

static void count_end(uv_work_t* req) {
  stress_spin((unsigned) (uintptr_t) req->data);
  __atomic_add_fetch(&ended, 1, __ATOMIC_RELAXED);
}

static void shut_down_child(unsigned seed) {
  uv_work_t reqs[32];
  uv_loop_t loop;
  unsigned count = stress_random(&seed, 32);
  int runs = (int) stress_random(&seed, 3);

  alarm(CHILD_S);
  CHECK(uv_loop_init(&loop) == 0);
  while (runs-- > 0) {
    queue_some(&loop, reqs, 8, &seed);
    CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0);
  }
  for (unsigned i = 0; i < count; i++) {
    reqs[i].data = (void*) (uintptr_t) stress_random(&seed, 60);
    CHECK(uv_queue_work(&loop, &reqs[i], count_end, after_work) == 0);
  }
  stress_spin(stress_random(&seed, 120));
  uv_library_shutdown();
  CHECK(__atomic_load_n(&ended, __ATOMIC_RELAXED) == (int) count);
  if (count != 0)
    CHECK(uv_queue_work(&loop, &reqs[0], count_end, after_work) != 0);
  _exit(0);
}

static void shut_down(void) {
  unsigned seed = stress_seed();

  do {
    (void) stress_random(&seed, 2);
    pid_t pid = fork();
    CHECK(pid != -1);
    if (pid == 0)
      shut_down_child(seed);
    wait_for(pid);
  } while (stress_goes_on());
}

/* ------------------------------------------------------------------------- */

/* Ping-pong between two loops over async handles; each answers after a random
 * time: the other one spins, sleeps or is about to. */
struct player {
  uv_thread_t thread;
  uv_loop_t loop;
  uv_async_t ball;
  struct player* other;
  unsigned seed;
};

static int is_over; /* atomic */

static void on_ball(uv_async_t* async) {
  struct player* me = async->data;

  stress_progress();
  if (stress_random(&me->seed, 3) == 0)
    stress_spin(stress_random(&me->seed, 60));
  if (!stress_goes_on())
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
  CHECK(uv_async_send(&me->other->ball) == 0);
  if (__atomic_load_n(&is_over, __ATOMIC_RELAXED))
    uv_stop(&me->loop);
}

static void play(void* arg) {
  struct player* me = arg;
  uv_run(&me->loop, UV_RUN_DEFAULT);
}

static void async_table_tennis(void) {
  static struct player players[2];

  for (int i = 0; i < 2; i++) {
    players[i].other = &players[1 - i];
    players[i].seed = stress_seed() + (unsigned) i;
    CHECK(uv_loop_init(&players[i].loop) == 0);
    CHECK(uv_async_init(&players[i].loop, &players[i].ball, on_ball) == 0);
    players[i].ball.data = &players[i];
  }
  CHECK(uv_async_send(&players[0].ball) == 0);
  for (int i = 0; i < 2; i++)
    CHECK(uv_thread_create(&players[i].thread, play, &players[i]) == 0);
  for (int i = 0; i < 2; i++)
    CHECK(uv_thread_join(&players[i].thread) == 0);
  for (int i = 0; i < 2; i++) {
    uv_close((uv_handle_t*) &players[i].ball, NULL);
    uv_run(&players[i].loop, UV_RUN_DEFAULT);
    CHECK(uv_loop_close(&players[i].loop) == 0);
  }
}

/* ------------------------------------------------------------------------- */

/* An embedder: watches the backend's descriptor, and runs the loop without
 * blocking only when that is readable. */
static void after_embedded(uv_work_t* req, int status) {
  CHECK(status == 0);
  *(int*) req->data = 1;
  stress_progress();
}

static void do_nothing(uv_work_t* req) {
  (void) req;
}

static void embedded(void) {
  unsigned seed = stress_seed();
  uv_work_t req;
  uv_loop_t loop;

  CHECK(uv_loop_init(&loop) == 0);
  while (stress_goes_on()) {
    int is_done = 0;
    req.data = &is_done;
    CHECK(uv_queue_work(&loop, &req, do_nothing, after_embedded) == 0);
    if (stress_random(&seed, 2))
      stress_spin(stress_random(&seed, 20));
    while (!is_done) {
      struct pollfd fd = { .fd = uv_backend_fd(&loop), .events = POLLIN };
      CHECK(poll(&fd, 1, uv_backend_timeout(&loop)) >= 0);
      uv_run(&loop, UV_RUN_NOWAIT);
    }
  }
  CHECK(uv_loop_close(&loop) == 0);
}

const struct scenario life_scenarios[] = {
  { "forked-children", forked_children, FORKS },
  { "shut-down", shut_down, FORKS },
  { "async-table-tennis", async_table_tennis, ALONE },
  { "embedded", embedded, 0 },
  { NULL, NULL, 0 },
};
