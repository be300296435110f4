/* SPDX-License-Identifier: MIT */
/* Load: connections at the descriptor limit, signals, children of others, forks
 * while the pool works, and sends, work, cancels and closes from many threads.
 * Nothing is lost, work spins. */
#include "ignore.h"
#include "test.h"

#if TEST_POSIX
# include <fcntl.h>
# include <signal.h>
# include <sys/resource.h>
# include <sys/socket.h>
# include <sys/wait.h>
# include <unistd.h>

static uv_loop_t loop;

/* ------------------------------------------------------------------------- */

enum { STORM = 60 };
static int served;
static int refused;

static void close_and_free(uv_handle_t* handle) {
  free(handle);
}

static void on_connection(uv_stream_t* server, int status) {
  if (status != 0) {
    refused++;
    return;
  }
  uv_tcp_t* client = malloc(sizeof(*client));
  ASSERT_NOT_NULL(client);
  ASSERT_OK(uv_tcp_init(server->loop, client));
  ASSERT_OK(uv_accept(server, (uv_stream_t*) client));
  served++;
  uv_close((uv_handle_t*) client, close_and_free);
}

static void on_tick(uv_timer_t* timer) {
  (void) timer;
  uv_stop(&loop);
}

static int set_limit(rlim_t soft) {
  struct rlimit limit;
  ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &limit));
  limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
  return setrlimit(RLIMIT_NOFILE, &limit);
}

TEST_IMPL(storm_accept_at_the_limit) {
  uv_tcp_t server;
  uv_timer_t timer;
  uv_metrics_t metrics;
  int clients[STORM];

  if (test_on_valgrind())
    SKIP("valgrind emulates descriptor exhaustion itself");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  struct sockaddr_in addr =
      test_tcp_listen(&loop, &server, STORM, on_connection);
  for (int i = 0; i < STORM; i++) {
    clients[i] = socket(AF_INET, SOCK_STREAM, 0);
    ASSERT_GE(clients[i], 0);
    ASSERT_EQ(0, connect(clients[i], (struct sockaddr*) &addr, sizeof(addr)));
  }
  /* None is left for the server. */
  ASSERT_EQ(0, set_limit((rlim_t) test_lowest_fd()));
  ASSERT_OK(uv_timer_start(&timer, on_tick, 100, 0));
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_OK(uv_metrics_info(&loop, &metrics));
  ASSERT_LT(metrics.loop_count, 20 * STORM);
  ASSERT_EQ(0, served);
  for (int i = 0; i < STORM; i++)
    close(clients[i]);

  /* It accepts again when some are available. */
  ASSERT_EQ(0, set_limit(4096));
  int last = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_GE(last, 0);
  ASSERT_EQ(0, connect(last, (struct sockaddr*) &addr, sizeof(addr)));
  while (served == 0)
    uv_run(&loop, UV_RUN_ONCE);
  close(last);
  test_close_loop(&loop);
  return 0;
}

/* ------------------------------------------------------------------------- */

enum { SIGNALS = 5000 };
static int caught[2];
static uv_signal_t handlers[2];
static uv_loop_t loops[2];
static pthread_t target;

static void on_signal(uv_signal_t* handle, int signum) {
  ASSERT_EQ(SIGUSR1, signum);
  caught[handle == &handlers[1]]++;
}

static void send_signals(void* arg) {
  (void) arg;
  for (int i = 0; i < SIGNALS; i++)
    ASSERT_EQ(0, pthread_kill(target, SIGUSR1));
}

/* As many callbacks as the kernel delivered signals, the same on both loops. */
TEST_IMPL(storm_of_signals) {
  uv_thread_t threads[2];
  uv_timer_t timer;

  target = pthread_self();
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(uv_loop_init(&loops[i]));
    ASSERT_OK(uv_signal_init(&loops[i], &handlers[i]));
    ASSERT_OK(uv_signal_start(&handlers[i], on_signal, SIGUSR1));
  }
  ASSERT_OK(uv_timer_init(&loops[0], &timer));
  ASSERT_OK(uv_timer_start(&timer, ignore_timer, 1, 1));
  for (int i = 0; i < 2; i++)
    ASSERT_OK(uv_thread_create(&threads[i], send_signals, NULL));
  for (int i = 0; i < 200; i++)
    uv_run(&loops[0], UV_RUN_ONCE);
  for (int i = 0; i < 2; i++)
    ASSERT_OK(uv_thread_join(&threads[i]));
  uv_close((uv_handle_t*) &timer, NULL);
  for (int i = 0; i < 2; i++)
    while (uv_run(&loops[i], UV_RUN_NOWAIT) && caught[i] < caught[1 - i])
      continue;
  uv_run(&loops[0], UV_RUN_NOWAIT);
  uv_run(&loops[1], UV_RUN_NOWAIT);
  ASSERT_GE(caught[0], 1);
  ASSERT_EQ(caught[0], caught[1]);
  ASSERT_LE(caught[0], 2 * SIGNALS);
  for (int i = 0; i < 2; i++)
    test_close_loop(&loops[i]);
  return 0;
}

/* ------------------------------------------------------------------------- */

enum { CHILDREN = 12 };
static int ended;

static void on_child(uv_process_t* p, int64_t status, int signum) {
  ASSERT_EQ(7, status);
  ASSERT_EQ(0, signum);
  ended++;
  uv_close((uv_handle_t*) p, NULL);
}

/* Children that others forked are left to them. */
TEST_IMPL(storm_of_foreign_children) {
  static uv_process_t processes[CHILDREN];
  char* args[] = { (char*) "sh", (char*) "-c", (char*) "exit 7", NULL };
  uv_process_options_t options;
  pid_t foreign[CHILDREN];

  ASSERT_OK(uv_loop_init(&loop));
  test_process_options(&options, args, on_child);
  for (int i = 0; i < CHILDREN; i++) {
    foreign[i] = test_fork();
    if (foreign[i] == 0)
      _exit(40 + i);
    ASSERT_OK(uv_spawn(&loop, &processes[i], &options));
    uv_run(&loop, UV_RUN_NOWAIT);
  }
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(CHILDREN, ended);
  for (int i = 0; i < CHILDREN; i++) {
    int status = test_wait_child(foreign[i]);
    ASSERT(WIFEXITED(status));
    ASSERT_EQ(40 + i, WEXITSTATUS(status));
  }
  test_close_loop(&loop);
  return 0;
}

/* ------------------------------------------------------------------------- */

enum { WORKS = 40, FORKS = 6 };
static uv_work_t works[WORKS];
static int finished;

static void busy_work(uv_work_t* req) {
  (void) req;
  uv_sleep(1);
}

static void after_work(uv_work_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  finished++;
}

static void work_in_child(void) {
  uv_loop_t own;
  uv_work_t mine[8];

  finished = 0;
  ASSERT_OK(uv_loop_init(&own));
  for (int i = 0; i < 8; i++)
    ASSERT_OK(uv_queue_work(&own, &mine[i], busy_work, after_work));
  ASSERT_EQ(0, uv_run(&own, UV_RUN_DEFAULT));
  ASSERT_EQ(8, finished);
  ASSERT_OK(uv_loop_close(&own));
}

TEST_IMPL(storm_of_forks_with_a_busy_pool) {
  if (TEST_TSAN)
    SKIP("TSan cannot follow threads made after a fork");
  if (TEST_ASAN)
    SKIP("ASan's allocator may stay locked in a forked child");
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < WORKS; i++)
    ASSERT_OK(uv_queue_work(&loop, &works[i], busy_work, after_work));
  for (int i = 0; i < FORKS; i++) {
    pid_t pid = test_fork();
    if (pid == 0) {
      work_in_child();
      _exit(0);
    }
    uv_run(&loop, UV_RUN_NOWAIT);
    ASSERT_EQ(0, test_wait_child(pid));
  }
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(WORKS, finished);
  test_close_loop(&loop);
  return 0;
}

#endif

/* ------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 60, PER_ROUND = 8 };

struct side {
  uv_thread_t thread;
  uv_loop_t loop;
  uv_async_t doors[THREADS];
  int calls;
  int done;
  int cancelled;
};

static struct side sides[THREADS];
static uv_barrier_t barrier;

static void on_knock(uv_async_t* async) {
  ((struct side*) async->data)->calls++;
}

static void count_done(uv_work_t* req, int status) {
  struct side* side = req->data;
  if (status == UV_ECANCELED)
    side->cancelled++;
  else
    ASSERT_OK(status);
  side->done++;
}

/* Each thread has a loop, submits and cancels work, sends to the others' async
 * handles, and closes its own while they still send. */
static void run_side(void* arg) {
  struct side* side = arg;
  int me = (int) (side - sides);
  uv_work_t reqs[PER_ROUND];

  for (int round = 0; round < ROUNDS; round++) {
    ASSERT_OK(uv_loop_init(&side->loop));
    for (int i = 0; i < THREADS; i++) {
      ASSERT_OK(uv_async_init(&side->loop, &side->doors[i], on_knock));
      side->doors[i].data = side;
    }
    uv_barrier_wait(&barrier);
    side->done = 0;
    for (int i = 0; i < PER_ROUND; i++) {
      reqs[i].data = side;
      ASSERT_OK(uv_queue_work(&side->loop, &reqs[i], ignore_work, count_done));
      ASSERT_OK(uv_async_send(&sides[(me + i) % THREADS].doors[me]));
      if (i % 3 == 2) {
        int err = uv_cancel((uv_req_t*) &reqs[i - 1]);
        ASSERT(err == 0 || err == UV_EBUSY);
      }
      uv_run(&side->loop, UV_RUN_NOWAIT);
    }
    /* Half of the handles close while others may send. */
    for (int i = 0; i < THREADS; i += 2)
      uv_close((uv_handle_t*) &side->doors[i], NULL);
    while (side->done < PER_ROUND)
      uv_run(&side->loop, UV_RUN_ONCE);
    uv_barrier_wait(&barrier); /* nobody sends any more */
    for (int i = 1; i < THREADS; i += 2)
      uv_close((uv_handle_t*) &side->doors[i], NULL);
    ASSERT_EQ(0, uv_run(&side->loop, UV_RUN_DEFAULT));
    ASSERT_OK(uv_loop_close(&side->loop));
  }
}

TEST_IMPL(storm_of_sends_work_cancels_and_closes) {
  int calls = 0;

  ASSERT_OK(uv_barrier_init(&barrier, THREADS));
  for (int i = 0; i < THREADS; i++)
    ASSERT_OK(uv_thread_create(&sides[i].thread, run_side, &sides[i]));
  for (int i = 0; i < THREADS; i++) {
    ASSERT_OK(uv_thread_join(&sides[i].thread));
    calls += sides[i].calls;
  }
  uv_barrier_destroy(&barrier);
  ASSERT_GE(calls, 1);
  return 0;
}
