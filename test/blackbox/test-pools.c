/* SPDX-License-Identifier: MIT */
/* Pools of the program's own, uvx_pool_*: what one does delays nothing in
 * another, and the rules of one: order, threads, cancelling, freeing. */
#include "ignore.h"
#include "test.h"
#include "uv/ext.h"

#include <stdio.h>

#define ITEMS 200

static uv_loop_t loop;
static uvx_pool_t* pool;
static uv_work_t works[ITEMS];
static int order[ITEMS]; /* of the functions that have begun */
static int nrun;
static int ndone;
static int ncancelled;
static uv_sem_t begun;
static uv_sem_t go_on;

static uvx_pool_t* new_pool(const char* name, unsigned threads) {
  uvx_pool_options_t options = { .size = sizeof(options),
                                 .threads = threads,
                                 .name = name };
  uvx_pool_t* result = NULL;

  ASSERT_OK(uvx_pool_new(&result, &options));
  ASSERT_NOT_NULL(result);
  return result;
}

static void begin(unsigned threads) {
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_sem_init(&begun, 0));
  ASSERT_OK(uv_sem_init(&go_on, 0));
  pool = new_pool("own", threads);
  memset(works, 0xa5, sizeof(works)); /* requests need no initialisation */
}

static void end(void) {
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uvx_pool_free(pool));
  uv_sem_destroy(&begun);
  uv_sem_destroy(&go_on);
  test_close_loop(&loop);
}

static void block(uv_work_t* req) {
  (void) req;
  uv_sem_post(&begun);
  uv_sem_wait(&go_on);
}

static void wait_for(int count) {
  for (int i = 0; i < count; i++)
    uv_sem_wait(&begun);
}

static void let_go(int count) {
  for (int i = 0; i < count; i++)
    uv_sem_post(&go_on);
}

static void after(uv_work_t* req, int status) {
  (void) req;
  ndone++;
  if (status == UV_ECANCELED)
    ncancelled++;
  else
    ASSERT_OK(status);
}

static void queue(int i, uv_work_cb work_cb) {
  ASSERT_OK(uvx_queue_work(pool, &loop, &works[i], work_cb, after));
}

/* One pool is blocked; another and the lane go on. */
TEST_IMPL(pools_do_not_wait_for_each_other) {
  begin(1);
  uvx_pool_t* other = new_pool(NULL, 1);
  queue(0, block);
  queue(1, block);
  wait_for(1);
  for (int i = 2; i < 12; i++)
    ASSERT_OK(uvx_queue_work(other, &loop, &works[i], ignore_work, after));
  ASSERT_OK(uvx_queue_work(NULL, &loop, &works[12], ignore_work, after));
  while (ndone < 11)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(UV_EAGAIN, uv_sem_trywait(&begun));
  ASSERT_OK(uvx_pool_free(other));
  let_go(2);
  end();
  ASSERT_EQ(13, ndone);
  return 0;
}

static void note_order(uv_work_t* req) {
  order[nrun++] = (int) (req - works); /* there is one thread */
}

/* A pool of one thread runs its items in the order of their submission. */
TEST_IMPL(pools_run_items_in_order) {
  begin(1);
  for (int i = 0; i < ITEMS; i++)
    queue(i, note_order);
  end();
  ASSERT_EQ(ITEMS, nrun);
  for (int i = 0; i < ITEMS; i++)
    ASSERT_EQ(i, order[i]);
  return 0;
}

static void cancel_both(int err, int i) {
  ASSERT_ERR(err, uv_cancel((uv_req_t*) &works[i]));
  ASSERT_ERR(err, uv_cancel((uv_req_t*) &works[i]));
}

static void note_and_tell(uv_work_t* req) {
  note_order(req);
  uv_sem_post(&begun);
}

/* uv_cancel() of items that run, wait, have run and were reported. */
TEST_IMPL(pools_cancel_in_each_state) {
  begin(1);
  uvx_pool_t* other = new_pool("other", 1);
  queue(0, block);
  queue(1, note_and_tell);
  queue(2, note_order);
  ASSERT_OK(uvx_queue_work(other, &loop, &works[3], block, after));
  wait_for(2);
  ASSERT_OK(uvx_queue_work(other, &loop, &works[4], note_order, after));
  ASSERT_OK(uv_queue_work(&loop, &works[5], ignore_work, after));
  cancel_both(UV_EBUSY, 0);
  cancel_both(UV_EBUSY, 3);
  cancel_both(0, 2);
  cancel_both(0, 4);
  let_go(2);
  wait_for(1);
  cancel_both(UV_EBUSY, 1); /* has run, and is not reported */
  ASSERT_EQ(0, ndone);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(6, ndone);
  ASSERT_EQ(2, ncancelled);
  ASSERT_EQ(1, nrun);
  for (int i = 0; i < 6; i++)
    cancel_both(UV_EBUSY, i);
  ASSERT_OK(uvx_pool_free(other));
  end();
  return 0;
}

/* uv_cancel() of one of uv_queue_work()'s reads nothing that the program may
 * have left in the request. */
TEST_IMPL(pools_cancel_reads_no_old_words) {
  begin(1);
  queue(0, ignore_work); /* leaves its pool there */
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uvx_pool_free(pool));
  ASSERT_OK(uvx_pool_set_threads(NULL, 1));
  ASSERT_OK(uv_queue_work(&loop, &works[1], block, after));
  wait_for(1);
  ASSERT_OK(uv_queue_work(&loop, &works[0], block, after));
  ASSERT_OK(uv_cancel((uv_req_t*) &works[0]));
  ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) &works[1]));
  let_go(1);
  pool = NULL;
  end();
  ASSERT_EQ(1, ncancelled);
  return 0;
}

static int deadline_status;

static void after_deadline(uv_work_t* req, int status) {
  (void) req;
  deadline_status = status;
  let_go(1);
}

/* uvx_deadline() ends an item that waits, as in uv_queue_work(). */
TEST_IMPL(pools_deadline_of_an_item) {
  begin(1);
  queue(0, block);
  wait_for(1);
  ASSERT_OK(uvx_queue_work(pool, &loop, &works[1], block, after_deadline));
  ASSERT_OK(uvx_deadline((uv_req_t*) &works[1], 1));
  ASSERT_OK(uvx_deadline((uv_req_t*) &works[0], 1)); /* too late for it */
  end();
  ASSERT_ERR(UV_ETIMEDOUT, deadline_status);
  ASSERT_EQ(1, ndone);
  return 0;
}

/* UV_EBUSY while an item is queued, runs, or is not reported. */
static int free_err;

static void free_too_early(uv_work_t* req, int status) {
  after(req, status);
  free_err = uvx_pool_free(pool);
}

TEST_IMPL(pools_free_is_refused_while_in_use) {
  begin(1);
  ASSERT_OK(uvx_pool_free(NULL));
  ASSERT_OK(uvx_queue_work(pool, &loop, &works[0], block, free_too_early));
  ASSERT_ERR(UV_EBUSY, uvx_pool_free(pool));
  wait_for(1);
  queue(1, block);
  ASSERT_ERR(UV_EBUSY, uvx_pool_free(pool));
  let_go(2);
  wait_for(1);
  ASSERT_ERR(UV_EBUSY, uvx_pool_free(pool));
  ASSERT_EQ(0, ndone);
  end();
  ASSERT_EQ(2, ndone);
  ASSERT_ERR(UV_EBUSY, free_err);
  return 0;
}

static void free_on_its_thread(uv_work_t* req) {
  (void) req;
  free_err = uvx_pool_free(pool);
}

static void free_last(uv_work_t* req, int status) {
  after(req, status);
  ASSERT_OK(uvx_pool_free(pool));
  pool = NULL;
}

/* The callback of the last item frees the pool; not its function. */
TEST_IMPL(pools_free_in_the_last_callback) {
  begin(3);
  ASSERT_OK(uvx_queue_work(pool, &loop, &works[0], free_on_its_thread, after));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_ERR(UV_EINVAL, free_err);
  ASSERT_OK(uvx_queue_work(pool, &loop, &works[0], ignore_work, free_last));
  end();
  ASSERT_EQ(2, ndone);
  return 0;
}

/* An item whose callback queues it again, cancels another and frees nothing. */
static void queue_again(uv_work_t* req, int status) {
  after(req, status);
  if (ndone < ITEMS)
    ASSERT_OK(uvx_queue_work(pool, &loop, req, ignore_work, queue_again));
}

TEST_IMPL(pools_callback_queues_again) {
  begin(2);
  ASSERT_OK(uvx_queue_work(pool, &loop, &works[0], ignore_work, queue_again));
  end();
  ASSERT_EQ(ITEMS, ndone);
  return 0;
}

/* ---- threads ---- */

static int running;   /* atomic */
static int is_single; /* atomic: there must be one */

static void count_running(uv_work_t* req) {
  int now = __atomic_add_fetch(&running, 1, __ATOMIC_SEQ_CST);

  (void) req;
  ASSERT_LE(now, 16);
  if (__atomic_load_n(&is_single, __ATOMIC_SEQ_CST))
    ASSERT_EQ(1, now);
  __atomic_add_fetch(&nrun, 1, __ATOMIC_SEQ_CST);
  __atomic_sub_fetch(&running, 1, __ATOMIC_SEQ_CST);
}

static void block_and_count(uv_work_t* req) {
  __atomic_add_fetch(&running, 1, __ATOMIC_SEQ_CST);
  block(req);
  __atomic_sub_fetch(&running, 1, __ATOMIC_SEQ_CST);
}

static void set_threads(uvx_pool_t* of, unsigned threads) {
  __atomic_store_n(&is_single, 0, __ATOMIC_SEQ_CST);
  ASSERT_OK(uvx_pool_set_threads(of, threads));
}

/* From 16 threads inside an item to one: nothing begins before 15 have ended,
 * and then one at a time. */
static void shrink_and_grow(uvx_pool_t* of) {
  set_threads(of, 16);
  for (int i = 0; i < 16; i++)
    ASSERT_OK(uvx_queue_work(of, &loop, &works[i], block_and_count, after));
  wait_for(16);
  set_threads(of, 1);
  __atomic_store_n(&is_single, 1, __ATOMIC_SEQ_CST);
  for (int i = 16; i < 80; i++)
    ASSERT_OK(uvx_queue_work(of, &loop, &works[i], count_running, after));
  let_go(8);
  ASSERT_EQ(0, __atomic_load_n(&nrun, __ATOMIC_SEQ_CST));
  let_go(8);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(80, ndone);
  ASSERT_EQ(64, nrun);
  nrun = 0;
  ndone = 0;
}

TEST_IMPL(pools_threads_from_1_to_16_and_back) {
  begin(1);
  for (int i = 0; i < 3; i++)
    shrink_and_grow(pool);
  end();
  return 0;
}

/* The same for the threads of uv_queue_work(). */
TEST_IMPL(pools_threads_of_the_lane) {
  begin(1);
  ASSERT_OK(uv_os_unsetenv("UV_THREADPOOL_SIZE"));
  set_threads(NULL, 2); /* before there is any */
  shrink_and_grow(NULL);
  shrink_and_grow(NULL);
  end();
  return 0;
}

/* And of the only pool, also while its first threads start. */
TEST_IMPL(pools_threads_of_the_only_pool) {
  begin(1);
  ASSERT_OK(uv_os_setenv("UV_THREADPOOL_SIZE", "4"));
  ASSERT_OK(uvx_queue_work(NULL, &loop, &works[0], ignore_work, NULL));
  set_threads(NULL, 1);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  shrink_and_grow(NULL);
  end();
  return 0;
}

/* Under load the number changes all the time: everything runs, nothing too
 * often. */
static int is_over; /* atomic */

static void change_threads(void* arg) {
  (void) arg;
  for (unsigned i = 0; !__atomic_load_n(&is_over, __ATOMIC_SEQ_CST); i++) {
    ASSERT_OK(uvx_pool_set_threads(pool, i % 2 == 0 ? 1 : 1 + i % 16));
    uv_sleep(0);
  }
}

static void queue_more(uv_work_t* req, int status) {
  after(req, status);
  if (ndone < 20 * ITEMS)
    ASSERT_OK(uvx_queue_work(pool, &loop, req, count_running, queue_more));
}

TEST_IMPL(pools_threads_change_under_load) {
  uv_thread_t thread;

  begin(8);
  ASSERT_OK(uv_thread_create(&thread, change_threads, NULL));
  for (int i = 0; i < ITEMS; i++)
    ASSERT_OK(
        uvx_queue_work(pool, &loop, &works[i], count_running, queue_more));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  __atomic_store_n(&is_over, 1, __ATOMIC_SEQ_CST);
  ASSERT_OK(uv_thread_join(&thread));
  end();
  ASSERT_EQ(ndone, nrun);
  ASSERT_GE(ndone, 20 * ITEMS);
  return 0;
}

/* ---- what threads have ---- */

static char thread_name[32];
static int priorities[2]; /* as the system reads them: a worker's, a thread's */

static int read_priority(void) {
  int priority = 1000;

  ASSERT_OK(uv_thread_getpriority(uv_thread_self(), &priority));
  return priority;
}

static void look_at_thread(uv_work_t* req) {
  uv_thread_t self = uv_thread_self();

  (void) req;
  ASSERT_OK(uv_thread_getname(&self, thread_name, sizeof(thread_name)));
  priorities[0] = read_priority();
}

static void lower_priority(void* arg) {
  (void) arg;
  ASSERT_OK(
      uv_thread_setpriority(uv_thread_self(), UV_THREAD_PRIORITY_BELOW_NORMAL));
  priorities[1] = read_priority();
}

TEST_IMPL(pools_threads_have_name_and_priority) {
  uvx_pool_options_t options = { .size = sizeof(options),
                                 .threads = 1,
                                 .name = "a long name, cut",
                                 .stack_size = 1 << 20,
                                 .priority = UV_THREAD_PRIORITY_BELOW_NORMAL };
  uv_thread_t thread;

  begin(1);
  ASSERT_OK(uvx_pool_free(pool));
  ASSERT_OK(uvx_pool_new(&pool, &options));
  ASSERT_OK(uv_thread_create(&thread, lower_priority, NULL));
  ASSERT_OK(uv_thread_join(&thread));
  queue(0, look_at_thread);
  end();
  ASSERT_STR_EQ("a long name, cu", thread_name);
  ASSERT_EQ(priorities[1], priorities[0]);
  return 0;
}

/* ---- reports ---- */

static int dump_has(const char* text) {
  static char dump[65536];
  FILE* file = fopen("dump.txt", "wb+");

  ASSERT_NOT_NULL(file);
  ASSERT_OK(uvx_dump(&loop, file));
  rewind(file);
  dump[fread(dump, 1, sizeof(dump) - 1, file)] = '\0';
  ASSERT_EQ(0, fclose(file));
  return strstr(dump, text) != NULL;
}

/* Each pool has a name of its own there, whatever the program calls it. */
TEST_IMPL(pools_are_in_the_dump) {
  uvx_pool_t* twin;
  uvx_pool_t* work;
  uvx_pool_t* odd;

  begin(1);
  twin = new_pool("own", 7);
  work = new_pool("work", 3);
  odd = new_pool("a \"b\\\n", 2);
  queue(0, block);
  wait_for(1);
  queue(1, block);
  ASSERT(dump_has("pool own: 1 of 1 threads, 1 running, 1 requests waiting"));
  ASSERT(dump_has("pool own-2: 0 of 7 threads, 0 running"));
  ASSERT(dump_has("pool work-2: 0 of 3 threads"));
  ASSERT(dump_has("pool a__b__: 0 of 2 threads"));
  let_go(2);
  ASSERT_OK(uvx_pool_free(work));
  ASSERT(!dump_has("work-2"));
  ASSERT_OK(uvx_pool_free(twin));
  ASSERT_OK(uvx_pool_free(odd));
  end();
  return 0;
}

/* Threads end when they are idle, all of them, and come again. */
TEST_IMPL(pools_idle_threads_end) {
  uvx_pool_options_t options = {
    .size = sizeof(options), .threads = 2, .idle_ms = 1, .name = "short"
  };

  begin(1);
  ASSERT_OK(uvx_pool_free(pool));
  ASSERT_OK(uvx_pool_new(&pool, &options));
  for (int i = 0; i < 3; i++) {
    queue(0, block);
    queue(1, block);
    wait_for(2);
    ASSERT(dump_has("pool short: 2 of 2 threads"));
    let_go(2);
    ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
    while (!dump_has("pool short: 0 of 2 threads"))
      uv_sleep(1);
  }
  end();
  return 0;
}

/* ---- arguments ---- */

TEST_IMPL(pools_bad_arguments) {
  uvx_pool_options_t options = { .size = sizeof(options) };

  begin(1);
  uvx_pool_t* none = NULL;
  ASSERT_ERR(UV_EINVAL, uvx_pool_new(NULL, &options));
  options.size--;
  ASSERT_ERR(UV_EINVAL, uvx_pool_new(&none, &options));
  options.size++;
  options.threads = 1025;
  ASSERT_ERR(UV_EINVAL, uvx_pool_new(&none, &options));
  options.threads = 1024;
  options.priority = UV_THREAD_PRIORITY_HIGHEST + 1;
  ASSERT_ERR(UV_EINVAL, uvx_pool_new(&none, &options));
  options.priority = UV_THREAD_PRIORITY_LOWEST - 1;
  ASSERT_ERR(UV_EINVAL, uvx_pool_new(&none, &options));
  ASSERT_NULL(none);
  ASSERT_ERR(UV_EINVAL, uvx_pool_set_threads(pool, 0));
  ASSERT_ERR(UV_EINVAL, uvx_pool_set_threads(pool, 1025));
  ASSERT_ERR(UV_EINVAL, uvx_pool_set_threads(NULL, 0));
  ASSERT_ERR(UV_EINVAL, uvx_queue_work(pool, NULL, works, ignore_work, after));
  ASSERT_ERR(UV_EINVAL, uvx_queue_work(pool, &loop, NULL, ignore_work, after));
  ASSERT_ERR(UV_EINVAL, uvx_queue_work(pool, &loop, works, NULL, after));
  ASSERT_OK(uvx_pool_new(&none, NULL)); /* all defaults */
  ASSERT_OK(uvx_queue_work(none, &loop, works, ignore_work, NULL));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uvx_pool_free(none));
  end();
  return 0;
}

/* ---- two loops ---- */

#define EACH 1000

static uvx_pool_t* shared[2];

struct user {
  uv_loop_t loop;
  uv_work_t works[16];
  uv_thread_t thread;
  int ndone;
};

static void on_shared(uv_work_t* req, int status) {
  struct user* user = req->data;

  ASSERT_OK(status);
  ASSERT_PTR_EQ(&user->loop, req->loop);
  if (++user->ndone <= EACH)
    ASSERT_OK(uvx_queue_work(shared[user->ndone % 2], &user->loop, req,
                             ignore_work, on_shared));
}

static void use_pools(void* arg) {
  struct user* user = arg;

  ASSERT_OK(uv_loop_init(&user->loop));
  for (unsigned i = 0; i < ARRAY_SIZE(user->works); i++) {
    user->works[i].data = user;
    ASSERT_OK(uvx_queue_work(shared[i % 2], &user->loop, &user->works[i],
                             ignore_work, on_shared));
  }
  ASSERT_EQ(0, uv_run(&user->loop, UV_RUN_DEFAULT));
  ASSERT_EQ(EACH + ARRAY_SIZE(user->works), user->ndone);
  ASSERT_OK(uv_loop_close(&user->loop));
}

TEST_IMPL(pools_serve_two_loops) {
  static struct user users[2];

  shared[0] = new_pool("one", 1);
  shared[1] = new_pool("two", 2);
  for (int i = 0; i < 2; i++)
    ASSERT_OK(uv_thread_create(&users[i].thread, use_pools, &users[i]));
  for (int i = 0; i < 2; i++)
    ASSERT_OK(uv_thread_join(&users[i].thread));
  for (int i = 0; i < 2; i++)
    ASSERT_OK(uvx_pool_free(shared[i]));
  return 0;
}

/* ---- the shutdown ---- */

static void let_go_soon(void* arg) {
  (void) arg;
  uv_sleep(20); /* a chance for a shutdown that does not wait */
  __atomic_store_n(&nrun, 1, __ATOMIC_SEQ_CST);
  let_go(1);
}

/* uv_library_shutdown() waits for the function that runs, not for those that
 * are queued. */
TEST_IMPL(pools_at_the_shutdown) {
  uvx_pool_t* none;
  uv_thread_t thread;

  begin(1);
  none = new_pool("idle", 2);
  queue(0, block);
  wait_for(1);
  queue(1, block);
  ASSERT_OK(uv_thread_create(&thread, let_go_soon, NULL));
  uv_library_shutdown();
  ASSERT_EQ(1, __atomic_load_n(&nrun, __ATOMIC_SEQ_CST));
  ASSERT_OK(uv_thread_join(&thread));
  ASSERT_ERR(UV_ECANCELED,
             uvx_queue_work(pool, &loop, &works[2], ignore_work, after));
  ASSERT_ERR(UV_ECANCELED, uvx_pool_set_threads(pool, 2));
  ASSERT_OK(uvx_pool_free(none));
  ASSERT_ERR(UV_ECANCELED, uvx_pool_new(&none, NULL));
  ASSERT_ERR(UV_EBUSY, uvx_pool_free(pool));
  ASSERT_OK(uv_cancel((uv_req_t*) &works[1]));
  end();
  ASSERT_EQ(2, ndone);
  ASSERT_EQ(1, ncancelled);
  return 0;
}
