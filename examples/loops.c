/* SPDX-License-Identifier: MIT */
/* A loop per core, and jobs that travel between them.
 *
 * Each worker is a thread with a loop. A job can be given
 *  - to the current worker (run_here): a plain list and an idle handle, no
 *    lock; the loop polls between one round of jobs and the next
 *  - to another worker (run_there): a list under a lock, and an async handle
 *    that wakes the other loop; many jobs cause one wake-up
 *
 * The program sends chains of jobs around all workers, alternating between the
 * same loop and the next one. A finished chain is reported to worker 0, which
 * after the last one tells all workers to shut down: each closes its own
 * handles, its loop runs out of work, and its thread ends.
 *
 * Exit status 0: every job ran exactly once, on the thread of its worker, and
 * every loop could be closed. */
#include <stdio.h>
#include <stdlib.h>

#include <uv.h>

#define WORKERS_MIN 2u
#define WORKERS_MAX 8u
#define CHAINS 64u
#define STEPS 200u
#define LIMIT_MS (30 * 1000)

struct worker;

struct job {
  struct job* next;
  void (*run)(struct worker* self, struct job* job);
  unsigned chain;
  unsigned step;
  unsigned runs; /* written by its worker, read after the threads ended */
};

struct job_list {
  struct job* first;
  struct job** end;
};

struct worker {
  uv_thread_t thread;
  uv_loop_t loop;
  unsigned index;
  /* Its own jobs; only its thread touches them. */
  struct job_list here;
  uv_idle_t idle;
  /* Jobs from others, under the lock. */
  uv_mutex_t lock;
  struct job_list there;
  uv_async_t wake;
  uv_timer_t limit;
  struct job stop;
  unsigned long ran;
  unsigned long wakeups;
};

static struct worker workers[WORKERS_MAX];
static unsigned nworkers;
static struct job jobs[CHAINS][STEPS];
static struct job reports[CHAINS];
static unsigned chains_ended; /* worker 0's */

static void check(int err, const char* what) {
  if (err == 0)
    return;
  fprintf(stderr, "loops: %s: %s\n", what, uv_strerror(err));
  exit(1);
}

static void require(int ok, const char* what) {
  if (ok)
    return;
  fprintf(stderr, "loops: %s\n", what);
  exit(1);
}

/* ---- lists ---- */

static void list_init(struct job_list* list) {
  list->first = NULL;
  list->end = &list->first;
}

static void list_append(struct job_list* list, struct job* job) {
  job->next = NULL;
  *list->end = job;
  list->end = &job->next;
}

static struct job* list_take(struct job_list* list) {
  struct job* first = list->first;

  list_init(list);
  return first;
}

/* Runs what was in the list when it was taken; jobs that these add run in the
 * next round. */
static void run_all(struct worker* self, struct job* job) {
  while (job != NULL) {
    struct job* next = job->next; /* the job may be submitted again */
    uv_thread_t me = uv_thread_self();
    require(uv_thread_equal(&me, &self->thread), "wrong thread");
    self->ran++;
    job->run(self, job);
    job = next;
  }
}

/* ---- submitting ---- */

static void on_idle(uv_idle_t* idle) {
  struct worker* self = idle->data;

  run_all(self, list_take(&self->here));
  if (self->here.first == NULL)
    uv_idle_stop(idle); /* otherwise the loop would never sleep */
}

static void run_here(struct worker* self, struct job* job) {
  list_append(&self->here, job);
  check(uv_idle_start(&self->idle, on_idle), "uv_idle_start");
}

static void on_wake(uv_async_t* wake) {
  struct worker* self = wake->data;

  uv_mutex_lock(&self->lock);
  struct job* first = list_take(&self->there);
  uv_mutex_unlock(&self->lock);
  self->wakeups++;
  run_all(self, first);
}

/* Any thread. The worker must not have been told to stop. Sends with the lock
 * held: without it, the worker could run on_stop() and close the handle between
 * the two calls. */
static void run_there(struct worker* other, struct job* job) {
  uv_mutex_lock(&other->lock);
  list_append(&other->there, job);
  check(uv_async_send(&other->wake), "uv_async_send");
  uv_mutex_unlock(&other->lock);
}

/* ---- shutdown ---- */

static void on_stop(struct worker* self, struct job* job) {
  (void) job;
  uv_close((uv_handle_t*) &self->wake, NULL);
  uv_close((uv_handle_t*) &self->idle, NULL);
  uv_close((uv_handle_t*) &self->limit, NULL);
}

static void on_chain_ended(struct worker* self, struct job* job) {
  job->runs++;
  require(self->index == 0, "a report to the wrong worker");
  if (++chains_ended < CHAINS)
    return;

  /* No job is in flight any more, so nobody will submit another. */
  for (unsigned i = 0; i < nworkers; i++) {
    workers[i].stop.run = on_stop;
    run_there(&workers[i], &workers[i].stop);
  }
}

/* ---- the jobs ---- */

/* Two steps on each worker, then on to the next one. */
static struct worker* home_of(const struct job* job) {
  return &workers[(job->chain + job->step / 2) % nworkers];
}

static void on_job(struct worker* self, struct job* job) {
  require(self == home_of(job), "wrong loop");
  job->runs++;
  if (job->step + 1 == STEPS) {
    run_there(&workers[0], &reports[job->chain]);
    return;
  }

  struct job* next = job + 1;
  if (home_of(next) == self)
    run_here(self, next);
  else
    run_there(home_of(next), next);
}

static void make_jobs(void) {
  for (unsigned c = 0; c < CHAINS; c++) {
    reports[c].run = on_chain_ended;
    reports[c].chain = c;
    for (unsigned s = 0; s < STEPS; s++) {
      jobs[c][s].run = on_job;
      jobs[c][s].chain = c;
      jobs[c][s].step = s;
    }
  }
}

/* ---- workers ---- */

static void on_limit(uv_timer_t* timer) {
  (void) timer;
  require(0, "waited too long");
}

static void worker_init(struct worker* w, unsigned index) {
  w->index = index;
  list_init(&w->here);
  list_init(&w->there);
  check(uv_mutex_init(&w->lock), "uv_mutex_init");
  check(uv_loop_init(&w->loop), "uv_loop_init");
  check(uv_idle_init(&w->loop, &w->idle), "uv_idle_init");
  check(uv_async_init(&w->loop, &w->wake, on_wake), "uv_async_init");
  check(uv_timer_init(&w->loop, &w->limit), "uv_timer_init");
  check(uv_timer_start(&w->limit, on_limit, LIMIT_MS, 0), "uv_timer_start");
  w->idle.data = w;
  w->wake.data = w;
}

static void worker_main(void* arg) {
  struct worker* self = arg;

  self->thread = uv_thread_self(); /* the creator may not have stored it yet */
  uv_run(&self->loop, UV_RUN_DEFAULT);
}

static void worker_end(struct worker* w, uv_thread_t* thread) {
  check(uv_thread_join(thread), "uv_thread_join");
  check(uv_loop_close(&w->loop), "uv_loop_close");
  uv_mutex_destroy(&w->lock);
  printf("worker %u: %lu jobs, %lu wake-ups\n", w->index, w->ran, w->wakeups);
}

static void verify(void) {
  for (unsigned c = 0; c < CHAINS; c++) {
    require(reports[c].runs == 1, "a report was lost or came twice");
    for (unsigned s = 0; s < STEPS; s++)
      require(jobs[c][s].runs == 1, "a job did not run exactly once");
  }
  for (unsigned i = 0; i < nworkers; i++)
    require(workers[i].ran > 0, "a worker had nothing to do");
}

int main(void) {
  uv_thread_t threads[WORKERS_MAX];

  nworkers = uv_available_parallelism();
  if (nworkers < WORKERS_MIN)
    nworkers = WORKERS_MIN;
  if (nworkers > WORKERS_MAX)
    nworkers = WORKERS_MAX;

  make_jobs();
  for (unsigned i = 0; i < nworkers; i++)
    worker_init(&workers[i], i);
  for (unsigned i = 0; i < nworkers; i++)
    check(uv_thread_create(&threads[i], worker_main, &workers[i]),
          "uv_thread_create");
  for (unsigned c = 0; c < CHAINS; c++)
    run_there(home_of(&jobs[c][0]), &jobs[c][0]);
  for (unsigned i = 0; i < nworkers; i++)
    worker_end(&workers[i], &threads[i]);

  verify();
  printf("%u jobs ran once, each where it belongs\n", CHAINS * STEPS);
  return 0;
}
