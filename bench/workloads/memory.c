/* SPDX-License-Identifier: MIT */
/* Memory: bytes requested from the allocator beyond the handles themselves
 * (whose sizes the ABI fixes). Nothing is timed here. */
#include "bench.h"

#include <signal.h>
#include <unistd.h>

#define PER_KIND 10000

static size_t held;

static void* count_malloc(size_t size) {
  size_t* block = malloc(size + 16);

  if (block == NULL)
    return NULL;
  block[0] = size;
  held += size;
  return block + 2;
}

static void count_free(void* memory) {
  if (memory == NULL)
    return;
  size_t* block = (size_t*) memory - 2;
  held -= block[0];
  free(block);
}

static void* count_calloc(size_t count, size_t size) {
  void* memory = count_malloc(count * size);
  return memory == NULL ? NULL : memset(memory, 0, count * size);
}

static void* count_realloc(void* memory, size_t size) {
  size_t old = memory == NULL ? 0 : ((size_t*) memory)[-2];
  void* fresh = count_malloc(size);

  if (fresh == NULL)
    return NULL;
  if (memory != NULL)
    memcpy(fresh, memory, old < size ? old : size);
  count_free(memory);
  return fresh;
}

static void timer_cb(uv_timer_t* timer) {
  (void) timer;
}

static void async_cb(uv_async_t* async) {
  (void) async;
}

static void poll_cb(uv_poll_t* poll, int status, int events) {
  (void) poll;
  (void) status;
  (void) events;
}

static void weigh_timers(uv_loop_t* loop) {
  static uv_timer_t timers[PER_KIND];
  size_t before = held;

  for (int i = 0; i < PER_KIND; i++) {
    CHECK_OK(uv_timer_init(loop, &timers[i]));
    CHECK_OK(
        uv_timer_start(&timers[i], timer_cb, 1000 + bench_random() % 1000, 0));
  }
  bench_note("bytes_per_timer", (double) (held - before) / PER_KIND);
  for (int i = 0; i < PER_KIND; i++)
    uv_close((uv_handle_t*) &timers[i], NULL);
}

static void weigh_asyncs(uv_loop_t* loop) {
  static uv_async_t asyncs[PER_KIND];
  size_t before = held;

  for (int i = 0; i < PER_KIND; i++)
    CHECK_OK(uv_async_init(loop, &asyncs[i], async_cb));
  bench_note("bytes_per_async", (double) (held - before) / PER_KIND);
  for (int i = 0; i < PER_KIND; i++)
    uv_close((uv_handle_t*) &asyncs[i], NULL);
}

static void weigh_polls(uv_loop_t* loop) {
  static uv_poll_t polls[100];
  size_t before = held;

  for (int i = 0; i < 100; i++) {
    int fds[2];
    CHECK(pipe(fds) == 0);
    CHECK_OK(uv_poll_init(loop, &polls[i], fds[0]));
    CHECK_OK(uv_poll_start(&polls[i], UV_READABLE, poll_cb));
  }
  bench_note("bytes_per_watcher", (double) (held - before) / 100);
  for (int i = 0; i < 100; i++)
    uv_close((uv_handle_t*) &polls[i], NULL);
}

static void alloc_cb(uv_handle_t* handle, size_t hint, uv_buf_t* buf) {
  (void) handle;
  (void) hint;
  *buf = uv_buf_init(NULL, 0);
}

static void read_cb(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  (void) stream;
  (void) n;
  (void) buf;
}

static void recv_cb(uv_udp_t* udp,
                    ssize_t n,
                    const uv_buf_t* buf,
                    const struct sockaddr* from,
                    unsigned flags) {
  (void) udp;
  (void) n;
  (void) buf;
  (void) from;
  (void) flags;
}

static void signal_cb(uv_signal_t* handle, int number) {
  (void) handle;
  (void) number;
}

/* A socket that is watched for reading, and one that is not even open. */
static void weigh_streams(uv_loop_t* loop) {
  static uv_pipe_t pipes[100];
  static uv_tcp_t tcps[100];
  uv_os_sock_t ends[2];
  size_t before = held;

  for (int i = 0; i < 100; i++) {
    CHECK_OK(uv_socketpair(SOCK_STREAM, 0, ends, UV_NONBLOCK_PIPE, 0));
    CHECK_OK(uv_pipe_init(loop, &pipes[i], 0));
    CHECK_OK(uv_pipe_open(&pipes[i], ends[0]));
    CHECK_OK(uv_read_start((uv_stream_t*) &pipes[i], alloc_cb, read_cb));
  }
  bench_note("bytes_per_reading_stream", (double) (held - before) / 100);
  before = held;
  for (int i = 0; i < 100; i++)
    CHECK_OK(uv_tcp_init(loop, &tcps[i]));
  bench_note("bytes_per_closed_stream", (double) (held - before) / 100);
  for (int i = 0; i < 100; i++) {
    uv_close((uv_handle_t*) &pipes[i], NULL);
    uv_close((uv_handle_t*) &tcps[i], NULL);
  }
}

static void weigh_udps(uv_loop_t* loop) {
  static uv_udp_t udps[100];
  struct sockaddr_in any;
  size_t before = held;

  CHECK_OK(uv_ip4_addr("127.0.0.1", 0, &any));
  for (int i = 0; i < 100; i++) {
    CHECK_OK(uv_udp_init(loop, &udps[i]));
    CHECK_OK(uv_udp_bind(&udps[i], (const struct sockaddr*) &any, 0));
    CHECK_OK(uv_udp_recv_start(&udps[i], alloc_cb, recv_cb));
  }
  bench_note("bytes_per_udp", (double) (held - before) / 100);
  for (int i = 0; i < 100; i++)
    uv_close((uv_handle_t*) &udps[i], NULL);
}

/* The first may make what all of them share. */
static void weigh_signals(uv_loop_t* loop) {
  static uv_signal_t signals[101];
  size_t before = 0;

  for (int i = 0; i < 101; i++) {
    CHECK_OK(uv_signal_init(loop, &signals[i]));
    CHECK_OK(uv_signal_start(&signals[i], signal_cb, SIGUSR2));
    if (i == 0)
      before = held;
  }
  bench_note("bytes_per_signal", (double) (held - before) / 100);
  for (int i = 0; i < 101; i++)
    uv_close((uv_handle_t*) &signals[i], NULL);
}

static void run_memory(struct run* run) {
  uv_loop_t loop;
  size_t rss_before;
  size_t rss_after;

  (void) run;
  CHECK_OK(uv_replace_allocator(count_malloc, count_realloc, count_calloc,
                                count_free));
  CHECK_OK(uv_resident_set_memory(&rss_before));
  size_t before = held;
  CHECK_OK(uv_loop_init(&loop));
  uv_run(&loop, UV_RUN_NOWAIT);
  bench_note("bytes_per_loop", (double) (held - before) + sizeof(loop));
  CHECK_OK(uv_resident_set_memory(&rss_after));
  bench_note("rss_of_first_loop", (double) (rss_after - rss_before));
  bench_begin();
  weigh_timers(&loop);
  weigh_asyncs(&loop);
  weigh_polls(&loop);
  weigh_streams(&loop);
  weigh_udps(&loop);
  weigh_signals(&loop);
  bench_end();
  bench_drain(&loop);
  bench_note("bytes_left_over", (double) (held - before));
}

const struct workload memory_workloads[] = {
  { "memory", run_memory, NULL, 0, 1, 1, 0,
    "bytes that loops and handles hold beyond their structures" },
  { .name = NULL },
};
