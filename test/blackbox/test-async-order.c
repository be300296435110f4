/* SPDX-License-Identifier: MIT */
/* The order of async callbacks: each pass calls the pending handles in the
 * order of their creation, including those that become pending before the pass
 * reaches them. Method: each callback appends its handle's letter; '|' ends an
 * iteration. */
#include "test.h"

#define HANDLES 5

static uv_loop_t loop;
static uv_async_t handles[HANDLES];
static char trace[64];
static void (*in_callback)(int handle);

static void note(char c) {
  size_t n = strlen(trace);
  ASSERT_LT(n, sizeof(trace) - 1);
  trace[n] = c;
  trace[n + 1] = '\0';
}

static void on_async(uv_async_t* handle) {
  int i = (int) (handle - handles);

  note((char) ('A' + i));
  if (in_callback != NULL)
    in_callback(i);
}

static void make(int i) {
  ASSERT_OK(uv_async_init(&loop, &handles[i], on_async));
}

static void send_to(int i) {
  ASSERT_OK(uv_async_send(&handles[i]));
}

/* A loop with handles A to D. */
static void begin(void (*callback)(int handle)) {
  in_callback = callback;
  trace[0] = '\0';
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 4; i++)
    make(i);
}

static void iterate(int n) {
  while (n-- > 0) {
    uv_run(&loop, UV_RUN_NOWAIT);
    note('|');
  }
}

static void expect(const char* want) {
  ASSERT_STR_EQ(want, trace);
  trace[0] = '\0';
}

static void send_on_and_back(int i) {
  static int sent_back;

  if (i == 0) {
    send_to(2);
    send_to(1);
  } else if (i == 2 && !sent_back++) {
    send_to(0);
  }
}

TEST_IMPL(async_send_to_a_later_handle_is_the_same_pass) {
  begin(send_on_and_back);
  send_to(0);
  iterate(3); /* what C sends back to A is for the next pass */
  expect("ABC|ABC||");
  send_to(3);
  send_to(0);
  iterate(2);
  expect("ABCD||");
  test_close_loop(&loop);
  return 0;
}

static void make_one(int i) {
  static int made;

  if (i != 0 || made++)
    return;
  make(4);
  send_to(4);
  send_to(3);
}

/* A handle created in a callback comes next in order, from the next pass on. */
TEST_IMPL(async_created_in_a_callback) {
  begin(make_one);
  send_to(0);
  send_to(2);
  iterate(3);
  expect("ACD|E||");
  for (int i = 4; i >= 0; i--)
    send_to(i);
  iterate(2);
  expect("AEBCD||");
  test_close_loop(&loop);
  return 0;
}

static void close_one(int i) {
  static int closed;

  if (i != 1 || closed++)
    return;
  uv_close((uv_handle_t*) &handles[2], NULL);
  send_to(3);
  send_to(0);
}

TEST_IMPL(async_close_moves_no_other_handle) {
  begin(NULL);
  send_to(3);
  send_to(2);
  uv_close((uv_handle_t*) &handles[2], NULL);
  send_to(1);
  send_to(0);
  iterate(2);
  expect("ABD||");
  test_close_loop(&loop);

  begin(close_one);
  send_to(1);
  send_to(2);
  iterate(3);
  expect("BD|A||");
  test_close_loop(&loop);
  return 0;
}

static void close_itself(int i) {
  if (i != 1)
    return;
  send_to(3);
  send_to(0);
  uv_close((uv_handle_t*) &handles[1], NULL);
}

TEST_IMPL(async_closed_in_its_own_callback) {
  begin(close_itself);
  send_to(1);
  send_to(2);
  iterate(3);
  expect("BCD|A||");
  test_close_loop(&loop);
  return 0;
}

static void run_inside(int i) {
  static int ran;

  if (i != 0 || ran++)
    return;
  send_to(0);
  send_to(1);
  note('(');
  uv_run(&loop, UV_RUN_NOWAIT);
  note(')');
}

/* A pass inside another stops where the outer one currently is. */
TEST_IMPL(async_callback_runs_the_loop) {
  begin(run_inside);
  send_to(0);
  send_to(2);
  iterate(2);
  expect("A(A)BC||");
  test_close_loop(&loop);
  return 0;
}

static uv_sem_t finished;

static void close_first(uv_work_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  note('w');
  uv_close((uv_handle_t*) &handles[0], NULL);
}

static void work(uv_work_t* req) {
  (void) req;
  uv_sem_post(&finished);
}

static void after_work(uv_work_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  note('w');
  make(4);
  send_to(4);
  send_to(2);
}

/* Finished work is reported first, as if by the oldest handle. What it sends
 * runs in the same pass, except on a handle that it has just created. */
TEST_IMPL(async_sent_by_finished_work) {
  uv_work_t req;

  begin(NULL);
  ASSERT_OK(uv_sem_init(&finished, 0));
  ASSERT_OK(uv_queue_work(&loop, &req, work, after_work));
  uv_sem_wait(&finished);
  while (trace[0] == '\0')
    uv_run(&loop, UV_RUN_ONCE);
  note('|');
  iterate(2);
  expect("wC|E||");
  send_to(0);
  send_to(4);
  iterate(1);
  expect("EA|"); /* now in front of all others */
  test_close_loop(&loop);

  begin(NULL);
  send_to(0);
  send_to(1);
  ASSERT_OK(uv_queue_work(&loop, &req, work, close_first));
  uv_sem_wait(&finished);
  while (strchr(trace, 'B') == NULL || strchr(trace, 'w') == NULL)
    uv_run(&loop, UV_RUN_ONCE);
  uv_sem_destroy(&finished);
  test_close_loop(&loop);
  return 0;
}

/* Handles created again and again at the same position: the numbers between two
 * neighbours run out. */
static uv_async_t crowd[200];
static int ncrowd;

static void on_crowd(uv_async_t* handle) {
  int i = (int) (handle - crowd);
  ASSERT_EQ(--ncrowd, i); /* the handle created last comes first */
}

static void make_crowd(int i) {
  if (i == 0 && ncrowd < 200)
    ASSERT_OK(uv_async_init(&loop, &crowd[ncrowd++], on_crowd));
}

TEST_IMPL(async_many_created_at_one_position) {
  begin(make_crowd);
  for (int i = 0; i < 200; i++) {
    send_to(0);
    uv_run(&loop, UV_RUN_NOWAIT);
    trace[0] = '\0';
  }
  for (int i = 0; i < 200; i++)
    ASSERT_OK(uv_async_send(&crowd[i * 37 % 200]));
  send_to(3);
  send_to(0);
  iterate(1);
  expect("AD|");
  ASSERT_EQ(0, ncrowd);
  test_close_loop(&loop);
  return 0;
}

/* A callback creates many handles beside many others, all at one position. This
 * took 40 s when every 32nd of them renumbered all handles: the runner's time
 * limit is part of the test. */
#define CREATED 100000

static uv_async_t beside[CREATED];
static uv_async_t created[CREATED];
static int created_calls;

static void on_created(uv_async_t* handle) {
  ASSERT_PTR_EQ(&created[created_calls], handle);
  created_calls++;
  uv_close((uv_handle_t*) handle, NULL);
}

static void on_beside(uv_async_t* handle) {
  ASSERT_EQ(CREATED, created_calls); /* created behind the first handle */
  uv_close((uv_handle_t*) handle, NULL);
}

static void create_all(uv_async_t* handle) {
  for (int i = 0; i < CREATED; i++)
    ASSERT_OK(uv_async_init(&loop, &created[i], on_created));
  uv_close((uv_handle_t*) handle, NULL);
}

TEST_IMPL(async_many_created_in_one_callback) {
  uv_async_t creator;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_async_init(&loop, &creator, create_all));
  for (int i = 0; i < CREATED; i++)
    ASSERT_OK(uv_async_init(&loop, &beside[i], on_beside));
  ASSERT_OK(uv_async_send(&creator));
  uv_run(&loop, UV_RUN_NOWAIT);
  for (int i = CREATED - 1; i >= 0; i--) {
    ASSERT_OK(uv_async_send(&beside[i]));
    ASSERT_OK(uv_async_send(&created[i]));
  }
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(CREATED, created_calls);
  test_close_loop(&loop);
  return 0;
}

/* Many handles, most of them sent in random order; callbacks send to others and
 * close others. A pass must call the next handle that is pending, always. */
#define MANY 3000
#define MANY_PASSES 60

static struct {
  uv_async_t handles[MANY];
  char is_pending[MANY];
  char is_closed[MANY];
  int at;    /* the last one called in this pass, or -1 */
  int limit; /* where a pass inside another ends */
  int calls;
  int sends; /* that made a handle pending */
} many;

static unsigned random_below(unsigned n) {
  static unsigned state = 1;

  state = state * 1103515245u + 12345u;
  return (state >> 8) % n;
}

static void many_send(unsigned i) {
  if (many.is_closed[i])
    return;
  many.sends += !many.is_pending[i];
  many.is_pending[i] = 1;
  ASSERT_OK(uv_async_send(&many.handles[i]));
}

static void many_close(unsigned i) {
  if (many.is_closed[i])
    return;
  many.sends -= many.is_pending[i];
  many.is_pending[i] = 0;
  many.is_closed[i] = 1;
  uv_close((uv_handle_t*) &many.handles[i], NULL);
}

/* One pass: nothing that it should have called is left. */
static void many_run(int limit) {
  int outer_at = many.at;
  int outer_limit = many.limit;

  many.at = -1;
  many.limit = limit;
  uv_run(&loop, UV_RUN_NOWAIT);
  for (int i = many.at + 1; i <= limit; i++)
    ASSERT_EQ(0, many.is_pending[i]);
  many.at = outer_at;
  many.limit = outer_limit;
}

static void on_one_of_many(uv_async_t* handle) {
  int i = (int) (handle - many.handles);

  ASSERT_EQ(0, many.is_closed[i]);
  ASSERT_EQ(1, many.is_pending[i]);
  ASSERT_GT(i, many.at);
  ASSERT_LE(i, many.limit);
  for (int between = many.at + 1; between < i; between++)
    ASSERT_EQ(0, many.is_pending[between]);
  many.is_pending[i] = 0;
  many.at = i;
  many.calls++;

  switch (random_below(16)) {
  case 0:
    many_send(random_below(MANY));
    many_send((unsigned) i);
    break;
  case 1:
    if (random_below(20) == 0)
      many_close(random_below(MANY));
    if (random_below(200) == 0)
      many_close((unsigned) i);
    break;
  case 2:
    if (many.limit == MANY - 1 && random_below(50) == 0) {
      many_send((unsigned) i);
      many_send(random_below(MANY));
      many_run(i);
    }
    break;
  default:
    break;
  }
}

TEST_IMPL(async_many_sent_in_any_order) {
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < MANY; i++)
    ASSERT_OK(uv_async_init(&loop, &many.handles[i], on_one_of_many));

  for (int pass = 0; pass < MANY_PASSES; pass++) {
    /* Most, some, few, none. */
    unsigned sends = pass % 4 == 3 ? 0 : 2 * MANY >> 3 * (pass % 4);
    for (unsigned n = 0; n < sends; n++)
      many_send(random_below(MANY));
    many_run(MANY - 1);
  }
  while (many.calls < many.sends)
    many_run(MANY - 1);
  ASSERT_EQ(many.sends, many.calls);
  ASSERT_GT(many.calls, MANY);
  test_close_loop(&loop);
  return 0;
}

#define ORDERED 50

static uv_async_t ordered[ORDERED];
static int order_next;

static void on_ordered(uv_async_t* handle) {
  ASSERT_EQ(order_next++, (int) (handle - ordered));
  uv_close((uv_handle_t*) handle, NULL);
}

/* Handles sent before a wake-up run in the order of their creation, not of the
 * sends (Node's message channels rely on it). */
TEST_IMPL(async_callbacks_in_creation_order) {
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < ORDERED; i++)
    ASSERT_OK(uv_async_init(&loop, &ordered[i], on_ordered));
  for (int i = 0; i < ORDERED; i++)
    ASSERT_OK(uv_async_send(&ordered[i * 37 % ORDERED]));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(ORDERED, order_next);
  test_close_loop(&loop);
  return 0;
}
