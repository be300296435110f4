/* SPDX-License-Identifier: MIT */
/* uvx_trace_start(), uvx_trace_stop() and UV_TRACE: what the file holds is
 * compared with what the program saw happen. */
#include "ignore.h"
#include "test.h"
#include "trace-file.h"
#include "uv/ext.h"

#include <stdio.h>
#include <string.h>

#define LOOPS 4
#define ROUNDS (test_is_slow() ? 50 : 400)

static void start_trace(const char* path) {
  uvx_trace_options_t options = { .size = sizeof(options), .path = path };

  ASSERT_OK(uvx_trace_start(&options));
}

TEST_IMPL(trace_refuses_what_it_cannot_do) {
  uvx_trace_options_t options = { .size = sizeof(options),
                                  .path = "trace.json" };
  uvx_trace_options_t too_short = { .size =
                                        offsetof(uvx_trace_options_t, mode) - 1,
                                    .path = "trace.json" };
  uvx_trace_options_t nowhere = { .size = sizeof(options),
                                  .path = "no/such/directory" };
  uvx_trace_options_t nameless = { .size = sizeof(options), .path = "" };
  struct trace_file trace;

  ASSERT_ERR(UV_EINVAL, uvx_trace_start(NULL));
  ASSERT_ERR(UV_EINVAL, uvx_trace_start(&too_short));
  ASSERT_ERR(UV_EINVAL, uvx_trace_start(&nameless));
  ASSERT_ERR(UV_ENOENT, uvx_trace_start(&nowhere));
  ASSERT_ERR(UV_ESRCH, uvx_trace_stop());
  ASSERT_OK(uvx_trace_start(&options));
  ASSERT_ERR(UV_EBUSY, uvx_trace_start(&options));
  ASSERT_OK(uvx_trace_stop());
  ASSERT_ERR(UV_ESRCH, uvx_trace_stop());

  /* A second one overwrites the file. */
  ASSERT_OK(uvx_trace_start(&options));
  ASSERT_OK(uvx_trace_stop());
  trace_file_read(&trace, "trace.json");
  ASSERT(trace.is_closed);
  ASSERT_EQ(1, trace_file_count(&trace, "\"process_name\"", NULL));
  ASSERT_EQ(1, trace_file_count(&trace, "\"uv_trace\"", "\"version\":2"));
  ASSERT_EQ(0, trace_file_count(&trace, "\"cat\":\"callback\"", NULL));
  trace_file_free(&trace);
  return 0;
}

/* What a loop of the next test has, and how often each callback ran. */
struct load {
  uv_loop_t loop;
  uv_thread_t thread;
  uv_timer_t timer;
  uv_idle_t idle;
  uv_prepare_t prepare;
  uv_check_t check;
  uv_async_t async;
  uv_thread_t sender;
  uv_sem_t seen; /* posted by count_async() */
  uv_tcp_t client;
  uv_tcp_t server;
  uv_write_t write;
  char input[16];
  uv_work_t work;
  uv_fs_t fs;
  int rounds;
  size_t calls[10];
};

enum { TIMER, IDLE, PREPARE, CHECK, ASYNC, READ, WRITE, AFTER, FS, CLOSE };

static const char* const call_names[] = { "timer", "idle",       "prepare",
                                          "check", "async",      "read",
                                          "write", "after_work", "fs",
                                          "close" };

static struct load loads[LOOPS];

static void count_close(uv_handle_t* handle) {
  ((struct load*) handle->loop->data)->calls[CLOSE]++;
}

static void end_load(struct load* load) {
  uv_close((uv_handle_t*) &load->timer, count_close);
  uv_close((uv_handle_t*) &load->idle, count_close);
  uv_close((uv_handle_t*) &load->prepare, count_close);
  uv_close((uv_handle_t*) &load->check, count_close);
  uv_close((uv_handle_t*) &load->client, count_close);
  uv_close((uv_handle_t*) &load->server, count_close);
}

static void count_idle(uv_idle_t* handle) {
  ((struct load*) handle->loop->data)->calls[IDLE]++;
  uv_idle_stop(handle);
}

static void count_prepare(uv_prepare_t* handle) {
  ((struct load*) handle->loop->data)->calls[PREPARE]++;
}

static void count_check(uv_check_t* handle) {
  ((struct load*) handle->loop->data)->calls[CHECK]++;
}

static void count_async(uv_async_t* handle) {
  struct load* load = handle->loop->data;

  if (++load->calls[ASYNC] == 3)
    uv_close((uv_handle_t*) handle, count_close);
  uv_sem_post(&load->seen);
}

static void count_fs(uv_fs_t* req) {
  ((struct load*) req->loop->data)->calls[FS]++;
  uv_fs_req_cleanup(req);
}

/* One after the other: timer, write, read, work, file, timer again. */
static void count_after(uv_work_t* req, int status) {
  struct load* load = req->loop->data;

  ASSERT_OK(status);
  load->calls[AFTER]++;
  ASSERT_OK(uv_fs_stat(req->loop, &load->fs, ".", count_fs));
}

static void give_input(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  struct load* load = handle->loop->data;

  (void) suggested;
  *buf = uv_buf_init(load->input, sizeof(load->input));
}

static void count_read(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  struct load* load = stream->loop->data;

  (void) buf;
  ASSERT_EQ(1, n);
  load->calls[READ]++;
  ASSERT_OK(uv_queue_work(stream->loop, &load->work, ignore_work, count_after));
}

static void count_write(uv_write_t* req, int status) {
  ASSERT_OK(status);
  ((struct load*) req->handle->loop->data)->calls[WRITE]++;
}

static void count_timer(uv_timer_t* handle) {
  struct load* load = handle->loop->data;
  uv_buf_t byte = uv_buf_init((char*) "x", 1);

  /* The round before may still be under way. */
  if (load->calls[WRITE] != (size_t) load->rounds ||
      load->calls[FS] != (size_t) load->rounds) {
    load->calls[TIMER]++;
    return;
  }
  load->calls[TIMER]++;
  if (load->rounds == ROUNDS) {
    if (load->calls[ASYNC] == 3)
      end_load(load);
    return;
  }
  load->rounds++;
  ASSERT_OK(uv_idle_start(&load->idle, count_idle));
  ASSERT_OK(uv_write(&load->write, (uv_stream_t*) &load->client, &byte, 1,
                     count_write));
}

/* Waits for each to be seen, so that none are merged. */
static void send_three(void* arg) {
  struct load* load = arg;

  for (int i = 0; i < 3; i++) {
    ASSERT_OK(uv_async_send(&load->async));
    uv_sem_wait(&load->seen);
  }
}

static void run_load(void* arg) {
  struct load* load = arg;

  ASSERT_OK(uv_loop_init(&load->loop));
  load->loop.data = load;
  test_tcp_pair(&load->loop, &load->client, &load->server);
  ASSERT_OK(
      uv_read_start((uv_stream_t*) &load->server, give_input, count_read));
  ASSERT_OK(uv_timer_init(&load->loop, &load->timer));
  ASSERT_OK(uv_timer_start(&load->timer, count_timer, 0, 1));
  ASSERT_OK(uv_idle_init(&load->loop, &load->idle));
  ASSERT_OK(uv_prepare_init(&load->loop, &load->prepare));
  ASSERT_OK(uv_prepare_start(&load->prepare, count_prepare));
  ASSERT_OK(uv_check_init(&load->loop, &load->check));
  ASSERT_OK(uv_check_start(&load->check, count_check));
  ASSERT_OK(uv_async_init(&load->loop, &load->async, count_async));
  ASSERT_OK(uv_sem_init(&load->seen, 0));
  ASSERT_OK(uv_thread_create(&load->sender, send_three, load));
  ASSERT_OK(uv_run(&load->loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_thread_join(&load->sender));
  uv_sem_destroy(&load->seen);
  ASSERT_OK(uv_loop_close(&load->loop));
}

/* Stores `"tid":N,` of the thread that is named after the loop. */
static void thread_of(const struct trace_file* trace,
                      const struct load* load,
                      char* text,
                      size_t size) {
  char name[64];

  snprintf(name, sizeof(name), "{\"name\":\"loop 0x%llx\"}",
           (unsigned long long) (uintptr_t) &load->loop);
  ASSERT_EQ(1, trace_file_count(trace, "\"thread_name\"", name));
  for (size_t i = 0; i < trace->count; i++)
    if (strstr(trace->lines[i], name) != NULL)
      snprintf(text, size, "\"tid\":%.0f,",
               trace_number(trace->lines[i], "tid"));
}

/* Callbacks that a trace of one loop shows. They name the loop only if it is
 * not the one that their thread is named after. */
static size_t calls_in(const struct trace_file* trace,
                       const struct load* load,
                       const char* call) {
  char of_thread[64];
  char of_call[64];
  size_t count = 0;

  thread_of(trace, load, of_thread, sizeof(of_thread));
  snprintf(of_call, sizeof(of_call), "\"call\":\"%s\"", call);
  for (size_t i = 0; i < trace->count; i++) {
    const char* line = trace->lines[i];
    if (strstr(line, of_thread) != NULL && strstr(line, of_call) != NULL) {
      ASSERT_NULL(strstr(line, "\"loop\":"));
      count++;
    }
  }
  return count;
}

TEST_IMPL(trace_has_every_callback_of_four_loops_once) {
  struct trace_file trace;
  size_t requests = 0;

  ASSERT_OK(uv_os_setenv("UV_USE_IO_URING", "0")); /* the pool, not a ring */
  start_trace("four.json");
  for (int i = 0; i < LOOPS; i++)
    ASSERT_OK(uv_thread_create(&loads[i].thread, run_load, &loads[i]));
  for (int i = 0; i < LOOPS; i++)
    ASSERT_OK(uv_thread_join(&loads[i].thread));
  ASSERT_OK(uvx_trace_stop());

  trace_file_read(&trace, "four.json");
  ASSERT(trace.is_closed);
  ASSERT_EQ(0, trace_file_count(&trace, "\"name\":\"dropped\"", NULL));
  for (int i = 0; i < LOOPS; i++) {
    struct load* load = &loads[i];
    /* The pair of streams was made with more of them. */
    for (int k = 0; k < CLOSE; k++)
      ASSERT_EQ(load->calls[k], calls_in(&trace, load, call_names[k]));
    ASSERT_GE(calls_in(&trace, load, "close"), load->calls[CLOSE]);
    ASSERT_EQ(ROUNDS, (int) load->calls[FS]);
    requests += load->calls[FS] + load->calls[AFTER];
  }
  trace_file_check_nesting(&trace);
  ASSERT_EQ(requests, trace_file_check_arrows(&trace, "work", 1));
  ASSERT_EQ(3 * LOOPS, trace_file_check_arrows(&trace, "async", 0));
  ASSERT_EQ(requests / 2, trace_file_count(&trace, "\"fs:stat\"", NULL));
  ASSERT_GE(trace_file_count(&trace, "\"name\":\"poll\"", NULL), 1);
  ASSERT_GE(trace_file_count(&trace, "\"cat\":\"iteration\"", NULL), 1);
  trace_file_free(&trace);
  return 0;
}

static int polled;

static void forget_handle(uv_handle_t* handle) {
  (void) handle;
}

static void close_poller(uv_fs_poll_t* handle,
                         int status,
                         const uv_stat_t* before,
                         const uv_stat_t* now) {
  (void) before;
  (void) now;
  /* The first report, of the missing file, and one of its creation. */
  if (polled++ == 0) {
    ASSERT_ERR(UV_ENOENT, status);
    test_write_file("polled", "x");
    return;
  }
  ASSERT_OK(status);
  uv_close((uv_handle_t*) handle, forget_handle);
}

static void close_process(uv_process_t* process, int64_t status, int signum) {
  (void) status;
  (void) signum;
  uv_close((uv_handle_t*) process, forget_handle);
}

/* The library waits for children with a signal handle of its own, and polls
 * files with timers: a trace has the program's callbacks only. */
TEST_IMPL(trace_leaves_out_the_handles_of_the_library) {
  uv_loop_t loop;
  uv_fs_poll_t poll;
  uv_process_t process;
  uv_process_options_t options;
  struct trace_file trace;
  char* args[7];

  start_trace("own.json");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_fs_poll_init(&loop, &poll));
  ASSERT_OK(uv_fs_poll_start(&poll, close_poller, "polled", 1));
  helper_args(args, "nothing", NULL, NULL, NULL);
  test_process_options(&options, args, close_process);
  ASSERT_OK(uv_spawn(&loop, &process, &options));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_OK(uvx_trace_stop());

  trace_file_read(&trace, "own.json");
  ASSERT_EQ(1, trace_file_count(&trace, "\"call\":\"exit\"", NULL));
  ASSERT_EQ(2, trace_file_count(&trace, "\"call\":\"fs_poll\"", NULL));
  ASSERT_EQ(2, trace_file_count(&trace, "\"call\":\"close\"", NULL));
  ASSERT_EQ(0, trace_file_count(&trace, "\"call\":\"timer\"", NULL));
  ASSERT_EQ(0, trace_file_count(&trace, "\"call\":\"signal\"", NULL));
  trace_file_free(&trace);
  return 0;
}

static int is_over;
static int restarts;

/* Context: worker. */
static void restart_trace(uv_work_t* req) {
  (void) req;
  for (restarts = 0; restarts < 30; restarts++) {
    start_trace("restart.json");
    uv_sleep(1);
    ASSERT_OK(uvx_trace_stop());
  }
}

static void mark_over(uv_work_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  is_over = 1;
}

static void send_again(uv_async_t* handle) {
  if (is_over)
    uv_close((uv_handle_t*) handle, NULL);
  else
    ASSERT_OK(uv_async_send(handle));
}

TEST_IMPL(trace_can_be_stopped_while_others_record) {
  struct trace_file trace;
  uv_loop_t loop;
  uv_async_t async;
  uv_work_t work;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_async_init(&loop, &async, send_again));
  ASSERT_OK(uv_async_send(&async));
  ASSERT_OK(uv_queue_work(&loop, &work, restart_trace, mark_over));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));

  ASSERT_EQ(30, restarts);
  trace_file_read(&trace, "restart.json");
  ASSERT(trace.is_closed);
  trace_file_check_nesting(&trace);
  trace_file_free(&trace);
  return 0;
}

static void run_briefly(void* arg) {
  uv_loop_t loop;
  uv_timer_t timer;

  (void) arg;
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, ignore_timer, 0, 0));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  uv_close((uv_handle_t*) &timer, NULL);
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));
}

/* More threads than there may be rings at a time, one after the other. */
TEST_IMPL(trace_threads_leave_their_rings_to_others) {
  int count = test_is_slow() ? 100 : 600;
  struct trace_file trace;

  start_trace("threads.json");
  for (int i = 0; i < count; i++) {
    uv_thread_t thread;
    ASSERT_OK(uv_thread_create(&thread, run_briefly, NULL));
    ASSERT_OK(uv_thread_join(&thread));
    if (i % 50 == 49)
      uv_sleep(50); /* let the writer read what they left */
  }
  ASSERT_OK(uvx_trace_stop());
  trace_file_read(&trace, "threads.json");
  ASSERT_EQ(count, trace_file_count(&trace, "\"call\":\"timer\"", NULL));
  trace_file_free(&trace);
  return 0;
}

HELPER_IMPL(run_traced) {
  (void) argc;
  (void) argv;
  run_briefly(NULL);
  uv_library_shutdown();
  return 0;
}

static int64_t exit_status;

static void on_exit_of_child(uv_process_t* process,
                             int64_t status,
                             int signal) {
  ASSERT_EQ(0, signal);
  exit_status = status;
  uv_close((uv_handle_t*) process, NULL);
}

/* Runs the helper and returns its number. */
static int run_helper(uv_loop_t* loop, const char* name) {
  uv_process_options_t options;
  uv_process_t process;
  char* args[7];

  helper_args(args, name, NULL, NULL, NULL);
  test_process_options(&options, args, on_exit_of_child);
  exit_status = -1;
  ASSERT_OK(uv_spawn(loop, &process, &options));
  int pid = uv_process_get_pid(&process);
  ASSERT_OK(uv_run(loop, UV_RUN_DEFAULT));
  ASSERT_EQ(0, exit_status);
  return pid;
}

TEST_IMPL(trace_of_a_child_has_a_file_of_its_own) {
  struct trace_file trace;
  uv_loop_t loop;
  char name[64];

  ASSERT_OK(uv_os_setenv("UV_TRACE", "child-%p.json"));
  ASSERT_OK(uv_loop_init(&loop));
  int pid = run_helper(&loop, "run_traced");
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_OK(uvx_trace_stop());

  snprintf(name, sizeof(name), "child-%d.json", pid);
  trace_file_read(&trace, name);
  ASSERT(trace.is_closed);
  ASSERT_EQ(1, trace_file_count(&trace, "\"call\":\"timer\"", NULL));
  trace_file_free(&trace);

  snprintf(name, sizeof(name), "child-%d.json", (int) uv_os_getpid());
  trace_file_read(&trace, name);
  ASSERT(trace.is_closed);
  ASSERT_EQ(1, trace_file_count(&trace, "\"call\":\"exit\"", NULL));
  trace_file_free(&trace);
  return 0;
}

/* Nothing fails, whatever the variable says; and a child without a name of its
 * own does not write into its parent's file. */
TEST_IMPL(trace_environment_never_fails_a_program) {
  static const char* const values[] = { "", "/", "no/such/directory/%p", "." };
  struct trace_file trace;
  uv_loop_t loop;

  ASSERT_OK(uv_os_setenv("UV_TRACE", "parent.json"));
  ASSERT_OK(uv_loop_init(&loop));
  (void) run_helper(&loop, "run_traced");
  for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
    ASSERT_OK(uv_os_setenv("UV_TRACE", values[i]));
    (void) run_helper(&loop, "run_traced");
  }
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_OK(uvx_trace_stop());
  trace_file_read(&trace, "parent.json");
  ASSERT(trace.is_closed);
  ASSERT_EQ(5, trace_file_count(&trace, "\"call\":\"exit\"", NULL));
  ASSERT_EQ(0, trace_file_count(&trace, "\"call\":\"timer\"", NULL));
  trace_file_free(&trace);
  return 0;
}

/* The first loop reads the environment; what the program started before goes
 * on. */
TEST_IMPL(trace_started_by_the_program_comes_before_the_environment) {
  uvx_trace_options_t options = { .size = sizeof(options),
                                  .path = "program.json" };
  uvx_metrics_options_t metrics = { sizeof(metrics), NULL, 0, 0, 0 };
  uvx_watchdog_options_t watchdog = { sizeof(watchdog), 60000, NULL, NULL, 0 };
  uv_loop_t loop;
  uv_fs_t req;

  ASSERT_OK(uv_os_setenv("UV_TRACE", "environment.json"));
  ASSERT_OK(uv_os_setenv("UV_METRICS", "environment.txt"));
  ASSERT_OK(uv_os_setenv("UV_WATCHDOG", "1000"));
  ASSERT_OK(uvx_trace_start(&options));
  ASSERT_OK(uvx_metrics_start(&metrics));
  ASSERT_OK(uvx_watchdog_start(&watchdog));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uvx_watchdog_stop());
  ASSERT_OK(uvx_metrics_stop());
  ASSERT_OK(uvx_trace_stop());
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_OK(uv_fs_stat(NULL, &req, "program.json", NULL));
  uv_fs_req_cleanup(&req);
  ASSERT_ERR(UV_ENOENT, uv_fs_stat(NULL, &req, "environment.json", NULL));
  uv_fs_req_cleanup(&req);
  ASSERT_ERR(UV_ENOENT, uv_fs_stat(NULL, &req, "environment.txt", NULL));
  uv_fs_req_cleanup(&req);
  return 0;
}

static int many_asyncs_called;

static void on_one_of_many(uv_async_t* handle) {
  many_asyncs_called++;
  uv_close((uv_handle_t*) handle, NULL);
}

/* Sends that no loop has run yet: those beyond the bound have no arrow in the
 * trace, but their callbacks run. */
TEST_IMPL(trace_more_sends_than_it_remembers) {
  enum { SENDS = 5000 };
  static uv_async_t handles[SENDS];
  uv_loop_t loop;
  struct trace_file trace;

  start_trace("sends.json");
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < SENDS; i++)
    ASSERT_OK(uv_async_init(&loop, &handles[i], on_one_of_many));
  for (int i = 0; i < SENDS; i++)
    ASSERT_OK(uv_async_send(&handles[i]));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(SENDS, many_asyncs_called);
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_OK(uvx_trace_stop());
  trace_file_read(&trace, "sends.json");
  ASSERT_EQ(1, trace.is_closed);
  ASSERT_EQ(SENDS, trace_file_count(&trace, "\"call\":\"async\"", NULL));
  trace_file_free(&trace);
  return 0;
}
