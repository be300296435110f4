/* SPDX-License-Identifier: MIT */
/* Out of memory is UV_ENOMEM, with nothing leaked and nothing half done.
 * Method: uv_replace_allocator(), failing the Nth allocation for every N. */
#include "ignore.h"
#include "test.h"

#if TEST_POSIX
# include <sys/wait.h>
#endif

static int countdown; /* 0: the next one fails */
static int armed;
static int blocks; /* allocated and not freed */

static int refuse(void) {
  return armed && countdown-- == 0;
}

static void* test_malloc(size_t size) {
  if (refuse())
    return NULL;
  blocks++;
  return malloc(size);
}

static void* test_calloc(size_t count, size_t size) {
  if (refuse())
    return NULL;
  blocks++;
  return calloc(count, size);
}

static void* test_realloc(void* ptr, size_t size) {
  if (refuse())
    return NULL;
  blocks += ptr == NULL;
  return realloc(ptr, size);
}

static void test_free(void* ptr) {
  blocks -= ptr != NULL;
  free(ptr);
}

/* Calls `run` with the first, second, ... allocation failing, until none fails.
 * It returns its result and has cleaned up. */
static void for_every_allocation(int (*run)(void)) {
  static int replaced;
  if (!replaced)
    ASSERT_OK(uv_replace_allocator(test_malloc, test_realloc, test_calloc,
                                   test_free));
  replaced = 1;

  for (int n = 0;; n++) {
    ASSERT_LT(n, 1000);
    int before = blocks;
    countdown = n;
    armed = 1;
    int err = run();
    int reached = countdown < 0;
    armed = 0;
    ASSERT_EQ(before, blocks);
    if (!reached) {
      ASSERT_OK(err);
      return;
    }
    /* Refused, or completed without the allocation. */
    ASSERT(err == UV_ENOMEM || err == 0);
  }
}

static uv_loop_t loop;

static int run_loop_init(void) {
  int before = test_open_handles();
  int err = uv_loop_init(&loop);
  armed = 0;
  if (err == 0)
    ASSERT_OK(uv_loop_close(&loop));
  ASSERT_EQ(before, test_open_handles());
  return err;
}

TEST_IMPL(no_memory_loop_init) {
  for_every_allocation(run_loop_init);
  return 0;
}

static int run_loop_new(void) {
  uv_loop_t* made = uv_loop_new();
  armed = 0;
  if (made == NULL)
    return UV_ENOMEM;
  uv_loop_delete(made);
  return 0;
}

TEST_IMPL(no_memory_loop_new) {
  for_every_allocation(run_loop_new);
  return 0;
}

static int run_timers(void) {
  enum { TIMERS = 100 };
  static uv_timer_t timers[TIMERS];
  int err = 0;
  int started = 0;

  armed = 0;
  ASSERT_OK(uv_loop_init(&loop));
  armed = 1;
  for (int i = 0; i < TIMERS; i++) {
    ASSERT_OK(uv_timer_init(&loop, &timers[i]));
    int r = uv_timer_start(&timers[i], ignore_timer, 1, 0);
    if (r == 0)
      started++;
    else
      err = r;
    ASSERT_EQ(r == 0, uv_is_active((uv_handle_t*) &timers[i]));
  }
  armed = 0;
  /* One refused allocation affects one timer, not all that follow. */
  ASSERT_GE(started, TIMERS - 1);
  test_close_loop(&loop);
  return err;
}

TEST_IMPL(no_memory_timers) {
  for_every_allocation(run_timers);
  return 0;
}

static int run_streams(void) {
  uv_tcp_t tcp;
  uv_udp_t udp;
  uv_pipe_t pipe_handle;
  struct sockaddr_in addr = test_loopback();

  armed = 0;
  ASSERT_OK(uv_loop_init(&loop));
  armed = 1;
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_OK(uv_pipe_init(&loop, &pipe_handle, 0));
  int err = uv_tcp_bind(&tcp, (struct sockaddr*) &addr, 0);
  if (err == 0)
    err = uv_udp_bind(&udp, (struct sockaddr*) &addr, 0);
  if (err == 0)
    err = uv_pipe_bind(&pipe_handle, test_pipe_name("sock"));
  if (err == 0)
    err = uv_listen((uv_stream_t*) &tcp, 8, ignore_connection);
  armed = 0;
  test_close_loop(&loop);
  return err;
}

TEST_IMPL(no_memory_bind_and_listen) {
  for_every_allocation(run_streams);
  return 0;
}

static int async_result;

static void on_fs(uv_fs_t* req) {
  async_result = (int) req->result;
}

static int run_fs(void) {
  uv_fs_t req;
  char* path = strdup("dir");

  armed = 0;
  ASSERT_OK(uv_loop_init(&loop));
  armed = 1;
  async_result = 0;
  int err = uv_fs_scandir(&loop, &req, path, 0, on_fs);
  memset(path, 'x', strlen(path)); /* the caller's again */
  free(path);
  if (err == 0)
    ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  armed = 0;
  if (err == 0 && async_result < 0)
    err = async_result;
  uv_fs_req_cleanup(&req);
  test_close_loop(&loop);
  return err;
}

TEST_IMPL(no_memory_fs) {
  /* The pool keeps its memory: allocate it first. */
  uv_fs_t req;
  ASSERT_OK(
      uv_replace_allocator(test_malloc, test_realloc, test_calloc, test_free));
  ASSERT_OK(uv_loop_init(&loop));
  test_mkdir("dir");
  test_write_file("dir/file", "");
  /* Not io_uring's. */
  ASSERT_OK(uv_fs_access(&loop, &req, "dir", 0, on_fs));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  uv_fs_req_cleanup(&req);
  test_close_loop(&loop);
  for_every_allocation(run_fs);
  return 0;
}

static int run_system(void) {
  uv_cpu_info_t* cpus = NULL;
  uv_interface_address_t* addresses = NULL;
  uv_env_item_t* env = NULL;
  uv_passwd_t passwd;
  int ncpus = 0;
  int naddresses = 0;
  int nenv = 0;

  int err = uv_cpu_info(&cpus, &ncpus);
  if (err == 0)
    uv_free_cpu_info(cpus, ncpus);
  int err2 = uv_interface_addresses(&addresses, &naddresses);
  if (err2 == 0)
    uv_free_interface_addresses(addresses, naddresses);
  int err3 = uv_os_environ(&env, &nenv);
  if (err3 == 0)
    uv_os_free_environ(env, nenv);
  int err4 = uv_os_get_passwd(&passwd);
  if (err4 == 0)
    uv_os_free_passwd(&passwd);
  armed = 0;
  return err != 0 ? err : err2 != 0 ? err2 : err3 != 0 ? err3 : err4;
}

TEST_IMPL(no_memory_system_information) {
  for_every_allocation(run_system);
  return 0;
}

static void on_exit_cb(uv_process_t* process, int64_t status, int signal) {
  ASSERT_EQ(0, status);
  ASSERT_EQ(0, signal);
  uv_close((uv_handle_t*) process, NULL);
}

static int run_spawn(void) {
  uv_process_t process;
  uv_process_options_t options;
  char* args[7];

  armed = 0;
  helper_args(args, "nothing", NULL, NULL, NULL);
  ASSERT_OK(uv_loop_init(&loop));
  armed = 1;
  test_process_options(&options, args, on_exit_cb);
  int err = uv_spawn(&loop, &process, &options);
  armed = 0;
  if (err != 0)
    uv_close((uv_handle_t*) &process, NULL);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  test_close_loop(&loop);
  return err;
}

TEST_IMPL(no_memory_spawn) {
  for_every_allocation(run_spawn);
  return 0;
}

#if TEST_POSIX
/* The poller refuses to report the child (KQUEUE_SHIM_CHILDREN, in a build with
 * test/kqueue-shim), and then there is no memory to watch SIGCHLD: the child is
 * not left behind. */
TEST_IMPL(no_memory_spawn_refused_by_the_poller) {
  ASSERT_OK(uv_os_setenv("KQUEUE_SHIM_CHILDREN", "refused"));
  for_every_allocation(run_spawn);
  ASSERT_EQ(-1, waitpid(-1, NULL, WNOHANG));
  return 0;
}
#endif

static int run_writes(void) {
  static uv_write_t writes[3];
  test_stream_t a;
  test_stream_t b;
  uv_buf_t bufs[20];
  int err = 0;

  armed = 0;
  ASSERT_OK(uv_loop_init(&loop));
  test_stream_pair(&loop, &a, &b);
  test_fill((uv_stream_t*) &a);
  for (int i = 0; i < 20; i++)
    bufs[i] = uv_buf_init((char*) "abc", 3);
  armed = 1;
  for (int i = 0; i < 3; i++) {
    int r = uv_write(&writes[i], (uv_stream_t*) &a, bufs, 20, NULL);
    if (r != 0)
      err = r;
  }
  armed = 0;
  size_t queued = uv_stream_get_write_queue_size((uv_stream_t*) &a);
  ASSERT_EQ(err == 0 ? 180 : 120, queued);
  test_close_loop(&loop);
  return err;
}

/* More buffers than fit into a request, on a full stream. */
TEST_IMPL(no_memory_write) {
  for_every_allocation(run_writes);
  return 0;
}
