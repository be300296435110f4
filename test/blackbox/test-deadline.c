/* SPDX-License-Identifier: MIT */
/* uvx_deadline(): each type of request that ends in time, expires, is
 * cancelled, is closed; its callback always may free it. Method: a pool of one
 * thread that is blocked, a peer that does not read, a backlog that is full. */
#include "ignore.h"
#include "test.h"
#include "uv/ext.h"

#include <stdio.h>
#if TEST_POSIX
# include <errno.h>
# include <fcntl.h>
# include <netinet/in.h>
# include <sys/socket.h>
# include <unistd.h>
#endif

/* Expires soon; never does in this test. */
#define SOON 20
#define LATE 3600000

enum ending { IN_TIME, EXPIRED, CANCELLED, CLOSED };

static uv_loop_t loop;
static int calls;
static int result;
static union uv_any_req* req; /* freed in its callback */

/* Of handles. */
static test_stream_t ends[2];
static uv_handle_t* handle; /* that of the request, NULL: none */

static void ended(void* request, int status) {
  uv_req_t* base = request;

  ASSERT_PTR_EQ(req, base);
  ASSERT_ERR(UV_ESRCH, uvx_deadline(base, 5));
  ASSERT_ERR(UV_ESRCH, uvx_deadline(base, 0));
  calls++;
  result = status;
  free(req);
  req = NULL;
}

/* ---- requests of the pool, which is blocked if the request is to wait ---- */

static uv_work_t blocker;
static uv_sem_t gate;
static uv_sem_t blocked;

static void wait_at_gate(uv_work_t* work) {
  (void) work;
  uv_sem_post(&blocked);
  uv_sem_wait(&gate);
}

static void block_pool(void) {
  ASSERT_OK(uv_sem_init(&gate, 0));
  ASSERT_OK(uv_sem_init(&blocked, 0));
  ASSERT_OK(uv_queue_work(&loop, &blocker, wait_at_gate, NULL));
  uv_sem_wait(&blocked);
}

static void after_work(uv_work_t* work, int status) {
  ASSERT(work->after_work_cb == after_work);
  ended(work, status);
}

static void on_fs(uv_fs_t* fs) {
  int status = fs->result < 0 ? (int) fs->result : 0;

  ASSERT(fs->cb == on_fs);
  uv_fs_req_cleanup(fs);
  ended(fs, status);
}

static void on_random(uv_random_t* random, int status, void* buf, size_t len) {
  (void) buf;
  ASSERT_EQ(8, len);
  ASSERT(random->cb == on_random);
  ended(random, status);
}

static void on_addr(uv_getaddrinfo_t* addr, int status, struct addrinfo* res) {
  uv_freeaddrinfo(res);
  ASSERT(addr->cb == on_addr);
  ended(addr, status);
}

static void on_name(uv_getnameinfo_t* name,
                    int status,
                    const char* host,
                    const char* service) {
  ASSERT_EQ(status == 0, host != NULL);
  ASSERT_EQ(status == 0, service != NULL);
  ASSERT(name->getnameinfo_cb == on_name);
  ended(name, status);
}

static void start_work(void) {
  ASSERT_OK(uv_queue_work(&loop, &req->work, ignore_work, after_work));
}

static void start_fs(void) {
  ASSERT_OK(uv_fs_stat(&loop, &req->fs, ".", on_fs));
}

static void start_random(void) {
  static char bytes[8];
  ASSERT_OK(uv_random(&loop, &req->random, bytes, 8, 0, on_random));
}

static void start_addr(void) {
  ASSERT_OK(uv_getaddrinfo(&loop, &req->getaddrinfo, on_addr, "localhost", NULL,
                           NULL));
}

static void start_name(void) {
  struct sockaddr_in addr = test_loopback();
  ASSERT_OK(uv_getnameinfo(&loop, &req->getnameinfo, on_name,
                           (struct sockaddr*) &addr, 0));
}

/* ---- requests of handles ---- */

static uv_write_t plug;

static void fill(void) {
  static char block[1 << 20];
  uv_buf_t buf = uv_buf_init(block, sizeof(block));

  test_stream_pair(&loop, &ends[0], &ends[1]);
  handle = (uv_handle_t*) &ends[0];
  test_fill((uv_stream_t*) &ends[0]);
  ASSERT_OK(uv_write(&plug, (uv_stream_t*) &ends[0], &buf, 1, NULL));
}

static void no_fill(void) {
  test_stream_pair(&loop, &ends[0], &ends[1]);
  handle = (uv_handle_t*) &ends[0];
}

static void on_write(uv_write_t* write, int status) {
  ASSERT(write->cb == on_write);
  ASSERT_EQ(status == 0 ? 4 : 0, uv_write_nwritten(write));
  ended(write, status);
}

static void on_shutdown(uv_shutdown_t* shutdown, int status) {
  ASSERT(shutdown->cb == on_shutdown);
  ended(shutdown, status);
}

static void start_write(void) {
  uv_buf_t buf = uv_buf_init("data", 4);
  ASSERT_OK(uv_write(&req->write, (uv_stream_t*) handle, &buf, 1, on_write));
}

static void start_shutdown(void) {
  ASSERT_OK(uv_shutdown(&req->shutdown, (uv_stream_t*) handle, on_shutdown));
}

#if TEST_POSIX
/* A server whose backlog is full, or has room. */
static struct sockaddr_in server_addr;
static uv_tcp_t tcp;

static void on_connect(uv_connect_t* connect, int status) {
  ASSERT(connect->cb == on_connect);
  ended(connect, status);
}

static int listening_socket(int backlog) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  socklen_t len = sizeof(server_addr);

  server_addr = test_loopback();
  ASSERT_NE(-1, fd);
  ASSERT_EQ(0, bind(fd, (struct sockaddr*) &server_addr, len));
  ASSERT_EQ(0, listen(fd, backlog));
  ASSERT_EQ(0, getsockname(fd, (struct sockaddr*) &server_addr, &len));
  return fd;
}

/* How many clients fit is the kernel's secret: until one stays in progress. */
static void listen_full(void) {
  int nwaiting = 0;

  listening_socket(0);
  for (int i = 0; i < 16 && nwaiting < 2; i++) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    int timeout_ms = 50;
    ASSERT_NE(-1, fd);
    ASSERT_EQ(0, fcntl(fd, F_SETFL, O_NONBLOCK));
    int err = connect(fd, (struct sockaddr*) &server_addr, sizeof(server_addr));
    struct sockaddr_in peer;
    socklen_t len = sizeof(peer);
    while (err != 0 && timeout_ms-- > 0) {
      err = getpeername(fd, (struct sockaddr*) &peer, &len);
      usleep(1000);
    }
    nwaiting += err != 0;
  }
  if (nwaiting == 0)
    SKIP("connections to a full backlog are accepted here");
}

static void listen_open(void) {
  listening_socket(8);
}

static void start_connect(void) {
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  handle = (uv_handle_t*) &tcp;
  ASSERT_OK(uv_tcp_connect(&req->connect, &tcp, (struct sockaddr*) &server_addr,
                           on_connect));
}

/* Datagrams of a Unix socket wait for the reader, who has no room. */
static uv_udp_t udp;

static void on_send(uv_udp_send_t* send, int status) {
  ASSERT(send->cb == on_send);
  ended(send, status);
}

static void open_datagrams(void) {
  int fds[2];

  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM, 0, fds));
  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_OK(uv_udp_open(&udp, fds[0]));
  handle = (uv_handle_t*) &udp;
}

static void fill_datagrams(void) {
  uv_buf_t buf = uv_buf_init("data", 4);

  open_datagrams();
  while (uv_udp_try_send(&udp, &buf, 1, NULL) == 4)
    continue;
}

static void start_send(void) {
  uv_buf_t buf = uv_buf_init("data", 4);
  ASSERT_OK(uv_udp_send(&req->udp_send, &udp, &buf, 1, NULL, on_send));
}
#endif

struct row {
  const char* name;
  void (*hinder)(void); /* has the request wait */
  void (*allow)(void);  /* or prepares one that does not */
  void (*start)(void);
  int has_cancel;
};

static const struct row rows[] = {
  { "work", block_pool, NULL, start_work, 1 },
  { "fs", block_pool, NULL, start_fs, 1 },
  { "random", block_pool, NULL, start_random, 1 },
  { "getaddrinfo", block_pool, NULL, start_addr, 1 },
  { "getnameinfo", block_pool, NULL, start_name, 1 },
  { "write", fill, no_fill, start_write, 1 },
  { "shutdown", fill, no_fill, start_shutdown, 0 },
#if TEST_POSIX
  { "connect", listen_full, listen_open, start_connect, 1 },
  { "udp_send", fill_datagrams, open_datagrams, start_send, 1 },
#endif
};

static void begin(const struct row* row, enum ending ending) {
  calls = 0;
  handle = NULL;
  ASSERT_OK(uv_os_setenv("UV_THREADPOOL_SIZE", "1"));
  ASSERT_OK(uv_loop_init(&loop));
  if (ending != IN_TIME)
    row->hinder();
  else if (row->allow != NULL)
    row->allow();
  req = malloc(sizeof(*req));
  ASSERT_NOT_NULL(req);
  memset(req, 0xA5, sizeof(*req)); /* reserved words are rubbish */
  row->start();
}

static void run_until_called(void) {
  while (calls == 0)
    uv_run(&loop, UV_RUN_ONCE);
}

static void finish(const struct row* row, enum ending ending) {
  if (ending != IN_TIME && row->hinder == block_pool)
    uv_sem_post(&gate);
  test_close_loop(&loop);
  ASSERT_EQ(1, calls);
}

static void each_row(void (*test)(const struct row* row)) {
  for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
    printf("# %s\n", rows[i].name);
    test(&rows[i]);
  }
}

/* The result comes first: the callback gets it. */
static void test_in_time(const struct row* row) {
  begin(row, IN_TIME);
  ASSERT_OK(uvx_deadline((uv_req_t*) req, LATE));
  run_until_called();
  ASSERT_OK(result);
  finish(row, IN_TIME);
}

TEST_IMPL(deadline_in_time) {
  each_row(test_in_time);
  return 0;
}

/* It does not: UV_ETIMEDOUT, and not before the time. */
static void test_expired(const struct row* row) {
  begin(row, EXPIRED);
  uv_update_time(&loop);
  uint64_t begin_ns = uv_hrtime();
  ASSERT_OK(uvx_deadline((uv_req_t*) req, SOON));
  run_until_called();
  ASSERT_GE(uv_hrtime() - begin_ns, (SOON - 1) * 1000000);
  ASSERT_ERR(UV_ETIMEDOUT, result);
  finish(row, EXPIRED);
}

TEST_IMPL(deadline_expired) {
  each_row(test_expired);
  return 0;
}

/* The program cancels it: that is no timeout, even if the time passes before
 * the callback. */
static void test_cancelled(const struct row* row) {
  if (!row->has_cancel)
    return;
  begin(row, CANCELLED);
  ASSERT_OK(uvx_deadline((uv_req_t*) req, SOON));
  ASSERT_OK(uv_cancel((uv_req_t*) req));
  (void) uv_cancel((uv_req_t*) req); /* again: no difference */
  uv_sleep(SOON + 5);
  run_until_called();
  ASSERT(result == UV_ECANCELED || result == UV_EAI_CANCELED);
  finish(row, CANCELLED);
}

TEST_IMPL(deadline_cancelled) {
  each_row(test_cancelled);
  return 0;
}

/* Closing ends it as without a deadline. */
static void test_closed(const struct row* row) {
  if (row->hinder == block_pool)
    return;
  begin(row, CLOSED);
  ASSERT_OK(uvx_deadline((uv_req_t*) req, LATE));
  uv_close(handle, NULL);
  run_until_called();
  ASSERT_ERR(UV_ECANCELED, result);
  finish(row, CLOSED);
}

TEST_IMPL(deadline_closed) {
  each_row(test_closed);
  return 0;
}

/* A later call replaces the time, 0 removes it. */
static void test_replaced(const struct row* row) {
  begin(row, EXPIRED);
  ASSERT_OK(uvx_deadline((uv_req_t*) req, 0));
  ASSERT_OK(uvx_deadline((uv_req_t*) req, 1));
  ASSERT_OK(uvx_deadline((uv_req_t*) req, UINT64_MAX));
  ASSERT_OK(uvx_deadline((uv_req_t*) req, 0));
  ASSERT_OK(uvx_deadline((uv_req_t*) req, LATE));
  uv_sleep(5);
  for (int i = 0; i < 5; i++)
    uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(0, calls);
  ASSERT_OK(uvx_deadline((uv_req_t*) req, 1));
  run_until_called();
  ASSERT_ERR(UV_ETIMEDOUT, result);
  finish(row, EXPIRED);
}

TEST_IMPL(deadline_replaced) {
  each_row(test_replaced);
  return 0;
}

/* Arguments that make no sense, and requests that are not under way. */
static void on_stat(uv_fs_t* fs) {
  uv_fs_req_cleanup(fs);
  calls++;
}

TEST_IMPL(deadline_bad_arguments) {
  uv_fs_t fs;
  uv_req_t none;

  memset(&none, 0, sizeof(none));
  ASSERT_ERR(UV_EINVAL, uvx_deadline(NULL, 1));
  ASSERT_ERR(UV_EINVAL, uvx_deadline(&none, 1));
  none.type = UV_REQ_TYPE_MAX;
  ASSERT_ERR(UV_EINVAL, uvx_deadline(&none, 1));
  ASSERT_OK(uv_fs_stat(NULL, &fs, ".", NULL));
  ASSERT_ERR(UV_ESRCH, uvx_deadline((uv_req_t*) &fs, 1));
  uv_fs_req_cleanup(&fs);
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_fs_stat(&loop, &fs, ".", on_stat));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, calls);
  ASSERT_ERR(UV_ESRCH, uvx_deadline((uv_req_t*) &fs, 1));
  test_close_loop(&loop);
  return 0;
}

/* What runs already is not taken back: its result comes, late. */
static void run_late(uv_work_t* work) {
  (void) work;
  uv_sem_post(&blocked);
  uv_sem_wait(&gate);
}

static void on_gate_timer(uv_timer_t* timer) {
  ASSERT_EQ(0, calls);
  uv_close((uv_handle_t*) timer, NULL);
  uv_sem_post(&gate);
}

TEST_IMPL(deadline_of_work_that_runs) {
  uv_timer_t timer;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_sem_init(&gate, 0));
  ASSERT_OK(uv_sem_init(&blocked, 0));
  req = malloc(sizeof(*req));
  ASSERT_NOT_NULL(req);
  ASSERT_OK(uv_queue_work(&loop, &req->work, run_late, after_work));
  uv_sem_wait(&blocked);
  ASSERT_OK(uvx_deadline((uv_req_t*) req, 1));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, on_gate_timer, 30, 0));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, calls);
  ASSERT_OK(result);
  test_close_loop(&loop);
  return 0;
}
