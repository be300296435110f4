/* SPDX-License-Identifier: MIT */
/* Clients: threads with a loop that submit, cancel, run and close at random. */
#include "stress.h"

#include <sched.h>
#include <unistd.h>

#define REQS 64
#define ROUNDS_MAX 40

enum kind { WORK, STAT, ADDRINFO, NAMEINFO, RANDOM, KINDS };

struct visit;

struct request {
  union {
    uv_req_t any;
    uv_work_t work;
    uv_fs_t fs;
    uv_getaddrinfo_t addr;
    uv_getnameinfo_t name;
    uv_random_t random;
  } req;
  struct visit* visit;
  enum kind kind;
  int is_used;
  int is_cancelled; /* uv_cancel() returned 0 */
  int has_run;      /* atomic: times, of WORK */
  unsigned spin_us;
  int does_send;
  char bytes[8];
};

/* A loop's life. */
struct visit {
  uv_loop_t* loop;
  uv_async_t async;
  struct request reqs[REQS];
  unsigned* seed;
  unsigned in_flight;
  int goes_on; /* requests submit themselves again */
};

static void submit(struct visit* visit, struct request* r);

static void end_request(struct request* r, int status) {
  struct visit* visit = r->visit;

  CHECK(r->is_used);
  CHECK((status == UV_ECANCELED) == r->is_cancelled);
  if (r->kind == WORK)
    CHECK(__atomic_load_n(&r->has_run, __ATOMIC_RELAXED) == !r->is_cancelled);
  r->is_used = 0;
  visit->in_flight--;
  stress_progress();
  if (visit->goes_on && stress_random(visit->seed, 4) == 0)
    submit(visit, r);
}

static void do_work(uv_work_t* req) {
  struct request* r = (struct request*) req;

  __atomic_add_fetch(&r->has_run, 1, __ATOMIC_RELAXED);
  if (r->does_send)
    CHECK(uv_async_send(&r->visit->async) == 0);
  if (r->spin_us != 0)
    stress_spin(r->spin_us);
}

static void after_work(uv_work_t* req, int status) {
  end_request((struct request*) req, status);
}

static void after_fs(uv_fs_t* req) {
  int status = req->result == UV_ECANCELED ? UV_ECANCELED : 0;

  if (status == 0)
    CHECK(req->result == 0);
  uv_fs_req_cleanup(req);
  end_request((struct request*) req, status);
}

static void after_addrinfo(uv_getaddrinfo_t* req,
                           int status,
                           struct addrinfo* list) {
  CHECK(status == 0 || status == UV_EAI_CANCELED);
  uv_freeaddrinfo(list);
  end_request((struct request*) req,
              status == UV_EAI_CANCELED ? UV_ECANCELED : 0);
}

static void after_nameinfo(uv_getnameinfo_t* req,
                           int status,
                           const char* host,
                           const char* service) {
  (void) host;
  (void) service;
  CHECK(status == 0 || status == UV_EAI_CANCELED);
  end_request((struct request*) req,
              status == UV_EAI_CANCELED ? UV_ECANCELED : 0);
}

static void after_random(uv_random_t* req, int status, void* buf, size_t len) {
  (void) buf;
  (void) len;
  CHECK(status == 0 || status == UV_ECANCELED);
  end_request((struct request*) req, status);
}

static void submit_addrinfo(struct visit* visit, struct request* r) {
  struct addrinfo hints;

  memset(&hints, 0, sizeof(hints));
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  CHECK(uv_getaddrinfo(visit->loop, &r->req.addr, after_addrinfo, "127.0.0.1",
                       "80", &hints) == 0);
}

static void submit_nameinfo(struct visit* visit, struct request* r) {
  struct sockaddr_in addr;

  CHECK(uv_ip4_addr("127.0.0.1", 80, &addr) == 0);
  CHECK(uv_getnameinfo(visit->loop, &r->req.name, after_nameinfo,
                       (struct sockaddr*) &addr,
                       NI_NUMERICHOST | NI_NUMERICSERV) == 0);
}

static void submit(struct visit* visit, struct request* r) {
  unsigned* seed = visit->seed;

  r->visit = visit;
  r->is_used = 1;
  r->is_cancelled = 0;
  r->has_run = 0;
  r->spin_us = stress_random(seed, 8) == 0 ? stress_random(seed, 40) : 0;
  r->does_send = stress_random(seed, 8) == 0;
  r->kind = stress_random(seed, 2) ? WORK : stress_random(seed, KINDS);
  visit->in_flight++;
  switch (r->kind) {
  case WORK:
    CHECK(uv_queue_work(visit->loop, &r->req.work, do_work, after_work) == 0);
    break;
  case STAT:
    CHECK(uv_fs_stat(visit->loop, &r->req.fs, ".", after_fs) == 0);
    break;
  case ADDRINFO:
    submit_addrinfo(visit, r);
    break;
  case NAMEINFO:
    submit_nameinfo(visit, r);
    break;
  case RANDOM:
    CHECK(uv_random(visit->loop, &r->req.random, r->bytes, sizeof(r->bytes), 0,
                    after_random) == 0);
    break;
  case KINDS:
    break;
  }
}

static void cancel(struct request* r) {
  if (!r->is_used)
    return;
  int err = uv_cancel(&r->req.any);
  CHECK(err == 0 || err == UV_EBUSY);
  if (err == 0)
    r->is_cancelled = 1;
}

static void on_async(uv_async_t* async) {
  (void) async;
}

static void burst(struct visit* visit, unsigned max) {
  unsigned n = 1 + stress_random(visit->seed, max);

  for (unsigned i = 0; i < n; i++) {
    struct request* r = &visit->reqs[stress_random(visit->seed, REQS)];
    if (!r->is_used)
      submit(visit, r);
    if (stress_random(visit->seed, 16) == 0)
      stress_spin(stress_random(visit->seed, 10));
    if (stress_random(visit->seed, 4) == 0)
      cancel(&visit->reqs[stress_random(visit->seed, REQS)]);
  }
}

static void run_loop(struct visit* visit) {
  switch (stress_random(visit->seed, 4)) {
  case 0:
    uv_run(visit->loop, UV_RUN_NOWAIT);
    break;
  case 1:
    if (visit->in_flight > 0)
      uv_run(visit->loop, UV_RUN_ONCE);
    break;
  case 2:
    break;
  case 3:
    /* Until the last request: the async handle does not count. */
    visit->goes_on = 0;
    uv_run(visit->loop, UV_RUN_DEFAULT);
    CHECK(visit->in_flight == 0);
    visit->goes_on = 1;
    break;
  }
}

/* The memory of loop and requests is freed at once: a worker must not touch it
 * any more. */
static void make_visit(const struct client* client, unsigned* seed) {
  struct visit* visit = calloc(1, sizeof(*visit));

  CHECK(visit != NULL);
  visit->loop = malloc(sizeof(*visit->loop));
  CHECK(visit->loop != NULL);
  visit->seed = seed;
  visit->goes_on = 1;
  CHECK(uv_loop_init(visit->loop) == 0);
  CHECK(uv_async_init(visit->loop, &visit->async, on_async) == 0);
  uv_unref((uv_handle_t*) &visit->async);
  for (unsigned i = stress_random(seed, ROUNDS_MAX); i > 0; i--) {
    burst(visit, client->burst_max);
    run_loop(visit);
  }
  visit->goes_on = 0;
  uv_run(visit->loop, UV_RUN_DEFAULT);
  CHECK(visit->in_flight == 0);
  uv_close((uv_handle_t*) &visit->async, NULL);
  uv_run(visit->loop, UV_RUN_DEFAULT);
  CHECK(uv_loop_close(visit->loop) == 0);
  free(visit->loop);
  free(visit);
}

void stress_client(struct client* client) {
  unsigned seed = client->seed;

  if (client->is_pinned)
    CHECK(stress_pin(0));
  if (client->is_realtime) {
    struct sched_param param = { .sched_priority = 1 };
    (void) sched_setscheduler(0, SCHED_FIFO, &param);
  }
  while (stress_goes_on())
    make_visit(client, &seed);
}

static void run_client(void* arg) {
  stress_client(arg);
}

void stress_clients(struct client* clients, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    clients[i].seed = stress_seed() + i * 7919;
    if (clients[i].burst_max == 0)
      clients[i].burst_max = i % 2 == 0 ? 4 : REQS;
    CHECK(uv_thread_create(&clients[i].thread, run_client, &clients[i]) == 0);
  }
  for (unsigned i = 0; i < count; i++)
    CHECK(uv_thread_join(&clients[i].thread) == 0);
}

static void one_client(void) {
  struct client clients[1] = { { 0 } };
  stress_clients(clients, 1);
}

static void many_clients(void) {
  struct client clients[8] = { { 0 } };
  stress_clients(clients, 8);
}

/* ------------------------------------------------------------------------- */

/* A single request that is cancelled when a worker is about to take it. */
static struct {
  uv_work_t req;
  int has_run;
  int answer;
} single;

static void work_single(uv_work_t* req) {
  (void) req;
  single.has_run++;
}

static void after_single(uv_work_t* req, int status) {
  (void) req;
  single.answer = status;
  stress_progress();
}

static void cancel_at_the_last_moment(void) {
  unsigned seed = stress_seed();
  uv_loop_t loop;

  CHECK(uv_loop_init(&loop) == 0);
  while (stress_goes_on()) {
    single.has_run = 0;
    single.answer = 1;
    CHECK(uv_queue_work(&loop, &single.req, work_single, after_single) == 0);
    uint64_t end = uv_hrtime() + stress_random(&seed, 12000);
    while (uv_hrtime() < end)
      continue;
    int err = uv_cancel((uv_req_t*) &single.req);
    CHECK(err == 0 || err == UV_EBUSY);
    CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0);
    CHECK(single.answer == (err == 0 ? UV_ECANCELED : 0));
    CHECK(single.has_run == (err != 0));
  }
  CHECK(uv_loop_close(&loop) == 0);
}

/* ------------------------------------------------------------------------- */

/* Work that submits work, from a loop of its own, and waits for it; one level
 * deep and on fewer workers than there are. */
static void after_inner(uv_work_t* req, int status) {
  (void) req;
  CHECK(status == 0);
  stress_progress();
}

static void do_nothing(uv_work_t* req) {
  (void) req;
}

static void work_outer(uv_work_t* req) {
  uv_loop_t loop;
  uv_work_t inner[4];

  (void) req;
  CHECK(uv_loop_init(&loop) == 0);
  for (int i = 0; i < 4; i++)
    CHECK(uv_queue_work(&loop, &inner[i], do_nothing, after_inner) == 0);
  CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0);
  CHECK(uv_loop_close(&loop) == 0);
}

static void work_within_work(void) {
  unsigned outer_max = stress_size() - 1;
  uv_work_t outer[8];
  uv_loop_t loop;

  if (outer_max > 8)
    outer_max = 8;
  CHECK(uv_loop_init(&loop) == 0);
  do {
    if (outer_max == 0) /* no worker is left for the inner ones */
      CHECK(uv_queue_work(&loop, &outer[0], do_nothing, after_inner) == 0);
    for (unsigned i = 0; i < outer_max; i++)
      CHECK(uv_queue_work(&loop, &outer[i], work_outer, after_inner) == 0);
    CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0);
  } while (stress_goes_on());
  CHECK(uv_loop_close(&loop) == 0);
}

const struct scenario client_scenarios[] = {
  { "one-client", one_client, 0 },
  { "many-clients", many_clients, 0 },
  { "cancel-at-the-last-moment", cancel_at_the_last_moment, 0 },
  { "work-within-work", work_within_work, 0 },
  { NULL, NULL, 0 },
};
