/* SPDX-License-Identifier: MIT */
/* Waking loops. */
#include "bench.h"

/* ---- ping: one operation is a send from one thread's loop to another's and
 * back ---- */

struct side {
  uv_loop_t loop;
  uv_async_t async;
  struct side* other;
  uint64_t left;
};

static void ping_cb(uv_async_t* async) {
  struct side* side = async->data;

  if (side->left == 0) {
    uv_close((uv_handle_t*) async, NULL);
    return;
  }
  side->left--;
  CHECK_OK(uv_async_send(&side->other->async));
  if (side->left == 0)
    uv_close((uv_handle_t*) async, NULL);
}

static void side_init(struct side* side, struct side* other, uint64_t ops) {
  side->other = other;
  side->left = ops;
  CHECK_OK(uv_loop_init(&side->loop));
  CHECK_OK(uv_async_init(&side->loop, &side->async, ping_cb));
  side->async.data = side;
}

static void side_run(void* arg) {
  struct side* side = arg;
  CHECK_OK(uv_run(&side->loop, UV_RUN_DEFAULT));
}

static void run_ping(struct run* run) {
  static struct side here;
  static struct side there;
  uv_thread_t thread;

  /* The last pong finds `here` done and only closes. */
  side_init(&here, &there, run->ops);
  side_init(&there, &here, run->ops);
  here.left = run->ops - 1;
  CHECK_OK(uv_thread_create(&thread, side_run, &there));
  bench_begin();
  CHECK_OK(uv_async_send(&there.async));
  side_run(&here);
  bench_end();
  CHECK_OK(uv_thread_join(&thread));
  CHECK(here.left == 0 && there.left == 0);
  bench_drain(&there.loop);
  bench_drain(&here.loop);
}

/* ---- from a plain thread: sent, called back, acknowledged by a semaphore */

static struct {
  uv_loop_t loop;
  uv_async_t async;
  uv_sem_t answered;
  uint64_t ops;
  uint64_t calls;
  int is_over;
} plain;

static void plain_cb(uv_async_t* async) {
  plain.calls++;
  if (plain.calls == plain.ops)
    uv_close((uv_handle_t*) async, NULL);
  uv_sem_post(&plain.answered);
}

static void plain_sender(void* arg) {
  (void) arg;
  for (uint64_t i = 0; i < plain.ops; i++) {
    CHECK_OK(uv_async_send(&plain.async));
    uv_sem_wait(&plain.answered);
  }
}

static void run_plain(struct run* run) {
  uv_thread_t thread;

  plain.ops = run->ops;
  CHECK_OK(uv_sem_init(&plain.answered, 0));
  CHECK_OK(uv_loop_init(&plain.loop));
  CHECK_OK(uv_async_init(&plain.loop, &plain.async, plain_cb));
  bench_begin();
  CHECK_OK(uv_thread_create(&thread, plain_sender, NULL));
  CHECK_OK(uv_run(&plain.loop, UV_RUN_DEFAULT));
  CHECK_OK(uv_thread_join(&thread));
  bench_end();
  bench_drain(&plain.loop);
}

/* ---- pummel: another thread sends as fast as it can; one operation is a
 * callback, as in libuv's own async_pummel. The number of sends per callback is
 * recorded: a library that is slow to call back makes sending cheap. ---- */

static uint64_t pummel_sends;

static void pummel_cb(uv_async_t* async) {
  if (++plain.calls != plain.ops)
    return;
  __atomic_store_n(&plain.is_over, 1, __ATOMIC_RELEASE);
  uv_sem_wait(&plain.answered);
  uv_close((uv_handle_t*) async, NULL);
}

static void pummel_sender(void* arg) {
  (void) arg;
  while (!__atomic_load_n(&plain.is_over, __ATOMIC_ACQUIRE)) {
    CHECK_OK(uv_async_send(&plain.async));
    pummel_sends++;
  }
  uv_sem_post(&plain.answered);
}

static void run_pummel(struct run* run) {
  uv_thread_t thread;

  plain.ops = run->ops;
  CHECK_OK(uv_sem_init(&plain.answered, 0));
  CHECK_OK(uv_loop_init(&plain.loop));
  CHECK_OK(uv_async_init(&plain.loop, &plain.async, pummel_cb));
  bench_begin();
  CHECK_OK(uv_thread_create(&thread, pummel_sender, NULL));
  CHECK_OK(uv_run(&plain.loop, UV_RUN_DEFAULT));
  CHECK_OK(uv_thread_join(&thread));
  bench_end();
  bench_note("sends_per_callback",
             (double) pummel_sends / (double) plain.calls);
  bench_drain(&plain.loop);
}

/* ---- many handles: one operation is a send and its callback, always for the
 * same one of `size` handles, by the loop's own thread ---- */

static struct {
  uv_loop_t loop;
  uv_async_t* handles;
  uint64_t left;
} many;

static void many_cb(uv_async_t* async) {
  if (--many.left == 0)
    uv_stop(&many.loop);
  else
    CHECK_OK(uv_async_send(async));
}

static void run_many(struct run* run) {
  many.left = run->ops;
  many.handles = bench_alloc(run->size, sizeof(*many.handles));
  CHECK_OK(uv_loop_init(&many.loop));
  for (unsigned i = 0; i < run->size; i++)
    CHECK_OK(uv_async_init(&many.loop, &many.handles[i], many_cb));
  bench_begin();
  CHECK_OK(uv_async_send(&many.handles[run->size / 2]));
  CHECK_OK(uv_run(&many.loop, UV_RUN_DEFAULT));
  bench_end();
  for (unsigned i = 0; i < run->size; i++)
    uv_close((uv_handle_t*) &many.handles[i], NULL);
  bench_drain(&many.loop);
}

/* ---- a crowd: a thread sends to one of `size` handles after the other, at
 * random, without waiting; one operation is a callback, as in libuv's own
 * million_async ---- */

static void crowd_cb(uv_async_t* async) {
  (void) async;
  if (++plain.calls == plain.ops) {
    __atomic_store_n(&plain.is_over, 1, __ATOMIC_RELEASE);
    uv_stop(&many.loop);
  }
}

static void crowd_sender(void* arg) {
  const struct run* run = arg;

  while (!__atomic_load_n(&plain.is_over, __ATOMIC_ACQUIRE)) {
    CHECK_OK(uv_async_send(&many.handles[bench_random() % run->size]));
    pummel_sends++;
  }
}

static void run_crowd(struct run* run) {
  uv_thread_t thread;

  plain.ops = run->ops;
  many.handles = bench_alloc(run->size, sizeof(*many.handles));
  CHECK_OK(uv_loop_init(&many.loop));
  for (unsigned i = 0; i < run->size; i++)
    CHECK_OK(uv_async_init(&many.loop, &many.handles[i], crowd_cb));
  bench_begin();
  CHECK_OK(uv_thread_create(&thread, crowd_sender, run));
  CHECK_OK(uv_run(&many.loop, UV_RUN_DEFAULT));
  bench_end();
  CHECK_OK(uv_thread_join(&thread));
  bench_note("sends_per_callback",
             (double) pummel_sends / (double) plain.calls);
  for (unsigned i = 0; i < run->size; i++)
    uv_close((uv_handle_t*) &many.handles[i], NULL);
  bench_drain(&many.loop);
  /* One pass over the ready handles may go past the number asked for. */
  run->ops = plain.calls;
}

const struct workload async_workloads[] = {
  { "async-ping", run_ping, NULL, 0, 10000, 0, 2,
    "a wake-up to a loop in another thread and back" },
  { "async-thread", run_plain, NULL, 0, 10000, 0, 1,
    "a send by a plain thread, called back and acknowledged" },
  { "async-pummel", run_pummel, NULL, 0, 200000, 0, 1,
    "a callback while a thread sends without ever waiting" },
  { "async-1", run_many, NULL, 0, 100000, 0, 1,
    "a send by the loop's own thread and its callback, 1 handle" },
  { "async-10k", run_many, NULL, 0, 10000, 0, 10000,
    "the same, one of 10000 handles" },
  { "async-1m", run_crowd, NULL, 0, 200000, 0, 1000000,
    "a callback while a thread sends to 1000000 handles at random" },
  { .name = NULL },
};
