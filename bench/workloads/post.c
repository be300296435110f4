/* SPDX-License-Identifier: MIT */
/* Messages to a loop from other threads: uvx_post() where the library has it,
 * otherwise what programs write with libuv, which is an async handle, a lock
 * and a list. One operation is a message that has been called back.
 *
 * flood: `size` threads send without ever waiting; burst: they send a burst and
 * wait until the last of it was called; ball: as many threads with a loop of
 * their own, and one message each that goes to the main loop and back. */
#include "bench.h"

#include <dlfcn.h>
#include <uv/ext.h>

#define SIDES_MAX 16

struct message;
typedef void message_cb(struct message* message);

struct message {
  uvx_post_t post; /* must be first */
  struct message* next;
  message_cb* cb;
  struct side* side;
  uint64_t left; /* trips of a ball */
};

/* A loop that takes messages. */
struct door {
  uv_loop_t loop;
  uv_async_t async; /* keeps it alive; libuv's way through */
  uv_mutex_t lock;
  struct message* first;
  struct message* last;
};

struct side {
  struct door door; /* of a ball's thread */
  uv_thread_t thread;
  uv_sem_t answered;
  struct message* messages;
  uint64_t count;
  uint64_t burst;
};

static struct door home;
static struct side sides[SIDES_MAX];
static uint64_t calls;
static uint64_t calls_wanted;
static int (*post)(uv_loop_t* loop, uvx_post_t* post, uvx_post_cb cb);

static void door_take(uv_async_t* async) {
  struct door* door = async->data;

  uv_mutex_lock(&door->lock);
  struct message* message = door->first;
  door->first = NULL;
  door->last = NULL;
  uv_mutex_unlock(&door->lock);
  while (message != NULL) {
    struct message* next = message->next;
    message->cb(message);
    message = next;
  }
}

static void door_init(struct door* door) {
  CHECK_OK(uv_loop_init(&door->loop));
  CHECK_OK(uv_async_init(&door->loop, &door->async, door_take));
  CHECK_OK(uv_mutex_init(&door->lock));
  door->async.data = door;
  door->first = NULL;
  door->last = NULL;
}

static void door_close(struct door* door) {
  uv_close((uv_handle_t*) &door->async, NULL);
}

static void door_end(struct door* door) {
  bench_drain(&door->loop);
  uv_mutex_destroy(&door->lock);
}

static void on_post(uvx_post_t* base) {
  struct message* message = (struct message*) base;

  message->cb(message);
}

static void send_message(struct door* door, struct message* message) {
  if (post != NULL) {
    CHECK_OK(post(&door->loop, &message->post, on_post));
    return;
  }
  message->next = NULL;
  uv_mutex_lock(&door->lock);
  if (door->last == NULL)
    door->first = message;
  else
    door->last->next = message;
  door->last = message;
  uv_mutex_unlock(&door->lock);
  CHECK_OK(uv_async_send(&door->async));
}

/* ---- flood and burst ---- */

static void on_message(struct message* message) {
  struct side* side = message->side;

  if (message->left == 1)
    uv_sem_post(&side->answered);
  if (++calls == calls_wanted)
    door_close(&home);
}

static void send_all(void* arg) {
  struct side* side = arg;

  for (uint64_t i = 0; i < side->count; i++) {
    struct message* message = &side->messages[i % side->burst];
    send_message(&home, message);
    if (message->left == 1)
      uv_sem_wait(&side->answered);
  }
}

/* A flood has memory of its own for each message, a burst uses it again. */
static void side_init(struct side* side, uint64_t count, uint64_t burst) {
  uint64_t slots = burst != 0 ? burst : count;

  CHECK_OK(uv_sem_init(&side->answered, 0));
  side->messages = bench_alloc((size_t) slots, sizeof(*side->messages));
  memset(side->messages, 0, (size_t) slots * sizeof(*side->messages));
  for (uint64_t i = 0; i < slots; i++) {
    side->messages[i].cb = on_message;
    side->messages[i].side = side;
  }
  side->messages[slots - 1].left = burst != 0;
  side->count = count;
  side->burst = slots;
}

static void find_post(void) {
  void* found = dlsym(RTLD_DEFAULT, "uvx_post");

  memcpy(&post, &found, sizeof(post));
}

/* `kind` is the length of a burst, 0: a flood. */
static void run_senders(struct run* run) {
  uint64_t burst = (uint64_t) run->kind;
  uint64_t unit = burst != 0 ? burst : 1;
  unsigned size = run->size;
  uint64_t each = (run->ops + size * unit - 1) / (size * unit) * unit;

  CHECK(size <= SIDES_MAX);
  find_post();
  door_init(&home);
  calls = 0;
  calls_wanted = each * size;
  run->ops = calls_wanted;
  for (unsigned i = 0; i < size; i++)
    side_init(&sides[i], each, burst);
  bench_begin();
  for (unsigned i = 0; i < size; i++)
    CHECK_OK(uv_thread_create(&sides[i].thread, send_all, &sides[i]));
  CHECK_OK(uv_run(&home.loop, UV_RUN_DEFAULT));
  for (unsigned i = 0; i < size; i++)
    CHECK_OK(uv_thread_join(&sides[i].thread));
  bench_end();
  CHECK(calls == calls_wanted);
  door_end(&home);
  for (unsigned i = 0; i < size; i++) {
    uv_sem_destroy(&sides[i].answered);
    free(sides[i].messages);
  }
}

/* ---- ball ---- */

static void on_ball_back(struct message* ball);

static void on_ball_home(struct message* ball) {
  calls++;
  ball->cb = on_ball_back;
  if (--ball->left == 0 && --calls_wanted == 0)
    door_close(&home);
  send_message(&ball->side->door, ball);
}

static void on_ball_back(struct message* ball) {
  if (ball->left == 0) {
    door_close(&ball->side->door);
    return;
  }
  ball->cb = on_ball_home;
  send_message(&home, ball);
}

static void run_side(void* arg) {
  struct side* side = arg;

  CHECK_OK(uv_run(&side->door.loop, UV_RUN_DEFAULT));
}

static void run_balls(struct run* run) {
  struct message balls[SIDES_MAX];
  unsigned size = run->size;
  uint64_t each = (run->ops + size - 1) / size;

  CHECK(size <= SIDES_MAX);
  find_post();
  door_init(&home);
  calls = 0;
  calls_wanted = size; /* balls */
  run->ops = each * size;
  memset(balls, 0, sizeof(balls));
  for (unsigned i = 0; i < size; i++) {
    door_init(&sides[i].door);
    balls[i].side = &sides[i];
    balls[i].left = each;
    balls[i].cb = on_ball_back;
    CHECK_OK(uv_thread_create(&sides[i].thread, run_side, &sides[i]));
  }
  bench_begin();
  for (unsigned i = 0; i < size; i++)
    send_message(&sides[i].door, &balls[i]);
  CHECK_OK(uv_run(&home.loop, UV_RUN_DEFAULT));
  for (unsigned i = 0; i < size; i++)
    CHECK_OK(uv_thread_join(&sides[i].thread));
  bench_end();
  CHECK(calls == run->ops);
  for (unsigned i = 0; i < size; i++)
    door_end(&sides[i].door);
  door_end(&home);
}

const struct workload post_workloads[] = {
  { "post-flood-1", run_senders, NULL, 0, 1000000, 4000000, 1,
    "a message to a loop, from a thread that never waits" },
  { "post-flood-2", run_senders, NULL, 0, 1000000, 4000000, 2,
    "the same, 2 threads" },
  { "post-flood-4", run_senders, NULL, 0, 1000000, 4000000, 4,
    "the same, 4 threads" },
  { "post-burst-1", run_senders, NULL, 10, 100000, 0, 1,
    "a message of a burst of 10, each burst awaited" },
  { "post-burst-2", run_senders, NULL, 10, 100000, 0, 2,
    "the same, 2 threads" },
  { "post-burst-4", run_senders, NULL, 10, 100000, 0, 4,
    "the same, 4 threads" },
  { "post-burst-1000-1", run_senders, NULL, 1000, 1000000, 0, 1,
    "a message of a burst of 1000, each burst awaited" },
  { "post-burst-1000-2", run_senders, NULL, 1000, 1000000, 0, 2,
    "the same, 2 threads" },
  { "post-burst-1000-4", run_senders, NULL, 1000, 1000000, 0, 4,
    "the same, 4 threads" },
  { "post-ball-1", run_balls, NULL, 0, 10000, 0, 1,
    "a message to a loop in another thread and back" },
  { "post-ball-2", run_balls, NULL, 0, 10000, 0, 2, "the same, 2 other loops" },
  { "post-ball-4", run_balls, NULL, 0, 10000, 0, 4, "the same, 4 other loops" },
  { .name = NULL },
};
