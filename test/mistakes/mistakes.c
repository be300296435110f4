/* SPDX-License-Identifier: MIT */
/* The classic mistakes of programs, one per name: mistakes NAME makes it and
 * prints "survived" if the process is still there. Uses uv.h alone, so that it
 * can be linked to libuv, too. `run` knows what is to be seen.
 *
 * The address of the object goes to standard output first. Memory that a
 * program no longer owns is overwritten at once, as it would be sooner or
 * later.
 */
#include "uv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define JUNK 0x2a

static uv_loop_t loop;
static uv_timer_t timer;
static uv_pipe_t stream;
static char megabyte[1 << 20];

static void print_address(const void* object) {
  printf("%p\n", object);
  fflush(stdout);
}

/* A result that is part of what is to be seen. */
static void print_result(int result) {
  printf("%s\n", result == 0 ? "0" : uv_err_name(result));
  fflush(stdout);
}

static void run(void) {
  uv_run(&loop, UV_RUN_DEFAULT);
}

/* The compiler is not to see that nobody reads it. */
static void* volatile reused;

/* Gives the memory back; whoever gets it next fills it. */
static void free_and_reuse(void* memory, size_t size) {
  free(memory);
  reused = malloc(size);
  if (reused != NULL)
    memset(reused, JUNK, size);
}

/* Calls that other functions make, on the stack that these have left. */
__attribute__((noinline)) static void use_stack(void) {
  volatile char frame[16384];

  for (size_t i = 0; i < sizeof(frame); i++)
    frame[i] = JUNK;
}

static void on_timer(uv_timer_t* handle) {
  (void) handle;
}

static void on_close(uv_handle_t* handle) {
  (void) handle;
}

static void on_write(uv_write_t* req, int status) {
  (void) req;
  (void) status;
}

static void on_idle_stop(uv_idle_t* handle) {
  uv_idle_stop(handle);
}

static void on_async(uv_async_t* handle) {
  (void) handle;
}

static void on_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  (void) handle;
  *buf = uv_buf_init(megabyte,
                     (unsigned) (size < sizeof(megabyte) ? size : 65536));
}

static void on_read(uv_stream_t* reader, ssize_t nread, const uv_buf_t* buf) {
  (void) buf;
  if (nread < 0)
    uv_close((uv_handle_t*) reader, NULL);
}

static void on_stat(uv_fs_t* req) {
  (void) req;
}

/* `stream` writes into a pipe that `loop` reads, too. */
static void open_stream(void) {
  static uv_pipe_t reader;
  uv_file fds[2];

  if (uv_pipe(fds, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE) != 0)
    abort();
  uv_pipe_init(&loop, &reader, 0);
  uv_pipe_open(&reader, fds[0]);
  uv_read_start((uv_stream_t*) &reader, on_alloc, on_read);
  uv_pipe_init(&loop, &stream, 0);
  uv_pipe_open(&stream, fds[1]);
}

static void write_with(uv_write_t* req, char* data, size_t len) {
  uv_buf_t buf = uv_buf_init(data, (unsigned) len);

  if (uv_write(req, (uv_stream_t*) &stream, &buf, 1, on_write) != 0)
    abort();
}

/* ------------------------------------------------------------------------- */
/* Memory that is gone. */

static void free_before_close_cb(void) {
  uv_timer_t* handle = malloc(sizeof(*handle));

  uv_timer_init(&loop, handle);
  print_address(handle);
  uv_close((uv_handle_t*) handle, on_close);
  free_and_reuse(handle, sizeof(*handle));
  run();
}

static void free_open_handle(void) {
  uv_timer_t* handle = malloc(sizeof(*handle));

  uv_timer_init(&loop, handle);
  uv_timer_start(handle, on_timer, 1, 0);
  print_address(handle);
  free_and_reuse(handle, sizeof(*handle));
  run();
}

__attribute__((noinline)) static void start_local_timer(void) {
  uv_timer_t local;

  uv_timer_init(&loop, &local);
  uv_timer_start(&local, on_timer, 1, 0);
  print_address(&local);
}

static void handle_on_stack(void) {
  start_local_timer();
  use_stack();
  run();
}

__attribute__((noinline)) static void write_local_request(size_t len) {
  uv_write_t req;

  print_address(&req);
  write_with(&req, megabyte, len);
}

/* The kernel takes one byte at once, a megabyte only in turns. */
static void write_request_on_stack(void) {
  open_stream();
  write_local_request(1);
  use_stack();
  run();
}

static void waiting_write_on_stack(void) {
  open_stream();
  write_local_request(sizeof(megabyte));
  use_stack();
  run();
}

__attribute__((noinline)) static void write_local_data(uv_write_t* req) {
  static char first[1 << 20];
  char data[1024];
  uv_buf_t bufs[2];

  memset(data, 'x', sizeof(data));
  bufs[0] = uv_buf_init(first, sizeof(first));
  bufs[1] = uv_buf_init(data, sizeof(data));
  print_address(req);
  uv_write(req, (uv_stream_t*) &stream, bufs, 2, on_write);
}

static void write_data_on_stack(void) {
  static uv_write_t req;

  open_stream();
  write_local_data(&req);
  use_stack();
  uv_run(&loop, UV_RUN_ONCE);
}

__attribute__((noinline)) static void stat_local_request(void) {
  uv_fs_t req;

  print_address(&req);
  uv_fs_stat(&loop, &req, ".", on_stat);
  /* (The pool is not to write into a frame that is in use.) */
  usleep(50000);
}

static void fs_request_on_stack(void) {
  stat_local_request();
  use_stack();
  run();
}

static void free_loop(void) {
  uv_loop_t* own = malloc(sizeof(*own));

  uv_loop_init(own);
  uv_timer_init(own, &timer);
  uv_timer_start(&timer, on_timer, 1, 0);
  print_address(own);
  free_and_reuse(own, sizeof(*own));
  uv_close((uv_handle_t*) &timer, NULL);
}

/* ------------------------------------------------------------------------- */
/* What is no handle, or another one. */

static void close_garbage(void) {
  static uv_timer_t garbage;

  memset(&garbage, JUNK, sizeof(garbage));
  print_address(&garbage);
  uv_close((uv_handle_t*) &garbage, NULL);
}

static void close_zeros(void) {
  static uv_timer_t zeros;

  print_address(&zeros);
  uv_close((uv_handle_t*) &zeros, NULL);
}

/* A type that exists, and nothing else that is right. */
static void close_uninitialised(void) {
  static uv_timer_t garbage;

  memset(&garbage, JUNK, sizeof(garbage));
  garbage.type = UV_TIMER;
  garbage.flags = 0;
  print_address(&garbage);
  uv_close((uv_handle_t*) &garbage, NULL);
}

static void start_zeros(void) {
  static uv_timer_t zeros;

  print_address(&zeros);
  uv_timer_start(&zeros, on_timer, 1, 0);
}

static void read_zeros(void) {
  static uv_tcp_t zeros;

  print_address(&zeros);
  print_result(uv_read_start((uv_stream_t*) &zeros, on_alloc, on_read));
}

static void init_twice(void) {
  uv_timer_init(&loop, &timer);
  uv_timer_start(&timer, on_timer, 1, 0);
  print_address(&timer);
  uv_timer_init(&loop, &timer);
  run();
}

static void init_loop_twice(void) {
  static uv_loop_t own;

  uv_loop_init(&own);
  print_address(&own);
  uv_loop_init(&own);
}

/* (uv_tcp_t is larger: what is read behind the timer is this program's.) */
static void read_timer(void) {
  static union {
    uv_timer_t timer;
    uv_tcp_t tcp;
  } object;

  uv_timer_init(&loop, &object.timer);
  print_address(&object);
  print_result(uv_read_start((uv_stream_t*) &object.timer, on_alloc, on_read));
}

static void start_idle_as_timer(void) {
  static union {
    uv_timer_t timer;
    uv_idle_t idle;
  } object;

  uv_idle_init(&loop, &object.idle);
  print_address(&object);
  print_result(uv_timer_start(&object.timer, on_timer, 1, 0));
  uv_run(&loop, UV_RUN_NOWAIT);
}

/* ------------------------------------------------------------------------- */
/* The wrong moment. */

static void close_twice(void) {
  uv_timer_init(&loop, &timer);
  print_address(&timer);
  uv_close((uv_handle_t*) &timer, NULL);
  uv_close((uv_handle_t*) &timer, NULL);
}

static void send_closing(void) {
  static uv_async_t async;

  uv_async_init(&loop, &async, on_async);
  print_address(&async);
  uv_close((uv_handle_t*) &async, NULL);
  print_result(uv_async_send(&async));
  run();
}

static void send_closed(void) {
  static uv_async_t async;

  uv_async_init(&loop, &async, on_async);
  print_address(&async);
  uv_close((uv_handle_t*) &async, NULL);
  run();
  print_result(uv_async_send(&async));
}

static void on_idle_run(uv_idle_t* handle) {
  uv_idle_stop(handle);
  uv_run(&loop, UV_RUN_NOWAIT);
}

static void run_in_callback(void) {
  static uv_idle_t idle;

  print_address(&loop);
  uv_idle_init(&loop, &idle);
  uv_idle_start(&idle, on_idle_run);
  run();
}

static void close_busy_loop(void) {
  uv_timer_init(&loop, &timer);
  print_address(&loop);
  print_address(&timer);
  print_result(uv_loop_close(&loop));
}

static void write_request_twice(void) {
  static uv_write_t req;

  open_stream();
  print_address(&req);
  write_with(&req, megabyte, sizeof(megabyte));
  write_with(&req, megabyte, sizeof(megabyte));
  run();
}

static void do_work(uv_work_t* req) {
  (void) req;
  usleep(50000);
}

static void after_work(uv_work_t* req, int status) {
  (void) req;
  (void) status;
}

static void work_request_twice(void) {
  static uv_work_t req;

  print_address(&req);
  uv_queue_work(&loop, &req, do_work, after_work);
  uv_queue_work(&loop, &req, do_work, after_work);
  run();
}

static void clean_up_twice(void) {
  uv_fs_t req;

  print_address(&req);
  uv_fs_stat(NULL, &req, ".", NULL);
  uv_fs_req_cleanup(&req);
  uv_fs_req_cleanup(&req);
}

static void never_clean_up(void) {
  uv_fs_t req;

  print_address(&req);
  uv_fs_scandir(NULL, &req, ".", 0, NULL);
}

static void unref_twice(void) {
  uv_timer_init(&loop, &timer);
  print_address(&timer);
  uv_timer_start(&timer, on_timer, 1, 0);
  uv_unref((uv_handle_t*) &timer);
  uv_unref((uv_handle_t*) &timer);
  uv_ref((uv_handle_t*) &timer);
  run();
}

/* ------------------------------------------------------------------------- */
/* Arguments. */

static void read_without_alloc(void) {
  open_stream();
  uv_read_stop((uv_stream_t*) &stream);
  print_address(&stream);
  print_result(uv_read_start((uv_stream_t*) &stream, NULL, on_read));
}

/* A client connects: what then? */
static void listen_without_callback(void) {
  static uv_tcp_t server;
  static uv_tcp_t client;
  static uv_connect_t req;
  struct sockaddr_in addr;
  int len = sizeof(addr);

  uv_ip4_addr("127.0.0.1", 0, &addr);
  uv_tcp_init(&loop, &server);
  uv_tcp_bind(&server, (struct sockaddr*) &addr, 0);
  print_address(&server);
  int err = uv_listen((uv_stream_t*) &server, 1, NULL);
  print_result(err);
  if (err != 0)
    return;
  uv_tcp_getsockname(&server, (struct sockaddr*) &addr, &len);
  uv_tcp_init(&loop, &client);
  uv_tcp_connect(&req, &client, (struct sockaddr*) &addr, NULL);
  for (int i = 0; i < 3; i++)
    uv_run(&loop, UV_RUN_NOWAIT);
}

/* What follows is what lies there: no address. */
static void args_without_null(void) {
  static uv_process_t process;
  static char* args[] = { "true", (char*) 1, NULL };
  uv_process_options_t options;

  memset(&options, 0, sizeof(options));
  options.file = "true";
  options.args = args;
  print_address(&process);
  print_result(uv_spawn(&loop, &process, &options));
}

/* ------------------------------------------------------------------------- */
/* Threads and processes. */

/* The child runs the loop that its parent made. */
static void fork_without_loop_fork(void) {
  int status = 0;

  uv_timer_init(&loop, &timer);
  uv_timer_start(&timer, on_timer, 1, 0);
  print_address(&loop);
  pid_t pid = fork();
  if (pid == 0) {
    run();
    _exit(0);
  }
  waitpid(pid, &status, 0);
  print_result(status);
}

static void run_loop(void* arg) {
  (void) arg;
  uv_run(&loop, UV_RUN_NOWAIT);
}

static void stop_loop(void* arg) {
  (void) arg;
  uv_stop(&loop);
}

static void close_timer(void* arg) {
  (void) arg;
  uv_close((uv_handle_t*) &timer, NULL);
}

static void init_timer(void* arg) {
  (void) arg;
  uv_timer_init(&loop, &timer);
}

static void on_idle_thread(uv_idle_t* handle) {
  uv_thread_cb* entry = handle->data;
  uv_thread_t thread;

  uv_idle_stop(handle);
  uv_thread_create(&thread, *entry, NULL);
  uv_thread_join(&thread);
}

/* The loop runs meanwhile, and waits: what is seen is the same every time. */
static void call_on_thread(uv_thread_cb entry) {
  static uv_thread_cb kept;
  static uv_idle_t idle;

  kept = entry;
  idle.data = &kept;
  uv_idle_init(&loop, &idle);
  uv_idle_start(&idle, on_idle_thread);
  run();
}

static void run_on_two_threads(void) {
  print_address(&loop);
  call_on_thread(run_loop);
}

static void stop_on_thread(void) {
  print_address(&loop);
  call_on_thread(stop_loop);
}

static void close_on_thread(void) {
  uv_timer_init(&loop, &timer);
  print_address(&timer);
  call_on_thread(close_timer);
}

static void init_on_thread(void) {
  print_address(&timer);
  call_on_thread(init_timer);
}

/* No mistake at all: nothing may be said. */
static void nothing_wrong(void) {
  static uv_idle_t idle;
  static uv_write_t req;
  uv_timer_t local; /* (of a function that has not returned) */

  print_address(&local);
  uv_timer_init(&loop, &local);
  uv_timer_start(&local, on_timer, 1, 0);
  uv_idle_init(&loop, &idle);
  uv_idle_start(&idle, on_idle_stop);
  open_stream();
  write_with(&req, megabyte, sizeof(megabyte));
  for (int i = 0; i < 20; i++)
    uv_run(&loop, UV_RUN_NOWAIT);
  uv_close((uv_handle_t*) &idle, on_close);
  uv_close((uv_handle_t*) &stream, on_close);
  run();
  uv_close((uv_handle_t*) &local, NULL);
  run();
  print_result(uv_loop_close(&loop));
}

/* ------------------------------------------------------------------------- */

static const struct {
  const char* name;
  void (*make)(void);
} mistakes[] = {
  { "free-before-close-cb", free_before_close_cb },
  { "free-open-handle", free_open_handle },
  { "handle-on-stack", handle_on_stack },
  { "write-request-on-stack", write_request_on_stack },
  { "waiting-write-on-stack", waiting_write_on_stack },
  { "write-data-on-stack", write_data_on_stack },
  { "fs-request-on-stack", fs_request_on_stack },
  { "free-loop", free_loop },
  { "close-garbage", close_garbage },
  { "close-zeros", close_zeros },
  { "close-uninitialised", close_uninitialised },
  { "start-zeros", start_zeros },
  { "read-zeros", read_zeros },
  { "init-twice", init_twice },
  { "init-loop-twice", init_loop_twice },
  { "read-timer", read_timer },
  { "start-idle-as-timer", start_idle_as_timer },
  { "close-twice", close_twice },
  { "send-closing", send_closing },
  { "send-closed", send_closed },
  { "run-in-callback", run_in_callback },
  { "close-busy-loop", close_busy_loop },
  { "write-request-twice", write_request_twice },
  { "work-request-twice", work_request_twice },
  { "clean-up-twice", clean_up_twice },
  { "never-clean-up", never_clean_up },
  { "unref-twice", unref_twice },
  { "read-without-alloc", read_without_alloc },
  { "listen-without-callback", listen_without_callback },
  { "args-without-null", args_without_null },
  { "fork-without-loop-fork", fork_without_loop_fork },
  { "run-on-two-threads", run_on_two_threads },
  { "stop-on-thread", stop_on_thread },
  { "close-on-thread", close_on_thread },
  { "init-on-thread", init_on_thread },
  { "nothing-wrong", nothing_wrong },
};

#define COUNT (sizeof(mistakes) / sizeof(*mistakes))

int main(int argc, char** argv) {
  struct rlimit no_core = { 0, 0 };

  (void) setrlimit(RLIMIT_CORE, &no_core);
  for (size_t i = 0; i < COUNT; i++) {
    if (argc < 2)
      puts(mistakes[i].name);
    else if (strcmp(argv[1], mistakes[i].name) == 0) {
      if (uv_loop_init(&loop) != 0)
        abort();
      mistakes[i].make();
      puts("survived");
      fflush(stdout);
      _exit(0);
    }
  }
  return argc < 2 ? 0 : 2;
}
