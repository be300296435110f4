/* SPDX-License-Identifier: MIT */
/* Lanes of the pool on Unix: the threads of the process, forked children, and
 * files whose threads are stuck, here in FIFOs that nobody writes to. */
#include "ignore.h"
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIFOS_MAX 16
#define WORKERS 4

static uv_loop_t loop;
static uv_fs_t opens[FIFOS_MAX];
static int nfifos;
static int nopened;
static int nstat;
static int nwork;

static void set_lanes(const char* size, const char* lanes) {
  if (size == NULL)
    ASSERT_OK(uv_os_unsetenv("UV_THREADPOOL_SIZE"));
  else
    ASSERT_OK(uv_os_setenv("UV_THREADPOOL_SIZE", size));
  if (lanes == NULL)
    ASSERT_OK(uv_os_unsetenv("UV_THREADPOOL_LANES"));
  else
    ASSERT_OK(uv_os_setenv("UV_THREADPOOL_LANES", lanes));
  ASSERT_OK(uv_os_setenv("UV_USE_IO_URING", "0")); /* files need the pool */
}

static void on_stat(uv_fs_t* req) {
  ASSERT_EQ(0, req->result);
  uv_fs_req_cleanup(req);
  nstat++;
}

static void on_open(uv_fs_t* req) {
  ASSERT_GE(req->result, 0);
  ASSERT_EQ(0, close((int) req->result));
  uv_fs_req_cleanup(req);
  nopened++;
}

static const char* fifo_name(int i) {
  static char name[32];

  snprintf(name, sizeof(name), "fifo-%d", i);
  return name;
}

/* Opens FIFOs for reading, each of which waits for a writer. */
static void open_fifos(int count) {
  ASSERT_OK(uv_loop_init(&loop));
  for (; nfifos < count; nfifos++) {
    ASSERT_EQ(0, mkfifo(fifo_name(nfifos), 0600));
    ASSERT_OK(uv_fs_open(&loop, &opens[nfifos], fifo_name(nfifos), O_RDONLY, 0,
                         on_open));
  }
}

/* Lets all of them go on: a writer that does not wait. */
static void end_fifos(void) {
  for (int i = 0; i < nfifos; i++) {
    int fd = -1;
    while (fd < 0) { /* until the reader is there */
      fd = open(fifo_name(i), O_WRONLY | O_NONBLOCK);
      if (fd < 0)
        (void) uv_run(&loop, UV_RUN_NOWAIT);
    }
    ASSERT_EQ(0, close(fd));
  }
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(nfifos, nopened);
  test_close_loop(&loop);
}

/* A request behind so many stuck ones completes. */
static void check_stuck(int count) {
  uv_fs_t stat;

  set_lanes(NULL, NULL);
  open_fifos(count);
  ASSERT_OK(uv_fs_stat(&loop, &stat, ".", on_stat));
  while (nstat == 0)
    (void) uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(0, nopened);
  end_fifos();
}

TEST_IMPL(lanes_files_behind_4_stuck_ones) {
  check_stuck(4);
  return 0;
}

TEST_IMPL(lanes_files_behind_6_stuck_ones) {
  check_stuck(6);
  return 0;
}

TEST_IMPL(lanes_files_behind_12_stuck_ones) {
  check_stuck(12);
  return 0;
}

static void do_nothing(uv_work_t* req) {
  (void) req;
}

static void on_work(uv_work_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  nwork++;
}

static int is_over;

static void set_over(uv_timer_t* timer) {
  is_over = 1;
  uv_close((uv_handle_t*) timer, NULL);
}

static int count_threads(void);

/* Sixteen stuck ones are the limit: files wait, work goes on. */
TEST_IMPL(lanes_files_wait_behind_16_stuck_ones) {
  uv_timer_t timer;
  uv_fs_t stat;
  uv_work_t work;

  set_lanes(NULL, NULL);
  open_fifos(16);
  ASSERT_OK(uv_fs_stat(&loop, &stat, ".", on_stat));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, set_over, 200, 0));
  while (!is_over)
    (void) uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(0, nstat);
  ASSERT_OK(uv_queue_work(&loop, &work, do_nothing, on_work));
  while (nwork == 0)
    (void) uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(0, nstat);
  if (!TEST_TSAN) /* it has a thread of its own */
    ASSERT_LE(count_threads(), 1 + 4 + 16 + 2);
  end_fifos();
  ASSERT_EQ(1, nstat);
  return 0;
}

/* A program that does not run its loop: the next submit of any loop notices. */
TEST_IMPL(lanes_submit_notices_stuck_files) {
  static uv_fs_t stats[64];
  uv_loop_t other;

  set_lanes(NULL, NULL);
  open_fifos(4);
  ASSERT_OK(uv_loop_init(&other));
  for (int i = 0; i < 64 && nstat == 0; i++) {
    ASSERT_OK(uv_fs_stat(&other, &stats[i], ".", on_stat));
    uv_sleep(5);
    (void) uv_run(&other, UV_RUN_NOWAIT);
  }
  ASSERT_GT(nstat, 0);
  ASSERT_EQ(0, uv_run(&other, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&other));
  end_fifos();
  return 0;
}

/* One pool never grows: the request waits for a FIFO to be opened. */
TEST_IMPL(lanes_off_stuck_files_stop_all) {
  uv_timer_t timer;
  uv_fs_t stat;

  set_lanes(NULL, "0");
  open_fifos(4);
  ASSERT_OK(uv_fs_stat(&loop, &stat, ".", on_stat));
  (void) uv_run(&loop, UV_RUN_NOWAIT); /* the backend knows of the wake-up fd */
  ASSERT_EQ(-1, uv_backend_timeout(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, set_over, 100, 0));
  while (!is_over)
    (void) uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(0, nstat);
  end_fifos();
  ASSERT_EQ(1, nstat);
  return 0;
}

/* An embedder that waits by itself is told to come back while a file request
 * waits for a thread, and then the request completes. */
TEST_IMPL(lanes_stuck_files_limit_the_backend_timeout) {
  uv_fs_t stat;

  set_lanes(NULL, NULL);
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_EQ(0, uv_backend_timeout(&loop));
  ASSERT_OK(uv_fs_stat(&loop, &stat, ".", on_stat));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));

  open_fifos(5); /* the fifth has no thread */
  (void) uv_run(&loop, UV_RUN_NOWAIT);
  int timeout_ms = uv_backend_timeout(&loop);
  ASSERT_GE(timeout_ms, 1);
  ASSERT_LE(timeout_ms, 20);
  ASSERT_OK(uv_fs_stat(&loop, &stat, ".", on_stat));
  while (nstat < 2) {
    timeout_ms = uv_backend_timeout(&loop);
    if (timeout_ms > 0)
      uv_sleep((unsigned) timeout_ms);
    (void) uv_run(&loop, UV_RUN_NOWAIT);
  }
  ASSERT_EQ(-1, uv_backend_timeout(&loop)); /* nothing waits for a thread */
  end_fifos();
  return 0;
}

static void count_rounds(uv_check_t* check) {
  (*(int*) check->data)++;
}

/* A loop whose own requests do not wait sleeps, whatever another loop's do. */
TEST_IMPL(lanes_stuck_files_do_not_wake_other_loops) {
  uv_loop_t quiet;
  uv_check_t check;
  uv_timer_t timer;
  uv_fs_t stat;
  int rounds = 0;

  set_lanes(NULL, NULL);
  open_fifos(16);
  ASSERT_OK(uv_fs_stat(&loop, &stat, ".", on_stat));
  ASSERT_OK(uv_loop_init(&quiet));
  ASSERT_OK(uv_check_init(&quiet, &check));
  check.data = &rounds;
  ASSERT_OK(uv_check_start(&check, count_rounds));
  ASSERT_OK(uv_timer_init(&quiet, &timer));
  ASSERT_OK(uv_timer_start(&timer, set_over, 300, 0));
  while (!is_over)
    (void) uv_run(&quiet, UV_RUN_ONCE);
  ASSERT_LE(rounds, 3); /* waking up every 20 ms would make 15 */
  uv_close((uv_handle_t*) &check, NULL);
  ASSERT_EQ(0, uv_run(&quiet, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&quiet));
  end_fifos();
  return 0;
}

/* Returns the number of threads of this process, or 0 if it is not known. */
static int count_threads(void) {
  DIR* dir = opendir("/proc/self/task");
  int count = 0;

  if (dir == NULL)
    return 0;
  for (struct dirent* ent; (ent = readdir(dir)) != NULL;)
    count += ent->d_name[0] != '.';
  closedir(dir);
  return count;
}

static int threads_seen;

static void see_threads(uv_work_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  threads_seen = count_threads();
}

/* All threads exist when the first callback runs: it may enter a sandbox. */
static void check_threads(const char* size, const char* lanes, int expected) {
  uv_work_t req;

  if (TEST_TSAN)
    SKIP("ThreadSanitizer has threads of its own");
  set_lanes(size, lanes);
  ASSERT_OK(uv_loop_init(&loop));
  int before = count_threads();
  if (before == 0)
    SKIP("the system does not list the threads of a process");
  ASSERT_OK(uv_queue_work(&loop, &req, do_nothing, see_threads));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(before + expected, threads_seen);
  test_close_loop(&loop);
}

TEST_IMPL(lanes_threads_exist_after_the_first_callback) {
  check_threads(NULL, NULL, 4 + 4 + 2);
  return 0;
}

TEST_IMPL(lanes_off_threads) {
  check_threads(NULL, "0", 4);
  return 0;
}

TEST_IMPL(lanes_with_a_size_threads) {
  check_threads("3", "1", 3 + 3 + 2);
  return 0;
}

static void block_for_ever(uv_work_t* req) {
  (void) req;
  for (;;)
    uv_sleep(1000);
}

static void on_name(uv_getnameinfo_t* req,
                    int status,
                    const char* host,
                    const char* service) {
  (void) req;
  (void) host;
  (void) service;
  ASSERT_OK(status);
  nstat++;
}

/* A loop and one request in each lane. */
static void use_all_lanes(void) {
  static uv_loop_t own;
  static uv_fs_t stat;
  static uv_work_t work;
  static uv_getnameinfo_t lookup;
  struct sockaddr_in addr;

  nstat = 0;
  nwork = 0;
  ASSERT_OK(uv_loop_init(&own));
  ASSERT_OK(uv_queue_work(&own, &work, do_nothing, on_work));
  ASSERT_OK(uv_fs_stat(&own, &stat, ".", on_stat));
  ASSERT_OK(uv_ip4_addr("127.0.0.1", 80, &addr));
  ASSERT_OK(
      uv_getnameinfo(&own, &lookup, on_name, (struct sockaddr*) &addr, 0));
  ASSERT_EQ(0, uv_run(&own, UV_RUN_DEFAULT));
  ASSERT_EQ(2, nstat);
  ASSERT_EQ(1, nwork);
  ASSERT_OK(uv_loop_close(&own));
}

/* A child that was forked while every lane had blocked threads, a stuck one and
 * items in the queue: all lanes work there, and the parent's items do not
 * run. */
TEST_IMPL(lanes_fork_with_every_lane_busy) {
  static uv_work_t blocked[WORKERS + 2];
  int status;

  if (TEST_FORK_IS_UNSAFE)
    SKIP(FORK_IS_UNSAFE);
  set_lanes(NULL, NULL);
  open_fifos(6);
  for (int i = 0; i < WORKERS + 2; i++)
    ASSERT_OK(uv_queue_work(&loop, &blocked[i], block_for_ever, on_work));
  while (uv_backend_timeout(&loop) != -1) { /* until all FIFOs have a thread */
    (void) uv_run(&loop, UV_RUN_NOWAIT);
    uv_sleep(1);
  }

  pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    use_all_lanes();
    _exit(0);
  }
  ASSERT_EQ(pid, waitpid(pid, &status, 0));
  ASSERT(WIFEXITED(status));
  ASSERT_EQ(0, WEXITSTATUS(status));
  fflush(NULL);
  _exit(0); /* the items never end */
}
