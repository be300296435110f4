/* SPDX-License-Identifier: MIT */
/* Lookups that are shared, cancelled and left behind. Method: a resolver of our
 * own that counts its calls and lets each return when the test says so. */
#include "fake-resolver.h"
#include "ignore.h"
#include "uv/ext.h"

#include <dlfcn.h>
#include <netdb.h>
#include <stdio.h>
#include <unistd.h>

enum { MANY = 100, WINDOW_MS = 1000 };

static uv_loop_t loop;

/* A request and what its callback got. */
struct query {
  uv_getaddrinfo_t req;
  struct addrinfo* list;
  int status;
  int calls;
  struct query* cancels; /* in the callback */
};

static struct query queries[MANY];

static void on_addresses(uv_getaddrinfo_t* req,
                         int status,
                         struct addrinfo* list) {
  struct query* query = (struct query*) req;

  query->calls++;
  query->status = status;
  query->list = list;
  if (query->cancels != NULL) {
    struct query* other = query->cancels;
    ASSERT_EQ(0, other->calls);
    ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) &other->req));
  }
}

static void ask_on(uv_loop_t* on, struct query* query, const char* name) {
  memset(query, 0, sizeof(*query));
  ASSERT_OK(uv_getaddrinfo(on, &query->req, on_addresses, name, NULL, NULL));
  ASSERT_EQ(0, query->calls);
}

static void ask(struct query* query, const char* name) {
  ask_on(&loop, query, name);
}

static void cancel(struct query* query) {
  int calls = query->calls;

  ASSERT_OK(uv_cancel((uv_req_t*) &query->req));
  ASSERT_EQ(calls, query->calls);
}

static void check_cancelled(const struct query* query) {
  ASSERT_EQ(1, query->calls);
  ASSERT_ERR(UV_EAI_CANCELED, query->status);
  ASSERT_NULL(query->list);
}

/* The list that fake-resolver.c makes. */
static void check_list(const struct addrinfo* list) {
  char text[64];

  ASSERT_NOT_NULL(list);
  ASSERT_EQ(AF_INET, list->ai_family);
  ASSERT_EQ(SOCK_STREAM, list->ai_socktype);
  ASSERT_EQ(IPPROTO_TCP, list->ai_protocol);
  ASSERT_EQ(sizeof(struct sockaddr_in), list->ai_addrlen);
  ASSERT_OK(uv_ip4_name((const struct sockaddr_in*) (const void*) list->ai_addr,
                        text, sizeof(text)));
  ASSERT_STR_EQ("192.0.2.7", text);
  ASSERT_STR_EQ("192.0.2.7", list->ai_canonname);

  list = list->ai_next;
  ASSERT_NOT_NULL(list);
  ASSERT_EQ(AF_INET6, list->ai_family);
  ASSERT_EQ(SOCK_DGRAM, list->ai_socktype);
  ASSERT_EQ(IPPROTO_UDP, list->ai_protocol);
  ASSERT_EQ(sizeof(struct sockaddr_in6), list->ai_addrlen);
  ASSERT_OK(
      uv_ip6_name((const struct sockaddr_in6*) (const void*) list->ai_addr,
                  text, sizeof(text)));
  ASSERT_STR_EQ("2001:db8::7", text);
  ASSERT_NULL(list->ai_canonname);
  ASSERT_NULL(list->ai_next);
}

static void check_answered(struct query* query) {
  ASSERT_EQ(1, query->calls);
  ASSERT_OK(query->status);
  check_list(query->list);
  uv_freeaddrinfo(query->list);
}

static void run_to_end(void) {
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
}

static void setup(void) {
  fake_resolver_start();
  ASSERT_OK(uv_loop_init(&loop));
}

static void setup_shared(void) {
  if (!TEST_SHARES_LOOKUPS)
    SKIP("this C library cannot free a copy of a result");
  setup();
}

/* R2: one call, and a list of its own for each. */
TEST_IMPL(lookup_equal_names_are_asked_once) {
  setup_shared();
  for (int i = 0; i < MANY; i++)
    ask(&queries[i], "equal.example");
  fake_resolver_wait(1);
  fake_resolver_let_go(MANY);
  run_to_end();

  ASSERT_EQ(1, fake_resolver_calls());
  for (int i = 0; i < MANY; i++)
    for (int k = 0; k < i; k++) {
      ASSERT(queries[i].list != queries[k].list);
      ASSERT(queries[i].list->ai_addr != queries[k].list->ai_addr);
    }
  for (int i = 0; i < MANY; i++)
    check_answered(&queries[i]);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* Equal in the form the DNS takes. */
TEST_IMPL(lookup_names_are_compared_as_they_are_asked) {
  setup_shared();
  ask(&queries[0], "b\xc3\xbc"
                   "cher.example");
  ask(&queries[1], "xn--bcher-kva.example");
  fake_resolver_wait(1);
  fake_resolver_let_go(2);
  run_to_end();
  ASSERT_EQ(1, fake_resolver_calls());
  check_answered(&queries[0]);
  check_answered(&queries[1]);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* No hints are not the same as hints of zero. */
TEST_IMPL(lookup_different_queries_are_asked_separately) {
  static const struct addrinfo rows[] = {
    { .ai_family = AF_UNSPEC },     { .ai_family = AF_INET },
    { .ai_socktype = SOCK_STREAM }, { .ai_protocol = IPPROTO_UDP },
    { .ai_flags = AI_PASSIVE },
  };
  enum { HINTS = ARRAY_SIZE(rows), TOTAL = HINTS + 4 };
  int n = 0;

  setup();
  for (; n < HINTS; n++)
    ASSERT_OK(uv_getaddrinfo(&loop, &queries[n].req, on_addresses, "a.example",
                             NULL, &rows[n]));
  ask(&queries[n++], "a.example");
  ask(&queries[n++], "b.example");
  ASSERT_OK(uv_getaddrinfo(&loop, &queries[n++].req, on_addresses, "a.example",
                           "http", NULL));
  ASSERT_OK(uv_getaddrinfo(&loop, &queries[n++].req, on_addresses, NULL, "http",
                           NULL));
  ASSERT_EQ(TOTAL, n);
  fake_resolver_let_go(TOTAL);
  run_to_end();
  ASSERT_EQ(TOTAL, fake_resolver_calls());
  for (int i = 0; i < TOTAL; i++)
    check_answered(&queries[i]);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

TEST_IMPL(lookup_error_reaches_every_waiter) {
  setup_shared();
  fake_resolver_set_error(EAI_AGAIN);
  for (int i = 0; i < 3; i++)
    ask(&queries[i], "error.example");
  fake_resolver_wait(1);
  fake_resolver_let_go(1);
  run_to_end();
  for (int i = 0; i < 3; i++) {
    ASSERT_EQ(1, queries[i].calls);
    ASSERT_ERR(UV_EAI_AGAIN, queries[i].status);
    ASSERT_NULL(queries[i].list);
  }
  ASSERT_EQ(1, fake_resolver_calls());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

TEST_IMPL(lookup_first_waiter_is_cancelled) {
  setup_shared();
  ask(&queries[0], "first.example");
  ask(&queries[1], "first.example");
  fake_resolver_wait(1);
  cancel(&queries[0]);
  fake_resolver_let_go(1);
  run_to_end();
  check_cancelled(&queries[0]);
  check_answered(&queries[1]);
  ASSERT_EQ(1, fake_resolver_calls());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* R3: the callback does not wait for the resolver, and may free the request. */
TEST_IMPL(lookup_is_cancelled_while_it_runs) {
  struct query* query = calloc(1, sizeof(*query));

  ASSERT_NOT_NULL(query);
  setup();
  ask(query, "running.example");
  fake_resolver_wait(1);
  cancel(query);
  ASSERT_OK(uv_cancel((uv_req_t*) &query->req)); /* again: no second callback */
  run_to_end();
  check_cancelled(query);
  free(query);
  ASSERT_OK(uv_loop_close(&loop));
  fake_resolver_let_go(1);
  return 0;
}

/* Nobody asks for a lookup that was cancelled before a worker took it. */
TEST_IMPL(lookup_is_cancelled_before_it_runs) {
  ASSERT_OK(uv_os_setenv("UV_THREADPOOL_SIZE", "1"));
  setup();
  ask(&queries[0], "runs.example");
  fake_resolver_wait(1);
  ask(&queries[1], "waits.example");
  ask(&queries[2], "waits.example");
  cancel(&queries[1]);
  cancel(&queries[2]);
  ask(&queries[3], "last.example");
  fake_resolver_let_go(2);
  run_to_end();
  check_answered(&queries[0]);
  check_cancelled(&queries[1]);
  check_cancelled(&queries[2]);
  check_answered(&queries[3]);
  ASSERT_EQ(2, fake_resolver_calls());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* A call that nobody waits for any more is joined while it is young. Returns 0
 * if this machine was too slow to try. */
static int join_cancelled(const char* name) {
  uint64_t start_ns = uv_hrtime();
  int calls = fake_resolver_calls();

  ask(&queries[0], name);
  fake_resolver_wait(1);
  cancel(&queries[0]);
  run_to_end();
  check_cancelled(&queries[0]);
  ask(&queries[1], name);
  int was_in_time = uv_hrtime() - start_ns < WINDOW_MS * 1000000u;
  fake_resolver_let_go(was_in_time ? 1 : 2);
  run_to_end();
  check_answered(&queries[1]);
  if (was_in_time)
    ASSERT_EQ(calls + 1, fake_resolver_calls());
  return was_in_time;
}

TEST_IMPL(lookup_joins_one_that_was_cancelled) {
  char name[32];
  int i = 0;

  setup_shared();
  do {
    ASSERT_LT(i, 5);
    snprintf(name, sizeof(name), "young%d.example", i++);
  } while (!join_cancelled(name));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* R5: an old call is not joined. */
TEST_IMPL(lookup_does_not_join_an_old_one) {
  setup_shared();
  ask(&queries[0], "old.example");
  fake_resolver_wait(1);
  uv_sleep(WINDOW_MS + 100);
  ask(&queries[1], "old.example");
  fake_resolver_wait(1);
  fake_resolver_let_go(2);
  run_to_end();
  check_answered(&queries[0]);
  check_answered(&queries[1]);
  ASSERT_EQ(2, fake_resolver_calls());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* Results were delivered together: the second can no longer be cancelled. */
TEST_IMPL(lookup_cancelled_in_a_callback_of_the_same) {
  setup_shared();
  ask(&queries[0], "same.example");
  ask(&queries[1], "same.example");
  queries[0].cancels = &queries[1];
  fake_resolver_wait(1);
  fake_resolver_let_go(1);
  run_to_end();
  check_answered(&queries[0]);
  check_answered(&queries[1]);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

TEST_IMPL(lookup_callbacks_run_in_the_order_of_the_calls) {
  setup_shared();
  ask(&queries[0], "order.example");
  ask(&queries[1], "order.example");
  ask(&queries[2], "order.example");
  queries[0].cancels = &queries[1]; /* checks that it was not called yet */
  queries[1].cancels = &queries[2];
  fake_resolver_wait(1);
  fake_resolver_let_go(1);
  run_to_end();
  for (int i = 0; i < 3; i++)
    check_answered(&queries[i]);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* One loop cancels and closes, the other is served. */
TEST_IMPL(lookup_is_shared_between_loops) {
  uv_loop_t other;

  setup_shared();
  ASSERT_OK(uv_loop_init(&other));
  ask_on(&other, &queries[0], "loops.example");
  ask(&queries[1], "loops.example");
  fake_resolver_wait(1);
  cancel(&queries[0]);
  ASSERT_EQ(0, uv_run(&other, UV_RUN_DEFAULT));
  check_cancelled(&queries[0]);
  ASSERT_OK(uv_loop_close(&other));
  memset(&other, 0xff, sizeof(other));
  fake_resolver_let_go(1);
  run_to_end();
  check_answered(&queries[1]);
  ASSERT_EQ(1, fake_resolver_calls());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* A pool of one thread shares as well. */
TEST_IMPL(lookup_is_shared_in_a_pool_of_one_thread) {
  ASSERT_OK(uv_os_setenv("UV_THREADPOOL_SIZE", "1"));
  setup_shared();
  ask(&queries[0], "one.example");
  ask(&queries[1], "two.example");
  ask(&queries[2], "one.example");
  ask(&queries[3], "two.example");
  fake_resolver_wait(1);
  fake_resolver_let_go(1);
  fake_resolver_wait(1);
  cancel(&queries[3]);
  fake_resolver_let_go(1);
  run_to_end();
  for (int i = 0; i < 3; i++)
    check_answered(&queries[i]);
  check_cancelled(&queries[3]);
  ASSERT_EQ(2, fake_resolver_calls());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* ---- numeric hosts ---- */

static void ask_number(struct query* query, const char* host) {
  static const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };

  memset(query, 0, sizeof(*query));
  ASSERT_OK(
      uv_getaddrinfo(&loop, &query->req, on_addresses, host, NULL, &hints));
  ASSERT_EQ(0, query->calls);
}

TEST_IMPL(lookup_of_a_number_needs_no_thread) {
  setup();
  ask_number(&queries[0], "127.0.0.1");
  ask_number(&queries[1], "::1");
  ASSERT_NE(0, uv_loop_alive(&loop));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_NOWAIT));
  for (int i = 0; i < 2; i++) {
    ASSERT_EQ(1, queries[i].calls);
    ASSERT_OK(queries[i].status);
    uv_freeaddrinfo(queries[i].list);
  }
  ASSERT_EQ(2, fake_resolver_numeric_here());
  ASSERT_EQ(0, fake_resolver_numeric_elsewhere());
  ASSERT_EQ(0, fake_resolver_calls());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

TEST_IMPL(lookup_of_a_number_is_cancelled) {
  setup();
  ask_number(&queries[0], "127.0.0.1");
  cancel(&queries[0]);
  cancel(&queries[0]);
  run_to_end();
  check_cancelled(&queries[0]);
  ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) &queries[0].req));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* ---- getnameinfo ---- */

static int name_calls;

static void on_name(uv_getnameinfo_t* req,
                    int status,
                    const char* host,
                    const char* service) {
  name_calls++;
  *(int*) req->data = status;
  if (status == 0) {
    ASSERT_STR_EQ("127.0.0.1", host);
    ASSERT_STR_EQ("80", service);
  } else {
    ASSERT_NULL(host);
    ASSERT_NULL(service);
  }
}

static void ask_name(uv_getnameinfo_t* req, int* status, int flags) {
  struct sockaddr_in addr = test_loopback();

  addr.sin_port = htons(80);
  req->data = status;
  *status = 1;
  ASSERT_OK(uv_getnameinfo(&loop, req, on_name, (const struct sockaddr*) &addr,
                           flags));
}

/* Names of addresses are not shared. */
TEST_IMPL(lookup_names_of_an_address) {
  uv_getnameinfo_t reqs[2];
  int statuses[2];

  setup();
  for (int i = 0; i < 2; i++)
    ask_name(&reqs[i], &statuses[i], 0);
  fake_resolver_wait(2);
  ASSERT_OK(uv_cancel((uv_req_t*) &reqs[1]));
  ASSERT_EQ(1, uv_run(&loop, UV_RUN_ONCE));
  ASSERT_ERR(UV_EAI_CANCELED, statuses[1]);
  ASSERT_EQ(1, statuses[0]);
  fake_resolver_let_go(2);
  run_to_end();
  ASSERT_OK(statuses[0]);
  ASSERT_EQ(2, name_calls);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

TEST_IMPL(lookup_numbers_of_an_address_need_no_thread) {
  uv_getnameinfo_t reqs[2];
  int statuses[2];

  setup();
  for (int i = 0; i < 2; i++)
    ask_name(&reqs[i], &statuses[i], NI_NUMERICHOST | NI_NUMERICSERV);
  ASSERT_OK(uv_cancel((uv_req_t*) &reqs[1]));
  ASSERT_EQ(0, name_calls);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_NOWAIT));
  ASSERT_OK(statuses[0]);
  ASSERT_ERR(UV_EAI_CANCELED, statuses[1]);
  ASSERT_EQ(2, fake_resolver_numeric_here());
  ASSERT_EQ(0, fake_resolver_numeric_elsewhere());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* ---- the end ---- */

/* Twenty lookups that nobody ever answers. */
static void ask_the_silent(void) {
  static struct query silent[20];
  char name[32];

  for (int i = 0; i < 20; i++) {
    snprintf(name, sizeof(name), "silent%d.example", i);
    ask(&silent[i], name);
  }
  fake_resolver_wait(1);
}

TEST_IMPL(lookup_does_not_keep_the_process) {
  pid_t pid = test_fork();
  if (pid == 0) {
    setup();
    ask_the_silent();
    exit(0);
  }
  ASSERT_EQ(0, test_wait_child(pid));
  return 0;
}

static int works_ended; /* atomic */

static void count_work(uv_work_t* req) {
  (void) req;
  __atomic_add_fetch(&works_ended, 1, __ATOMIC_RELAXED);
}

/* The only worker is in a lookup; the work behind it is done all the same. */
TEST_IMPL(lookup_does_not_keep_work_from_the_shutdown) {
  uv_work_t works[8];

  ASSERT_OK(uv_os_setenv("UV_THREADPOOL_SIZE", "1"));
  setup();
  ask_the_silent();
  for (int i = 0; i < 8; i++)
    ASSERT_OK(uv_queue_work(&loop, &works[i], count_work, NULL));
  uv_library_shutdown();
  ASSERT_EQ(8, __atomic_load_n(&works_ended, __ATOMIC_RELAXED));
  return 0;
}

/* Whoever goes on after uv_library_shutdown() is told, and the worker that
 * comes back later touches nothing. */
TEST_IMPL(lookup_is_cancelled_by_the_shutdown) {
  uv_getnameinfo_t name;
  int status;

  setup();
  ask(&queries[0], "shutdown.example");
  fake_resolver_wait(1);
  ask(&queries[1], "shutdown.example");
  ask_name(&name, &status, 0);
  fake_resolver_wait(1);
  uv_library_shutdown();
  run_to_end();
  check_cancelled(&queries[0]);
  check_cancelled(&queries[1]);
  ASSERT_ERR(UV_EAI_CANCELED, status);
  ASSERT_ERR(UV_ECANCELED, uv_getaddrinfo(&loop, &queries[2].req, on_addresses,
                                          "shutdown.example", NULL, NULL));
  ASSERT_OK(uv_loop_close(&loop));
  memset(queries, 0xff, sizeof(queries));
  fake_resolver_let_go(3);
  return 0;
}

/* An item ends the process; those behind it run first. */
static int exit_pipe[2];
static uv_sem_t all_queued;

static void exit_in_item(uv_work_t* req) {
  (void) req;
  uv_sem_wait(&all_queued);
  exit(0);
}

static void write_byte(uv_work_t* req) {
  (void) req;
  ASSERT_EQ(1, write(exit_pipe[1], "w", 1));
}

TEST_IMPL(work_exit_in_an_item_runs_the_rest) {
  uv_work_t works[5];
  char text[8];

  ASSERT_OK(uv_os_setenv("UV_THREADPOOL_SIZE", "1"));
  ASSERT_EQ(0, pipe(exit_pipe));
  pid_t pid = test_fork();
  if (pid == 0) {
    ASSERT_OK(uv_loop_init(&loop));
    ASSERT_OK(uv_sem_init(&all_queued, 0));
    for (int i = 0; i < 5; i++)
      ASSERT_OK(uv_queue_work(&loop, &works[i],
                              i == 0 ? exit_in_item : write_byte, NULL));
    uv_sem_post(&all_queued);
    uv_run(&loop, UV_RUN_DEFAULT);
    for (;;)
      uv_sleep(1000); /* until the process has ended */
  }
  close(exit_pipe[1]);
  ASSERT_EQ(0, test_wait_child(pid));
  ASSERT_EQ(4, read(exit_pipe[0], text, sizeof(text)));
  return 0;
}

/* The functions that a program takes from the library it loads. */
struct library {
  void* handle;
  int (*loop_init)(uv_loop_t*);
  int (*getaddrinfo)(uv_loop_t*,
                     uv_getaddrinfo_t*,
                     uv_getaddrinfo_cb,
                     const char*,
                     const char*,
                     const struct addrinfo*);
  int (*cancel)(uv_req_t*);
  int (*run)(uv_loop_t*, uv_run_mode);
  int (*loop_close)(uv_loop_t*);
};

static void load_library(struct library* library) {
  test_copy_library("./copy.so");
  library->handle = dlopen("./copy.so", RTLD_NOW | RTLD_LOCAL);
  ASSERT_NOT_NULL(library->handle);
  test_find_symbol(library->handle, "uv_loop_init", &library->loop_init);
  test_find_symbol(library->handle, "uv_getaddrinfo", &library->getaddrinfo);
  test_find_symbol(library->handle, "uv_cancel", &library->cancel);
  test_find_symbol(library->handle, "uv_run", &library->run);
  test_find_symbol(library->handle, "uv_loop_close", &library->loop_close);
}

/* dlclose() returns while the resolver is at work, and the worker finds its
 * code when it comes back. */
TEST_IMPL(lookup_outlives_the_library) {
  struct library library;

  fake_resolver_start();
  load_library(&library);
  ASSERT_OK(library.loop_init(&loop));
  ASSERT_OK(library.getaddrinfo(&loop, &queries[0].req, on_addresses,
                                "unload.example", NULL, NULL));
  fake_resolver_wait(1);
  ASSERT_OK(library.cancel((uv_req_t*) &queries[0].req));
  ASSERT_EQ(0, library.run(&loop, UV_RUN_DEFAULT));
  check_cancelled(&queries[0]);
  ASSERT_OK(library.loop_close(&loop));
  ASSERT_EQ(0, dlclose(library.handle));
  fake_resolver_let_go(1);
  return 0;
}

/* ---- fork ---- */

static void be_child(void) {
  ASSERT_OK(uv_loop_fork(&loop));
  /* That of the parent is reported as cancelled, so that the loop can end. */
  cancel(&queries[0]);
  ask(&queries[1], "fork.example");
  fake_resolver_wait(1);
  fake_resolver_let_go(1);
  run_to_end();
  check_cancelled(&queries[0]);
  check_answered(&queries[1]);
  ASSERT_OK(uv_loop_close(&loop));
}

/* The child has none of the parent's lookups, and makes its own. */
TEST_IMPL(lookup_in_a_forked_child) {
  if (TEST_FORK_IS_UNSAFE)
    SKIP(FORK_IS_UNSAFE);
  setup();
  ask(&queries[0], "fork.example");
  fake_resolver_wait(1);
  pid_t pid = test_fork();
  if (pid == 0) {
    be_child();
    _exit(0);
  }
  ASSERT_EQ(0, test_wait_child(pid));
  fake_resolver_let_go(1);
  run_to_end();
  check_answered(&queries[0]);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* ---- many threads ---- */

enum { LOOPS = 4, IN_FLIGHT = 16, NAMES = 5, ROUNDS = 2000 };

struct asker {
  uv_loop_t loop;
  uint32_t random;
  int left;
  struct asked {
    uv_getaddrinfo_t req;
    struct asker* asker;
    int is_cancelled;
    int is_pending;
  } asked[IN_FLIGHT];
};

static struct asker askers[LOOPS];

static unsigned next_random(struct asker* asker, unsigned below) {
  asker->random = asker->random * 1664525u + 1013904223u;
  return (asker->random >> 16) % below;
}

static void ask_something(struct asked* asked);

/* R4, R2: once, and a list of its own unless it was cancelled. */
static void on_something(uv_getaddrinfo_t* req,
                         int status,
                         struct addrinfo* list) {
  struct asked* asked = (struct asked*) req;

  ASSERT(asked->is_pending);
  asked->is_pending = 0;
  if (asked->is_cancelled) {
    ASSERT_ERR(UV_EAI_CANCELED, status);
    ASSERT_NULL(list);
  } else {
    ASSERT_OK(status);
    check_list(list);
    memset(list->ai_addr, 0xff, list->ai_addrlen); /* nobody else's */
    uv_freeaddrinfo(list);
  }
  if (asked->asker->left > 0)
    ask_something(asked);
}

static void cancel_something(struct asker* asker) {
  struct asked* asked = &asker->asked[next_random(asker, IN_FLIGHT)];

  if (!asked->is_pending)
    return;
  int err = uv_cancel((uv_req_t*) &asked->req);
  if (asked->is_cancelled)
    ASSERT_OK(err);
  else if (err != 0)
    ASSERT_ERR(UV_EBUSY, err);
  else
    asked->is_cancelled = 1;
}

static void ask_something(struct asked* asked) {
  static const char* const names[NAMES] = { "a.example", "b.example",
                                            "c.example", "d.example",
                                            "127.0.0.1" };
  static const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
  struct asker* asker = asked->asker;
  /* A number has another answer: only cancelled ones are asked for. */
  unsigned name = next_random(asker, NAMES);

  asker->left--;
  asked->is_cancelled = 0;
  asked->is_pending = 1;
  ASSERT_OK(uv_getaddrinfo(&asker->loop, &asked->req, on_something, names[name],
                           NULL, &hints));
  if (name == NAMES - 1) {
    ASSERT_OK(uv_cancel((uv_req_t*) &asked->req));
    asked->is_cancelled = 1;
  }
  if (next_random(asker, 2) == 0)
    cancel_something(asker);
}

static void run_asker(void* arg) {
  struct asker* asker = arg;

  ASSERT_OK(uv_loop_init(&asker->loop));
  for (int i = 0; i < IN_FLIGHT; i++) {
    asker->asked[i].asker = asker;
    ask_something(&asker->asked[i]);
  }
  ASSERT_EQ(0, uv_run(&asker->loop, UV_RUN_DEFAULT));
  for (int i = 0; i < IN_FLIGHT; i++)
    ASSERT(!asker->asked[i].is_pending);
  ASSERT_OK(uv_loop_close(&asker->loop));
}

TEST_IMPL(lookup_cancelled_at_random_from_many_loops) {
  uv_thread_t threads[LOOPS];

  fake_resolver_start_busy(2000);
  for (int i = 0; i < LOOPS; i++) {
    askers[i].random = (uint32_t) i + 1;
    askers[i].left = test_is_slow() ? ROUNDS / 10 : ROUNDS;
    ASSERT_OK(uv_thread_create(&threads[i], run_asker, &askers[i]));
  }
  for (int i = 0; i < LOOPS; i++)
    ASSERT_OK(uv_thread_join(&threads[i]));
  ASSERT_GT(fake_resolver_calls(), 0);
  return 0;
}
