/* SPDX-License-Identifier: MIT */
/* uvx_metrics_start(), uvx_metrics() and UV_METRICS: numbers compared with what
 * the program did. */
#include "ignore.h"
#include "test.h"
#include "uv/ext.h"

#include <stdio.h>

static uvx_metrics_t metrics;

static void start_metrics(const char* path, unsigned interval_ms) {
  uvx_metrics_options_t options = { sizeof(options), path, interval_ms, 0, 0 };

  ASSERT_OK(uvx_metrics_start(&options));
}

static void read_metrics(const uv_loop_t* loop) {
  ASSERT_OK(uvx_metrics(loop, &metrics, sizeof(metrics)));
  ASSERT_EQ(UVX_METRICS_VERSION, metrics.version);
}

TEST_IMPL(metrics_loop_refuses_what_it_cannot_do) {
  uvx_metrics_options_t options = { sizeof(options), NULL, 0, 0, 0 };
  uvx_metrics_options_t too_short = {
    offsetof(uvx_metrics_options_t, reserved) - 1, NULL, 0, 0, 0
  };
  uvx_metrics_options_t too_slow = { sizeof(options), NULL, 90000000, 0, 0 };
  uv_loop_t loop;
  uint64_t version = 0;

  ASSERT_ERR(UV_EINVAL, uvx_metrics_start(NULL));
  ASSERT_ERR(UV_EINVAL, uvx_metrics_start(&too_short));
  ASSERT_ERR(UV_EINVAL, uvx_metrics_start(&too_slow));
  ASSERT_ERR(UV_ESRCH, uvx_metrics_stop());
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_ERR(UV_EINVAL, uvx_metrics(NULL, &metrics, sizeof(metrics)));
  ASSERT_ERR(UV_EINVAL, uvx_metrics(&loop, NULL, sizeof(metrics)));
  ASSERT_ERR(UV_EINVAL, uvx_metrics(&loop, &metrics, 0));
  ASSERT_ERR(UV_ENODATA, uvx_metrics(&loop, &metrics, sizeof(metrics)));
  ASSERT_OK(uvx_metrics_start(&options));
  ASSERT_ERR(UV_EBUSY, uvx_metrics_start(&options));
  ASSERT_ERR(UV_ENODATA, uvx_metrics(&loop, &metrics, sizeof(metrics)));
  ASSERT_OK(uv_run(&loop, UV_RUN_NOWAIT));
  ASSERT_OK(uvx_metrics_stop());

  /* Nothing was alive: no iteration. A handle that closes needs one. */
  start_metrics(NULL, 0);
  uv_timer_t timer;
  ASSERT_OK(uv_timer_init(&loop, &timer));
  uv_close((uv_handle_t*) &timer, NULL);
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  /* As much as the caller has room for. */
  ASSERT_OK(uvx_metrics(&loop, (uvx_metrics_t*) &version, sizeof(version)));
  ASSERT_EQ(UVX_METRICS_VERSION, version);
  ASSERT_OK(uvx_metrics_stop());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

static int ticks;

static void block_sometimes(uv_timer_t* timer) {
  if (++ticks == 5)
    uv_sleep(40);
  if (ticks == 20)
    uv_close((uv_handle_t*) timer, NULL);
}

TEST_IMPL(metrics_loop_sees_what_blocks_it) {
  uv_loop_t loop;
  uv_timer_t timer;

  start_metrics(NULL, 0);
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, block_sometimes, 1, 1));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  read_metrics(&loop);
  ASSERT_EQ(20, metrics.callbacks);
  ASSERT_GE(metrics.iterations, 20);
  ASSERT_EQ(metrics.iterations, metrics.iteration.count);
  ASSERT_GE(metrics.phases[UVX_PHASE_POLL].count, 20);
  ASSERT_GE(metrics.phases[UVX_PHASE_TIMERS].max_ns, 40000000);
  ASSERT_GE(metrics.lag.max_ns, 40000000);
  ASSERT_EQ(20, metrics.timer_lateness.count);
  ASSERT_LT(uvx_histogram_percentile(&metrics.lag, 50), 40000000);
  ASSERT_GE(uvx_histogram_percentile(&metrics.lag, 100), 40000000);
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_OK(uvx_metrics_stop());
  return 0;
}

#define BYTES 1000
#define ROUNDS 20

static uv_tcp_t client;
static uv_tcp_t server;
static uv_write_t write_req;
static uv_work_t work_req;
static uv_fs_t fs_req;
static int rounds;
static char data[BYTES];
static size_t received;

static void on_written(uv_write_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
}

static void write_some(void) {
  uv_buf_t buf = uv_buf_init(data, sizeof(data));

  ASSERT_OK(uv_write(&write_req, (uv_stream_t*) &client, &buf, 1, on_written));
}

static void on_stat(uv_fs_t* req) {
  uv_fs_req_cleanup(req);
  if (++rounds < ROUNDS) {
    write_some();
    return;
  }
  uv_close((uv_handle_t*) &client, NULL);
  uv_close((uv_handle_t*) &server, NULL);
}

static void after_work(uv_work_t* req, int status) {
  ASSERT_OK(status);
  ASSERT_OK(uv_fs_stat(req->loop, &fs_req, ".", on_stat));
}

static void on_read(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  (void) buf;
  ASSERT_GT(n, 0);
  received += (size_t) n;
  if (received % BYTES == 0)
    ASSERT_OK(uv_queue_work(stream->loop, &work_req, ignore_work, after_work));
}

static int is_reader_over;
static uv_sem_t reader_may_end;

/* While the loop runs. */
static void read_for_ever(void* arg) {
  static uvx_metrics_t mine;
  uint64_t before = 0;

  while (uv_sem_trywait(&reader_may_end) != 0) {
    int err = uvx_metrics(arg, &mine, sizeof(mine));
    ASSERT(err == 0 || err == UV_ENODATA);
    if (err == 0) {
      ASSERT_GE(mine.iterations, before);
      before = mine.iterations;
    }
  }
  is_reader_over = 1;
}

TEST_IMPL(metrics_loop_counts_streams_and_work) {
  uv_loop_t loop;
  uv_thread_t reader;

  ASSERT_OK(uv_os_setenv("UV_USE_IO_URING", "0")); /* the pool, not a ring */
  ASSERT_OK(uv_loop_init(&loop));
  test_tcp_pair(&loop, &client, &server);
  ASSERT_OK(uv_read_start((uv_stream_t*) &server, test_alloc, on_read));
  start_metrics(NULL, 0);
  ASSERT_OK(uv_sem_init(&reader_may_end, 0));
  ASSERT_OK(uv_thread_create(&reader, read_for_ever, &loop));
  write_some();
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  uv_sem_post(&reader_may_end);
  ASSERT_OK(uv_thread_join(&reader));
  ASSERT(is_reader_over);

  read_metrics(&loop);
  ASSERT_EQ(ROUNDS * BYTES, metrics.stream_read_bytes);
  ASSERT_GE(metrics.stream_reads, ROUNDS);
  ASSERT_EQ(ROUNDS * BYTES, metrics.stream_written_bytes);
  ASSERT_EQ(ROUNDS, metrics.stream_writes);
  ASSERT_EQ(ROUNDS, metrics.pool_queue[UVX_CLASS_FS].count);
  ASSERT_EQ(ROUNDS, metrics.pool_service[UVX_CLASS_WORK].count);
  ASSERT_EQ(0, metrics.pool_queue[UVX_CLASS_DNS].count);
  ASSERT_EQ(0, metrics.pool_queued);
  ASSERT_EQ(0, metrics.pool_running);
  ASSERT_OK(uvx_metrics_stop());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* What has no callback is counted too, and what did not fit is not. */
TEST_IMPL(metrics_loop_counts_what_is_tried) {
  uv_loop_t loop;
  uv_udp_t udp;
  uv_buf_t buf = uv_buf_init(data, sizeof(data));
  uv_buf_t* bufs[] = { &buf, &buf };
  unsigned int nbufs[] = { 1, 1 };
  struct sockaddr_in address;
  uint64_t tried = 0;
  uint64_t written = 0;
  int n;

  start_metrics(NULL, 0);
  ASSERT_OK(uv_loop_init(&loop));
  test_tcp_pair(&loop, &client, &server);
  do {
    n = uv_try_write((uv_stream_t*) &client, &buf, 1);
    tried++;
    written += n > 0 ? (uint64_t) n : 0;
  } while (n > 0 && tried < 100);
  ASSERT(n > 0 || n == UV_EAGAIN);

  ASSERT_OK(uv_ip4_addr("127.0.0.1", 0, &address));
  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_OK(uv_udp_bind(&udp, (struct sockaddr*) &address, 0));
  address = test_udp_address(&udp);
  ASSERT_OK(uv_udp_connect(&udp, (struct sockaddr*) &address));
  ASSERT_EQ(BYTES, uv_udp_try_send(&udp, &buf, 1, NULL));
  ASSERT_EQ(2, uv_udp_try_send2(&udp, 2, bufs, nbufs, NULL, 0));

  uv_close((uv_handle_t*) &udp, NULL);
  uv_close((uv_handle_t*) &client, NULL);
  uv_close((uv_handle_t*) &server, NULL);
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  read_metrics(&loop);
  ASSERT_EQ(tried, metrics.stream_writes);
  ASSERT_EQ(written, metrics.stream_written_bytes);
  ASSERT_EQ(3 * BYTES, metrics.udp_sent_bytes);
  ASSERT_GE(metrics.udp_sends, 2);
  ASSERT_OK(uvx_metrics_stop());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

static char text[1 << 18];

/* On Windows a file cannot be opened at the moment it is replaced. */
static FILE* open_text(const char* path) {
  FILE* file = fopen(path, "rb");

  for (int i = 0; file == NULL && i < 200; i++) {
    uv_sleep(5);
    file = fopen(path, "rb");
  }
  return file;
}

static void read_text(const char* path) {
  FILE* file = open_text(path);

  ASSERT_NOT_NULL(file);
  size_t n = fread(text, 1, sizeof(text) - 1, file);
  fclose(file);
  text[n] = '\0';
}

/* The value behind the first line that begins so. */
static double value_of(const char* beginning) {
  const char* at = strstr(text, beginning);

  if (at == NULL)
    fprintf(stderr, "no %s in:\n%s\n", beginning, text);
  ASSERT_NOT_NULL(at);
  at = strstr(at, "} ");
  ASSERT_NOT_NULL(at);
  return strtod(at + 2, NULL);
}

/* Names are declared before they are used, and lines are name, labels, value.
 * The file is replaced while it is read: each version is whole. */
static void check_text(void) {
  size_t len = strlen(text);
  char name[128] = "";

  ASSERT(len > 6);
  ASSERT_STR_EQ("# EOF\n", text + len - 6);
  for (char* line = text; *line != '#' || line[2] != 'E';) {
    char* end = strchr(line, '\n');
    ASSERT_NOT_NULL(end);
    if (*line == '#' && sscanf(line, "# TYPE %127s", name) != 1) {
      ASSERT(strncmp(line, "# HELP ", 7) == 0 ||
             strncmp(line, "# UNIT ", 7) == 0);
      ASSERT_EQ(0, strncmp(line + 7, name, strlen(name)));
    } else if (*line != '#') {
      ASSERT_EQ(0, strncmp(line, name, strlen(name)));
      ASSERT_NOT_NULL(strchr(line, ' '));
    }
    line = end + 1;
  }
}

TEST_IMPL(metrics_loop_file_is_replaced_whole) {
  uv_loop_t loop;
  uv_timer_t timer;

  start_metrics("metrics-%p.txt", 1);
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, block_sometimes, 1, 1));
  char path[64];
  snprintf(path, sizeof(path), "metrics-%d.txt", (int) uv_os_getpid());
  ticks = 0;
  while (uv_run(&loop, UV_RUN_ONCE) != 0) {
    uv_fs_t req;
    if (uv_fs_access(NULL, &req, path, 4, NULL) != 0)
      continue;
    read_text(path);
    check_text();
  }
  ASSERT_OK(uvx_metrics_stop());
  read_text(path);
  check_text();
  ASSERT_EQ(20, value_of("uv_callback_count_total{type=\"timer\""));
  ASSERT(value_of("uv_callback_seconds_total{type=\"timer\"") >= 0.04);
  ASSERT(value_of("uv_loop_iterations_total{") >= 20);
  ASSERT(value_of("uv_wakeups_total{") >= 20);
  ASSERT(value_of("uv_loop_lag_seconds_count{") >= 19);
  ASSERT(value_of("uv_loop_lag_seconds_sum{") >= 0.04);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

static void run_two_ticks(void) {
  uv_loop_t loop;
  uv_timer_t timer;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, block_sometimes, 1, 1));
  ticks = 18;
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));
}

/* Most programs close their loops before they exit, and the last version of the
 * file is written after that. */
TEST_IMPL(metrics_loop_counters_outlive_their_loops) {
  start_metrics("closed.txt", 0);
  run_two_ticks();
  run_two_ticks();
  ASSERT_OK(uvx_metrics_stop());
  read_text("closed.txt");
  check_text();
  ASSERT_EQ(4, value_of("uv_callback_count_total{type=\"timer\""));
  ASSERT(value_of("uv_callback_seconds_total{type=\"timer\"") > 0);
  ASSERT(value_of("uv_loop_iterations_total{loop=\"closed\"") >= 4);
  ASSERT(value_of("uv_loop_lag_seconds_count{loop=\"closed\"") >= 2);
  ASSERT_EQ(4, value_of("uv_timer_lateness_seconds_count{loop=\"closed\""));
  ASSERT_EQ(0, value_of("uv_handles{loop=\"closed\",type=\"timer\""));
  return 0;
}

#define SHORT_ALLOCS 64
#define LONG_ALLOCS 64

static int allocs;
static int reads;

static void alloc_slowly(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  if (++allocs > SHORT_ALLOCS)
    uv_sleep(1);
  test_alloc(handle, size, buf);
}

static void write_again(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  (void) stream;
  (void) buf;
  ASSERT_GT(n, 0);
  received += (size_t) n;
  reads++;
  if (received % BYTES != 0)
    return;
  if (allocs < SHORT_ALLOCS + LONG_ALLOCS) {
    write_some();
    return;
  }
  uv_close((uv_handle_t*) &client, NULL);
  uv_close((uv_handle_t*) &server, NULL);
}

/* Short ones and long ones. */
TEST_IMPL(metrics_loop_counts_alloc_callbacks) {
  uv_loop_t loop;

  start_metrics("allocs.txt", 0);
  ASSERT_OK(uv_loop_init(&loop));
  test_tcp_pair(&loop, &client, &server);
  received = 0;
  ASSERT_OK(uv_read_start((uv_stream_t*) &server, alloc_slowly, write_again));
  write_some();
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uvx_metrics_stop());
  read_text("allocs.txt");
  check_text();
  ASSERT_EQ(allocs,
            value_of("uv_callback_count_total{type=\"tcp\",call=\"alloc\""));
  ASSERT_EQ(reads,
            value_of("uv_callback_count_total{type=\"tcp\",call=\"read\""));
  double seconds =
      value_of("uv_callback_seconds_total{type=\"tcp\",call=\"alloc\"");
  ASSERT(seconds >= LONG_ALLOCS * 0.001);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* A path that cannot be written fails nobody. */
TEST_IMPL(metrics_loop_environment_never_fails_a_program) {
  uv_loop_t loop;
  uv_timer_t timer;

  ASSERT_OK(uv_os_setenv("UV_METRICS", "no/such/directory"));
  ASSERT_OK(uv_os_setenv("UV_METRICS_INTERVAL", "often"));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, block_sometimes, 1, 1));
  ticks = 10;
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  read_metrics(&loop);
  ASSERT_EQ(10, metrics.callbacks);
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_OK(uvx_metrics_stop());
  return 0;
}
