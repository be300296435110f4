/* SPDX-License-Identifier: MIT */
/* Messages to a loop the way most programs send them: a list under a mutex, and
 * uv_async_send() for each. `size` threads produce, either without ever waiting
 * or in bursts of `kind` messages, each burst after the loop has taken the one
 * before. One operation is a message. */
#include "bench.h"

#define PRODUCERS_MAX 16

struct message {
  struct message* next;
  uv_sem_t* taken; /* posted when the loop takes it, or NULL */
};

struct producer {
  uv_thread_t thread;
  uv_sem_t taken;
  struct message* messages;
  uint64_t count;
  uint64_t burst; /* 0: no waiting */
};

static struct {
  uv_loop_t loop;
  uv_async_t async;
  uv_mutex_t lock;
  struct message* list; /* under the lock */
  uint64_t ops;
  uint64_t taken;
  uint64_t callbacks;
} flood;

static struct message* take_all(void) {
  uv_mutex_lock(&flood.lock);
  struct message* list = flood.list;
  flood.list = NULL;
  uv_mutex_unlock(&flood.lock);
  return list;
}

static void flood_cb(uv_async_t* async) {
  struct message* message = take_all();

  flood.callbacks++;
  while (message != NULL) {
    struct message* next = message->next;

    flood.taken++;
    if (message->taken != NULL)
      uv_sem_post(message->taken);
    message = next;
  }
  if (flood.taken < flood.ops)
    return;
  bench_end();
  uv_close((uv_handle_t*) async, NULL);
}

static void message_send(struct message* message) {
  uv_mutex_lock(&flood.lock);
  message->next = flood.list;
  flood.list = message;
  uv_mutex_unlock(&flood.lock);
  CHECK_OK(uv_async_send(&flood.async));
}

static void producer_run(void* arg) {
  struct producer* p = arg;

  for (uint64_t i = 0; i < p->count; i++) {
    int is_last = p->burst != 0 && (i + 1) % p->burst == 0;

    p->messages[i].taken = is_last ? &p->taken : NULL;
    message_send(&p->messages[i]);
    if (is_last)
      uv_sem_wait(&p->taken);
  }
}

static void producer_init(struct producer* p, uint64_t count, uint64_t burst) {
  p->count = count;
  p->burst = burst;
  p->messages = bench_alloc(count, sizeof(*p->messages));
  /* No page fault is measured. */
  memset(p->messages, 1, count * sizeof(*p->messages));
  CHECK_OK(uv_sem_init(&p->taken, 0));
}

static void run_flood(struct run* run) {
  static struct producer producers[PRODUCERS_MAX];
  uint64_t share = (run->ops + run->size - 1) / run->size;

  CHECK(run->size <= PRODUCERS_MAX);
  run->ops = flood.ops = share * run->size;
  for (unsigned i = 0; i < run->size; i++)
    producer_init(&producers[i], share, (uint64_t) run->kind);
  CHECK_OK(uv_mutex_init(&flood.lock));
  CHECK_OK(uv_loop_init(&flood.loop));
  CHECK_OK(uv_async_init(&flood.loop, &flood.async, flood_cb));
  bench_begin();
  for (unsigned i = 0; i < run->size; i++)
    CHECK_OK(
        uv_thread_create(&producers[i].thread, producer_run, &producers[i]));
  CHECK_OK(uv_run(&flood.loop, UV_RUN_DEFAULT));
  for (unsigned i = 0; i < run->size; i++) {
    CHECK_OK(uv_thread_join(&producers[i].thread));
    uv_sem_destroy(&producers[i].taken);
    free(producers[i].messages);
  }
  bench_note("messages_per_callback",
             (double) flood.ops / (double) flood.callbacks);
  bench_drain(&flood.loop);
  uv_mutex_destroy(&flood.lock);
}

const struct workload flood_workloads[] = {
  { "matrix-flood", run_flood, NULL, 0, 200000, 0, 1,
    "a message sent by so many threads that never wait" },
  { "matrix-flood-10", run_flood, NULL, 10, 20000, 0, 1,
    "the same, each thread waits after 10 until the loop has taken them" },
  { "matrix-flood-1000", run_flood, NULL, 1000, 100000, 0, 1,
    "the same, each thread waits after 1000" },
  { .name = NULL },
};
