/* SPDX-License-Identifier: MIT */
/* Managed loops against a model of the world: loops that post to each other,
 * pause, work, stop, listen and connect at random, and a shutdown at a random
 * moment.
 *
 *   uv-world [--ms N] [--seed N]
 *
 * The model: the messages of one loop to another have numbers, and arrive in
 * their order, each once; while a loop has the pause, no callback of another
 * one and no work function runs; everything that was sent has arrived in the
 * end. A world lasts for some milliseconds; there are new ones for N of them.
 * Ends with "N passed, N failed, N skipped"; a failure names the seed of its
 * world.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>
#include <uv/ext.h>

#define LOOPS_MAX 8
#define STRANGER LOOPS_MAX /* a thread without a loop, as a sender */
#define SENDERS (LOOPS_MAX + 1)
#define HOPS_MAX 4
#define HANG_S 60

#define CHECK(condition)                                                       \
 ((condition) ? (void) 0 : world_fail(__LINE__, #condition))

struct message {
  uvx_post_t post;
  unsigned from;
  unsigned hops; /* answers that it may cause */
  unsigned long number;
};

struct citizen {
  uv_loop_t* loop;
  unsigned index;
  unsigned random;
  int is_ending;
  uv_timer_t timer;
  uv_work_t work;
  int is_working;
  uv_tcp_t client;
  uv_connect_t connect;
  int is_connected; /* or connecting, or closing */
  unsigned long received[SENDERS];
};

static unsigned seed;
static unsigned worlds;
static uvx_loops_t* loops;
static uvx_pool_t* pool; /* of all loops; some work is in the lane instead */
static uvx_listener_t* listener;
static struct sockaddr_in address;
static unsigned count;
static struct citizen citizens[LOOPS_MAX];
static unsigned long sent[SENDERS][LOOPS_MAX]; /* each sender's own row */
static int pauser;       /* atomic: who has the pause, + 1 */
static unsigned changes; /* by whoever has the pause: no lock */
static uint64_t end_ns;

static void world_fail(int line, const char* text) {
  fprintf(stderr, "# world.c:%d: %s; --seed %u\n", line, text, seed);
  abort();
}

/* xorshift, by George Marsaglia */
static unsigned random_below(unsigned* state, unsigned below) {
  unsigned x = *state != 0 ? *state : 1;

  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  *state = x;
  return x % below;
}

/* In every callback of the citizen. */
static void check_pause(const struct citizen* me) {
  int who = __atomic_load_n(&pauser, __ATOMIC_RELAXED);
  CHECK(who == 0 || who == (int) me->index + 1);
}

/* ---- messages ---- */

static void on_message(uvx_post_t* post);

static int send_message(unsigned from, unsigned to, unsigned hops) {
  struct message* message = malloc(sizeof(*message));

  CHECK(message != NULL);
  message->from = from;
  message->hops = hops;
  message->number = sent[from][to];
  int err = uvx_post(citizens[to].loop, &message->post, on_message);
  if (err != 0)
    free(message);
  else
    sent[from][to]++;
  return err;
}

static void send_some(struct citizen* me, unsigned messages, unsigned hops) {
  while (messages-- > 0)
    CHECK(send_message(me->index, random_below(&me->random, count), hops) == 0);
}

static void on_message(uvx_post_t* post) {
  struct message* message = (struct message*) post;
  /* Late ones are called by another thread when the loops have ended. */
  uv_loop_t* current = uvx_loop_current();
  CHECK(current == NULL || current == post->loop);
  struct citizen* me = &citizens[uvx_loop_index(post->loop)];

  check_pause(me);
  CHECK(message->number == me->received[message->from]);
  me->received[message->from]++;
  if (message->hops > 0 && current != NULL)
    send_some(me, random_below(&me->random, 2), message->hops - 1);
  free(message);
}

static void post_for_ever(void* arg) {
  unsigned random = seed + 17;

  (void) arg;
  while (send_message(STRANGER, random_below(&random, count), 1) == 0)
    if (random_below(&random, 64) == 0)
      uv_sleep(random_below(&random, 2));
}

/* ---- what citizens do ---- */

static void do_work(uv_work_t* work) {
  (void) work;
  CHECK(__atomic_load_n(&pauser, __ATOMIC_RELAXED) == 0);
  uv_sleep(0);
  CHECK(__atomic_load_n(&pauser, __ATOMIC_RELAXED) == 0);
}

static void after_work(uv_work_t* work, int status) {
  struct citizen* me = work->data;

  CHECK(status == 0);
  check_pause(me);
  me->is_working = 0;
}

static void begin_work(struct citizen* me) {
  if (me->is_working)
    return;
  me->is_working = 1;
  me->work.data = me;
  if (random_below(&me->random, 8) == 0)
    CHECK(uvx_pool_set_threads(pool, 1 + random_below(&me->random, 4)) == 0);
  CHECK(uvx_queue_work(random_below(&me->random, 2) == 0 ? pool : NULL,
                       me->loop, &me->work, do_work, after_work) == 0);
}

static void take_pause(struct citizen* me) {
  int err = uvx_loops_pause(loops, (int) random_below(&me->random, 6) - 1);

  CHECK(err == 0 || err == UV_ETIMEDOUT);
  if (err != 0)
    return;
  CHECK(__atomic_exchange_n(&pauser, (int) me->index + 1, __ATOMIC_RELAXED) ==
        0);
  changes++;
  send_some(me, 3, 1);
  if (random_below(&me->random, 4) == 0)
    uv_sleep(1);
  CHECK(__atomic_exchange_n(&pauser, 0, __ATOMIC_RELAXED) ==
        (int) me->index + 1);
  uvx_loops_resume(loops);
}

static void on_client_closed(uv_handle_t* handle) {
  struct citizen* me = handle->data;
  me->is_connected = 0;
}

static void on_client_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  static char byte;
  (void) handle;
  (void) size;
  *buf = uv_buf_init(&byte, 1);
}

static void on_client_read(uv_stream_t* stream, ssize_t n, const uv_buf_t* b) {
  (void) b;
  check_pause(stream->data);
  if (n < 0)
    uv_close((uv_handle_t*) stream, on_client_closed);
}

static void on_client(uv_connect_t* req, int status) {
  if (status == UV_ECANCELED)
    return; /* closed by end_citizen() */
  check_pause(req->handle->data);
  if (status != 0)
    uv_close((uv_handle_t*) req->handle, on_client_closed);
  else
    CHECK(uv_read_start(req->handle, on_client_alloc, on_client_read) == 0);
}

static void begin_connection(struct citizen* me) {
  if (me->is_connected)
    return;
  me->is_connected = 1;
  CHECK(uv_tcp_init(me->loop, &me->client) == 0);
  me->client.data = me;
  CHECK(uv_tcp_connect(&me->connect, &me->client,
                       (const struct sockaddr*) &address, on_client) == 0);
}

static void on_conn_closed(uv_handle_t* handle) {
  free(handle);
}

static void on_connection(uv_stream_t* server, int status) {
  struct citizen* me = &citizens[uvx_loop_index(server->loop)];
  uv_tcp_t* conn = malloc(sizeof(*conn));

  check_pause(me);
  CHECK(status == 0 && !me->is_ending && conn != NULL);
  CHECK(server->data == &citizens);
  CHECK(uv_tcp_init(server->loop, conn) == 0);
  CHECK(uv_accept(server, (uv_stream_t*) conn) == 0);
  uv_close((uv_handle_t*) conn, on_conn_closed);
}

static void on_timer(uv_timer_t* timer) {
  struct citizen* me = timer->data;

  check_pause(me);
  if (uv_hrtime() > end_ns)
    uvx_loops_shutdown(loops);
  switch (random_below(&me->random, 8)) {
  case 0:
    take_pause(me);
    break;
  case 1:
    begin_work(me);
    break;
  case 2:
    begin_connection(me);
    break;
  case 3:
    uv_stop(me->loop);
    break;
  default:
    send_some(me, random_below(&me->random, 200), HOPS_MAX);
    break;
  }
}

static void begin_citizen(uv_loop_t* loop, void* arg) {
  struct citizen* me = &citizens[uvx_loop_index(loop)];

  (void) arg;
  CHECK(uv_timer_init(loop, &me->timer) == 0);
  me->timer.data = me;
  CHECK(uv_timer_start(&me->timer, on_timer, 0, 1) == 0);
}

static void end_citizen(uv_loop_t* loop, void* arg) {
  struct citizen* me = &citizens[uvx_loop_index(loop)];

  (void) arg;
  check_pause(me);
  me->is_ending = 1;
  uv_close((uv_handle_t*) &me->timer, NULL);
  if (me->is_connected && !uv_is_closing((uv_handle_t*) &me->client))
    uv_close((uv_handle_t*) &me->client, on_client_closed);
  send_some(me, 100, HOPS_MAX);
}

/* ---- a world ---- */

static enum uvx_balance choose_balance(unsigned* random) {
  return (enum uvx_balance) random_below(random, 4);
}

static void begin_listening(unsigned* random) {
  uvx_listen_options_t options = { .size = sizeof(options),
                                   .addr = (const struct sockaddr*) &address,
                                   .backlog = 64,
                                   .balance = choose_balance(random),
                                   .cb = on_connection,
                                   .data = &citizens };
  int len = sizeof(address);

  CHECK(uv_ip4_addr("127.0.0.1", 0, &address) == 0);
  int err = uvx_loops_listen(loops, &options, &listener);
  if (err == UV_ENOTSUP) {
    options.balance = UVX_BALANCE_DEFAULT;
    err = uvx_loops_listen(loops, &options, &listener);
  }
  CHECK(err == 0);
  CHECK(uvx_listener_getsockname(listener, (struct sockaddr*) &address, &len) ==
        0);
}

static void run_world(void) {
  unsigned random = seed;
  uvx_loops_options_t options = { .size = sizeof(options),
                                  .flags = UVX_LOOPS_NO_SIGNALS };
  uv_thread_t stranger;

  count = options.count = 1 + random_below(&random, LOOPS_MAX);
  memset(citizens, 0, sizeof(citizens));
  memset(sent, 0, sizeof(sent));
  CHECK(uvx_loops_new(&loops, &options) == 0);
  CHECK(uvx_pool_new(&pool, NULL) == 0);
  for (unsigned i = 0; i < count; i++) {
    citizens[i].loop = uvx_loops_get(loops, i);
    citizens[i].index = i;
    citizens[i].random = seed + 100 + i;
  }
  CHECK(uvx_loops_on_start(loops, NULL, begin_citizen, NULL) == 0);
  CHECK(uvx_loops_on_end(loops, NULL, end_citizen, NULL) == 0);
  begin_listening(&random);
  end_ns = uv_hrtime() + random_below(&random, 200) * UINT64_C(1000000);
  CHECK(uv_thread_create(&stranger, post_for_ever, NULL) == 0);
  CHECK(uvx_loops_run(loops) == 0);
  CHECK(uv_thread_join(&stranger) == 0);
  CHECK(uvx_loops_free(loops) == 0);
  CHECK(uvx_pool_free(pool) == 0);
  for (unsigned from = 0; from < SENDERS; from++)
    for (unsigned to = 0; to < count; to++)
      CHECK(citizens[to].received[from] == sent[from][to]);
}

/* Ends the process if a world does not end. */
static void watch(void* arg) {
  unsigned before = 0;

  (void) arg;
  for (int still = 0; still < HANG_S; still++) {
    uv_sleep(1000);
    unsigned now = __atomic_load_n(&worlds, __ATOMIC_RELAXED);
    if (now != before)
      still = 0;
    before = now;
  }
  world_fail(__LINE__, "a world that does not end");
}

int main(int argc, char** argv) {
  unsigned ms = 1000;
  uv_thread_t watchdog;
  int is_given = 0;

  seed = (unsigned) uv_hrtime();
  for (int i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--ms") == 0)
      ms = (unsigned) strtoul(argv[i + 1], NULL, 10);
    is_given = strcmp(argv[i], "--seed") == 0;
    if (is_given)
      seed = (unsigned) strtoul(argv[i + 1], NULL, 10);
  }
  printf("# seed %u\n", seed);
  fflush(stdout);
  CHECK(uv_thread_create(&watchdog, watch, NULL) == 0);
  uint64_t end = uv_hrtime() + ms * UINT64_C(1000000);
  do {
    run_world();
    __atomic_add_fetch(&worlds, 1, __ATOMIC_RELAXED);
    seed++;
  } while (uv_hrtime() < end);
  printf("# %u pauses in the last world\n", changes);
  printf("%u passed, 0 failed, 0 skipped\n", worlds);
  fflush(stdout);
  _Exit(0); /* the watchdog is still there */
}
