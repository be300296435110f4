/* SPDX-License-Identifier: MIT */
/* A trace that is kept in memory: what is written, when, and how much. */
#include "ignore.h"
#include "test.h"
#include "trace-file.h"
#include "uv/ext.h"

#include <stdio.h>

static const uvx_trace_options_t recording = {
  .size = sizeof(recording),
  .path = "record.json",
  .memory_mb = 1,
};

static void start_record(uv_loop_t* loop) {
  ASSERT_OK(uvx_trace_start(&recording));
  ASSERT_OK(uv_loop_init(loop));
}

static void run_one_timer(uv_loop_t* loop) {
  uv_timer_t timer;

  ASSERT_OK(uv_timer_init(loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, ignore_timer, 0, 0));
  ASSERT_OK(uv_run(loop, UV_RUN_DEFAULT));
  uv_close((uv_handle_t*) &timer, NULL);
  ASSERT_OK(uv_run(loop, UV_RUN_DEFAULT));
}

/* -1 if there is no file. */
static long size_of(const char* path) {
  uv_fs_t req;
  int err = uv_fs_stat(NULL, &req, path, NULL);
  long size = err == 0 ? (long) req.statbuf.st_size : -1;

  uv_fs_req_cleanup(&req);
  return size;
}

static size_t timers_in(const char* path) {
  struct trace_file trace;

  trace_file_read(&trace, path);
  ASSERT(trace.is_closed);
  ASSERT_EQ(1, trace_file_count(&trace, "\"name\":\"uv_trace\"", NULL));
  ASSERT_EQ(1, trace_file_count(&trace, "process_name", NULL));
  ASSERT_GE(trace_file_count(&trace, "thread_name", "loop 0x"), 1);
  trace_file_check_nesting(&trace);
  size_t count = trace_file_count(&trace, "\"call\":\"timer\"", NULL);
  trace_file_free(&trace);
  return count;
}

TEST_IMPL(trace_memory_is_written_on_request) {
  uv_loop_t loop;

  start_record(&loop);
  run_one_timer(&loop);
  ASSERT_EQ(0, size_of("record.json"));
  ASSERT_OK(uvx_trace_write());
  ASSERT_EQ(1, timers_in("record.json"));
  run_one_timer(&loop);
  ASSERT_EQ(1, timers_in("record.json"));
  ASSERT_OK(uvx_trace_write());
  ASSERT_EQ(2, timers_in("record.json"));
  ASSERT_OK(uvx_trace_stop());
  ASSERT_ERR(UV_ESRCH, uvx_trace_write());
  ASSERT_EQ(2, timers_in("record.json"));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

TEST_IMPL(trace_memory_refuses_what_it_cannot_do) {
  uvx_trace_options_t options = recording;

  options.memory_mb = 1025;
  ASSERT_ERR(UV_EINVAL, uvx_trace_start(&options));
  options.memory_mb = 0;
  ASSERT_OK(uvx_trace_start(&options));
  ASSERT_ERR(UV_EINVAL, uvx_trace_write());
  ASSERT_OK(uvx_trace_stop());
  ASSERT_ERR(UV_ESRCH, uvx_trace_write());
  return 0;
}

/* The record of a run before, which may have crashed, stays until there is
 * another. */
TEST_IMPL(trace_memory_that_nobody_wants_leaves_no_file) {
  uv_loop_t loop;

  start_record(&loop);
  run_one_timer(&loop);
  ASSERT_OK(uvx_trace_stop());
  ASSERT_EQ(-1, size_of("record.json"));

  ASSERT_OK(uvx_trace_start(&recording));
  ASSERT_OK(uvx_trace_write());
  long size = size_of("record.json");
  ASSERT_GT(size, 0);
  ASSERT_OK(uvx_trace_stop());
  ASSERT_OK(uvx_trace_start(&recording));
  run_one_timer(&loop);
  ASSERT_OK(uvx_trace_stop());
  ASSERT_EQ(size, size_of("record.json"));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

#define ROUNDS 100
#define ITERATIONS 1000

static int iterations;

static void count_iteration(uv_idle_t* idle) {
  if (++iterations % ITERATIONS == 0)
    uv_stop(idle->loop);
}

static size_t resident(void) {
  size_t rss = 0;

  ASSERT_OK(uv_resident_set_memory(&rss));
  return rss;
}

/* Of all that is recorded the file has the end, and the process does not grow.
 */
TEST_IMPL(trace_memory_is_bounded) {
  static const size_t mb = (size_t) 1 << 20;
  struct trace_file trace;
  uv_idle_t idle;
  uv_loop_t loop;
  size_t before = 0;

  start_record(&loop);
  run_one_timer(&loop);
  ASSERT_OK(uv_idle_init(&loop, &idle));
  ASSERT_OK(uv_idle_start(&idle, count_iteration));
  for (int i = 0; i < ROUNDS; i++) {
    ASSERT_EQ(1, uv_run(&loop, UV_RUN_DEFAULT));
    ASSERT_OK(uvx_trace_write());
    if (i == ROUNDS / 4)
      before = resident();
  }
  ASSERT_LT(resident(), before + 4 * mb);
  ASSERT_LT((size_t) size_of("record.json"), mb + mb / 4);
  ASSERT_GT((size_t) size_of("record.json"), mb / 2);

  trace_file_read(&trace, "record.json");
  ASSERT(trace.is_closed);
  ASSERT_EQ(0, trace_file_count(&trace, "\"call\":\"timer\"", NULL));
  ASSERT_GT(trace_file_count(&trace, "\"call\":\"idle\"", NULL), 1000);
  const char* end = trace.lines[trace.count - 1];
  ASSERT_GE(trace_number(end, "records"), 3.0 * ROUNDS * ITERATIONS);
  ASSERT_LT(trace.count, ROUNDS * ITERATIONS);
  trace_file_free(&trace);

  uv_close((uv_handle_t*) &idle, NULL);
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uvx_trace_stop());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* What runs at that moment has an end in the file, the present. */
static void write_in_callback(uv_timer_t* timer) {
  (void) timer;
  ASSERT_OK(uvx_trace_write());
}

TEST_IMPL(trace_memory_has_what_is_running) {
  struct trace_file trace;
  uv_timer_t timer;
  uv_loop_t loop;

  start_record(&loop);
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, write_in_callback, 0, 0));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  trace_file_read(&trace, "record.json");
  ASSERT(trace.is_closed);
  ASSERT_EQ(1, trace_file_count(&trace, "\"call\":\"timer\"", NULL));
  ASSERT_EQ(1, trace_file_count(&trace, "\"unfinished\":1", "\"ph\":\"X\""));
  trace_file_free(&trace);
  uv_close((uv_handle_t*) &timer, NULL);
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uvx_trace_stop());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

static int has_in_file(const char* text) {
  struct trace_file trace;

  if (size_of("record.json") <= 2)
    return 0;
  trace_file_read(&trace, "record.json");
  int has = trace.is_closed && trace_file_count(&trace, text, NULL) != 0;
  trace_file_free(&trace);
  return has;
}

/* Ends when the file is there: a limit of the test's run ends it otherwise. */
static void block_until_written(uv_timer_t* timer) {
  while (!has_in_file("\"blocked\""))
    uv_sleep(1);
  uv_close((uv_handle_t*) timer, NULL);
}

TEST_IMPL(trace_memory_is_written_by_the_watchdog) {
  uvx_watchdog_options_t watching = { sizeof(watching), 20, NULL, NULL, 0 };
  uv_timer_t timer;
  uv_loop_t loop;

  start_record(&loop);
  ASSERT_OK(uvx_watchdog_start(&watching));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, block_until_written, 0, 0));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT(has_in_file("\"unfinished\":1"));
  ASSERT_OK(uvx_watchdog_stop());
  ASSERT_OK(uvx_trace_stop());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

static void write_often(void* arg) {
  (void) arg;
  for (int i = 0; i < 50; i++) {
    int err = uvx_trace_write();
    ASSERT(err == 0 || err == UV_ESRCH);
  }
}

/* Threads want the file while others start and end the trace. */
TEST_IMPL(trace_memory_is_written_by_many_threads) {
  uv_thread_t threads[4];
  uv_loop_t loop;

  start_record(&loop);
  for (int i = 0; i < 4; i++)
    ASSERT_OK(uv_thread_create(&threads[i], write_often, NULL));
  for (int i = 0; i < 20; i++) {
    run_one_timer(&loop);
    ASSERT_OK(uvx_trace_stop());
    ASSERT_OK(uvx_trace_start(&recording));
  }
  for (int i = 0; i < 4; i++)
    ASSERT_OK(uv_thread_join(&threads[i]));
  run_one_timer(&loop);
  ASSERT_OK(uvx_trace_write());
  ASSERT_EQ(1, timers_in("record.json"));
  ASSERT_OK(uvx_trace_stop());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}
