/* SPDX-License-Identifier: MIT */
/* The thread pool: work that does nothing, work of some microseconds, and name
 * resolution without a network. */
#include "bench.h"

#include <netdb.h>
#include <pthread.h>

/* As many as the pool has. */
#define THREADS 4
/* Turns of an empty loop in a microsecond, about. */
#define TURNS_PER_US 2500

static struct {
  uv_loop_t loop;
  uint64_t ops;
  uint64_t started;
  uint64_t done;
  unsigned turns; /* of each item */
} pool;

static int is_next(void) {
  if (++pool.done == pool.ops)
    bench_end();
  return pool.started < pool.ops;
}

static void begin(const struct run* run) {
  pool.ops = run->ops;
  pool.turns = (unsigned) run->kind * TURNS_PER_US;
  CHECK_OK(uv_loop_init(&pool.loop));
}

static void work_cb(uv_work_t* req) {
  (void) req;
}

static void busy_cb(uv_work_t* req) {
  unsigned sum = (unsigned) (uintptr_t) req;
  for (unsigned i = 0; i < pool.turns; i++)
    __asm__ __volatile__("" : "+r"(sum));
}

static void work_done(uv_work_t* req, int status);
static void busy_done(uv_work_t* req, int status);

static void work_queue(uv_work_t* req) {
  pool.started++;
  CHECK_OK(uv_queue_work(&pool.loop, req, work_cb, work_done));
}

static void busy_queue(uv_work_t* req) {
  pool.started++;
  CHECK_OK(uv_queue_work(&pool.loop, req, busy_cb, busy_done));
}

static void work_done(uv_work_t* req, int status) {
  CHECK_OK(status);
  if (is_next())
    work_queue(req);
}

static void busy_done(uv_work_t* req, int status) {
  CHECK_OK(status);
  if (is_next())
    busy_queue(req);
}

/* kind: microseconds of work in each item. */
static void run_work(struct run* run) {
  uv_work_t* reqs = bench_alloc(run->size, sizeof(*reqs));

  begin(run);
  bench_begin();
  for (unsigned i = 0; i < run->size && pool.started < pool.ops; i++)
    (run->kind ? busy_queue : work_queue)(&reqs[i]);
  bench_drain(&pool.loop);
  CHECK(pool.done == run->ops);
  free(reqs);
}

/* The same work and nothing else, on as many threads as are busy at once. */
static void* floor_thread(void* arg) {
  uint64_t ops = *(const uint64_t*) arg;
  uv_work_t req;

  for (uint64_t i = 0; i < ops; i++)
    busy_cb(&req);
  return NULL;
}

static void floor_busy(struct run* run) {
  pthread_t threads[THREADS];
  unsigned count = run->size < THREADS ? run->size : THREADS;
  uint64_t share = (run->ops + count - 1) / count;

  run->ops = count * share;
  pool.turns = (unsigned) run->kind * TURNS_PER_US;
  bench_begin();
  for (unsigned i = 0; i < count; i++)
    CHECK(pthread_create(&threads[i], NULL, floor_thread, &share) == 0);
  for (unsigned i = 0; i < count; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  bench_end();
}

static void resolve_done(uv_getaddrinfo_t* req,
                         int status,
                         struct addrinfo* result);

static void resolve_start(uv_getaddrinfo_t* req) {
  static const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST,
                                         .ai_family = AF_INET,
                                         .ai_socktype = SOCK_STREAM };

  pool.started++;
  CHECK_OK(
      uv_getaddrinfo(&pool.loop, req, resolve_done, "127.0.0.1", NULL, &hints));
}

static void resolve_done(uv_getaddrinfo_t* req,
                         int status,
                         struct addrinfo* result) {
  CHECK_OK(status);
  uv_freeaddrinfo(result);
  if (is_next())
    resolve_start(req);
}

static void run_resolve(struct run* run) {
  uv_getaddrinfo_t* reqs = bench_alloc(run->size, sizeof(*reqs));

  begin(run);
  bench_begin();
  for (unsigned i = 0; i < run->size && pool.started < pool.ops; i++)
    resolve_start(&reqs[i]);
  bench_drain(&pool.loop);
  CHECK(pool.done == run->ops);
  free(reqs);
}

const struct workload work_workloads[] = {
  { "work-1", run_work, NULL, 0, 10000, 0, 1,
    "uv_queue_work and back, 1 in flight" },
  { "work-16", run_work, NULL, 0, 50000, 0, 16,
    "uv_queue_work and back, 16 in flight" },
  { "work-256", run_work, NULL, 0, 50000, 0, 256,
    "uv_queue_work and back, 256 in flight" },
  { "work-busy-1", run_work, floor_busy, 2, 10000, 0, 1,
    "uv_queue_work of 2 us of arithmetic and back, 1 in flight" },
  { "work-busy-16", run_work, floor_busy, 2, 50000, 0, 16,
    "uv_queue_work of 2 us of arithmetic and back, 16 in flight" },
  { "work-busy-64", run_work, floor_busy, 2, 50000, 0, 64,
    "uv_queue_work of 2 us of arithmetic and back, 64 in flight" },
  { "work-busy-256", run_work, floor_busy, 2, 50000, 0, 256,
    "uv_queue_work of 2 us of arithmetic and back, 256 in flight" },
  { "work-busy-1024", run_work, floor_busy, 2, 50000, 0, 1024,
    "uv_queue_work of 2 us of arithmetic and back, 1024 in flight" },
  { "work-busy-16-10us", run_work, floor_busy, 10, 20000, 0, 16,
    "uv_queue_work of 10 us of arithmetic and back, 16 in flight" },
  { "work-busy-256-10us", run_work, floor_busy, 10, 20000, 0, 256,
    "uv_queue_work of 10 us of arithmetic and back, 256 in flight" },
  { "work-busy-1024-10us", run_work, floor_busy, 10, 20000, 0, 1024,
    "uv_queue_work of 10 us of arithmetic and back, 1024 in flight" },
  { "work-busy-16-50us", run_work, floor_busy, 50, 5000, 0, 16,
    "uv_queue_work of 50 us of arithmetic and back, 16 in flight" },
  { "work-busy-256-50us", run_work, floor_busy, 50, 5000, 0, 256,
    "uv_queue_work of 50 us of arithmetic and back, 256 in flight" },
  { "work-busy-1024-50us", run_work, floor_busy, 50, 5000, 0, 1024,
    "uv_queue_work of 50 us of arithmetic and back, 1024 in flight" },
  { "getaddrinfo-1", run_resolve, NULL, 0, 5000, 0, 1,
    "a numeric address resolved, 1 in flight" },
  { "getaddrinfo-64", run_resolve, NULL, 0, 20000, 0, 64,
    "a numeric address resolved, 64 in flight" },
  { .name = NULL },
};
