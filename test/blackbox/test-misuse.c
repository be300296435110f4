/* SPDX-License-Identifier: MIT */
/* Mistakes of programs are explained in one line on standard error: always if
 * they end the process, otherwise with UV_DEBUG=1 or in debug builds. Method: a
 * helper prints the address of the object and makes the mistake. */
#include "ignore.h"
#include "test.h"
#include "uv/ext.h"

#include <stdio.h>
#include <stdlib.h>
#if TEST_POSIX
# include <sys/resource.h>
# include <unistd.h>
#endif

#define TEXT_SIZE 4096

static uv_loop_t loop;

/* ------------------------------------------------------------------------- */
/* The mistakes. Each prints an address first; some a second one. */

static void print_address(const void* object) {
  printf("%p\n", object);
  fflush(stdout);
}

static void close_twice(void) {
  static uv_timer_t timer;

  uv_timer_init(&loop, &timer);
  print_address(&timer);
  uv_close((uv_handle_t*) &timer, NULL);
  uv_close((uv_handle_t*) &timer, NULL);
}

static void close_no_handle(void) {
  static uv_timer_t timer;

  uv_timer_init(&loop, &timer);
  print_address(&timer);
  timer.type = UV_UNKNOWN_HANDLE;
  uv_close((uv_handle_t*) &timer, NULL);
}

static void close_busy_loop(void) {
  static uv_timer_t timer;
  static uv_tcp_t tcp;

  uv_timer_init(&loop, &timer);
  uv_tcp_init(&loop, &tcp);
  print_address(&timer);
  print_address(&tcp);
  uv_close((uv_handle_t*) &tcp, NULL);
  if (uv_loop_close(&loop) != UV_EBUSY)
    abort();
}

static void wait_a_little(uv_work_t* req);

static void close_crowded_loop(void) {
  static uv_timer_t timers[11];
  static uv_work_t req;

  for (int i = 0; i < 11; i++)
    uv_timer_init(&loop, &timers[i]);
  print_address(&timers[7]);
  print_address(&timers[8]);
  uv_queue_work(&loop, &req, wait_a_little, ignore_after_work);
  if (uv_loop_close(&loop) != UV_EBUSY)
    abort();
}

static void start_without_callback(void) {
  static uv_timer_t timer;

  uv_timer_init(&loop, &timer);
  print_address(&timer);
  if (uv_timer_start(&timer, NULL, 1, 0) != UV_EINVAL)
    abort();
}

static void wait_a_little(uv_work_t* req) {
  (void) req;
  uv_sleep(20);
}

static void submit_twice(void) {
  static uv_work_t req;

  print_address(&req);
  uv_queue_work(&loop, &req, wait_a_little, ignore_after_work);
  uv_queue_work(&loop, &req, wait_a_little, ignore_after_work);
  uv_run(&loop, UV_RUN_DEFAULT);
}

/* The second byte waits behind more than a pipe holds. */
static void write_twice(void) {
  static char data[1 << 20];
  static uv_write_t reqs[2];
  static uv_pipe_t pipe;
  uv_buf_t buf = uv_buf_init(data, sizeof(data));
  uv_file fds[2];

  if (uv_pipe(fds, 0, 0) != 0)
    abort();
  uv_pipe_init(&loop, &pipe, 0);
  uv_pipe_open(&pipe, fds[1]);
  print_address(&reqs[1]);
  for (int i = 0; i < 3; i++)
    uv_write(&reqs[i > 0], (uv_stream_t*) &pipe, &buf, 1, NULL);
}

static void on_timer_dispatch(uv_timer_t* timer) {
  uv_close((uv_handle_t*) timer, NULL);
  uvx_backend_dispatch(&loop);
}

static void dispatch_in_callback(void) {
  static uv_timer_t timer;

  uv_timer_init(&loop, &timer);
  print_address(&loop);
  uv_timer_start(&timer, on_timer_dispatch, 0, 0);
  uvx_backend_dispatch(&loop);
}

static uv_timer_t shared_timer;

static void start_elsewhere(void* arg) {
  uv_timer_start(&shared_timer, (uv_timer_cb) uv_unref, 1, 0);
  (void) arg;
}

static void stop_elsewhere(void* arg) {
  uv_timer_stop(&shared_timer);
  (void) arg;
}

static void stat_elsewhere(void* arg) {
  static uv_fs_t req;

  uv_fs_stat(&loop, &req, ".", (uv_fs_cb) uv_fs_req_cleanup);
  (void) arg;
}

static void on_timer_thread(uv_timer_t* timer) {
  uv_thread_t thread;

  uv_thread_create(&thread, *(uv_thread_cb*) timer->data, NULL);
  uv_thread_join(&thread);
}

static void run_beside_loop(uv_thread_cb entry) {
  static uv_timer_t timer;
  static uv_thread_cb entry_of_timer;

  entry_of_timer = entry;
  timer.data = &entry_of_timer;
  uv_timer_init(&loop, &timer);
  uv_timer_init(&loop, &shared_timer);
  uv_timer_start(&timer, on_timer_thread, 0, 0);
  uv_run(&loop, UV_RUN_ONCE);
}

static void use_from_another_thread(void) {
  print_address(&shared_timer);
  run_beside_loop(start_elsewhere);
}

static void stop_from_another_thread(void) {
  print_address(&shared_timer);
  run_beside_loop(stop_elsewhere);
}

static void stat_from_another_thread(void) {
  print_address(&loop);
  run_beside_loop(stat_elsewhere);
}

static void reuse_memory(void) {
  static uv_idle_t idle;
  static uv_timer_t timer;

  uv_idle_init(&loop, &idle);
  uv_idle_start(&idle, (uv_idle_cb) uv_unref);
  uv_timer_init(&loop, &timer);
  print_address(&timer);
  timer.loop = NULL;
  uv_run(&loop, UV_RUN_NOWAIT);
}

/* All of it, links included. */
static void overwrite_memory(void) {
  static uv_timer_t timer;

  uv_timer_init(&loop, &timer);
  uv_timer_start(&timer, (uv_timer_cb) uv_unref, 1, 0);
  print_address(&timer);
  memset(&timer, 0xab, sizeof(timer));
  uv_run(&loop, UV_RUN_NOWAIT);
}

static void close_overwritten(void) {
  static uv_timer_t timer;

  print_address(&timer);
  memset(&timer, 0x4b, sizeof(timer));
  uv_close((uv_handle_t*) &timer, NULL);
}

static void init_again(void) {
  static uv_timer_t timer;

  uv_timer_init(&loop, &timer);
  uv_timer_start(&timer, (uv_timer_cb) uv_unref, 1, 0);
  print_address(&timer);
  uv_timer_init(&loop, &timer);
  uv_run(&loop, UV_RUN_NOWAIT);
}

static void close_zeros(void) {
  static uv_timer_t timer;

  print_address(&timer);
  uv_close((uv_handle_t*) &timer, NULL);
}

static void listen_closing(void) {
  static uv_tcp_t tcp;

  uv_tcp_init(&loop, &tcp);
  print_address(&tcp);
  uv_close((uv_handle_t*) &tcp, NULL);
  if (uv_listen((uv_stream_t*) &tcp, 1, ignore_connection) != UV_EINVAL)
    abort();
}

/* No mistake: each callback has run before. */
static void look_up_again(void) {
  static uv_getaddrinfo_t req;

  for (int i = 0; i < 3; i++) {
    uv_getaddrinfo(&loop, &req, ignore_addrinfo, "127.0.0.1", NULL, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_freeaddrinfo(req.addrinfo);
  }
}

static void init_open(void) {
  static uv_timer_t timer;

  uv_timer_init(&loop, &timer);
  print_address(&timer);
  uv_timer_init(&loop, &timer);
}

static void make_a_loop(void) {
  print_address(&loop);
}

struct mistake {
  const char* name;
  void (*make)(void);
};

static const struct mistake mistakes[] = {
  { "close-twice", close_twice },
  { "close-no-handle", close_no_handle },
  { "close-busy-loop", close_busy_loop },
  { "close-crowded-loop", close_crowded_loop },
  { "start-without-callback", start_without_callback },
  { "submit-twice", submit_twice },
  { "write-twice", write_twice },
  { "dispatch-in-callback", dispatch_in_callback },
  { "use-from-another-thread", use_from_another_thread },
  { "stop-from-another-thread", stop_from_another_thread },
  { "stat-from-another-thread", stat_from_another_thread },
  { "reuse-memory", reuse_memory },
  { "overwrite-memory", overwrite_memory },
  { "close-overwritten", close_overwritten },
  { "close-zeros", close_zeros },
  { "init-again", init_again },
  { "listen-closing", listen_closing },
  { "look-up-again", look_up_again },
  { "init-open", init_open },
  { "make-a-loop", make_a_loop },
};

HELPER_IMPL(make_a_mistake) {
  ASSERT_EQ(1, argc);
#if TEST_POSIX
  struct rlimit none = { 0, 0 };
  setrlimit(RLIMIT_CORE, &none);
#endif
  ASSERT_OK(uv_loop_init(&loop));
  for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++)
    if (strcmp(argv[0], mistakes[i].name) == 0)
      mistakes[i].make();
  fflush(stdout);
  _exit(0);
}

/* ------------------------------------------------------------------------- */
/* Running one. */

static uv_loop_t own_loop;

struct output {
  uv_pipe_t pipe;
  char text[TEXT_SIZE];
  size_t len;
};

static struct output out;
static struct output err;
static int64_t status_of_helper;

static void on_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  struct output* output = handle->data;

  (void) size;
  *buf = uv_buf_init(output->text + output->len,
                     (unsigned) (TEXT_SIZE - 1 - output->len));
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  struct output* output = stream->data;

  (void) buf;
  if (nread < 0) {
    uv_close((uv_handle_t*) stream, NULL);
    return;
  }
  output->len += (size_t) nread;
  output->text[output->len] = '\0';
}

static void open_output(struct output* output, uv_stdio_container_t* stdio) {
  output->len = 0;
  output->text[0] = '\0';
  ASSERT_OK(uv_pipe_init(&own_loop, &output->pipe, 0));
  output->pipe.data = output;
  stdio->flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE;
  stdio->data.stream = (uv_stream_t*) &output->pipe;
}

static void on_exit_store(uv_process_t* process,
                          int64_t exit_status,
                          int signal) {
  status_of_helper = signal != 0 ? -signal : exit_status;
  uv_close((uv_handle_t*) process, NULL);
}

/* Leaves what it printed in `out` and `err`, and how it ended. */
static void make_mistake(const char* name, const char* debug) {
  uv_process_options_t options;
  uv_process_t process;
  uv_stdio_container_t stdio[3];
  char* args[7];

  helper_args(args, "make_a_mistake", name, NULL, NULL);
  ASSERT_OK(uv_os_setenv("UV_DEBUG", debug));
  ASSERT_OK(uv_loop_init(&own_loop));
  stdio[0].flags = UV_IGNORE;
  open_output(&out, &stdio[1]);
  open_output(&err, &stdio[2]);
  test_process_options(&options, args, on_exit_store);
  options.stdio = stdio;
  options.stdio_count = 3;
  ASSERT_OK(uv_spawn(&own_loop, &process, &options));
  ASSERT_OK(uv_read_start((uv_stream_t*) &out.pipe, on_alloc, on_read));
  ASSERT_OK(uv_read_start((uv_stream_t*) &err.pipe, on_alloc, on_read));
  ASSERT_OK(uv_run(&own_loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&own_loop));
  for (char* cr = strchr(err.text, '\r'); cr != NULL; cr = strchr(cr, '\r'))
    memmove(cr, cr + 1, strlen(cr));
}

/* The address that is line `i` of the helper's output. */
static const char* address(int i) {
  static char texts[2][32];
  const char* line = out.text;

  for (int skip = i; skip > 0; skip--) {
    line = strchr(line, '\n');
    ASSERT_NOT_NULL(line);
    line++;
  }
  snprintf(texts[i], sizeof(texts[i]), "%.*s", (int) strcspn(line, "\r\n"),
           line);
  return texts[i];
}

/* The first line on standard error is exactly this, around the addresses. */
static void expect_line(const char* before,
                        const char* between,
                        const char* after) {
  char expected[TEXT_SIZE];

  if (between == NULL)
    snprintf(expected, sizeof(expected), "libuv: %s%s%s\n", before, address(0),
             after);
  else
    snprintf(expected, sizeof(expected), "libuv: %s%s%s%s%s\n", before,
             address(0), between, address(1), after);
  err.text[strcspn(err.text, "\n") + 1] = '\0';
  ASSERT_STR_EQ(expected, err.text);
}

static int is_debug_build(void) {
#ifdef UV__DEBUG
  return 1;
#else
  return 0;
#endif
}

TEST_IMPL(misuse_close_twice_is_explained) {
  make_mistake("close-twice", "0");
  expect_line("uv_close: timer ", NULL,
              " is already closing (caller's error); see man uv_close");
  ASSERT_NE(0, status_of_helper);
  return 0;
}

TEST_IMPL(misuse_close_of_no_handle_is_explained) {
  static const char* const names[] = { "close-no-handle", "close-zeros",
                                       "close-overwritten" };

  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
    make_mistake(names[i], "0");
    expect_line("uv_close: handle ", NULL,
                " is no handle, or its memory was reused (caller's error); see "
                "man uv_close");
    ASSERT_NE(0, status_of_helper);
  }
  return 0;
}

TEST_IMPL(misuse_busy_loop_names_its_handles) {
  char before[64];

  make_mistake("close-busy-loop", "1");
  /* (The loop's address is not printed by the helper; it is skipped.) */
  char* colon = strstr(err.text, " is busy: timer ");
  ASSERT_NOT_NULL(colon);
  size_t len = (size_t) (colon - err.text) - strlen("libuv: ");
  snprintf(before, sizeof(before), "%.*s is busy: timer ", (int) len,
           err.text + strlen("libuv: "));
  ASSERT_EQ(0, strncmp(before, "uv_loop_close: loop ", 20));
  expect_line(before, ", tcp ", " (closing) (UV_EBUSY); see man uv_loop_close");
  ASSERT_EQ(0, status_of_helper);
  return 0;
}

/* Eight handles are named, the others and the requests are counted. */
TEST_IMPL(misuse_busy_loop_counts_the_rest) {
  make_mistake("close-crowded-loop", "1");
  ASSERT_NOT_NULL(strstr(err.text, address(0)));
  ASSERT_NULL(strstr(err.text, address(1)));
  ASSERT_NOT_NULL(
      strstr(err.text, " and 3 more handles, 1 request (UV_EBUSY)"));
  ASSERT_EQ(0, status_of_helper);
  return 0;
}

TEST_IMPL(misuse_null_callback_is_explained_on_request) {
  make_mistake("start-without-callback", "1");
  expect_line("uv_timer_start: timer ", NULL,
              " needs a callback and must not be closing (UV_EINVAL); see man "
              "uv_timer_start");
  ASSERT_EQ(0, status_of_helper);
  if (!is_debug_build()) {
    make_mistake("start-without-callback", "0");
    ASSERT_STR_EQ("", err.text);
    ASSERT_EQ(0, status_of_helper);
  }
  return 0;
}

TEST_IMPL(misuse_listen_on_a_closing_handle_is_explained) {
  make_mistake("listen-closing", "1");
  expect_line("uv_listen: tcp ", NULL,
              " must be a TCP or pipe handle that is not closing (UV_EINVAL); "
              "see man uv_listen");
  ASSERT_EQ(0, status_of_helper);
  return 0;
}

TEST_IMPL(misuse_request_in_use_is_explained) {
  make_mistake("submit-twice", "1");
  expect_line("uv_queue_work: request ", NULL,
              " is in use until its callback has run (caller's error); see man "
              "uv_queue_work");
  return 0;
}

TEST_IMPL(misuse_finished_lookup_is_not_in_use) {
  make_mistake("look-up-again", "1");
  ASSERT_STR_EQ("", err.text);
  ASSERT_EQ(0, status_of_helper);
  return 0;
}

TEST_IMPL(misuse_init_of_an_open_handle_is_explained) {
  make_mistake("init-open", "1");
  expect_line("uv_timer_init: timer ", NULL,
              " is open: it was initialised again before its close callback "
              "(caller's error); see man uv_timer_init");
  ASSERT_EQ(0, status_of_helper);
  return 0;
}

TEST_IMPL(misuse_write_in_use_ends_a_debug_build) {
#if !TEST_POSIX
  SKIP("the requests of this system are not in a list");
#endif
  if (!is_debug_build())
    SKIP("this build has no expensive checks (LIBUV_DEBUG=ON has)");
  make_mistake("write-twice", "0");
  expect_line("uv_write: request ", NULL,
              " is in use until its callback has run (caller's error); see man "
              "uv_write");
  ASSERT_NE(0, status_of_helper);
  return 0;
}

TEST_IMPL(misuse_nested_dispatch_is_explained) {
  make_mistake("dispatch-in-callback", "1");
  expect_line("uvx_backend_dispatch: loop ", NULL,
              " is running a callback already (caller's error); see man "
              "uvx_backend_dispatch");
  if (!is_debug_build())
    ASSERT_EQ(0, status_of_helper);
  return 0;
}

TEST_IMPL(misuse_wrong_thread_ends_a_debug_build) {
  if (!is_debug_build())
    SKIP("this build has no expensive checks (LIBUV_DEBUG=ON has)");
  make_mistake("use-from-another-thread", "0");
  expect_line("uv_timer_start: timer ", NULL,
              " belongs to a loop that another thread runs (caller's error); "
              "see man uv_timer_start");
  ASSERT_NE(0, status_of_helper);
  make_mistake("stop-from-another-thread", "0");
  expect_line("uv_timer_stop: timer ", NULL,
              " belongs to a loop that another thread runs (caller's error); "
              "see man uv_timer_stop");
  ASSERT_NE(0, status_of_helper);
  make_mistake("stat-from-another-thread", "0");
  expect_line("uv_fs_t: loop ", NULL,
              " runs on another thread: no file request can be submitted from "
              "this one (caller's error); see man uv_fs_t");
  ASSERT_NE(0, status_of_helper);
  return 0;
}

TEST_IMPL(misuse_reused_memory_ends_a_debug_build) {
  static const char* const mistakes_of[][2] = {
    { "reuse-memory", "uv_close: timer " },
    { "overwrite-memory", "uv_close: handle " },
    { "init-again", "uv_close: timer " },
  };

  if (!is_debug_build())
    SKIP("this build has no expensive checks (LIBUV_DEBUG=ON has)");
  for (size_t i = 0; i < sizeof(mistakes_of) / sizeof(*mistakes_of); i++) {
    make_mistake(mistakes_of[i][0], "0");
    expect_line(mistakes_of[i][1], NULL,
                " was freed, reused or initialised again before its close "
                "callback (caller's error); see man uv_close");
    ASSERT_NE(0, status_of_helper);
  }
  return 0;
}

/* Goal: UV_DEBUG=1 names each variable with a value that means nothing. */
TEST_IMPL(misuse_environment_is_explained) {
  ASSERT_OK(uv_os_setenv("UV_THREADPOOL_SIZE", "four"));
  ASSERT_OK(uv_os_setenv("UV_USE_IO_URING", "yes"));
  ASSERT_OK(uv_os_setenv("UV_POLLER", "nope"));
  make_mistake("make-a-loop", "1");
  ASSERT_STR_EQ("libuv: UV_THREADPOOL_SIZE=four: not a number from 1 to 1024\n"
                "libuv: UV_USE_IO_URING=yes: not 0, 1 or 2\n"
                "libuv: UV_POLLER=nope: not a poller of this system\n",
                err.text);
  make_mistake("make-a-loop", "0");
  ASSERT_STR_EQ("", err.text);
  return 0;
}
