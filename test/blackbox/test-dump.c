/* SPDX-License-Identifier: MIT */
/* uvx_dump(): a line for each handle with what its type has to tell, then the
 * pool and its requests. */
#include "ignore.h"
#include "test.h"
#include "uv/ext.h"

#include <stdio.h>

static char text[65536];

/* The text of a dump, in `text`. */
static void take_dump(const uv_loop_t* loop) {
  FILE* file = fopen("dump.txt", "wb+");

  ASSERT_NOT_NULL(file);
  ASSERT_OK(uvx_dump(loop, file));
  rewind(file);
  size_t n = fread(text, 1, sizeof(text) - 1, file);
  text[n] = '\0';
  fclose(file);
}

/* The line about a handle or request, as a string of its own. */
static const char* line_of(const void* object) {
  static char line[1024];
  char address[32];

  snprintf(address, sizeof(address), " %p", object);
  const char* at = strstr(text, address);
  if (at == NULL)
    fprintf(stderr, "%s", text);
  ASSERT_NOT_NULL(at);
  while (at > text && at[-1] != '\n')
    at--;
  size_t len = strcspn(at, "\n");
  ASSERT_LT(len, sizeof(line));
  memcpy(line, at, len);
  line[len] = '\0';
  return line;
}

static void expect(const void* object, const char* part) {
  const char* line = line_of(object);

  if (strstr(line, part) == NULL)
    fprintf(stderr, "no \"%s\" in: %s\n", part, line);
  ASSERT_NOT_NULL(strstr(line, part));
}

TEST_IMPL(dump_refuses_what_it_cannot_do) {
  uv_loop_t loop;

  ASSERT_ERR(UV_EINVAL, uvx_dump(NULL, stderr));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uvx_dump(&loop, NULL)); /* standard error */
  take_dump(&loop);
  ASSERT_NOT_NULL(strstr(text, "0 handles"));
  ASSERT_NOT_NULL(strstr(text, "pool: not started"));
  ASSERT_OK(uv_loop_close(&loop));
  take_dump(&loop);
  ASSERT_NOT_NULL(strstr(text, "closed"));
  return 0;
}

TEST_IMPL(dump_shows_timers_and_what_is_pending) {
  uv_loop_t loop;
  uv_timer_t soon;
  uv_timer_t late;
  uv_timer_t never;
  uv_timer_t stopped;
  uv_async_t async;
  uv_idle_t idle;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &soon));
  ASSERT_OK(uv_timer_start(&soon, ignore_timer, 100000, 250));
  ASSERT_OK(uv_timer_init(&loop, &late));
  ASSERT_OK(uv_timer_start(&late, ignore_timer, 1, 0));
  ASSERT_OK(uv_timer_init(&loop, &never));
  ASSERT_OK(uv_timer_start(&never, ignore_timer, UINT64_MAX, 0));
  ASSERT_OK(uv_timer_init(&loop, &stopped));
  uv_unref((uv_handle_t*) &stopped);
  ASSERT_OK(uv_async_init(&loop, &async, ignore_async));
  ASSERT_OK(uv_idle_init(&loop, &idle));
  ASSERT_OK(uv_idle_start(&idle, ignore_idle));
  uv_sleep(5);

  take_dump(&loop);
  expect(&soon, "[RA--] timer");
  expect(&soon, ", due in ");
  expect(&soon, ", repeats every 250 ms, timer ");
  double due_ms = strtod(strstr(line_of(&soon), "due in ") + 7, NULL);
  ASSERT(due_ms > 50000 && due_ms <= 100000);
  expect(&late, ", due since ");
  expect(&never, ", never due");
  expect(&stopped, "[----] timer");
  ASSERT_NULL(strstr(line_of(&stopped), "due"));
  ASSERT_NULL(strstr(line_of(&async), "pending"));
  expect(&async, ", async ");
  expect(&idle, ", idle ");
  ASSERT_NOT_NULL(strstr(text, "6 handles, 5 of them keep it alive"));

  ASSERT_OK(uv_async_send(&async));
  uv_close((uv_handle_t*) &idle, NULL);
  take_dump(&loop);
  expect(&async, ", pending");
  expect(&idle, "C-] idle");
  ASSERT_NOT_NULL(strstr(text, "1 closed"));
  test_close_loop(&loop);
  return 0;
}

/* Both ends, as in "127.0.0.1:1234 to 127.0.0.1:5678". */
static void expect_ends(const void* object,
                        const struct sockaddr_in* local,
                        const struct sockaddr_in* remote) {
  char ends[64];
  int n =
      snprintf(ends, sizeof(ends), ", 127.0.0.1:%d", ntohs(local->sin_port));

  if (remote != NULL)
    snprintf(ends + n, sizeof(ends) - (size_t) n, " to 127.0.0.1:%d",
             ntohs(remote->sin_port));
  expect(object, ends);
}

TEST_IMPL(dump_shows_sockets_with_both_ends_and_queues) {
  uv_loop_t loop;
  uv_tcp_t server;
  uv_tcp_t client;
  uv_tcp_t accepted;
  uv_udp_t udp;
  uv_write_t req;
  static char data[1000];
  uv_buf_t buf = uv_buf_init(data, sizeof(data));
  struct sockaddr_in addr = test_loopback();

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_tcp_init(&loop, &server));
  ASSERT_OK(uv_tcp_bind(&server, (const struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_listen((uv_stream_t*) &server, 8, ignore_connection));
  test_tcp_pair(&loop, &client, &accepted);
  ASSERT_OK(uv_read_start((uv_stream_t*) &accepted, test_alloc, ignore_read));
  (void) test_fill((uv_stream_t*) &client);
  ASSERT_OK(uv_write(&req, (uv_stream_t*) &client, &buf, 1, NULL));
  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_OK(uv_udp_bind(&udp, (const struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_udp_recv_start(&udp, test_alloc, ignore_recv));

  take_dump(&loop);
  struct sockaddr_in local = test_tcp_address(&client);
  struct sockaddr_in remote = test_tcp_address(&accepted);
  expect(&server, ", fd ");
  expect(&server, ", listening");
  expect(&server, ", connection ");
  addr = test_tcp_address(&server);
  expect_ends(&server, &addr, NULL);
  expect_ends(&client, &local, &remote);
  expect_ends(&accepted, &remote, &local);
  expect(&client, ", connected");
  expect(&accepted, ", reading");
  expect(&accepted, ", 0 bytes to write");
  expect(&accepted, ", alloc ");
  expect(&accepted, ", read ");
  char queued[64];
  snprintf(queued, sizeof(queued), ", %u bytes to write",
           (unsigned) uv_stream_get_write_queue_size((uv_stream_t*) &client));
  expect(&client, queued);
  addr = test_udp_address(&udp);
  expect_ends(&udp, &addr, NULL);
  expect(&udp, ", 0 datagrams (0 bytes) to send, alloc ");
  expect(&udp, ", recv ");
  ASSERT_NOT_NULL(strstr(text, "1 request"));
  test_close_loop(&loop);
  return 0;
}

static uv_sem_t go;

static void wait_for_go(uv_work_t* req) {
  (void) req;
  uv_sem_wait(&go);
}

static void after_fs(uv_fs_t* req) {
  uv_fs_req_cleanup(req);
}

#define BLOCKERS 2

/* Two threads, both occupied; what is queued behind them is shown. */
static void fill_pool(uv_loop_t* loop,
                      uv_work_t* blockers,
                      uv_work_t* work,
                      uv_fs_t* fs) {
  ASSERT_OK(uv_os_setenv("UV_THREADPOOL_SIZE", "2"));
  ASSERT_OK(uv_sem_init(&go, 0));
  ASSERT_OK(uv_os_setenv("UV_USE_IO_URING", "0")); /* the pool, not a ring */
  ASSERT_OK(uv_loop_init(loop));
  for (int i = 0; i < BLOCKERS; i++)
    ASSERT_OK(
        uv_queue_work(loop, &blockers[i], wait_for_go, ignore_after_work));
  ASSERT_OK(uv_queue_work(loop, work, wait_for_go, ignore_after_work));
  ASSERT_OK(uv_fs_stat(loop, fs, ".", after_fs));
  /* Until both are taken. */
  do {
    uv_sleep(1);
    take_dump(loop);
  } while (strstr(text, "2 requests waiting (fs 1, dns 0, work 1)") == NULL);
}

static void empty_pool(uv_loop_t* loop) {
  for (int i = 0; i < BLOCKERS + 1; i++)
    uv_sem_post(&go);
  test_close_loop(loop);
}

TEST_IMPL(dump_shows_the_pool_and_what_waits) {
  uv_loop_t loop;
  uv_work_t blockers[BLOCKERS];
  uv_work_t work;
  uv_fs_t fs;

  fill_pool(&loop, blockers, &work, &fs);
  ASSERT_NOT_NULL(strstr(text, "pool: 2 of 2 threads, 2 running (0 of at most "
                               "1 name look-ups)"));
  ASSERT_NOT_NULL(strstr(text, "4 requests"));
  expect(&work, "  waiting  work ");
  expect(&fs, "  waiting  fs ");
  expect(&fs, " stat, loop ");
  /* Nobody observed when they were submitted: no age. */
  ASSERT_NULL(strstr(line_of(&fs), ", for "));
  empty_pool(&loop);
  return 0;
}

TEST_IMPL(dump_shows_ages_of_requests_while_observed) {
  uvx_metrics_options_t options = { sizeof(options), NULL, 0, 0, 0 };
  uv_loop_t loop;
  uv_work_t blockers[BLOCKERS];
  uv_work_t work;
  uv_fs_t fs;

  ASSERT_OK(uvx_metrics_start(&options));
  fill_pool(&loop, blockers, &work, &fs);
  uv_sleep(20);
  take_dump(&loop);
  expect(&fs, ", for ");
  double age_ms = strtod(strstr(line_of(&fs), ", for ") + 6, NULL);
  ASSERT(age_ms >= 15);
  const char* first = strstr(text, "  running  work of loop ");
  ASSERT_NOT_NULL(first);
  ASSERT_NOT_NULL(strstr(first + 1, "  running  work of loop "));
  ASSERT_NOT_NULL(strstr(first, ", age "));
  ASSERT_OK(uvx_metrics_stop());
  empty_pool(&loop);
  return 0;
}
